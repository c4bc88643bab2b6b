"""The command ``minesolve convert``."""

from __future__ import annotations

import click

from minesolve.cli.files import (
    Notes,
    called,
    format_name,
    format_of,
    meanings,
    pick,
    read,
    reading_options,
    replacing,
)
from minesolve.cli.streams import counted
from minesolve.errors import MinesolveError
from minesolve.formats import FORMATS, Board, format_for, lost, write_boards

__all__ = ["convert"]

_TABLE = "\n".join(
    f"  {each.name:<7} {' '.join(each.suffixes):<15} {'many' if each.many else 'one':<4}  {each.about}"
    for each in FORMATS.values()
)
_FORMATS = f"\b\nFormats, their suffixes, and how many boards a file holds:\n{_TABLE}"


@click.command(epilog=_FORMATS)
@click.argument("source", metavar="IN", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.argument("target", metavar="OUT", type=click.Path(dir_okay=False, allow_dash=True))
@click.option("--to", "to_format", callback=format_name, metavar="FORMAT",
              help="How to write OUT; without this, as its suffix says.")
@click.option("--board", "number", type=click.IntRange(min=1), metavar="N",
              help="Convert only the N-th board of IN; without this, all of them.")
@reading_options
def convert(source: str, target: str, to_format: str | None, number: int | None, from_format: str | None,
            **characters: str) -> int:
    r"""Convert boards into another format.

    Reads all boards of the file IN and writes them to the file OUT; - is standard input or output. A file OUT that
    exists is replaced, but only once all boards are converted: if one can't be, or if you interrupt, it stays as it
    was. What a format does not keep is left out, and said; where it can't hold a board at all, such as a position in a
    format for minefields, nothing is written.

    \b
    minesolve convert board.mbf board.txt
    minesolve convert boards.jsonl boards.gameid
    minesolve convert - board.mine --from link < link
    minesolve convert board.txt - --to jsonl
    """
    to = to_format or _by_suffix(target)
    name = format_of(source, from_format)
    found = read(source, name, meanings(name, **characters))
    if number is not None:
        found = iter([pick(found, number, called(source))])
    reading, losses, written = Notes(), Notes(), 0
    try:
        with replacing(target) as out, counted(found, streams=target == "-") as boards:
            for data in write_boards(losses.watch(reading.watch(boards), lambda board: _loss(board, to)), to):
                out.write(data)
                written += 1
    except ValueError as error:
        where = f", board {written + 1}" if FORMATS[to].many and reading.boards > 1 else ""
        more = "" if FORMATS[to].many or reading.boards == 1 else " (--board N converts one of them)"
        raise MinesolveError(f"{called(source)}{where}: {error}{more}") from None
    finally:
        reading.say(called(source))
    losses.say(called(source))
    return 0


def _by_suffix(target: str) -> str:
    if target == "-":
        raise click.UsageError("Standard output has no suffix: --to FORMAT says how to write it.")
    try:
        return format_for(target).name
    except ValueError as error:
        raise click.UsageError(f"{error}. --to FORMAT says how to write it.") from None


def _loss(board: Board, to: str) -> tuple[str, ...]:
    """Return what to say about the parts of a board that a format does not keep."""
    gone = lost(board, to)
    return (f"left out {' and '.join(gone)}, which {to} does not keep",) if gone else ()
