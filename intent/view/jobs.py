"""What takes longer than a page may: computed once in a thread, remembered, asked for again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any

from intent.base.errors import IntentError, one_line
from intent.view.source import DAMAGE

__all__ = ["Failure", "Jobs"]

_AT_ONCE = 2
"""Jobs that run side by side; the others wait their turn."""


@dataclass(frozen=True)
class Failure:
    """Why a value could not be had."""

    why: str


@dataclass(eq=False)
class _Job:
    make: Callable[[], Any]
    kind: Hashable
    ready: threading.Event = field(default_factory=threading.Event)
    value: Any = None


class Jobs:
    """Values by key, each computed once, the latest ones remembered. Any thread may ask.

    Parameters
    ----------
    most : int
        Values that are remembered.
    """

    def __init__(self, most: int = 64) -> None:
        self._most = most
        self._jobs: dict[Hashable, _Job] = {}
        self._latest: dict[Hashable, Any] = {}
        self._under_way: dict[Hashable, _Job] = {}
        self._lock = threading.Lock()
        self._queue: SimpleQueue[_Job | None] = SimpleQueue()
        self._workers = 0
        self._closed = False

    def value(self, key: Hashable, make: Callable[[], Any], wait: float, kind: Hashable = None) -> Any:
        """The value of a key; None as long as it is computed, a `Failure` where it cannot be.

        Parameters
        ----------
        key : hashable
        make : callable, called once in another thread
        wait : float
            Seconds that the caller waits at most.
        kind : hashable, optional
            While the value is computed, the last one of this kind stands in; one of a kind is computed at a
            time.
        """
        with self._lock:
            job = self._jobs.pop(key, None)
            if job is None and kind in self._under_way:
                return self._latest.get(kind)
            if job is None:
                job = self._begin(make, kind)
            self._jobs[key] = job
            while len(self._jobs) > self._most:
                del self._jobs[next(iter(self._jobs))]
        if job.ready.wait(wait):
            return job.value
        return None if kind is None else self._latest.get(kind)

    def _begin(self, make: Callable[[], Any], kind: Hashable) -> _Job:
        job = _Job(make, kind)
        if kind is not None:
            self._under_way[kind] = job
        if self._workers < _AT_ONCE:
            self._workers += 1
            threading.Thread(target=self._work, name="intent-view-job", daemon=True).start()
        self._queue.put(job)
        return job

    def _work(self) -> None:
        while (job := self._queue.get()) is not None:
            if self._closed:
                return
            try:
                job.value = job.make()
            except IntentError as error:
                job.value = Failure(one_line(error))
            except (*DAMAGE, AttributeError, MemoryError, RuntimeError) as error:
                job.value = Failure(f"{type(error).__name__}: {one_line(error)}")
            with self._lock:
                if job.kind is not None:
                    self._under_way.pop(job.kind, None)
                    self._latest[job.kind] = job.value
                    while len(self._latest) > self._most:
                        del self._latest[next(iter(self._latest))]
            job.ready.set()

    def close(self) -> None:
        """Begin nothing any more."""
        self._closed = True
        for _ in range(_AT_ONCE):
            self._queue.put(None)
