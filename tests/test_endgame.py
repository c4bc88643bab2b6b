import json
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import comb

import pytest
from corpus_rows import FOLDER, cell, rows
from random_positions import samples
from slow_twin import layouts

from minesolve.errors import BudgetExceeded
from minesolve.grid import Grid
from minesolve.position import COVERED, Position
from minesolve.solve.constraints import system_of
from minesolve.solve.endgame import Game, play


def read_boards():
    lines = (FOLDER / "optimal.jsonl").read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if row["kind"] == "board"]


BOARDS = read_boards()


def game_tree(position, every, trust_flags=False):
    """Return {cell: layouts won if it is opened first}, by playing out every game to its last safe cell.

    Nothing is assumed: cells are opened one by one, safe ones too, the game is won when all without a mine are open.
    """
    around = Grid(position.width, position.height).neighbours
    covered = system_of(position, trust_flags=trust_flags).cells

    @cache
    def won(possible, opened):
        if any(len(mines) + len(opened) == len(covered) for mines in possible):
            return 1  # all without a mine is open, so this layout is the only one left
        return max((won_after(possible, opened, c) for c in covered if c not in opened), default=0)

    def won_after(possible, opened, cell):
        shown = {}
        for mines in possible:
            if cell not in mines:
                shown.setdefault(len(mines.intersection(around(cell))), set()).add(mines)
        return sum(won(frozenset(part), opened | {cell}) for part in shown.values())

    possible = frozenset(every)
    return {cell: won_after(possible, frozenset(), cell) for cell in covered}


def small_positions(count, seed, most):
    found = 0
    for sample in samples(20 * count, seed, most=most, spoil=0):
        position = sample.position.with_mines(len(sample.mines))
        every = list(layouts(position))
        if len(every) > 1:
            yield position, every
            found += 1
            if found == count:
                return
    raise AssertionError("not enough positions")


def check_against_the_game_tree(count, seed, most):
    for position, every in small_positions(count, seed, most):
        outcome = play(system_of(position))
        tree = game_tree(position, every)
        assert outcome.layouts == len(every)
        assert outcome.moves == {cell: Fraction(wins, len(every)) for cell, wins in tree.items()}
        assert outcome.chance == Fraction(max(tree.values()), len(every))
        assert set(outcome.best) == {cell for cell, wins in tree.items() if wins == max(tree.values())}


def test_values_agree_with_a_game_tree():
    check_against_the_game_tree(300, seed=30, most=7)


@pytest.mark.slow
def test_values_agree_with_a_game_tree_of_more_cells():
    check_against_the_game_tree(200, seed=31, most=9)


@pytest.mark.parametrize(("row", "position"), rows("optimal"), ids=lambda value: getattr(value, "get", str)("id"))
def test_positions_with_known_values(row, position):
    outcome = play(system_of(position, trust_flags=row["trust_flags"]))
    assert outcome.layouts == row["layouts"]
    assert outcome.chance == Fraction(row["win"])
    if "best" in row:
        assert set(outcome.best) == {cell(row, *at) for at in row["best"]}
    for at, value in row.get("first", {}).items():
        assert outcome.moves[cell(row, *map(int, at.split(",")))] == Fraction(value)


@pytest.mark.parametrize(
    ("row", "position"),
    [(row, position) for row, position in rows("optimal") if "safest" in row],
    ids=lambda value: getattr(value, "get", str)("id"),
)
def test_the_safest_cell_is_not_the_best(row, position):
    system = system_of(position)
    outcome, every = play(system), list(layouts(position))
    safe = {c: Fraction(sum(c not in mines for mines in every), len(every)) for c in system.cells}
    safest = max(safe.values())
    assert safest == Fraction(row["safest"])
    assert max(outcome.moves[c] for c in safe if safe[c] == safest) == Fraction(row["safest_wins"]) < outcome.chance


def board_game(row):
    """All layouts of an untouched board, as a game."""
    width, height = row["width"], row["height"]
    system = system_of(Position(width, height, bytes([COVERED] * width * height), row["mines"]))
    return Game(system, map(frozenset, combinations(range(width * height), row["mines"])), budget=5_000_000)


def first_clicks(game):
    """Return, by cell, (won, layouts) with the cell safe, and the same with the cell a zero."""
    found = {}
    for c in game.cells:
        zero = [i for i, mines in enumerate(game.layouts) if not mines & (game.seen[c])]
        among = sum(1 << i for i in zero)
        safe = sum(part.bit_count() for part in game.shows[c])
        found[c] = (game.wins_after(c), safe), (game.wins(among), len(zero))
    return found


def check_board(row):
    """`any`: the first cell may be a mine; `safe`: it is not; `opening`: it is a zero. The best first cell counts."""
    game = board_game(row)
    assert (game.wins(), len(game.layouts)) == pair(row["any"])
    by_cell = first_clicks(game)
    assert max(won for (won, _), _ in by_cell.values()) == pair(row["safe"])[0]
    assert by_cell[cell(row, *row["safe_at"])][0] == pair(row["safe"])
    if "opening" in row:
        assert by_cell[cell(row, *row["opening_at"])][1] == pair(row["opening"])
        chances = [Fraction(*zero) for _, zero in by_cell.values() if zero[1]]
        assert max(chances) == Fraction(row["opening"])
    for at, (safe, zero) in row.get("first", {}).items():
        assert by_cell[cell(row, *map(int, at.split(",")))] == (pair(safe), pair(zero))


def pair(text):
    won, layouts = text.split("/")
    return int(won), int(layouts)


def board_id(row):
    return row["id"]


def layouts_of(row):
    return comb(row["width"] * row["height"], row["mines"])


def small(row):
    return layouts_of(row) <= 600


def feasible(row):
    """Up to 4x4 all, of larger boards those with fewer layouts: the others take hours in plain Python."""
    return row["width"] * row["height"] <= 16 or layouts_of(row) < 1200


@pytest.mark.parametrize("row", [row for row in BOARDS if small(row)], ids=board_id)
def test_values_of_small_boards(row):
    check_board(row)


@pytest.mark.slow
@pytest.mark.parametrize("row", [row for row in BOARDS if feasible(row) and not small(row)], ids=board_id)
def test_values_of_boards(row):
    check_board(row)


def test_independent_parts_multiply():
    # ten pairs walled off by shown mines: 1,024 layouts, and 3^10 sets of them if the parts were not taken one by one
    position = Position.from_text("#4*" * 10 + "\n" + "#**" * 10, mines=10 * 4)
    outcome = play(system_of(position), budget=1000)
    assert outcome.layouts == 1024
    assert outcome.chance == Fraction(1, 1024)
    assert len(outcome.best) == 20


def test_too_many_layouts_are_refused():
    with pytest.raises(BudgetExceeded, match="28 layouts are more than the 27"):
        play(system_of(Position.from_text("####\n####", mines=2)), limit=27)


def test_too_many_sets_are_refused():
    with pytest.raises(BudgetExceeded, match="sets of layouts"):
        play(system_of(Position.from_text("####\n####", mines=3)), budget=10)


@pytest.mark.parametrize(("mines", "message"), [(None, "total"), (0, "no layout")])
def test_what_has_no_end_is_refused(mines, message):
    with pytest.raises(ValueError, match=message):
        play(system_of(Position.from_text("1##", mines=mines)))


def test_a_game_that_is_decided_is_won():
    outcome = play(system_of(Position.from_text("1#", mines=1)))
    assert (outcome.layouts, outcome.chance, outcome.moves) == (1, 1, {1: 0})
