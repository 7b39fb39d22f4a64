"""Work drawn by several threads."""

from __future__ import annotations

import itertools
import threading

import pytest

from intent.arena.sandbox.monty import spread


@pytest.mark.parametrize("workers", [1, 3])
def test_every_item_is_done_once(workers: int) -> None:
    assert sorted(spread(range(50), lambda n: n * n, workers)) == [n * n for n in range(50)]


def test_nothing_to_do_gives_nothing() -> None:
    assert list(spread([], str, 2)) == []


def test_items_are_drawn_as_threads_get_free() -> None:
    items = itertools.count()
    results = spread(items, lambda n: n, 2)
    assert {next(results) for _ in range(4)} <= set(range(12))
    results.close()
    assert next(items) < 12


@pytest.mark.parametrize("place", ["work", "items"])
def test_an_error_is_raised_where_results_are_taken(place: str) -> None:
    def items() -> object:
        yield 1
        if place == "items":
            raise KeyError("items")
        yield 2

    def work(n: object) -> object:
        if n == 2:
            raise KeyError("work")
        return n

    before = set(threading.enumerate())
    with pytest.raises(KeyError, match=place):
        list(spread(items(), work, 2))  # type: ignore[arg-type]
    assert all(t.daemon for t in set(threading.enumerate()) - before)
