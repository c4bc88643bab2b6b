"""Measuring: known figures, the same figures whatever the way, runs that are killed, clusters that lose a worker."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import time

import pytest
from conftest import ROOT, environment

import minesolve
from minesolve import runs
from minesolve.errors import GenerationFailed
from minesolve.measurement import board_request, plan
from minesolve.policy import POLICIES, policy_named, safest
from minesolve.statistics import wilson
from minesolve.tally import Tally

SLOW_POLICY = "minesolve.policy:safest"  # by hand: a hundred expert boards a second


def needs(module):
    return pytest.mark.skipif(importlib.util.find_spec(module) is None, reason=f"{module} is not installed")


# --- figures ---


@pytest.mark.parametrize(
    ("start", "click", "low", "high"), [("corner", "safe", 0.380, 0.396), ("r4c4", "opening", 0.505, 0.528)]
)
def test_safest_on_expert(start, click, low, high):
    """Win shares of an independent trial of this policy; the bounds leave 20,000 boards three standard errors."""
    found = minesolve.measure("expert", boards=20_000, seed=1, start=start, first_click=click)
    assert low - 0.0105 <= float(found.win_share) <= high + 0.0105
    assert found.win_share.interval[0] < high
    assert found.win_share.interval[1] > low


@pytest.mark.slow
@pytest.mark.parametrize(
    ("start", "click", "low", "high"), [("corner", "safe", 0.380, 0.396), ("r4c4", "opening", 0.505, 0.528)]
)
def test_safest_on_expert_with_many_boards(start, click, low, high):
    found = minesolve.measure("expert", boards=1_000_000, start=start, first_click=click, workers=2)
    assert low <= float(found.win_share) <= high


def test_a_measurement_adds_up():
    found = minesolve.measure("beginner", boards=3000, first_click="any", start="random", seed=3)
    tally = found.tally
    assert sum(tally.guesses) == sum(tally.layers) == found.boards == 3000
    assert sum(float(share) for share in found.layers.values()) == pytest.approx(1)
    assert float(found.no_guess_share) == pytest.approx(1 - float(found.layers["chance"]))
    assert found.win_share.interval == wilson(tally.won, 3000)
    assert float(found.no_guess_share) <= float(found.win_share)
    assert tally.lost_at_once == pytest.approx(3000 * 10 / 81, rel=0.2)
    assert tally.won + tally.lost_on_fifty + tally.lost_at_once <= 3000
    low, high = found.guesses_per_game.interval
    assert low < tally.made / 3000 < high
    assert found.guesses_survived.interval[0] < found.guesses_expected < found.guesses_survived.interval[1]


def test_no_guess_boards_are_those_the_judge_lets_through():
    from minesolve import engine

    found = minesolve.measure("intermediate", boards=4000, seed=8, start="r3c3")
    verdicts = engine.judge_boards(16, 16, 40, start=34, count=4000, seed=8)
    assert found.tally.no_guess == (verdicts.layers >= 0).sum()
    without = engine.judge_boards(16, 16, 40, start=34, count=4000, seed=8, max_layer=3)
    assert float(found.no_guess_without_total_share) == (without.layers >= 0).mean()


@pytest.mark.parametrize("policy", [safest, SLOW_POLICY])
def test_a_function_plays_the_same_boards(policy):
    ours = minesolve.measure("expert", boards=60, seed=2, policy=policy)
    theirs = minesolve.measure("expert", boards=60, seed=2)
    counts = [field for field in Tally.__slots__ if "surv" not in field and field != "expected"]
    assert [getattr(ours.tally, name) for name in counts] == [getattr(theirs.tally, name) for name in counts]
    assert ours.policy == SLOW_POLICY


def test_policies_have_names():
    assert set(POLICIES) == {"safest", "random-safest", "lookahead", "strong", "strong:2"}
    assert policy_named("strong:1") is policy_named("strong") is POLICIES["strong"]
    with pytest.raises(ValueError, match="strong:2, or module:function"):
        policy_named("best")
    for name in ("strong:0", "strong:3", "strong:", "safest:2", "lookahead:1", "strong:-1"):
        with pytest.raises(ValueError, match=r"an effort goes with strong alone, as strong:1 to strong:2"):
            policy_named(name)
    with pytest.raises(ValueError, match=r"there is no policy minesolve\.policy:nothing"):
        policy_named("minesolve.policy:nothing")


def test_every_compiled_policy_plays_by_its_name():
    for name, policy in POLICIES.items():
        assert policy.compiled
        assert minesolve.measure("beginner", boards=20, policy=name).policy == name
    assert minesolve.measure("beginner", boards=20, policy="strong:1").policy == "strong"


# --- comparing ---


def test_comparing_is_paired():
    found = minesolve.compare("expert", "safest", "random-safest", boards=3000, start="corner", first_click="safe")
    both, first, second, none = found.pairs
    assert both + first + second + none == found.boards == 3000
    assert both + first == found.first.tally.won
    assert both + second == found.second.tally.won
    alone = minesolve.measure("expert", boards=3000, start="corner", first_click="safe", policy="random-safest")
    assert found.second.tally == alone.tally
    assert float(found.difference) == pytest.approx(float(found.first.win_share) - float(found.second.win_share))
    assert found.settled == (found.difference.interval[0] > 0 or found.difference.interval[1] < 0)


def test_a_policy_does_not_differ_from_itself():
    found = minesolve.compare("beginner", "safest", "safest", boards=500)
    low, high = found.difference.interval
    assert low < float(found.difference) == 0 < high
    assert (found.settled, found.boards_to_settle, found.chance) == (False, None, 1.0)


# --- the same figures whatever the way ---


@pytest.mark.parametrize("workers", [2, 5])
def test_workers_do_not_matter(workers, tmp_path):
    options = {"boards": 2000, "seed": 4, "start": "corner", "first_click": "safe"}
    expected = minesolve.measure("expert", **options)
    found = minesolve.measure("expert", **options, workers=workers, out=tmp_path / "run.jsonl")
    assert found == expected
    assert found.to_json() == expected.to_json()


@pytest.mark.parametrize("workers", [1, 3])
def test_a_run_until_the_interval_is_narrow_ends_at_the_same_board(workers):
    found = minesolve.measure("beginner", until_ci=0.04, boards=64 * 100, workers=workers)
    assert max(found.no_guess_share.width, found.win_share.width) <= 0.04
    less = minesolve.measure("beginner", boards=found.boards - 100)
    assert max(less.no_guess_share.width, less.win_share.width) > 0.04


def test_a_run_goes_on_with_what_is_on_file(tmp_path, monkeypatch):
    out, options = tmp_path / "run.jsonl", {"boards": 1000, "seed": 6}
    expected = minesolve.measure("expert", **options, out=out)
    whole = out.read_bytes()
    lines = whole.splitlines(keepends=True)
    head = json.loads(lines[0])
    assert head.keys() >= {"parameters", "command", "machine", "began"}
    assert len(lines) == 11
    played = []
    original = runs.play_boards
    monkeypatch.setattr(runs, "play_boards", lambda *a: played.append(a[2]) or original(*a))
    for kept, missing in ((whole, 0), (whole[:-7], 1), (whole[: len(lines[0]) + 30], 10), (lines[0][:20], 10)):
        out.write_bytes(kept)
        played.clear()
        assert minesolve.measure("expert", **options, out=out) == expected
        assert len(played) == missing
        assert len(out.read_bytes().splitlines()) == 11


@pytest.mark.parametrize(
    ("changes", "differs"),
    [({"seed": 7}, r'requests .*"seed": 6.*not .*"seed": 7'), ({"boards": 1001}, "boards 1000, not 1001"),
     ({"policy": "random-safest"}, "policies"), ({"start": "corner"}, "requests")],
)  # fmt: skip
def test_another_run_is_refused(changes, differs, tmp_path):
    out, options = tmp_path / "run.jsonl", {"boards": 1000, "seed": 6}
    minesolve.measure("beginner", **options, out=out)
    before = out.read_bytes()
    with pytest.raises(ValueError, match=differs):
        minesolve.measure("beginner", **(options | changes), out=out)
    assert out.read_bytes() == before
    minesolve.measure("beginner", **(options | changes), out=out, overwrite=True)
    assert out.read_bytes() != before


def test_a_file_that_is_no_run_is_refused(tmp_path):
    out = tmp_path / "notes.txt"
    out.write_text("my notes\nmore\n")
    with pytest.raises(ValueError, match="does not say how it was made"):
        minesolve.measure("beginner", boards=100, out=out)
    assert out.read_text() == "my notes\nmore\n"


def test_arguments_without_meaning_are_refused():
    for options in ({"boards": 0}, {"until_ci": 1.5}, {"workers": 0}, {"policy": "best"}, {"start": "r99c1"}):
        with pytest.raises(ValueError):  # noqa: PT011 - each has words of its own
            minesolve.measure("beginner", **options)
    with pytest.raises(GenerationFailed, match="too many"):
        minesolve.measure(width=4, height=4, mines=16, boards=10)


def test_chunks_depend_on_the_plan_alone():
    expert = board_request("expert")
    assert plan([expert], ["safest"], 1_000_000, None).chunk == 10_000
    assert plan([expert], [SLOW_POLICY], 1_000_000, None).chunk == 20
    assert plan([expert], ["strong"], 1_000_000, None).chunk == 100
    assert plan([expert], ["safest", "strong:2"], 1_000_000, None).chunk == 20
    assert plan([expert], ["safest"], 5, None).chunk == 100
    large = board_request(None, width=200, height=200, mines=8000)
    assert plan([large], ["safest"], 1_000_000, None).chunk == 125


# --- files for analysis ---


@needs("pyarrow")
def test_games_are_rows(tmp_path):
    import pyarrow.parquet

    path = tmp_path / "games.parquet"
    found = minesolve.compare("expert", "safest", "random-safest", boards=300, seed=5, start="random", games=path,
                              workers=2)  # fmt: skip
    rows = pyarrow.parquet.read_table(path).to_pylist()
    assert len(rows) == 600
    for policy, measurement in (("safest", found.first), ("random-safest", found.second)):
        own = [row for row in rows if row["policy"] == policy]
        assert [row["index"] for row in own] == list(range(300))
        assert sum(row["won"] for row in own) == measurement.tally.won
        assert sum(row["fifty"] for row in own) == measurement.tally.lost_on_fifty
        assert sum(row["guesses"] for row in own) == measurement.tally.made
        assert sum(row["layer"] == "chance" for row in own) == 300 - measurement.tally.no_guess
    row = rows[7]
    field = minesolve.Minefield.random(30, 16, 99, start="random", seed=5, index=row["index"])
    from minesolve.metrics import board_metrics

    assert board_metrics(field).bbbv == row["bbbv"]
    assert field.number(row["start"]) == 0
    assert list(tmp_path.iterdir()) == [path]


@needs("pyarrow")
def test_games_of_a_run_that_goes_on_are_all_there(tmp_path):
    import pyarrow.parquet

    out, whole, again = tmp_path / "run.jsonl", tmp_path / "whole.parquet", tmp_path / "again.parquet"
    minesolve.measure("beginner", boards=500, games=whole)
    minesolve.measure("beginner", boards=500, out=out)
    minesolve.measure("beginner", boards=500, out=out, games=again)
    assert pyarrow.parquet.read_table(again).equals(pyarrow.parquet.read_table(whole))
    assert len(out.read_text().splitlines()) == 6


@needs("matplotlib")
@pytest.mark.parametrize("kinds", [2, 8])
def test_plots_show_every_measurement(kinds, tmp_path):
    from minesolve.render import plots

    found = [minesolve.measure(width=9, height=8, mines=5 + k, boards=100) for k in range(kinds)]
    shares, guesses = plots.figure(found).axes
    points = shares.containers[0].lines[0].get_xydata()
    assert [tuple(point) for point in points] == [
        (100 * m.request.mines / 72, 100 * float(m.win_share)) for m in found
    ]  # fmt: skip
    assert bool(guesses.patches) == (kinds == 2)
    plots.draw(found, tmp_path / "plot.svg")
    assert b"<svg" in (tmp_path / "plot.svg").read_bytes()


# --- the commands ---


def test_rate_as_json_table_and_markdown(run):
    command = ("rate", "beginner", "--boards", "500", "--seed", "3", "--start", "corner", "--first-click", "safe")
    found = json.loads(run(*command, "--format", "json", "--workers", "2").out)["measurements"][0]
    expected = minesolve.measure("beginner", boards=500, seed=3, start="corner", first_click="safe")
    assert found == json.loads(json.dumps(expected.to_json()))
    text, markdown = run(*command).out, run(*command, "--format", "markdown").out
    share = f"{100 * float(expected.win_share):.1f} % ("
    assert share in text
    assert share in markdown
    assert markdown.splitlines()[1].startswith("|---")


def test_rate_of_several_densities(run):
    done = run("rate", "--width", "9", "--height", "7", "--mines", "5-15/5", "-m", "20", "-n", "200", "--format", "json")
    assert [found["mines"] for found in json.loads(done.out)["measurements"]] == [5, 10, 15, 20]


def test_compare_command(run):
    done = run("compare", "safest", "random-safest", "beginner", "-n", "300", "--format", "json")
    found = json.loads(done.out)["comparisons"][0]
    assert found["boards"] == 300
    assert found["first"]["policy"] == "safest"
    assert "safest less random-safest" in run("compare", "safest", "random-safest", "beginner", "-n", "300").out
    assert "strong less strong:2" in run("compare", "strong:1", "strong:2", "beginner", "-n", "20").out


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [(["rate"], 2, "expected levels"), (["rate", "expert", "--mines", "9"], 2, "give levels, or else"),
     (["rate", "expert", "--policy", "best"], 2, "a policy is one of"),
     (["rate", "expert", "--policy", "strong:3"], 2, "an effort goes with strong alone"), (["compare", "safest"], 2, "two policies"),
     (["rate", "--width", "3", "--height", "3", "-m", "9"], 1, "too many"),
     (["rate", "--width", "3", "--height", "3", "-m", "x"], 2, "expected 99")],
)  # fmt: skip
def test_wrong_usage(run, arguments, code, words):
    done = run(*arguments)
    assert (done.code, done.out) == (code, "")
    assert words in done.err
    assert "Traceback" not in done.err


def test_a_policy_of_ones_own(run, tmp_path):
    (tmp_path / "mine.py").write_text("def first(position):\n    return position.cells.index(9)\n")
    done = run("compare", "safest", "mine:first", "beginner", "-n", "100", "--format", "json", cwd=tmp_path)
    found = json.loads(done.out)["comparisons"][0]
    assert found["difference"]["value"] > 0
    assert found["second"]["policy"] == "mine:first"


def started(*arguments):
    command = [sys.executable, "-m", *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def wait_for_lines(path, count, process):
    until = time.monotonic() + 90
    while not path.exists() or path.read_bytes().count(b"\n") < count:
        assert process.poll() is None, "the run was over before it could be stopped"
        assert time.monotonic() < until
        time.sleep(0.02)


COMMAND = ("rate", "expert", "--boards", "400", "--policy", SLOW_POLICY, "--format", "json", "--workers", "2")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_was_stopped_goes_on(run, tmp_path, number):
    out = tmp_path / "run.jsonl"
    process = started("minesolve", *COMMAND, "--out", out)
    wait_for_lines(out, 4, process)
    process.send_signal(number)
    stdout, _ = process.communicate(timeout=60)
    assert stdout == b""
    assert process.returncode == (-signal.SIGKILL if number == signal.SIGKILL else 130)
    out.write_bytes(out.read_bytes()[:-9])
    resumed = run(*COMMAND, "--out", out)
    assert resumed.code == 0, resumed.err
    assert resumed.stdout == run(*COMMAND).stdout


# --- a cluster ---


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@pytest.fixture
def cluster():
    """Yield the address of a scheduler on loopback, and its two workers."""
    address = f"tcp://127.0.0.1:{free_port()}"
    scheduler = started("distributed.cli.dask_scheduler", "--host", address, "--no-dashboard", "--no-jupyter")
    options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--death-timeout", "60", "--listen-address")
    workers = [
        started("distributed.cli.dask_worker", address, *options, f"tcp://127.0.0.1:{free_port()}") for _ in range(2)
    ]
    yield address, workers
    for process in (*workers, scheduler):
        process.kill()
        process.wait()
        process.stdout.close()


@needs("distributed")
def test_a_cluster_that_loses_a_worker_finds_the_same(run, tmp_path, cluster):
    (address, workers), out = cluster, tmp_path / "run.jsonl"
    process = started("minesolve", *COMMAND, "--scheduler", address, "--out", out)
    wait_for_lines(out, 5, process)
    os.kill(workers[0].pid, signal.SIGKILL)
    stdout, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    assert workers[1].poll() is None
    assert stdout == run(*COMMAND).stdout


@needs("distributed")
def test_no_scheduler_is_said(run):
    done = run("rate", "beginner", "-n", "10", "--scheduler", f"tcp://127.0.0.1:{free_port()}", timeout=90)
    assert done.code == 2
    assert "no Dask scheduler" in done.err
    assert "Traceback" not in done.err
