import io
import json
import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from minesolve.errors import ParseError
from minesolve.formats import FORMATS, Board, format_for, gameid, lost, read_boards, text, write_boards
from minesolve.formats.bits import from_digits, to_digits
from minesolve.formats.board import LARGEST, truth_of
from minesolve.formats.rawvf import _Mouse
from minesolve.game import Action, Game
from minesolve.minefield import Minefield
from minesolve.notation import Glyphs
from minesolve.position import MINE, Position

CORPUS = Path(__file__).parent.parent / "corpora" / "rules"
PARSED = [json.loads(line) for line in (CORPUS / "parser.jsonl").read_text().splitlines()]
TRIANGLE = Minefield.from_cells(5, 4, [2, 8, 15])  # the board of JSMinesweeper's examples


def read(data, name, source="<bytes>"):
    return list(read_boards(io.BytesIO(data), name, source))


def write(boards, name):
    return b"".join(write_boards(boards, name))


def field(*rows):
    return Minefield.from_text("\n".join(rows))


# Texts as they are found


@pytest.mark.parametrize("case", PARSED, ids=[case["id"] for case in PARSED])
def test_texts_as_found(case):
    raw = case["raw"].encode()
    if case["text"] is None:
        with pytest.raises(ParseError, match="line"):
            read(raw, "text")
        return
    (board,) = read(raw, "text")
    expected = read(f"size: {len(case['text'][0])}x{len(case['text'])}\n{chr(10).join(case['text'])}".encode(), "text")
    assert board.position.cells == expected[0].position.cells


@pytest.mark.parametrize(("raw", "is_minefield"), [
    ("..*\n...", True), ("size: 2x1\n..", True), ("size: 2x1\nmines: 0\n..", True), ("mines: 1\n.*", True),
    ("..\n..", False), ("size: 2x1\nmines: ?\n..", False),
    ("mines: 2\n.*", False), ("1*", False), ("#*", False), ("0*", False), ("..F", False)])
def test_what_text_is_a_minefield(raw, is_minefield):
    board = text.parse(raw)
    assert (board.position is None) == is_minefield


def test_text_that_is_read_by_guessing_says_so():
    assert text.parse(".*").notes == ("read as a minefield, because it has only free cells and mines",)
    assert text.parse("size: 2x1\n.*").notes == ()
    assert text.parse("..\n..").notes == ("read . as covered, because no other cell is covered",)


def test_truth_that_counting_tells():
    assert text.parse("1*1\n111").minefield.mine_cells == (1,)
    assert text.parse("mines: 1\n1#1\n111").minefield.mine_cells == (1,)
    assert text.parse("1#1\n111").minefield is None
    assert text.parse("mines: 1\n2#1\n111").minefield is None
    assert truth_of(Position(2, 1, bytes([10, 10]), 2)).mine_cells == (0, 1)
    assert text.parse("mines: 1\n*1#\n111").minefield is None
    assert text.parse("mines: 1\n*1#\n#1#").minefield.mine_cells == (0,)


def test_several_texts_in_one_file():
    data = b"; first\nsize: 2x1\nmines: 1\n\n#1\nsize: 3x1\n; start: r1c3\n*1.\n"
    one, two = read(data, "text")
    assert (one.position.cells, two.minefield, two.start) == (bytes([9, 1]), field("*1."), 2)
    with pytest.raises(ParseError) as caught:
        read(data + b"size: 1x1\n\nq\n", "text", "three.txt")
    assert (caught.value.line, caught.value.column, caught.value.source) == (11, 1, "three.txt")


def test_glyphs():
    boards = list(read_boards(io.BytesIO(b"o o 1"), "text", glyphs=Glyphs(covered="o")))
    assert boards[0].position.cells == bytes([9, 9, 1])
    with pytest.raises(ValueError, match="in text only"):
        read_boards(io.BytesIO(b""), "mbf", glyphs=Glyphs(covered="o"))


# Vectors from the programs the formats come from


