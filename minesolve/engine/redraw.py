"""Another layout in the place of the truth: drawn among all that are possible in the position, each as likely.

So a game that would be lost can go on: the layout is drawn again until the cell that is opened is safe, and what comes
after is a game as it would have been played had the guess been lucky. Draws are of 53 bits, and ways are floats: shares
are right to some 1e-12.
"""

# mypy: disable-error-code="no-any-return"
# (arrays and compiled kernels are Any to mypy; it is the compiler that checks types here)

from __future__ import annotations

from minesolve.engine.board import MINES_LEFT, NEED, UNKNOWN, UNKNOWN_LEFT, Board, known_mines
from minesolve.engine.chances import CHOOSE
from minesolve.engine.compiling import kernel
from minesolve.engine.draws import below, next_state, share
from minesolve.engine.frontier import CELLS, COMPONENTS, Frontier
from minesolve.engine.play import Desk
from minesolve.engine.states import States
from minesolve.engine.total import end_state

__all__ = ["redraw"]


@kernel
def _last_place(frontier: Frontier, states: States, state: int) -> int:
    """Draw how many mines all components have, as a place in the chain's last row."""
    ways, weight, last = states.ways, states.weight, frontier.count[COMPONENTS]
    start, stop, everything, met, chosen = states.chain_row[last], states.chain_row[last + 1], 0.0, 0.0, -1
    for at in range(start, stop):
        everything += ways[at] * weight[at]
    mark = share(state) * everything
    for at in range(start, stop):
        if ways[at] * weight[at] > 0.0 and (chosen < 0 or met <= mark):
            chosen = at
        met += ways[at] * weight[at]
    return chosen - start


@kernel
def _mines_of(frontier: Frontier, states: States, component: int, x: int, state: int) -> int:
    """Draw how many mines more than the fewest a component has, when x more than the fewest lie in it and all before.

    That is one step back along the chain.
    """
    ways, start = states.ways, states.chain_row
    end = end_state(frontier, states, component)
    first, length = start[component] + x, start[component + 1] - start[component]
    least, most = max(0, x - length + 1), min(x, states.high[end] - states.low[end])
    everything, met, chosen = 0.0, 0.0, -1
    for m in range(least, most + 1):
        everything += ways[first - m] * ways[states.row[end] + m]
    mark = share(state) * everything
    for m in range(least, most + 1):
        weight = ways[first - m] * ways[states.row[end] + m]
        if weight > 0.0 and (chosen < 0 or met <= mark):
            chosen = m
        met += weight
    return chosen


@kernel
def _ways_before(frontier: Frontier, states: States, s: int, size: int, t: int, used: int) -> tuple[float, int]:
    """Return the layouts that come to state t by way of state s, and the mines that the box between them has."""
    for v in range(states.least[s], states.most[s] + 1):
        if states.child[states.first[s] - states.least[s] + v] == t:
            if states.alive[s] and states.low[s] <= used - v <= states.high[s]:
                return states.ways[states.row[s] + used - v - states.low[s]] * CHOOSE[size, v], v
            return 0.0, v
    return 0.0, 0


@kernel
def _draw_boxes(frontier: Frontier, states: States, component: int, mines: int, state: int) -> int:
    """Draw how many mines each box of a component has, backward through its states, to `frontier.chain`."""
    layers, begin = states.layers_of[component], frontier.box_start[component]
    t, used = end_state(frontier, states, component), mines
    for i in range(frontier.box_start[component + 1] - begin - 1, -1, -1):
        box = frontier.order[begin + i]
        first, last = states.layer[layers + i], states.layer[layers + i + 1]
        everything, met, chosen, mines_in_box = 0.0, 0.0, -1, 0
        for s in range(first, last):
            everything += _ways_before(frontier, states, s, frontier.box_size[box], t, used)[0]
        state = next_state(state)
        mark = share(state) * everything
        for s in range(first, last):
            weight, v = _ways_before(frontier, states, s, frontier.box_size[box], t, used)
            if weight > 0.0 and (chosen < 0 or met <= mark):
                chosen, mines_in_box = s, v
            met += weight
        t, used = chosen, used - mines_in_box
        frontier.chain[box] = mines_in_box
    return state


@kernel
def _draw_cells(board: Board, frontier: Frontier, component: int, state: int) -> int:
    """Lay the mines of each box on its cells."""
    left, size = frontier.chain, frontier.box_size
    for i in range(frontier.cell_start[component], frontier.cell_start[component + 1]):
        p = frontier.cells[i]
        box = frontier.box_of[p]
        state = next_state(state)
        mine = 1 if below(state, size[box]) < left[box] else 0
        board.walls[p] = mine
        left[box] -= mine
        size[box] -= 1
    for i in range(frontier.cell_start[component], frontier.cell_start[component + 1]):
        size[frontier.box_of[frontier.cells[i]]] += 1
    return state


@kernel
def _draw_outside(desk: Desk, mines: int, state: int) -> int:
    """Lay so many mines on the cells beside no number."""
    board, left = desk.board, desk.board.count[UNKNOWN_LEFT] - desk.frontier.count[CELLS]
    for p in board.places:
        if board.status[p] == UNKNOWN and desk.frontier.box_of[p] < 0:
            state = next_state(state)
            mine = 1 if below(state, left) < mines else 0
            board.walls[p] = mine
            mines -= mine
            left -= 1
    return state


@kernel
def _number_cells(board: Board) -> None:
    """Write the numbers of unknown cells anew; those of known ones are the same in all layouts."""
    for p in board.places:
        if board.status[p] == UNKNOWN:
            hidden = 0
            for d in range(8):
                q = p + board.offsets[d]
                hidden += 1 if board.status[q] == UNKNOWN and board.walls[q] else 0
            board.words[p] = (board.words[p] & 0xFFFF) | (hidden << NEED)
            board.numbers[p] = hidden + known_mines(board, p)


@kernel
def redraw(desk: Desk, state: int) -> int:
    """Put another layout in the place of the truth; the position on the desk has been weighed (`weigh_board`).

    What is known to be safe must be open. Returns the state of the draws.
    """
    board, frontier, states = desk.board, desk.frontier, desk.states
    last = frontier.count[COMPONENTS]
    state = next_state(state)
    x = _last_place(frontier, states, state)
    outside = board.count[MINES_LEFT] - states.chain_low[last] - x
    for component in range(last - 1, -1, -1):
        state = next_state(state)
        mines = _mines_of(frontier, states, component, x, state)
        x -= mines
        end = end_state(frontier, states, component)
        state = _draw_boxes(frontier, states, component, states.low[end] + mines, state)
        state = _draw_cells(board, frontier, component, state)
    state = _draw_outside(desk, outside, state)
    _number_cells(board)
    return state
