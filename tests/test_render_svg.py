from __future__ import annotations

import re
import struct
import sys
import xml.etree.ElementTree as ET
from fractions import Fraction
from itertools import pairwise

import pytest

from minesolve.errors import MinesolveError
from minesolve.notation import COVERED, FLAG, MINE
from minesolve.position import Position
from minesolve.render import png, svg
from minesolve.render.lettering import GLYPHS, advance, place
from minesolve.render.picture import Picture

SVG = "{http://www.w3.org/2000/svg}"


def position(*rows: str) -> Position:
    return Position.from_text(f"size: {len(rows[0])}x{len(rows)}\n\n" + "\n".join(rows))


def board_of(text: str) -> dict[tuple[int, int], list[str]]:
    """Read back what is drawn in each cell: its symbols by (column, row) of the view, 0-based."""
    group = ET.fromstring(text).find(f"{SVG}g")
    assert group is not None
    drawn: dict[tuple[int, int], list[str]] = {}
    for use in group.findall(f"{SVG}use"):
        at = divmod(int(use.get("x", "0")), 24)[0], divmod(int(use.get("y", "0")), 24)[0]
        drawn.setdefault(at, []).append(use.get("href", "").removeprefix("#ms-"))
    return drawn


def legend_of(text: str) -> set[str]:
    """Return what the description explains; the legend has the same words as strokes."""
    description = ET.fromstring(text).findtext(f"{SVG}desc") or ""
    return set(re.findall(r"\. ([^.:]+):", description))


EVERYTHING = Picture.of_position(
    position("##F##F", "12F1F#", "1*1*##", "345678"),
    premises=[6, 7],
    given=[0, 3, 13],
    safe=[1, 3, 4, 10],
    mines=[0, 2, 5, 8, 13],
    concluded=[1, 2],
    fatal=[15],
    wrong_flags=[10],
    best=[16],
    chances=[None] * 16 + [Fraction(1, 5), Fraction(1, 4), *[None] * 6],
)


def test_every_cell_and_every_mark_is_drawn() -> None:
    drawn = board_of(svg.draw(EVERYTHING))
    row = [[drawn.get((x, y), []) for x in range(6)] for y in range(4)]
    assert row[0] == [["mine", "given"], ["safe", "so-safe"], ["mine-flagged", "so-mine"], ["safe", "given"], ["safe"],
                      ["mine-flagged"]]
    assert row[1] == [["n1", "premise"], ["n2", "premise"], ["mine-flagged"], ["n1"], ["covered", "flag", "cross"],
                      ["covered"]]
    assert row[2] == [["n1"], ["shown", "given"], ["n1"], ["fatal"], ["h3", "t20", "best"], ["h3", "t25"]]
    assert row[3] == [[f"n{n}"] for n in range(3, 9)]
    assert legend_of(svg.draw(EVERYTHING)) == {
        "A number this rests on", "Known to be safe", "Known to be a mine", "A shown mine this rests on",
        "So this is safe", "So this is a mine", "Safe", "A flagged mine", "Wrong flag", "The mine that was opened",
        "Advised guess",
    }


def test_only_marks_that_occur_are_explained() -> None:
    board = position("#1F")
    text = svg.draw(Picture.of_position(board, safe=[0]))
    assert legend_of(text) == {"Safe"}
    groups = [len(ET.fromstring(drawn).findall(f"{SVG}g")) for drawn in (
        text, svg.draw(Picture.of_position(board, safe=[0]), legend=False), svg.draw(Picture.of_position(board)))]
    assert groups == [3, 2, 2]  # the board, its coordinates, and a line of explanations where there is something to say


def test_the_lowest_chance_is_underlined_and_a_safe_cell_makes_that_needless() -> None:
    fifth, half = Fraction(1, 5), Fraction(1, 2)
    assert board_of(svg.draw(Picture(3, 1, bytes([9] * 3), chances=(fifth, half, fifth)))) == {
        (0, 0): ["h3", "t20", "lowest"], (1, 0): ["h5", "t50"], (2, 0): ["h3", "t20", "lowest"],
    }
    assert board_of(svg.draw(Picture(3, 1, bytes([9] * 3), chances=(fifth, half, Fraction(0))))) == {
        (0, 0): ["h3", "t20"], (1, 0): ["h5", "t50"], (2, 0): ["safe"],
    }


