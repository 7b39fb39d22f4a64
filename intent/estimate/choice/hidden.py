"""Hidden states as a model of choice: the conditional hidden Markov model that `discover` fits.

A player is in one of K states, which answers each last outcome with a probability of its own, and goes from
state to state by chance from round to round. Before a move the model says

    sum_k P(state k | play so far) P(C | situation, state k),

the first factor by the forward pass alone. Every game begins anew; nothing is carried from a subject's
earlier games. Where the last round is unknown, so is the situation: its answer is then the mean over
situations, as often as each occurred.

Errors are those of the outer product of the scores of trajectories, each score being expected counts less
what the model expects of them (Fisher's identity).

References
----------
Rabiner 1989, Proceedings of the IEEE 77:257; Bengio & Frasconi 1995, NIPS 7:427 (emissions that depend on an
input); Berndt, Hall, Hall & Hausman 1974, Annals of Economic and Social Measurement 3:653.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import UsageError
from intent.estimate.choice.choices import Choices, as_choices
from intent.estimate.choice.model import ChoiceModel, ChoiceType, Parameter
from intent.logs.gamelog import Trajectories
from intent.recognise.encoding import N_SYMBOLS_CHOICES, move_symbols, situations
from intent.recognise.hmm import HiddenMarkov, discover_states, state_posterior
from intent.recognise.recogniser import Files
from intent.strategies.catalogue import Strategy

__all__ = ["HiddenStates"]

Floats = NDArray[np.float64]
_MOST_STATES = 20
_ROWS = 1 << 13
"""Trajectories whose scores are in memory at a time."""
_EDGE = 1e-6
"""Probabilities nearer to 0 or 1 lie on the bound and have no error."""


class HiddenStates(ChoiceModel):
    """The hidden Markov model of `discover`, with as many states as BIC asks for or a number of one's own.

    Parameters
    ----------
    states : int, optional
        By default that of 1 to 6 with the least BIC, as `discover` chooses.
    symbols : 10 or 14
        Answers to R, S, T and P, or to R and T also apart by whether the other had defected earlier.
    starts : int
        Random starts for each number of states.
    random_state : int

    Attributes
    ----------
    model_ : HiddenMarkov, the state with the largest share of play first
    shares_ : (K,), of all moves
    """

    carries = False

    def __init__(
        self, states: int | None = None, *, symbols: int = 10, starts: int = 12, random_state: int = 0
    ) -> None:
        self.states = states
        self.symbols = symbols
        self.starts = starts
        self.random_state = random_state

    def _estimate(self, X: Choices) -> None:
        most = self._check()
        discovery = discover_states(
            _played(X),
            n_states=range(1 if self.states is None else most, most + 1),
            n_symbols=self.symbols,
            n_starts=self.starts,
            strategies=(),
            rng=np.random.default_rng(self.random_state),
        )
        states = discovery.states
        p = np.nan_to_num(np.array([s.p_cooperate for s in states]), nan=0.5)
        emission = np.stack([p, 1 - p], axis=2).reshape(len(states), -1)
        self.model_ = HiddenMarkov(
            np.array([s.start for s in states]), np.array([s.next for s in states]), emission
        )
        self.shares_ = np.array([s.share for s in states])
        moves = np.array([s.moves for s in states])
        self.moves_ = moves.sum(0) / moves.sum()
        chosen = next(c for c in discovery.candidates if c.n_states == len(states))
        if not chosen.converged:
            self.notes_.append("the search had not come to rest")
        if chosen.agreement[0] < 2 <= chosen.agreement[1]:
            self.notes_.append("one start only reached this maximum; more starts would make it surer")
        if self.states is None and len(states) == most:
            self.notes_.append(f"BIC chose the most states that were tried, {most}")
        self._tell(move_symbols(_played(X), self.symbols))

    def _check(self) -> int:
        """The most states."""
        if self.states is not None and (
            not isinstance(self.states, int) or not 1 <= self.states <= _MOST_STATES
        ):
            raise UsageError(f"states is {self.states!r}, expected 1 to {_MOST_STATES}")
        if self.symbols not in N_SYMBOLS_CHOICES:
            raise UsageError(f"symbols is {self.symbols!r}, expected 10 or 14")
        return 6 if self.states is None else self.states

    def _predicted(self, X: Choices) -> Floats:
        play = _played(X)
        state = filtered_states(self.model_, move_symbols(play, self.symbols))
        place = _situations(play, self.symbols)
        answer = self.model_.emission[:, ::2]
        answer = np.column_stack([answer, answer @ self.moves_]).T  # the last where the situation is unknown
        p: Floats = (state * answer[place]).sum(-1)
        return p

    def memberships(self, X: Any) -> Floats:
        """Share of the moves of each row that was made in each state, given the whole row: (n, K).

        A row without a move that counts has the share of moves of all.
        """
        symbols = move_symbols(_played(as_choices(X)), self.symbols)
        known = (symbols >= 0)[..., None]
        number = known.sum(1)
        total = (state_posterior(self.model_, symbols) * known).sum(1)
        shares: Floats = np.where(number > 0, total / np.maximum(number, 1), self.shares_)
        return shares

    def types(self) -> tuple[ChoiceType, ...]:
        """The states: each as the memory-one strategy that plays as it does, without leaving it."""
        rows = []
        for k, share in enumerate(self.shares_):
            p = self.model_.emission[k, ::2]
            name = f"state {k + 1}"
            strategy = Strategy.memory_one(name, *p[:5].tolist())
            rows.append(ChoiceType(name, float(share), None, strategy))
        return tuple(rows)

    def parameters(self) -> tuple[Parameter, ...]:
        """P(C) of every state in every situation, then starts and transitions."""
        return self.parameters_

    @property
    def n_parameters(self) -> int:
        """Starts and transitions that sum to one, and answers to situations that occur."""
        k = self.model_.n_states
        return k * k - 1 + k * int((self.moves_ > 0).sum())

    def _tell(self, symbols: NDArray[np.int8]) -> None:
        """Set the parameters, with errors."""
        model, names = self.model_, situations(self.symbols)
        start, transition, answer = _errors(model, symbols)
        rows = []
        for k in range(model.n_states):
            for i in np.flatnonzero(self.moves_ > 0):
                p = float(model.emission[k, 2 * i])
                rows.append(_row(f"p_{names[i]}", p, answer[k, i], f"state {k + 1}"))
        for k in range(model.n_states):
            rows.append(_row("start", float(model.start[k]), start[k], f"state {k + 1}"))
            for j in range(model.n_states):
                of = f"state {k + 1} to {j + 1}"
                rows.append(_row("transition", float(model.transition[k, j]), transition[k, j], of))
        self.parameters_ = tuple(rows)

    def to_state(self) -> tuple[dict[str, Any], Files]:
        """Tables as JSON."""
        model = self.model_
        tables = {name: getattr(model, name).tolist() for name in ("start", "transition", "emission")}
        rows = [[r.name, r.value, r.se, r.unit, r.of] for r in self.parameters_]
        shares = {"shares": self.shares_.tolist(), "moves": self.moves_.tolist()}
        return {**tables, **shares, "parameters": rows}, {}

    def from_state(self, state: Mapping[str, Any], files: Files) -> Self:
        """Restore the tables."""
        tables = (np.asarray(state[name], dtype=float) for name in ("start", "transition", "emission"))
        self.model_ = HiddenMarkov(*tables)
        self.shares_ = np.asarray(state["shares"], dtype=float)
        self.moves_ = np.asarray(state["moves"], dtype=float)
        self.parameters_ = tuple(
            Parameter(str(n), float(v), None if e is None else float(e), str(u), str(of))
            for n, v, e, u, of in state["parameters"]
        )
        return self


def filtered_states(model: HiddenMarkov, symbols: NDArray[np.int8]) -> Floats:
    """Probability (n, T, K) of the state in each round, given the rounds before it.

    Parameters
    ----------
    model : HiddenMarkov
    symbols : (n, T) int8, -1 where there is no evidence
    """
    n, rounds = symbols.shape
    table = np.concatenate([model.emission, np.ones((model.n_states, 1))], axis=1).T
    out = np.empty((n, rounds, model.n_states))
    now = np.broadcast_to(model.start, (n, model.n_states))
    for t in range(rounds):
        out[:, t] = now
        weight = now * table[symbols[:, t]]
        total = weight.sum(1, keepdims=True)
        # Play that the model rules out says nothing of the state.
        now = np.where(total > 0, weight / np.where(total > 0, total, 1), now) @ model.transition
    return out


def _played(X: Choices) -> Trajectories:
    """The same play as `discover` reads it."""
    return Trajectories(X.own, X.other, decided=X.chosen, evidence=X.counted)


def _situations(X: Trajectories, n_symbols: int) -> NDArray[np.intp]:
    """Situation of every round (n, T), the number of situations where it is unknown."""
    coded = Trajectories(np.where(X.own < 0, np.int8(1), X.own), X.other)
    symbols = move_symbols(coded, n_symbols).astype(np.intp)
    place = np.where(symbols >= 0, symbols // 2, n_symbols // 2)
    if place.shape[1]:
        unknown = X.own[:, :-1] < 0  # filled in above, so that every round has a symbol
        place[:, 1:][unknown] = n_symbols // 2
    return place


def _errors(model: HiddenMarkov, symbols: NDArray[np.int8]) -> tuple[Floats, Floats, Floats]:
    """Standard errors of starts (K,), transitions (K, K) and P(C) by situation (K, S); NaN on a bound."""
    k, s = model.n_states, model.emission.shape[1] // 2
    distinct, number = np.unique(symbols, axis=0, return_counts=True)
    parts = [
        _scores(model, distinct[a : a + _ROWS], number[a : a + _ROWS]) for a in range(0, len(distinct), _ROWS)
    ]
    information = np.sum(parts, axis=0)
    values = np.concatenate([model.start, model.transition.ravel(), model.emission[:, ::2].ravel()])
    inside = (values > _EDGE) & (values < 1 - _EDGE)
    se = np.full(len(values), np.nan)
    if inside.any():
        basis = _directions(k, inside, len(values))
        small = basis.T @ information @ basis
        scale = 1 / np.sqrt(np.maximum(np.diag(small), 1e-12))
        roots, vectors = np.linalg.eigh(small * scale[:, None] * scale)
        good = roots > 1e-8
        half = basis @ (scale[:, None] * vectors[:, good] / np.sqrt(roots[good]))
        se = np.where(inside, np.sqrt((half**2).sum(1)), np.nan)
    return se[:k], se[k : k + k * k].reshape(k, k), se[k + k * k :].reshape(k, s)


def _directions(k: int, inside: NDArray[np.bool_], size: int) -> Floats:
    """(size, R) columns along which probabilities can move: those of a distribution by sums of zero."""
    columns = []
    for first in range(0, k + k * k, k):
        free = np.flatnonzero(inside[first : first + k]) + first
        for i in free[:-1]:
            column = np.zeros(size)
            column[i], column[free[-1]] = 1.0, -1.0
            columns.append(column)
    for i in np.flatnonzero(inside[k + k * k :]) + k + k * k:
        column = np.zeros(size)
        column[i] = 1.0
        columns.append(column)
    return np.stack(columns, axis=1) if columns else np.zeros((size, 0))


def _scores(model: HiddenMarkov, symbols: NDArray[np.int8], number: NDArray[np.int64]) -> Floats:
    """Outer product (P, P) of the scores of trajectories by starts, transitions and P(C) by situation."""
    n, rounds = symbols.shape
    k, s = model.n_states, model.emission.shape[1] // 2
    table = np.concatenate([model.emission, np.ones((k, 1))], axis=1).T
    emitted = table[symbols]
    before = filtered_states(model, symbols)
    gamma = state_posterior(model, symbols)
    start = gamma[:, 0] / np.maximum(model.start, _EDGE)
    moves = np.zeros((n, k, k))
    answers = np.zeros((n, k, s))
    p = np.clip(model.emission[:, ::2], _EDGE, 1 - _EDGE)
    for t in range(rounds):
        if t:
            # P(i at t - 1, j at t | all) = P(i | past) A_ij * (P(j at t | all) / P(j at t | past))
            now = before[:, t - 1] * emitted[:, t - 1]
            now /= np.maximum(now.sum(1, keepdims=True), 1e-300)
            ratio = gamma[:, t] / np.maximum(before[:, t], 1e-300)
            moves += now[:, :, None] * ratio[:, None]
        known = np.flatnonzero(symbols[:, t] >= 0)
        place, defected = symbols[known, t] // 2, symbols[known, t] % 2
        slope = np.where(defected[:, None] == 1, -1 / (1 - p.T[place]), 1 / p.T[place])
        answers[known, :, place] += gamma[known, t] * slope
    scores = np.hstack([start, moves.reshape(n, -1), answers.reshape(n, -1)])
    out: Floats = scores.T @ (scores * number[:, None])
    return out


def _row(name: str, value: float, se: float, of: str) -> Parameter:
    return Parameter(name, value, float(se) if np.isfinite(se) else None, "probability", of)
