"""Pictures as SVG: one file that needs nothing else, no fonts either, and says the same in black and white.

Every mark has a shape of its own; colour only adds to it. Digits and letters are strokes, from
`minesolve.render.lettering`. What occurs more than once stands in ``<defs>`` once. The same picture always gives the
same text.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import ceil
from xml.sax.saxutils import escape

from minesolve.grid import Grid
from minesolve.notation import FLAG, MINE
from minesolve.render.lettering import GLYPHS, HEIGHT, advance, place
from minesolve.render.picture import Picture
from minesolve.statistics import per_cent

__all__ = ["draw"]

_CELL, _PAD, _LINE = 24, 8, 20  # side of a cell; white space at the edges; from one line of the legend to the next
_ICON = 2 * _CELL // 3  # side of a cell in the legend
_SMALL, _LARGE = 0.72, 1.35  # scales of the lettering: chances, coordinates and words; numbers

_GREY, _GREEN, _RED, _BLUE = "#c6c6c6", "#0a7026", "#a80000", "#1c4fa8"
_NUMBERS = ("#0000f0", "#007b00", "#e00000", "#00007b", "#7b0000", "#007b7b", "#000", "#6b6b6b")

# Faces of cells with a chance, from low to high; each is darker than the one before, so that grey tells them apart.
_STEPS = tuple(Fraction(n, 100) for n in (5, 10, 20, 30, 45, 60, 80))
_HEAT = ("#e6f5e0", "#ebecc0", "#f7e2a4", "#f9cf8b", "#f6b571", "#f0985d", "#e47b54", "#d5624c")


def _short(value: float) -> str:
    """Return a length with two decimals at most, and none that say nothing."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _tile(face: str, more: str = "") -> str:
    return f'<path fill="{face}" d="M0 0H24V24H0Z"/><use href="#ms-bevel"/>{more}'


def _frame(colour: str, more: str = "") -> str:
    return (f'<rect x="2.2" y="2.2" width="19.6" height="19.6" rx="4" fill="none" stroke="{colour}" stroke-width="2.4"'
            f'{more}/>')


def _number(number: int) -> str:
    x, y = 12 - _LARGE * advance(str(number)) / 2, 12 - _LARGE * HEIGHT / 2
    return (f'<use href="#ms-g{number}" transform="translate({_short(x)} {_short(y)})scale({_LARGE})" '
            f'stroke-width="2.1" stroke="{_NUMBERS[number - 1]}"/>')


_SYMBOLS = {
    "bevel": '<path fill="#fff" d="M0 24V0H24L22 2H2V22Z"/><path fill="#7e7e7e" d="M24 0V24H0L2 22H22V2Z"/>',
    "covered": _tile(_GREY),
    **{f"h{step}": _tile(face) for step, face in enumerate(_HEAT)},
    **{f"n{number}": _number(number) for number in range(1, 9)},
    "spikes": '<path stroke-width="2" d="M12 4V20M4 12H20M6.5 6.5L17.5 17.5M6.5 17.5L17.5 6.5"/>'
              '<circle cx="12" cy="12" r="5.5" stroke="none"/>'
              '<circle cx="10.2" cy="10.2" r="1.6" fill="#fff" stroke="none"/>',
    "shown": '<use href="#ms-spikes" fill="#000" stroke="#000"/>',
    "mine": _tile(_GREY, f'<use href="#ms-spikes" fill="{_RED}" stroke="{_RED}"/>'),
    "safe": _tile("#d9f0d2", f'<path fill="none" stroke="{_GREEN}" stroke-width="3" d="M6 12.5L10.5 17L18.5 7"/>'),
    "mine-flagged": _tile(_GREY, f'<use href="#ms-spikes" fill="{_RED}" stroke="{_RED}" transform="translate(1.5 8.5)'
                                 'scale(.58)"/><use href="#ms-flag" transform="translate(10.5 1.5)scale(.54)"/>'),
    "flag": '<path fill="#222" d="M12.7 11H14.2V17.5H18V20H7V17.5H12.7Z"/>'
            '<path fill="#d00000" d="M14.2 3.5V13L4.5 8.2Z"/>',
    "flagged": '<use href="#ms-flag" transform="translate(13.4 .3)scale(.4)"/>',
    "cross": '<path stroke="#fff" stroke-width="4.5" d="M5 5L19 19M19 5L5 19"/>'
             '<path stroke="#000" stroke-width="2.4" d="M5 5L19 19M19 5L5 19"/>',
    "premise": _frame(_BLUE),
    "given": _frame(_BLUE, ' stroke-dasharray="4 3"'),
    "so-safe": _frame(_GREEN),
    "so-mine": _frame(_RED),
    "fatal": '<path fill="#f4483b" stroke="#000" stroke-width="2" d="M1 1H23V23H1Z"/><use href="#ms-shown"/>',
    "best": '<circle cx="12" cy="12" r="10.3" fill="none" stroke="#000" stroke-width="1.8"/>',
    "lowest": '<path stroke="#000" stroke-width="1.8" d="M6 19.5H18"/>',
}
"""What a cell is drawn with, by name, in a square of 24; all are stroked and filled as they say themselves."""

