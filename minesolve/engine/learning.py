"""Learning what positions are worth from play: games that are recorded, and the descent that fits the model to them.

Games are played against themselves, by safety or by looking ahead. One guess in a game, or none, is replaced by one of
the promising cells at random, so that positions are met that the policy would not run into; what comes after it is
recorded. No game is lost: where a guess would hit a mine another layout is drawn (`minesolve.engine.redraw`). What a
recorded position is worth, its label, is the product of the later guesses' chances of survival, and of the exact chance
of winning where the game was searched to its end: the mean of many games that begin there, and less noisy than their
wins.

The chances of whole games say what a policy wins (`win_chances`), without records.

The model is fitted by Adam (Kingma, Ba: Adam: a method for stochastic optimization, ICLR 2015) to the mean logistic
loss, with a decay of the weights.
"""

# mypy: disable-error-code="no-any-return"
# (arrays and compiled kernels are Any to mypy; it is the compiler that checks types here)

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesolve.engine.batch import draw_board
from minesolve.engine.board import known_mines, lay_mines, settle
from minesolve.engine.chances import weigh_board
from minesolve.engine.compiling import entry_kernel, kernel, merged_kernel
from minesolve.engine.draws import below, first_state, next_state, unsigned
from minesolve.engine.guessing import SALT, Scratch, allocate_scratch, choose_ahead, choose_safest, note_components
from minesolve.engine.judging import checked_click
from minesolve.engine.look import UNTOLD, Look, Settings, allocate_look, candidates
from minesolve.engine.play import NEEDS_GUESS, Desk, allocate_desk, play
from minesolve.engine.redraw import redraw
from minesolve.engine.states import DONE
from minesolve.engine.supposing import SOLVED_WITHIN, keep, put_back, show, weigh_after
from minesolve.engine.value import (
    CLASSES_MET,
    FIGURES,
    FIRST_HIDDEN,
    INPUTS,
    PART_HIDDEN,
    PARTS_AT,
    PARTS_MET,
    SECOND_HIDDEN,
    TRAITS,
    VECTOR,
    Parameters,
    Value,
    allocate_parameters,
    allocate_value,
    describe,
    estimate,
    pass_part,
    stored_parameters,
    vector_at,
)

__all__ = [
    "AHEAD", "BY_SAFETY", "Level", "Records", "first_parameters", "fit", "held_out", "join", "mean_squared_error",
    "self_play", "win_chances",
]  # fmt: skip

BY_SAFETY = Settings(0.85, most=12, outside=6, deep=0, inner=0, margin=0.0, near=0.0, layouts=0, sets=0)
"""Which cells are promising for the guess at random, in games that are played by safety."""

AHEAD = Settings(0.85, most=7, outside=3, deep=0, inner=0, margin=0.0, near=0.5, layouts=1024, sets=3000)
"""How far games look ahead, and which cells are promising."""

_CAPACITY = 1 << 14
_GAMES = 200
_NOTHING, _NEVER = -1, 1 << 30
"""For `explore`: no guess is at random and nothing is recorded, as records begin at a guess that never comes."""

_SALT = unsigned(SALT)


class Level(NamedTuple):
    """Boards to learn from: their size and mines, the start, and the first click by its name."""

    width: int
    height: int
    mines: int
    start: int
    first_click: str


class Records(NamedTuple):
    """Positions as the model sees them, one after the other, and what they turned out to be worth.

    Attributes
    ----------
    figures : float32[records, FIGURES]
    class_start, part_start : int64[records + 1]
        Where the classes and the components of each record begin.
    classes, counts : uint16
    traits : float32[components, TRAITS]
    label : float32[records]
        The product of the chances of survival from there on.
    ahead : float32[records]
        What looking ahead said at the next guess; the label where it said nothing.
    """

    figures: Any
    class_start: Any
    part_start: Any
    classes: Any
    counts: Any
    traits: Any
    label: Any
    ahead: Any


def _allocate_records(number: int) -> Records:
    """Return the arrays for so many records, with room for what they have on average at most."""
    return Records(
        np.zeros((number, FIGURES), np.float32), np.zeros(number + 1, np.int64), np.zeros(number + 1, np.int64),
        np.zeros(number * 100, np.uint16), np.zeros(number * 100, np.uint16),
        np.zeros((number * 10, TRAITS), np.float32), np.zeros(number, np.float32), np.zeros(number, np.float32),
    )  # fmt: skip


