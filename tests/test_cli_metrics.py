"""``minesolve metrics`` in a process of its own: the numbers, how they are printed, and what is refused."""

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
from conftest import ROOT, environment

CASES = [json.loads(line) for line in (ROOT / "corpora/rules/measures.jsonl").read_text("utf-8").splitlines()]
FIELD = b"..*\n...\n...\n..*\n"
REPLAY = b"""RawVF_Version: Rev6.2
Player: Ann
Width: 9
Height: 9
Mines: 10
Board:
000000000
*00000000
000000000
000000***
**0000000
000000000
0*0000000
000*000*0
0000*0000
Events:
1.00 lc 5 5
1.00 lr 5 5
2.00 lc 1 1
2.00 lr 1 1
3.00 rc 1 2
3.00 rr 1 2
4.00 lc 5 5
4.00 lr 5 5
5.00 lc 9 4
5.00 lr 9 4
"""


def objects(done):
    assert done.code == 0
    return [json.loads(line) for line in done.out.splitlines()]


def table(text):
    """The rows of a table as dictionaries; all columns end where their heads do, but the last, which begins there."""
    lines = [line.replace("best of ", "best-of-") for line in text.splitlines()]
    words = [list(re.finditer(r"\S+", line)) for line in lines]
    assert len({(*(word.end() for word in row[:-1]), row[-1].start()) for row in words}) == 1
    head, *rows = ([word[0] for word in row] for row in words)
    return [dict(zip(head, row, strict=True)) for row in rows]


def test_measures_of_the_corpus(run, tmp_path):
    cases = [case for case in CASES if "bbbv" in case]
    assert len(cases) > 1
    for number, case in enumerate(cases):
        (tmp_path / f"{number}.txt").write_text("\n".join([f"size: {case['width']}x{case['height']}", *case["minefield"]]))
    found = objects(run("metrics", *(f"{number}.txt" for number in range(len(cases))), "--format", "json", cwd=tmp_path))
    assert [(each["bbbv"], each["openings"]) for each in found] == [(case["bbbv"], case["openings"]) for case in cases]
    shown = ["".join(case["numbers"]) for case in cases]
    assert [each["counts"] for each in found] == [[text.count(str(n)) for n in range(9)] for text in shown]


def test_json_says_everything(run):
    (found,) = objects(run("metrics", "-", "--format", "json", "--runs", "3", "--seed", "5", input=FIELD))
    assert found == {
        "file": "<stdin>", "board": 1, "width": 3, "height": 4, "mines": 2, "bbbv": 3, "openings": 1, "islands": 1,
        "counts": [4, 6, 0, 0, 0, 0, 0, 0, 0], "zini": 3, "hzini": 3, "best_zini": 3, "runs": 3, "seed": 5,
    }  # fmt: skip
    assert "best_zini" not in objects(run("metrics", "-", "--format", "json", input=FIELD))[0]


def test_table_of_several_files_and_boards(run, tmp_path):
    (tmp_path / "a.txt").write_bytes(FIELD)
    (tmp_path / "b.gameid").write_bytes(b"9x9:4,4,mb071b49fbd1cb6a0d5868\n3x1:u4\n")
    done = run("metrics", "a.txt", "b.gameid", "--runs", "2", cwd=tmp_path)
    assert done.code == 0
    assert done.err == "minesolve: a.txt: read as a minefield, because it has only free cells and mines\n"
    rows = table(done.out)
    assert [row["board"] for row in rows] == ["a.txt", "b.gameid:1", "b.gameid:2"]
    assert [row["size"] for row in rows] == ["3x4", "9x9", "3x1"]
    assert [(row["mines"], row["3BV"], row["openings"], row["islands"]) for row in rows] == [
        ("2", "3", "1", "1"), ("10", "14", "2", "5"), ("1", "2", "0", "2")]  # fmt: skip
    assert all(row["best-of-2"] <= row["3BV"] for row in rows[::2])
    assert [sum(int(row[str(number)]) for number in range(9)) for row in rows] == [10, 71, 2]


def test_a_file_that_is_named_twice_is_measured_twice(run, tmp_path):
    (tmp_path / "a.gameid").write_bytes(b"3x1:u4\n")
    found = objects(run("metrics", "a.gameid", "a.gameid", "--format", "json", cwd=tmp_path))
    assert [(each["file"], each["board"]) for each in found] == [("a.gameid", 1)] * 2


def test_the_seed_decides(run, tmp_path):
    path = ROOT / "corpora/rules/measures.jsonl"
    board = "\n".join(json.loads(path.read_text("utf-8").splitlines()[0])["minefield"])
    first, again = (run("metrics", "-", "--runs", "4", "--seed", "9", "--format", "json", input=board.encode()) for _ in range(2))
    assert objects(first) == objects(again)
    assert objects(first)[0]["seed"] == 9


