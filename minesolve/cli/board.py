"""What the commands that take one position share: its argument and options, reading it, and saying how it was read."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from minesolve import notation
from minesolve.cli import files
from minesolve.cli.answers import density_of
from minesolve.cli.streams import format_option, note
from minesolve.errors import MinesolveError
from minesolve.levels import standard_level
from minesolve.notation import MINE, Diagram
from minesolve.policy import ADVISERS, EFFORTS, check_adviser
from minesolve.position import Position
from minesolve.solve.analysis import check

if TYPE_CHECKING:
    from minesolve.formats import Board

__all__ = ["advice_options", "advised_by", "board_options", "density_option", "format_option", "note", "read_position"]

_SIZE_LINE = re.compile(r"(?:^|[\r\n])[^\S\r\n]*size[^\S\r\n]*:", re.IGNORECASE)


def _total(context: click.Context, parameter: click.Parameter, value: str | None) -> int | str | None:
    """Take a number of mines, or ? for unknown."""
    if value is None or value == "?":
        return value
    if not (value.isascii() and value.isdigit() and len(value) <= 9):
        raise click.BadParameter(f"expected a number of mines or ?, found {value!r}", context, parameter)
    return int(value)


def board_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the argument BOARD and the options on how to read it."""
    for decorate in reversed((
        click.argument("board", type=click.Path(exists=True, dir_okay=False, allow_dash=True), required=False),
        click.option("--mines", "-m", callback=_total, metavar="N",
                     help="Mines on the whole board, or ? for unknown. Without this and a 'mines:' line, a board of a "
                          "standard level's size is taken to have that level's mines, if it can."),
        click.option("--trust-flags", is_flag=True,
                     help="Take flags as mines. Without this, they are ignored. A flag that is wrong is named."),
        files.number_option,
        files.reading_options,
    )):
        command = decorate(command)
    return command


def _density(context: click.Context, parameter: click.Parameter, value: str | None) -> Fraction | None:
    try:
        return None if value is None else density_of(value)
    except ValueError as error:
        raise click.BadParameter(str(error), context, parameter) from None


def density_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option --density."""
    told = "For an unknown total: the chance of a mine where nothing is known, such as 1/5 or 0.2."
    return click.option("--density", callback=_density, metavar="P", help=told)(command)


def advice_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options on how to guess where no cell is certainly safe."""
    told = ("How to guess where no cell is certainly safe. strong: the end of the game searched exactly, before that "
            "looking two steps ahead; lookahead: one step ahead, and shorter ends; safest: the lowest chance of a "
            "mine, which needs no engine.")
    effort = click.option("--effort", type=click.IntRange(EFFORTS[0], EFFORTS[-1]), default=1, show_default=True,
                          help="How hard strong thinks; 2 takes twice as long, or more.")
    policy = click.option("--policy", type=click.Choice(ADVISERS), default=ADVISERS[0], show_default=True, help=told)
    return policy(effort(command))


def advised_by(policy: str, effort: int) -> dict[str, Any]:
    """Return how to guess; wrong usage if the two don't go together."""
    try:
        check_adviser(policy, effort)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    return {"policy": policy, "effort": effort}


def read_position(
    board: str | None, mines: int | str | None, trust_flags: bool, number: int, from_format: str | None,
    **characters: str,
) -> Position:
    """Read the position of a command; say on standard error how, where that was not plain."""
    if board is None and sys.stdin.isatty():
        raise click.UsageError("Missing argument 'BOARD': a file, or - for standard input.")
    path = board or "-"
    diagram = _diagram(path, from_format, number, characters)
    for text in diagram.notes:
        note(f"{files.called(path)}: {text}")
    return _with_total(Position.from_diagram(diagram), diagram, mines, trust_flags)


def _diagram(path: str, from_format: str | None, number: int, characters: dict[str, str]) -> Diagram:
    name, source = files.format_of(path, from_format), files.called(path)
    glyphs = files.meanings(name, **characters)
    if name != "text":
        return _stored(path, name, number)
    with click.open_file(path, "rb") as file:
        data = file.read()
    text = notation.decode(data, source)
    if number == 1 and len(_SIZE_LINE.findall(text)) < 2:
        diagram = notation.read(text, glyphs, source)
    else:
        from minesolve.formats.text import diagrams

        diagram = files.pick(diagrams(io.BytesIO(data), source, glyphs), number, source)
    if set(diagram.cells) == {0, MINE}:  # it may be a minefield, and the numbers would be nonsense
        from minesolve.formats import text as texts

        _known(next(islice(texts.read(io.BytesIO(data), source, glyphs), number - 1, None)), source)
    return diagram


def _stored(path: str, name: str, number: int) -> Diagram:
    """Return the position of a file that is not text; all those formats say whether the total is known."""
    source = files.called(path)
    board = files.pick(files.read(path, name), number, source)
    shown = _known(board, source)
    return Diagram(shown.width, shown.height, shown.cells, shown.mines, states_total=True, notes=board.notes)


def _known(board: Board, source: str) -> Position:
    """Return what a player knows of a board; MinesolveError if that is nothing."""
    if board.position is None:
        raise MinesolveError(f"{source}: expected a position, found a minefield, of which a player knows nothing yet")
    return board.position


def _with_total(position: Position, diagram: Diagram, mines: int | str | None, trust_flags: bool) -> Position:
    """Take the total that was given, or else that of the standard level of this size, if the position can have it."""
    if mines is not None:
        total = None if mines == "?" else int(mines)
        if diagram.states_total and diagram.mines != total:
            stated = "unknown" if diagram.mines is None else diagram.mines
            note(f"--mines {mines} counts; the file says {stated}")
        return position.with_mines(total)
    level = standard_level(position.width, position.height)
    if diagram.states_total or level is None:
        return position
    assumed = position.with_mines(level.mines)
    if not check(assumed, trust_flags=trust_flags).consistent:
        if check(position, trust_flags=trust_flags).consistent:
            note(f"no total given, and this position can't have the {level.mines} mines of {level.name}: "
                 "the total is taken as unknown")
        return position
    note(f"no total given: assuming the {level.mines} mines of {level.name} (--mines N or --mines ? says otherwise)")
    return assumed
