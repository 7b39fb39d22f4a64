"""`intent.features`: by loops, by pandas, by symmetry; and scikit-learn's own checks."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.utils.estimator_checks import (
    check_estimator,
    check_global_output_transform_pandas,
    check_set_output_transform,
    check_set_output_transform_pandas,
)
from sklearn.utils.validation import check_is_fitted, validate_data

import intent
from intent import Trajectories, make_recogniser
from intent.base.errors import RecogniserError, UnknownNameError
from intent.features import FAMILIES, PlayFeatures
from intent.recognise.bayes import BayesRecogniser
from intent.recognise.encoding import ENCODINGS

LETTERS = st.sampled_from("CD?")
GAMES = st.integers(1, 8).flatmap(
    lambda t: st.lists(
        st.tuples(*(st.text(LETTERS, min_size=t, max_size=t) for _ in "ab")), min_size=1, max_size=5
    )
)


def of(play, *families, **settings):
    """Features as a table with named columns."""
    return PlayFeatures(families, **settings).set_output(transform="pandas").fit_transform(play)


def of_text(own, other, *families, **settings):
    return of(Trajectories.from_strings([own], [other]), *families, **settings).iloc[0]


def in_loops(own, other):
    """The features of one game that need no encoding, move by move."""
    row = {f"first move {c}": float(own[0] == c) for c in "CD"}

    def rate(moves):
        known = [m for m in moves if m != "?"]
        return known.count("C") / len(known) if known else 0.5

    row["rate of C"] = rate(own)
    for outcome in ("CC", "CD", "DC", "DD"):
        after = [own[t] for t in range(1, len(own)) if own[t - 1] + other[t - 1] == outcome]
        row[f"rate of C after {outcome}"] = rate(after)
    row["rate of C of the other"] = rate(other)
    runs = [(move, len(list(same))) for move, same in groupby(own) if move != "?"]
    for c in "CD":
        row[f"longest run of {c}"] = max((n for move, n in runs if move == c), default=0)
    row["runs"] = len(runs)
    row["mean run"] = sum(n for _, n in runs) / len(runs) if runs else 0
    return row


@given(GAMES)
def test_features_are_those_of_a_loop(games):
    own, other = zip(*games, strict=True)
    table = of(Trajectories.from_strings(own, other), "first", "rates", "runs")
    expected = pd.DataFrame([in_loops(a, b) for a, b in games], dtype=float)
    pd.testing.assert_frame_equal(table, expected)


def test_rates_and_counts_are_those_of_a_group_by_of_pandas():
    log = intent.generate("canonical4", n=60, eps=0.2, rounds=(4, 12), seed=3)
    X = log.trajectories()
    moves = log.moves.assign(cooperated=log.moves["cooperated"].astype(int))
    both = moves.merge(moves, on=["game_id", "round"], suffixes=("", "_other"))
    both = both[both["seat"] != both["seat_other"]].sort_values(["game_id", "seat", "round"])
    lag = both.groupby(["game_id", "seat"])[["cooperated", "cooperated_other"]].shift()
    both["after"] = lag["cooperated"] * 2 + lag["cooperated_other"]
    cells = both.groupby(["game_id", "seat", "after"])["cooperated"]
    keys = pd.MultiIndex.from_frame(X.keys[["game_id", "seat"]])
    table = of(X, "rates", "counts", undefined=np.nan)
    for code, (outcome, letter) in enumerate((("DD", "P"), ("DC", "T"), ("CD", "S"), ("CC", "R"))):
        mean = cells.mean().xs(code, level="after").reindex(keys).to_numpy()
        np.testing.assert_allclose(table[f"rate of C after {outcome}"], mean, err_msg=outcome)
        names = [c for c in table if c.startswith((f"count of C | {letter}", f"count of D | {letter}"))]
        size = cells.size().xs(code, level="after").reindex(keys, fill_value=0).to_numpy()
        assert np.array_equal(table[names].sum(axis=1), size), outcome


def test_what_each_family_says_of_a_game():
    row = of_text("CCD?D", "CDDDC", "first", "rates", "runs", "counts")
    assert row["rate of C after CC"] == 1
    assert row["rate of C after DD"] == 0.5  # the move after it is unknown
    assert row["rate of C"] == 0.5
    assert (row["runs"], row["longest run of D"]) == (3, 1)
    assert row["count of C | R"] == 1
    assert of_text("CC", "CC", "rates", undefined=-1)["rate of C after DD"] == -1


def test_decisions_are_the_evidence_and_plays_the_situation():
    flipped = Trajectories([[0, 1]], [[1, 1]], decided=[[1, 1]])
    row = of(flipped, "first", "rates", "runs").iloc[0]
    assert row["first move C"] == 1
    assert row["rate of C after DC"] == 1
    assert row["longest run of C"] == 2


def test_a_default_is_no_evidence():
    row = of(Trajectories([[1, 1, 1]], [[1, 1, 1]], evidence=[[True, False, True]]), "runs", "rates").iloc[0]
    assert (row["runs"], row["longest run of C"]) == (2, 1)


@given(GAMES)
def test_exchanged_names_of_moves_exchange_columns(games):
    own, other = zip(*games, strict=True)
    exchange = str.maketrans("CD", "DC")
    there = of(Trajectories.from_strings(own, other), "first", "rates", "runs")
    names = [[text.translate(exchange) for text in texts] for texts in (own, other)]
    back = of(Trajectories.from_strings(*names), "first", "rates", "runs")
    np.testing.assert_allclose(back["rate of C after DD"], 1 - there["rate of C after CC"])
    np.testing.assert_allclose(back["rate of C after DC"], 1 - there["rate of C after CD"])
    np.testing.assert_allclose(back["longest run of C"], there["longest run of D"])
    np.testing.assert_allclose(back["first move C"], there["first move D"])
    np.testing.assert_allclose(back["mean run"], there["mean run"])


@pytest.mark.parametrize("family", FAMILIES)
def test_rows_do_not_know_of_each_other(family, rng):
    X = Trajectories(rng.integers(-1, 2, (40, 7)), rng.integers(-1, 2, (40, 7)))
    features = PlayFeatures(family).fit(X)
    order = rng.permutation(40)
    assert np.array_equal(features.transform(X[order]), features.transform(X)[order])
    assert features.transform(X[:0]).shape == (0, len(features.get_feature_names_out()))


@pytest.mark.parametrize("family", FAMILIES)
def test_columns_are_named_and_of_one_width_for_any_length(family, rng):
    X = Trajectories(rng.integers(0, 2, (5, 6)), rng.integers(0, 2, (5, 6)))
    features = PlayFeatures(family).fit(X)
    names = features.get_feature_names_out()
    assert len(set(names)) == len(names)
    for play in (X, X.truncated(3), X.lengthened(9)):
        assert features.transform(play).shape == (5, len(names))


def test_the_posterior_is_the_exact_one(rng):
    X = Trajectories(rng.integers(0, 2, (30, 8)), rng.integers(0, 2, (30, 8)))
    table = of(X, "posterior", strategies="TFT,ALLD,WSLS", eps=0.1)
    assert list(table) == ["posterior of TFT", "posterior of ALLD", "posterior of WSLS"]
    exact = BayesRecogniser("TFT,ALLD,WSLS", eps=0.1).fit().predict_proba(X)
    assert np.array_equal(table.to_numpy(), exact)


def test_every_encoding_of_a_recogniser_is_a_family_and_they_are_one_matrix(rng):
    X = Trajectories(rng.integers(0, 2, (200, 6)), rng.integers(0, 2, (200, 6)))
    y = np.where(X.own[:, 0] == X.own[:, -1], "TFT", "ALLD")
    settings = {"n_estimators": 7, "min_samples_leaf": 3, "random_state": 1}
    assert set(FAMILIES) == {*ENCODINGS, "posterior"}
    for family in ENCODINGS:
        ours = make_recogniser("forest", encoding=family, **settings).fit(X, y)
        theirs = make_pipeline(PlayFeatures(family), RandomForestClassifier(**settings)).fit(X, y)
        order = [theirs.classes_.tolist().index(name) for name in ours.classes_]
        assert np.array_equal(ours.predict_proba(X), theirs.predict_proba(X)[:, order]), family


class OfNumbers(PlayFeatures):
    """The same of matrices of numbers, which scikit-learn's checks are made of: positive ones are C."""

    def fit(self, X, y=None):
        return super().fit(self.play(X, reset=True))

    def transform(self, X):
        check_is_fitted(self)
        # without the wrapper of `set_output`, which would take the play for what was given
        return PlayFeatures.transform.__wrapped__(self, self.play(X, reset=False))

    def play(self, X, reset):
        numbers = validate_data(self, X, reset=reset)
        return Trajectories((numbers > 0).astype(int), (numbers > 0.5).astype(int))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.three_d_array = True, False
        return tags


