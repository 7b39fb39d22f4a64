from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from intent import Strategy, Trajectories
from intent.base import codebook
from intent.base.errors import RecogniserError, UsageError
from intent.recognise.bayes import BayesRecogniser
from intent.recognise.classifiers import LogisticRecogniser
from intent.recognise.verdict import LabelSettings, label_table


def labelled(own, other, recogniser=None, rng=None, **settings):
    X = Trajectories.from_strings(own, other)
    model = recogniser or BayesRecogniser("canonical4").fit()
    return label_table(X, model, LabelSettings(**settings), rng or np.random.default_rng(0))


def test_each_status_in_its_order():
    table = labelled(
        ["DDDDDDDDDD", "CCCCCCCCCC", "CDDCDDCCDD", "CCCCC"],
        ["CDCDCDCDCD", "CCCCCCCCCC", "CDDDCCCCCC", "DCDCC"],
    )
    assert table["status"].tolist() == ["confident", "ambiguous", "no_fit", "confident"]
    assert table["label"].fillna("").tolist() == ["ALLD", "", "", "ALLC"]
    assert table["best"].tolist()[1] == "ALLC"
    assert table["tied_with"].tolist()[1] == ["TFT", "WSLS"]


def test_low_confidence():
    table = labelled(["CCCD"], ["CDCC"], threshold=0.99, alpha=0.0)
    assert table["status"].tolist() == ["low_confidence"]
    assert table["label"].isna().all()


def test_consistent_lists_exact_fits_and_never_random():
    table = labelled(
        ["CCC", "CDC", "CDD"], ["CCC", "CCC", "DDC"], BayesRecogniser("canonical4", background=True).fit()
    )
    assert table["consistent"].tolist() == [["ALLC", "TFT", "WSLS"], [], ["TFT"]]
    assert "p_RANDOM" in table


def test_deviations_are_those_of_the_best():
    table = labelled(["CCCCDCCCCC"], ["CDCDCDCDCD"])
    assert table["best"].tolist() == ["ALLC"]
    assert table["n_deviations"].tolist() == [1]
    assert table["fit_p"].tolist()[0] == pytest.approx(1 - 0.95**10)


def test_columns_are_the_codebook():
    table = labelled(["CC"], ["CC"])
    fixed = [c.name for c in codebook.LABELS if not c.optional]
    assert [c for c in table.columns if not c.startswith("p_")] == fixed
    assert [c for c in table.columns if c.startswith("p_")] == ["p_ALLC", "p_ALLD", "p_TFT", "p_WSLS"]


def test_ties_go_to_the_first_of_the_catalogue_whatever_rounding_does(rng):
    own = rng.integers(0, 2, (3000, 12)).astype(np.int8)
    X = Trajectories(own, rng.integers(0, 2, (3000, 12)))
    model = BayesRecogniser("canonical6", eps=0.05).fit()
    table = label_table(X, model, LabelSettings(samples=50), rng)
    order = {name: k for k, name in enumerate(model.classes_.tolist())}
    for best, others in zip(table["best"], table["tied_with"], strict=True):
        assert all(order[best] < order[o] for o in others)


def test_a_trained_recogniser_is_as_honest(rng):
    X = Trajectories(rng.integers(0, 2, (400, 10)), rng.integers(0, 2, (400, 10)))
    truth = BayesRecogniser("canonical4").fit().predict(X)
    table = label_table(X, LogisticRecogniser(C=0.01).fit(X, truth), LabelSettings(), rng)
    assert (table["status"] == "no_fit").sum() > 100
    assert set(table.columns) >= {"p_ALLC", "fit_p", "consistent"}


def test_classes_that_are_no_strategies(rng):
    X = Trajectories(rng.integers(0, 2, (20, 4)), rng.integers(0, 2, (20, 4)))
    model = LogisticRecogniser().fit(X, ["kind"] * 10 + ["mean"] * 10)
    with pytest.raises(RecogniserError, match="classes that are strategies"):
        label_table(X, model, LabelSettings(), rng)


def test_settings_out_of_range():
    with pytest.raises(UsageError, match="threshold"):
        LabelSettings(threshold=1.5)


def test_a_condition_that_has_a_computed_name_is_kept_beside_it(rng):
    X = Trajectories.from_strings(["CC"], ["CC"])
    X.keys = pd.DataFrame({"game_id": ["g"], "seat": [1], "status": ["pilot"]})
    table = label_table(X, BayesRecogniser().fit(), LabelSettings(), rng)
    assert table["status_in_log"].tolist() == ["pilot"]
    assert table["status"].tolist() == ["ambiguous"]


def test_a_biased_coin_is_no_exact_explanation():
    table = labelled(["CCD"], ["CCC"], BayesRecogniser("ALLC,RANDOM(0.7)").fit())
    assert table["consistent"].tolist() == [[]]


def test_more_than_sixty_classes():
    names = [Strategy(f"S{i}", (i % 2 * 1.0,), ((0, 0, 0, 0),)) for i in range(70)]
    table = labelled(["DDDD"], ["CCCC"], BayesRecogniser(names).fit())
    assert table["consistent"].tolist() == [[f"S{i}" for i in range(0, 70, 2)]]
