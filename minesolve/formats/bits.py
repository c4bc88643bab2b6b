"""Minefields as strings of bits, row by row, most significant bit first; what several formats share."""

from __future__ import annotations

__all__ = ["from_digits", "to_digits"]


def from_digits(digits: str, bits_each: int, cells: int) -> bytes | None:
    """Return a byte (0 or 1) a cell from digits of `bits_each` bits; None unless they are exactly as many as needed.

    Digits are 0-9 and then a, b, c, ..., as the caller has checked. Bits after the last cell must be 0, or else None.

    Examples
    --------
    >>> from_digits("420g", 5, 20).hex()
    '0000010000000000010000000000000100000000'
    """
    if len(digits) != -(-cells // bits_each):
        return None
    text = f"{int(digits, 1 << bits_each):0{bits_each * len(digits)}b}"
    if "1" in text[cells:]:
        return None
    return text[:cells].encode().translate(bytes.maketrans(b"01", b"\x00\x01"))


def to_digits(mines: bytes, bits_each: int) -> str:
    """Return the digits of a minefield, padded with 0 bits to a whole digit.

    Examples
    --------
    >>> to_digits(bytes([1, 1, 0, 0, 1]), 4)
    'c8'
    """
    text = mines.translate(bytes.maketrans(b"\x00\x01", b"01")).decode()
    text += "0" * (-len(text) % bits_each)
    digits = "0123456789abcdefghijklmnopqrstuv"
    return "".join(digits[int(text[at : at + bits_each], 2)] for at in range(0, len(text), bits_each))
