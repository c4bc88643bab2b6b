"""The command line: one module a command, found when it is called, so that each loads only what it needs."""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

import minesolve
from minesolve.errors import Contradiction, GenerationFailed, InvalidPosition, MinesolveError

__all__ = ["cli", "main"]

_COMMANDS = ("hint", "analyse", "check", "show", "convert", "metrics", "generate", "verify", "rate", "compare")
"""The commands, in the order of the help; each is the function of that name in the module of that name."""


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = getattr(importlib.import_module(f"minesolve.cli.{cmd_name}"), cmd_name)
        return _keep_lines(command)


def _keep_lines(command: click.Command) -> click.Command:
    r"""Make of ``\b`` in a help text, which stands in a raw docstring, the sign that keeps the lines below it."""
    command.help = (command.help or "").replace("\\b", "\b")
    return command


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(minesolve.__version__, prog_name="minesolve")
def cli() -> None:
    r"""Solve Minesweeper positions: what to do next and why, exact chances.

    A position is a text file: '#' covered, '1' to '8' and '.' (zero) opened, 'F' a flag, '*' a mine that is shown.
    Most other ways to write one are understood, too, and so are other formats, by the suffix of the file or --from.
    '-' reads standard input.

    \b
    minesolve hint board.txt          the easiest certain move, with its reason, or else the best guess
    minesolve hint board.txt --all    every cell that is certain
    minesolve analyse board.txt       the exact chance of every covered cell
    minesolve check board.txt         is this position possible, and if not, which numbers clash
    minesolve show board.mbf          the board, drawn
    minesolve convert a.mbf b.txt     from one format into another
    minesolve metrics boards.jsonl    3BV, openings, islands, ZiNi and more
    minesolve generate expert -n 100 --out boards.jsonl    boards that never need a guess
    minesolve verify boards.jsonl     proves again, by another route, that none does
    minesolve rate expert             how often a board needs a guess, how often it is won
    minesolve compare strong safest   which way of guessing wins more often, on the same boards

    Exit codes: 0 done; 1 the answer is no (an impossible position); 2 unreadable input or wrong usage; 130 interrupted.
    """


_keep_lines(cli)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave with its exit code."""
    sys.exit(_run(sys.argv[1:] if arguments is None else list(arguments)))


def _run(arguments: list[str]) -> int:
    sys.set_int_max_str_digits(0)  # layouts of a large board are counted exactly, and printed so
    try:
        with cli.make_context("minesolve", arguments) as context:
            result = cli.invoke(context)
        sys.stdout.flush()
        return int(result or 0)
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return 2
    except (click.Abort, KeyboardInterrupt):
        return _say("interrupted", 130)
    except MinesolveError as error:
        return _say(str(error), 1 if isinstance(error, Contradiction | GenerationFailed | InvalidPosition) else 2)
    except OSError as error:
        return _os_error(error)


def _os_error(error: OSError) -> int:
    if error.errno == errno.EPIPE:  # whoever read our output has seen enough
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return _say(f"{error.filename}: {error.strerror}" if error.filename else error.strerror or str(error), 2)


def _say(message: str, code: int) -> int:
    click.echo(f"minesolve: {message}", err=True)
    return code
