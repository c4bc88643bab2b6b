"""The command ``minesolve generate``."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import click

import minesolve
from minesolve import formats
from minesolve.cli.progress import progress
from minesolve.cli.streams import note
from minesolve.errors import GenerationFailed
from minesolve.formats import Board
from minesolve.generator import Boards, NoGuessBoard, failure
from minesolve.generator import generate as generate_boards
from minesolve.journal import GrowingFile, made_here
from minesolve.levels import LEVELS
from minesolve.proof import CERTAIN_LAYERS
from minesolve.statistics import wilson

__all__ = ["generate"]

_OFTEN, _SOON = 1000, 1.0  # boards, seconds: after these the boards found are put on disk
_PARAMETERS = ("seed", "max_layer", "exactly", "first_click", "min_3bv", "max_3bv")


@click.command()
@click.argument("level", type=click.Choice(list(LEVELS)), required=False)
@click.option("--width", type=click.IntRange(min=1))
@click.option("--height", type=click.IntRange(min=1))
@click.option("--mines", "-m", type=click.IntRange(min=0))
@click.option("--count", "-n", type=click.IntRange(min=1), default=1, show_default=True, help="How many boards.")
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=0, show_default=True,
              help="The same seed gives the same boards for ever.")
@click.option("--start", default="centre", show_default=True, metavar="CELL",
              help="The cell to open first: rYcX (such as r8c15: row 8, column 15), centre, corner or random.")
@click.option("--first-click", type=click.Choice(["opening", "safe", "any"]), default="opening", show_default=True,
              help="What the start is sure to be: a zero, a safe cell, or anything.")
@click.option("--max-layer", type=click.Choice(CERTAIN_LAYERS), default="total", show_default=True,
              help="The hardest reasoning that a board may need.")
@click.option("--exactly", type=click.Choice(CERTAIN_LAYERS), help="The hardest reasoning that a board must need.")
@click.option("--min-3bv", type=int, default=0, show_default=True)
@click.option("--max-3bv", type=int)
@click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True,
              help="Threads; the boards don't depend on them.")
@click.option("--judge", type=click.Choice(["engine", "solve"]), default="engine", show_default=True,
              help="What decides: compiled code, or the solver that explains itself (slow; the same boards).")
@click.option("--out", "-o", type=click.Path(dir_okay=False, allow_dash=True), metavar="FILE",
              help="Where the boards go; the suffix is the format. Standard output if left out.")
@click.option("--format", "form", type=click.Choice([*formats.FORMATS, "json"]),
              help="The format, if not that of FILE's suffix. On standard output text, if not given; json is jsonl.")
@click.option("--overwrite", is_flag=True, help="Start FILE anew, whatever is in it.")
@click.option("--max-attempts", type=click.IntRange(min=1), help="Give up after trying so many boards.")
@click.option("--time-limit", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS",
              help="Give up after this time.")
def generate(
    level: str | None, count: int, out: str | None, form: str | None, overwrite: bool, **options: Any
) -> int:
    r"""Draw boards that never need a guess, of a LEVEL (beginner, intermediate, expert) or any size.

    Every board that satisfies the request is equally likely: boards are drawn and judged, and those that need a guess
    are dropped, never repaired. At the end the share that came through is said, with its 95 % interval.

    FILE grows as boards are found; FILE.journal says how it is made. When interrupted, or killed, the same command goes
    on where it stopped and ends with the same bytes. Each line of a .jsonl file holds seed and index of the board, its
    start, the hardest layer it needs, the steps of each layer, the 3BV and a grade.

    \b
    minesolve generate expert
    minesolve generate expert --count 1000 --seed 7 --out boards.jsonl
    minesolve generate --width 16 --height 16 --mines 56 --start corner --exactly total
    """
    name = _format_name(out, form, count)

    def boards(first: int, found: int) -> Boards:
        rest = dict(options)
        if rest["max_attempts"] is not None:
            rest["max_attempts"] -= first
            if rest["max_attempts"] < 1:
                raise failure(found, count, first)
        return generate_boards(level, count=count - found, first=first, **rest)

    try:
        if out in (None, "-"):
            return _to_stdout(boards, count, name)
        return _to_file(boards, count, name, str(out), overwrite, options)
    except ValueError as error:
        hint = "; --overwrite starts it anew" if str(error).startswith(str(out)) else ""
        raise click.UsageError(f"{error}{hint}") from None


_Source = Callable[[int, int], Boards]
"""Takes the first index and the number of boards found before it."""


def _format_name(out: str | None, form: str | None, count: int) -> str:
    if form is None:
        try:
            form = "text" if out in (None, "-") else formats.format_for(str(out)).name
        except ValueError as error:
            raise click.UsageError(f"{error}; or give --format") from None
    name = "jsonl" if form == "json" else form
    if count > 1 and not formats.FORMATS[name].many:
        raise click.UsageError(f"a {name} file holds one board, not {count}")
    return name


def _to_stdout(source: _Source, count: int, name: str) -> int:
    boards = source(0, 0)
    with progress(count, "boards") as advance:
        for board in boards:
            sys.stdout.buffer.write(_written(board, name, boards))
            sys.stdout.buffer.flush()
            advance(1)
    note(_report(boards.found, boards.attempts))
    return 0


def _to_file(source: _Source, count: int, name: str, out: str, overwrite: bool, options: dict[str, Any]) -> int:
    request = source(0, 0).request  # refused here, before anything is touched, if it can't succeed
    start = "random" if request.start is None else _cell(request.width, request.start)
    parameters = {
        "width": request.width, "height": request.height, "mines": request.mines, "start": start, "count": count,
        "format": name, **{key: options[key] for key in _PARAMETERS},
    }  # fmt: skip
    about = {"minesolve": minesolve.__version__, **made_here()}
    with GrowingFile(out, parameters, about, overwrite=overwrite) as file:
        if file.mark.items == count:
            note(f"{out} is complete")
        elif file.mark.items:
            note(f"{out} holds {file.mark.items} boards; going on")
        if file.mark.items < count:
            _fill(file, source, count, name)
        note(_report(file.mark.items, file.mark.next))
    return 0


def _fill(file: GrowingFile, source: _Source, count: int, name: str) -> None:
    """Find what is missing; boards that are found are on disk within a second or so, whatever ends the run."""
    first, before = file.mark.next, file.mark.items
    boards = source(first, before)
    waiting: list[tuple[int, bytes]] = []
    kept_at = time.monotonic()
    try:
        with progress(count, "boards") as advance:
            advance(before)
            for board in boards:
                waiting.append((board.index, _written(board, name, boards)))
                if len(waiting) >= _OFTEN or time.monotonic() - kept_at >= _SOON:
                    _keep(file, waiting, board.index + 1)
                    kept_at = time.monotonic()
                advance(1)
    except GenerationFailed:
        raise failure(before + boards.found, count, first + boards.attempts) from None
    finally:
        all_here = boards.found == file.mark.items + len(waiting) - before  # else an interrupt took one on its way
        last = waiting[-1][0] + 1 if waiting else file.mark.next
        _keep(file, waiting, first + boards.attempts if all_here else last)


def _keep(file: GrowingFile, waiting: list[tuple[int, bytes]], next_: int) -> None:
    interval = wilson(file.mark.items + len(waiting), next_)
    with _no_interrupt():
        rate = (file.mark.items + len(waiting)) / next_ if next_ else None
        file.append(b"".join(data for _, data in waiting), len(waiting), next_, rate=rate, interval=interval)
        waiting.clear()


@contextlib.contextmanager
def _no_interrupt() -> Iterator[None]:
    """Put an interrupt off to the end of the block, so that what is on disk and what is noted stay the same."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pending: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: pending.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pending:
        raise KeyboardInterrupt


