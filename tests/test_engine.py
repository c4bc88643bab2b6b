"""The engine against its slow twin, against known figures, and against itself where the way must not matter."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
import time
from fractions import Fraction

import engine_twin
import numpy as np
import pytest

from minesolve import engine
from minesolve.engine import judging, slow
from minesolve.errors import BudgetExceeded, Contradiction, InvalidPosition
from minesolve.grid import Grid
from minesolve.position import COVERED, FLAG, MINE, Position

CLICKS = ("opening", "safe", "any")


def masked(width, height, mines):
    mask = np.zeros(width * height, dtype=bool)
    mask[sorted(mines)] = True
    return mask.reshape(height, width)


def random_boards(count, seed, cells=24):
    """Yield small odd boards: (width, height, mines, start, first_click, index)."""
    random_ = random.Random(seed)
    while count:
        width, height = random_.randint(1, 8), random_.randint(1, 8)
        if not 2 <= width * height <= cells:
            continue
        start = random_.choice([None, random_.randrange(width * height)])
        click = random_.choice(CLICKS)
        room = engine.room_for_mines(width, height, start, click)
        mines = random_.randint(0, min(room, max(1, width * height // 3), 7))
        yield width, height, mines, start, click, random_.randrange(2**64)
        count -= 1


def random_positions(count, seed, cells=18):
    """Yield positions met by opening some safe cells at random, with totals, flags and shown mines now and then."""
    random_ = random.Random(seed)
    while count:
        width, height = random_.randint(1, 7), random_.randint(1, 7)
        size = width * height
        if not 2 <= size <= cells:
            continue
        mines = set(random_.sample(range(size), random_.randint(0, size // 2)))
        grid, share = Grid(width, height), random_.random()
        codes = bytearray(
            len(mines.intersection(grid.neighbours(cell))) if cell not in mines and random_.random() < share
            else random_.choice([COVERED] * 6 + [FLAG, MINE if cell in mines else COVERED])
            for cell in range(size)
        )  # fmt: skip
        if random_.random() < 0.1:
            codes[random_.randrange(size)] = random_.randrange(9)
        total = random_.choice([len(mines)] * 4 + [None, random_.randint(0, size)])
        yield Position(width, height, bytes(codes), total)
        count -= 1


def assert_same_chances(position, found, expected):
    flat = found.ravel()
    for cell in range(len(position.cells)):
        if cell not in expected:
            assert np.isnan(flat[cell]), position
            continue
        chance = expected[cell]
        assert abs(flat[cell] - float(chance)) < 1e-12, position
        assert (flat[cell] in (0.0, 1.0)) == (chance in (0, 1)), position


# --- boards ---


def test_board_numbers_are_those_of_the_specification():
    for width, height, mines, start, click, index in random_boards(400, seed=1, cells=64):
        options = {"start": start, "seed": index ^ 12345, "index": index, "first_click": click}
        place, mask = engine.draw_minefield(width, height, mines, **options)
        expected = engine_twin.draw(width, height, mines, **options)
        assert (place, set(np.flatnonzero(mask))) == expected


def test_a_board_is_the_same_for_ever():
    start, mask = engine.draw_minefield(9, 9, 10, start=None, seed=2**64 - 1, index=2**64 - 1)
    assert start == 2
    assert np.flatnonzero(mask).tolist() == [9, 16, 18, 53, 55, 59, 61, 63, 77, 79]


def test_verdicts_are_those_of_the_twin():
    layers = set()
    for width, height, mines, start, click, index in random_boards(250, seed=2):
        place, field = engine_twin.draw(width, height, mines, start=start, seed=3, index=index, first_click=click)
        options = {"start": start, "count": 1, "seed": 3, "first": index, "first_click": click}
        if index > 2**64 - 2 or place in field:
            continue
        for max_layer in (1, 2, 3, 4):
            found = engine.judge_boards(width, height, mines, max_layer=max_layer, **options)
            expected = engine_twin.Player(width, height, field).play([place], max_layer)
            assert (found.layers[0], found.steps[0].tolist()) == expected
            assert found.starts[0] == place
        layers.add(int(found.layers[0]))
        if found.layers[0] >= 0:
            assert found.bbbv[0] == engine_twin.bbbv(width, height, field)
    assert layers == {-1, 0, 1, 2, 3, 4}, "the sample must hold boards of every kind"


def test_a_mine_at_the_start_is_never_a_no_guess_board():
    found = engine.judge_boards(4, 4, 8, start=5, count=200, first_click="any")
    on_mine = [engine.draw_minefield(4, 4, 8, start=5, index=i, first_click="any")[1][1, 1] for i in range(200)]
    assert 50 < sum(on_mine) < 150
    assert (found.layers[on_mine] == engine.NEEDS_GUESS).all()


@pytest.mark.parametrize(
    ("width", "height", "mines"), [(9, 9, 10), (30, 16, 99), (7, 12, 18), (40, 5, 40), (70, 3, 25)]
)
def test_boards_rejected_at_a_glance_do_need_a_guess(width, height, mines):
    options = {"start": None, "first_click": "safe", "seed": 5, "first": 0, "count": 3000, "max_layer": 4}
    quick = judging.judge_drawn(width, height, mines, **options)
    full = judging.judge_drawn(width, height, mines, screen=False, **options)
    assert (quick.layers == full.layers).all()
    assert (quick.steps == full.steps).all()


def test_max_layer_lets_through_exactly_the_boards_that_need_no_more():
    every = engine.judge_boards(16, 16, 40, start=136, count=2000, seed=4)
    for max_layer in (1, 2, 3):
        some = engine.judge_boards(16, 16, 40, start=136, count=2000, seed=4, max_layer=max_layer)
        assert (some.layers == np.where(every.layers <= max_layer, every.layers, -1)).all()


def test_results_depend_neither_on_threads_nor_on_how_the_work_is_cut():
    options = {"start": None, "seed": 8, "first_click": "safe"}
    whole = engine.judge_boards(16, 16, 40, count=5000, **options)
    threaded = engine.judge_boards(16, 16, 40, count=5000, threads=3, **options)
    part = engine.judge_boards(16, 16, 40, count=700, first=3456, **options)
    for name in ("starts", "layers", "steps", "bbbv"):
        assert (getattr(whole, name) == getattr(threaded, name)).all()
        assert (getattr(whole, name)[3456:4156] == getattr(part, name)).all()
    for i in range(0, 5000, 250):
        place, mask = engine.draw_minefield(16, 16, 40, start=None, seed=8, index=i, first_click="safe")
        layer, steps, metric = engine.judge_minefield(mask, [place])
        assert (layer, steps.tolist(), metric) == (whole.layers[i], whole.steps[i].tolist(), whole.bbbv[i])


def test_other_threads_run_while_a_kernel_does(monkeypatch):
    monkeypatch.setattr(judging, "_CHUNK", 10**9)  # one call
    ticks, working = [], True

    def tick():
        while working:
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    other = threading.Thread(target=tick)
    other.start()
    began = time.perf_counter()
    engine.judge_boards(30, 16, 99, start=255, count=20_000)
    ended = time.perf_counter()
    working = False
    other.join()
    middle = [at for at in ticks if began + (ended - began) * 0.2 < at < began + (ended - began) * 0.8]
    assert len(middle) > 5, "a call that keeps the GIL lets no other thread run"


def test_a_component_too_wide_for_the_kernels_is_judged_all_the_same():
    kinds = set()
    for i in range(40):
        place, mask = engine.draw_minefield(9, 7, 13, start=None, seed=9, index=i)
        layer, steps, metric = judging.judge_truth(mask, [place], max_layer=4)
        narrow = judging.judge_truth(mask, [place], max_layer=4, bits=4)
        assert (narrow[0], narrow[1].tolist(), narrow[2]) == (layer, steps.tolist(), metric)
        kinds.add(layer)
    assert {-1, 3, 4} <= kinds


HOLLOW = """
...........
...........
....****...
...**.*....
...*..**...
...*..**...
...****....
...........
...........
"""
ROOMS = """
....
....
....
*...
*..*
*...
....
....
....
....
"""


@pytest.mark.parametrize(
    ("field", "opened", "layer", "metric"),
    [(HOLLOW, range(0, 99, 11), 4, 7), (HOLLOW, [0], 4, 7), (ROOMS, [0, 39], 4, 4), ("*", [], 0, 0), (".", [], 4, 1)],
)
def test_known_boards(field, opened, layer, metric):
    """Boards of https://www.codewars.com/kata/57ff9d3b8f7dda23130015fa and what they need: all but one the total."""
    mask = np.array([[cell == "*" for cell in row] for row in field.split()])
    found = engine.judge_minefield(mask, list(opened))
    assert (found[0], found[2]) == (layer, metric)
    assert engine.judge_minefield(mask, list(opened), max_layer=3)[0] == (layer if layer < 4 else engine.NEEDS_GUESS)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("width", "height", "mines", "click", "start", "share", "error"),
    [
        (9, 9, 10, "opening", 0, 81.38, 0.20), (9, 9, 10, "opening", 20, 91.71, 0.14),
        (9, 9, 10, "opening", 40, 90.36, 0.15), (9, 9, 10, "safe", 0, 54.50, 0.25),
        (9, 9, 10, "safe", 20, 30.04, 0.23), (9, 9, 10, "safe", 40, 29.61, 0.23),
        (16, 16, 40, "opening", 0, 58.02, 0.35), (16, 16, 40, "opening", 34, 71.55, 0.32),
        (16, 16, 40, "opening", 136, 70.69, 0.32), (16, 16, 40, "safe", 0, 34.01, 0.34),
        (16, 16, 40, "safe", 34, 17.81, 0.27), (16, 16, 40, "safe", 136, 18.28, 0.27),
        (30, 16, 99, "opening", 0, 10.09, 0.21), (30, 16, 99, "opening", 93, 16.16, 0.26),
        (30, 16, 99, "opening", 255, 16.24, 0.26), (30, 16, 99, "safe", 0, 4.93, 0.15),
        (30, 16, 99, "safe", 93, 2.51, 0.11), (30, 16, 99, "safe", 255, 2.44, 0.11),
    ],
)  # fmt: skip
def test_shares_of_no_guess_boards(width, height, mines, click, start, share, error):
    """Shares and standard errors, in per cent, of an independent program (20,000 to 40,000 boards each)."""
    found = engine.judge_boards(width, height, mines, start=start, count=100_000, first_click=click, seed=11)
    own = 100 * (found.layers >= 0).mean()
    own_error = (own * (100 - own) / 100_000) ** 0.5
    assert abs(own - share) < 4 * (own_error**2 + error**2) ** 0.5


