"""Pictures as PNG, by way of SVG."""

from __future__ import annotations

from minesolve.errors import MinesolveError

__all__ = ["from_svg"]


def from_svg(svg: str, zoom: float = 2.0) -> bytes:
    """Return the PNG of an SVG picture, `zoom` pixels for each of its own.

    Needs the optional package resvg-py (``pip install 'minesolve[png]'``). Text elements, which `render.svg` does not
    write, are left out: fonts differ from machine to machine.

    Raises
    ------
    MinesolveError
        If resvg-py is missing, or can't draw the text.

    Examples
    --------
    >>> from_svg('<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>')[1:4]  # doctest: +SKIP
    b'PNG'
    """
    try:
        import resvg_py
    except ImportError:
        raise MinesolveError("PNG pictures need the package resvg-py: pip install 'minesolve[png]'") from None
    try:
        return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=zoom, skip_system_fonts=True))
    except ValueError as error:
        raise MinesolveError(f"the picture can't be drawn as PNG: {error}") from error
