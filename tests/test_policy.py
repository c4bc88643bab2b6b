"""The guess: safest, then most informative; exact at the end of a game; and what is said of waiting."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from conftest import ROOT
from random_positions import dotted, samples
from slow_twin import layouts

from minesolve import Contradiction, InvalidPosition, Position, analyse, hint
from minesolve.policy import guess

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
    """The advised cell is one of the safest, and no equally safe one that was looked into is followed up more often."""
    position = Position.from_text(case["text"], case["mines"])
    found = guess(analyse(position))
    assert found.layouts == int(case["layouts"])
    assert found.best.chance == Fraction(case["lowest_chance"])
    if found.tied <= len(case["lowest_at"]):
        assert list(position.grid.xy(found.best.cell)) in case["lowest_at"]
    assert found.best.win is None
    assert all(found.best.chance <= other.chance for other in found.candidates)
    assert all((found.best.follow_up or 0) >= (other.follow_up or 0) for other in found.candidates)


@pytest.mark.parametrize("case", [case for case in CASES if case.get("best_win")], ids=lambda case: case["id"])
def test_the_end_of_a_game(case):
    position = Position.from_text(case["text"], case["mines"])
    found = analyse(position, trust_flags=bool(case.get("trust_flags")))
    outcome = found.best_play()
    wins = {position.grid.at(*map(int, cell.split(","))): Fraction(win) for cell, win in case["win_by_first_click"].items()}
    assert outcome.chance == Fraction(case["best_win"]) == max(wins.values())
    assert {cell: outcome.moves[cell] for cell in wins} == wins
    if not found.safe:
        best = guess(found).best
        assert (best.win, wins[best.cell]) == (outcome.chance, outcome.chance)
        assert hint(position, trust_flags=bool(case.get("trust_flags"))).guess.best == best


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


@pytest.mark.parametrize("seed", range(3))
def test_follow_ups_against_the_twin(seed, monkeypatch):
    monkeypatch.setattr("minesolve.policy._by_winning", lambda *_: [])
    met = 0
    for position, found in stuck_positions(1200 + seed):
        for candidate in guess(found).candidates:
            if candidate.follow_up is not None:
                assert candidate.follow_up == follow_up_twin(position, candidate.cell), position.to_text()
                met += 1
    assert met > 20


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
    assert "not the safest cell but the one that wins most" in str(found)


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
