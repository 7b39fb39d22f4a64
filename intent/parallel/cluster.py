"""Workers of a Dask cluster that somebody started.

References
----------
Rocklin 2015, Dask: parallel computation with blocked algorithms and task scheduling, SciPy 2015.
"""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from intent.errors import IntentError, MissingExtraError, UsageError, shorten
from intent.parallel.calls import LARGE, Call
from intent.parallel.flight import flown
from intent.parallel.scheduler_address import PATIENCE, reachable

__all__ = ["Cluster", "open_cluster", "version_notes"]

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
        self._size, self._asked = 0, -1.0

    @property
    def size(self) -> int:
        """Threads of all workers that are there, at least 1; asked for again after a second."""
        if time.monotonic() - self._asked > 1:
            with self._telling():
                self._size = sum(self._client.nthreads().values())
            self._asked = time.monotonic()
        return max(1, self._size)

    def map(
        self, function: Callable[[Any], Any], items: Iterable[Any], *, ordered: bool = True
    ) -> Iterator[Any]:
        """As `Workers.map`."""
        call: Any = Call(function)
        if self.size and self._size and _bytes(call) > LARGE:
            with self._telling():
                call = self._client.scatter(call, hash=False)
        return flown(
            items,
            lambda item: self._client.submit(_called, call, item, pure=False),
            self._first,
            lambda: self.size,
            ordered=ordered,
            telling=self._telling,
        )

    def _first(self, waiting: Sequence[Any]) -> Any:
        from distributed import wait

        with self._client.as_current():
            done = wait(list(waiting), return_when="FIRST_COMPLETED").done
        return next(one for one in waiting if one in done)

    @contextmanager
    def _telling(self) -> Iterator[None]:
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
            said = shorten(error) or type(error).__name__
            raise IntentError(f"the Dask scheduler at {self._address} was lost: {said}") from None
        except IntentError:
            raise
        except Exception as error:  # noqa: BLE001 - what a piece of work itself raises comes as a `Raised`
            said = shorten(error) or type(error).__name__
            raise UsageError(
                f"the cluster at {self._address} cannot do the work ({said}); "
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
    try:
        import dask
        import distributed
    except ModuleNotFoundError as error:
        raise MissingExtraError(str(error.name), "cluster") from None
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
        with cluster._telling():
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
        found: dict[str, list[str]] = {}
        for who, told in others.items():
            other = ((told or {}).get("packages") or {}).get(name, own)
            if other != own:
                found.setdefault(str(other), []).append(who)
        for other, places in found.items():
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