@pytest.mark.filterwarnings("ignore:X (has|does not have)")  # the checks turn tables into arrays
@pytest.mark.parametrize("families", ["first,rates,runs,counts", "moves,outcomes", "posterior"])
def test_scikit_learns_checks(families):
    """All of them, but for the array interface, which needs an environment of its own.

    Names of input columns (`check_transformer_get_feature_names_out`) do not apply: play has none.
    """
    results = check_estimator(OfNumbers(families), on_skip=None)
    assert {r["check_name"] for r in results if r["status"] != "passed"} == {"check_array_api_input"}
    for check in (
        check_set_output_transform,
        check_set_output_transform_pandas,
        check_global_output_transform_pandas,
    ):
        check("OfNumbers", OfNumbers(families))


def test_searches_and_unions_with_lengths_that_differ():
    X = intent.generate("canonical4", n=200, eps=0.05, rounds=(3, 12), seed=1).trajectories()
    y = X.keys["strategy"]
    pipe = make_pipeline(PlayFeatures(), LogisticRegression(max_iter=2000))
    search = GridSearchCV(pipe, {"playfeatures__families": ["counts", "first,rates", "moves"]}, cv=3).fit(
        X, y
    )
    assert search.best_score_ > 0.5
    assert cross_val_score(pipe, X, y, cv=3).min() > 0.5
    union = FeatureUnion([("a", PlayFeatures("first")), ("b", PlayFeatures("runs"))]).fit(X)
    assert union.get_feature_names_out().tolist()[:3] == [
        "a__first move C",
        "a__first move D",
        "b__longest run of C",
    ]


