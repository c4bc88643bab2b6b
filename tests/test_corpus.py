"""The corpora say what is true: every answer in them is worked out again from the definition."""

import json
from fractions import Fraction
from itertools import chain

import pytest
from conftest import ROOT
from slow_twin import LAYERS, answer, layers, layouts

from minesolve import corpus, notation
from minesolve.errors import ParseError
from minesolve.position import COVERED, FLAG, MINE, Position

CORPORA = ROOT / "corpora"
PATTERNS = corpus.read_file(CORPORA / "patterns" / "named.txt")
LITERATURE = corpus.read_file(CORPORA / "literature" / "counts.txt")
MANY = 100_000


def lines(name):
    return [json.loads(line) for line in (CORPORA / "positions" / name).read_text("utf-8").splitlines()]


PUBLIC, PARSER, STUCK = lines("public.jsonl"), lines("parser.jsonl"), lines("stuck-expert.jsonl")


def named(records):
    return [pytest.param(record, id=record["id"] if isinstance(record, dict) else record.name) for record in records]


def questions(position, trust_flags=False):
    return sum(code == COVERED or (code == FLAG and not trust_flags) for code in position.cells)


# Patterns and literature


@pytest.mark.parametrize("stanza", named(PATTERNS))
def test_patterns(stanza):
    found = layers(stanza.position)
    assert {cell: (f.verdict, LAYERS.index(f.layer) + 1) for f in stanza.forced for cell in f.cells} == found
    assert sum(len(f.cells) for f in stanza.forced) == len(found)
    assert answer(stanza.position).layouts == stanza.layouts


def test_patterns_are_many_and_use_every_layer():
    assert len(PATTERNS) >= 30
    assert {f.layer for stanza in PATTERNS for f in stanza.forced} == set(LAYERS)
    assert any(not stanza.forced for stanza in PATTERNS)


def check_count(stanza):
    counts = [len(layout) for layout in layouts(stanza.position)]
    assert (len(counts), min(counts), max(counts)) == (stanza.layouts, stanza.fewest, stanza.most)


@pytest.mark.parametrize("stanza", named(s for s in LITERATURE if s.layouts < MANY))
def test_literature(stanza):
    check_count(stanza)


@pytest.mark.slow
@pytest.mark.parametrize("stanza", named(s for s in LITERATURE if s.layouts >= MANY))
def test_literature_with_many_layouts(stanza):
    check_count(stanza)


# Positions


def test_ids_are_unique_and_every_case_has_its_source():
    for records in (PUBLIC, PARSER, STUCK):
        assert len({record["id"] for record in records}) == len(records)
    assert all(record["source"] for record in PUBLIC + PARSER)
    assert not any("note" in record for record in PUBLIC + PARSER)
    assert (len(PUBLIC), len(PARSER), len(STUCK)) == (89, 9, 100)


def readings(record):
    """Yield each way to take flags that the case answers, with its answer."""
    trust = record["trust_flags"]
    yield trust, record["answer"]
    other = record.get("flag_reading", {})
    if "answer" in other:
        yield other["flags_trusted"], {"consistent": True} | other["answer"]


@pytest.mark.parametrize("record", named(PUBLIC))
def test_positions(record):
    position = Position.from_text(record["text"], mines=record["mines"])
    assert (position.width, position.height) == (record["width"], record["height"])
    for trust, expected in readings(record):
        check_answer(position, trust, expected)


def check_answer(position, trust, expected):
    if not expected["consistent"]:
        assert expected["safe"] == expected["mines"] == []
        if questions(position, trust) <= 20:
            assert not answer(position, trust).consistent
        return
    safe, mines = ({position.grid.at(*cell) for cell in expected[key]} for key in ("safe", "mines"))
    chances = {position.grid.at(*map(int, k.split(","))): Fraction(v) for k, v in expected["probabilities"].items()}
    assert safe >= {cell for cell, chance in chances.items() if chance == 0}
    assert mines >= {cell for cell, chance in chances.items() if chance == 1}
    if questions(position, trust) <= 20:
        found = answer(position, trust)
        assert (found.safe, found.mines) == (safe, mines)
        assert expected.get("solutions", found.layouts) == found.layouts
        check_chances(position, trust, chances, found.layouts)


