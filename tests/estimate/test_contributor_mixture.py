"""The mixture of types of contributors, against its definition, an optimiser, and known shares."""

from __future__ import annotations

import math

import numpy as np
import pytest

from intent.base.errors import DataError
from intent.estimate.contributor_types import (
    TYPES,
    error_of,
    fit_contributors,
    most_error,
    resampled_shares,
    response_log_probabilities,
    responses,
)


def population(shares, n, rounds, units, others, sigma, rng):
    """x, y of n subjects and their types, drawn from the model."""
    kinds = rng.choice(len(TYPES), size=n, p=shares)
    steps = others * units
    x, y = rng.integers(0, steps + 1, (n, rounds)) / steps, np.empty((n, rounds))
    for i, kind in enumerate(kinds):
        types, mu, _ = responses(x[i], units, others)
        own = mu[rng.choice(np.flatnonzero(types == kind))][None]
        chance = np.exp(response_log_probabilities(own, units, sigma))[0]
        y[i] = [rng.choice(units + 1, p=p) / units for p in chance]
    return x, y, kinds


def fit(x, y, units, others):
    return fit_contributors(x.ravel(), y.ravel(), np.repeat(np.arange(len(x)), x.shape[1]), units, others)


@pytest.mark.parametrize(("units", "others"), [(1, 1), (1, 3), (20, 3)])
def test_probabilities_sum_to_one(units, others):
    _, mu, _ = responses(np.linspace(0, 1, 7), units, others)
    chance = np.exp(response_log_probabilities(mu, units, 0.2))
    assert chance.sum(axis=2) == pytest.approx(np.ones(mu.shape))
    assert ((mu >= 0) & (mu <= 1) | np.isnan(mu)).all()


def test_answers_where_all_or_nothing_is_given():
    types, mu, beyond = responses(np.array([0, 0.5, 1]), 1, 2)
    assert beyond == pytest.approx([0, 0, 0, 0, 1, 0], abs=1e-5)
    found = [(TYPES[k], row.tolist()) for k, row in zip(types, mu, strict=True)][:-1]
    assert found == [
        ("free_rider", [0, 0, 0]),
        ("unconditional", [1, 1, 1]),
        ("conditional", [0, 1, 1]),
        ("conditional", [0, 0, 1]),
        ("hump_shaped", [0, 1, 0]),
    ]


def test_error_is_a_logit():
    chance = np.exp(response_log_probabilities(np.array([[0.0]]), 1, 0.4))[0, 0]
    assert chance[1] == pytest.approx(error_of(0.4))
    assert error_of(most_error(1)) == pytest.approx(0.25)


def test_likelihood_is_that_of_the_definition(rng):
    x, y, _ = population([0.3, 0.2, 0.3, 0.1, 0.1], 12, 5, 4, 3, 0.15, rng)
    found = fit(x, y, 4, 3)
    total = 0.0
    for xs, ys in zip(x, y, strict=True):
        types, mu, beyond = responses(np.round(xs, 3), 4, 3)
        types = np.where(xs.max() >= beyond, types, -1)
        log = response_log_probabilities(mu, 4, found.sigma)
        level = np.round(ys * 4).astype(int)
        by_function = [math.prod(math.exp(row[t, level[t]]) for t in range(5)) for row in log]
        chance = sum(
            share * np.mean([p for p, k in zip(by_function, types, strict=True) if k == TYPES.index(name)])
            for name, share in zip(found.types, found.shares, strict=True)
            if TYPES.index(name) in types
        )
        total += math.log(chance)
    assert found.log_likelihood == pytest.approx(total, abs=1e-9)


def test_em_finds_what_an_optimiser_finds(rng):
    from scipy.optimize import minimize

    x, y, _ = population([0.3, 0.2, 0.3, 0.1, 0.1], 60, 30, 10, 3, 0.12, rng)
    found = fit(x, y, 10, 3)

    def lost(theta):
        shares = np.exp(theta - theta.max())
        return -np.log(
            np.exp(found.by_type - found.by_type.max(1, keepdims=True)) @ (shares / shares.sum())
        ).sum()

    best = minimize(lost, np.zeros(5), method="BFGS").fun
    ours = lost(np.log(np.maximum(found.shares, 1e-12)))
    assert ours == pytest.approx(best, abs=1e-4)
    near = [fit_at_least(found, x, y, s) for s in (found.sigma * 0.97, found.sigma * 1.03)]
    assert max(near) <= found.log_likelihood + 1e-6


def fit_at_least(found, x, y, sigma):
    """Log-likelihood of the found shares at another error."""
    types, mu, beyond = responses(np.round(x.ravel(), 3), 10, 3)
    assert x.max(axis=1).min() >= beyond.max(), "all functions compete for all"
    log = response_log_probabilities(mu, 10, sigma)
    level = np.round(y.ravel() * 10).astype(int)
    each = log[:, np.arange(len(level)), level].reshape(len(mu), *x.shape).sum(axis=2)
    chance = sum(
        share * np.exp(each[types == TYPES.index(name)]).mean(axis=0)
        for name, share in zip(found.types, found.shares, strict=True)
    )
    return float(np.log(chance).sum())


@pytest.mark.parametrize(("units", "others", "sigma"), [(20, 3, 0.1), (1, 4, 0.4), (1, 2, 0.4)])
def test_known_shares_are_recovered(units, others, sigma, rng):
    x, y, kinds = population([0.3, 0.2, 0.3, 0.1, 0.1], 400, 12, units, others, sigma, rng)
    found = fit(x, y, units, others)
    assert found.shares == pytest.approx(np.bincount(kinds, minlength=5) / 400, abs=0.05)
    assert found.sigma == pytest.approx(sigma, rel=0.1)
    assert (found.posterior.argmax(axis=1) == kinds).mean() > 0.85


def test_arbitrary_play_is_other(rng):
    x = rng.random((30, 10))
    found = fit(x, rng.integers(0, 21, (30, 10)) / 20, 20, 3)
    assert dict(zip(found.types, found.shares, strict=True))["other"] > 0.95


def test_two_players_have_no_hump(rng):
    found = fit(rng.integers(0, 2, (5, 9)).astype(float), rng.integers(0, 2, (5, 9)).astype(float), 1, 1)
    assert "hump_shaped" not in found.types


def test_resampled_shares_of_equal_weights_are_the_estimate(rng):
    x, y, _ = population([0.4, 0.2, 0.4, 0, 0], 50, 8, 20, 3, 0.1, rng)
    found = fit(x, y, 20, 3)
    assert resampled_shares(found, np.ones((2, 50)))[1] == pytest.approx(found.shares, abs=1e-3)


def test_a_fall_that_nobody_could_see_is_none(rng):
    x = rng.integers(0, 5, (20, 10)) / 10
    found = fit(x, x, 10, 3)
    assert dict(zip(found.types, found.shares, strict=True))["conditional"] > 0.99


def test_what_the_play_does_not_tell_apart_is_named():
    # Among three who all always contribute, nobody shows what they would do alone.
    found = fit(np.ones((9, 8)), np.ones((9, 8)), 1, 2)
    assert found.ridge == (("unconditional", "conditional"),)


def test_nothing_to_fit():
    with pytest.raises(DataError, match="no contribution"):
        fit_contributors(np.empty(0), np.empty(0), np.empty(0, dtype=int), 20, 3)
