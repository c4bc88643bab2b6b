"""Optimal play on a handful of layouts: at most 62, so that a set of them is one 64-bit word.

Two layouts can both be won only if they can be told apart: by a cell that is safe in both and shows different numbers.
So no play wins more layouts than the largest set in which any two can be told apart, nor more than the groups into
which they can be put so that no two of a group can be. Groups made greedily give the bound that ends most of
the search. Two layouts that can be told apart in some set can both be won, so that a bound of 1 or 2 is the value.
"""

# mypy: disable-error-code="no-any-return"
# (arrays and compiled kernels are Any to mypy; it is the compiler that checks types here)

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minesolve.engine.compiling import count_bits, inline_kernel, kernel, lowest_bit, merged_kernel
from minesolve.engine.layouts import MINE, Layouts
from minesolve.engine.memo import Memo, find, keep
from minesolve.engine.regions import records

__all__ = ["BUDGET", "HANDFUL", "SETS", "Handful", "allocate_handful", "load_handful", "wins_of_handful"]

HANDFUL = 62
"""Layouts in a word that is never negative."""

CELLS, SETS, BUDGET = 0, 1, 2
"""Places in `Handful.count`: cells in play; sets looked into so far, and how many may be."""

_DEPTH = HANDFUL + 4
_LAYOUT = np.dtype([("first", "i8"), ("second", "i8"), ("apart", "i8")])
_CELL = np.dtype([("number", "i8"), ("mined", "i8"), ("begin", "i8")])
_FRAME = np.dtype(
    [(_name, "i8") for _name in ("among", "floor", "best", "beaten", "ceiling")]
    + [(_name, "i8") for _name in ("most", "free", "lives", "parts", "now")]
)


class Handful(NamedTuple):
    """A handful of layouts, and the search through their sets.

    Attributes
    ----------
    layout : record[62]
        The two halves of its key, ``first`` and ``second``; the layouts that can be told ``apart`` from it.
    cell : record[cells + 1]
        A cell that is not alike in all layouts: its ``number`` in the region; the layouts in which it is ``mined``;
        where its sets ``begin`` in `shows`.
    shows : int64[9 * cells]
        The layouts in which a cell shows one number, for each number that it shows in some.
    frame : record[depth]
        The set ``among`` which is searched; a value not above the ``floor`` need not be exact; the ``best`` that was
        found; what was ``beaten``: the highest bound of what was given up; the ``ceiling``, which the value can't
        exceed; the ``most`` that the move being tried can win; whether a cell that is ``free``, safe anyway, is opened;
        how many cells are live; how many ``parts`` of the move have to be looked into, -1 without a move; the one to
        look at ``now``.
    live, bound : int64[depth, cells]
        Cells that can be opened, and the most that opening each can win; 0 once it was tried.
    part, part_bound : int64[depth, 62]
        Parts of the move that is being tried, with bounds.
    count : int64[3]
    """

    layout: Any
    cell: Any
    shows: Any
    frame: Any
    live: Any
    bound: Any
    part: Any
    part_bound: Any
    count: Any


def allocate_handful(cells: int) -> Handful:
    """Return the arrays for so many cells."""
    live, bound = np.zeros((2, _DEPTH, cells), np.int64)
    part, part_bound = np.zeros((2, _DEPTH, HANDFUL), np.int64)
    return Handful(
        records(_LAYOUT, HANDFUL), records(_CELL, cells + 1), np.zeros(9 * cells, np.int64),
        records(_FRAME, _DEPTH), live, bound, part, part_bound, np.zeros(3, np.int64),
    )  # fmt: skip


