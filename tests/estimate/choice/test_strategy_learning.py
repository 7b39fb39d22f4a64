"""Learning over strategies against direct computation: matches move by move, games one after the other."""

from __future__ import annotations

import math

import numpy as np
import pytest

from intent.estimate.choice.choices import Choices
from intent.estimate.choice.model import make_model
from intent.estimate.choice.strategy_learning import (
    StrategyLearning,
    _Games,
    _Likelihood,
    outcome_rates,
)
from intent.strategies.catalogue import Strategy, with_background
from intent.strategies.sets import strategy_set

PD = np.array([[1.0, 5.0], [0.0, 3.0]])
SET = ("ALLD", "ALLC", "TFT")
STRATEGIES = with_background(tuple(strategy_set(SET)), True)
THETA = [0.1, 0.8, 0.4, math.log(3.0), 0.3, -0.4, 0.2]


def walk(s: Strategy, own: list[int], other: list[int]) -> list[float]:
    """Probability that a strategy means to cooperate in each round of a game."""
    state, p = s.start, []
    for mine, theirs in zip(own, other, strict=True):
        p.append(s.p_cooperate[state])
        state = s.next_code(state, mine, theirs)
    return p


def likelihood(s: Strategy, own: list[int], other: list[int], eps: float) -> float:
    out = 1.0
    for p, mine in zip(walk(s, own, other), own, strict=True):
        q = p * (1 - eps) + (1 - p) * eps
        out *= q if mine else 1 - q
    return out


def met(a: Strategy, b: Strategy, rounds: int, pays: np.ndarray) -> float:
    """Expected mean payoff of a against b, over all ways that their coins may fall."""
    total, nodes = 0.0, [(1.0, a.start, b.start)]
    for _ in range(rounds):
        after = []
        for weight, i, j in nodes:
            for mine in (0, 1):
                for theirs in (0, 1):
                    p = a.p_cooperate[i] if mine else 1 - a.p_cooperate[i]
                    q = b.p_cooperate[j] if theirs else 1 - b.p_cooperate[j]
                    if p * q:
                        total += weight * p * q * pays[mine, theirs]
                        after.append(
                            (weight * p * q, a.next_code(i, mine, theirs), b.next_code(j, theirs, mine))
                        )
        nodes = after
    return total / rounds


def games(n: int = 12, rounds: int = 4, seed: int = 0) -> Choices:
    rng = np.random.default_rng(seed)
    own, other = rng.integers(0, 2, (2, n, rounds)).astype(np.int8)
    own[::3, 2:] = other[::3, 2:] = -1  # shorter games
    return Choices(
        own,
        other,
        own.copy(),
        ("defect", "cooperate"),
        np.arange(n) // 4,
        payoffs=PD[None],
        payoff_of=np.zeros(n, dtype=np.intp),
    )


def by_hand(X: Choices, theta: list[float]) -> np.ndarray:
    """(n, T) probability of C."""
    eps, phi, delta, weight, start = theta[0], theta[1], theta[2], math.exp(theta[3]), [0.0, *theta[4:]]
    pays, k = PD / 5, range(len(STRATEGIES))
    out = np.full(X.shape, np.nan)
    for subject in np.unique(X.subject):
        odds, learned = list(start), [0.0] * len(start)
        for i in np.flatnonzero(X.subject == subject):
            own = [int(v) for v in X.own[i] if v >= 0]
            other = [int(v) for v in X.other[i] if v >= 0]
            shares = [math.exp(o + weight * b) for o, b in zip(odds, learned, strict=True)]
            for t in range(len(own)):
                w = [shares[j] * likelihood(STRATEGIES[j], own[:t], other[:t], eps) for j in k]
                p = [walk(s, own[: t + 1], other[: t + 1])[t] for s in STRATEGIES]
                q = [v * (1 - eps) + (1 - v) * eps for v in p]
                out[i, t] = sum(a * b for a, b in zip(w, q, strict=True)) / sum(w)
            mine = [likelihood(s, own, other, eps) for s in STRATEGIES]
            theirs = [likelihood(s, other, own, eps) for s in STRATEGIES]
            paid = sum(pays[a, b] for a, b in zip(own, other, strict=True)) / len(own)
            for j in k:
                would = sum(theirs[m] * met(STRATEGIES[j], STRATEGIES[m], len(own), pays) for m in k) / sum(
                    theirs
                )
                r = mine[j] / sum(mine)
                learned[j] = phi * learned[j] + r * paid + (1 - r) * delta * would
            odds = [phi * o for o in odds]
    return out


