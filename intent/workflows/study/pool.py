"""Independent jobs, in this process or in several."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from typing import Any, Self

__all__ = ["Pool"]


class Pool:
    """Calls of a function, one after the other or on several processes.

    Parameters
    ----------
    workers : int, processes; 1: this one
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._executor: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        if self.workers > 1:
            import multiprocessing

            context = multiprocessing.get_context("spawn")
            self._executor = ProcessPoolExecutor(
                self.workers, mp_context=context, initializer=_prepare_worker
            )
        return self

    def __exit__(self, *_: object) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=True, cancel_futures=True)

    def run(self, call: Callable[..., Any], jobs: Sequence[tuple[Any, ...]]) -> Iterator[tuple[Any, Any]]:
        """(job, result) as they are done."""
        if self._executor is None:
            yield from ((job, call(*job)) for job in jobs)
            return
        waiting: dict[Future[Any], Any] = {self._executor.submit(call, *job): job for job in jobs}
        while waiting:
            ready, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in ready:
                yield waiting.pop(future), future.result()


def _prepare_worker() -> None:
    """Libraries keep to one thread, set before any of them is loaded; Ctrl-C ends the worker at once."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
