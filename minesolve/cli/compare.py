"""The command ``minesolve compare``."""

from __future__ import annotations

from typing import Any

import click

from minesolve.cli.answers import print_json
from minesolve.cli.measuring import measuring_options, played, shown_share, table
from minesolve.cli.rate import figures
from minesolve.levels import LEVELS
from minesolve.measurement import Comparison, comparisons

__all__ = ["compare"]


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="A B [LEVEL]...")
@measuring_options
def compare(names: tuple[str, ...], form: str, **options: Any) -> int:
    r"""Compare two policies, A and B, on the same boards of each LEVEL (expert, if none is given) or size.

    A policy is safest, random-safest, lookahead, strong, strong:2 or module:function, as rate --help says.
    What is told is the share of boards that A wins less the share that B wins, with the 95 % interval of a paired
    difference; how likely a difference so large is if the two are alike (McNemar's test); and how many boards it takes
    to tell a difference of this size from none. On the same boards that takes far fewer than on separate ones.

    \b
    minesolve compare safest random-safest expert --boards 100000 --first-click safe --start corner
    minesolve compare strong safest expert --boards 20000 --out gain.jsonl
    minesolve compare strong:2 strong expert --boards 20000
    minesolve compare safest mine:policy beginner
    """
    levels = [name for name in names if name in LEVELS]
    policies = [name for name in names if name not in LEVELS]
    if len(policies) != 2:
        raise click.UsageError(f"expected two policies, found {', '.join(policies) or 'none'}")
    if not levels and options["width"] is None and options["height"] is None and not options["mines"]:
        levels = ["expert"]
    planned, counts = played(levels, policies, options)
    found = comparisons(planned, counts)
    if form == "json":
        print_json({"comparisons": [comparison.to_json() for comparison in found]})
        return 0
    for number, comparison in enumerate(found):
        click.echo(("\n" if number else "") + table(figures([comparison.first, comparison.second]), form) + "\n")
        click.echo(table(_rows(comparison), form))
    return 0


def _rows(found: Comparison) -> list[list[str]]:
    both, first, second, none = found.pairs
    needed = found.boards_to_settle
    verdict = "settled: the interval leaves out zero" if found.settled else "not settled: the interval holds zero"
    return [
        [f"{found.first.policy} less {found.second.policy}", f"{found.first.board}, {found.boards:,} boards"],
        ["difference of the shares won", shown_share(found.difference, signed=True)],
        ["won by both, by one alone, by none", f"{both:,}, {first:,} and {second:,}, {none:,}"],
        ["chance of this if they were alike", f"{found.chance:.2g}"],
        ["verdict", verdict],
        ["boards to settle a difference so large", "-" if needed is None else f"{needed:,}"],
    ]
