"""The exact number of solutions of a component by mines used, and what each box contributes to them.

Boxes are taken one after another. A state is what the open constraints (begun, not finished) still need; equal states
are merged, so cost grows with the width of the component, not with 2^cells. With a state goes a polynomial whose
coefficient of x^m counts the ways to reach it with m mines, and the polynomial is one Python integer, its value at
x = 2^bits with room for every coefficient (Kronecker substitution): to merge two states is one addition.

Two sweeps, first to last box and last to first, meet at a few cuts. There the product of the two polynomials of a
state counts the solutions that pass through it, so what an open constraint still needs, summed over all solutions, is
known at every cut. What a constraint needs less at the next cut went into its boxes between the two: linear equations,
solved exactly, for the mines of each box.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import comb

from minesolve.errors import BudgetExceeded
from minesolve.solve.frontier import Component, elimination_order

__all__ = ["BUDGET", "Count", "count"]

BUDGET = 10_000_000
"""States that a count may visit in one sweep unless it is told otherwise."""

_FIELD = 4  # bits of a state for what one open constraint still needs, 0 to 8
_FIELD_MASK = (1 << _FIELD) - 1

Layer = dict[int, int]
Step = tuple[int, "_Moves"]
_Shifted = tuple[int, Layer]  # values less a common factor 2^shift


@dataclass(frozen=True, slots=True)
class Count:
    """The solutions of a component.

    Attributes
    ----------
    component : Component
    fewest : int
        The fewest mines of a solution; 0 if there is none.
    solutions : tuple of int
        Solutions with `fewest`, `fewest` + 1, ... mines; empty if there is none.
    mines : tuple of tuple of int
        For each box, mines in it summed over those solutions.
    states : int
        States visited in one sweep: the work done.
    """

    component: Component
    fewest: int
    solutions: tuple[int, ...]
    mines: tuple[tuple[int, ...], ...]
    states: int

    @property
    def most(self) -> int:
        """The most mines of a solution; -1 if there is none."""
        return self.fewest + len(self.solutions) - 1


def count(component: Component, order: Sequence[int] | None = None, budget: int = BUDGET) -> Count:
    r"""Count the solutions of a component.

    Parameters
    ----------
    component : Component
    order : sequence of int, optional
        All indices of its boxes, in the order they are to be taken; by default `elimination_order`. It decides about
        the work, never about the result.
    budget : int
        States that one sweep may visit.

    Raises
    ------
    BudgetExceeded
        If more states than that are needed.

    Examples
    --------
    >>> from minesolve.position import Position
    >>> from minesolve.solve.constraints import system_of
    >>> from minesolve.solve.frontier import split
    >>> [component] = split(system_of(Position.from_text("1#2#\n####")))
    >>> found = count(component)
    >>> found.fewest, found.solutions, found.mines[0]
    (2, (6, 3), (6, 0))
    """
    order = elimination_order(component) if order is None else tuple(order)
    plan = Plan(component, order)
    blocks = _blocks(plan)
    rehearsal = _Rehearsal(plan, blocks, budget)
    if not rehearsal.total:
        return Count(component, 0, (), ((),) * len(component.boxes), rehearsal.visited)
    solutions, mines = _Packed(plan, rehearsal).run(blocks)
    fewest = next(m for m, number in enumerate(solutions) if number)
    kept = tuple(mines[box][fewest:] for box in range(len(component.boxes)))
    return Count(component, fewest, solutions[fewest:], kept, rehearsal.visited)


class Plan:
    """Where each constraint begins and ends in an order of boxes, and which field of a state it has meanwhile."""

    def __init__(self, component: Component, order: Sequence[int]):
        if sorted(order) != list(range(len(component.boxes))):
            raise ValueError("an order holds every box of the component once")
        self.component, self.order = component, tuple(order)
        self.needs = [constraint.mines for constraint in component.constraints]
        self.sizes = [len(box.cells) for box in component.boxes]
        self.touching = component.touching
        self.first: dict[int, int] = {}
        self.last: dict[int, int] = {}
        for step, box in enumerate(self.order):
            for constraint in self.touching[box]:
                self.first.setdefault(constraint, step)
                self.last[constraint] = step
        self.shift = self._fields()

    def _fields(self) -> list[int]:
        """Give each constraint the lowest field that is free while it is open, so that states stay short integers."""
        shift = [0] * len(self.needs)
        free: list[int] = []
        fields = 0
        for step, box in enumerate(self.order):
            for constraint in self.touching[box]:
                if self.first[constraint] == step:
                    if not free:
                        free, fields = [fields * _FIELD], fields + 1
                    shift[constraint] = free.pop(free.index(min(free)))
            free += [shift[constraint] for constraint in self.touching[box] if self.last[constraint] == step]
        return shift

    def open_at(self, cut: int) -> list[int]:
        """Return the constraints that are open just before a step."""
        return [c for c in range(len(self.needs)) if self.first[c] < cut <= self.last[c]]

    def steps(self, bits: int) -> list[Step]:
        """Return for each step the fields of a state it looks at, and its moves."""
        left = [sum(self.sizes[box] for box in boxes) for boxes in self.component.members]
        found = []
        for step, box in enumerate(self.order):
            rows, mask = [], 0
            for constraint in self.touching[box]:
                left[constraint] -= self.sizes[box]
                begins = self.first[constraint] == step
                rows.append((self.shift[constraint], self.needs[constraint] if begins else None, left[constraint]))
                mask |= 0 if begins else _FIELD_MASK << self.shift[constraint]
            found.append((mask, _Moves(self.sizes[box], rows, bits)))
        return found


class _Rehearsal:
    """Both sweeps with plain counts: how many solutions there are, and which states at the cuts lie on one.

    Far cheaper than the sweeps with polynomials, it tells how much room a coefficient needs, and saves them the states
    that lead nowhere.
    """

    def __init__(self, plan: Plan, blocks: Sequence[_Block], budget: int):
        self.visited = 0
        self.alive: list[Collection[int]] = []
        steps = plan.steps(0)
        layer: Layer = {0: 1}
        for block in blocks:
            self.alive.append(layer.keys())
            for step in range(block.start, block.end):
                layer = advance(layer, *steps[step])
                self.visited += len(layer)
                if self.visited > budget:
                    raise exceeded(plan, budget, step)
        self.total = sum(layer.values())
        for index in range(len(blocks) - 1, 0, -1):
            layer = retreat(self.alive[index], layer, steps[blocks[index].start : blocks[index].end])
            self.alive[index] = layer.keys()


def exceeded(plan: Plan, budget: int, done: int) -> BudgetExceeded:
    """Return the error that says how wide a component is and how far its count came."""
    cells = plan.component.cells
    width = max(len(plan.open_at(cut)) for cut in range(len(plan.order)))
    return BudgetExceeded(
        f"a component of {len(cells)} cells is too wide to count: up to {width} of its {len(plan.needs)} numbers are "
        f"open at once, and {budget:,} states took the count only past {done} of its {len(plan.order)} boxes",
        cells,
    )


class _Moves(dict[int, tuple[tuple[int, int, int], ...]]):
    """What a step can do to a state, by the fields it looks at: (change of the state, shift of its value, factor).

    A move that leaves a constraint needing less than nothing, or more than its later boxes can hold, is none.
    """

    def __init__(self, size: int, rows: Sequence[tuple[int, int | None, int]], bits: int):
        super().__init__()
        self.size, self.rows, self.bits = size, rows, bits

    def __missing__(self, fields: int) -> tuple[tuple[int, int, int], ...]:
        changes = ((mines, self._change(fields, mines)) for mines in range(self.size + 1))
        moves = tuple((d, mines * self.bits, comb(self.size, mines)) for mines, d in changes if d is not None)
        self[fields] = moves
        return moves

    def _change(self, fields: int, mines: int) -> int | None:
        change = 0
        for shift, begins_with, room in self.rows:
            before = fields >> shift & _FIELD_MASK if begins_with is None else begins_with
            if not 0 <= before - mines <= room:
                return None
            change += (-mines if begins_with is None else before - mines) << shift
        return change


def advance(layer: Layer, mask: int, moves: _Moves) -> Layer:
    """Take one box: every state by every move it allows, equal results merged."""
    following: Layer = defaultdict(int)
    for state, value in layer.items():
        for change, shift, factor in moves[state & mask]:
            if factor != 1:
                following[state + change] += value * factor << shift
            elif shift:
                following[state + change] += value << shift
            else:
                following[state + change] += value
    return following


def retreat(states: Iterable[int], layer: Layer, steps: Sequence[Step]) -> Layer:
    """Return for each of some states how it can go on, by some steps, to a later layer; left out if it can't."""
    layers = [dict.fromkeys(states, 0)]
    for mask, moves in steps[:-1]:
        layers.append({state + change: 0 for state in layers[-1] for change, _, _ in moves[state & mask]})
    while layers:
        mask, moves = steps[len(layers) - 1]
        earlier: Layer = {}
        for state in layers.pop():
            value = 0
            for change, shift, factor in moves[state & mask]:
                value += layer.get(state + change, 0) * factor << shift
            if value:
                earlier[state] = value
        layer = earlier
    return layer


