from __future__ import annotations

import numpy as np
import pytest
from sfem_populations import joined, population

from intent.base.errors import UsageError
from intent.estimate.resampling import permuted_groups, resampled_weights
from intent.estimate.shares import estimate, select
from intent.strategies.sets import strategy_set


def two_groups(rng, first, second):
    X, subjects, strategies = population("ALLC,ALLD,TFT", first, 2, rng)
    Y, others, _ = population("ALLC,ALLD,TFT", second, 2, rng)
    groups = np.repeat(["a", "b"], [len(X), len(Y)])
    return joined(X, Y), np.r_[subjects, others + sum(first)], strategies, groups


def test_groups_are_fitted_apart(rng):
    X, subjects, strategies, groups = two_groups(rng, (30, 10, 10), (10, 30, 10))
    result = estimate(X, subjects, strategies, groups=groups)
    assert [code for code, _ in result.groups] == ["a", "b"]
    for code, fit in result.groups:
        alone = estimate(X[groups == code], subjects[groups == code], strategies).groups[0][1]
        assert fit.log_likelihood == pytest.approx(alone.log_likelihood, abs=1e-9)
        assert fit.shares == alone.shares


def test_different_groups_are_told_apart(rng):
    X, subjects, strategies, groups = two_groups(rng, (30, 10, 10), (10, 30, 10))
    both, shares, tremble = estimate(X, subjects, strategies, groups=groups, bootstrap=99, rng=rng).tests
    assert (both.tested, both.df) == ("shares and tremble", 3)
    assert both.p < 0.001
    assert both.p_permutation == 0.01
    assert (shares.tested, shares.df, shares.p_permutation) == ("shares", 2, None)
    assert shares.p < 0.001
    assert (tremble.tested, tremble.df) == ("tremble", 1)
    assert tremble.p > 0.01


def test_equal_groups_are_not(rng):
    X, subjects, strategies, groups = two_groups(rng, (20, 20, 10), (20, 20, 10))
    test = estimate(X, subjects, strategies, groups=groups, bootstrap=99, rng=rng).tests[0]
    assert test.p > 0.05
    assert test.p_permutation > 0.05


def test_a_pooled_tremble_is_one_for_all(rng):
    X, subjects, strategies, groups = two_groups(rng, (30, 10, 10), (10, 30, 10))
    result = estimate(X, subjects, strategies, groups=groups, tremble="pooled", bootstrap=19, rng=rng)
    (_, a), (_, b) = result.groups
    apart = estimate(X, subjects, strategies, groups=groups)
    assert a.tremble == b.tremble
    assert result.n_parameters == 5
    assert result.log_likelihood <= apart.log_likelihood + 1e-9
    assert 2 * (apart.log_likelihood - result.log_likelihood) == pytest.approx(
        apart.tests[2].statistic, abs=1e-6
    )
    assert [t.tested for t in result.tests] == ["shares"]
    assert result.tests[0].p_permutation == 0.05


def test_who_plays_in_two_groups_is_a_subject_of_each(rng):
    X, subjects, strategies = population("ALLC,ALLD", (10, 10), 4, rng)
    result = estimate(X, subjects, strategies, groups=np.tile([0, 0, 1, 1], 20), bootstrap=19, rng=rng)
    assert [fit.n_subjects for _, fit in result.groups] == [20, 20]
    assert result.tests[0].p_permutation > 0.05


def test_labels_are_exchanged_between_clusters_or_within_them(rng):
    group, cluster = np.repeat([0, 1], 6), np.repeat(np.arange(4), 3)
    between = permuted_groups(group, cluster, rng)
    assert all(len(set(between[cluster == c])) == 1 for c in range(4))
    crossed = np.tile([0, 1, 1], 4)
    within = permuted_groups(crossed, cluster, rng)
    assert [within[cluster == c].sum() for c in range(4)] == [2] * 4


@pytest.mark.parametrize("bootstrap", [0, 200])
def test_clusters_widen_the_intervals(bootstrap, rng):
    X, subjects, strategies = population("ALLC,ALLD", (40, 40), 2, rng)
    sessions = subjects // 10
    options = {"bootstrap": bootstrap, "rng": rng}
    plain = estimate(X, subjects, strategies, **options).groups[0][1].shares[0]
    clustered = estimate(X, subjects, strategies, clusters=sessions, **options).groups[0][1].shares[0]
    assert clustered.estimate == pytest.approx(plain.estimate)
    assert clustered.se > 2 * plain.se
    assert clustered.high - clustered.low > 2 * (plain.high - plain.low)


