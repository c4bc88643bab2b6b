"""A session for programs: a position a line, an answer a line."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from fractions import Fraction
from typing import IO, Any

import click

from minesolve import notation
from minesolve.cli import answers
from minesolve.cli.report import Report
from minesolve.errors import Contradiction, InvalidPosition, MinesolveError
from minesolve.formats import jsonl
from minesolve.position import Position
from minesolve.solve.analysis import analyse, check

__all__ = ["serve"]


def serve(lines: IO[bytes], density: Fraction | None, trust_flags: bool, how: Mapping[str, Any]) -> int:
    """Answer every line, each at once; a line that can't be read or answered gets an object with ``error``.

    `how` is what a `Report` takes besides the analysis.
    """
    for line in lines:
        if line.strip():
            click.echo(json.dumps(_answer(line, density, trust_flags, how), ensure_ascii=False))
            sys.stdout.flush()
    return 0


def _answer(line: bytes, density: Fraction | None, trust_flags: bool, how: Mapping[str, Any]) -> dict[str, Any]:
    ident: dict[str, Any] = {}
    try:
        found = _parsed(line)
        if isinstance(found, dict) and "id" in found:
            ident = {"id": found.pop("id")}
        if isinstance(found, dict):
            density = _density(found.pop("density")) if "density" in found else density
            trust_flags = _flag(found.pop("trust_flags")) if "trust_flags" in found else trust_flags
        return ident | _analysed(_position(found), density, trust_flags, how)
    except (MinesolveError, ValueError) as error:
        return ident | {"error": str(error)}


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(notation.decode(line, "line"))
    except json.JSONDecodeError as error:
        raise ValueError(f"expected JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError("expected JSON that is not nested so deeply") from None


def _position(found: Any) -> Position:
    if isinstance(found, str):
        return Position.from_text(found)
    if not isinstance(found, dict):
        raise ValueError("expected a JSON string with a position, or an object")
    if "text" not in found:
        position = jsonl.from_json(json.dumps(found), "line").position
        if position is None:
            raise ValueError("expected a position, found a minefield")
        return position
    unknown = found.keys() - {"text", "mines"}
    text, mines = found["text"], found.get("mines")
    if unknown or not isinstance(text, str) or not (mines is None or (type(mines) is int and 0 <= mines < 10**9)):
        raise ValueError("expected text, and perhaps mines, density, trust_flags and id")
    return Position.from_text(text, mines)


def _density(value: Any) -> Fraction | None:
    if value is None:
        return None
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        raise ValueError('expected a density such as "1/5"')
    return answers.density_of(str(value))


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("expected true or false for trust_flags")
    return value


def _analysed(
    position: Position, density: Fraction | None, trust_flags: bool, how: Mapping[str, Any]
) -> dict[str, Any]:
    try:
        return Report(analyse(position, density=density, trust_flags=trust_flags), **how).as_json()
    except (Contradiction, InvalidPosition):
        return answers.impossible_json(position, check(position, trust_flags=trust_flags), trust_flags)
