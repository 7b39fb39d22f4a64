"""The same results from this process, from others, and from a cluster."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from dask_cluster import dask_cluster
from worker_tasks import ended, patient, refused, squared, threads

from intent.base.errors import IntentError, MissingExtraError, UnknownNameError, UsageError
from intent.base.workers import SERIAL, Call, Raised, open_workers, opened, usable_processors, version_notes


@pytest.fixture(scope="module", params=["here", "processes", "dask"])
def workers(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Each kind of workers, two where there can be."""
    if request.param != "dask":
        with open_workers(1 if request.param == "here" else 2) as those:
            yield those
        return
    with dask_cluster() as address, open_workers(dask=address) as those:
        yield those


def test_results_come_in_the_order_of_the_items(workers: Any) -> None:
    assert list(workers.map(patient, range(9))) == list(range(9))


def test_unordered_results_are_all_there(workers: Any) -> None:
    assert sorted(workers.map(patient, range(9), ordered=False)) == list(range(9))


def test_few_items_are_drawn_ahead(workers: Any) -> None:
    drawn: list[int] = []
    results = workers.map(squared, (drawn.append(n) or n for n in range(100)))
    assert next(results) == 0
    assert len(drawn) <= 2 * workers.size
    del results


def test_an_error_is_raised_as_it_was(workers: Any) -> None:
    with pytest.raises(UnknownNameError, match="unknown strategy 'TFTT1'") as caught:
        list(workers.map(refused, [1]))
    assert caught.value.suggestions == ["TFT"]


def test_an_error_of_the_items_is_their_own(workers: Any) -> None:
    def items() -> Iterator[int]:
        yield 1
        raise FileNotFoundError("gone")

    with pytest.raises(FileNotFoundError, match="gone"):
        list(workers.map(squared, items()))


def test_a_function_with_much_data_arrives(workers: Any) -> None:
    ones = np.ones(300_000)
    assert list(workers.map(partial(np.dot, ones), [ones, 2 * ones])) == [3e5, 6e5]


def test_a_process_keeps_its_libraries_to_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    with open_workers(2) as workers:
        assert list(workers.map(threads, [0])) == ["1"]


def test_a_process_that_dies_is_one_clear_error() -> None:
    with pytest.raises(IntentError, match="one of 2 worker processes ended"), open_workers(2) as w:
        list(w.map(ended, [1]))


def test_one_worker_is_this_process_and_zero_are_all() -> None:
    with open_workers(1) as one, open_workers(0) as every:
        assert one is SERIAL
        assert every.size == usable_processors()


@pytest.mark.parametrize(
    ("workers", "dask", "message"),
    [
        (-1, None, "--workers -1, expected 0"),
        (2, "tcp://node:8786", "--workers 2 and --dask tcp://node:8786, expected one"),
        (1, "nonsense", "host and port are missing"),
        (1, "http://node:1", "expected the address that `dask scheduler` prints"),
        (1, "absent.json", "not the file of a scheduler"),
        (1, "tcp://127.0.0.1:{free}", "no scheduler answers"),
    ],
)
def test_workers_that_cannot_be(workers: int, dask: str | None, message: str) -> None:
    pytest.importorskip("distributed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = None if dask is None else dask.format(free=free.getsockname()[1])
        with pytest.raises(UsageError, match=message), open_workers(workers, address):
            pass


def test_the_file_of_a_scheduler_names_its_address(tmp_path: Any) -> None:
    pytest.importorskip("distributed")
    (tmp_path / "none.json").write_text("{}")
    with pytest.raises(UsageError, match="names no address"), open_workers(dask=str(tmp_path / "none.json")):
        pass
    with dask_cluster() as address:
        (tmp_path / "scheduler.json").write_text(json.dumps({"address": address}))
        with open_workers(dask=str(tmp_path / "scheduler.json")) as workers:
            assert list(workers.map(squared, [3])) == [9]


def test_without_the_extra_it_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(MissingExtraError, match=r"strategy-intent\[cluster\]"), open_workers(dask="node:1"):
        pass


def test_another_version_of_this_package_does_no_work() -> None:
    with pytest.raises(UsageError, match=r"a worker has version .*, expected 0\.0\.0"):
        opened(Call(squared, version="0.0.0")(2))


def test_an_error_that_cannot_travel_is_put_in_words() -> None:
    def fails(item: int) -> None:
        error = ValueError("odd")
        error.callback = lambda: None  # type: ignore[attr-defined]
        raise error

    outcome = Call(fails)(1)
    assert isinstance(outcome, Raised)
    with pytest.raises(RuntimeError, match="odd"):
        opened(outcome)


def test_versions_that_differ_are_noted() -> None:
    def facts(**packages: str) -> dict[str, Any]:
        return {"packages": packages}

    notes = version_notes(
        {
            "client": facts(numpy="2.4", dask="1"),
            "scheduler": facts(numpy="2.4", dask="1"),
            "workers": {"tcp://a:1": facts(numpy="2.3", dask="1"), "tcp://b:1": facts(numpy="2.3", dask="1")},
        }
    )
    assert notes == ["numpy is 2.4 here and 2.3 at tcp://a:1 and 1 more"]
