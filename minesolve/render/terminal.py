"""Pictures as text for a terminal, legible without colour.

`draw` shows the cells as the written form does (``.`` zero, ``#`` covered, ``F`` flag, ``*`` mine), with marks beside
them; `draw_chances` shows the chance of every covered cell in per cent. Rows are numbered at the left, columns above.
A line below explains the marks, but only those that occur.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import ceil

from minesolve.notation import COVERED, FLAG, MINE
from minesolve.render.picture import Picture
from minesolve.statistics import per_cent

__all__ = ["draw", "draw_chances"]

_GLYPHS = {**{n: str(n) for n in range(1, 9)}, 0: ".", COVERED: "#", FLAG: "F", MINE: "*"}

# SGR parameters of the 16 basic colours. Black, the classic 7, would vanish on a dark terminal: it stays plain.
_COLOURS = ("90", "94", "32", "91", "34", "31", "36", "", "90", "90", "1;31", "1")
_FORCED = {"safe": "1;32", "mine": "1;31"}
_CONCLUDED = {"safe": "1;30;42", "mine": "1;97;41"}
_TROUBLE, _ADVISED, _LOWEST = "1;97;41", "1;30;43", "1;33"

_LEGEND = {
    "[n]": "a number this rests on",
    "[s]": "known to be safe",
    "[m]": "known to be a mine",
    "[*]": "a shown mine this rests on",
    "[X]": "known to be safe: a wrong flag",
    "(s)": "so this is safe",
    "(m)": "so this is a mine",
    "(X)": "so this is safe: a wrong flag",
    "s": "safe",
    "m": "mine",
    "mF": "a flagged mine",
    "X": "wrong flag",
    ">*<": "the mine that was opened",
    "!": "advised guess",
    "+": "lowest chance of a mine",
    "%F": "flagged",
}


@dataclass(frozen=True, slots=True)
class _Slot:
    """One cell as text, its glyph at index 1, with the mark that the legend has to explain."""

    text: str
    colour: str
    mark: str = ""


def draw(picture: Picture, color: bool = False, columns: int | None = None) -> str:
    r"""Return the board with its marks, each line ended.

    Parameters
    ----------
    picture : Picture
        If it is a cut-out, walls show where the board ends.
    color : bool
        Whether to add ANSI colours; the text says the same without them.
    columns : int, optional
        Width of the terminal in characters: a wider board is drawn in bands, one below the other.

    Raises
    ------
    MinesolveError
        If there are more than `MAX_CELLS` cells to draw.

    Examples
    --------
    >>> board = Picture(3, 2, bytes([9, 9, 9, 1, 1, 1]), safe=frozenset({2}), premises=frozenset({3, 4}),
    ...                 concluded=frozenset({2}))
    >>> print(draw(board), end="")
       1  2  3
    1  #  # (s)
    2 [1][1] 1
    <BLANKLINE>
    [n] a number this rests on   (s) so this is safe
    """
    slots = _slots(picture, _board_slot)
    # Without marks between them, cells stand closer: an expert board then fits into 80 columns.
    width = 3 if any(slot.text[0] + slot.text[2:] != "  " for slot in slots.values()) else 2
    return _page(picture, slots, width, color, columns)


def draw_chances(picture: Picture, color: bool = False, columns: int | None = None) -> str:
    r"""Return the board with the chance of a mine in per cent in every covered cell that has one.

    A forced cell is ``s`` (safe: 0 %) or ``m`` (mine: 100 %), and nothing else is; every other chance ends with ``%``,
    which tells it from a number, or is the bound ``>99``. The mark of a good guess hides that of a flag.
    Parameters and errors are those of `draw`.

    Examples
    --------
    >>> from fractions import Fraction
    >>> half = Fraction(1, 2)
    >>> print(draw_chances(Picture(4, 1, bytes([9, 1, 9, 9]), chances=(half, None, half, None))), end="")
       1   2   3   4
    1 50%+ 1  50%+ #
    <BLANKLINE>
    + lowest chance of a mine
    """
    lowest = picture.lowest()
    return _page(picture, _slots(picture, lambda board, cell: _chance_slot(board, cell, lowest)), 4, color, columns)


def _slots(picture: Picture, make: Callable[[Picture, int], _Slot]) -> dict[int, _Slot]:
    picture.require_drawable()
    x0, y0, x1, y1 = picture.view
    rows = (range(y * picture.width + x0, y * picture.width + x1) for y in range(y0, y1))
    return {cell: make(picture, cell) for row in rows for cell in row}


def _board_slot(picture: Picture, cell: int) -> _Slot:
    code = picture.cells[cell]
    glyph, colour = _GLYPHS[code], _COLOURS[code]
    if cell in picture.fatal:
        return _Slot(">*<", _TROUBLE, ">*<")
    if cell in picture.premises:
        return _Slot(f"[{glyph}]", f"1;{colour}" if colour else "1", "[n]")
    if cell in picture.best:
        return _Slot(f" {glyph}!", _ADVISED, "!")
    if picture.verdict(cell) is not None:
        return _forced_slot(picture, cell)
    if cell in picture.wrong_flags:
        return _Slot(" X ", _TROUBLE, "X")
    return _Slot(f" {glyph} ", colour)


def _forced_slot(picture: Picture, cell: int) -> _Slot:
    code, verdict = picture.cells[cell], picture.verdict(cell) or ""
    letter = "*" if code == MINE else "X" if picture.flag_is_wrong(cell) else verdict[0]
    if cell in picture.concluded:
        return _Slot(f"({letter})", _CONCLUDED[verdict], f"({letter})")
    if cell in picture.given:
        return _Slot(f"[{letter}]", _FORCED[verdict], f"[{letter}]")
    if letter == "X":
        return _Slot(" X ", _TROUBLE, "X")
    if letter == "m" and code == FLAG:
        return _Slot(" mF", _FORCED[verdict], "mF")
    return _Slot(f" {letter} ", _COLOURS[code] if code == MINE else _FORCED[verdict], letter)


def _chance_slot(picture: Picture, cell: int, lowest: frozenset[int]) -> _Slot:
    chance = picture.chance(cell)
    if chance is None or picture.verdict(cell) is not None:
        return _board_slot(picture, cell)
    number = per_cent(chance)
    text = number if len(number) > 2 else f"{number:>2}%"
    if cell in picture.best:
        return _Slot(f"{text}!", _ADVISED, "!")
    if cell in lowest:
        return _Slot(f"{text}+", _LOWEST, "+")
    colour = "32" if chance < 0.1 else "33" if chance < 0.5 else "31"
    flagged = picture.cells[cell] == FLAG
    return _Slot(f"{text}{'F' if flagged else ' '}", colour, "%F" if flagged else "")


def _page(picture: Picture, slots: dict[int, _Slot], width: int, color: bool, columns: int | None) -> str:
    x0, _, x1, y1 = picture.view
    margin = len(str(y1)) + 3  # the row's number, a blank, two walls
    fits = x1 - x0 if columns is None else max(1, (columns - margin) // width)
    step = ceil((x1 - x0) / ceil((x1 - x0) / fits))  # bands of about the same width
    bands = [_band(picture, slots, range(x, min(x + step, x1)), width, color) for x in range(x0, x1, step)]
    blocks = ["\n".join(line.rstrip() for line in band) for band in bands]
    legend = "\n".join(_legend({slot.mark for slot in slots.values()}, columns))
    return "\n\n".join([*blocks, legend] if legend else blocks) + "\n"


def _band(picture: Picture, slots: dict[int, _Slot], band: range, width: int, color: bool) -> Iterator[str]:
    """Yield the lines of some columns: their numbers, then the rows; with walls if it is a cut-out."""
    _, y0, _, y1 = picture.view
    walls = picture.window is not None
    left = ("|" if band.start == 0 else " ") if walls else ""
    right = "|" if walls and band.stop == picture.width else ""
    indent = " " * (len(str(y1)) + 1)
    across = f"{indent}{left.replace('|', '+')}{'-' * (width * len(band))}{right.replace('|', '+')}"
    yield from _column_numbers(band, width, indent + " " * len(left))
    if walls and y0 == 0:
        yield across
    for y in range(y0, y1):
        row = "".join(_paint(slots[y * picture.width + x], width, color) for x in band)
        yield f"{y + 1:>{len(indent) - 1}} {left}{row}{right}"
    if walls and y1 == picture.height:
        yield across


def _column_numbers(band: range, width: int, indent: str) -> Iterator[str]:
    digits = len(str(band.stop))
    if digits < width:
        yield indent + "".join(f"{x + 1:>2}".ljust(width) for x in band)
        return
    for place in (10**n for n in reversed(range(digits))):
        yield indent + "".join(f" {_digit(x + 1, place, x == band.start)}".ljust(width) for x in band)


def _digit(number: int, place: int, first: bool) -> str:
    """Return a digit of a column's number; the higher places only where they change, and in the first column."""
    return str(number // place % 10) if number >= place and (first or number % place == 0) else " "


def _paint(slot: _Slot, width: int, color: bool) -> str:
    text = slot.text.ljust(width)[:width]
    if not (color and slot.colour):
        return text
    core = text.strip()
    return text.replace(core, f"\x1b[{slot.colour}m{core}\x1b[0m")


def _legend(marks: set[str], columns: int | None) -> Iterator[str]:
    """Yield the lines that explain these marks, broken between explanations where they are too long."""
    line = ""
    for entry in (f"{mark.lstrip('%')} {words}" for mark, words in _LEGEND.items() if mark in marks):
        if line and columns is not None and len(line) + 3 + len(entry) > columns:
            yield line
            line = ""
        line = f"{line}   {entry}" if line else entry
    if line:
        yield line
