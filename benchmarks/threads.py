"""How much faster two threads are than one, on the same work in the same run: python benchmarks/threads.py

Needs a machine of two cores with nothing else to do; the best of three turns each.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from minesolve import engine, generate, measure

TURNS = 3


def judge(threads: int) -> None:
    engine.judge_boards(30, 16, 99, start=255, count=400_000, threads=threads)


def make(threads: int) -> None:
    for _ in generate("expert", count=40_000, workers=threads):
        pass


def play(threads: int) -> None:
    measure("expert", boards=200_000, start="corner", first_click="safe", workers=threads)


def seconds(work: Callable[[int], None], threads: int) -> float:
    began = time.perf_counter()
    work(threads)
    return time.perf_counter() - began


def main() -> None:
    engine.judge_boards(9, 9, 10, start=40, count=1)  # compiled, or loaded, before the clock runs
    engine.play_boards(9, 9, 10, start=40, count=1)
    for name, work in (("judge 400,000", judge), ("generate 40,000", make), ("play 200,000", play)):
        one, two = (min(seconds(work, threads) for _ in range(TURNS)) for threads in (1, 2))
        print(f"{name:16} expert boards: {one:6.2f} s, {two:6.2f} s, {one / two:.2f} times", flush=True)


if __name__ == "__main__":
    main()