def check_chances(position, trust, chances, count):
    """Without a total all layouts weigh the same; with one they have equally many mines, so they weigh the same too."""
    if count <= 50_000:
        times = dict.fromkeys(chances, 0)
        for cell in chain.from_iterable(layouts(position, trust)):
            times[cell] += 1
        assert {cell: Fraction(n, count) for cell, n in times.items()} == chances


def test_most_positions_are_small_enough_to_be_checked():
    sizes = [questions(Position.from_text(r["text"]), r["trust_flags"]) for r in PUBLIC]
    assert sum(size <= 20 for size in sizes) >= 50


@pytest.mark.parametrize("record", named(PARSER))
def test_files_as_they_were_found(record):
    if not record["accept"]:
        with pytest.raises(ParseError) as caught:
            notation.read(record["raw"], source="found.txt")
        assert (caught.value.source, caught.value.line >= 1, caught.value.column >= 1) == ("found.txt", True, True)
        return
    position = Position.from_text(record["raw"], mines=record["mines"])
    plain = f"size: {record['width']}x{record['height']}\n{record['text']}"
    assert position == Position.from_text(plain, mines=record["mines"])
    check_answer(position, False, record["answer"])


def test_stuck_positions_are_expert():
    for record in STUCK:
        position = Position.from_text(record["text"], mines=record["mines"])
        assert (position.width, position.height, position.mines) == (30, 16, 99)
        assert 0 < Fraction(record["lowest_chance"]) < 1
        assert all(position.cells[position.grid.at(*cell)] == COVERED for cell in record["lowest_at"])
        assert int(record["layouts"]) > 1


# Examples


def example(name):
    return Position.from_file(CORPORA / "examples" / name)


@pytest.mark.parametrize("path", sorted((CORPORA / "examples").glob("*.txt")), ids=lambda path: path.name)
def test_examples_stand_in_the_written_form(path):
    text = path.read_text("utf-8")
    comments = [line for line in text.splitlines() if line.startswith(";")]
    assert comments
    assert text == "".join(f"{line}\n" for line in comments) + example(path.name).to_text()


def test_the_beginner_example_needs_two_numbers():
    position = example("beginner.txt")
    found = layers(position, up_to=2)
    assert {verdict for verdict, layer in found.values() if layer == 1} == {"mine"}
    assert ("safe", 2) in found.values()
    assert all(found[cell] == ("mine", 1) for cell, code in enumerate(position.cells) if code == FLAG)


def test_the_wrong_flag_is_wrong():
    right, wrong = example("beginner.txt"), example("flags.txt")
    changed = [cell for cell in range(81) if right.cells[cell] != wrong.cells[cell]]
    assert [right.grid.name(cell) for cell in changed] == ["r8c5"]
    assert wrong.cells[changed[0]] == FLAG
    assert layers(right, trust_flags=True)[changed[0]] == ("safe", 2)
    assert not answer(wrong, trust_flags=True).consistent


def test_the_impossible_example_is_impossible_only_by_search():
    position = example("impossible.txt")
    assert position.problems() == ()
    assert next(layouts(position), None) is None


def test_the_endgame_needs_the_total():
    position = example("endgame.txt")
    assert ("safe", 4) in layers(position).values()
    assert not any(verdict == "safe" for verdict, layer in layers(position).values() if layer < 4)


def test_the_guess_is_the_first_stuck_position():
    assert example("guess.txt") == Position.from_text(STUCK[0]["text"], mines=99)


def test_the_expert_example_needs_three_numbers():
    position = example("expert.txt")
    assert (position.width, position.height, position.mines) == (30, 16, 99)
    numbers = [position.grid.cell(name) for name in ("r10c10", "r11c10", "r11c11")]
    target = position.grid.cell("r9c9")
    below = layers(position, up_to=2)
    assert {verdict for verdict, _ in below.values()} == {"mine"}
    assert {cell for cell, code in enumerate(position.cells) if code == FLAG} <= below.keys()
    assert forced_by(position, numbers)[target] == ("safe", 3)
    for number in numbers:
        assert target not in forced_by(position, [n for n in numbers if n != number])


