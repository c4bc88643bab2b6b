"""What each part of the policy strong is worth: variants on the same boards as safest, paired, with 95 % intervals.

    python benchmarks/ablation.py --boards 20000
    python benchmarks/ablation.py --boards 20000 --only "no end game"

Each variant changes one setting of `minesolve.engine.guessing.SETTINGS["strong"]`. Prints Markdown.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from minesolve.engine import guessing
from minesolve.engine.games import play_boards
from minesolve.statistics import paired_difference

BOARDS = {
    "expert, safe corner": (30, 16, 99, 0, "safe"),
    "expert, opening r4c4": (30, 16, 99, 93, "opening"),
    "intermediate, safe corner": (16, 16, 40, 0, "safe"),
    "intermediate, opening r3c3": (16, 16, 40, 34, "opening"),
    "beginner, safe corner": (9, 9, 10, 0, "safe"),
    "beginner, opening r3c3": (9, 9, 10, 20, "opening"),
}
STRONG = guessing.SETTINGS["strong"]
VARIANTS = {
    "strong": {},
    "no end game": {"layouts": 0},
    "end game of 256 layouts, 2,000 sets": {"layouts": 256, "sets": 2_000},
    "end game of 8,192 layouts, 100,000 sets": {"layouts": 8192, "sets": 100_000},
    "learned value alone": {"near": 0.0},
    "safety of the next move alone": {"near": 1.0},
    "the same, no end game": {"near": 1.0, "layouts": 0},
    "16 candidates, 8 beside no number": {"most": 16, "outside": 8},
    "5 candidates, 2 beside no number": {"most": 5, "outside": 2},
    "candidates from 0.7 of the best safety": {"ratio": 0.7, "most": 16},
    "two steps for 4 candidates within 0.02": {"deep": 4, "inner": 6, "margin": 0.02},
    "two steps for 8 candidates within 0.2": {"deep": 8, "inner": 8, "margin": 0.2},
}
_CHUNK = 50


def won(board: str, policy: str, boards: int, threads: int) -> tuple[np.ndarray, float]:
    """Return which boards were won, and the games per second and thread."""
    width, height, mines, start, first_click = BOARDS[board]

    def play(first: int) -> np.ndarray:
        count = min(_CHUNK if policy == "strong" else 5000, boards - first)
        return play_boards(width, height, mines, start=start, count=count, seed=7, first=first,
                           first_click=first_click, policy=policy).ends == 1  # fmt: skip

    play(0)
    begun = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        ends = list(pool.map(play, range(0, boards, _CHUNK if policy == "strong" else 5000)))
    return np.concatenate(ends), boards / (time.perf_counter() - begun) / threads


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--boards", type=int, default=20_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", action="append", choices=VARIANTS, help="Only this variant; may be repeated.")
    parser.add_argument("--on", action="append", choices=BOARDS, help="Only these boards; may be repeated.")
    options = parser.parse_args()
    for board in options.on or list(BOARDS)[:2]:
        base, _ = won(board, "safest", options.boards, options.threads)
        print(f"\n{board}, {options.boards:,} boards; safest wins {100 * base.mean():.2f} %\n")
        print("| variant | won | less safest | games per core-second |\n|---|---|---|---|", flush=True)
        for name in options.only or VARIANTS:
            guessing.SETTINGS["strong"] = STRONG._replace(**VARIANTS[name])
            ends, speed = won(board, "strong", options.boards, options.threads)
            more, fewer = int((ends & ~base).sum()), int((base & ~ends).sum())
            gain = paired_difference(more, fewer, options.boards)
            low, high = gain.interval
            points = f"{100 * gain.value:+.2f} ({100 * low:+.2f} to {100 * high:+.2f})"
            print(f"| {name} | {100 * ends.mean():.2f} % | {points} | {speed:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
