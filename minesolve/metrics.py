"""The measures players use, of a board and of a game that was played.

- *3BV*, Bechtel's board benchmark value: the fewest left clicks that clear the board without flags, one for each
  opening and one for each number that touches no zero (https://www.stephan-bechtel.de/3bv.htm).
- *Opening*: an 8-connected region of zeros with the numbers around it. *Island*: an 8-connected group of the numbers
  that belong to no opening.
- *ZiNi*, by Zimmermann and Nikolaus: clicks that suffice when mines are flagged and numbers chorded, found greedily
  (https://minesweepergame.com/forum/viewtopic.php?f=15&t=70). **ZiNi values are upper bounds**: a cleverer player may
  need fewer clicks. Here *ZiNi* is G-ZiNi with ties taken in column-major order, as in the reference program
  (parser_raw.c of https://github.com/thefinerminer/minesweeper-rawvf); another tie order gives other values. *H-ZiNi*
  first clicks all openings and then chords opened cells only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from minesolve.draws import SplitMix64
from minesolve.game import Game
from minesolve.grid import Grid
from minesolve.levels import standard_level
from minesolve.minefield import Minefield
from minesolve.position import MINE

__all__ = ["STNB_VARIANT", "BoardMetrics", "ReplayMetrics", "best_zini", "board_metrics", "replay_metrics", "stnb"]

STNB_VARIANT = "47.299/153.730/435.001"
"""The constants of the STNB formula used for beginner, intermediate and expert; other programs use other ones."""

_STNB = {"beginner": 47.299, "intermediate": 153.730, "expert": 435.001}


@dataclass(frozen=True, slots=True)
class BoardMetrics:
    """The measures of a board.

    Attributes
    ----------
    bbbv : int
        3BV.
    openings, islands : int
    counts : tuple of int
        How many cells show 0, 1, ..., 8.
    zini, hzini : int
        G-ZiNi and H-ZiNi, upper bounds on the clicks needed with flags.
    """

    bbbv: int
    openings: int
    islands: int
    counts: tuple[int, ...]
    zini: int
    hzini: int


@dataclass(frozen=True, slots=True)
class ReplayMetrics:
    """The measures of a game that was played; None where a measure divides by a time or a count that is 0.

    Attributes
    ----------
    status : str
        ``"playing"``, ``"won"`` or ``"lost"``.
    time : float
        Seconds.
    bbbv, bbbv_solved : int
        3BV of the board, and how much of it was solved: openings all of whose cells are open, and the other numbers.
    clicks, effective_clicks : int
        All actions, and those that changed the board.
    bbbv_per_second : float or None
        3BV/s, of the 3BV solved.
    ioe, correctness, throughput : float or None
        3BV solved per click, effective clicks per click, 3BV solved per effective click; IOE is the product of the
        other two.
    rqp : float or None
        Time divided by 3BV/s, lower is better (as minesweepergame.com has it; other programs add a second).
    stnb : float or None
        `stnb` of the game; None if it is no standard level.
    stnb_variant : str
        `STNB_VARIANT`.
    """

    status: str
    time: float
    bbbv: int
    bbbv_solved: int
    clicks: int
    effective_clicks: int
    bbbv_per_second: float | None
    ioe: float | None
    correctness: float | None
    throughput: float | None
    rqp: float | None
    stnb: float | None
    stnb_variant: str = STNB_VARIANT


def board_metrics(minefield: Minefield) -> BoardMetrics:
    r"""Return the measures of a board. Nearly linear in its cells.

    Examples
    --------
    >>> board_metrics(Minefield.from_text("*....\n.....\n....*\n*....\n.....\n"))
    BoardMetrics(bbbv=4, openings=1, islands=2, counts=(9, 13, 0, 0, 0, 0, 0, 0, 0), zini=4, hzini=4)
    """
    board = _Board(minefield)
    order = _column_major(minefield.grid)
    return BoardMetrics(
        board.bbbv, len(board.openings), _islands(board),
        tuple(board.numbers.count(number) for number in range(9)),
        _Greedy(board, order).zini(), _Greedy(board, order).hzini())


def best_zini(minefield: Minefield, runs: int = 100, seed: int = 0) -> int:
    r"""Return the least ZiNi of several runs, each with ties taken in an order of the cells drawn anew.

    The same seed gives the same value; an upper bound, like every ZiNi. ValueError if runs is not positive.

    Examples
    --------
    >>> best_zini(Minefield.from_text("1*1\n111\n...\n1*1\n"), runs=5)
    5
    """
    if runs < 1:
        raise ValueError(f"the number of runs must be positive, not {runs}")
    board = _Board(minefield)
    return min(_Greedy(board, _shuffled(len(board.numbers), SplitMix64(seed, run))).zini() for run in range(runs))


def replay_metrics(game: Game) -> ReplayMetrics:
    r"""Return the measures of a game as far as it was played; ValueError if its mines are not laid yet.

    Examples
    --------
    >>> from minesolve.game import Action
    >>> actions = [Action("open", 0, 1.0), Action("open", 0, 2.0), Action("flag", 2, 2.5), Action("chord", 1, 3.0)]
    >>> played = replay_metrics(Game.replay(Minefield.from_text("..*\n..."), actions))
    >>> played.bbbv_solved, played.clicks, played.effective_clicks, played.bbbv_per_second, played.ioe
    (2, 4, 3, 1.0, 0.5)
    """
    if game.minefield is None:
        raise ValueError("the mines of this game are not laid yet")
    board = _Board(game.minefield)
    solved = _solved(board, game.position.cells)
    clicks, effective, time = len(game.actions), game.effective_actions, game.time
    speed = _ratio(solved, time)
    level = standard_level(game.grid.width, game.grid.height)
    named = level is not None and level.mines == game.total and time > 0 and board.bbbv > 0
    return ReplayMetrics(
        game.status, time, board.bbbv, solved, clicks, effective, speed,
        _ratio(solved, clicks), _ratio(effective, clicks), _ratio(solved, effective),
        _ratio(time * time, solved) if time > 0 else None,
        stnb(level.name, board.bbbv, solved, time) if named and level is not None else None)


def stnb(level: str, bbbv: int, solved: int, time: float) -> float:
    """Return STNB, a measure of speed that compares levels: c * solved / time**1.7 * sqrt(solved / 3BV).

    The constants c are those of `STNB_VARIANT`: 87.420 k**2 - 155.829 k + 115.708 for k = 1, 2, 3
    (minesweeper.fandom.com, also used by LlamaSweeper). ValueError for another level or a time or 3BV that is not
    positive.

    Examples
    --------
    >>> round(stnb("expert", 170, 170, 100.0), 3)
    29.44
    """
    if level not in _STNB:
        raise ValueError(f"STNB is defined for {', '.join(_STNB)}, not {level!r}")
    if time <= 0 or bbbv <= 0:
        raise ValueError("STNB needs a time and a 3BV above 0")
    return _STNB[level] * solved / math.pow(time, 1.7) * math.sqrt(solved / bbbv)


def _ratio(a: float, b: float) -> float | None:
    return a / b if b > 0 else None


class _Board:
    """What all measures need to know of a minefield.

    Attributes
    ----------
    openings : list of list of int
        The cells of each opening: its zeros and the numbers around them.
    of : list of list of int
        For each cell the openings it belongs to (a zero to one, a number to at most two).
    near : list of tuple of int
        For each cell its neighbours and itself.
    """

    def __init__(self, minefield: Minefield):
        grid = minefield.grid
        self.numbers = minefield.numbers()
        self.near = [(*grid.neighbours(cell), cell) for cell in range(len(grid))]
        self.of: list[list[int]] = [[] for _ in range(len(grid))]
        self.openings: list[list[int]] = []
        for cell, number in enumerate(self.numbers):
            if number == 0 and not self.of[cell]:
                self._flood(cell)
        self.alone = [c for c, number in enumerate(self.numbers) if number != MINE and not self.of[c]]
        self.bbbv = len(self.openings) + len(self.alone)

    def _flood(self, zero: int) -> None:
        numbers, near, of, name = self.numbers, self.near, self.of, len(self.openings)
        cells, stack = [zero], [zero]
        of[zero].append(name)
        while stack:
            for n in near[stack.pop()]:
                if name in of[n]:
                    continue
                of[n].append(name)
                cells.append(n)
                if numbers[n] == 0:
                    stack.append(n)
        self.openings.append(cells)


def _islands(board: _Board) -> int:
    left, islands = set(board.alone), 0
    while left:
        islands += 1
        stack = [left.pop()]
        while stack:
            around = left.intersection(board.near[stack.pop()])
            left -= around
            stack.extend(around)
    return islands


def _solved(board: _Board, shown: bytes) -> int:
    openings = sum(all(shown[cell] <= 8 for cell in opening) for opening in board.openings)
    return openings + sum(shown[cell] <= 8 for cell in board.alone)


def _column_major(grid: Grid) -> list[int]:
    return [y * grid.width + x for x in range(grid.width) for y in range(grid.height)]


def _shuffled(cells: int, draws: SplitMix64) -> list[int]:
    order = list(range(cells))
    for j in range(cells - 1):
        k = j + draws.below(cells - j)
        order[j], order[k] = order[k], order[j]
    return order


class _Greedy:
    """One greedy run over a board; `order` lists the cells as ties are taken.

    The premium of a cell is what chording it saves over opening 3BV by 3BV: the 3BV it would solve, less the flags it
    needs, less the chord, less the click that opens it. Premiums change only near what is opened or flagged, so they
    are kept up to date, and those of 0 or more wait in a heap (entries that are out of date are dropped when met).
    """

    def __init__(self, board: _Board, order: Sequence[int]):
        self.board, self.order = board, order
        self.rank = [0] * len(order)
        for rank, cell in enumerate(order):
            self.rank[cell] = rank
        self.done = bytearray(len(order))  # an opened cell or a flagged mine
        self.closed = sum(number != MINE for number in board.numbers)
        self.clicks, self.next, self.opened_only = 0, 0, False
        self.heap: list[tuple[int, int]] = []
        self.premium = [0] * len(order)
        for cell, number in enumerate(board.numbers):
            if number == MINE:
                continue
            alone = sum(board.numbers[n] != MINE and not board.of[n] for n in board.near[cell])
            self._change((cell,), alone + len(board.of[cell]) - number - 2)

    def zini(self) -> int:
        return self._run()

    def hzini(self) -> int:
        self.opened_only = True
        for opening in self.board.openings:
            self._click(opening[0])
        return self._run()

    def _run(self) -> int:
        while self.closed:
            cell = self._best()
            if cell is None:
                self._click(self._first_closed())
                continue
            if not self.done[cell]:
                self._click(cell)
            self._chord(cell)
        return self.clicks

    def _best(self) -> int | None:
        """Take the first cell of the highest premium, if that is at least 0."""
        while self.heap:
            premium, rank = self.heap[0]
            cell = self.order[rank]
            if self.premium[cell] == -premium and (self.done[cell] or not self.opened_only):
                return cell
            heappop(self.heap)
        return None

    def _first_closed(self) -> int:
        numbers, of = self.board.numbers, self.board.of
        while True:
            cell = self.order[self.next]
            if not self.done[cell] and numbers[cell] != MINE and (numbers[cell] == 0 or not of[cell]):
                return cell
            self.next += 1

    def _click(self, cell: int) -> None:
        self.clicks += 1
        self._reveal(cell)

    def _chord(self, cell: int) -> None:
        around = [n for n in self.board.near[cell] if not self.done[n]]
        for mine in around:
            if self.board.numbers[mine] == MINE:
                self.clicks += 1
                self.done[mine] = True
                self._change(self.board.near[mine], 1)
        self.clicks += 1
        for n in around:
            if not self.done[n]:
                self._reveal(n)

    def _reveal(self, cell: int) -> None:
        if self.board.numbers[cell]:
            self._open(cell)
            return
        opening = self.board.openings[self.board.of[cell][0]]
        for member in opening:
            if not self.done[member]:
                self._open(member)
        self._change(opening, -1)

    def _open(self, cell: int) -> None:
        self.done[cell] = True
        self.closed -= 1
        self._change((cell,), 1)
        if not self.board.of[cell]:
            self._change(self.board.near[cell], -1)

    def _change(self, cells: Iterable[int], by: int) -> None:
        premium, numbers, done = self.premium, self.board.numbers, self.done
        for cell in cells:
            premium[cell] += by
            if premium[cell] >= 0 and numbers[cell] != MINE and (done[cell] or not self.opened_only):
                heappush(self.heap, (-premium[cell], self.rank[cell]))
