"""Posterior and contradictions round by round, against play shortened by hand and counts of deviations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.logs.gamelog import Trajectories
from intent.recognise.bayes import BayesRecogniser
from intent.strategies.catalogue import strategy
from intent.strategies.likelihood import deviations, log_likelihood
from intent.strategies.sets import strategy_set
from intent.view.game_detail import MOST_POINTS, move_probabilities, prefix_posterior

PLAY = Trajectories.from_strings(["CCDDCCDC.C"], ["CDDCCDCC.C"])


@pytest.mark.parametrize("eps", [0.05, "integrate"])
def test_a_row_is_the_posterior_of_shorter_play(eps):
    bayes = BayesRecogniser("canonical6", eps=eps).fit()
    (found,) = prefix_posterior(PLAY, bayes)
    assert found.after.tolist() == list(range(11))
    for t, row in zip(found.after, found.proba, strict=True):
        short = Trajectories(PLAY.own[:, :t], PLAY.other[:, :t]) if t else None
        expected = np.full(6, 1 / 6) if short is None else bayes.predict_proba(short)[0]
        assert row == pytest.approx(expected, abs=1e-12)


def test_long_play_has_fewer_points():
    rng = np.random.default_rng(0)
    X = Trajectories(*rng.integers(0, 2, (2, 1, 3000), dtype=np.int8))
    bayes = BayesRecogniser("canonical4").fit()
    (found,) = prefix_posterior(X, bayes)
    assert (len(found.after), found.after[-1]) == (MOST_POINTS, 3000)
    assert found.proba[-1] == pytest.approx(bayes.predict_proba(X)[0], abs=1e-9)


def test_a_window_of_rounds_has_the_rows_of_the_whole():
    rng = np.random.default_rng(3)
    X = Trajectories(*rng.integers(0, 2, (2, 2, 60), dtype=np.int8))
    bayes = BayesRecogniser("canonical4").fit()
    whole = prefix_posterior(X, bayes)
    for found, every in zip(prefix_posterior(X, bayes, (20, 30)), whole, strict=True):
        assert found.after.tolist() == list(range(20, 31))
        assert found.proba == pytest.approx(every.proba[20:31], abs=1e-12)
    (after,) = (one.after for one in prefix_posterior(X[np.array([0])], bayes, (50, 149)))
    assert after.tolist() == list(range(50, 61))


def test_seats_are_scored_together_as_alone():
    X = Trajectories.from_strings(["CCDDCCDC.C", "DDDD......"], ["CDDCCDCC.C", "CCDD......"])
    bayes = BayesRecogniser("canonical4").fit()
    for at, found in enumerate(prefix_posterior(X, bayes)):
        (alone,) = prefix_posterior(X[np.array([at])], bayes)
        assert found.after.tolist() == alone.after.tolist()
        assert found.proba == pytest.approx(alone.proba, abs=1e-12)


def test_contradictions_are_the_deviations():
    rng = np.random.default_rng(1)
    X = Trajectories(*rng.integers(0, 2, (2, 50, 12), dtype=np.int8))
    chosen = tuple(s for s in strategy_set("all") if s.observed_path)
    zero = (move_probabilities(X, chosen) == 0).sum(axis=1)
    assert (zero == deviations(X.own, X.other, None, chosen)).all()


@given(
    play=st.lists(st.tuples(st.integers(-1, 1), st.integers(-1, 1), st.booleans()), min_size=1, max_size=9)
)
def test_chances_are_steps_of_the_likelihood(play):
    own, other, counts = (np.array([column]) for column in zip(*play, strict=True))
    X = Trajectories(own, other, evidence=counts | (own < 0))
    strategies = strategy_set("TFT,GTFT,GRIM2,CTOD,RANDOM") + strategy_set("rr20")[-1:]
    found = move_probabilities(X, strategies)
    tiny = 1e-7
    ll = [
        log_likelihood(X.own[:, :t], X.other[:, :t], X.evidence[:, :t], strategies, tiny)
        for t in range(1, len(play) + 1)
    ]
    steps = np.exp(np.diff(np.array(ll)[:, 0], axis=0, prepend=0.0))
    steps[~X.evidence[0]] = np.nan
    assert found[0] == pytest.approx(steps, abs=1e-4, nan_ok=True)


def test_a_stochastic_strategy_gives_chances():
    (chances,) = move_probabilities(Trajectories.from_strings(["CCD"], ["DCC"]), [strategy("GTFT(0.25)")])
    assert chances[:, 0] == pytest.approx([1, 0.25, 0])


def test_what_is_no_evidence_is_null_and_moves_the_state():
    X = Trajectories([[1, 0, 1]], [[0, 0, 0]], evidence=[[True, False, True]])
    chances = move_probabilities(X, strategy_set("TFT,DC"))[0]
    assert np.isnan(chances[1]).all()
    assert chances[[0, 2]].tolist() == [[1, 0], [0, 0]]
