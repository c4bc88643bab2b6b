"""``.rawvf``: replays in the raw text format of the Minesweeper community, one game a file.

``Key: value`` lines, ``Board:`` with rows of ``*`` and ``0``, ``Events:`` with lines
``seconds event column row (x y)``, columns and rows 1-based, x and y in pixels. The events are those of the mouse
(press and release of the left, right and middle button, ``sc`` left with shift); here they become actions by the rules
of the format's own reader (parser_raw.c of https://github.com/thefinerminer/minesweeper-rawvf): the left button opens
when released, the right one flags when pressed, both together, the middle one, or left with shift chord when released,
and the click that is left over after a chord with both does nothing. Lines about the board itself are left out: they
follow from the actions. Where the header states a ``SquareSize``, the pixels count, because LlamaSweeper, which writes
it, counts columns from 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from minesolve import notation
from minesolve.errors import ParseError
from minesolve.formats.board import Board, minefield_of, read_all
from minesolve.game import Action, ActionKind, Game
from minesolve.levels import standard_level
from minesolve.minefield import Minefield

__all__ = ["read", "write"]

_KEY = re.compile(r"([A-Za-z][\w/ .-]*):(.*)")
_EVENT = re.compile(
    r"(-?\d{1,9}(?:\.\d{1,9})?)\s+(lc|lr|rc|rr|mc|mr|mv|sc|mt)"
    r"(?:\s+(-?\d{1,7})\s+(-?\d{1,7}))?(?:\s+\(\s*(-?\d{1,7})\s+(-?\d{1,7})\s*\))?(?:\s+\([lrm]*\))?", re.ASCII)
_ABOUT_THE_BOARD = re.compile(
    r"(?:-?\d{1,9}(?:\.\d{1,9})?\s+)?(?:start|won|blast|boom|nonstandard|sx|sy|solved|cell|closed|opened|pressed|flag|"
    r"questionmark)\b.*", re.IGNORECASE | re.ASCII)
_OWN_KEYS = ("rawvf_version", "width", "height", "mines", "level", "marks", "squaresize", "superclick")
_MOST_KEYS = 1000
_PIXELS = 16  # the side of a cell where the header states none
_OTHER_RULES = ("elmar", "nono", "superflag")  # switches of some programs that change what a click does


def read(stream: BinaryIO, source: str = "<bytes>") -> Iterator[Board]:
    r"""Yield the one game of a file as a board with actions; ParseError if it can't be read.

    Examples
    --------
    >>> import io
    >>> text = b"Width: 2\nHeight: 1\nMines: 1\nBoard:\n0*\nEvents:\n0.00 lc 1 1 (3 3)\n0.25 lr 1 1 (3 3)\n"
    >>> board = next(read(io.BytesIO(text)))
    >>> board.actions, board.replay().status
    ((Action(kind='open', cell=0, time=0.25),), 'won')
    """
    text = notation.decode(read_all(stream, source), source)
    yield _Reader(text, source).board()


def write(board: Board) -> bytes:
    """Return the bytes of a board: its game, or the board without events where there is none.

    Chords are written as clicks of the middle button, times to the millisecond. ValueError if the minefield is not
    known or an action has no time.
    """
    minefield = minefield_of(board, "rawvf")
    level = standard_level(minefield.width, minefield.height)
    named = level.name.capitalize() if level is not None and level.mines == minefield.total else "Custom"
    header = {"RawVF_Version": "Rev6.2", "Level": named, "Width": minefield.width, "Height": minefield.height,
              "Mines": minefield.total, "Marks": "On" if board.question_marks else "Off"}
    kept = {key: value for key, value in board.metadata.items() if _is_plain(key, value)}
    rows = minefield.mines.translate(bytes.maketrans(b"\x00\x01", b"0*")).decode()
    text = [f"{key}: {value}" for key, value in {**header, **kept}.items()]
    text += ["Board:", *(rows[at : at + minefield.width] for at in range(0, len(rows), minefield.width)), "Events:"]
    text += [line for action in board.actions for line in _events(board, action)]
    return ("\n".join(text) + "\n").encode()


def _is_plain(key: str, value: object) -> bool:
    if not isinstance(value, str):
        return False
    match = _KEY.fullmatch(f"{key}: {value}")
    return match is not None and match[1] == key and match[2].strip() == value and key.lower() not in (
        *_OWN_KEYS, *_OTHER_RULES, "board", "events")


def _events(board: Board, action: Action) -> list[str]:
    if action.time is None:
        raise ValueError("rawvf needs the time of every action")
    x, y = board.grid.xy(action.cell)
    where = f"{x + 1} {y + 1} ({x * _PIXELS + _PIXELS // 2} {y * _PIXELS + _PIXELS // 2})"
    button = {"open": "l", "flag": "r", "chord": "m"}[action.kind]
    return [f"{action.time:.3f} {button}{event} {where}" for event in "cr"]


class _Reader:
    def __init__(self, text: str, source: str):
        self.rows = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self.source, self.at = source, 0
        self.header: dict[str, str] = {}
        self.names: dict[str, str] = {}

    def board(self) -> Board:
        self._read_header()
        minefield = self._read_minefield()
        for rule in _OTHER_RULES:
            if self.header.get(rule, "off").lower() == "on":
                raise self._fail(f"expected the usual rules, found {rule}, which changes what a click does")
        marks = self.header.get("marks", "off").lower() == "on"
        superclick = self.header.get("superclick", "off").lower() == "on"
        mouse = _Mouse(Game(minefield, question_marks=marks), superclick)
        for event, cell, time in self._events(minefield):
            mouse.act(event, cell, time)
        metadata = {self.names[key]: value for key, value in self.header.items() if key not in _OWN_KEYS}
        return Board(minefield=minefield, actions=tuple(mouse.actions), question_marks=marks, metadata=metadata)

    def _fail(self, message: str) -> ParseError:
        return ParseError(message, source=self.source, line=min(self.at, len(self.rows)) or None)

    def _next(self) -> str | None:
        if self.at == len(self.rows):
            return None
        self.at += 1
        return self.rows[self.at - 1].strip()

    def _read_header(self) -> None:
        while (row := self._next()) is not None:
            match = _KEY.fullmatch(row)
            if match is not None and match[1].lower() == "board":
                return
            if match is not None and len(self.header) < _MOST_KEYS:
                self.header[match[1].lower()], self.names[match[1].lower()] = match[2].strip(), match[1]
            elif row:
                raise self._fail(f"expected a line such as Width: 30, found {row[:40]!r}")
        raise self._fail("expected a line Board:, found the end of the file")

    def _read_minefield(self) -> Minefield:
        first, rows = self.at + 1, []
        while (row := self._next()) is not None and not row.lower().startswith("events"):
            if row:
                rows.append(row)
        if row is None:
            raise self._fail("expected a line Events:, found the end of the file")
        width, height = len(rows[0]) if rows else 0, len(rows)
        if not rows or any(len(row) != width or set(row) - {"*", "0"} for row in rows):
            raise ParseError("expected rows of * and 0, all as wide, after Board:", source=self.source, line=first)
        minefield = Minefield(width, height, bytes(char == "*" for row in rows for char in row))
        for key, found in (("width", width), ("height", height), ("mines", minefield.total)):
            if self.header.get(key, str(found)) != str(found):
                raise ParseError(f"expected {key} {self.header[key][:20]} as the header says, found {found}",
                                 source=self.source, line=first)
        return minefield

    def _events(self, minefield: Minefield) -> Iterator[tuple[str, int | None, float]]:
        """Yield event, cell (None off the board) and time."""
        size = self.header.get("squaresize")
        if size is not None and not re.fullmatch("[1-9][0-9]{0,3}", size):
            raise self._fail(f"expected a number of pixels for SquareSize, found {size[:20]!r}")
        while (row := self._next()) is not None:
            match = _EVENT.fullmatch(row)
            if match is None:
                if row and not _ABOUT_THE_BOARD.fullmatch(row):
                    raise self._fail(f"expected an event such as 1.25 lc 3 4 (40 56), found {row[:40]!r}")
            elif match[2] == "mt":
                raise self._fail("expected the same setting of question marks all game long, found mt")
            elif match[2] != "mv":
                yield match[2], self._cell(match, minefield, size), float(match[1])

    def _cell(self, match: re.Match[str], minefield: Minefield, size: str | None) -> int | None:
        if match[5] is not None and (size is not None or match[3] is None):
            side = int(size or _PIXELS)
            x, y = int(match[5]) // side, int(match[6]) // side
        elif match[3] is not None:
            x, y = int(match[3]) - 1, int(match[4]) - 1
        else:
            raise self._fail("expected a place, as column and row or in pixels, found none")
        on_board = 0 <= x < minefield.width and 0 <= y < minefield.height
        return y * minefield.width + x if on_board else None


@dataclass
class _Mouse:
    """The buttons, and the game they play: what they do depends on what is open and covered."""

    game: Game
    superclick: bool  # a left click on an opened number chords
    left: bool = False
    right: bool = False
    middle: bool = False
    shift: bool = False
    chorded: bool = False  # a chord was made with both buttons, and one of them is still down
    wasted: int | None = None  # the open cell that the right button was pressed on, if nothing came of it yet

    def __post_init__(self) -> None:
        self.actions: list[Action] = []
        self.time = 0.0

    def act(self, event: str, cell: int | None, time: float) -> None:
        self.time = time
        {"lc": self._left_down, "sc": self._shift_down, "lr": self._left_up, "rc": self._right_down,
         "rr": self._right_up, "mc": self._middle_down, "mr": self._middle_up}[event](cell)

    def _do(self, kind: ActionKind, cell: int) -> None:
        if self.game.status == "playing":
            self.game.act(kind, cell)
            self.actions.append(Action(kind, cell, self.time))

    def _is_open(self, cell: int) -> bool:
        return self.game.shown(cell) <= 8

    def _left_down(self, cell: int | None) -> None:
        if not self.middle:
            self.left, self.shift = True, False

    def _shift_down(self, cell: int | None) -> None:
        if not self.middle:
            self.left = self.shift = True

    def _left_up(self, cell: int | None) -> None:
        if not self.left:
            return
        self.left = False
        if cell is None:
            self.chorded = False
        elif self.right or self.shift or (self.superclick and self._is_open(cell)):
            self._do("chord", cell)
            self.chorded, self.shift = self.right, False
        elif self.chorded:
            self.chorded = False
        else:
            self._do("open", cell)

    def _right_down(self, cell: int | None) -> None:
        if self.middle:
            return
        self.right, self.shift, self.wasted = True, False, None
        if cell is None or self.left:
            return
        if self._is_open(cell):
            self.wasted = cell
        else:
            self.chorded = False
            self._do("flag", cell)

    def _right_up(self, cell: int | None) -> None:
        if not self.right:
            return
        self.right = self.shift = False
        if cell is None:
            self.chorded = self.left
        elif self.left:
            self._do("chord", cell)
            self.chorded = True
        else:
            if self.wasted is not None and not self.chorded:
                self._do("flag", self.wasted)  # it changes nothing, and counts as a click
            self.chorded = False
        self.wasted = None

    def _middle_down(self, cell: int | None) -> None:
        self.left = self.right = self.shift = self.chorded = False
        self.middle, self.wasted = True, None

    def _middle_up(self, cell: int | None) -> None:
        if self.middle and cell is not None:
            self._do("chord", cell)
        self.middle = False
