import importlib.util
import io
import json
import random
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from minesolve.errors import ParseError
from minesolve.formats import FORMATS, read_boards
from minesolve.formats.board import LARGEST

SPEC = importlib.util.spec_from_file_location("fuzz_formats", Path(__file__).with_name("fuzz_formats.py"))
fuzz = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(fuzz)


@pytest.mark.parametrize("number", range(len(FORMATS)), ids=FORMATS)
@given(st.binary(max_size=300))
@example(b"")
@settings(max_examples=150, deadline=None, derandomize=True)
def test_random_bytes(number, data):
    fuzz.fuzz_one(bytes([number]) + data)


@pytest.mark.parametrize("number", range(len(FORMATS)), ids=FORMATS)
@given(st.text(alphabet="0123456789x:,.*#FHhmMu?&=b-/ \n\r\t\"'{}[]eEnulwidthsz\ufeff\U0001d7ed", max_size=120))
@settings(max_examples=150, deadline=None, derandomize=True)
def test_random_text(number, text):
    fuzz.fuzz_one(bytes([number]) + text.encode())


def test_mutated_files():
    dice = random.Random(3)
    assert sum(fuzz.fuzz_one(fuzz.mutated(dice)) for _ in range(4000)) > 100


@pytest.mark.parametrize("seed", fuzz.seeds(), ids=lambda seed: fuzz.NAMES[seed[0]])
def test_truncated_files(seed):
    assert fuzz.fuzz_one(seed) == 1
    for end in range(1, len(seed)):
        fuzz.fuzz_one(seed[:end])


def huge(size):
    """Return files of up to `size` bytes that would take most memory: (format, bytes)."""

    def filled(unit, head=b""):
        return head + unit * ((size - len(head)) // len(unit))

    def json_of(unit):
        return b'{"width": 1, "height": 1, "minefield": ["."], "a": [' + filled(unit)[:-200].rsplit(b",", 1)[0] + b"]}"

    side = int(size**0.5) - 60
    coordinates = bytes(v for y in range(255) for x in range(255) for v in (x, y))
    rows = ["*" * (side // 2)] * side
    files = {
        "text": [
            *map(filled, (b"#", b"# ", b"1\n", b"*", "１ ".encode(), "\U0001d7ed ".encode(), b"size: 1x1\n1\n", b" ",
                          b"size: 1x1\n", b"; start: r1c1 \n", b"\r", b"#" * 99 + b"\n", b"*" * 1400 + b"\n",
                          b"* " * 700 + b"\n")),
            filled(b"9", b"size: "), b"\xff\xfe" + filled("1#".encode("utf-16-le"))[:-2]],
        "mine": [filled(b"?", b"%dx1x%d\n" % (size - 50, size - 50)), filled(b"?", b"99x99x99\n"),
                 filled(b"0\n", b"1x1048567x0\n"), filled(b"H\n", b"1x9x9\n")],
        "mbf": [filled(b"\xff"), bytes([255, 255, 0xFE, 0x01]) + coordinates],
        "gameid": [filled(b"0:"), b"%dx%d:u" % (side, 4 * side) + b"f" * (side * side),
                   b"%dx%d:m" % (side, 4 * side) + b"5" * (side * side), filled(b"2x2:uf\n")],
        "link": [b"?b=%05d%05d&m=" % (side, 5 * side) + b"v" * (side * side), filled(b"ab=&", b"?"),
                 filled(b"?b=11&m=0\n"), filled(b"9", b"?m=0&b=")],
        "rawvf": [
            *map(filled, (b"a:\n", b"\n")), b"".join(b"%x:\n" % n for n in range(size // 8)),
            *(filled(unit, b"Board:\n") for unit in (b"*", b"0\n", b"0" * 1400 + b"\n", b"ab\n")),
            *(filled(unit, b"Board:\n*0\n00\nEvents:\n")
              for unit in (b"0 mc 1 1\n0 mr 1 1\n", b"0 rc 1 1\n0 rr 1 1\n")),
            b"Board:\n" + (b"*" * side + b"\n") * side + b"Events:\n1 lc 1 1\n1 lr 1 1\n"],
        "jsonl": [
            *map(filled, (b"[", b"1", b'{"a":')),
            *map(json_of, (b"[],", b"{},", b'{"":0},', b'{"a":1},', b"1.5,", b'"ab",', b"[[]],", b'{"a":{}},',
                           b'"\xf0\x9f\x92\xa3",', b"99999999999,")),
            json.dumps({"width": side // 2, "height": side, "minefield": rows, "position": rows}).encode()],
    }
    return [(name, data) for name, all_of in files.items() for data in all_of]


def peak_of_reading(name, data):
    """Return the most memory that was taken, and the message if the file was refused."""
    said = ""
    tracemalloc.start()
    try:
        for board in read_boards(io.BytesIO(data), name):
            assert board.width
    except ParseError as error:
        said = str(error)
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return peak, said


def label(value):
    return value if isinstance(value, str) else repr(value[:24])


# What reading takes grows with the bytes, or with the lines, of which a text may have only so many.


@pytest.mark.parametrize(("name", "data"), huge(LARGEST // 20), ids=label)
def test_memory_of_large_files(name, data):
    peak, said = peak_of_reading(name, data)
    assert peak < fuzz.MOST_MEMORY / 12
    assert len(said) < 500


@pytest.mark.slow
@pytest.mark.parametrize(("name", "data"), huge(LARGEST), ids=label)
def test_memory_of_the_largest_files(name, data):
    assert len(data) <= LARGEST
    assert peak_of_reading(name, data)[0] < fuzz.MOST_MEMORY


@pytest.mark.parametrize("name", FORMATS)
def test_files_that_are_too_large_are_refused(name):
    with pytest.raises(ParseError, match="expected"):
        list(read_boards(io.BytesIO(b"1" * (LARGEST + 10)), name))
