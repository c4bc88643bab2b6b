import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minesolve.statistics import wilson

Z2 = 1.959963984540054**2


@given(st.integers(1, 10**7), st.data())
def test_the_ends_solve_wilsons_equation(trials, data):
    """The ends are the p at which the observed share s is 1.96 standard errors away: (s - p)^2 = z^2 p (1 - p) / n."""
    successes = data.draw(st.integers(0, trials))
    share = successes / trials
    low, high = wilson(successes, trials)
    assert 0 <= low <= share <= high <= 1
    for end in (low, high):
        assert math.isclose((share - end) ** 2, Z2 * end * (1 - end) / trials, rel_tol=1e-6, abs_tol=1e-12)


@given(st.integers(1, 10**6), st.data())
def test_successes_and_failures_mirror_each_other(trials, data):
    successes = data.draw(st.integers(0, trials))
    low, high = wilson(successes, trials)
    mirrored = wilson(trials - successes, trials)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-12)


def test_published_values():
    """Newcombe (1998, Stat. Med. 17, 857-872), table I, method 3."""
    for (successes, trials), ends in {
        (81, 263): (0.2553, 0.3662),
        (15, 148): (0.0624, 0.1605),
        (0, 20): (0.0, 0.1611),
        (1, 29): (0.0061, 0.1718),
    }.items():
        assert tuple(round(end, 4) for end in wilson(successes, trials)) == ends


def test_no_trials_tell_nothing():
    assert wilson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(("successes", "trials"), [(-1, 5), (6, 5), (1, 0), (0, -1)])
def test_impossible_counts_are_refused(successes, trials):
    with pytest.raises(ValueError, match="successes"):
        wilson(successes, trials)
