import numpy as np
import pytest

from intent.play.corpora import Corpus, generate_arrays
from intent.recognise.bayes import log_evidence, normalise, posterior_paths
from intent.recognise.scores import expected_regret
from intent.strategies.sets import strategy_set

FIVE = strategy_set("canonical5")
EQUAL = np.full(5, 0.2)


@pytest.fixture
def play(rng):
    return generate_arrays(Corpus(FIVE, 300, (8, 8), (0.0, 0.2)), rng)[0]


def test_the_target_is_the_posterior_with_the_noise_integrated(play):
    path = posterior_paths(play.own, play.other, FIVE)
    for t in (0, 3, 7):
        exact = normalise(log_evidence(play.truncated(t + 1), FIVE, "integrate"), EQUAL)
        assert np.allclose(path[:, t], exact, atol=1e-5)


def test_the_target_is_the_posterior_at_the_noise_that_is_known(play):
    eps = np.where(np.arange(300) % 2, 0.05, 0.1)
    path = posterior_paths(play.own, play.other, FIVE, eps=eps)
    for value in (0.05, 0.1):
        exact = normalise(log_evidence(play[eps == value], FIVE, value), EQUAL)
        assert np.allclose(path[eps == value, -1], exact, atol=1e-5)


def test_noise_of_zero_is_learned_as_nearly_zero(play):
    path = posterior_paths(play.own, play.other, FIVE, eps=np.zeros(300))
    assert np.isfinite(path).all()
    assert np.allclose(path.sum(axis=2), 1, atol=1e-5)


def test_expected_regret_is_what_hits_average_to(rng):
    corpus = Corpus(FIVE, 40_000, (6, 6), (0.1, 0.1))
    X, y = generate_arrays(corpus, rng)
    posterior = normalise(log_evidence(X, FIVE, 0.1), EQUAL)
    rule, guess = posterior.argmax(axis=1), rng.integers(0, 5, len(y))
    found = expected_regret(posterior, rule, guess)
    hits = (rule == y).mean() - (guess == y).mean()
    assert abs(found.value - hits) < 0.01
    assert found.bound == pytest.approx(found.value + 1.645 * found.standard_error, abs=1e-5)
    assert expected_regret(posterior, rule, rule).bound == 0
