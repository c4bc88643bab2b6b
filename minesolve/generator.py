"""Boards that never need a guess, drawn uniformly from all boards that satisfy a request.

Board after board is drawn, as `minesolve.minefield` does it, judged, and let through or dropped: nothing is repaired,
so every board that satisfies the request is equally likely. Board `index` of a seed is let through or not whatever is
asked for besides, so the order and content of the boards depend on neither workers nor chance.

The judge is the compiled engine, the layered solver (`minesolve.proof`, slow: the same boards come out), or a callable.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from typing import Literal, Protocol

from minesolve import grade as grades
from minesolve.draws import LARGEST_RANGE
from minesolve.errors import GenerationFailed
from minesolve.metrics import board_metrics
from minesolve.minefield import FirstClick, Minefield, Start, start_cell
from minesolve.proof import CERTAIN_LAYERS, verify
from minesolve.request import OUTCOMES, Request, board_size, layers_allowed
from minesolve.statistics import wilson

__all__ = ["GIVE_UP", "Boards", "Judge", "Judgement", "NoGuessBoard", "failure", "generate"]

GIVE_UP = 10_000_000, 600.0
"""Attempts in a row, and seconds, without a board after which generation fails where no other limit is given."""

_LARGEST_CHUNK = 4096  # boards that are judged in one go
_SHORT, _LONG = 0.05, 0.2  # seconds; chunks that take less grow, those that take more shrink


class Judgement(Protocol):
    """What a judge may say about a board; `minesolve.proof.Proof` is one."""

    @property
    def ok(self) -> bool:
        """Whether the board needs no guess."""

    @property
    def layer(self) -> str | None:
        """The hardest layer that is needed, ``"none"`` if none is."""

    @property
    def steps(self) -> Mapping[str, int]:
        """The steps of each layer."""

    @property
    def widest(self) -> int:
        """How many numbers the widest step looks at together."""


Judge = Callable[[Minefield, int], "Judgement | bool"]
"""Takes a minefield and its start. A bool says whether to let the board through, and leaves layers and grade open."""


@dataclass(frozen=True, slots=True)
class NoGuessBoard:
    """A board that needs no guess.

    Attributes
    ----------
    minefield : Minefield
    start : int
        The cell to open first.
    seed, index : int
        It is board `index` of `seed`: `Minefield.random` with the same size, mines and start draws it again.
    layer : str or None
        The hardest layer that is needed; ``"none"`` if the start opens everything. None if the judge does not say.
    steps : mapping of str to int
        How often each layer was the cheapest one that found a safe cell; empty if the judge does not say.
    widest : int
        How many numbers the widest step looks at together; see `minesolve.grade`.
    bbbv : int
        3BV.
    """

    minefield: Minefield
    start: int
    seed: int
    index: int
    layer: str | None
    steps: Mapping[str, int] = field(hash=False)
    widest: int
    bbbv: int

    @property
    def grade(self) -> str | None:
        """The grade for people; None if the judge does not say what the board needs."""
        return None if self.layer is None else grades.grade(self.steps, self.widest)


def generate(
    level: str | None = None, *, count: int = 1, seed: int = 0, start: Start = "centre", max_layer: str = "total",
    exactly: str | None = None, width: int | None = None, height: int | None = None, mines: int | None = None,
    first_click: FirstClick = "opening", min_3bv: int = 0, max_3bv: int | None = None,
    judge: Literal["engine", "solve"] | Judge = "engine", workers: int = 1, first: int = 0,
    max_attempts: int | None = None, time_limit: float | None = None,
) -> Boards:  # fmt: skip
    """Return an iterator over boards that never need a guess, each as likely as any other.

    Parameters
    ----------
    level : str
        ``"beginner"``, ``"intermediate"`` or ``"expert"``; or else give `width`, `height` and `mines`.
    count : int
        How many boards.
    seed : int
        0 to 2**64 - 1. The same seed gives the same boards for ever.
    start : int or str
        The cell that is opened first: an index, a name such as ``"r8c15"``, ``"centre"``, ``"corner"``, ``"random"``.
    max_layer, exactly : str
        The hardest layer that a board may need, or must need: ``"single"``, ``"pair"``, ``"component"``, ``"total"``.
    first_click : str
        ``"opening"``, ``"safe"`` or ``"any"``, as in `minesolve.minefield`.
    min_3bv, max_3bv : int
    judge : str or callable
        ``"engine"``, ``"solve"`` (the same boards, a few dozen a second), or a callable that takes a minefield and its
        start and returns a `Judgement` or, where layers don't matter, a bool.
    workers : int
        Threads that judge boards; the engine is the judge that gains by them. What comes out does not depend on them.
    first : int
        The index of the first attempt.
    max_attempts, time_limit : int, float
        Boards to try, seconds to take. Without either, `GIVE_UP` is the limit.

    Raises
    ------
    GenerationFailed
        At once if no board can satisfy the request; later, from the iterator, at a limit, with the number of attempts
        and an upper bound on the share of boards that do.
    ValueError
        If an argument makes no sense.

    Examples
    --------
    >>> board = next(generate("beginner", seed=7))
    >>> board.minefield == Minefield.random(9, 9, 10, seed=7, index=board.index)
    True
    >>> board.layer, board.bbbv, board.grade
    ('single', 12, 'trivial')
    """
    columns, rows, total = board_size(level, (width, height, mines))
    request = Request(
        columns, rows, total, None if start == "random" else start_cell(columns, rows, start), first_click, seed,
        layers_allowed(max_layer, exactly), (min_3bv, LARGEST_RANGE if max_3bv is None else max_3bv),
    )  # fmt: skip
    return Boards(
        request, count=count, first=first, judge=judge, workers=workers, max_attempts=max_attempts,
        time_limit=time_limit,
    )  # fmt: skip


def failure(found: int, count: int, attempts: int) -> GenerationFailed:
    """Return the error that says so many boards of `count` were found before a limit was reached."""
    bound = wilson(found, attempts)[1]
    return GenerationFailed(
        f"found {found} of {count} boards in {attempts} attempts: at most {bound:.2g} of all boards satisfy the "
        "request (upper end of the 95 % interval)", attempts=attempts, bound=bound)


_Chunk = tuple[int, list[NoGuessBoard]]
"""The index after the last one tried, and the boards that were let through, in order."""

_JudgeRange = Callable[[int, int], list[NoGuessBoard]]
"""Takes first and last index (exclusive) and returns the boards that are let through, in order."""


class Boards(Iterator[NoGuessBoard]):
    """The boards of a request, one after the other; made by `generate`.

    Attributes
    ----------
    request : Request
    found : int
        Boards let through so far.
    attempts : int
        Boards tried so far, up to the last one that was let through.
    """

    def __init__(
        self, request: Request, *, count: int, first: int, judge: Literal["engine", "solve"] | Judge, workers: int,
        max_attempts: int | None, time_limit: float | None,
    ):  # fmt: skip
        if min(count, first) < 0 or any(n is not None and n <= 0 for n in (workers, max_attempts, time_limit)):
            raise ValueError("count and first are at least 0, workers and limits above 0")
        self.request, self.found, self.attempts = request, 0, 0
        self._count, self._first, self._workers, self._time_limit = count, first, workers, time_limit
        self._limited = max_attempts is not None or time_limit is not None
        self._end = 2**64 if max_attempts is None else min(first + max_attempts, 2**64)
        self._judge, self._size = _judge_of(request, judge), 16
        self._boards = self._run()

    def __next__(self) -> NoGuessBoard:
        return next(self._boards)

    @property
    def rate(self) -> float:
        """The share of attempts that were let through; NaN before the first."""
        return self.found / self.attempts if self.attempts else float("nan")

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the rate."""
        return wilson(self.found, self.attempts)

    def _run(self) -> Iterator[NoGuessBoard]:
        if self._count == 0:
            return
        began = now = time.monotonic()
        last, last_time = 0, now
        with closing(self._chunks() if self._workers == 1 else self._chunks_ahead()) as chunks:
            for end, boards in chunks:
                for board in boards:
                    self.found += 1
                    self.attempts = last = board.index - self._first + 1
                    yield board
                    if self.found == self._count:
                        return
                self.attempts, now = end - self._first, time.monotonic()
                if boards:
                    last_time = now
                if self._time_limit is not None and now - began >= self._time_limit:
                    break
                if not self._limited and (self.attempts - last >= GIVE_UP[0] or now - last_time >= GIVE_UP[1]):
                    break
        raise failure(self.found, self._count, self.attempts)

    def _ranges(self) -> Iterator[tuple[int, int]]:
        """Yield first and last index (exclusive) of chunks; their sizes follow the time they take."""
        begin = self._first
        while begin < self._end:
            end = min(begin + self._size, self._end)
            yield begin, end
            begin = end

    def _chunk(self, begin: int, end: int) -> _Chunk:
        started = time.monotonic()
        boards = self._judge(begin, end)
        took = time.monotonic() - started
        if took < _SHORT:
            self._size = min(2 * self._size, _LARGEST_CHUNK)
        elif took > _LONG:
            self._size = max(self._size // 2, 1)
        return end, boards

    def _chunks(self) -> Generator[_Chunk, None, None]:
        for begin, end in self._ranges():
            yield self._chunk(begin, end)

    def _chunks_ahead(self) -> Generator[_Chunk, None, None]:
        """Yield the chunks in order while workers judge the next ones."""
        pool = ThreadPoolExecutor(self._workers)
        running: deque[Future[_Chunk]] = deque()
        try:
            for begin, end in self._ranges():
                running.append(pool.submit(self._chunk, begin, end))
                if len(running) > self._workers:
                    yield running.popleft().result()
            while running:
                yield running.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


def _judge_of(request: Request, judge: Literal["engine", "solve"] | Judge) -> _JudgeRange:
    if judge == "engine":
        return lambda begin, end: _by_engine(request, begin, end)
    call: object = (lambda minefield, start: verify(minefield, start=start)) if judge == "solve" else judge
    if not callable(call):
        raise ValueError(f"a judge is engine, solve or a callable, not {judge!r}")
    return lambda begin, end: _by_callable(request, call, begin, end)


def _by_engine(request: Request, begin: int, end: int) -> list[NoGuessBoard]:
    from minesolve import engine  # loads numba

    r = request
    ranks = [OUTCOMES.index(name) for name in r.layers]
    found = engine.judge_boards(
        r.width, r.height, r.mines, start=r.start, count=end - begin, seed=r.seed, first=begin,
        first_click=r.first_click, max_layer=max(ranks),
    )  # fmt: skip
    fits = (found.layers >= min(ranks)) & (found.bbbv >= r.bbbv[0]) & (found.bbbv <= r.bbbv[1])
    chosen = fits.nonzero()[0]
    masks = engine.draw_minefields(
        r.width, r.height, r.mines, start=r.start, seed=r.seed, indices=[begin + i for i in chosen.tolist()],
        first_click=r.first_click,
    )  # fmt: skip
    columns = (found.starts, found.layers, found.steps, found.widest, found.bbbv)
    return [
        NoGuessBoard(Minefield(r.width, r.height, mask.tobytes()), start, r.seed, begin + i, OUTCOMES[layer],
                     dict(zip(CERTAIN_LAYERS, steps, strict=True)), widest, bbbv)
        for i, mask, start, layer, steps, widest, bbbv in zip(
            chosen.tolist(), masks, *(column[chosen].tolist() for column in columns), strict=True)
    ]


def _by_callable(request: Request, judge: Judge, begin: int, end: int) -> list[NoGuessBoard]:
    boards = []
    for index in range(begin, end):
        minefield, start = request.draw(index)
        board = _judged(request, judge(minefield, start), minefield, start, index)
        if board is not None and request.bbbv[0] <= board.bbbv <= request.bbbv[1]:
            boards.append(board)
    return boards


def _judged(
    request: Request, found: Judgement | bool, minefield: Minefield, start: int, index: int
) -> NoGuessBoard | None:
    """Return the board if the judge lets it through and its layer is asked for."""
    if isinstance(found, bool):
        if request.layers != OUTCOMES:
            raise ValueError("a judge that only says yes or no can't tell which layer a board needs")
        if not found:
            return None
        return NoGuessBoard(minefield, start, request.seed, index, None, {}, 0, board_metrics(minefield).bbbv)
    if not found.ok or found.layer not in request.layers:
        return None
    return NoGuessBoard(minefield, start, request.seed, index, found.layer, dict(found.steps), found.widest,
                        board_metrics(minefield).bbbv)
