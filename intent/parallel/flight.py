"""A few pieces of work in flight at a time, drawn as earlier ones come back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

from intent.parallel.calls import opened

__all__ = ["PER_WORKER", "Pending", "flown"]

PER_WORKER = 2
"""Pieces in flight for each worker: one that is worked on, one that waits for it."""


class Pending(Protocol):
    """A result to come, as ``concurrent.futures`` and Dask have them."""

    def result(self) -> Any: ...
    def cancel(self) -> Any: ...


P = TypeVar("P", bound=Pending)


def flown(
    items: Iterable[Any],
    submit: Callable[[Any], P],
    first: Callable[[Sequence[P]], P],
    size: Callable[[], int],
    *,
    ordered: bool,
    telling: Callable[[], AbstractContextManager[None]],
) -> Iterator[Any]:
    """Results of the items; what has not begun is cancelled where the iterator is closed, or fails.

    Parameters
    ----------
    items : iterable
    submit : item -> its result to come
    first : of those that are waited for, one that is done
    size : () -> workers, asked again before each draw, since a cluster may grow
    ordered : bool
        In the order of the items; False: as they are done.
    telling : () -> context in which what goes wrong with the workers becomes one line; items are drawn
        outside of it, whose errors are their own

    Raises
    ------
    Exception
        As `opened`.
    """
    waiting: list[P] = []
    source = iter(items)
    more = True
    try:
        while more or waiting:
            while more and len(waiting) < PER_WORKER * size():
                try:
                    item = next(source)
                except StopIteration:
                    more = False
                    break
                with telling():
                    waiting.append(submit(item))
            if waiting:
                with telling():
                    done = waiting[0] if ordered else first(waiting)
                    outcome = done.result()
                waiting = [one for one in waiting if one is not done]
                del done
                yield opened(outcome)
    finally:
        for one in waiting:
            one.cancel()
