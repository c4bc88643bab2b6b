"""Files of boards in any format, as the commands read and write them.

`minesolve.formats` is loaded only where a file is not plain text, so that a hint does not wait for it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar, cast

import click

from minesolve.cli.streams import note
from minesolve.errors import MinesolveError, ParseError
from minesolve.notation import Glyphs

if TYPE_CHECKING:
    from minesolve.formats import Board

__all__ = ["Notes", "called", "format_name", "format_of", "meanings", "number_option", "pick", "read",
           "reading_options", "replacing"]

T = TypeVar("T")

_PLAIN = ("", ".txt", ".text")
_MOST_COUNTED = 1000


def format_name(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Take a name that the table of formats has."""
    if value is None:
        return None
    from minesolve.formats import FORMATS

    if value not in FORMATS:
        raise click.BadParameter(f"expected {', '.join(FORMATS)}, found {value!r}", context, parameter)
    return value


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options on the format of a file and on what the characters of a text mean."""
    for decorate in reversed((
        click.option("--from", "from_format", callback=format_name, metavar="FORMAT",
                     help="How the file is written; without this, as its suffix says, or else as text. 'minesolve "
                          "convert --help' lists the formats."),
        click.option("--covered", metavar="CHARS", default="", help="Characters of a text that mean a covered cell."),
        click.option("--zero", metavar="CHARS", default="", help="Characters of a text that mean a revealed zero."),
        click.option("--flag", metavar="CHARS", default="", help="Characters of a text that mean a flag."),
        click.option("--mine", metavar="CHARS", default="", help="Characters of a text that mean a mine."),
    )):
        command = decorate(command)
    return command


def number_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option --board, for commands that take one board."""
    return click.option("--board", "number", type=click.IntRange(min=1), default=1, show_default=True, metavar="N",
                        help="Which board, where the file holds several.")(command)


def meanings(format_name: str, covered: str, zero: str, flag: str, mine: str) -> Glyphs:
    """Return what the characters mean; a usage error where they are given two meanings, or the format is not text."""
    try:
        glyphs = Glyphs(covered=covered, zero=zero, flag=flag, mine=mine)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if format_name != "text" and glyphs != Glyphs():
        raise click.UsageError(f"--covered, --zero, --flag and --mine are about text; this is read as {format_name}.")
    return glyphs


def called(path: str) -> str:
    """Return what messages call the file that is read: its path, or ``<stdin>``."""
    return "<stdin>" if path == "-" else path


def format_of(path: str, given: str | None) -> str:
    """Return the format that was given, or that the suffix means, or else text; said if the suffix means none."""
    if given is not None:
        return given
    if path == "-" or Path(path).suffix.lower() in _PLAIN:
        return "text"
    from minesolve.formats import format_for

    try:
        return format_for(path).name
    except ValueError:
        note(f"{path}: read as text, because its suffix means no format (--from FORMAT says otherwise)")
        return "text"


def read(path: str, name: str, glyphs: Glyphs | None = None) -> Iterator[Board]:
    """Yield the boards of a file in the format of that name, - for standard input; MinesolveError if there are none."""
    from minesolve.formats import read_boards

    found = False
    with click.open_file(path, "rb") as stream:
        for board in read_boards(cast("BinaryIO", stream), name, called(path), glyphs):
            found = True
            yield board
    if not found:
        raise MinesolveError(f"{called(path)}: expected a board, found none")


def pick(boards: Iterator[T], number: int, source: str) -> T:
    """Return one of several boards, counted from 1, and say how many there are, if not just one."""
    count = 0
    for count, board in enumerate(boards, 1):
        if count == number:
            _say_how_many(boards, number, source)
            return board
    raise MinesolveError(f"{source}: there is no board {number}, because there {'is' if count == 1 else 'are'} {count}")


def _say_how_many(others: Iterator[object], number: int, source: str) -> None:
    count, end = number, ""
    try:
        for count, _ in enumerate(others, number + 1):
            if count == number + _MOST_COUNTED:
                end = " or more"
                break
    except ParseError as error:
        end = f", and then what can't be read ({error})"
    if count > 1 or end:
        note(f"{source}: this is board {number} of {count}{end}")


def _read_how(board: Board) -> Iterable[str]:
    return board.notes


class Notes:
    """What is to be said about the boards of a file: every note once, with the boards it is about."""

    def __init__(self) -> None:
        self.about: dict[str, tuple[int, int]] = {}  # by note, the first board and how many more
        self.boards = 0

    def watch(self, boards: Iterable[Board], about: Callable[[Board], Iterable[str]] = _read_how) -> Iterator[Board]:
        """Yield the boards and take down what is to be said about each: by default, how it was read."""
        for board in boards:
            self.boards += 1
            for text in about(board):
                first, more = self.about.get(text, (self.boards, -1))
                self.about[text] = (first, more + 1)
            yield board

    def say(self, source: str) -> None:
        """Say it all."""
        for text, (first, more) in self.about.items():
            which = "" if self.boards == 1 else f", board {first}" + (f" and {more} more" if more else "")
            note(f"{source}{which}: {text}")


@contextlib.contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """Open a file to be written, - for standard output; it takes its place only once all of it is written.

    Until then, and if anything goes wrong, what was there before stays as it was. A device or a named pipe is written
    to directly.
    """
    if path == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = os.path.realpath(path)
    mode = _mode(target, path)
    if mode is not None and not stat.S_ISREG(mode):
        with open(target, "wb") as file:
            yield file
        return
    try:
        handle, beside = tempfile.mkstemp(prefix=".minesolve-", dir=os.path.dirname(target))
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from None
    try:
        with open(handle, "wb") as file:
            yield file
        os.chmod(beside, _usual_mode() if mode is None else stat.S_IMODE(mode))
        os.replace(beside, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise


def _mode(target: str, path: str) -> int | None:
    """Return the mode of a file, None if there is none yet; PermissionError if it may not be written."""
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        return None
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    return mode


def _usual_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
