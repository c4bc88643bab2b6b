from fractions import Fraction
from itertools import chain, combinations

from corpus_rows import cell, rows
from random_positions import samples
from slow_twin import layouts

from minesolve.position import Position
from minesolve.solve.constraints import system_of
from minesolve.solve.fifty import Fifty, find
from minesolve.solve.probability import weigh


def possible_positions(count, seed, most):
    for sample in samples(count, seed, most=most, spoil=0):
        yield sample.position, list(layouts(sample.position))


def shown(position, mines, at):
    return sum(n in mines for n in position.grid.neighbours(at))


def subsets(cells):
    return chain.from_iterable(combinations(cells, k) for k in range(len(cells) + 1))


def test_no_opening_outside_the_set_changes_a_chance():
    # the truth is any layout; any cells outside the set that it allows are opened; what remains possible is counted
    checked = 0
    for position, every in possible_positions(500, seed=40, most=9):
        system = system_of(position)
        for fifty in find(system):
            outside = [c for c in system.cells if c not in fifty.cells]
            for truth in every:
                for opened in subsets([c for c in outside if c not in truth]):
                    seen = {c: shown(position, truth, c) for c in opened}
                    left = [
                        mines
                        for mines in every
                        if all(c not in mines and shown(position, mines, c) == n for c, n in seen.items())
                    ]
                    for c in fifty.cells:
                        assert 2 * sum(c in mines for mines in left) == len(left)
                    checked += 1
    assert checked > 1000


def sets_of_two_patterns(position, every, cells, most):
    """Return all true 50/50s of at most so many cells, from the definition."""
    found = set()
    for size in range(2, most + 1, 2):
        for chosen in map(frozenset, combinations(cells, size)):
            patterns = {mines & chosen for mines in every}
            if len(patterns) == 2 and is_fifty(position, every, cells, chosen, patterns):
                one, other = sorted(patterns, key=lambda p: min(chosen) not in p)
                found.add(Fifty(tuple(sorted(one)), tuple(sorted(other))))
    return found


def is_fifty(position, every, cells, chosen, patterns):
    one, other = patterns
    if one | other != chosen or one & other or len(one) != len(other):
        return False
    known = set(every)
    for mines in every:
        swapped = mines ^ chosen
        outside = [c for c in cells if c not in chosen and c not in mines]
        if swapped not in known or any(shown(position, mines, c) != shown(position, swapped, c) for c in outside):
            return False
    return True


def test_all_sets_of_the_definition_are_found():
    total = 0
    for position, every in possible_positions(600, seed=41, most=8):
        system = system_of(position)
        found = set(find(system))
        assert found == sets_of_two_patterns(position, every, system.cells, most=8)
        total += len(found)
    assert total > 30


def test_larger_sets_of_the_definition_are_found():
    larger = 0
    for row, position in rows("optimal"):
        system = system_of(position, trust_flags=row["trust_flags"])
        every = list(layouts(position, row["trust_flags"]))
        found = set(find(system))
        assert found == sets_of_two_patterns(position, every, system.cells, most=6)
        larger += sum(len(fifty.cells) > 2 for fifty in found)
    assert larger > 2


def test_four_cells_of_one_pattern():
    found = {row["id"]: find(system_of(position, trust_flags=True)) for row, position in rows("optimal")}
    row = next(row for row, _ in rows("optimal") if row["id"] == "end-six-three")
    [fifty] = found["end-six-three"]
    assert set(fifty.cells) == {cell(row, x, y) for x in (6, 7) for y in (4, 5)}


def test_a_cell_outside_that_can_tell_breaks_the_set():
    # the pair beside the 1 is even, and sealed off only where nothing else touches one of the two alone
    sealed = Position.from_text("1#\n1#", mines=1)
    open_to_one_side = Position.from_text("1#\n1#\n##", mines=1)
    assert find(system_of(sealed)) == (Fifty((1,), (3,)),)
    assert weigh(system_of(open_to_one_side)).chances[1] == Fraction(1, 2)
    assert find(system_of(open_to_one_side)) == ()


def test_chances_at_hand_are_used_or_made():
    system = system_of(Position.from_text("1#\n1#"))
    assert find(system, weigh(system)) == find(system, weigh(system, Fraction(1, 7))) == (Fifty((1,), (3,)),)
