"""MLflow refuses, or speaks: the run is closed, the error is one of ours, the terminal stays clean."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from intent.base.errors import UsageError
from intent.base.tracking import TrackedRun

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture
def tracker(tmp_path):
    from intent.base.tracking import MLflowTracker

    return MLflowTracker(tmp_path / "mlflow.db", experiment="test")


def runs(tracker):
    from mlflow.tracking import MlflowClient

    client = MlflowClient(tracking_uri=tracker.where)
    return client.search_runs([client.get_experiment_by_name("test").experiment_id])


def test_names_of_strategies_become_names_that_mlflow_accepts(tracker):
    metrics = {"f1_GTFT(0.1)": 0.5, "f1_GTFT[0.1]": 0.25, "f1_ALLC": 1.0, "../f1": 0.125, "(": 0.0}
    tracker.record(TrackedRun("bayes", {"share of (C)": 1}, metrics, {"loss (nats)": [2, 1]}))
    (found,) = runs(tracker)
    assert found.data.metrics == {
        "f1_GTFT_0.1": 0.5,
        "f1_GTFT_0.1_2": 0.25,
        "f1_ALLC": 1.0,
        "f1": 0.125,
        "_": 0.0,
        "loss _nats": 1.0,
    }
    assert found.data.params == {"share of _C": "1"}


def test_a_missing_artifact_fails_the_run(tracker, tmp_path):
    with pytest.raises(UsageError, match="could not keep run 'forest': ") as caught:
        tracker.record(TrackedRun("forest", {}, {"accuracy": 0.9}, {}, [tmp_path / "gone"]))
    assert "\n" not in str(caught.value)
    (found,) = runs(tracker)
    assert found.info.status == "FAILED"
    assert tracker.record(TrackedRun("forest", {}, {"accuracy": 0.9})) is not None


def test_a_deleted_experiment_and_a_store_that_is_none(tracker, tmp_path):
    from mlflow.tracking import MlflowClient

    from intent.base.tracking import MLflowTracker

    tracker.record(TrackedRun("bayes", {}, {}))
    client = MlflowClient(tracking_uri=tracker.where)
    client.delete_experiment(client.get_experiment_by_name("test").experiment_id)
    with pytest.raises(UsageError, match="could not keep run 'bayes'"):
        tracker.record(TrackedRun("bayes", {}, {}))
    (tmp_path / "notes.txt").write_text("no database " * 100)
    with pytest.raises(UsageError, match=r"cannot open sqlite:.*notes\.txt"):
        MLflowTracker(tmp_path / "notes.txt").record(TrackedRun("bayes", {}, {}))


def test_passwords_of_a_store_are_never_told():
    from intent.base.tracking import MLflowTracker

    tracker = MLflowTracker("nosuch://me:secret@localhost/runs")
    assert tracker.where == "nosuch://***@localhost/runs"
    with pytest.raises(UsageError) as caught:
        tracker.record(TrackedRun("bayes", {}, {}))
    assert "secret" not in str(caught.value)


def test_the_first_use_says_nothing_of_its_own(tmp_path):
    code = (
        "from intent.base.tracking import TrackedRun; from intent.base.tracking import MLflowTracker;"
        "MLflowTracker().record(TrackedRun('bayes', {}, {'accuracy': 1.0}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("", "")
    assert Path(tmp_path / "mlflow.db").is_file()
