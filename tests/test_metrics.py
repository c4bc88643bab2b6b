import itertools
import json
import random
import time
from pathlib import Path

import pytest

from minesolve.game import Action, Game
from minesolve.metrics import STNB_VARIANT, best_zini, board_metrics, replay_metrics, stnb
from minesolve.minefield import Minefield
from minesolve.notation import MINE

CORPUS = Path(__file__).parent.parent / "corpora" / "rules"
CASES = [json.loads(line) for line in (CORPUS / "measures.jsonl").read_text().splitlines()]
COUNTED = [case for case in CASES if "bbbv" in case]
ONE_CLICK = [case for case in CASES if "one_click" in case]


def field(case):
    return Minefield.from_text("\n".join(case["minefield"]))


@pytest.mark.parametrize("case", COUNTED, ids=[case["id"] for case in COUNTED])
def test_known_boards(case):
    measured = board_metrics(field(case))
    assert (measured.bbbv, measured.openings) == (case["bbbv"], case["openings"])
    shown = "".join("*" if code == MINE else str(code) for code in field(case).numbers())
    assert shown == "".join(case["numbers"])
    assert measured.counts == tuple(shown.count(str(number)) for number in range(9))


@pytest.mark.parametrize("case", [case for case in ONE_CLICK if case["one_click"]], ids=lambda case: case["id"])
def test_boards_won_by_one_click(case):
    minefield = field(case)
    assert (minefield.width, minefield.height, minefield.total) == (case["width"], case["height"], case["mines"])
    assert board_metrics(minefield).bbbv == 1
    game = Game(minefield)
    game.open(next(cell for cell, code in enumerate(minefield.numbers()) if code == min(minefield.numbers())))
    assert game.status == "won"


def no_placement_has_one_click(case):
    width, height = case["width"], case["height"]
    for cells in itertools.combinations(range(width * height), case["mines"]):
        game = Game(Minefield.from_cells(width, height, cells))
        game.open(next((c for c, code in enumerate(game.minefield.numbers()) if code == 0), next(
            c for c in range(width * height) if c not in cells)))
        if game.status == "won":
            return False
    return True


@pytest.mark.parametrize("case", [case for case in ONE_CLICK if not case["one_click"] and case["width"] < 5],
                         ids=lambda case: case["id"])
def test_sizes_that_one_click_never_wins(case):
    assert no_placement_has_one_click(case)


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for case in ONE_CLICK if not case["one_click"]], ids=lambda case: case["id"])
def test_all_sizes_that_one_click_never_wins(case):
    assert no_placement_has_one_click(case)


SHAPES = [(9, 9), (16, 16), (30, 16), (5, 12), (12, 4), (40, 3), (1, 20), (20, 1), (20, 25)]


def random_fields(count, seed):
    dice = random.Random(seed)
    for index in range(count):
        width, height = dice.choice(SHAPES)
        mines = dice.randint(0, int(width * height * dice.choice([0.1, 0.2, 0.35, 0.8])))
        yield Minefield.random(width, height, mines, first_click="any", seed=seed, index=index)


def rows_of(minefield):
    codes = [-1 if code == MINE else code for code in minefield.numbers()]
    return [codes[at : at + minefield.width] for at in range(0, len(codes), minefield.width)]


def test_ms_toollib_agrees():
    peer = pytest.importorskip("ms_toollib", reason="ms-toollib, the peer to compare with, is not installed")
    for minefield in random_fields(500, seed=5):
        ours, theirs = board_metrics(minefield), peer.Board(rows_of(minefield))
        assert (ours.bbbv, ours.openings, ours.islands) == (theirs.bbbv, theirs.op, theirs.isl)
        assert (ours.zini, ours.hzini) == (theirs.zini, theirs.hzini)
        assert ours.counts == tuple(getattr(theirs, f"cell{number}") for number in range(9))


def greedy_by_definition(minefield, human):
    """ZiNi from its definition: every premium counted anew before every step, over sets of cells."""
    grid, numbers = minefield.grid, minefield.numbers()
    near = [{cell, *grid.neighbours(cell)} for cell in range(len(grid))]
    zeros = {cell for cell, code in enumerate(numbers) if code == 0}
    regions = []
    while zeros:
        region, more = set(), {min(zeros)}
        while more:
            region |= more
            more = {n for cell in more for n in near[cell] if n in zeros} - region
        zeros -= region
        regions.append((region, set().union(*(near[cell] for cell in region))))
    in_opening = set().union(*(cells for _, cells in regions)) if regions else set()
    safe = [cell for x in range(grid.width) for cell in range(x, len(grid), grid.width) if numbers[cell] != MINE]
    opened, flags, clicks = set(), set(), 0

    def click(cell):
        opened.add(cell)
        for region, cells in regions:
            if cell in region:
                opened.update(cells)

    def premium(cell):
        units = sum(n not in opened and n not in in_opening and numbers[n] != MINE for n in near[cell])
        units += sum(cell in cells and not region <= opened for region, cells in regions)
        return units - sum(numbers[n] == MINE and n not in flags for n in near[cell]) - (cell not in opened) - 1

    if human:
        for region, _ in regions:
            click(min(region))
            clicks += 1
    while not opened.issuperset(safe):
        candidates = [(premium(cell), cell) for cell in safe if cell in opened or not human]
        best = max((value for value, _ in candidates), default=-1)
        if best < 0:
            click(next(c for c in safe if c not in opened and (numbers[c] == 0 or c not in in_opening)))
            clicks += 1
            continue
        cell = next(cell for value, cell in candidates if value == best)
        clicks += cell not in opened
        click(cell)
        mines = {n for n in near[cell] if numbers[n] == MINE} - flags
        flags |= mines
        clicks += len(mines) + 1
        for n in near[cell] - flags:
            click(n)
    return clicks


