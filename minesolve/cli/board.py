"""What the commands that take one position share: its argument and options, reading it, and saying how it was read."""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import click

from minesolve import notation
from minesolve.cli.answers import density_of
from minesolve.levels import standard_level
from minesolve.notation import Diagram, Glyphs
from minesolve.position import Position
from minesolve.solve.analysis import check

__all__ = ["board_options", "density_option", "format_option", "note", "read_position"]


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
        click.option("--covered", metavar="CHARS", default="", help="Characters that mean a covered cell."),
        click.option("--zero", metavar="CHARS", default="", help="Characters that mean a revealed zero."),
        click.option("--flag", metavar="CHARS", default="", help="Characters that mean a flag."),
        click.option("--mine", metavar="CHARS", default="", help="Characters that mean a mine that is shown."),
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


def format_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option --format."""
    return click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
                        help="How to print the answer.")(command)


def note(message: str) -> None:
    """Say something about the input on standard error."""
    click.echo(f"minesolve: {message}", err=True)


def read_position(
    board: str | None, mines: int | str | None, trust_flags: bool, covered: str, zero: str, flag: str, mine: str
) -> Position:
    """Read the position of a command; say on standard error how, where that was not plain."""
    try:
        glyphs = Glyphs(covered=covered, zero=zero, flag=flag, mine=mine)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    data, source = _data(board)
    diagram = notation.read(notation.decode(data, source), glyphs, source)
    for text in diagram.notes:
        note(f"{source}: {text}")
    return _with_total(Position.from_diagram(diagram), diagram, mines, trust_flags)


def _data(board: str | None) -> tuple[bytes, str]:
    if board not in (None, "-"):
        with click.open_file(str(board), "rb") as file:
            return file.read(), str(board)
    if board is None and sys.stdin.isatty():
        raise click.UsageError("Missing argument 'BOARD': a file, or - for standard input.")
    return sys.stdin.buffer.read(), "<stdin>"


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
