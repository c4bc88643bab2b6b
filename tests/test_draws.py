import hashlib

import numpy as np
import pytest

from minesolve.draws import LARGEST_RANGE, SplitMix64
from minesolve.minefield import draw


def test_the_stream_is_splitmix64():
    # The first outputs from state 0, as published with the reference code (https://prng.di.unimi.it/splitmix64.c).
    draws = SplitMix64(0)
    draws._state = 0
    assert [draws.next() for _ in range(3)] == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


def mixed(z):
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@pytest.mark.parametrize(("seed", "index"), [(0, 0), (1, 0), (0, 1), (2**64 - 1, 2**64 - 1), (12345, 678)])
def test_state_and_draws_in_machine_words(seed, index):
    gamma = np.array([0x9E3779B97F4A7C15], dtype=np.uint64)
    state = mixed(mixed(np.array([seed], dtype=np.uint64) + gamma) + np.array([index], dtype=np.uint64))
    draws = SplitMix64(seed, index)
    for n in (1, 2, 7, 480, LARGEST_RANGE):
        state = state + gamma
        word = int(mixed(state)[0])
        # the high half of the product by schoolbook multiplication of 32-bit halves
        high, low = (word >> 32) * n, (word & 0xFFFFFFFF) * n
        assert draws.below(n) == (high + (low >> 32)) >> 32


@pytest.mark.parametrize("wrong", [-1, 2**64])
def test_seed_and_index_are_not_wrapped(wrong):
    with pytest.raises(ValueError, match="seed must be from 0"):
        SplitMix64(wrong, 0)
    with pytest.raises(ValueError, match="index must be from 0"):
        SplitMix64(0, wrong)


@pytest.mark.parametrize("wrong", [0, -3, LARGEST_RANGE + 1])
def test_range_of_draws(wrong):
    with pytest.raises(ValueError, match="among"):
        SplitMix64(0).below(wrong)


# Boards that must never change, neither between versions nor between machines: width, height, mines, start, convention,
# seed, index, and then the start and the first digits of SHA-256 of the mines, a byte (0 or 1) a cell.
FOR_EVER = [
    (9, 9, 10, "centre", "opening", 0, 0),
    (16, 16, 40, "corner", "safe", 1, 2),
    (30, 16, 99, "centre", "opening", 7, 1000),
    (30, 16, 99, "r4c4", "safe", 2**64 - 1, 2**64 - 1),
    (30, 16, 99, "random", "opening", 42, 3),
    (7, 5, 34, 0, "any", 3, 3),
    (100, 60, 1200, "random", "any", 9, 9),
]
HASHES = [
    (40, "87dab9083b6ccbab"),
    (0, "cc7a9ee50f20a55e"),
    (255, "70832013c3f4a589"),
    (93, "4aa7509cb5407a19"),
    (210, "f5654e5e4cf1bbb4"),
    (0, "b666ba59bdc89103"),
    (5419, "76bfed1a370b5596"),
]


@pytest.mark.parametrize(("board", "expected"), list(zip(FOR_EVER, HASHES, strict=True)))
def test_boards_are_fixed_for_ever(board, expected):
    width, height, mines, start, first_click, seed, index = board
    field, cell = draw(width, height, mines, start=start, first_click=first_click, seed=seed, index=index)
    assert (cell, hashlib.sha256(field.mines).hexdigest()[:16]) == expected