_LEGEND = {
    "premise": (("n2", "premise"), "a number this rests on"),
    "given-safe": (("safe", "given"), "known to be safe"),
    "given-mine": (("mine", "given"), "known to be a mine"),
    "given-shown": (("shown", "given"), "a shown mine this rests on"),
    "so-safe": (("safe", "so-safe"), "so this is safe"),
    "so-mine": (("mine", "so-mine"), "so this is a mine"),
    "safe": (("safe",), "safe"),
    "mine": (("mine",), "mine"),
    "mine-flagged": (("mine-flagged",), "a flagged mine"),
    "wrong": (("covered", "flag", "cross"), "wrong flag"),
    "fatal": (("fatal",), "the mine that was opened"),
    "best": (("covered", "best"), "advised guess"),
    "lowest": (("covered", "lowest"), "lowest chance of a mine"),
    "chance": (("h3", "t20"), "chance of a mine in per cent"),
    "flagged": (("h3", "flagged"), "flagged"),
}
"""Marks to explain: with what, in which words."""


def draw(picture: Picture, *, cell: int = 24, title: str | None = None, legend: bool = True) -> str:
    """Return the picture as an SVG document, ended by a line break.

    Parameters
    ----------
    picture : Picture
        A thick edge shows where the board ends; on its other sides a cut-out has a thin one.
    cell : int
        Side of a cell in pixels.
    title : str, optional
        What the picture is called for those who can't see it; by default the size of the board.
    legend : bool
        Whether the marks that occur are explained below the board.

    Raises
    ------
    MinesolveError
        If there are more than `MAX_CELLS` cells to draw.

    Examples
    --------
    >>> text = draw(Picture(2, 1, bytes([9, 1]), safe=frozenset({0})))
    >>> text.startswith("<svg "), "<title>A Minesweeper board, 2 wide and 1 tall</title>" in text
    (True, True)
    """
    picture.require_drawable()
    if cell < 1:
        raise ValueError(f"a cell is at least one pixel wide, not {cell}")
    x0, y0, x1, y1 = picture.view
    left, top = ceil(2 * _PAD + _SMALL * advance(str(y1))), _PAD + 16
    cells, marks = _cells(picture)
    below = top + _CELL * (y1 - y0) + _PAD
    lines = list(_legend_lines(marks, max(left + _CELL * (x1 - x0), 300))) if legend else []
    width = ceil(max([left + _CELL * (x1 - x0), *(end for _, end in lines)])) + _PAD
    height = below + _LINE * len(lines) + (_PAD if lines else 0)
    body = [
        f'<g transform="translate({left} {top})">',
        *_ground(picture),
        *cells,
        *_edges(picture),
        "</g>",
        *_coordinates(picture, left, top),
        *(f'<g transform="translate({_PAD} {below + _LINE * n})">{line}</g>' for n, (line, _) in enumerate(lines)),
    ]
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width} {height}" '
        f'width="{_short(width * cell / _CELL)}" height="{_short(height * cell / _CELL)}" fill="none" '
        'stroke-linecap="round" stroke-linejoin="round">',
        f"<title>{escape(title or f'A Minesweeper board, {picture.width} wide and {picture.height} tall')}</title>",
        f"<desc>{escape(_description(picture, marks))}</desc>",
        *_definitions(body),
        f'<path fill="#fff" d="M0 0H{width}V{height}H0Z"/>',
        *body,
        "</svg>\n",
    ])


