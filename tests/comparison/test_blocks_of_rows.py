"""Permutation within blocks against full enumeration and textbook statistics."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from permuted import permutation_p

from intent.base.errors import UnknownNameError
from intent.comparison.groups import benjamini_hochberg
from intent.comparison.permutation import exchangeable, permuted_codes, stratified
from intent.comparison.tests import mean_tests, share_tests
from intent.estimate.design_units import block_codes, block_sets, informative_rows


def sums(values: np.ndarray, codes: np.ndarray) -> np.ndarray:
    return np.stack([values[codes == g].sum(axis=0) for g in range(codes.max() + 1)])


def test_blocks_are_rows_alike_in_all_columns():
    table = pd.DataFrame({"a": ["x", "x", "y", None, None], "b": [1, 2, 1, 1, 1]})
    assert len(set(block_codes(table, ["a", "b"])[:4])) == 4
    assert block_codes(table, ["a", "b"])[3] == block_codes(table, ["a", "b"])[4]
    assert set(block_codes(table, [])) == {0}
    with pytest.raises(UnknownNameError):
        block_codes(table, ["c"])


@pytest.mark.parametrize(
    "column",
    [
        [1, True, "1", None, float("nan"), "(none)", 1.0],
        pd.array([2, None, 2, 1, None, 0, 1], dtype="Int64"),
        pd.Categorical(["b", "a", None, "b", "c", "a", "a"]),
        [0.5, np.nan, 0.5, 0.0, 1.0, 2.0, np.nan],
    ],
)
def test_values_are_told_apart_as_text_and_numbered_as_they_come(column):
    table = pd.DataFrame({"a": column})
    texts = ["(none)" if pd.isna(value) else str(value) for value in table["a"]]
    assert block_codes(table, ["a"]).tolist() == [list(dict.fromkeys(texts)).index(t) for t in texts]


def test_a_block_with_one_level_says_nothing():
    codes, blocks = np.array([0, 1, 1, 1, 0, 0]), np.array([0, 0, 1, 1, 2, 2])
    assert informative_rows(codes, blocks).tolist() == [True, True, False, False, False, False]


def test_games_in_the_same_blocks_are_a_set():
    clusters, blocks = np.array([0, 0, 1, 1, 2, 2, 3, 3]), np.array([0, 1, 1, 0, 0, 0, 0, 1])
    assert block_sets(clusters, blocks).tolist() == [0, 0, 0, 0, 1, 1, 0, 0]


def test_the_statistic_of_tables_of_two_by_two_is_mantel_and_haenszels(rng):
    tables = pytest.importorskip("statsmodels.stats.contingency_tables")
    blocks, codes, play = rng.integers(0, 4, 200), rng.integers(0, 2, 200), rng.integers(0, 2, 200)
    each = [
        np.array([[((codes == g) & (play == k) & (blocks == b)).sum() for k in (0, 1)] for g in (0, 1)])
        for b in range(4)
    ]
    oracle = tables.StratifiedTable(each).test_null_odds(correction=False)
    form = stratified(np.eye(2)[play], codes, blocks)
    assert form.df == 1
    assert float(form.statistic(sums(form.centred, codes))) == pytest.approx(oracle.statistic)


def test_one_block_gives_chi_square_and_eta_squared_back(rng):
    codes, play, one = rng.integers(0, 3, 90), np.eye(4)[rng.integers(0, 4, 90)], np.zeros(90, dtype=int)
    first, _, third = share_tests("x", play, codes, np.arange(90), permutations=9, rng=rng, blocks=one)
    assert third.test == "permutation_within"
    assert third.effect == pytest.approx(first.effect)
    values = rng.normal(size=90)
    first, _, third = mean_tests("x", values, codes, np.arange(90), permutations=9, rng=rng, blocks=one)
    assert third.effect == pytest.approx(first.effect)


def test_a_factor_of_games_agrees_with_all_exchanges_within_blocks(rng):
    play = np.eye(2)[[0, 0, 0, 1, 1, 1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 1]]
    games, blocks = np.arange(8).repeat(2), np.array([0] * 4 + [1] * 4).repeat(2)
    model = np.array([0, 0, 1, 1, 1, 0, 1, 1])
    form = stratified(play, model.repeat(2), blocks)
    observed = float(form.statistic(sums(form.centred, model.repeat(2))))
    every = [
        float(form.statistic(sums(form.centred, np.array(a + b).repeat(2))))
        for a, b in product(permutations(model[:4]), permutations(model[4:]))
    ]
    exact = np.mean([s >= observed - 1e-9 for s in every])
    found = permutation_p(observed, form.centred, model.repeat(2), games, form.statistic, 20000, rng, blocks)
    assert found == pytest.approx(exact, abs=0.015)


def test_games_whose_seats_lie_in_blocks_of_their_own_stay_whole(rng):
    games, persona = np.arange(6).repeat(2), np.tile([0, 1], 6)
    model = np.array([0, 1, 0, 1, 2, 2]).repeat(2)
    drawn = np.concatenate(list(permuted_codes(model, games, 50, rng, persona)))
    assert (drawn[:, ::2] == drawn[:, 1::2]).all()
    assert {tuple(sorted(d)) for d in drawn[:, ::2]} == {(0, 0, 1, 1, 2, 2)}


def test_a_factor_within_games_changes_places_only_within_a_block(rng):
    games, blocks = np.arange(3).repeat(3), np.tile([0, 0, 1], 3)
    codes = np.array([0, 1, 2, 1, 0, 3, 0, 0, 2])
    for drawn in np.concatenate(list(permuted_codes(codes, games, 60, rng, blocks))):
        found = sorted((*sorted(drawn[3 * g : 3 * g + 2]), drawn[3 * g + 2]) for g in range(3))
        assert found == [(0, 0, 2), (0, 1, 2), (0, 1, 3)]


def test_nothing_can_be_exchanged_where_the_block_decides_the_level(rng):
    seat, games = np.tile([0, 1], 10), np.arange(10).repeat(2)
    assert not exchangeable(seat, games, seat)
    assert exchangeable(seat, games, np.zeros(20, dtype=int))
    found = share_tests(
        "seat", np.eye(2)[rng.integers(0, 2, 20)], seat, games, permutations=9, rng=rng, blocks=seat
    )
    assert [t.test for t in found] == ["chi_square", "permutation"]


def test_a_difference_that_is_all_between_blocks_is_not_found_within_them(rng):
    blocks = np.arange(200).repeat(2) % 2
    model = np.where(rng.random(200) < 0.8, np.arange(200) % 2, 1 - np.arange(200) % 2).repeat(2)
    play = np.where(rng.random(400) < 0.9, blocks, 1 - blocks)
    found = share_tests(
        "model", np.eye(2)[play], model, np.arange(200).repeat(2), permutations=199, rng=rng, blocks=blocks
    )
    p = {t.test: t.p for t in found}
    assert p["permutation"] < 0.01 < 0.05 < p["permutation_within"]


def test_benjamini_hochberg_is_statsmodels(rng):
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    p = rng.random(20) ** 3
    np.testing.assert_allclose(benjamini_hochberg(p), multitest.multipletests(p, method="fdr_bh")[1])
