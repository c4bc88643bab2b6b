"""What can go wrong, one class for each kind of trouble.

`MinesolveError` is the root; the command line turns every subclass into one message and an exit code. A misuse of the
library itself (a cell off the board, a wrong type) is a plain `ValueError` or `TypeError`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = [
    "BudgetExceeded",
    "Contradiction",
    "GenerationFailed",
    "InvalidPosition",
    "MinesolveError",
    "ParseError",
    "Problem",
]


class MinesolveError(Exception):
    """The root of all errors that minesolve raises on purpose."""


class ParseError(MinesolveError):
    """Text or bytes that can't be read: what was expected, what was found, and where.

    Attributes
    ----------
    source : str
        The file's name, or ``"<text>"``.
    line, column : int or None
        1-based, of the first character that can't be read; None where the format has no lines.
    """

    def __init__(self, message: str, *, source: str = "<text>", line: int | None = None, column: int | None = None):
        self.message, self.source, self.line, self.column = message, source, line, column
        super().__init__(message, source, line, column)

    def __str__(self) -> str:
        where = [self.source]
        where += [f"line {self.line}"] if self.line is not None else []
        where += [f"column {self.column}"] if self.column is not None else []
        return f"{', '.join(where)}: {self.message}"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that makes a position impossible and that needs no search to see.

    Attributes
    ----------
    kind : str
        A stable name: ``"number-too-large"``, ``"number-too-small"``, ``"too-few-mines"``, ``"too-many-mines"``.
    message : str
        One sentence for people.
    cells : tuple of int
        The cells it is about; empty when it is about the whole board.
    """

    kind: str
    message: str
    cells: tuple[int, ...] = ()

    def __str__(self) -> str:
        return self.message


class InvalidPosition(MinesolveError):
    """A position that is impossible at a glance; `problems` lists everything that is wrong with it at once."""

    def __init__(self, problems: Sequence[Problem]):
        self.problems = tuple(problems)
        super().__init__("; ".join(map(str, self.problems)))


class Contradiction(MinesolveError):
    """A position that has no layout, as search found.

    Attributes
    ----------
    clash : tuple of int
        A minimal set of cells whose numbers can't all be right: without any one of them they could be.
    uses_total : bool
        Whether the mine total is part of that set.
    """

    def __init__(self, message: str, clash: Sequence[int], *, uses_total: bool):
        self.clash, self.uses_total = tuple(clash), uses_total
        super().__init__(message)


class BudgetExceeded(MinesolveError):
    """Work that was stopped at its budget, with what was being done and how far it came.

    Attributes
    ----------
    cells : tuple of int
        The cells of the component that was too wide; empty if it is not about cells.
    """

    def __init__(self, message: str, cells: Sequence[int] = ()):
        self.cells = tuple(cells)
        super().__init__(message)


class GenerationFailed(MinesolveError):
    """No board found within the limits.

    Attributes
    ----------
    attempts : int
        Boards tried.
    bound : float
        Upper end of the 95 % interval of the acceptance rate.
    """

    def __init__(self, message: str, *, attempts: int = 0, bound: float = 1.0):
        self.attempts, self.bound = attempts, bound
        super().__init__(message)
