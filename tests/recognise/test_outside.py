"""Anybody's classifier as a recogniser: labels, scores, files, and what is refused."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from skops.io import dumps

import intent
from intent.base.errors import RecogniserError
from intent.features import PlayFeatures
from intent.recognise.bayes import BayesRecogniser, class_strategies
from intent.recognise.outside import OutsideRecogniser
from intent.recognise.recogniser import as_recogniser, load_recogniser, save_recogniser


@pytest.fixture(scope="module")
def log():
    return intent.generate("canonical4", n=600, eps=0.05, seed=1)


@pytest.fixture(scope="module")
def fitted(log):
    """A function of classifiers: the pipeline that learned from the log."""
    X = log.trajectories()
    return lambda *steps: make_pipeline(PlayFeatures(), *steps).fit(X, X.keys["strategy"])


@pytest.fixture(scope="module")
def pipeline(fitted):
    return fitted(HistGradientBoostingClassifier(max_iter=5, random_state=0))


def test_a_pipeline_labels_with_posterior_ties_fit_and_status(log, pipeline):
    table = intent.label(log, recogniser=pipeline, background=False)
    proba = pipeline.predict_proba(log.trajectories())
    for name, column in zip(pipeline.classes_, proba.T, strict=True):
        np.testing.assert_allclose(table[f"p_{name}"], column, atol=1e-9)
    ours = intent.label(log, background=False)
    same = table["best"] == ours["best"]
    assert same.mean() > 0.9
    for exact in ("fit_p", "tied", "consistent", "n_deviations"):  # what the play says of a strategy
        assert table.loc[same, exact].tolist() == ours.loc[same, exact].tolist(), exact
    assert table.attrs["provenance"]["recogniser"] == "outside"


def test_random_competes_with_its_classes_too(log, pipeline):
    table = intent.label(log, recogniser=pipeline)
    assert "p_RANDOM" in table
    assert np.allclose(table.filter(like="p_").sum(axis=1), 1)


def test_per_player_and_label_sets(log, pipeline):
    assert "label_set" in intent.label(log, recogniser=pipeline, conformal=0.9)
    assert as_recogniser(pipeline).predict_proba_pooled(
        log.trajectories()[:4], np.array([0, 0, 1, 1])
    ).shape == (2, 4)


def test_it_is_evaluated_like_any_other(pipeline):
    fresh = intent.generate("canonical4", n=400, eps=0.05, seed=2)
    scores = intent.evaluate(pipeline, fresh)
    assert scores["accuracy"] == pipeline.score(fresh.trajectories(), fresh.trajectories().keys["strategy"])
    assert abs(scores["regret"]) < 0.06


def test_classes_stand_in_the_order_of_the_catalogue(fitted):
    recogniser = as_recogniser(fitted(GaussianNB()))
    assert recogniser.classes_.tolist() == ["ALLC", "ALLD", "TFT", "WSLS"]
    X = intent.Trajectories([[1]], [[1]])
    theirs = dict(
        zip(recogniser.classifier_.classes_, recogniser.classifier_.predict_proba(X)[0], strict=True)
    )
    np.testing.assert_allclose(recogniser.predict_proba(X)[0], [theirs[c] for c in recogniser.classes_])


def test_strategies_of_ones_own_are_those_of_the_features(log, tmp_path):
    mine = intent.Strategy("MINE", (0.0, 1.0), ((0, 1, 0, 1), (0, 1, 0, 1)), 0)
    features = PlayFeatures("posterior,counts", strategies=("TFT", mine))
    X = log.trajectories()
    y = np.where(X.own[:, 0] == 1, "TFT", "MINE")
    recogniser = as_recogniser(make_pipeline(features, LogisticRegression(max_iter=500)).fit(X, y))
    assert class_strategies(recogniser) == (intent.strategy("TFT"), mine)
    table = intent.label(log, recogniser)
    assert {"p_TFT", "p_MINE"} <= set(table)
    loaded = load_recogniser(save_recogniser(recogniser, tmp_path / "mine"))
    assert [s.next_state for s in class_strategies(loaded)] == [
        intent.strategy("TFT").next_state,
        mine.next_state,
    ]
    assert intent.label(log, loaded).equals(table)


def test_a_search_means_its_best_classifier(log):
    X = log.trajectories()
    pipe = make_pipeline(PlayFeatures(), LogisticRegression(max_iter=2000))
    search = GridSearchCV(pipe, {"logisticregression__C": [0.1, 1.0]}, cv=2).fit(X, X.keys["strategy"])
    assert as_recogniser(search).classifier_ is search.best_estimator_


def test_it_is_fitted_as_a_recogniser_too(log, pipeline):
    X = log.trajectories()
    recogniser = OutsideRecogniser(classifier=make_pipeline(PlayFeatures(), GaussianNB()))
    assert (
        recogniser.set_params(classifier__gaussiannb__var_smoothing=1e-6)
        .fit(X, X.keys["strategy"])
        .score(X, X.keys["strategy"])
        > 0.8
    )
    assert not hasattr(recogniser.classifier, "classes_")  # a copy was fitted


SAVED = [
    (LogisticRegression(max_iter=2000),),
    (StandardScaler(), LogisticRegression()),
    (GaussianNB(),),
    (MultinomialNB(),),
    (DecisionTreeClassifier(random_state=0),),
    (RandomForestClassifier(5, random_state=0),),
    (ExtraTreesClassifier(5, random_state=0),),
    (HistGradientBoostingClassifier(max_iter=5, random_state=0),),
]


@pytest.mark.parametrize("steps", SAVED, ids=lambda steps: type(steps[-1]).__name__)
def test_saving_keeps_every_probability(steps, fitted, log, tmp_path):
    recogniser = as_recogniser(fitted(*steps))
    folder = save_recogniser(recogniser, tmp_path / "mine")
    loaded = load_recogniser(folder)
    X = log.trajectories()
    assert np.array_equal(loaded.predict_proba(X), recogniser.predict_proba(X))
    assert loaded.classes_.tolist() == recogniser.classes_.tolist()
    assert sorted(f.name for f in folder.iterdir()) == ["classifier.skops", "recogniser.json"]


def test_a_saved_one_labels_by_its_folder(log, pipeline, tmp_path):
    folder = save_recogniser(as_recogniser(pipeline), tmp_path / "mine")
    by_folder, by_object = intent.label(log, str(folder)), intent.label(log, pipeline)
    assert by_folder.equals(by_object)


def test_one_that_cannot_be_saved_says_what_to_do(fitted, tmp_path):
    with pytest.raises(
        RecogniserError, match=r"KNeighborsClassifier cannot be saved: .* hand over the object"
    ):
        save_recogniser(as_recogniser(fitted(KNeighborsClassifier())), tmp_path / "mine")
    assert not (tmp_path / "mine").exists()


def crafted(folder, classifier):
    """A saved folder whose file holds another classifier, with a digest that fits."""
    content = dumps(classifier)
    (folder / "classifier.skops").write_bytes(content)
    manifest = json.loads((folder / "recogniser.json").read_text())
    manifest["files"]["classifier.skops"] = hashlib.sha256(content).hexdigest()
    (folder / "recogniser.json").write_text(json.dumps(manifest))
    return folder


def changed_tree(pipeline):
    tree = pipeline[-1].estimators_[0].tree_
    state = tree.__getstate__()
    state["nodes"]["left_child"][0] = 10**6
    tree.__setstate__(state)
    return pipeline


def changed_feature(pipeline):
    nodes = pipeline[-1]._predictors[0][0].nodes
    nodes["feature_idx"][0] = 1000
    return pipeline


def changed_child(pipeline):
    pipeline[-1]._predictors[0][0].nodes["left"][0] = 0
    return pipeline


def endless(pipeline):
    pipeline[0].rounds_ = 10**12
    return pipeline


@pytest.mark.parametrize(
    ("classifier", "change", "words"),
    [
        (RandomForestClassifier(2), changed_tree, "child that does not exist"),
        (
            HistGradientBoostingClassifier(max_iter=2),
            changed_feature,
            "splits on a feature that does not exist",
        ),
        (
            HistGradientBoostingClassifier(max_iter=2),
            changed_child,
            "child that does not exist or comes before",
        ),
        (GaussianNB(), endless, "rounds is 1000000000000"),
        (KNeighborsClassifier(), lambda pipeline: pipeline, "KNeighborsClassifier is no type that is stored"),
    ],
    ids=["tree", "feature", "child", "rounds", "type"],
)
def test_crafted_files_are_refused(classifier, change, words, fitted, tmp_path):
    folder = save_recogniser(as_recogniser(fitted(GaussianNB())), tmp_path / "mine")
    with pytest.raises(RecogniserError, match=f"not a readable recogniser .*{words}") as caught:
        load_recogniser(crafted(folder, change(fitted(classifier))))
    assert "\n" not in str(caught.value)


def test_a_file_with_a_type_of_anybodys_is_not_built(fitted, tmp_path):
    folder = save_recogniser(as_recogniser(fitted(GaussianNB())), tmp_path / "mine")
    with pytest.raises(RecogniserError, match=r"types that are not trusted: intent\.recognise\.bayes"):
        load_recogniser(crafted(folder, BayesRecogniser().fit()))


@pytest.mark.parametrize(
    ("recogniser", "words"),
    [
        (LogisticRegression(), "LogisticRegression is not fitted; call fit"),
        (
            LogisticRegression,
            "recogniser is .*LogisticRegression.*, expected a name, a folder, a Recogniser or",
        ),
        (3, "recogniser is 3, expected a name"),
        (
            LogisticRegression().fit([[0.0], [1.0]], ["ALLC", "TFT"]),
            r"cannot predict_proba play .*: make_pipeline\(intent.features.PlayFeatures\(\), LogisticReg",
        ),
    ],
    ids=["unfitted", "class", "number", "matrix"],
)
def test_what_is_no_recogniser_is_refused(recogniser, words, log):
    with pytest.raises(RecogniserError, match=words) as caught:
        intent.label(log, recogniser)
    assert "\n" not in str(caught.value)


def test_one_without_probabilities_is_told_how_to_get_them(fitted, log):
    with pytest.raises(
        RecogniserError, match=r"RidgeClassifier has no predict_proba, .*CalibratedClassifierCV"
    ):
        intent.label(log, fitted(RidgeClassifier()))
    assert "label" in intent.label(log, fitted(CalibratedClassifierCV(RidgeClassifier(), cv=2)))


def test_classes_that_are_no_strategies_cannot_label(log):
    X = log.trajectories()
    kind = make_pipeline(PlayFeatures(), GaussianNB()).fit(X, np.where(X.own[:, 0] == 1, "nice", "nasty"))
    with pytest.raises(
        RecogniserError, match="labels need classes that are strategies: unknown strategy 'nasty'"
    ):
        intent.label(log, kind)
