from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from intent import Trajectories, load_recogniser
from intent.base.errors import DataError, RecogniserError, UnknownNameError
from intent.recognise.bayes import BayesRecogniser
from intent.recognise.classifiers import LogisticRecogniser
from intent.recognise.recogniser import save_recogniser
from intent.recognise.rules import HybridRecogniser, chosen_rules, hybrid_columns, label_weights
from intent.recognise.verdict import RULE_CLASSES

OWN = ["DDDDDDDDDD", "CCCCCCCCCC", "CDDCDDCCDD"]
OTHER = ["CDCDCDCDCD", "CCCCCCCCCC", "CDDDCCCCCC"]
PLAY = Trajectories.from_strings(OWN, OTHER)


def proba(X=PLAY, **parameters):
    return HybridRecogniser(**parameters).fit().predict_proba(X)


def table(confidence, rules, best="WSLS"):
    cells = {"best": best, "confidence": confidence, "rule_labels": rules}
    return pd.DataFrame(cells, index=range(5, 5 + len(confidence)))


def test_sure_then_rules_then_the_classifier_again():
    alone = BayesRecogniser().fit().predict_proba(PLAY)
    expand = proba(recogniser="bayes-canonical4", threshold=0.9)
    assert np.array_equal(expand[0], alone[0])
    assert expand[1] == pytest.approx([1 / 3, 0, 1 / 3, 1 / 3])
    assert proba(mode="priority")[1].tolist() == [1, 0, 0, 0]
    unsure = proba(threshold=1.0)
    assert unsure[0].tolist() == [0, 1, 0, 0]
    assert np.array_equal(unsure[2], alone[2]), "no rule applies"


def test_at_threshold_zero_it_is_the_classifier():
    assert np.array_equal(proba(threshold=0.0), BayesRecogniser().fit().predict_proba(PLAY))


def test_tolerance_is_that_of_the_rules():
    X = Trajectories.from_strings(["CCCCD"], ["CCCCC"])
    assert proba(X, threshold=1.0)[0].max() < 1
    assert proba(X, threshold=1.0, tolerance=0.3)[0].tolist() == [0, 0, 0.5, 0.5]


def test_classes_are_those_of_classifier_and_rules():
    six = HybridRecogniser("bayes-canonical6").fit()
    assert six.classes_.tolist() == ["ALLC", "ALLD", "TFT", "WSLS", "GTFT", "GRUDGER"]
    two = HybridRecogniser(BayesRecogniser("ALLC,GRIM"), threshold=1.0).fit()
    assert two.classes_.tolist() == ["ALLC", "ALLD", "TFT", "WSLS", "GRIM"]
    assert two.predict_proba(PLAY)[1] == pytest.approx([1 / 3, 0, 1 / 3, 1 / 3, 0])


def test_a_kind_learns_the_classes_of_y():
    model = HybridRecogniser("bayes").fit(PLAY, ["ALLC", "ALLD", "GRUDGER"])
    assert model.recogniser_.classes_.tolist() == ["ALLC", "ALLD", "GRUDGER"]


def test_parameters_of_a_given_classifier_are_searched(rng):
    model = HybridRecogniser(LogisticRecogniser(C=2.0))
    assert model.get_params()["recogniser__C"] == 2.0
    assert model.set_params(recogniser__C=0.5, threshold=0.8).recogniser.C == 0.5
    with pytest.raises(RecogniserError, match="expected a Recogniser to set recogniser__C"):
        HybridRecogniser("bayes").set_params(recogniser__C=1.0)


def test_a_given_classifier_is_fitted_as_a_copy_and_saved(tmp_path):
    given = BayesRecogniser("canonical5", eps=0.1)
    model = HybridRecogniser(given, threshold=0.7).fit()
    assert not hasattr(given, "classes_")
    loaded = load_recogniser(save_recogniser(model, tmp_path / "saved"))
    assert np.array_equal(loaded.predict_proba(PLAY), model.predict_proba(PLAY))
    assert repr(loaded) == repr(model)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"threshold": 1.5}, "threshold is 1.5"),
        ({"mode": "all"}, "mode is 'all'"),
        ({"tolerance": 1.0}, "tolerance is 1.0"),
        ({"recogniser": 3}, "recogniser is 3, expected a kind"),
        ({"recogniser": HybridRecogniser()}, "itself hybrid"),
        ({"recogniser": "hybrid"}, "itself hybrid"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(RecogniserError, match=message):
        HybridRecogniser(**parameters).fit()


def test_an_unknown_classifier_is_suggested():
    with pytest.raises(UnknownNameError, match="bayes-canonical4"):
        HybridRecogniser("bayes-canonical7").fit()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m["state"]["recogniser"].update(kind="hybrid"), "expected another kind"),
        (lambda m: m["state"]["recogniser"].update(kind=["bayes"]), "expected another kind"),
        (lambda m: m["state"]["recogniser"].update(parameters=[]), "expected an object"),
        (lambda m: m["state"]["recogniser"].update(given="no"), "expected an object"),
        (lambda m: m["state"]["recogniser"]["state"].update(eps=3), "eps is 3"),
        (lambda m: m["state"].clear(), "KeyError"),
        (lambda m: m["parameters"].update(threshold="high"), "threshold is 'high'"),
        (lambda m: m["parameters"].update(recogniser=7), "recogniser is 7"),
    ],
)
def test_crafted_files_are_refused(tmp_path, change, message):
    path = save_recogniser(HybridRecogniser().fit(), tmp_path / "saved")
    manifest = json.loads((path / "recogniser.json").read_text())
    change(manifest)
    (path / "recogniser.json").write_text(json.dumps(manifest))
    with pytest.raises(RecogniserError, match=message):
        load_recogniser(path)


def test_columns_of_a_label_table():
    rules = [["ALLC", "TFT"], ["ALLC", "ALLD"], "ALLC|TFT", [], None]
    made = hybrid_columns(table([0.95, 0.5, 0.5, 0.5, 0.9], rules))
    assert made["hybrid_source"].tolist() == ["model", "rules", "rules", "none", "model"]
    assert made["hybrid_labels"].tolist() == [["WSLS"], ["ALLC", "ALLD"], ["ALLC", "TFT"], [], ["WSLS"]]
    assert made.index.tolist() == [5, 6, 7, 8, 9]
    first = hybrid_columns(table([0.5], [["ALLC", "ALLD"]]), mode="priority")
    assert first["hybrid_labels"].tolist() == [["ALLD"]]


def test_columns_need_a_label_table():
    with pytest.raises(DataError, match="no column 'rule_labels'"):
        hybrid_columns(pd.DataFrame({"best": ["TFT"], "confidence": [1.0]}))
    with pytest.raises(DataError, match="row 1: rule_labels names 'GRIM'"):
        hybrid_columns(table([0.5], [["GRIM"]]))


def test_counting_in_shares_and_fully():
    hits = np.array([[1, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 0]], dtype=bool)
    assert label_weights(hits).sum(axis=1).tolist() == pytest.approx([1, 1, 0])
    assert label_weights(hits, split=False).sum(axis=0).tolist() == [1, 1, 1, 2]
    first = chosen_rules(hits, "priority")
    assert [RULE_CLASSES[row.argmax()] for row in first[:2]] == ["ALLC", "ALLD"]
    assert not first[2].any()