def forced_by(position, numbers):
    """What some numbers alone force where flags are right: other cells become shown mines, which the numbers count."""
    seen = {n for number in numbers for n in position.grid.neighbours(number)}
    codes = bytearray(MINE if cell not in seen else code for cell, code in enumerate(position.cells))
    for number in numbers:
        codes[number] = position.cells[number]
    for cell in seen - set(numbers):
        if codes[cell] <= 8:
            codes[cell] = MINE
    for number in numbers:
        added = sum(codes[n] == MINE and position.cells[n] <= 8 for n in position.grid.neighbours(number))
        codes[number] += added
    return layers(Position(position.width, position.height, bytes(codes)), trust_flags=True)


# The stanza reader

STANZA = "; where from\nname: corner\nsize: 2x2\nmines: 3\nlayouts: 1\nmine  single : r1c2 r2c2 r2c1\n3#\n##\n"


def test_a_stanza():
    stanza, other = corpus.read(f"\n\n{STANZA}\n\n{STANZA.replace('corner', 'other')}", "some.txt")
    assert stanza.name == "corner"
    assert stanza.position == Position(2, 2, bytes([3, 9, 9, 9]), 3)
    assert (stanza.layouts, stanza.fewest, stanza.most, stanza.line) == (1, None, None, 4)
    assert stanza.forced == (corpus.Forced("mine", "single", (1, 2, 3)),)
    assert (other.name, other.line, other.position) == ("other", 14, stanza.position)
    assert corpus.read("\n; nothing\n") == ()
    assert corpus.read(STANZA.replace("\n", "\r\n"))[0].position == stanza.position


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("name: corner\n", "", 2, "expected a line 'name' in the stanza"),
        ("name: corner", "name:", 2, "expected a line 'name' in the stanza"),
        ("size: 2x2\n", "", 2, "expected a line 'size' in the stanza"),
        ("size: 2x2", "size: two", 3, "expected a size"),
        ("mines: 3", "mines: x", 4, "expected a number of mines"),
        ("layouts: 1", "layouts: one", 5, "expected a whole number of layouts"),
        ("layouts: 1", "layouts: -1", 5, "expected a whole number of layouts"),
        ("layouts: 1", "layout: 1", 5, "expected one of name"),
        ("layouts: 1", "mines: 3", 5, "a second line 'mines'"),
        ("single", "simple", 6, "expected one of name"),
        ("r2c2", "r3c2", 6, "off the board"),
        ("r2c2", "b2", 6, "a cell is written like"),
        ("r2c2", "r1c2", 6, "different cells"),
        ("r1c2 r2c2 r2c1", "", 6, "different cells"),
        ("##", "#@", 8, "expected a cell, found '@'"),
        ("##", "#", 8, "expected a row of 2 cells"),
        ("3#\n##\n", "", 6, "expected rows of cells, found none"),
        ("##\n", "##\nfewest: 3\n", 9, "expected a row of cells, found the line 'fewest'"),
    ],
)
def test_bad_stanzas(old, new, line, message):
    assert old in STANZA
    with pytest.raises(ParseError, match=message) as caught:
        corpus.read(STANZA.replace(old, new), "some.txt")
    assert (caught.value.source, caught.value.line) == ("some.txt", line)


def test_names_are_unique():
    with pytest.raises(ParseError, match="second stanza named 'corner'") as caught:
        corpus.read(f"{STANZA}\n{STANZA}")
    assert caught.value.line == 11


def test_stanza_files(tmp_path):
    path = tmp_path / "some.txt"
    path.write_text(STANZA, "utf-8")
    assert corpus.read_file(path) == corpus.read(STANZA)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ParseError, match=r"some\.txt"):
        corpus.read_file(path)
    with pytest.raises(FileNotFoundError):
        corpus.read_file(tmp_path / "none.txt")
