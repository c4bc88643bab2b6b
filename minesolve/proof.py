"""The proof that a board needs no guess, by another route than the generator's.

The board is played from its start by the rules of `minesolve.game`. In each position the solver's layers run, cheapest
first (`minesolve.solve.analyse`: local rules, then SAT; no engine), until one finds a safe cell. Then all cells that it
proves safe are opened, all that it proves to be mines are flagged, and play goes on with the cheapest layer again. The
solver sees positions only, never the minefield.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from minesolve import grade as grades
from minesolve.certificate import CertificateCheck, check_certificate
from minesolve.game import Game
from minesolve.minefield import Minefield, Start, start_cell
from minesolve.position import FLAG, Position
from minesolve.solve.analysis import Analysis, analyse
from minesolve.solve.deduction import LAYERS, Deduction
from minesolve.solve.frontier import split

__all__ = ["CERTAIN_LAYERS", "CertificateCheck", "Proof", "Round", "check_certificate", "verify"]

CERTAIN_LAYERS = tuple(layer.name for layer in LAYERS[:-1])
"""The layers that prove something, cheapest first."""


@dataclass(frozen=True, slots=True)
class Round:
    """What is done in one position: the cells found by the first layer that finds a safe one, and those below it.

    Attributes
    ----------
    layer : str
    safe, mines : tuple of int
        Ascending. Mines found before are not named again.
    width : int
        How many numbers were looked at together; see `minesolve.grade`.
    """

    layer: str
    safe: tuple[int, ...]
    mines: tuple[int, ...]
    width: int


@dataclass(frozen=True)
class Proof:
    """What `verify` found about a board.

    Attributes
    ----------
    minefield : Minefield
    opened : tuple of int
        The cells that are open at the beginning.
    rounds : tuple of Round
        What was done in each position, in order.
    stuck : Position or None
        Where nothing more is certain, with proven mines flagged; None if the board is solved.
    """

    minefield: Minefield = field(repr=False)
    opened: tuple[int, ...]
    rounds: tuple[Round, ...] = field(repr=False)
    stuck: Position | None = None

    @property
    def ok(self) -> bool:
        """Whether the board needs no guess."""
        return self.stuck is None

    @property
    def layer(self) -> str | None:
        """The hardest layer that is needed; ``"none"`` if the start opens everything, None if a guess is needed."""
        if not self.ok:
            return None
        return max((r.layer for r in self.rounds), key=CERTAIN_LAYERS.index, default="none")

    @property
    def steps(self) -> dict[str, int]:
        """How many rounds each layer was needed for, by name."""
        return {name: sum(r.layer == name for r in self.rounds) for name in CERTAIN_LAYERS}

    @property
    def widest(self) -> int:
        """How many numbers the widest round looked at together; 0 if there was none."""
        return max((r.width for r in self.rounds), default=0)

    @property
    def grade(self) -> str | None:
        """The grade for people, as `minesolve.grade` has it; None if a guess is needed."""
        return grades.grade(self.steps, self.widest) if self.ok else None

    @cached_property
    def certificate(self) -> list[dict[str, Any]] | None:
        """The proof step by step, as `minesolve.certificate` has it; None if a guess is needed.

        Found when first asked for: giving each step its minimal premises takes longer than finding the safe cells.
        """
        return _needed(list(_certificate(self))) if self.ok else None


def verify(
    minefield: Minefield, start: Start | None = None, *, opened: Iterable[int] | None = None
) -> Proof:
    r"""Play a board by certain moves alone and say whether that solves it.

    Parameters
    ----------
    minefield : Minefield
    start : int or str
        The cell that is opened first: an index, a name such as ``r8c15``, ``centre`` or ``corner``.
    opened : iterable of int
        Instead of a start: the cells that are open at the beginning (zeros among them cascade); there may be none.

    Raises
    ------
    ValueError
        Unless exactly one of `start` and `opened` is given, and all of it is on the board.

    Examples
    --------
    >>> proof = verify(Minefield.from_text("...*.\n.....\n...*."), start="corner")
    >>> proof.ok, proof.layer, proof.steps
    (True, 'pair', {'single': 1, 'pair': 1, 'component': 0, 'total': 0})
    >>> print(verify(Minefield.from_text("..*\n..."), start=0).stuck.to_text())
    size: 3x2
    mines: 1
    <BLANKLINE>
    .1#
    .1#
    <BLANKLINE>
    """
    if (start is None) == (opened is None):
        raise ValueError("expected either the start or the cells that are open")
    if start is not None:
        opened = [start_cell(minefield.width, minefield.height, start)]
    begin = tuple(dict.fromkeys(opened or ()))
    game = _begin(minefield, begin)
    if game is None:
        return Proof(minefield, begin, (), Game(minefield).position)
    rounds: list[Round] = []
    while game.status == "playing":
        found = _round(game.position)
        if found is None:
            return Proof(minefield, begin, tuple(rounds), game.position)
        rounds.append(found)
        _do(game, found.safe, found.mines)
    return Proof(minefield, begin, tuple(rounds))


def _begin(minefield: Minefield, opened: Sequence[int]) -> Game | None:
    """Return the game with its first cells open; None if one of them is a mine: then even the start is a guess."""
    for cell in opened:
        if not 0 <= cell < len(minefield.mines):
            raise ValueError(f"cell {cell} is off the board of {minefield.width}x{minefield.height}")
    return None if any(minefield.mines[cell] for cell in opened) else Game(minefield, opened=opened)


def _round(position: Position) -> Round | None:
    """Return what the cheapest layer with a safe cell finds; flags are mines that were proven before."""
    for layer in CERTAIN_LAYERS:
        analysis = analyse(position, trust_flags=True, up_to=layer)
        if analysis.safe:
            return Round(layer, tuple(sorted(analysis.safe)), tuple(sorted(analysis.mines)), _width(analysis))
    return None


def _width(analysis: Analysis) -> int:
    """Return how many numbers the last layer of an analysis looked at together to find a safe cell."""
    rank = CERTAIN_LAYERS.index(analysis.up_to)
    if rank < 2:
        return rank + 1
    below = {c: c in analysis.mines for c in (*analysis.safe, *analysis.mines) if analysis.layer(c) != analysis.up_to}
    left = analysis.system.without(below)
    if analysis.up_to == "total":
        return len(left.constraints)
    return min(len(part.constraints) for part in split(left) if not analysis.safe.isdisjoint(part.cells))


def _do(game: Game, safe: Iterable[int], mines: Iterable[int]) -> None:
    for cell in mines:
        game.flag(cell)
    for cell in safe:
        game.open(cell)
    if game.status == "lost":
        raise AssertionError("the solver called a mine safe; please report the board")


def _certificate(proof: Proof) -> Iterator[dict[str, Any]]:
    """Play again and yield every deduction, with reasons."""
    game, covered = Game(proof.minefield), Game(proof.minefield).position
    for cell in proof.opened:
        game.open(cell)
    names = game.grid.names
    yield {"verdict": "start", "cells": names(proof.opened), "revealed": _revealed(covered, game.position)}
    for done in proof.rounds:
        position = game.position
        for step in analyse(position, trust_flags=True, up_to=done.layer).deductions:
            before = game.position
            cells = [cell for cell in step.cells if game.shown(cell) > 8]  # a cascade may have opened some
            if not cells:
                continue
            _do(game, () if step.mine else cells, cells if step.mine else ())
            revealed = {} if step.mine else {"revealed": _revealed(before, game.position)}
            yield {
                "verdict": step.verdict, "cells": names(cells), "layer": step.layer, "rule": step.rule,
                "premises": names(step.premises), "given": names(_given(position, step)),
                "uses_total": step.uses_total, **revealed,
            }  # fmt: skip


def _given(position: Position, step: Deduction) -> list[int]:
    """Return the known cells that a step uses, those that were flagged before among them."""
    flags = {cell for cell, code in enumerate(position.cells) if code == FLAG}
    if not step.uses_total:
        flags &= {n for premise in step.premises for n in position.grid.neighbours(premise)}
    return sorted({*step.given, *flags})


def _revealed(before: Position, after: Position) -> dict[str, int]:
    return {
        after.grid.name(cell): code
        for cell, (old, code) in enumerate(zip(before.cells, after.cells, strict=True))
        if code != old and code <= 8
    }


def _needed(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out the mines that no later step uses."""
    used: set[str] = set()
    kept = []
    for step in reversed(steps):
        if step["verdict"] != "mine" or not used.isdisjoint(step["cells"]):
            used.update(step.get("given", ()))
            kept.append(step)
    return kept[::-1]