@pytest.mark.parametrize(
    ("width", "height", "mines", "share"), [(9, 9, 10, 0.83), (16, 16, 40, 0.60), (30, 16, 99, 0.104)]
)
def test_shares_decidable_without_the_total(width, height, mines, share):
    start = height // 2 * width + width // 2
    found = engine.judge_boards(width, height, mines, start=start, count=20_000, seed=12, max_layer=3)
    assert abs((found.layers >= 0).mean() - share) < 0.01 + 4 * (share * (1 - share) / 20_000) ** 0.5


def test_expert_boards_have_the_known_mean_3bv():
    found = engine.judge_boards(30, 16, 99, start=255, count=25_000, seed=13)
    metrics = found.bbbv[found.layers >= 0]
    assert abs(metrics.mean() - 170.9) < 1.5


# --- positions ---


def test_chances_are_those_of_the_twin():
    kinds = set()
    for position in random_positions(600, seed=21):
        trust = position.width % 2 == 0
        density = None if position.mines is not None else Fraction(1, 4)
        expected = engine_twin.chances(position, density, trust_flags=trust)
        options = {"trust_flags": trust, "density": None if density is None else 0.25}
        if expected is None:
            with pytest.raises((Contradiction, InvalidPosition)):
                engine.mine_probabilities(position, **options)
        else:
            assert_same_chances(position, engine.mine_probabilities(position, **options), expected)
        kinds.add((expected is None, density is None, trust))
    assert len(kinds) == 8, "the sample must hold positions of every kind"


