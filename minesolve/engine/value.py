"""What a position is worth: a small model, learned from play, of the chance of winning it.

The model looks at three things (`describe`):

- some figures of the whole position (`FIGURE_NAMES`);
- its cells and pairs of neighbouring cells, put into classes by what is around them. A class has a learned vector, and
  the vectors are added up in four groups: cells beside a number, cells beside none, cells that are certainly safe,
  pairs;
- its components, each by some traits (`TRAIT_NAMES`), which pass one small layer; what comes out is added up.

All that is one input x of two small layers with a direct way around them (`estimate`)::

    g = sum over components of relu(traits wp + bp)
    x = (figures - middle) spread, sums of `table` by group, g
    value = 1 / (1 + exp(-(x direct + relu(relu(x w1 + b1) w2 + b2) w3 + bias)))

Nothing in it depends on where a cell is on the board, so mirrored positions have the same value. Chances are compared
with room for rounding, for the same reason.
"""

# mypy: disable-error-code="no-any-return"
# (arrays and compiled kernels are Any to mypy; it is the compiler that checks types here)

from __future__ import annotations

from functools import cache
from math import exp, log
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from minesolve.engine.board import KNOWN_MINE, MINES_LEFT, OPENED, UNKNOWN, Board
from minesolve.engine.chances import EQUAL
from minesolve.engine.compiling import inline_kernel, kernel
from minesolve.engine.frontier import COMPONENTS, Frontier
from minesolve.engine.play import Desk
from minesolve.engine.states import States
from minesolve.engine.total import end_state

__all__ = [
    "CLASSES", "CLASSES_MET", "FIGURES", "FIGURE_NAMES", "FIRST_HIDDEN", "INPUTS", "PARTS_AT", "PARTS_MET",
    "PART_HIDDEN", "SECOND_HIDDEN", "SHAPES", "TRAITS", "TRAIT_NAMES", "VECTOR", "Parameters", "Value",
    "allocate_parameters", "allocate_value", "describe", "estimate", "load_parameters", "pass_part", "save_parameters",
    "stored_parameters", "vector_at",
]  # fmt: skip

FIGURE_NAMES = {
    "undecided": "cells that may be safe or a mine",
    "outside chance": "the chance of a mine beside no number; without such cells, the mean of q (1 - q)",
    "outside": "undecided cells beside no number",
    "mines": "mines in cells that are not known",
    "sure": "cells that are certainly safe and not yet open, 12 at most",
    "any sure": "1 if there is one",
    "first": "safety of the safest undecided cell",
    "second": "that of the second one, cells beside no number counted, too",
    "third": "that of the third one",
    "layouts": "logarithm of the number of layouts",
    "entropy": "what is unknown of the cells beside numbers, each by itself, in nats",
    "squares": "sum of q (1 - q)",
    "components": "components",
    "boxes": "boxes that are undecided",
    "inside": "undecided cells beside a number",
    "pair risk": "sum over opposite pairs of the lower chance times the chance that no cell beside it tells",
    "pairs": "opposite pairs: neighbours beside numbers whose chances add up to 1",
    "inner first": "safety of the safest undecided cell beside a number",
    "no outside": "1 if no undecided cell is beside no number",
    "share": "undecided cells, as a share of the board",
    "narrow": "opposite pairs that no cell beside them tells apart with a chance above 0.2",
    "tight": "opposite pairs with no cell beside them that could",
    "log layouts": "logarithm of 1 + layouts (the figure above)",
    "sure share": "sure cells among those that are covered and no known mines",
}
"""The figures of a position, in their order; q is the chance of a mine."""

(
    UNDECIDED, OUTSIDE_CHANCE, OUTSIDE, MINES, SURE, ANY_SURE, BEST, SECOND_BEST, THIRD_BEST, LAYOUTS, ENTROPY, SQUARES,
    COMPONENTS_MET, BOXES_OPEN, INSIDE, PAIR_RISK, PAIRS, INNER_BEST, NO_OUTSIDE, SHARE, NARROW, TIGHT, LOG_LAYOUTS,
    SURE_SHARE,
) = range(len(FIGURE_NAMES))  # fmt: skip

