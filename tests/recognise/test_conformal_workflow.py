from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from intent import GameLog, Trajectories, generate, label, strategy_set
from intent.base.errors import RecogniserError, UsageError
from intent.cli.main import main
from intent.play.corpora import Corpus, generate_arrays
from intent.recognise.bayes import BayesRecogniser
from intent.recognise.classifiers import LogisticRecogniser
from intent.recognise.labels.conformal import calibration_play, conformal_sets
from intent.recognise.labels.label import label_log
from intent.recognise.recogniser import load_recogniser


def least_coverage(model, X, y, level, **more):
    sets = conformal_sets(model, X, level, np.random.default_rng(7), **more)
    assert sets.any(axis=1).all()
    hit = sets[np.arange(len(y)), y]
    return min(hit[y == k].mean() for k in np.unique(y))


@pytest.mark.parametrize(
    ("model", "eps"),
    [
        (BayesRecogniser("canonical5", eps=0.05).fit(), (0.05, 0.05)),
        (BayesRecogniser("canonical6", eps="integrate").fit(), (0.0, 0.2)),
        (BayesRecogniser("canonical4", eps="integrate", eps_prior=(2.0, 8.0, 0.5)).fit(), None),
        (load_recogniser("logistic-canonical5"), (0.0, 0.2)),
    ],
    ids=["eps known", "eps integrated", "beta prior", "nothing assumed"],
)
def test_every_class_is_covered_on_fresh_play(model, eps):
    names = ",".join(str(c) for c in model.classes_)
    if eps is None:
        X = Trajectories(np.ones((4000, 10)), np.random.default_rng(0).integers(0, 2, (4000, 10)))
        parts = [calibration_play(model, X, k, 8000, np.random.default_rng(k)) for k in range(4)]
        X = Trajectories(np.concatenate([p.own for p in parts]), np.concatenate([p.other for p in parts]))
        y = np.repeat(np.arange(4), 8000)
    else:
        X, y = generate_arrays(Corpus(strategy_set(names), 40_000, eps=eps), np.random.default_rng(2))
    assert least_coverage(model, X, y, 0.95) >= 0.943


def test_more_noise_than_assumed_costs_coverage_and_saying_so_restores_it():
    model = BayesRecogniser("canonical5", eps=0.05).fit()
    corpus = Corpus(strategy_set("canonical5"), 20_000, eps=(0.2, 0.2))
    X, y = generate_arrays(corpus, np.random.default_rng(2))
    assert least_coverage(model, X, y, 0.95) < 0.8
    assert least_coverage(model, X, y, 0.95, eps=0.2) > 0.94


def test_calibration_play_has_the_situations_of_the_log():
    X = Trajectories(
        [[1, 0, 1, -1], [0, -1, 1, 1]],
        [[1, 1, 0, -1], [0, 0, -1, 1]],
        evidence=[[True, False, True, False], [True, False, True, True]],
    )
    model = BayesRecogniser("TFT,ALLD", eps=0.0).fit()
    tft = int(np.flatnonzero(model.classes_ == "TFT")[0])
    played = calibration_play(model, X, tft, 500, np.random.default_rng(0))
    first = (played.other == X.other[0]).all(axis=1)
    assert set(map(tuple, played.own[first].tolist())) == {(1, 1, 1, -1)}
    assert set(map(tuple, played.own[~first].tolist())) == {(1, -1, 0, 0), (1, -1, 0, 1)}
    assert np.array_equal(played.evidence[first][0], [True, False, True, False])
    assert 0.4 < first.mean() < 0.6


def test_the_column_and_the_summary_only_where_asked():
    log = generate(n=200, eps=0.05, seed=1)
    assert "label_set" not in label(log)
    table = label(log, conformal=0.9)
    found = table.attrs["summary"]["conformal"]
    sizes = table["label_set"].map(len)
    assert found["mean_size"] == pytest.approx(sizes.mean())
    assert found["singletons"] == pytest.approx((sizes == 1).mean())
    assert sum(found["sizes"].values()) == 200
    assert all(best in held for best, held in zip(table["best"], table["label_set"], strict=True))
    covered = [s in held for s, held in zip(table["strategy"], table["label_set"], strict=True)]
    assert np.mean(covered) > 0.85
    assert table.attrs["provenance"]["conformal"] == 0.9


def test_sets_are_repeatable_and_do_not_change_the_labels():
    log = generate("canonical5", 100, seed=3)
    one, two = (label(log, "bayes-canonical5", conformal=0.95, seed=4) for _ in range(2))
    assert one["label_set"].tolist() == two["label_set"].tolist()
    plain = label(log, "bayes-canonical5", seed=4)
    pd.testing.assert_frame_equal(one[plain.columns], plain)


def test_each_group_of_the_noise_has_sets_of_its_own():
    log = generate(n=300, rounds=30, eps=(0.02, 0.2), seed=1)
    log.games["half"] = ["a", "b"] * 150
    labels = label_log(log, eps="estimate", eps_by=["half"], conformal=0.95)
    assert labels.table()["label_set"].map(len).min() == 1
    assert labels.table()["game_id"].tolist() == log.games["game_id"].tolist()


def test_no_rows_no_sets():
    log = generate(n=2)
    log.games["cooperative_action"] = None
    log.moves["cooperated"] = pd.array([pd.NA] * len(log.moves), dtype="boolean")
    found = label(GameLog(log.games, log.seats, log.moves), conformal=0.95).attrs["summary"]["conformal"]
    assert (found["mean_size"], found["sizes"]) == (None, {})


def test_what_cannot_be_asked():
    log = generate(n=4)
    with pytest.raises(UsageError, match="coverage is 1"):
        label(log, conformal=1)
    with pytest.raises(UsageError, match=r"noise of the calibration play is 0\.6"):
        label(log, conformal=0.9, conformal_eps=0.6)
    X = log.trajectories()
    model = LogisticRecogniser().fit(X, ["kind", "mean"] * 2)
    with pytest.raises(RecogniserError, match="classes that are strategies"):
        conformal_sets(model, X, 0.9, np.random.default_rng(0))


def test_the_command(tmp_path, capsys):
    main_words = ["generate", "-n", "40", "--seed", "1", "-o", str(tmp_path / "play")]
    with pytest.raises(SystemExit):
        main(main_words)
    capsys.readouterr()
    words = ["label", str(tmp_path / "play"), "--conformal", "0.9", "--conformal-eps", "0-0.3"]
    with pytest.raises(SystemExit) as stopped:
        main([*words, "--json"])
    assert stopped.value.code == 0
    assert json.loads(capsys.readouterr().out)["conformal"]["level"] == 0.9
    with pytest.raises(SystemExit):
        main(words)
    assert "label sets that hold the true strategy in 0.9 of cases" in capsys.readouterr().out