def test_chances_near_0_and_1_are_bounds_and_hover_text_says_more() -> None:
    picture = Picture(3, 2, bytes([9] * 5 + [FLAG]), chances=(Fraction(3, 10_000), Fraction(9997, 10_000), Fraction(0),
                                                              Fraction(1), None, Fraction(1, 3)))
    text = svg.draw(picture)
    assert board_of(text) == {
        (0, 0): ["h0", "t-lt-1"], (1, 0): ["h7", "t-gt-99"], (2, 0): ["safe"],
        (0, 1): ["mine"], (1, 1): ["covered"], (2, 1): ["h4", "t33", "flagged"],
    }
    hovers = [title.text for title in ET.fromstring(text).iterfind(f".//{SVG}use/{SVG}title")]
    assert hovers == ["r1c1: 0.03 %", "r1c2: 99.97 %", "r1c3: 0 %", "r2c1: 100 %", "r2c3: 33.33 %"]


def test_heat_grows_darker_with_the_chance() -> None:
    """Whoever sees no colour still sees which cell is more dangerous."""
    faces = [svg._SYMBOLS[f"h{n}"] for n in range(8)]
    colours = [re.search(r'fill="#(..)(..)(..)"', face) for face in faces]
    grey = [sum(w * int(part, 16) for w, part in zip((0.2126, 0.7152, 0.0722), colour.groups(), strict=True))
            for colour in colours if colour]
    assert len(grey) == 8
    assert all(lighter > darker + 5 for lighter, darker in pairwise(grey))


def test_every_reference_is_defined_once_and_every_definition_used() -> None:
    for picture in (EVERYTHING, EVERYTHING.cut_out([0]), Picture(1, 1, bytes([COVERED])), Picture(130, 2, bytes(260))):
        text = svg.draw(picture)
        defined = re.findall(r' id="([^"]+)"', text)
        assert len(defined) == len(set(defined))
        assert set(defined) == set(re.findall(r'href="#([^"]+)"', text))


def test_the_file_stands_alone() -> None:
    text = svg.draw(EVERYTHING)
    elements = {element.tag.removeprefix(SVG) for element in ET.fromstring(text).iter()}
    assert elements == {"svg", "title", "desc", "defs", "g", "path", "rect", "circle", "use"}
    assert set(re.findall(r"https?://[^\"]+", text)) == {"http://www.w3.org/2000/svg"}


def test_the_same_picture_gives_the_same_text() -> None:
    again = Picture.of_position(EVERYTHING, **{  # type: ignore[arg-type]
        name: sorted(getattr(EVERYTHING, name), reverse=True)
        for name in ("premises", "given", "safe", "mines", "concluded", "fatal", "wrong_flags", "best")
    }, chances=EVERYTHING.chances)
    assert svg.draw(again) == svg.draw(EVERYTHING)


def test_title_and_description_are_escaped() -> None:
    root = ET.fromstring(svg.draw(Picture(2, 1, bytes([9, 1])), title="a < b & c"))
    assert root.findtext(f"{SVG}title") == "a < b & c"
    assert root.get("role") == "img"


def test_coordinates_number_the_rows_and_columns_of_the_view() -> None:
    text = svg.draw(Picture(30, 16, bytes([COVERED] * 480), window=(27, 8, 30, 11)))
    labels = ET.fromstring(text).findall(f"{SVG}g")[1]
    assert [use.get("href") for use in labels] == ["#ms-t28", "#ms-t29", "#ms-t30", "#ms-t9", "#ms-t10", "#ms-t11"]


@pytest.mark.parametrize(
    ("window", "walls"),
    [
        (None, {"top", "right", "bottom", "left"}),
        ((0, 0, 2, 2), {"top", "left"}),
        ((1, 1, 3, 3), set()),
        ((2, 2, 5, 4), {"right", "bottom"}),
        ((0, 1, 5, 2), {"left", "right"}),
    ],
)
def test_a_thick_edge_shows_where_the_board_ends(window: tuple[int, int, int, int] | None, walls: set[str]) -> None:
    picture = Picture(5, 4, bytes(20), window=window)
    x0, y0, x1, y1 = picture.view
    width, height = 24 * (x1 - x0), 24 * (y1 - y0)
    side = {f"M0 0H{width}": "top", f"M{width} 0V{height}": "right", f"M0 {height}H{width}": "bottom",
            f"M0 0V{height}": "left"}
    thick = re.findall(r'stroke-width="2.5" d="([^"]+)"', svg.draw(picture))
    assert {side["M" + part] for path in thick for part in path.split("M")[1:]} == walls


