"""Quantal responses and levels of reasoning against closed forms, bisection and planted play."""

from __future__ import annotations

import math

import numpy as np
import pytest

from intent.base.errors import DataError, UsageError
from intent.estimate.choice.choices import Choices
from intent.estimate.choice.model import make_model
from intent.estimate.choice.stage import Branch, LevelK, Quantal, _LevelLikelihood, level_payoffs

PENNIES = np.array([[4.0, 0.0], [0.0, 1.0]])
"""Matching pennies with a larger prize for one match: equilibrium 1/2 for the matcher, 1/5 for the other."""
RPS = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def fixed_points(own: np.ndarray, other: np.ndarray, precision: float) -> list[float]:
    """All probabilities of the own second action in equilibrium: every change of sign, by bisection."""

    def gap(p: float) -> float:
        gain = (1 - p) * (other[0, 1] - other[0, 0]) + p * (other[1, 1] - other[1, 0])
        q = sigmoid(precision * gain)
        back = (1 - q) * (own[1, 0] - own[0, 0]) + q * (own[1, 1] - own[0, 1])
        return p - sigmoid(precision * back)

    grid = np.concatenate([np.logspace(-12, -2, 400), np.linspace(0.01, 0.99, 4001)])
    grid = np.unique(np.r_[0.0, grid, 1 - grid, 1.0])
    values = [gap(float(p)) for p in grid]
    roots = []
    for i in range(len(grid) - 1):
        low, high = float(grid[i]), float(grid[i + 1])
        if values[i] < 0 <= values[i + 1] or values[i] >= 0 > values[i + 1]:
            for _ in range(200):
                middle = (low + high) / 2
                low, high = (middle, high) if (gap(middle) < 0) == (values[i] < 0) else (low, middle)
            roots.append((low + high) / 2)
    return roots


@pytest.mark.parametrize("seed", range(40))
def test_responses_of_random_games_solve_the_equation_and_are_the_only_one_where_there_is_one(
    seed: int,
) -> None:
    own, other = np.random.default_rng(seed).random((2, 2, 2))
    branch = Branch.trace(own, other)
    for precision in (0.5, 3.0, 20.0, 150.0):
        p = branch.play(precision)[0][1]
        roots = fixed_points(own, other, precision)
        assert min(abs(p - r) for r in roots) < 1e-8
        if precision == 0.5:
            assert len(roots) == 1


def test_without_precision_all_actions_are_alike() -> None:
    for own in (PENNIES, RPS, np.arange(9.0).reshape(3, 3)):
        p, q = Branch.trace(own, own.T).play(0.0)
        np.testing.assert_allclose(p, 1 / len(own))
        np.testing.assert_allclose(q, 1 / len(own))


def test_great_precision_plays_the_equilibrium() -> None:
    p, q = Branch.trace(PENNIES, 1 - np.eye(2), 2000).play(2000.0)
    np.testing.assert_allclose(p, [0.5, 0.5], atol=2e-3)
    np.testing.assert_allclose(q, [0.2, 0.8], atol=2e-3)
    dilemma = np.array([[0.2, 1.0], [0.0, 0.6]])
    assert Branch.trace(dilemma, dilemma.T).play(100.0)[0][0] > 0.9999


def test_among_two_equilibria_it_comes_to_that_which_risk_selects() -> None:
    stag = np.array([[0.7, 0.7], [0.0, 1.0]])  # .7 beats half of 1: hare is risk dominant (Turocy 2005)
    assert Branch.trace(stag, stag.T).play(100.0)[0][0] > 0.9999
    stag[0] = 0.3
    assert Branch.trace(stag, stag.T).play(100.0)[0][1] > 0.9999


def test_rock_paper_scissors_stays_uniform_and_a_weighted_one_goes_to_its_equilibrium() -> None:
    for precision in (1.0, 50.0):
        np.testing.assert_allclose(Branch.trace(RPS, RPS.T).play(precision)[0], 1 / 3, atol=1e-9)
    weighted = np.array([[0.0, -1.0, 2.0], [1.0, 0.0, -1.0], [-2.0, 1.0, 0.0]])
    p, _ = Branch.trace(weighted, weighted.T, 500).play(500.0)
    np.testing.assert_allclose(p, [0.25, 0.5, 0.25], atol=3e-3)