@kernel
def load_handful(layouts: Layouts, memo: Memo, handful: Handful, hand: Any, number: int, width: int) -> None:
    """Take in so many layouts, in the first row of `hand`, with so many cells, in the second."""
    members, live = hand[0], hand[1]
    layout, cell, shows, by_number = handful.layout, handful.cell, handful.shows, handful.part[0]
    everything, cells, at = (1 << number) - 1, 0, 0
    for i in range(number):
        layout[i].first, layout[i].second = memo.keys[members[i], 0], memo.keys[members[i], 1]
        layout[i].apart = 0
    for j in range(width):
        row = live[j] * layouts.stride
        for v in range(10):
            by_number[v] = 0
        for i in range(number):
            by_number[layouts.shows[row + members[i]]] |= 1 << i
        safe, begin = everything & ~by_number[MINE], at
        if safe == 0:
            continue
        for v in range(9):
            shows[at] = by_number[v]
            at += 1 if by_number[v] else 0
        if at - begin == 1 and safe == everything:
            at = begin  # it is the same in all layouts
            continue
        for k in range(begin, at):
            one, others = shows[k], safe & ~shows[k]
            while one and others:
                layout[lowest_bit(one)].apart |= others
                one &= one - 1
        cell[cells].number, cell[cells].mined, cell[cells].begin = live[j], by_number[MINE], begin
        handful.live[0, cells] = cells
        cells += 1
    handful.count[CELLS], handful.frame[0].lives = cells, cells


@kernel
def _ceiling(layout: Any, among: int) -> int:
    """Return the number of groups, no two layouts of which can be told apart, that cover a set."""
    groups = 0
    while among:
        groups += 1
        i = lowest_bit(among)
        among &= among - 1
        alike = among & ~layout[i].apart
        while alike:
            k = lowest_bit(alike)
            among ^= 1 << k
            alike &= alike - 1
            alike &= ~layout[k].apart
    return groups


@inline_kernel
def _keys_of(layout: Any, among: int) -> tuple[int, int]:
    first = second = 0
    while among:
        i = lowest_bit(among)
        first ^= layout[i].first
        second ^= layout[i].second
        among &= among - 1
    return first, second


@kernel
def _estimate(layout: Any, memo: Memo, among: int) -> int:
    """Return twice the value of a set, plus 1, if it is known; else twice a number that it can't exceed."""
    size = count_bits(among)
    if size < 2:
        return 2 * size + 1
    if size == 2:
        return 5 if layout[lowest_bit(among)].apart & among else 3
    ceiling = _ceiling(layout, among)
    if ceiling <= 2:
        return 2 * ceiling + 1
    if size > 3:
        first, second = _keys_of(layout, among)
        found = find(memo, first, second)
        if found >= 0:
            return min(found, 2 * ceiling + (found & 1))
    return 2 * ceiling


@kernel
def _refine(handful: Handful, depth: int, parts: int, j: int) -> int:
    """Part each of the parts by what a cell shows, or that it is a mine; return how many there are then."""
    part = handful.part
    for i in range(parts):
        rest = part[depth, i] & ~handful.cell[j].mined
        some = part[depth, i] ^ rest
        k = handful.cell[j].begin
        while rest:
            shown = rest & handful.shows[k]
            k += 1
            if shown:
                if some:
                    part[depth, parts] = some
                    parts += 1
                some = shown
                rest ^= shown
        part[depth, i] = some
    return parts


@kernel
def _settle_parts(handful: Handful, memo: Memo, depth: int, parts: int) -> None:
    """Begin with a move: take out the parts that are known, and sum up what it can win at most."""
    frame = handful.frame[depth]
    part, left, most = handful.part, 0, 0
    for i in range(parts):
        known = _estimate(handful.layout, memo, part[depth, i])
        most += known >> 1
        if not known & 1:
            part[depth, left], handful.part_bound[depth, left] = part[depth, i], known >> 1
            left += 1
    frame.parts, frame.now, frame.most = left, 0, most


@merged_kernel
def _bound_of(handful: Handful, memo: Memo, among: int, j: int) -> int:
    """Return the most that opening a cell can win."""
    rest, most, k = among & ~handful.cell[j].mined, 0, handful.cell[j].begin
    while rest:
        shown = rest & handful.shows[k]
        k += 1
        if shown:
            rest ^= shown
            most += _estimate(handful.layout, memo, shown) >> 1
    return most


