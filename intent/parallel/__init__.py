"""Work spread over processes of this machine, or over a Dask cluster; results do not depend on where."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from intent.errors import UsageError
from intent.processors import usable_processors

__all__ = ["SERIAL", "Workers", "open_workers"]

T = TypeVar("T")
R = TypeVar("R")

_MOST = 1024


class Workers(Protocol):
    """Who does the work."""

    @property
    def size(self) -> int:
        """How many pieces are worked on at a time."""
        ...

    @property
    def notes(self) -> Sequence[str]:
        """What a reader should know of them: libraries whose versions differ, a cluster without workers."""
        ...

    def map(self, function: Callable[[T], R], items: Iterable[T], *, ordered: bool = True) -> Iterator[R]:
        """Results of the items, which are drawn as needed: a few per worker are in flight.

        What a piece needs of randomness travels with the piece (a spawned seed), never with the worker.
        Closing the iterator cancels what has not begun.

        Parameters
        ----------
        function : callable that other processes can import, or a partial of one
        items : iterable, drawn from in this process
        ordered : bool
            In the order of the items; False: as they are done.

        Raises
        ------
        IntentError
            What `function` raised, as it raised it; or a worker that ended while at work.
        """
        ...


class _Serial:
    size = 1
    notes: Sequence[str] = ()

    def map(
        self, function: Callable[[Any], Any], items: Iterable[Any], *, ordered: bool = True
    ) -> Iterator[Any]:
        return map(function, items)


SERIAL: Workers = _Serial()
"""This process."""


@contextmanager
def open_workers(workers: int | None = 1, dask: str | None = None) -> Iterator[Workers]:
    """Workers for the length of a block.

    Processes start when there is work for them, keep their libraries to one thread each, and end with the
    block. A script that opens several needs the usual ``if __name__ == "__main__":``, since each new process
    reads the script again.

    Parameters
    ----------
    workers : int or None
        Processes on this machine; 1 works in this process, 0 and None take as many as `usable_processors`.
    dask : str, optional
        In place of processes: the address of a Dask scheduler, such as ``tcp://node:8786``, or the JSON file
        that it wrote for its clients (``dask scheduler --scheduler-file``).

    Raises
    ------
    UsageError
        A number below 0, both given, or no scheduler at the address.
    MissingExtraError
        `dask` without the extra ``cluster``.
    """
    if workers is not None and not 0 <= workers <= _MOST:
        raise UsageError(f"--workers {workers}, expected 0 (all processors) to {_MOST}")
    if dask is not None:
        if workers not in (None, 1):
            raise UsageError(f"--workers {workers} and --dask {dask}, expected one of them")
        from intent.parallel.cluster import open_cluster

        with open_cluster(dask) as cluster:
            yield cluster
        return
    size = workers or usable_processors()
    if size == 1:
        yield SERIAL
        return
    from intent.parallel.processes import open_processes

    with open_processes(size) as processes:
        yield processes
