"""The engine again, slow and from the definitions, on Python integers and sets: what the kernels must equal."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

from minesolve.grid import Grid
from minesolve.position import FLAG, MINE, Position

ALL = 2**64 - 1


def _mix(z):
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & ALL
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & ALL
    return z ^ (z >> 31)


def draw(width, height, mines, *, start, seed, index, first_click):
    """Return (start, set of mines)."""
    golden = 0x9E3779B97F4A7C15
    state = _mix((_mix((seed + golden) & ALL) + index) & ALL)

    def below(n):
        nonlocal state
        state = (state + golden) & ALL
        return _mix(state) * n >> 64

    grid = Grid(width, height)
    if start is None:
        start = below(len(grid))
    banned = {"opening": {start, *grid.neighbours(start)}, "safe": {start}, "any": set()}[first_click]
    legal = [cell for cell in range(len(grid)) if cell not in banned]
    for j in range(mines):
        k = j + below(len(legal) - j)
        legal[j], legal[k] = legal[k], legal[j]
    return start, set(legal[:mines])


def solutions(constraints):
    """Return every set of mines, among the cells of the constraints, that satisfies all of them."""
    cells = sorted(set().union(*(cells for cells, _ in constraints)))
    found = []

    def extend(i, mines, left):
        if any(need < 0 or need > len(room) for room, need in left):
            return
        if i == len(cells):
            found.append(frozenset(mines))
            return
        for mine in (False, True):
            rest = [(room - {cells[i]}, need - (mine and cells[i] in room)) for room, need in left]
            extend(i + 1, mines | {cells[i]} if mine else mines, rest)

    extend(0, frozenset(), [(frozenset(room), need) for room, need in constraints])
    return found


def _common(cells, layouts):
    """Return cells that are the same in all layouts: {cell: is a mine}."""
    return {
        cell: cell in layouts[0]
        for cell in cells
        if all(cell in layout for layout in layouts) or not any(cell in layout for layout in layouts)
    }


class Player:
    """Plays a minefield by certain moves, layer by layer, as DESIGN defines the layers."""

    def __init__(self, width, height, mines):
        self.grid, self.mines = Grid(width, height), mines
        self.numbers = [len(mines & set(self.grid.neighbours(cell))) for cell in range(len(self.grid))]
        self.opened, self.known = set(), {}

    def open(self, cells):
        waiting = list(cells)
        while waiting:
            cell = waiting.pop()
            if cell not in self.opened:
                assert cell not in self.mines, "an unsafe cell was called safe"
                self.opened.add(cell)
                waiting += self.grid.neighbours(cell) if self.numbers[cell] == 0 else []

    def constraints(self):
        found = []
        for cell in sorted(self.opened):
            around = set(self.grid.neighbours(cell)) - self.opened
            need = self.numbers[cell] - sum(self.known.get(n, False) for n in around)
            if around - self.known.keys():
                found.append((frozenset(around - self.known.keys()), need))
        return found

    def unknown(self):
        return [cell for cell in range(len(self.grid)) if cell not in self.opened and cell not in self.known]

    def all_layouts(self):
        rest = len(self.mines) - sum(self.known.values())
        return [
            set(chosen)
            for chosen in combinations(self.unknown(), rest)
            if all(len(room.intersection(chosen)) == need for room, need in self.constraints())
        ]

    def once(self, layer):
        """Return what one pass of a layer finds."""
        constraints, found = self.constraints(), {}
        if layer == 4:
            return _common(self.unknown(), self.all_layouts())
        if layer == 3:
            groups = [tuple(constraints)] if constraints else []
        else:
            groups = [group for size in range(1, layer + 1) for group in combinations(constraints, size)]
            groups = [group for group in groups if layer == 1 or len(group) == 1 or group[0][0] & group[1][0]]
        for group in groups:
            found.update(_common(set().union(*(room for room, _ in group)), solutions(group)))
        return found

    def look(self, layer):
        """Run layers 1 to `layer` to exhaustion; return the safe cells found that are still covered."""
        running = True
        while running:
            running = False
            for k in range(1, layer + 1):
                found = self.once(k)
                if found:
                    self.known.update(found)
                    running = True
                    break
        return [cell for cell, mine in self.known.items() if not mine and cell not in self.opened]

    def play(self, opened, max_layer):
        """Return (hardest layer or -1, steps of each layer)."""
        steps = [0, 0, 0, 0]
        self.open(opened)
        while len(self.opened) + len(self.mines) < len(self.grid):
            for layer in range(1, max_layer + 1):
                safe = self.look(layer)
                if safe:
                    steps[layer - 1] += 1
                    self.open(safe)
                    break
            else:
                return -1, [0, 0, 0, 0]
        return max((k + 1 for k in range(4) if steps[k]), default=0), steps


def bbbv(width, height, mines):
    """Return the clicks that open a board: openings, and numbers beside no zero."""
    player = Player(width, height, mines)
    clicks = 0
    for zero in (True, False):
        for cell in range(len(player.grid)):
            if cell not in mines and cell not in player.opened and (player.numbers[cell] == 0 or not zero):
                player.open([cell])
                clicks += 1
    return clicks


def chances(position: Position, density=None, *, trust_flags=False):
    """Return {cell: Fraction} over all layouts, None if there is none."""
    known = (MINE, FLAG) if trust_flags else (MINE,)
    codes, grid = position.cells, position.grid
    unknown = [cell for cell, code in enumerate(codes) if code > 8 and code not in known]
    shown = {cell for cell, code in enumerate(codes) if code in known}
    counts = range(len(unknown) + 1) if position.mines is None else [position.mines - len(shown)]
    weigh = {cell: Fraction(0) for cell in unknown}
    everything = Fraction(0)
    for count in counts:
        weight = Fraction(1) if density is None else density**count * (1 - density) ** (len(unknown) - count)
        for chosen in combinations(unknown, count) if count >= 0 else ():
            mines = shown.union(chosen)
            if all(len(mines.intersection(grid.neighbours(c))) == code for c, code in enumerate(codes) if code <= 8):
                everything += weight
                for cell in chosen:
                    weigh[cell] += weight
    return {cell: met / everything for cell, met in weigh.items()} if everything else None
