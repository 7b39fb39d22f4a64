"""Models of learning against the definitions of their papers, step by step in plain Python."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from intent.base.errors import DataError, UsageError
from intent.estimate.choice import learning
from intent.estimate.choice.choices import Choices
from intent.estimate.choice.learning import Attraction, Belief, Experience, Learner, Reinforcement
from intent.estimate.choice.model import make_model

PD = np.array([[1.0, 5.0], [0.0, 3.0]])
RPS = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])
Rule = Callable[[list[tuple[int, int]], list[list[float]]], list[float]]
"""From the rounds (own, other) so far and payoffs from 0 in spans to the probabilities of all actions."""


def softmax(x: Sequence[float]) -> list[float]:
    weights = [math.exp(v - max(x)) for v in x]
    return [w / sum(weights) for w in weights]


def roth_erev(forgetting: float, experimentation: float, strength: float, initial: Sequence[float]) -> Rule:
    def rule(rounds: list[tuple[int, int]], pays: list[list[float]]) -> list[float]:
        q = [strength * p for p in softmax(initial)]
        for own, other in rounds:
            got = pays[own][other]
            for a in range(len(q)):
                share = 1 - experimentation if a == own else experimentation / (len(q) - 1)
                q[a] = (1 - forgetting) * q[a] + share * got
        return [v / sum(q) for v in q]

    return rule


def camerer_ho(
    phi: float, delta: float, kappa: float, sensitivity: float, begun: float, initial: Sequence[float]
) -> Rule:
    def rule(rounds: list[tuple[int, int]], pays: list[list[float]]) -> list[float]:
        attraction, n = list(initial), begun
        for own, other in rounds:
            more = phi * (1 - kappa) * n + 1
            attraction = [
                (phi * n * attraction[a] + (1.0 if a == own else delta) * pays[a][other]) / more
                for a in range(len(attraction))
            ]
            n = more
        return softmax([sensitivity * v for v in attraction])

    return rule


def cheung_friedman(
    gamma: float, sensitivity: float, prior: float, bias: Sequence[float], first: Sequence[float]
) -> Rule:
    def rule(rounds: list[tuple[int, int]], pays: list[list[float]]) -> list[float]:
        weights = [prior * p for p in softmax(first)]
        for _, other in rounds:
            weights = [gamma * w + (b == other) for b, w in enumerate(weights)]
        belief = [w / sum(weights) for w in weights]
        return softmax(
            [
                sensitivity * sum(p * pay for p, pay in zip(belief, pays[a], strict=True)) + bias[a]
                for a in range(len(bias))
            ]
        )

    return rule


def random_play(actions: int = 2, n: int = 12, rounds: int = 7, seed: int = 0, gaps: float = 0.0) -> Choices:
    """Random moves: subjects of three games, of different lengths, with gaps."""
    rng = np.random.default_rng(seed)
    own, other = rng.integers(0, actions, (2, n, rounds)).astype(np.int8)
    for moves in (own, other):
        moves[rng.random((n, rounds)) < gaps] = -1
    ends = rng.integers(3, rounds + 1, n)
    over = np.arange(rounds) >= ends[:, None]
    own[over] = other[over] = -1
    names = ("defect", "cooperate") if actions == 2 else tuple("rps")
    pays = PD if actions == 2 else RPS
    return Choices(
        own,
        other,
        own.copy(),
        names,
        np.arange(n) // 3,
        payoffs=np.stack([pays, 2 * pays]),
        payoff_of=np.zeros(n, dtype=np.intp),
    )


def by_hand(rule: Rule, X: Choices, *, needs_own: bool = True) -> np.ndarray:
    """(n, T, A) probabilities, round by round; games of a subject follow each other."""
    assert X.payoffs is not None
    out = np.empty((*X.shape, X.n_actions))
    pays = ((X.payoffs[0] - X.payoffs[0].min()) / np.ptp(X.payoffs[0])).tolist()
    for subject in np.unique(X.subject):
        rounds: list[tuple[int, int]] = []
        for i in np.flatnonzero(X.subject == subject):
            for t in range(X.shape[1]):
                out[i, t] = rule(rounds, pays)
                own, other = int(X.own[i, t]), int(X.other[i, t])
                if other >= 0 and (own >= 0 or not needs_own):
                    rounds.append((own, other))
    return out


def with_numbers(model: Learner, X: Choices, theta: Sequence[float]) -> Learner:
    """A model with parameters that are not estimated, as it seeks them."""
    model.actions_, model.notes_ = X.actions, []
    model.coding_ = learning.Coding((), {}, {})
    model.theta_, model.span_ = np.array(theta), X.stakes().span
    return model


CASES: dict[str, tuple[Callable[[], Learner], Callable[[int], list[float]], Callable[[int], Rule], bool]] = {
    "ratio": (
        Reinforcement,
        lambda a: [0.1, 0.2, math.log(3.0), *[0.4, -0.7][: a - 1]],
        lambda a: roth_erev(0.1, 0.2, 3.0, [0.0, 0.4, -0.7][:a]),
        True,
    ),
    "attraction": (
        Attraction,
        lambda a: [0.95, 0.3, 0.2, math.log(5.0), math.log(0.5), *[0.2, -0.1][: a - 1]],
        lambda a: camerer_ho(0.95, 0.3, 0.2, 5.0, 0.5, [0.0, 0.2, -0.1][:a]),
        True,
    ),
    "belief": (
        Belief,
        lambda a: [0.8, math.log(2.0), math.log(0.7), *[0.5, 0.1][: a - 1], *[-0.3, 0.6][: a - 1]],
        lambda a: cheung_friedman(0.8, 2.0, 0.7, [0.0, 0.5, 0.1][:a], [0.0, -0.3, 0.6][:a]),
        False,
    ),
}


@pytest.mark.parametrize("actions", [2, 3])
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_probabilities_are_those_of_the_papers_step_by_step(name: str, actions: int, gaps: float) -> None:
    make, theta, rule, needs_own = CASES[name]
    X = random_play(actions, gaps=gaps)
    model = with_numbers(make(), X, theta(actions))
    expected = by_hand(rule(actions), X, needs_own=needs_own)
    np.testing.assert_allclose(model.next_move(X), expected, rtol=1e-12)


def test_nothing_carried_means_that_every_game_begins_anew() -> None:
    X = random_play()
    model = with_numbers(Attraction(carry=False), X, CASES["attraction"][1](2))
    alone = Choices(
        X.own, X.other, X.chosen, X.actions, np.arange(len(X)), payoffs=X.payoffs, payoff_of=X.payoff_of
    )
    np.testing.assert_allclose(model.next_move(X), by_hand(CASES["attraction"][2](2), alone), rtol=1e-12)


def test_games_of_other_payoffs_teach_nothing_about_these() -> None:
    X = random_play()
    of = np.arange(len(X)) % 3 // 2
    mixed = Choices(X.own, X.other, X.chosen, X.actions, X.subject, payoffs=X.payoffs, payoff_of=of)
    model = with_numbers(Belief(), X, CASES["belief"][1](2))
    first = of == 0
    np.testing.assert_allclose(model.next_move(mixed)[first], model.next_move(X[first]))
    start = model.next_move(X[:1])[0, 0]
    assert not np.allclose(model.next_move(mixed)[~first, 0], start)  # twice the payoffs, once the noise


def test_attraction_with_full_foregone_payoffs_is_belief_learning() -> None:
    for actions in (2, 3):
        X = random_play(actions, seed=3)
        pays = X.stakes().own[0]
        p0 = np.array(softmax([0.0, -0.3, 0.6][:actions]))
        start = pays @ p0
        gamma, weight, prior = 0.8, math.log(2.0), math.log(0.7)
        belief = with_numbers(
            Belief(), X, [gamma, weight, prior, *[0.0] * (actions - 1), *[-0.3, 0.6][: actions - 1]]
        )
        attraction = with_numbers(Attraction(), X, [gamma, 1.0, 0.0, weight, prior, *(start[1:] - start[0])])
        np.testing.assert_allclose(attraction.next_move(X), belief.next_move(X), atol=1e-10, rtol=0)


def test_attraction_without_foregone_payoffs_is_reinforcement() -> None:
    for actions in (2, 3):
        X = random_play(actions, seed=4)
        start = [0.4, -0.7][: actions - 1]
        attraction = with_numbers(Attraction(), X, [0.9, 0.0, 1.0, math.log(2.0), 0.0, *start])
        reinforcement = with_numbers(Reinforcement(rule="logit"), X, [1 - 0.9, 0.0, math.log(2.0), *start])
        np.testing.assert_allclose(attraction.next_move(X), reinforcement.next_move(X), atol=1e-10, rtol=0)


@pytest.mark.parametrize("actions", [2, 3])
@pytest.mark.parametrize(
    ("make", "name"),
    [
        (Reinforcement, "ratio"),
        (lambda **k: Reinforcement(rule="logit", **k), "logit"),
        (Attraction, "attraction"),
        (Belief, "belief"),
    ],
)
def test_gradients_are_finite_differences(make: Callable[..., Learner], name: str, actions: int) -> None:
    X = random_play(actions, gaps=0.1)
    theta = CASES["ratio" if name == "logit" else name][1](actions)
    rng = np.random.default_rng(1)
    z = rng.standard_normal((len(X), 2))
    model = with_numbers(make(acts="response"), X, theta)
    full = np.r_[theta, 0.3 * rng.standard_normal(2 * actions)]
    likelihood = learning._Likelihood(model, Experience.of(X, carry=True, span=None)[0], z)
    value, gradient = likelihood(full)
    for j in range(len(full)):
        step = np.zeros(len(full))
        step[j] = 1e-6
        slope = (likelihood(full + step)[0] - likelihood(full - step)[0]) / 2e-6
        assert gradient[j] == pytest.approx(slope, rel=1e-5, abs=1e-6)
    assert value == pytest.approx(
        -np.log(np.take_along_axis(_probabilities(model, X, full, z), X.own[..., None].clip(0), 2))[..., 0][
            X.counted
        ].sum()
        + 0.5 * (likelihood.ridge @ full[len(theta) :] ** 2)
    )


def _probabilities(model: Learner, X: Choices, full: np.ndarray, z: np.ndarray) -> np.ndarray:
    n_core, a = len(model.laws()), X.n_actions
    E, _ = Experience.of(X, carry=True, span=None)
    core = model.core(full[:n_core], model.learned(full[:n_core], E))[0][E.cell]
    by = full[n_core:].reshape(-1, a)
    logits = core * np.exp(z @ by[:, 0])[:, None, None]
    logits[..., 1:] += (z @ by[:, 1:])[:, None]
    p = np.exp(logits)
    return np.asarray(p / p.sum(-1, keepdims=True))


def simulated(rule: Rule, n: int, rounds: int, pays: np.ndarray, seed: int) -> Choices:
    """Subjects who follow a rule against a player whose inclination drifts."""
    rng = np.random.default_rng(seed)
    a = len(pays)
    scaled = ((pays - pays.min()) / np.ptp(pays)).tolist()
    own, other = np.zeros((2, n, rounds), dtype=np.int8)
    for i in range(n):
        leaning, past = rng.standard_normal(a), []
        for t in range(rounds):
            leaning = 0.9 * leaning + 0.7 * rng.standard_normal(a)
            mine = int(rng.choice(a, p=rule(past, scaled)))
            theirs = int(rng.choice(a, p=softmax(list(leaning))))
            own[i, t], other[i, t] = mine, theirs
            past.append((mine, theirs))
    names = ("defect", "cooperate") if a == 2 else tuple("rps")
    return Choices(
        own, other, own.copy(), names, np.arange(n), payoffs=pays[None], payoff_of=np.zeros(n, dtype=np.intp)
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("actions", [2, 3])
def test_planted_parameters_come_back_within_their_errors(name: str, actions: int) -> None:
    make, theta, rule, _ = CASES[name]
    X = simulated(rule(actions), 250, 30, PD if actions == 2 else RPS, seed=5)
    model = make().fit(X)
    truth = make_truth(model, theta(actions))
    gaps = [(p.value - t) / p.se for p, t in zip(model.parameters(), truth, strict=True) if p.se is not None]
    assert len(gaps) >= len(truth) - 1
    assert np.max(np.abs(gaps)) < 4
    assert model.log_likelihood_ >= _likelihood_at(model, X, theta(actions))


def make_truth(model: Learner, theta: Sequence[float]) -> list[float]:
    return [law.value(x) for law, x in zip(model.laws(), theta, strict=True)]


def _likelihood_at(model: Learner, X: Choices, theta: Sequence[float]) -> float:
    E, _ = Experience.of(X, carry=True, span=None)
    return -learning._Likelihood(model, E, np.zeros((len(X), 0)))(np.array(theta))[0]


def test_settings_that_differ_have_their_own_bias() -> None:
    import pandas as pd

    rng = np.random.default_rng(0)
    kind = np.arange(400) % 2
    own = (rng.random((400, 8)) < np.where(kind, 0.8, 0.3)[:, None]).astype(np.int8)
    other = rng.integers(0, 2, (400, 8)).astype(np.int8)
    X = Choices(
        own,
        other,
        own.copy(),
        ("defect", "cooperate"),
        np.arange(400),
        pd.DataFrame({"prompt": np.where(kind, "warm", "cold")}),
        PD[None],
        np.zeros(400, dtype=np.intp),
    )
    model = make_model("belief@response").fit(X)
    p = model.next_move(X)[..., 1]
    assert p[kind == 1].mean() == pytest.approx(0.8, abs=0.02)
    assert p[kind == 0].mean() == pytest.approx(0.3, abs=0.02)
    assert {q.of for q in model.parameters()} >= {"prompt=warm"}


def test_unknown_payoffs_and_wrong_settings_are_one_line() -> None:
    X = random_play()
    bare = Choices(X.own, X.other, X.chosen, X.actions, X.subject)
    for name in ("reinforcement", "attraction", "belief"):
        with pytest.raises(DataError, match="payoffs of 12 of 12 games"):
            make_model(name).fit(bare)
    with pytest.raises(UsageError, match="response"):
        make_model("belief@membership").fit(X)
    with pytest.raises(UsageError, match="ratio or logit"):
        Reinforcement(rule="best").fit(X)
    with pytest.raises(UsageError, match="subject or information"):
        Belief(errors="none").fit(X)


def test_nothing_paid_for_long_leaves_probabilities() -> None:
    X = random_play(n=1, rounds=4)
    idle = Choices(
        np.zeros((1, 3000), np.int8),
        np.zeros((1, 3000), np.int8),
        np.zeros((1, 3000), np.int8),
        X.actions,
        np.zeros(1, np.intp),
        payoffs=np.array([[[0.0, 1.0], [0.0, 1.0]]]),
        payoff_of=np.zeros(1, np.intp),
    )
    model = with_numbers(Reinforcement(), idle, [0.9, 0.2, 0.0, 0.5])
    p = model.next_move(idle)
    assert np.isfinite(p).all()
    np.testing.assert_allclose(p[0, -1], p[0, 0], atol=1e-12)


@pytest.mark.parametrize(
    "name", ["reinforcement", "attraction", "belief", "strategy-learning", "quantal", "level-k"]
)
def test_no_rows_and_no_rounds_are_predicted_as_such(name: str) -> None:
    X = random_play()
    model = make_model(name, **({} if name == "quantal" else {"n_starts": 1})).fit(X)
    assert model.next_move(X[:0]).shape == (0, 7, 2)
    none = Choices(
        X.own[:, :0],
        X.other[:, :0],
        X.chosen[:, :0],
        X.actions,
        X.subject,
        payoffs=X.payoffs,
        payoff_of=X.payoff_of,
    )
    assert model.next_move(none).shape == (12, 0, 2)


@pytest.mark.parametrize("name", ["reinforcement", "attraction", "belief"])
def test_play_of_one_action_is_learned_without_a_fault(name: str) -> None:
    X = random_play()
    ones = np.where(X.own >= 0, 1, -1).astype(np.int8)
    same = Choices(ones, X.other, ones, X.actions, X.subject, payoffs=X.payoffs, payoff_of=X.payoff_of)
    assert make_model(name).fit(same).score(same) > -0.05
