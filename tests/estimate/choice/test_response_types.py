"""Starts of EM that climb together, as one after another; derivatives by finite differences."""

from __future__ import annotations

import numpy as np
import pytest

import intent.estimate.choice.response_types as response_types
from intent.estimate.choice.membership import Membership
from intent.estimate.choice.response_types import (
    Design,
    Evidence,
    Mixed,
    climb,
    climb_together,
    evidence,
    observed_information,
    penalised_score,
    posterior,
)


def small(seed=0, *, shift=0, columns=0, actions=2, owner=None, tied=None, types=3):
    """Evidence of random play with covariates, and parameters somewhere."""
    rng = np.random.default_rng(seed)
    n, rounds, cells = 14, 5, 4
    cell = rng.integers(0, cells, (n, rounds))
    chosen = rng.integers(0, actions, (n, rounds)).astype(np.int8)
    chosen[rng.random((n, rounds)) < 0.1] = -1
    design = np.hstack([np.ones((n, 1)), rng.integers(0, 2, (n, columns))])
    e = evidence(
        cell,
        chosen,
        np.arange(n),
        Design(design, rng.integers(0, 2, (n, shift)).astype(float), 0.7),
        n_cells=cells,
        n_actions=actions,
        owner=owner,
        tied=tied,
    )
    b = rng.normal(size=(1 + columns, types))
    move = np.concatenate([np.zeros((shift, 1)), rng.normal(size=(shift, actions - 1))], axis=1)
    p = e.joined(rng.dirichlet(np.ones(actions) * 3, size=(1, types, cells)))[0]
    mixed = Mixed(p / p.sum(2, keepdims=True), Membership(b - b[:, :1]), move)
    return e, mixed, rng.uniform(0.2, 1, (cells, actions))


KINDS = [
    {},
    {"columns": 2},
    {"shift": 2},
    {"columns": 1, "shift": 2, "actions": 3},
    {"owner": np.array([0, 1, 1, 2]), "columns": 1},
    {"owner": np.array([0, 1, 1, 2]), "shift": 1},
    {"owner": np.array([0, 1, 1, 2]), "tied": np.array([5, 5, 9, 5]), "columns": 1},
    {"owner": np.array([0, 1, 1, 2]), "tied": np.array([5, 5, 9, 5]), "shift": 2, "actions": 3},
]
kinds = pytest.mark.parametrize("kind", KINDS, ids=range(len(KINDS)))


def moved(e: Evidence, mixed: Mixed, step):
    """Parameters after a step in the coordinates of `penalised_score`."""
    k, _, a = mixed.responses.shape
    n_member = (k - 1) * e.design.shape[1]
    b = mixed.membership.coefficients.copy()
    b[:, 1:] += step[:n_member].reshape(k - 1, -1).T
    at = e.places(k)
    eta = np.log(mixed.responses)
    end = n_member + (int(at.max()) + 1) * (a - 1)
    eta[at >= 0, 1:] += step[n_member:end].reshape(-1, a - 1)[at[at >= 0]]
    p = np.exp(eta)
    shift = mixed.shift.copy()
    shift[:, 1:] += step[end:].reshape(-1, a - 1)
    return Mixed(p / p.sum(2, keepdims=True), Membership(b), shift)


@kinds
def test_score_and_information_are_the_differences_of_what_em_raises(kind):
    e, mixed, pseudo = small(**kind)
    score, information = penalised_score(e, mixed, pseudo), observed_information(e, mixed, pseudo)
    h = 1e-5
    for j, unit in enumerate(np.eye(len(score))):
        up, down = moved(e, mixed, h * unit), moved(e, mixed, -h * unit)
        values = [climb(e, m, pseudo, n_iter=0, tol=0).value for m in (up, down)]
        assert score[j] == pytest.approx((values[0] - values[1]) / (2 * h), abs=1e-6)
        slopes = [penalised_score(e, m, pseudo) for m in (up, down)]
        np.testing.assert_allclose(information[j], (slopes[1] - slopes[0]) / (2 * h), atol=1e-6)


@kinds
def test_em_never_lowers_what_it_raises_and_ends_where_the_score_is_zero(kind):
    e, mixed, pseudo = small(**kind)
    fit = climb(e, mixed, pseudo, n_iter=20_000, tol=1e-13)
    assert np.diff(fit.path).min() > -1e-9
    assert np.abs(penalised_score(e, fit.mixed, pseudo)).max() < 1e-3


def same_ends(together, alone):
    assert len(together) == len(alone)
    for a, b in zip(together, alone, strict=True):
        assert a.converged == b.converged
        np.testing.assert_allclose(a.path, b.path, rtol=0, atol=1e-10)
        for one, other in zip(parts(a.mixed), parts(b.mixed), strict=True):
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-10)


def parts(mixed):
    return mixed.responses, mixed.membership.coefficients, mixed.shift


