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


def test_mcnemar_is_exact_and_joins_the_normal_distribution():
    from math import comb

    from minesolve.statistics import mcnemar

    for first, second in ((0, 0), (3, 9), (9, 3), (7, 7), (0, 5)):
        n = first + second
        tails = [comb(n, k) for k in range(n + 1) if abs(2 * k - n) >= abs(first - second)]
        assert mcnemar(first, second) == pytest.approx(sum(tails) / 2**n, rel=1e-12)
    assert mcnemar(1040, 960) == pytest.approx(mcnemar(1041, 960), rel=0.1)


def test_the_interval_of_a_paired_difference_holds_the_truth_as_often_as_it_says():
    import random

    from minesolve.statistics import paired_difference

    draws, held = random.Random(5), 0
    for _ in range(1000):
        kinds = draws.choices("abn", weights=(0.12, 0.08, 0.8), k=300)
        low, high = paired_difference(kinds.count("a"), kinds.count("b"), 300).interval
        held += low <= 0.04 <= high
    assert 930 <= held <= 970


def test_as_many_trials_as_it_takes_settle_four_runs_of_five():
    import random

    from minesolve.statistics import paired_difference, trials_to_settle

    needed = trials_to_settle(60, 30, 300)
    draws, settled = random.Random(6), 0
    for _ in range(500):
        kinds = draws.choices("abn", weights=(0.2, 0.1, 0.7), k=needed)
        settled += paired_difference(kinds.count("a"), kinds.count("b"), needed).interval[0] > 0
    assert 0.74 < settled / 500 < 0.86


def test_a_mean_has_the_interval_of_the_normal_distribution():
    from statistics import NormalDist, fmean, stdev

    from minesolve.statistics import mean

    values = [1, 4, 4, 9, 2, 0]
    found = mean(sum(values), sum(v * v for v in values), 6)
    spread = NormalDist().inv_cdf(0.975) * stdev(values) / 6**0.5
    assert found.interval == pytest.approx((fmean(values) - spread, fmean(values) + spread))
