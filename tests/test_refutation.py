"""Stories of why something can't be: each step of them is true, and they end in a number that is broken."""

from __future__ import annotations

import pytest
from random_positions import dotted, samples

from minesolve import analyse
from minesolve.solve.constraints import Constraint, system_of
from minesolve.solve.refutation import refute


def replay(story, constraints, values):
    """Check a story step by step from the numbers alone."""
    by_number = {constraint.number: constraint for constraint in constraints}
    values = dict(values)
    for step in story.consequences:
        constraint = by_number[step.number]
        free = {cell for cell in constraint.cells if cell not in values}
        need = constraint.mines - sum(values.get(cell, False) for cell in constraint.cells)
        assert set(step.cells) <= free
        # mines follow if all that is free must be one; safe if there is no room
        assert need == (len(free) if step.mine else 0)
        values |= dict.fromkeys(step.cells, step.mine)
    if story.broken is not None:
        constraint = by_number[story.broken]
        mines = sum(values.get(cell, False) for cell in constraint.cells)
        free = sum(cell not in values for cell in constraint.cells)
        assert mines > constraint.mines if story.too_many else mines + free < constraint.mines
        return
    assert story.split not in values
    for case, mine in zip(story.cases, (True, False), strict=True):
        replay(case, constraints, values | {story.split: mine})


@pytest.mark.parametrize("seed", range(4))
def test_stories_of_deductions_are_true(seed):
    told = 0
    for sample in (*samples(40, 700 + seed, most=16, spoil=0), *dotted(60, 700 + seed)):
        constraints = {constraint.number: constraint for constraint in system_of(sample.position).constraints}
        for step in analyse(sample.position).deductions:
            if step.uses_total:
                continue
            numbers = [constraints[number] for number in step.premises]
            assumed = {cell: cell in step.given_mines for cell in step.given} | {step.cells[0]: not step.mine}
            story = refute(numbers, assumed)
            replay(story, numbers, assumed)
            told += len(step.premises) > 2
    assert told


def test_what_can_hold_is_not_refuted():
    with pytest.raises(ValueError, match="can hold together"):
        refute([Constraint(0, (1, 2), 1)], {})