def starts(n, **kind):
    return [small(seed, **kind)[1] for seed in range(n)]


@kinds
@pytest.mark.parametrize("at_once", [None, 2], ids=["all at once", "two at a time"])
def test_starts_that_climb_together_end_as_one_by_one(kind, at_once, monkeypatch):
    e, _, pseudo = small(seed=11, **kind)
    several = starts(7, **kind)
    alone = [climb(e, start, pseudo, n_iter=60, tol=1e-3) for start in several]
    assert len({len(end.path) for end in alone}) > 1  # some end before others
    if at_once:
        monkeypatch.setattr(response_types, "_at_once", lambda e, starts: at_once)
    same_ends(climb_together(e, several, pseudo, n_iter=60, tol=1e-3), alone)


def test_no_start_ends_nowhere():
    e, _, pseudo = small()
    assert climb_together(e, [], pseudo, n_iter=3, tol=0.0) == []


@kinds
def test_log_likelihood_is_the_sum_over_moves_and_types(kind):
    e, _, _ = small(seed=2, **kind)
    several = starts(3, **kind)
    r, each = posterior(e, Mixed.stacked(several))
    for s, mixed in enumerate(several):
        k, _, a = mixed.responses.shape
        owned, counts = e.owned(k), e.counts.toarray().reshape(len(e.weights), -1, a)
        for i in range(len(e.weights)):
            share = np.exp(e.design[e.group[i]] @ mixed.membership.coefficients)
            joint = share / share.sum()
            for t in range(k):
                for q, cell in enumerate(e.cell):
                    p = mixed.responses[t, cell] * np.exp(e.shift[q] @ mixed.shift)
                    joint[t] *= np.prod((p / p.sum()) ** counts[i, q]) if owned[t, cell] else 1.0
            assert each[s, i] == pytest.approx(np.log(joint.sum()), abs=1e-10)
            np.testing.assert_allclose(r[s, i], joint / joint.sum(), atol=1e-10)


def test_a_step_that_overshoots_is_halved_for_its_start_alone(monkeypatch):
    kind = {"shift": 4, "actions": 3}
    e, _, pseudo = small(seed=3, **kind)
    calm, sure = starts(5, **kind)[::4]
    sharp = sure.responses**6
    sure = Mixed(sharp / sharp.sum(2, keepdims=True), sure.membership, 0 * sure.shift)

    def ends():
        return climb_together(e, [calm, sure], 1e-4 * pseudo, n_iter=12, tol=0.0)

    halved = ends()
    same_ends(halved, [climb(e, start, 1e-4 * pseudo, n_iter=12, tol=0.0) for start in (calm, sure)])
    assert min(np.diff(end.path).min() for end in halved) > -1e-9
    monkeypatch.setattr(response_types, "_HALVINGS", 1)
    whole = ends()
    np.testing.assert_allclose(whole[0].path, halved[0].path, rtol=0, atol=1e-10)
    assert np.abs(whole[1].path[:11] - halved[1].path[:11]).max() > 0.1


def logit_case(seed, *, own=0, apart=False):
    """A design, several memberships of three types, and how many subjects of each row are of each type."""
    rng = np.random.default_rng(seed)
    head = np.hstack([np.ones((30, 1)), rng.integers(0, 2, (30, 2)).astype(float)])
    design = np.hstack([head, np.eye(own)[rng.integers(0, own, 30)]]) if own else head
    r = rng.dirichlet(np.ones(3), size=(5, 30)) * 4
    if apart:
        r[1:3] = 4 * np.eye(3)[head[:, 1].astype(int)]
    b = rng.normal(size=(5, design.shape[1], 3))
    ridge = np.r_[0.0, np.full(design.shape[1] - 1, 0.0 if apart else 0.5)]
    return design, Membership(b - b[..., :1]), r, ridge


@pytest.mark.parametrize("steps", [1, 20])
@pytest.mark.parametrize(
    "case", [{}, {"own": 24}, {"apart": True}], ids=["levels", "combinations", "types apart"]
)
def test_memberships_are_maximised_together_as_one_by_one(case, steps):
    design, several, r, ridge = logit_case(4, **case)
    together = several.maximised(design, r, ridge, steps=steps)
    for b, counts, end in zip(several.coefficients, r, together.coefficients, strict=True):
        alone = Membership(b).maximised(design, counts, ridge, steps=steps)
        np.testing.assert_allclose(end, alone.coefficients, rtol=1e-10, atol=1e-10)
        assert alone.objective(design, counts, ridge) >= Membership(b).objective(design, counts, ridge)


def test_types_that_a_covariate_separates_stay_finite_together():
    design, several, r, ridge = logit_case(5, apart=True)
    b = several.maximised(design, r, ridge, steps=200).coefficients
    assert np.isfinite(b).all()
    assert np.abs(b[1:3]).max() > 12 > np.abs(b[[0, 3, 4]]).max()