def test_logs_and_arrays_are_play_too():
    log = intent.generate("canonical4", n=10, seed=1)
    X = log.trajectories()
    cube = np.stack([X.own, X.other], axis=2)
    features = intent.features.PlayFeatures().fit(log)
    assert np.array_equal(features.transform(cube), features.transform(X))


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"families": "rate"}, UnknownNameError, "unknown family of features 'rate'; did you mean rates"),
        ({"families": ()}, RecogniserError, "expected one or more different names"),
        ({"families": "runs,runs"}, RecogniserError, "expected one or more different names"),
        ({"rounds": 0}, RecogniserError, "rounds is 0, expected a whole number from 1"),
        ({"families": "posterior", "strategies": "TFTT"}, UnknownNameError, "did you mean TFT"),
    ],
)
def test_what_cannot_be_is_refused_when_it_is_fitted(settings, error, words):
    with pytest.raises(error, match=words):
        PlayFeatures(**settings).fit(Trajectories([[1]], [[1]]))


def test_a_table_of_numbers_is_no_play():
    with pytest.raises(RecogniserError, match=r"shape \(3, 2\), expected Trajectories or \(n, T, 2\)"):
        PlayFeatures().fit(np.zeros((3, 2)))
    with pytest.raises(NotFittedError, match="call fit first"):
        PlayFeatures().transform(Trajectories([[1]], [[1]]))
