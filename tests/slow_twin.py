"""What a position means, straight from the definition: every placement of mines, tried one by one."""

from fractions import Fraction
from itertools import chain, combinations

FLAG, MINE = 10, 11


def around(position, cell):
    y, x = divmod(cell, position.width)
    return [
        v * position.width + u
        for v in range(y - 1, y + 2)
        for u in range(x - 1, x + 2)
        if (u, v) != (x, y) and 0 <= u < position.width and 0 <= v < position.height
    ]


def layouts(position, trust_flags=False):
    """Yield every layout as the frozenset of its mines among the covered cells (known mines are left out)."""
    known = {c for c, code in enumerate(position.cells) if code == MINE or (trust_flags and code == FLAG)}
    covered = [c for c, code in enumerate(position.cells) if code > 8 and c not in known]
    if position.mines is None:
        placements = chain.from_iterable(combinations(covered, k) for k in range(len(covered) + 1))
    elif position.mines < len(known):
        placements = iter(())
    else:
        placements = combinations(covered, position.mines - len(known))
    numbers = [(set(around(position, c)), code) for c, code in enumerate(position.cells) if code <= 8]
    for placement in placements:
        mines = known.union(placement)
        if all(len(cells & mines) == number for cells, number in numbers):
            yield frozenset(placement)


def chances(position, trust_flags=False, density=None):
    """Return (number of layouts, {covered cell: chance}); with an unknown total a layout weighs by the density."""
    known = {c for c, code in enumerate(position.cells) if code == MINE or (trust_flags and code == FLAG)}
    covered = [c for c, code in enumerate(position.cells) if code > 8 and c not in known]
    found = list(layouts(position, trust_flags))
    if position.mines is None:
        weights = [density ** len(mines) * (1 - density) ** (len(covered) - len(mines)) for mines in found]
    else:
        weights = [Fraction(1)] * len(found)
    whole = sum(weights)
    mined = {c: sum(w for w, mines in zip(weights, found, strict=True) if c in mines) for c in covered}
    return len(found), {c: weight / whole for c, weight in mined.items() if whole}
