"""Types with free response against direct summation, finite differences, separate fits and planted types."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from intent.base.errors import DataError, UsageError
from intent.estimate.choice.choices import COOPERATION, Choices
from intent.estimate.choice.free import FreeResponse, situations
from intent.estimate.choice.membership import Membership
from intent.estimate.choice.model import make_model
from intent.estimate.choice.response_types import (
    Design,
    Mixed,
    climb,
    climb_together,
    evidence,
    fit_types,
    log_likelihoods,
    posterior,
)


def planted(n, p, shares, rounds=10, seed=0, games=1):
    """Subjects of types with P(C) after start, CC, CD, DC, DD against coins."""
    rng = np.random.default_rng(seed)
    kind = rng.choice(len(shares), size=n, p=shares)
    row = np.repeat(kind, games)
    other = rng.integers(0, 2, (n * games, rounds)).astype(np.int8)
    own = np.zeros_like(other)
    situation = np.zeros(n * games, dtype=int)
    for t in range(rounds):
        own[:, t] = rng.random(len(row)) < np.asarray(p)[row, situation]
        situation = 4 - 2 * own[:, t] - other[:, t]
    return Choices(own, other, own, COOPERATION, np.repeat(np.arange(n), games)), kind


TWO = [[0.9, 0.95, 0.15, 0.9, 0.1], [0.2, 0.3, 0.1, 0.4, 0.15]]


@pytest.mark.parametrize("memory", [1, 2])
def test_likelihood_and_next_move_are_sums_over_types(memory):
    X, _ = planted(40, TWO, [0.5, 0.5], rounds=5, games=2)
    own = X.own.copy()
    own[3, 1] = -1
    X = replace(X, own=own, chosen=np.where(own < 0, np.int8(-1), X.chosen))
    model = make_model(f"memory-{'one' if memory == 1 else 'two'}:3", random_state=1).fit(X)
    at, p = situations(X, memory), model.next_move(X)[..., 1]
    shares, total = model.shares_, 0.0
    for subject in range(40):
        weight = shares.copy()
        for i, t in itertools.product(np.flatnonzero(X.subject == subject), range(5)):
            cooperates = model.responses_[:, at[i, t], 1]
            assert p[i, t] == pytest.approx(weight @ cooperates / weight.sum())
            if X.chosen[i, t] >= 0:
                weight = weight * np.where(X.chosen[i, t] == 1, cooperates, 1 - cooperates)
        np.testing.assert_allclose(model.memberships(X)[2 * subject + 1], weight / weight.sum())
        total += np.log(weight.sum())
    assert model.log_likelihood_ == pytest.approx(total)


def test_situations_of_one_and_two_rounds():
    own = np.array([[1, 0, 1, -1, 1]], dtype=np.int8)
    other = np.array([[1, 1, 0, 0, 0]], dtype=np.int8)
    X = Choices(own, other, own, COOPERATION, np.zeros(1, dtype=np.intp))
    assert situations(X, 1).tolist() == [[0, 1, 3, 2, 5]]
    assert situations(X, 2).tolist() == [[0, 1, 5 + 2, 5 + 8 + 1, 21]]


def test_a_type_plays_as_its_table_says():
    X, _ = planted(300, TWO, [0.6, 0.4])
    model = make_model("memory-two:1", random_state=0).fit(X)
    (only,) = model.types()
    p, after = only.strategy.arrays()
    at, state = situations(X, 2), np.zeros(len(X), dtype=int)
    for t in range(X.shape[1]):
        np.testing.assert_array_equal(state, at[:, t])
        np.testing.assert_allclose(p[state], model.next_move(X)[:, t, 1])
        state = after[state, 3 - 2 * X.own[:, t] - X.other[:, t]]


def test_planted_types_are_met_again_within_their_errors():
    X, _ = planted(1500, TWO, [0.7, 0.3], seed=4)
    model = make_model("memory-one:2", random_state=0).fit(X)
    assert abs(model.shares_[0] - 0.7) < 4 * model.share_se_[0]
    away = (model.responses_[:, :5, 1] - TWO) / model.response_se_[:, :5, 1]
    assert np.abs(away).max() < 4
    assert [t.name[:6] for t in model.types()] == ["type 1", "type 2"]
    assert model.types()[0].name.startswith("type 1 (TFT")


def test_a_number_of_types_is_chosen_where_none_is_said():
    X, _ = planted(400, TWO, [0.5, 0.5], seed=2)
    assert len(FreeResponse(random_state=0).fit(X).shares_) >= 2
    coin = planted(300, [[0.5] * 5], [1.0], seed=2)[0]
    assert len(FreeResponse(random_state=0).fit(coin).shares_) == 1


def test_saturated_membership_is_the_separate_shares():
    rng = np.random.default_rng(3)
    X, _ = planted(400, TWO, [0.5, 0.5], seed=5)
    group = rng.integers(0, 3, 400)
    cells = situations(X, 1)
    design = np.hstack([np.ones((400, 1)), group[:, None] == np.arange(3)]).astype(float)
    p = np.concatenate([TWO, [[0.5], [0.5]]], axis=1)
    fixed = np.stack([1 - p, p], axis=2)

    def shares(rows, columns):
        e = evidence(
            cells[rows],
            X.chosen[rows],
            np.arange(len(rows)),
            Design(columns[rows], np.zeros((len(rows), 0)), 1e-9),
            n_cells=6,
            n_actions=2,
        )
        membership = Membership.of_shares(np.full(2, 0.5), columns.shape[1] - 1)
        for _ in range(400):
            r, _ = posterior(e, Mixed(fixed, membership, np.zeros((0, 2))))
            membership = membership.maximised(e.design, e.by_group(r * e.weights[:, None]), e.ridge)
        return membership

    membership = shares(np.arange(400), design)
    for g in range(3):
        alone = shares(np.flatnonzero(group == g), np.ones((400, 1)))
        row = np.r_[1.0, np.arange(3) == g][None]
        np.testing.assert_allclose(membership.log_shares(row), alone.log_shares(np.ones((1, 1))), atol=1e-5)


def test_a_shift_of_the_response_is_met_again():
    rng = np.random.default_rng(0)
    n = 1200
    kind = rng.random(n) < 0.5
    own = (rng.random((n, 8)) < np.where(kind, 0.7, 0.4)[:, None]).astype(np.int8)
    X = Choices(own, own[::-1], own, COOPERATION, np.arange(n), pd.DataFrame({"x": np.where(kind, "b", "a")}))
    model = make_model("memory-one:1@response", random_state=0, ridge=1e-3).fit(X)
    b = {q.of: q.value for q in model.parameters() if q.name == "shift"}
    truth = np.log(0.7 / 0.3) - np.log(0.4 / 0.6)
    assert b["x=b"] - b["x=a"] == pytest.approx(truth, abs=0.15)


def test_a_covariate_that_separates_is_a_note():
    X, kind = planted(600, [[0.98] * 5, [0.02] * 5], [0.5, 0.5])
    X = replace(X, covariates=pd.DataFrame({"x": np.where(kind == 0, "a", "b")}))
    model = make_model("memory-one:2", random_state=0, ridge=1e-6).fit(X)
    assert any("separates membership" in note for note in model.notes_)
    assert np.isfinite(model.next_move(X)).all()


RULES = [[1, 1, 0, 1, 0], [0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [1, 1, 0, 0, 1]]
SIX = [*RULES, [0, 1, 0, 1, 0], [1, 1, 0, 0, 0]]


def grouped(n, rules, groups, tremble=0.0, seed=0):
    """Subjects who follow rules against subjects who do, and a covariate: the group of the subject's rule."""
    rng = np.random.default_rng(seed)
    p = np.clip(np.array(rules, dtype=float), tremble, 1 - tremble)
    kinds = rng.integers(len(p), size=(2, n))
    moves = np.zeros((2, n, 10), dtype=np.int8)
    situation = np.zeros((2, n), dtype=int)
    for t in range(10):
        moves[:, :, t] = rng.random((2, n)) < p[kinds, situation]
        situation = 4 - 2 * moves[:, :, t] - moves[::-1, :, t]
    table = pd.DataFrame({"g": np.array(groups)[kinds[0]].astype(str)})
    return Choices(moves[0], moves[1], moves[0], COOPERATION, np.arange(n), table), kinds[0]


