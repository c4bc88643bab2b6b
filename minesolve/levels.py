"""The standard levels."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LEVELS", "Level", "standard_level"]


@dataclass(frozen=True, slots=True)
class Level:
    """A named board size with its number of mines."""

    name: str
    width: int
    height: int
    mines: int


LEVELS = {
    level.name: level
    for level in (
        Level("beginner", 9, 9, 10),
        Level("intermediate", 16, 16, 40),
        Level("expert", 30, 16, 99),
    )
}


def standard_level(width: int, height: int) -> Level | None:
    """Return the standard level that has this size, or None.

    Examples
    --------
    >>> standard_level(30, 16).mines
    99
    >>> standard_level(16, 30) is None
    True
    """
    return next((level for level in LEVELS.values() if (level.width, level.height) == (width, height)), None)
