"""The README's tables of results, read from the run files under corpora/results/: python benchmarks/results.py

The run files are made by benchmarks/results.sh and benchmarks/strong.sh; the command that made each is its first line.
"""

from __future__ import annotations

import json
from pathlib import Path

from minesolve.measurement import Comparison, Measurement, board_request
from minesolve.statistics import Estimate
from minesolve.tally import Tally

RESULTS = Path(__file__).resolve().parent.parent / "corpora" / "results"
ORDER = ("beginner", "intermediate", "expert")


def read(path: Path) -> tuple[Measurement, str]:
    """Return what a run file of one kind of board and one policy measured, and the command that made it."""
    about, *chunks = map(json.loads, path.read_text("utf-8").splitlines())
    [request], [policy] = about["parameters"]["requests"], about["parameters"]["policies"]
    tally = Tally.total([Tally.from_json(chunk["tallies"][0]) for chunk in chunks])
    return Measurement(board_request(None, **request), policy, tally), about["command"]


def per_cent(share: Estimate) -> str:
    """Return a share with the half width of its 95 % interval, in per cent."""
    low, high = share.interval
    return f"{100 * float(share):.2f} +-{50 * (high - low):.2f}"


def table() -> str:
    """Return the table in Markdown."""
    columns = ["board", "first click", "no guess", "without the total", "won by `safest`", "lost on a true 50/50",
               "guesses a game"]  # fmt: skip
    rows = [f"| {' | '.join(columns)} |", "|" + "---|" * len(columns)]
    found = [read(path)[0] for path in RESULTS.glob("*.jsonl")]
    for one in sorted(found, key=lambda m: (ORDER.index(m.board), m.request.first_click, m.start)):
        shares = (one.no_guess_share, one.no_guess_without_total_share, one.win_share, one.lost_on_fifty_share)
        cells = [one.board, f"{one.request.first_click}, {one.start}", *map(per_cent, shares)]
        rows.append(f"| {' | '.join(cells)} | {float(one.guesses_per_game):.3f} |")
    return "\n".join(rows)


def read_comparison(path: Path) -> tuple[Comparison, str]:
    """Return what a run file of one kind of board and two policies measured, and the command that made it."""
    about, *chunks = map(json.loads, path.read_text("utf-8").splitlines())
    [request], names = about["parameters"]["requests"], about["parameters"]["policies"]
    tallies = [Tally.total([Tally.from_json(chunk["tallies"][k]) for chunk in chunks]) for k in range(2)]
    pairs = tuple(sum(chunk["pairs"][k] for chunk in chunks) for k in range(4))
    one, other = (Measurement(board_request(None, **request), *both) for both in zip(names, tallies, strict=True))
    return Comparison(one, other, pairs), about["command"]


def strong_table() -> str:
    """Return the table of strong against safest in Markdown."""
    columns = ["board", "first click", "boards", "won by `safest`", "won by `strong`", "difference, paired"]
    rows = [f"| {' | '.join(columns)} |", "|" + "---|" * len(columns)]
    found = [read_comparison(path)[0] for path in (RESULTS / "strong").glob("*.jsonl")]
    for one in sorted(found, key=lambda c: (ORDER.index(c.first.board), c.first.request.first_click, c.first.start)):
        m, (low, high) = one.first, one.difference.interval
        cells = [m.board, f"{m.request.first_click}, {m.start}", f"{one.boards:,}", per_cent(one.second.win_share),
                 per_cent(m.win_share), f"{100 * one.difference.value:+.2f} ({100 * low:+.2f} to {100 * high:+.2f})"]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


if __name__ == "__main__":
    print(f"{table()}\n\n{strong_table()}")
