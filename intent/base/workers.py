"""Work spread over processes of this machine, or over a Dask cluster; results do not depend on where.

Processes are those of ``concurrent.futures``, the cluster is Dask's own client. `stream_results` feeds both:
joblib's ``Parallel`` would go on drawing items and keeping results while nobody takes any, and draw them in a
thread that a database connection refuses.

References
----------
Rocklin 2015, Dask: parallel computation with blocked algorithms and task scheduling, SciPy 2015.
"""

from __future__ import annotations

import json
import logging
import os
import pickle
import socket
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from urllib.parse import urlsplit

from intent.base.errors import IntentError, UsageError, shorten
from intent.base.registry import require
from intent.base.remote import Contact, announce
from intent.version import __version__

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor
    from multiprocessing.context import BaseContext

__all__ = [
    "LARGE",
    "PATIENCE",
    "PER_WORKER",
    "SERIAL",
    "Call",
    "Cluster",
    "Pending",
    "Processes",
    "Raised",
    "Workers",
    "open_cluster",
    "open_processes",
    "open_workers",
    "opened",
    "reachable",
    "stream_results",
    "usable_processors",
    "version_notes",
]


PATIENCE = 5.0
"""Seconds to wait for somebody to answer."""

_SCHEMES = ("tcp", "tls", "inproc")
_LONGEST_FILE = 1 << 20
_EXPECTED = "expected the address that `dask scheduler` prints, as tcp://node:8786"


def reachable(address: str) -> str:
    """The address in full, once somebody listens there.

    Parameters
    ----------
    address : str
        ``tcp://node:8786``, ``node:8786``, ``tls://…``, or the path of a scheduler's JSON file.

    Raises
    ------
    UsageError
        No address, a file that has none, or nobody listens.
    """
    place = (
        _scheduler_address_from_file(Path(address))
        if address.endswith(".json") and "://" not in address
        else address
    )
    place = place if "://" in place else f"tcp://{place}"
    scheme = place.partition("://")[0]
    if scheme not in _SCHEMES:
        raise UsageError(f"--dask {shorten(address)}, {_EXPECTED}")
    if scheme == "inproc":
        return place
    try:
        parts = urlsplit(place)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or not port:
        raise UsageError(f"--dask {shorten(address)}: host and port are missing, {_EXPECTED}")
    announce([Contact(host, port, "Dask scheduler, and the workers that it names")])
    try:
        socket.create_connection((host, port), timeout=PATIENCE).close()
    except (OSError, UnicodeError) as error:
        raise UsageError(
            f"--dask {shorten(address)}: no scheduler answers ({shorten(error)}), {_EXPECTED}"
        ) from None
    return place


def _scheduler_address_from_file(path: Path) -> str:
    try:
        with path.open(encoding="utf8") as stream:
            facts = json.loads(stream.read(_LONGEST_FILE))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"--dask {path}: not the file of a scheduler ({shorten(error)})") from None
    address = facts.get("address") if isinstance(facts, dict) else None
    if not isinstance(address, str):
        raise UsageError(f"--dask {path}: the file names no address, expected that of a scheduler")
    return address


LARGE = 1 << 20
"""Bytes of a function's own data from which on they are sent once, and not with every piece."""


@dataclass(frozen=True, eq=False)
class Raised:
    """An error of a piece of work, as a value: what is raised itself is then wrong with the workers.

    Parameters
    ----------
    error : Exception
    where : str, the traceback in the worker
    """

    error: Exception
    where: str


@dataclass(frozen=True)
class Call:
    """A function of one item, as it travels.

    Parameters
    ----------
    function : callable
    version : str, of the package that sends it
    """

    function: Callable[[Any], Any]
    version: str = __version__

    def __call__(self, item: Any) -> Any:
        """The result, or what was raised: what else goes wrong is then with the workers themselves.

        Another version of this package is refused: its results might be others.
        """
        try:
            if self.version != __version__:
                raise UsageError(
                    f"a worker has version {__version__} of strategy-intent, expected {self.version} as here"
                )
            return self.function(item)
        except Exception as error:  # noqa: BLE001 - raised again where the results are taken
            where = traceback.format_exc()
            try:
                pickle.loads(pickle.dumps(error))  # noqa: S301 - what was just made here
            except Exception:  # noqa: BLE001 - whatever an error's own parts do
                return Raised(RuntimeError(repr(error)), where)
            return Raised(error, where)


def opened(outcome: Any) -> Any:
    """The result of a call.

    Raises
    ------
    Exception
        What was raised in the worker: of the same class, message and attributes.
    """
    if not isinstance(outcome, Raised):
        return outcome
    outcome.error.add_note(f"raised in a worker:\n{outcome.where}")
    raise outcome.error


PER_WORKER = 2
"""Pieces in flight for each worker: one that is worked on, one that waits for it."""


class Pending(Protocol):
    """A result to come, as ``concurrent.futures`` and Dask have them."""

    def result(self) -> Any: ...
    def cancel(self) -> Any: ...


P = TypeVar("P", bound=Pending)


