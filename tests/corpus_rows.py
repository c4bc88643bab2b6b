"""The lines of corpora/positions, each with its position."""

import json
from pathlib import Path

from minesolve.position import Position

FOLDER = Path(__file__).parent.parent / "corpora" / "positions"


def rows(name):
    """Return (line, position) for each line of a corpus that has a text."""
    with (FOLDER / f"{name}.jsonl").open(encoding="utf-8") as lines:
        read = [json.loads(line) for line in lines]
    return [(row, _position(row)) for row in read if row.get("text")]


def _position(row):
    header = f"size: {row['width']}x{row['height']}\n\n"  # with it a dot is a zero and nothing else
    return Position.from_text(header + row["text"], mines=row["mines"])


def cell(row, x, y):
    return y * row["width"] + x
