"""Optimal play on sets of layouts of any size, as bits in several words, down to those that are a handful.

The layouts of a set are numbered, and what each cell shows in them is kept as sets of bits. Where a part is much
smaller than the set that the numbers were made for, it gets numbers of its own: one tier further down, with shorter
words. The search is depth first with an explicit stack; a tier serves the one set that is being looked into there.
Bounds are those of `minesolve.engine.handful`.
"""

# mypy: disable-error-code="no-any-return"
# (arrays and compiled kernels are Any to mypy; it is the compiler that checks types here)

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minesolve.engine.compiling import count_bits, inline_kernel, kernel, lowest_bit, merged_kernel
from minesolve.engine.handful import BUDGET, HANDFUL, SETS, Handful, allocate_handful, load_handful, wins_of_handful
from minesolve.engine.layouts import LISTED, MINE, WIDTH, Layouts
from minesolve.engine.memo import Memo, allocate_memo, find, forget_memo, keep
from minesolve.engine.regions import records

__all__ = ["Search", "allocate_search", "solve_region"]

_STEP = 8
"""A tier has words for an eighth of the layouts of the tier above."""

_TIER = np.dtype([(_name, "i8") for _name in ("words", "cells", "row", "layouts")])
_CELL = np.dtype([(_name, "i8") for _name in ("number", "begin", "end")])
_FRAME = np.dtype(
    [(_name, "i8") for _name in ("first", "second", "number", "floor", "best", "beaten", "most")]
    + [(_name, "i8") for _name in ("tier", "lives_begin", "lives_end", "parts", "now", "free")]
)
_PART = np.dtype([(_name, "i8") for _name in ("number", "bound", "first", "second", "order")])
_LIVE = np.dtype([("cell", "i8"), ("bound", "i8"), ("sure", "i8")])
_MOVE = np.dtype([("wins", "i8"), ("safe", "i8"), ("order", "i8")])


class Search(NamedTuple):
    """The search through sets of layouts of one region.

    Attributes
    ----------
    layouts : Layouts
    memo : Memo
    handful : Handful
    tier : record[tiers]
        How many ``words`` a set has; ``cells`` that are not alike in all layouts; the first of its `rows`; how many
        ``layouts`` it has.
    members : int32[tiers, layouts]
        The layouts by their numbers in the tier.
    cell : record[tiers, cells]
        A cell's ``number`` in the region. Of its rows, from ``begin`` to ``end``, the first has the layouts in which
        it is a mine; each of the others those in which it shows one number.
    rows : int64
        The sets of cells.
    group : int64[layouts, 2], met : int64[1]
        By layout: its group, no two of which can be told apart. By group: the set it was met in last; the last set.
    frame : record[depth]
        The key of a set, ``first`` and ``second``, and the ``number`` of its layouts; its ``tier``; the cells that can
        be opened stand in `live` from ``lives_begin`` to ``lives_end``; whether a cell that is ``free``, safe anyway,
        is opened. The rest is as in `Handful`.
    among : int64[depth, words]
        The set.
    live : record
        Cells, by their place in the tier; the ``bound`` of what opening it wins, 0 once it was tried, and whether that
        is all that can be said (``sure``) without searching.
    part : record[depth, 9], part_among : int64[depth, 9, words]
        Parts of the move that is being tried: the ``number`` of layouts, a ``bound`` of what it wins, its key. Apart
        from that, those that have to be looked into in ``order``.
    scratch : int64[10, words]
    hand : int64[2, places]
        Layouts and cells to be taken in hand.
    move : record[places]
        By cell of the region: how many layouts are won if it is opened first (``wins``), in how many it is ``safe``.
        Apart from that, the cells in ``order``.
    """

    layouts: Layouts
    memo: Memo
    handful: Handful
    tier: Any
    members: Any
    cell: Any
    rows: Any
    group: Any
    met: Any
    frame: Any
    among: Any
    live: Any
    part: Any
    part_among: Any
    scratch: Any
    hand: Any
    move: Any


