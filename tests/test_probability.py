import random
import statistics
import time
from collections import Counter
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest
from corpus_rows import cell, rows
from lattices import lattice
from random_positions import samples
from slow_twin import layouts

from minesolve.errors import BudgetExceeded, Contradiction
from minesolve.grid import Grid
from minesolve.position import COVERED, MINE, Position
from minesolve.solve.constraints import system_of
from minesolve.solve.counting import count
from minesolve.solve.frontier import split
from minesolve.solve.probability import box_distribution, convolve, weigh

HALF = Fraction(1, 2)
LITERATURE = (Path(__file__).parent.parent / "corpora" / "literature" / "counts.txt").read_text(encoding="utf-8")
STANZAS = [stanza for stanza in LITERATURE.split("\n\n") if "name:" in stanza]


def from_the_definition(position, cells, density, trust_flags):
    """Return the number of layouts, each cell's chance and the expected mines, by weighing every layout."""
    found = list(layouts(position, trust_flags))
    weights = [Fraction(1) if position.mines is not None else _weight(mines, cells, density) for mines in found]
    whole = sum(weights)
    mined = {c: sum(w for w, mines in zip(weights, found, strict=True) if c in mines) for c in cells}
    return len(found), {c: Fraction(w, whole) for c, w in mined.items()} if found else {}


def _weight(mines, cells, density):
    return density ** len(mines) * (1 - density) ** (len(cells) - len(mines))


def check_against_the_definition(number, seed, **options):
    possible = 0
    for index, sample in enumerate(samples(number, seed, **options)):
        position, trusted = sample.position, bool(options.get("flags")) and index % 2 == 0
        system = system_of(position, trust_flags=trusted)
        density = (HALF, Fraction(1, 5), Fraction(5, 7))[index % 3]
        expected, chances = from_the_definition(position, system.cells, density, trusted)
        if not expected:
            with pytest.raises(Contradiction):
                weigh(system, density)
            continue
        possible += 1
        found = weigh(system, density)
        assert found.layouts == expected
        assert found.chances == chances
        assert found.expected_mines == sum(chances.values())
        if position.mines is not None:
            assert sum(found.chances.values()) == system.total
        else:
            forced = weigh(system)
            assert forced.layouts == expected
            assert forced.chances == {c: p if p in (0, 1) else None for c, p in chances.items()}
    return possible


def test_fractions_agree_with_the_definition():
    assert check_against_the_definition(500, seed=10, most=11) > 300
    assert check_against_the_definition(200, seed=11, most=11, flags=True) > 100


@pytest.mark.slow
def test_fractions_agree_with_the_definition_on_3000_positions():
    assert check_against_the_definition(3000, seed=12, most=15) > 2000


def test_the_distribution_of_a_component_agrees_with_the_definition():
    for sample in samples(150, seed=13, most=10, spoil=0):
        system = system_of(sample.position)
        found = weigh(system, HALF)
        every = list(layouts(sample.position))
        for component in found.components:
            cells = set(component.count.component.cells)
            mines = [len(cells & layout) for layout in every]
            assert component.distribution == {m: Fraction(mines.count(m), len(every)) for m in set(mines)}


@pytest.mark.parametrize(("row", "position"), rows("public"), ids=lambda value: getattr(value, "get", str)("id"))
def test_public_positions(row, position):
    answer = row["answer"]
    system = system_of(position, trust_flags=bool(row["trust_flags"]))
    if answer["solutions"] == 0:
        with pytest.raises(Contradiction):
            weigh(system)
        return
    found = weigh(system, HALF)
    expected = {cell(row, *map(int, at.split(","))): Fraction(p) for at, p in answer["probabilities"].items()}
    assert found.layouts == answer["solutions"]
    if row.get("probabilities_partial"):
        outside = dict.fromkeys(system.unconstrained, Fraction(row["probability_outside"]))
        assert {c: found.chances[c] for c in expected} == expected
        assert {c: found.chances[c] for c in outside} == outside
    else:
        assert found.chances == expected
    assert {c for c, p in found.chances.items() if p == 0} == {cell(row, *at) for at in answer["safe"]}
    assert {c for c, p in found.chances.items() if p == 1} == {cell(row, *at) for at in answer["mines"]}


