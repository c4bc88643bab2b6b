"""The compiled end game against the plain one, a game tree from the rules, and known values."""

import os
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from functools import cache
from math import comb, prod

import numpy as np
import pytest
from corpus_rows import cell, rows
from random_positions import dotted, samples
from slow_twin import layouts as all_layouts
from test_endgame import BOARDS, board_id, layouts_of, pair

from minesolve.engine import ending
from minesolve.engine.endgame import OVER_BUDGET, SOLVED
from minesolve.engine.ending import best_play, sealed_components
from minesolve.engine.handful import SETS
from minesolve.engine.layouts import LISTED, MINE, WIDTH
from minesolve.engine.regions import REGIONS
from minesolve.errors import BudgetExceeded
from minesolve.grid import Grid
from minesolve.position import COVERED, FLAG, Position
from minesolve.solve.constraints import system_of
from minesolve.solve.endgame import play as plain_play


def positions(count, seed, *, most, flags=False, layouts=2):
    """Yield possible positions with a total, those with fewer layouts left out."""
    found = 0
    for sample in samples(100 * count, seed, most=most, spoil=0, flags=flags):
        position = sample.position.with_mines(len(sample.mines))
        if len(list(zip(range(layouts), all_layouts(position), strict=False))) == layouts:
            yield position
            found += 1
            if found == count:
                return
    raise AssertionError("not enough positions")


def as_plain(position, trust_flags=False, **bounds):
    """Return layouts, wins by cell and the best cells, from the plain solver; None if it takes too long."""
    try:
        outcome = plain_play(system_of(position, trust_flags=trust_flags), **bounds)
    except BudgetExceeded:
        return None
    wins = {c: int(chance * outcome.layouts) for c, chance in outcome.moves.items()}
    return outcome.layouts, wins, int(outcome.chance * outcome.layouts), outcome.best


def as_compiled(position, trust_flags=False):
    found = best_play(position, trust_flags=trust_flags)
    assert found.wins.dtype == np.int64
    return found.layouts, dict(zip(found.cells, found.wins.tolist(), strict=True)), found.won, found.best


def check_against_the_plain_solver(several, least_compared, trust_flags=False):
    """Compare every win of every cell; return how many layouts there were."""
    sizes = []
    for position in several:
        expected = as_plain(position, trust_flags, limit=700, budget=15_000)
        if expected:
            assert as_compiled(position, trust_flags) == expected, position.to_text()
            sizes.append(expected[0])
    assert len(sizes) >= least_compared
    return sizes


def test_wins_agree_with_the_plain_solver():
    check_against_the_plain_solver(positions(150, 70, most=12), 145)


def test_wins_agree_with_trusted_flags():
    flagged = [position for position in positions(60, 71, most=12, flags=True) if FLAG in position.cells]
    check_against_the_plain_solver(flagged[:20], 15)


def with_total(several):
    return (sample.position.with_mines(len(sample.mines)) for sample in several)


def test_wins_agree_where_numbers_are_strewn():
    sizes = check_against_the_plain_solver(with_total(dotted(30, 72, most=15)), 28)
    assert max(sizes) > 20


def untouched(width, height, mines):
    return Position(width, height, bytes([COVERED] * (width * height)), mines)


def test_wins_agree_for_more_layouts_than_a_word_holds():
    sizes = check_against_the_plain_solver(positions(20, 73, most=14, layouts=63), 10)
    assert sum(size > 62 for size in sizes) >= 10


@pytest.mark.slow
def test_wins_agree_with_the_plain_solver_on_many_positions():
    sizes = check_against_the_plain_solver(positions(1000, 74, most=14), 980)
    sizes += check_against_the_plain_solver(with_total(dotted(300, 75, most=17)), 280)
    sizes += check_against_the_plain_solver(positions(100, 76, most=14, flags=True), 95, trust_flags=False)
    sizes += check_against_the_plain_solver(positions(60, 77, most=14, layouts=63), 40)
    assert sum(size > 62 for size in sizes) > 60


def game_tree(position):
    """Return {cell: layouts won if it is opened first}, from the rules alone.

    Covered cells are opened one by one, in any order, whatever is known; a layout is won when all its safe cells are
    open. No position is told from another but by the layouts that fit and what is open.
    """
    around = Grid(position.width, position.height).neighbours
    covered = [c for c, code in enumerate(position.cells) if code > 8 and code != 11]

    @cache
    def won(possible, opened):
        if all(len(mines) + len(opened) == len(covered) for mines in possible):
            return len(possible)
        return max(won_after(possible, opened, c) for c in covered if c not in opened)

    def won_after(possible, opened, c):
        seen = {}
        for mines in possible:
            if c not in mines:
                seen.setdefault(sum(n in mines for n in around(c)), []).append(mines)
        return sum(won(frozenset(part), opened | {c}) for part in seen.values())

    possible = frozenset(all_layouts(position))
    return {c: won_after(possible, frozenset(), c) for c in covered}


