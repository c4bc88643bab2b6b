"""The command ``minesolve hint``."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import click

from minesolve.advice import Hint, hint_at
from minesolve.advice import hint as best_hint
from minesolve.cli import answers
from minesolve.cli.board import (
    advice_options,
    advised_by,
    board_options,
    density_option,
    format_option,
    read_position,
)
from minesolve.errors import Contradiction, InvalidPosition
from minesolve.position import Position
from minesolve.render import views
from minesolve.solve.analysis import Analysis, analyse, check
from minesolve.solve.deduction import LAYERS
from minesolve.solve.explain import Explainer

__all__ = ["hint"]

_CERTAIN = {layer.name: layer.looks_at for layer in LAYERS if layer.name != "chance"}
_UP_TO = f"The hardest reasoning to use. {'; '.join(f'{name}: {looks_at}' for name, looks_at in _CERTAIN.items())}."


@click.command(short_help="Say what to do next, and why.")
@board_options
@density_option
@click.option("--all", "everything", is_flag=True, help="Every cell that is certain, step by step.")
@click.option("--cell", metavar="rYcX", help="What can be said about this cell, such as r3c4 (row 3, column 4).")
@click.option("--up-to", type=click.Choice(list(_CERTAIN)), default="total", show_default=True,
              help=_UP_TO)
@advice_options
@format_option
def hint(
    board: str | None, everything: bool, cell: str | None, up_to: str, density: Fraction | None, policy: str,
    effort: int, form: str, trust_flags: bool, **reading: Any
) -> int:
    r"""Say what to do next in the position BOARD, and why.

    The easiest certain move: a safe cell if there is one, else a mine that is not flagged yet. The reason names the
    numbers it rests on, so that it can be checked by eye; they are marked in the cut-out of the board below it.

    Where no cell is certainly safe, the best guess. A table compares it with the next best: the exact chance that a
    cell is safe; the chance that it is safe and a certain move follows; the chance of winning if it is opened first,
    exact where few enough layouts remain to play all of them to the end, else estimated. The best guess is the one that
    wins most, which is not always the safest; the line below the table says what decided. The same position gets the
    same advice on any machine. Without a mine total (--density) cells are compared by their safety alone.

    Guesses by strong and lookahead run on the engine, which is compiled when it is first used on a machine; certain
    moves don't need it.

    \b
    minesolve hint board.txt
    minesolve hint board.txt --all
    minesolve hint board.txt --cell r3c4
    minesolve hint board.txt --effort 2
    minesolve hint - --mines 99 < board.txt
    """
    advised = advised_by(policy, effort)
    if everything and cell is not None:
        raise click.UsageError("--all and --cell exclude each other.")
    position = read_position(board, trust_flags=trust_flags, **reading)
    at = None if cell is None else _cell(position, cell)
    how: dict[str, Any] = {"density": density, "trust_flags": trust_flags, "up_to": up_to}
    try:
        if everything:
            return _print_all(analyse(position, **how), form)
        return _print_hint(best_hint(position, **how, **advised) if at is None else hint_at(position, at, **how), form)
    except (Contradiction, InvalidPosition):
        return answers.print_impossible(position, check(position, trust_flags=trust_flags), trust_flags, form)


def _cell(position: Position, name: str) -> int:
    try:
        return position.grid.cell(name)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="'--cell'") from None


def _print_hint(found: Hint, form: str) -> int:
    if form == "json":
        answers.print_json(_hint_json(found))
        return 0
    answers.print_text(found.text)
    answers.print_picture(views.of_hint(found))
    return 0


def _hint_json(found: Hint) -> dict[str, Any]:
    grid = found.position.grid
    return {
        "consistent": True,
        "certain": found.certain,
        "verdict": found.verdict,
        "cells": answers.cells_json(grid, found.cells),
        **answers.deduction_json(grid, found.deduction),
        **({"layer": "chance", "rule": found.guess.decided_by} if found.verdict == "guess" and found.guess else {}),
        "text": found.text,
        "guess": answers.guess_json(grid, found.guess),
    }


def _print_all(analysis: Analysis, form: str) -> int:
    grid, words = analysis.position.grid, Explainer(analysis.position, trust_flags=analysis.trust_flags)
    if form == "json":
        steps = [
            {"verdict": step.verdict, "cells": answers.cells_json(grid, step.cells),
             **answers.deduction_json(grid, step), "text": f"{words.headline(step)}. {words.explain(step)}"}
            for step in analysis.deductions
        ]
        answers.print_json({
            "consistent": True, "safe": answers.cells_json(grid, sorted(analysis.safe)),
            "mines": answers.cells_json(grid, sorted(analysis.mines)), "deductions": steps,
            "wrong_flags": answers.cells_json(grid, analysis.wrong_flags),
        })
        return 0
    for number, step in enumerate(analysis.deductions, 1):
        answers.print_text(f"{number}. {words.headline(step)}. {words.explain(step)}")
    if not analysis.deductions:
        answers.print_text("Nothing is certain.")
    for cell in analysis.wrong_flags:
        answers.print_text(f"The flag at {grid.name(cell)} is wrong: there is no mine.")
    answers.print_picture(views.of_analysis(analysis))
    return 0