TRAIT_NAMES = {
    "first": "safety of its safest undecided cell",
    "second": "that of the second one",
    "cells": "its undecided cells, 20 at most; over 10",
    "entropy": "what is unknown of them, each by itself, in nats; over 3",
    "leaks": "how often one of them is beside an undecided cell outside the component, 12 at most; over 6",
    "sure beside": "how often one is beside a cell that is certainly safe, 6 at most; over 3",
    "open cells": "cells that leak, 8 at most; over 4",
    "no leak": "1 if none does",
    "any sure": "1 if one is beside a cell that is certainly safe",
    "fixed": "1 if its mines are the same number in all its layouts",
    "quiet": "cells beside no other undecided cell, 4 at most; over 2",
    "halves": "cells whose chance is 1/2, as a share",
    "boxes": "its undecided boxes, 16 at most; over 8",
    "risk": "logarithm of the chance of a mine on its safest cell, plus 0.02",
}
"""The traits of a component that has undecided cells, in their order."""

(
    T_BEST, T_SECOND, T_CELLS, T_ENTROPY, T_LEAKS, T_SURE, T_OPEN, T_NO_LEAK, T_ANY_SURE, T_FIXED, T_QUIET, T_HALVES,
    T_BOXES, T_RISK,
) = range(len(TRAIT_NAMES))  # fmt: skip

FIGURES, TRAITS = len(FIGURE_NAMES), len(TRAIT_NAMES)

_AROUND = 9 * 9
"""By how many of the eight neighbours may be safe, and how many are surely mines or off the board."""

_RISKS = np.array([0.03, 0.08, 0.15, 0.22, 0.3, 0.4, 0.5, 0.65, 0.85]) + EQUAL
"""Upper ends of the ranges that the chance of a cell beside a number is put into."""

_FIFTHS = 5
"""The two chances of a pair are put into so many ranges each; a pair has up to six cells that may tell it apart."""

INSIDE_CLASS = 0
OUTSIDE_CLASS = INSIDE_CLASS + (len(_RISKS) + 1) * _AROUND
SURE_CLASS = OUTSIDE_CLASS + _AROUND
PAIR_CLASS = SURE_CLASS + _AROUND
CLASSES = PAIR_CLASS + 7 * 2 * _FIFTHS**2
"""The first class of each group, and the end of the last."""

GROUPS, VECTOR, PART_HIDDEN, FIRST_HIDDEN, SECOND_HIDDEN = 4, 8, 16, 32, 16
_VECTORS_AT = FIGURES
PARTS_AT = FIGURES + GROUPS * VECTOR
INPUTS = PARTS_AT + PART_HIDDEN

SHAPES = {
    "table": (CLASSES, VECTOR), "wp": (TRAITS, PART_HIDDEN), "bp": (PART_HIDDEN,), "middle": (FIGURES,),
    "spread": (FIGURES,), "w1": (INPUTS, FIRST_HIDDEN), "b1": (FIRST_HIDDEN,), "w2": (FIRST_HIDDEN, SECOND_HIDDEN),
    "b2": (SECOND_HIDDEN,), "w3": (SECOND_HIDDEN,), "direct": (INPUTS,), "bias": (1,),
}  # fmt: skip
"""The shapes of the parameters."""

_OPEN, _WALL = 2.0, 3.0
"""What stands in `Value.chance` for opened cells and off the board."""

_STORED = Path(__file__).with_name("value.npz")


class Parameters(NamedTuple):
    """What is learned: float64 arrays of the shapes in `SHAPES`, by the names of the formula above."""

    table: Any
    wp: Any
    bp: Any
    middle: Any
    spread: Any
    w1: Any
    b1: Any
    w2: Any
    b2: Any
    w3: Any
    direct: Any
    bias: Any


class Value(NamedTuple):
    """The model, a position as it sees it, and its scratch.

    Attributes
    ----------
    parameters : Parameters
    figures : float64[FIGURES]
    traits : float64[components, TRAITS]
    classes, counts : int32[CLASSES]
        The classes that were met, and how often each was.
    length : int64[2]
        How many classes were met, and how many components have undecided cells.
    tally : int32[CLASSES]
        Zeros, but while a position is described.
    chance : float64[places]
        By place: the chance of a mine, exactly 0 or 1 where it is forced; above 1 where nothing is covered.
    x, h1, h2, hidden : float64
        The layers of the model.
    """

    parameters: Parameters
    figures: Any
    traits: Any
    classes: Any
    counts: Any
    length: Any
    tally: Any
    chance: Any
    x: Any
    h1: Any
    h2: Any
    hidden: Any


CLASSES_MET, PARTS_MET = 0, 1
"""Places in `Value.length`."""


