"""The real command line, in a process of its own: what people do with it, and what they get wrong."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time

import pytest
from conftest import ROOT, environment, on_a_terminal

WALL = b"11111\n#####\n"
EXPERT = ROOT / "corpora/examples/expert.txt"
BAD_NUMBERS = b"1#1\n1#2\n"


def names(cells):
    return [cell["cell"] for cell in cells]


def test_hint_says_what_and_why_and_shows_where(run):
    done = run("hint", "-", input=WALL)
    assert done.code == 0
    assert done.err == ""
    assert done.out.splitlines()[:2] == [
        "r2c3 is safe (1-1 at the wall).",
        "The 1 at r1c1 has its mine in r2c1 or r2c2. Both also touch the 1 at r1c2, which has no room for",
    ]
    assert "1 |[1][1] 1  1\n2 | #  # (s) #\n" in done.out
    assert "\x1b" not in done.out


def test_hint_as_json(run):
    done = run("hint", "-", "--format", "json", input=WALL)
    found = json.loads(done.out)
    assert found["certain"] is True
    assert (found["verdict"], found["layer"], found["rule"], found["uses_total"]) == ("safe", "pair", "1-1", False)
    assert found["cells"] == [{"cell": "r2c3", "x": 2, "y": 1}]
    assert names(found["premises"]) == ["r1c1", "r1c2"]
    assert found["given"] == []
    assert found["text"].startswith("r2c3 is safe")


def test_hint_prefers_safe_cells_and_leaves_flagged_mines_out(run):
    position = b"mines: 3\n02##\n03##\n02##\n"
    assert json.loads(run("hint", "-", "--format", "json", input=position).out)["verdict"] == "safe"
    position = b"mines: 4\n02##\n03##\n02##\n"
    found = json.loads(run("hint", "-", "--format", "json", input=position).out)
    assert (found["verdict"], found["layer"]) == ("mine", "single")
    assert {"r1c3", "r2c3", "r3c3"} >= set(names(found["cells"]))
    flagged = position.replace(b"#", b"F", 1).replace(b"03#", b"03F").replace(b"\n02##\n", b"\n02F#\n")
    assert b"02F#\n03F#\n02F#" in flagged
    assert json.loads(run("hint", "-", "--format", "json", input=flagged).out)["certain"] is False


def test_all_lists_every_certain_cell(run):
    done = run("hint", "-", "--all", "--format", "json", input=b"1221\n####\n")
    found = json.loads(done.out)
    assert found["consistent"] is True
    assert (names(found["safe"]), names(found["mines"])) == (["r2c1", "r2c4"], ["r2c2", "r2c3"])
    assert found["deductions"][0]["rule"] == "1-2-2-1"
    assert "1. r2c3 is a mine (1-2-2-1 " in run("hint", "-", "--all", input=b"1221\n####\n").out


@pytest.mark.parametrize(("cell", "expected"), [
    ("r2c3", "r2c3 is safe (1-1 at the wall)."), ("r2c1", "Nothing is certain about r2c1. Its chance takes the mine total or a density."),
    ("r1c1", "r1c1 is open: it shows 1."), ("R2C3", "r2c3 is safe (1-1 at the wall)."),
])  # fmt: skip
def test_one_cell(run, cell, expected):
    assert run("hint", "-", "--cell", cell, input=WALL).out.splitlines()[0] == expected


def test_up_to_a_layer(run):
    done = run("hint", "-", "--up-to", "single", input=WALL)
    assert (done.code, done.out) == (0, "No move is certain up to the layer single.\n")


def test_nothing_left_to_do(run):
    assert "Nothing is left to do" in run("hint", "-", input=b"1*1\n").out
    assert "Nothing is left to do" in run("hint", "-", "--covered", "#", input=b"mines: 1\n1F1\n").out


def test_check_of_a_possible_position(run):
    done = run("check", "-", input=WALL)
    assert (done.code, done.out) == (0, "This position is possible.\n")
    assert json.loads(run("check", "-", "--format", "json", input=WALL).out) == {
        "consistent": True, "problems": [], "clash": [], "clash_uses_total": False, "wrong_flags": [],
        "text": "This position is possible.",
    }  # fmt: skip


def test_check_names_the_numbers_that_clash(run):
    done = run("check", "-", input=BAD_NUMBERS)
    assert done.code == 1
    assert "The 1 at r1c1 and the 2 at r2c3 can't all be right." in done.out
    assert "[1]" in done.out
    found = json.loads(run("check", "-", "--format", "json", input=BAD_NUMBERS).out)
    assert (found["consistent"], names(found["clash"]), found["clash_uses_total"]) == (False, ["r1c1", "r2c3"], False)


def test_check_lists_all_problems_at_once(run):
    done = run("check", "-", "--format", "json", input=b"mines: 99\n5##\n##4\n0*#\n")
    found = json.loads(done.out)
    assert done.code == 1
    assert [problem["kind"] for problem in found["problems"]] == ["number-too-large", "number-too-small", "too-many-mines"]
    assert names(found["problems"][0]["cells"]) == ["r1c1"]


@pytest.mark.parametrize("command", [("hint",), ("hint", "--all"), ("hint", "--cell", "r1c2")])
def test_commands_on_an_impossible_position(run, command):
    done = run(*command, "-", input=BAD_NUMBERS)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("minesolve: This position is impossible.\nThe 1 at r1c1 and the 2 at r2c3 can't all")
    as_json = run(*command, "-", "--format", "json", input=BAD_NUMBERS)
    assert (as_json.code, as_json.err) == (1, "")
    assert json.loads(as_json.out)["consistent"] is False
    assert names(json.loads(as_json.out)["clash"]) == ["r1c1", "r2c3"]


def test_wrong_flags_are_named(run):
    flagged = b"mines: 2\n11111\n##F##\n"
    assert "The flag at r2c3 is wrong: there is no mine." in run("hint", "-", input=flagged).out
    done = run("hint", "-", "--trust-flags", input=flagged)
    assert done.code == 1
    assert "The flag at r2c3 is wrong: there is no mine." in done.err
    assert names(json.loads(run("check", "-", "--format", "json", input=flagged).out)["wrong_flags"]) == ["r2c3"]


# Totals

COVERED = b"#########\n" * 9


def test_the_total_of_a_standard_level_is_assumed_and_said(run):
    done = run("hint", "-", input=COVERED)
    assert done.err == "minesolve: no total given: assuming the 10 mines of beginner (--mines N or --mines ? says otherwise)\n"
    assert run("hint", "-", "--mines", "?", input=COVERED).err == ""
    assert run("hint", "-", "--mines", "81", "--format", "json", input=COVERED).err == ""
    assert run("hint", "-", input=b"mines: ?\n" + COVERED).err == ""
    assert run("hint", "-", input=COVERED[:-10]).err == ""


def test_an_assumed_total_that_cannot_be_is_dropped_and_said(run):
    crowded = b"#########\n#8#8#8#8#\n" * 4 + b"#########\n"
    done = run("check", "-", input=crowded)
    assert (done.code, done.out) == (0, "This position is possible.\n")
    assert "can't have the 10 mines of beginner: the total is taken as unknown" in done.err


def test_a_total_on_the_command_line_counts_over_the_file(run):
    done = run("hint", "-", "--mines", "3", "--format", "json", input=b"mines: 2\n11111\n#####\n")
    assert done.code == 1
    assert "--mines 3 counts; the file says 2" in done.err


# What was not plain is said, what can't be read is refused


@pytest.mark.parametrize(("text", "said"), [
    (b"2 3 1\n0?\n1?\n??\n", "read line 1 as size 2x3, total 1"),
    (b"0.\n1.\n", "read . as covered, because zeros are written 0"),
    (b"1.\n", "read . as covered, because no other cell is covered"),
])  # fmt: skip
def test_how_it_was_read_is_said(run, text, said):
    assert f"minesolve: <stdin>: {said}" in run("check", "-", input=text).err


@pytest.mark.parametrize("text", [
    b"\xef\xbb\xbf11111\r\n#####\r\n", b"11111\r#####", "11111\n#####".encode("utf-16"), b"1 1 1 1 1 \n\t# # # # #\n\t",
    "\uff11\uff11111\n?????\n".encode(), b"; a comment\nsize: 5x2\n11111\n#####\n\n",
])  # fmt: skip
def test_files_that_people_have(run, tmp_path, text):
    path = tmp_path / "a board.txt"
    path.write_bytes(text)
    assert run("hint", path).out.startswith("r2c3 is safe")


def test_glyph_options(run):
    assert run("hint", "-", "--covered", "o", input=b"11111\nooooo\n").out.startswith("r2c3 is safe")
    done = run("hint", "-", "--zero", " ", "--covered", "o", input=b" 1o\n 1o\n")
    assert done.code == 0
    assert run("hint", "-", "--covered", "o", "--flag", "o", input=WALL).code == 2


@pytest.mark.parametrize(("text", "where"), [
    (b"", "<stdin>, line 1, column 1: expected rows of cells"),
    (b"111\n##\n###\n", "<stdin>, line 2, column 3: expected a row of 3 cells, found 2"),
    (b"11\nq#\n", "<stdin>, line 2, column 1: expected a cell, found 'q'"),
    (b"19\n##\n", "<stdin>, line 1, column 2: expected a number from 0 to 8, found '9'"),
    (b"size: 3x3\n1#\n##\n", "<stdin>, line 2, column 3: expected a row of 3 cells, found 2"),
    (b"mines: many\n11\n##\n", "<stdin>, line 1"),
    (b"\xff\xff11\n", "<stdin>, line 1, column 1: expected text in UTF-8, found the byte 0xff"),
    (b"\x00\x01\x02", "<stdin>, line 1, column 1"),
])  # fmt: skip
@pytest.mark.parametrize("command", ["hint", "check"])
def test_unreadable_input(run, command, text, where):
    done = run(command, "-", input=text)
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith(f"minesolve: {where}")
    assert len(done.err.splitlines()) == 1
    assert "Traceback" not in done.err


@pytest.mark.parametrize("arguments", [
    ("hint", "no such file.txt"), ("hint", "corpora"), ("hint", "-", "--mines", "-1"), ("hint", "-", "--mines", "many"),
    ("hint", "-", "--cell", "c3r4"), ("hint", "-", "--cell", "r9c9"), ("hint", "-", "--up-to", "luck"),
    ("hint", "-", "--all", "--cell", "r1c1"), ("nonsense",), ("hint", "--no-such-option"), ("check", "-", "-"),
])  # fmt: skip
def test_wrong_usage(run, arguments):
    done = run(*arguments, input=WALL)
    assert (done.code, done.out) == (2, "")
    assert "Error: " in done.err
    assert "Traceback" not in done.err


def test_an_unreadable_file(run, tmp_path):
    path = tmp_path / "secret.txt"
    path.write_bytes(WALL)
    path.chmod(0)
    if os.access(path, os.R_OK):
        path.unlink()
        path.mkdir()
    assert run("hint", path).code == 2


def test_help_teaches(run):
    for command, example in (((), "hint board.txt "), (("hint",), "hint board.txt\n"), (("check",), "check board.txt\n")):
        done = run(*command, "--help")
        assert done.code == 0
        assert f"\n  minesolve {example}" in done.out
    assert re.fullmatch(r"minesolve, version \d+\.\d+\.\d+\n", run("--version").out)


# Pipes, terminals, interrupts


def test_a_closed_pipe_is_no_error():
    command = f'"{sys.executable}" -m minesolve hint --all "{EXPERT}" | head -n 0; echo "${{PIPESTATUS[0]}}"'
    done = subprocess.run(["bash", "-c", command], env=environment(), capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("0\n", "")


def test_colours_only_where_they_are_seen_and_wanted(run):
    assert "\x1b[" in on_a_terminal("hint", str(EXPERT))
    assert "\x1b[" not in on_a_terminal("hint", str(EXPERT), NO_COLOR="1")
    assert "\x1b[" not in run("hint", EXPERT).out


def test_without_a_board_a_terminal_is_not_waited_for():
    main, sub = pty.openpty()
    done = subprocess.run([sys.executable, "-m", "minesolve", "hint"], stdin=sub, capture_output=True, env=environment(),
                          timeout=60, check=False)  # fmt: skip
    os.close(main)
    os.close(sub)
    assert done.returncode == 2
    assert b"Missing argument 'BOARD'" in done.stderr


def test_an_interrupt():
    process = subprocess.Popen([sys.executable, "-m", "minesolve", "hint", "-"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())  # fmt: skip
    time.sleep(1.5)  # it waits for its input by now
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"minesolve: interrupted\n")


# Start-up


@pytest.mark.slow
def test_a_hint_starts_at_once():
    """At most four times what importing its three libraries takes, the best of five runs each, side by side."""
    def seconds(*arguments):
        started = time.perf_counter()
        subprocess.run([sys.executable, *arguments], env=environment(), capture_output=True, check=True)
        return time.perf_counter() - started

    pairs = [(seconds("-m", "minesolve", "hint", str(EXPERT)), seconds("-c", "import numpy, networkx, pysat.solvers"))
             for _ in range(5)]  # fmt: skip
    assert min(hint for hint, _ in pairs) < 4 * min(imports for _, imports in pairs)