def test_the_size_follows_the_side_of_a_cell_and_bad_sizes_are_refused() -> None:
    picture = Picture(3, 3, bytes(9))
    small, large = (ET.fromstring(svg.draw(picture, cell=cell)) for cell in (24, 48))
    assert small.get("viewBox") == large.get("viewBox") == f"0 0 {small.get('width')} {small.get('height')}"
    assert float(large.get("width", "0")) == 2 * float(small.get("width", "0"))
    with pytest.raises(ValueError, match="at least one pixel"):
        svg.draw(picture, cell=0)


def test_nothing_lies_outside_the_picture() -> None:
    """Numbers of three digits and long explanations get the room they need."""
    for picture in (Picture(1, 120, bytes(120)), Picture.of_position(position("F1"), mines=[0], premises=[1])):
        root = ET.fromstring(svg.draw(picture))
        width, height = map(float, root.get("viewBox", "").split()[2:])
        for group in root.findall(f"{SVG}g"):
            for use in group.findall(f"{SVG}use"):
                assert -6 <= float(use.get("x", "0")) <= width - 18
                assert -6 <= float(use.get("y", "0")) <= height - 18


def test_an_expert_board_makes_a_small_file() -> None:
    board = Picture(30, 16, bytes([1, COVERED, 2, FLAG, 0, MINE] * 80))
    assert len(svg.draw(board)) < 30_000


def test_an_absurd_board_is_refused_and_a_part_of_it_drawn() -> None:
    board = Picture(1000, 1000, bytes(1_000_000))
    with pytest.raises(MinesolveError, match="1000x1000 cells is too large"):
        svg.draw(board)
    assert "#ms-t1000" in svg.draw(board.cut_out([999_999]))


def test_cells_of_a_very_long_row_keep_their_places() -> None:
    drawn = board_of(svg.draw(Picture(60_000, 1, bytes([1]) * 60_000)))
    assert len(drawn) == 60_000


def test_every_word_can_be_lettered() -> None:
    words = {word for _, word in svg._LEGEND.values()} | {"0123456789<>"}
    assert set("".join(words)) - {" "} <= set(GLYPHS)
    with pytest.raises(KeyError):
        place("é")


def test_letters_follow_each_other_without_overlap() -> None:
    for text in ("mine", "so this is safe", "1111", "30"):
        at = [x for _, x in place(text)]
        assert at == sorted(set(at))
        assert at[-1] < advance(text) or text[-1] in "il"
    assert advance("") == 0


def test_png_has_the_size_asked_for_and_shows_the_cells() -> None:
    pytest.importorskip("resvg_py", reason="PNG pictures need the extra 'png'")
    text = svg.draw(Picture(3, 1, bytes([1, 9, 0])))
    width, height = (float(part) for part in ET.fromstring(text).get("viewBox", "").split()[2:])
    for zoom in (1, 2, 2.5):
        data = png.from_svg(text, zoom)
        assert data.startswith(b"\x89PNG\r\n\x1a\n")
        assert struct.unpack(">II", data[16:24]) == pytest.approx((width * zoom, height * zoom), abs=1)
    without = png.from_svg(svg.draw(Picture(3, 1, bytes([0, 9, 0]))))
    assert len(png.from_svg(text)) > len(without)  # digits are drawn without any font


def test_png_of_what_is_no_picture_is_a_clear_error() -> None:
    pytest.importorskip("resvg_py", reason="PNG pictures need the extra 'png'")
    with pytest.raises(MinesolveError, match="can't be drawn as PNG"):
        png.from_svg("<svg")


def test_png_without_its_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(MinesolveError, match=r"pip install 'minesolve\[png\]'"):
        png.from_svg("<svg/>")
