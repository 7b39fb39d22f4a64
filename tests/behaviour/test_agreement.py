"""Agreement of raters, against published examples and an independent library."""

from __future__ import annotations

import math

import numpy as np
import pytest

from intent.behaviour.agreement import (
    Ratings,
    agreement,
    cohen_kappa,
    fleiss_interval,
    fleiss_kappa,
    majority,
    name_counts,
)

FLEISS_1971 = """
0 0 0 6 0  0 3 0 0 3  0 1 4 0 1  0 0 0 0 6  0 3 0 3 0  2 0 4 0 0  0 0 4 0 2  2 0 3 1 0  2 0 0 4 0  0 0 0 0 6
1 0 0 5 0  1 1 0 4 0  0 3 3 0 0  1 0 0 5 0  0 2 0 3 1  0 0 5 0 1  3 0 0 1 2  5 1 0 0 0  0 2 0 4 0  1 0 2 0 3
0 0 0 0 6  0 1 0 5 0  0 2 0 1 3  2 0 0 4 0  1 0 0 4 1  0 5 0 1 0  4 0 0 0 2  0 2 0 4 0  1 0 5 0 0  0 0 0 0 6
"""
"""Thirty patients, six psychiatrists, five diagnoses."""


def published():
    return np.array(FLEISS_1971.split(), dtype=float).reshape(-1, 5)


def run(codes, status=None, games=None, k=3):
    codes = np.asarray(codes)
    n, raters = codes.shape
    ratings = Ratings(
        codes,
        np.array(status or ["confident"] * n, dtype=object),
        np.array(status or [""] * n) == "ambiguous",
        np.arange(n) if games is None else np.asarray(games),
        tuple("abcdef"[:raters]),
        tuple("XYZ"[:k]),
    )
    rng = np.random.default_rng(0)
    return agreement(ratings, ("ambiguous", "confident"), samples=200, level=0.95, rng=rng)


def test_fleiss_on_his_own_example():
    assert fleiss_kappa(published()) == pytest.approx(0.430, abs=5e-4)


def test_cohen_on_a_table_by_hand():
    assert cohen_kappa(np.array([[20.0, 5.0], [10.0, 15.0]])) == pytest.approx(0.4)


def test_both_agree_with_statsmodels(rng):
    library = pytest.importorskip("statsmodels.stats.inter_rater")
    codes = np.where(rng.random((60, 4)) < 0.5, rng.integers(0, 3, (60, 1)), rng.integers(0, 3, (60, 4)))
    counts = name_counts(codes, 3)
    assert fleiss_kappa(counts) == pytest.approx(library.fleiss_kappa(counts), abs=1e-12)
    table = np.zeros((3, 3))
    np.add.at(table, (codes[:, 0], codes[:, 1]), 1)
    assert cohen_kappa(table) == pytest.approx(library.cohens_kappa(table).kappa, abs=1e-12)


def test_perfect_chance_and_undefined_agreement(rng):
    assert fleiss_kappa(np.array([[3.0, 0], [0, 3], [3, 0]])) == pytest.approx(1)
    coin = name_counts(rng.integers(0, 2, (20_000, 3)), 2)
    assert fleiss_kappa(coin) == pytest.approx(0, abs=0.02)
    assert math.isnan(fleiss_kappa(np.array([[3.0, 0], [3, 0]])))
    assert math.isnan(fleiss_kappa(np.empty((0, 2))))
    assert math.isnan(cohen_kappa(np.array([[5.0, 0], [0, 0]])))
    assert math.isnan(cohen_kappa(np.zeros((2, 2))))


def test_the_interval_resamples_games(rng):
    counts = published()
    alone = fleiss_interval(counts, np.arange(30), samples=4000, level=0.95, rng=rng)
    twice = fleiss_interval(
        np.repeat(counts, 2, axis=0), np.repeat(np.arange(30), 2), samples=4000, level=0.95, rng=rng
    )
    assert alone.low < alone.estimate < alone.high
    assert (twice.low, twice.high) == pytest.approx((alone.low, alone.high), abs=0.02)
    assert math.isnan(fleiss_interval(counts, np.zeros(30, int), samples=9, level=0.95, rng=rng).low)


def test_interval_covers_the_truth_as_often_as_it_says():
    truth, hits = 0.25, 0
    for i in range(300):
        rng = np.random.default_rng([7, i])
        common = rng.integers(0, 2, (80, 1))
        codes = np.where(rng.random((80, 3)) < 0.5, common, rng.integers(0, 2, (80, 3)))
        found = fleiss_interval(name_counts(codes, 2), np.arange(80), samples=300, level=0.9, rng=rng)
        hits += found.low <= truth <= found.high
    assert 0.84 <= hits / 300 <= 0.95


def test_majority_needs_more_than_half():
    counts = name_counts(np.array([[0, 0, 1], [0, 1, 2], [2, 2, 2]]), 3)
    assert majority(counts).tolist() == [0, -1, 2]
    assert majority(name_counts(np.array([[0, 0, 1, 1]]), 2)).tolist() == [-1]


def test_where_they_differ():
    found = run([[0, 0], [0, 1], [0, 1], [2, 0], [2, 2]])
    (pair,) = found.pairs
    assert pair.agreement == pytest.approx(0.4)
    assert pair.differ == ((0, 1, 2), (2, 0, 1))
    assert found.distinct == (2, 3)
    assert found.unanimous.estimate == pytest.approx(0.4)


def test_disagreement_is_divided_by_status():
    found = run([[0, 1], [0, 1], [2, 1], [2, 2]], ["ambiguous", "ambiguous", "confident", "confident"])
    ambiguous, confident = found.by_status
    assert (ambiguous.n, ambiguous.disagree, ambiguous.share) == (2, 2, pytest.approx(2 / 3))
    assert (confident.n, confident.disagree) == (2, 1)
    assert (found.n_untied, found.untied.estimate, found.tied_share) == (2, 0.5, pytest.approx(2 / 3))
    assert math.isnan(run([[0, 0]]).by_status[1].share)
    assert math.isnan(run([[0, 1]], ["ambiguous"]).untied.estimate)
