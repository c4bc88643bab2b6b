"""A Minesweeper toolkit: hints with reasons, exact probabilities, proven no-guess boards, repeatable measurement.

The names listed in `__all__` are the public interface; each is loaded when it is first used, so that a program that
only wants hints does not load more than that.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from minesolve.version import VERSION

if TYPE_CHECKING:
    from minesolve.advice import Hint, hint
    from minesolve.engine import mine_probabilities
    from minesolve.errors import (
        BudgetExceeded,
        Contradiction,
        GenerationFailed,
        InvalidPosition,
        MinesolveError,
        ParseError,
    )
    from minesolve.game import Game
    from minesolve.generator import NoGuessBoard, generate
    from minesolve.measurement import Comparison, Measurement, compare, measure
    from minesolve.metrics import board_metrics
    from minesolve.minefield import Minefield
    from minesolve.position import COVERED, FLAG, MINE, Position
    from minesolve.proof import Proof, verify
    from minesolve.solve.analysis import Analysis, Check, analyse, check
    from minesolve.solve.deduction import LAYERS, Deduction

__version__ = VERSION

_HOME = {
    "minesolve.advice": ("Hint", "hint"),
    "minesolve.engine": ("mine_probabilities",),
    "minesolve.errors": ("BudgetExceeded", "Contradiction", "GenerationFailed", "InvalidPosition", "MinesolveError",
                         "ParseError"),
    "minesolve.game": ("Game",),
    "minesolve.generator": ("NoGuessBoard", "generate"),
    "minesolve.measurement": ("Comparison", "Measurement", "compare", "measure"),
    "minesolve.metrics": ("board_metrics",),
    "minesolve.minefield": ("Minefield",),
    "minesolve.position": ("COVERED", "FLAG", "MINE", "Position"),
    "minesolve.proof": ("Proof", "verify"),
    "minesolve.solve.analysis": ("Analysis", "Check", "analyse", "check"),
    "minesolve.solve.deduction": ("LAYERS", "Deduction"),
}
_MODULE = {name: module for module, names in _HOME.items() for name in names}

__all__ = ["COVERED", "FLAG", "LAYERS", "MINE", "Analysis", "BudgetExceeded", "Check", "Comparison", "Contradiction",
           "Deduction", "Game", "GenerationFailed", "Hint", "InvalidPosition", "Measurement", "Minefield",
           "MinesolveError", "NoGuessBoard", "ParseError", "Position", "Proof", "analyse", "board_metrics", "check",
           "compare", "generate", "hint", "measure", "mine_probabilities", "verify"]


def __getattr__(name: str) -> object:
    if name not in _MODULE:
        raise AttributeError(f"module 'minesolve' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULE[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
