"""Answers as JSON, and what several commands print alike."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import click

from minesolve.cli.streams import columns, print_json, wants_color
from minesolve.grid import Grid
from minesolve.policy import Candidate, Guess
from minesolve.position import Position
from minesolve.render.picture import Picture
from minesolve.render.terminal import draw
from minesolve.solve.analysis import Check
from minesolve.solve.deduction import Deduction
from minesolve.solve.explain import Explainer

__all__ = [
    "cells_json",
    "columns",
    "deduction_json",
    "density_of",
    "guess_json",
    "impossible_json",
    "print_impossible",
    "print_json",
    "print_picture",
    "print_text",
    "verdict_lines",
    "wants_color",
]

_DENSITY = re.compile(r"\d{1,18}/0*[1-9]\d{0,17}|\d{0,9}\.\d{1,18}", re.ASCII)
_WIDTH = 100  # characters in a line of prose
_LARGEST = 2000  # cells in a picture under an answer; a larger one would bury the answer


def cells_json(grid: Grid, cells: Iterable[int]) -> list[dict[str, Any]]:
    """Return cells as ``{"cell": "r3c4", "x": 3, "y": 2}`` each."""
    return [{"cell": grid.name(cell), "x": grid.xy(cell)[0], "y": grid.xy(cell)[1]} for cell in cells]


def density_of(text: str) -> Fraction:
    """Return a density as it was written, exactly: 1/5, 0.2; ValueError if it is none."""
    density = Fraction(text) if _DENSITY.fullmatch(text) else None
    if density is None or not 0 < density < 1:
        raise ValueError(f"expected a density between 0 and 1, such as 1/5 or 0.2, found {text[:40]!r}")
    return density


def deduction_json(grid: Grid, step: Deduction | None) -> dict[str, Any]:
    """Return what a step says of itself; all of it empty where there is none."""
    return {
        "layer": step.layer if step else None,
        "rule": step.rule if step else None,
        "premises": cells_json(grid, step.premises if step else ()),
        "given": cells_json(grid, step.given if step else ()),
        "uses_total": step.uses_total if step else False,
    }


def guess_json(grid: Grid, found: Guess | None) -> dict[str, Any] | None:
    """Return a guess with its candidates: exact chances as fractions in text, estimates of winning as numbers."""
    if found is None:
        return None
    fifties = [[cells_json(grid, fifty.one), cells_json(grid, fifty.other)] for fifty in found.fifties]
    return {
        "policy": found.policy, "effort": found.effort, "trouble": found.trouble or None,
        "candidates": [_candidate_json(grid, candidate) for candidate in found.candidates],
        "decided_by": found.decided_by, "tied": found.tied, "layouts": str(found.layouts), "fifties": fifties,
    }  # fmt: skip


def _candidate_json(grid: Grid, candidate: Candidate) -> dict[str, Any]:
    follow_up = None if candidate.follow_up is None else f"{candidate.follow_up:.9f}"  # as far as it is right
    return {
        **cells_json(grid, [candidate.cell])[0], "chance": str(candidate.chance),
        "win": None if candidate.win is None else str(candidate.win), "win_estimate": candidate.win_estimate,
        "exact": candidate.win is not None, "follow_up": follow_up,
    }  # fmt: skip


def impossible_json(position: Position, found: Check, trust_flags: bool) -> dict[str, Any]:
    """Return why a position is impossible, or that it is possible."""
    grid = position.grid
    return {
        "consistent": found.consistent,
        "problems": [
            {"kind": problem.kind, "message": problem.message, "cells": cells_json(grid, problem.cells)}
            for problem in found.problems
        ],
        "clash": cells_json(grid, found.clash),
        "clash_uses_total": found.clash_uses_total,
        "wrong_flags": cells_json(grid, found.wrong_flags),
        "text": "\n".join(verdict_lines(position, found, trust_flags)),
    }


def print_impossible(position: Position, found: Check, trust_flags: bool, form: str) -> int:
    """Print why a position has no answer and return the exit code for it: JSON as a result, text as an error."""
    if form == "json":
        print_json(impossible_json(position, found, trust_flags))
    else:
        lines = verdict_lines(position, found, trust_flags)
        click.echo("minesolve: " + "\n".join(lines), err=True)
    return 1


def verdict_lines(position: Position, found: Check, trust_flags: bool) -> list[str]:
    """Return in words whether a position is possible, and if not, why; and the flags that are wrong."""
    lines = ["This position is possible." if found.consistent else "This position is impossible."]
    lines += [f"{problem.message[:1].upper()}{problem.message[1:]}." for problem in found.problems]
    if not found.consistent and not found.problems:
        lines.append(Explainer(position, trust_flags=trust_flags).clash(found.clash, uses_total=found.clash_uses_total))
    lines += [f"The flag at {position.grid.name(cell)} is wrong: there is no mine." for cell in found.wrong_flags]
    return lines


def print_text(text: str) -> None:
    """Print lines of prose, wrapped to the terminal."""
    width = min(columns() or _WIDTH, _WIDTH)
    for line in text.splitlines():
        click.echo(textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False))


def print_picture(picture: Picture | None) -> None:
    """Print a part of the board, if there is one, in colour if that is seen; not where it would bury the answer."""
    if picture is None:
        return
    x0, y0, x1, y1 = picture.view
    if (x1 - x0) * (y1 - y0) > _LARGEST:
        return
    click.echo()
    click.echo(draw(picture, color=wants_color(), columns=columns()), nl=False)
