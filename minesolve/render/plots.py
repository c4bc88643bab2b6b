"""Plots of measurements, by matplotlib; needs the extra ``analysis``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from minesolve.measurement import Measurement

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figure"]

_SHARES = (("win_share", "won", "o-"), ("no_guess_share", "no guess needed", "s--"))
_MOST_BARS = 6  # kinds of board whose guesses are told apart


def figure(found: Sequence[Measurement]) -> Figure:
    """Return a figure: the shares won and without a guess against the density of mines, and the guesses per game.

    Boards of one size are joined by a line; bars reach over the 95 % intervals. Where there are more than six kinds of
    board, the second plot has the mean number of guesses against the density.
    """
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(11, 4.2), layout="constrained")
    left, right = drawn.subplots(1, 2)
    _draw_shares(left, found)
    if len(found) <= _MOST_BARS:
        _draw_guesses(right, found)
    else:
        _draw_means(right, found)
    return drawn


def draw(found: Sequence[Measurement], path: str | os.PathLike[str]) -> None:
    """Write the figure to a file; the suffix is the format (svg, png, pdf). ValueError if there is no such format."""
    figure(found).savefig(path)


def _sizes(found: Sequence[Measurement]) -> dict[str, list[Measurement]]:
    """Return the measurements by size, each in the order of its density."""
    sizes: dict[str, list[Measurement]] = {}
    for m in sorted(found, key=_density):
        sizes.setdefault(f"{m.request.width}x{m.request.height}", []).append(m)
    return sizes


def _density(m: Measurement) -> float:
    return 100 * m.request.mines / (m.request.width * m.request.height)


def _draw_points(axes: Any, several: Sequence[Measurement], figure: str, style: str, scale: float, label: str) -> None:
    estimates = [getattr(m, figure) for m in several]
    values = [scale * estimate.value for estimate in estimates]
    below = [value - scale * estimate.interval[0] for value, estimate in zip(values, estimates, strict=True)]
    above = [scale * estimate.interval[1] - value for value, estimate in zip(values, estimates, strict=True)]
    axes.errorbar([_density(m) for m in several], values, yerr=[below, above], fmt=style, capsize=3, label=label)


def _draw_shares(axes: Any, found: Sequence[Measurement]) -> None:
    for size, several in _sizes(found).items():
        for name, label, style in _SHARES:
            _draw_points(axes, several, name, style, 100, f"{size}: {label}")
    axes.set(xlabel="mines, % of the cells", ylabel="% of boards", ylim=(0, 100))
    axes.legend(fontsize="small")
    axes.grid(alpha=0.3)


def _draw_guesses(axes: Any, found: Sequence[Measurement]) -> None:
    width, most = 0.8 / len(found), min(max(len(m.tally.guesses) for m in found), 16)
    for place, m in enumerate(found):
        counts = [100 * games / m.boards for games in m.tally.guesses[:most]]
        axes.bar([n + (place - (len(found) - 1) / 2) * width for n in range(len(counts))], counts, width,
                 label=f"{m.board}: {float(m.guesses_per_game):.2f} a game")  # fmt: skip
    axes.set(xlabel="guesses in a game", ylabel="% of boards")
    axes.legend(fontsize="small")


def _draw_means(axes: Any, found: Sequence[Measurement]) -> None:
    for size, several in _sizes(found).items():
        _draw_points(axes, several, "guesses_per_game", "o-", 1, size)
    axes.set(xlabel="mines, % of the cells", ylabel="guesses per game")
    axes.set_ylim(bottom=0)
    axes.legend(fontsize="small")
    axes.grid(alpha=0.3)
