"""The guess: what the engine advises as exact figures say it is, what decided, and what is done without the engine."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from conftest import ROOT
from random_positions import dotted, samples
from slow_twin import layouts

from minesolve import BudgetExceeded, Contradiction, InvalidPosition, Position, analyse, engine, hint
from minesolve.policy import ADVISERS, guess, lookahead, safest, strong

CASES = [json.loads(line) for line in (ROOT / "corpora/positions/public.jsonl").read_text("utf-8").splitlines()]
STUCK = [json.loads(line) for line in (ROOT / "corpora/positions/stuck-expert.jsonl").read_text("utf-8").splitlines()]


def stuck_positions(seed):
    """Yield small positions with a total in which no cell is safe and some are open questions."""
    for sample in (*samples(120, seed, most=11, spoil=0), *dotted(40, seed, most=12)):
        position = sample.position.with_mines(len(sample.mines))
        found = analyse(position)
        if not found.safe and found.open_questions.cells:
            yield position, found


@pytest.mark.parametrize("case", STUCK, ids=lambda case: case["id"])
def test_stuck_expert_positions(case):
    """The candidates stand in the order of what they are worth, and the safest cell is among them."""
    position = Position.from_text(case["text"], case["mines"])
    found = analyse(position)
    advised = guess(found)
    assert (advised.layouts, advised.policy, advised.effort) == (int(case["layouts"]), "strong", 1)
    assert min(candidate.chance for candidate in advised.candidates) == Fraction(case["lowest_chance"])
    assert all(candidate.chance == found.chances[candidate.cell] for candidate in advised.candidates)
    ranked = [candidate.win_estimate if candidate.win is None else candidate.win for candidate in advised.candidates]
    assert all(0 < worth <= 1 - candidate.chance + 1e-9
               for worth, candidate in zip(ranked, advised.candidates, strict=True) if worth is not None)  # fmt: skip
    assert all(first >= second - 1e-9 for first, second in pairwise(ranked[:5]))
    by_safety = guess(found, policy="safest")
    assert by_safety.best.cell == safest(position)
    assert by_safety.best.chance == Fraction(case["lowest_chance"])
    if by_safety.tied <= len(case["lowest_at"]):  # cells beside no number are not listed
        assert list(position.grid.xy(by_safety.best.cell)) in case["lowest_at"]


@pytest.mark.parametrize("case", [case for case in CASES if case.get("best_win")], ids=lambda case: case["id"])
def test_the_end_of_a_game(case):
    """By two ways: the solver's search and the engine's; the figures are the corpus's."""
    position, trust = Position.from_text(case["text"], case["mines"]), bool(case.get("trust_flags"))
    found = analyse(position, trust_flags=trust)
    outcome = found.best_play()
    wins = {position.grid.at(*map(int, cell.split(","))): Fraction(win) for cell, win in case["win_by_first_click"].items()}
    assert outcome.chance == Fraction(case["best_win"]) == max(wins.values())
    assert {cell: outcome.moves[cell] for cell in wins} == wins
    if not found.safe:
        advised = guess(found)
        assert advised.exact
        assert (advised.best.win, wins[advised.best.cell]) == (outcome.chance, outcome.chance)
        assert {candidate.cell: candidate.win for candidate in advised.candidates}.items() <= wins.items()
        assert advised.winners == outcome.best
        assert hint(position, trust_flags=trust).guess == advised


@pytest.mark.parametrize("seed", range(3))
def test_chances_of_candidates_are_those_of_the_twin(seed):
    met = 0
    for position, found in stuck_positions(1100 + seed):
        every = list(layouts(position))
        advised = guess(found)
        for candidate in advised.candidates:
            assert candidate.chance == Fraction(sum(candidate.cell in layout for layout in every), len(every))
        assert advised.layouts == len(every)
        met += 1
    assert met > 5


