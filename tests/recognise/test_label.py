from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from intent import GameLog, generate, label
from intent.base import codebook
from intent.base.errors import UnknownNameError, UsageError
from intent.base.tables import read_table
from intent.logs.gamelog import concat_logs
from intent.recognise.labels.label import label_log


def public_goods_log():
    games = pd.DataFrame(
        {"game_id": ["a"], "n_players": 3, "rounds_played": 3, "repetition": 1, "cooperative_action": "A"}
    )
    seats = pd.DataFrame({"game_id": "a", "seat": [1, 2, 3], "focal": True})
    cube = {1: [1, 1, 0], 2: [1, 0, 0], 3: [0, 0, 0]}
    rows = [("a", t + 1, 1, s, bool(c), "parsed") for s, play in cube.items() for t, c in enumerate(play)]
    moves = pd.DataFrame(rows, columns=["game_id", "round", "step", "seat", "cooperated", "status"])
    return GameLog(games, seats, moves)


def test_summary_is_the_contract_and_adds_up():
    table = label(generate(n=400, eps=0.1, seed=1))
    summary = table.attrs["summary"]
    assert summary.keys() == {*codebook.JSON_OBJECTS["label"], "n_rows", "coin"}
    assert sum(summary["statuses"].values()) == summary["n"] == len(table) == 400
    assert sum(summary["consistent"].values()) == 400
    assert sum(summary["mean_posterior"].values()) == pytest.approx(1)
    assert summary["tied"] == table["tied"].sum()


def test_labels_that_hang_on_the_noise_are_counted():
    log = generate(n=400, eps=0.1, seed=1)
    labels = label_log(log)
    again = label(log, eps="integrate")
    differs = labels.table()["label"].fillna(labels.table()["status"]) != again["label"].fillna(
        again["status"]
    )
    assert labels.changed == differs.sum() > 0
    assert label_log(log, eps="integrate").changed is None


def test_confident_labels_are_right_as_often_as_they_say():
    table = label(generate("ALLC,ALLD,TFT,WSLS,RANDOM", n=20_000, eps=0.05, seed=2))
    sure = table[table["status"] == "confident"]
    assert (sure["label"] == sure["strategy"]).mean() == pytest.approx(sure["confidence"].mean(), abs=0.003)


def test_file_keeps_origin_and_lists(tmp_path):
    log = generate(n=32)
    labels = label_log(log, where={"strategy": ["TFT", "WSLS"]}, threshold=0.8)
    table = labels.table()
    for name in ("l.parquet", "l.csv", "l.jsonl"):
        path = labels.write(tmp_path / name)
        read, origin = read_table(path)
        assert len(read) == len(table) == 16
        assert origin["threshold"] == 0.8
        assert origin["where"] == {"strategy": ["TFT", "WSLS"]}
        assert origin["log"] == json.loads(json.dumps(log.provenance))
    assert (
        read_table(tmp_path / "l.parquet")[0]["consistent"].map(len).tolist()
        == table["consistent"].map(len).tolist()
    )


def test_more_than_two_players_need_a_reading():
    log = public_goods_log()
    with pytest.raises(UsageError, match="any, majority or all"):
        label(log)
    some, all_of_them = label(log, others="any"), label(log, others="all")
    assert some["game_id"].tolist() == ["a"] * 3
    assert some["best"].tolist()[0] == "TFT"
    assert all_of_them["consistent"].map(list).tolist()[2] == ["ALLD"]


def test_games_without_cooperation_are_counted_not_labelled():
    log = public_goods_log()
    log.games["cooperative_action"] = None
    log.moves["cooperated"] = pd.array([pd.NA] * 9, dtype="boolean")
    table = label(log, others="any")
    assert len(table) == 0
    assert table.attrs["summary"]["skipped"] == {"no cooperative action": 1}


def test_defaulted_moves_are_no_evidence_unless_kept():
    log = generate(n=4, strategies="ALLD,ALLC", eps=0, seed=1)
    early = (log.moves["game_id"] == log.games["game_id"].iloc[0]) & (log.moves["round"] <= 4)
    status = np.where(early & (log.moves["seat"] == 1), "defaulted", "parsed")
    defaulted = GameLog(log.games, log.seats, log.moves.assign(status=status))
    assert label(defaulted)["n_rounds"].tolist() == [6, 10, 10, 10]
    assert label(defaulted, keep_defaulted=True)["n_rounds"].tolist() == [10] * 4


