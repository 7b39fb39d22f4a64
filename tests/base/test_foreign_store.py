"""A store that somebody hands over takes no run elsewhere; one of ours is at home wherever it is moved."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing

import pytest

from intent.base.errors import UsageError
from intent.base.tracking import TAG, MLflowTracker, TrackedRun, check_store, store_path

SCHEMA = """
CREATE TABLE experiments (experiment_id INTEGER, name TEXT, artifact_location TEXT);
CREATE TABLE experiment_tags (key TEXT, value TEXT, experiment_id INTEGER, PRIMARY KEY (key, experiment_id));
CREATE TABLE runs (run_uuid TEXT, artifact_uri TEXT, experiment_id INTEGER);
"""


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (tmp_path / "elsewhere").mkdir()
    return folder


def store(folder, location, *, tag=None, name="intent", more=""):
    """A store with one experiment and one run, in as many of MLflow's tables as are looked at."""
    path = folder / "mlflow.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(SCHEMA + more)
        db.execute("INSERT INTO experiments VALUES (1, ?, ?)", (name, location))
        db.execute("INSERT INTO runs VALUES ('r', ? || '/r/artifacts', 1)", (location,))
        if tag is not None:
            db.execute("INSERT INTO experiment_tags VALUES (?, ?, 1)", (TAG, tag))
        db.commit()
    return path


def addresses(path):
    with closing(sqlite3.connect(path)) as db:
        (location,) = db.execute("SELECT artifact_location FROM experiments").fetchone()
        (run,) = db.execute("SELECT artifact_uri FROM runs").fetchone()
        return location, run


@pytest.mark.parametrize(
    "location",
    [
        "http://collector.example/runs",
        "https://me:hunter2hunter2@collector.example/runs",
        "s3://bucket/runs",
        "mlflow-artifacts:/runs",
        "dbfs:/runs",
        "ftp://collector.example/runs",
        "file://collector.example/runs",
        "file:///tmp/elsewhere",
        "file://{project}/../elsewhere",
        "file://{project}/inner/..",
        "file://{project}/inner%2F..%2F..%2Felsewhere",
        "{project}/../elsewhere",
        "{project}",
        "../elsewhere",
        "",
        None,
    ],
)
@pytest.mark.parametrize("tag", [None, "mlartifacts", "../elsewhere"])
def test_a_store_that_sends_runs_elsewhere_is_refused(project, location, tag):
    path = store(project, location and location.format(project=project), tag=tag)
    before = path.read_bytes()
    with pytest.raises(UsageError, match="name a store of your own with --tracking") as caught:
        MLflowTracker(path)
    assert "hunter2" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == before


@pytest.mark.parametrize("location", ["file://{0}/mlartifacts", "file://{0}/inner", "{0}/mlruns/1"])
def test_a_folder_below_the_store_is_taken(project, location):
    check_store(store(project, location.format(project)), "intent")


@pytest.mark.parametrize("name", ["mlflow.db", "mlartifacts", "inner", "mlflow.db-journal"])
def test_links_that_lead_out_are_refused(project, tmp_path, name):
    path = store(project, f"file://{project}/{'inner' if name == 'inner' else 'mlartifacts'}")
    if name == "mlflow.db":
        path.rename(tmp_path / "elsewhere" / name)
    (project / name).symlink_to(tmp_path / "elsewhere" / (name if name == "mlflow.db" else ""))
    with pytest.raises(UsageError, match=r"link|sends artifacts"):
        MLflowTracker(path)


@pytest.mark.parametrize("name", ["mlartifacts", "mlflow.db"])
def test_a_new_store_does_not_begin_behind_a_link(project, tmp_path, name):
    (project / name).symlink_to(tmp_path / "elsewhere" / "new")
    with pytest.raises(UsageError, match="link"):
        MLflowTracker(project / "mlflow.db")


@pytest.mark.parametrize(
    "more",
    [
        "CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM runs; END;",
        "CREATE VIEW v AS WITH RECURSIVE c(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM c) SELECT x FROM c;",
    ],
)
def test_what_computes_when_a_store_is_used_is_refused(project, more):
    with pytest.raises(UsageError, match="which no store of MLflow has"):
        MLflowTracker(store(project, f"file://{project}/mlartifacts", more=more))


