"""Random positions for tests: small, of odd shapes, reproducible, with the truth beside them.

A set of cells is left covered (scattered, one blob, or a blob with holes), mines are laid among them, a few more mines
are shown, and every other cell is open with its number. So a position has as few open questions as the slow twin needs,
on boards that are larger than that.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from minesolve.position import COVERED, FLAG, MINE, Position


@dataclass(frozen=True)
class Sample:
    """A position, where its mines really are (shown ones included), and whether it still tells the truth about them."""

    position: Position
    mines: frozenset[int]
    sound: bool


def samples(count: int, seed: int, *, most: int = 14, flags: bool = False, spoil: float = 0.2) -> Iterator[Sample]:
    """Yield samples with 1 to `most` covered cells; `spoil` is the share with a wrong number or total."""
    for index in range(count):
        yield sample(random.Random(f"{seed}/{index}"), most=most, flags=flags, spoil=spoil)


def sample(rng: random.Random, *, most: int = 14, flags: bool = False, spoil: float = 0.2) -> Sample:
    width, height = _shape(rng)
    cells = range(width * height)
    covered = _some_cells(rng, width, height, min(rng.randint(1, most), len(cells)))
    density = rng.choice((0.1, 0.2, 0.3, 0.5, 0.8))
    mines = {cell for cell in covered if rng.random() < density}
    shown = {cell for cell in cells if cell not in covered and rng.random() < rng.choice((0, 0, 0.1))}
    codes = [
        COVERED if cell in covered else MINE if cell in shown else _number(width, height, cell, mines | shown)
        for cell in cells
    ]
    total = rng.choice((None, len(mines | shown)))
    sound = rng.random() >= spoil
    if not sound:
        total = _spoil(rng, codes, total)
    if flags:
        for cell in covered:
            if rng.random() < (0.5 if cell in mines else 0.1):
                codes[cell] = FLAG
    return Sample(Position(width, height, bytes(codes), total), frozenset(mines | shown), sound)


def _shape(rng: random.Random) -> tuple[int, int]:
    """A board of up to 48 cells, never square, one cell wide or high now and then."""
    while True:
        width, height = rng.randint(1, 12), rng.randint(1, 8)
        if width != height and width * height <= 48:
            return width, height


def _some_cells(rng: random.Random, width: int, height: int, count: int) -> set[int]:
    kind = rng.choice(("scattered", "blob", "holed"))
    if kind == "scattered":
        return set(rng.sample(range(width * height), count))
    x, y, stretch = rng.randrange(width), rng.randrange(height), rng.choice((0.3, 1, 3))

    def distance(cell: int) -> float:
        return max(abs(cell % width - x) * stretch, abs(cell // width - y)) + rng.random()

    nearest = sorted(range(width * height), key=distance)
    return set(nearest[:count] if kind == "blob" else rng.sample(nearest[: count * 3 // 2 + 1], count))


def _number(width: int, height: int, cell: int, mines: set[int]) -> int:
    y, x = divmod(cell, width)
    return sum((m % width, m // width) != (x, y) and abs(m % width - x) < 2 and abs(m // width - y) < 2 for m in mines)


def _spoil(rng: random.Random, codes: list[int], total: int | None) -> int | None:
    """Make one number, or the total, wrong by one; return the total."""
    numbers = [cell for cell, code in enumerate(codes) if code <= 8]
    if total is not None and (not numbers or rng.random() < 0.3):
        return max(total + rng.choice((-1, 1)), 0)
    if numbers:
        cell = rng.choice(numbers)
        codes[cell] = min(max(codes[cell] + rng.choice((-1, 1)), 0), 8)
    return total
