"""The exact chances of a position: its components convolved, weighted by the mines left for the unconstrained cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb

from minesolve.errors import BudgetExceeded, Contradiction
from minesolve.solve.constraints import Constraint, System
from minesolve.solve.counting import BUDGET, Count, count, unpack
from minesolve.solve.frontier import Component, split

__all__ = ["Chances", "Weighed", "box_distribution", "convolve", "weigh"]


_HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Weighed:
    """A component in its position.

    Attributes
    ----------
    count : Count
        Its solutions by themselves.
    distribution : mapping of int to Fraction, or None
        The chance of each number of mines in it; None if the total is unknown and no density given.
    """

    count: Count
    distribution: Mapping[int, Fraction] | None


@dataclass(frozen=True, slots=True)
class Chances:
    """The exact chances of a position.

    Attributes
    ----------
    layouts : int
        Layouts of the whole position; with an unknown total those of every total together.
    chances : mapping of int to Fraction or None
        For each cell of the system, ascending, the chance of a mine. With an unknown total and no density only what
        is forced (0 or 1), otherwise None.
    expected_mines : Fraction or None
        Mines to be expected among those cells; None where a chance is.
    components : tuple of Weighed
        The components of the frontier, ordered by their first cell.
    weight : int
        What all layouts weigh together: their number, or, by a density p/q of an unknown total, the sum of
        ``p**mines * (q - p)**(cells - mines)``.
    """

    layouts: int
    chances: Mapping[int, Fraction | None]
    expected_mines: Fraction | None
    components: tuple[Weighed, ...]
    weight: int


def weigh(system: System, density: Fraction | None = None, budget: int = BUDGET) -> Chances:
    r"""Return the exact chances of a system.

    Parameters
    ----------
    system : System
        Known cells may have been taken out of it before; the answer is then about the others.
    density : Fraction, optional
        For an unknown total: a layout weighs ``density**mines * (1 - density)**(cells - mines)``. Ignored where the
        total is known, for then every layout has as many mines.
    budget : int
        States that the count of one component may visit.

    Raises
    ------
    Contradiction
        If the system has no layout: with a minimal set of numbers that clash, and, where it is the total that does
        not fit, the totals that would.
    BudgetExceeded
        If a component is too wide.
    ValueError
        If the density is not between 0 and 1.

    Examples
    --------
    >>> from minesolve.position import Position
    >>> from minesolve.solve.constraints import system_of
    >>> found = weigh(system_of(Position.from_text("1##\n###", mines=2)))
    >>> found.layouts, [str(chance) for chance in found.chances.values()]
    (6, ['1/3', '1/2', '1/3', '1/3', '1/2'])
    """
    if density is not None and not 0 < density < 1:
        raise ValueError(f"a density lies between 0 and 1, not {density}")
    counts = _counts(system, budget)
    if any(not found.solutions for found in counts) or any(not c.cells and c.mines for c in system.constraints):
        raise _clash(system, budget)
    if system.total is not None:
        return _known_total(system, counts, system.total, budget)
    if density is not None:
        return _with_density(system, counts, Fraction(density))
    return _forced(system, counts)


def box_distribution(
    system: System, box: Sequence[int], density: Fraction | None = None, budget: int = BUDGET
) -> dict[int, Fraction]:
    r"""Return the chance of each number of mines in a box, or in any cells that nothing tells apart.

    As they are alike, a number of mines in them counts as often as there are ways to choose that many of them.
    Parameters and errors are those of `weigh`; without a total and a density all layouts weigh alike.

    Examples
    --------
    >>> from minesolve.position import Position
    >>> from minesolve.solve.constraints import system_of
    >>> found = box_distribution(system_of(Position.from_text("1##\n###", mines=2)), (2, 5))
    >>> {mines: str(chance) for mines, chance in found.items()}
    {0: '0', 1: '1', 2: '0'}
    """
    density = _HALF if system.total is None and density is None else density
    p, q = (1, 2) if density is None else (density.numerator, density.denominator)
    weights = []
    for mines in range(len(box) + 1):
        fixed = {cell: index < mines for index, cell in enumerate(box)}
        own = comb(len(box), mines) * (1 if system.total is not None else p**mines * (q - p) ** (len(box) - mines))
        try:
            weights.append(own * weigh(system.without(fixed), density, budget).weight)
        except Contradiction:
            weights.append(0)
    return {mines: Fraction(weight, sum(weights)) for mines, weight in enumerate(weights)}


def convolve(left: Sequence[int], right: Sequence[int]) -> tuple[int, ...]:
    """Return the coefficients of the product of two polynomials without negative coefficients, lowest first.

    Both are packed into one integer each (Kronecker substitution), so that the product is one multiplication.

    Examples
    --------
    >>> convolve([1, 2], [1, 1, 1])
    (1, 3, 3, 2)
    """
    largest = max(sum(left), sum(right), sum(left) * sum(right))
    width = largest.bit_length() // 8 + 1
    product = _packed(left, width) * _packed(right, width)
    return unpack(product, len(left) + len(right) - 1, width)


def _packed(coefficients: Sequence[int], width: int) -> int:
    return int.from_bytes(b"".join(value.to_bytes(width, "little") for value in coefficients), "little")


def _counts(system: System, budget: int) -> list[Count]:
    return [_count(system, component, budget) for component in split(system)]


def _known_total(system: System, counts: Sequence[Count], total: int, budget: int) -> Chances:
    """Weigh each component by the layouts of all the rest: the other components, convolved, and C(free, left)."""
    free = system.unconstrained
    left = total - sum(found.fewest for found in counts)  # what may be spent beyond the fewest mines
    polynomials = [found.solutions for found in counts]
    before: list[tuple[int, ...]] = [(1,)]
    for own in polynomials:
        before.append(convolve(before[-1], own))
    frontier = before[-1]
    layouts = _dot(frontier, _binomials(len(free), left, len(frontier)))
    if layouts == 0:
        raise _clash(system, budget)
    after: tuple[int, ...] = (1,)
    components: list[Weighed] = []
    chances: dict[int, Fraction | None] = {}
    if free:
        chance = Fraction(_dot(frontier, _binomials(len(free) - 1, left - 1, len(frontier))), layouts)
        chances.update(dict.fromkeys(free, chance))
    for index in reversed(range(len(counts))):
        others = convolve(before[index], after)
        rest = _binomials(len(free), left, len(polynomials[index]) + len(others) - 1)
        weights = [_dot(others, rest[more:]) for more in range(len(polynomials[index]))]
        components.append(_weighed(counts[index], weights, layouts))
        chances.update(_box_chances(counts[index], weights, layouts))
        after = convolve(after, polynomials[index])
    return Chances(layouts, dict(sorted(chances.items())), Fraction(total), tuple(reversed(components)), layouts)


def _binomials(cells: int, most: int, length: int) -> list[int]:
    """Return the ways to place most, most - 1, ... mines in some cells."""
    return [comb(cells, mines) if mines >= 0 else 0 for mines in range(most, most - length, -1)]


def _dot(left: Sequence[int], right: Sequence[int]) -> int:
    return sum(a * b for a, b in zip(left, right, strict=False) if a and b)


def _weighed(found: Count, weights: Sequence[int], whole: int) -> Weighed:
    pairs = enumerate(zip(found.solutions, weights, strict=True), found.fewest)
    return Weighed(found, {mines: Fraction(s * w, whole) for mines, (s, w) in pairs if s and w})


def _box_chances(found: Count, weights: Sequence[int], whole: int) -> Iterator[tuple[int, Fraction]]:
    """Yield (cell, chance): what a box expects is shared alike by its cells."""
    for box, mines in zip(found.component.boxes, found.mines, strict=True):
        chance = Fraction(_dot(mines, weights), whole * len(box.cells))
        for cell in box.cells:
            yield cell, chance


def _with_density(system: System, counts: Sequence[Count], density: Fraction) -> Chances:
    """Weigh components one by one: with a density they do not depend on each other."""
    mine, safe = density.numerator, density.denominator - density.numerator
    chances: dict[int, Fraction | None] = dict.fromkeys(system.unconstrained, density)
    components = []
    weight = density.denominator ** len(system.unconstrained)
    for found in counts:
        cells = len(found.component.cells)
        weights = [mine**mines * safe ** (cells - mines) for mines in range(found.fewest, found.most + 1)]
        whole = _dot(found.solutions, weights)
        weight *= whole
        components.append(_weighed(found, weights, whole))
        chances.update(_box_chances(found, weights, whole))
    ordered = dict(sorted(chances.items()))
    expected = sum((chance for chance in ordered.values() if chance is not None), Fraction(0))
    return Chances(_all_layouts(system, counts), ordered, expected, tuple(components), weight)


def _all_layouts(system: System, counts: Sequence[Count]) -> int:
    layouts = 1 << len(system.unconstrained)
    for found in counts:
        layouts *= sum(found.solutions)
    return layouts


def _forced(system: System, counts: Sequence[Count]) -> Chances:
    """Say what holds whatever the total is."""
    chances: dict[int, Fraction | None] = dict.fromkeys(system.unconstrained)
    for found in counts:
        even = _box_chances(found, [1] * len(found.solutions), sum(found.solutions))
        chances.update((cell, chance if chance in (0, 1) else None) for cell, chance in even)
    ordered = dict(sorted(chances.items()))
    known = [chance for chance in ordered.values() if chance is not None]
    expected = sum(known, Fraction(0)) if len(known) == len(ordered) else None
    layouts = _all_layouts(system, counts)
    return Chances(layouts, ordered, expected, tuple(Weighed(found, None) for found in counts), layouts)


def _count(system: System, component: Component, budget: int) -> Count:
    try:
        return count(component, budget=budget)
    except BudgetExceeded as error:
        first, last = component.cells[0], component.cells[-1]
        where = f"between {system.grid.name(first)} and {system.grid.name(last)}"
        raise BudgetExceeded(f"{where}: {error}", error.cells) from None


class _Totals:
    """The totals that sets of numbers allow, each component counted once however many sets it is in."""

    def __init__(self, system: System, budget: int):
        self.system, self.budget = system, budget
        self.counted: dict[Component, Count] = {}

    def allowed(self, constraints: Sequence[Constraint]) -> list[int]:
        """Return all totals that some layout has, ascending."""
        if any(not constraint.cells and constraint.mines for constraint in constraints):
            return []
        system = System(self.system.grid, self.system.cells, tuple(constraints), None)
        frontier: tuple[int, ...] = (1,)
        fewest = 0
        for component in split(system):
            if component not in self.counted:
                self.counted[component] = _count(system, component, self.budget)
            found = self.counted[component]
            frontier = convolve(frontier, found.solutions) if found.solutions else ()
            fewest += found.fewest
            if not frontier:
                return []
        free = len(system.unconstrained)
        possible = {fewest + more + extra for more, ways in enumerate(frontier) if ways for extra in range(free + 1)}
        return sorted(possible)

    def clash(self, total: int | None) -> tuple[int, ...]:
        """Return a minimal set of numbers that allow no layout (of that total, if one is given), by deletion."""
        kept = list(self.system.constraints)
        for constraint in self.system.constraints:
            fewer = [c for c in kept if c is not constraint]
            allowed = self.allowed(fewer)
            if not allowed or (total is not None and total not in allowed):
                kept = fewer
        return tuple(constraint.number for constraint in kept)


def _clash(system: System, budget: int) -> Contradiction:
    totals = _Totals(system, budget)
    allowed = totals.allowed(system.constraints)
    if not allowed:
        clash = totals.clash(None)
        names = " and ".join(system.grid.names(clash))
        return Contradiction(f"no layout agrees with the numbers at {names}", clash, uses_total=False)
    text = f"{system.total} mines among the covered cells are not possible: the numbers allow {_ranges(allowed)}"
    return Contradiction(text, totals.clash(system.total), uses_total=True)


def _ranges(numbers: Sequence[int]) -> str:
    """Return ascending numbers as text: 3 to 7, 9 or 12 to 14."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    texts = [str(low) if low == high else f"{low} to {high}" for low, high in runs]
    return " or ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))
