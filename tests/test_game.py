import json
import random
import time
from pathlib import Path

import pytest

from minesolve.errors import GenerationFailed
from minesolve.game import Action, Game, shown_time
from minesolve.metrics import replay_metrics
from minesolve.minefield import Minefield

CORPUS = Path(__file__).parent.parent / "corpora" / "rules"
PLAYED = [case for line in (CORPUS / "play.jsonl").read_text().splitlines() if "actions" in (case := json.loads(line))]


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


class NaiveGame:
    """The rules once more, slowly, from their text: sets of (x, y) and recursion."""

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


def rows(game):
    text = game.position.to_text()
    return text[text.index("\n\n") + 2 :].split()


def field(*lines):
    return Minefield.from_text("\n".join(lines))


@pytest.mark.parametrize("case", PLAYED, ids=[case["id"] for case in PLAYED])
def test_known_faults(case):
    game = Game(field(*case["minefield"]))
    opened = []
    for kind, x, y in case["actions"]:
        game.act(kind, game.grid.at(x, y))
        opened.append(sum(code <= 8 for code in game.position.cells))
    assert rows(game) == case["shown"]
    assert game.status == case["status"]
    assert opened == case.get("opened", opened)
    assert {game.grid.xy(cell) for cell in game.fatal} == {tuple(cell) for cell in case.get("fatal", [])}
    if "bbbv_solved" in case:
        assert replay_metrics(game).bbbv_solved == case["bbbv_solved"]


@pytest.mark.parametrize("flagged", [[], [0, 2]])
def test_a_chord_whose_flags_do_not_match_changes_nothing(flagged):
    game = Game(field("*.."))
    game.open(1)
    for cell in flagged:
        game.flag(cell)
    before = game.position
    assert game.chord(1) == ()
    assert game.position == before
    assert game.status == "playing"


def compare(game, naive, clock):
    assert rows(game) == naive.rows()
    assert game.status == naive.status
    assert game.counter == len(naive.mines) - len(naive.flags)
    to_xy = game.grid.xy
    assert {to_xy(cell) for cell in game.flags} == naive.flags
    assert {to_xy(cell) for cell in game.question_marks} == naive.questions
    assert {to_xy(cell) for cell in game.fatal} == naive.fatal
    wrong = naive.flags - naive.mines if naive.status == "lost" else set()
    assert {to_xy(cell) for cell in game.wrong_flags} == wrong
    assert game.effective_actions == naive.effective
    assert game.time == naive.time(clock.now)


def play_both(seed):
    dice = random.Random(seed)
    width, height = dice.choice([(1, 1), (1, 6), (6, 1), (4, 3), (5, 7), (8, 5)])
    mines = dice.sample(range(width * height), min(width * height, dice.choice([0, 1, 2, 4, 6, 9])))
    options = {"question_marks": dice.random() < 0.3, "timer": dice.choice(["first click", "first action", "load"]),
               "flag_on_win": dice.random() < 0.3}
    clock = Clock()
    clock.now = dice.randrange(100)
    game = Game(Minefield.from_cells(width, height, mines), clock=clock, **options)
    naive = NaiveGame(width, height, [divmod(m, width)[::-1] for m in mines], now=clock.now, **options)
    compare(game, naive, clock)
    cell = 0
    for _ in range(dice.randrange(5, 60)):
        clock.now += dice.randrange(3)
        if dice.random() < 0.7:
            cell = dice.randrange(width * height)
        kind = dice.choice(["open", "flag", "flag", "chord"])
        if kind == "flag" and dice.random() < 0.5 and mines:
            cell = dice.choice(mines)  # or else chords would hardly ever be right
        if kind == "open" and cell in mines and dice.random() < 0.8:
            continue  # or else games would hardly ever be long
        recorded, before = len(game.actions), game.position
        changed = game.act(kind, cell)
        naive.act(kind, game.grid.xy(cell), clock.now)
        compare(game, naive, clock)
        assert len(set(changed)) == len(changed)
        assert bool(changed) or (game.position == before and len(game.actions) <= recorded + 1)
    again = Game.replay(game.minefield, game.actions, **options)
    assert (again.position, again.status, again.actions) == (game.position, game.status, game.actions)
    return game.status


