"""Tests of differences against SciPy and calculation by hand."""

from __future__ import annotations

import numpy as np
import pytest

from intent.comparison.data import chi_square, cramers_v
from intent.comparison.groups import Hypothesis, holm, with_holm
from intent.comparison.tests import f_statistic, mean_tests, share_tests

GROUPS = np.array([0] * 30 + [1] * 50 + [2] * 20)


def test_chi_square_is_scipys(rng):
    from scipy.stats import chi2_contingency
    from scipy.stats.contingency import association

    codes = rng.integers(0, 4, 100)
    first, _ = share_tests("model", np.eye(4)[codes], GROUPS, np.arange(100), permutations=9, rng=rng)
    table = np.array([np.bincount(codes[g == GROUPS], minlength=4) for g in range(3)])
    oracle = chi2_contingency(table, correction=False)
    assert (first.test, first.factor) == ("chi_square", "model")
    assert first.statistic == pytest.approx(oracle.statistic)
    assert first.df == oracle.dof
    assert first.p == pytest.approx(oracle.pvalue)
    assert first.effect == pytest.approx(association(table, method="cramer"))


def test_tables_are_taken_in_stacks(rng):
    tables = rng.integers(1, 9, (5, 3, 4)).astype(float)
    np.testing.assert_allclose(chi_square(tables), [chi_square(t) for t in tables])


def test_cramers_v_is_one_where_groups_determine_outcomes():
    table = np.diag([5.0, 7.0, 2.0])
    assert cramers_v(float(chi_square(table)), table) == pytest.approx(1)


def test_outcomes_that_never_occur_cost_no_degrees_of_freedom(rng):
    weights = np.eye(6)[rng.integers(0, 2, 100)]
    assert share_tests("x", weights, GROUPS, np.arange(100), permutations=0, rng=rng)[0].df == 2


def test_parts_of_rows_allow_the_permutation_only(rng):
    weights = rng.dirichlet([1, 1, 1], 100)
    found = share_tests("x", weights, GROUPS, np.arange(100), permutations=99, rng=rng)
    assert [(t.test, t.df) for t in found] == [("permutation", None)]


def test_nothing_to_test_gives_no_test(rng):
    same, one = np.eye(2)[np.zeros(10, dtype=int)], np.zeros(10, dtype=int)
    assert share_tests("x", same, np.arange(10) % 2, np.arange(10), permutations=9, rng=rng) == []
    assert share_tests("x", np.eye(2)[np.arange(10) % 2], one, np.arange(10), permutations=9, rng=rng) == []
    assert mean_tests("x", np.full(10, 0.1), np.arange(10) % 2, np.arange(10), permutations=9, rng=rng) == []
    assert mean_tests("x", np.arange(2.0), np.arange(2), np.arange(2), permutations=9, rng=rng) == []


def test_analysis_of_variance_is_scipys(rng):
    from scipy.stats import f_oneway

    values = rng.normal(size=100) + GROUPS * 0.3
    first, second = mean_tests("model", values, GROUPS, np.arange(100), permutations=199, rng=rng)
    parts = [values[g == GROUPS] for g in range(3)]
    oracle = f_oneway(*parts)
    between = sum(len(p) * (p.mean() - values.mean()) ** 2 for p in parts)
    assert (first.test, first.df) == ("anova", (2, 97))
    assert first.statistic == pytest.approx(oracle.statistic)
    assert first.p == pytest.approx(oracle.pvalue)
    assert first.effect == pytest.approx(between / ((values - values.mean()) ** 2).sum())
    assert second.p == pytest.approx(first.p, abs=0.05)


def test_perfect_separation_has_an_infinite_f(rng):
    codes = np.repeat([0, 1], 2)
    first, second = mean_tests("x", codes.astype(float), codes, np.arange(4), permutations=9999, rng=rng)
    assert (first.statistic, first.p, first.effect) == (np.inf, 0, 1)
    assert second.statistic == 4
    assert second.p == pytest.approx(2 / 6, abs=0.02)


def test_f_of_permuted_sums_is_that_of_permuted_values(rng):
    values = rng.normal(size=12)
    codes = np.array([rng.permutation(np.arange(12) % 3) for _ in range(4)])
    sums = np.array(
        [[[np.sum(c == g), (values - values.mean())[c == g].sum()] for g in range(3)] for c in codes]
    )
    from scipy.stats import f_oneway

    oracle = [f_oneway(*(values[c == g] for g in range(3))).statistic for c in codes]
    np.testing.assert_allclose(f_statistic(sums, ((values - values.mean()) ** 2).sum()), oracle)


def test_clusters_of_copies_fool_chi_square_but_not_the_permutation():
    rng = np.random.default_rng(3)
    codes, model = np.array([0, 0, 0, 1, 1, 0, 1, 1]).repeat(25), np.array([0, 1] * 4).repeat(25)
    naive, honest = share_tests(
        "x", np.eye(2)[codes], model, np.arange(8).repeat(25), permutations=999, rng=rng
    )
    assert naive.statistic == honest.statistic
    assert honest.p > 0.5 or honest.p > 50 * naive.p


@pytest.mark.parametrize(
    ("p", "adjusted"),
    [
        ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),
        ([0.02], [0.02]),
        ([0.5, 0.9, 0.001], [1.0, 1.0, 0.003]),
        ([], []),
    ],
)
def test_holm_by_hand(p, adjusted):
    assert holm(p) == pytest.approx(adjusted)


def test_each_kind_of_test_is_a_family_of_its_own():
    tests = [
        Hypothesis(factor, test, 1.0, None, p, p, p, 0.1)
        for factor, test, p in [
            ("model", "chi_square", 0.01),
            ("model", "permutation", 0.04),
            ("persona", "chi_square", 0.3),
            ("persona", "permutation", 0.02),
        ]
    ]
    assert [t.p_adjusted for t in with_holm(tests)] == pytest.approx([0.02, 0.04, 0.3, 0.04])
    assert with_holm([]) == ()


def test_holm_is_that_of_statsmodels(rng):
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    p = rng.random(20) ** 3
    np.testing.assert_array_equal(holm(p), multitest.multipletests(p, method="holm")[1])