def _written(found: NoGuessBoard, name: str, boards: Boards) -> bytes:
    about = {
        "seed": found.seed, "index": found.index, "first_click": boards.request.first_click, "layer": found.layer,
        "steps": dict(found.steps), "widest": found.widest, "bbbv": found.bbbv, "grade": found.grade,
    }  # fmt: skip
    to = formats.FORMATS[name]
    board = Board(minefield=found.minefield, start=found.start, metadata=about)
    if name == "text":
        return f"; {_sentence(found)}\n".encode() + to.write(board) + b"\n"
    if boards.found == 1:
        _say_lost(board, name)
    return to.write(board)


def _say_lost(board: Board, name: str) -> None:
    gone = formats.lost(board, name)
    if gone:
        note(f"{name} does not keep: {', '.join(gone)}")


def _sentence(found: NoGuessBoard) -> str:
    steps = ", ".join(f"{count} {layer}" for layer, count in found.steps.items() if count) or "none"
    return (f"seed {found.seed}, index {found.index}; hardest layer {found.layer}; steps: {steps}; 3BV {found.bbbv}; "
            f"grade {found.grade}")


def _report(found: int, attempts: int) -> str:
    low, high = wilson(found, attempts)
    return (f"{found} board{'s' * (found != 1)} from {attempts} attempts: {found / attempts:.4g} of all boards satisfy "
            f"the request (95 % interval {low:.4g} to {high:.4g})")


def _cell(width: int, cell: int) -> str:
    return f"r{cell // width + 1}c{cell % width + 1}"