def check_against_the_game_tree(count, seed, most):
    for position in positions(count, seed, most=most):
        assert as_compiled(position)[1] == game_tree(position), position.to_text()


def test_wins_agree_with_a_game_tree():
    check_against_the_game_tree(100, 78, 6)


@pytest.mark.slow
def test_wins_agree_with_a_game_tree_of_more_cells():
    check_against_the_game_tree(300, 79, 8)


def check_board(row):
    """Compare what is won by first cell: that may be a mine, that is safe, that is a zero."""
    position, (any_won, every) = untouched(row["width"], row["height"], row["mines"]), pair(row["any"])
    found = best_play(position, limit=40_000, budget=20_000_000)
    assert (found.won, found.layouts) == (any_won, every)
    safe, cells = comb(len(found.cells) - 1, row["mines"]), len(found.cells)
    assert (found.wins.max(), safe) == pair(row["safe"])
    assert cell(row, *row["safe_at"]) in found.best
    openings = [zero_start(row, c) for c in range(cells)]
    if "opening" in row:
        assert openings[cell(row, *row["opening_at"])] == pair(row["opening"])
        assert max(Fraction(*opening) for opening in openings if opening[1]) == Fraction(row["opening"])
    for at, expected in row.get("first", {}).items():
        c = cell(row, *map(int, at.split(",")))
        assert [(found.wins[c], safe), openings[c]] == [pair(text) for text in expected]


def zero_start(row, c):
    """Return how many layouts are won, and there are, if a cell is a zero; its neighbours are not yet open."""
    position = untouched(row["width"], row["height"], row["mines"])
    number = comb(len(position.cells) - 1 - len(position.grid.neighbours(c)), row["mines"])
    if number == 0:
        return 0, 0
    found = best_play(position.with_opened(c, 0), limit=40_000, budget=20_000_000)
    return found.won, found.layouts


QUICK = 16_000
"""Layouts of a board that is played to the end in a moment."""


@pytest.mark.parametrize("row", [row for row in BOARDS if layouts_of(row) <= QUICK], ids=board_id)
def test_values_of_boards_from_the_first_click(row):
    check_board(row)


@pytest.mark.slow
@pytest.mark.parametrize("row", [row for row in BOARDS if layouts_of(row) > QUICK], ids=board_id)
def test_values_of_larger_boards_from_the_first_click(row):
    check_board(row)


@pytest.mark.parametrize(("row", "position"), rows("optimal"), ids=lambda value: getattr(value, "get", str)("id"))
def test_positions_with_known_values(row, position):
    found = best_play(position, trust_flags=row["trust_flags"])
    assert found.layouts == row["layouts"]
    assert Fraction(found.won, found.layouts) == Fraction(row["win"])
    wins = dict(zip(found.cells, found.wins.tolist(), strict=True))
    if "best" in row:
        assert set(found.best) == {cell(row, *at) for at in row["best"]}
    if "first" in row:
        first = {cell(row, *map(int, at.split(","))): Fraction(chance) for at, chance in row["first"].items()}
        assert {c: Fraction(won, found.layouts) for c, won in wins.items() if c in first} == first
    if "safest" in row:
        safe = {c: sum(c not in mines for mines in all_layouts(position)) for c in found.cells}
        safest = [c for c in safe if safe[c] == max(safe.values())]
        assert Fraction(max(safe.values()), found.layouts) == Fraction(row["safest"])
        assert Fraction(max(wins[c] for c in safest), found.layouts) == Fraction(row["safest_wins"]) < Fraction(row["win"])


HINTS = [(row, position) for row, position in rows("public") if row["kind"] == "endgame-hint" and "best_win" in row]


@pytest.mark.parametrize(("row", "position"), HINTS, ids=lambda value: getattr(value, "get", str)("id"))
def test_hints_for_the_end_of_a_game(row, position):
    found = best_play(position, trust_flags=row["trust_flags"])
    chances = {c: Fraction(won, found.layouts) for c, won in zip(found.cells, found.wins.tolist(), strict=True)}
    expected = {cell(row, *map(int, at.split(","))): Fraction(text) for at, text in row["win_by_first_click"].items()}
    assert Fraction(found.won, found.layouts) == Fraction(row["best_win"])
    assert chances == expected
    assert set(found.best) == {c for c, chance in expected.items() if chance == Fraction(row["best_win"])}


