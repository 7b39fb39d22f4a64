"""Discovery on play whose strategies are known, one of them outside the catalogue."""

from __future__ import annotations

import numpy as np
import pytest

from intent import Strategy, Trajectories, catalogue, strategy
from intent.base.errors import RecogniserError
from intent.play.corpora import Corpus, generate_arrays
from intent.recognise.hmm import discover_states, nearest_strategies, situation_vector

AGAINST = Strategy.memory_one("AGAINST", 0, 0, 1, 1, 0)
"""Cooperates after unlike moves, the reverse of WSLS: no strategy of the catalogue does."""

NOISE = 0.05
PLANTED = {
    "ALLD": (0.05, 0.05, 0.05, 0.05, 0.05),
    "TFT": (0.95, 0.95, 0.05, 0.95, 0.05),
    "AGAINST": (0.05, 0.05, 0.95, 0.95, 0.05),
}


def discovered(seed=0, **changes):
    strategies = (strategy("ALLD"), strategy("TFT"), AGAINST)
    corpus = Corpus(strategies, 600, rounds=(12, 12), eps=(NOISE, NOISE))
    X, y = generate_arrays(corpus, np.random.default_rng(seed))
    settings = {"n_states": range(1, 5), "n_symbols": 10, "n_starts": 4, "strategies": catalogue()}
    rng = np.random.default_rng(seed)
    return X, y, discover_states(X, rng=rng, **{**settings, **changes})


@pytest.mark.slow
def test_bic_finds_the_number_of_strategies_and_their_answers():
    _, y, found = discovered()
    assert len(found.states) == 3
    for k, (name, planted) in enumerate(PLANTED.items()):
        mean = found.shares[y == k].mean(axis=0)
        state = found.states[int(mean.argmax())]
        assert mean.max() > 0.9, name
        assert np.allclose(state.p_cooperate, planted, atol=0.05), name
        assert state.next[int(mean.argmax())] > 0.98
        assert state.outside == (name == "AGAINST")
        if name != "AGAINST":
            assert state.nearest[0].strategy == name
            assert abs(state.nearest[0].eps - NOISE) < 0.03


@pytest.mark.slow
def test_more_states_never_fit_worse():
    _, _, found = discovered(1)
    fits = [c.log_likelihood for c in found.candidates]
    assert (np.diff(fits) > 0).all()


def test_figures_of_one_state_are_counts():
    X = Trajectories.from_strings(["CCDD", "DD"], ["CDCD", "DC"])
    rng = np.random.default_rng(0)
    found = discover_states(X, n_states=[1], n_symbols=10, n_starts=1, strategies=catalogue(), rng=rng)
    (state,) = found.states
    assert found.n_moves == 6
    assert state.moves == (2.0, 1.0, 1.0, 1.0, 1.0)
    assert state.p_cooperate == (0.5, 1.0, 0.0, 0.0, 0.0)
    assert (state.share, state.start, state.next) == (1.0, 1.0, (1.0,))
    assert found.candidates[0].n_parameters == 5


def test_situations_never_seen_are_unknown_and_no_parameters():
    X = Trajectories.from_strings(["CCC"], ["CCC"])
    found = discover_states(
        X,
        n_states=[2],
        n_symbols=14,
        n_starts=2,
        strategies=catalogue(),
        rng=np.random.default_rng(0),
    )
    assert found.candidates[0].n_parameters == 2 * 2 - 1 + 2 * 2
    assert len(found.situations) == 7
    assert all(np.isnan(state.p_cooperate[2]) for state in found.states)


def test_same_seed_same_states():
    one, two = (discovered(n_states=[2], n_starts=2)[2] for _ in range(2))
    assert one.states == two.states


def test_no_moves_nothing_to_discover():
    X = Trajectories.from_strings(["???"], ["CCC"])
    with pytest.raises(RecogniserError, match="nothing to discover"):
        discover_states(
            X, n_states=[1], n_symbols=10, n_starts=1, strategies=(), rng=np.random.default_rng(0)
        )


@pytest.mark.parametrize("s", catalogue(), ids=lambda s: s.name)
def test_five_situations_are_the_memory_one_vector(s):
    assert situation_vector(s, 5) == s.memory_one_vector()


def test_seven_situations_hold_an_earlier_defection():
    assert situation_vector(strategy("GRUDGER"), 7) == (1, 1, 0, 1, 0, 0, 0)
    assert situation_vector(strategy("TFT"), 7) == (1, 1, 0, 1, 0, 1, 1)
    assert situation_vector(strategy("GRUDGER"), 5) is None
    assert situation_vector(strategy("GTFT").with_memory("intended"), 5) is None


def test_noise_is_no_distance():
    many = np.full(5, 1e6)
    play = np.array([0.9, 0.9, 0.1, 0.9, 0.1])
    first, *_ = nearest_strategies(play, many, catalogue())
    assert first.strategy == "TFT"
    assert first.distance == pytest.approx(0, abs=1e-9)
    assert first.eps == pytest.approx(0.1)


def test_distance_is_the_root_mean_square_difference():
    play, moves = np.array([0.0, 1.0, 0.0, 1.0, 0.0]), np.array([30.0, 30.0, 30.0, 30.0, 0.0])
    (near,) = nearest_strategies(play, moves, [strategy("TFT")], n=1)
    assert near.eps == pytest.approx(0.2)
    assert near.distance == pytest.approx(np.sqrt((0.8**2 + 3 * 0.2**2) / 4))
    assert nearest_strategies(play, np.zeros(5), catalogue()) == ()