def test_dominance_has_a_closed_form() -> None:
    additive = np.array([[0.4, 1.0], [0.0, 0.6]])  # cooperation costs .4 whatever the other does
    for precision in (0.3, 2.0, 9.0):
        p = Branch.trace(additive, additive.T).play(precision)[0]
        assert p[1] == pytest.approx(sigmoid(-0.4 * precision), rel=1e-10)


def test_slopes_by_precision_are_finite_differences() -> None:
    own, other = np.random.default_rng(7).random((2, 3, 3))
    branch = Branch.trace(own, other)
    for precision in (0.4, 4.0, 40.0):
        step = 1e-5
        slope = (branch.at(precision + step)[0] - branch.at(precision - step)[0]) / (2 * step)
        np.testing.assert_allclose(branch.at(precision)[1], slope, rtol=1e-5, atol=1e-7)


def several(n: int, rounds: int, games: int, seed: int, actions: int = 3) -> Choices:
    """Play to be filled in: each subject in all of some random games of two roles."""
    rng = np.random.default_rng(seed)
    own, other = rng.integers(0, 10, (2, games, actions, actions)).astype(float)
    of = np.tile(np.arange(games), n)
    blank = np.zeros((n * games, rounds), dtype=np.int8)
    names = ("a", "b", "c")[:actions]
    subject = np.repeat(np.arange(n), games)
    return Choices(
        blank, blank.copy(), blank.copy(), names, subject, payoffs=own, payoff_of=of, other_payoffs=other
    )


def filled(X: Choices, p: np.ndarray, seed: int) -> Choices:
    """The same games with moves drawn from (n, A)."""
    rng = np.random.default_rng(seed)
    draws = (rng.random(X.shape)[..., None] > np.cumsum(p, axis=1)[:, None]).sum(-1).astype(np.int8)
    moves = np.minimum(draws, X.n_actions - 1).astype(np.int8)
    return Choices(
        moves,
        X.other,
        moves.copy(),
        X.actions,
        X.subject,
        payoffs=X.payoffs,
        payoff_of=X.payoff_of,
        other_payoffs=X.other_payoffs,
    )


def test_a_planted_precision_comes_back_from_several_games() -> None:
    X = several(30, 5, 8, seed=1)
    stakes = X.stakes()
    play = [Branch.trace(o, t).play(6.0)[0] for o, t in zip(stakes.own, stakes.other, strict=True)]
    model = Quantal().fit(filled(X, np.array(play)[stakes.of], seed=2))
    (row,) = model.parameters()
    assert row.se is not None
    assert abs(row.value - 6.0) < 3 * row.se
    assert row.se < 0.8


def levels_by_hand(own: np.ndarray, other: np.ndarray, k: int) -> list[float]:
    """What each own action pays level k, by recursion over both players."""

    def best(pays: list[float]) -> list[float]:
        ties = [v == max(pays) for v in pays]
        return [t / sum(ties) for t in ties]

    def view(mine: np.ndarray, theirs: np.ndarray, level: int) -> list[float]:
        a = len(mine)
        rival = [1 / a] * a if level == 1 else best(view(theirs.T, mine.T, level - 1))
        return [sum(mine[i, j] * rival[j] for j in range(a)) for i in range(a)]

    return view(own, other, k)


def test_levels_answer_the_level_below() -> None:
    rng = np.random.default_rng(3)
    for a in (2, 3, 4):
        own, other = rng.integers(0, 6, (2, a, a)).astype(float)
        pays = level_payoffs(own, other, 4)
        np.testing.assert_array_equal(pays[0], 0)
        for k in range(1, 5):
            np.testing.assert_allclose(pays[k], levels_by_hand(own, other, k))


