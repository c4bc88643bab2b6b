import random
import time
from itertools import pairwise, product

import pytest
from lattices import even_lattice, lattice
from random_positions import samples

from minesolve.errors import BudgetExceeded
from minesolve.position import Position
from minesolve.solve.constraints import system_of
from minesolve.solve.counting import count
from minesolve.solve.frontier import split


def components(number, seed, most=12):
    for sample in samples(number, seed, most=most):
        yield from split(system_of(sample.position))


def from_the_definition(component):
    """Return, by mines used, the solutions and the mines in each box, from every way to fill the cells."""
    cells = component.cells
    solutions, mines = {}, [{} for _ in component.boxes]
    for way in product((0, 1), repeat=len(cells)):
        mine = dict(zip(cells, way, strict=True))
        if all(sum(mine[c] for c in constraint.cells) == constraint.mines for constraint in component.constraints):
            used = sum(way)
            solutions[used] = solutions.get(used, 0) + 1
            for box, by_mines in zip(component.boxes, mines, strict=True):
                by_mines[used] = by_mines.get(used, 0) + sum(mine[c] for c in box.cells)
    return solutions, mines


def by_mines(found, values):
    return {used: value for used, value in enumerate(values, found.fewest) if found.solutions[used - found.fewest]}


def test_solutions_and_mines_of_each_box_agree_with_the_definition():
    contradictory = 0
    for component in components(400, seed=1):
        found = count(component)
        solutions, mines = from_the_definition(component)
        assert by_mines(found, found.solutions) == solutions
        assert [by_mines(found, values) for values in found.mines] == mines
        assert found.most == max(solutions, default=-1)
        contradictory += not solutions
    assert contradictory > 10  # both kinds are among them


def test_the_order_of_elimination_changes_nothing_but_the_work():
    for index, component in enumerate([*components(60, seed=2), *split(system_of(lattice(11, 5, 0.2, 1)))]):
        found = count(component)
        for seed in range(3):
            order = list(range(len(component.boxes)))
            random.Random(f"{index}/{seed}").shuffle(order)
            other = count(component, order)
            assert (other.fewest, other.solutions, other.mines) == (found.fewest, found.solutions, found.mines)


@pytest.mark.parametrize("order", [[], [0, 0], [0, 1, 2], [1]])
def test_an_order_holds_every_box_once(order):
    [component] = split(system_of(Position.from_text("#1#2#")))
    assert len(component.boxes) == 3
    with pytest.raises(ValueError, match="every box"):
        count(component, [*order, 5])


def test_mines_of_all_boxes_add_up_to_the_mines_used():
    [component] = split(system_of(lattice(21, 10, 0.2, 3)))
    found = count(component)
    for index, solutions in enumerate(found.solutions):
        assert sum(values[index] for values in found.mines) == solutions * (found.fewest + index)


def test_what_is_over_the_budget_is_named():
    [component] = split(system_of(lattice(21, 10, 0.2, 1)))
    states = count(component).states
    assert count(component, budget=states).states == states
    with pytest.raises(BudgetExceeded, match=r"155 cells .* 55 numbers .* 1,000 states") as caught:
        count(component, budget=1000)
    assert caught.value.cells == component.cells


def test_work_grows_linearly_with_the_length():
    states = []
    for length in (20, 40, 80, 160):
        [component] = split(system_of(even_lattice(length, 6, 1)))
        states.append(count(component).states)
    growth = [longer - shorter for shorter, longer in pairwise(states)]
    assert growth[1] == pytest.approx(2 * growth[0], rel=0.05)
    assert growth[2] == pytest.approx(2 * growth[1], rel=0.05)


def test_branches_at_an_articulation_point_are_taken_one_by_one():
    # a comb: long teeth that only its back links; taken all at once their states would multiply
    rows = [list("#" * 41) for _ in range(12)]
    for x in range(1, 40, 2):
        rows[1][x] = "1"
    for x in range(1, 40, 6):
        for y in range(3, 12, 2):
            rows[y][x] = "2"
    [component] = split(system_of(Position.from_text("size: 41x12\n" + "\n".join(map("".join, rows)))))
    assert count(component).states < 20_000


@pytest.mark.slow
@pytest.mark.parametrize(("size", "seconds"), [((21, 10), 1), ((30, 16), 20)])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("density", [0.15, 99 / 480, 0.3, 0.4])
def test_lattices_are_counted_in_time(size, seconds, seed, density):
    [component] = split(system_of(lattice(*size, density, seed)))
    begin = time.process_time()
    count(component)
    assert time.process_time() - begin < seconds
