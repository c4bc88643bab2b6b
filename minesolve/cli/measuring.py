"""What ``rate`` and ``compare`` share: the options, the boards that they mean, the progress bar."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import click

from minesolve import measurement
from minesolve.levels import LEVELS
from minesolve.request import Request
from minesolve.runs import Counts, Place, Plan, run
from minesolve.statistics import Estimate

__all__ = ["measuring_options", "played", "requests_of", "shown_share", "table"]


def _several(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> list[int]:
    """Take numbers of mines: 99, or 20-60 by one, or 20-60/5 by five."""
    found: list[int] = []
    for value in values:
        span, _, step = value.partition("/")
        first, _, last = span.partition("-")
        try:
            found += range(int(first), int(last or first) + 1, int(step or 1))
        except ValueError:
            raise click.BadParameter(f"expected 99, 20-60 or 20-60/5, found {value!r}", context, parameter) from None
    if values and not 1 <= len(found) <= 1000:
        raise click.BadParameter("expected 1 to 1000 numbers of mines", context, parameter)
    return found


def measuring_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say which boards are played, where, and what is kept."""
    for decorate in reversed((
        click.option("--width", type=click.IntRange(min=1), help="Another size than a level's: width,"),
        click.option("--height", type=click.IntRange(min=1), help="height"),
        click.option("--mines", "-m", callback=_several, multiple=True, metavar="N",
                     help="and mines: 99, or for several kinds of board 20-60 or 20-60/5; may be given again."),
        click.option("--boards", "-n", type=click.IntRange(min=1),
                     help="How many boards of each kind.  [default: 10000; the most, with --until-ci: 100000000]"),
        click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=0, show_default=True,
                     help="The same seed means the same boards for ever."),
        click.option("--start", default="centre", show_default=True, metavar="CELL",
                     help="The cell to open first: rYcX (such as r8c15: row 8, column 15), centre, corner or random."),
        click.option("--first-click", type=click.Choice(["opening", "safe", "any"]), default="opening",
                     show_default=True, help="What the start is sure to be: a zero, a safe cell, or anything."),
        click.option("--until-ci", type=click.FloatRange(0, 1, min_open=True, max_open=True), metavar="WIDTH",
                     help="Stop when the intervals of the shares without a guess and won are at most so wide "
                          "(0.001: a tenth of a per cent from end to end)."),
        click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True,
                     help="Threads; the figures don't depend on them."),
        click.option("--scheduler", metavar="tcp://HOST:PORT",
                     help="Let the workers of this Dask scheduler play (needs minesolve[cluster])."),
        click.option("--out", "-o", type=click.Path(dir_okay=False), metavar="FILE",
                     help="A run file: a line for each chunk of boards. The same command goes on with it."),
        click.option("--overwrite", is_flag=True, help="Start FILE anew, whatever is in it."),
        click.option("--games", type=click.Path(dir_okay=False), metavar="FILE",
                     help="Write a row for each game to this Parquet file (needs minesolve[analysis])."),
        click.option("--format", "form", type=click.Choice(["text", "json", "markdown"]), default="text",
                     show_default=True),
    )):
        command = decorate(command)
    return command


def requests_of(levels: Sequence[str], options: dict[str, Any]) -> list[Request]:
    """Return the kinds of board that are meant: levels, or a size with numbers of mines."""
    size = (options["width"], options["height"])
    common = {name: options[name] for name in ("start", "first_click", "seed")}
    if levels:
        if size != (None, None) or options["mines"]:
            raise click.UsageError("give levels, or else --width, --height and --mines")
        return [measurement.board_request(level, **common) for level in levels]
    if None in size or not options["mines"]:
        raise click.UsageError(f"expected levels ({', '.join(LEVELS)}), or else --width, --height and --mines")
    return [
        measurement.board_request(None, width=size[0], height=size[1], mines=mines, **common)
        for mines in options["mines"]
    ]


def played(levels: Sequence[str], policies: Sequence[str], options: dict[str, Any]) -> tuple[Plan, list[Counts]]:
    """Play, and return what was played and what was counted; arguments that make no sense end as wrong usage."""
    sys.path.insert(0, os.getcwd())  # where people keep the module of their policy
    try:
        planned = measurement.plan(requests_of(levels, options), policies, options["boards"], options["until_ci"])
        kept = {name: options[name] for name in ("workers", "scheduler", "out", "games", "overwrite")}
        with _bar(planned) as progress:
            return planned, run(planned, Place(**kept, progress=progress))
    except ValueError as error:
        hint = "; --overwrite starts it anew" if str(error).startswith(f"{options['out']} ") else ""
        raise click.UsageError(f"{error}{hint}") from None


@contextlib.contextmanager
def _bar(planned: Plan) -> Iterator[Callable[[int, int, Counts], None] | None]:
    """Show how far the run is, the estimate so far and the time left, if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    total = planned.boards * len(planned.requests)
    with click.progressbar(length=total, file=sys.stderr, show_pos=True, item_show_func=_shown) as bar:
        shown = [0.0]

        def progress(number: int, boards: int, counts: Counts) -> None:
            done = number * planned.boards + boards
            if time.monotonic() - shown[0] > 0.1 or done == total:
                shown[0] = time.monotonic()
                bar.update(done - bar.pos, counts)

        yield progress


def _shown(counts: Counts | None) -> str:
    if counts is None:
        return ""
    tally = counts.tallies[0]
    won = ", ".join(shown_share(t.share(t.won)) for t in counts.tallies)
    return f"no guess {shown_share(tally.share(tally.no_guess))}, won {won}"


def shown_share(estimate: Estimate, signed: bool = False) -> str:
    """Return a share and its interval in per cent, with the digits that the interval gives sense to."""
    places = 1 if estimate.width > 0.01 else 2 if estimate.width > 0.001 else 3
    sign = "+" if signed else ""
    middle, low, high = (f"{100 * value:{sign}.{places}f}" for value in (estimate.value, *estimate.interval))
    return f"{middle} % ({low} to {high})"


def table(rows: Sequence[Sequence[str]], form: str) -> str:
    """Return rows as a table, the first row as its head: aligned, or in Markdown."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    padded = [[cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in rows]
    if form == "markdown":
        lines = [f"| {' | '.join(row)} |" for row in padded]
        return "\n".join([lines[0], f"|{'|'.join('-' * (width + 2) for width in widths)}|", *lines[1:]])
    return "\n".join("  ".join(row).rstrip() for row in padded)
