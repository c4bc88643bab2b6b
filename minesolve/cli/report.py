"""An analysis as the commands report it: what there is of it, and what there is not, with the reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from minesolve.cli.answers import cells_json, guess_json
from minesolve.errors import BudgetExceeded
from minesolve.policy import Guess, guess
from minesolve.solve.analysis import Analysis
from minesolve.solve.fifty import Fifty
from minesolve.solve.sampling import Sample

__all__ = ["Report"]

_SETS = 200_000  # sets of layouts to look into for the best play; about a second
_MANY = 24  # cells that are named one by one


@dataclass(frozen=True, slots=True)
class _Part:
    """A component of the frontier, without its forced cells."""

    cells: tuple[int, ...]
    fewest: int
    most: int
    distribution: Mapping[int, Fraction] | None


@dataclass(frozen=True, slots=True)
class _BestPlay:
    """The exact chance of winning by optimal play, and the cells to open that achieve it."""

    chance: Fraction
    best: tuple[int, ...]


class Report:
    """What an analysis has to say; nothing is asked for twice, and what can't be had is said in `trouble`.

    Attributes
    ----------
    analysis : Analysis
    layouts : int or None
    chances : sequence of (Fraction or None)
        By cell; the estimates where there are some instead.
    estimate : Sample or None
    guess : Guess or None
        The advised guess, where no cell is certainly safe and there are chances.
    outcome : _BestPlay or None
        The best play, if few layouts remain.
    trouble : str
        Why there are no exact chances; empty if there are.
    """

    def __init__(
        self, analysis: Analysis, *, sample: int | None = None, seed: int = 0, policy: str = "strong", effort: int = 1
    ):
        self.analysis = analysis
        self.layouts: int | None = None
        self.estimate: Sample | None = None
        self.guess: Guess | None = None
        self.outcome: _BestPlay | None = None
        self.trouble, self.uncounted = "", tuple[int, ...]()
        self.chances: Sequence[Fraction | None] = self._forced()
        try:
            self.layouts, self.chances = analysis.layouts, analysis.chances
        except BudgetExceeded as error:
            self.trouble, self.uncounted = str(error), error.cells
            if sample is not None:
                self._estimate(sample, seed)
            return
        if analysis.position.mines is None and analysis.density is None:
            if analysis.open_questions.cells:
                self.trouble = "they take the mine total or a density"
            return
        if not analysis.safe:
            self.guess = guess(analysis, policy=policy, effort=effort)
        self.outcome = self._play()

    def _forced(self) -> list[Fraction | None]:
        """Return the chances of forced cells alone, by cell."""
        forced = dict.fromkeys(self.analysis.safe, Fraction(0)) | dict.fromkeys(self.analysis.mines, Fraction(1))
        return [forced.get(cell) for cell in range(len(self.analysis.position.cells))]

    def _estimate(self, layouts: int, seed: int) -> None:
        try:
            self.estimate = self.analysis.estimate(layouts, seed=seed)
        except BudgetExceeded as error:
            self.trouble = f"{self.trouble}; no estimates either: {error}"
            return
        self.chances = [self.estimate.chances.get(cell, forced) for cell, forced in enumerate(self.chances)]

    def _play(self) -> _BestPlay | None:
        """Return the best play as the guess found it, or else by the solver's own search."""
        if self.guess is not None and self.guess.best.win is not None:
            return _BestPlay(self.guess.best.win, self.guess.winners)
        if self.analysis.position.mines is None or not self.analysis.system.cells:
            return None
        try:
            found = self.analysis.best_play(budget=_SETS)
        except BudgetExceeded:
            return None
        return _BestPlay(found.chance, found.best)

    def names(self, cells: Iterable[int]) -> str:
        """Return the names of cells, ascending; only the first few of many, with their number."""
        cells = sorted(cells)
        names = self.analysis.position.grid.names(cells[:_MANY])
        if len(cells) > _MANY:
            return f"{', '.join(names[:3])} ... ({len(cells)} cells)"
        return ", ".join(names) or "none"

    def lowest(self) -> dict[int, Fraction]:
        """Return the cells with the lowest chance, and that chance."""
        known = {cell: chance for cell, chance in enumerate(self.chances) if chance is not None}
        least = min(known.values(), default=None)
        return {cell: chance for cell, chance in known.items() if chance == least and chance < 1}

    def components(self) -> tuple[_Part, ...]:
        """Return the components of the frontier; none where they were not counted."""
        if self.layouts is None:
            return ()
        found = self.analysis.weighed.components
        return tuple(
            _Part(part.count.component.cells, part.count.fewest, part.count.most, part.distribution) for part in found
        )

    def fifties(self) -> tuple[Fifty, ...]:
        """Return the true 50/50s; none where the chances were not counted."""
        return () if self.layouts is None else self.analysis.fifties

    def as_json(self) -> dict[str, Any]:
        """Return all of it, fractions as text."""
        analysis, grid = self.analysis, self.analysis.position.grid
        exact = self.chances if self.estimate is None else self._forced()
        found: dict[str, Any] = {
            "consistent": True,
            "layouts": None if self.layouts is None else str(self.layouts),
            "safe": cells_json(grid, sorted(analysis.safe)),
            "mines": cells_json(grid, sorted(analysis.mines)),
            "chances": self._chances_json(dict(enumerate(exact))),
            "safest": cells_json(grid, self.lowest()),
            "components": [self._component_json(part) for part in self.components()],
            "fifties": [[cells_json(grid, fifty.one), cells_json(grid, fifty.other)] for fifty in self.fifties()],
            "win": None if self.outcome is None else {
                "chance": str(self.outcome.chance), "best": cells_json(grid, self.outcome.best)},
            "guess": guess_json(grid, self.guess),
            "wrong_flags": cells_json(grid, analysis.wrong_flags),
            "trouble": self.trouble or None,
            "uncounted": cells_json(grid, self.uncounted),
        }
        if self.estimate is not None:
            found["estimate"] = {"layouts": self.estimate.layouts, "error": self.estimate.error,
                                 "chances": self._chances_json(self.estimate.chances)}
        return found

    def _chances_json(self, chances: Mapping[int, Fraction | None]) -> list[dict[str, Any]]:
        cells = [cell for cell, chance in chances.items() if chance is not None]
        named = cells_json(self.analysis.position.grid, cells)
        return [{**name, "chance": str(chances[cell])} for name, cell in zip(named, cells, strict=True)]

    def _component_json(self, part: _Part) -> dict[str, Any]:
        distribution = None if part.distribution is None else {str(n): str(c) for n, c in part.distribution.items()}
        return {"cells": cells_json(self.analysis.position.grid, part.cells), "size": len(part.cells),
                "fewest_mines": part.fewest, "most_mines": part.most, "mines": distribution}

