"""``minesolve convert`` in a process of its own: every format into every other, and what must not happen to OUT."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time

import pytest
from conftest import environment, on_a_terminal

from minesolve.minefield import Minefield

# One minefield in every format, as the formats' own documents say; its game id is one of Simon Tatham's Mines.
ROWS = [".........", "*........", ".........", "......***", "**.......", ".........", ".*.......", "...*...*.", "....*...."]
BITS = "".join(ROWS).replace(".", "0").replace("*", "1") + "0000"  # 81 cells, padded to 85
LINK = "".join("0123456789abcdefghijklmnopqrstuv"[int(BITS[at : at + 5], 2)] for at in range(0, 85, 5))
OBJECT = {"width": 9, "height": 9, "mines": 10, "minefield": ROWS}


def lines(*rows):
    return ("\n".join(rows) + "\n").encode()


FILES = {
    "text": ("txt", lines("size: 9x9", "mines: 10", "", *ROWS)),
    "mine": ("mine", lines("9x9x10", *(row.replace(".", "H").replace("*", "?") for row in ROWS))),
    "mbf": ("mbf", bytes.fromhex("09 09 000a  0001 0603 0703 0803 0004 0104 0106 0307 0707 0408")),
    "gameid": ("gameid", b"9x9:mb071b49fbd1cb6a0d5868\n"),
    "link": ("link", f"https://pttacgfans.github.io/Minesweeper-ZiNi-Calculator/?b=1&m={LINK}\n".encode()),
    "rawvf": ("rawvf", lines("RawVF_Version: Rev6.2", "Level: Beginner", "Width: 9", "Height: 9", "Mines: 10", "Marks: Off",
                             "Board:", *(row.replace(".", "0") for row in ROWS), "Events:")),
    "jsonl": ("jsonl", json.dumps(OBJECT).encode() + b"\n"),
}  # fmt: skip
MANY = ("text", "gameid", "link", "jsonl")


def in_format(tmp_path, name, stem="in"):
    suffix, data = FILES[name]
    path = tmp_path / f"{stem}.{suffix}"
    path.write_bytes(data)
    return path


def names_in(path):
    return sorted(entry.name for entry in path.iterdir())


@pytest.mark.parametrize("to", FILES)
@pytest.mark.parametrize("name", FILES)
def test_every_format_into_every_other(run, tmp_path, name, to):
    source, target = in_format(tmp_path, name), tmp_path / f"out.{FILES[to][0]}"
    done = run("convert", source, target)
    assert (done.code, done.out, done.err) == (0, "", "")
    assert target.read_bytes() == FILES[to][1]


@pytest.mark.parametrize("name", [name for name in FILES if name != "mbf"])
@pytest.mark.parametrize("change", [
    lambda data: data.replace(b"\n", b"\r\n"), lambda data: b"\xef\xbb\xbf" + data, lambda data: data.rstrip(b"\n"),
], ids=["CRLF", "byte-order mark", "no last line end"])  # fmt: skip
def test_files_that_people_have(run, tmp_path, name, change):
    source = in_format(tmp_path, name)
    source.write_bytes(change(source.read_bytes()))
    done = run("convert", source, "-", "--to", "mbf")
    assert (done.code, done.err, done.stdout) == (0, "", FILES["mbf"][1])


@pytest.mark.parametrize("name", FILES)
def test_standard_input_and_output(run, name):
    done = run("convert", "-", "-", "--from", name, "--to", "jsonl", input=FILES[name][1])
    assert (done.code, json.loads(done.out), done.err) == (0, OBJECT, "")


def test_without_a_suffix_it_is_text(run, tmp_path):
    assert json.loads(run("convert", "-", "-", "--to", "jsonl", input=FILES["text"][1]).out) == OBJECT
    path = tmp_path / "board.dat"
    path.write_bytes(FILES["text"][1])
    done = run("convert", path, "-", "--to", "mbf")
    assert done.stdout == FILES["mbf"][1]
    assert "read as text, because its suffix means no format" in done.err
    path.write_bytes(FILES["mbf"][1])
    assert json.loads(run("convert", path, "-", "--from", "mbf", "--to", "jsonl").out) == OBJECT


def test_a_position_there_and_back(run, tmp_path):
    text = b"size: 5x4\nmines: 3\n\n.1F2#\n.1###\n11111\n#1...\n"
    (tmp_path / "a.txt").write_bytes(text)
    for source, target in (("a.txt", "b.mine"), ("b.mine", "c.jsonl"), ("c.jsonl", "d.txt")):
        assert run("convert", source, target, cwd=tmp_path).err == ""
    assert (tmp_path / "b.mine").read_bytes() == b"5x4x3\n01F2H\n01HHH\n11111\nH1000\n"
    assert (tmp_path / "d.txt").read_bytes() == text


def test_two_hundred_game_ids_through_all_formats_that_hold_many(run, tmp_path):
    boards = [Minefield.random(30, 16, 99, start=index * 2, seed=4, index=index) for index in range(200)]
    objects = [{"width": 30, "height": 16, "minefield": board.to_text().split()[-16:],
                "start": f"r{index * 2 // 30 + 1}c{index * 2 % 30 + 1}"} for index, board in enumerate(boards)]  # fmt: skip
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(each) + "\n" for each in objects))
    for source, target in (("a.jsonl", "b.gameid"), ("b.gameid", "c.txt"), ("c.txt", "d.jsonl"), ("d.jsonl", "e.gameid")):
        done = run("convert", source, target, cwd=tmp_path)
        assert (done.code, done.err) == (0, "")
    assert (tmp_path / "b.gameid").read_bytes() == (tmp_path / "e.gameid").read_bytes()
    found = [json.loads(line) for line in (tmp_path / "d.jsonl").read_text().splitlines()]
    assert [each["minefield"] for each in found] == [each["minefield"] for each in objects]
    assert [each["start"]["cell"] for each in found] == [each["start"] for each in objects]
    done = run("convert", "b.gameid", "f.link", cwd=tmp_path)
    assert (done.code, done.err.count("\n")) == (0, 1)
    assert "b.gameid, board 1 and 199 more: left out start, which link does not keep" in done.err


# What is left out is said, what can't be is refused


def test_how_it_was_read_is_said_even_if_it_fails(run):
    for to, code in (("jsonl", 0), ("mbf", 2)):
        done = run("convert", "-", "-", "--to", to, input=b"1.\n..\n")
        assert done.code == code
        assert done.err.startswith("minesolve: <stdin>: read . as covered, because no other cell is covered\n")
    assert done.err.endswith("minesolve: <stdin>: mbf holds minefields, and of this board only a position is known\n")


def test_glyphs(run):
    done = run("convert", "-", "-", "--to", "text", "--covered", "o", "--flag", "!", input=b"1o!\n")
    assert done.out == "size: 3x1\nmines: ?\n\n1#F\n"
    done = run("convert", "-", "-", "--from", "link", "--to", "text", "--covered", "o", input=FILES["link"][1])
    assert (done.code, done.out) == (2, "")
    assert "this is read as link" in done.err


@pytest.mark.parametrize("to", ["mine", "mbf", "rawvf"])
def test_several_boards_for_a_format_of_one(run, tmp_path, to):
    source = in_format(tmp_path, "gameid")
    source.write_bytes(b"3x1:u4\n" + FILES["gameid"][1])
    target = tmp_path / f"out.{FILES[to][0]}"
    done = run("convert", source, target)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "holds one board, and there are more (--board N converts one of them)" in done.err
    assert names_in(tmp_path) == ["in.gameid"]
    done = run("convert", source, target, "--board", "2")
    assert (done.code, done.err) == (0, f"minesolve: {source}: this is board 2 of 2\n")
    assert target.read_bytes() == FILES[to][1]
    assert run("convert", source, target, "--board", "3").code == 2
    assert target.read_bytes() == FILES[to][1]


def test_a_board_among_many_that_can_not_be_converted_is_named(run, tmp_path):
    (tmp_path / "a.txt").write_bytes(b"size: 2x1\n.*\nsize: 2x1\n1*\nsize: 3x1\n1##\n")
    done = run("convert", "a.txt", "b.gameid", cwd=tmp_path)
    assert done.code == 2
    assert done.err == "minesolve: a.txt, board 3: gameid holds minefields, and of this board only a position is known\n"


GARBAGE = {
    "nothing": b"", "bytes": bytes(range(256)), "zeros": bytes(1000), "words": b"this is no board\n",
    "JSON": b'{"width": 2, "height": 1}\n', "brackets": b"[" * 5000,
}  # fmt: skip


@pytest.mark.parametrize("data", GARBAGE.values(), ids=GARBAGE)
@pytest.mark.parametrize("name", FILES)
def test_garbage(run, tmp_path, name, data):
    source, target = tmp_path / f"in.{FILES[name][0]}", tmp_path / "out.jsonl"
    source.write_bytes(data)
    target.write_bytes(b"precious")
    done = run("convert", source, target)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"minesolve: {source}")
    assert (done.err.count("\n"), "Traceback" in done.err) == (1, False)
    assert target.read_bytes() == b"precious"
    assert names_in(tmp_path) == sorted([source.name, target.name])


@pytest.mark.parametrize("name", FILES)
def test_truncated_files(run, tmp_path, name):
    source = in_format(tmp_path, name)
    source.write_bytes(source.read_bytes()[:-8])
    done = run("convert", source, tmp_path / "out.jsonl")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert names_in(tmp_path) == [source.name]


@pytest.mark.parametrize("arguments", [
    ("in.txt",), ("in.txt", "-"), ("in.txt", "out.png"), ("in.txt", "out"), ("in.txt", "out.txt", "more.txt"),
    ("none.txt", "out.mbf"), (".", "out.mbf"), ("in.txt", "."), ("in.txt", "out.mbf", "--to", "png"),
    ("in.txt", "out.mbf", "--from", "png"), ("in.txt", "out.mbf", "--board", "0"),
    ("in.txt", "out.mbf", "--covered", "o", "--zero", "o"),
])  # fmt: skip
def test_wrong_usage(run, tmp_path, arguments):
    in_format(tmp_path, "text")
    done = run("convert", *arguments, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "Error: " in done.err
    assert "Traceback" not in done.err
    assert names_in(tmp_path) == ["in.txt"]


def test_help_lists_the_formats(run):
    out = run("convert", "--help").out
    for name, (suffix, _) in FILES.items():
        line = next(line for line in out.splitlines() if line.startswith(f"    {name} "))
        assert f".{suffix}" in line
        assert ("many" in line) == (name in MANY)
    assert "OUT that exists is replaced, but only once all boards are converted" in " ".join(out.split())


# What happens to OUT


def test_a_file_can_be_converted_in_place(run, tmp_path):
    path = in_format(tmp_path, "text")
    path.write_bytes(b"..*\n...\n")
    assert run("convert", path, path).code == 0
    assert path.read_bytes() == b"size: 3x2\nmines: 1\n\n..*\n...\n"


def test_mode_and_links_of_out_stay(run, tmp_path):
    source, real, link = in_format(tmp_path, "text"), tmp_path / "real.mbf", tmp_path / "link.mbf"
    real.write_bytes(b"old")
    real.chmod(0o640)
    link.symlink_to(real)
    assert run("convert", source, link).code == 0
    assert link.is_symlink()
    assert real.read_bytes() == FILES["mbf"][1]
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert run("convert", source, tmp_path / "new.mbf").code == 0
    plain = tmp_path / "plain"
    plain.touch()
    assert (tmp_path / "new.mbf").stat().st_mode == plain.stat().st_mode


def test_a_device_is_written_to(run, tmp_path):
    source = in_format(tmp_path, "text")
    assert run("convert", source, os.devnull, "--to", "mbf").code == 0
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is always full")
def test_a_full_disk(run, tmp_path):
    done = run("convert", in_format(tmp_path, "text"), "/dev/full", "--to", "mbf")
    assert (done.code, done.err) == (2, "minesolve: No space left on device\n")


def test_a_directory_that_is_missing(run, tmp_path):
    done = run("convert", in_format(tmp_path, "text"), tmp_path / "none" / "out.mbf")
    assert (done.code, done.err) == (2, f"minesolve: {tmp_path}/none/out.mbf: No such file or directory\n")


def test_what_may_not_be_written(run, tmp_path):
    source = in_format(tmp_path, "text")
    locked = tmp_path / "locked"
    locked.mkdir()
    (locked / "old.mbf").write_bytes(b"old")
    locked.chmod(0o555)
    if os.access(locked, os.W_OK):
        pytest.skip("whoever runs this may write everywhere")
    (tmp_path / "kept.mbf").write_bytes(b"kept")
    (tmp_path / "kept.mbf").chmod(0o444)
    for target in (locked / "new.mbf", locked / "old.mbf", tmp_path / "kept.mbf"):
        done = run("convert", source, target)
        assert (done.code, done.err) == (2, f"minesolve: {target}: Permission denied\n")
    assert names_in(locked) == ["old.mbf"]
    assert (locked / "old.mbf").read_bytes() == b"old"
    assert (tmp_path / "kept.mbf").read_bytes() == b"kept"
    locked.chmod(0o755)


def test_an_interrupt_leaves_out_as_it_was(tmp_path):
    target = tmp_path / "out.gameid"
    target.write_bytes(b"precious")
    process = subprocess.Popen([sys.executable, "-m", "minesolve", "convert", "-", target, "--from", "jsonl"], env=environment(),
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    process.stdin.write(FILES["jsonl"][1] * 1000)
    process.stdin.flush()
    deadline = time.monotonic() + 60
    while len(names_in(tmp_path)) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    assert len(names_in(tmp_path)) == 2  # it has begun to write, beside OUT
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"minesolve: interrupted\n")
    assert names_in(tmp_path) == ["out.gameid"]
    assert target.read_bytes() == b"precious"


def test_a_closed_pipe_is_no_error(tmp_path):
    source = tmp_path / "many.jsonl"
    source.write_bytes(FILES["jsonl"][1] * 3000)
    command = f'"{sys.executable}" -m minesolve convert "{source}" - --to text | head -n 1; echo "${{PIPESTATUS[0]}}"'
    done = subprocess.run(["bash", "-c", command], env=environment(), capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("size: 9x9\n0\n", "")


def test_progress_on_a_terminal_only(run, tmp_path):
    source, target = in_format(tmp_path, "jsonl"), tmp_path / "out.mbf"
    assert on_a_terminal("convert", str(source), str(target)).startswith("\rboard 1 ")
    assert "board 1" not in on_a_terminal("convert", str(source), "-", "--to", "text")
    assert run("convert", source, target).err == ""