def _cells(picture: Picture) -> tuple[list[str], dict[str, list[int]]]:
    """Return the cells' drawing, and the cells of each mark."""
    x0, y0, x1, y1 = picture.view
    lowest, drawn, marks = picture.lowest(), list[str](), dict[str, list[int]]()
    for y in range(y0, y1):
        for x in range(x0, x1):
            cell = y * picture.width + x
            parts, found = _parts(picture, cell, lowest)
            for mark in found:
                marks.setdefault(mark, []).append(cell)
            drawn += _uses(parts, (x - x0) * _CELL, (y - y0) * _CELL, _hover(picture, cell))
    return drawn, marks


def _uses(parts: Iterable[str], x: float, y: float, hover: str = "") -> Iterator[str]:
    at = "".join(f' {name}="{_short(place)}"' for name, place in (("x", x), ("y", y)) if place)
    for part in parts:
        yield f'<use href="#ms-{part}"{at}>{hover}</use>' if hover else f'<use href="#ms-{part}"{at}/>'
        hover = ""


def _hover(picture: Picture, cell: int) -> str:
    chance = picture.chance(cell)
    if chance is None:
        return ""
    return f"<title>{_name(picture, cell)}: {escape(per_cent(chance, decimals=2))} %</title>"


def _parts(picture: Picture, cell: int, lowest: frozenset[int]) -> tuple[list[str], list[str]]:
    """Return the symbols that draw a cell, from the ground up, and the marks that need a word."""
    code, verdict = picture.cells[cell], picture.verdict(cell)
    if code <= 8:
        parts = [f"n{code}"] if code else []
        return ([*parts, "premise"], ["premise"]) if cell in picture.premises else (parts, [])
    if code == MINE:
        if cell in picture.fatal:
            return ["fatal"], ["fatal"]
        return (["shown", "given"], ["given-shown"]) if cell in picture.given else (["shown"], [])
    parts, marks = _forced(picture, cell, verdict) if verdict else _unforced(picture, cell, lowest)
    return ([*parts, "cross"], [*marks, "wrong"]) if picture.flag_is_wrong(cell) else (parts, marks)


def _forced(picture: Picture, cell: int, verdict: str) -> tuple[list[str], list[str]]:
    ground, flagged = [verdict], picture.cells[cell] == FLAG
    if flagged:
        ground = ["covered", "flag"] if picture.flag_is_wrong(cell) else ["mine-flagged"]
    if cell in picture.concluded:
        return [*ground, f"so-{verdict}"], [f"so-{verdict}"]
    if cell in picture.given:
        return [*ground, "given"], [f"given-{verdict}"]
    return ground, [] if picture.flag_is_wrong(cell) else ground


def _unforced(picture: Picture, cell: int, lowest: frozenset[int]) -> tuple[list[str], list[str]]:
    chance, flagged = picture.chance(cell), picture.cells[cell] == FLAG
    marks = [mark for mark, cells in (("best", picture.best), ("lowest", lowest)) if cell in cells]
    if chance is None:
        return ["covered", *(["flag"] if flagged else []), *marks], marks
    face = f"h{bisect(_STEPS, chance)}"
    corner = ["flagged"] if flagged else []
    return [face, _label(per_cent(chance)), *corner, *marks], [*marks, "chance", *corner]


def _label(text: str) -> str:
    """Return the symbol of a short text in the middle of a cell."""
    return "t" + text.replace("<", "-lt-").replace(">", "-gt-")


def _written(text: str, x: float, y: float, scale: float = _SMALL) -> str:
    """Return a line of text whose left end and middle height are given."""
    glyphs = "".join(f'<use href="#{_glyph(char)}" x="{_short(at)}"/>' for char, at in place(text))
    return (f'<g transform="translate({_short(x)} {_short(y - scale * HEIGHT / 2)})scale({scale})" stroke="#000" '
            f'stroke-width="1.5">{glyphs}</g>')


def _glyph(char: str) -> str:
    return "ms-g" + {"<": "-lt-", ">": "-gt-"}.get(char, char)


