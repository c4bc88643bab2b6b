"""The compiled calls: judging boards by their number, judging given minefields, chances of positions."""

from __future__ import annotations

from typing import Any

from minesolve.engine.board import UNKNOWN, Board, bbbv, lay_mines, settle
from minesolve.engine.compiling import entry_kernel, kernel
from minesolve.engine.draws import below, first_state, next_state, shuffle_mines, unsigned
from minesolve.engine.play import NEEDS_GUESS, WIDEST, Desk, play
from minesolve.engine.screen import needs_guess

__all__ = ["ANY", "OPENING", "SAFE", "draw_board", "draw_boards", "judge_boards", "judge_laid"]

OPENING, SAFE, ANY = 0, 1, 2
"""Conventions of the first click."""


@kernel
def _legal_places(board: Board, start: int, first_click: int) -> int:
    """Write the places where mines may lie to `board.drawn`, ascending; return how many there are."""
    count = 0
    for p in board.places:
        distance = abs(p - start)
        if first_click == ANY or distance > board.stride + 1:
            legal = True
        elif first_click == SAFE:
            legal = distance != 0
        else:
            legal = 1 < distance < board.stride - 1
        if legal:
            board.drawn[count] = p
            count += 1
    return count


@entry_kernel
def draw_board(
    board: Board, mines: int, start: int, first_click: int, seed: int, index: int
) -> int:
    """Draw the mines of one board to the front of `board.drawn`; return the place of the start (-1: drawn as well)."""
    state = first_state(seed, index)
    if start < 0:
        state = next_state(state)
        start = board.places[below(state, len(board.places))]
    count = _legal_places(board, start, first_click)
    shuffle_mines(state, board.drawn, count, mines)
    return start


@entry_kernel
def draw_boards(
    board: Board, mines: int, start: int, first_click: int, seed: int, indices: Any, masks: Any
) -> None:
    """Draw the boards of some indices; `masks` holds a row of zeros for each, and gets ones on the mines."""
    for i in range(len(indices)):
        draw_board(board, mines, start, first_click, seed, unsigned(indices[i]))
        for j in range(mines):
            p = board.drawn[j]
            masks[i, (p // board.stride - 1) * board.width + p % board.stride - 1] = 1


@entry_kernel
def judge_laid(desk: Desk, mines: int, cells: Any, are_mines: Any, max_layer: int) -> tuple[int, int]:
    """Settle places, safe or mines, and play on; return what `play` says, and the 3BV of a solved board, else 0.

    With `mines` 0 or more the board starts anew with that many of the cells in `board.drawn`; with -1 play goes on.
    """
    board = desk.board
    if mines >= 0:
        lay_mines(board, mines)
        desk.steps[:] = 0
        desk.widths[:] = 0
    for i in range(len(cells)):
        if board.status[cells[i]] == UNKNOWN:
            settle(board, cells[i], are_mines[i])
    layer = play(desk, max_layer)
    return layer, bbbv(board) if layer >= 0 else 0


@entry_kernel
def judge_boards(
    desk: Desk, mines: int, start: int, first_click: int, seed: int, first: int, screen: bool, max_layer: int,
    starts: Any, layers: Any, steps: Any, metrics: Any, widths: Any,
) -> None:  # fmt: skip
    """Judge the boards `first`, `first` + 1, ... of a seed, as many as the result arrays are long.

    `start` is a place, or -1 for a random one. Results, by board: the start's cell, the verdict, and for
    the boards that need no guess the steps of each layer, the 3BV and the width of the widest step.
    """
    board = desk.board
    for i in range(len(layers)):
        place = draw_board(board, mines, start, first_click, seed, first + unsigned(i))
        lay_mines(board, mines)
        starts[i] = (place // board.stride - 1) * board.width + place % board.stride - 1
        layers[i] = NEEDS_GUESS
        metrics[i] = widths[i] = 0
        desk.steps[:] = 0
        desk.widths[:] = 0
        if not board.walls[place] and not (screen and needs_guess(board, mines, place)):
            settle(board, place, 0)
            layers[i] = play(desk, max_layer)
        for layer in range(4):
            steps[i, layer] = desk.steps[layer] if layers[i] >= 0 else 0
        if layers[i] >= 0:
            metrics[i] = bbbv(board)
            widths[i] = desk.widths[WIDEST]