def follow_up_twin(position, cell):
    """Return the share of layouts in which a cell is safe and then, from what it shows, a cell is safe or all known."""
    every = [layout for layout in layouts(position) if cell not in layout]
    shown = {}
    for layout in every:
        near = sum(n in layout or position.cells[n] == 11 for n in position.grid.neighbours(cell))
        shown.setdefault(near, []).append(layout)
    good = 0
    for group in shown.values():
        union, common = frozenset().union(*group), frozenset.intersection(*group)
        covered = {c for c, code in enumerate(position.cells) if code in (9, 10)} - {cell}
        if covered - union or union == common:
            good += len(group)
    return Fraction(good, sum(1 for _ in layouts(position)))


@pytest.mark.parametrize("policy", ["strong", "lookahead"])
@pytest.mark.parametrize("seed", range(2))
def test_follow_ups_against_the_twin(seed, policy):
    met = 0
    for position, found in stuck_positions(1200 + seed):
        for candidate in guess(found, policy=policy).candidates:
            if candidate.follow_up is not None:
                expected = float(follow_up_twin(position, candidate.cell))
                assert candidate.follow_up == pytest.approx(expected, abs=1e-9), position.to_text()
                met += 1
    assert met > 20


def test_the_end_of_small_positions_is_that_of_the_solver():
    met = 0
    for _, found in (*stuck_positions(1400), *stuck_positions(1401)):
        if found.layouts > 1:
            outcome, advised = found.best_play(), guess(found)
            assert (advised.best.win, advised.winners) == (outcome.chance, outcome.best)
            assert all(candidate.win == outcome.moves[candidate.cell] for candidate in advised.candidates)
            met += 1
    assert met > 20


# --- what decided, and how it is told ---

OPEN = Position.from_text("1##\n###", mines=2)  # r1c2, r2c1, r2c2 are mines with 1/3, r1c3 and r2c3 with 1/2
NOTHING = float("nan")


def advice(*rows, exact=False):
    """Return what the engine would say: rows of cell, chance of winning (or layouts won of six), follow-up."""
    cells, wins, follow_ups = (np.array(column) for column in zip(*rows, strict=True))
    chances = np.array([float(analyse(OPEN).chances[cell]) for cell in cells])
    won = wins if exact else None
    return engine.Advice(cells.astype(np.int32), chances, follow_ups.astype(float),
                         wins / 6 if exact else wins, exact, won, 6 if exact else None)  # fmt: skip


@pytest.mark.parametrize(("rows", "exact", "decided_by", "line"), [
    ([(1, 2, 0.1), (3, 1, 0.5)], True, "win", "r2c1 is as safe, but wins less (16.67 %)."),
    ([(1, 2, 0.1), (2, 1, 0.5)], True, "win", "r1c3 is riskier, and wins less (16.67 %)."),
    ([(2, 2, 0.1), (3, 1, 0.5)], True, "win", "r2c1 is safer (a mine with 33.33 % (1/3)), but wins less (16.67 %)."),
    ([(1, 0.3, 0.1), (3, 0.2, 0.5)], False, "estimate", "r2c1 is as safe, but should win less (20.0 %)."),
    ([(2, 0.3, 0.1), (3, 0.2, 0.5)], False, "estimate",
     "r2c1 is safer (a mine with 33.33 % (1/3)), but should win less (20.0 %)."),
    ([(1, 2, 0.1), (2, 2, 0.5)], True, "chance", "r1c3 wins as often, but is riskier."),
    ([(1, 0.2, 0.1), (2, 0.2, 0.5)], False, "chance", "r1c3 should win as often, but is riskier."),
    ([(1, 2, 0.5), (3, 2, 0.1)], True, "follow-up",
     "r2c1 is as safe and wins as often, but a certain move follows less often."),
    ([(1, NOTHING, 0.5), (3, NOTHING, 0.1)], False, "follow-up",
     "r2c1 is as safe, but a certain move follows less often."),
    ([(1, 2, 0.1), (3, 2, 0.1)], True, "order", "r2c1 is just as good."),
    ([(3, 0.2, 0.1), (1, 0.2 + 1e-12, 0.1)], False, "order", "r1c2 is just as good."),
    ([(2, 2, 0.1), (3, 2, 0.1)], True, "order", "r2c1 is safer (a mine with 33.33 % (1/3)), and as good otherwise."),
    ([(1, 2, 0.1)], True, "only", ""),
])  # fmt: skip
def test_what_decided(rows, exact, decided_by, line, monkeypatch):
    monkeypatch.setattr(engine, "advise", lambda *_, **__: advice(*rows, exact=exact))
    found = hint(OPEN)
    assert (found.guess.decided_by, found.guess.exact) == (decided_by, exact)
    assert [candidate.cell for candidate in found.guess.candidates][: len(rows)] == [cell for cell, _, _ in rows]
    assert line in found.text.splitlines() or not line