def test_the_slow_path_gives_the_same_chances():
    for position in random_positions(150, seed=22):
        codes, total = position.to_array()[np.newaxis], -1 if position.mines is None else position.mines
        arguments = codes, np.array([total]), np.array([0.3])
        fast, possible = engine.weigh(*arguments)
        wide, possible_too = engine.weigh(*arguments, bits=2)  # hardly any component fits into two bits
        assert possible.tolist() == possible_too.tolist()
        assert np.allclose(fast, wide, rtol=0, atol=1e-12, equal_nan=True)
        assert ((fast == 0) == (wide == 0)).all()
        assert ((fast == 1) == (wide == 1)).all()


def test_a_batch_is_the_same_as_one_by_one():
    positions = list(random_positions(120, seed=23))
    possible = []
    for position in positions:
        try:
            possible.append((position, engine.mine_probabilities(position, density=0.2)))
        except (Contradiction, InvalidPosition):
            continue
    together = engine.mine_probabilities([position for position, _ in possible], density=0.2)
    for (_, alone), found in zip(possible, together, strict=True):
        assert np.array_equal(alone, found, equal_nan=True)
    assert engine.mine_probabilities([]) == []


def isolated(width, height, number, step):
    """A lattice of equal numbers, `step` apart, in a covered board."""
    codes = np.full((height, width), COVERED, dtype=np.int8)
    codes[1 : height - 1 : step, 1 : width - 1 : step] = number
    return codes


