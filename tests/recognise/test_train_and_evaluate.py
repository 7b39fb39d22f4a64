from __future__ import annotations

import numpy as np
import pytest

from intent import GameLog, generate, load_recogniser, strategy_set, train
from intent.base.errors import DataError, OutputError, UnknownNameError, UsageError
from intent.base.tracking import MemoryTracker
from intent.logs.gamelog import concat_logs
from intent.play.dataset import make_spec
from intent.play.generate import generate_to
from intent.recognise.evaluate import TEST_ROWS, evaluate
from intent.strategies.likelihood import log_likelihood

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
    assert run.model is not None
    assert run.model.folder == folder / "logistic-small"
    assert [path.name for path in run.pictures] == ["confusion.png", "reliability.png", "regret.png"]
    assert run.tags["kind"] == "train"
    assert [data.context for data in run.data] == ["training", "evaluation"]
    assert run.data[0].name in run.tags["log"]
    assert run.began is not None
    assert run.ended is not None
    assert run.ended - run.began >= run.metrics["seconds"]
    assert "| regret |" in run.note


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
    assert row["ceiling_kind"] == "monte_carlo"


def test_parameters_reach_the_models_that_have_them():
    result = train(SPEC, ["logistic"], parameters={"encoding": "moves"})
    assert result["fitted"]["logistic"].encoding == "moves"
    assert result["models"][0]["regret"] > 0.15
    with pytest.raises(UsageError, match="unknown parameter 'depth': logistic has C, encoding, max_iter"):
        train(SPEC, ["logistic"], parameters={"depth": 3})


def test_bayes_learns_the_strategies_of_the_data():
    log = generate("TFT,ALLD,GRIM", 300, rounds=20, eps=0.02, seed=1)
    fitted = train(log, ["bayes"])["fitted"]["bayes"]
    assert fitted.classes_.tolist() == ["ALLD", "TFT", "GRIM"]
    five = train(make_spec({"strategies": "canonical5", "n": 100}), ["bayes"])
    assert five["fitted"]["bayes"].classes_.tolist()[-1] == "GTFT"
    assert abs(five["models"][0]["regret"]) < 0.005


def test_a_class_the_recogniser_cannot_name_counts_as_missed():
    scores = evaluate("bayes-canonical4", generate("TFT,ALLD,GRIM", 300, eps=0.0, seed=1))
    assert scores["unknown_classes"] == ["GRIM"]
    assert scores["per_class"]["GRIM"] == {"precision": 0.0, "recall": 0.0, "f1": 0.0, "n": 100}
    f1 = [scores["per_class"][name]["f1"] for name in ("TFT", "ALLD", "GRIM")]
    assert scores["macro_f1"] == pytest.approx(sum(f1) / 3)


def test_measuring_on_the_training_log_is_told(tmp_path):
    generate_to(tmp_path / "play", make_spec({"n": 80}))
    generate_to(tmp_path / "other", make_spec({"n": 80, "seed": 2}))
    path = train(str(tmp_path / "play"), ["logistic"], output=tmp_path / "r")["models"][0]["path"]
    assert evaluate(path, tmp_path / "play")["trained_on_this"]
    assert not evaluate(path, tmp_path / "other")["trained_on_this"]


def test_unknown_model():
    with pytest.raises(UnknownNameError, match="did you mean forest"):
        train(SPEC, ["forst"])


