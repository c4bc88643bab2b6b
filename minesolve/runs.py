"""Long runs: which boards are played, in chunks that are pure functions of their numbers, by whom, and what is kept.

A chunk is a range of board numbers. It can be played anywhere, in any order, any number of times: the result is the
same. So a run can be shared out to threads or machines, killed and gone on with, and ends with the same numbers.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from minesolve.journal import Journal, made_here
from minesolve.parquet import GamesFile
from minesolve.playing import play_boards
from minesolve.policy import Choose, policy_named
from minesolve.request import Request
from minesolve.statistics import share
from minesolve.tally import Tally
from minesolve.version import VERSION

if TYPE_CHECKING:
    from minesolve.engine import Games

__all__ = ["UNTIL_BOARDS", "Counts", "Job", "Place", "Plan", "Result", "run"]

UNTIL_BOARDS = 100_000_000
"""Boards after which a run stops whose interval does not get narrow enough."""

_SMALLEST, _LARGEST, _PARTS = 100, 10_000, 64


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be played.

    Attributes
    ----------
    requests : tuple of Request
        The boards: size, mines, start, first click, seed.
    policies : tuple of (str or callable)
        One, or two that are compared on the same boards.
    boards : int
        How many of each request.
    until : float or None
        Stop earlier, when the intervals of the share without a guess and of the shares won are at most so wide.
    """

    requests: tuple[Request, ...]
    policies: tuple[str | Choose, ...]
    boards: int
    until: float | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the policies."""
        return tuple(policy_named(policy).name for policy in self.policies)

    @property
    def chunk(self) -> int:
        """How many boards are played in one go: a function of the plan alone."""
        largest = min(policy_named(policy).games for policy in self.policies)
        cells = max(request.width * request.height for request in self.requests)
        fits = max(1, min(largest, _LARGEST * 500 // cells))
        return max(min(self.boards // _PARTS, fits), min(_SMALLEST, fits))

    def parameters(self) -> dict[str, Any]:
        """Return all that the results depend on, as JSON values."""
        kept = ("width", "height", "mines", "start", "first_click", "seed")
        requests = [{name: value for name, value in asdict(r).items() if name in kept} for r in self.requests]
        return {"minesolve": VERSION, "requests": requests, "policies": self.names,
                "boards": self.boards, "until": self.until, "chunk": self.chunk}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Job:
    """One chunk: `count` boards of a request from `first` on; `version` is the minesolve that asks."""

    request: Request
    policies: tuple[str | Choose, ...]
    first: int
    count: int
    rows: bool
    version: str


@dataclass(frozen=True, slots=True)
class Counts:
    """What is counted over boards: a tally for each policy, and for two the boards that both, one or none won.

    `pairs` are won by both, by the first alone, by the second alone, by none; empty for one policy.
    """

    tallies: tuple[Tally, ...]
    pairs: tuple[int, ...] = ()

    @classmethod
    def total(cls, parts: Sequence[Counts]) -> Counts:
        """Add up."""
        tallies = zip(*(part.tallies for part in parts), strict=True)
        pairs = zip(*(part.pairs for part in parts), strict=True)
        return cls(tuple(Tally.total(several) for several in tallies), tuple(sum(several) for several in pairs))

    def to_json(self) -> dict[str, Any]:
        """Return the counts as JSON values."""
        return {"tallies": [tally.to_json() for tally in self.tallies], "pairs": list(self.pairs)}

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Counts:
        """Read what `to_json` wrote."""
        return cls(tuple(Tally.from_json(tally) for tally in found["tallies"]), tuple(found["pairs"]))


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a chunk: the counts, and, if asked for, the games of each policy."""

    counts: Counts
    games: tuple[Games, ...] = ()


def work(job: Job) -> Result:
    """Play a chunk; this is what threads and other machines are asked to do."""
    if job.version != VERSION:
        raise ValueError(f"a worker has minesolve {VERSION}, not {job.version}")
    played = tuple(play_boards(job.request, policy, job.first, job.count) for policy in job.policies)
    pairs: tuple[int, ...] = ()
    if len(played) == 2:
        a, b = (games.ends == 1 for games in played)
        pairs = tuple(int(both.sum()) for both in (a & b, a & ~b, ~a & b, ~(a | b)))
    return Result(Counts(tuple(Tally.of(games) for games in played), pairs), played if job.rows else ())


@dataclass(frozen=True, slots=True)
class Place:
    """Where a run is made and what is kept of it.

    Attributes
    ----------
    workers : int
        Threads.
    scheduler : str or None
        The address of a Dask scheduler, whose workers then play instead.
    out, games : path or None
        The run file, which the same run goes on with; the file of games.
    overwrite : bool
        Whether to start `out` anew.
    progress : callable or None
        Called with the number of a request, the boards played of it, and their counts so far.
    """

    workers: int = 1
    scheduler: str | None = None
    out: str | os.PathLike[str] | None = None
    games: str | os.PathLike[str] | None = None
    overwrite: bool = False
    progress: Callable[[int, int, Counts], None] | None = None