def _definitions(body: Iterable[str]) -> Iterator[str]:
    """Yield the definitions of all symbols that the drawing uses, directly or not."""
    glyphs = {_glyph(char).removeprefix("ms-"): f'<path id="{_glyph(char)}" d="{path}"/>'
              for char, path in GLYPHS.items()}
    needed, found = {}, _references(body)
    while found:
        name = found.pop()
        if name not in needed:
            needed[name] = glyphs.get(name) or f'<g id="ms-{name}">{_symbol(name)}</g>'
            found += _references([needed[name]])
    yield "<defs>"
    yield from (needed[name] for name in sorted(needed))
    yield "</defs>"


def _symbol(name: str) -> str:
    if name in _SYMBOLS:
        return _SYMBOLS[name]
    text = name.removeprefix("t").replace("-lt-", "<").replace("-gt-", ">")
    return _written(text, 12 - _SMALL * advance(text) / 2, 12)


def _references(lines: Iterable[str]) -> list[str]:
    return [name for line in lines for name in re.findall(r'href="#ms-([^"]+)"', line)]


def _ground(picture: Picture) -> Iterator[str]:
    """Yield the open board: a plain surface with thin lines between the cells."""
    x0, y0, x1, y1 = picture.view
    width, height = _CELL * (x1 - x0), _CELL * (y1 - y0)
    across = "".join(f"M0 {y}H{width}" for y in range(_CELL, height, _CELL))
    down = "".join(f"M{x} 0V{height}" for x in range(_CELL, width, _CELL))
    yield f'<path fill="#f3f3f3" d="M0 0H{width}V{height}H0Z"/>'
    yield f'<path stroke="#bdbdbd" shape-rendering="crispEdges" d="{across}{down}"/>' if across + down else ""


def _edges(picture: Picture) -> Iterator[str]:
    """Yield the edges: thick where the board ends, thin and broken where it goes on."""
    x0, y0, x1, y1 = picture.view
    width, height = _CELL * (x1 - x0), _CELL * (y1 - y0)
    sides = {
        f"M0 0H{width}": y0 == 0,
        f"M{width} 0V{height}": x1 == picture.width,
        f"M0 {height}H{width}": y1 == picture.height,
        f"M0 0V{height}": x0 == 0,
    }
    walls, cuts = ("".join(d for d, wall in sides.items() if wall is kind) for kind in (True, False))
    if cuts:
        yield f'<path stroke="#7e7e7e" stroke-dasharray="1 5" d="{cuts}"/>'
    if walls:
        yield f'<path stroke="#333" stroke-width="2.5" d="{walls}"/>'


def _coordinates(picture: Picture, left: float, top: float) -> Iterator[str]:
    """Yield the numbers of the columns, above, and of the rows, at the left."""
    x0, y0, x1, y1 = picture.view
    yield '<g opacity=".6">'
    for x in range(x0, x1):
        yield from _uses([_label(str(x + 1))], left + _CELL * (x - x0), top - 20)
    for y in range(y0, y1):
        text = str(y + 1)
        yield from _uses([_label(text)], left - _PAD - 12 - _SMALL * advance(text) / 2, top + _CELL * (y - y0))
    yield "</g>"


def _legend_lines(marks: Iterable[str], room: float) -> Iterator[tuple[str, float]]:
    """Yield the lines of the legend, each with its right end, broken between explanations where there is no room."""
    line, x = "", 0.0
    for mark, (parts, words) in _LEGEND.items():
        if mark not in marks:
            continue
        wide = _ICON + 6 + _SMALL * advance(words)
        if line and _PAD + x + wide > room:
            yield line, _PAD + x - 16
            line, x = "", 0.0
        icon = "".join(_uses(parts, 0, 0))
        line += f'<g transform="translate({_short(x)})scale({_ICON / _CELL:.4g})">{icon}</g>'
        line += _written(words, x + _ICON + 6, _ICON / 2)
        x += wide + 16
    if line:
        yield line, _PAD + x - 16


def _description(picture: Picture, marks: dict[str, list[int]]) -> str:
    """Return the marks in words: what each means and its cells. Chances stand at the cells themselves."""
    x0, y0, x1, y1 = picture.view
    shown = f"Rows {y0 + 1} to {y1}, columns {x0 + 1} to {x1}."
    said = [f"{words.capitalize()}: {' '.join(_name(picture, cell) for cell in marks[mark])}."
            for mark, (_, words) in _LEGEND.items() if mark in marks and mark != "chance"]
    return " ".join([shown, *said])


def _name(picture: Picture, cell: int) -> str:
    return Grid(picture.width, picture.height).name(cell)
