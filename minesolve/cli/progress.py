"""How far a long command is, for whoever watches."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

import click

__all__ = ["progress"]


@contextlib.contextmanager
def progress(length: int | None, label: str) -> Iterator[Callable[[int], None]]:
    """Show a bar on standard error if that is a terminal; yields what to call with the number of items done since."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    with click.progressbar(range(length or 0), length, label, file=sys.stderr, show_pos=True) as bar:
        yield bar.update
