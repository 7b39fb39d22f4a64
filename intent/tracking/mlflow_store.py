"""Runs in MLflow: by default a local SQLite store beside the user's work."""

from __future__ import annotations

import json
import logging
import math
import os
import re
import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from intent.errors import UsageError, shorten
from intent.masking import redact, remember
from intent.offline import announce, silence
from intent.private import private
from intent.tracking.base import TrackedRun, tracking_contacts
from intent.tracking.store_file import ARTIFACTS, TAG, check_artifacts, check_store, store_path

__all__ = ["MLflowTracker"]

_LONGEST_PARAMETER = 6000
_LONGEST_KEY = 240
_LARGEST_BATCH = 1000
_FOREIGN = re.compile(r"[^A-Za-z0-9_.\- ]+")
_PASSWORD = re.compile(r"(?<=://)[^/@]*@")


class MLflowTracker:
    """Records runs through MLflow's client, all numbers of a run in one batch.

    Parameters
    ----------
    uri : str or Path, optional
        A path or ``sqlite:///PATH`` means an SQLite file, with artifacts in ``mlartifacts/`` beside it, both
        for their user's eyes only; another URI means a server. Default: ``mlflow.db`` in the working folder.
    experiment : str
        Name of the MLflow experiment.

    Raises
    ------
    UsageError
        The path cannot be written, or the store there is refused (`intent.tracking.store_file`).

    Notes
    -----
    MLflow allows letters, digits and ``_-. `` in the names of metrics and parameters; here every run of other
    characters becomes one ``_``, and ``_``, ``.`` and blanks at the ends go: ``f1_GTFT(0.1)`` is kept as
    ``f1_GTFT_0.1``. Where two names fall together, the second gets ``_2``.
    """

    def __init__(self, uri: str | Path | None = None, *, experiment: str = "intent") -> None:
        store = Path("mlflow.db") if uri is None else uri
        path = store if isinstance(store, Path) else store_path(store)
        self._path = None if path is None else path.absolute()
        if self._path is not None:
            place = self._path if self._path.exists() else self._path.parent
            if self._path.is_dir() or not place.exists() or not os.access(place, os.W_OK):
                raise UsageError(
                    f"MLflow cannot keep runs in {store}: no file can be written there (or --no-track)"
                )
            check_store(self._path, experiment)
            self._uri = f"sqlite:///{self._path}"
        else:
            self._uri = str(store)
            remember(unquote(urlsplit(self._uri).password or ""))
        self.where: str = _PASSWORD.sub("***@", self._uri)
        self.experiment = experiment
        self._client: Any = None
        self._experiment_id = ""

    def record(self, run: TrackedRun) -> str | None:
        """Write parameters, metrics, curves and artifacts of a finished run; returns its run_id.

        Raises
        ------
        UsageError
            MLflow cannot open the store, or refuses any part of the run, which is then kept as FAILED.
        """
        with _quiet(), private(self._path is not None):
            client = self._connect()
            run_id: str | None = None
            status = "FAILED"
            try:
                made = client.create_run(self._experiment_id, run_name=run.name).info
                run_id = made.run_id
                if self._path is not None:
                    check_artifacts(self._path, made.artifact_uri)
                _write(client, run_id, run)
                status = "FINISHED"
            except UsageError:
                raise
            except Exception as error:  # stores and artifact clients each raise errors of their own
                raise UsageError(
                    f"MLflow at {self.where} could not keep run {run.name!r}: {self._reason(error)}"
                ) from error
            finally:
                if run_id is not None:
                    self._end(client, run_id, status)
            return run_id

    def _end(self, client: Any, run_id: str, status: str) -> None:
        """Close a run; a failure to close one that failed would only hide why."""
        try:
            client.set_terminated(run_id, status)
        except Exception as error:
            if status == "FINISHED":
                raise UsageError(
                    f"MLflow at {self.where} could not close run {run_id}: {self._reason(error)}"
                ) from error

    def _connect(self) -> Any:
        if self._client is None:
            from mlflow.tracking import MlflowClient

            announce(tracking_contacts(self._uri))
            try:
                if self._path is not None:
                    check_store(self._path, self.experiment)  # again: a run may have taken days
                client = MlflowClient(tracking_uri=self._uri)
                found = client.get_experiment_by_name(self.experiment)
                self._experiment_id = found.experiment_id if found is not None else self._new(client)
            except UsageError:
                raise
            except Exception as error:  # as in `record`
                raise UsageError(f"MLflow cannot open {self.where}: {self._reason(error)}") from error
            self._client = client
        return self._client

    def _new(self, client: Any) -> str:
        """The experiment, made; in a file of ours its artifacts are beside it."""
        if self._path is None:
            return str(client.create_experiment(self.experiment))
        home = (self._path.parent / ARTIFACTS).as_uri()
        tags = {TAG: ARTIFACTS}
        return str(client.create_experiment(self.experiment, artifact_location=home, tags=tags))

    def _reason(self, error: Exception) -> str:
        """The first line of an error, without the keys that the URI may hold."""
        lines = str(error).splitlines() or [type(error).__name__]
        return shorten(redact(lines[0].replace(self._uri, self.where)), 300)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what MLflow and its libraries say of themselves from the user's terminal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        silence()
        import_module("mlflow.tracking")  # sets the levels of its loggers when imported, so comes first
        for name in ("mlflow", "alembic"):
            logging.getLogger(name).setLevel(logging.WARNING)
        yield


def _write(client: Any, run_id: str, run: TrackedRun) -> None:
    from mlflow.entities import Metric, Param

    now = int(time.time() * 1000)
    points = [(name, 0, value) for name, value in run.metrics.items()]
    curves = dict(run.curves)
    steps = [int(step) for step in curves.pop("step", range(max(map(len, curves.values()), default=0)))]
    points += [(name, steps[i], value) for name, curve in curves.items() for i, value in enumerate(curve)]
    keys = _keys([*run.metrics, *curves])
    metrics = [Metric(keys[name], float(v), now, step) for name, step, v in points if math.isfinite(v)]
    names = _keys(run.parameters)
    parameters = [Param(names[k], _text(v)) for k, v in run.parameters.items()]
    client.log_batch(run_id, metrics=metrics[:_LARGEST_BATCH], params=parameters)
    for start in range(_LARGEST_BATCH, len(metrics), _LARGEST_BATCH):
        client.log_batch(run_id, metrics=metrics[start : start + _LARGEST_BATCH])
    for artifact in run.artifacts:
        if artifact.is_dir():
            client.log_artifacts(run_id, str(artifact), artifact_path=artifact.name)
        else:
            client.log_artifact(run_id, str(artifact))


def _keys(names: Iterable[str]) -> dict[str, str]:
    """Name -> the key that MLflow accepts, different for different names."""
    keys: dict[str, str] = {}
    for name in dict.fromkeys(names):
        stem = key = _FOREIGN.sub("_", name).strip("_. ")[:_LONGEST_KEY] or "_"
        number = 1
        while key in keys.values():
            number += 1
            key = f"{stem}_{number}"
        keys[name] = key
    return keys


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return text if len(text) <= _LONGEST_PARAMETER else text[: _LONGEST_PARAMETER - 1] + "…"