def test_a_large_dense_board_is_right_to_1e_9():
    """Numbers that share no cells: each cell beside one has 2 / 8, the others share what is left."""
    position = Position.from_array(isolated(60, 35, 2, 3), mines=540)
    found, covered = engine.mine_probabilities(position), position.to_array() == COVERED
    numbers = int((~covered).sum())
    expected = np.where(near(position), 1 / 4, (540 - 2 * numbers) / (60 * 35 - 9 * numbers))
    assert np.abs(found - expected)[covered].max() < 1e-12


@pytest.mark.parametrize("share", [0.03, 0.08, 0.13])
def test_large_boards_agree_with_exact_integers(share):
    """540 mines on 60x35, opened at random: the slow path is exact."""
    random_ = random.Random(f"large {share}")
    mines, grid = set(random_.sample(range(2100), 540)), Grid(60, 35)
    codes = np.array([
        len(mines.intersection(grid.neighbours(cell))) if cell not in mines and random_.random() < share else COVERED
        for cell in range(2100)
    ], dtype=np.int8).reshape(1, 35, 60)  # fmt: skip
    fast, _ = engine.weigh(codes, np.array([540]), np.array([0.5]))
    exact, _ = engine.weigh(codes, np.array([540]), np.array([0.5]), bits=2)
    assert np.nanmax(np.abs(fast - exact)) < 1e-12
    assert np.array_equal(np.isin(fast, (0, 1)), np.isin(exact, (0, 1)))


def near(position):
    """Where a cell is beside a number."""
    grid, found = position.grid, np.zeros(len(position.cells), dtype=bool)
    for cell, code in enumerate(position.cells):
        if code <= 8:
            found[list(grid.neighbours(cell))] = True
    return found.reshape(position.height, position.width)


@pytest.mark.parametrize("extra", [0, 1, 3, 400, 587])
def test_extreme_totals_leave_possible_cells_open(extra):
    """Numbers two apart share cells: the fewest mines are far from the number a layout usually has."""
    codes = np.full((35, 60), COVERED, dtype=np.int8)
    codes[1::4, 1::5] = 1
    codes[1::4, 3::5] = 1
    position = Position.from_array(codes, mines=9 * 12 + extra)
    found = engine.mine_probabilities(position)
    assert np.nansum(found) == pytest.approx(108 + extra, abs=1e-6)
    beside = near(position) & (codes == COVERED)
    if extra == 0:
        assert set(found[~near(position) & (codes == COVERED)]) == {0.0}
        assert (found[beside] < 1).all()
    else:
        assert ((found[beside] > 0) & (found[beside] < 1)).all()
        assert (found[~beside & (codes == COVERED)] > 0).all()


@pytest.mark.parametrize("density", [1e-300, 1e-30, 1 - 2**-50])
def test_extreme_densities_are_exact(density):
    """Where floats don't reach, the slow path does: the chain has layouts of 3 to 6 mines."""
    codes = np.full((3, 19), COVERED, dtype=np.int8)
    codes[1, 1::4] = codes[1, 3::4] = 1
    found = engine.mine_probabilities(Position.from_array(codes), density=density)
    beside = slow.remainder_of(judging.desk_for(19, 3).board)
    expected = slow.chances(beside, total_known=False, density=Fraction(density))
    places = judging.desk_for(19, 3).board.places
    for cell in np.flatnonzero(codes == COVERED):
        chance = expected[int(places[cell])]
        assert 0 < found.ravel()[cell] < 1
        assert found.ravel()[cell] == pytest.approx(float(chance), rel=1e-9, abs=1e-300)


def test_impossible_positions_are_refused():
    with pytest.raises(InvalidPosition, match="3 covered cells"):
        engine.mine_probabilities(Position.from_text("4#\n##", mines=4))
    with pytest.raises(Contradiction, match="numbers") as clash:
        engine.mine_probabilities(Position.from_text("1#1#1\n1#3#1", mines=4))
    assert not clash.value.uses_total
    with pytest.raises(Contradiction) as clash:
        engine.mine_probabilities(Position.from_text("#1##1#", mines=3))
    assert clash.value.uses_total