def test_mask_of_the_puzzle_collection():
    for bits, masked in [("1234567", "07fa650")]:
        assert to_digits(gameid.mask(from_digits(bits, 4, 28)), 4) == masked
        assert to_digits(gameid.unmask(from_digits(masked, 4, 28)), 4) == bits
    masked, plain, bare = read(
        b"9x9:4,4,mb071b49fbd1cb6a0d5868\n9x9:4,4,u004000007c00010022080\n9x9:004000007c00010022080\n", "gameid")
    assert masked == plain
    assert (masked.start, bare.start, bare.minefield) == (40, None, plain.minefield)
    assert write([masked, bare], "gameid") == b"9x9:4,4,mb071b49fbd1cb6a0d5868\n9x9:mb071b49fbd1cb6a0d5868\n"


def test_mbf_of_jsminesweeper():
    data = bytes.fromhex("05 04 0003 0200 0301 0003")
    assert read(data, "mbf") == [Board(minefield=TRIANGLE)]
    assert write([Board(minefield=TRIANGLE)], "mbf") == data
    assert read(bytes.fromhex("05 04 0003 0003 0301 0200"), "mbf") == [Board(minefield=TRIANGLE)]


def test_mine_of_jsminesweeper():
    (board,) = read(b"5x4x3\r\n01F2H\r\n01HHH\r\n11111\r\nH1000", "mine")
    assert board.position == Position.from_text("size: 5x4\nmines: 3\n.1F2#\n.1###\n11111\n#1...")
    assert board.minefield is None
    assert write([board], "mine") == b"5x4x3\n01F2H\n01HHH\n11111\nH1000\n"


def test_mine_of_the_java_program():
    (board,) = read(b"5x4x3\n01M2h\n01HmH\n11111\nm1000", "mine")
    assert board.minefield == TRIANGLE
    assert board.position.to_text().split()[-4:] == [".1F2#", ".1###", "11111", "#1..."]
    assert read(write([board], "mine"), "mine") == [board]
    (partial,) = read(b"5x4x3\n01M2h\n01HHH\n11111\nH1000", "mine")
    assert partial.minefield is None


def test_link_of_the_zini_tools():
    for link in (b"?b=54&m=420g", b"b=54&m=420g", b"https://llamasweeper.com/#/game/board-editor?b=0504&m=420g",
                 b"https://pttacgfans.github.io/Minesweeper-ZiNi-Calculator/?b=54&m=420g"):
        assert read(link, "link") == [Board(minefield=TRIANGLE)]
    assert write([Board(minefield=Minefield(9, 100, bytes(900)))], "link").split(b"?")[1] == (
        b"b=009100&m=" + b"0" * 180 + b"\n")
    assert b"?b=3&m=" in write([Board(minefield=Minefield(30, 16, bytes(480)))], "link")
    assert read(b"?b=3&d=1&m=" + b"0" * 96, "link")[0].notes == ("left out d=, which is not about the board",)


RAWVF = b"""RawVF_Version: Rev6
Program: Minesweeper Arbiter
Player: A: B
Level: Custom
Width: 5
Height: 2
Mines: 2
Marks: Off
Board:
*0*00
00000
Events:
start
-0.10 mv 1 1 (4 4)
0.50 rc 1 1 (4 4)
0.50 rr 1 1 (4 4)
Flag 1 1
1.00 lc 2 2 (20 20)
1.00 lr 1 2 (4 20)
Cell opened (Number 1) 1 2
1.50 lc 1 2 (4 20)
1.60 rc 1 2 (4 20) (l)
2.00 lr 1 2 (4 20)
2.10 rr 1 2 (4 20)
3.00 mc 4 1 (50 4)
3.25 mr 4 1 (50 4)
3.50 sc 4 2 (50 20)
3.75 lr 4 2 (50 20)
4.00 lc 9 9 (150 150)
4.00 lr 9 9 (150 150)
5.00 lc 3 1 (40 4)
5.50 lr 3 1 (40 4)
5.50 blast
6.00 lc 4 1 (50 4)
6.00 lr 4 1 (50 4)
"""


def test_rawvf_events_become_actions():
    (board,) = read(RAWVF, "rawvf")
    assert board.minefield == field("*.*..", ".....")
    assert board.metadata == {"Program": "Minesweeper Arbiter", "Player": "A: B"}
    assert board.actions == (
        Action("flag", 0, 0.5), Action("open", 5, 1.0), Action("chord", 5, 2.0), Action("chord", 3, 3.25),
        Action("chord", 8, 3.75), Action("open", 2, 5.5))
    game = board.replay()
    assert (game.status, game.time, game.effective_actions) == ("lost", 4.5, 4)


