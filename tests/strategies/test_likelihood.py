"""The likelihood against products and sums over the rules in words."""

from __future__ import annotations

import math

import numpy as np
import pytest
from rules_in_words import RULES, histories, probability, sequences

from intent.base.errors import StrategyError
from intent.logs.gamelog import Trajectories
from intent.strategies.catalogue import CATALOGUE, strategy
from intent.strategies.likelihood import forward_path, log_likelihood, log_likelihood_paths
from intent.strategies.sets import strategy_set

ALL = tuple(CATALOGUE.values())
HIDDEN = tuple(s.with_memory("intended") for s in ALL)
each_strategy = pytest.mark.parametrize("name", CATALOGUE)


def arrays(pairs):
    """Own and other moves (n, T) and the evidence mask of strings in which lower case is no evidence."""
    own, other = zip(*pairs, strict=True)
    played = Trajectories.from_strings(own, other)
    mask = np.array([[symbol in "CD" for symbol in text.ljust(played.shape[1])] for text in own])
    return played.own, played.other, mask


def random_moves(rng, n, rounds):
    return rng.integers(0, 2, (2, n, rounds), dtype=np.int8)


@each_strategy
@pytest.mark.parametrize("eps", [0.0, 0.05, 0.3])
@pytest.mark.parametrize("memory", ["realised", "intended"])
def test_product_along_every_history(name, eps, memory):
    s = CATALOGUE[name].with_memory(memory)
    for rounds in (1, 4):
        pairs = histories(rounds)
        own, other, _ = arrays(pairs)
        expected = [probability(RULES[name], a, b, eps, memory) for a, b in pairs]
        computed = np.exp(log_likelihood(own, other, None, [s], eps)[:, 0])
        np.testing.assert_allclose(computed, expected, rtol=1e-12, atol=1e-15)


