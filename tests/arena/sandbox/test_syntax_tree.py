"""Trees of sources that several threads read at once, as the threads of an engine do."""

from __future__ import annotations

import ast
import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from intent.arena.sandbox.normal_form import syntax_tree

SOURCE = "def strategy(self, opponent):\n" + "".join(f"    y{i} = [1, (2 + {i}) * 2]\n" for i in range(300))


class Rubbish:
    """What only the collector frees, by a function of Python, at which another thread may go on."""

    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        sum(range(10))


@contextmanager
def hurry() -> Iterator[None]:
    """Threads change places as often as they can."""
    often, interval = gc.get_threshold(), sys.getswitchinterval()
    gc.set_threshold(5)
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        gc.set_threshold(*often)
        sys.setswitchinterval(interval)


def test_threads_that_read_at_once_get_their_trees() -> None:
    """CPython 3.11.7 raises SystemError in some of such readings, and the strategy was not played."""
    trees: list[str] = []

    def read() -> None:
        for _ in range(40):
            trees.append(type(syntax_tree(SOURCE).body[0]).__name__)
            for _ in range(30):
                Rubbish()

    threads = [threading.Thread(target=read) for _ in range(6)]
    with hurry():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert trees == ["FunctionDef"] * 240
    assert ast.dump(syntax_tree(SOURCE)) == ast.dump(ast.parse(SOURCE))
