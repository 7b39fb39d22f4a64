"""A tiny study end to end: what is done stays done, what changed is computed anew."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import sqlite3
from pathlib import Path

import pandas as pd
import pytest

from intent.base.errors import DataError, OutputError, UnknownNameError, UsageError
from intent.base.tracking import MemoryTracker
from intent.recognise.recogniser import KINDS
from intent.recognise.study.plan import CellStore, StudySpec, cell_key, load_study, make_plan
from intent.recognise.study.run import study

ROOT = Path(__file__).resolve().parents[2]

TINY = """
name: tiny
seed: 3
n_test: 240
sets: [canonical4]
points:
  noise: [0, 0.1]
  rounds: [3, 12]
  opponents:
    random: random
    round robin: "{set}"
groups:
  reference:
    recognisers:
      Bayes: {kind: bayes, parameters: {eps: known}}
      rules: {kind: rules}
      shipped: {kind: logistic, shipped: {name: "logistic-{set}", size: 100000, noise: 0-0.2}}
  trained:
    data: "{set}-general"
    sizes: [200, endless]
    noise: [0, 0-0.2]
    recognisers:
      logistic: {kind: logistic}
  recipe:
    about: As published.
    data: paper-eps005
    sizes: [200]
    rounds: [3]
    opponents: [random]
    recognisers:
      HMM: {kind: hmm, parameters: {smoothing: 3}}
    published:
      - {recogniser: HMM, called: HMM, set: canonical4, noise: 0.05, accuracy: above .5, source: a paper}
      - {recogniser: null, called: other, set: canonical4, noise: 0.05, accuracy: ".9", source: a paper}
"""


@pytest.fixture
def file(tmp_path) -> Path:
    path = tmp_path / "tiny.yaml"
    path.write_text(TINY)
    return path


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A study that is run once for all tests."""
    folder = tmp_path_factory.mktemp("finished")
    (folder / "tiny.yaml").write_text(TINY)
    return folder / "results", study(folder / "tiny.yaml", folder / "results")


@pytest.fixture
def done(finished, file, tmp_path):
    """The file, a copy of its results, what the run said."""
    shutil.copytree(finished[0], tmp_path / "results")
    return file, tmp_path / "results", finished[1]


def files(folder: Path) -> dict[str, bytes]:
    """Content of the results, times aside."""
    return {f.name: f.read_bytes() for f in folder.iterdir() if f.is_file() and f.name != "training.csv"}


def test_a_study_leaves_tables_figures_and_a_summary(done):
    _, folder, result = done
    cells = pd.read_csv(folder / "cells.csv.gz")
    assert (len(cells), result.n_cells, result.n_pending) == (42, 42, 0)
    assert (cells.loc[cells["recogniser"] == "Bayes", "regret_known"] == 0).all()
    assert (cells["accuracy"] <= cells["ceiling_known"]).all()
    assert set(pd.read_csv(folder / "summary.csv")["recogniser"]) == set(cells["recogniser"])
    assert len(pd.read_csv(folder / "training.csv")) == 3
    assert {f.name for f in folder.glob("*.png")} == {
        "regret_canonical4.png",
        "regret_by_opponent.png",
        "mismatch.png",
        "calibration.png",
    }
    text = (folder / "summary.md").read_text()
    assert "logistic (trained), endless: logistic learns from a table of fixed size" in text
    assert "## By opponent" in text
    assert "| canonical4 | 0.05 | other |" in text


def test_a_second_run_computes_nothing_and_gives_the_same_bytes(done):
    file, folder, _ = done
    before, seen = files(folder), []
    study(file, folder, update=lambda done, total: seen.append((done, total)))
    assert seen == [(0, 0)]
    assert files(folder) == before
    gzip.decompress((folder / "cells.csv.gz").read_bytes())