def test_random_play_against_the_naive_rules():
    ends = [play_both(seed) for seed in range(2000)]
    assert min(map(ends.count, ("won", "lost", "playing"))) > 150


@pytest.mark.slow
def test_much_random_play_against_the_naive_rules():
    for seed in range(10_000, 60_000):
        play_both(seed)


def test_replay_repeats_everything():
    clock = Clock()
    game = Game(field("*....", ".....", "..*.."), clock=clock)
    for moment, (kind, cell) in enumerate([("flag", 0), ("open", 4), ("chord", 1), ("open", 12)]):
        clock.now = 10.0 + moment / 4
        game.act(kind, cell)
    again = Game.replay(game.minefield, game.actions)
    assert game.status == "lost"
    for name in ("position", "status", "counter", "time", "fatal", "wrong_flags", "actions", "effective_actions"):
        assert getattr(again, name) == getattr(game, name)


def test_flags_have_no_limit_and_the_counter_goes_below_zero():
    game = Game(field("*" + "." * 14))
    for cell in range(6):
        assert game.flag(cell) == (cell,)
    assert (game.counter, game.counter_text) == (-5, "-05")
    assert Game(field("*" * 10 + ".")).counter_text == "010"
    assert game.status == "playing"
    assert game.wrong_flags == frozenset()  # no feedback before the end


def test_flagged_cells_cannot_be_opened_and_opened_ones_not_flagged():
    game = Game(field("*..", "..."))
    game.flag(1)
    assert game.open(1) == ()
    game.open(4)
    assert game.flag(4) == ()
    assert game.open(4) == ()


def test_question_marks_block_nothing_and_are_off_by_default():
    game = Game(field("*....", "....."), question_marks=True)
    game.flag(4)
    game.flag(4)
    assert game.question_marks == {4}
    assert rows(game)[0] == "#####"
    game.open(3)
    assert rows(game) == ["#1...", "#1..."]
    assert game.question_marks == frozenset()
    plain = Game(field("*."))
    plain.flag(0)
    plain.flag(0)
    assert plain.question_marks == frozenset()


def test_a_chord_may_open_several_mines():
    game = Game(field("*.*", "*..", "..."))
    game.open(4)
    for wrong in (1, 5, 6):
        game.flag(wrong)
    game.chord(4)
    assert game.status == "lost"
    assert game.fatal == {0, 2, 3}
    assert game.wrong_flags == {1, 5, 6}
    assert rows(game) == ["*F*", "*3F", "F1."]


def test_the_board_is_locked_after_the_end():
    for first in (0, 1):
        game = Game(field("*."))
        game.open(first)
        before = (game.position, game.actions, game.status)
        for kind in ("open", "flag", "chord"):
            for cell in (0, 1):
                assert game.act(kind, cell) == ()
        assert (game.position, game.actions, game.status) == before


def test_won_whatever_the_flags():
    game = Game(field("*.*"))
    game.open(1)
    assert (game.status, rows(game), game.counter) == ("won", ["#2#"], 2)
    courtesy = Game(field("*.*"), flag_on_win=True)
    courtesy.open(1)
    assert (courtesy.status, rows(courtesy), courtesy.counter_text) == ("won", ["F2F"], "000")


@pytest.mark.parametrize(("timer", "began"), [("first click", 4), ("first action", 2), ("load", 0)])
def test_timer_starts(timer, began):
    clock = Clock()
    game = Game(field("*....", ".....", "....*"), timer=timer, clock=clock)
    for moment, kind, cell in [(1, "chord", 3), (2, "flag", 0), (4, "open", 1)]:  # the chord changes nothing
        clock.now = moment
        game.act(kind, cell)
        assert game.time == max(0, moment - began)
    clock.now = 9.5
    assert game.time == 9.5 - began


def test_a_first_click_that_wins_stops_the_timer():
    clock = Clock()
    for timer, expected in [("first click", 0), ("first action", 0), ("load", 3)]:
        clock.now = 2
        game = Game(field("...", "..."), timer=timer, clock=clock)
        clock.now = 5
        game.open(0)
        clock.now = 50
        assert (game.status, game.time) == ("won", expected)


