"""Expected scores against enumeration of all histories, and against counted hits."""

from __future__ import annotations

import numpy as np
import pytest

from intent.play.corpora import Corpus, generate_arrays
from intent.recognise.bayes import BayesRecogniser
from intent.recognise.ceiling import exact_ceiling
from intent.recognise.rules import RulesRecogniser
from intent.recognise.scores import score_table
from intent.recognise.study.measure import expected_scores, reliability
from intent.recognise.study.plan import Point, play_point
from intent.strategies.catalogue import strategy
from intent.strategies.sets import strategy_set


def point(noise: float, rounds: int, set_name: str = "canonical4", text: str = "random") -> Point:
    return Point(set_name, "random", rounds, noise, text, None, (), 24_000, f"{rounds:024x}")


def test_ceiling_is_that_of_enumeration():
    play = play_point(point(0.05, 5))
    scores = expected_scores(play.truth, play.truth, play.rule, play.classes)
    exact = exact_ceiling(strategy_set("canonical4"), 5, 0.05, opponent=strategy("RANDOM"))
    assert scores["ceiling_known"] == pytest.approx(exact, abs=5 * scores["accuracy_se"])
    assert scores["regret_known"] == pytest.approx(0, abs=1e-12)


def test_opponents_play_with_the_noise_of_the_player_they_meet():
    play = play_point(point(0.1, 4, text="TFT"))
    scores = expected_scores(play.truth, play.truth, play.rule, play.classes)
    against = {"opponent": strategy("TFT"), "opponent_eps": 0.1}
    exact = exact_ceiling(strategy_set("canonical4"), 4, 0.1, **against)
    assert scores["ceiling_known"] == pytest.approx(exact, abs=5 * scores["accuracy_se"])


@pytest.mark.parametrize("model", [RulesRecogniser(), BayesRecogniser(eps=0.01)])
def test_expected_scores_are_those_of_counting_hits(model):
    corpus = Corpus(strategy_set("canonical4"), 60_000, (8, 8), (0.1, 0.1))
    X, y = generate_arrays(corpus, np.random.default_rng(1))
    proba = model.fit().predict_proba(X)
    truth = BayesRecogniser(eps=0.1).fit().predict_proba(X)
    names = tuple(map(str, model.classes_))
    expected, counted = (
        expected_scores(proba, truth, truth.argmax(axis=1), names),
        score_table(proba, y, names),
    )
    for name in ("accuracy", "macro_f1", "ece", "brier"):
        assert expected[name] == pytest.approx(counted[name], abs=0.008), name


def test_a_tie_costs_nothing_whichever_is_named():
    truth = np.array([[0.5, 0.5], [0.5, 0.5]])
    scores = expected_scores(np.array([[0.9, 0.1], [0.1, 0.9]]), truth, np.array([0, 0]), ("a", "b"))
    assert scores["regret_known"] == scores["regret_known_se"] == scores["regret_integrate"] == 0


def test_a_class_outside_the_set_is_never_right():
    scores = expected_scores(np.array([[0.1, 0.1, 0.8]]), np.array([[1.0, 0.0]]), np.array([1]), ("a", "b"))
    assert (scores["accuracy"], scores["regret_known"], scores["regret_integrate"]) == (0, 1, 0)
    assert scores["brier"] == pytest.approx(0.9**2 + 0.1**2 + 0.8**2)


def test_bins_keep_mass_confidence_and_hits():
    assert reliability(np.array([0.51, 0.515, 1.0]), np.array([0.0, 1.0, 1.0])) == [
        [25, 2, pytest.approx(1.025), 1.0],
        [49, 1, 1.0, 1.0],
    ]


def test_the_same_point_is_the_same_play():
    one, two = play_point(point(0.05, 7)), play_point(point(0.05, 7))
    assert np.array_equal(one.X.own, two.X.own)
    assert not np.array_equal(one.X.own[:, :3], play_point(point(0.05, 3)).X.own)


def test_points_are_balanced():
    play = play_point(point(0.0, 3, "canonical6"))
    assert play.truth.sum(axis=0) == pytest.approx(4000, rel=0.1)
