"""The rules of play once more, slowly, from their text: sets of coordinates and recursion. The twin of `minesolve.game`."""

from __future__ import annotations


class NaiveGame:
    def __init__(self, width, height, mines, *, question_marks=False, timer="first click", flag_on_win=False, now=0):
        self.width, self.height, self.mines = width, height, set(mines)
        self.marks_on, self.timer, self.flag_on_win = question_marks, timer, flag_on_win
        self.open_cells, self.flags, self.questions, self.fatal = set(), set(), set(), set()
        self.began = now if timer == "load" else None
        self.over = None
        self.effective = 0
        self.status = "playing"
        self.look(now)

    def cells(self):
        return {(x, y) for x in range(self.width) for y in range(self.height)}

    def around(self, cell):
        x, y = cell
        return {(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy} & self.cells()

    def number(self, cell):
        return len(self.around(cell) & self.mines)

    def reveal(self, cell):
        if cell in self.open_cells or cell in self.flags:
            return
        self.open_cells.add(cell)
        self.questions.discard(cell)
        if cell not in self.mines and self.number(cell) == 0:
            for other in self.around(cell):
                self.reveal(other)

    def state(self):
        return frozenset(self.open_cells), frozenset(self.flags), frozenset(self.questions)

    def look(self, now):
        """Is it over?"""
        if self.open_cells & self.mines:
            self.status, self.fatal = "lost", self.open_cells & self.mines
        elif self.open_cells >= self.cells() - self.mines:
            self.status = "won"
            if self.flag_on_win:
                self.flags, self.questions = set(self.mines), set()
        if self.status != "playing":
            self.over = now

    def act(self, kind, cell, now):
        if self.status != "playing":
            return
        before = self.state()
        getattr(self, kind)(cell)
        if self.state() == before:
            return
        self.effective += 1
        if self.began is None and (self.timer == "first action" or kind in ("open", "chord")):
            self.began = now
        self.look(now)

    def open(self, cell):
        self.reveal(cell)

    def flag(self, cell):
        if cell in self.open_cells:
            return
        if cell in self.flags:
            self.flags.remove(cell)
            if self.marks_on:
                self.questions.add(cell)
        elif cell in self.questions:
            self.questions.remove(cell)
        else:
            self.flags.add(cell)

    def chord(self, cell):
        if cell not in self.open_cells or self.number(cell) == 0:
            return
        if len(self.around(cell) & self.flags) != self.number(cell):
            return
        for other in self.around(cell):
            self.reveal(other)

    def time(self, now):
        if self.began is None:
            return 0
        return (now if self.over is None else self.over) - self.began

    def glyph(self, cell):
        if self.status == "lost" and cell in self.mines:
            return "*"
        if cell in self.open_cells:
            return str(self.number(cell)) if self.number(cell) else "."
        return "F" if cell in self.flags else "#"

    def rows(self):
        return ["".join(self.glyph((x, y)) for x in range(self.width)) for y in range(self.height)]
