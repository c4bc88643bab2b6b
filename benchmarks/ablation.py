"""What each part of the policy strong is worth: variants on the same boards, with 95 % intervals.

    python benchmarks/ablation.py --games 16000
    python benchmarks/ablation.py --games 16000 --only "no end game" --on "expert, opening r4c4"
    python benchmarks/ablation.py --games 16000 --value my-value.npz --only "one step"

Parts are taken from, or added to, `minesolve.engine.guessing.SETTINGS["strong"]` looking but one step ahead, which is
faster; `strong` itself, which looks two, is a variant of that, and so is `lookahead`, with shorter ends. Games are
measured by their chances (`minesolve.engine.learning.win_chances`), which have the same mean as the share won:
differences are game by game, and many games are the same in two variants, so that 16,000 mostly tell a tenth of a
point. Prints Markdown.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from minesolve.engine.guessing import SETTINGS
from minesolve.engine.learning import Level, win_chances
from minesolve.engine.value import load_parameters, stored_parameters

LEVELS = {
    "expert, safe corner": Level(30, 16, 99, 0, "safe"),
    "expert, opening r4c4": Level(30, 16, 99, 93, "opening"),
    "intermediate, safe corner": Level(16, 16, 40, 0, "safe"),
    "intermediate, opening r3c3": Level(16, 16, 40, 34, "opening"),
    "beginner, safe corner": Level(9, 9, 10, 0, "safe"),
    "beginner, opening r3c3": Level(9, 9, 10, 20, "opening"),
}
ONE_STEP = SETTINGS["strong"]._replace(deep=0)
VARIANTS = {
    "one step": ONE_STEP,
    "no end game": ONE_STEP._replace(layouts=0),
    "end game of 256 layouts, 2,000 sets": ONE_STEP._replace(layouts=256, sets=2_000),
    "lookahead": SETTINGS["lookahead"],
    "learned value alone": ONE_STEP._replace(near=0.0),
    "learned value for 3/4": ONE_STEP._replace(near=0.25),
    "learned value for 1/4": ONE_STEP._replace(near=0.75),
    "safety of the next move alone": ONE_STEP._replace(near=1.0),
    "16 candidates, 8 beside no number": ONE_STEP._replace(most=16, outside=8),
    "5 candidates, 2 beside no number": ONE_STEP._replace(most=5, outside=2),
    "candidates from 0.8 of the best safety": ONE_STEP._replace(ratio=0.8),
    "candidates from 0.9 of the best safety": ONE_STEP._replace(ratio=0.9),
    "strong": SETTINGS["strong"],
    "strong:2": SETTINGS["strong:2"],
}


def points(differences: np.ndarray) -> str:
    """Return a mean in percentage points, and half its interval."""
    return f"{100 * differences.mean():+.2f} ±{196 * differences.std(ddof=1) / len(differences) ** 0.5:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=16_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", action="append", choices=VARIANTS, help="only this variant; may be repeated")
    parser.add_argument("--on", action="append", choices=LEVELS, help="only these boards; may be repeated")
    parser.add_argument("--value", type=Path, help="other parameters, which all rows but the first value by")
    options = parser.parse_args()
    own = stored_parameters()
    other = load_parameters(options.value) if options.value else own

    def play(level, settings, parameters):
        shared = {"parameters": parameters, "seed": options.seed, "threads": options.threads}
        win_chances(level, options.threads, settings, **shared)  # compiles, if nothing did so far
        begun = time.perf_counter()
        chances = win_chances(level, options.games, settings, **shared)
        assert (chances >= 0).all(), "a game was too large for the arrays"
        return chances, options.games / (time.perf_counter() - begun) / options.threads

    for name in options.on or list(LEVELS)[:2]:
        level = LEVELS[name]
        safest, _ = play(level, None, own)
        print(f"\n{name}, {options.games:,} games; safest wins {100 * safest.mean():.2f} %\n")
        print("| variant | won | less safest | less one step | games per core-second |\n|---|---|---|---|---|")
        first, *others = VARIANTS
        base = None
        for variant, parameters in [(first, own), *((v, other) for v in options.only or others)]:
            chances, speed = play(level, VARIANTS[variant], parameters)
            base = chances if base is None else base
            print(
                f"| {variant} | {100 * chances.mean():.2f} % | {points(chances - safest)} | {points(chances - base)}"
                f" | {speed:,.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
