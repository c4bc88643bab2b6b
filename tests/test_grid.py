import pytest
from hypothesis import given
from hypothesis import strategies as st

from minesolve.grid import Grid
from minesolve.levels import LEVELS, standard_level

SHAPES = [(1, 1), (1, 7), (7, 1), (2, 5), (5, 2), (3, 4), (30, 16), (60, 35)]


@pytest.mark.parametrize(("width", "height"), SHAPES)
def test_neighbours_are_the_cells_one_step_away(width, height):
    grid = Grid(width, height)
    assert len(grid) == width * height
    for cell in range(len(grid)):
        x, y = grid.xy(cell)
        near = [
            other
            for other in range(len(grid))
            if other != cell and abs(other % width - x) <= 1 and abs(other // width - y) <= 1
        ]
        assert grid.neighbours(cell) == tuple(near)
        if len(grid) > 500 and cell > 100:
            break


@given(st.integers(1, 40), st.integers(1, 40), st.data())
def test_names_and_coordinates_lead_back(width, height, data):
    grid = Grid(width, height)
    cell = data.draw(st.integers(0, width * height - 1))
    assert grid.cell(grid.name(cell)) == cell
    assert grid.at(*grid.xy(cell)) == cell
    x, y = grid.xy(cell)
    assert grid.name(cell) == f"r{y + 1}c{x + 1}"


def test_rows_come_first():
    grid = Grid(width=5, height=3)
    assert grid.at(x=2, y=1) == 7
    assert grid.names([7, 0]) == ["r2c3", "r1c1"]
    assert grid.cell(" R2C3 ") == 7


@pytest.mark.parametrize(
    "name",
    ["", "r0c1", "r1c0", "r4c1", "r1c6", "c1r1", "r1c", "r1c2x", "1,2", "r-1c1", "r١c1", "r1 c1", f"r{'9' * 5000}c1"],
)
def test_other_names_are_refused(name):
    with pytest.raises(ValueError, match=r"r3c4|off the board"):
        Grid(5, 3).cell(name)


@pytest.mark.parametrize(("x", "y"), [(-1, 0), (5, 0), (0, -1), (0, 3)])
def test_coordinates_off_the_board(x, y):
    with pytest.raises(ValueError, match="off the board"):
        Grid(5, 3).at(x, y)


@pytest.mark.parametrize(("width", "height"), [(0, 1), (1, 0), (-1, 5), (0, 0)])
def test_empty_boards_are_refused(width, height):
    with pytest.raises(ValueError, match="at least one row"):
        Grid(width, height)


def test_levels():
    assert {(level.name, level.width, level.height, level.mines) for level in LEVELS.values()} == {
        ("beginner", 9, 9, 10),
        ("intermediate", 16, 16, 40),
        ("expert", 30, 16, 99),
    }
    assert all(LEVELS[name].name == name for name in LEVELS)
    assert standard_level(30, 16) is LEVELS["expert"]
    assert standard_level(16, 30) is None
