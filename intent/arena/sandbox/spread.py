"""Work drawn by several threads from one iterator, and its results as they come."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

__all__ = ["spread"]

W = TypeVar("W")
R = TypeVar("R")


def spread(work: Iterable[W], do: Callable[[W], R], workers: int) -> Iterator[R]:
    """``do(item)`` of every item, in the order in which they end.

    Items are drawn as threads get free, and at most ``2 * workers`` results wait to be taken. Closing the
    iterator, or an error in it or in `do`, lets each thread end what it is at and no more.

    Parameters
    ----------
    work : iterable; drawn from by one thread at a time
    do : callable that lets other threads run while it waits
    """
    items = iter(work)
    drawing = threading.Lock()
    stopped = threading.Event()
    results: queue.Queue[tuple[bool, R | BaseException | None]] = queue.Queue(2 * workers)

    def put(last: bool, result: R | BaseException | None) -> None:
        while not stopped.is_set():
            try:
                results.put((last, result), timeout=0.1)
                return
            except queue.Full:
                continue

    def labour() -> None:
        try:
            while not stopped.is_set():
                with drawing:
                    item = next(items)
                put(False, do(item))
        except StopIteration:
            put(True, None)
        except BaseException as error:  # noqa: BLE001 - raised again where the results are taken
            put(True, error)

    threads = [threading.Thread(target=labour, daemon=True) for _ in range(workers)]
    for thread in threads:
        thread.start()
    try:
        left = workers
        while left:
            last, result = results.get()
            if isinstance(result, BaseException):
                raise result
            if last:
                left -= 1
            else:
                yield result  # type: ignore[misc]
    finally:
        stopped.set()
        for thread in threads:
            thread.join()
