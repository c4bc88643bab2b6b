"""The layouts themselves: all of them one after another, or drawn at random, each with exactly its weight.

Both walk the states of each component from the first box to the last, and know for every state how many ways there are
to finish with so many mines. So no walk ends nowhere, and a draw needs no rejection.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations
from math import comb
from random import Random

from minesolve.solve.constraints import System
from minesolve.solve.counting import Plan, advance, exceeded, retreat, unpack
from minesolve.solve.frontier import Component, elimination_order, split

__all__ = ["BUDGET", "Layouts"]

BUDGET = 1_000_000
"""States that are kept for one component unless told otherwise: they stay in memory, unlike those of a count."""


class Layouts:
    r"""The layouts of a system; iterating yields each once, as the frozenset of its mines, in a fixed order.

    Parameters
    ----------
    system : System
    budget : int
        States to keep for one component.

    Raises
    ------
    BudgetExceeded
        If a component needs more.

    Examples
    --------
    >>> from minesolve.position import Position
    >>> from minesolve.solve.constraints import system_of
    >>> layouts = Layouts(system_of(Position.from_text("1##\n###", mines=2)))
    >>> layouts.number, sorted(map(sorted, layouts))
    (6, [[1, 2], [1, 5], [2, 3], [2, 4], [3, 5], [4, 5]])
    """

    def __init__(self, system: System, budget: int = BUDGET):
        self.system, self.free = system, system.unconstrained
        self.possible = all(constraint.cells or not constraint.mines for constraint in system.constraints)
        self._walks = [_Walk(component, budget) for component in split(system)] if self.possible else []

    @cached_property
    def number(self) -> int:
        """How many layouts there are; with an unknown total, of every total together."""
        if not self.possible:
            return 0
        if self.system.total is not None:
            return self._ways[0].get(self.system.total, 0)
        product = 1 << len(self.free)
        for walk in self._walks:
            product *= sum(walk.solutions)
        return product

    @cached_property
    def _ways(self) -> list[dict[int, int]]:
        """For each component, by the mines left when its turn comes, the ways to place them all."""
        assert self.system.total is not None
        lefts = [{self.system.total}]
        for walk in self._walks:
            lefts.append({left - mines for left in lefts[-1] for mines, ways in enumerate(walk.solutions) if ways})
        ways = [{left: comb(len(self.free), left) if left >= 0 else 0 for left in lefts[-1]}]
        for walk, possible in zip(reversed(self._walks), reversed(lefts[:-1]), strict=True):
            after = ways[0]
            pairs = [(mines, own) for mines, own in enumerate(walk.solutions) if own]
            ways.insert(0, {left: sum(own * after[left - mines] for mines, own in pairs) for left in possible})
        return ways

    def __iter__(self) -> Iterator[frozenset[int]]:
        if self.possible and self.number:
            yield from map(frozenset, self._finish(0, (), self.system.total))

    def _finish(self, index: int, placed: tuple[int, ...], left: int | None) -> Iterator[tuple[int, ...]]:
        if index == len(self._walks):
            sizes = range(len(self.free) + 1) if left is None else (left,)
            yield from (placed + more for more in chain.from_iterable(combinations(self.free, n) for n in sizes))
            return
        walk = self._walks[index]
        for mines, ways in enumerate(walk.solutions):
            if ways and (left is None or self._ways[index + 1].get(left - mines)):
                for solution in walk.solve(mines):
                    yield from self._finish(index + 1, placed + solution, None if left is None else left - mines)

    def draw(self, random: Random, density: Fraction | None = None) -> frozenset[int]:
        """Return one layout at random: every one alike, or, with an unknown total, as the density weighs it.

        Raises ValueError if there is no layout, or neither a total nor a density.
        """
        if not self.number:
            raise ValueError("there is no layout to draw")
        left = self.system.total
        if left is None and density is None:
            raise ValueError("with an unknown total a draw needs a density")
        placed: list[int] = []
        for index, walk in enumerate(self._walks):
            mines = _choose(random, self._weights(index, left, density))
            placed += walk.draw(random, mines)
            left = None if left is None else left - mines
        if left is not None:
            placed += random.sample(self.free, left)
        elif density is not None:
            placed += [cell for cell in self.free if random.randrange(density.denominator) < density.numerator]
        return frozenset(placed)

    def _weights(self, index: int, left: int | None, density: Fraction | None) -> list[int]:
        solutions = self._walks[index].solutions
        if left is not None:
            after = self._ways[index + 1]
            return [ways and ways * after[left - mines] for mines, ways in enumerate(solutions)]
        assert density is not None
        mine, safe, most = density.numerator, density.denominator - density.numerator, len(solutions) - 1
        return [ways * mine**mines * safe ** (most - mines) for mines, ways in enumerate(solutions)]


class _Walk:
    """The states of one component that lie on a solution, each with the ways to finish from it by mines still used."""

    def __init__(self, component: Component, budget: int):
        plan = Plan(component, elimination_order(component))
        self.boxes = [component.boxes[index].cells for index in plan.order]
        layers: list[dict[int, int]] = [{0: 1}]
        visited = 0
        for number, step in enumerate(plan.steps(0)):
            layers.append(advance(layers[-1], *step))
            visited += len(layers[-1])
            if visited > budget:
                raise exceeded(plan, budget, number)
        total = sum(layers[-1].values())
        self.width = (total.bit_length() + 7) // 8
        self.steps = plan.steps(8 * self.width)
        self.layers = [dict.fromkeys(layers.pop(), 1)]
        for layer, step in zip(reversed(layers), reversed(self.steps), strict=True):
            self.layers.append(retreat(layer, self.layers[-1], [step]))
        self.layers.reverse()
        first = self.layers[0].get(0, 0)
        self.solutions = unpack(first, -(-first.bit_length() // (8 * self.width)), self.width) if total else ()

    def _options(self, step: int, state: int, mines: int) -> list[tuple[int, int, int]]:
        """Return the moves from a state that have a solution with so many mines to come: (state, mines, ways)."""
        mask, moves = self.steps[step]
        bits = 8 * self.width
        options = []
        for change, shift, factor in moves[state & mask]:
            used = shift // bits
            if used <= mines:
                packed = self.layers[step + 1].get(state + change, 0)
                ways = packed >> bits * (mines - used) & ((1 << bits) - 1)
                if ways:
                    options.append((state + change, used, ways * factor))
        return options

    def solve(self, mines: int) -> Iterator[tuple[int, ...]]:
        """Yield every solution with so many mines."""
        return self._solve(0, 0, mines, ())

    def _solve(self, step: int, state: int, mines: int, placed: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if step == len(self.steps):
            yield placed
            return
        for following, used, _ in self._options(step, state, mines):
            for cells in combinations(self.boxes[step], used):
                yield from self._solve(step + 1, following, mines - used, placed + cells)

    def draw(self, random: Random, mines: int) -> list[int]:
        """Return one solution with so many mines, every one alike."""
        placed: list[int] = []
        state = 0
        for step, cells in enumerate(self.boxes):
            options = self._options(step, state, mines)
            state, used, _ = options[_choose(random, [ways for _, _, ways in options])]
            placed += random.sample(cells, used)
            mines -= used
        return placed


def _choose(random: Random, weights: Sequence[int]) -> int:
    """Return an index with a chance in proportion to its weight, exactly."""
    ticket = random.randrange(sum(weights))
    for index, weight in enumerate(weights):
        ticket -= weight
        if ticket < 0:
            return index
    raise AssertionError("the ticket is below the sum of the weights")