def test_planted_levels_come_back() -> None:
    X = several(300, 1, 12, seed=4)
    stakes = X.stakes()
    pays = np.array([level_payoffs(o, t, 3) for o, t in zip(stakes.own, stakes.other, strict=True)])
    shares = np.array([0.15, 0.45, 0.25, 0.15])
    level = np.random.default_rng(5).choice(4, 300, p=shares)
    logits = 8.0 * pays[stakes.of, level[X.subject]]
    p = np.exp(logits - logits.max(1, keepdims=True))
    Y = filled(X, p / p.sum(1, keepdims=True), seed=6)
    model = LevelK().fit(Y)
    for row, truth in zip(model.parameters(), [8.0, *shares], strict=True):
        assert row.se is not None
        assert abs(row.value - truth) < 3.5 * row.se
    last = np.flatnonzero(np.r_[Y.subject[1:] != Y.subject[:-1], True])
    assert (model.memberships(Y)[last].argmax(1) == level).mean() > 0.75
    f = _LevelLikelihood(Y, stakes, pays)
    theta = np.array([0.5, 0.3, -0.2, 0.1])
    for j in range(4):
        step = np.zeros(4)
        step[j] = 1e-6
        slope = (f(theta + step)[0] - f(theta - step)[0]) / 2e-6
        assert f(theta)[1][j] == pytest.approx(slope, rel=1e-6)
    assert -f(np.r_[np.log(model.precision_), np.log(model.shares_[1:] / model.shares_[0])])[
        0
    ] == pytest.approx(model.score(Y) * Y.n_moves)


def test_levels_that_a_game_cannot_tell_apart_share_one_share() -> None:
    X = several(50, 4, 1, seed=0, actions=2)
    dilemma = np.array([[[1.0, 5.0], [0.0, 3.0]]])
    X = Choices(
        X.own, X.other, X.chosen, X.actions, X.subject, payoffs=dilemma, payoff_of=np.zeros(50, np.intp)
    )
    model = LevelK().fit(filled(X, np.tile([0.7, 0.3], (50, 1)), seed=1))
    assert [row.of for row in model.parameters()] == ["", "level 0", "level 1", "levels 2, 3"]
    assert any("levels 2, 3 answer alike" in note for note in model.notes_)
    assert model.shares_[2] == model.shares_[3]
    assert model.shares_.sum() == pytest.approx(1)


def test_wrong_levels_and_unknown_payoffs_are_one_line() -> None:
    X = several(4, 2, 1, seed=0)
    with pytest.raises(UsageError, match="1 to 10"):
        make_model("level-k:11").fit(X)
    bare = Choices(X.own, X.other, X.chosen, X.actions, X.subject)
    for name in ("quantal", "level-k"):
        with pytest.raises(DataError, match="payoffs of 4 of 4 games"):
            make_model(name).fit(bare)


def test_games_at_the_bounds_say_so() -> None:
    X = several(40, 5, 1, seed=2, actions=2)
    dilemma = np.array([[[1.0, 5.0], [0.0, 3.0]]])
    X = Choices(
        X.own, X.other, X.chosen, X.actions, X.subject, payoffs=dilemma, payoff_of=np.zeros(40, np.intp)
    )
    for move, word in ((0, "equilibrium"), (1, "chance")):
        always = np.tile(np.eye(2)[move], (40, 1))
        assert any(word in note for note in Quantal().fit(filled(X, always, 0)).notes_)


def test_levels_are_types_with_their_rates_over_the_games() -> None:
    """In a dilemma all levels above 0 defect: two types, the first a coin."""
    rng = np.random.default_rng(0)
    own = (rng.random((60, 8)) < np.where(np.arange(60) < 30, 0.5, 0.05)[:, None]).astype(np.int8)
    pays = np.array([[[1.0, 5.0], [0.0, 3.0]]])
    X = Choices(
        own, own[::-1].copy(), own, ("defect", "cooperate"), np.arange(60),
        payoffs=pays, payoff_of=np.zeros(60, dtype=np.intp),
    )  # fmt: skip
    model = LevelK(1).fit(X)
    zero, one = model.types()
    assert zero.strategy.p_cooperate == (0.5,)
    assert one.strategy.p_cooperate[0] == pytest.approx(float(model.next_move(X)[-1, -1, 1]), abs=0.02)
    assert zero.share == pytest.approx(0.5, abs=0.1)
    posterior = model.memberships(X)
    assert posterior.shape == (60, 2)
    assert posterior[:30, 0].mean() > 0.9 > 0.1 > posterior[30:, 0].mean()