def test_there_are_hints():
    assert len(HINTS) >= 4


def solve(position, *, limit=20_000, budget=10**6, every=False):
    """Return status, wins, layouts, the best cell and the sets looked into, as games get them."""
    desk, arrays = ending._prepared(position, False, limit)
    status, won, number, place = ending._solve(desk, arrays, limit, budget, every, -1)
    at = int(np.searchsorted(desk.board.places, place)) if place >= 0 else -1
    return status, won, number, at, int(arrays.search.handful.count[SETS])


def test_games_get_the_safest_of_the_best_cells():
    """With bounds across moves, and without the wins of all moves."""
    compared = 0
    for position in [*positions(160, 80, most=12), *positions(10, 81, most=14, layouts=63)]:
        found = best_play(position)
        every = list(all_layouts(position))
        safe = {c: sum(c not in mines for mines in every) for c in found.cells}
        if max(safe.values()) == len(every):
            continue  # in games, what is safe is open before
        compared += 1
        expected = min(found.best, key=lambda c: (-safe[c], c))
        assert solve(position)[:4] == (SOLVED, found.won, found.layouts, expected), position.to_text()
    assert compared > 50


def test_searching_for_one_move_takes_no_more_sets():
    position = untouched(4, 4, 4)
    assert solve(position)[4] < solve(position, every=True)[4]


@pytest.mark.parametrize("every", [False, True])
def test_the_budget_decides_exactly_and_always_alike(every):
    position = untouched(4, 4, 4)
    needed = solve(position, every=every)[4]
    assert [solve(position, every=every)[4] for _ in range(3)] == [needed] * 3
    assert solve(position, every=every, budget=needed)[0] == SOLVED
    assert solve(position, every=every, budget=needed - 1)[0] == OVER_BUDGET


def test_too_many_sets_are_refused():
    with pytest.raises(BudgetExceeded, match="looked into 10 sets"):
        best_play(untouched(4, 4, 3), budget=10)


def test_too_many_layouts_are_refused():
    with pytest.raises(BudgetExceeded, match="more than the 559 layouts"):
        best_play(untouched(4, 4, 3), limit=559)
    assert best_play(untouched(4, 4, 3), limit=560).layouts == 560


def test_an_untouched_expert_board_is_refused_at_once():
    with pytest.raises(BudgetExceeded, match="layouts"):
        best_play(untouched(30, 16, 99))


@pytest.mark.parametrize(("mines", "message"), [(None, "total"), (0, "no layout"), (3, "no layout")])
def test_what_has_no_end_is_refused(mines, message):
    with pytest.raises(ValueError, match=message):
        best_play(Position.from_text("1##", mines=mines))


def test_a_game_that_is_decided():
    found = best_play(Position.from_text("1#", mines=1))
    assert (found.layouts, found.won, found.cells, found.wins.tolist(), found.best) == (1, 1, (1,), [0], ())
    found = best_play(Position.from_text("1#\n##\n##", mines=1))
    assert found.won < found.layouts
    assert best_play(Position.from_text("11\n1*", mines=1)).cells == ()


def test_safe_cells_come_first():
    position = Position.from_text("###\n###\n.##", mines=2)
    found = best_play(position)
    assert set(found.best) >= {position.width * y + x for x, y in ((0, 1), (1, 1), (1, 2))}


def test_parts_that_have_nothing_to_do_with_each_other_multiply():
    # 40 pairs walled off by shown mines: 2**40 layouts, each pair a region of two
    position = Position.from_text("#4*" * 40 + "\n" + "#**" * 40, mines=40 * 4)
    found = best_play(position, budget=100)
    assert (found.layouts, found.won, len(found.best)) == (2**40, 1, 80)


def test_more_layouts_than_a_number_holds_are_refused():
    with pytest.raises(BudgetExceeded, match="layouts"):
        best_play(Position.from_text("#4*" * 70 + "\n" + "#**" * 70, mines=70 * 4))