def test_a_study_is_a_tracked_run_with_one_for_each_recogniser_in_it(done):
    file, folder, result = done
    tracker = MemoryTracker()
    study(file, folder, tracker=tracker)
    (run,) = tracker.runs
    assert run.tags["kind"] == "study"
    assert len(run.parts) == run.metrics["models"] >= result.n_models
    assert {path.suffix for path in run.pictures} == {".png"}
    for part in run.parts:
        assert part.tags["kind"] == "study, recogniser"
        assert 0 <= part.metrics["accuracy"] <= 1
        assert part.ended >= part.began


def test_a_stopped_run_goes_on_where_it_was(done):
    file, folder, _ = done
    before = files(folder)
    with sqlite3.connect(folder / "cache" / "cells.sqlite") as base:
        base.execute("DELETE FROM cells WHERE rowid % 3 = 0")
    assert study(file, folder, dry_run=True).n_pending > 0
    study(file, folder)
    assert files(folder) == before


def test_a_changed_study_computes_what_changed(done):
    file, folder, _ = done
    file.write_text(TINY.replace("noise: [0, 0.1]", "noise: [0, 0.2]"))
    assert study(file, folder, dry_run=True).n_pending == 21
    file.write_text(TINY.replace("smoothing: 3", "smoothing: 4"))
    result = study(file, folder, dry_run=True)
    assert (result.n_untrained, result.n_pending) == (1, 2)


def test_a_part_can_be_run_first(file, tmp_path):
    only = {"recogniser": ["Bayes"], "opponent": ["random"]}
    result = study(file, tmp_path / "out", only=only)
    assert (result.n_cells, result.n_pending) == (4, 0)
    assert "38 cells of the study are not measured yet" in (tmp_path / "out" / "summary.md").read_text()


@pytest.mark.slow
def test_the_number_of_workers_changes_nothing(done, tmp_path):
    file, folder, _ = done
    study(file, tmp_path / "parallel", workers=2)
    assert files(tmp_path / "parallel") == files(folder)


def test_a_dry_run_writes_nothing(file, tmp_path):
    assert study(file, tmp_path / "out", dry_run=True).n_untrained == 3
    assert not (tmp_path / "out").exists()


def test_a_folder_of_somebody_else_is_left_alone(file, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("")
    with pytest.raises(OutputError, match="no study of ours"):
        study(file, tmp_path / "mine")


def test_what_cannot_be_selected_is_an_error(file, tmp_path):
    with pytest.raises(UsageError, match="no such column"):
        study(file, tmp_path / "out", only={"colour": ["red"]})
    with pytest.raises(UsageError, match="leaves no model"):
        study(file, tmp_path / "out", only={"kind": ["lstm"]})


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("n_test", "n_tests", "unknown key 'n_tests'; did you mean n_test"),
        ("noise: [0, 0.1]", "noise: [0, 0.7]", "expected probabilities"),
        ("sizes: [200, endless]", "sizes: [many]", "groups.trained.sizes"),
    ],
)
def test_a_wrong_study_is_named_in_one_line(file, old, new, message):
    file.write_text(TINY.replace(old, new))
    with pytest.raises(DataError, match=message) as caught:
        load_study(file)
    assert "\n" not in str(caught.value)


def test_unknown_names_are_found_before_any_work(file):
    file.write_text(TINY.replace("kind: rules", "kind: ruels"))
    with pytest.raises(UnknownNameError, match="rules"):
        make_plan(load_study(file))


def changed(**values) -> StudySpec:
    return StudySpec(**{"sets": ["canonical4"], "points": POINTS, "groups": GROUPS, **values})


POINTS = {"noise": [0.1], "rounds": [3], "opponents": {"random": "random"}}
GROUPS = {"a": {"data": "paper-eps0", "recognisers": {"x": {"kind": "logistic"}}}}


def keys(spec: StudySpec) -> list[str]:
    return [cell_key(*cell) for cell in make_plan(spec).cells()]