def with_numbers(X: Choices) -> StrategyLearning:
    model = StrategyLearning(SET)
    model.actions_, model.notes_ = X.actions, []
    model.strategies_, model.theta_, model.span_ = STRATEGIES, np.array(THETA), 5.0
    return model


def test_probabilities_are_those_of_games_played_out_by_hand() -> None:
    X = games()
    expected = by_hand(X, THETA)
    got = with_numbers(X).next_move(X)[..., 1]
    np.testing.assert_allclose(got[X.counted], expected[X.counted], rtol=1e-10)


def test_the_likelihood_that_is_climbed_is_that_of_its_predictions() -> None:
    X = games(seed=1)
    value, gradient = (f := _Likelihood.of_games(_Games.of(X, STRATEGIES, span=None)))(np.array(THETA))
    assert -value / X.n_moves == pytest.approx(with_numbers(X).score(X), abs=1e-9)
    for j in range(len(THETA)):
        step = np.zeros(len(THETA))
        step[j] = 1e-6
        slope = (f(THETA + step)[0] - f(THETA - step)[0]) / 2e-6
        assert gradient[j] == pytest.approx(slope, rel=1e-5, abs=1e-6)


def test_meetings_of_strategies_are_those_played_move_by_move() -> None:
    strategies = strategy_set("ALLD,GRIM,TFT,WSLS,RANDOM,GTFT")
    rates = outcome_rates(strategies, 5)
    np.testing.assert_allclose(rates.sum(-1), 1)
    pays = np.array([3.0, 0.0, 5.0, 1.0])
    for i, a in enumerate(strategies):
        for j, b in enumerate(strategies):
            assert rates[4, i, j] @ pays == pytest.approx(met(a, b, 5, PD))


def test_subjects_of_one_game_can_learn_nothing_and_the_model_says_so() -> None:
    X = games()
    alone = Choices(
        X.own, X.other, X.chosen, X.actions, np.arange(len(X)), payoffs=X.payoffs, payoff_of=X.payoff_of
    )
    model = make_model("strategy-learning:ALLD,TFT", n_starts=1).fit(alone)
    assert any("no subject plays a second game" in note for note in model.notes_)


def learners(n: int, matches: int, rounds: int, seed: int) -> Choices:
    """Subjects of the model itself, by the rule of `by_hand`, against strategies that tremble."""
    rng = np.random.default_rng(seed)
    eps, phi, delta, weight = THETA[0], THETA[1], THETA[2], math.exp(THETA[3])
    pays, k = PD / 5, len(STRATEGIES)
    would = np.array([[met(a, b, rounds, pays) for b in STRATEGIES] for a in STRATEGIES])
    own, other = np.zeros((2, n * matches, rounds), dtype=np.int8)
    for i in range(n):
        odds, learned = np.array([0.0, *THETA[4:]]), np.zeros(k)
        for g in range(matches):
            p = np.exp(odds + weight * learned)
            pair = (STRATEGIES[rng.choice(k, p=p / p.sum())], STRATEGIES[rng.integers(k)])
            state, row, play = [s.start for s in pair], i * matches + g, np.zeros((2, rounds), dtype=int)
            for t in range(rounds):
                move = [
                    int((rng.random() < s.p_cooperate[z]) ^ (rng.random() < eps))
                    for s, z in zip(pair, state, strict=True)
                ]
                state = [pair[0].next_code(state[0], *move), pair[1].next_code(state[1], *move[::-1])]
                play[:, t] = move
            own[row], other[row] = play
            mine, theirs = play[0].tolist(), play[1].tolist()
            r = np.array([likelihood(s, mine, theirs, eps) for s in STRATEGIES])
            b = np.array([likelihood(s, theirs, mine, eps) for s in STRATEGIES])
            r, b = r / r.sum(), b / b.sum()
            learned = phi * learned + r * pays[play[0], play[1]].mean() + (1 - r) * delta * (would @ b)
            odds = phi * odds
    return Choices(
        own,
        other,
        own.copy(),
        ("defect", "cooperate"),
        np.arange(n * matches) // matches,
        payoffs=PD[None],
        payoff_of=np.zeros(n * matches, dtype=np.intp),
    )


@pytest.mark.slow
def test_planted_parameters_come_back_within_their_errors() -> None:
    model = StrategyLearning(SET).fit(learners(200, 12, 6, seed=2))
    truth = [law.value(x) for law, x in zip(model.laws(), THETA, strict=True)]
    gaps = [(p.value - t) / p.se for p, t in zip(model.parameters(), truth, strict=True) if p.se]
    assert len(gaps) == len(truth)
    assert np.max(np.abs(gaps)) < 3.5