def allocate_search(layouts: Layouts, number: int, width: int, places: int, memo: int) -> Search:
    """Return the arrays for so many layouts of so many cells, on boards of so many places, and so many sets kept."""
    words = [-(-number // HANDFUL)]
    while words[-1] > 1:
        words.append(-(-words[-1] // _STEP))
    tier, row = records(_TIER, len(words)), 0
    for t, length in enumerate(words):
        tier[t].words, tier[t].row = length, row
        row += 10 * width * length
    depth = width + 4  # each set inside another has a cell less that can be opened
    return Search(
        layouts, allocate_memo(number, memo), allocate_handful(places), tier,
        np.zeros((len(words), HANDFUL * words[0]), np.int32), records(_CELL, len(words), places),
        np.zeros(row, np.int64), np.zeros((HANDFUL * words[0], 2), np.int64), np.zeros(1, np.int64),
        records(_FRAME, depth), np.zeros((depth, words[0]), np.int64), records(_LIVE, depth * width),
        records(_PART, depth, 9), np.zeros((depth, 9, words[0]), np.int64), np.zeros((10, words[0]), np.int64),
        np.zeros((2, max(places, HANDFUL)), np.int64), records(_MOVE, places),
    )  # fmt: skip


@kernel
def _load_tier(search: Search, t: int, number: int) -> None:
    """Describe the layouts in `members` of a tier by sets; its cells are there, and those alike everywhere go."""
    tier, shows, by_number, scratch = search.tier[t], search.layouts.shows, search.handful.part[0], search.scratch
    words, members, cells, row = -(-number // HANDFUL), search.members[t], 0, 0
    tier.words, tier.layouts = words, number
    for j in range(tier.cells):
        start, safe = search.cell[t, j].number * search.layouts.stride, 0
        for w in range(words):
            for v in range(10):
                by_number[v] = 0
            for i in range(w * HANDFUL, min((w + 1) * HANDFUL, number)):
                by_number[shows[start + members[i]]] |= 1 << (i - w * HANDFUL)
            for v in range(10):
                scratch[v, w] = by_number[v]
        begin = row
        for k in range(10):
            v = k - 1 if k else MINE
            size = 0
            for w in range(words):
                search.rows[tier.row + row * words + w] = scratch[v, w]
                size += count_bits(scratch[v, w])
            row += 1 if size or v == MINE else 0
            safe += size if v != MINE else 0
        if safe == 0 or (safe == number and row - begin == 2):
            row = begin
            continue
        cell = search.cell[t, cells]
        cell.number, cell.begin, cell.end = search.cell[t, j].number, begin, row
        cells += 1
    tier.cells = cells


@inline_kernel
def _fill(among: Any, number: int) -> None:
    """Make a set of all layouts."""
    w = 0
    while number > 0:
        among[w] = (1 << min(number, HANDFUL)) - 1
        number -= HANDFUL
        w += 1


@kernel
def _keep_alike(search: Search, layout: int, busy: Any, number: int) -> int:
    """Take from `scratch[1]` what can be told apart from a layout; return in how many words something is left.

    These are the first words in `busy`, before and after.
    """
    rows, words, alike, left = search.rows, search.tier[0].words, search.scratch[1], 0
    word, bit = layout // HANDFUL, 1 << (layout % HANDFUL)
    for j in range(search.tier[0].cells):
        mined = search.cell[0, j].begin * words
        if rows[mined + word] & bit:
            continue
        own = mined + words
        while not rows[own + word] & bit:
            own += words
        for i in range(number):
            alike[busy[i]] &= rows[own + busy[i]] | rows[mined + busy[i]]
    for i in range(number):
        busy[left] = busy[i]
        left += 1 if alike[busy[i]] else 0
    return left


@merged_kernel
def _group(search: Search) -> None:
    """Put the layouts into groups, no two of which can be told apart."""
    words, rest, alike, busy, groups = search.tier[0].words, search.scratch[0], search.scratch[1], search.scratch[2], 0
    _fill(rest, search.tier[0].layouts)
    for w in range(words):
        while rest[w]:
            for u in range(w, words):
                alike[u], busy[u - w] = rest[u], u
            number = words - w
            while number:
                bit = alike[busy[0]] & -alike[busy[0]]
                rest[busy[0]] ^= bit
                alike[busy[0]] ^= bit
                layout = busy[0] * HANDFUL + lowest_bit(bit)
                search.group[layout, 0] = groups
                number = _keep_alike(search, layout, busy, number)
            groups += 1
    for i in range(groups):
        search.group[i, 1] = 0
    search.met[0] = 0


@merged_kernel
def _find_key(search: Search, t: int, part: Any, among: Any) -> int:
    """Write the key of a part; return from how many groups its layouts are: more of them can't be won."""
    first = second = groups = 0
    search.met[0] += 1
    for w in range(search.tier[t].words):
        rest = among[w]
        while rest:
            layout = search.members[t, w * HANDFUL + lowest_bit(rest)]
            first ^= search.memo.keys[layout, 0]
            second ^= search.memo.keys[layout, 1]
            rest &= rest - 1
            group = search.group[layout, 0]
            groups += search.group[group, 1] != search.met[0]
            search.group[group, 1] = search.met[0]
    part.first, part.second = first, second
    return groups


@kernel
def _begin_move(search: Search, depth: int, j: int, needed: int) -> None:
    """Part a set by what a cell shows, the smallest part first; parts that are known are only summed up.

    No more is done than to see that the move can't win more than needed, if it can't.
    """
    frame, tier, parts, most = search.frame[depth], search.tier[search.frame[depth].tier], 0, 0
    words, cell, among = tier.words, search.cell[search.frame[depth].tier, j], search.among[depth]
    for k in range(cell.begin + 1, cell.end):
        row, size = tier.row + k * words, 0
        for w in range(words):
            shown = among[w] & search.rows[row + w]
            search.part_among[depth, parts, w] = shown
            size += count_bits(shown)
        most += size
        if size > 1:
            search.part[depth, parts].number = size
            parts += 1
    left, i = 0, 0
    while i < parts and most > needed:
        part = search.part[depth, i]
        part.bound = _find_key(search, frame.tier, part, search.part_among[depth, i])
        found = find(search.memo, part.first, part.second) if part.number > 3 else -1
        if found >= 0:
            part.bound = min(part.bound, found >> 1)
        most += part.bound - part.number
        if part.bound > 1 and (found < 0 or not found & 1):
            k = left
            while k > 0 and search.part[depth, search.part[depth, k - 1].order].number > part.number:
                search.part[depth, k].order = search.part[depth, k - 1].order
                k -= 1
            search.part[depth, k].order = i
            left += 1
        i += 1
    frame.parts, frame.now, frame.most = left, 0, most


@merged_kernel
def _open(search: Search, depth: int) -> None:
    """Begin to look into a set."""
    frame, above, live = search.frame[depth], search.frame[depth - 1], search.live
    tier, among, rows = search.tier[frame.tier], search.among[depth], search.rows
    frame.best, frame.beaten, frame.parts, frame.free = 0, 0, -1, 0
    stop, free, most_values, words = above.lives_end, -1, 1, tier.words
    same = frame.tier == above.tier
    number = above.lives_end - above.lives_begin if same else tier.cells
    for i in range(number):
        j = live[above.lives_begin + i].cell if same else i
        cell, mines = search.cell[frame.tier, j], 0
        for w in range(words):
            mines += count_bits(among[w] & rows[tier.row + cell.begin * words + w])
        if mines == frame.number:
            continue
        if mines == 0:
            values = 0
            for k in range(cell.begin + 1, cell.end):
                some = 0
                for w in range(words):
                    some |= among[w] & rows[tier.row + k * words + w]
                values += some != 0
            if values == 1:
                continue
            if values > most_values:
                most_values, free = values, j
        live[stop].cell, live[stop].bound, live[stop].sure = j, frame.number - mines, 0
        stop += 1
    frame.lives_begin, frame.lives_end = above.lives_end, stop
    if free >= 0:
        frame.free = 1
        _begin_move(search, depth, free, frame.floor)


@merged_kernel
def _next_move(search: Search, depth: int, needed: int) -> bool:
    """Begin with the move that can win most; False if none can win more than needed."""
    frame, live = search.frame[depth], search.live
    while True:
        most, second, chosen = 0, 0, 0
        for i in range(frame.lives_begin, frame.lives_end):
            if live[i].bound > most:
                second, most, chosen = most, live[i].bound, i
            elif live[i].bound > second:
                second = live[i].bound
        if most <= needed:
            frame.beaten = max(frame.beaten, most)
            return False
        _begin_move(search, depth, live[chosen].cell, needed)
        if frame.most <= needed:
            live[chosen].bound = 0
            frame.beaten = max(frame.beaten, frame.most)
        elif frame.most >= second or live[chosen].sure:
            live[chosen].bound = 0
            return True
        else:
            live[chosen].bound, live[chosen].sure = frame.most, 1


@merged_kernel
def _take_in(search: Search, depth: int, value: int) -> None:
    """Go on to the next part, this one's value being found."""
    frame = search.frame[depth]
    frame.most += value - search.part[depth, search.part[depth, frame.now].order].bound
    frame.now += 1


@merged_kernel
def _advance(search: Search, depth: int) -> bool:
    """Go on with a set; True if a part has to be looked into: it is the set one deeper; False if its value is found."""
    frame = search.frame[depth]
    while True:
        needed = max(frame.floor, frame.best)
        if frame.parts >= 0:
            if frame.now < frame.parts and frame.most > needed:
                part, deeper = search.part[depth, search.part[depth, frame.now].order], search.frame[depth + 1]
                deeper.number, deeper.first, deeper.second = part.number, part.first, part.second
                deeper.floor = needed - frame.most + part.bound
                return True
            if frame.most > needed:
                frame.best = needed = frame.most
            else:
                frame.beaten = max(frame.beaten, frame.most)
        if frame.free or not _next_move(search, depth, needed):
            return False


@merged_kernel
def _close(search: Search, depth: int) -> int:
    """Return and keep the value of a set, or, if it is not above the floor, what it can't exceed."""
    frame = search.frame[depth]
    exact = frame.best > frame.floor
    value = frame.best if exact else frame.beaten
    if depth:
        keep(search.memo, frame.first, frame.second, value, exact)
    return value


@merged_kernel
def _take_in_hand(search: Search, depth: int) -> None:
    """Take the part that is to be looked into in hand, with the cells that are live above it."""
    frame, t, number = search.frame[depth], search.frame[depth].tier, 0
    now = search.part[depth, frame.now].order
    for w in range(search.tier[t].words):
        rest = search.part_among[depth, now, w]
        while rest:
            search.hand[0, number] = search.members[t, w * HANDFUL + lowest_bit(rest)]
            number += 1
            rest &= rest - 1
    for i in range(frame.lives_begin, frame.lives_end):
        search.hand[1, i - frame.lives_begin] = search.cell[t, search.live[i].cell].number
    load_handful(search.layouts, search.memo, search.handful, search.hand, number, frame.lives_end - frame.lives_begin)


@merged_kernel
def _descend(search: Search, depth: int) -> None:
    """Make the part that is to be looked into the set one deeper, in a tier of its own if it is small enough."""
    frame, deeper, t, number = search.frame[depth], search.frame[depth + 1], search.frame[depth].tier, 0
    now = search.part[depth, frame.now].order
    deeper.tier = t
    if deeper.number * _STEP > search.tier[t].words * HANDFUL:
        for w in range(search.tier[t].words):
            search.among[depth + 1, w] = search.part_among[depth, now, w]
        return
    deeper.tier = t + 1
    for w in range(search.tier[t].words):
        rest = search.part_among[depth, now, w]
        while rest:
            search.members[t + 1, number] = search.members[t, w * HANDFUL + lowest_bit(rest)]
            number += 1
            rest &= rest - 1
    for i in range(frame.lives_begin, frame.lives_end):
        search.cell[t + 1, i - frame.lives_begin].number = search.cell[t, search.live[i].cell].number
    search.tier[t + 1].cells = frame.lives_end - frame.lives_begin
    _load_tier(search, t + 1, number)
    _fill(search.among[depth + 1], number)


@merged_kernel
def _begin_region(search: Search) -> None:
    """Make the layouts listed the set at depth 0, and order the cells, the safest first, then the lowest number."""
    layouts, move, frame, number = search.layouts, search.move, search.frame[0], search.layouts.count[LISTED]
    forget_memo(search.memo)
    frame.number, frame.first, frame.second, frame.tier = number, 0, 0, 0
    for layout in range(number):
        search.members[0, layout] = layout
        frame.first ^= search.memo.keys[layout, 0]
        frame.second ^= search.memo.keys[layout, 1]
    for cell in range(layouts.count[WIDTH]):
        row, safe = cell * layouts.stride, 0
        for at in range(row, row + number):
            safe += layouts.shows[at] != MINE
        move[cell].safe, move[cell].wins = safe, 0
        k = cell
        while k > 0 and move[move[k - 1].order].safe < safe:
            move[k].order = move[k - 1].order
            k -= 1
        move[k].order = cell
        search.cell[0, cell].number = cell
    search.tier[0].cells = layouts.count[WIDTH]
    _load_tier(search, 0, number)
    _group(search)
    _fill(search.among[0], number)
    for j in range(search.tier[0].cells):
        search.live[j].cell = j
    frame.lives_begin, frame.lives_end = 0, search.tier[0].cells


@merged_kernel
def _begin_with(search: Search, depth: int, cell: int, floor: int) -> None:
    """Begin, at depth 0, to open a cell first; with -1, what is safe in all layouts is opened first."""
    frame, part, j = search.frame[depth], search.part[depth, 0], 0
    frame.best, frame.beaten, frame.floor, frame.free = 0, 0, floor, 1
    while cell >= 0 and j < search.tier[depth].cells and search.cell[depth, j].number != cell:
        j += 1
    if cell >= 0:
        _begin_move(search, depth, j, floor)
        return
    part.number, part.bound, part.first, part.second = frame.number, frame.number, frame.first, frame.second
    part.order, frame.parts, frame.now, frame.most = 0, 1, 0, frame.number
    for w in range(search.tier[depth].words):
        search.part_among[depth, 0, w] = search.among[depth, w]


@merged_kernel
def _search(search: Search) -> int:
    """Return what the move wins that was begun at depth 0, as `wins_of_handful`; -1 if over the budget."""
    depth, value, count = np.int64(0), 0, search.handful.count  # a literal would make one more of each kernel
    while depth >= 0:
        if not _advance(search, depth):
            value = _close(search, depth)
        elif search.frame[depth + 1].number > HANDFUL:
            _descend(search, depth)
            depth += 1
            count[SETS] += 1
            if count[SETS] > count[BUDGET]:
                return -1
            _open(search, depth)
            continue
        else:
            _take_in_hand(search, depth)
            depth += 1
            among = (1 << search.frame[depth].number) - 1
            value = wins_of_handful(search.handful, search.memo, among, search.frame[depth].floor)
            if value < 0:
                return -1
        depth -= 1
        if depth >= 0:
            _take_in(search, depth, value)
    return value


@kernel
def solve_region(search: Search, every: bool) -> tuple[int, int]:
    """Return how many of the layouts listed optimal play wins, and the cell to open; -1 if over the budget.

    What is safe in all layouts is opened first. Other moves are tried the safest first, the lowest number first among
    these; another one has to win more. With `every`, all are tried, without bounds, and `search.move` says what each
    wins.
    """
    move, layouts = search.move, search.layouts.count[LISTED]
    _begin_region(search)
    best, chosen = 0, move[0].order
    free = move[chosen].safe == layouts
    for i in range(-1 if free else 0, search.layouts.count[WIDTH] if every or not free else 0):
        cell = move[i].order if i >= 0 else -1
        if i >= 0 and free and move[cell].safe == layouts:
            move[cell].wins = best
        elif i < 0 or (move[cell].safe if every else move[cell].safe > best):
            _begin_with(search, np.int64(0), cell, 0 if every else best)
            value = _search(search)
            if value < 0:
                return -1, -1
            if i >= 0:
                move[cell].wins = value
            if value > best:
                best, chosen = value, cell if i >= 0 else chosen
    return best, chosen
