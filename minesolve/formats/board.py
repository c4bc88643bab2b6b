"""The one value that all formats read and write: a board as a file holds it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO

from minesolve.errors import ParseError
from minesolve.game import Action, Game
from minesolve.grid import Grid
from minesolve.minefield import Minefield
from minesolve.position import COVERED, MINE, Position

__all__ = ["LARGEST", "Board", "lines", "minefield_of", "read_all", "truth_of"]

LARGEST = 1 << 21
"""Bytes of the largest board that is read (a 1000x1000 text with blanks fits): bounds the memory that reading takes."""


@dataclass(frozen=True, slots=True)
class Board:
    """A board as a file holds it: what a player knows, the truth, or both.

    ValueError if it holds neither, or if its parts contradict each other.

    Attributes
    ----------
    position : Position or None
        What a player knows.
    minefield : Minefield or None
        The truth. In a file that shows only part of it, or only a player's flags, it is None.
    start : int or None
        The cell to open first, if the file says so.
    actions : tuple of Action
        The game that was played, for replays; with `minefield`.
    question_marks : bool
        Whether the game of `actions` was played with question marks.
    metadata : mapping
        Whatever else the file says, by name; JSON values.
    notes : tuple of str
        How it was read, where that was not plain. Not part of the comparison.

    Examples
    --------
    >>> board = Board(minefield=Minefield.from_text("..*"), start=0)
    >>> board.width, board.total, board.parts()
    (3, 1, ('minefield', 'start'))
    """

    position: Position | None = None
    minefield: Minefield | None = None
    start: int | None = None
    actions: tuple[Action, ...] = ()
    question_marks: bool = False
    metadata: Mapping[str, object] = field(default_factory=dict, hash=False)
    notes: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        if self.position is None and self.minefield is None:
            raise ValueError("a board holds a position, a minefield, or both")
        if self.position is not None and self.minefield is not None:
            _check_agreement(self.position, self.minefield)
        cells = len(self.grid)
        if self.start is not None and not 0 <= self.start < cells:
            raise ValueError(f"the start {self.start} is off the board of {self.width}x{self.height}")
        if self.actions and self.minefield is None:
            raise ValueError("actions need the minefield they were played on")
        if any(not 0 <= action.cell < cells for action in self.actions):
            raise ValueError("an action is off the board")

    @property
    def grid(self) -> Grid:
        """The geometry."""
        known = self.position or self.minefield
        assert known is not None  # as __post_init__ made sure
        return known.grid

    @property
    def width(self) -> int:
        """The number of columns."""
        return self.grid.width

    @property
    def height(self) -> int:
        """The number of rows."""
        return self.grid.height

    @property
    def total(self) -> int | None:
        """The number of mines on the whole board, if known."""
        if self.minefield is not None:
            return self.minefield.total
        return self.position.mines if self.position is not None else None

    def parts(self) -> tuple[str, ...]:
        """Return the names of what this board holds; `minesolve.formats.lost` looks which a format keeps."""
        times = [action.time for action in self.actions if action.time is not None]
        plain = all(isinstance(value, str) for value in self.metadata.values())
        held = {
            "position": self.position is not None,
            "minefield": self.minefield is not None,
            "start": self.start is not None,
            "actions": bool(self.actions),
            "times below a millisecond": any(round(time, 3) != time for time in times),
            "question marks": self.question_marks,
            "metadata": bool(self.metadata) and plain,
            "structured metadata": bool(self.metadata) and not plain,
        }
        return tuple(name for name, holds in held.items() if holds)

    def replay(self) -> Game:
        """Return the game after all `actions`; ValueError if the minefield is not known.

        Examples
        --------
        >>> board = Board(minefield=Minefield.from_text(".*"), actions=(Action("open", 0),))
        >>> board.replay().status
        'won'
        """
        if self.minefield is None:
            raise ValueError("a game can be replayed only where the minefield is known")
        return Game.replay(self.minefield, self.actions, question_marks=self.question_marks)


def _check_agreement(position: Position, minefield: Minefield) -> None:
    if (position.width, position.height) != (minefield.width, minefield.height):
        raise ValueError("the position and the minefield differ in size")
    if position.mines not in (None, minefield.total):
        raise ValueError(f"the position says {position.mines} mines, the minefield has {minefield.total}")
    for cell, (code, number) in enumerate(zip(position.cells, minefield.numbers(), strict=True)):
        if code != number and (code < COVERED or code == MINE):
            raise ValueError(f"the position and the minefield differ at {position.grid.name(cell)}")


def truth_of(position: Position) -> Minefield | None:
    r"""Return the minefield where a position leaves no doubt by counting alone.

    It does if all mines of the total are shown, or if as many cells are not open as the total says. None where that is
    not so, or where the numbers contradict it. Flags count for nothing.

    Examples
    --------
    >>> truth_of(Position.from_text("1#\n11", mines=1)).mine_cells
    (1,)
    >>> truth_of(Position.from_text("1#\n1#", mines=1)) is None
    True
    """
    shown, unopened = position.cells.count(MINE), sum(code > 8 for code in position.cells)
    total = unopened if position.mines is None else position.mines
    if total not in (shown, unopened) or (position.mines is None and shown != unopened):
        return None
    mines = bytes(code == MINE if total == shown else code > 8 for code in position.cells)
    minefield = Minefield(position.width, position.height, mines)
    agrees = all(code == number for code, number in zip(position.cells, minefield.numbers(), strict=True) if code <= 8)
    return minefield if agrees else None


def minefield_of(board: Board, format_name: str) -> Minefield:
    """Return the truth of a board for a format that holds nothing less; ValueError if it is not known."""
    if board.minefield is None:
        raise ValueError(f"{format_name} holds minefields, and of this board only a position is known")
    return board.minefield


def read_all(stream: BinaryIO, source: str) -> bytes:
    """Return all bytes of a file that holds one board; ParseError if they are more than `LARGEST`."""
    data = stream.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise ParseError(f"expected at most {LARGEST} bytes, found more", source=source)
    return data


def lines(stream: BinaryIO, source: str) -> Iterator[tuple[int, str]]:
    """Yield number and text of the lines that are not blank, one at a time, so that a file may be of any length."""
    number = 0
    while raw := stream.readline(LARGEST + 1):
        number += 1
        if len(raw) > LARGEST:
            raise ParseError(f"expected a line of at most {LARGEST} bytes, found more", source=source, line=number)
        try:
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
        except UnicodeDecodeError as error:
            raise ParseError(f"expected text in UTF-8, found the byte 0x{raw[error.start]:02x}", source=source,
                             line=number, column=error.start + 1) from None
        if text:
            yield number, text
