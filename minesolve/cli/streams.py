"""What all commands share: answers on standard output, everything else on standard error."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import click

__all__ = ["columns", "counted", "format_option", "note", "print_json", "wants_color"]

T = TypeVar("T")

_EVERY = 0.1  # seconds from one sign of progress to the next


def format_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option --format."""
    return click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
                        help="How to print the answer.")(command)


def note(message: str) -> None:
    """Say something about the input on standard error."""
    click.echo(f"minesolve: {message}", err=True)


def print_json(answer: object) -> None:
    """Print an answer as one JSON document."""
    click.echo(json.dumps(answer, ensure_ascii=False))


def wants_color() -> bool:
    """Say whether standard output is a terminal that may get colours (no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def columns() -> int | None:
    """Return the width of the terminal; None where the output is no terminal, or one that does not know its width."""
    return os.get_terminal_size(sys.stdout.fileno()).columns or None if sys.stdout.isatty() else None


@contextlib.contextmanager
def counted(boards: Iterable[T], *, streams: bool) -> Iterator[Iterable[T]]:
    """Give the boards; where standard error is a terminal, a line there says which one it is about.

    There is no such line where the command `streams` its answers to a terminal too: those show how far it is.
    """
    if not sys.stderr.isatty() or (streams and sys.stdout.isatty()):
        yield boards
        return
    try:
        yield _counting(boards)
    finally:
        click.echo(f"\r{'':20}\r", nl=False, err=True)


def _counting(boards: Iterable[T]) -> Iterator[T]:
    said = float("-inf")
    for number, board in enumerate(boards, 1):
        if time.monotonic() - said >= _EVERY:
            said = time.monotonic()
            click.echo(f"\rboard {number} ", nl=False, err=True)
        yield board