def test_layouts_listed_are_those_there_are():
    """Of positions that are one region; the others are listed one region at a time."""
    sizes = []
    for position in [*positions(150, 82, most=11), *positions(5, 83, most=14, layouts=63)]:
        desk, arrays = ending._prepared(position, False, 20_000)
        ending._solve(desk, arrays, 20_000, 10**6, True, -1)
        if arrays.regions.count[REGIONS] > 1:
            continue
        listed = arrays.search.layouts
        width, number = listed.count[WIDTH], listed.count[LISTED]
        cells = np.searchsorted(desk.board.places, listed.cell.place[:width])
        shows = listed.shows[: width * listed.stride].reshape(width, listed.stride)[:, :number].T
        # the cheap rules take certain mines out before
        certain = frozenset.intersection(*map(frozenset, all_layouts(position))) - set(cells.tolist())
        mines = [certain | set(cells[row == MINE].tolist()) for row in shows]
        expected = Counter(all_layouts(position))
        assert Counter(map(frozenset, mines)) == expected, position.to_text()
        sizes.append(number)
    assert len(sizes) > 100
    assert max(sizes) > 62


def sealed_by_definition(position):
    """Return {cells: (layouts, wins)}: groups that numbers link, that no covered cell touches, of fixed mines.

    The total may fix the mines; known mines never show a number. Layouts that differ in the group only are its own.
    """
    every = list(all_layouts(position))
    around = position.grid.neighbours
    certain = {c for c in range(len(position.cells)) if all(c in mines for mines in every)}
    covered = {c for c, code in enumerate(position.cells) if code > 8 and code != 11} - certain
    groups = []
    for c, code in enumerate(position.cells):
        if code <= 8 and (beside := covered & set(around(c))):
            linked = [group for group in groups if group & beside]
            groups = [group for group in groups if not group & beside] + [beside.union(*linked)]
    found = {}
    for group in groups:
        outside = covered - group
        alone = not any(outside & set(around(c)) for c in group)
        if alone and len({len(group & mines) for mines in every}) == 1:
            own = {frozenset(group & mines) for mines in every}
            found[tuple(sorted(group))] = len(own), wins_of(position, group, own)
    return found


def wins_of(position, group, own):
    """Return what optimal play wins of some layouts of a group of cells, by a plain game tree."""
    around = position.grid.neighbours

    @cache
    def won(possible):
        if len(possible) < 2:
            return len(possible)
        best = 0
        for c in group:
            seen = {}
            for mines in possible:
                seen.setdefault(-1 if c in mines else sum(n in mines for n in around(c)), []).append(mines)
            if len(seen) > 1:
                best = max(best, sum(won(frozenset(part)) for number, part in seen.items() if number >= 0))
        return best

    return won(frozenset(own))


def test_sealed_components():
    total = several = 0
    for position in positions(900, 84, most=11):
        if any(all(c not in mines for mines in all_layouts(position)) for c in system_of(position).cells):
            continue  # in games, what is safe is open before
        expected = {cells: found for cells, found in sealed_by_definition(position).items() if len(cells) > 1}
        found = {part.cells: (part.layouts, part.won) for part in sealed_components(position)}
        assert found == expected, position.to_text()
        total += len(found)
        several += len(found) > 1
    assert total > 40
    assert several > 2


def test_the_chance_of_sealed_parts_is_a_factor():
    position = Position.from_text("#4*" * 3 + "\n" + "#**" * 3, mines=12)
    parts = sealed_components(position)
    assert len(parts) == 3
    assert prod(part.won for part in parts) == best_play(position).won
    assert prod(part.layouts for part in parts) == best_play(position).layouts


def test_a_component_that_touches_the_unknown_is_not_sealed():
    assert sealed_components(Position.from_text("1#\n1#\n##", mines=1)) == ()


def test_a_component_of_open_mines_is_not_sealed():
    # one or two mines each, three together: what happens in one tells about the other
    position = Position.from_text("##2*2##\n*3*****", mines=8)
    every = list(all_layouts(position))
    assert {len(mines & {0, 1}) for mines in every} == {len(mines & {5, 6}) for mines in every}


SCRIPT = """
from minesolve.engine.ending import best_play
from minesolve.position import Position
for text, mines in (("####\\n####", 2), ("#####\\n#3###\\n#2###", 4), ("#4*#4*\\n#**#**", 8), ("###\\n###\\n.##", 2)):
    found = best_play(Position.from_text(text, mines=mines))
    print(found.layouts, found.won, found.cells, found.wins.tolist(), found.best, found.sets)
"""


def run(**environment):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT], capture_output=True, text=True, check=True,
        env={**os.environ, **environment},
    )  # fmt: skip
    return done.stdout


def test_interpreted_kernels_find_the_same():
    compiled = run()
    assert len(compiled.splitlines()) == 4
    assert run(NUMBA_DISABLE_JIT="1") == compiled
