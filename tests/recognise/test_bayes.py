from __future__ import annotations

import itertools

import numpy as np
import pytest

from intent import Trajectories
from intent.base.errors import RecogniserError
from intent.play.corpora import Corpus, generate_arrays
from intent.recognise.bayes import BayesRecogniser, eps_nodes, estimate_eps
from intent.strategies.catalogue import strategy
from intent.strategies.likelihood import log_likelihood
from intent.strategies.sets import strategy_set


def posterior_by_hand(own, other, names, eps, prior):
    """Bayes' rule in plain Python, following the automaton move by move."""
    weights = []
    for name, chance in zip(names, prior, strict=True):
        s, state = strategy(name), strategy(name).start
        for a, b in zip(own, other, strict=True):
            q = (1 - eps) * s.p_cooperate[state] + eps * (1 - s.p_cooperate[state])
            chance *= q if a else 1 - q
            state = s.next_code(state, a, b)
        weights.append(chance)
    return np.array(weights) / sum(weights)


@pytest.mark.parametrize("eps", [0.01, 0.3])
def test_posterior_is_bayes_rule_on_every_history(eps):
    names = ["ALLC", "TFT", "GTFT", "WSLS"]
    prior = (0.1, 0.2, 0.3, 0.4)
    rows = list(itertools.product([0, 1], repeat=8))
    own, other = np.array(rows)[:, :4], np.array(rows)[:, 4:]
    model = BayesRecogniser(",".join(names), eps=eps, prior=prior).fit()
    expected = [posterior_by_hand(a, b, names, eps, prior) for a, b in zip(own, other, strict=True)]
    assert np.allclose(model.predict_proba(Trajectories(own, other)), expected, atol=1e-13)


def test_integration_is_exact_for_long_play(rng):
    X = Trajectories(rng.integers(0, 2, (4, 60)), rng.integers(0, 2, (4, 60)))
    model = BayesRecogniser("canonical6", eps="integrate").fit()
    grid = np.linspace(0, 0.2, 4001)
    ll = log_likelihood(X.own, X.other, None, model.strategies_, grid)
    top = ll.max(axis=2, keepdims=True)
    trapezoid = np.log(np.trapezoid(np.exp(ll - top), grid, axis=2) / 0.2) + top[:, :, 0]
    assert np.allclose(model.log_evidence(X), trapezoid, atol=1e-6)


def test_nodes_integrate_polynomials_of_the_play_length():
    nodes, weights = eps_nodes((0.0, 0.2), 10)
    assert weights @ nodes**10 == pytest.approx(0.2**10 / 11, rel=1e-12)
    nodes, weights = eps_nodes((2.0, 5.0, 0.5), 10)
    assert weights @ nodes == pytest.approx(0.5 * 2 / 7, rel=1e-12)


@pytest.mark.parametrize("true_eps", [0.02, 0.12])
def test_eps_is_recovered(true_eps):
    corpus = Corpus(strategy_set("canonical4"), 4000, (20, 20), (true_eps, true_eps))
    X, _ = generate_arrays(corpus, np.random.default_rng(1))
    assert estimate_eps(X, corpus.strategies, np.full(4, 0.25)) == pytest.approx(true_eps, abs=0.004)
    assert BayesRecogniser(eps="estimate").fit(X).eps_ == pytest.approx(true_eps, abs=0.004)


def test_random_background_takes_what_nothing_explains():
    noise = Trajectories.from_strings(["CDDCDCCDDC"], ["CCDDCDCDCC"])
    model = BayesRecogniser("canonical4", background=True).fit()
    assert model.classes_.tolist()[-1] == "RANDOM"
    assert model.predict(noise).tolist() == ["RANDOM"]


def test_a_class_without_prior_does_not_drown_the_others():
    X = Trajectories(np.tile([1, 0], (1, 500)), np.tile([0, 1], (1, 500)))
    model = BayesRecogniser("ALLC,ALLD,WSLS,TFT", eps=0.05, prior=(0, 0.5, 0, 0.5)).fit()
    ll = model.log_evidence(X)[0]
    assert ll.max() - ll[1] > 750
    assert model.predict_proba(X)[0].tolist() == pytest.approx([0, 0, 0, 1])


def test_many_rounds_are_integrated_as_exactly():
    from scipy.special import betainc, betaln

    T, m = 3000, 150
    X = Trajectories(np.r_[np.zeros(m), np.ones(T - m)][None, :], np.ones((1, T)))
    found = BayesRecogniser("ALLC,ALLD", eps="integrate").fit().log_evidence(X)[0, 0]
    exact = np.log(betainc(m + 1, T - m + 1, 0.2)) + betaln(m + 1, T - m + 1) - np.log(0.2)
    assert found == pytest.approx(exact, abs=1e-8)


def test_impossible_play_gets_the_prior():
    model = BayesRecogniser("ALLC,ALLD", eps=0.0, prior={"ALLC": 0.7, "ALLD": 0.3}).fit()
    assert model.predict_proba(Trajectories([[1, 0]], [[1, 1]])).tolist() == [[0.7, 0.3]]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"eps": 0.5}, r"eps is 0.5, expected a number in \[0, .5\)"),
        ({"eps": "guess"}, "eps is 'guess'"),
        ({"prior": (0.5, 0.5)}, "expected 4 probabilities"),
        ({"prior": {"TFFT": 1.0}}, "prior names"),
        ({"eps": "estimate"}, "needs trajectories"),
        ({"eps": "integrate", "eps_prior": (0.3, 0.1)}, "eps prior"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(RecogniserError, match=message):
        BayesRecogniser(**parameters).fit()