def test_zini_by_its_definition():
    for minefield in random_fields(40, seed=6):
        if len(minefield.mines) > 300:
            continue
        measured = board_metrics(minefield)
        assert measured.zini == greedy_by_definition(minefield, human=False)
        assert measured.hzini == greedy_by_definition(minefield, human=True)


def test_more_runs_never_find_worse():
    for minefield in random_fields(10, seed=7):
        few, many = best_zini(minefield, runs=2, seed=1), best_zini(minefield, runs=12, seed=1)
        assert many <= few
        assert many == best_zini(minefield, runs=12, seed=1)
        assert many <= board_metrics(minefield).bbbv
    with pytest.raises(ValueError, match="must be positive"):
        best_zini(Minefield.from_text("*."), runs=0)


def test_zini_of_an_expert_board_takes_tens_of_milliseconds():
    minefields = [Minefield.random(30, 16, 99, seed=1, index=i) for i in range(10)]
    began = time.process_time()
    for minefield in minefields:
        board_metrics(minefield)
    assert (time.process_time() - began) / 10 < 0.1


def test_replay_of_a_lost_game():
    # *2*1.   3BV: the opening on the right, and the four numbers on the left that touch no zero
    # 1211.
    minefield = Minefield.from_text("*.*..\n.....")
    actions = [
        Action("flag", 0, 0.5), Action("open", 5, 1.0), Action("open", 0, 1.5),  # the last one meets a flag: wasted
        Action("chord", 5, 2.0), Action("chord", 5, 2.5),  # opens two numbers; nothing is left to open: wasted
        Action("open", 3, 3.0), Action("flag", 4, 3.5), Action("open", 9, 4.0),  # a flag keeps one cell of the opening
        Action("open", 2, 5.0), Action("open", 7, 6.0)]  # lost; too late
    played = replay_metrics(Game.replay(minefield, actions))
    assert (played.status, played.time) == ("lost", 4.0)
    assert (played.bbbv, played.bbbv_solved) == (5, 3)
    assert (played.clicks, played.effective_clicks) == (9, 7)
    assert (played.correctness, played.throughput, played.ioe) == (7 / 9, 3 / 7, 3 / 9)
    assert (played.bbbv_per_second, played.rqp, played.stnb) == (0.75, 16 / 3, None)


def test_measures_of_a_won_game():
    minefield = Minefield.random(9, 9, 10, seed=2)
    numbers, now = minefield.numbers(), itertools.count()
    opened = [cell for cell in sorted(range(81), key=lambda cell: numbers[cell]) if numbers[cell] != MINE]
    game = Game(minefield, clock=lambda: next(now) / 4)
    for cell in opened:
        game.open(cell)
    played = replay_metrics(game)
    bbbv = board_metrics(minefield).bbbv
    assert played.status == "won"
    assert (played.bbbv, played.bbbv_solved, played.effective_clicks) == (bbbv, bbbv, bbbv)  # zeros were opened first
    assert played.bbbv_per_second == bbbv / played.time
    assert played.ioe == bbbv / played.clicks
    assert played.throughput == 1
    assert played.ioe == pytest.approx(played.correctness * played.throughput)
    assert played.rqp == pytest.approx(played.time / played.bbbv_per_second)
    assert played.stnb == pytest.approx(47.299 * bbbv / played.time**1.7)
    assert played.stnb_variant == STNB_VARIANT == "47.299/153.730/435.001"


def test_measures_that_divide_by_nothing_are_none():
    played = replay_metrics(Game(Minefield.from_text("*.")))
    assert (played.bbbv_per_second, played.ioe, played.correctness, played.throughput, played.rqp, played.stnb) == (
        None,) * 6
    with pytest.raises(ValueError, match="not laid yet"):
        replay_metrics(Game.dealt(9, 9, 10))


def test_stnb_constants_follow_their_formula():
    for k, level in enumerate(("beginner", "intermediate", "expert"), 1):
        assert stnb(level, 50, 50, 1.0) / 50 == pytest.approx(87.420 * k * k - 155.829 * k + 115.708, abs=1.5e-3)
    assert stnb("expert", 100, 25, 2.0) == pytest.approx(435.001 * 25 / 2**1.7 / 2)
    for arguments in [("custom", 1, 1, 1.0), ("expert", 1, 1, 0.0), ("expert", 0, 0, 1.0)]:
        with pytest.raises(ValueError, match="STNB"):
            stnb(*arguments)
