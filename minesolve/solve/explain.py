"""Deductions and clashes in words that a player can follow without knowing the code.

This is the only module with prose about reasoning; it reads what the other modules found and decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from minesolve.position import Position
from minesolve.solve.constraints import Constraint, system_of
from minesolve.solve.deduction import Deduction
from minesolve.solve.named import PAIR
from minesolve.solve.refutation import Consequence, Refutation, refute
from minesolve.solve.sat import mines_range

__all__ = ["Explainer"]

_LONGEST = 12  # consequences in a story; a longer one convinces nobody who reads it
_MANY = 12  # cells that are named one by one
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
    >>> print(words.explain(step))  # doctest: +NORMALIZE_WHITESPACE
    The 1 at r1c1 has its mine in r2c1 or r2c2. Both also touch the 1 at r1c2, which has no room for more,
    so r2c3 is safe.
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

    def summary(self, steps: Iterable[Deduction]) -> str:
        """Return what several steps conclude together, without reasons."""
        steps = tuple(steps)
        found = {mine: sorted(c for step in steps if step.mine == mine for c in step.cells) for mine in (True, False)}
        return "; ".join(f"{self._cells(cells)} {self._are(cells, mine)}" for mine, cells in found.items() if cells)

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
        verbs = ("needs", "takes", "leaves") if len(clash) == 1 else ("need", "take", "leave")
        return f"{_capital(numbers)} {self._misfit(bounds, rest, self._left(()), verbs)}"

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
        name, value = _capital(self._number(constraint.number)), self._value(constraint.number)
        conclusion = self.conclusion(step)
        if value == 0:
            return f"{name} has no mine beside it, so {conclusion}."
        if not step.mine:
            mines = [*self._shown_mines(constraint.number), *step.given_mines]
            its = "its mine" if value == 1 else f"its {_count(value)} mines"
            return f"{name} has {its} already: {self._cells(mines)}. So {conclusion}."
        room = [cell for cell in constraint.cells if cell not in step.given]
        but = f" ({self._cells(step.given)} {self._are(step.given, False)})" if step.given else ""
        more = " more" if value > constraint.mines else ""
        needs = f"{_count(constraint.mines)}{more} mine{_s(constraint.mines)}"
        them = "it" if constraint.mines == 1 else "them"
        return f"{name} needs {needs} and has only {self._cells(room)} to hold {them}{but}, so {conclusion}."

    def _sides(self, step: Deduction) -> tuple[Constraint, Constraint, tuple[int, ...]]:
        """Return the constraint that gets the conclusion, the other one, and the unknown cells that both touch."""
        one, two = (self._by_number[number] for number in step.premises)
        own, other = (one, two) if step.cells[0] in one.cells else (two, one)
        return own, other, tuple(cell for cell in own.cells if cell in other.cells and cell not in step.given)

    def _pair(self, step: Deduction) -> str:
        own, other, shared = self._sides(step)
        told = self._pair_mines if step.mine else self._pair_safe
        return self._known(step) + told(step, own, other, shared)

    def _pair_mines(self, step: Deduction, own: Constraint, other: Constraint, shared: Sequence[int]) -> str:
        """Say that the other number leaves the shared cells so few mines that this one needs all the rest."""
        needs = self._needs(own, step)
        alone = [cell for cell in own.cells if cell not in shared and cell not in step.given]
        most = min(len(shared), self._needs(other, step))
        missing = needs - most
        others = "the other one is" if missing == 1 else f"the other {_count(missing)} are"
        more = " more" if self._value(own.number) != needs else ""
        return (
            f"{_capital(self._number(other.number))} leaves room for at most {_mines(most)} in {self._cells(shared)}. "
            f"{_capital(self._number(own.number))} needs {_count(needs)}{more}, so {others} {self._cells(alone)}."
        )

    def _pair_safe(self, step: Deduction, own: Constraint, other: Constraint, shared: Sequence[int]) -> str:
        """Say that the other number has so many mines in the shared cells that this one has no room for more."""
        needs = self._needs(other, step)
        rest = [cell for cell in other.cells if cell not in shared and cell not in step.given]
        last = "last " if needs != self._value(other.number) else ""
        its = f"has its {last}mine" if needs == 1 else f"has its {last}{_mines(needs)}"
        if rest:
            least = f"at least {_count(needs - len(rest))} of them in {self._cells(shared)}"
            where = f"{its} in {self._cells([*shared, *rest])}: {least}"
        else:
            where = f"{its} in {self._cells(shared, 'or' if needs == 1 else 'and')}"
        also = {1: "It also touches", 2: "Both also touch"}.get(len(shared), f"All {_count(len(shared))} also touch")
        return (
            f"{_capital(self._number(other.number))} {where}. {also} {self._number(own.number)}, "
            f"which has no room for more, so {self.conclusion(step)}."
        )

    def _component(self, step: Deduction) -> str:
        constraints = [self._by_number[number] for number in step.premises]
        assumed = {cell: cell in step.given_mines for cell in step.given}
        story = refute(constraints, assumed | self._opposite(step))
        several = f"{self._any(step)} {'safe' if step.mine else 'a mine'}"
        start = f"{self._known(step)}Suppose {several}. "
        return f"{start}{self._story(story, step.premises)} So {self.conclusion(step)}."

    def _opposite(self, step: Deduction) -> dict[int, bool]:
        """Return the assumption to refute; nothing tells the cells of a step apart, so one stands for all."""
        return {step.cells[0]: not step.mine}

    def _any(self, step: Deduction) -> str:
        first = self._grid.name(step.cells[0])
        return f"{first} were" if len(step.cells) == 1 else f"one of {self._cells(step.cells)}, say {first}, were"

    def _story(self, story: Refutation, numbers: Sequence[int]) -> str:
        sentences = self._sentences(story)
        if sentences is None or len(sentences) > _LONGEST:
            return f"Whatever else is tried, {self._numbers(numbers)} can't all be right then."
        return " ".join(sentences)

    def _sentences(self, story: Refutation) -> list[str] | None:
        """Return the story, told case by case where one case ends at once; None where both cases branch again."""
        told = [self._consequence(consequence) for consequence in story.consequences]
        if story.broken is not None:
            wrong = "too many mines" if story.too_many else "too few cells left for its mines"
            return [*told, f"{_capital(self._number(story.broken))} then has {wrong}."]
        cases = sorted(zip(story.cases, (True, False), strict=True), key=lambda case: len(case[0].cases))
        (short, mine), (long, _) = cases
        first, second = self._sentences(short), self._sentences(long)
        if short.cases or story.split is None or first is None or second is None:
            return None
        cell, words = self._grid.name(story.split), ("a mine", "safe")
        told.append(f"If {cell} is {words[not mine]}:")
        return [*told, *first, f"So {cell} is {words[mine]}.", *second]

    def _consequence(self, consequence: Consequence) -> str:
        because = "has no other cells for its mines" if consequence.mine else "has no room for another mine"
        what = f"{self._cells(consequence.cells)} {self._are(consequence.cells, consequence.mine)}"
        return f"{_capital(self._number(consequence.number))} then {because}: {what}."

    def _total(self, step: Deduction) -> str:
        left = self._left(step.given_mines)
        constraints = [self._by_number[number] for number in step.premises]
        seen = {cell for constraint in constraints for cell in constraint.cells}
        rest = len([cell for cell in self._system.cells if cell not in seen and cell not in step.given])
        unseen = seen.isdisjoint(step.cells)
        fixed = {cell: cell in step.given_mines for cell in step.given}
        budget = _capital(self._budget(step))
        if not constraints:
            if not step.mine:
                return f"{budget}, so every other covered cell is safe."
            return f"{budget}, and only {rest} other covered cell{_s(rest)}: {self.conclusion(step)}."
        bounds = mines_range(constraints, fixed if unseen else fixed | self._opposite(step))
        if bounds is None:
            raise ValueError("the step does not need the total")
        known_inside = sum(cell in seen for cell in step.given_mines)
        bounds = bounds[0] - known_inside, bounds[1] - known_inside
        numbers, s = self._numbers(step.premises), "s" if len(step.premises) == 1 else ""
        if unseen and not step.mine:
            need = {0: "no more", 1: "it"}.get(left, f"all {left}")
            rest_is_safe = f"What is beside none of them is safe: {self._cells(step.cells)}."
            return f"{budget}; {numbers} need{s} {need}. {rest_is_safe}"
        if unseen:
            others = "the only other covered cell" if rest == 1 else f"all {rest} other covered cells"
            return f"{budget}; {numbers} take{s} at most {bounds[1]}. The rest needs {others}: {self.conclusion(step)}."
        suppose = f"If {self._any(step).replace('were', 'was')} {'safe' if step.mine else 'a mine'}"
        verbs = ("would need", "would take", "would leave")
        return f"{budget}. {suppose}, {numbers} {self._misfit(bounds, rest, left, verbs)} So {self.conclusion(step)}."

    def _misfit(self, bounds: tuple[int, int], rest: int, left: int, verbs: tuple[str, str, str]) -> str:
        """Return why a number of mines between bounds, with some other cells to spare, doesn't make up the total."""
        fewest, most = bounds
        need, take, leave = verbs
        if fewest > left:
            return f"{need} at least {_mines(fewest)}, but only {left} {_is(left)} left."
        if most + rest < left:
            others = f", and there {_is(rest)} only {rest} other covered cell{_s(rest)}" if rest else ""
            return f"{take} at most {_mines(most)}{others}: too few for the {_mines(left)} left."
        return f"{leave} no way to place exactly {_mines(left)}."

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
        codes = self._position.cells
        return [cell for cell in self._grid.neighbours(number) if codes[cell] > 8 and cell not in covered]

    def _number(self, number: int) -> str:
        return f"the {self._value(number)} at {self._grid.name(number)}"

    def _numbers(self, numbers: Sequence[int]) -> str:
        if len(numbers) == 1:
            return self._number(numbers[0])
        if len(numbers) > 4:
            return f"the {len(numbers)} numbers at {_list(self._grid.names(numbers))}"
        return _list([self._number(number) for number in numbers])

    def _cells(self, cells: Iterable[int], word: str = "and") -> str:
        names = self._grid.names(cells)
        if len(names) > _MANY:
            return f"{len(names)} cells ({', '.join(names[:3])} ...)"
        return _list(names, word)

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