@pytest.mark.parametrize(
    ("settings", "kind", "rule"),
    [
        ({"eps": 0.05}, "exact_enumeration", "knows eps = 0.05"),
        ({"eps": (0.0, 0.2)}, "monte_carlo", "integrates eps over the play's own"),
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


def ceiling(log):
    scores = evaluate("bayes-canonical4", log)
    return scores["ceiling"], scores["ceiling_kind"], scores["ceiling_rule"]


def bayes_accuracy(log, strategies, eps_of_row, prior):
    """Accuracy of a Bayes rule in plain steps, hit by hit."""
    X = log.trajectories()
    names = [s.name for s in strategies]
    ll = np.stack(
        [log_likelihood(X[[i]].own, X[[i]].other, None, strategies, e)[0] for i, e in enumerate(eps_of_row)]
    )
    guess = (ll + np.log(prior)).argmax(axis=1)
    return np.mean([names[g] == t for g, t in zip(guess, X.keys["strategy"], strict=True)])


def test_the_ceiling_of_unbalanced_play_knows_the_frequencies():
    log = generate("canonical5", 3000, eps=0.1, seed=1)
    rare = log.seats["strategy"].isin(["ALLC", "ALLD", "TFT", "WSLS"]) & (log.seats["seat"] == 1)
    keep = ~rare | (np.arange(len(log.seats)) < 600)
    log = log.where({"game_id": log.seats["game_id"][(log.seats["seat"] == 1) & keep].tolist()})
    counts = log.trajectories().keys["strategy"].value_counts(normalize=True)
    strategies = strategy_set("canonical5")
    prior = np.array([counts[s.name] for s in strategies])
    best = bayes_accuracy(log, strategies, [0.1] * len(log), prior)
    value, kind, rule = ceiling(log)
    assert kind == "monte_carlo"
    assert "how frequent" in rule
    assert value == pytest.approx(best, abs=0.04)


def test_a_mixture_of_two_noises_is_no_uniform_range():
    calm, wild = (generate("canonical4", 2000, eps=e, seed=s) for e, s in ((0.0, 1), (0.3, 2)))
    for name in ("games", "seats", "moves"):
        table = getattr(wild, name)
        table["game_id"] = "w" + table["game_id"].astype(str)
    both = concat_logs([calm, GameLog(wild.games, wild.seats, wild.moves)])
    eps = [0.0] * 2000 + [0.3] * 2000
    with np.errstate(divide="ignore"):
        knowing = bayes_accuracy(both, strategy_set("canonical4"), eps, np.full(4, 0.25))
    value, kind, _ = ceiling(both)
    assert kind == "monte_carlo"
    assert knowing - 0.03 < value <= knowing + 0.02


def test_play_with_gaps_is_not_enumerated():
    log = generate("canonical4", 2000, eps=0.05, seed=1)
    gaps = log.moves["round"] % 2 == 0
    holed = GameLog(log.games, log.seats, log.moves[~gaps])
    value, kind, _ = ceiling(holed)
    assert kind == "monte_carlo"
    assert value < 0.95
    assert abs(evaluate("bayes-canonical4", holed)["regret"]) < 0.03


def test_self_play_gives_more_away_than_the_own_moves():
    alone = ceiling(generate("canonical4", 4000, eps=0.1, opponent="ALLC", opponent_eps=0.1, seed=1))
    twins = generate("canonical4", 4000, eps=0.1, opponent="self", opponent_eps=0.1, seed=1)
    assert ceiling(twins)[0] > alone[0]
    assert evaluate("bayes-canonical4", twins)["regret"] > 0.05


def test_impossible_play_has_no_perfect_ceiling():
    log = generate("canonical4", 400, rounds=12, eps=0.2, seed=1)
    log.games["eps"] = 0.0
    assert ceiling(log)[0] < 0.9


def test_a_strategy_nobody_knows_has_no_ceiling():
    log = generate("canonical4", 40, seed=1)
    log.seats.loc[0, "strategy"] = "MyBot"
    value, kind, rule = ceiling(log)
    assert (value, kind) == (None, None)
    assert "MyBot" in rule


def test_an_unlabelled_log_cannot_measure():
    log = generate(n=40)
    log.seats["strategy"] = None
    with pytest.raises(DataError, match="no focal seat with a strategy"):
        evaluate("bayes-canonical4", log)


def test_fresh_play_is_not_the_training_play():
    assert TEST_ROWS >= 50_000


def test_sfem_learns_from_a_log_without_labels():
    log = generate("canonical4", 400, eps=0.1, seed=5)
    log.seats["strategy"] = None
    tracker = MemoryTracker()
    row = train(log, ["sfem"], tracker=tracker)["models"][0]
    assert (row["accuracy"], row["regret"], row["ceiling"]) == (None, None, None)
    (run,) = tracker.runs
    shares = [run.metrics[f"share_{name}"] for name in ("ALLC", "ALLD", "TFT", "WSLS")]
    assert shares == pytest.approx([0.25] * 4, abs=0.08)
    assert run.metrics["tremble"] == pytest.approx(0.1, abs=0.02)
    assert {"share_TFT_se", "tremble_se", "log_likelihood", "aic", "bic", "icl"} <= run.metrics.keys()
    assert run.metrics["n_subjects"] == 400
    assert [path.name for path in run.pictures] == ["shares.png"]
    with pytest.raises(DataError, match="no focal seat with a strategy"):
        train(log, ["sfem", "logistic"])


def test_sfem_is_measured_where_labels_are_known():
    result = train(generate(n=800, eps=0.05, seed=4), ["sfem", "bayes"], seed=0)
    sfem, bayes = result["models"]
    assert sfem["accuracy"] == pytest.approx(bayes["accuracy"], abs=0.03)
    assert sfem["ceiling_kind"] == "monte_carlo"
