"""What kind of board is asked for, and whether there can be one at all."""

from __future__ import annotations

from dataclasses import dataclass

from minesolve.draws import LARGEST_RANGE
from minesolve.errors import GenerationFailed
from minesolve.levels import LEVELS
from minesolve.minefield import FirstClick, Minefield, draw, legal_cells, start_cell
from minesolve.proof import CERTAIN_LAYERS

__all__ = ["OUTCOMES", "Request", "board_size", "layers_allowed"]

OUTCOMES = ("none", *CERTAIN_LAYERS)
"""What the hardest layer of a no-guess board can be; ``"none"`` where the start opens everything."""


@dataclass(frozen=True, slots=True)
class Request:
    """Which boards are asked for. GenerationFailed at once if there can be none, ValueError if it makes no sense.

    Attributes
    ----------
    width, height, mines : int
    start : int or None
        The cell that is opened first; None for one drawn anew for each board.
    first_click : str
    seed : int
    layers : tuple of str
        The hardest layer that a board needs is one of these.
    bbbv : tuple of int
        The least and the greatest 3BV.
    """

    width: int
    height: int
    mines: int
    start: int | None
    first_click: FirstClick
    seed: int
    layers: tuple[str, ...]
    bbbv: tuple[int, int]

    def __post_init__(self) -> None:
        cells, (least, most) = self.width * self.height, self.bbbv
        if not 0 <= self.seed < 2**64:
            raise ValueError(f"the seed must be from 0 to 2**64 - 1, not {self.seed}")
        if self.mines < 0:
            raise ValueError(f"a board can't have {self.mines} mines")
        if cells > LARGEST_RANGE:
            raise ValueError(f"a random board has at most {LARGEST_RANGE} cells, not {self.width}x{self.height}")
        room, safe = self._room(), cells - self.mines
        if self.mines > room:
            mines = f"{self.mines} mine{'s are' if self.mines > 1 else ' is'}"
            raise _impossible(f"{mines} too many: {self.width}x{self.height} with this start has room for {room}")
        if least > most or least > safe or most < min(safe, 1):
            raise _impossible(f"no board with {safe} safe cells has a 3BV from {least} to {most}")
        if "none" not in self.layers and (self.mines == 0 or (self.mines == room and self.start is not None)):
            raise _impossible(f"with {self.mines} mines the start opens every safe cell, so that no layer is needed")

    def _room(self) -> int:
        """Return how many mines fit whatever the start, and leave a start that is safe."""
        start = start_cell(self.width, self.height, "centre") if self.start is None else self.start
        return len(legal_cells(self.width, self.height, start, self.first_click)) - (self.first_click == "any")

    def draw(self, index: int) -> tuple[Minefield, int]:
        """Return the minefield of an attempt, and its start."""
        start = "random" if self.start is None else self.start
        return draw(self.width, self.height, self.mines, start=start, seed=self.seed, index=index,
                    first_click=self.first_click)


def _impossible(why: str) -> GenerationFailed:
    return GenerationFailed(why, bound=0.0)


def board_size(level: str | None, sizes: tuple[int | None, int | None, int | None]) -> tuple[int, int, int]:
    """Return width, height and mines of a level, or as given; ValueError unless it is one of the two."""
    width, height, mines = sizes
    if level is None and width is not None and height is not None and mines is not None:
        return width, height, mines
    if level is None or sizes != (None, None, None):
        raise ValueError("expected a level, or else width, height and mines")
    if level not in LEVELS:
        raise ValueError(f"a level is one of {', '.join(LEVELS)}, not {level!r}")
    found = LEVELS[level]
    return found.width, found.height, found.mines


def layers_allowed(max_layer: str, exactly: str | None) -> tuple[str, ...]:
    """Return what a board's hardest layer may be; GenerationFailed if the two exclude each other."""
    for name in (max_layer, exactly or max_layer):
        if name not in CERTAIN_LAYERS:
            raise ValueError(f"a layer is one of {', '.join(CERTAIN_LAYERS)}, not {name!r}")
    layers = OUTCOMES[: OUTCOMES.index(max_layer) + 1]
    if exactly is None:
        return layers
    if exactly not in layers:
        raise _impossible(f"no board needs {exactly} and no more than {max_layer}")
    return (exactly,)