def test_a_guess_in_words(monkeypatch):
    rows = [(2, 0.342, 0.25), (3, 0.3, NOTHING), (1, 0.21, 1 / 3)]
    monkeypatch.setattr(engine, "advise", lambda *_, **__: advice(*rows))
    assert str(hint(OPEN)).splitlines() == [
        "Guess r1c3: a mine with 50 % (1/2), wins with about 34.2 % (estimated).",
        "  cell      safe   then a certain move   wins, estimated",
        "  r1c3   50.00 %                25.0 %            34.2 %",
        "  r2c1   66.67 %                                  30.0 %",
        "  r1c2   66.67 %                33.3 %            21.0 %",
        "r2c1 is safer (a mine with 33.33 % (1/3)), but should win less (30.0 %).",
        "A true 50/50: r1c3 against r2c3. Nothing opened elsewhere can tell, so waiting can't help there.",
    ]


def test_the_safest_cell_is_shown_even_if_it_ranks_low(monkeypatch):
    monkeypatch.setattr(engine, "advise", lambda *_, **__: advice((2, 0.3, 0.1), (5, 0.3, 0.1)))
    assert [candidate.cell for candidate in guess(analyse(OPEN)).candidates] == [2, 5, 1]


# --- without the engine ---


def test_where_the_engine_refuses_the_safest_cell_is_advised_and_that_is_said(monkeypatch):
    def refuse(*_, **__):
        raise BudgetExceeded("a component is too wide")

    monkeypatch.setattr(engine, "advise", refuse)
    found = hint(OPEN, effort=2)
    assert (found.guess.policy, found.guess.effort, found.guess.trouble) == ("safest", 1, "a component is too wide")
    assert found.guess.best == guess(analyse(OPEN), policy="safest").best
    assert found.text.splitlines()[-2] == "By safety alone: a component is too wide."
    assert strong(OPEN) == lookahead(OPEN) == safest(OPEN)


def test_what_the_engine_is_asked(monkeypatch):
    asked = []

    def advise(position, **how):
        asked.append((position, how))
        return advice((1, 0.3, 0.1))

    monkeypatch.setattr(engine, "advise", advise)
    assert hint(Position.from_text("11111\n#####", mines=2)).verdict == "safe"
    assert asked == []
    hint(OPEN, policy="lookahead", trust_flags=True)
    guess(analyse(OPEN), effort=2)
    assert strong(OPEN, 2) == 1
    assert asked == [
        (OPEN, {"policy": "lookahead", "effort": 1, "trust_flags": True}),
        (OPEN, {"policy": "strong", "effort": 2, "trust_flags": False}),
        (OPEN, {"policy": "strong", "effort": 2}),
    ]
    hint(OPEN, policy="safest")
    hint(OPEN.with_mines(None), density=Fraction(1, 5))
    assert len(asked) == 3


