from collections import Counter
from fractions import Fraction

import pytest
from lattices import lattice

from minesolve.errors import BudgetExceeded
from minesolve.position import Position
from minesolve.solve.constraints import system_of
from minesolve.solve.layouts import Layouts
from minesolve.solve.probability import weigh
from minesolve.solve.sampling import sample

TEXT = "#1#2##\n##2###\n#1#1##\n######"


@pytest.mark.parametrize("budget", [1_000_000, 20])
def test_shares_are_within_the_stated_error_of_the_exact_chances(budget):
    system = system_of(Position.from_text(TEXT, mines=5))
    exact = weigh(system).chances
    found = sample(system, 4000, seed=1, budget=budget)
    assert found.layouts == 4000
    assert bool(found.left_out) == (budget == 20)
    assert (found.drawn > found.layouts) == bool(found.left_out)
    assert set(found.chances) == set(exact)
    assert all(abs(found.chances[cell] - exact[cell]) <= found.error for cell in exact)
    assert sum(found.chances.values()) == system.total  # every layout kept has the total


def test_what_is_kept_is_uniform_though_numbers_were_left_out(monkeypatch):
    system = system_of(Position.from_text("#1#1#\n#####", mines=2))
    every = set(Layouts(system))
    drawn = Counter()
    draw = Layouts.draw

    def record(self, random, density):
        layout = draw(self, random, density)
        drawn[layout] += 1
        return layout

    monkeypatch.setattr(Layouts, "draw", record)
    found = sample(system, 5000, seed=2, budget=4)
    assert found.left_out
    expected = 5000 / len(every)
    assert sum(drawn[layout] for layout in every) == 5000
    chi2 = sum((drawn[layout] - expected) ** 2 / expected for layout in every)
    assert chi2 < len(every) + 4 * (2 * len(every)) ** 0.5


def test_a_lattice_over_the_budget_is_sampled():
    system = system_of(lattice(15, 7, 0.2, 1))
    with pytest.raises(BudgetExceeded):
        weigh(system, budget=250)
    exact = weigh(system).chances
    found = sample(system, 100, seed=3, budget=250)
    assert found.left_out
    assert all(abs(found.chances[cell] - exact[cell]) <= found.error for cell in exact)


def test_the_seed_makes_the_sample():
    system = system_of(Position.from_text(TEXT, mines=5))
    assert sample(system, 50, seed=4) == sample(system, 50, seed=4)
    assert sample(system, 50, seed=4) != sample(system, 50, seed=5)


def test_with_an_unknown_total_the_density_counts():
    system = system_of(Position.from_text(TEXT))
    exact = weigh(system, Fraction(1, 5)).chances
    found = sample(system, 3000, density=Fraction(1, 5))
    assert all(abs(found.chances[cell] - exact[cell]) <= found.error for cell in exact)
    with pytest.raises(ValueError, match="density"):
        sample(system, 10)


def test_too_few_kept_is_an_error_and_no_estimate():
    system = system_of(lattice(15, 7, 0.2, 1))
    with pytest.raises(BudgetExceeded, match="of 10 layouts drawn"):
        sample(system, 500, budget=250, tries=10)


@pytest.mark.parametrize("layouts", [0, -1])
def test_no_layouts_are_no_sample(layouts):
    with pytest.raises(ValueError, match="at least one"):
        sample(system_of(Position.from_text("1#")), layouts)


def test_an_impossible_position_has_no_sample():
    with pytest.raises(ValueError, match="no layout"):
        sample(system_of(Position.from_text("1#", mines=0)), 10)