def test_timer_stops_when_lost():
    clock = Clock()
    game = Game(field("*.."), clock=clock)
    game.open(1)
    clock.now = 1.25
    game.open(0)
    clock.now = 7
    assert game.time == 1.25


@pytest.mark.parametrize(("seconds", "whole", "tenths"), [
    (0, "000", "0.0"), (0.999, "000", "0.9"), (59.96, "059", "59.9"), (999.9, "999", "999.9"), (1000, "999", "1000.0"),
    (12345.67, "999", "12345.6")])
def test_shown_time(seconds, whole, tenths):
    assert shown_time(seconds) == whole
    assert shown_time(seconds, tenths=True) == tenths


def test_tenths_are_those_of_the_decimal_number():
    for tenth in range(20_000):
        assert shown_time(tenth / 10, tenths=True) == f"{tenth // 10}.{tenth % 10}"


def test_a_start_that_is_already_open():
    clock = Clock()
    game = Game(field("*..*.", ".....", "....*"), opened=[10], clock=clock)
    assert rows(game) == ["#####", "1112#", "...1#"]
    assert (game.actions, game.time, game.status) == ((), 0, "playing")
    clock.now = 3
    game.flag(0)
    assert game.time == 0
    assert game.chord(5) == (1,)
    clock.now = 5
    assert game.time == 2
    with pytest.raises(ValueError, match="r1c1 is a mine"):
        Game(field("*."), opened=[0])


@pytest.mark.parametrize("board", [["..."], ["***"]])
def test_nothing_left_to_open_is_won(board):
    game = Game(field(*board), opened=[0] if "." in board[0] else [])
    assert (game.status, game.time) == ("won", 0)


def test_mines_are_laid_at_the_first_click():
    game = Game.dealt(8, 5, 12, seed=3, index=4, first_click="safe")
    game.flag(0)
    assert game.open(0) == ()
    assert game.chord(9) == ()
    assert game.minefield is None
    game.open(10)
    assert game.minefield == Minefield.random(8, 5, 12, start=10, seed=3, index=4, first_click="safe")
    assert game.status == "playing"
    assert game.counter == 11


def test_first_click_conventions():
    names = ("opening", "safe", "any")
    met = {name: [Game.dealt(5, 4, 9, seed=i, first_click=name) for i in range(60)] for name in names}
    for games in met.values():
        for game in games:
            game.open(7)
    assert all(game.position.cells[7] == 0 for game in met["opening"])
    assert all(game.status != "lost" for game in met["safe"])
    assert any(game.position.cells[7] != 0 for game in met["safe"])
    assert any(game.status == "lost" for game in met["any"])


def test_mines_that_do_not_fit():
    with pytest.raises(GenerationFailed, match="5x5 takes at most 21"):
        Game.dealt(5, 5, 22)
    game = Game.dealt(5, 5, 21)
    with pytest.raises(GenerationFailed, match="takes at most 16"):
        game.open(12)
    assert (game.minefield, game.actions) == (None, ())
    assert game.open(0)


def test_misuse():
    game = Game(field("*."))
    for cell in (-1, 2):
        with pytest.raises(ValueError, match="off the board"):
            game.open(cell)
    with pytest.raises(ValueError, match="open, flag or chord"):
        game.act("peek", 0)
    with pytest.raises(ValueError, match="timer starts"):
        Game(field("*."), timer="never")


def test_a_million_cells_open_in_one_cascade():
    game = Game(Minefield(1000, 1000, bytes(1_000_000)))
    began = time.process_time()
    changed = game.open(123_456)
    assert time.process_time() - began < 10
    assert len(changed) == 1_000_000
    assert game.status == "won"


def test_actions_are_recorded_with_their_times():
    clock = Clock()
    game = Game(field("*.."), clock=clock)
    clock.now = 1.5
    game.chord(2)
    game.open(1)
    assert game.actions == (Action("chord", 2, 1.5), Action("open", 1, 1.5))
    assert game.effective_actions == 1
