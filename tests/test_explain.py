"""The words: what they say is what the step says, for every kind of step."""

from __future__ import annotations

import json
import re

import pytest
from conftest import ROOT
from random_positions import dotted, samples

from minesolve import Contradiction, InvalidPosition, Position, analyse, check, corpus, hint
from minesolve.solve.explain import Explainer

SENTENCES = [
    ("all safe", "0#\n##", None, "r1c2, r2c1 and r2c2 are safe (the 0 at r1c1)",
     "The 0 at r1c1 has no mine beside it, so r1c2, r2c1 and r2c2 are safe."),
    ("all mines", "2#\n2#", None, "r1c2 and r2c2 are mines (the 2 at r1c1)",
     "The 2 at r1c1 needs two mines and has only r1c2 and r2c2 to hold them, so r1c2 and r2c2 are mines."),
    ("1-1", "11111\n#####", None, "r2c3 is safe (1-1 at the wall)",
     "The 1 at r1c1 has its mine in r2c1 or r2c2. Both also touch the 1 at r1c2, which has no room for more, "
     "so r2c3 is safe."),
    ("1-2-2-1", "1221\n####", None, "r2c3 is a mine (1-2-2-1 at the wall)",
     "The 1 at r1c1 leaves room for at most one mine in r2c1 and r2c2. The 2 at r1c2 needs two, "
     "so the other one is r2c3."),
    ("total", "02##\n03##\n02##", 3, "r1c4, r2c4 and r3c4 are safe (mine total)",
     "All three mines are known, so every other covered cell is safe."),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "text", "mines", "headline", "reason"), SENTENCES)
def test_sentences(rule, text, mines, headline, reason):
    position = Position.from_text(text, mines)
    words = Explainer(position)
    step = next(step for step in analyse(position).deductions if step.rule == rule)
    assert words.headline(step) == headline
    assert words.explain(step) == reason


def test_named_patterns_are_recognised():
    texts = [json.loads(line) for line in (ROOT / "corpora/positions/public.jsonl").read_text("utf-8").splitlines()]
    positions = [Position.from_text(case["text"], case["mines"]) for case in texts if case["answer"]["consistent"]]
    positions += [stanza.position for stanza in corpus.read_file(ROOT / "corpora/patterns/named.txt")]
    rules = {step.rule for position in positions for step in analyse(position).deductions}
    assert rules >= {"1-1", "1-2", "1-2-1", "1-2-2-1", "hole", "triangle"}


NAMED = [
    ("1-1", "11111\n#####"), ("1-2", "####\n13##\n.2##\n.1##"), ("1-2-2-1", "1221\n####"),
    ("hole", "#####\n#####\n##1##\n11111\n00000"), ("triangle", "#####\n##1##\n#11##\n00011\n00000"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text"), NAMED)
def test_names_of_patterns(name, text):
    assert name in {step.rule for step in analyse(Position.from_text(text)).deductions}


@pytest.mark.parametrize("seed", range(4))
def test_words_name_exactly_what_the_step_rests_on(seed):
    """Every number of the premises and every concluded cell is named; no number is named that isn't one of them."""
    for sample in (*samples(60, 800 + seed, most=16, spoil=0, flags=True), *dotted(60, 800 + seed)):
        position, words = sample.position, Explainer(sample.position)
        for step in analyse(position).deductions:
            text = words.explain(step)
            assert text.endswith(".")
            assert "  " not in text
            named = {position.grid.cell(name) for name in re.findall(r"r\d+c\d+", text)}
            assert {cell for cell in named if position.cells[cell] < 9} == set(step.premises), text
            if len(step.cells) <= 12 and not (step.uses_total and not step.premises):
                assert set(step.cells) <= named, text
            for value, name in re.findall(r"the (\d) at (r\d+c\d+)", text, re.IGNORECASE):
                assert position.cells[position.grid.cell(name)] == int(value)


@pytest.mark.parametrize("seed", range(2))
def test_clashes_are_told(seed):
    told = set()
    for sample in samples(150, 900 + seed, most=14, spoil=1):
        found = check(sample.position)
        if found.consistent or found.problems:
            continue
        text = Explainer(sample.position).clash(found.clash, uses_total=found.clash_uses_total)
        named = {sample.position.grid.cell(name) for name in re.findall(r"r\d+c\d+", text)}
        assert set(found.clash) <= named
        told.add(found.clash_uses_total)
    assert told == {True, False}


@pytest.mark.parametrize("seed", range(3))
def test_a_hint_is_certain_and_tells_its_first_sentence(seed):
    for sample in (*samples(60, 1000 + seed, most=14, spoil=0.2, flags=True), *dotted(40, 1000 + seed)):
        try:
            found = hint(sample.position)
        except (Contradiction, InvalidPosition):
            continue
        if not found.certain:
            continue
        assert all((cell in sample.mines) == (found.verdict == "mine") for cell in found.cells) or not sample.sound
        assert str(found).startswith(Explainer(sample.position).headline(found.deduction))
        everything = analyse(sample.position)
        assert (found.verdict == "safe") == bool(everything.safe)
        least = min((step.layer for step in everything.deductions if step.verdict == found.verdict),
                    key=("single", "pair", "component", "total").index)  # fmt: skip
        assert everything.layer(found.cells[0]) == least or found.verdict == "mine"