def allocate_parameters() -> tuple[Parameters, Any]:
    """Return parameters that are all zero, and the one array that they are views of."""
    sizes = [int(np.prod(shape)) for shape in SHAPES.values()]
    flat = np.zeros(sum(sizes))
    parts = np.split(flat, np.cumsum(sizes)[:-1])
    return Parameters(*(part.reshape(shape) for part, shape in zip(parts, SHAPES.values(), strict=True))), flat


def allocate_value(places: int, parameters: Parameters) -> Value:
    """Return the arrays for boards with this many places."""
    classes, counts, tally = np.zeros((3, CLASSES), np.int32)
    return Value(
        parameters, np.zeros(FIGURES), np.zeros((places, TRAITS)), classes, counts, np.zeros(2, np.int64), tally,
        np.zeros(places), np.zeros(INPUTS), np.zeros(FIRST_HIDDEN), np.zeros(SECOND_HIDDEN), np.zeros(PART_HIDDEN),
    )  # fmt: skip


def save_parameters(parameters: Parameters, path: Path = _STORED) -> None:
    """Write parameters to a file, in single precision."""
    with path.open("wb") as file:
        np.savez_compressed(file, **{name: array.astype(np.float32) for name, array in parameters._asdict().items()})


def load_parameters(path: Path = _STORED) -> Parameters:
    """Read parameters from a file; ValueError if they are not of the shapes that this version has."""
    parameters, _ = allocate_parameters()
    with np.load(path) as stored:
        for name, array in parameters._asdict().items():
            if name not in stored or stored[name].shape != array.shape:
                raise ValueError(f"{path}: expected {name} of shape {array.shape}")
            array[:] = stored[name]
    return parameters


@cache
def stored_parameters() -> Parameters:
    """Return the parameters that minesolve plays by; read once."""
    return load_parameters()


# --- a position as the model sees it ---


@inline_kernel
def _note(value: Value, which: int) -> None:
    """Count one more of a class."""
    if value.tally[which] == 0:
        value.classes[value.length[CLASSES_MET]] = which
        value.length[CLASSES_MET] += 1
    value.tally[which] += 1


@inline_kernel
def _nats(q: float) -> float:
    """Return the entropy of a cell."""
    return -(q * log(q) + (1.0 - q) * log(1.0 - q))


@inline_kernel
def _chance_of_box(frontier: Frontier, states: States, chances: Any, box: int) -> float:
    """Return the chance of a box, exactly 0 or 1 where it is forced."""
    if states.values[box] == 1:
        return 0.0
    return 1.0 if states.values[box] == 1 << frontier.box_size[box] else chances[box]


@kernel
def _note_chances(desk: Desk, chances: Any, value: Value) -> None:
    """Write the chance of every place, and the figures that follow from chances alone."""
    board, frontier, chance, figures = desk.board, desk.frontier, value.chance, value.figures
    sure, undecided, outside, squares = 0, 0, 0, 0.0
    first, second, third, inner = 0.0, 0.0, 0.0, 0.0
    for p in range(len(chance)):
        chance[p] = _WALL
    for p in board.places:
        status, box = board.status[p], frontier.box_of[p]
        if status == OPENED:
            chance[p] = _OPEN
            continue
        if status != UNKNOWN:
            q = 1.0 if status == KNOWN_MINE else 0.0
        else:
            q = chances[-1] if box < 0 else _chance_of_box(desk.frontier, desk.states, chances, box)
        chance[p] = q
        sure += 1 if q <= 0.0 else 0
        if 0.0 < q < 1.0:
            undecided += 1
            squares += q * (1.0 - q)
            safe = 1.0 - q
            if box < 0:
                outside += 1
            else:
                inner = max(inner, safe)
            third = max(third, min(second, safe))
            second = max(second, min(first, safe))
            first = max(first, safe)
    figures[UNDECIDED], figures[OUTSIDE], figures[INSIDE] = undecided, outside, undecided - outside
    figures[SURE], figures[ANY_SURE] = min(sure, 12), 1.0 if sure else 0.0
    figures[BEST], figures[SECOND_BEST], figures[THIRD_BEST], figures[INNER_BEST] = first, second, third, inner
    figures[SQUARES], figures[NO_OUTSIDE] = squares, 1.0 if outside == 0 else 0.0
    figures[OUTSIDE_CHANCE] = chances[-1] if outside else squares / max(undecided, 1)
    figures[SHARE], figures[SURE_SHARE] = undecided / len(board.places), sure / (sure + undecided + 1.0)