# --- games ---


@kernel
def _record(records: Records, i: int, value: Value) -> bool:
    """Record a position that was described; False if there is no room for it."""
    at, part = records.class_start[i], records.part_start[i]
    classes, parts = value.length[CLASSES_MET], value.length[PARTS_MET]
    full = i >= len(records.label) or at + classes > len(records.classes) or part + parts > len(records.traits)
    if full:
        return False
    for k in range(FIGURES):
        records.figures[i, k] = value.figures[k]
    for k in range(classes):
        records.classes[at + k], records.counts[at + k] = value.classes[k], value.counts[k]
    for k in range(parts):
        for t in range(TRAITS):
            records.traits[part + k, t] = value.traits[k, t]
    records.class_start[i + 1], records.part_start[i + 1] = at + classes, part + parts
    records.label[i], records.ahead[i] = 1.0, UNTOLD
    return True


@merged_kernel
def _record_after(desk: Desk, look: Look, records: Records, i: int, p: int) -> int:
    """Record the position after a safe cell is opened, if it has several layouts; return how many records there are.

    -1 if there is no room. The board is put back.
    """
    board = desk.board
    keep(board, look.step.kept)
    show(board, p, int(board.numbers[p]) - known_mines(board, p))
    status, layouts = weigh_after(desk, look.step.after)
    if status == DONE and layouts > SOLVED_WITHIN:
        describe(desk, look.step.after, layouts, look.value)
        i = i + 1 if _record(records, i, look.value) else -1
    put_back(board, look.step.kept)
    return i


class Guess(NamedTuple):
    """A guess: how choosing it ended, the place, and the state of the draws.

    Then the chance of surviving it, or of winning the game if that is `exact`; and what looking ahead said it is worth.
    """

    status: int
    place: int
    state: int
    chance: float
    exact: bool
    worth: float


@merged_kernel
def _guess(desk: Desk, scratch: Scratch, look: Look, ahead: bool, at_random: bool, state: int) -> Guess:
    """Choose a cell where nothing is certain."""
    p, mined, worth, exact = -1, 0.0, UNTOLD, False
    status, _, layouts = weigh_board(desk, False, 0.0, scratch.chances)
    if status == DONE:
        note_components(desk)
        if ahead:
            status, p, mined, worth, exact = choose_ahead(desk, scratch, look, layouts)
        else:
            p, mined, state = choose_safest(desk, scratch, False, state)
    if status == DONE and at_random and not exact:
        if ahead:  # what is on the desk is something else
            weigh_board(desk, False, 0.0, scratch.chances)
        count = candidates(desk, look, look.step, scratch.chances, look.settings.most)
        state = next_state(state)
        chosen = below(state, count)
        p, mined = look.step.cells[chosen], look.step.chance[chosen]
    return Guess(status, p, state, worth if exact else 1.0 - mined, exact, worth)


@kernel
def _make_lucky(desk: Desk, scratch: Scratch, p: int, state: int) -> int:
    """Draw other layouts while a cell is a mine; return the state of the draws."""
    if desk.board.walls[p]:
        weigh_board(desk, False, 0.0, scratch.chances)
        while desk.board.walls[p]:
            state = redraw(desk, state)
    return state


@merged_kernel
def _play_recorded(
    desk: Desk, scratch: Scratch, look: Look, ahead: bool, strange: int, state: int, records: Records, begin: int
) -> tuple[int, float]:
    """Play a game to its end, guess number `strange` at random; return how many records there are, and its chance.

    That is the product of all chances of survival. -1 records if there is no room for them; a chance of -1 if the
    arrays can't hold the game, which leaves no record.
    """
    made, turn, product, layer = begin, 0, 1.0, play(desk, 4)
    while layer < 0:
        if layer != NEEDS_GUESS:
            return begin, -1.0
        guess = _guess(desk, scratch, look, ahead, turn == strange, state)
        if guess.status != DONE:
            return begin, -1.0
        if made > begin and records.ahead[made - 1] == UNTOLD:
            records.ahead[made - 1] = guess.worth
        product *= guess.chance
        for i in range(begin, made):
            records.label[i] *= guess.chance
        if guess.exact:
            break
        state = _make_lucky(desk, scratch, guess.place, guess.state)
        if turn >= strange:
            made = _record_after(desk, look, records, made, guess.place)
            if made < 0:
                return -1, product
        settle(desk.board, guess.place, 0)
        turn, layer = turn + 1, play(desk, 4)
    for i in range(begin, made):
        if records.ahead[i] == UNTOLD:
            records.ahead[i] = records.label[i]
    return made, product


