from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from intent import generate, strategy_set, train
from intent.base.errors import OutputError, UnknownNameError
from intent.cli.main import main
from intent.play.dataset import make_spec
from intent.recognise.bayes import BayesRecogniser, log_evidence
from intent.recognise.calibrated import CalibratedRecogniser
from intent.recognise.evaluate import evaluate


@pytest.fixture(scope="module")
def mixed():
    return generate("canonical6", 4000, rounds=15, eps=(0.0, 0.2), seed=3)


@pytest.fixture(scope="module")
def short():
    return generate("canonical5", 3000, eps=0.1, seed=4)


def test_known_is_the_rule_that_knows_each_eps():
    mixed = generate("canonical6", 300, rounds=15, eps=(0.0, 0.2), seed=3)
    X = mixed.trajectories()
    strategies = strategy_set("canonical6")
    ll = np.stack([log_evidence(X[[i]], strategies, float(e))[0] for i, e in enumerate(X.keys["eps"])])
    best = ll >= ll.max(axis=1, keepdims=True) - 1e-9
    names = np.array([s.name for s in strategies])
    exact = (names[best.argmax(axis=1)] == X.keys["strategy"].to_numpy()).mean()
    found = evaluate("bayes-canonical6", mixed, ceiling="known")
    assert found["ceiling"] == pytest.approx(exact, abs=0.004)
    assert "knows the eps of each trajectory, 0" in found["ceiling_rule"]


def test_integrated_is_the_shipped_rule_and_has_no_regret_to_itself(mixed):
    blind = BayesRecogniser("canonical6", eps="integrate").fit()
    found = evaluate(blind, mixed, ceiling="integrated")
    assert found["regret"] == found["paired"]["value"] == pytest.approx(0, abs=3e-4)
    assert found["ceiling_kind"] == "monte_carlo"
    assert "integrates eps over U[0, 0.2]" in found["ceiling_rule"]
    known = evaluate(blind, mixed, ceiling="known")
    assert known["regret"] > 0


def test_paired_regret_is_the_difference_on_the_same_play(mixed):
    found = evaluate("logistic-canonical6", mixed)
    assert found["regret"] == pytest.approx(found["ceiling"] - found["accuracy"])
    assert found["paired"]["value"] == pytest.approx(found["regret"])
    assert found["paired"]["standard_error"] < found["ceiling_error"]
    assert found["paired"]["bound"] > found["regret"]


@pytest.mark.parametrize(
    ("ceiling", "value", "rule"),
    [
        ("auto", 0.8279, "knows eps = 0.1"),
        ("known", 0.8279, "knows eps = 0.1"),
        ("integrated", 0.82, "U[0, 0.2]"),
    ],
)
def test_short_play_of_one_noise_is_enumerated(short, ceiling, value, rule):
    found = evaluate("bayes-canonical5", short, ceiling=ceiling)
    assert found["ceiling_kind"] == "exact_enumeration"
    assert found["ceiling"] == pytest.approx(value, abs=0.008)
    assert rule in found["ceiling_rule"]
    assert found["paired"] is not None


def test_play_of_unknown_noise_has_the_integrating_rule_only(mixed):
    log = generate("canonical4", 400, seed=1)
    log.games = log.games.drop(columns="eps")
    assert evaluate("bayes-canonical4", log)["ceiling"] is None
    assert evaluate("bayes-canonical4", log)["paired"] is None
    assert evaluate("bayes-canonical4", log, ceiling="integrated")["ceiling"] > 0.9


def test_a_synonym_is_the_strategy_it_means():
    log = generate("canonical4", 400, seed=1)
    log.seats["strategy"] = log.seats["strategy"].replace("WSLS", "Pavlov")
    assert evaluate("bayes-canonical4", log)["ceiling"] == pytest.approx(0.9836, abs=5e-5)


def test_an_unknown_ceiling(short):
    with pytest.raises(UnknownNameError, match="unknown ceiling 'best'"):
        evaluate("bayes-canonical5", short, ceiling="best")


@pytest.mark.parametrize("name", ["r.csv", "r.jsonl", "r.parquet", "r.json"])
def test_the_bins_as_a_table(short, tmp_path, name):
    from intent.base.tables import read_table

    found = evaluate("bayes-canonical5", short, output=tmp_path / name, per_class=True)
    if name == "r.json":
        facts = json.loads((tmp_path / name).read_text())
        table = pd.DataFrame(facts["bins"])
    else:
        table, facts = read_table(tmp_path / name)
    assert facts["ece"] == pytest.approx(found["ece"])
    assert table["class"].nunique() == 6
    top = table[table["class"] == "(most probable)"]
    gaps = top["n"] * (top["accuracy"] - top["confidence"]).abs()
    assert gaps.sum() / top["n"].sum() == pytest.approx(found["ece"])
    with pytest.raises(OutputError, match="exists"):
        evaluate("bayes-canonical5", short, output=tmp_path / name)


def test_the_diagram_is_the_same_every_time(short, tmp_path):
    for name in ("a.png", "b.png"):
        evaluate("bayes-canonical5", short, output=tmp_path / name)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_an_unknown_suffix(short, tmp_path):
    with pytest.raises(OutputError, match=r"suffix '.txt'"):
        evaluate("bayes-canonical5", short, output=tmp_path / "r.txt")


def test_the_command_names_the_ceiling(tmp_path, capsys):
    def run(*words):
        with pytest.raises(SystemExit) as stopped:
            main([str(word) for word in words])
        return stopped.value.code, capsys.readouterr().out

    run("generate", "-n", 200, "--rounds", 15, "--seed", 1, "-o", tmp_path / "play")
    code, out = run("evaluate", tmp_path / "play", "--ceiling", "integrated", "-o", tmp_path / "r.csv")
    assert code == 0
    assert "Bayes rule that integrates eps over U[0, 0.2], monte carlo" in out
    assert "with 95 % confidence" in out
    assert (tmp_path / "r.csv").is_file()


def test_training_calibrates_on_request(tmp_path):
    spec = make_spec({"name": "small", "n": 4000, "eps": 0.05, "seed": 3})
    result = train(spec, ["logistic"], calibrate="temperature", output=tmp_path)
    (row,) = result["models"]
    assert row["name"] == "logistic-temperature-small"
    assert isinstance(result["fitted"]["logistic"], CalibratedRecogniser)
    assert (tmp_path / row["name"] / "recogniser.json").is_file()
