"""Workers that are processes of this machine."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from intent.errors import IntentError
from intent.parallel.calls import LARGE, Call
from intent.parallel.flight import flown

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

__all__ = ["Processes", "open_processes"]

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


class Processes:
    """A pool of processes; `Workers`' contract.

    Parameters
    ----------
    executor : ProcessPoolExecutor
    size : int, processes
    folder : Path, where functions with much data of their own wait for the processes
    """

    notes: Sequence[str] = ()

    def __init__(self, executor: ProcessPoolExecutor, size: int, folder: Path) -> None:
        self._executor, self.size, self._folder = executor, size, folder
        self._stored = 0

    def map(
        self, function: Callable[[Any], Any], items: Iterable[Any], *, ordered: bool = True
    ) -> Iterator[Any]:
        """As `Workers.map`."""
        call = self._lightened(Call(function))
        return flown(
            items,
            lambda item: self._executor.submit(call, item),
            _first,
            lambda: self.size,
            ordered=ordered,
            telling=self._telling,
        )

    def _lightened(self, call: Call) -> Call:
        """The call; where it carries much, one that each process reads once, in place of with every piece."""
        packed = pickle.dumps(call, protocol=5)
        if len(packed) <= LARGE:
            return call
        self._stored += 1
        path = self._folder / f"{self._stored}.pickle"
        path.write_bytes(packed)
        return Call(partial(_from_file, str(path)))

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """That a worker ended, in one line."""
        from concurrent.futures.process import BrokenProcessPool

        try:
            yield
        except BrokenProcessPool:
            raise IntentError(
                f"one of {self.size} worker processes ended while at work (killed, or out of memory); fewer "
                "--workers need less memory"
            ) from None


@contextmanager
def open_processes(size: int) -> Iterator[Processes]:
    """Processes for the length of a block, which start as work comes; an error ends them at once.

    Parameters
    ----------
    size : int, processes
    """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    context = multiprocessing.get_context("spawn")
    executor = ProcessPoolExecutor(size, mp_context=context, initializer=prepare_worker)
    try:
        with TemporaryDirectory(prefix="intent-") as folder:
            yield Processes(executor, size, Path(folder))
    except BaseException:
        for process in list((getattr(executor, "_processes", None) or {}).values()):
            process.terminate()  # the executor itself would wait for what is being worked on
        raise
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


def _from_file(path: str, item: Any) -> Any:
    return _call_in(path).function(item)


@lru_cache(maxsize=1)
def _call_in(path: str) -> Call:
    """What the process that started this one wrote, into a folder of its own."""
    with open(path, "rb") as stream:
        call: Call = pickle.load(stream)  # noqa: S301 - of our own parent, below a folder that only it can write
    return call


def prepare_worker() -> None:
    """Libraries keep to one thread, set before any of them is loaded; Ctrl-C ends the worker at once."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    for name in THREADS:
        os.environ.setdefault(name, "1")


def _first(waiting: Sequence[Future[Any]]) -> Future[Any]:
    from concurrent.futures import FIRST_COMPLETED, wait

    done = wait(waiting, return_when=FIRST_COMPLETED).done
    return next(one for one in waiting if one in done)
