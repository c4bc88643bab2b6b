"""The command ``minesolve verify``."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import click

from minesolve.cli.answers import cells_json
from minesolve.cli.files import Notes, called, format_of, meanings, read, reading_options, replacing
from minesolve.cli.streams import counted, format_option, print_json
from minesolve.errors import ParseError
from minesolve.formats import Board, jsonl
from minesolve.grade import GRADES
from minesolve.minefield import Minefield, start_cell
from minesolve.proof import Proof, check_certificate
from minesolve.proof import verify as prove
from minesolve.request import OUTCOMES

__all__ = ["verify"]

_SEVERAL = 5  # boards; more than these are summed up


@dataclass(frozen=True)
class _Result:
    """What was found about one board of a file; `number` counts from 1."""

    number: int
    board: Board
    opened: tuple[int, ...]
    ok: bool
    reason: str = ""
    proof: Proof | None = None


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--start", metavar="CELL",
              help="The cell to open first, where the file does not say: rYcX, centre or corner.")
@click.option("--certificate", "to", type=click.Path(dir_okay=False), metavar="FILE",
              help="Write the proofs here, step by step: JSON lines, the boards with their certificates.")
@click.option("--check-certificate", "by", type=click.Path(exists=True, dir_okay=False), metavar="FILE",
              help="Check the proofs in this file, without search, instead of finding new ones.")
@reading_options
@format_option
def verify(
    file: str, start: str | None, to: str | None, by: str | None, from_format: str | None, form: str, **characters: str
) -> int:
    r"""Prove again, without the engine, that none of the boards in FILE needs a guess.

    Each board is played from its start by the solver that also gives hints, which opens only what it proves to be safe.
    A board that shows open cells is played from these. The exit code is 1 if any board needs a guess; which one, and
    where it gets stuck, is said.

    A certificate lists the steps, each with the numbers it follows from, and can be checked by counting alone.

    --format json prints one JSON object a line for each board.

    \b
    minesolve verify boards.jsonl
    minesolve verify board.txt --start r8c15
    minesolve verify boards.jsonl --certificate proofs.jsonl
    minesolve verify boards.jsonl --check-certificate proofs.jsonl
    """
    if to and by:
        raise click.UsageError("--certificate and --check-certificate exclude each other.")
    name, reading = format_of(file, from_format), Notes()
    boards = reading.watch(read(file, name, meanings(name, **characters)))
    try:
        with contextlib.ExitStack() as stack:
            if by:
                proofs = jsonl.read(stack.enter_context(open(by, "rb")), by)
                results = _check_all(boards, proofs, start, by)
            else:
                results = _prove_all(boards, start, stack.enter_context(replacing(to)) if to else None)
            return _tell(stack.enter_context(counted(results, streams=form == "json")), form)
    finally:
        reading.say(called(file))


def _prove_all(boards: Iterable[Board], start: str | None, sink: BinaryIO | None) -> Iterator[_Result]:
    for number, board in enumerate(boards, 1):
        minefield, opened = _truth(board, number), _opened(board, start, number)
        proof = prove(minefield, opened=opened)
        if sink is not None and proof.ok:
            known = {**board.metadata, "certificate": proof.certificate}
            sink.write(jsonl.write(Board(board.position, minefield, board.start, metadata=known)))
        yield _Result(number, board, opened, proof.ok, "" if proof.ok else _stuck(proof), proof)


def _check_all(
    boards: Iterable[Board], proofs: Iterator[Board], start: str | None, source: str
) -> Iterator[_Result]:
    number = 0
    for number, board in enumerate(boards, 1):
        minefield, opened = _truth(board, number), _opened(board, start, number)
        proof = next(proofs, None)
        if proof is None or proof.minefield != minefield:
            reason = f"{source} has no proof of it" if proof is None else f"the proof in {source} is of another board"
            yield _Result(number, board, opened, False, reason)
            continue
        found = check_certificate(minefield, proof.metadata.get("certificate"), opened=opened)  # type: ignore[arg-type]
        where = "" if found.step is None else f"step {found.step} of its certificate is wrong: "
        yield _Result(number, board, opened, found.ok, f"{where}{found.reason}")
    if next(proofs, None) is not None:
        raise ParseError(f"expected {number} proofs, one for each board, found more", source=source)


def _truth(board: Board, number: int) -> Minefield:
    if board.minefield is None:
        raise click.UsageError(f"board {number} is a position: where its mines are is not known")
    return board.minefield


def _opened(board: Board, start: str | None, number: int) -> tuple[int, ...]:
    """Return the cells that are open at the beginning: those a position shows, or the start."""
    shown = () if board.position is None else tuple(c for c, code in enumerate(board.position.cells) if code <= 8)
    if shown:
        return shown
    if board.start is not None:
        return (board.start,)
    if start is None and board.position is not None:
        return ()  # it says that nothing is open
    if start is None:
        raise click.UsageError(f"board {number} has no start: give --start")
    try:
        return (start_cell(board.width, board.height, start),)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="'--start'") from None


def _stuck(proof: Proof) -> str:
    if any(proof.minefield.mines[cell] for cell in proof.opened):
        return "its start is a mine"
    done = len(proof.rounds)
    return f"it needs a guess: after {done} step{'s' * (done != 1)} nothing more is certain"


def _tell(results: Iterable[_Result], form: str) -> int:
    told, failed, layers, grades = 0, 0, Counter[str](), Counter[str]()
    lines: list[str] = []  # of boards that are fine: shown only if there are few boards
    for result in results:
        told += 1
        failed += not result.ok
        if result.proof is not None and result.ok:
            layers[str(result.proof.layer)] += 1
            grades[str(result.proof.grade)] += 1
        if form == "json":
            print_json(_entry(result))
        elif not result.ok:
            click.echo(_line(result))
        elif told <= _SEVERAL:
            lines.append(_line(result))
    if form == "text":
        click.echo("\n".join([*(lines if told <= _SEVERAL else ()), _summary(told, failed, layers, grades)]))
    return 1 if failed else 0


def _entry(result: _Result) -> dict[str, Any]:
    proof, known = result.proof, result.board.metadata
    found: dict[str, Any] = {"board": result.number, "ok": result.ok}
    found |= {key: known[key] for key in ("seed", "index") if key in known}
    found["opened"] = cells_json(result.board.grid, result.opened)
    if not result.ok:
        found["reason"] = result.reason
    if proof is not None:
        stuck = proof.stuck
        found |= {"layer": proof.layer, "steps": proof.steps, "widest": proof.widest, "grade": proof.grade,
                  "stuck": None if stuck is None else stuck.to_text()}
    return found


def _line(result: _Result) -> str:
    known = result.board.metadata
    which = f" (seed {known['seed']}, index {known['index']})" if known.keys() >= {"seed", "index"} else ""
    name, proof = f"board {result.number}{which}", result.proof
    if proof is None:
        return f"{name}: {'its certificate is right' if result.ok else result.reason}"
    if not result.ok:
        return f"{name}: {result.reason}\n\n{proof.stuck}"
    steps = ", ".join(f"{count} {layer}" for layer, count in proof.steps.items() if count) or "none"
    return f"{name}: no guess; hardest layer {proof.layer}; steps: {steps}; grade {proof.grade}"


def _summary(told: int, failed: int, layers: Counter[str], grades: Counter[str]) -> str:
    lines = [f"{told} board{'s' * (told != 1)}, {failed} of them not proven" if failed else
             f"{told} board{'s' * (told != 1)}, all proven to need no guess"]
    if layers and told > 1:
        lines.append("hardest layer: " + ", ".join(f"{layers[name]} {name}" for name in OUTCOMES if layers[name]))
        lines.append("grades: " + ", ".join(f"{grades[name]} {name}" for name in GRADES if grades[name]))
    return "\n".join(lines)