def test_a_replay(run, tmp_path):
    path = tmp_path / "a.rawvf"
    path.write_bytes(REPLAY)
    (found,) = objects(run("metrics", path, "--format", "json"))
    game = found["replay"]
    # an opening; a number that touches no zero; a flag; a click on an open cell; a mine
    assert (game["status"], game["time"], game["clicks"], game["effective_clicks"]) == ("lost", 4.0, 5, 4)
    assert (game["bbbv"], game["bbbv_solved"]) == (found["bbbv"], 2)
    assert (game["ioe"], game["correctness"], game["throughput"]) == (2 / 5, 4 / 5, 2 / 4)
    assert (game["bbbv_per_second"], game["rqp"]) == (2 / 4, 8.0)
    assert game["stnb"] == pytest.approx(47.299 * 2 / 4**1.7 * (2 / 14) ** 0.5, rel=1e-12)
    assert game["stnb_variant"] == "47.299/153.730/435.001"
    boards, games, variant = run("metrics", path).out.split("\n\n")
    assert table(boards)[0]["3BV"] == "14"
    (row,) = table(games)
    assert (row["result"], row["time"], row["solved"], row["RQP"]) == ("lost", "4.000", "2", "8.000")
    assert variant == "STNB with the constants 47.299/153.730/435.001\n"
    path.write_bytes(REPLAY.partition(b"Events:\n")[0] + b"Events:\n0 lc 5 5\n0 lr 5 5\n")
    assert table(run("metrics", path).out.split("\n\n")[1])[0]["3BV/s"] == "-"


@pytest.mark.parametrize(("name", "data", "said"), [
    ("a.txt", b"1##\n", "a.txt, board 1: expected a minefield, found a position that leaves open where the mines are"),
    ("a.txt", b"", "a.txt, line 1, column 1: expected rows of cells, found none"),
    ("a.mbf", b"\x05\x04\x00", "a.mbf: expected a header of 4 bytes, found 3"),
    ("a.jsonl", b"\n", "a.jsonl: expected a board, found none"),
    ("a.link", b"http://example.org\n", "a.link, line 1: expected a link"),
])  # fmt: skip
def test_what_can_not_be_measured(run, tmp_path, name, data, said):
    (tmp_path / name).write_bytes(data)
    done = run("metrics", name, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"minesolve: {said}")
    assert done.err.count("\n") == 1


def test_what_was_measured_before_an_error_is_printed(run, tmp_path):
    (tmp_path / "a.gameid").write_bytes(b"3x1:u4\n3x1:u4\n3x1:\n")
    for form in ("text", "json"):
        done = run("metrics", "a.gameid", "--format", form, cwd=tmp_path)
        assert (done.code, done.out.count("\n")) == (2, 3 if form == "text" else 2)
        assert done.err.startswith("minesolve: a.gameid, line 3, column 5: expected 1 hex digits")


@pytest.mark.parametrize("arguments", [
    (), ("none.txt",), (".",), ("-", "--runs", "0"), ("-", "--runs", "many"), ("-", "--seed", "-1"),
    ("-", "--seed", str(1 << 64)), ("-", "--from", "pgn"), ("-", "--from", "mbf", "--covered", "o"),
])  # fmt: skip
def test_wrong_usage(run, tmp_path, arguments):
    done = run("metrics", *arguments, input=FIELD, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "Error: " in done.err
    assert "Traceback" not in done.err


def test_help_says_what_the_measures_are(run):
    out = " ".join(run("metrics", "--help").out.split())
    assert "ZiNi values are upper bounds" in out
    assert "47.299/153.730/435.001" in out
    assert "0<=x" not in out


def test_a_closed_pipe_is_no_error(tmp_path):
    (tmp_path / "a.gameid").write_bytes(b"3x1:u4\n" * 5000)
    command = f'"{sys.executable}" -m minesolve metrics a.gameid --format json | head -n 1 | wc -l; echo "${{PIPESTATUS[0]}}"'
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True)
    assert (done.stdout.split(), done.stderr) == (["1", "0"], "")


def test_progress_on_a_terminal_and_an_interrupt(tmp_path):
    """The boards that were measured when it is interrupted are printed, and the line of the progress is gone."""
    (tmp_path / "a.gameid").write_bytes(b"3x1:u4\n" + b"60x60:" + b"842108" * 150 + b"\n")
    main, sub = pty.openpty()
    process = subprocess.Popen([sys.executable, "-m", "minesolve", "metrics", "a.gameid", "--runs", "100000"], cwd=tmp_path,
                               stdout=subprocess.PIPE, stderr=sub, env=environment())  # fmt: skip
    os.close(sub)
    written, deadline = b"", time.monotonic() + 100
    while b"board 2" not in written and time.monotonic() < deadline:
        written += os.read(main, 1000)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    written += os.read(main, 1000)
    os.close(main)
    assert process.returncode == 130
    assert out.count(b"\n") == 2
    assert written.endswith(b"\rminesolve: interrupted\r\n")
