"""The command ``minesolve analyse``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from minesolve.advice import guess_lines
from minesolve.cli import answers, session
from minesolve.cli.board import (
    advice_options,
    advised_by,
    board_options,
    density_option,
    format_option,
    read_position,
)
from minesolve.cli.report import Report
from minesolve.errors import Contradiction, InvalidPosition
from minesolve.render import svg, views
from minesolve.render.terminal import draw_chances
from minesolve.solve.analysis import analyse as analyse_position
from minesolve.solve.analysis import check
from minesolve.statistics import per_cent

__all__ = ["analyse"]


@click.command()
@board_options
@density_option
@click.option("--sample", type=click.IntRange(min=1), metavar="N",
              help="Where the frontier is too wide to be counted, estimate chances from N layouts, with the error.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the sample.")
@click.option("--svg", "picture", type=click.Path(dir_okay=False, allow_dash=True), metavar="FILE",
              help="Write a picture of the board with its chances; - for standard output instead of the text.")
@click.option("--jsonl", is_flag=True,
              help="A session for programs: a position a line on standard input, an answer a line on standard output.")
@advice_options
@format_option
def analyse(
    board: str | None, density: Fraction | None, sample: int | None, seed: int, picture: str | None, jsonl: bool,
    policy: str, effort: int, form: str, trust_flags: bool, **reading: Any
) -> int:
    r"""Say everything about the position BOARD: what is certain, and the exact chance of every other covered cell.

    Shows the board with the chance of a mine in each covered cell in per cent ('s' safe, 'm' a mine), the safest cells
    with their exact chances, the number of layouts, and the parts of the frontier. Where no cell is certainly safe, the
    guess that hint advises, with the figures of the next best; when few layouts remain, the best move and its exact
    chance of winning. With --policy safest the engine is not needed.

    With --jsonl each input line is a JSON string with a position, or an object {"text": "...", "mines": 99, "density":
    "1/5", "trust_flags": false, "id": 7} (all but the text may be missing), or a board as the format jsonl writes it.
    The answer is the object of --format json, with the id; a line that can't be read is answered with {"error": "..."}.
    No total is assumed there.

    \b
    minesolve analyse board.txt
    minesolve analyse board.txt --svg board.svg
    minesolve analyse board.txt --density 1/5
    minesolve analyse board.txt --format json --policy safest
    """
    how = {"sample": sample, "seed": seed, **advised_by(policy, effort)}
    if jsonl:
        if board not in (None, "-"):
            raise click.UsageError("--jsonl reads positions from standard input, not from a file.")
        return session.serve(sys.stdin.buffer, density, trust_flags, how)
    position = read_position(board, trust_flags=trust_flags, **reading)
    try:
        report = Report(analyse_position(position, density=density, trust_flags=trust_flags), **how)
    except (Contradiction, InvalidPosition):
        return answers.print_impossible(position, check(position, trust_flags=trust_flags), trust_flags, form)
    if picture is not None:
        drawn = svg.draw(views.of_analysis(report.analysis, report.chances))
        if picture == "-":
            click.echo(drawn, nl=False)
            return 0
        Path(picture).write_text(drawn, encoding="utf-8")
    if form == "json":
        answers.print_json(report.as_json())
        return 0
    drawn = draw_chances(views.of_analysis(report.analysis, report.chances), answers.wants_color(), answers.columns())
    click.echo(drawn)
    answers.print_text("\n".join(_lines(report)))
    return 0


def _lines(report: Report) -> Iterator[str]:
    analysis, names = report.analysis, report.names
    if report.trouble:
        yield f"No exact chances: {report.trouble}."
    if report.estimate is not None:
        error = f"{100 * report.estimate.error:.1f}"
        yield (f"Chances are estimates from {report.estimate.layouts:,} layouts: with 95 % confidence all are within "
               f"{error} percentage points.")
    if report.layouts is not None:
        yield f"Layouts: {report.layouts:,}"
    yield f"Certainly safe: {names(analysis.safe)}"
    yield f"Certainly mines: {names(analysis.mines)}"
    lowest = report.lowest()
    if lowest and not analysis.safe:
        chance = next(iter(lowest.values()))
        yield f"Lowest chance of a mine: {names(lowest)} with {per_cent(chance, decimals=2)} % ({chance})"
    for component in report.components():
        some = f"{component.fewest} to {component.most} mines"
        if component.fewest == component.most:
            some = f"{component.fewest} mine{'s' * (component.fewest != 1)}"
        yield f"Component of {len(component.cells)} cells with {some}: {names(component.cells)}"
    for fifty in report.fifties():
        yield f"True 50/50: {names(fifty.one)} against {names(fifty.other)}"
    if report.outcome is not None:
        chance = report.outcome.chance
        yield (f"Best play wins with {per_cent(chance, decimals=2)} % ({chance}), exactly, by opening "
               f"{names(report.outcome.best)}")
    if report.guess is not None:
        yield from guess_lines(analysis.position.grid, report.guess)
    for cell in analysis.wrong_flags:
        yield f"The flag at {analysis.position.grid.name(cell)} is wrong: there is no mine."