def test_rawvf_of_llamasweeper_counts_columns_from_0_and_pixels_count():
    data = (b"RawVF_Version: Rev6.2\nProgram: LlamaSweeper\nWidth: 5\nHeight: 2\nMarks: Off\nSuperClick: On\n"
            b"SquareSize: 64\nBoard:\n*0*00\n00000\nEvents:\n0.000 lc 0 1 (10 70)\n0.000 lr 0 1 (10 70)\n"
            b"0.500 rc 0 0 (63 63)\n0.500 rr 0 0 (63 63)\n1.000 lc 0 1 (10 70)\n1.000 lr 0 1 (10 70)\n")
    (board,) = read(data, "rawvf")
    assert board.actions == (Action("open", 5, 0.0), Action("flag", 0, 0.5), Action("chord", 5, 1.0))


def test_a_mouse_in_other_hands():
    """The buttons against ms-toollib's state machine, up to a chord on a zero, which opens things there."""
    peer = pytest.importorskip("ms_toollib", reason="ms-toollib, the peer to compare with, is not installed")
    dice, compared = random.Random(2), 0
    for index in range(400):
        width, height = dice.choice([(8, 6), (5, 9)])
        minefield = Minefield.random(width, height, dice.randint(3, 12), first_click="opening", seed=9, index=index)
        codes = [-1 if code == MINE else code for code in minefield.numbers()]
        board = peer.MinesweeperBoard([codes[at : at + width] for at in range(0, len(codes), width)])
        mouse = _Mouse(Game(minefield), superclick=False)
        start = minefield.grid.at(width // 2, height // 2)
        events, left, right = [("lc", start), ("lr", start)], False, False
        for _ in range(60):
            cell = events[-1][1] if dice.random() < 0.5 else dice.randrange(width * height)
            if dice.random() < 0.5:
                events.append(("lr" if left else "lc", cell))
                left = not left
            else:
                events.append(("rr" if right else "rc", cell))
                right = not right
        for event, cell in events:
            if mouse.left and mouse.right and mouse.game.shown(cell) == 0:
                break
            board.step(event, divmod(cell, width))
            mouse.act(event, cell, 0.0)
            if mouse.game.status != "playing":
                break
            shown = [10 if code == 9 else 11 if code == 10 else code for code in mouse.game.position.cells]
            assert [code for row in board.game_board for code in row] == shown, events
            compared += 1
    assert compared > 5000


# What can't be read


MBF = bytes.fromhex("05040003020003010003")


@pytest.mark.parametrize(("name", "data", "said"), [
    ("mbf", b"", "header of 4 bytes, found 0"),
    ("mbf", MBF[:3], "header of 4 bytes"),
    ("mbf", MBF[:-1], "expected 10 bytes for 3 mines, found 9"),
    ("mbf", MBF + b"\0", "found 11"),
    ("mbf", MBF + b"\0" * 200_000, "found more than"),
    ("mbf", b"\0\4\0\0", "found 0x4"),
    ("mbf", bytes([5, 4, 0, 1, 5, 0]), "found x=5, y=0 at byte 4"),
    ("mbf", bytes([5, 4, 0, 1, 0, 4]), "found x=0, y=4"),
    ("mbf", bytes([5, 4, 0, 2, 1, 1, 1, 1]), "x=1, y=1 again at byte 6"),
    ("mine", b"", "line 1: expected a header"),
    ("mine", b"5x4\n", "line 1: expected a header"),
    ("mine", b"2x1x1\n0q", "line 2, column 2: expected 0 to 8, H, F"),
    ("mine", b"2x1x1\n0", "line 2, column 2: expected a row of 2 cells, found 1"),
    ("mine", b"2x1x1\n0HH", "line 2, column 3: expected a row of 2 cells, found 3"),
    ("mine", b"2x2x1\n0H", "expected 2 rows of 2 cells, found 1"),
    ("mine", b"2x1x3\nHH", "expected 3 mines"),
    ("mine", b"2x1x1\n??", "expected 1 mines as the header says, found 2"),
    ("mine", b"3x1x1\n0?0", "differ at r1c1"),
    ("mine", b"9999999x9999999x1\nH", "expected 9999999 rows"),
    ("gameid", b"", "expected a game id, found none"),
    ("gameid", b"9x9:4,4,mb071", "line 1, column 10: expected 21 hex digits"),
    ("gameid", b"9x9:9,4,mb071b49fbd1cb6a0d5868", "column 5: expected a start on the board"),
    ("gameid", b"9x9n10#12345", "found a seed"),
    ("gameid", b"9x9:r10,u,abcdef", "found a seed"),
    ("gameid", b"3x1:u1", "no bits after the last cell"),
    ("gameid", b"0x4:u", "hex digits for 0x4"),
    ("gameid", b"2x2:u0\n\n2x2:q", "line 3: expected a game id"),
    ("gameid", b"2x2:u0\n\xff", "line 2, column 1: expected text in UTF-8, found the byte 0xff"),
    ("gameid", b"9999999x9999999:u0", "found 1 digits"),
    ("link", b"", "found none"),
    ("link", b"hello", "expected a link"),
    ("link", b"?b=54", "expected a link"),
    ("link", b"?b=54&m=420g&m=420g", "expected a link with one"),
    ("link", b"?b=4&m=0", "expected 1, 2, 3 or a width and a height"),
    ("link", b"?b=9100&m=0", "expected 1, 2, 3 or a width and a height"),
    ("link", b"?b=54&m=420", "expected 4 characters from 0-9 and a-v"),
    ("link", b"?b=54&m=420w", "expected 4 characters"),
    ("link", b"?b=11&m=1", "no bits after the last cell"),
    ("link", b"?b=99999999999999&m=1", "for 9999999x9999999 cells"),
    ("rawvf", b"", "expected a line Board:"),
    ("rawvf", b"hello", "line 1: expected a line such as Width: 30"),
    ("rawvf", b"Board:\n0*\n", "expected a line Events:"),
    ("rawvf", b"Board:\n0*\n0\nEvents:\n", "line 2: expected rows of \\* and 0"),
    ("rawvf", b"Board:\nEvents:\n", "expected rows of \\* and 0"),
    ("rawvf", b"Width: 3\nBoard:\n0*\nEvents:\n", "expected width 3 as the header says, found 2"),
    ("rawvf", b"Mines: 2\nBoard:\n0*\nEvents:\n", "expected mines 2"),
    ("rawvf", b"Board:\n0*\nEvents:\n1.0 zz 1 1 (0 0)", "line 4: expected an event"),
    ("rawvf", b"Board:\n0*\nEvents:\n1.0 lc", "expected a place"),
    ("rawvf", b"Board:\n0*\nEvents:\n1.0 mt 1 1", "question marks all game long"),
    ("rawvf", b"Elmar: On\nBoard:\n0*\nEvents:\n", "elmar"),
    ("rawvf", b"SquareSize: 0\nBoard:\n0*\nEvents:\n", "SquareSize"),
    ("jsonl", b"{", "line 1, column 2: expected JSON"),
    ("jsonl", b"[" * 100_000, "nested"),
    ("jsonl", b"[]", "expected a JSON object"),
    ("jsonl", b"{}", "expected width and height"),
    ("jsonl", b'{"width": 1, "height": true}', "expected int for height"),
    ("jsonl", b'{"width": 1, "height": 1}', "a position, a minefield, or both"),
    ("jsonl", b'{"width": 2, "height": 1, "minefield": ["."]}', "a row of 2 cells in row 1"),
    ("jsonl", b'{"width": 2, "height": 1, "minefield": [".#"]}', "found '#'"),
    ("jsonl", b'{"width": 2, "height": 1, "minefield": [".*"], "mines": 2}', "expected 2 mines"),
    ("jsonl", b'{"width": 2, "height": 1, "minefield": [".*"], "position": [".#"]}', "differ at r1c1"),
    ("jsonl", b'{"width": 1, "height": 1, "minefield": ["."], "start": "r1c2"}', "off the board"),
    ("jsonl", b'{"width": 1, "height": 1, "minefield": ["."], "start": {"cell": "r1c1", "x": 1}}', "x and y of r1c1"),
    ("jsonl", b'{"width": 1, "height": 1, "minefield": ["."], "start": 0}', "expected a cell such as"),
    ("jsonl", b'{"width": 1, "height": 1, "minefield": ["."], "actions": [["open", 0]]}', "expected an action"),
    ("jsonl", b'{"width": 1, "height": 1, "position": ["#"], "mines": -1}', "negative"),
    ("jsonl", b'{"width": 1, "height": 1, "position": ["#"], "a": NaN}', "found NaN"),
    ("jsonl", b'{"width": 1' + b"0" * 5000 + b"}", "at most 20 digits"),
    ("text", b"size: 2x1\n; start: r2c2\n.*", "line 2: r2c2 is off the board"),
])
def test_what_cannot_be_read(name, data, said):
    with pytest.raises(ParseError, match=said):
        read(data, name)


def test_boards_before_the_fault_are_read():
    boards = read_boards(io.BytesIO(b"2x2:u0\nnonsense\n"), "gameid")
    assert next(boards).width == 2
    with pytest.raises(ParseError, match="line 2"):
        next(boards)


# What can't be written


@pytest.mark.parametrize("name", ["mbf", "gameid", "link", "rawvf"])
def test_formats_that_need_the_truth(name):
    with pytest.raises(ValueError, match="only a position is known"):
        write([Board(Position(1, 1, bytes([9])))], name)


def test_other_boards_that_cannot_be_written():
    with pytest.raises(ValueError, match="number of mines"):
        write([Board(Position(1, 1, bytes([9])))], "mine")
    with pytest.raises(ValueError, match="up to 255x255, not 256x1"):
        write([Board(minefield=Minefield(256, 1, bytes(256)))], "mbf")
    with pytest.raises(ValueError, match="time of every action"):
        write([Board(minefield=TRIANGLE, actions=(Action("open", 0),))], "rawvf")
    with pytest.raises(ValueError, match="metadata can't be named 'mines'"):
        write([Board(minefield=TRIANGLE, metadata={"mines": 3})], "jsonl")
    for name in ("mbf", "mine", "rawvf"):
        with pytest.raises(ValueError, match="holds one board"):
            write([Board(minefield=TRIANGLE)] * 2, name)
    assert write([], "mbf") == b""
    assert write([Board(minefield=Minefield(255, 255, b"\1" * 255 * 255))], "mbf")[:4] == bytes([255, 255, 254, 1])


@pytest.mark.parametrize(("arguments", "said"), [
    ({}, "a position, a minefield, or both"),
    ({"position": Position(2, 1, bytes(2)), "minefield": Minefield(1, 2, bytes(2))}, "differ in size"),
    ({"position": Position(1, 1, bytes([9]), 1), "minefield": Minefield(1, 1, bytes(1))}, "says 1 mines"),
    ({"position": Position(1, 1, bytes([MINE])), "minefield": Minefield(1, 1, bytes(1))}, "differ at r1c1"),
    ({"minefield": Minefield(1, 1, bytes(1)), "start": 1}, "off the board"),
    ({"position": Position(1, 1, bytes([9])), "actions": (Action("open", 0),)}, "need the minefield"),
    ({"minefield": Minefield(1, 1, bytes(1)), "actions": (Action("open", 1),)}, "action is off the board"),
])
def test_boards_that_contradict_themselves(arguments, said):
    with pytest.raises(ValueError, match=said):
        Board(**arguments)


def test_names():
    assert format_for("A.MBF").name == format_for("x/y.abf").name == "mbf"
    with pytest.raises(ValueError, match=r"there are \.txt"):
        format_for("board.xyz")
    with pytest.raises(ValueError, match="no format is called 'png'"):
        read_boards(io.BytesIO(b""), "png")


# There and back


def a_board(dice):
    width, height = dice.choice([(1, 1), (5, 3), (3, 8), (9, 9), (13, 2), (30, 16)])
    minefield = Minefield(width, height, bytes(dice.random() < dice.choice([0.1, 0.25]) for _ in range(width * height)))
    marks, now = dice.random() < 0.3, 0.0
    game = Game(minefield, question_marks=marks, clock=lambda: now)
    for _ in range(dice.randrange(30)):
        now = round(now + dice.random(), 3 if dice.random() < 0.8 else 6)
        game.act(dice.choice(["open", "flag", "chord"]), dice.randrange(width * height))
    shown = game.position.with_mines(dice.choice([None, minefield.total]))
    keep = dice.choice(["position", "minefield", "both", "game"])
    return Board(
        position=shown if keep in ("position", "both") else None,
        minefield=minefield if keep != "position" else None,
        start=dice.choice([None, dice.randrange(width * height)]),
        actions=game.actions if keep == "game" else (),
        question_marks=keep == "game" and marks,
        metadata=dice.choice([{}, {"Player": "who: ever", "Time": "3.5"}, {"seed": 2**64 - 1, "x": None, "a": [1.5]}]))


def same(board, again, kept):
    """Say whether all that was kept came back, and nothing that was not there was made up."""
    if "position" in kept and again.position is None:  # it shows nothing that the minefield doesn't
        assert set(board.position.cells) <= {0, MINE} or (
            set(board.position.cells) <= {9, MINE} and board.position.cells.count(MINE) == board.total)
    elif "position" in kept:
        assert again.position in (board.position, board.position.with_mines(board.total))
    if "minefield" in kept:
        assert again.minefield == board.minefield
    elif again.minefield is not None:
        assert again.minefield == truth_of(board.position)
    assert again.start == (board.start if "start" in kept else None)
    actions = board.actions if "actions" in kept else ()
    if "actions" in kept and "times below a millisecond" in board.parts() and "times below a millisecond" not in kept:
        actions = tuple(Action(a.kind, a.cell, round(a.time, 3)) for a in actions)
    assert again.actions == actions
    assert again.question_marks == ("question marks" in kept)
    assert again.metadata == (board.metadata if {"metadata", "structured metadata"} & kept else {})


@pytest.mark.parametrize("name", FORMATS)
def test_there_and_back(name):
    dice, written = random.Random(4), 0
    for _ in range(300):
        board = a_board(dice)
        try:
            data = write([board], name)
        except ValueError:
            assert board.minefield is None
            continue
        (again,) = read(data, name)
        same(board, again, set(board.parts()) - set(lost(board, name)))
        assert write([again], name) == data
        written += 1
    assert written > 100


@pytest.mark.parametrize("name", [name for name, each in FORMATS.items() if each.many])
def test_many_there_and_back(name):
    dice = random.Random(5)
    boards = [Board(minefield=Minefield.random(7, 4, dice.randrange(20), first_click="any", seed=6, index=i))
              for i in range(50)]
    assert read(write(boards, name), name) == boards


def sgt_mines():
    return shutil.which("sgt-mines") or shutil.which("sgt-mines", path="/usr/games")


@pytest.mark.skipif(sgt_mines() is None, reason="sgt-mines (Debian package sgt-puzzles) is not installed")
def test_ids_of_sgt_mines_to_every_format_and_back():
    data = b""
    for count, parameters, mines in [(120, "30x16n99", 99), (50, "16x16n40", 40), (30, "7x10n12", 12)]:
        made = subprocess.run([sgt_mines(), "--generate", str(count), f"{parameters}#2024"], check=True, timeout=300,
                              capture_output=True, env={**os.environ, "HOME": "/nonexistent"}).stdout
        assert {board.minefield.total for board in read(made, "gameid")} == {mines}
        data += made
    boards = read(data, "gameid")
    assert len(boards) == 200
    assert write(boards, "gameid") == data
    assert all(board.minefield.number(board.start) == 0 for board in boards)
    for name, each in FORMATS.items():
        for board, line in zip(boards, data.splitlines(keepends=True), strict=True):
            (again,) = read(write([board], name), name)
            assert again.minefield == board.minefield
            if "start" in each.keeps:
                assert again == board
                assert write([again], "gameid") == line


def test_a_file_of_lines_may_be_longer_than_one_board():
    line = write([Board(minefield=Minefield(100, 100, bytes(10_000)))], "jsonl")
    count = LARGEST // len(line) + 2
    assert sum(1 for _ in read_boards(io.BytesIO(line * count), "jsonl")) == count