@merged_kernel
def _open(handful: Handful, memo: Memo, depth: int) -> None:
    """Begin to look into a set."""
    frame = handful.frame[depth]
    among, live, cell = frame.among, handful.live, handful.cell
    frame.best = frame.beaten = frame.now = 0
    frame.parts = -1
    frame.ceiling = _ceiling(handful.layout, among)
    handful.part[depth, 0] = among
    lives, parts = 0, 1
    for i in range(handful.frame[depth - 1].lives):
        j = live[depth - 1, i]
        safe = among & ~cell[j].mined
        if safe == among:
            parts = _refine(handful, depth, parts, j)
        elif safe:
            live[depth, lives] = j
            lives += 1
    frame.lives = lives
    frame.free = parts > 1
    if parts > 1:
        _settle_parts(handful, memo, depth, parts)
    else:
        for i in range(lives):
            most = count_bits(among & ~cell[live[depth, i]].mined)
            if most > frame.floor:
                most = _bound_of(handful, memo, among, live[depth, i])
            handful.bound[depth, i] = most


@merged_kernel
def _next_move(handful: Handful, memo: Memo, depth: int, needed: int) -> bool:
    """Begin with the move that can win most; False if none can win more than needed."""
    frame = handful.frame[depth]
    most, chosen = 0, 0
    for i in range(frame.lives):
        if handful.bound[depth, i] > most:
            most, chosen = handful.bound[depth, i], i
    if most <= needed:
        frame.beaten = max(frame.beaten, most)
        return False
    handful.bound[depth, chosen] = 0
    j = handful.live[depth, chosen]
    handful.part[depth, 0] = frame.among & ~handful.cell[j].mined
    _settle_parts(handful, memo, depth, _refine(handful, depth, 1, j))
    return True


@merged_kernel
def _advance(handful: Handful, memo: Memo, depth: int) -> bool:
    """Go on with a set; True if a part of it has to be looked into, one deeper; False if its value is found."""
    frame = handful.frame[depth]
    while True:
        needed, most = max(frame.floor, frame.best), frame.most
        if frame.parts >= 0:
            now = frame.now
            if now < frame.parts and most > needed:
                handful.frame[depth + 1].among = handful.part[depth, now]
                handful.frame[depth + 1].floor = needed - most + handful.part_bound[depth, now]
                return True
            if most > needed:
                frame.best = needed = most
            else:
                frame.beaten = max(frame.beaten, most)
        if frame.free or needed >= frame.ceiling:
            return False
        if not _next_move(handful, memo, depth, needed):
            return False


@merged_kernel
def _take_in(handful: Handful, depth: int, value: int) -> None:
    """Go on to the next part, this one's value being found."""
    frame = handful.frame[depth]
    frame.most += value - handful.part_bound[depth, frame.now]
    frame.now += 1


@merged_kernel
def _close(handful: Handful, memo: Memo, depth: int) -> int:
    """Return and keep the value of a set, or, if it is not above the floor, what it can't exceed."""
    frame = handful.frame[depth]
    exact = frame.best > frame.floor
    value = frame.best if exact else min(frame.beaten, frame.ceiling)
    if count_bits(frame.among) > 3:
        first, second = _keys_of(handful.layout, frame.among)
        keep(memo, first, second, value, exact)
    return value


@kernel
def wins_of_handful(handful: Handful, memo: Memo, among: int, floor: int) -> int:
    """Return how many layouts of a set optimal play wins, or, if that is not above the floor, what it can't exceed.

    -1 if the budget of sets is used up.
    """
    known = _estimate(handful.layout, memo, among)
    if known & 1 or known >> 1 <= floor:
        return known >> 1
    handful.frame[1].among, handful.frame[1].floor = among, floor
    handful.frame[0].lives = handful.count[CELLS]
    depth, opening = 1, True
    while True:
        if opening:
            handful.count[SETS] += 1
            if handful.count[SETS] > handful.count[BUDGET]:
                return -1
            _open(handful, memo, depth)
        opening = _advance(handful, memo, depth)
        if opening:
            depth += 1
            continue
        value = _close(handful, memo, depth)
        if depth == 1:
            return value
        depth -= 1
        _take_in(handful, depth, value)