def raised(model, e, mixed):
    return climb(e, mixed, model._pseudo(e), n_iter=0, tol=0.0).value


def best_of_random_starts(model, e, k, n_starts=30, seed=1):
    """The highest value of EM with covariates from responses and memberships at random."""
    rng = np.random.default_rng(seed)
    starts = []
    for _ in range(n_starts):
        p = rng.dirichlet(np.ones(e.n_actions), size=(k, e.n_cells)) * 0.98 + 0.01
        b = np.zeros((e.design.shape[1], k))
        b[:, 1:] = rng.normal(0, 1.5, b[:, 1:].shape)
        starts.append(Mixed(p, Membership(b), np.zeros((e.shift.shape[1], e.n_actions))))
    ends = climb_together(e, starts, model._pseudo(e), n_iter=400, tol=1e-5)
    return max(end.value for end in ends)


@pytest.mark.parametrize(
    ("rules", "groups", "tremble", "model"),
    [
        pytest.param(RULES[:2], [0, 1], 0.0, "2", id="perfect covariate, perfect play"),
        pytest.param(RULES, [0, 1, 2, 3], 0.0, "4", id="four of them"),
        pytest.param(RULES, [0, 1, 0, 1], 0.05, "2", id="two rules in each group"),
        pytest.param(RULES, [0, 0, 0, 0], 0.0, "4", id="no covariate tells"),
        pytest.param(SIX, [0, 0, 1, 1, 2, 2], 0.05, "3@both", id="two rules in each of three groups"),
        pytest.param(RULES, [0, 1, 2, 3], 0.0, "4@both", id="four that shift"),
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_no_random_start_with_covariates_ends_higher(rules, groups, tremble, model, seed):
    X, _ = grouped(60, rules, groups, tremble, seed)
    model = make_model(f"memory-one:{model}", random_state=0, errors="none").fit(X)
    e = model._evidence(X)
    reached = raised(model, e, Mixed(model.responses_, model.membership_, model.shift_))
    assert reached > best_of_random_starts(model, e, len(model.shares_)) - 0.05


def test_rules_that_a_covariate_tells_are_met_again():
    X, kind = grouped(60, RULES, [0, 1, 2, 3])
    model = make_model("memory-one:4", random_state=0, ridge=0.01).fit(X)
    of_rule = np.array([model.memberships(X)[kind == rule].mean(0) for rule in range(4)])
    assert sorted(of_rule.argmax(1)) == [0, 1, 2, 3]
    assert of_rule.max(1).min() > 0.9


def test_a_covariate_that_is_the_same_for_all_changes_nothing():
    X, _ = planted(80, TWO, [0.5, 0.5])
    constant = replace(X, covariates=pd.DataFrame({"g": ["a"] * len(X)}))
    with_it, without = (make_model("memory-one:2", random_state=0).fit(x) for x in (constant, X))
    assert with_it.log_likelihood_ == pytest.approx(without.log_likelihood_, abs=1e-3)


def test_types_that_are_alike_or_of_nobody_are_a_note():
    X, _ = grouped(60, RULES[:2], [0, 1])
    one_would_do = make_model("memory-one:2", random_state=0).fit(replace(X, covariates=None))
    assert "2 types, of which 1 different: fewer types fit this play as well" in one_would_do.notes_
    told = make_model("memory-one:2", random_state=0).fit(X)
    assert not any("of which" in note for note in told.notes_)


@pytest.mark.parametrize(
    ("reached", "followed", "noted"), [(6, 6, 0), (4, 6, 0), (3, 6, 1), (1, 6, 1), (1, 1, 0)]
)
def test_few_starts_at_the_best_value_are_a_note(reached, followed, noted):
    X, _ = planted(60, TWO, [0.5, 0.5])
    model = FreeResponse(n_types=2, random_state=0, errors="none").fit(X)
    assert not any("starts" in note for note in model.notes_)
    e = model._evidence(X)
    fit = fit_types(e, 2, model._pseudo(e), n_starts=3, n_iter=50, tol=1e-6, rng=np.random.default_rng(0))
    assert fit.agreement == (3, 3)
    model.notes_ = []
    model._describe(e, replace(fit, agreement=(reached, followed)), X)
    words = f"{reached} of the {followed} starts that were followed ended at the best value"
    assert sum(note.startswith(words) for note in model.notes_) == noted


def test_a_seed_decides_where_the_search_begins_and_ends():
    X, _ = grouped(60, RULES, [0, 1, 0, 1], 0.05)
    one, again = (make_model("memory-one:3", random_state=4, errors="none").fit(X) for _ in range(2))
    assert one.log_likelihood_ == again.log_likelihood_
    np.testing.assert_array_equal(one.responses_, again.responses_)


def test_what_does_not_converge_says_so():
    X, _ = planted(200, TWO, [0.5, 0.5])
    assert "did not converge in 1 iterations" in make_model("memory-two:4", n_iter=1).fit(X).notes_


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_types": 0}, "0 types"),
        ({"memory": 3}, "1 or 2"),
        ({"acts": "all"}, "act on"),
        ({"tol": -1}, "tol is"),
    ],
)
def test_settings_that_make_no_sense_are_one_line(settings, words):
    with pytest.raises(UsageError, match=words):
        FreeResponse(**settings).fit(planted(20, TWO, [0.5, 0.5])[0])


def test_a_state_that_was_tampered_with_is_refused():
    X, _ = planted(60, TWO, [0.5, 0.5])
    model = make_model("memory-one:2", random_state=0).fit(X)
    state, files = model.to_state()
    state["responses_"][0][0] = [2.0, -1.0]
    with pytest.raises(DataError, match="do not fit"):
        model.from_state(state, files)


def test_like_subjects_are_one_pattern():
    X, _ = planted(500, TWO, [0.5, 0.5], rounds=3)
    e = make_model("memory-one:2", random_state=0)
    e.fit(X)
    counted = e._evidence(X)
    assert len(counted.weights) < 300
    assert counted.weights.sum() == 500
    assert log_likelihoods(counted, Mixed(e.responses_, e.membership_, e.shift_)).shape == (
        len(counted.weights),
        2,
    )
