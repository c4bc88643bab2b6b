"""How hard a no-guess board is for people, from what its proof needs.

Points, added up over the board:

=========================  =============================================================================
for each step of a layer   `POINTS`: nothing for a single number, more for each harder layer
for the widest step        one for every `NUMBERS_A_POINT` numbers it has to look at together, beyond two
=========================  =============================================================================

A step is one time that no easier layer finds a safe cell and this layer does. Its width is 1 for a single and 2 for a
pair; for a component, the numbers of the smallest one that has a safe cell; with the total, all numbers still in play.
The name of the grade is the highest of `GRADES` that the points reach. More steps, harder steps or a wider step never
lower the points, and so never the grade.

The engine and the proof count the same steps and widths, so `generate` and `verify` grade a board alike. The scale was
set so that the boards of the three standard levels spread over it; no claim about playing time is made.
"""

from __future__ import annotations

from collections.abc import Mapping

from minesolve.solve.deduction import LAYERS

__all__ = ["GRADES", "NUMBERS_A_POINT", "POINTS", "grade", "points"]

POINTS = {"single": 0, "pair": 1, "component": 4, "total": 6}
"""Points for each step of a layer."""

NUMBERS_A_POINT = 4
"""Numbers beyond two in the widest step that make one point."""

GRADES = {"trivial": 0, "easy": 1, "medium": 4, "hard": 8, "very hard": 14, "extreme": 22}
"""The grades, easiest first, each with the least points of it."""


def points(steps: Mapping[str, int], widest: int) -> int:
    """Return the points of a board; ValueError for a layer that has none, or counts below zero.

    Parameters
    ----------
    steps : mapping of str to int
        Steps of each layer, by name; layers that are left out have none.
    widest : int
        Numbers that the widest step looks at together.

    Examples
    --------
    >>> points({"single": 20, "pair": 3, "component": 1}, widest=9)
    8
    """
    unknown = steps.keys() - POINTS.keys()
    if unknown or widest < 0 or any(count < 0 for count in steps.values()):
        raise ValueError(f"expected counts of steps by layer ({', '.join(POINTS)}) and a width, none below 0")
    return sum(POINTS[layer] * count for layer, count in steps.items()) + max(widest - 2, 0) // NUMBERS_A_POINT


def grade(steps: Mapping[str, int], widest: int) -> str:
    """Return the name of the grade of a board, one of `GRADES`; arguments as for `points`.

    Examples
    --------
    >>> grade({"single": 12}, widest=1), grade({"single": 20, "pair": 3, "component": 1}, widest=9)
    ('trivial', 'hard')
    """
    reached = points(steps, widest)
    return max((least, name) for name, least in GRADES.items() if least <= reached)[1]


assert list(POINTS) == [layer.name for layer in LAYERS[:-1]]
