from __future__ import annotations

import json

import pytest

from intent.base.errors import OutputError, UsageError
from intent.base.json_objects import JSON_OBJECTS
from intent.play.generate import generate
from intent.recognise.bayes import BayesRecogniser
from intent.recognise.probe.probe import probe


@pytest.fixture(scope="module")
def result():
    return probe("canonical4", 8, 0.05)


def test_the_object_has_the_keys_of_the_codebook(result):
    found = result.to_dict()
    assert list(found) == list(JSON_OBJECTS["probe"])
    assert json.loads(json.dumps(found)) == found
    assert (found["search"], found["sequence"], found["eps"]) == ("optimal", "DCDCDCDC", [0.05, 0.05])
    assert [r["round"] for r in found["rounds"]] == list(range(1, 9))


def test_rounds_needed_are_those_of_the_sequence_given(result):
    n, sequence = result.probe.rounds_needed, result.target_sequence
    assert len(sequence) == n == 9
    exact = probe("canonical4", n, 0.05)
    assert exact.probe.last["accuracy"] >= 0.99 > probe("canonical4", n - 1, 0.05).probe.last["accuracy"]
    assert exact.sequence == sequence


def test_the_usual_opponents_are_compared(result):
    found = result.to_dict()["baselines"]
    assert list(found) == ["random", "ALLC", "ALLD", "sequence:CD"]
    assert found["random"]["rounds_needed"] == 12
    assert found["ALLC"]["rounds_needed"] is None
    assert found["ALLC"]["unseparated"] == [["ALLC", "TFT"]]
    assert result.adaptive["information"] > result.probe.last["information"]
    assert all(o.last["information"] < result.probe.last["information"] for o in result.baselines[:3])


def test_play_against_the_sequence_is_recognised_as_often_as_promised(result):
    log = generate("canonical4", 20_000, rounds=8, eps=0.05, opponent=result.probe.name, seed=3)
    X = log.trajectories()
    best = BayesRecogniser("canonical4", eps=0.05).fit().predict(X)
    truth = log.seats.loc[log.seats["focal"].astype(bool), "strategy"].to_numpy()
    assert (best == truth).mean() == pytest.approx(result.probe.last["accuracy"], abs=0.004)


def test_what_no_opponent_separates_is_named():
    found = probe("GRIM,GRUDGER,TFT", 4, 0.0)
    assert found.tied == (("GRIM", "GRUDGER"),)
    assert found.accuracy_limit == pytest.approx(2 / 3)
    assert found.probe.rounds_needed is found.target_sequence is None
    assert "no opponent tells GRIM and GRUDGER apart" in list(found.parts())


def test_an_unknown_eps_costs_rounds():
    unknown = probe("ALLC,TFT,WSLS", 8, (0.0, 0.2), target=0.95, max_rounds=20)
    known = probe("ALLC,TFT,WSLS", 8, 0.05, target=0.95, max_rounds=20)
    assert known.probe.rounds_needed < unknown.probe.rounds_needed < 15


def test_the_same_seed_gives_the_same_result():
    settings = {"rounds": 4, "eps": 0.1, "max_rounds": 12, "beam": 16}
    assert probe("canonical6", seed=5, **settings) == probe("canonical6", seed=5, **settings)


@pytest.mark.parametrize("suffix", [".png", ".svg", ".csv", ".json", ".parquet"])
def test_files(result, tmp_path, suffix):
    path = tmp_path / f"probe{suffix}"
    assert result.write(path).stat().st_size > 100
    with pytest.raises(OutputError, match="exists"):
        result.write(path)


def test_table_has_the_moves(result):
    table = result.table()
    assert len(table) == 5 * 8
    assert "".join(table["move"].dropna()) == result.sequence


@pytest.mark.slow
def test_estimated_accuracies_are_followed_up():
    """With six strategies and an unknown eps the search follows only some of the branches."""
    found = probe("canonical6", 4, (0.0, 0.2), target=0.86, max_rounds=15)
    n = found.probe.rounds_needed
    again = probe("canonical6", n, (0.0, 0.2), max_rounds=n)
    assert 10 < n == len(found.target_sequence) < 15
    assert again.search == "beam"
    assert again.probe.last["accuracy"] >= 0.86


@pytest.mark.parametrize("wrong", [{"target": 0}, {"rounds": 0}, {"max_rounds": 0}, {"objective": "beauty"}])
def test_numbers_out_of_range_are_refused(wrong):
    with pytest.raises(UsageError):
        probe("canonical4", **wrong)
