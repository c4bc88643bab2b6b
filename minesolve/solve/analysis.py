"""All that is certain in a position: the layers run in order, each to exhaustion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from minesolve.errors import BudgetExceeded, Contradiction, InvalidPosition, Problem
from minesolve.position import FLAG, Position
from minesolve.solve import endgame
from minesolve.solve.constraints import System, system_of
from minesolve.solve.deduction import Deduction, layer_named
from minesolve.solve.endgame import Outcome
from minesolve.solve.fifty import Fifty
from minesolve.solve.fifty import find as find_fifties
from minesolve.solve.frontier import Component, split
from minesolve.solve.pattern import Clash, LocalRules
from minesolve.solve.premises import Reasons, find_clash
from minesolve.solve.probability import Chances, weigh
from minesolve.solve.sampling import Sample, sample
from minesolve.solve.sat import backbone

__all__ = ["Analysis", "Check", "analyse", "check"]

_Forced = dict[int, tuple[bool, str]]


class Analysis:
    """What is certain in a position, made by `analyse`; nothing in it changes afterwards.

    Attributes
    ----------
    position : Position
    density : Fraction or None
        How layouts are weighed where the total is unknown.
    safe, mines : frozenset of int
        All cells that are forced, as far as the layers looked.
    wrong_flags : tuple of int
        Cells that are flagged and proven safe, ascending.
    deductions : tuple of Deduction
        The steps in order, each with its minimal premises.
    layouts : int
        Layouts of the whole position.
    chances : tuple of (Fraction or None)
        By cell, the exact chance of a mine.

    Deductions, layouts and chances are found when first asked for.
    """

    def __init__(self, position: Position, *, density: Fraction | None, trust_flags: bool, up_to: str):
        self.position, self.density = position, density
        self.trust_flags, self.up_to = trust_flags, up_to
        self.system = system_of(position, trust_flags=trust_flags)
        self._forced = _forced(self.system, layer_named(up_to).rank)

    def __repr__(self) -> str:
        return f"Analysis({self.position!r}, density={self.density!r}, up_to={self.up_to!r})"

    @cached_property
    def safe(self) -> frozenset[int]:
        """The cells that are certainly safe."""
        return frozenset(cell for cell, (mine, _) in self._forced.items() if not mine)

    @cached_property
    def mines(self) -> frozenset[int]:
        """The cells that are certainly mines."""
        return frozenset(cell for cell, (mine, _) in self._forced.items() if mine)

    def layer(self, cell: int) -> str | None:
        """Return the name of the least layer that forces a cell; None if nothing does."""
        forced = self._forced.get(cell)
        return None if forced is None else forced[1]

    @cached_property
    def wrong_flags(self) -> tuple[int, ...]:
        """The cells that are flagged and proven safe, by the numbers alone."""
        return _wrong_flags(self.position) if self.trust_flags else _flagged(self.position, self.safe)

    @cached_property
    def deductions(self) -> tuple[Deduction, ...]:
        """The steps in order, the easy ones first; each rests on numbers and on cells of steps before it."""
        return tuple(_steps(self.system, self._forced))

    @cached_property
    def open_questions(self) -> System:
        """The system without the forced cells: what is left to weigh."""
        return self.system.without({cell: mine for cell, (mine, _) in self._forced.items()})

    @cached_property
    def weighed(self) -> Chances:
        """The open questions, counted exactly; BudgetExceeded where a component is too wide for that."""
        return weigh(self.open_questions, self.density)

    @property
    def layouts(self) -> int:
        """The number of layouts; with an unknown total, of every total together. BudgetExceeded as for `chances`."""
        return self.weighed.layouts

    @cached_property
    def chances(self) -> tuple[Fraction | None, ...]:
        """The chance of a mine by cell: None where the cell is open, a shown mine or a trusted flag.

        Without a total and a density only forced cells have one. Raises BudgetExceeded where a component is too wide
        to be counted; `safe`, `mines` and `deductions` are not touched by that, and `estimate` samples.
        """
        found: list[Fraction | None] = [None] * len(self.position.cells)
        for cell, chance in self.weighed.chances.items():
            found[cell] = chance
        for cell, (mine, _) in self._forced.items():
            found[cell] = Fraction(mine)
        return tuple(found)

    @cached_property
    def fifties(self) -> tuple[Fifty, ...]:
        """The true 50/50s: sets of cells about which nothing opened elsewhere can ever tell anything."""
        return find_fifties(self.open_questions, self.weighed)

    def best_play(self, limit: int = endgame.LIMIT, budget: int = endgame.BUDGET) -> Outcome:
        """Return the exact chance of winning by optimal play, and the cells that achieve it.

        Errors are those of `minesolve.solve.endgame.play`: BudgetExceeded with more layouts than the limit, ValueError
        without a total.
        """
        # cells that are safe stay: what they show is worth knowing
        return endgame.play(self.system.without(dict.fromkeys(self.mines, True)), limit, budget)

    def _repr_svg_(self) -> str | None:
        """Return the picture that a notebook shows, with chances; None where the board is too large for one."""
        from minesolve.render import svg, views
        from minesolve.render.picture import MAX_CELLS

        if len(self.position.cells) > MAX_CELLS:
            return None
        try:
            chances = self.chances
        except BudgetExceeded:
            return svg.draw(views.of_analysis(self))
        return svg.draw(views.of_analysis(self, chances))

    def estimate(self, layouts: int, *, seed: int = 0) -> Sample:
        """Return chances of the open questions from so many uniform layouts, with a stated error.

        Errors are those of `minesolve.solve.sampling.sample`.
        """
        return sample(self.open_questions, layouts, seed=seed, density=self.density)


@dataclass(frozen=True, slots=True)
class Check:
    """Whether a position is possible at all, made by `check`.

    Attributes
    ----------
    consistent : bool
        Whether the position has a layout.
    problems : tuple of Problem
        Everything that is wrong and needs no search to see.
    clash : tuple of int
        If only search finds it: a minimal set of cells whose numbers can't all be right.
    clash_uses_total : bool
        Whether the total is part of that clash.
    wrong_flags : tuple of int
        Cells that are flagged and proven safe by the numbers.
    """

    consistent: bool
    problems: tuple[Problem, ...] = ()
    clash: tuple[int, ...] = ()
    clash_uses_total: bool = False
    wrong_flags: tuple[int, ...] = ()


def analyse(
    position: Position, *, density: Fraction | None = None, trust_flags: bool = False, up_to: str = "total"
) -> Analysis:
    r"""Find every cell that is certain, and, when asked for, the exact chance of every other.

    Parameters
    ----------
    position : Position
    density : Fraction, optional
        For an unknown total: a layout weighs ``density**mines * (1 - density)**(cells - mines)``. Without total and
        density there are no chances but those of forced cells.
    trust_flags : bool
        Whether flags count as known mines; otherwise they are ignored.
    up_to : str
        The last layer to use; see `minesolve.solve.deduction.LAYERS`. Layers 1 and 2 take time linear in the board;
        layers 3 and 4 ask a SAT solver.

    Raises
    ------
    InvalidPosition
        The position is impossible at a glance.
    Contradiction
        It has no layout, as far as the layers looked; the numbers that clash are named.
    ValueError
        The density is not between 0 and 1.

    Examples
    --------
    >>> from minesolve.position import Position
    >>> a = analyse(Position.from_text("1221\n####"))
    >>> sorted(a.safe), sorted(a.mines)
    ([4, 7], [5, 6])
    >>> a.deductions[0].rule, a.deductions[0].cells, a.deductions[0].verdict
    ('1-2-2-1', (6,), 'mine')
    >>> a = analyse(Position.from_text("1##\n###", mines=2))
    >>> a.layouts, [str(chance) for chance in a.chances]
    (6, ['None', '1/3', '1/2', '1/3', '1/3', '1/2'])
    """
    if density is not None and not 0 < density < 1:
        raise ValueError(f"a density lies between 0 and 1, not {density}")
    problems = position.problems(trust_flags=trust_flags)
    if problems:
        raise InvalidPosition(problems)
    exact = None if density is None else Fraction(density)
    return Analysis(position, density=exact, trust_flags=trust_flags, up_to=up_to)


def check(position: Position, *, trust_flags: bool = False) -> Check:
    r"""Say whether a position is possible, and if not, why.

    Examples
    --------
    >>> from minesolve.position import Position
    >>> check(Position.from_text("1#1\n1#2")).clash
    (0, 5)
    """
    wrong_flags = _wrong_flags(position)
    try:
        analyse(position, trust_flags=trust_flags)
    except InvalidPosition as error:
        return Check(False, error.problems, wrong_flags=wrong_flags)
    except Contradiction as error:
        return Check(False, clash=error.clash, clash_uses_total=error.uses_total, wrong_flags=wrong_flags)
    return Check(True, wrong_flags=wrong_flags)


def _flagged(position: Position, cells: frozenset[int]) -> tuple[int, ...]:
    return tuple(cell for cell in sorted(cells) if position.cells[cell] == FLAG)


def _wrong_flags(position: Position) -> tuple[int, ...]:
    """Return flags that are wrong by the numbers alone; none where these clash among themselves."""
    if FLAG not in position.cells:
        return ()
    try:
        return analyse(position).wrong_flags
    except (InvalidPosition, Contradiction):
        return ()


def _forced(system: System, rank: int) -> _Forced:
    """Return the forced cells with True for mines and the layer of each; Contradiction if there is no layout."""
    rules = LocalRules(system)
    try:
        forced: _Forced = {cell: (step.mine, step.layer) for step in rules.singles() for cell in step.cells}
        if rank >= 2:
            forced |= {cell: (step.mine, step.layer) for step in rules.steps() for cell in step.cells}
    except Clash:
        raise _contradiction(system) from None
    if rank >= 3:
        _force(system, forced, "component", _by_components)
    if rank >= 4:
        _force(system, forced, "total", _by_total)
    return forced


def _force(
    system: System, forced: _Forced, layer: str,
    find: Callable[[System, Sequence[Component]], Mapping[tuple[int, ...], bool] | None]
) -> None:
    """Add what one layer of search forces."""
    left = system.without({cell: mine for cell, (mine, _) in forced.items()})
    found = find(left, split(left))
    if found is None:
        raise _contradiction(system)
    forced |= {cell: (mine, layer) for cells, mine in found.items() for cell in cells}


def _by_components(system: System, components: Sequence[Component]) -> dict[tuple[int, ...], bool] | None:
    """Return the boxes that their component forces; None if one has no layout."""
    del system
    found: dict[tuple[int, ...], bool] = {}
    for component in components:
        forced = backbone([component])
        if forced is None:
            return None
        found |= forced
    return found


def _by_total(system: System, components: Sequence[Component]) -> dict[tuple[int, ...], bool] | None:
    """Return what the total forces: boxes, and all the unconstrained cells together; None if there is no layout."""
    if system.total is None:
        return {}
    unseen = system.unconstrained
    low, high = system.total - len(unseen), system.total
    fewest, most = (sum(bounds) for bounds in zip((0, 0), *map(_bounds, components), strict=True))
    if low < fewest and most < high:  # whatever the frontier holds, the unconstrained cells can make up for it
        return {}
    forced = backbone(components, low, high)
    if forced is None or not unseen:
        return forced
    if backbone(components, low, high - 1) is None:
        forced[unseen] = False
    elif backbone(components, low + 1, high) is None:
        forced[unseen] = True
    return forced


def _bounds(component: Component) -> tuple[int, int]:
    """Return quick bounds of a component's mines: numbers that share no cells need theirs, and leave the rest safe."""
    fewest = _disjoint(component, lambda mines, cells: mines)
    return fewest, len(component.cells) - _disjoint(component, lambda mines, cells: cells - mines)


