"""Tests of coefficients from clusters: by hand, against a paired t test, and where clusters are few."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel

from intent.comparison.coefficients import design, effective_clusters, hotelling_score
from intent.comparison.regression import mean_model


def test_few_games_of_one_model_are_worth_few():
    uneven = design(pd.DataFrame({"f": np.repeat([0, 1], [6, 84])}), ["f"]).matrix()
    h = np.repeat([(84 / 90) ** 2, (6 / 90) ** 2], [6, 84])
    found = effective_clusters(uneven, np.arange(90), np.array([1]))
    assert found == pytest.approx(h.sum() ** 2 / (h**2).sum())
    assert 6 < found < 7
    even = design(pd.DataFrame({"f": np.repeat([0, 1], 45)}), ["f"]).matrix()
    assert effective_clusters(even, np.arange(90), np.array([1])) == pytest.approx(90)


def test_the_effective_number_matches_the_variance_of_a_wishart_matrix(rng):
    codes = np.repeat([0, 1, 2], [8, 16, 36])
    matrix, clusters = design(pd.DataFrame({"f": codes}), ["f"]).matrix(), np.arange(60) // 2
    own = matrix[:, 1:] - matrix[:, 1:].mean(axis=0)
    scaled = own @ np.linalg.inv(np.linalg.cholesky(own.T @ own)).T
    noise = rng.normal(size=(20_000, 60))
    scores = np.einsum("bi,ij->bij", noise, scaled).reshape(20_000, 30, 2, 2).sum(axis=2)
    covariances = np.einsum("bci,bcj->bij", scores, scores)
    found = effective_clusters(matrix, clusters, np.array([1, 2]))
    assert covariances.var(axis=0).sum() == pytest.approx(2 * 3 / found, rel=0.05)


def test_outcomes_of_a_logit_share_what_a_cluster_tells():
    matrix = design(pd.DataFrame({"f": np.arange(40) % 2}), ["f"]).matrix()
    found = effective_clusters(matrix, np.arange(40), np.array([1]), outcomes=3)
    assert found == pytest.approx(3 * 4 / (3 / 40 + 9 / 40))


def test_seats_of_one_game_are_tested_as_pairs(rng):
    table = pd.DataFrame({"seat": np.tile([1, 2], 30)})
    values = rng.normal(size=30).repeat(2) + rng.normal(size=60) + 0.3 * (table["seat"] == 2).to_numpy()
    found = mean_model(table, ["seat"], values, np.arange(30).repeat(2)).terms[0]
    oracle = ttest_rel(values[1::2], values[::2])
    assert found.statistic == pytest.approx(oracle.statistic**2)
    assert found.df == pytest.approx((1, 29))
    assert found.p == pytest.approx(oracle.pvalue)


def test_six_games_in_which_nothing_happens_show_nothing(rng):
    table = pd.DataFrame({"model": np.repeat(["new", "old"], [12, 168])})
    values = (rng.random(180) < 0.1).astype(float)
    values[:12] = 0
    found = mean_model(table, ["model"], values, np.arange(90).repeat(2))
    assert found.terms[0].p > 0.05
    assert found.notes[0].startswith("model: few clusters at some level: errors are rough")
    assert all(c.se >= 0 for c in found.coefficients)


def test_more_coefficients_than_clusters_are_not_tested(rng):
    table = pd.DataFrame({"model": np.arange(8) // 2})
    found = mean_model(table, ["model"], rng.normal(size=8), np.arange(8) // 2)
    assert found.terms[0].df is None
    assert "model: too few clusters (4, or too few of some level)" in found.notes[0]


def test_clusters_that_all_point_one_way_have_the_largest_statistic():
    scores = np.ones((6, 1))
    statistic, p, _ = hotelling_score(scores, np.eye(1), np.arange(6), np.array([0]), 6)
    assert statistic > 1e6
    assert p < 1e-6


@pytest.mark.exhaustive
@pytest.mark.parametrize("sizes", [[20, 30, 40], [20, 10], [33] * 6])
def test_terms_reject_as_often_as_they_say(sizes: list[int]):
    n, p = sum(sizes), []
    for rng in np.random.default_rng([5, n]).spawn(1000):
        model = rng.permutation(np.repeat(np.arange(len(sizes)), sizes)).repeat(2)
        values = np.where(rng.random(2 * n) < 0.7, rng.gamma(2, size=n).repeat(2), rng.gamma(2, size=2 * n))
        p.append(mean_model(pd.DataFrame({"f": model}), ["f"], values, np.arange(n).repeat(2)).terms[0].p)
    assert 0.034 < np.mean(np.array(p) <= 0.05) < 0.066
