"""The command ``minesolve check``."""

from __future__ import annotations

from typing import Any

import click

from minesolve.cli import answers
from minesolve.cli.board import board_options, format_option, read_position
from minesolve.render import views
from minesolve.solve import analysis

__all__ = ["check"]


@click.command(short_help="Say whether a position is possible.")
@board_options
@format_option
def check(board: str | None, form: str, trust_flags: bool, **reading: Any) -> int:
    r"""Say whether the position BOARD is possible at all, and if not, which numbers clash.

    Everything that is wrong at a glance is listed at once. What only search finds is named as a smallest set of
    numbers that can't all be right: take any one of them away, and the others can. The exit code is 1 if the position
    is impossible.

    \b
    minesolve check board.txt
    minesolve check board.txt --trust-flags
    """
    position = read_position(board, trust_flags=trust_flags, **reading)
    found = analysis.check(position, trust_flags=trust_flags)
    if form == "json":
        answers.print_json(answers.impossible_json(position, found, trust_flags))
        return 0 if found.consistent else 1
    answers.print_text("\n".join(answers.verdict_lines(position, found, trust_flags)))
    answers.print_picture(views.of_check(position, found))
    return 0 if found.consistent else 1
