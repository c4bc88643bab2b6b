"""What a deduction is, and the table of layers that finds them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["LAYERS", "Deduction", "Layer", "layer_named", "sources", "supports"]


@dataclass(frozen=True, slots=True)
class Layer:
    """A stage of the solver: its rank (1 is the cheapest), its name, and what it looks at."""

    rank: int
    name: str
    looks_at: str


LAYERS = (
    Layer(1, "single", "one number: all its covered cells are mines, or all are safe"),
    Layer(2, "pair", "two numbers together: what they share and what they don't"),
    Layer(3, "component", "several numbers that are linked"),
    Layer(4, "total", "the numbers together with the mine total"),
    Layer(5, "chance", "no certain move: exact probabilities, advice on the guess"),
)
"""All layers, cheapest first. Grades, options, explanations and documentation read this table."""


def layer_named(name: str) -> Layer:
    """Return the layer of a name; ValueError if there is none.

    Examples
    --------
    >>> layer_named("pair").rank
    2
    """
    for layer in LAYERS:
        if layer.name == name:
            return layer
    raise ValueError(f"there is no layer {name!r}: layers are {', '.join(layer.name for layer in LAYERS)}")


@dataclass(frozen=True, slots=True)
class Deduction:
    """One step: cells that are certain, and everything they follow from.

    `premises`, `given` and the total (if `uses_total`) are together sufficient, and minimal: without any one of them
    no cell of the step would be certain.

    Attributes
    ----------
    cells : tuple of int
        The cells concluded, ascending; nothing tells them apart.
    mine : bool
        Whether they are mines; otherwise they are safe.
    layer : str
        The least layer that, run to exhaustion after those before it, forces these cells.
    rule : str
        The rule or the named pattern of this step.
    premises : tuple of int
        The cells of the numbers used in this step, ascending.
    given : tuple of int
        Cells deduced in earlier steps that this one uses, ascending.
    given_mines : tuple of int
        Those of `given` that are mines.
    uses_total : bool
    """

    cells: tuple[int, ...]
    mine: bool
    layer: str
    rule: str
    premises: tuple[int, ...]
    given: tuple[int, ...] = ()
    given_mines: tuple[int, ...] = field(default=(), repr=False)
    uses_total: bool = False

    @property
    def verdict(self) -> str:
        """``"safe"`` or ``"mine"``."""
        return "mine" if self.mine else "safe"


def sources(deductions: Iterable[Deduction]) -> dict[int, int]:
    """Return the index of the step that concluded each cell."""
    return {cell: index for index, deduction in enumerate(deductions) for cell in deduction.cells}


def supports(
    deductions: Sequence[Deduction], deduction: Deduction, source: Mapping[int, int]
) -> tuple[Deduction, ...]:
    """Return the earlier steps that a step rests on, directly or not, in their order.

    `deductions` are all steps of the position, in order, and `source` is what `sources` says of them.
    """
    needed: set[int] = set()
    waiting = list(deduction.given)
    while waiting:
        index = source[waiting.pop()]
        if index not in needed:
            needed.add(index)
            waiting.extend(deductions[index].given)
    return tuple(deductions[index] for index in sorted(needed))
