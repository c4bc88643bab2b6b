"""Corpora: positions with exact answers, as plain stanzas that people can read and tests can check.

A stanza is a run of ``key: value`` lines and the rows of a position; blank lines part stanzas, ``;`` begins a comment
(where the position comes from). What the answers mean is said at `Stanza`::

    ; beside a wall, the second 1 leaves no room for a third mine
    name: 1-1
    size: 5x3
    mines: ?
    layouts: 8
    safe pair: r1c3
    #####
    11111
    .....

The rows are text as in `minesolve.notation`, and ``size:`` is required, so that ``.`` is always a zero.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from minesolve import notation
from minesolve.errors import ParseError
from minesolve.grid import Grid
from minesolve.position import Position

__all__ = ["Forced", "Stanza", "read", "read_file"]

_LINE = re.compile(r"\s*([A-Za-z][A-Za-z ]*?)\s*:\s*(.*?)\s*")
_FORCED = re.compile(r"(safe|mine) (single|pair|component|total)")
_COUNTS = ("layouts", "fewest", "most")
_KEYS = ("name", "size", "mines", *_COUNTS)


@dataclass(frozen=True, slots=True)
class Forced:
    """Cells (ascending) that one layer of the solver must find to be ``"safe"`` or a ``"mine"``."""

    verdict: str
    layer: str
    cells: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Stanza:
    """A position with what is known about it.

    Attributes
    ----------
    name : str
    position : Position
    layouts : int or None
        Layouts of the whole position, with its total if it has one; None where the stanza doesn't say.
    fewest, most : int or None
        The fewest and the most mines that a layout has.
    forced : tuple of Forced
        All cells that are forced, if any are given or `layouts` is 1; in the order of the file.
    line : int
        Where the stanza begins in its file, 1-based.
    """

    name: str
    position: Position
    layouts: int | None
    fewest: int | None
    most: int | None
    forced: tuple[Forced, ...]
    line: int


def read(text: str, source: str = "<text>") -> tuple[Stanza, ...]:
    r"""Read the stanzas of a text; ParseError says where and why one can't be read.

    Examples
    --------
    >>> stanza, = read("name: corner\nsize: 2x1\nlayouts: 1\nmine single: r1c2\n1#")
    >>> stanza.name, stanza.layouts, stanza.forced
    ('corner', 1, (Forced(verdict='mine', layer='single', cells=(1,)),))
    """
    stanzas = tuple(_Stanza(lines, source).read() for lines in _blocks(text))
    names: set[str] = set()
    for stanza in stanzas:
        if stanza.name in names:
            raise ParseError(f"a second stanza named {stanza.name!r}", source=source, line=stanza.line)
        names.add(stanza.name)
    return stanzas


def read_file(path: str | os.PathLike[str]) -> tuple[Stanza, ...]:
    """Read the stanzas of a file; ParseError where they can't be read, OSError where the file can't."""
    source = os.fspath(path)
    return read(notation.decode(Path(path).read_bytes(), source), source)


def _blocks(text: str) -> Iterator[list[tuple[int, str]]]:
    """Yield the numbered lines of each stanza, without comments."""
    block: list[tuple[int, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith(";"):
            continue
        if line.strip():
            block.append((number, line))
        elif block:
            yield block
            block = []
    if block:
        yield block


class _Stanza:
    """One stanza while it is read."""

    def __init__(self, lines: list[tuple[int, str]], source: str):
        self.source, self.first = source, lines[0][0]
        self.values: dict[str, tuple[int, str]] = {}
        self.rows: list[tuple[int, str]] = []
        for number, line in lines:
            match = _LINE.fullmatch(line)
            if match is None:
                self.rows.append((number, line))
            else:
                self._take(number, " ".join(match[1].split()), match[2])

    def _take(self, number: int, key: str, value: str) -> None:
        if key not in _KEYS and not _FORCED.fullmatch(key):
            raise self._fail(f"expected one of {', '.join(_KEYS)} or a verdict and its layer, found {key!r}", number)
        if key in self.values:
            raise self._fail(f"a second line {key!r}", number)
        if self.rows:
            raise self._fail(f"expected a row of cells, found the line {key!r}", number)
        self.values[key] = (number, value)

    def _fail(self, message: str, line: int | None = None) -> ParseError:
        return ParseError(message, source=self.source, line=self.first if line is None else line)

    def read(self) -> Stanza:
        for key in ("name", "size"):
            if not self.values.get(key, (0, ""))[1]:
                raise self._fail(f"expected a line {key!r} in the stanza, found none")
        position = self._position()
        layouts, fewest, most = (self._count(key) for key in _COUNTS)
        forced = tuple(self._forced(key, position.grid) for key in self.values if _FORCED.fullmatch(key))
        return Stanza(self.values["name"][1], position, layouts, fewest, most, forced, self.first)

    def _position(self) -> Position:
        """Read the rows by the notation's own reader, on their own lines so that its errors point there."""
        lines = [""] * max(number for number, _ in [*self.rows, *self.values.values()])
        for key in ("size", "mines"):
            if key in self.values:
                number, value = self.values[key]
                lines[number - 1] = f"{key}: {value}"
        for number, row in self.rows:
            lines[number - 1] = row
        return Position.from_diagram(notation.read("\n".join(lines), source=self.source))

    def _count(self, key: str) -> int | None:
        if key not in self.values:
            return None
        number, value = self.values[key]
        if not re.fullmatch(r"\d{1,100}", value, re.ASCII):
            raise self._fail(f"expected a whole number of {key}, found {value!r}", number)
        return int(value)

    def _forced(self, key: str, grid: Grid) -> Forced:
        number, value = self.values[key]
        try:
            cells = tuple(sorted(grid.cell(name) for name in value.split()))
        except ValueError as error:
            raise self._fail(str(error), number) from None
        if not cells or len(set(cells)) < len(cells):
            raise self._fail(f"expected different cells such as r3c4, found {value!r}", number)
        verdict, layer = key.split()
        return Forced(verdict, layer, cells)