def test_noise_can_be_set_integrated_or_estimated():
    log = generate(n=2000, rounds=30, eps=0.12, seed=5)
    assert label(log, eps=0.12).attrs["provenance"]["eps"] == 0.12
    assert label(log, eps="integrate").attrs["provenance"]["eps"] == "integrate"
    assert label(log, eps="estimate").attrs["provenance"]["eps"] == pytest.approx(0.12, abs=0.01)
    with pytest.raises(UsageError, match="--eps belongs to a bayes recogniser"):
        label(log, "logistic-canonical4", eps=0.1)


def test_one_noise_per_group():
    calm = generate(n=800, rounds=40, eps=0.02, seed=1)
    log = generate(n=800, rounds=40, eps=(0.15, 0.15), seed=2)
    log.games["game_id"] = "x" + log.games["game_id"]
    log.seats["game_id"] = "x" + log.seats["game_id"]
    log.moves["game_id"] = log.moves["game_id"].cat.rename_categories(lambda name: "x" + name)
    both = concat_logs([calm, log])
    table = label(both, eps="estimate", eps_by=["eps"])
    assert table["game_id"].tolist() == both.games["game_id"].tolist()
    assert table.attrs["provenance"]["eps"] == {
        "0.02": pytest.approx(0.02, abs=0.005),
        "0.15": pytest.approx(0.15, abs=0.01),
    }
    with pytest.raises(UsageError, match="--eps estimate"):
        label(both, eps_by=["eps"])
    with pytest.raises(UnknownNameError, match="unknown column 'epz'"):
        label(both, eps="estimate", eps_by=["epz"])


def test_prior_and_background_reach_the_posterior():
    log = generate("ALLC", 10, eps=0, seed=1, opponent="ALLC")
    prior = {"ALLC": 0.98, "TFT": 0.01, "WSLS": 0.01}
    even, sure = (label(log, prior=p, background=False) for p in (None, prior))
    assert even["confidence"].tolist() == pytest.approx([1 / 3] * 10)
    assert sure["confidence"].tolist() == pytest.approx([0.98] * 10)
    assert (sure["status"] == "ambiguous").all()
    assert "p_RANDOM" not in even
    coin, rule, slips = 0.5**10, 0.95**10, 0.05**10
    assert label(log)["p_RANDOM"].tolist() == pytest.approx([coin / (coin + 3 * rule + slips)] * 10)
    held = 0.8 * (rule + 0 * slips) + 0.2 * coin
    assert label(log, prior=prior)["p_RANDOM"].tolist() == pytest.approx([0.2 * coin / held] * 10)
    named = prior | {"ALLC": 0.48, "RANDOM": 0.5}
    assert label(log, prior=named)["p_RANDOM"].tolist() == pytest.approx([coin / (coin + rule)] * 10)


def test_seed_makes_monte_carlo_fits_repeatable():
    log = generate("canonical5", 100, seed=3)
    first, second = (label(log, "bayes-canonical5", seed=8)["fit_p"].to_numpy() for _ in range(2))
    assert np.array_equal(first, second)


def test_unknown_recogniser_and_column():
    with pytest.raises(UnknownNameError, match="did you mean bayes-canonical4"):
        label(generate(n=4), "bayes-canonical44")
    with pytest.raises(UnknownNameError, match="did you mean opponent"):
        label(generate(n=4), where={"oponent": ["x"]})


def test_a_condition_that_nothing_meets_says_what_there_is():
    log = generate(n=8)
    with pytest.raises(UsageError, match=r"no game left of 8 \(--where opponent=TFT\); opponent has RANDOM"):
        label(log, where={"opponent": ["TFT"]})


def test_groups_of_the_noise_are_told_apart_by_every_column():
    log = generate(n=16, seed=1)
    log.games["a"] = ["x", "x, y"] * 8
    log.games["b"] = ["y, z", "z"] * 8
    both = label_log(log, eps="estimate", eps_by=["a", "b"])
    assert len(both.table()) == 16


def test_settings_are_kept_with_the_labels():
    facts = label(generate(n=8), eps="integrate", eps_prior=(0.0, 0.4)).attrs["provenance"]
    assert facts["parameters"]["eps_prior"] == [0.0, 0.4]
    assert facts["parameters"]["strategies"] == ["ALLC", "ALLD", "TFT", "WSLS"]
    assert json.loads(json.dumps(facts)) == facts
