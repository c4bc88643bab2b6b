"""Jobs done by the workers of a Dask scheduler; needs the extra ``cluster``.

Dask does a job again elsewhere if its worker dies. Jobs are pure functions, so that changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from itertools import islice
from typing import Any, TypeVar

__all__ = ["on_cluster"]

_Job = TypeVar("_Job")
_Result = TypeVar("_Result")


def on_cluster(
    jobs: Iterable[_Job], work: Callable[[_Job], _Result], scheduler: str
) -> Generator[tuple[_Job, _Result], None, None]:
    """Yield jobs and their results as they come; a few jobs for each thread of the cluster are out at a time.

    Raises
    ------
    ValueError
        If Dask is not installed, or there is no scheduler at that address.
    """
    try:
        import distributed
    except ImportError:
        raise ValueError("a cluster needs Dask: pip install 'minesolve[cluster]'") from None
    dask: Any = distributed  # it has no types
    try:
        client = dask.Client(scheduler, timeout="10s")
    except (OSError, ValueError) as error:
        raise ValueError(f"no Dask scheduler at {scheduler}: {error}") from None
    with client:
        client.wait_for_workers(1)
        todo = iter(jobs)
        out: dict[Any, _Job] = {}

        def submit(count: int) -> list[Any]:
            futures = []
            for job in islice(todo, count):
                future = client.submit(work, job, pure=False, retries=3)
                out[future] = job
                futures.append(future)
            return futures

        running = dask.as_completed(submit(2 * sum(client.nthreads().values()) + 2))
        for future in running:
            yield out.pop(future), future.result()
            running.update(submit(1))
