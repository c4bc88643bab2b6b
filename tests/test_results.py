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


def test_the_readme_shows_what_the_run_files_hold():
    table = runpy.run_path(str(ROOT / "benchmarks/results.py"))["table"]()
    assert table in (ROOT / "README.md").read_text("utf-8")


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


def test_there_are_results_of_every_level_and_convention():
    assert len(FILES) == 12
