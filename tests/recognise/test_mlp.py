"""The feed-forward network: accuracy, probabilities as scikit-learn's, what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from safetensors.numpy import load, save

from intent.base.errors import RecogniserError
from intent.play.corpora import Corpus, generate_arrays
from intent.recognise.classifiers import MlpRecogniser
from intent.recognise.encoding import encode
from intent.strategies.sets import strategy_set


def play(n, seed, names="canonical4"):
    corpus = Corpus(strategy_set(names), n, eps=(0.05, 0.05))
    X, y = generate_arrays(corpus, np.random.default_rng(seed))
    return X, np.array([s.name for s in corpus.strategies])[y]


@pytest.fixture(scope="module")
def fitted():
    return MlpRecogniser(random_state=0, epochs=30).fit(*play(4000, 1))


def test_beats_the_published_network_with_fewer_rows(fitted):
    """Published: .937, on 10,000 rows of the same kind."""
    assert fitted.score(*play(10_000, 2)) > 0.937


def test_weights_hold_the_scaling_of_the_features(fitted):
    """By hand, one trajectory at a time."""
    X, _ = play(5, 3)
    for features, row in zip(encode(X, "moves").astype(float), fitted.predict_proba(X), strict=True):
        for weights, biases in zip(fitted.weights_, fitted.biases_, strict=True):
            signal = features @ weights + biases
            features = np.maximum(signal, 0)
        assert np.allclose(np.exp(signal) / np.exp(signal).sum(), row)


def test_two_classes_and_few_trajectories():
    X, y = play(60, 4, "ALLC,ALLD")
    proba = MlpRecogniser(hidden=16, encoding="counts", random_state=0).fit(X, y).predict_proba(X)
    assert proba.shape == (60, 2)
    assert np.allclose(proba.sum(axis=1), 1)
    assert (np.array(["ALLC", "ALLD"])[proba.argmax(axis=1)] == y).mean() > 0.95


def test_fewer_trajectories_than_a_batch():
    X, y = play(4, 4, "ALLC,ALLD")
    assert MlpRecogniser(random_state=0, epochs=2).fit(X, y).predict_proba(X).shape == (4, 2)


@pytest.mark.parametrize("hidden", [(), (0,), "64", (4.0,), (True,), [10**9]])
def test_layers_that_are_none_are_refused(hidden):
    with pytest.raises(RecogniserError, match="hidden is"):
        MlpRecogniser(hidden=hidden).fit(*play(40, 0))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda t: {**t, "weight0": t["weight0"][:-1]},
        lambda t: {**t, "bias1": np.full_like(t["bias1"], np.inf)},
        lambda t: {k: v for k, v in t.items() if k != "bias0"},
        lambda t: {**t, "bias0": t["bias0"].astype(np.int64)},
    ],
)
def test_saved_weights_of_another_shape_are_refused(fitted, spoil):
    state, files = fitted.to_state()
    tensors = spoil(load(files["weights.safetensors"]))
    spoiled = {"weights.safetensors": save({k: np.ascontiguousarray(v) for k, v in tensors.items()})}
    with pytest.raises(RecogniserError, match="finite numbers"):
        MlpRecogniser().from_state(state, spoiled)