@each_strategy
def test_logarithm_of_the_product_over_five_rounds(name):
    pairs = histories(5)
    own, other, _ = arrays(pairs)
    expected = [math.log(probability(RULES[name], a, b, 0.05)) for a, b in pairs]
    computed = log_likelihood(own, other, None, [CATALOGUE[name]], 0.05)[:, 0]
    np.testing.assert_allclose(computed, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("strategies", [ALL, HIDDEN], ids=["realised", "intended"])
def test_own_sequences_sum_to_one_against_any_other(strategies):
    own, other, _ = arrays([(a, b) for b in ("CCCC", "CDDC", "DDDD") for a in sequences(4)])
    total = np.exp(log_likelihood(own, other, None, strategies, 0.1)).reshape(3, 16, -1).sum(axis=1)
    np.testing.assert_allclose(total, 1, rtol=1e-12)


@pytest.mark.parametrize("memory", ["realised", "intended"])
def test_unknown_and_uncounted_moves_are_summed_out(memory, rng):
    lengths = rng.integers(1, 6, 250)
    pairs = [("".join(rng.choice(list("CDCDcd?"), n)), "".join(rng.choice(list("CD?"), n))) for n in lengths]
    own, other, mask = arrays(pairs)
    for name in CATALOGUE:
        s = CATALOGUE[name].with_memory(memory)
        expected = [probability(RULES[name], a, b, 0.1, memory) for a, b in pairs]
        computed = np.exp(log_likelihood(own, other, mask, [s], 0.1)[:, 0])
        np.testing.assert_allclose(computed, expected, rtol=1e-11, err_msg=f"{name}, {memory}")


def test_unknown_own_move_without_noise_is_the_intended_one():
    own, other, _ = arrays([("C?D", "DCC"), ("C?C", "DCC")])
    assert np.exp(log_likelihood(own, other, None, strategy_set("GRIM,TFT"), 0.0)).tolist() == [
        [1, 0],
        [0, 1],
    ]


@pytest.mark.parametrize("own", ["Cd", "cD", "Cdd"])
def test_uncounted_move_leaves_its_factor_out(own):
    moves, other, mask = arrays([(own, "C" * len(own))])
    expected = math.log(0.95) if own.startswith("C") else math.log(0.05)
    assert log_likelihood(moves, other, mask, [strategy("ALLC")], 0.05)[0, 0] == pytest.approx(expected)


def test_state_moves_on_an_uncounted_defection():
    own, other, mask = arrays([("CdD", "CCC")])
    values = log_likelihood(own, other, mask, strategy_set("GRIM,TFT"), 0.05)
    np.testing.assert_allclose(np.exp(values), [[0.95 * 0.95, 0.95 * 0.05]])


def test_padded_rows_equal_truncated_rows(rng):
    own, other = random_moves(rng, 40, 13)
    lengths = rng.integers(0, 14, 40)
    gone = np.arange(13) >= lengths[:, None]
    padded = log_likelihood(np.where(gone, -1, own), np.where(gone, -1, other), None, ALL, 0.05)
    for i, n in enumerate(lengths):
        alone = log_likelihood(own[i : i + 1, :n], other[i : i + 1, :n], None, ALL, 0.05)
        np.testing.assert_allclose(padded[i], alone[0], atol=1e-12)


def test_mask_that_counts_everything_changes_nothing(rng):
    own, other = random_moves(rng, 100, 11)
    with_mask = log_likelihood(own, other, np.ones(own.shape, dtype=bool), ALL, 0.05)
    np.testing.assert_allclose(with_mask, log_likelihood(own, other, None, ALL, 0.05), atol=1e-12)


def test_rows_by_columns_and_columns_by_rows_in_memory(rng):
    own, other = random_moves(rng, 300, 12)
    expected = log_likelihood(own, other, None, ALL, 0.05)
    fortran = log_likelihood(np.asfortranarray(own), np.asfortranarray(other), None, ALL, 0.05)
    assert np.array_equal(fortran, expected)


@pytest.mark.parametrize("strategies", [ALL, HIDDEN], ids=["realised", "intended"])
def test_grid_of_eps_equals_single_calls(strategies, rng):
    own, other = random_moves(rng, 50, 7)
    own[:5, 3] = -1
    grid = [0.0, 0.05, 0.2, 0.49]
    together = log_likelihood(own, other, None, strategies, grid)
    assert together.shape == (50, len(strategies), 4)
    for e, eps in enumerate(grid):
        assert np.array_equal(together[:, :, e], log_likelihood(own, other, None, strategies, eps))


@pytest.mark.parametrize("eps", [0.05, (0.01, 0.05, 0.1)])
def test_edges_of_chunks(eps, rng):
    own, other = random_moves(rng, (1 << 15) + 7, 6)
    chosen = strategy_set("ALLC,TFT,GTFT,GRIM3")
    whole = log_likelihood(own, other, None, chosen, eps)
    parts = [
        log_likelihood(own[i : i + 5000], other[i : i + 5000], None, chosen, eps)
        for i in range(0, len(own), 5000)
    ]
    assert np.array_equal(whole, np.concatenate(parts))


@pytest.mark.parametrize("rounds", [1, 5, 6, 10, 11, 50])
def test_blocks_of_rounds_equal_the_forward_pass(rounds, rng):
    own, other = random_moves(rng, 200, rounds)
    direct = log_likelihood(own, other, None, ALL, 0.05)
    for k, s in enumerate(ALL):
        carried = forward_path(own, other, None, s, np.array([0.05]))[:, -1, 0]
        np.testing.assert_allclose(direct[:, k], carried, atol=1e-10)


def test_the_path_of_complete_play_equals_the_forward_pass(rng):
    own, other = random_moves(rng, 50, 12)
    grid = np.array([0.01, 0.2])
    path = log_likelihood_paths(own, other, None, ALL, grid)
    for k, s in enumerate(ALL):
        np.testing.assert_allclose(path[:, :, k], forward_path(own, other, None, s, grid), atol=1e-10)


@pytest.mark.parametrize("strategies", [ALL, HIDDEN], ids=["realised", "intended"])
def test_path_holds_the_likelihood_of_every_prefix(strategies, rng):
    own, other = random_moves(rng, 30, 6)
    own[::3, 2], other[::4, 1] = -1, -1
    for eps in (0.0, 0.05):
        path = log_likelihood_paths(own, other, None, strategies, eps)
        for t in range(6):
            prefix = log_likelihood(own[:, : t + 1], other[:, : t + 1], None, strategies, eps)
            np.testing.assert_allclose(path[:, t], prefix, atol=1e-12)


def test_no_rounds_and_no_rows():
    none = np.zeros((3, 0), dtype=np.int8)
    assert log_likelihood(none, none, None, ALL, 0.05).tolist() == [[0.0] * len(ALL)] * 3
    assert log_likelihood(none.T, none.T, None, ALL, 0.05).shape == (0, len(ALL))
    assert log_likelihood_paths(none, none, None, ALL, 0.05).shape == (3, 0, len(ALL))


@pytest.mark.parametrize("eps", [-0.01, 0.5, float("nan"), [], [[0.1]]])
def test_eps_outside_its_range(eps):
    own = np.ones((1, 2), dtype=np.int8)
    with pytest.raises(StrategyError, match=r"expected a probability in \[0, \.5\)"):
        log_likelihood(own, own, None, ALL, eps)


def test_arrays_of_different_shape():
    own = np.ones((1, 2), dtype=np.int8)
    with pytest.raises(StrategyError, match="expected one"):
        log_likelihood(own, own[:, :1], None, ALL, 0.1)


@pytest.mark.parametrize("padded", [False, True])
def test_a_few_histories_are_scored_as_among_many(rng, padded):
    own, other = random_moves(rng, 600, 13)
    if padded:
        ended = np.arange(13) >= rng.integers(1, 14, (600, 1))
        own[ended], other[ended] = -1, -1
    every = log_likelihood(own, other, None, ALL, 0.05)
    assert log_likelihood(own[:7], other[:7], None, ALL, 0.05) == pytest.approx(every[:7], abs=1e-12)
