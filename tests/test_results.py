"""The README's results are those of the run files, and the run files are whole and can be repeated."""

from __future__ import annotations

import json
import runpy

import pytest
from conftest import ROOT

from minesolve.measurement import board_request
from minesolve.playing import play_boards
from minesolve.tally import Tally

FILES = sorted((ROOT / "corpora/results").glob("*.jsonl"))


STRONG = sorted((ROOT / "corpora/results/strong").glob("*.jsonl"))


@pytest.mark.parametrize("table", ["table", "strong_table"])
def test_the_readme_shows_what_the_run_files_hold(table):
    shown = runpy.run_path(str(ROOT / "benchmarks/results.py"))[table]()
    assert shown in (ROOT / "README.md").read_text("utf-8")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_run_file_is_whole_and_its_first_chunk_comes_out_again(path):
    about, *chunks = map(json.loads, path.read_text("utf-8").splitlines())
    parameters = about["parameters"]
    [request] = parameters["requests"]
    size = parameters["chunk"]
    assert parameters["boards"] == 1_000_000
    assert sorted(chunk["first"] for chunk in chunks) == list(range(0, 1_000_000, size))
    assert about["command"].startswith("minesolve rate ")
    first = next(chunk for chunk in chunks if chunk["first"] == 0)["tallies"][0]
    again = Tally.of(play_boards(board_request(None, **request), "safest", 0, size))
    assert json.loads(json.dumps(again.to_json())) == first


@pytest.mark.parametrize("path", STRONG, ids=lambda path: path.name)
def test_a_run_file_of_strong_is_whole_and_its_first_games_come_out_again(path):
    about, *chunks = map(json.loads, path.read_text("utf-8").splitlines())
    parameters = about["parameters"]
    [request], size = parameters["requests"], parameters["chunk"]
    assert parameters["policies"] == ["strong", "safest"]
    assert sorted(chunk["first"] for chunk in chunks) == list(range(0, parameters["boards"], size))
    first = next(chunk for chunk in chunks if chunk["first"] == 0)
    asked = board_request(None, **request)
    games = [play_boards(asked, policy, 0, size) for policy in parameters["policies"]]
    assert [json.loads(json.dumps(Tally.of(one).to_json())) for one in games] == first["tallies"]
    both = [one.ends == 1 for one in games]
    assert [int((a & b).sum()) for a in (both[0], ~both[0]) for b in (both[1], ~both[1])] == first["pairs"]


def test_there_are_results_of_every_level_and_convention():
    assert len(FILES) == 12
    assert len(STRONG) == 6