@entry_kernel
def record_games(
    desk: Desk, scratch: Scratch, look: Look, ahead: bool, explore: int, mines: int, start: int, first_click: int,
    seed: int, first: int, records: Records, chances: Any,
) -> int:  # fmt: skip
    """Play the boards `first`, `first` + 1, ... of a seed, as many as there are `chances`, and record them.

    Which of the first `explore` - 1 guesses is at random, or none, is drawn for each game; 0 for none, `_NOTHING` for
    none and no records. Returns how many records there are, -1 if there is no room for them. `chances` gets what
    `_play_recorded` returns; 0 if the start is a mine.
    """
    made = 0
    for i in range(len(chances)):
        index = first + unsigned(i)
        place = draw_board(desk.board, mines, start, first_click, seed, index)
        lay_mines(desk.board, mines)
        chances[i] = 0.0
        if desk.board.walls[place]:
            continue
        settle(desk.board, place, 0)
        state = next_state(first_state(seed ^ _SALT, index))
        strange = below(state, explore) - 1 if explore > 0 else -1 if explore == 0 else _NEVER
        made, chances[i] = _play_recorded(desk, scratch, look, ahead, strange, state, records, made)
        if made < 0:
            break
    return made


def self_play(
    level: Level, games: int, *, parameters: Parameters | None = None, explore: int = 8, seed: int = 0, first: int = 0,
    threads: int = 1,
) -> tuple[Records, NDArray[np.float64]]:  # fmt: skip
    """Play games and record them; return the records, and the chance of each game.

    Parameters
    ----------
    level : Level
    games : int
    parameters : Parameters or None
        What looking ahead values positions by; None: games are played by safety.
    explore : int
        One of the first ``explore - 1`` guesses is at random, or none, each as likely; 0 for none ever.
    seed, first : int
        The boards.
    threads : int
        What comes back does not depend on them.
    """
    return _play_all(level, games, None if parameters is None else AHEAD, parameters, explore, seed, first, threads)


def win_chances(
    level: Level, games: int, settings: Settings | None, *, parameters: Parameters | None = None, seed: int = 0,
    first: int = 0, threads: int = 1,
) -> NDArray[np.float64]:  # fmt: skip
    """Return the chance of each of some games; their mean is the share that the policy wins, with less noise.

    No game is lost: the chances of survival are multiplied, and another layout is drawn where a guess would hit a mine.
    Policies play the same boards, and the same game as long as they guess alike; so their differences, game by game,
    say which is better in far fewer games than wins and losses do.

    Parameters
    ----------
    level : Level
    games : int
    settings : Settings or None
        How far the policy looks ahead; None: it plays by safety.
    parameters : Parameters or None
        What looking ahead values positions by; None: those that minesolve plays by.
    seed, first, threads : int
        As for `self_play`.

    Returns
    -------
    float64[games]
        -1 for a game that the arrays could not hold.

    Examples
    --------
    >>> chances = win_chances(Level(9, 9, 10, 0, "safe"), 200, None, seed=1)
    >>> bool(0.85 < chances.mean() < 0.95)
    True
    """
    return _play_all(level, games, settings, parameters or stored_parameters(), _NOTHING, seed, first, threads)[1]


def _play_all(
    level: Level, games: int, settings: Settings | None, parameters: Parameters | None, explore: int, seed: int,
    first: int, threads: int,
) -> tuple[Records, NDArray[np.float64]]:  # fmt: skip
    def play_some(begin: int) -> tuple[Records, NDArray[np.float64]]:
        return _play_some(level, settings, parameters, explore, seed, first + begin, min(_GAMES, games - begin))

    with ThreadPoolExecutor(threads) as pool:
        parts = list(pool.map(play_some, range(0, games, _GAMES)))
    return join([records for records, _ in parts]), np.concatenate([chances for _, chances in parts])


