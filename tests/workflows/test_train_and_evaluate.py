from __future__ import annotations

import pytest

from intent import generate, load_recogniser, train
from intent.errors import DataError, OutputError, UnknownNameError, UsageError
from intent.tracking.base import MemoryTracker
from intent.workflows import train as train_module
from intent.workflows.dataset import make_spec
from intent.workflows.evaluate import evaluate

SPEC = make_spec({"name": "small", "n": 2000, "eps": 0.05, "seed": 3})


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    tracker = MemoryTracker()
    folder = tmp_path_factory.mktemp("out") / "recognisers"
    result = train(SPEC, ["logistic", "bayes", "rules"], output=folder, seed=1, tracker=tracker)
    return result, tracker, folder


def test_each_model_is_saved_tracked_and_measured(trained):
    result, tracker, folder = trained
    rows = {m["name"]: m for m in result["models"]}
    assert list(rows) == ["logistic-small", "bayes-small", "rules-small"]
    assert [run.name for run in tracker.runs] == list(rows)
    for name, row in rows.items():
        assert load_recogniser(folder / name).classes_.tolist() == ["ALLC", "ALLD", "TFT", "WSLS"]
        assert row["ceiling_kind"] == "exact_enumeration"
        assert row["ceiling"] == pytest.approx(0.9836, abs=5e-5)
        assert row["regret"] == pytest.approx(row["ceiling"] - row["accuracy"])
    assert abs(rows["bayes-small"]["regret"]) < 0.002
    assert rows["logistic-small"]["regret"] < 0.01
    assert rows["rules-small"]["regret"] > 0.1


def test_tracked_facts(trained):
    _, tracker, folder = trained
    run = tracker.runs[0]
    assert run.parameters["data"]["n"] == 2000
    assert {"accuracy", "regret", "ceiling", "ece", "f1_TFT", "seconds"} <= run.metrics.keys()
    assert run.artifacts == [folder / "logistic-small"]


def test_nothing_is_overwritten_unasked(trained):
    _, _, folder = trained
    with pytest.raises(OutputError, match="exists"):
        train(SPEC, ["rules"], output=folder)


def test_a_log_is_split_by_game_and_measured_on_the_held_out_part():
    log = generate(n=800, eps=0.02, seed=4)
    result = train(log, ["logistic"], seed=0)
    row = result["models"][0]
    assert row["accuracy"] > 0.95
    assert row["path"] is None
    assert row["ceiling_kind"] == "exact_enumeration"


def test_parameters_reach_the_models_that_have_them():
    result = train(SPEC, ["logistic"], parameters={"encoding": "moves"})
    assert result["fitted"]["logistic"].encoding == "moves"
    assert result["models"][0]["regret"] > 0.15
    with pytest.raises(UsageError, match="'depth' is one that none of"):
        train(SPEC, ["logistic"], parameters={"depth": 3})


def test_unknown_model():
    with pytest.raises(UnknownNameError, match="did you mean forest"):
        train(SPEC, ["forst"])


@pytest.mark.parametrize(
    ("settings", "kind", "rule"),
    [
        ({"eps": 0.05}, "exact_enumeration", "knows eps = 0.05"),
        ({"eps": (0.0, 0.2)}, "monte_carlo", "integrates eps"),
        ({"eps": 0.05, "rounds": 15}, "monte_carlo", "knows eps"),
        ({"eps": 0.05, "opponent": "canonical4"}, "monte_carlo", "knows eps"),
        ({"eps": 0.05, "opponent": "TFT"}, "exact_enumeration", "knows eps"),
    ],
)
def test_the_ceiling_is_named(settings, kind, rule):
    scores = evaluate("bayes-canonical4", generate(n=8000, seed=2, **settings))
    assert scores["ceiling_kind"] == kind
    assert rule in scores["ceiling_rule"]
    assert abs(scores["regret"]) < 0.015


def test_an_unlabelled_log_cannot_measure():
    log = generate(n=40)
    log.seats["strategy"] = None
    with pytest.raises(DataError, match="no focal seat with a strategy"):
        evaluate("bayes-canonical4", log)


def test_fresh_play_is_not_the_training_play():
    assert train_module.TEST_ROWS >= 50_000