def test_stuck_expert_positions():
    for row, position in rows("stuck-expert"):
        system = system_of(position)
        found = weigh(system)
        lowest = min(found.chances.values())
        assert found.layouts == int(row["layouts"])
        assert lowest == Fraction(row["lowest_chance"])
        assert all(found.chances[cell(row, *at)] == lowest for at in row["lowest_at"])
        assert sum(found.chances.values()) == system.total
        assert lowest > 0  # they are stuck: no cell is certainly safe


def test_a_chance_is_the_share_of_layouts_with_a_mine_there():
    # counting with a cell fixed needs none of the algebra that gives the chances of all cells at once
    stuck = [position for _, position in rows("stuck-expert")]
    positions = [lattice(21, 10, 0.2, 1), lattice(13, 8, 0.35, 2), *stuck[:20]]
    for seed, position in enumerate(positions):
        system = system_of(position)
        found = weigh(system)
        for fixed in random.Random(seed).sample(sorted(c for c, p in found.chances.items() if 0 < p < 1), 4):
            with_mine = weigh(system.without({fixed: True})).layouts
            assert found.chances[fixed] == Fraction(with_mine, found.layouts)


@pytest.mark.slow
def test_stuck_expert_positions_in_time():
    seconds = []
    for _, position in rows("stuck-expert"):
        begin = time.process_time()
        weigh(system_of(position))
        seconds.append(time.process_time() - begin)
    assert statistics.median(seconds) <= 0.060
    assert max(seconds) <= 1.5


@pytest.mark.parametrize("stanza", STANZAS, ids=lambda stanza: stanza.split("name: ")[1].split("\n")[0])
def test_literature(stanza):
    lines = [line for line in stanza.splitlines() if line and not line.startswith(";")]
    facts = dict(line.split(": ") for line in lines if ":" in line)
    board = "\n".join([f"size: {facts['size']}", *(line for line in lines if ":" not in line)])
    system = system_of(Position.from_text(board))
    found = weigh(system)
    assert found.layouts == int(facts["layouts"])
    counts = [count(component) for component in split(system)]
    assert sum(c.fewest for c in counts) == int(facts["fewest"])
    assert sum(c.most for c in counts) + len(system.unconstrained) == int(facts["most"])


def turned(position):
    """The position a quarter turn to the left: row y of the new one is the last column but y of the old one."""
    width, height = position.height, position.width
    last = position.width - 1
    cells = bytes(position.cells[x * position.width + last - y] for y in range(height) for x in range(width))
    return Position(width, height, cells, position.mines)


def random_board(rng, width, height, mines, opened):
    """Return the mines of a random board and a position of it in which some safe cells are open."""
    grid = Grid(width, height)
    laid = set(rng.sample(range(len(grid)), mines))
    shown = set(rng.sample([c for c in range(len(grid)) if c not in laid], opened))
    cells = bytes(sum(n in laid for n in grid.neighbours(c)) if c in shown else COVERED for c in range(len(grid)))
    return laid, Position(width, height, cells, mines)


def test_a_turned_board_has_turned_chances():
    for seed in range(30):
        _, position = random_board(random.Random(seed), 9, 6, 10, 18)
        found, other = weigh(system_of(position)), weigh(system_of(turned(position)))
        assert other.layouts == found.layouts
        came_from = {y * 6 + x: x * 9 + 8 - y for y in range(9) for x in range(6)}
        assert other.chances == {c: found.chances[old] for c, old in came_from.items() if old in found.chances}


def test_a_true_number_never_adds_layouts():
    for seed in range(20):
        rng = random.Random(seed)
        mines, position = random_board(rng, 12, 7, 15, 5)
        before = weigh(system_of(position)).layouts
        safe = [c for c, code in enumerate(position.cells) if code == COVERED and c not in mines]
        for opened in rng.sample(safe, 15):
            position = position.with_opened(opened, sum(n in mines for n in position.grid.neighbours(opened)))
            after = weigh(system_of(position)).layouts
            assert 0 < after <= before
            before = after


def test_known_cells_may_be_taken_out():
    for seed in range(20):
        _, position = random_board(random.Random(seed), 8, 6, 9, 20)
        system = system_of(position)
        whole = weigh(system)
        forced = {c: p == 1 for c, p in whole.chances.items() if p in (0, 1)}
        rest = weigh(system.without(forced))
        assert rest.layouts == whole.layouts
        assert rest.chances == {c: p for c, p in whole.chances.items() if c not in forced}


