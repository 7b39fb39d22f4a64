"""Fits and tests of equal shares between groups, against the package's fits, enumeration and simulation."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from intent.estimate.contrast import GroupPlay, _highest, equal_shares, equal_shares_of, fit_shares
from intent.estimate.counts import count_moves, patterns
from intent.estimate.population import population_of
from intent.estimate.shares import estimate
from intent.logs.gamelog import Trajectories
from intent.strategies.sets import strategy_set

NAMES = ("ALLC", "ALLD", "TFT", "WSLS", "RANDOM")


def play(kinds, rng, eps=0.05, rounds=10, cooperating=0.5):
    """(own, other) of players of ALLC, ALLD, TFT, WSLS against coins, by their rules."""
    other = (rng.random((len(kinds), rounds)) < cooperating).astype(np.int8)
    own = np.zeros_like(other)
    for t in range(rounds):
        if t == 0:
            wanted = np.array([1, 0, 1, 1])[kinds]
        else:
            same = (own[:, t - 1] == other[:, t - 1]).astype(int)
            wanted = np.choose(kinds, [1, 0, other[:, t - 1], same])
        own[:, t] = np.where(rng.random(len(kinds)) < eps, 1 - wanted, wanted)
    return own, other


def group(own, other, names=NAMES):
    X = Trajectories(own, other)
    return GroupPlay(*patterns(count_moves(X, np.arange(len(X)), strategy_set(names))))


def test_the_fit_is_that_of_the_mixture(rng):
    own, other = play(rng.integers(0, 4, 300), rng)
    fit = fit_shares(group(own, other))
    other_fit = estimate(Trajectories(own, other), np.arange(300), strategy_set(NAMES), test=False).groups[0][
        1
    ]
    assert fit.shares == pytest.approx([s.estimate for s in other_fit.shares], abs=1e-6)
    assert fit.log_likelihood == pytest.approx(other_fit.log_likelihood, abs=1e-8)
    assert fit.tremble == pytest.approx(other_fit.tremble[0].estimate, abs=1e-6)


def test_coins_are_coins_and_not_a_strategy_that_errs_often(rng):
    own, other = rng.integers(0, 2, (2, 400, 10), dtype=np.int8)
    fit = fit_shares(group(own, other))
    assert fit.shares[NAMES.index("RANDOM")] > 0.85
    without = fit_shares(group(own, other, NAMES[:4]))
    assert without.tremble > 0.4


def test_influences_give_the_variance_of_the_bootstrap(rng):
    kinds = rng.integers(0, 4, 400)
    own, other = play(kinds, rng)
    fit = fit_shares(group(own, other, NAMES[:4]))
    drawn = []
    for _ in range(150):
        rows = rng.integers(0, 400, 400)
        drawn.append(fit_shares(group(own[rows], other[rows], NAMES[:4])).shares)
    assert np.sqrt((fit.influence**2).sum(axis=0)) == pytest.approx(np.std(drawn, axis=0), rel=0.25)


def test_a_constrained_maximum_is_that_of_all_faces(rng):
    root = rng.normal(size=(6, 4))
    curve, shares = root.T @ root, np.array([0.5, 0.1, 0.0, 0.4])
    scores = rng.normal(size=(40, 4)) * 3
    best = np.full(40, -np.inf)
    for held in product([False, True], repeat=4):
        fixed = np.array(held)
        for i, s in enumerate(scores):
            d = np.where(fixed, -shares, 0.0)
            free = np.flatnonzero(~fixed)
            if len(free):
                own = curve[np.ix_(free, free)]
                d[free] = np.linalg.solve(own, (s - curve @ d)[free])
            if (d >= -shares - 1e-9).all():
                best[i] = max(best[i], s @ d - d @ curve @ d / 2)
    assert _highest(scores, curve, shares) == pytest.approx(best, abs=1e-6)


def test_known_likelihoods_take_the_place_of_play(rng):
    likelihoods = np.log(rng.dirichlet(np.ones(3), size=200))
    fit = fit_shares(GroupPlay(likelihoods, np.arange(200)))
    phi = np.full(3, 1 / 3)
    for _ in range(5000):
        joint = phi * np.exp(likelihoods)
        phi = (joint / joint.sum(axis=1, keepdims=True)).mean(axis=0)
    assert fit.shares == pytest.approx(phi, abs=1e-4)
    assert np.isnan(fit.tremble)


@pytest.mark.parametrize(
    ("games", "agreeing"),
    [
        pytest.param((100, 100), (0.0, 0.0), marks=pytest.mark.exhaustive),
        pytest.param((30, 300), (0.65, 0.3), marks=pytest.mark.exhaustive),
        pytest.param((20, 200), (1.0, 0.0), marks=pytest.mark.slow),
    ],
)
def test_equal_shares_are_rejected_no_more_often_than_alpha(games, agreeing):
    rng, rejected, n = np.random.default_rng(7), 0, 200
    for _ in range(n):
        plays, units, start = [], [], 0
        for number, share in zip(games, agreeing, strict=True):
            first = rng.integers(0, 4, number)
            second = np.where(rng.random(number) < share, first, rng.integers(0, 4, number))
            plays.append(group(*play(np.stack([first, second], axis=1).ravel(), rng)))
            units.append(start + np.repeat(np.arange(number), 2))
            start += number
        test = equal_shares(plays, units, [fit_shares(p) for p in plays], rng=rng, draws=199)
        rejected += test.p <= 0.05
    assert rejected / n <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / n)


def test_different_shares_are_seen(rng):
    plays = [group(*play(rng.choice(4, 200, p=p), rng)) for p in ([0.25] * 4, [0.1, 0.2, 0.5, 0.2])]
    units = [np.arange(200), 200 + np.arange(200)]
    assert equal_shares(plays, units, [fit_shares(p) for p in plays], rng=rng).p < 0.01


def test_opposite_groups_differ_beyond_doubt(rng):
    plays = [group(*play(np.full(60, kind), rng, eps=0.2)) for kind in (0, 1)]
    units = [np.arange(60), 60 + np.arange(60)]
    assert equal_shares(plays, units, [fit_shares(p) for p in plays], rng=rng).p <= 0.001


def test_one_unit_in_a_group_gives_no_p(rng):
    plays = [group(*play(rng.integers(0, 4, 40), rng)) for _ in range(2)]
    units = [np.zeros(40, dtype=np.intp), 1 + np.arange(40)]
    assert np.isnan(equal_shares(plays, units, [fit_shares(p) for p in plays], rng=rng).p)


def test_units_that_are_counted_or_in_another_order_give_the_same_p(rng):
    n = 60
    kinds = rng.integers(0, 3, 2 * n)
    own, other = play(kinds, rng)
    units, arm = np.arange(2 * n) // 3, np.repeat([0, 1], n)
    counts = count_moves(Trajectories(own, other), np.arange(2 * n), strategy_set(NAMES))
    population, _ = population_of(counts, arm, units, 2, clustered=True)
    rows = [np.flatnonzero(arm == g) for g in (0, 1)]
    groups = [group(own[r], other[r]) for r in rows]
    fits = [fit_shares(one) for one in groups]
    shuffled = rng.permutation(len(np.unique(units)))
    tests = [
        equal_shares(groups, [codes[r] for r in rows], fits, rng=np.random.default_rng(1), draws=999)
        for codes in (units, shuffled[units])
    ]
    free = sum(fit.log_likelihood for fit in fits)
    tests.append(equal_shares_of(population, free, rng=np.random.default_rng(1), draws=999))
    assert len({test.p for test in tests}) == 1
    assert [t.units for t in tests] == pytest.approx([tests[0].units] * 3)
    assert [t.design_effect for t in tests] == pytest.approx([tests[0].design_effect] * 3)


def test_a_strategy_that_one_group_hardly_plays_leaves_the_units_their_worth(rng):
    """The form of the statistic has no direction of negative curvature, whatever one group does not tell."""
    from intent.estimate.contrast import _form

    shares = np.array([0.5, 0.3, 0.2])
    flat = np.eye(3) - np.outer(shares, shares) / (shares @ shares)
    first = flat @ np.diag([40.0, 30.0, 1e-4]) @ flat
    second = flat @ np.diag([20.0, 50.0, 30.0]) @ flat + 1e-6 * np.outer(shares, shares)
    values = np.linalg.eigvalsh(_form([first, second], np.ones(3, dtype=bool)))
    assert values.min() > -1e-9 * values.max()
