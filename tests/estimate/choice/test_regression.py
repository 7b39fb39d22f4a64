"""The logit against other libraries, finite differences and planted coefficients."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.optimize import approx_fprime

from intent.base.errors import DataError, UsageError
from intent.estimate.choice.choices import COOPERATION, Choices
from intent.estimate.choice.model import make_model
from intent.estimate.choice.regression import (
    START,
    Curvature,
    Logit,
    Problem,
    held_out_loss,
    minimised,
    objective,
)
from tests.estimate.choice.planted_choices import entropy, noisy_copy, played

WEAK = dict.fromkeys(START, 1e-3)


def some_rows(a: int, d: int = 300, p: int = 6, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Features with a column of ones, and moves that follow from them."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([np.ones(d), rng.normal(size=(d, p - 1))])
    eta = X @ rng.normal(size=(p, a))
    chosen = (eta + rng.gumbel(size=eta.shape)).argmax(1)
    return X, chosen


def problem_of(X: np.ndarray, chosen: np.ndarray, a: int, ridge: float) -> Problem:
    penalty = np.r_[0.0, np.full(X.shape[1] - 1, ridge)]
    return Problem(sparse.csr_matrix(X), np.eye(a)[chosen], penalty)


@pytest.mark.parametrize("ridge", [0.5, 5.0])
@pytest.mark.parametrize("a", [2, 3, 4])
def test_coefficients_are_those_of_scikit_learn(a: int, ridge: float) -> None:
    from sklearn.linear_model import LogisticRegression

    X, chosen = some_rows(a)
    beta, converged = minimised(problem_of(X, chosen, a, ridge))
    assert converged
    C = 1 / (ridge if a == 2 else 2 * ridge)
    theirs = LogisticRegression(C=C, tol=1e-10, max_iter=10_000).fit(X[:, 1:], chosen)
    full = np.column_stack([theirs.intercept_, theirs.coef_])
    expected = full.T if a == 2 else (full[1:] - full[0]).T
    np.testing.assert_allclose(beta, expected, atol=1e-5)


@pytest.mark.parametrize("a", [2, 3])
def test_gradient_is_that_of_finite_differences(a: int) -> None:
    X, chosen = some_rows(a, 40, 4)
    problem = problem_of(X, chosen, a, 0.7)
    at = np.random.default_rng(1).normal(size=(4, a - 1))
    value = lambda b: objective(problem, b.reshape(at.shape))[0]  # noqa: E731
    numeric = approx_fprime(at.ravel(), value, 1e-6)
    np.testing.assert_allclose(objective(problem, at)[1].ravel(), numeric, rtol=1e-4, atol=1e-3)


def test_counted_rows_are_the_rows_one_by_one() -> None:
    X, chosen = some_rows(2, 50, 3)
    one = minimised(problem_of(np.vstack([X, X]), np.r_[chosen, 1 - chosen], 2, 1.0))[0]
    counted = minimised(Problem(sparse.csr_matrix(X), np.ones((50, 2)), np.array([0.0, 1, 1])))[0]
    np.testing.assert_allclose(one, counted, atol=1e-6)


def some_games(n: int = 200, games: int = 2, seed: int = 0) -> Choices:
    """Players of some games each, some of whom cooperate more."""
    rng = np.random.default_rng(seed)
    lean = np.repeat(rng.normal(size=n // games), games)
    X = played(
        lambda own, other, t: 1 / (1 + np.exp(-(lean + (2 * other[:, -1] - 1 if t else 0)))), rng, (n, 6)
    )
    names = pd.DataFrame({"player": [f"player {i}" for i in np.arange(n) // games]})
    return Choices(X.own, X.other, X.chosen, COOPERATION, np.arange(n) // games, keys=names)


@pytest.mark.parametrize("actions", [2, 3])
def test_errors_are_those_by_cluster_of_statsmodels(actions: int) -> None:
    sm = pytest.importorskip("statsmodels.api")
    from intent.estimate.choice.features import Past

    X = some_games(900, 3)
    if actions == 3:
        rng = np.random.default_rng(1)
        own, other = (
            np.where((rng.random(X.shape) < 0.3) & (moves == 1), np.int8(2), moves)
            for moves in (X.own, X.other)
        )
        X = Choices(own, other, own, ("a", "b", "c"), X.subject)
    model = Logit(ridges=dict.fromkeys(START, 1e-9)).fit(X)
    past = Past.of(X)
    values = past.rows(slice(0, len(X)))[X.counted]
    at = np.nonzero(X.counted)[1]
    columns = {name: values[:, i] for i, name in enumerate(past.names)}
    columns |= {f"round {r}": (at == r - 1).astype(float) for r in range(3, 7)}
    columns["intercept"] = np.ones(len(at))
    table = np.column_stack([columns[feature] for _, feature, _ in model.names_]).astype(float)
    if np.linalg.matrix_rank(table) < table.shape[1]:
        pytest.fail("columns that follow from each other have no errors to compare")
    groups = X.subject[np.nonzero(X.counted)[0]]
    kind = sm.Logit if actions == 2 else sm.MNLogit
    kwds = {"groups": groups, "use_correction": False}
    theirs = kind(X.chosen[X.counted], table).fit(
        disp=0, method="newton", maxiter=100, cov_type="cluster", cov_kwds=kwds
    )
    s = len(np.unique(groups))
    np.testing.assert_allclose(model.beta_, np.reshape(theirs.params, model.beta_.shape), atol=1e-3)
    expected = np.reshape(theirs.bse, model.beta_.shape) * np.sqrt(s / (s - 1))
    np.testing.assert_allclose(model.errors_, expected, rtol=2e-3)


def planted(rng: np.random.Generator, n: int = 400, rounds: int = 8) -> Choices:
    """Log odds -.5 + 1.5 (other C 1 ago) + .8 (own C 1 ago) + .6 size."""
    size = rng.normal(size=n)
    size = (size - size.mean()) / size.std()

    def rule(own: np.ndarray, other: np.ndarray, t: int) -> np.ndarray:
        eta = -0.5 + 0.6 * size + (1.5 * other[:, -1] + 0.8 * own[:, -1] if t else 0)
        return 1 / (1 + np.exp(-eta))

    return played(rule, rng, (n, rounds), pd.DataFrame({"size": size}))


TRUTH = {("other C 1 ago", ""): 1.5, ("own C 1 ago", ""): 0.8, ("intercept", "size"): 0.6}
"""What `planted` follows; every other coefficient but the intercept is zero."""


def inside(model: Logit) -> np.ndarray:
    """Whether each interval of 95 % covers what was planted."""
    rows = [p for p in model.parameters() if (p.name, p.of) != ("intercept", "")]
    value, se = (np.array([getattr(p, key) for p in rows], dtype=float) for key in ("value", "se"))
    truth = np.array([TRUTH.get((p.name, p.of), 0.0) for p in rows])
    return np.abs(value - truth) < 1.96 * se


def test_planted_coefficients_come_back() -> None:
    model = Logit(ridges=WEAK).fit(planted(np.random.default_rng(0), 4000))
    shown = {(p.name, p.of): p for p in model.parameters()}
    for key, value in TRUTH.items():
        se = shown[key].se
        assert se is not None
        assert se < 0.25
        assert abs(shown[key].value - value) < 3 * se
        assert shown[key].unit == "log odds"


@pytest.mark.slow
def test_intervals_cover_what_was_planted() -> None:
    covered = [inside(Logit(ridges=WEAK).fit(planted(np.random.default_rng([1, i])))) for i in range(60)]
    assert 0.92 < np.concatenate(covered).mean() < 0.98


def test_loss_comes_near_that_of_the_rule() -> None:
    rng = np.random.default_rng(3)
    model = make_model("logit").fit(played(noisy_copy(0.1), rng, (1500, 10)))
    test = played(noisy_copy(0.1), rng, (1500, 10))
    made = np.where(test.own == 1, *(model.next_move(test)[..., a] for a in (1, 0)))
    rule = np.where(np.roll(test.other, 1, axis=1) == 1, 0.9, 0.1)
    rule[:, 0] = 0.9
    exact = np.where(test.own == 1, rule, 1 - rule)
    assert -np.log(made).mean() == pytest.approx(-np.log(exact).mean(), abs=0.01)
    assert -np.log(exact).mean() == pytest.approx(entropy(0.1), abs=0.02)


def by_setting(seed: int = 0, n: int = 400) -> Choices:
    """Copiers in two settings, contrarians in the other two."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"model": rng.choice(["a", "b"], n), "persona": rng.choice(["kind", "harsh"], n)})
    same = ((frame["model"] == "a") == (frame["persona"] == "kind")).to_numpy()

    def rule(own: np.ndarray, other: np.ndarray, t: int) -> np.ndarray:
        meant = (other[:, -1] == 1) == same if t else same
        return np.where(meant, 0.9, 0.1)

    return played(rule, rng, (n, 8), frame)