def stream_results(
    items: Iterable[Any],
    submit: Callable[[Any], P],
    first: Callable[[Sequence[P]], P],
    size: Callable[[], int],
    *,
    ordered: bool,
    guard: Callable[[], AbstractContextManager[None]],
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
    guard : () -> context in which what goes wrong with the workers becomes one line; items are drawn
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
                with guard():
                    waiting.append(submit(item))
            if waiting:
                with guard():
                    done = waiting[0] if ordered else first(waiting)
                    outcome = done.result()
                waiting = [one for one in waiting if one is not done]
                del done
                yield opened(outcome)
    finally:
        for one in waiting:
            one.cancel()


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
        return stream_results(
            items,
            lambda item: self._executor.submit(call, item),
            _first,
            lambda: self.size,
            ordered=ordered,
            guard=self._guard,
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
    def _guard(self) -> Iterator[None]:
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
    from concurrent.futures import ProcessPoolExecutor

    executor = ProcessPoolExecutor(
        size, mp_context=_context(), initializer=prepare_worker, initargs=(dict(os.environ),)
    )
    try:
        with TemporaryDirectory(prefix="intent-") as folder:
            yield Processes(executor, size, Path(folder))
    except BaseException:
        for process in list((getattr(executor, "_processes", None) or {}).values()):
            process.terminate()  # the executor itself would wait for what is being worked on
        raise
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


LOADED_FIRST = ("numpy", "pandas", "pyarrow", "scipy", "intent")
"""Packages whose modules, where this process has them, are loaded once for all of its workers."""


def _context() -> BaseContext:
    """How processes start: on Linux forked from a server that has loaded what this process has, else anew.

    The server is a process of its own without threads, which a fork would lose; the first pool starts it, and
    it ends with this process. Its libraries keep to one thread, and no file of the current folder stands in
    for a module.
    """
    import multiprocessing

    anew = multiprocessing.get_context("spawn")
    if sys.platform != "linux":
        return anew
    from multiprocessing.forkserver import ensure_running, set_forkserver_preload

    loaded = [name for name in sys.modules if _is_loaded_first(name)]
    before = dict(os.environ)
    try:
        os.environ.update({"PYTHONSAFEPATH": "1", **{name: before.get(name, "1") for name in THREADS}})
        set_forkserver_preload(loaded)
        ensure_running()
    except OSError:  # the temporary folder takes no socket, or its path is too long for one
        return anew
    finally:
        for name in ("PYTHONSAFEPATH", *THREADS):
            os.environ.pop(name, None)
        os.environ.update(before)
    return multiprocessing.get_context("forkserver")


def _is_loaded_first(name: str) -> bool:
    """Whether a server of processes loads this module; not where PyTorch's threads would come with it."""
    package, *inner = name.split(".")
    if package == "intent":
        return "torch" not in sys.modules and "__main__" not in inner
    return package in LOADED_FIRST and len(inner) <= 1 and not any(one.startswith("_") for one in inner)


def _from_file(path: str, item: Any) -> Any:
    return _call_in(path).function(item)


@lru_cache(maxsize=1)
def _call_in(path: str) -> Call:
    """What the process that started this one wrote, into a folder of its own."""
    with open(path, "rb") as stream:
        call: Call = pickle.load(stream)  # noqa: S301 - of our own parent, below a folder that only it can write
    return call


def prepare_worker(environment: Mapping[str, str]) -> None:
    """The variables of the process that works are those of who asks; libraries keep to one thread.

    Ctrl-C ends the worker at once, and so does the end of who asks, however it comes.
    """
    import signal
    import threading

    threading.Thread(target=_end_with_parent, daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    for name in set(os.environ) - set(environment):
        del os.environ[name]
    os.environ.update(environment)
    for name in THREADS:
        os.environ.setdefault(name, "1")


def _end_with_parent() -> None:
    """Wait for the process that asked; where it was killed, nobody else would end this one."""
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _first(waiting: Sequence[Future[Any]]) -> Future[Any]:
    from concurrent.futures import FIRST_COMPLETED, wait

    done = wait(waiting, return_when=FIRST_COMPLETED).done
    return next(one for one in waiting if one in done)


_SETTINGS = {
    "distributed.admin.large-graph-warning-threshold": "1 TiB",  # pieces carry their data on purpose
    "distributed.diagnostics.computations.nframes": 0,  # our callers' source is nothing for a scheduler
}


class Cluster:
    """A connection to a scheduler; `Workers`' contract.

    Parameters
    ----------
    client : distributed.Client
    address : str
    """

    def __init__(self, client: Any, address: str) -> None:
        self._client, self._address = client, address
        self.notes: list[str] = []
        self._size, self._counted = 0, -1.0

    @property
    def size(self) -> int:
        """Threads of all workers that are there, at least 1; asked for again after a second."""
        if time.monotonic() - self._counted > 1:
            with self._guard():
                self._size = sum(self._client.nthreads().values())
            self._counted = time.monotonic()
        return max(1, self._size)

    def map(
        self, function: Callable[[Any], Any], items: Iterable[Any], *, ordered: bool = True
    ) -> Iterator[Any]:
        """As `Workers.map`."""
        call: Any = Call(function)
        if self.size and self._size and _bytes(call) > LARGE:
            with self._guard():
                call = self._client.scatter(call, hash=False)
        return stream_results(
            items,
            lambda item: self._client.submit(_called, call, item, pure=False),
            self._first,
            lambda: self.size,
            ordered=ordered,
            guard=self._guard,
        )

    def _first(self, waiting: Sequence[Any]) -> Any:
        from distributed import wait

        with self._client.as_current():
            done = wait(list(waiting), return_when="FIRST_COMPLETED").done
        return next(one for one in waiting if one in done)

    @contextmanager
    def _guard(self) -> Iterator[None]:
        """What goes wrong with the cluster, in one line."""
        from asyncio import CancelledError as Cancelled
        from concurrent.futures import CancelledError

        from distributed.scheduler import KilledWorker

        try:
            yield
        except KilledWorker as error:
            raise IntentError(
                f"workers of {self._address} ended while at work (killed, or out of memory; the last one was "
                f"{error.last_worker.address}); their logs say why"
            ) from None
        except (Cancelled, CancelledError, OSError) as error:
            reason = shorten(error) or type(error).__name__
            raise IntentError(f"the Dask scheduler at {self._address} was lost: {reason}") from None
        except IntentError:
            raise
        except Exception as error:  # noqa: BLE001 - what a piece of work itself raises comes as a `Raised`
            reason = shorten(error) or type(error).__name__
            raise UsageError(
                f"the cluster at {self._address} cannot do the work ({reason}); "
                "scheduler and workers need strategy-intent with the same extras as here"
            ) from None


@contextmanager
def open_cluster(address: str) -> Iterator[Cluster]:
    """The workers behind a scheduler, for the length of a block. Nobody's cluster is started or stopped.

    Parameters
    ----------
    address : str
        ``tcp://node:8786``, ``tls://…``, or the path of a scheduler's JSON file.

    Raises
    ------
    UsageError
        No scheduler answers.
    MissingExtraError
        The extra ``cluster`` is not installed.
    """
    require("dask", "distributed")
    import dask
    import distributed
    from distributed.versions import VersionMismatchWarning

    with ExitStack() as stack:
        stack.enter_context(_quiet())
        stack.enter_context(dask.config.set(_SETTINGS))
        stack.enter_context(warnings.catch_warnings())
        warnings.filterwarnings("ignore", category=VersionMismatchWarning)
        place = reachable(address)  # says whom it contacts
        try:
            client = distributed.Client(place, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError) as error:
            raise UsageError(
                f"--dask {shorten(address)}: what answers there is no scheduler of this version of Dask "
                f"({shorten(error)})"
            ) from None
        stack.callback(_close, client)
        cluster = Cluster(client, place)
        with cluster._guard():
            cluster.notes += version_notes(client.get_versions())
            if not client.nthreads():
                cluster.notes.append(f"the scheduler at {place} has no workers yet; the work waits for them")
        yield cluster


def version_notes(versions: Mapping[str, Any]) -> list[str]:
    """Libraries that differ between here, the scheduler and the workers, a line each.

    Parameters
    ----------
    versions : as ``distributed.Client.get_versions`` tells
    """
    here = (versions.get("client") or {}).get("packages") or {}
    others = {"scheduler": versions.get("scheduler"), **(versions.get("workers") or {})}
    notes = []
    for name, own in here.items():
        differing: dict[str, list[str]] = {}
        for who, facts in others.items():
            other = ((facts or {}).get("packages") or {}).get(name, own)
            if other != own:
                differing.setdefault(str(other), []).append(who)
        for other, places in differing.items():
            more = f" and {len(places) - 1} more" if len(places) > 1 else ""
            notes.append(f"{name} is {own} here and {other} at {shorten(places[0])}{more}")
    return notes


def _called(call: Call, item: Any) -> Any:
    """A call whose function may have been sent before."""
    return call(item)


def _bytes(call: Call) -> int:
    from distributed.protocol.pickle import dumps

    buffers: list[Any] = []
    head = dumps(call, buffer_callback=buffers.append)
    return len(head) + sum(memoryview(one).nbytes for one in buffers)


def _close(client: Any) -> None:
    with suppress(OSError, TimeoutError):
        client.close(timeout=PATIENCE)


@contextmanager
def _quiet() -> Iterator[None]:
    """No words of the library on standard error: what matters is raised or noted.

    After an error it stays quiet: a client that lost its scheduler complains for some seconds more.
    """
    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] == "distributed"]
    before = {name: logging.getLogger(name).level for name in names}
    for name in names:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    yield
    for name, level in before.items():
        logging.getLogger(name).setLevel(level)


def usable_processors() -> int:
    """Processors that this process may run on, which a scheduler may have bounded; at least 1."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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

        with open_cluster(dask) as cluster:
            yield cluster
        return
    size = workers or usable_processors()
    if size == 1:
        yield SERIAL
        return

    with open_processes(size) as processes:
        yield processes
