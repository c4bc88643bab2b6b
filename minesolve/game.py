"""The rules of play.

A `Game` knows the minefield and hands out positions. It can be repeated exactly from the minefield and the list of
actions. What one action does:

- *open* a covered cell that is not flagged: a mine loses; a number shows; a zero shows and opens its neighbours, and so
  on (the cascade), round flagged cells, which stay covered.
- *flag* a covered cell: flag it or take the flag off. There is no limit and no feedback. With question marks on, the
  order is covered, flag, question mark, covered; a question mark blocks nothing.
- *chord* on an opened number from 1 to 8 with exactly that many flags around it: open all its other covered neighbours.
  In any other case nothing changes at all. Flags are not checked: a wrong one loses.

The game is won when every cell without a mine is open, whatever the flags, and lost when a mine is opened. Then it is
locked: actions change nothing and are not recorded.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from minesolve.errors import GenerationFailed
from minesolve.grid import Grid
from minesolve.minefield import FirstClick, Minefield, draw, max_mines
from minesolve.position import COVERED, FLAG, MINE, Position

__all__ = ["Action", "ActionKind", "Game", "Status", "TimerStart", "shown_time"]

ActionKind = Literal["open", "flag", "chord"]
Status = Literal["playing", "won", "lost"]
TimerStart = Literal["first click", "first action", "load"]
"""When the timer starts: when cells are first opened, when anything is first changed, or with the game itself."""

Deal = Callable[[int], Minefield]


@dataclass(frozen=True, slots=True)
class Action:
    """One action of the player.

    Attributes
    ----------
    kind : str
        ``"open"``, ``"flag"`` (also taking a flag off) or ``"chord"``.
    cell : int
    time : float or None
        The clock's reading in seconds, if known.
    """

    kind: ActionKind
    cell: int
    time: float | None = None


class Game:
    r"""One game, from the first click to its end.

    Parameters
    ----------
    minefield : Minefield
    opened : iterable of int
        Cells that are open from the beginning, as in puzzles that ship so (zeros among them have cascaded).
    question_marks : bool
        Whether a second flag action puts a question mark.
    timer : str
        When the timer starts: ``"first click"``, ``"first action"`` or ``"load"``.
    flag_on_win : bool
        Whether the unflagged mines are flagged, as a courtesy, when the game is won.
    clock : callable
        Returns the time in seconds; injected, so that tests and replays can set it. It is read once an action.

    Examples
    --------
    >>> game = Game(Minefield.from_text("*..\n...\n..*"))
    >>> game.open(2)
    (2, 5, 4, 1)
    >>> game.status, game.flag(0), game.counter_text
    ('playing', (0,), '001')
    >>> print(game.position.to_text())
    size: 3x3
    mines: 2
    <BLANKLINE>
    F1.
    #21
    ###
    <BLANKLINE>
    """

    def __init__(self, minefield: Minefield, *, opened: Iterable[int] = (), question_marks: bool = False,
                 timer: TimerStart = "first click", flag_on_win: bool = False,
                 clock: Callable[[], float] = time.monotonic):
        self._prepare(minefield.grid, minefield.total, question_marks=question_marks, timer=timer,
                      flag_on_win=flag_on_win, clock=clock)
        self._lay(minefield)
        for cell in opened:
            self._check(cell)
            if minefield.mines[cell]:
                raise ValueError(f"{self.grid.name(cell)} is a mine: it can't be open from the beginning")
            self._open_all([cell])
        self._finish_if_won(self._started if self._started is not None else 0.0)

    @classmethod
    def dealt(cls, width: int, height: int, mines: int, *, first_click: FirstClick = "opening", seed: int = 0,
              index: int = 0, question_marks: bool = False, timer: TimerStart = "first click",
              flag_on_win: bool = False, clock: Callable[[], float] = time.monotonic) -> Game:
        """Begin a game whose mines are laid at the first click: board ``index`` of ``seed`` with that start.

        Raises GenerationFailed if the mines fit round no start, and `open` raises it if they don't fit round the one
        clicked (the game is then as before).

        Examples
        --------
        >>> game = Game.dealt(9, 9, 10, seed=4)
        >>> game.minefield is None, len(game.open(40)) >= 9
        (True, True)
        >>> game.minefield == Minefield.random(9, 9, 10, start=40, seed=4)
        True
        """
        if mines > max_mines(width, height, "corner", first_click):
            room = max_mines(width, height, "corner", first_click)
            raise GenerationFailed(f"{mines} mines are too many: {width}x{height} takes at most {room}", bound=0.0)
        game = cls.__new__(cls)
        game._prepare(Grid(width, height), mines, question_marks=question_marks, timer=timer, flag_on_win=flag_on_win,
                      clock=clock)
        game._deal = lambda start: draw(width, height, mines, start=start, seed=seed, index=index,
                                        first_click=first_click)[0]
        return game

    @classmethod
    def replay(cls, minefield: Minefield, actions: Sequence[Action], *, opened: Iterable[int] = (),
               question_marks: bool = False, timer: TimerStart = "first click", flag_on_win: bool = False) -> Game:
        r"""Repeat a game from its minefield and its actions; the times of the actions, where known, are its clock.

        Examples
        --------
        >>> actions = [Action("open", 0, 1.5), Action("flag", 2, 2.0), Action("chord", 1, 3.25)]
        >>> game = Game.replay(Minefield.from_text("..*\n..."), actions)
        >>> game.status, game.time
        ('won', 1.75)
        """
        now = 0.0
        game = cls(minefield, opened=opened, question_marks=question_marks, timer=timer, flag_on_win=flag_on_win,
                   clock=lambda: now)
        for action in actions:
            now = now if action.time is None else action.time
            game.act(action.kind, action.cell)
        return game

    def _prepare(self, grid: Grid, total: int, *, question_marks: bool, timer: TimerStart, flag_on_win: bool,
                 clock: Callable[[], float]) -> None:
        if timer not in get_args(TimerStart):
            raise ValueError(f"the timer starts at the first click, the first action or load, not {timer!r}")
        self.grid, self.total = grid, total
        self._question_marks_on, self._timer, self._flag_on_win, self._clock = question_marks, timer, flag_on_win, clock
        self._deal: Deal | None = None
        self._minefield: Minefield | None = None
        self._numbers = b""
        self._left = len(grid) - total
        self._shown = bytearray([COVERED]) * len(grid)
        self._questions: set[int] = set()
        self._fatal: frozenset[int] = frozenset()
        self._status: Status = "playing"
        self._actions: list[Action] = []
        self._effective = 0
        self._started: float | None = clock() if timer == "load" else None
        self._ended: float | None = None

    def _lay(self, minefield: Minefield) -> None:
        self._minefield, self._numbers = minefield, minefield.numbers()

    @property
    def minefield(self) -> Minefield | None:
        """The truth; None while the mines are not laid yet."""
        return self._minefield

    @property
    def actions(self) -> tuple[Action, ...]:
        """What the player did, including what changed nothing; not what was tried after the end."""
        return tuple(self._actions)

    @property
    def effective_actions(self) -> int:
        """How many of the actions changed the board."""
        return self._effective

    @property
    def status(self) -> Status:
        """``"playing"``, ``"won"`` or ``"lost"``."""
        return self._status

    @property
    def counter(self) -> int:
        """The total less the flags; it may be negative."""
        return self.total - self._shown.count(FLAG)

    @property
    def counter_text(self) -> str:
        """The counter in three digits, such as ``010`` or ``-05``."""
        return f"{self.counter:03d}"

    @property
    def time(self) -> float:
        """Seconds since the timer started, exact; 0 before that, and standing still after the end."""
        if self._started is None:
            return 0.0
        return (self._clock() if self._ended is None else self._ended) - self._started

    @property
    def flags(self) -> frozenset[int]:
        """The flagged cells."""
        return frozenset(cell for cell, code in enumerate(self._shown) if code == FLAG)

    @property
    def question_marks(self) -> frozenset[int]:
        """The cells with a question mark; in a position they are covered."""
        return frozenset(self._questions)

    @property
    def fatal(self) -> frozenset[int]:
        """The mines whose opening lost the game; after a chord there may be several."""
        return self._fatal

    @property
    def wrong_flags(self) -> frozenset[int]:
        """After a loss, the flagged cells without a mine; empty before, because a game gives no feedback on flags."""
        if self._status != "lost" or self._minefield is None:
            return frozenset()
        return frozenset(cell for cell in self.flags if not self._minefield.mines[cell])

    @property
    def position(self) -> Position:
        """What the player sees; after a loss all mines are shown, so that the flags left are the wrong ones."""
        shown = bytes(self._shown)
        if self._status == "lost":
            shown = bytes(MINE if number == MINE else code for code, number in zip(shown, self._numbers, strict=True))
        return Position(self.grid.width, self.grid.height, shown, self.total)

    def shown(self, cell: int) -> int:
        """Return the code that `position` has for one cell while the game goes on."""
        self._check(cell)
        return self._shown[cell]

    def open(self, cell: int) -> tuple[int, ...]:
        """Open a cell and return the cells that changed; none if it is open, flagged, or the game is over."""
        return self.act("open", cell)

    def flag(self, cell: int) -> tuple[int, ...]:
        """Flag a covered cell, or take the flag off, and return the cells that changed."""
        return self.act("flag", cell)

    def chord(self, cell: int) -> tuple[int, ...]:
        """Open the covered neighbours of a number with enough flags and return the cells that changed."""
        return self.act("chord", cell)

    def act(self, kind: ActionKind, cell: int) -> tuple[int, ...]:
        """Do one action and return the cells it changed; ValueError for another kind or a cell off the board."""
        if kind not in get_args(ActionKind):
            raise ValueError(f"an action is open, flag or chord, not {kind!r}")
        self._check(cell)
        if self._status != "playing":
            return ()
        now = self._clock()
        changed = self._flag(cell) if kind == "flag" else self._open_all(self._targets(kind, cell))
        self._actions.append(Action(kind, cell, now))
        if changed:
            self._effective += 1
            if self._started is None and (kind != "flag" or self._timer == "first action"):
                self._started = now
            self._finish_if_won(now)
        if self._status != "playing":
            self._ended = now
        return changed

    def _check(self, cell: int) -> None:
        if not 0 <= cell < len(self._shown):
            raise ValueError(f"cell {cell} is off the board of {self.grid.width}x{self.grid.height}")

    def _flag(self, cell: int) -> tuple[int, ...]:
        code = self._shown[cell]
        if code == COVERED and cell not in self._questions:
            self._shown[cell] = FLAG
        elif code == FLAG:
            self._shown[cell] = COVERED
            if self._question_marks_on:
                self._questions.add(cell)
        elif code == COVERED:
            self._questions.discard(cell)
        else:
            return ()
        return (cell,)

    def _targets(self, kind: ActionKind, cell: int) -> list[int]:
        """Return the covered cells that an action opens by itself, before any cascade."""
        shown = self._shown
        if kind == "open":
            if shown[cell] == COVERED and self._deal is not None:
                self._lay(self._deal(cell))
                self._deal = None
            return [cell] if shown[cell] == COVERED else []
        if not 1 <= shown[cell] <= 8:
            return []
        around = self.grid.neighbours(cell)
        if sum(shown[n] == FLAG for n in around) != shown[cell]:
            return []
        return [n for n in around if shown[n] == COVERED]

    def _open_all(self, targets: list[int]) -> tuple[int, ...]:
        """Open covered cells, cascading from zeros over an explicit stack."""
        shown, neighbours = self._shown, self.grid.neighbours
        opened: list[int] = []
        stack = targets[::-1]
        while stack:
            cell = stack.pop()
            if shown[cell] != COVERED:
                continue
            number = shown[cell] = self._numbers[cell]
            opened.append(cell)
            if number == 0:
                stack.extend(n for n in neighbours(cell) if shown[n] == COVERED)
        self._questions.difference_update(opened)
        fatal = frozenset(cell for cell in targets if shown[cell] == MINE)
        self._left -= len(opened) - len(fatal)
        if fatal:
            self._fatal, self._status = fatal, "lost"
        return tuple(opened)

    def _finish_if_won(self, now: float) -> None:
        if self._minefield is None or self._left or self._status == "lost":
            return
        self._status, self._ended = "won", now
        if self._flag_on_win:
            for cell in self._minefield.mine_cells:
                self._shown[cell] = FLAG
            self._questions.clear()


def shown_time(seconds: float, *, tenths: bool = False) -> str:
    """Return a time as the display shows it: whole seconds, at most 999, or tenths without a limit; never rounded up.

    Examples
    --------
    >>> shown_time(7.96), shown_time(1234.5), shown_time(1234.56, tenths=True)
    ('007', '999', '1234.5')
    """
    if tenths:
        return f"{int(seconds * 10) / 10:.1f}"
    return f"{min(int(seconds), 999):03d}"
