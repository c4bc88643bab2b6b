"""The command ``minesolve show``."""

from __future__ import annotations

import re

import click

from minesolve.cli.files import called, format_of, meanings, number_option, pick, read, reading_options, replacing
from minesolve.cli.streams import columns, format_option, note, print_json, wants_color
from minesolve.errors import MinesolveError
from minesolve.formats import Board, jsonl
from minesolve.grid import Grid
from minesolve.render import png, svg, terminal
from minesolve.render.picture import Picture, Window

__all__ = ["show"]

_OUT = click.Path(dir_okay=False, allow_dash=True)


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--minefield", "truth", is_flag=True,
              help="Show the minefield, also where the file holds a position or a game too.")
@click.option("--part", metavar="rYcX:rYcX", help="Show only the part between two corners, such as r1c1:r16c30.")
@click.option("--svg", "svg_file", type=_OUT, metavar="OUT", help="Draw into an SVG file instead, - for stdout.")
@click.option("--png", "png_file", type=_OUT, metavar="OUT", help="Draw into a PNG file instead, - for stdout.")
@number_option
@reading_options
@format_option
def show(file: str, truth: bool, part: str | None, svg_file: str | None, png_file: str | None, number: int,
         from_format: str | None, form: str, **characters: str) -> int:
    r"""Show or draw a position or a minefield.

    FILE may be of any format; - is standard input. A position is shown as the player sees it; a minefield with its
    mines and all its numbers; a replay as the game ended. A file OUT that exists is replaced. --format json prints
    what FILE holds, as a line of JSON.

    \b
    minesolve show board.mine
    minesolve show boards.jsonl --board 7 --svg board.svg
    minesolve show game.rawvf --minefield
    """
    if svg_file == png_file == "-":
        raise click.UsageError("--svg and --png can't both go to standard output.")
    if form == "json" and (truth or part is not None or svg_file or png_file):
        raise click.UsageError("--format json prints all that the file holds: it excludes the other options on what to "
                               "show.")
    name = format_of(file, from_format)
    board = pick(read(file, name, meanings(name, **characters)), number, called(file))
    for text in board.notes:
        note(f"{called(file)}: {text}")
    if form == "json":
        print_json(jsonl.to_json(board))
        return 0
    if truth and board.minefield is None:
        raise MinesolveError(f"{called(file)}: where the mines are is not known")
    window = None if part is None else _window(part, board.grid)
    _draw(_picture(board, truth, window), _caption(board, truth), svg_file, png_file)
    return 0


def _window(part: str, grid: Grid) -> Window:
    match = re.fullmatch("([^:]+):([^:]+)", part)
    try:
        if match is None:
            raise ValueError(f"expected two cells such as r1c1:r16c30, found {part!r}")
        (x0, y0), (x1, y1) = (grid.xy(grid.cell(name)) for name in match.groups())
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="'--part'") from None
    return min(x0, x1), min(y0, y1), max(x0, x1) + 1, max(y0, y1) + 1


def _picture(board: Board, truth: bool, window: Window | None) -> Picture:
    if board.actions and not truth:
        game = board.replay()
        return Picture.of_position(game.position, window=window, fatal=game.fatal, wrong_flags=game.wrong_flags)
    if board.position is not None and not truth:
        return Picture.of_position(board.position, window=window)
    assert board.minefield is not None  # because a board holds one of the two, and `show` looked for it
    return Picture(board.width, board.height, board.minefield.numbers(), window=window)


def _caption(board: Board, truth: bool) -> str:
    """Return the size, the total, the start, and how a game ended, in words."""
    total = "an unknown number of mines" if board.total is None else _number(board.total, "mine")
    start = [] if board.start is None else [f"start {board.grid.name(board.start)}"]
    played = []
    if board.actions and not truth:
        game = board.replay()
        done = {"won": "won after", "lost": "lost after", "playing": "in play after"}[game.status]
        played = [f"{done} {_number(len(game.actions), 'action')}, {game.time:.3f} s"]
    return ", ".join([f"{board.width}x{board.height}", total, *start, *played])


def _number(count: int, thing: str) -> str:
    return f"{count} {thing}{'s' * (count != 1)}"


def _draw(picture: Picture, caption: str, svg_file: str | None, png_file: str | None) -> None:
    if svg_file is None and png_file is None:
        drawn = terminal.draw(picture, color=wants_color(), columns=columns())
        click.echo(f"{caption}\n\n{drawn}", nl=False)
        return
    text = svg.draw(picture, title=f"A Minesweeper board, {caption}")
    if svg_file is not None:
        with replacing(svg_file) as out:
            out.write(text.encode())
    if png_file is not None:
        data = png.from_svg(text)
        with replacing(png_file) as out:
            out.write(data)
