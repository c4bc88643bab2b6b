"""What a position says, worked out from the definitions alone: slow, plain, and sharing no code with the solver.

A *layout* is a set of covered cells, not known to be mines, such that with mines there (and in the known mines) every
number is right and, if there is a total, it is met. Known mines are the shown ones and, if flags are trusted, flags.

`layouts` walks through the cells one by one, `answer` tests every subset at once with NumPy: two ways to the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from minesolve.position import FLAG, MINE, Position

LAYERS = ("single", "pair", "component", "total")


@dataclass(frozen=True)
class Answer:
    """What is true of all layouts together."""

    layouts: int
    safe: frozenset[int]
    mines: frozenset[int]

    @property
    def consistent(self) -> bool:
        return self.layouts > 0


def _around(position: Position, cell: int) -> list[int]:
    y, x = divmod(cell, position.width)
    return [
        b * position.width + a
        for b in range(y - 1, y + 2)
        for a in range(x - 1, x + 2)
        if (a, b) != (x, y) and 0 <= a < position.width and 0 <= b < position.height
    ]


def _parts(position: Position, trust_flags: bool) -> tuple[list[int], list[tuple[int, list[int]]], int | None]:
    """Return the open questions (cells), what each number says about them, and the mines left among them."""
    known = {MINE, FLAG} if trust_flags else {MINE}
    codes = position.cells
    cells = [cell for cell, code in enumerate(codes) if code > 8 and code not in known]
    numbers = []
    for cell, number in enumerate(codes):
        if number <= 8:
            around = _around(position, cell)
            mines = number - sum(codes[n] in known for n in around)
            numbers.append((mines, [n for n in around if n in cells]))
    total = None if position.mines is None else position.mines - sum(code in known for code in codes)
    return cells, numbers, total


def is_layout(position: Position, mines: frozenset[int], trust_flags: bool = False) -> bool:
    """Say whether mines at exactly these unknown cells make every number, and the total, right."""
    known = {cell for cell, code in enumerate(position.cells) if code == MINE or (trust_flags and code == FLAG)}
    everywhere = known | mines
    if position.mines is not None and len(everywhere) != position.mines:
        return False
    return all(
        number > 8 or sum(n in everywhere for n in _around(position, cell)) == number
        for cell, number in enumerate(position.cells)
    )


def layouts(position: Position, trust_flags: bool = False) -> Iterator[frozenset[int]]:
    """Yield every layout, each as the set of its mines. Cells are decided one by one, from the top left."""
    cells, numbers, _ = _parts(position, trust_flags)
    beside: dict[int, list[tuple[int, list[int]]]] = {cell: [] for cell in cells}
    for number in numbers:
        for cell in number[1]:
            beside[cell].append(number)

    def hopeless(cell: int, mines: set[int]) -> bool:
        """A number beside the cell just decided has too many mines already, or too few cells left to get enough."""
        for wanted, around in beside[cell]:
            has, left = sum(n in mines for n in around), sum(n > cell for n in around)
            if has > wanted or has + left < wanted:
                return True
        return False

    def decide(index: int, mines: set[int]) -> Iterator[frozenset[int]]:
        if index == len(cells):
            layout = frozenset(mines)
            if is_layout(position, layout, trust_flags):
                yield layout
            return
        cell = cells[index]
        for ahead in (mines, mines | {cell}):
            if not hopeless(cell, ahead):
                yield from decide(index + 1, ahead)

    yield from decide(0, set())


def answer(position: Position, trust_flags: bool = False) -> Answer:
    """Return the count of layouts and all forced cells, from every subset of at most 22 open questions."""
    cells, numbers, total = _parts(position, trust_flags)
    if len(cells) > 22:
        raise ValueError(f"{len(cells)} cells are too many to try all subsets")
    subsets = np.arange(1 << len(cells), dtype=np.int64)
    for wanted, around in [*numbers, *([] if total is None else [(total, cells)])]:
        subsets = subsets[_count(subsets, [cells.index(n) for n in around]) == wanted]
    if not len(subsets):
        return Answer(0, frozenset(), frozenset())
    never, always = ~np.bitwise_or.reduce(subsets), np.bitwise_and.reduce(subsets)
    return Answer(
        len(subsets),
        frozenset(cell for i, cell in enumerate(cells) if never >> i & 1),
        frozenset(cell for i, cell in enumerate(cells) if always >> i & 1),
    )


def _count(subsets: np.ndarray, bits: list[int]) -> np.ndarray:
    counts = np.zeros(len(subsets), dtype=np.int64)
    for bit in bits:
        counts += subsets >> bit & 1
    return counts


def layers(position: Position, trust_flags: bool = False, up_to: int = 4) -> dict[int, tuple[str, int]]:
    """Return ("safe" or "mine", layer 1 to 4) of every forced cell; ValueError if the position has no layout.

    A cell's layer is the least k such that everything up to layer k, repeated until nothing new comes, finds it.
    Layers 1 and 2 look at few cells at a time, so `up_to` 1 or 2 takes boards of any size; these must be possible.
    """
    if up_to > 2 and not answer(position, trust_flags).consistent:
        raise ValueError("layers are defined for positions that have a layout")
    cells, numbers, total = _parts(position, trust_flags)
    found: dict[int, tuple[str, int]] = {}
    for layer in range(1, up_to + 1):
        news = True
        while news:
            known = {cell: verdict == "mine" for cell, (verdict, _) in found.items()}
            left = [_reduced(number, known) for number in numbers]
            news = False
            for group in _groups(layer, left, [c for c in cells if c not in known], total, known):
                for cell, mine in _forced(group).items():
                    if cell not in found:
                        found[cell] = ("mine" if mine else "safe", layer)
                        news = True
    return found


Number = tuple[int, list[int]]


def _reduced(number: Number, known: dict[int, bool]) -> Number:
    wanted, around = number
    return wanted - sum(known.get(n, False) for n in around), [n for n in around if n not in known]


def _groups(
    layer: int, numbers: list[Number], cells: list[int], total: int | None, known: dict[int, bool]
) -> Iterator[list[Number]]:
    """Yield the groups of sums ("so many mines among these cells") that a layer looks at together."""
    numbers = [number for number in numbers if number[1]]
    if layer == 1:
        yield from ([number] for number in numbers)
    elif layer == 2:
        yield from ([a, b] for a, b in combinations(numbers, 2) if set(a[1]) & set(b[1]))
    elif layer == 3:
        yield from _linked(numbers)
    elif total is not None and cells:
        yield [*numbers, (total - sum(known.values()), cells)]


def _linked(numbers: list[Number]) -> Iterator[list[Number]]:
    """Yield the numbers of each component: those that shared cells link."""
    rest = list(numbers)
    while rest:
        group = [rest.pop()]
        while more := [n for n in rest if any(set(n[1]) & set(g[1]) for g in group)]:
            group += more
            rest = [n for n in rest if n not in more]
        yield group


def _forced(group: list[Number]) -> dict[int, bool]:
    """Return the cells that have the same content in every way to meet all sums of a group."""
    cells = sorted({cell for _, around in group for cell in around})
    if len(cells) <= 8:  # by hand, one way after another
        ways = [
            way
            for way in product((False, True), repeat=len(cells))
            if all(sum(way[cells.index(n)] for n in around) == wanted for wanted, around in group)
        ]
        return {cell: ways[0][i] for i, cell in enumerate(cells) if len({way[i] for way in ways}) == 1}
    subsets = np.arange(1 << len(cells), dtype=np.int64)
    for wanted, around in group:
        subsets = subsets[_count(subsets, [cells.index(n) for n in around]) == wanted]
    never, always = ~np.bitwise_or.reduce(subsets), np.bitwise_and.reduce(subsets)
    return {cell: bool(always >> i & 1) for i, cell in enumerate(cells) if (never | always) >> i & 1}