def _play_some(
    level: Level, settings: Settings | None, parameters: Parameters | None, explore: int, seed: int, first: int,
    games: int,
) -> tuple[Records, NDArray[np.float64]]:  # fmt: skip
    click = checked_click(level.width, level.height, level.mines, level.start, level.first_click)
    desk, chances, made = allocate_desk(level.width, level.height, _CAPACITY), np.zeros(games), -1
    room = 0 if explore == _NOTHING else 50 * games
    look = allocate_look(desk, settings or BY_SAFETY, parameters or allocate_parameters()[0])
    while made < 0:
        records, room = _allocate_records(room), 2 * room
        made = record_games(
            desk, allocate_scratch(desk.board), look, settings is not None, explore, level.mines,
            int(desk.board.places[level.start]), click, unsigned(seed), unsigned(first), records, chances,
        )  # fmt: skip
    return _cut(records, made), chances


def _cut(records: Records, made: int) -> Records:
    """Return the first records, without the room that was not used."""
    classes, parts = records.class_start[made], records.part_start[made]
    lengths = made, made + 1, made + 1, classes, classes, parts, made, made
    return Records(*(array[:length].copy() for array, length in zip(records, lengths, strict=True)))


def join(several: list[Records]) -> Records:
    """Return several records as one."""
    starts = [
        np.concatenate([[0], np.cumsum(np.concatenate([np.diff(records[field]) for records in several]))])
        for field in (1, 2)
    ]
    joined = [np.concatenate([records[field] for records in several]) for field in (0, 3, 4, 5, 6, 7)]
    return Records(joined[0], *starts, *joined[1:])


# --- the descent ---


@kernel
def _recall(records: Records, i: int, value: Value) -> None:
    """Describe a position as it was recorded."""
    for k in range(FIGURES):
        value.figures[k] = records.figures[i, k]
    begin, part = records.class_start[i], records.part_start[i]
    value.length[CLASSES_MET] = records.class_start[i + 1] - begin
    value.length[PARTS_MET] = records.part_start[i + 1] - part
    for k in range(value.length[CLASSES_MET]):
        value.classes[k], value.counts[k] = records.classes[begin + k], records.counts[begin + k]
    for k in range(value.length[PARTS_MET]):
        for t in range(TRAITS):
            value.traits[k, t] = records.traits[part + k, t]


@kernel
def _through_layers(value: Value, gradient: Value, d: float) -> None:
    """Add the gradient of the two layers and the direct way, and leave that of the input in `gradient.x`."""
    own, sums, x, h1, h2 = value.parameters, gradient.parameters, value.x, value.h1, value.h2
    d1, d2 = gradient.h1, gradient.h2
    sums.bias[0] += d
    for j in range(SECOND_HIDDEN):
        d2[j] = d * own.w3[j] if h2[j] > 0.0 else 0.0
        sums.w3[j] += d * max(h2[j], 0.0)
        sums.b2[j] += d2[j]
    for a in range(FIRST_HIDDEN):
        d1[a] = 0.0
        if h1[a] > 0.0:
            for j in range(SECOND_HIDDEN):
                d1[a] += d2[j] * own.w2[a, j]
                sums.w2[a, j] += h1[a] * d2[j]
        sums.b1[a] += d1[a]
    for a in range(INPUTS):
        sums.direct[a] += d * x[a]
        onward = d * own.direct[a]
        for j in range(FIRST_HIDDEN):
            onward += d1[j] * own.w1[a, j]
            sums.w1[a, j] += x[a] * d1[j]
        gradient.x[a] = onward


@kernel
def _through_input(value: Value, gradient: Value) -> None:
    """Add the gradient of the classes' vectors and the components' layer."""
    sums, dx = gradient.parameters, gradient.x
    for e in range(value.length[CLASSES_MET]):
        which, times = value.classes[e], float(value.counts[e])
        at = vector_at(which)
        for k in range(VECTOR):
            sums.table[which, k] += times * dx[at + k]
    for part in range(value.length[PARTS_MET]):
        pass_part(value, part)
        for k in range(PART_HIDDEN):
            if value.hidden[k] > 0.0:
                onward = dx[PARTS_AT + k]
                sums.bp[k] += onward
                for t in range(TRAITS):
                    sums.wp[t, k] += value.traits[part, t] * onward