class _Packed:
    """The two sweeps over packed polynomials."""

    def __init__(self, plan: Plan, rehearsal: _Rehearsal):
        self.plan, self.alive = plan, rehearsal.alive
        # no coefficient exceeds the solutions times the largest need; whole bytes, so that unpacking is slicing
        self.width = ((8 * rehearsal.total).bit_length() + 7) // 8
        self.bits = 8 * self.width
        self.steps = plan.steps(self.bits)

    def run(self, blocks: Sequence[_Block]) -> tuple[tuple[int, ...], dict[int, tuple[int, ...]]]:
        """Return the solutions by mines from none, and by box the sum of its mines alike."""
        *starts, (shift, last) = self._forward(blocks)
        solutions = sum(last.values()) << shift
        layer, back = dict.fromkeys(last, 1), 0
        after = [0] * len(self.plan.needs)
        mines: dict[int, int] = {}
        for block, (shift, start) in zip(reversed(blocks), reversed(starts), strict=True):
            layer = retreat(start, layer, self.steps[block.start : block.end])
            back += self._strip(layer)
            before = self._needed(block.start, start, layer, shift + back, solutions)
            mines.update(block.solve({c: before[c] - after[c] for c in block.constraints}))
            after = before
        length = solutions.bit_length() // self.bits + 1
        unpacked = {box: unpack(value, length, self.width) for box, value in mines.items()}
        return unpack(solutions, length, self.width), unpacked

    def _forward(self, blocks: Sequence[_Block]) -> Iterator[_Shifted]:
        """Yield the layer at the start of each block, and the last."""
        layer: Layer = {0: 1}
        shift = 0
        for block, alive in zip(blocks, self.alive, strict=True):
            layer = {state: layer[state] for state in alive}
            shift += self._strip(layer)
            yield shift, layer
            for step in self.steps[block.start : block.end]:
                layer = advance(layer, *step)
        yield shift, layer

    def _strip(self, layer: Layer) -> int:
        """Divide a layer by the highest power of x that divides it; return the shift."""
        union = 0
        for value in layer.values():
            union |= value
        shift = ((union & -union).bit_length() - 1) // self.bits * self.bits
        if shift:
            for state in layer:
                layer[state] >>= shift
        return shift

    def _needed(self, cut: int, forward: Layer, backward: Layer, shift: int, solutions: int) -> list[int]:
        """Return for each constraint what it needs at a cut, summed over all solutions."""
        plan = self.plan
        needed = [need * solutions if plan.first[c] >= cut else 0 for c, need in enumerate(plan.needs)]
        through = {state: value * forward[state] for state, value in backward.items()}
        for constraint in plan.open_at(cut):
            rest: Layer = defaultdict(int)  # the same with this constraint forgotten, so that less and less is added
            total, field = 0, plan.shift[constraint]
            for state, value in through.items():
                missing = state >> field & _FIELD_MASK
                total += missing * value
                rest[state ^ missing << field] += value
            needed[constraint] = total << shift
            through = rest
        return needed


