"""Cluster permutation against full enumeration, and its behaviour under the null hypothesis."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from permuted import permutation_p

from intent.comparison.data import chi_square
from intent.comparison.permutation import (
    exchangeable,
    permuted_codes,
    permuted_sums,
    random_tables,
)


def table_of(codes: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return np.stack([weights[codes == g].sum(axis=0) for g in range(codes.max() + 1)])


def exact_p(observed: float, statistics: list[float]) -> float:
    return float(np.mean([s >= observed - 1e-9 for s in statistics]))


def test_a_factor_of_games_agrees_with_all_exchanges_of_games(rng):
    weights = np.eye(2)[[0, 0, 0, 1, 1, 1, 1, 0, 1, 1]]
    games, model = np.arange(5).repeat(2), np.array([0, 0, 1, 1, 1]).repeat(2)
    observed = float(chi_square(table_of(model, weights)))
    every = [float(chi_square(table_of(np.array(o).repeat(2), weights))) for o in permutations(model[::2])]
    found = permutation_p(observed, weights, model, games, chi_square, 20000, rng)
    assert found == pytest.approx(exact_p(observed, every), abs=0.015)


def test_a_factor_within_games_agrees_with_all_exchanges_and_orders(rng):
    weights = np.eye(2)[[0, 1, 0, 1, 0, 0, 1, 1]]
    games, persona = np.arange(4).repeat(2), np.array([0, 1, 0, 1, 0, 0, 1, 1])
    observed = float(chi_square(table_of(persona, weights)))
    every = []
    for order in permutations(range(4)):
        for flips in product((0, 1), repeat=4):
            pairs = persona.reshape(4, 2)[list(order)]
            drawn = np.where(np.array(flips)[:, None] == 1, pairs[:, ::-1], pairs).ravel()
            every.append(float(chi_square(table_of(drawn, weights))))
    found = permutation_p(observed, weights, persona, games, chi_square, 20000, rng)
    assert found == pytest.approx(exact_p(observed, every), abs=0.015)


def test_games_stay_whole_and_keep_their_size(rng):
    games = np.array([0, 0, 1, 1, 1, 2, 2, 3, 3, 3])
    persona = np.array([0, 1, 0, 0, 1, 1, 1, 2, 2, 2])
    vectors = {2: [(0, 1), (1, 1)], 3: [(0, 0, 1), (2, 2, 2)]}
    for drawn in permuted_codes(persona, games, 50, rng):
        for codes in drawn:
            for size, expected in vectors.items():
                whole = [tuple(sorted(codes[games == g])) for g in range(4) if (games == g).sum() == size]
                assert sorted(whole) == expected


def test_a_factor_of_games_is_exchanged_between_games_of_any_size(rng):
    games, model = np.array([0, 0, 1, 2, 2]), np.array([0, 0, 1, 1, 1])
    drawn = np.concatenate(list(permuted_codes(model, games, 200, rng)))
    assert {tuple(codes) for codes in drawn.tolist()} == {(0, 0, 1, 1, 1), (1, 1, 0, 1, 1), (1, 1, 1, 0, 0)}


def test_p_is_uniform_under_the_null_though_rows_of_a_game_are_copies(rng):
    games, ps = np.arange(30).repeat(4), []
    for _ in range(300):
        weights = rng.dirichlet([1, 1], 30).repeat(4, axis=0)
        model = rng.permutation(np.arange(30) % 2).repeat(4)
        observed = float(chi_square(table_of(model, weights)))
        ps.append(permutation_p(observed, weights, model, games, chi_square, 99, rng))
    found = np.quantile(ps, [0.1, 0.25, 0.5, 0.75, 0.9])
    np.testing.assert_allclose(found, [0.1, 0.25, 0.5, 0.75, 0.9], atol=0.09)


def test_random_tables_have_their_margins_and_scipys_probabilities(rng):
    from scipy.stats import random_table

    tables = random_tables(np.array([2, 3, 1]), np.array([4, 2]), 20000, rng)
    assert (tables.sum(axis=2) == [2, 3, 1]).all()
    assert (tables.sum(axis=1) == [4, 2]).all()
    kinds, counts = np.unique(tables, axis=0, return_counts=True)
    expected = [random_table([2, 3, 1], [4, 2]).pmf(kind) for kind in kinds]
    np.testing.assert_allclose(counts / 20000, expected, atol=0.015)
    assert sum(expected) == pytest.approx(1)


def test_games_that_ended_alike_are_exchanged_like_any_others(rng):
    weights = np.eye(3)[rng.integers(0, 3, 120)]
    games, model = np.arange(60).repeat(2), (np.arange(60) % 4).repeat(2)
    direct = np.concatenate(
        [
            np.stack([table_of(codes, weights) for codes in drawn])
            for drawn in permuted_codes(model, games, 4000, rng)
        ]
    )
    pooled = np.concatenate(list(permuted_sums(weights, model, games, 4000, rng)))
    np.testing.assert_allclose(pooled.mean(axis=0), direct.mean(axis=0), atol=0.2)
    np.testing.assert_allclose(pooled.var(axis=0), direct.var(axis=0), rtol=0.12)


def test_nothing_to_exchange_is_seen():
    games = np.array([0, 0, 1, 1])
    assert exchangeable(np.array([0, 1, 0, 1]), games)
    assert exchangeable(np.array([0, 0, 1, 1]), games)
    assert not exchangeable(np.zeros(4, dtype=int), games)
    assert exchangeable(np.array([0, 1, 0]), np.array([0, 0, 1]))
    assert exchangeable(np.array([0, 1, 0, 1, 1]), np.array([0, 0, 1, 2, 2]))


def test_many_rows_come_in_small_chunks(rng):
    rows = np.arange(1 << 20)
    drawn = [codes.sum(axis=1).tolist() for codes in permuted_codes(rows % 2, rows, 6, rng)]
    assert drawn == [[1 << 19] * 4, [1 << 19] * 2]