def test_keys_follow_what_determines_a_cell_and_nothing_else():
    usual = keys(changed())
    assert keys(changed(name="other")) == usual
    renamed = {"b": {**GROUPS["a"], "recognisers": {"y": {"kind": "logistic"}}}}
    assert keys(changed(groups=renamed)) == usual
    assert keys(changed(seed=1)) != usual
    assert keys(changed(n_test=100)) != usual
    assert keys(changed(groups={"a": {**GROUPS["a"], "sizes": [300]}})) != usual
    assert keys(changed(points={**POINTS, "opponents": {"random": "TFT"}})) != usual


def test_the_study_of_the_experiments_folder_measures_every_recogniser_on_the_whole_grid():
    spec = load_study(ROOT / "experiments" / "strategy_recognition" / "study.yaml")
    assert {entry.kind for group in spec.groups.values() for entry in group.recognisers.values()} >= set(
        KINDS
    )
    assert spec.sets == ["canonical4", "canonical5", "canonical6"]
    assert (spec.points.noise, spec.points.rounds) == ([0, 0.01, 0.05, 0.1, 0.2], [5, 10, 20, 50, 100])
    assert list(spec.points.opponents) == ["random", "ALLC", "TFT", "round robin", "recorded"]
    trained = spec.groups["trained"]
    assert (trained.sizes, trained.noise) == ([10_000, 100_000, "endless"], [(0, 0), (0.05, 0.05), (0, 0.2)])


def test_opponents_must_not_depend_on_the_label():
    with pytest.raises(UsageError, match="does not depend on the player"):
        make_plan(changed(points={**POINTS, "opponents": {"mixed": "random=1,self=1"}}))


def test_recorded_opponents_without_their_log_are_left_out_with_a_word():
    points = {**POINTS, "opponents": {"random": "random", "recorded": {"log": "no.csv"}}}
    plan = make_plan(changed(points=points))
    assert [p.opponent for p in plan.points] == ["random"]
    assert "INTENT_DATA" in plan.left_out[0].why


@pytest.mark.data
def test_recorded_opponents_have_no_more_rounds_than_their_log(data_dir):
    log = {"log": "fairgame/results.csv.gz", "where": {"game": "prisoner-dilemma"}}
    points = {**POINTS, "rounds": [5, 10, 20], "opponents": {"recorded": log}}
    plan = make_plan(changed(points=points), logs=data_dir)
    assert [p.rounds for p in plan.points] == [5, 10]
    assert [item.what for item in plan.left_out] == ["opponent recorded, 20 rounds"]


@pytest.mark.parametrize(
    ("restriction", "message"),
    [
        ({"opponents": ["randm"]}, "groups.a: opponents hold 'randm', which is none of the study's (random)"),
        ({"rounds": [4]}, "groups.a: rounds hold 4, which is none of the study's"),
        ({"sets": ["canonical6"]}, "groups.a: sets hold 'canonical6', which is none of the study's"),
    ],
)
def test_a_restriction_that_leaves_nothing_is_an_error(tmp_path, restriction, message):
    values = changed().model_dump(mode="json")
    values["groups"]["a"] |= restriction
    file = tmp_path / "study.yaml"
    file.write_text(json.dumps(values))
    with pytest.raises(DataError, match=re.escape(f"study.yaml: {message}")):
        load_study(file)


def test_a_store_of_other_things_is_refused(tmp_path):
    other = sqlite3.connect(tmp_path / "other.sqlite")
    other.execute("CREATE TABLE cells (key TEXT)")
    other.close()
    with pytest.raises(OutputError, match="not a store of cells"):
        CellStore(tmp_path / "other.sqlite")
    with CellStore(tmp_path / "ours.sqlite") as store:
        store.put({"a": {"n": 1}})
        assert store.get(["a", "b"]) == {"a": {"n": 1}}
    spoiled = sqlite3.connect(tmp_path / "ours.sqlite")
    with spoiled:
        spoiled.execute("UPDATE cells SET value = '[1'")
    spoiled.close()
    with CellStore(tmp_path / "ours.sqlite") as store, pytest.raises(OutputError, match="cell a holds"):
        store.get(["a"])
