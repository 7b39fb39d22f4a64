from __future__ import annotations

import pytest

from intent.base.errors import UsageError
from intent.base.tracking import MemoryTracker, NullTracker, TrackedRun

RUN = TrackedRun(
    "forest", {"model": "forest", "n": 10}, {"accuracy": 0.9, "regret": float("nan")}, {"loss": [3, 2, 1]}
)


def test_null_keeps_nothing():
    assert NullTracker().record(RUN) is None
    assert NullTracker().where is None


def test_memory_keeps_runs():
    tracker = MemoryTracker()
    assert [tracker.record(RUN), tracker.record(RUN)] == ["1", "2"]
    assert tracker.runs[0].metrics["accuracy"] == 0.9


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_mlflow_keeps_numbers_curves_and_artifacts(tmp_path):
    from mlflow.tracking import MlflowClient

    from intent.base.tracking import MLflowTracker

    (tmp_path / "saved").mkdir()
    (tmp_path / "saved" / "weights").write_text("1")
    tracker = MLflowTracker(tmp_path / "mlflow.db", experiment="test")
    run_id = tracker.record(
        TrackedRun(RUN.name, RUN.parameters, RUN.metrics, RUN.curves, [tmp_path / "saved"])
    )
    client = MlflowClient(tracking_uri=tracker.where)
    found = client.get_run(run_id)
    assert found.data.metrics == {"accuracy": 0.9, "loss": 1.0}
    assert found.data.params == {"model": "forest", "n": "10"}
    assert [m.value for m in client.get_metric_history(run_id, "loss")] == [3, 2, 1]
    assert [a.path for a in client.list_artifacts(run_id, "saved")] == ["saved/weights"]
    assert found.info.status == "FINISHED"


@pytest.mark.parametrize("place", ["nowhere/mlflow.db", "."])
def test_a_store_that_cannot_be_written_is_told_before_any_work(tmp_path, place):
    from intent.base.tracking import MLflowTracker

    with pytest.raises(UsageError, match="MLflow cannot keep runs"):
        MLflowTracker(tmp_path / place)
