r"""Boards as files: one module for each format, and the table of them.

Every format reads and writes `Board`, the one value for a board in a file.

Examples
--------
>>> import io
>>> boards = read_boards(io.BytesIO(b"9x9:4,4,mb071b49fbd1cb6a0d5868\n"), "gameid")
>>> b"".join(write_boards(boards, "link"))
b'https://pttacgfans.github.io/Minesweeper-ZiNi-Calculator/?b=1&m=0100003s000g08g80\n'
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from minesolve.formats import gameid, jsonl, link, mbf, mine, rawvf, text
from minesolve.formats.board import Board, truth_of
from minesolve.notation import Glyphs

__all__ = ["FORMATS", "Board", "Format", "format_for", "lost", "read_boards", "write_boards"]


@dataclass(frozen=True, slots=True)
class Format:
    """One format.

    Attributes
    ----------
    name : str
    about : str
        What it is, in a few words.
    suffixes : tuple of str
        Ends of file names, with their dot.
    many : bool
        Whether a file may hold several boards.
    keeps : frozenset of str
        Which of `Board.parts` it keeps.
    read : callable
        Takes an open binary file and its name and yields the boards; ParseError where it can't.
    write : callable
        Takes a board and returns its bytes; ValueError where the format can't hold it.
    """

    name: str
    about: str
    suffixes: tuple[str, ...]
    many: bool
    keeps: frozenset[str]
    read: Callable[[BinaryIO, str], Iterator[Board]]
    write: Callable[[Board], bytes]


_ALL = ("position", "minefield", "start", "actions", "times below a millisecond", "question marks", "metadata",
        "structured metadata")

FORMATS = {
    each.name: each
    for each in (
        Format("text", "the text of positions and minefields", (".txt", ".text"), True,
               frozenset({"position", "minefield", "start"}), text.read, text.write),
        Format("mine", "JSMinesweeper position", (".mine",), False, frozenset({"position", "minefield"}), mine.read,
               mine.write),
        Format("mbf", "JSMinesweeper minefield, bytes", (".mbf", ".abf"), False, frozenset({"minefield"}), mbf.read,
               mbf.write),
        Format("gameid", "game ids of Simon Tatham's Mines", (".gameid", ".id"), True,
               frozenset({"minefield", "start"}), gameid.read, gameid.write),
        Format("link", "?b=..&m=.. links of PTTACG and LlamaSweeper", (".link",), True, frozenset({"minefield"}),
               link.read, link.write),
        Format("rawvf", "replays as text", (".rawvf",), False,
               frozenset({"minefield", "actions", "question marks", "metadata"}), rawvf.read, rawvf.write),
        Format("jsonl", "JSON lines", (".jsonl", ".ndjson"), True, frozenset(_ALL), jsonl.read, jsonl.write),
    )
}


def format_for(path: str | os.PathLike[str]) -> Format:
    """Return the format that a file name's suffix means; ValueError if it means none.

    Examples
    --------
    >>> format_for("boards/evil.mbf").name
    'mbf'
    """
    suffix = Path(path).suffix.lower()
    for each in FORMATS.values():
        if suffix in each.suffixes:
            return each
    known = " ".join(suffix for each in FORMATS.values() for suffix in each.suffixes)
    raise ValueError(f"no format has the suffix of {os.fspath(path)!r}; there are {known}")


def read_boards(stream: BinaryIO, format_name: str, source: str = "<bytes>", glyphs: Glyphs | None = None
                ) -> Iterator[Board]:
    """Yield the boards of an open binary file, one at a time; ParseError at the first that can't be read.

    `glyphs` says what characters mean, for text only; ValueError with another format, or if there is no such format.
    """
    if glyphs is None or glyphs == Glyphs():
        return _named(format_name).read(stream, source)
    if format_name != "text":
        raise ValueError(f"glyphs are given a meaning in text only, not in {format_name}")
    return text.read(stream, source, glyphs)


def write_boards(boards: Iterable[Board], format_name: str) -> Iterator[bytes]:
    """Yield the bytes of boards, one at a time; ValueError if the format can't hold one, or not so many.

    What a format does not keep is left out: `lost` tells.
    """
    to = _named(format_name)
    rest = iter(boards)
    first = next(rest, None)
    if first is None:
        return
    second = next(rest, None)
    if second is not None and not to.many:
        raise ValueError(f"a {to.name} file holds one board, and there are more")
    yield to.write(first)
    if second is not None:
        yield to.write(second)
    for board in rest:
        yield to.write(board)


def lost(board: Board, format_name: str) -> tuple[str, ...]:
    """Return the parts of a board that a format does not keep, so that whoever converts can say so.

    Examples
    --------
    >>> from minesolve.minefield import Minefield
    >>> lost(Board(minefield=Minefield.from_text("..*"), start=0), "mbf")
    ('start',)
    """
    to = _named(format_name)
    gone = [part for part in board.parts() if part not in to.keeps]
    if to.name == "text" and board.position is not None and board.minefield is not None:
        gone += [] if truth_of(board.position) == board.minefield else ["minefield"]
    return tuple(gone)


def _named(name: str) -> Format:
    if name not in FORMATS:
        raise ValueError(f"no format is called {name!r}; there are {', '.join(FORMATS)}")
    return FORMATS[name]
