from collections import Counter
from fractions import Fraction
from random import Random

import pytest
from random_positions import samples
from slow_twin import layouts

from minesolve.errors import BudgetExceeded
from minesolve.position import Position
from minesolve.solve.constraints import system_of
from minesolve.solve.layouts import Layouts


def test_every_layout_comes_once():
    for index, sample in enumerate(samples(400, seed=20, most=10, flags=True)):
        trusted = index % 2 == 0
        found = Layouts(system_of(sample.position, trust_flags=trusted))
        listed = list(found)
        assert len(listed) == len(set(listed)) == found.number
        assert set(listed) == set(layouts(sample.position, trusted))


def share_of(text, mines, density=None, draws=6000):
    source, random = Layouts(system_of(Position.from_text(text, mines=mines))), Random(7)
    return Counter(source.draw(random, density) for _ in range(draws)), set(source)


def test_draws_are_uniform():
    # boxes of two and three cells, unequal components and unconstrained cells: each a place to go wrong
    drawn, every = share_of("#1##\n#1##\n####", 3)
    assert set(drawn) == every
    expected = 6000 / len(every)
    chi2 = sum((drawn[layout] - expected) ** 2 / expected for layout in every)
    assert chi2 < len(every) + 4 * (2 * len(every)) ** 0.5  # four standard deviations above the mean


def test_draws_follow_the_density():
    density = Fraction(1, 4)
    drawn, every = share_of("#1##\n#1##", None, density)
    weights = {layout: density ** len(layout) * (1 - density) ** (6 - len(layout)) for layout in every}
    whole = sum(weights.values())
    expected = {layout: float(6000 * weight / whole) for layout, weight in weights.items()}
    chi2 = sum((drawn[layout] - e) ** 2 / e for layout, e in expected.items())
    assert chi2 < len(every) + 4 * (2 * len(every)) ** 0.5


@pytest.mark.parametrize(("text", "mines"), [("2#", 1), ("#1#", 2), ("1#\n..", 1), ("1#", 0)])
def test_without_a_layout_there_is_nothing_to_draw(text, mines):
    source = Layouts(system_of(Position.from_text(text, mines=mines)))
    assert list(source) == []
    with pytest.raises(ValueError, match="no layout"):
        source.draw(Random(1))


def test_a_draw_needs_a_total_or_a_density():
    with pytest.raises(ValueError, match="density"):
        Layouts(system_of(Position.from_text("1##"))).draw(Random(1))


def test_states_are_limited():
    with pytest.raises(BudgetExceeded, match="too wide"):
        Layouts(system_of(Position.from_text("#1#1#1#\n#######")), budget=5)
