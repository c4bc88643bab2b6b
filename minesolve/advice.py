"""A hint: what to do next in a position, and why: a deduction, or else a guess."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from minesolve.errors import BudgetExceeded
from minesolve.grid import Grid
from minesolve.policy import Candidate, Guess, check_adviser, guess
from minesolve.position import FLAG, Position
from minesolve.solve.analysis import Analysis, analyse
from minesolve.solve.deduction import Deduction, layer_named, sources, supports
from minesolve.solve.explain import Explainer
from minesolve.statistics import per_cent

__all__ = ["Hint", "guess_lines", "hint", "hint_at"]

_LONGEST = 6  # earlier steps that are told one by one
_SHORT = 13  # characters of a fraction that is worth reading
_ROUND = (1, 2, 4, 5, 10, 20, 25, 50, 100)  # denominators of whole per cents


@dataclass(frozen=True, slots=True)
class Hint:
    """What to do next.

    Attributes
    ----------
    position : Position
    verdict : str
        ``"safe"``, ``"mine"``, ``"guess"``, or ``"none"``: nothing is certain and there are no chances to rank by, or
        nothing is left to do; the text says which.
    cells : tuple of int
        The cells it is about, ascending.
    text : str
        The hint in words: first what, then why.
    deduction : Deduction or None
        The step that shows it, if it is certain.
    supports : tuple of Deduction
        The earlier steps that it rests on, in order.
    guess : Guess or None
        The advised guess, where no cell is certainly safe.
    """

    position: Position
    verdict: str
    cells: tuple[int, ...]
    text: str
    deduction: Deduction | None = None
    supports: tuple[Deduction, ...] = ()
    guess: Guess | None = None

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


def hint(
    position: Position, *, density: Fraction | None = None, trust_flags: bool = False, up_to: str = "total",
    policy: str = "strong", effort: int = 1,
) -> Hint:  # fmt: skip
    r"""Return the easiest certain move, or else the advised guess.

    A safe cell if there is one, else a mine that is not flagged yet (with the guess, for those who know it). Easy
    means: the cheapest layer, then the fewest steps, then the fewest numbers. `policy` and `effort` say how to guess,
    see `minesolve.policy.guess`: where a cell is safe nothing of it is used, and the engine is not loaded. The other
    parameters, and the errors, are those of `minesolve.solve.analysis.analyse`; ValueError, too, if there is no such
    policy or effort.

    Examples
    --------
    >>> h = hint(Position.from_text("11111\n#####", mines=2))
    >>> h.verdict, h.cells, h.deduction.rule
    ('safe', (7,), '1-1')
    >>> print(str(h).splitlines()[0])
    r2c3 is safe (1-1 at the wall).
    >>> h = hint(Position.from_text("1#\n1#", mines=1))
    >>> h.verdict, h.guess.best.chance
    ('guess', Fraction(1, 2))
    """
    check_adviser(policy, effort)
    analysis = analyse(position, density=density, trust_flags=trust_flags, up_to=up_to)
    best = _easiest(analysis)
    if best is None:
        return _guess(analysis, policy, effort)
    if not best.mine or up_to != "total":
        return _certain(analysis, best)
    known, advised = _certain(analysis, best), _guess(analysis, policy, effort)
    if advised.guess is None:
        return known
    return replace(known, text=f"{known.text}\nNo cell is certainly safe. {advised.text}", guess=advised.guess)


def hint_at(
    position: Position, cell: int, *, density: Fraction | None = None, trust_flags: bool = False, up_to: str = "total"
) -> Hint:
    r"""Return what can be said about one cell, and why.

    Examples
    --------
    >>> print(hint_at(Position.from_text("11111\n#####", mines=2), 5))
    Nothing is certain about r2c1. It is a mine with 50 % (1/2), a true 50/50: waiting cannot help.
    """
    analysis = analyse(position, density=density, trust_flags=trust_flags, up_to=up_to)
    if cell not in analysis.system.cells:
        return Hint(position, "none", (cell,), _not_covered(position, cell))
    for step in analysis.deductions:
        if cell in step.cells:
            return _certain(analysis, step)
    within = "" if up_to == "total" else f" up to the layer {up_to}"
    text = f"Nothing is certain about {position.grid.name(cell)}{within}."
    return Hint(position, "none", (cell,), f"{text}{_chance_of(analysis, cell)}")


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

    best = min(moves, key=effort)
    if not best.mine:
        return best
    return replace(best, cells=tuple(cell for cell in best.cells if codes[cell] != FLAG))


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


def _guess(analysis: Analysis, policy: str, effort: int) -> Hint:
    """Return the advised guess, or why there is none."""
    position = analysis.position
    if not analysis.system.cells or analysis.mines == set(analysis.system.cells):
        return Hint(position, "none", (), "Nothing is left to do: every cell without a mine is open.")
    if analysis.up_to != "total":
        return Hint(position, "none", (), f"No move is certain up to the layer {analysis.up_to}.")
    if position.mines is None and analysis.density is None:
        text = "No move is certain without the mine total. To rank guesses takes a total or a density."
        return Hint(position, "none", (), text)
    try:
        found = guess(analysis, policy=policy, effort=effort)
    except BudgetExceeded as error:
        return Hint(position, "none", (), f"No move is certain, and the chances can't be counted: {error}.")
    assert found is not None
    text = "\n".join([*guess_lines(position.grid, found), *_fifty_lines(position.grid, found)])
    return Hint(position, "guess", (found.best.cell,), text, guess=found)


def guess_lines(grid: Grid, found: Guess) -> Iterator[str]:
    """Yield a guess in words: what to open, the candidates as a table, and what decided."""
    best = found.best
    standing = _wins(best) or _standing(found)
    yield f"Guess {grid.name(best.cell)}: a mine with {_chance(best.chance)}{standing}."
    if len(found.candidates) > 1:
        yield from _table(grid, found)
    if found.exact:
        yield f"Exact: all {found.layouts:,} layouts were searched to the end."
    yield from _decision(grid, found)
    if found.trouble:
        yield f"By safety alone: {found.trouble}."


def _wins(best: Candidate) -> str:
    if best.win is not None:
        return f", wins with {_chance(best.win)} by best play"
    if best.win_estimate is not None:
        return f", wins with about {_estimate(best.win_estimate)} (estimated)"
    return ""


def _standing(found: Guess) -> str:
    """Say how the advised cell compares with others, where all that is known of them is how safe they are."""
    others = found.tied - 1
    if found.best.chance > min(candidate.chance for candidate in found.candidates):
        return ""
    if not others:
        return ", the safest cell"
    return f" ({others} other{'s are' if others > 1 else ' is'} as safe)"


_Column = tuple[str, Callable[[Candidate], str]]


def _table(grid: Grid, found: Guess) -> Iterator[str]:
    """Yield the candidates as a table of what is known of them."""
    columns: list[_Column] = [("cell", lambda c: grid.name(c.cell)), ("safe", lambda c: _percent(1 - c.chance))]
    if any(candidate.follow_up is not None for candidate in found.candidates):
        columns.append(("then a certain move", lambda c: _estimate(c.follow_up)))
    if found.exact:
        columns.append(("wins", lambda c: "" if c.win is None else _percent(c.win)))
    elif found.best.win_estimate is not None:
        columns.append(("wins, estimated", lambda c: _estimate(c.win_estimate)))
    rows = [[head for head, _ in columns], *([shown(c) for _, shown in columns] for c in found.candidates)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        yield f"  {'   '.join(cells)}".rstrip()


def _decision(grid: Grid, found: Guess) -> Iterator[str]:
    """Say what put the first before the second, or before the safest one if it is not the safest itself."""
    best, others = found.best, found.candidates[1:]
    safer = min((other for other in others if other.chance < best.chance), key=lambda c: c.chance, default=None)
    if safer is not None:
        yield f"{grid.name(safer.cell)} is safer (a mine with {_chance(safer.chance)}){_lack(best, safer)}."
        return
    second = grid.name(others[0].cell) if others else ""
    so_far = "wins as often" if found.exact else "" if best.win_estimate is None else "should win as often"
    if found.decided_by in ("win", "estimate"):
        safety = "is as safe" if others[0].chance == best.chance else "is riskier"
        yield f"{second} {safety}{_lack(best, others[0])}."
    elif found.decided_by == "chance" and so_far:
        yield f"{second} {so_far}, but is riskier."
    elif found.decided_by == "follow-up":
        yield f"{second} is as safe{so_far and f' and {so_far}'}, but a certain move follows less often."
    elif found.decided_by == "order":
        yield _FIRST_OF_ALIKE if found.policy == "safest" else f"{second} is just as good."


_FIRST_OF_ALIKE = "Of cells as safe, the one with the fewest covered neighbours, then the first in reading order."


def _lack(best: Candidate, other: Candidate) -> str:
    """Say how another candidate, whose safety was told, compares by its chance of winning."""
    but = "and" if other.chance > best.chance else "but"
    if best.win is not None and other.win is not None and other.win < best.win:
        return f", {but} wins less ({_percent(other.win)})"
    if best.win_estimate is not None and other.win_estimate is not None and other.win_estimate < best.win_estimate:
        return f", {but} should win less ({_estimate(other.win_estimate)})"
    return "" if other.win is None and other.win_estimate is None else ", and as good otherwise"


def _fifty_lines(grid: Grid, found: Guess) -> Iterator[str]:
    for fifty in found.fifties:
        one, other = (" and ".join(grid.names(half)) for half in (fifty.one, fifty.other))
        yield f"A true 50/50: {one} against {other}. Nothing opened elsewhere can tell, so waiting can't help there."


def _percent(chance: Fraction) -> str:
    return f"{per_cent(chance, decimals=2)} %"


def _estimate(chance: float | None) -> str:
    return "" if chance is None else f"{per_cent(Fraction(chance), decimals=1)} %"


def _chance(chance: Fraction) -> str:
    """Return a chance in per cent, and as a fraction where that is short."""
    exact = str(chance)
    per = f"{per_cent(chance, decimals=0 if chance.denominator in _ROUND else 2)} %"
    return f"{per} ({exact})" if len(exact) <= _SHORT else per


def _chance_of(analysis: Analysis, cell: int) -> str:
    if analysis.up_to != "total":
        return ""
    try:
        chance = analysis.chances[cell]
    except BudgetExceeded as error:
        return f" Its chance can't be counted: {error}."
    if chance is None:
        return " Its chance takes the mine total or a density."
    fifty = any(cell in fifty.cells for fifty in analysis.fifties)
    return f" It is a mine with {_chance(chance)}{', a true 50/50: waiting cannot help' if fifty else ''}."


def _not_covered(position: Position, cell: int) -> str:
    code, name = position.cells[cell], position.grid.name(cell)
    return f"{name} is open: it shows {code}." if code < 9 else f"{name} is a mine that is known already."
