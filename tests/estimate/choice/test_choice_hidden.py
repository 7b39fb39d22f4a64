"""Hidden states as a model of choice: the parameters of `discover`, the sum over all paths, errors."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from intent.base.errors import UsageError
from intent.estimate.choice.choices import Choices
from intent.estimate.choice.hidden import HiddenStates, _errors, filtered_states
from intent.estimate.choice.model import moves_made
from intent.logs.gamelog import Trajectories
from intent.recognise.encoding import move_symbols
from intent.recognise.hmm import HiddenMarkov, discover_states, log_likelihood

TWO = HiddenMarkov(
    np.array([0.7, 0.3]),
    np.array([[0.9, 0.1], [0.2, 0.8]]),
    np.array(
        [
            [0.9, 0.1, 0.95, 0.05, 0.2, 0.8, 0.9, 0.1, 0.1, 0.9],
            [0.3, 0.7, 0.2, 0.8, 0.1, 0.9, 0.4, 0.6, 0.2, 0.8],
        ]
    ),
)


def play(n: int, rounds: int, seed: int) -> Choices:
    """Players of `TWO` against coins."""
    rng = np.random.default_rng(seed)
    own = np.zeros((n, rounds), dtype=np.int8)
    other = rng.integers(0, 2, own.shape).astype(np.int8)
    state = (rng.random(n) > TWO.start[0]).astype(int)
    for t in range(rounds):
        if t:
            state = (rng.random(n) > TWO.transition[state, 0]).astype(int)
        place = np.zeros(n, dtype=int) if not t else 4 - 2 * own[:, t - 1] - other[:, t - 1]
        own[:, t] = rng.random(n) < TWO.emission[state, 2 * place]
    return Choices.of_trajectories(Trajectories(own, other))


@pytest.mark.parametrize("states", [2, None])
@pytest.mark.parametrize("symbols", [10, 14])
def test_the_parameters_are_those_of_discover(states: int | None, symbols: int) -> None:
    X = play(150, 6, 0)
    model = HiddenStates(states, symbols=symbols, starts=2).fit(X)
    discovery = discover_states(
        Trajectories(X.own, X.other),
        n_states=range(1, 7) if states is None else [states],
        n_symbols=symbols,
        n_starts=2,
        strategies=(),
        rng=np.random.default_rng(0),
    )
    for k, state in enumerate(discovery.states):
        p = np.array(state.p_cooperate)
        np.testing.assert_array_equal(model.model_.emission[k, ::2], np.where(np.isnan(p), 0.5, p))
        np.testing.assert_array_equal(model.model_.transition[k], state.next)
    np.testing.assert_allclose(model.memberships(X), discovery.shares)
    best = discovery.candidates[[c.n_states for c in discovery.candidates].index(len(discovery.states))]
    assert model.n_parameters == best.n_parameters
    made = moves_made(model.next_move(X), X)
    assert np.log(made).sum() == pytest.approx(best.log_likelihood, abs=0.05)


def test_all_paths_of_states_summed_one_by_one() -> None:
    X = play(5, 4, 1)
    symbols = move_symbols(Trajectories(X.own, X.other), 10)
    state = filtered_states(TWO, symbols)
    for row in range(5):
        for t in range(4):
            weights = np.zeros(2)
            for path in product(range(2), repeat=t + 1):
                w = TWO.start[path[0]]
                for i in range(t):
                    w *= TWO.emission[path[i], symbols[row, i]] * TWO.transition[path[i], path[i + 1]]
                weights[path[-1]] += w
            np.testing.assert_allclose(state[row, t], weights / weights.sum())


def test_an_unknown_last_round_gives_the_mean_answer() -> None:
    model = HiddenStates(1, starts=1).fit(play(200, 6, 2))
    X = Choices.of_trajectories(Trajectories.from_strings(["C?C", "CCC"], ["CCC", "C?C"]))
    p = model.next_move(X)[..., 1]
    mean = model.model_.emission[0, ::2] @ model.moves_
    assert p[0, 2] == pytest.approx(mean)
    assert p[1, 2] == pytest.approx(mean)


def test_errors_stand_on_scores_that_are_finite_differences() -> None:
    X = play(60, 5, 3)
    symbols = move_symbols(Trajectories(X.own, X.other), 10)
    step, scores = 1e-6, []
    for i in range(2 + 4 + 10):
        ends = []
        for sign in (1, -1):
            parts = [TWO.start.copy(), TWO.transition.copy(), TWO.emission.copy()]
            if i < 2:
                parts[0][i] += sign * step
            elif i < 6:
                parts[1][divmod(i - 2, 2)] += sign * step
            else:
                k, s = divmod(i - 6, 5)
                parts[2][k, 2 * s] += sign * step
                parts[2][k, 2 * s + 1] -= sign * step
            ends.append(log_likelihood(HiddenMarkov(*parts), symbols))
        scores.append((ends[0] - ends[1]) / (2 * step))
    outer = np.array(scores) @ np.array(scores).T
    basis = np.zeros((16, 13))
    for column, (i, j) in enumerate(((0, 1), (2, 3), (4, 5))):
        basis[i, column], basis[j, column] = 1, -1
    basis[np.arange(6, 16), np.arange(3, 13)] = 1
    covariance = basis @ np.linalg.inv(basis.T @ outer @ basis) @ basis.T
    se = np.sqrt(np.diag(covariance))
    start, transition, answer = _errors(TWO, symbols)
    np.testing.assert_allclose(np.concatenate([start, transition.ravel(), answer.ravel()]), se, rtol=1e-3)


def test_settings_that_cannot_be_are_one_line() -> None:
    with pytest.raises(UsageError, match="states is 40, expected 1 to 20"):
        HiddenStates(40).fit(play(10, 3, 4))
    with pytest.raises(UsageError, match="symbols is 11, expected 10 or 14"):
        HiddenStates(2, symbols=11).fit(play(10, 3, 4))


@pytest.mark.slow
def test_planted_answers_are_covered() -> None:
    inside = total = 0
    for seed in range(20):
        model = HiddenStates(2, starts=3).fit(play(1500, 10, 200 + seed))
        rows = [r for r in model.parameters() if r.name.startswith("p_") and r.se is not None]
        order = np.argsort([-model.model_.emission[k, 2] for k in range(2)])
        for r in rows:
            k, i = int(r.of[-1]) - 1, ["first", "R", "S", "T", "P"].index(r.name[2:])
            true = TWO.emission[int(np.flatnonzero(order == k)[0]), 2 * i]
            inside += abs(r.value - true) < 1.96 * r.se
            total += 1
    assert inside / total > 0.88