@kernel
def _note_pair(board: Board, frontier: Frontier, value: Value, p: int, step: int, across: int) -> None:
    """Note the pair of an undecided cell and the next one along an axis, if that is undecided and one has a number."""
    chance, figures = value.chance, value.figures
    q, r, box, other = chance[p], chance[p + step], frontier.box_of[p], frontier.box_of[p + step]
    if r <= 0.0 or r >= 1.0 or (box < 0 and other < 0):
        return
    telling, silent = 0, 1.0
    for k in range(-1, 2):
        for far in (-step, 2 * step):
            beside = chance[p + far + k * across]
            if beside < 1.0:
                telling += 1
                silent *= beside
    low, high = min(int(_FIFTHS * min(q, r) + EQUAL), 4), min(int(_FIFTHS * max(q, r) + EQUAL), 4)
    same = 1 if box == other else 0
    _note(value, PAIR_CLASS + ((telling * 2 + same) * _FIFTHS + low) * _FIFTHS + high)
    if abs(q + r - 1.0) < EQUAL and box >= 0 and other >= 0:
        figures[PAIR_RISK] += min(q, r) * silent
        figures[PAIRS] += 1.0
        figures[NARROW] += 1.0 if silent > 0.2 + EQUAL else 0.0
        figures[TIGHT] += 1.0 if telling == 0 else 0.0


@kernel
def _note_classes(board: Board, frontier: Frontier, value: Value) -> None:
    """Write the classes of cells and pairs, and the figures of pairs."""
    chance, figures = value.chance, value.figures
    value.length[CLASSES_MET] = 0
    figures[PAIR_RISK] = figures[PAIRS] = figures[NARROW] = figures[TIGHT] = 0.0
    for p in board.places:
        q = chance[p]
        if q >= 1.0:
            continue
        free, walls = 0, 0
        for d in range(8):
            beside = chance[p + board.offsets[d]]
            free += 1 if beside < 1.0 else 0
            walls += 1 if beside == 1.0 or beside == _WALL else 0  # noqa: PLR1714 - faster
        around = 9 * free + walls
        if q <= 0.0:
            _note(value, SURE_CLASS + around)
            continue
        if frontier.box_of[p] < 0:
            _note(value, OUTSIDE_CLASS + around)
        else:
            risk = 0
            for end in _RISKS:
                risk += 1 if q > end else 0
            _note(value, INSIDE_CLASS + risk * _AROUND + around)
        for axis in range(2):
            step = board.stride if axis else 1
            _note_pair(board, frontier, value, p, step, board.stride + 1 - step)
    for i in range(value.length[CLASSES_MET]):
        which = value.classes[i]
        value.counts[i] = value.tally[which]
        value.tally[which] = 0


@kernel
def _note_component(board: Board, frontier: Frontier, states: States, value: Value, c: int, traits: Any) -> bool:
    """Write the traits of a component that follow from its cells; return False if none is undecided."""
    chance, box_start = value.chance, frontier.box_start
    first, second, cells, leaks, sure, leaking, quiet, halves = 0.0, 0.0, 0, 0, 0, 0, 0, 0
    for i in range(frontier.cell_start[c], frontier.cell_start[c + 1]):
        p = frontier.cells[i]
        q = chance[p]
        if q <= 0.0 or q >= 1.0:
            continue
        cells += 1
        second = max(second, min(first, 1.0 - q))
        first = max(first, 1.0 - q)
        out, inside = 0, 0
        for d in range(8):
            r = p + board.offsets[d]
            sure += 1 if chance[r] <= 0.0 else 0
            if 0.0 < chance[r] < 1.0:
                own = box_start[c] <= frontier.box_of[r] < box_start[c + 1]
                inside += 1 if own else 0
                out += 0 if own else 1
        leaks += out
        leaking += 1 if out else 0
        quiet += 1 if out + inside == 0 else 0
        halves += 1 if abs(q - 0.5) < EQUAL else 0
    if cells == 0:
        return False
    end = end_state(frontier, states, c)
    traits[T_BEST], traits[T_SECOND], traits[T_RISK] = first, second, log(1.0 - first + 0.02)
    traits[T_CELLS], traits[T_QUIET], traits[T_HALVES] = min(cells, 20) / 10.0, min(quiet, 4) / 2.0, halves / cells
    traits[T_LEAKS], traits[T_OPEN], traits[T_SURE] = min(leaks, 12) / 6.0, min(leaking, 8) / 4.0, min(sure, 6) / 3.0
    traits[T_NO_LEAK], traits[T_ANY_SURE] = 1 - min(leaks, 1), min(sure, 1)
    traits[T_FIXED] = 1.0 if states.low[end] == states.high[end] else 0.0
    return True