def unpack(value: int, length: int, width: int) -> tuple[int, ...]:
    """Return the coefficients, lowest first, of a polynomial packed with so many bytes a coefficient."""
    data = value.to_bytes(length * width, "little")
    return tuple(int.from_bytes(data[i : i + width], "little") for i in range(0, len(data), width))


class _Block:
    """Boxes between two cuts, few enough that what their constraints need less determines the mines of each.

    `basis` holds, in echelon form, integer combinations of the boxes' incidence vectors: (pivot, vector, combination).
    """

    def __init__(self, start: int):
        self.start = self.end = start
        self.constraints: set[int] = set()
        self.basis: list[tuple[int, dict[int, int], dict[int, int]]] = []

    def take(self, box: int, constraints: Sequence[int]) -> bool:
        """Take one more box, unless the equations would no longer have one solution, or need fractions."""
        vector, combination = dict.fromkeys(constraints, 1), {box: 1}
        for pivot, other, made_of in self.basis:
            factor = vector.get(pivot, 0)
            if factor:
                _add_multiple(vector, other, -factor)
                _add_multiple(combination, made_of, -factor)
        pivot = next((c for c in sorted(vector) if abs(vector[c]) == 1), -1)
        if pivot < 0:
            return False
        if vector[pivot] < 0:
            vector, combination = {c: -v for c, v in vector.items()}, {b: -v for b, v in combination.items()}
        self.basis.append((pivot, vector, combination))
        self.constraints.update(constraints)
        self.end += 1
        return True

    def solve(self, spent: dict[int, int]) -> dict[int, int]:
        """Return the mines of each box from what each constraint spent between the cuts."""
        mines: dict[int, int] = defaultdict(int)
        for pivot, vector, combination in self.basis:
            amount = spent[pivot]
            _add_multiple(spent, vector, -amount)
            _add_multiple(mines, combination, amount)
        return mines


def _add_multiple(target: dict[int, int], vector: dict[int, int], factor: int) -> None:
    for key, value in vector.items():
        target[key] = target.get(key, 0) + factor * value


def _blocks(plan: Plan) -> list[_Block]:
    """Split the order into blocks, each as long as its equations allow: every cut costs a product for each state."""
    blocks = [_Block(0)]
    for step, box in enumerate(plan.order):
        if not blocks[-1].take(box, plan.touching[box]):
            blocks.append(_Block(step))
            blocks[-1].take(box, plan.touching[box])
    return blocks