@pytest.mark.parametrize(("how", "says"), [
    ({"policy": "random-safest"}, "the policy of a hint is one of strong, lookahead, safest, not 'random-safest'"),
    ({"policy": "strong:2"}, "the policy of a hint"), ({"effort": 0}, "the effort is 1 or 2, not 0"),
    ({"effort": 3}, "the effort is 1 or 2, not 3"), ({"effort": 2, "policy": "safest"}, "with strong alone"),
    ({"effort": 2, "policy": "lookahead"}, "with strong alone, not with lookahead"),
])  # fmt: skip
@pytest.mark.parametrize("text", ["1##\n###", "11111\n#####"])
def test_a_policy_or_effort_that_is_none(how, says, text):
    """Refused whether or not it would have been used."""
    with pytest.raises(ValueError, match=says):
        hint(Position.from_text(text, mines=2), **how)


@pytest.mark.parametrize("policy", ADVISERS)
def test_advice_does_not_depend_on_what_was_asked_before(policy):
    positions = [Position.from_text(case["text"], case["mines"]) for case in STUCK[:6]]
    advised = [guess(analyse(position), policy=policy) for position in positions]
    assert [guess(analyse(position), policy=policy) for position in reversed(positions)] == advised[::-1]
    choose = {"strong": strong, "lookahead": lookahead, "safest": safest}[policy]
    assert [choose(position) for position in positions] == [found.best.cell for found in advised]


def test_an_unknown_total_is_ranked_by_safety_as_the_policy_safest_does():
    found = hint(OPEN.with_mines(None), density=Fraction(1, 5))
    assert found.guess.trouble == "looking ahead takes the mine total"
    assert "By safety alone: looking ahead takes the mine total." in str(found)
    assert [(c.win, c.win_estimate, c.follow_up) for c in found.guess.candidates] == [(None, None, None)] * 5
    assert str(found).splitlines()[0] == "Guess r1c3: a mine with 20 % (1/5) (1 other is as safe)."


def test_trusted_flags_are_no_candidates():
    position = Position.from_text("F2#\n2##\n###", mines=3)
    advised = guess(analyse(position, trust_flags=True))
    assert 0 not in [candidate.cell for candidate in advised.candidates]
    assert advised.layouts == analyse(position, trust_flags=True).layouts < analyse(position).layouts


def test_a_safe_cell_needs_no_guess():
    with pytest.raises(ValueError, match="certainly safe"):
        guess(analyse(Position.from_text("11111\n#####", mines=2)))


def test_chances_take_a_total_or_a_density():
    position = Position.from_text("1##\n###")
    with pytest.raises(ValueError, match="mine total or a density"):
        guess(analyse(position))
    found = guess(analyse(position, density=Fraction(1, 10)))
    assert (found.best.cell, found.best.chance) == (2, Fraction(1, 10))
    assert hint(position).verdict == "none"
    assert hint(position, density=Fraction(1, 10)).verdict == "guess"


def test_a_true_fifty_is_named():
    found = hint(Position.from_text("1#\n1#", mines=1))
    assert (found.verdict, found.guess.fifties[0].cells) == ("guess", (1, 3))
    assert "A true 50/50: r1c2 against r2c2." in str(found)


def test_the_cell_that_wins_most_is_not_the_safest():
    """Ten layouts; the safest cells win 4, the best 5 (optimal.jsonl has the exhaustive values)."""
    found = hint(Position.from_text("#####\n#####\n12221\n00000", mines=4).with_mines(4))
    assert found.guess.best.win == Fraction(1, 2)
    assert found.guess.best.chance == Fraction(1, 2)
    assert "r1c1 is safer (a mine with 20 % (1/5)), but wins less (40.00 %)." in str(found)


@pytest.mark.parametrize("seed", range(2))
def test_hints_of_any_position_are_sound(seed):
    for sample in samples(150, 1300 + seed, most=10, spoil=0.3, flags=True):
        try:
            found = hint(sample.position)
        except (Contradiction, InvalidPosition):
            continue
        if found.verdict == "guess":
            assert found.cells == (found.guess.best.cell,)
            assert 0 < found.guess.best.chance < 1
        if found.verdict == "none":
            assert found.cells == ()
            assert "Nothing is left" in str(found) or sample.position.mines is None