@pytest.mark.parametrize(
    ("text", "total", "message"),
    [
        ("###\n#2#\n###", 1, "1 mines among the covered cells are not possible: the numbers allow 2"),
        ("#1#\n###", 5, "the numbers allow 1"),
        ("#1##\n####", 5, "the numbers allow 1 to 3"),
        ("#1#1#", 3, "the numbers allow 1 to 2"),
    ],
)
def test_a_total_out_of_range_is_an_error_that_states_the_range(text, total, message):
    with pytest.raises(Contradiction, match=f"{message}$") as caught:
        weigh(system_of(Position.from_text(text, mines=total)))
    assert caught.value.uses_total


def test_a_gap_in_the_range_is_stated():
    # one mine in the middle serves all three numbers, or each has its own in its corner
    position = Position.from_text("#***#\n*7*7*\n**#**\n*7***\n#****", mines=18 + 2)
    assert sorted({len(mines) for mines in layouts(position.with_mines(None))}) == [1, 3]
    with pytest.raises(Contradiction, match=r"2 mines among the covered cells .* the numbers allow 1 or 3$"):
        weigh(system_of(position))


def test_the_clash_is_minimal():
    clashes = 0
    for sample in samples(300, seed=14, most=10, spoil=1):
        position = sample.position
        if any(True for _ in layouts(position)):
            continue
        clashes += 1
        with pytest.raises(Contradiction) as caught:
            weigh(system_of(position))
        clash, with_total = caught.value.clash, caught.value.uses_total
        assert not possible(position, clash, with_total)
        for number in clash:
            assert possible(position, set(clash) - {number}, with_total)
        if with_total:
            assert possible(position, clash, False)
    assert clashes > 100


def possible(position, numbers, with_total):
    """Say whether some placement of mines agrees with these numbers, and the total, whatever the others say."""
    covered = [c for c, code in enumerate(position.cells) if code == COVERED]
    shown = {c for c, code in enumerate(position.cells) if code == MINE}
    wanted = [(set(position.grid.neighbours(c)), position.cells[c]) for c in numbers]
    placements = (shown.union(p) for k in range(len(covered) + 1) for p in combinations(covered, k))
    return any(
        all(len(cells & mines) == number for cells, number in wanted)
        and (not with_total or len(mines) == position.mines)
        for mines in placements
    )


@pytest.mark.parametrize("density", [0, 1, Fraction(3, 2), -1])
def test_a_density_lies_between_0_and_1(density):
    with pytest.raises(ValueError, match="between 0 and 1"):
        weigh(system_of(Position.from_text("1#")), Fraction(density))


def test_what_is_too_wide_is_named():
    position = lattice(21, 10, 0.2, 1)
    with pytest.raises(BudgetExceeded, match="between r1c2 and r10c21: a component of 155 cells") as caught:
        weigh(system_of(position), budget=1000)
    assert len(caught.value.cells) == 155


def test_convolve_agrees_with_the_sum_of_products():
    rng = random.Random(5)
    for _ in range(50):
        left, right = ([rng.choice((0, 1, rng.getrandbits(90))) for _ in range(rng.randint(1, 9))] for _ in "ab")
        expected = [0] * (len(left) + len(right) - 1)
        for i, a in enumerate(left):
            for j, b in enumerate(right):
                expected[i + j] += a * b
        assert convolve(left, right) == tuple(expected)


@pytest.mark.parametrize("seed", range(3))
def test_the_mines_of_a_box_against_the_twin(seed):
    """How many mines each box holds, in all layouts, by number; and its mean is what the chances say."""
    met = 0
    for sample in samples(40, 1500 + seed, most=11, spoil=0):
        system = system_of(sample.position)
        every = list(layouts(sample.position))
        boxes = [box.cells for component in split(system) for box in component.boxes]
        for box in filter(None, [*boxes, system.unconstrained]):
            found = box_distribution(system, box)
            counts = Counter(len(layout.intersection(box)) for layout in every)
            assert found == {mines: Fraction(counts[mines], len(every)) for mines in range(len(box) + 1)}
            met += len(box) > 1
    assert met > 20


def test_the_mines_of_a_box_by_density():
    system = system_of(Position.from_text("1##\n###"))
    found = box_distribution(system, (2, 5), Fraction(1, 5))
    assert found == {0: Fraction(16, 25), 1: Fraction(8, 25), 2: Fraction(1, 25)}
