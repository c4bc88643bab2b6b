"""Learn what positions are worth, from nothing: python benchmarks/train_value.py --out value.npz

Games on all levels are recorded (`minesolve.engine.learning`): in the first round by safety, in the rounds after that
by looking ahead with what was learned so far. After each round the model is fitted anew to all records. The target is
the label; for games that looked ahead, 0.7 of it and 0.3 of what looking ahead said at the next guess. Every
twentieth block of records is held out, and the error on those is printed beside that of a constant.

The file goes to minesolve/engine/value.npz. Nothing depends on the number of threads.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from minesolve.engine import learning
from minesolve.engine.learning import Level
from minesolve.engine.value import load_parameters, save_parameters

LEVELS = {
    "expert, safe": (Level(30, 16, 99, 0, "safe"), 1.0),
    "expert, opening": (Level(30, 16, 99, 93, "opening"), 1.0),
    "intermediate, safe": (Level(16, 16, 40, 0, "safe"), 1.0),
    "intermediate, opening": (Level(16, 16, 40, 34, "opening"), 1.0),
    "beginner, safe": (Level(9, 9, 10, 0, "safe"), 1.0),
    "beginner, opening": (Level(9, 9, 10, 20, "opening"), 1.0),
    "12x12, 30 mines": (Level(12, 12, 30, 0, "safe"), 0.2),
    "30x24, 160 mines": (Level(30, 24, 160, 0, "safe"), 0.1),
    "20x10, 25 mines": (Level(20, 10, 25, 0, "safe"), 0.2),
    "8x8, 10 mines": (Level(8, 8, 10, 27, "opening"), 0.2),
    "20x20, 60 mines": (Level(20, 20, 60, 210, "opening"), 0.2),
}
"""What is played, and how much of it."""

AHEAD = 0.3
"""The weight of what looking ahead said, in the target."""


def play(games, parameters, seed, threads):
    """Return the records of a round on all levels, and their target."""
    parts = []
    for name, (level, share) in LEVELS.items():
        began, number = time.perf_counter(), max(round(games * share), 1)
        records, chances = learning.self_play(level, number, parameters=parameters, seed=seed, threads=threads)
        held = chances[chances >= 0]
        print(
            f"  {name:24} {number:8} games  {len(records.label):9} records  chance {100 * held.mean():5.2f}"
            f" +-{196 * held.std() / len(held) ** 0.5:4.2f} %  {time.perf_counter() - began:7.1f} s",
            flush=True,
        )
        parts.append(records)
    records, weight = learning.join(parts), 0.0 if parameters is None else AHEAD
    return records, ((1 - weight) * records.label + weight * records.ahead).astype(np.float32)


def fit(records, target, options):
    """Return parameters fitted to all but the records held out, and print how well they do on those."""
    apart = learning.held_out(records)
    training, testing = np.flatnonzero(~apart), np.flatnonzero(apart)
    parameters = learning.first_parameters(records, options.seed)
    for epochs in (0, options.epochs):
        if epochs:
            parameters = learning.fit(records, target, parameters, which=training, epochs=epochs, seed=options.seed)
        error = learning.mean_squared_error(parameters, records, records.label, testing)
        print(f"  {epochs} epochs: mean squared error on {len(testing)} records held out {error:.5f}", flush=True)
    constant = float(np.mean((records.label[testing] - records.label[training].mean()) ** 2))
    print(f"  a constant: {constant:.5f}", flush=True)
    return parameters


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=500_000, help="games by safety, on each of the main levels")
    parser.add_argument("--own", type=int, default=100_000, help="games that look ahead, in each later round")
    parser.add_argument("--rounds", type=int, default=2, help="rounds, the first by safety")
    parser.add_argument("--epochs", type=int, default=5, help="how often each record is used")
    parser.add_argument("--begin", type=Path, help="parameters to look ahead with, instead of a round by safety")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True, help="where the parameters go; written after each round")
    options = parser.parse_args()
    parameters = load_parameters(options.begin) if options.begin else None
    several = []
    for turn in range(options.rounds):
        print(f"round {turn}: {'by safety' if parameters is None else 'looking ahead'}", flush=True)
        games = options.games if parameters is None else options.own
        several.append(play(games, parameters, options.seed + turn, options.threads))
        records = learning.join([records for records, _ in several])
        parameters = fit(records, np.concatenate([target for _, target in several]), options)
        save_parameters(parameters, options.out)


if __name__ == "__main__":
    main()