def test_an_address_that_is_huge_is_not_loaded(project):
    with pytest.raises(UsageError, match="is damaged, or none of MLflow"):
        MLflowTracker(store(project, "file:///" + "x" * 2**21))


@pytest.mark.parametrize("cut", [10, 200, 5000])
def test_a_damaged_store_is_one_line(project, cut):
    path = store(project, f"file://{project}/mlartifacts")
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(UsageError, match=r"mlflow\.db"):
        MLflowTracker(path)


@pytest.mark.parametrize("location", ["file:///gone/mlartifacts", "mlartifacts"])
def test_addresses_follow_a_store_of_ours(project, location):
    path = store(project, location, tag="mlartifacts")
    check_store(path, "intent")
    home = (project / "mlartifacts").as_uri()
    assert addresses(path) == (home, f"{home}/r/artifacts")
    check_store(path, "intent")
    assert addresses(path) == (home, f"{home}/r/artifacts")


def test_an_older_store_at_its_place_is_marked_and_then_follows(project, tmp_path):
    check_store(store(project, (project / "mlartifacts").as_uri()), "intent")
    moved = tmp_path / "moved"
    project.rename(moved)
    check_store(moved / "mlflow.db", "intent")
    assert addresses(moved / "mlflow.db")[0] == (moved / "mlartifacts").as_uri()


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("runs.db", "runs.db"),
        ("sqlite:///runs.db", "runs.db"),
        ("sqlite:////a/runs.db", "/a/runs.db"),
        ("SQLite+pysqlite:////a/runs.db", "/a/runs.db"),
        ("http://127.0.0.1:5000", None),
        ("postgresql://me:pw@host/db", None),
        ("databricks", None),
    ],
)
def test_which_file_an_address_means(uri, path):
    found = store_path(uri)
    assert (None if found is None else str(found)) == path


@pytest.mark.parametrize(
    "uri", ["sqlite://", "sqlite:runs.db", "sqlite:///a.db?uri=true", "file:///runs", "file:r"]
)
def test_other_addresses_of_files_are_refused(uri):
    with pytest.raises(UsageError, match="expected"):
        store_path(uri)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_project_that_was_moved_goes_on_in_its_new_place(project, tmp_path, monkeypatch):
    from mlflow.artifacts import list_artifacts
    from mlflow.tracking import MlflowClient

    monkeypatch.chdir(project)
    artifact = tmp_path / "weights"
    artifact.write_text("1")
    first = MLflowTracker().record(TrackedRun("forest", {}, {}, {}, [artifact]))
    moved = tmp_path / "moved"
    shutil.copytree(project, moved)
    shutil.rmtree(project)
    monkeypatch.chdir(tmp_path / "elsewhere")
    tracker = MLflowTracker(f"sqlite:///{moved}/mlflow.db")
    second = tracker.record(TrackedRun("forest", {}, {}, {}, [artifact]))
    assert not project.exists()
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert (moved / "mlartifacts" / second / "artifacts" / "weights").read_text() == "1"
    client = MlflowClient(tracking_uri=tracker.where)
    for run in (first, second):  # what `mlflow ui` shows
        assert [one.path for one in client.list_artifacts(run)] == ["weights"]
        assert [one.path for one in list_artifacts(run_id=run, tracking_uri=tracker.where)] == ["weights"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("location", ["http://127.0.0.1:9/runs", "file:///tmp/elsewhere-of-a-test"])
def test_a_store_made_by_mlflow_itself(project, location):
    from mlflow.tracking import MlflowClient

    path = project / "mlflow.db"
    MlflowClient(tracking_uri=f"sqlite:///{path}").create_experiment("intent", artifact_location=location)
    with pytest.raises(UsageError, match="sends artifacts to"):
        MLflowTracker(path)
    other = MLflowTracker(path, experiment="mine")
    assert other.record(TrackedRun("forest", {}, {"accuracy": 1.0})) is not None
