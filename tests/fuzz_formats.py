"""A fuzz target for all formats: bytes in, boards or a ParseError out, and nothing else.

Run it by itself (``python tests/fuzz_formats.py --seconds 60``) or under a coverage-guided fuzzer such as Atheris:
`fuzz_one` takes the bytes of one trial, of which the first chooses the format.
"""

from __future__ import annotations

import argparse
import io
import random
import sys
import time
import tracemalloc

from minesolve.errors import ParseError
from minesolve.formats import FORMATS, Board, read_boards, write_boards
from minesolve.game import Action
from minesolve.minefield import Minefield
from minesolve.position import Position

MOST_MEMORY = 100_000_000
NAMES = tuple(FORMATS)

_FIELD = Minefield.from_cells(5, 4, [2, 8, 15])
_BOARDS = (
    Board(minefield=_FIELD, start=0, actions=(Action("open", 0, 0.5), Action("flag", 2, 1.0), Action("chord", 1, 2.5)),
          metadata={"Player": "A"}),
    Board(Position.from_text("size: 5x4\nmines: 3\n.1F2#\n.1###\n11111\n#1..."), _FIELD, start=3),
)
_FOREIGN = (b"0", b"9" * 12, b"\n", b"\r", b" ", b"x", b":", b"{}", b"[", b"\xf0\x9f\x92\xa3", b"size: 3x3\n", b"-1",
            b"\0", b"*", b"#", b"Board:\n", b"1e999")


def fuzz_one(data: bytes) -> int:
    """Read the bytes in the format that the first chooses and return how many boards there were."""
    name = NAMES[(data[0] if data else 0) % len(NAMES)]
    count = 0
    try:
        for board in read_boards(io.BytesIO(data[1:]), name):
            count += 1
            if count < 10:
                list(read_boards(io.BytesIO(b"".join(write_boards([board], "jsonl"))), "jsonl"))
    except ParseError as error:
        str(error)
    return count


def seeds() -> list[bytes]:
    """Return readable files, each after the byte that chooses its format."""
    return [bytes([number]) + b"".join(write_boards([board], name))
            for number, name in enumerate(NAMES) for board in _BOARDS]


def mutated(dice: random.Random) -> bytes:
    """Return a readable file after a few cuts, repeats, and changed or foreign bytes."""
    data = bytearray(dice.choice(seeds()))
    for _ in range(dice.randrange(1, 6)):
        at = dice.randrange(1, len(data)) if len(data) > 1 else 1
        change = dice.randrange(6)
        if change == 0:
            del data[at:]
        elif change == 1:
            del data[at : at + dice.randrange(1, 9)]
        elif change == 2 and at < len(data):
            data[at] = dice.randrange(256)
        elif change == 3:
            data[at:at] = dice.randbytes(dice.randrange(1, 5))
        elif change == 4:
            data[at:at] = data[at : at + dice.randrange(1, 30)] * dice.randrange(1, 4)
        else:
            data[at:at] = dice.choice(_FOREIGN)
    return bytes(data)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    dice, trials, read, end = random.Random(options.seed), 0, 0, time.monotonic() + options.seconds
    tracemalloc.start()
    while time.monotonic() < end:
        data = mutated(dice) if dice.random() < 0.9 else dice.randbytes(dice.randrange(400))
        try:
            read += fuzz_one(data)
        except BaseException:
            print(f"trial {trials} of seed {options.seed}: {data!r}", file=sys.stderr)
            raise
        trials += 1
    peak = tracemalloc.get_traced_memory()[1]
    print(f"{trials} trials, {read} boards, at most {peak / 1e6:.1f} MB")
    return int(peak > MOST_MEMORY)


if __name__ == "__main__":
    sys.exit(main())
