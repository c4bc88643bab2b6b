"""Boards with numbers on every other cell of every other row: as wide a frontier as a board of that size can have."""

import random

from minesolve.grid import Grid
from minesolve.position import COVERED, Position


def lattice(width, height, density, seed):
    """The numbers of a random minefield: mines anywhere but under the numbers."""
    grid = Grid(width, height)
    numbered = _numbered(width, height)
    covered = [cell for cell in range(len(grid)) if cell not in numbered]
    mines = set(random.Random(seed).sample(covered, round(density * len(grid))))
    cells = [sum(n in mines for n in grid.neighbours(c)) if c in numbered else COVERED for c in range(len(grid))]
    return Position(width, height, bytes(cells), len(mines))


def even_lattice(width, height, number):
    """The same number everywhere."""
    numbered = _numbered(width, height)
    return Position(width, height, bytes(number if c in numbered else COVERED for c in range(width * height)))


def _numbered(width, height):
    return {y * width + x for y in range(0, height, 2) for x in range(0, width, 2)}
