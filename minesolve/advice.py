"""A hint: what to do next in a position, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from minesolve.position import FLAG, Position
from minesolve.solve.analysis import Analysis, analyse
from minesolve.solve.deduction import Deduction, layer_named, sources, supports
from minesolve.solve.explain import Explainer

__all__ = ["Hint", "hint", "hint_at"]

_LONGEST = 6  # earlier steps that are told one by one


@dataclass(frozen=True, slots=True)
class Hint:
    """What to do next.

    Attributes
    ----------
    position : Position
    verdict : str
        ``"safe"``, ``"mine"``, or ``"none"``: nothing is certain, or nothing is left to do; the text says which.
    cells : tuple of int
        The cells it is about, ascending.
    text : str
        The hint in words: first what, then why.
    deduction : Deduction or None
        The step that shows it, if it is certain.
    supports : tuple of Deduction
        The earlier steps that it rests on, in order.
    """

    position: Position
    verdict: str
    cells: tuple[int, ...]
    text: str
    deduction: Deduction | None = None
    supports: tuple[Deduction, ...] = ()

    @property
    def certain(self) -> bool:
        """Whether the cells are certain."""
        return self.deduction is not None

    def __str__(self) -> str:
        return self.text

    def _repr_svg_(self) -> str | None:
        """Return the picture that a notebook shows; None where there is none or it is too large."""
        from minesolve.render import svg, views
        from minesolve.render.picture import MAX_CELLS

        picture = views.of_hint(self)
        return None if picture is None or len(self.position.cells) > MAX_CELLS else svg.draw(picture)


def hint(position: Position, *, trust_flags: bool = False, up_to: str = "total") -> Hint:
    r"""Return the easiest certain move: a safe cell if there is one, else a mine that is not flagged yet.

    Easy means: the cheapest layer, then the fewest steps, then the fewest numbers. Parameters and errors are those of
    `minesolve.solve.analysis.analyse`.

    Examples
    --------
    >>> h = hint(Position.from_text("11111\n#####", mines=2))
    >>> h.verdict, h.cells, h.deduction.rule
    ('safe', (7,), '1-1')
    >>> print(str(h).splitlines()[0])
    r2c3 is safe (1-1 at the wall).
    """
    analysis = analyse(position, trust_flags=trust_flags, up_to=up_to)
    best = _easiest(analysis)
    return Hint(position, "none", (), _nothing(analysis)) if best is None else _certain(analysis, best)


def hint_at(position: Position, cell: int, *, trust_flags: bool = False, up_to: str = "total") -> Hint:
    r"""Return what can be said about one cell, and why.

    Examples
    --------
    >>> print(hint_at(Position.from_text("11111\n#####", mines=2), 5))
    Nothing is certain about r2c1.
    """
    analysis = analyse(position, trust_flags=trust_flags, up_to=up_to)
    if cell not in analysis.system.cells:
        return Hint(position, "none", (cell,), _not_covered(position, cell))
    for step in analysis.deductions:
        if cell in step.cells:
            return _certain(analysis, step)
    within = "" if up_to == "total" else f" up to the layer {up_to}"
    return Hint(position, "none", (cell,), f"Nothing is certain about {position.grid.name(cell)}{within}.")


def _easiest(analysis: Analysis) -> Deduction | None:
    """Return the easiest step that tells something to do: open a safe cell, flag a mine that is not flagged.

    Opening a cell moves the game on, so safe comes first; then what is easy to see.
    """
    steps, codes = analysis.deductions, analysis.position.cells
    moves = [step for step in steps if not step.mine or any(codes[cell] != FLAG for cell in step.cells)]
    if not moves:
        return None
    first = min((step.mine, layer_named(step.layer).rank) for step in moves)
    moves = [step for step in moves if (step.mine, layer_named(step.layer).rank) == first]
    # a step that rests on no other is the easiest of its layer; without one, the steps behind each are counted
    moves = [step for step in moves if not step.given] or moves
    source = sources(steps)

    def effort(step: Deduction) -> tuple[int, ...]:
        chain = (*supports(steps, step, source), step)
        return len(chain), sum(len(link.premises) for link in chain), step.cells[0]

    return min(moves, key=effort)


def _certain(analysis: Analysis, step: Deduction) -> Hint:
    """Return a step as a hint; earlier steps to mines that are flagged are not told, as the player knows them."""
    chain = supports(analysis.deductions, step, sources(analysis.deductions))
    words = Explainer(analysis.position, trust_flags=analysis.trust_flags)
    told = [link for link in chain if any(analysis.position.cells[cell] != FLAG for cell in link.cells)]
    lines = [f"{words.headline(step)}.", *_because(words, told), words.explain(step), *_flags(analysis, step.cells)]
    return Hint(analysis.position, step.verdict, step.cells, "\n".join(lines), step, chain)


def _because(words: Explainer, chain: Sequence[Deduction]) -> Iterator[str]:
    if len(chain) > _LONGEST:
        yield f"First, from {len(chain)} easier steps (hint --all tells them): {words.summary(chain)}."
        return
    for link in chain:
        yield f"First, {words.headline(link)}. {words.explain(link)}"


def _flags(analysis: Analysis, cells: Iterable[int]) -> Iterator[str]:
    wrong = {cell for cell in cells if analysis.position.cells[cell] == FLAG} & analysis.safe
    wrong |= set(analysis.wrong_flags)
    for cell in sorted(wrong):
        yield f"The flag at {analysis.position.grid.name(cell)} is wrong: there is no mine."


def _nothing(analysis: Analysis) -> str:
    if not analysis.system.cells:
        return "Nothing is left to do: no cell is covered."
    if analysis.mines == set(analysis.system.cells):
        return "Nothing is left to do: every covered cell is a mine, and flagged."
    if analysis.up_to != "total":
        return f"No move is certain up to the layer {analysis.up_to}."
    without = "" if analysis.position.mines is not None else " without the mine total"
    return f"No move is certain{without}."


def _not_covered(position: Position, cell: int) -> str:
    code, name = position.cells[cell], position.grid.name(cell)
    return f"{name} is open: it shows {code}." if code < 9 else f"{name} is a mine that is known already."
