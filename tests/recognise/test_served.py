"""A logged recogniser, as MLflow opens it."""

from __future__ import annotations

import pandas as pd
import pytest

from intent import generate, label
from intent.base.errors import UsageError
from intent.base.tracking import MLflowTracker
from intent.recognise.train import ServedRecogniser, train

ROWS = pd.DataFrame(
    [
        {"game": "g", "round": r, "player": p, "action": a}
        for r in range(1, 11)
        for p, a in (("x", "C"), ("y", "CD"[r % 2]))
    ]
)


def test_it_labels_rows_paths_and_logs_as_the_command_does(tmp_path) -> None:
    train("canonical4", ["bayes"], output=tmp_path)
    served = ServedRecogniser(tmp_path / "bayes-canonical4")
    log = generate("canonical4", 20, eps=0.05, seed=1)
    pd.testing.assert_frame_equal(served.predict(log), label(log, tmp_path / "bayes-canonical4"))
    ROWS.to_csv(tmp_path / "play.csv", index=False)
    of_file = served.predict(str(tmp_path / "play.csv"), {"cooperate": "C"})
    of_rows = served.predict(ROWS, {"cooperate": "C", "threshold": 0.5, "others": ""})
    assert of_file["best"].tolist() == of_rows["best"].tolist() == ["ALLC", "RANDOM"]
    with pytest.raises(UsageError, match="unknown setting 'treshold', expected threshold"):
        served.predict(ROWS, {"treshold": 0.5})


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_trained_model_is_logged_registered_and_labels_a_log(tmp_path) -> None:
    import mlflow
    from mlflow.tracking import MlflowClient

    tracker = MLflowTracker(tmp_path / "mlflow.db")
    run_id = train("canonical4", ["bayes"], tracker=tracker)["models"][0]["run_id"]
    client = MlflowClient(tracking_uri=tracker.where, registry_uri=tracker.where)
    run = client.get_run(run_id)
    (output,) = run.outputs.model_outputs
    model = client.get_logged_model(output.model_id)
    assert model.status == "READY"
    assert model.source_run_id == run_id
    assert "Learned from 100,000 trajectories" in model.tags["mlflow.note.content"]
    assert model.params["data.eps"] == "0.05, 0.05"
    assert {"accuracy", "regret"} <= {metric.key for metric in model.metrics}
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri(tracker.where)
    try:
        opened = mlflow.pyfunc.load_model(f"models:/{model.model_id}")
        labels = opened.predict(ROWS, params={"cooperate": "C"})
        version = mlflow.register_model(f"models:/{model.model_id}", "bayes")
        again = mlflow.pyfunc.load_model("models:/bayes/1").predict(ROWS, params={"cooperate": "C"})
    finally:
        mlflow.set_tracking_uri(before)
    assert labels["best"].tolist() == again["best"].tolist() == ["ALLC", "RANDOM"]
    assert int(version.version) == 1
    folder = tmp_path / "mlartifacts" / "models" / model.model_id / "artifacts"
    assert not [path for path in folder.rglob("*") if path.suffix in (".pkl", ".pickle")]
    assert "loader_module: intent.recognise.train" in (folder / "MLmodel").read_text()
