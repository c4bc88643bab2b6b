"""The command ``minesolve metrics``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

import click

from minesolve.cli.files import Notes, called, format_of, meanings, read, reading_options
from minesolve.cli.streams import counted, format_option, print_json
from minesolve.draws import SplitMix64
from minesolve.errors import MinesolveError
from minesolve.formats import Board
from minesolve.metrics import STNB_VARIANT, best_zini, board_metrics, replay_metrics

__all__ = ["metrics"]

_REPLAY = {"status": "result", "time": "time", "bbbv_solved": "solved", "clicks": "clicks", "bbbv_per_second": "3BV/s",
           "ioe": "IOE", "correctness": "Corr", "throughput": "ThrP", "rqp": "RQP", "stnb": "STNB"}


def _seed(context: click.Context, parameter: click.Parameter, value: int) -> int:
    """Take a seed that the draws take."""
    try:
        SplitMix64(value)
    except ValueError as error:
        raise click.BadParameter(str(error), context, parameter) from None
    return value


@click.command()
@click.argument("paths", metavar="FILE...", nargs=-1, required=True,
                type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--runs", type=click.IntRange(min=1), metavar="N",
              help="Also the best of N ZiNi with ties taken at random.")
@click.option("--seed", type=int, callback=_seed, default=0, show_default=True, metavar="S",
              help="The seed of those runs: the same seed gives the same value.")
@reading_options
@format_option
def metrics(paths: Sequence[str], runs: int | None, seed: int, from_format: str | None, form: str,
            **characters: str) -> int:
    r"""Measure boards: 3BV, openings, islands, ZiNi.

    The boards of all the FILEs (- is standard input), of any format; where their mines are must be known. For every
    board its 3BV, openings, islands, ZiNi and H-ZiNi, and how many cells show each number from 0 to 8.
    ZiNi is G-ZiNi with ties taken column by column. ZiNi values are upper bounds: a cleverer player may need fewer
    clicks.

    For replays also the result, the time in seconds, the 3BV solved, the clicks, 3BV/s, IOE (3BV per click),
    correctness (Corr: clicks that did something, per click), throughput (ThrP: 3BV per click that did something), RQP
    (time divided by 3BV/s) and STNB (standard levels only, with the constants 47.299/153.730/435.001).

    --format json prints one JSON object a line for each board, as soon as it is measured.

    \b
    minesolve metrics board.mbf
    minesolve metrics *.mbf boards.jsonl --runs 100
    minesolve metrics game.rawvf --format json
    """
    names = [format_of(path, from_format) for path in paths]
    found = _Boards([(called(path), read(path, name, meanings(name, **characters)))
                     for path, name in zip(paths, names, strict=True)])
    rows: list[dict[str, Any]] = []
    try:
        with counted(found, streams=form == "json") as boards:
            for source, number, board in boards:
                row = {"file": source, "board": number, **_measured(board, f"{source}, board {number}"),
                       **_best(board, runs, seed), **_played(board)}
                if form == "json":
                    print_json(row)
                else:
                    rows.append(row)
    finally:
        found.say()
        if rows:
            click.echo("\n\n".join(_tables(rows, runs)))
    return 0


class _Boards:
    """The boards of several files, each with what its file is called and its number there."""

    def __init__(self, files: Iterable[tuple[str, Iterator[Board]]]):
        self.files = [(source, boards, Notes()) for source, boards in files]

    def __iter__(self) -> Iterator[tuple[str, int, Board]]:
        for source, boards, notes in self.files:
            for number, board in enumerate(notes.watch(boards), 1):
                yield source, number, board

    def say(self) -> None:
        """Say how they were read."""
        for source, _, notes in self.files:
            notes.say(source)


def _measured(board: Board, where: str) -> dict[str, Any]:
    if board.minefield is None:
        raise MinesolveError(f"{where}: expected a minefield, found a position that leaves open where the mines are")
    return {"width": board.width, "height": board.height, "mines": board.total,
            **asdict(board_metrics(board.minefield))}


def _best(board: Board, runs: int | None, seed: int) -> dict[str, Any]:
    if runs is None or board.minefield is None:
        return {}
    return {"best_zini": best_zini(board.minefield, runs, seed), "runs": runs, "seed": seed}


def _played(board: Board) -> dict[str, Any]:
    return {"replay": asdict(replay_metrics(board.replay()))} if board.actions else {}


def _tables(rows: Sequence[dict[str, Any]], runs: int | None) -> Iterator[str]:
    """Yield the table of the boards and, if there are any, that of the replays."""
    last = {row["file"]: row["board"] for row in rows}
    names = [row["file"] + (f":{row['board']}" if last[row["file"]] > 1 else "") for row in rows]
    best = [] if runs is None else [f"best of {runs}"]
    head = ["size", "mines", "3BV", "openings", "islands", "ZiNi", "H-ZiNi", *best, *map(str, range(9)), "board"]
    yield _table([head, *([
        f"{row['width']}x{row['height']}", row["mines"], row["bbbv"], row["openings"], row["islands"], row["zini"],
        row["hzini"], *([row["best_zini"]] if best else []), *row["counts"], name,
    ] for row, name in zip(rows, names, strict=True))])
    games = [(row["replay"], name) for row, name in zip(rows, names, strict=True) if "replay" in row]
    if games:
        yield _table([[*_REPLAY.values(), "game"], *([*(game[key] for key in _REPLAY), name] for game, name in games)])
        yield f"STNB with the constants {STNB_VARIANT}"


def _table(rows: Sequence[Sequence[Any]]) -> str:
    """Return rows of right-aligned columns; the last one, of names, is left-aligned."""
    cells = [[_text(value) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [[text.rjust(width) for text, width in zip(row, widths, strict=True)] for row in cells]
    return "\n".join("  ".join([*line[:-1], row[-1]]) for line, row in zip(lines, cells, strict=True))


def _text(value: Any) -> str:
    return "-" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
