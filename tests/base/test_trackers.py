from __future__ import annotations

import pytest

from intent.base.errors import UsageError
from intent.base.tracking import MemoryTracker, NullTracker, TrackedData, TrackedRun

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
    kept_in = found.info.experiment_id
    assert tracker.page == f"http://127.0.0.1:5000/#/experiments/{kept_in}/runs?workflowType=machine_learning"


def test_the_runs_of_a_server_are_at_that_server():
    from intent.base.tracking import runs_page

    page = runs_page("https://mlflow.example.org/", "7")
    assert page == "https://mlflow.example.org/#/experiments/7/runs?workflowType=machine_learning"


@pytest.mark.parametrize("place", ["nowhere/mlflow.db", "."])
def test_a_store_that_cannot_be_written_is_told_before_any_work(tmp_path, place):
    from intent.base.tracking import MLflowTracker

    with pytest.raises(UsageError, match="MLflow cannot keep runs"):
        MLflowTracker(tmp_path / place)


def test_objects_become_fields_and_lists_lines():
    from intent.base.tracking import _fields

    spec = {"n": 10, "eps": [0.05, 0.1], "opponents": [{"name": "TFT"}, {"name": "ALLD"}], "seed": None}
    assert _fields({"model": "forest", "data": spec, "calibrate": True}) == [
        ("model", "forest"),
        ("data.n", "10"),
        ("data.eps", "0.05, 0.1"),
        ("data.opponents.1.name", "TFT"),
        ("data.opponents.2.name", "ALLD"),
        ("data.seed", "none"),
        ("calibrate", "true"),
    ]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_mlflow_keeps_times_tags_data_pictures_and_runs_within_runs(tmp_path):
    from mlflow.tracking import MlflowClient

    from intent.base.tracking import MLflowTracker

    (tmp_path / "confusion.png").write_bytes(b"picture")
    data = TrackedData("play", "0123456789abcdef", "play.csv", "training", 40)
    inner = TrackedRun("one", {}, {"accuracy": 0.5}, began=1000.5, ended=1002.0)
    whole = TrackedRun(
        "study",
        {f"p{i}": i for i in range(150)},
        {},
        pictures=[tmp_path / "confusion.png"],
        tags={"kind": "study", "version": "1"},
        data=[data],
        began=1000.0,
        ended=1003.25,
        parts=[inner],
        note="What it is.",
    )
    tracker = MLflowTracker(tmp_path / "mlflow.db", experiment="test")
    run_id = tracker.record(whole)
    client = MlflowClient(tracking_uri=tracker.where)
    run = client.get_run(run_id)
    assert (run.info.start_time, run.info.end_time) == (1_000_000, 1_003_250)
    assert len(run.data.params) == 150
    assert (
        run.data.tags | {"kind": "study", "version": "1", "mlflow.note.content": "What it is."}
        == run.data.tags
    )
    (used,) = run.inputs.dataset_inputs
    assert (used.dataset.name, used.dataset.digest) == ("play", "0123456789abcdef")
    assert [(tag.key, tag.value) for tag in used.tags] == [("mlflow.data.context", "training")]
    assert [a.path for a in client.list_artifacts(run_id, "pictures")] == ["pictures/confusion.png"]
    (child,) = client.search_runs([run.info.experiment_id], f"tags.mlflow.parentRunId = '{run_id}'")
    assert (child.info.run_name, child.info.start_time, child.info.end_time) == ("one", 1_000_500, 1_002_000)
    experiment = client.get_experiment_by_name("test")
    assert experiment.tags["mlflow.experimentKind"] == "custom_model_development"
