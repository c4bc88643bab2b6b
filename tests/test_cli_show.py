"""``minesolve show`` in a process of its own; and what hint and check make of the other formats."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest
from conftest import ROOT, environment, on_a_terminal
from test_cli_convert import FILES, GARBAGE, ROWS, in_format
from test_cli_metrics import REPLAY

EXPERT = ROOT / "corpora/examples/expert.txt"
NUMBERED = """\
9x9, 10 mines

   1 2 3 4 5 6 7 8 9
1  1 1 . . . . . . .
2  * 1 . . . . . . .
3  1 1 . . . 1 2 3 2
4  2 2 1 . . 1 * * *
5  * * 1 . . 1 2 3 2
6  3 3 2 . . . . . .
7  1 * 2 1 1 . 1 1 1
8  1 1 2 * 2 1 1 * 1
9  . . 1 2 * 1 1 1 1
"""
POSITION = b"5x4x3\n01F2H\n01HHH\n11111\nH1000\n"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", FILES)
def test_a_minefield_with_its_numbers(run, tmp_path, name):
    done = run("show", in_format(tmp_path, name))
    assert (done.code, done.out, done.err) == (0, NUMBERED, "")
    assert run("show", "-", "--from", name, input=FILES[name][1]).out == NUMBERED


def test_a_position_as_the_player_sees_it(run):
    done = run("show", EXPERT)
    assert (done.code, done.err) == (0, "")
    head, blank, _, _, *rows = done.out.splitlines()
    assert (head, blank) == ("30x16, 99 mines", "")
    text = [row for row in EXPERT.read_text("utf-8").splitlines() if row[:1] not in ";sm" and row]
    assert ["".join(row.split()[1:]) for row in rows] == text


def test_what_is_not_known_and_what_was_not_plain_is_said(run):
    done = run("show", "-", input=b"0.\n1.\n")
    assert done.out.startswith("2x2, an unknown number of mines\n")
    assert done.err == "minesolve: <stdin>: read . as covered, because zeros are written 0\n"
    done = run("show", "-", "--minefield", input=b"0.\n1.\n")
    assert (done.code, done.out) == (2, "")
    assert done.err.endswith("minesolve: <stdin>: where the mines are is not known\n")


def test_the_truth_where_a_file_has_both(run):
    both = b'{"width": 3, "height": 1, "position": [".1#"], "minefield": ["..*"], "start": "r1c1"}'
    shown, truth = (run("show", "-", "--from", "jsonl", *more, input=both).out for more in ((), ("--minefield",)))
    assert shown == "3x1, 1 mine, start r1c1\n\n   1 2 3\n1  . 1 #\n"
    assert truth == shown.replace("#", "*")


def test_a_replay_as_it_ended(run, tmp_path):
    path = tmp_path / "a.rawvf"
    path.write_bytes(REPLAY)
    out = run("show", path).out
    assert out.startswith("9x9, 10 mines, lost after 5 actions, 4.000 s\n")
    assert out.count(">*<") == 2  # the cell and the legend
    assert "the mine that was opened" in out
    assert run("show", path, "--minefield").out == NUMBERED


# Several boards


def test_the_nth_board(run, tmp_path):
    path = tmp_path / "three.gameid"
    path.write_bytes(b"3x1:u4\n" + FILES["gameid"][1] + b"2x1:u8\n")
    assert run("show", path).out.startswith("3x1, 1 mine\n")
    done = run("show", path, "--board", "2")
    assert (done.out, done.err) == (NUMBERED, f"minesolve: {path}: this is board 2 of 3\n")
    done = run("show", path, "--board", "4")
    assert (done.code, done.out) == (2, "")
    assert done.err == f"minesolve: {path}: there is no board 4, because there are 3\n"


def test_boards_after_it_that_can_not_be_read_do_no_harm(run):
    done = run("show", "-", "--from", "gameid", input=FILES["gameid"][1] + b"nonsense\n")
    assert (done.code, done.out) == (0, NUMBERED)
    assert "this is board 1 of 1, and then what can't be read (<stdin>, line 2: expected a game id" in done.err
    assert run("show", "-", "--from", "gameid", "--board", "2", input=FILES["gameid"][1] + b"nonsense\n").code == 2


def test_very_many_boards_are_not_all_counted(run):
    done = run("show", "-", "--from", "gameid", input=b"3x1:u4\n" * 1001)
    assert done.err == "minesolve: <stdin>: this is board 1 of 1001 or more\n"
    done = run("show", "-", "--from", "gameid", input=b"3x1:u4\n" * 1000)
    assert done.err == "minesolve: <stdin>: this is board 1 of 1000\n"


# Pictures


def test_svg_and_png(run, tmp_path):
    source = in_format(tmp_path, "mbf")
    done = run("show", source, "--svg", tmp_path / "a.svg", "--png", tmp_path / "a.png")
    assert (done.code, done.out, done.err) == (0, "", "")
    root = ET.parse(tmp_path / "a.svg").getroot()
    assert root.findtext(f"{SVG}title") == "A Minesweeper board, 9x9, 10 mines"
    png = (tmp_path / "a.png").read_bytes()
    assert png.startswith(b"\x89PNG\r\n")
    size = [2 * int(root.get(key)) for key in ("width", "height")]
    assert [int.from_bytes(png[at : at + 4], "big") for at in (16, 20)] == size
    assert run("show", source, "--svg", "-").stdout == (tmp_path / "a.svg").read_bytes()
    assert run("show", source, "--png", "-").stdout == png


def test_a_part(run, tmp_path):
    source = in_format(tmp_path, "mbf")
    for part in ("r1c1:r3c3", "r3c3:r1c1", "R3C1:r1c3"):
        out = run("show", source, "--part", part).out
        assert out == "9x9, 10 mines\n\n    1 2 3\n  +------\n1 | 1 1 .\n2 | * 1 .\n3 | 1 1 .\n"
    huge = b"size: 300x300\nmines: 0\n" + (b"." * 300 + b"\n") * 300
    done = run("show", "-", input=huge)
    assert (done.code, done.out) == (2, "")
    assert "too large to draw (at most 65536 cells): draw a part of the board" in done.err
    assert run("show", "-", "--part", "r300c299:r300c300", input=huge).out.splitlines()[-2:] == ["300   . .|", "     ----+"]


def test_json_is_what_the_file_holds(run, tmp_path):
    found = json.loads(run("show", in_format(tmp_path, "mbf"), "--format", "json").out)
    assert found == {"width": 9, "height": 9, "mines": 10, "minefield": ROWS}
    found = json.loads(run("show", "-", "--from", "mine", "--format", "json", input=POSITION).out)
    assert found["position"] == [".1F2#", ".1###", "11111", "#1..."]


def test_colours_only_where_they_are_seen_and_wanted(run, tmp_path):
    source = str(in_format(tmp_path, "mbf"))
    shown = on_a_terminal("show", source)
    assert "\x1b[" in shown
    plain = on_a_terminal("show", source, NO_COLOR="1")
    assert "\x1b" not in plain
    assert plain.replace("\r\n", "\n") == NUMBERED


def test_a_closed_pipe_is_no_error():
    command = f'"{sys.executable}" -m minesolve show "{EXPERT}" | head -n 0; echo "${{PIPESTATUS[0]}}"'
    done = subprocess.run(["bash", "-c", command], env=environment(), capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("0\n", "")


@pytest.mark.parametrize("data", [GARBAGE["bytes"], GARBAGE["JSON"]], ids=["bytes", "JSON"])
@pytest.mark.parametrize("command", ["show", "check"])
def test_garbage(run, tmp_path, data, command):
    for suffix, _ in FILES.values():
        path = tmp_path / f"in.{suffix}"
        path.write_bytes(data)
        done = run(command, path)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith(f"minesolve: {path}")
        assert (done.err.count("\n"), "Traceback" in done.err) == (1, False)


@pytest.mark.parametrize("arguments", [
    (), ("none.mbf",), (".",), ("in.mbf", "--board", "0"), ("in.mbf", "--part", "r1c1"), ("in.mbf", "--part", "r1c1:r10c1"),
    ("in.mbf", "--svg", "-", "--png", "-"), ("in.mbf", "--format", "json", "--svg", "a.svg"), ("in.mbf", "--from", "png"),
    ("in.mbf", "--mine", "x"), ("in.mbf", "--svg", "."),
])  # fmt: skip
def test_wrong_usage(run, tmp_path, arguments):
    in_format(tmp_path, "mbf")
    done = run("show", *arguments, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "Error: " in done.err
    assert "Traceback" not in done.err
    assert [entry.name for entry in tmp_path.iterdir()] == ["in.mbf"]


# hint and check read the other formats, too


def test_hint_and_check_read_every_format_that_holds_a_position(run, tmp_path):
    (tmp_path / "a.txt").write_bytes(EXPERT.read_bytes())
    expected = run("hint", "a.txt", "--format", "json", cwd=tmp_path).out
    for name in ("a.mine", "a.jsonl"):
        assert run("convert", "a.txt", name, cwd=tmp_path).code == 0
        for arguments in ((name,), ("-", "--from", name[2:])):
            done = run("hint", *arguments, "--format", "json", cwd=tmp_path, input=(tmp_path / name).read_bytes())
            assert (done.code, done.out, done.err) == (0, expected, "")
        assert run("check", name, cwd=tmp_path).out == "This position is possible.\n"


@pytest.mark.parametrize("name", FILES)
def test_hint_refuses_a_minefield(run, tmp_path, name):
    source = in_format(tmp_path, name)
    done = run("hint", source)
    assert (done.code, done.out) == (2, "")
    assert done.err == f"minesolve: {source}: expected a position, found a minefield, of which a player knows nothing yet\n"


def test_zeros_beside_mines_are_a_position_that_is_impossible(run):
    done = run("check", "-", input=b"0*\n")
    assert done.code == 1
    assert "The 0 at r1c1 has 1 shown mine around it." in done.out


def test_hint_takes_one_of_several_boards(run, tmp_path):
    (tmp_path / "a.txt").write_bytes(b"size: 5x2\nmines: ?\n\n11111\n#####\nsize: 2x2\n1#\n##\n; start: r1c1\n")
    assert run("convert", "a.txt", "a.jsonl", cwd=tmp_path).code == 0
    for name in ("a.txt", "a.jsonl"):
        done = run("hint", name, cwd=tmp_path)
        assert done.out.startswith("r2c3 is safe (1-1 at the wall).")
        assert done.err == f"minesolve: {name}: this is board 1 of 2\n"
        done = run("hint", name, "--board", "2", "--cell", "r1c1", cwd=tmp_path)
        assert done.out.startswith("r1c1 is open: it shows 1.")
        assert run("hint", name, "--board", "3", cwd=tmp_path).code == 2


def test_totals_of_other_formats_are_stated(run):
    covered = ["#" * 9] * 9
    board = json.dumps({"width": 9, "height": 9, "mines": None, "position": covered}).encode()
    assert run("check", "-", "--from", "jsonl", input=board).err == ""
    stated = board.replace(b"null", b"12")
    assert "--mines 10 counts; the file says 12" in run("check", "-", "--from", "jsonl", "--mines", "10", input=stated).err
