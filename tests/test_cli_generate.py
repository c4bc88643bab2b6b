"""`minesolve generate` and `minesolve verify`: files, being stopped, going on, exit codes."""

from __future__ import annotations

import io
import json
import os
import pty
import signal
import subprocess
import sys
import time

import pytest
from conftest import Run, environment

from minesolve import cli
from minesolve.cli import generate as command
from minesolve.errors import GenerationFailed
from minesolve.formats import FORMATS, jsonl, read_boards
from minesolve.generator import generate
from minesolve.journal import GrowingFile, Mark
from minesolve.minefield import Minefield
from minesolve.proof import verify


@pytest.fixture
def run(capsysbinary, monkeypatch):
    """Run a command in this process, which saves the time to start one; signals and terminals get real ones below."""

    def call(*arguments, input=b"", cwd=None):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(input)))
        if cwd is not None:
            monkeypatch.chdir(cwd)
        code = cli._run([os.fspath(argument) for argument in arguments])
        return Run(code, *capsysbinary.readouterr())

    return call


def boards_in(path):
    with open(path, "rb") as file:
        return list(jsonl.read(file, str(path)))


def start_process(*arguments, cwd):
    return subprocess.Popen([sys.executable, "-m", "minesolve", *map(str, arguments)], cwd=cwd, env=environment(),
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip


def wait_for(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.01)


# What is written


def test_each_line_says_what_the_board_is_and_needs(run, tmp_path):
    out = tmp_path / "boards.jsonl"
    done = run("generate", "expert", "-n", "12", "--seed", "3", "--out", out)
    assert (done.code, done.out) == (0, "")
    assert "12 boards from" in done.err
    assert "95 % interval" in done.err
    boards, expected = boards_in(out), list(generate("expert", count=12, seed=3))
    for board, b in zip(boards, expected, strict=True):
        assert (board.minefield, board.start) == (b.minefield, b.start)
        assert board.metadata == {"seed": 3, "index": b.index, "first_click": "opening", "layer": b.layer, "steps": b.steps,
                                  "widest": b.widest, "bbbv": b.bbbv, "grade": b.grade}  # fmt: skip
    journal = [json.loads(line) for line in (tmp_path / "boards.jsonl.journal").read_text().splitlines()]
    assert journal[0]["parameters"]["seed"] == 3
    assert journal[-1]["items"] == 12
    assert journal[-1]["rate"] == 12 / journal[-1]["next"] == 12 / (expected[-1].index + 1)
    assert journal[-1]["interval"][0] < journal[-1]["rate"] < journal[-1]["interval"][1]


def test_without_a_file_boards_go_to_standard_output(run):
    done = run("generate", "beginner", "-n", "3", "--seed", "5")
    assert done.code == 0
    assert done.out.startswith("; seed 5, index ")
    shown = [board.minefield for board in read_boards(io.BytesIO(done.stdout), "text")]
    assert shown == [b.minefield for b in generate("beginner", count=3, seed=5)]
    lines = run("generate", "beginner", "-n", "3", "--seed", "5", "--format", "json").out.splitlines()
    assert [json.loads(line)["seed"] for line in lines] == [5, 5, 5]
    assert [jsonl.from_json(line).minefield for line in lines] == shown


@pytest.mark.parametrize("name", ["text", "gameid", "link", "jsonl", "mbf", "rawvf", "mine"])
def test_every_format_can_be_written_and_read(run, tmp_path, name):
    form = FORMATS[name]
    count = "2" if form.many else "1"
    out = tmp_path / f"board{form.suffixes[0]}"
    done = run("generate", "intermediate", "-n", count, "--out", out)
    assert done.code == 0, done.err
    with open(out, "rb") as file:
        fields = [board.minefield for board in read_boards(file, name)]
    assert fields == [b.minefield for b in generate("intermediate", count=int(count))]
    if name in ("gameid", "link", "mbf"):
        assert f"{name} does not keep" in done.err
    if not form.many:
        assert run("generate", "intermediate", "-n", "2", "--out", out).code == 2


def test_options_reach_the_generator(run):
    done = run("generate", "--width", "8", "--height", "7", "--mines", "9", "-n", "4", "--seed", "2", "--start", "r2c8",
               "--first-click", "safe", "--max-layer", "pair", "--min-3bv", "10", "--max-3bv", "25", "--format", "json",
               "--judge", "solve")  # fmt: skip
    expected = generate(width=8, height=7, mines=9, count=4, seed=2, start="r2c8", first_click="safe", max_layer="pair",
                        min_3bv=10, max_3bv=25)  # fmt: skip
    assert [jsonl.from_json(line).minefield for line in done.out.splitlines()] == [b.minefield for b in expected]
    only = run("generate", "expert", "--exactly", "component", "--format", "json").out
    assert json.loads(only)["layer"] == "component"


def test_workers_change_nothing(run, tmp_path):
    outs = []
    for workers in ("1", "2", "5"):
        out = tmp_path / f"{workers}.jsonl"
        assert run("generate", "expert", "-n", "300", "--seed", "1", "--workers", workers, "--out", out).code == 0
        outs.append(out.read_bytes())
    assert outs[0] == outs[1] == outs[2]


# Being stopped, and going on


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The arguments of a long run, and what it ends with when nothing stops it."""
    out = tmp_path_factory.mktemp("whole") / "boards.jsonl"
    arguments = ("generate", "expert", "-n", "9000", "--seed", "11", "--out")
    done = subprocess.run([sys.executable, "-m", "minesolve", *arguments, str(out)], env=environment(), check=True,
                          capture_output=True)  # fmt: skip
    assert b"9000 boards from" in done.stderr
    return arguments, out.read_bytes()


def stop(process, how, out):
    """Stop a process with a signal as soon as some boards are on disk."""
    wait_for(lambda: out.exists() and out.stat().st_size > 0)
    process.send_signal(how)
    return process.communicate(timeout=60)[1].decode(), process.returncode


def test_a_killed_run_goes_on_to_the_same_bytes(tmp_path, whole):
    arguments, expected = whole
    out, sizes = tmp_path / "boards.jsonl", [0]
    for _ in range(3):
        process = start_process(*arguments, out, cwd=tmp_path)
        wait_for(lambda p=process: p.poll() is not None or (out.exists() and out.stat().st_size > sizes[-1]))
        process.kill()
        process.communicate()
        sizes.append(out.stat().st_size)
        with open(out, "ab") as file:
            file.write(b'{"width": 30, "hei')  # what a crash may leave
    assert 0 < sizes[1] < len(expected)
    last = start_process(*arguments, out, cwd=tmp_path)
    assert b"going on" in last.communicate()[1] or out.stat().st_size == len(expected)
    assert out.read_bytes() == expected


def test_an_interrupt_keeps_the_finished_boards(tmp_path, whole):
    arguments, expected = whole
    out = tmp_path / "boards.jsonl"
    said, code = stop(start_process(*arguments, out, cwd=tmp_path), signal.SIGINT, out)
    assert code == 130, said
    assert "interrupted" in said
    assert "Traceback" not in said
    kept = out.read_bytes()
    assert kept.endswith(b"}\n")
    assert expected.startswith(kept)
    assert 0 < len(kept) < len(expected)
    done = start_process(*arguments, out, "--workers", "2", cwd=tmp_path)
    said = done.communicate()[1].decode()
    assert done.returncode == 0
    assert f"{kept.count(b'}' + chr(10).encode())} boards; going on" in said
    assert out.read_bytes() == expected


def test_a_torn_last_line_is_made_again(run, tmp_path):
    out = tmp_path / "boards.jsonl"
    arguments = ("generate", "beginner", "-n", "40", "--out", out)
    assert run(*arguments).code == 0
    expected = out.read_bytes()
    out.write_bytes(expected[:-25])
    assert run(*arguments).code == 0
    assert out.read_bytes() == expected
    journal = out.with_name(out.name + ".journal")
    journal.write_bytes(journal.read_bytes()[:-4])
    assert run(*arguments).code == 0
    assert out.read_bytes() == expected
    assert "is complete" in run(*arguments).err


def test_a_file_made_otherwise_is_refused(run, tmp_path):
    out = tmp_path / "boards.jsonl"
    assert run("generate", "beginner", "-n", "5", "--seed", "1", "--out", out).code == 0
    before = out.read_bytes()
    done = run("generate", "beginner", "-n", "5", "--seed", "2", "--max-layer", "pair", "--out", out)
    assert done.code == 2
    assert 'max_layer "total", not "pair"; seed 1, not 2' in done.err
    assert "--overwrite" in done.err
    assert out.read_bytes() == before
    assert run("generate", "beginner", "-n", "5", "--seed", "2", "--out", out, "--overwrite").code == 0
    assert [b.metadata["seed"] for b in boards_in(out)] == [2] * 5
    foreign = tmp_path / "mine.jsonl"
    foreign.write_text("precious\n")
    done = run("generate", "beginner", "--out", foreign)
    assert (done.code, foreign.read_text()) == (2, "precious\n")
    assert "no mine.jsonl.journal says how it was made" in done.err


def test_an_interrupt_on_the_way_from_the_generator_to_the_file_loses_no_board(tmp_path):
    expected = [b.index for b in generate("beginner", count=30, seed=1)]

    class Interrupting:
        """Boards whose iteration is interrupted after `n` boards were counted and `given` of them given out."""

        def __init__(self, boards, given):
            self.boards, self.given, self.request = boards, given, boards.request

        attempts = property(lambda self: self.boards.attempts)
        found = property(lambda self: self.boards.found)

        def __iter__(self):
            for number, board in enumerate(self.boards, 1):
                if number > self.given:
                    raise KeyboardInterrupt
                yield board

    for given in (0, 1, 7):
        path = tmp_path / f"{given}.jsonl"
        source = Interrupting(generate("beginner", count=30, seed=1), given)
        with GrowingFile(path, {}) as file, pytest.raises(KeyboardInterrupt):
            command._fill(file, lambda first, found, source=source: source, 30, "jsonl")
        assert [b.metadata["index"] for b in boards_in(path)] == expected[:given]
        with GrowingFile(path, {}) as file:
            assert file.mark.next <= expected[given]
            left = 30 - file.mark.items
            command._fill(file, lambda first, _, n=left: generate("beginner", count=n, seed=1, first=first), 30, "jsonl")
        assert [b.metadata["index"] for b in boards_in(path)] == expected


# The journal


def test_a_growing_file_forgets_what_its_journal_does_not_say(tmp_path):
    path = tmp_path / "parts"
    with GrowingFile(path, {"a": 1}) as file:
        file.append(b"one\n", 1, 10)
        file.append(b"two\n", 1, 20)
    with open(path, "ab") as torn:
        torn.write(b"thr")
    with GrowingFile(path, {"a": 1}, {"when": "later"}) as file:
        assert file.mark == Mark(2, 8, 20)
        assert path.read_bytes() == b"one\ntwo\n"
    path.write_bytes(b"one\ntw")
    with GrowingFile(path, {"a": 1}) as file:
        assert file.mark == Mark(1, 4, 10)
        file.append(b"2\n", 1, 30)
    assert path.read_bytes() == b"one\n2\n"
    with pytest.raises(ValueError, match="made with a 1, not 2; b null, not 3"):
        GrowingFile(path, {"a": 2, "b": 3})
    path.with_name("parts.journal").write_text("[]\n")
    with pytest.raises(ValueError, match="does not say how it was made"):
        GrowingFile(path, {"a": 1})


# Failing


def test_what_cannot_succeed_is_refused_at_once(run, tmp_path):
    out = tmp_path / "none.jsonl"
    done = run("generate", "--width", "3", "--height", "3", "--mines", "1", "--out", out)
    assert (done.code, done.out, out.exists()) == (1, "", False)
    assert "1 mine is too many: 3x3 with this start has room for 0" in done.err


def test_what_is_too_rare_ends_at_a_limit(run, tmp_path):
    request = ("generate", "--width", "12", "--height", "12", "--mines", "70")
    done = run(*request, "--max-attempts", "5000")
    assert (done.code, done.out) == (1, "")
    assert "found 0 of 1 boards in 5000 attempts: at most 0.00077 of all boards" in done.err
    assert run(*request, "--time-limit", "0.5").code == 1
    out = tmp_path / "some.jsonl"
    limited = ("generate", "expert", "-n", "1000", "--max-attempts", "200", "--out", out)
    done = run(*limited)
    assert done.code == 1
    kept = len(boards_in(out))
    assert f"found {kept} of 1000 boards in 200 attempts" in done.err
    assert f"found {kept} of 1000 boards in 200 attempts" in run(*limited).err
    assert len(boards_in(out)) == kept
    longer = ("generate", "expert", "-n", "1000", "--max-attempts", "400", "--out", out)
    assert "in 400 attempts" in run(*longer).err
    again = list(generate("expert", count=len(boards_in(out))))
    assert [b.metadata["index"] for b in boards_in(out)] == [b.index for b in again]


@pytest.mark.parametrize("arguments", [
    ("easy",), (), ("expert", "--mines", "9"), ("--width", "9", "--height", "9"), ("expert", "--start", "r99c1"),
    ("expert", "--seed", "-1"), ("expert", "-n", "0"), ("expert", "--max-layer", "chance"), ("expert", "--workers", "0"),
    ("expert", "--out", "boards.xyz"), ("expert", "--time-limit", "0"),
])  # fmt: skip
def test_wrong_usage(run, tmp_path, arguments):
    done = run("generate", *arguments, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "Traceback" not in done.err
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_is_not_there(run, tmp_path):
    done = run("generate", "beginner", "--out", tmp_path / "no" / "boards.jsonl")
    assert done.code == 2
    assert "No such file" in done.err


def test_the_bar_is_for_terminals(tmp_path):
    main, side = pty.openpty()
    process = subprocess.Popen([sys.executable, "-m", "minesolve", "generate", "beginner", "-n", "5", "--out", "b.jsonl"],
                               cwd=tmp_path, env=environment({"TERM": "xterm"}), stderr=side)  # fmt: skip
    assert process.wait(timeout=60) == 0
    os.close(side)
    shown = os.read(main, 10000).decode()
    os.close(main)
    assert "5/5" in shown


# verify


def test_boards_are_proven_again(run, tmp_path):
    out = tmp_path / "boards.jsonl"
    run("generate", "intermediate", "-n", "8", "--seed", "4", "--out", out)
    done = run("verify", out)
    assert (done.code, done.err) == (0, "")
    assert "8 boards, all proven to need no guess" in done.out
    found = [json.loads(line) for line in run("verify", out, "--format", "json").out.splitlines()]
    for number, (result, b) in enumerate(zip(found, generate("intermediate", count=8, seed=4), strict=True), 1):
        assert (result["board"], result["ok"], result["stuck"]) == (number, True, None)
        expected = (b.layer, b.steps, b.widest, b.grade, b.seed, b.index)
        assert tuple(result[key] for key in ("layer", "steps", "widest", "grade", "seed", "index")) == expected
        assert result["opened"] == [{"cell": "r9c9", "x": 8, "y": 8}]
    assert "grade" in run("verify", "-", "--from", "jsonl", input=out.read_bytes().splitlines(keepends=True)[0]).out


def test_a_board_that_needs_a_guess_is_named(run, tmp_path):
    out = tmp_path / "boards.jsonl"
    run("generate", "beginner", "-n", "9", "--out", out)
    lines = out.read_bytes().splitlines(keepends=True)
    bad = jsonl.write(jsonl.Board(minefield=Minefield.from_text("..*\n..."), start=0, metadata={"seed": 7, "index": 1}))
    mined = jsonl.write(jsonl.Board(minefield=Minefield.from_text("..*\n..."), start=2))
    out.write_bytes(b"".join([*lines[:4], bad, *lines[4:], mined]))
    done = run("verify", out)
    assert done.code == 1
    assert "board 5 (seed 7, index 1): it needs a guess: after 0 steps nothing more is certain" in done.out
    assert "mines: 1\n\n.1#\n.1#\n" in done.out
    assert "board 11: its start is a mine" in done.out
    assert "11 boards, 2 of them not proven" in done.out
    found = [json.loads(line) for line in run("verify", out, "--format", "json").out.splitlines()]
    assert [result["board"] for result in found if not result["ok"]] == [5, 11]
    assert found[4]["stuck"].endswith("\n.1#\n.1#\n")
    assert "needs a guess" in found[4]["reason"]


def test_certificates_are_written_and_checked(run, tmp_path):
    out, proofs = tmp_path / "boards.jsonl", tmp_path / "proofs.jsonl"
    run("generate", "expert", "-n", "4", "--seed", "6", "--out", out)
    assert run("verify", out, "--certificate", proofs).code == 0
    assert [b.metadata["certificate"] for b in boards_in(proofs)] == [
        verify(b.minefield, b.start).certificate for b in generate("expert", count=4, seed=6)
    ]
    done = run("verify", out, "--check-certificate", proofs)
    assert (done.code, done.out.count("its certificate is right")) == (0, 4)
    assert run("verify", proofs, "--check-certificate", proofs).code == 0
    lines = proofs.read_text().splitlines()
    changed = json.loads(lines[1])
    changed["certificate"][3]["premises"] = []
    changed["certificate"][3]["uses_total"] = False
    proofs.write_text("\n".join([lines[0], json.dumps(changed), lines[3], lines[2]]) + "\n")
    done = run("verify", out, "--check-certificate", proofs)
    assert done.code == 1
    assert "board 2 (seed 6, index " in done.out
    assert "step 3 of its certificate is wrong" in done.out
    assert done.out.count("is of another board") == 2
    proofs.write_text(lines[0] + "\n")
    assert "has no proof of it" in run("verify", out, "--check-certificate", proofs).out
    proofs.write_text("\n".join([*lines, lines[0]]) + "\n")
    assert run("verify", out, "--check-certificate", proofs).code == 2
    proofs.write_text(out.read_text())
    assert run("verify", out, "--check-certificate", proofs).code == 1


def test_texts_of_minefields_need_a_start(run, tmp_path):
    board = tmp_path / "board.txt"
    board.write_text("size: 3x2\nmines: 1\n\n*..\n...\n")
    assert run("verify", board).code == 2
    assert "give --start" in run("verify", board).err
    assert run("verify", board, "--start", "r2c3").code == 1
    board.write_text("size: 3x3\nmines: 1\n\n*..\n...\n...\n")
    assert run("verify", board, "--start", "r3c3").code == 0
    assert run("verify", board, "--start", "r4c3").code == 2
    assert run("verify", "-", "--start", "centre", input=board.read_bytes()).code == 1


def test_public_cases(run, root):
    done = run("verify", root / "corpora/noguess/public.jsonl", "--format", "json")
    assert done.code == 1
    found = [json.loads(line) for line in done.out.splitlines()]
    assert [result["board"] for result in found if not result["ok"]] == [1, 6, 9, 10, 13, 14]


@pytest.mark.parametrize(("name", "content"), [
    ("a.jsonl", b'{"width": 2}\n'), ("a.jsonl", b""), ("a.xyz", b"1#"), ("a.txt", b"1#\n##\n"), ("a.jsonl", b"\xff\n"),
])  # fmt: skip
def test_unreadable_files(run, tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    done = run("verify", path, "--start", "corner")
    assert (done.code, done.out) == (2, "")
    assert done.err
    assert "Traceback" not in done.err


def test_verify_does_without_the_engine(run, tmp_path):
    out = tmp_path / "boards.jsonl"
    run("generate", "beginner", "--out", out)
    process = subprocess.run([sys.executable, "-X", "importtime", "-m", "minesolve", "verify", str(out)], env=environment(),
                             capture_output=True, text=True, check=True)  # fmt: skip
    assert "minesolve.proof" in process.stderr
    assert "numba" not in process.stderr
    assert "minesolve.engine" not in process.stderr


def test_failures_of_the_generator_are_one_message(run):
    with pytest.raises(GenerationFailed) as failed:
        generate(width=3, height=3, mines=1)
    assert run("generate", "--width", "3", "--height", "3", "--mines", "1").err == f"minesolve: {failed.value}\n"
