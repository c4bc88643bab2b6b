"""The command ``minesolve rate``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from minesolve.cli.answers import print_json
from minesolve.cli.measuring import measuring_options, played, shown_share, table
from minesolve.levels import LEVELS
from minesolve.measurement import Measurement, measurements
from minesolve.statistics import Estimate

__all__ = ["figures", "rate"]

_GUESSES = 6  # numbers of guesses that have a row of their own


@click.command()
@click.argument("levels", nargs=-1, type=click.Choice(list(LEVELS)), metavar="[LEVEL]...")
@click.option("--policy", default="safest", show_default=True, metavar="NAME",
              help="How to guess: safest, random-safest, lookahead, strong, strong:2, or module:function.")
@measuring_options
@click.option("--plot", type=click.Path(dir_okay=False), metavar="FILE",
              help="Draw the shares against the density of mines, and the guesses (needs minesolve[analysis]).")
def rate(levels: tuple[str, ...], policy: str, form: str, plot: str | None, **options: Any) -> int:
    r"""Measure how often random boards need a guess, and how often they are won.

    Boards 0, 1, 2, ... of the seed are played to their ends, each LEVEL (beginner, intermediate, expert) or size by
    itself: every cell that is certainly safe is opened, and where there is none, the policy guesses.

    \b
    safest            the lowest chance of a mine; ties: the fewest covered
                      neighbours, then the first in reading order
    random-safest     the lowest chance of a mine; ties at random
    lookahead         the end of the game searched exactly where few layouts
                      remain; before that what each promising cell may show
                      is weighed one step ahead, by a value learned from play
    strong            what hint advises: the same two steps ahead, with longer
                      ends; strong:2 thinks harder, as hint --effort 2
    module:function   a function in Python that takes a position and returns
                      the index of a cell

    What wins more plays slower: of expert games a core plays thousands a second with safest, hundreds with
    lookahead, dozens with strong.

    Each figure has its 95 % interval (shares after Wilson). The same command gives the same figures for ever, with any
    number of workers. With --out it can be stopped at any time; the same command goes on.

    \b
    minesolve rate expert --boards 1000000 --workers 2 --out expert.jsonl
    minesolve rate expert --policy strong --boards 20000 --out strong.jsonl
    minesolve rate beginner intermediate expert --first-click safe --start corner --format markdown
    minesolve rate --width 16 --height 16 --mines 20-70/5 --plot density.svg
    """
    if plot is not None:
        _check_plots()
    planned, counts = played(levels, [policy], options)
    found = [several[0] for several in measurements(planned, counts)]
    if plot is not None:
        from minesolve.render import plots

        plots.draw(found, plot)
    if form == "json":
        print_json({"measurements": [measurement.to_json() for measurement in found]})
    else:
        click.echo(table(figures(found), form))
    return 0


def _check_plots() -> None:
    try:
        import matplotlib  # noqa: F401 - before hours of play, not after
    except ImportError:
        raise click.UsageError("a plot needs matplotlib: pip install 'minesolve[analysis]'") from None


def figures(found: Sequence[Measurement]) -> list[list[str]]:
    """Return the rows of the table: what was measured, and a column for each measurement."""
    columns = [list(_column(measurement, found)) for measurement in found]
    return [[columns[0][i][0], *(column[i][1] for column in columns)] for i in range(len(columns[0]))]


def _column(m: Measurement, found: Sequence[Measurement]) -> Iterator[tuple[str, str]]:
    yield "board", m.board
    yield "start", f"{m.start}, {m.request.first_click}"
    yield "policy", m.policy
    yield "boards", f"{m.boards:,}"
    yield "no guess needed", shown_share(m.no_guess_share)
    yield "the same without the total", shown_share(m.no_guess_without_total_share)
    yield "won", shown_share(m.win_share)
    yield "lost on a true 50/50", shown_share(m.lost_on_fifty_share)
    if any(other.request.first_click == "any" for other in found):
        yield "start was a mine", shown_share(m.lost_at_once_share)
    yield "guesses per game", _shown_mean(m.guesses_per_game, 3)
    for number in range(_GUESSES):
        count = m.tally.guesses[number] if number < len(m.tally.guesses) else 0
        yield f"- games with {number}", shown_share(m.tally.share(count))
    yield f"- with {_GUESSES} or more", shown_share(m.tally.share(sum(m.tally.guesses[_GUESSES:])))
    yield "guesses survived", shown_share(m.guesses_survived) if m.tally.made else "-"
    yield "- by their chances", f"{100 * m.guesses_expected:.2f} %" if m.tally.made else "-"
    yield "survival of all guesses of a game", shown_share(m.survival)
    yield "hardest layer needed", ""
    for name, estimate in m.layers.items():
        yield f"- {name}", shown_share(estimate)
    yield "3BV", _shown_mean(m.bbbv, 2)


def _shown_mean(estimate: Estimate, places: int) -> str:
    low, high = estimate.interval
    return f"{estimate.value:.{places}f} ({low:.{places}f} to {high:.{places}f})"