def test_settings_have_responses_of_their_own() -> None:
    X, test = by_setting(), by_setting(1)
    plain, own = make_model("logit").fit(X), make_model("logit-settings").fit(X)
    assert plain.score(test) < own.score(test) - 0.15
    assert own.score(test) > -entropy(0.1) - 0.02
    names = {(p.name, p.of) for p in own.parameters()}
    assert ("after CD", "model=a") in names
    assert ("after CD", "a kind") in names


def test_a_setting_that_was_not_met_is_predicted() -> None:
    X = by_setting()
    new = X[:4]
    frame = pd.DataFrame({"model": ["c"] * 4, "persona": ["kind"] * 4})
    new = Choices(new.own, new.other, new.chosen, X.actions, new.subject, frame)
    assert np.isfinite(make_model("logit-settings").fit(X).next_move(new)).all()


def test_slopes_of_ridges_are_those_of_finite_differences() -> None:
    rng = np.random.default_rng(2)
    train, out = (
        Problem(sparse.csr_matrix(rng.normal(size=(80, 6))), rng.integers(0, 4, (80, 3)) * 1.0, np.zeros(6))
        for _ in "ab"
    )
    groups = [np.arange(6) < 2, np.arange(6) >= 2]

    def at(steps: np.ndarray) -> tuple[float, np.ndarray]:
        ridge = np.where(groups[0], *(np.exp(steps) * (3.0, 8.0)))
        curve = Curvature.of(train._replace(ridge=ridge))
        return held_out_loss(curve, out, groups, tolerance=1e-12, relative=1e-10)[:2]

    near = [(at(h)[0] - at(-h)[0]) / 2e-4 for h in 1e-4 * np.eye(2)]
    np.testing.assert_allclose(at(np.zeros(2))[1], near, rtol=1e-4)