@entry_kernel
def add_gradients(value: Value, gradient: Value, records: Records, target: Any, which: Any) -> float:
    """Add the gradients of the loss of some records, to the parameters of `gradient`; return the sum of losses."""
    loss = 0.0
    for i in which:
        _recall(records, i, value)
        out = estimate(value)
        loss -= target[i] * log(out) + (1.0 - target[i]) * log(1.0 - out)
        _through_layers(value, gradient, out - target[i])
        _through_input(value, gradient)
    return loss


@entry_kernel
def squared_errors(value: Value, records: Records, target: Any, which: Any) -> float:
    """Return the sum of squared errors of some records."""
    total = 0.0
    for i in which:
        _recall(records, i, value)
        error = estimate(value) - target[i]
        total += error * error
    return total


@entry_kernel
def descend(flat: Any, gradient: Any, mean: Any, square: Any, decay: Any, rate: float, step: int, number: int) -> None:
    """Make a step of Adam, from the sum of `number` gradients, which is then forgotten."""
    first, second = 1.0 - 0.9**step, 1.0 - 0.999**step
    for i in range(len(flat)):
        g = gradient[i] / number + decay[i] * flat[i]
        gradient[i] = 0.0
        mean[i] = 0.9 * mean[i] + 0.1 * g
        square[i] = 0.999 * square[i] + 0.001 * g * g
        flat[i] -= rate * (mean[i] / first) / (sqrt(square[i] / second) + 1e-8)


def first_parameters(records: Records, seed: int = 0) -> Parameters:
    """Return parameters to begin with: figures of mean 0 and spread 1, small random weights."""
    rng, (parameters, _) = np.random.default_rng(seed), allocate_parameters()
    figures = records.figures.astype(np.float64)
    parameters.middle[:], parameters.spread[:] = figures.mean(axis=0), 1 / (figures.std(axis=0) + 1e-6)
    inside = {"w1": INPUTS**-0.5, "w2": 1.4 * FIRST_HIDDEN**-0.5, "w3": 1.4 * SECOND_HIDDEN**-0.5}
    scales = {"table": 0.01, "wp": 0.3, **inside}
    for name, scale in scales.items():
        array = getattr(parameters, name)
        array[:] = rng.normal(0, scale, array.shape)
    return parameters


def held_out(records: Records) -> NDArray[np.bool_]:
    """Return which records are not for training: one block in twenty; blocks are so long that games are hardly cut."""
    number = len(records.label)
    block = max(min(2000, number // 20), 1)
    return np.arange(number) // block % 20 == 7


def mean_squared_error(
    parameters: Parameters, records: Records, target: NDArray[np.float32], which: NDArray[np.int64]
) -> float:
    """Return how far estimates of some records are from a target."""
    return squared_errors(_value_for(parameters, records), records, target, which) / len(which)


def _value_for(parameters: Parameters, records: Records) -> Value:
    return allocate_value(max(int(np.diff(records.part_start).max()), 1), parameters)


def fit(
    records: Records, target: NDArray[np.float32], parameters: Parameters, *, which: NDArray[np.int64], epochs: int = 3,
    rate: float = 1e-3, batch: int = 256, decay: float = 1e-5, seed: int = 0,
) -> Parameters:  # fmt: skip
    """Return parameters fitted to the target of some records, beginning with those given.

    The rate goes down by a cosine to a fiftieth; biases do not decay.
    """
    found, flat = allocate_parameters()
    gradients, gradient = allocate_parameters()
    shrinking, decays = allocate_parameters()
    for name, array in found._asdict().items():
        array[:] = getattr(parameters, name)
        getattr(shrinking, name)[:] = decay if name in ("table", "wp", "w1", "w2", "w3", "direct") else 0.0
    value, sums = _value_for(found, records), _value_for(gradients, records)
    mean, square = np.zeros_like(flat), np.zeros_like(flat)
    rng, step, steps = np.random.default_rng(seed), 0, epochs * -(-len(which) // batch)
    for _ in range(epochs):
        order = rng.permutation(which)
        for begin in range(0, len(order), batch):
            some = order[begin : begin + batch]
            add_gradients(value, sums, records, target, some)
            now = rate * (0.02 + 0.49 * (1 + np.cos(np.pi * step / steps)))
            step += 1
            descend(flat, gradient, mean, square, decays, now, step, len(some))
    return found
