"""JSON lines: one board a line, the format that keeps everything.

``width``, ``height``, ``mines`` (the total, null if unknown), ``position`` and ``minefield`` (lists of rows in the
written glyphs of `minesolve.notation`), ``start`` (``{"cell": "r3c4", "x": 3, "y": 2}``), ``question_marks`` and
``actions`` (``{"action": "open", "cell": "r3c4", "x": 3, "y": 2, "time": 1.5}``). Only what the board has is written,
and at least one of ``position`` and ``minefield`` is there. All other keys are metadata.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, NoReturn, cast, get_args

from minesolve.errors import ParseError
from minesolve.formats.board import Board, lines
from minesolve.game import Action, ActionKind
from minesolve.grid import Grid
from minesolve.minefield import Minefield
from minesolve.position import COVERED, FLAG, MINE, Position

__all__ = ["from_json", "read", "to_json", "write"]

_KEYS = ("width", "height", "mines", "position", "minefield", "start", "question_marks", "actions")
_GLYPHS = {**{str(n): n for n in range(9)}, ".": 0, "#": COVERED, "F": FLAG, "*": MINE}
_WRITTEN = bytes.maketrans(bytes([*range(9), COVERED, FLAG, MINE]), b".12345678#F*")
_DIGITS = 18  # of the largest integer that is read


def read(stream: BinaryIO, source: str = "<bytes>") -> Iterator[Board]:
    """Yield the boards of a file, however many; ParseError at the first line that is none."""
    for number, text in lines(stream, source):
        yield from_json(text, source, number)


def write(board: Board) -> bytes:
    """Return the line of a board; ValueError if a name in its metadata is one of our own keys."""
    return json.dumps(to_json(board), ensure_ascii=False, allow_nan=False).encode() + b"\n"


def to_json(board: Board) -> dict[str, object]:
    """Return the JSON object of a board.

    Examples
    --------
    >>> to_json(Board(minefield=Minefield.from_text(".*"), start=0, metadata={"seed": 7}))["start"]
    {'cell': 'r1c1', 'x': 0, 'y': 0}
    """
    taken = [key for key in board.metadata if key in _KEYS]
    if taken:
        raise ValueError(f"metadata can't be named {taken[0]!r} in JSON lines, where that is part of the board")
    width = board.width
    found: dict[str, object] = {"width": width, "height": board.height, "mines": board.total}
    if board.position is not None:
        found["position"] = _rows(board.position.cells.translate(_WRITTEN), width)
    if board.minefield is not None:
        found["minefield"] = _rows(board.minefield.mines.translate(bytes.maketrans(b"\x00\x01", b".*")), width)
    if board.start is not None:
        found["start"] = _cell(board.grid, board.start)
    if board.question_marks:
        found["question_marks"] = True
    if board.actions:
        found["actions"] = [_action(board.grid, action) for action in board.actions]
    return {**found, **board.metadata}


def _rows(cells: bytes, width: int) -> list[str]:
    text = cells.decode()
    return [text[start : start + width] for start in range(0, len(text), width)]


def _cell(grid: Grid, cell: int) -> dict[str, object]:
    x, y = grid.xy(cell)
    return {"cell": grid.name(cell), "x": x, "y": y}


def _action(grid: Grid, action: Action) -> dict[str, object]:
    time = {} if action.time is None else {"time": action.time}
    return {"action": action.kind, **_cell(grid, action.cell), **time}


def from_json(text: str, source: str = "<text>", line: int | None = None) -> Board:
    """Read one JSON object; ParseError if it is none or describes no board.

    Examples
    --------
    >>> from_json('{"width": 3, "height": 1, "mines": null, "position": ["1#."]}').position.cells.hex()
    '010900'
    """
    try:
        found = json.loads(text, parse_constant=_refuse, parse_int=_integer)
        if not isinstance(found, dict):
            raise ValueError(f"expected a JSON object, found {text[:40]!r}")
        return _Reader(found).board()
    except RecursionError:
        raise ParseError("expected JSON that is not nested so deeply", source=source, line=line) from None
    except json.JSONDecodeError as error:
        raise ParseError(f"expected JSON: {error.msg}", source=source, line=line, column=error.colno) from None
    except ValueError as error:
        raise ParseError(str(error), source=source, line=line) from None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"expected a number, found {constant}")


def _integer(digits: str) -> int:
    if len(digits) > _DIGITS + 2:  # seeds go up to 2**64 - 1, which has 20 digits
        raise ValueError(f"expected an integer of at most {_DIGITS + 2} digits, found {digits[:40]}")
    return int(digits)


class _Reader:
    """The reading of one object; every complaint is a ValueError."""

    def __init__(self, found: Mapping[str, Any]):
        self.found = found
        width, height = self._get("width", int), self._get("height", int)
        if width is None or height is None or width < 1 or height < 1:
            raise ValueError("expected width and height, both at least 1")
        self.width, self.height = width, height

    def _get(self, key: str, kind: type) -> Any:
        value = self.found.get(key)
        if value is not None and (not isinstance(value, kind) or (kind is int and isinstance(value, bool))):
            raise ValueError(f"expected {kind.__name__} for {key}, found {json.dumps(value)[:40]}")
        return value

    def board(self) -> Board:
        total = self._get("mines", int)
        position, minefield = self._cells("position", _GLYPHS), self._cells("minefield", {".": 0, "*": 1})
        field = None if minefield is None else Minefield(self.width, self.height, minefield)
        if field is not None and total not in (None, field.total):
            raise ValueError(f"expected {total} mines in the minefield, found {field.total}")
        start = self.found.get("start")
        return Board(
            None if position is None else Position(self.width, self.height, position, total), field,
            None if start is None else self._cell(start),
            tuple(self._action(action) for action in self._get("actions", list) or ()),
            bool(self._get("question_marks", bool)),
            {key: value for key, value in self.found.items() if key not in _KEYS})

    def _cells(self, key: str, glyphs: Mapping[str, int]) -> bytes | None:
        rows = self._get(key, list)
        if rows is None:
            return None
        if len(rows) != self.height:
            raise ValueError(f"expected {self.height} rows for {key}, found {len(rows)}")
        for number, row in enumerate(rows, 1):
            if not isinstance(row, str) or len(row) != self.width:
                raise ValueError(f"expected a row of {self.width} cells in row {number} of {key}")
            wrong = set(row) - glyphs.keys()
            if wrong:
                raise ValueError(f"expected {' '.join(glyphs)} in row {number} of {key}, found {min(wrong)!r}")
        return bytes(glyphs[char] for row in rows for char in row)

    def _cell(self, value: object) -> int:
        grid = Grid(self.width, self.height)
        name = value.get("cell") if isinstance(value, dict) else value
        if not isinstance(name, str):
            raise ValueError(f"expected a cell such as r3c4, found {json.dumps(value)[:40]}")
        cell = grid.cell(name)
        if isinstance(value, dict) and any(value.get(key, here) != here for key, here in zip("xy", grid.xy(cell),
                                                                                             strict=True)):
            raise ValueError(f"expected x and y of {name}, found {json.dumps(value)[:60]}")
        return cell

    def _action(self, value: object) -> Action:
        kind = value.get("action") if isinstance(value, dict) else None
        if not isinstance(value, dict) or kind not in get_args(ActionKind):
            raise ValueError(f"expected an action: open, flag or chord, found {json.dumps(value)[:60]}")
        time = value.get("time")
        if time is not None and (isinstance(time, bool) or not isinstance(time, int | float)):
            raise ValueError(f"expected a time in seconds, found {json.dumps(time)[:40]}")
        return Action(cast("ActionKind", kind), self._cell(value), time)