def test_bad_arguments_are_refused():
    covered = Position.from_text("##\n##")
    with pytest.raises(ValueError, match="total or a density"):
        engine.mine_probabilities(covered)
    for density in (0.0, 1.0, -1.0, 2.0):
        with pytest.raises(ValueError, match="between 0 and 1"):
            engine.mine_probabilities(covered, density=density)
    with pytest.raises(ValueError, match="from 0 to 0 fit"):
        engine.judge_boards(3, 3, 1, start=4, count=1)
    with pytest.raises(ValueError, match="off the board"):
        engine.judge_boards(3, 3, 1, start=9, count=1)
    with pytest.raises(ValueError, match="max_layer"):
        engine.judge_boards(9, 9, 1, start=9, count=1, max_layer=5)
    with pytest.raises(ValueError, match="first_click"):
        engine.judge_boards(9, 9, 1, start=9, count=1, first_click="lucky")
    with pytest.raises(ValueError, match="off the board"):
        engine.judge_minefield(np.zeros((2, 3), dtype=bool), [6])


def test_work_that_is_too_wide_is_refused(monkeypatch):
    monkeypatch.setattr(slow, "BUDGET", 5)
    codes = np.full((7, 9), COVERED, dtype=np.int8)
    codes[1::2, 1::2] = 3
    with pytest.raises(BudgetExceeded, match="too wide"):
        engine.weigh(codes[np.newaxis], np.array([25]), np.array([0.5]), bits=2)


# --- ways to run ---

SCRIPT = """
import json, sys
import numpy as np
from minesolve import engine
from minesolve.position import Position
boards = engine.judge_boards(6, 7, 8, start=None, count=25, seed=2**63 + 5, first=2**64 - 30)
position = Position.from_text("##1..\\n##2..\\n##2..\\n###11\\n#####", mines=6)
start, mask = engine.draw_minefield(9, 4, 7, start=None, seed=2**64 - 3, index=6)
print(json.dumps([
    boards.layers.tolist(), boards.steps.tolist(), boards.bbbv.tolist(), boards.starts.tolist(), start,
    np.flatnonzero(mask).tolist(), np.nan_to_num(engine.mine_probabilities(position), nan=-1.0).tolist(),
]))
"""


def run(script, **environment):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], env=os.environ | environment, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    return json.loads(done.stdout), done.stderr


def test_without_compiling_everything_is_the_same():
    compiled, _ = run(SCRIPT)
    interpreted, said = run(SCRIPT, NUMBA_DISABLE_JIT="1")
    assert compiled == interpreted
    assert said == ""
    assert len(set(compiled[0])) > 2


def test_no_word_of_compiling_once_it_is_done():
    run(SCRIPT)
    assert run(SCRIPT)[1] == ""


@pytest.mark.slow
def test_two_processes_can_compile_at_once_into_a_new_place(tmp_path):
    command = [sys.executable, "-W", "error", "-c", SCRIPT]
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    started = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    outputs = [process.communicate() for process in started]
    assert outputs[0][0] == outputs[1][0] != ""
    for _, said in outputs:
        assert said.count("compiling") == 1
    assert run(SCRIPT, NUMBA_CACHE_DIR=str(tmp_path))[1] == ""


def test_several_boards_are_drawn_as_one_by_one():
    for start in (None, 7):
        indices = [5, 2**64 - 1, 0]
        masks = engine.draw_minefields(6, 5, 8, start=start, indices=indices, seed=3)
        for mask, index in zip(masks, indices, strict=True):
            assert (engine.draw_minefield(6, 5, 8, start=start, seed=3, index=index)[1].ravel() == mask).all()
    assert engine.draw_minefields(6, 5, 8, start=7, indices=[]).shape == (0, 30)


def test_the_widest_step_is_the_same_on_the_slow_path():
    widths = set()
    for index in range(400):
        start, mask = engine.draw_minefield(30, 16, 99, start=93, seed=8, index=index)
        layer, steps, _, widest = judging._judge_any(mask, [start], 4, 62)
        if layer < 3:
            continue
        narrow = judging._judge_any(mask, [start], 4, 6)
        assert (narrow[0], narrow[1].tolist(), narrow[3]) == (layer, steps.tolist(), widest)
        widths.add(widest)
    assert len(widths) > 4
