"""The frontier's structure: boxes of alike cells, and the components they are linked into."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import networkx as nx

from minesolve.solve.constraints import Constraint, System

__all__ = ["Box", "Component", "boxes_of", "split"]


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
