"""The command analyse: text, JSON, a session, a picture."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from fractions import Fraction
from xml.etree import ElementTree

import pytest
from conftest import ROOT, environment

CORNER = b"mines: 2\n1##\n###\n"
GUESS = ROOT / "corpora/examples/guess.txt"


def test_the_heat_map_and_what_is_said_below_it(run):
    done = run("analyse", "-", input=CORNER)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[:13] == [
        "   1   2   3",
        "1  1  33%+50%",
        "2 33%+33%+50%",
        "",
        "+ lowest chance of a mine",
        "",
        "Layouts: 6",
        "Certainly safe: none",
        "Certainly mines: none",
        "Lowest chance of a mine: r1c2, r2c1, r2c2 with 33.33 % (1/3)",
        "Component of 3 cells with 1 mine: r1c2, r2c1, r2c2",
        "True 50/50: r1c3 against r2c3",
        "Best play wins with 33.33 % (1/3), exactly, by opening r1c2, r1c3, r2c2, r2c3",
    ]
    said = r"Guess r[12]c[23]: a mine with .*, wins with 33\.33 % \(1/3\) by best play\."
    assert re.fullmatch(said, done.out.splitlines()[13])
    assert done.out.count("50/50") == 1


def test_json_has_everything_as_exact_text(run):
    found = json.loads(run("analyse", "-", "--format", "json", input=CORNER).out)
    assert (found["consistent"], found["layouts"], found["safe"], found["mines"]) == (True, "6", [], [])
    assert {cell["cell"]: cell["chance"] for cell in found["chances"]} == {
        "r1c2": "1/3", "r1c3": "1/2", "r2c1": "1/3", "r2c2": "1/3", "r2c3": "1/2",
    }  # fmt: skip
    assert found["components"][0]["mines"] == {"1": "1"}
    assert found["win"]["chance"] == "1/3"
    assert [cell["cell"] for cell in found["win"]["best"]] == ["r1c2", "r1c3", "r2c2", "r2c3"]
    assert found["trouble"] is None
    assert found["guess"] == json.loads(run("hint", "-", "--format", "json", input=CORNER).out)["guess"]
    assert (found["guess"]["policy"], found["guess"]["effort"], found["guess"]["trouble"]) == ("strong", 1, None)
    assert {candidate["win"] for candidate in found["guess"]["candidates"]} == {"1/3", "1/6"}


def test_chances_of_a_stuck_expert_position(run):
    found = json.loads(run("analyse", GUESS, "--format", "json").out)
    expected = json.loads((ROOT / "corpora/positions/stuck-expert.jsonl").read_text("utf-8").splitlines()[0])
    assert found["layouts"] == expected["layouts"]
    chances = {(cell["x"], cell["y"]): Fraction(cell["chance"]) for cell in found["chances"]}
    assert min(chances.values()) == Fraction(expected["lowest_chance"])
    assert sum(chances.values()) == 99
    assert [[cell["x"], cell["y"]] for cell in found["safest"]] == sorted(expected["lowest_at"], key=lambda xy: xy[::-1])


def test_an_unknown_total(run):
    text = b"1##\n###\n"
    done = run("analyse", "-", input=text)
    assert "No exact chances: they take the mine total or a density." in done.out
    found = json.loads(run("analyse", "-", "--format", "json", "--density", "1/5", input=text).out)
    assert {cell["cell"]: cell["chance"] for cell in found["chances"]}["r1c3"] == "1/5"
    assert json.loads(run("analyse", "-", "--format", "json", input=text).out)["chances"] == []
    assert found["layouts"] == "12"


@pytest.mark.parametrize("density", ["0", "1", "2", "-1/5", "x", "1/0", "nan", "1e-9999999999", "0.5e0", "1/2/3", "9" * 50])
def test_a_density_that_is_none(run, density):
    done = run("analyse", "-", f"--density={density}", input=b"1##\n")
    assert (done.code, done.out) == (2, "")
    assert "expected a density between 0 and 1" in done.err


def test_an_impossible_position(run):
    done = run("analyse", "-", "--format", "json", input=b"1#1\n1#2\n")
    assert done.code == 1
    found = json.loads(done.out)
    assert (found["consistent"], [cell["cell"] for cell in found["clash"]]) == (False, ["r1c1", "r2c3"])


WIDE = b"; every other cell of every other row\nsize: 61x61\nmines: ?\n" + b"\n".join(
    b"#".join([b"3"] * 31) if y % 2 else b"#" * 61 for y in range(1, 62)
)


def test_a_frontier_too_wide_to_count_is_said_and_certain_cells_are_still_found(run):
    text = WIDE[: WIDE.rindex(b"\n")].replace(b"size: 61x61", b"size: 61x60")
    done = run("analyse", "-", "--density", "1/5", "--format", "json", input=text, timeout=600)
    assert done.code == 0
    found = json.loads(done.out)
    assert found["layouts"] is None
    assert "too wide to count" in found["trouble"]
    assert len(found["uncounted"]) > 500
    assert {cell["chance"] for cell in found["chances"]} <= {"0", "1"}


def test_a_picture(run, tmp_path):
    path = tmp_path / "board.svg"
    assert run("analyse", "-", "--svg", path, input=CORNER).code == 0
    root = ElementTree.fromstring(path.read_text("utf-8"))
    assert root.tag.endswith("svg")
    assert run("analyse", "-", "--svg", "-", input=CORNER).out == path.read_text("utf-8")
    assert run("analyse", "-", "--svg", tmp_path / "nowhere" / "x.svg", input=CORNER).code == 2


def test_a_session_answers_every_line(run):
    lines = [
        json.dumps("1#\n1#"),
        json.dumps({"text": "1#\n1#", "mines": 1, "id": 4}),
        json.dumps({"text": "1##\n###", "density": "1/5", "id": "d"}),
        "nonsense",
        json.dumps({"width": 2, "height": 1, "mines": 1, "position": ["1#"], "id": 5}),
        json.dumps({"text": "1#1\n1#2", "id": 6}),
        json.dumps({"text": "q", "id": 7}),
        json.dumps([1]),
        json.dumps({"text": "1#", "mines": True}),
        json.dumps({"text": "1#", "what": 1}),
        json.dumps({"text": "1#", "density": "7"}),
        json.dumps({"text": "11\n##\nF#", "trust_flags": "yes"}),
        "[" * 100_000,
        "\udcff",
    ]
    done = run("analyse", "--jsonl", input="\n".join(lines).encode("utf-8", "surrogateescape"))
    assert (done.code, done.err) == (0, "")
    answers = [json.loads(line) for line in done.out.splitlines()]
    assert len(answers) == len(lines)
    assert answers[0]["chances"] == []
    assert (answers[1]["id"], answers[1]["chances"][0]["chance"]) == (4, "1/2")
    assert answers[2]["id"] == "d"
    assert answers[4]["mines"] == [{"cell": "r1c2", "x": 1, "y": 0}]
    assert (answers[5]["id"], answers[5]["consistent"]) == (6, False)
    for index in (3, 6, 7, 8, 9, 10, 11, 12, 13):
        assert set(answers[index]) <= {"id", "error"}, answers[index]
    assert answers[6]["id"] == 7


def test_a_session_answers_at_once():
    """Each answer comes before the next question is asked."""
    command = [sys.executable, "-m", "minesolve", "analyse", "--jsonl"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()) as process:
        for mines in (1, 2):
            process.stdin.write(json.dumps({"text": "1##\n###", "mines": mines, "id": mines}).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == mines
        process.stdin.close()
        assert process.wait(60) == 0


def test_a_hint_gives_the_guess_with_its_reasons(run):
    board = b"mines: 5\n#####\n#1###\n#3###\n#####\n"
    found = json.loads(run("hint", "-", "--format", "json", input=board).out)
    assert (found["verdict"], found["certain"], found["layer"], found["rule"]) == ("guess", False, "chance", "win")
    assert [cell["cell"] for cell in found["cells"]] == ["r1c3"]
    best = found["guess"]["candidates"][0]
    assert (best["chance"], best["win"], best["win_estimate"], best["exact"]) == ("1/45", "19/24", None, True)
    out = run("hint", "-", input=board).out
    assert out.startswith("Guess r1c3: a mine with 2.22 % (1/45), wins with 79.17 % (19/24) by best play.\n  cell ")
    assert "\nExact: all 360 layouts were searched to the end.\nr1c1 is as safe, but wins less (78.61 %).\n" in out


def test_what_a_guess_says_of_each_candidate(run):
    """Where layouts are too many to be searched, winning is estimated."""
    found = json.loads(run("hint", GUESS, "--format", "json", "--effort", "2").out)["guess"]
    assert found.keys() == {"policy", "effort", "trouble", "candidates", "decided_by", "tied", "layouts", "fifties"}
    assert (found["policy"], found["effort"], found["trouble"]) == ("strong", 2, None)
    assert "214445/2474784" in {candidate["chance"] for candidate in found["candidates"]}
    for candidate in found["candidates"]:
        assert candidate.keys() == {"cell", "x", "y", "chance", "win", "win_estimate", "exact", "follow_up"}
        assert (candidate["win"], candidate["exact"]) == (None, False)
    best = found["candidates"][0]
    assert 0 < best["win_estimate"] < 1 - Fraction(best["chance"])
    assert 0 <= Fraction(best["follow_up"]) <= 1 - Fraction(best["chance"]) + Fraction(1, 10**8)


@pytest.mark.parametrize("command", ["hint", "analyse"])
def test_text_of_a_guess_fits_a_terminal(run, command):
    lines = run(command, GUESS).out.splitlines()
    head = next(i for i, line in enumerate(lines) if line.endswith("wins, estimated"))
    assert "Guess r" in " ".join(lines[head - 2 : head])
    assert lines[head].split() == ["cell", "safe", "then", "a", "certain", "move", "wins,", "estimated"]
    assert len(lines[head]) == len(lines[head + 1])
    assert max(map(len, lines[head - 1 :])) <= 100


@pytest.mark.parametrize("policy", ["strong", "lookahead", "safest"])
@pytest.mark.parametrize("command", ["hint", "analyse"])
def test_policies_by_name(run, command, policy):
    found = json.loads(run(command, "-", "--policy", policy, "--format", "json", input=CORNER).out)["guess"]
    assert (found["policy"], found["effort"]) == (policy, 1)
    if policy == "safest":
        assert [cell["cell"] for cell in found["candidates"][:3]] == ["r2c1", "r1c2", "r2c2"]
        assert {cell["win_estimate"] for cell in found["candidates"]} == {None}
        assert (found["decided_by"], found["tied"]) == ("order", 3)


@pytest.mark.parametrize(("options", "says"), [
    (("--effort", "0"), "0 is not in the range 1<=x<=2"), (("--effort", "3"), "3 is not in the range 1<=x<=2"),
    (("--effort", "2", "--policy", "safest"), "goes with strong alone, not with safest"),
    (("--policy", "random-safest"), "'random-safest' is not one of"), (("--policy", "strong:2"), "is not one of"),
])  # fmt: skip
@pytest.mark.parametrize("command", ["hint", "analyse"])
def test_a_policy_or_effort_that_is_none(run, command, options, says):
    done = run(command, "-", *options, input=CORNER)
    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert "Traceback" not in done.err


def test_a_guess_without_a_total(run):
    done = run("hint", "-", "--density", "1/5", input=b"1##\n###\n")
    assert done.out.startswith("Guess r1c3: a mine with 20 % (1/5) (1 other is as safe).\n  cell      safe\n  r1c3   80.00 %\n")
    assert "\nBy safety alone: looking ahead takes the mine total.\n" in done.out
    found = json.loads(run("analyse", "-", "--density", "1/5", "--format", "json", input=b"1##\n###\n").out)["guess"]
    assert (found["policy"], found["trouble"]) == ("safest", "looking ahead takes the mine total")
    assert json.loads(run("analyse", "-", "--format", "json", input=b"1##\n###\n").out)["guess"] is None


def test_a_guess_with_trusted_flags(run):
    board = b"mines: 3\nF2#\n2##\n###\n"
    found = json.loads(run("hint", "-", "--trust-flags", "--format", "json", input=board).out)
    assert "r1c1" not in [candidate["cell"] for candidate in found["guess"]["candidates"]]
    assert found["guess"]["layouts"] != json.loads(run("hint", "-", "--format", "json", input=board).out)["guess"]["layouts"]


SAFE = b"mines: 4\n##211\n#####\n1#2##\n"


def test_no_guess_is_made_where_a_cell_is_safe(run):
    found = json.loads(run("analyse", "-", "--format", "json", input=SAFE).out)
    assert (found["guess"], found["win"]["chance"]) == (None, "4/5")
    assert json.loads(run("hint", "-", "--format", "json", input=SAFE).out)["guess"] is None


@pytest.mark.parametrize("arguments", [("hint", "-"), ("analyse", "-"), ("analyse", "--policy", "safest", str(GUESS)),
                                       ("hint", "--policy", "safest", str(GUESS))])  # fmt: skip
def test_counting_loads_no_compiler(arguments):
    code = "import sys, minesolve.cli as c; assert c._run(sys.argv[1:]) == 0; assert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", code, *arguments], input=SAFE, env=environment(), stdout=subprocess.DEVNULL,
                   check=True)  # fmt: skip