def test_ridges_are_moved_to_where_subjects_left_out_are_predicted_better() -> None:
    X, test = by_setting(n=120), by_setting(1)
    chosen = make_model("logit-settings").fit(X)
    assert chosen.ridges_ != {kind: START[kind] for kind in chosen.ridges_}
    assert chosen.score(test) > Logit(settings=True, ridges=START).fit(X).score(test)


def test_players_by_name_have_intercepts_and_new_ones_have_none() -> None:
    X = some_games()
    model = Logit(players=True).fit(X)
    own = {p.of: p.value for p in model.parameters() if p.of.startswith("player")}
    assert len(own) == 100
    odds = []
    for name in ("player 0", "nobody"):
        row = X[:1]
        named = pd.DataFrame({"player": [name]})
        p = model.next_move(Choices(row.own, row.other, row.chosen, X.actions, row.subject, keys=named))
        odds.append(np.log(p[0, 0, 1] / p[0, 0, 0]))
    assert odds[0] - odds[1] == pytest.approx(own["player 0"])
    rates = [X.own[X.subject == i].mean() for i in range(100)]
    assert np.corrcoef([own[f"player {i}"] for i in range(100)], rates)[0, 1] > 0.5


def test_a_covariate_that_separates_stays_finite_and_a_note_says_so() -> None:
    X = planted(np.random.default_rng(5), 100)
    word = pd.DataFrame({"word": np.where(np.arange(100) < 50, "yes", "no")})
    own = np.repeat((np.arange(100) < 50)[:, None], 8, axis=1).astype(np.int8)
    model = make_model("logit").fit(Choices(own, X.other, own, X.actions, X.subject, word))
    assert np.isfinite(model.beta_).all()
    assert any("covariate 'word' tells every move" in note for note in model.notes_)


def test_one_action_is_one_line() -> None:
    X = planted(np.random.default_rng(5), 20)
    ones = np.ones_like(X.own)
    with pytest.raises(DataError, match="all 160 moves are 'cooperate'"):
        make_model("logit").fit(Choices(ones, X.other, ones, X.actions, X.subject))


def test_covariates_cannot_act_on_memberships() -> None:
    with pytest.raises(UsageError, match="no types"):
        make_model("logit@membership").fit(planted(np.random.default_rng(5), 20))


def test_ridges_of_no_kind_are_refused() -> None:
    with pytest.raises(UsageError, match="expected numbers from 0 of past"):
        Logit(ridges={"pest": 1.0}).fit(planted(np.random.default_rng(5), 20))


def test_few_moves_of_many_are_learned_from_and_a_note_says_so() -> None:
    model = Logit(most_moves=400, ridges=WEAK).fit(planted(np.random.default_rng(5)))
    assert model.notes_ == ["learned from 400 of 3,200 moves, of subjects drawn at random"]


def test_what_stands_out_is_read_first() -> None:
    shown = Logit(ridges=WEAK).fit(planted(np.random.default_rng(0), 4000)).parameters()
    assert shown[0].name == "intercept"
    assert {(p.name, p.of) for p in shown[1:4]} == set(TRUTH)


def test_the_same_state_gives_the_same_estimates() -> None:
    X = planted(np.random.default_rng(5), 100)
    one, two = (make_model("logit", random_state=3).fit(X) for _ in range(2))
    np.testing.assert_array_equal(one.beta_, two.beta_)


def test_stored_columns_that_there_are_not_are_refused() -> None:
    X = planted(np.random.default_rng(5), 100)
    state, files = make_model("logit").fit(X).to_state()
    model = make_model("logit")
    model.actions_ = X.actions
    for change in ({"used": [*state["used"][:-1], 10_000]}, {"beta": state["beta"][1:]}, {"rounds": -1}):
        with pytest.raises(DataError, match="expected"):
            model.from_state({**state, **change}, files)
