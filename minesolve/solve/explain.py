"""Deductions and clashes in words that a player can follow without knowing the code.

This is the only module with prose about reasoning; it reads what the other modules found and decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from minesolve.position import Position
from minesolve.solve.constraints import Constraint, System, system_of
from minesolve.solve.deduction import Deduction
from minesolve.solve.named import PAIR
from minesolve.solve.refutation import Refutation, refute
from minesolve.solve.sat import mines_range

__all__ = ["Explainer"]

_LONGEST = 12  # consequences in a story; a longer one convinces nobody who reads it
_COUNT = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")


class Explainer:
    r"""Words for the deductions of one position.

    Examples
    --------
    >>> from minesolve.solve.analysis import analyse
    >>> position = Position.from_text("11111\n#####")
    >>> words = Explainer(position)
    >>> step = analyse(position).deductions[0]
    >>> words.conclusion(step)
    'r2c3 is safe'
    >>> print(words.explain(step))
    The 1 at r1c1 has its mine in r2c1 or r2c2. Both also touch the 1 at r1c2, which has room for no other, so r2c3 is safe.
    """

    def __init__(self, position: Position, *, trust_flags: bool = False):
        self._position, self._grid = position, position.grid
        self._system = system_of(position, trust_flags=trust_flags)
        self._by_number = {constraint.number: constraint for constraint in self._system.constraints}

    def conclusion(self, step: Deduction) -> str:
        """Return what a step concludes, such as ``r1c3 is safe``."""
        return f"{self._cells(step.cells)} {self._are(step.cells, step.mine)}"

    def headline(self, step: Deduction) -> str:
        """Return the conclusion with the pattern or kind of reasoning, such as ``r1c3 is safe (1-1 at the wall)``."""
        return f"{self.conclusion(step)} ({self._kind(step)})"

    def explain(self, step: Deduction) -> str:
        """Return the reason in a few sentences, from the numbers of the step and the cells known before."""
        if step.uses_total:
            return self._total(step)
        if len(step.premises) == 1:
            return self._single(step)
        return self._pair(step) if len(step.premises) == 2 else self._component(step)

    def clash(self, clash: Sequence[int], *, uses_total: bool) -> str:
        """Return why a minimal set of numbers can't all be right."""
        if not clash:
            room, total = len(self._position.cells), self._position.mines
            return f"The total of {total} can't be right: of {room} cells, {self._covered()} can hold mines."
        numbers = self._numbers(clash)
        if not uses_total:
            story = refute([self._by_number[number] for number in clash], {})
            return f"{_capital(numbers)} can't all be right. {self._story(story, clash)}"
        bounds = mines_range([self._by_number[number] for number in clash], {})
        if bounds is None:
            raise ValueError("these numbers clash without the total")
        seen = {cell for number in clash for cell in self._by_number[number].cells}
        rest = len(self._system.cells) - len(seen)
        return f"{_capital(numbers)} {self._misfit(bounds, rest, 'can', self._left(()))}"

    def _kind(self, step: Deduction) -> str:
        if step.uses_total:
            return "mine total"
        if len(step.premises) == 1:
            return f"the {self._value(step.premises[0])} at {self._grid.name(step.premises[0])}"
        if len(step.premises) > 2:
            return f"{len(step.premises)} numbers together"
        name = "two numbers together" if step.rule == PAIR else step.rule
        return f"{name}{self._where(step)}"

    def _where(self, step: Deduction) -> str:
        own, other, _ = self._sides(step)
        where = ""
        (x, y), (other_x, other_y) = self._grid.xy(own.number), self._grid.xy(other.number)
        beyond_x, beyond_y = 2 * other_x - x, 2 * other_y - y
        inside = 0 <= beyond_x < self._grid.width and 0 <= beyond_y < self._grid.height
        if step.rule not in (PAIR, "hole", "triangle") and not inside:
            where = " at the wall"
        shown = any(self._shown(number) for number in step.premises)
        return f"{where} after taking out known mines" if step.given_mines or shown else where

    def _single(self, step: Deduction) -> str:
        constraint = self._by_number[step.premises[0]]
        name, value, shown = self._number(constraint.number), self._value(constraint.number), self._shown(constraint.number)
        cells = self._cells(step.cells)
        if not step.mine:
            if value == 0:
                return f"{_capital(name)} has no mine beside it, so {cells} {self._are(step.cells, False)}."
            mines = [*self._shown_mines(constraint.number), *step.given_mines]
            its = "its mine" if value == 1 else f"its {_count(value)} mines"
            return f"{_capital(name)} has {its} already: {self._cells(mines)}. So {cells} {self._are(step.cells, False)}."
        room = [cell for cell in constraint.cells if cell not in step.given]
        but = f" ({self._cells(step.given)} {self._are(step.given, False)})" if step.given else ""
        needs = f"{_count(constraint.mines)} more mine{_s(constraint.mines)}" if shown else _mines(constraint.mines)
        only = f"only {self._cells(room)} to hold {'it' if constraint.mines == 1 else 'them'}{but}"
        return f"{_capital(name)} needs {needs} and has {only}, so {cells} {self._are(step.cells, True)}."

    def _sides(self, step: Deduction) -> tuple[Constraint, Constraint, tuple[int, ...]]:
        """Return the constraint that gets the conclusion, the other one, and the unknown cells that both touch."""
        one, two = (self._by_number[number] for number in step.premises)
        own, other = (one, two) if step.cells[0] in one.cells else (two, one)
        return own, other, tuple(cell for cell in own.cells if cell in other.cells and cell not in step.given)

    def _pair(self, step: Deduction) -> str:
        own, other, shared = self._sides(step)
        own_needs, other_needs = self._needs(own, step), self._needs(other, step)
        rest = [cell for cell in other.cells if cell not in shared and cell not in step.given]
        known = self._known(step)
        own_name, other_name = self._number(own.number), self._number(other.number)
        cells, are = self._cells(step.cells), self._are(step.cells, step.mine)
        them = self._cells(shared)
        if step.mine:
            most = min(len(shared), other_needs)
            room = "no mine" if most == 0 else f"at most {_mines(most)}"
            missing = own_needs - most
            must = "is one" if missing == 1 else f"are {_count(missing)}"
            more = " more" if self._value(own.number) != own_needs else ""
            return (f"{known}{_capital(other_name)} leaves room for {room} in {them}. {_capital(own_name)} needs "
                    f"{_count(own_needs)}{more}, so outside of {'them' if len(shared) > 1 else 'it'} there {must}: {cells} {are}.")
        least = other_needs - len(rest)
        if rest:
            where = (f"{_capital(other_name)} has {_count(other_needs)} of its mines in {self._cells([*shared, *rest])}: "
                     f"at least {_count(least)} of them in {them}.")
        elif least == 1:
            where = f"{_capital(other_name)} has its {self._missing(other, step)}mine in {self._cells(shared, 'or')}."
        else:
            where = f"{_capital(other_name)} has its {self._missing(other, step)}{_mines(least)} in {them}."
        both = {1: "It", 2: "Both"}.get(len(shared), f"All {_count(len(shared))}")
        touches = "touches" if len(shared) == 1 else "touch"
        return f"{known}{where} {both} also {touches} {own_name}, which has room for no other, so {cells} {are}."

    def _missing(self, constraint: Constraint, step: Deduction) -> str:
        return "last " if self._needs(constraint, step) != self._value(constraint.number) else ""

    def _component(self, step: Deduction) -> str:
        constraints = [self._by_number[number] for number in step.premises]
        assumed = {cell: cell in step.given_mines for cell in step.given}
        against = step.cells[0]
        story = refute(constraints, assumed | self._opposite(step))
        several = f"{self._any(step)} {'safe' if step.mine else 'a mine'}"
        start = f"{self._known(step)}Suppose {several}. "
        del against
        return f"{start}{self._story(story, step.premises)} So {self.conclusion(step)}."

    def _opposite(self, step: Deduction) -> dict[int, bool]:
        """Return the assumption to refute; nothing tells the cells of a step apart, so one stands for all."""
        return {step.cells[0]: not step.mine}

    def _any(self, step: Deduction) -> str:
        first = self._grid.name(step.cells[0])
        return f"{first} were" if len(step.cells) == 1 else f"one of {self._cells(step.cells)}, say {first}, were"

    def _story(self, story: Refutation, numbers: Sequence[int]) -> str:
        if len(story) > _LONGEST:
            return f"Whatever else is tried, {self._numbers(numbers)} can't all be right then."
        return " ".join(self._sentences(story))

    def _sentences(self, story: Refutation) -> Iterable[str]:
        for index, consequence in enumerate(story.consequences):
            number = self._number(consequence.number)
            then = "Then" if index == 0 else "so" if index % 2 else "and"
            because = "has no room left for another mine" if not consequence.mine else "has no other cells for its mines"
            yield f"{_capital(number)} then {because}: {self._cells(consequence.cells)} {self._are(consequence.cells, consequence.mine)}."
            del then
        if story.broken is not None:
            wrong = "too many mines" if story.too_many else "too few cells left for its mines"
            yield f"{_capital(self._number(story.broken))} then has {wrong}."
        elif story.split is not None:
            cell = self._grid.name(story.split)
            for case, mine in zip(story.cases, (True, False), strict=True):
                yield f"If {cell} is {'a mine' if mine else 'safe'}:"
                yield from self._sentences(case)

    def _total(self, step: Deduction) -> str:
        left = self._left(step.given_mines)
        constraints = [self._by_number[number] for number in step.premises]
        seen = {cell for constraint in constraints for cell in constraint.cells}
        rest = len([cell for cell in self._system.cells if cell not in seen and cell not in step.given])
        unseen = seen.isdisjoint(step.cells)
        fixed = {cell: cell in step.given_mines for cell in step.given}
        if not constraints:
            if not step.mine:
                return f"{_capital(self._budget(step))}, so every other covered cell is safe."
            return f"{_capital(self._budget(step))}, and there are only {rest} covered cells for them: all are mines."
        bounds = mines_range(constraints, fixed if unseen else fixed | self._opposite(step))
        if bounds is None:
            raise ValueError("the step does not need the total")
        known_inside = sum(cell in seen for cell in step.given_mines)
        bounds = bounds[0] - known_inside, bounds[1] - known_inside
        numbers = self._numbers(step.premises)
        if unseen:
            need = f"need {'it' if left == 1 else f'all {left}'}" if not step.mine else f"take at most {bounds[1]}"
            tail = (f"so the cells beside none of them, {self._cells(step.cells)}, are safe" if not step.mine else
                    f"so all {len(step.cells)} cells beside none of them are mines")
            return f"{_capital(self._budget(step))}; {numbers} {need}, {tail}."
        suppose = f"If {self._any(step).replace('were', 'was')} {'safe' if step.mine else 'a mine'}, {numbers} "
        return f"{_capital(self._budget(step))}. {suppose}{self._misfit(bounds, rest, 'would', left)} So {self.conclusion(step)}."

    def _misfit(self, bounds: tuple[int, int], rest: int, would: str, left: int) -> str:
        """Return why a number of mines between bounds, with some other cells to spare, doesn't make up the total."""
        fewest, most = bounds
        if fewest > left:
            verb = "would need" if would == "would" else "need"
            return f"{verb} at least {_mines(fewest)}, but only {left} {'is' if left == 1 else 'are'} left."
        if most + rest < left:
            verb = "would take" if would == "would" else "take"
            others = f", and the other {rest} covered cell{_s(rest)} {rest}" if rest else ""
            return f"{verb} at most {_mines(most)}{others}: too few for the {left} left."
        verb = "would leave" if would == "would" else "leave"
        return f"{verb} no way to place exactly {_mines(left)}."

    def _budget(self, step: Deduction) -> str:
        total, left = self._position.mines or 0, self._left(step.given_mines)
        known = total - left
        if known == 0:
            return f"there {_is(total)} {_mines(total)} in all"
        if left == 0:
            return f"all {_mines(total)} {'is' if total == 1 else 'are'} known"
        return f"of {_mines(total)} in all, {known} {_is(known)} known and {left} {_is(left)} left"

    def _left(self, given_mines: Sequence[int]) -> int:
        if self._system.total is None:
            raise ValueError("the total is unknown")
        return self._system.total - len(given_mines)

    def _covered(self) -> int:
        return sum(code > 8 for code in self._position.cells)

    def _known(self, step: Deduction) -> str:
        """Return a clause on the cells known before, or nothing."""
        parts = []
        for mine in (True, False):
            cells = [cell for cell in step.given if (cell in step.given_mines) == mine]
            if cells:
                parts.append(f"{self._cells(cells)} {self._are(cells, mine)}")
        return f"Known already: {'; '.join(parts)}. " if parts else ""

    def _needs(self, constraint: Constraint, step: Deduction) -> int:
        return constraint.mines - sum(cell in step.given_mines for cell in constraint.cells)

    def _value(self, number: int) -> int:
        return self._position.cells[number]

    def _shown(self, number: int) -> int:
        return self._value(number) - self._by_number[number].mines

    def _shown_mines(self, number: int) -> list[int]:
        covered = set(self._system.cells)
        return [cell for cell in self._grid.neighbours(number) if self._position.cells[cell] > 8 and cell not in covered]

    def _number(self, number: int) -> str:
        return f"the {self._value(number)} at {self._grid.name(number)}"

    def _numbers(self, numbers: Sequence[int]) -> str:
        if len(numbers) == 1:
            return self._number(numbers[0])
        if len(numbers) > 6:
            return f"the {len(numbers)} numbers at {self._cells(numbers)}"
        return _list([self._number(number) for number in numbers])

    def _cells(self, cells: Iterable[int], word: str = "and") -> str:
        return _list(self._grid.names(cells), word)

    @staticmethod
    def _are(cells: Sequence[int], mine: bool) -> str:
        if len(cells) == 1:
            return "is a mine" if mine else "is safe"
        return "are mines" if mine else "are safe"


def _list(words: Sequence[str], word: str = "and") -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {word} {words[-1]}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _count(n: int) -> str:
    return _COUNT[n] if 0 <= n < len(_COUNT) else str(n)


def _mines(n: int) -> str:
    return f"{_count(n)} mine{_s(n)}"


def _s(n: int) -> str:
    return "" if n == 1 else "s"


def _is(n: int) -> str:
    return "is" if n == 1 else "are"
