"""The frontier's structure: boxes of alike cells, and the components they are linked into."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import networkx as nx

from minesolve.solve.constraints import Constraint, System

__all__ = ["Box", "Component", "boxes_of", "elimination_order", "heaviest", "split"]


@dataclass(frozen=True, slots=True)
class Box:
    """Cells (ascending) that are touched by exactly the same numbers (ascending), so that nothing tells them apart."""

    cells: tuple[int, ...]
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Component:
    """A part of the frontier that shares no number with any other.

    Attributes
    ----------
    boxes : tuple of Box
        Ordered by their first cell.
    constraints : tuple of Constraint
        Ordered by number.
    members : tuple of tuple of int
        For each constraint, the indices in `boxes` of the boxes it is about.
    """

    boxes: tuple[Box, ...]
    constraints: tuple[Constraint, ...]
    members: tuple[tuple[int, ...], ...]

    @property
    def cells(self) -> tuple[int, ...]:
        """All cells of the component, ascending."""
        return tuple(sorted(cell for box in self.boxes for cell in box.cells))

    @property
    def touching(self) -> list[list[int]]:
        """For each box, the indices in `constraints` of those it is in, ascending."""
        touching: list[list[int]] = [[] for _ in self.boxes]
        for constraint, boxes in enumerate(self.members):
            for box in boxes:
                touching[box].append(constraint)
        return touching


def boxes_of(constraints: tuple[Constraint, ...]) -> tuple[Box, ...]:
    """Return the boxes of some constraints, ordered by their first cell."""
    touching: dict[int, list[int]] = defaultdict(list)
    for constraint in constraints:
        for cell in constraint.cells:
            touching[cell].append(constraint.number)
    alike: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for cell in sorted(touching):
        alike[tuple(sorted(touching[cell]))].append(cell)
    return tuple(Box(tuple(cells), numbers) for numbers, cells in alike.items())


def split(system: System) -> tuple[Component, ...]:
    """Split the frontier into its components, ordered by their first cell. Linear in the size of the frontier.

    Constraints without cells belong to no component: they are right or wrong by themselves.

    Examples
    --------
    >>> from minesolve.position import Position
    >>> from minesolve.solve.constraints import system_of
    >>> [c.cells for c in split(system_of(Position.from_text("#1##1#")))]
    [(0, 2), (3, 5)]
    """
    boxes = boxes_of(system.constraints)
    graph = nx.Graph()
    graph.add_edges_from((box, number) for box in boxes for number in box.numbers)
    by_number = {constraint.number: constraint for constraint in system.constraints}
    components = []
    for nodes in nx.connected_components(graph):
        own = tuple(sorted((n for n in nodes if isinstance(n, Box)), key=lambda box: box.cells))
        constraints = tuple(by_number[n] for n in sorted(n for n in nodes if isinstance(n, int)))
        members = _members(own)
        components.append(Component(own, constraints, tuple(tuple(members[c.number]) for c in constraints)))
    return tuple(sorted(components, key=lambda component: component.boxes[0].cells))


def _members(boxes: tuple[Box, ...]) -> dict[int, list[int]]:
    """Return, by number, the indices of the boxes it touches."""
    members: dict[int, list[int]] = defaultdict(list)
    for index, box in enumerate(boxes):
        for number in box.numbers:
            members[number].append(index)
    return members


_FEW_STATES = 20_000  # by estimate; below it a better order would cost more to find than it saves


def elimination_order(component: Component) -> tuple[int, ...]:
    r"""Return an order of the boxes, as indices, that keeps the states of the open constraints few.

    Constraints are closed one after another, each by its boxes that are still left. Candidates: from either end of the
    component always the constraint whose closing leaves the fewest states; by distance from either end; and the
    min-fill elimination, branch by branch (they part at articulation points and wider separators), the heaviest first.
    The first candidate that is good enough is taken, else the one with the fewest states, by estimate. Deterministic.

    Examples
    --------
    >>> from minesolve.position import Position
    >>> from minesolve.solve.constraints import system_of
    >>> [component] = split(system_of(Position.from_text("1#2#\n####")))
    >>> elimination_order(component)
    (2, 0, 1)
    """
    sweep = _Sweep(component)
    costs: dict[tuple[int, ...], int] = {}
    for order in _candidates(sweep):
        costs[order] = sweep.cost(order)
        if costs[order] <= _FEW_STATES:
            return order
    return min(costs, key=costs.__getitem__)


def heaviest(component: Component, order: Sequence[int]) -> Constraint:
    """Return the constraint without which an order would meet the fewest states, by estimate."""
    saved = _Sweep(component).shares(order)
    return component.constraints[max(range(len(saved)), key=lambda c: (saved[c], -c))]


def _candidates(sweep: _Sweep) -> Iterator[tuple[int, ...]]:
    graph = sweep.graph()
    near, far = _ends(graph)
    yield sweep.greedy(far[0])
    yield sweep.greedy(near[0])
    yield sweep.closing(_levels(graph, near))
    yield sweep.closing(_levels(graph, far))
    yield sweep.closing(_min_fill(graph))


def _ends(graph: nx.Graph) -> tuple[list[int], list[int]]:
    """Return both ends of a component: the constraints farthest from the first, and those farthest from them."""
    near = _farthest(graph, [0])
    return near, _farthest(graph, near)


def _farthest(graph: nx.Graph, sources: list[int]) -> list[int]:
    *_, last = nx.bfs_layers(graph, sources)
    return sorted(last)


def _levels(graph: nx.Graph, sources: list[int]) -> list[int]:
    """Return the constraints by their distance from an end: on a lattice, column by column or row by row."""
    return [constraint for layer in nx.bfs_layers(graph, sources) for constraint in sorted(layer)]


def _min_fill(graph: nx.Graph) -> list[int]:
    """Return the constraints in the order a min-fill tree decomposition gives them up, heaviest branch first."""
    _, tree = nx.approximation.treewidth_min_fill_in(graph)
    bags = sorted(tree, key=sorted)
    leaf = min(bags, key=tree.degree)
    parent = {child: bag for bag, child in nx.bfs_edges(tree, leaf, sort_neighbors=lambda b: sorted(b, key=sorted))}
    weight = {bag: len(bag) for bag in tree}
    for bag in reversed([leaf, *parent]):
        if bag in parent:
            weight[parent[bag]] = max(weight[parent[bag]], weight[bag])
    order: list[int] = []
    stack = [(leaf, False)]
    while stack:
        bag, left = stack.pop()
        if left:
            order += sorted(bag - parent.get(bag, frozenset()))
            continue
        children = sorted((b for b in tree[bag] if parent.get(b) == bag), key=lambda b: (weight[b], sorted(b)))
        stack.append((bag, True))
        stack += [(child, False) for child in children]
    return order


class _Sweep:
    """Orders of a component's boxes, and how many states they are likely to meet."""

    def __init__(self, component: Component):
        self.members = component.members
        self.needs = [constraint.mines for constraint in component.constraints]
        self.sizes = [len(box.cells) for box in component.boxes]
        self.touching = component.touching
        self.rooms = [sum(self.sizes[box] for box in boxes) for boxes in self.members]

    def graph(self) -> nx.Graph:
        """Return the graph of the constraints, adjacent where they share a box."""
        graph = nx.Graph()
        graph.add_nodes_from(range(len(self.needs)))
        graph.add_edges_from(pair for constraints in self.touching for pair in combinations(constraints, 2))
        return graph

    def values(self, constraint: int, taken: int) -> int:
        """Return how many values the need of a constraint can have when so many of its cells are taken."""
        need, left = self.needs[constraint], self.rooms[constraint] - taken
        return max(min(need, taken) - max(0, need - left) + 1, 1)

    def states(self, order: Sequence[int]) -> Iterator[tuple[int, dict[int, int]]]:
        """Yield after each step the states there can be, as far as single constraints tell, and the values of each."""
        taken = [0] * len(self.needs)
        open_: dict[int, int] = {}
        states = 1
        for box in order:
            for constraint in self.touching[box]:
                states //= open_.pop(constraint, 1)
                taken[constraint] += self.sizes[box]
                values = self.values(constraint, taken[constraint])
                if values > 1:
                    open_[constraint] = values
                    states *= values
            yield states, open_

    def cost(self, order: Sequence[int]) -> int:
        """Return the states an order can meet in all."""
        return sum(states for states, _ in self.states(order))

    def shares(self, order: Sequence[int]) -> list[int]:
        """Return for each constraint how many of the states would not be there without it."""
        saved = [0] * len(self.needs)
        for states, values in self.states(order):
            for constraint, number in values.items():
                saved[constraint] += states - states // number
        return saved

    def closing(self, constraints: Iterable[int]) -> tuple[int, ...]:
        """Return the boxes as the constraints, closed in this order, take them: first those that soon close another."""
        place = {constraint: index for index, constraint in enumerate(constraints)}
        return tuple(sorted(range(len(self.sizes)), key=lambda box: sorted(place[c] for c in self.touching[box])))

    def greedy(self, start: int) -> tuple[int, ...]:
        """Return the boxes as taken by closing always the constraint, beside those begun, that leaves fewest states."""
        taken = [0] * len(self.needs)
        done: set[int] = set()
        closed: list[int] = []
        begun = {start}
        while begun:
            best = min(begun, key=lambda c: (self._growth(c, taken, done), c))
            closed.append(best)
            for box in self.members[best]:
                if box not in done:
                    done.add(box)
                    begun.update(self.touching[box])
                    for constraint in self.touching[box]:
                        taken[constraint] += self.sizes[box]
            begun.remove(best)
            finished = [c for c in sorted(begun) if done.issuperset(self.members[c])]
            closed += finished
            begun.difference_update(finished)
        return self.closing(closed)

    def _growth(self, constraint: int, taken: Sequence[int], done: set[int]) -> float:
        """Return the factor by which closing a constraint multiplies the states."""
        more: dict[int, int] = defaultdict(int)
        for box in self.members[constraint]:
            if box not in done:
                for other in self.touching[box]:
                    more[other] += self.sizes[box]
        growth = 1.0
        for other, cells in more.items():
            growth *= self.values(other, taken[other] + cells) / self.values(other, taken[other])
        return growth