def run(plan: Plan, place: Place) -> list[Counts]:
    """Play what is planned, or what is left of it, and return the counts of each request.

    The counts are the same whatever the place, and however often a run was stopped. ValueError if `place.out` holds
    another run, or if the boards make no sense.
    """
    kept = None
    if place.out is not None:
        about = {"command": _command(), **made_here()}
        keys = ("request", "first", "boards", "tallies", "pairs")
        kept = Journal(place.out, plan.parameters(), about, keys=keys, overwrite=place.overwrite)
    try:
        with GamesFile(place.games, plan.parameters(), plan.names) as file:
            return [_Progress(plan, number, place, kept, file).play() for number in range(len(plan.requests))]
    finally:
        if kept is not None:
            kept.close()


def _command() -> str:
    name = os.path.basename(sys.argv[0])
    return shlex.join(["minesolve" if name == "__main__.py" else name, *sys.argv[1:]])


class _Progress:
    """How far one request of a plan is."""

    def __init__(self, plan: Plan, number: int, place: Place, kept: Journal | None, file: GamesFile):
        self._plan, self._number, self._place, self._kept, self._file = plan, number, place, kept, file
        self._request = plan.requests[number]
        lines = [] if kept is None else [line for line in kept.lines if line["request"] == number]
        self._waiting = {line["first"]: Result(Counts.from_json(line)) for line in lines}
        self._on_file = set(self._waiting)
        if file.wanted:
            self._waiting.clear()  # the rows of games that were played before are not in the run file
        self._done: list[Counts] = []
        self._so_far: Counts | None = None
        self._next, self._is_over = 0, False

    def play(self) -> Counts:
        self._advance()
        with closing(_shared_out(self._jobs(), self._place)) as results:
            while not self._is_over:
                job, result = next(results)
                if self._kept is not None and job.first not in self._on_file:
                    line = {"request": self._number, "first": job.first, "boards": job.count}
                    self._kept.append(line | result.counts.to_json())
                self._waiting[job.first] = result
                self._advance()
        return Counts.total(self._done)

    def _jobs(self) -> Iterator[Job]:
        for first in range(0, self._plan.boards, self._plan.chunk):
            if first not in self._waiting and first >= self._next:
                count = min(self._plan.chunk, self._plan.boards - first)
                yield Job(self._request, self._plan.policies, first, count, self._file.wanted, VERSION)

    def _advance(self) -> None:
        """Count the chunks that are there in order; where a run ends must not depend on which came first."""
        while not self._is_over and self._next in self._waiting:
            result = self._waiting.pop(self._next)
            self._file.write(self._request, self._next, result.games)
            self._done.append(result.counts)
            self._so_far = Counts.total([self._so_far, result.counts] if self._so_far else [result.counts])
            self._next += self._plan.chunk
            self._is_over = self._next >= self._plan.boards or self._is_narrow(self._so_far)
        if self._place.progress is not None and self._so_far is not None:
            waiting = sum(result.counts.tallies[0].boards for result in self._waiting.values())
            self._place.progress(self._number, self._so_far.tallies[0].boards + waiting, self._so_far)

    def _is_narrow(self, counts: Counts) -> bool:
        if self._plan.until is None:
            return False
        tallies = counts.tallies
        shares = [share(tally.won, tally.boards) for tally in tallies]
        shares.append(share(tallies[0].no_guess, tallies[0].boards))
        return all(estimate.width <= self._plan.until for estimate in shares)


def _shared_out(jobs: Iterable[Job], place: Place) -> Generator[tuple[Job, Result], None, None]:
    """Have jobs done, a few at a time, and yield their results as they come."""
    if place.scheduler is not None:
        from minesolve.cluster import on_cluster  # needs the extra

        return on_cluster(jobs, work, place.scheduler)
    return _by_threads(jobs, place.workers)


def _by_threads(jobs: Iterable[Job], workers: int) -> Generator[tuple[Job, Result], None, None]:
    if workers == 1:
        yield from ((job, work(job)) for job in jobs)
        return
    pool, running = ThreadPoolExecutor(workers), dict[Future[Result], Job]()
    try:
        for job in jobs:
            running[pool.submit(work, job)] = job
            if len(running) > workers:
                yield from _finished(running)
        while running:
            yield from _finished(running)
    finally:
        pool.shutdown(cancel_futures=True)


def _finished(running: dict[Future[Result], Job]) -> Iterator[tuple[Job, Result]]:
    done, _ = wait(running, return_when=FIRST_COMPLETED)
    for future in done:
        yield running.pop(future), future.result()
