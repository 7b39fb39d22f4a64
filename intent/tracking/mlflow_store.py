"""Runs in MLflow: by default a local SQLite store beside the user's work."""

from __future__ import annotations

import json
import logging
import math
import time
import warnings
from pathlib import Path
from typing import Any

from intent.errors import UsageError
from intent.tracking.base import TrackedRun

__all__ = ["MLflowTracker"]

_LONGEST_PARAMETER = 6000


class MLflowTracker:
    """Records runs through MLflow's client, all numbers of a run in one batch.

    Parameters
    ----------
    uri : str or Path, optional
        Tracking URI; a path means a SQLite file. Default: ``mlflow.db`` in the working folder, with
        artifacts in ``mlartifacts/`` beside it.
    experiment : str
        Name of the MLflow experiment.

    Raises
    ------
    UsageError
        MLflow cannot open the store.
    """

    def __init__(self, uri: str | Path | None = None, *, experiment: str = "intent") -> None:
        store = Path("mlflow.db") if uri is None else uri
        is_file = isinstance(store, Path) or ("://" not in store and store != "databricks")
        self._artifacts: str | None = None
        if is_file:
            path = Path(store).absolute()
            self.where: str | None = f"sqlite:///{path}"
            self._artifacts = (path.parent / "mlartifacts").as_uri()
        else:
            self.where = str(store)
        self.experiment = experiment
        self._client: Any = None
        self._experiment_id = ""

    def record(self, run: TrackedRun) -> str | None:
        """Write parameters, metrics, curves and artifacts of a finished run; returns its run_id."""
        from mlflow.entities import Metric, Param

        client = self._connect()
        created = client.create_run(self._experiment_id, run_name=run.name)
        run_id: str = created.info.run_id
        now = int(time.time() * 1000)
        metrics = [Metric(k, float(v), now, 0) for k, v in run.metrics.items() if math.isfinite(v)]
        for name, values in run.curves.items():
            metrics += [
                Metric(name, float(v), now, step) for step, v in enumerate(values) if math.isfinite(v)
            ]
        parameters = [Param(k, _text(v)) for k, v in run.parameters.items()]
        client.log_batch(run_id, metrics=metrics[:1000], params=parameters)
        for start in range(1000, len(metrics), 1000):
            client.log_batch(run_id, metrics=metrics[start : start + 1000])
        for artifact in run.artifacts:
            if artifact.is_dir():
                client.log_artifacts(run_id, str(artifact), artifact_path=artifact.name)
            else:
                client.log_artifact(run_id, str(artifact))
        client.set_terminated(run_id)
        return run_id

    def _connect(self) -> Any:
        if self._client is not None:
            return self._client
        for name in ("mlflow", "alembic"):
            logging.getLogger(name).setLevel(logging.WARNING)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from mlflow.exceptions import MlflowException
            from mlflow.tracking import MlflowClient

            try:
                client = MlflowClient(tracking_uri=self.where)
                found = client.get_experiment_by_name(self.experiment)
                self._experiment_id = (
                    found.experiment_id
                    if found is not None
                    else client.create_experiment(self.experiment, artifact_location=self._artifacts)
                )
            except (MlflowException, OSError) as error:
                raise UsageError(f"MLflow cannot open {self.where}: {str(error).splitlines()[0]}") from None
        self._client = client
        return client


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return text if len(text) <= _LONGEST_PARAMETER else text[: _LONGEST_PARAMETER - 1] + "…"