def test_the_bootstrap_agrees_with_the_information(rng):
    X, subjects, strategies = population("ALLC,ALLD,TFT", (40, 30, 30), 3, rng)
    one = estimate(X, subjects, strategies).groups[0][1]
    other = estimate(X, subjects, strategies, bootstrap=400, rng=rng).groups[0][1]
    for a, b in zip((*one.shares, *one.tremble), (*other.shares, *other.tremble), strict=True):
        assert b.se == pytest.approx(a.se, rel=0.2)
        assert (b.low, b.high) == pytest.approx((a.low, a.high), abs=0.03)


def test_same_seed_same_intervals(rng):
    X, subjects, strategies = population("ALLC,ALLD,TFT", (20, 20, 10), 2, rng)
    fits = [
        estimate(X, subjects, strategies, bootstrap=30, rng=np.random.default_rng(3)).groups[0][1]
        for _ in range(2)
    ]
    assert fits[0].shares == fits[1].shares


def test_resampled_weights_draw_every_subject_once_on_average(rng):
    pattern, clusters = np.array([0, 0, 1, 2, 2, 2]), np.array([0, 0, 0, 1, 1, 2])
    plain = resampled_weights(pattern, None, 4000, rng)
    assert (plain.sum(axis=1) == 6).all()
    assert plain.mean(axis=0) == pytest.approx([2, 1, 3], abs=0.15)
    clustered = resampled_weights(pattern, clusters, 4000, rng)
    assert (clustered[:, 0] == 2 * clustered[:, 1]).all()
    assert clustered.mean(axis=0) == pytest.approx([2, 1, 3], abs=0.15)


def test_selection_keeps_the_strategies_that_are_played(rng):
    X, subjects, _ = population("ALLD,TFT", (25, 25), 4, rng)
    chosen = select(X, subjects, strategy_set("df2011"))
    assert chosen.steps[-1].names == ("ALLD", "TFT")
    assert chosen.result.groups[0][1].names == ("ALLD", "TFT")
    values = [step.criterion for step in chosen.steps]
    assert values == sorted(values, reverse=True)
    assert chosen.steps[0].dropped is None


def test_selection_needs_a_criterion(rng):
    X, subjects, strategies = population("ALLD,TFT", (5, 5), 1, rng)
    with pytest.raises(UsageError, match="criterion is 'r2'"):
        select(X, subjects, strategies, criterion="r2")


def test_one_player_in_both_groups_does_not_keep_the_others_from_being_exchanged(rng):
    group, cluster = np.array([0, 1, 0, 0, 0, 1, 1, 1]), np.array([0, 0, 1, 1, 2, 3, 4, 4])
    drawn = np.array([permuted_groups(group, cluster, rng) for _ in range(200)])
    assert (np.sort(drawn[:, :2], axis=1) == [0, 1]).all()
    assert (drawn[:, 2] == drawn[:, 3]).all()
    assert (drawn[:, 6] == drawn[:, 7]).all()
    assert (drawn.mean(axis=0) > 0.3).all()
    assert (drawn.mean(axis=0) < 0.7).all()


def test_the_tremble_of_a_fair_coin_is_no_parameter(rng):
    X, subjects, _ = population("ALLC,TFT", (20, 20), 2, rng)
    chosen = strategy_set("ALLC,TFT,RANDOM")
    tests = estimate(X, subjects, chosen, groups=subjects % 2, tremble="strategy").tests
    assert [(t.tested, t.df) for t in tests] == [("shares and tremble", 4), ("shares", 2), ("tremble", 2)]
    coin = estimate(X, subjects, strategy_set("RANDOM"), groups=subjects % 2, tremble="pooled")
    assert (coin.n_parameters, coin.tests[0].df) == (0, 0)


def test_a_tremble_is_never_above_one_half(rng):
    X, subjects, strategies = population("ALLC,ALLD", (2, 0), 1, rng, eps=0.0)
    fit = estimate(X, subjects, strategies, bootstrap=20, rng=rng).groups[0][1]
    assert (fit.tremble[0].low, fit.tremble[0].high) == (0, 0.5)
