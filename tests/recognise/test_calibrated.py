from __future__ import annotations

import json

import numpy as np
import pytest
from safetensors.numpy import load, save
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from intent import load_recogniser, strategy_set
from intent.base.errors import RecogniserError, UnknownNameError
from intent.play.corpora import Corpus, generate_arrays
from intent.recognise.bayes import BayesRecogniser
from intent.recognise.calibrated import CalibratedRecogniser
from intent.recognise.classifiers import ForestRecogniser, LogisticRecogniser
from intent.recognise.recogniser import save_recogniser
from intent.recognise.scores import score_table
from intent.recognise.verdict import LabelSettings, judge


def play(n=4000, seed=1, strategies="canonical5", eps=0.05):
    corpus = Corpus(strategy_set(strategies), n, eps=(eps, eps))
    X, y = generate_arrays(corpus, np.random.default_rng(seed))
    return X, np.array([s.name for s in corpus.strategies])[y]


def ece(model, X, y):
    place = {name: k for k, name in enumerate(model.classes_.tolist())}
    return score_table(model.predict_proba(X), np.array([place[c] for c in y]), list(place))["ece"]


@pytest.mark.parametrize(("method", "worse"), [("temperature", 0.0), ("isotonic", 0.02)])
def test_a_timid_forest_becomes_calibrated(method, worse):
    X, y = play(20_000)
    fresh, truth = play(20_000, seed=2)
    plain = ForestRecogniser(n_estimators=20, min_samples_leaf=40, random_state=0)
    model = CalibratedRecogniser(plain, method=method, random_state=0).fit(X, y)
    assert ece(model, fresh, truth) < 0.5 * ece(model.recogniser_, fresh, truth)
    assert model.score(fresh, truth) >= model.recogniser_.score(fresh, truth) - worse


def test_temperature_undoes_a_wrong_noise():
    X, y = play(200_000, strategies="canonical4", eps=0.1)
    fresh, truth = play(20_000, 2, "canonical4", 0.1)
    certain = BayesRecogniser("canonical4", eps=0.01)
    model = CalibratedRecogniser(certain, random_state=0).fit(X, y)
    assert model.temperature_ == pytest.approx(np.log(0.99 / 0.01) / np.log(0.9 / 0.1), rel=0.03)
    assert ece(model, fresh, truth) < 0.01 < ece(certain.fit(), fresh, truth)


def test_a_shipped_recogniser_stays_as_it_is():
    X, y = play()
    model = CalibratedRecogniser("forest-canonical5").fit(X, y)
    shipped = load_recogniser("forest-canonical5")
    assert np.allclose(model.recogniser_.predict_proba(X), shipped.predict_proba(X), atol=1e-12)
    with pytest.raises(UnknownNameError, match="did you mean forest-canonical5"):
        CalibratedRecogniser("forest-canonical55").fit(X, y)


def test_a_given_recogniser_is_searched_cloned_and_left_alone():
    X, y = play(800)
    inner = LogisticRecogniser(C=0.5)
    model = CalibratedRecogniser(inner, random_state=0)
    search = GridSearchCV(model, {"recogniser__C": [0.1, 1.0]}, cv=2).fit(X, y)
    assert search.best_params_["recogniser__C"] in (0.1, 1.0)
    assert clone(model).get_params()["recogniser__C"] == 0.5
    assert not hasattr(inner, "classes_")


@pytest.mark.parametrize("method", ["temperature", "isotonic"])
def test_saved_with_what_is_inside(method, tmp_path):
    X, y = play(800)
    inner = ForestRecogniser(n_estimators=3, random_state=0)
    model = CalibratedRecogniser(inner, method=method, random_state=0).fit(X, y)
    loaded = load_recogniser(save_recogniser(model, tmp_path / "saved"))
    assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert loaded.get_params()["recogniser__n_estimators"] == 3
    assert np.array_equal(clone(loaded).fit(X, y).predict_proba(X), model.predict_proba(X))


def test_labels_assume_the_noise_of_the_inner_one():
    X, y = play(400)
    model = CalibratedRecogniser(BayesRecogniser("canonical5", eps=0.2), random_state=0).fit(X, y)
    assert model.eps_ == 0.2
    verdict = judge(X, model, LabelSettings(samples=50), np.random.default_rng(0))
    assert set(verdict.status) <= {"no_fit", "ambiguous", "low_confidence", "confident"}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"method": "plat"}, "method is 'plat'"),
        ({"held_out": 1.0}, "held_out is 1.0"),
        ({"recogniser": 5}, "recogniser is 5, expected a kind, name or Recogniser"),
        ({"recogniser": "calibrated"}, "itself calibrated"),
        ({"recogniser": "bayes-canonical4"}, "bayes cannot name GTFT"),
    ],
)
def test_parameters_that_cannot_be(parameters, message):
    X, y = play(50)
    with pytest.raises(RecogniserError, match=message):
        CalibratedRecogniser(**parameters).fit(X, y)


def test_a_class_of_one_trajectory():
    X, y = play(6)
    with pytest.raises(RecogniserError, match="one to learn from and one to calibrate"):
        CalibratedRecogniser().fit(X, y)


def forged(tmp_path, change, method="temperature", curves=None):
    X, y = play(200)
    path = save_recogniser(CalibratedRecogniser(method=method, random_state=0).fit(X, y), tmp_path / "saved")
    manifest = json.loads((path / "recogniser.json").read_text())
    if curves is not None:
        import hashlib

        tensors = load((path / "curves.safetensors").read_bytes())
        curves(tensors)
        content = save(tensors)
        (path / "curves.safetensors").write_bytes(content)
        manifest["files"]["curves.safetensors"] = hashlib.sha256(content).hexdigest()
    change(manifest)
    (path / "recogniser.json").write_text(json.dumps(manifest))
    return path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m["state"].update(temperature=0.0), "temperature is 0.0"),
        (lambda m: m["state"].update(temperature=float("nan")), "temperature is nan"),
        (lambda m: m["state"].update(temperature="hot"), "temperature is 'hot'"),
        (lambda m: m["state"]["recogniser"].update(kind="calibrated"), "expected another kind"),
        (lambda m: m["state"]["recogniser"].update(kind=[1]), "expected another kind"),
        (lambda m: m["state"]["recogniser"].update(parameters=[]), "not readable"),
        (lambda m: m["state"]["recogniser"].update(given=1), "not readable"),
        (lambda m: m["state"].pop("recogniser"), "KeyError"),
        (lambda m: m["parameters"].update(recogniser=5), "recogniser is 5"),
        (lambda m: m["parameters"].update(method="x"), "method is 'x'"),
        (lambda m: m["parameters"].update(held_out="x"), "held_out is 'x'"),
    ],
)
def test_a_forged_state_is_refused(tmp_path, change, message):
    with pytest.raises(RecogniserError, match=message):
        load_recogniser(forged(tmp_path, change))


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.pop("x0"),
        lambda t: t.update(y0=t["y0"][::-1].copy() - 1),
        lambda t: t.update(x0=t["x0"] * np.nan),
        lambda t: t.update(x0=t["x0"].astype(np.float32)),
        lambda t: t.update(x0=t["x0"][:1]),
    ],
)
def test_forged_curves_are_refused(tmp_path, change):
    with pytest.raises(RecogniserError, match="curves"):
        load_recogniser(forged(tmp_path, lambda m: None, "isotonic", change))
