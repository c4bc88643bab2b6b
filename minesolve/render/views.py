"""What of a hint, an analysis or a check is drawn: their pictures."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from minesolve.advice import Hint
from minesolve.position import Position
from minesolve.render.picture import Picture
from minesolve.solve.analysis import Analysis, Check

__all__ = ["of_analysis", "of_check", "of_hint"]


def of_hint(hint: Hint) -> Picture | None:
    """Return the part of the board that a hint is about, with premises and conclusion marked; None if it has none."""
    step = hint.deduction
    if step is None:
        if hint.guess is None:
            return None
        around = [*hint.cells, *hint.position.grid.neighbours(hint.cells[0])]
        return Picture.of_position(hint.position, best=hint.cells).cut_out(around)
    forced = dict.fromkeys(step.cells, step.mine) | {cell: cell in step.given_mines for cell in step.given}
    picture = Picture.of_position(
        hint.position,
        premises=step.premises,
        concluded=step.cells,
        given=step.given,
        safe=[cell for cell, mine in forced.items() if not mine],
        mines=[cell for cell, mine in forced.items() if mine],
    )
    return picture.cut_out([*step.premises, *step.cells])


def of_analysis(analysis: Analysis, chances: Sequence[Fraction | None] | None = None) -> Picture:
    """Return the board with all forced cells marked, and chances if there are some."""
    return Picture.of_position(analysis.position, chances=chances, safe=analysis.safe, mines=analysis.mines)


def of_check(position: Position, check: Check) -> Picture | None:
    """Return the part of the board with the numbers and flags that are wrong; None if there are none."""
    blamed = {*check.clash, *(cell for problem in check.problems for cell in problem.cells)}
    if not blamed and not check.wrong_flags:
        return None
    numbers = [cell for cell in blamed if position.cells[cell] < 9]
    return Picture.of_position(position, premises=numbers, wrong_flags=check.wrong_flags).cut_out()
