"""Letters and digits as strokes, so that a picture looks the same on a machine without fonts.

Each glyph is an SVG path that is stroked, not filled. A digit is 6 wide and 10 high, with the baseline at 10;
small letters stand between 3.5 and 10.
"""

from __future__ import annotations

__all__ = ["GLYPHS", "HEIGHT", "advance", "place"]

HEIGHT = 10.0
"""From the top of a digit to the baseline."""

_GAP, _BLANK = 2.4, 4.0
_BOWL = "M2.5 3.5C4 3.5 5 4.9 5 6.75S4 10 2.5 10 0 8.6 0 6.75 1 3.5 2.5 3.5Z"
_ARCH = "M0 6.4C.2 4.6 1.2 3.5 2.6 3.5 4.1 3.5 5 4.4 5 6.2V10"

_FORMS = {
    "0": (6, "M3 0C5 0 6 2 6 5S5 10 3 10 0 8 0 5 1 0 3 0Z"),
    "1": (4, "M.4 2.4L2.6 0V10"),
    "2": (6, "M.1 2.8C.2 1 1.4 0 3 0S5.9 1 5.9 2.7C5.9 5 2.6 6.6 .1 10H6"),
    "3": (6, "M.3 1.7C.9 .6 1.8 0 3 0 4.6 0 5.7 1 5.7 2.4S4.6 4.7 2.5 4.7C4.7 4.7 6 5.7 6 7.3S4.8 10 3 10C1.6 10 .6 "
             "9.4 0 8.2"),
    "4": (6, "M4.5 10V0L0 7H6.2"),
    "5": (6, "M5.5 0H1L.5 4.6C1.1 4 2 3.7 3 3.7 4.9 3.7 6 4.9 6 6.8S4.8 10 3 10C1.6 10 .5 9.4 0 8.2"),
    "6": (6, "M5.5 1.2C4.9 .4 4.1 0 3.2 0 1.1 0 0 2 0 5.5S1.2 10 3 10 6 8.7 6 6.9 4.8 3.9 3.1 3.9C1.6 3.9 .4 4.8 0 "
             "6.2"),
    "7": (6, "M0 0H6C4 3 2.6 6 2.2 10"),
    "8": (6, "M3 4.7C1.3 4.7 .4 3.8 .4 2.4S1.4 0 3 0 5.6 1 5.6 2.4 4.7 4.7 3 4.7 0 5.7 0 7.3 1.2 10 3 10 6 8.9 6 7.3 "
             "4.8 4.7 3 4.7Z"),
    "9": (6, "M.5 8.8C1.1 9.6 1.9 10 2.8 10 4.9 10 6 8 6 4.5S4.8 0 3 0 0 1.3 0 3.1 1.2 6.1 2.9 6.1C4.4 6.1 5.6 5.2 6 "
             "3.8"),
    "<": (5, "M5 1.8L.5 5.2 5 8.6"),
    ">": (5, "M0 1.8L4.5 5.2 0 8.6"),
    ":": (0, "M0 5V5.2M0 9.6V9.8"),
    "a": (5, "M5 3.5V10M5 6.75C5 4.9 4 3.5 2.5 3.5S0 4.9 0 6.75 1 10 2.5 10 5 8.6 5 6.75"),
    "b": (5, "M0 0V10" + _BOWL),
    "c": (4.8, "M4.8 5C4.4 4 3.5 3.5 2.5 3.5 1 3.5 0 4.9 0 6.75S1 10 2.5 10C3.5 10 4.4 9.5 4.8 8.5"),
    "d": (5, "M5 0V10" + _BOWL),
    "e": (5, "M0 6.6H5C5 4.8 4 3.5 2.5 3.5S0 4.9 0 6.75 1 10 2.6 10C3.6 10 4.4 9.5 4.8 8.6"),
    "f": (3.2, "M3.3 .2C1.9 -.3 1.1 .6 1.1 2V10M0 3.5H3"),
    "g": (5, "M5 3.5V10.5C5 12.2 4 13 2.5 13 1.6 13 .8 12.7 .3 12.1" + _BOWL),
    "h": (5, "M0 0V10" + _ARCH),
    "i": (0, "M0 3.5V10M0 .6V.8"),
    "k": (4.6, "M0 0V10M4.3 3.5L0 7.5M1.6 6L4.6 10"),
    "l": (0, "M0 0V10"),
    "m": (7.6, "M0 3.5V10M0 6C.2 4.4 .9 3.5 2 3.5S3.8 4.3 3.8 6V10M3.8 6C4 4.4 4.7 3.5 5.8 3.5S7.6 4.3 7.6 6V10"),
    "n": (5, "M0 3.5V10" + _ARCH),
    "o": (5, _BOWL),
    "p": (5, "M0 3.5V13" + _BOWL),
    "r": (3, "M0 3.5V10M0 6.4C.2 4.6 1.2 3.5 3 3.6"),
    "s": (4.6, "M4.3 4.8C3.9 3.9 3.2 3.5 2.3 3.5 1.1 3.5 .3 4.1 .3 5.1 .3 7.4 4.6 6 4.6 8.2 4.6 9.3 3.7 10 2.4 10 1.3 "
               "10 .5 9.5 0 8.6"),
    "t": (3.2, "M1.1 1.3V8C1.1 9.5 1.9 10.2 3.3 9.9M0 3.5H3.1"),
    "u": (5, "M0 3.5V7.3C0 9.1 1 10 2.4 10 3.8 10 4.8 8.9 5 7.1M5 3.5V10"),
    "v": (4.6, "M0 3.5L2.3 10 4.6 3.5"),
    "w": (7.4, "M0 3.5L1.8 10 3.7 3.5 5.6 10 7.4 3.5"),
}

GLYPHS = {char: path for char, (_, path) in _FORMS.items()}
"""The path of every character there is."""


def advance(text: str) -> float:
    """Return the width of a line of text, from the left edge of its first glyph to the right edge of its last.

    Examples
    --------
    >>> advance("10")
    12.4
    """
    ends = [x + _FORMS[char][0] for char, x in place(text)]
    return round(max(ends, default=0.0), 2)


def place(text: str) -> list[tuple[str, float]]:
    """Return each glyph of a line of text with the place of its left edge; KeyError for a character there is not.

    Examples
    --------
    >>> place("1 0")
    [('1', 0.0), ('0', 10.4)]
    """
    x, placed = 0.0, []
    for char in text:
        if char == " ":
            x += _BLANK
            continue
        placed.append((char, round(x, 2)))
        x += _FORMS[char][0] + _GAP
    return placed