def _disjoint(component: Component, weight: Callable[[int, int], int]) -> int:
    taken: set[int] = set()
    total = 0
    for constraint in sorted(component.constraints, key=lambda c: -weight(c.mines, len(c.cells))):
        if taken.isdisjoint(constraint.cells):
            taken.update(constraint.cells)
            total += weight(constraint.mines, len(constraint.cells))
    return total


def _contradiction(system: System) -> Contradiction:
    clash = find_clash(system)
    if clash is None:
        raise AssertionError("the layers found a contradiction where there is none")
    cells, uses_total = clash
    names = ", ".join(system.grid.names(cells))
    if not cells:
        return Contradiction("the mine total is impossible", cells, uses_total=uses_total)
    total = " and the mine total" if uses_total else ""
    plural = "numbers" if len(cells) > 1 else "number"
    return Contradiction(f"no layout fits the {plural} at {names}{total}", cells, uses_total=uses_total)


def _steps(system: System, forced: _Forced) -> Iterator[Deduction]:
    """Yield the steps that lead to the forced cells, in order."""
    layers = {layer for _, layer in forced.values()}
    rules = LocalRules(system)
    yield from rules.singles()
    if layers - {"single"}:
        yield from rules.steps()
    if "component" in layers:
        for component in split(system.without(rules.known)):
            numbers = {constraint.number for constraint in component.constraints}
            part = replace(system, total=None, constraints=tuple(c for c in system.constraints if c.number in numbers))
            yield from _explain(part, rules, {c: forced[c] for c in component.cells if c in forced}, "component")
    if "total" in layers:
        yield from _explain(system, rules, forced, "total")


def _explain(system: System, rules: LocalRules, forced: _Forced, layer: str) -> Iterator[Deduction]:
    """Yield steps of several numbers, the shortest first, and after each what one or two numbers then say."""
    while left := [cell for cell, (_, found) in forced.items() if found == layer and cell not in rules.known]:
        reduced = system.without(rules.known)
        groups = [box.cells for component in split(reduced) for box in component.boxes] + [reduced.unconstrained]
        targets = [(cells, forced[cells[0]][0]) for cells in groups if cells and cells[0] in left]
        with Reasons(system, rules.known) as reasons:
            cells, mine = min(targets, key=lambda target: (reasons.size(*target), target))
            step = reasons.deduce(cells, mine, layer)
        rules.learn(step)
        yield step
        yield from rules.steps(layer)