@kernel
def _note_components(desk: Desk, chances: Any, value: Value) -> None:
    """Write the traits of components, and the figures of boxes."""
    frontier, figures, parts = desk.frontier, value.figures, 0
    figures[ENTROPY] = figures[BOXES_OPEN] = 0.0
    for c in range(frontier.count[COMPONENTS]):
        nats, boxes = 0.0, 0
        for box in range(frontier.box_start[c], frontier.box_start[c + 1]):
            q = _chance_of_box(frontier, desk.states, chances, box)
            if 0.0 < q < 1.0:
                nats += frontier.box_size[box] * _nats(q)
                boxes += 1
        figures[ENTROPY] += nats
        figures[BOXES_OPEN] += boxes
        if _note_component(desk.board, frontier, desk.states, value, c, value.traits[parts]):
            value.traits[parts, T_ENTROPY], value.traits[parts, T_BOXES] = nats / 3.0, min(boxes, 16) / 8.0
            parts += 1
    value.length[PARTS_MET] = parts


@kernel
def describe(desk: Desk, chances: Any, layouts: float, value: Value) -> None:
    """Write what the model sees of the position on the desk; it has been weighed (`weigh_board`).

    `layouts` is the logarithm of their number.
    """
    _note_chances(desk, chances, value)
    _note_classes(desk.board, desk.frontier, value)
    _note_components(desk, chances, value)
    figures = value.figures
    figures[MINES], figures[COMPONENTS_MET] = desk.board.count[MINES_LEFT], desk.frontier.count[COMPONENTS]
    figures[LAYOUTS], figures[LOG_LAYOUTS] = layouts, log(1.0 + layouts)


# --- the model ---


@inline_kernel
def vector_at(which: int) -> int:
    """Return where in the input the vectors of the group of a class are added up."""
    group = 0
    for begin in (OUTSIDE_CLASS, SURE_CLASS, PAIR_CLASS):
        group += 1 if which >= begin else 0  # NumPy's booleans, without the compiler, would not add up
    return _VECTORS_AT + VECTOR * group


@kernel
def pass_part(value: Value, part: int) -> None:
    """Pass the traits of a component through their layer, to `hidden`."""
    hidden, wp, bp = value.hidden, value.parameters.wp, value.parameters.bp
    for k in range(PART_HIDDEN):
        hidden[k] = bp[k]
    for t in range(TRAITS):
        for k in range(PART_HIDDEN):
            hidden[k] += value.traits[part, t] * wp[t, k]


@kernel
def _gather(value: Value) -> None:
    """Write the input x."""
    own, x = value.parameters, value.x
    for i in range(FIGURES):
        x[i] = (value.figures[i] - own.middle[i]) * own.spread[i]
    for i in range(FIGURES, INPUTS):
        x[i] = 0.0
    for i in range(value.length[CLASSES_MET]):
        which, times = value.classes[i], float(value.counts[i])
        at = vector_at(which)
        for k in range(VECTOR):
            x[at + k] += times * own.table[which, k]
    for part in range(value.length[PARTS_MET]):
        pass_part(value, part)
        for k in range(PART_HIDDEN):
            x[PARTS_AT + k] += max(value.hidden[k], 0.0)


@kernel
def estimate(value: Value) -> float:
    """Return the model's chance of winning the position that was described; what passed its layers stays in them."""
    _gather(value)
    own, x, h1, h2 = value.parameters, value.x, value.h1, value.h2
    for j in range(FIRST_HIDDEN):
        h1[j] = own.b1[j]
    for j in range(SECOND_HIDDEN):
        h2[j] = own.b2[j]
    out = own.bias[0]
    for i in range(INPUTS):
        out += x[i] * own.direct[i]
        for j in range(FIRST_HIDDEN):
            h1[j] += x[i] * own.w1[i, j]
    for i in range(FIRST_HIDDEN):
        if h1[i] > 0.0:
            for j in range(SECOND_HIDDEN):
                h2[j] += h1[i] * own.w2[i, j]
    for j in range(SECOND_HIDDEN):
        if h2[j] > 0.0:
            out += h2[j] * own.w3[j]
    return 1.0 / (1.0 + exp(-out))
