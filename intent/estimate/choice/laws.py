"""The parts of a mixture of automata: its parameters, its covariates, and what each strategy would do now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.estimate.choice.choices import Choices
from intent.estimate.choice.covariates import Coding, codes_of
from intent.estimate.mixture import LOWEST
from intent.strategies.catalogue import Strategy
from intent.strategies.likelihood import composed, filtered_cooperation

__all__ = [
    "Design",
    "Point",
    "States",
    "along_last",
    "bounded_odds",
    "certain",
    "cooperation",
    "decisions",
    "first_rows",
    "implementation_errors",
    "intentions",
    "log_softmax",
    "softmax",
]

Floats = NDArray[np.float64]
Moves = NDArray[np.int8]
_FEW = 7
"""Numbers up to which numpy adds one after another too."""


@dataclass(frozen=True, eq=False)
class Point:
    """Parameters: constants (K,), membership (P, K), log odds (J,), response (P, J), and the hazard.

    `cap`, where there is one, bounds the log odds of the trembles.
    """

    constants: Floats
    membership: Floats
    log_odds: Floats
    response: Floats
    hazard: float
    cap: float | None


def bounded_odds(log_odds: Floats, cap: float | None) -> tuple[Floats, Floats]:
    """Log odds below `cap`, and their slope: l - log(1 + exp(l - cap)), nearly l where it is far below."""
    if cap is None:
        return log_odds, np.ones(log_odds.shape)
    over = np.logaddexp(0, log_odds - cap)
    return np.maximum(log_odds - over, LOWEST), np.exp(-over)


@dataclass(frozen=True, eq=False)
class Design:
    """Covariates as the columns that coefficients belong to.

    Attributes
    ----------
    coding : Coding, columns one by one
    settings : combination -> column, where each combination has its own; empty otherwise
    """

    coding: Coding
    settings: Mapping[tuple[str, ...], int]
    crossed: bool = False

    @classmethod
    def none(cls) -> Design:
        """No covariate."""
        return cls(Coding((), {}, {}), {})

    @classmethod
    def learn(cls, X: Choices, *, crossed: bool) -> Design:
        """From the covariates of some choices."""
        coding = Coding.learn(X)
        settings = sorted(set(coding.settings(X))) if crossed else []
        return cls(coding, {setting: i for i, setting in enumerate(settings)}, crossed)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns."""
        return tuple(" ".join(s) for s in self.settings) if self.crossed else self.coding.names

    @property
    def width(self) -> int:
        """P."""
        return len(self.names)

    @property
    def free(self) -> NDArray[np.intp]:
        """Columns that are left when one is taken as reference."""
        return np.arange(1, self.width) if self.crossed else self.coding.free

    def code(self, X: Choices) -> Floats:
        """(n, P)."""
        if not self.crossed:
            return self.coding.code(X)
        place = codes_of(self.coding.settings(X), self.settings)
        columns: Floats = (place[:, None] == np.arange(self.width)).astype(float)
        return columns

    def to_state(self) -> dict[str, Any]:
        """As JSON values."""
        settings = [list(s) for s in self.settings]
        return {"coding": self.coding.to_state(), "settings": settings, "crossed": self.crossed}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Design:
        """Restore what `to_state` gave."""
        settings = {tuple(s): i for i, s in enumerate(state["settings"])}
        return cls(Coding.from_state(state["coding"]), settings, bool(state["crossed"]))


def cooperation(X: Choices, strategies: Sequence[Strategy], eps: Floats) -> Floats:
    """Probability that each strategy decides to cooperate before every move, from the moves before it.

    Parameters
    ----------
    X : Choices of n rows
    strategies : K Strategy
    eps : (n, K), tremble

    Returns
    -------
    (n, T, K)
    """
    n, rounds = X.shape
    out = np.empty((n, rounds, len(strategies)))
    known = ((X.own >= 0) & (X.other >= 0))[:, : max(rounds - 1, 0)].all(axis=1)
    error = implementation_errors(X)
    for k, s in enumerate(strategies):
        followed = known & s.observed_path
        rows = np.flatnonzero(followed)
        noise = composed(eps[:, k], error)
        p = intentions(X.own[rows], X.other[rows], s)
        out[rows, :, k] = p + noise[rows, None] * (1 - 2 * p)
        rest = np.flatnonzero(~followed)
        out[rest, :, k] = decisions(X, rest, s, noise[rest])
    return out


def intentions(own: NDArray[np.int8], other: NDArray[np.int8], s: Strategy) -> Floats:
    """Probability of intending C (n, T) where the state path is known; unknown moves count as D."""
    p, nxt = s.arrays()
    out = np.empty(own.shape)
    state = np.full(len(own), s.start, dtype=np.intp)
    for t in range(own.shape[1]):
        out[:, t] = p.take(state)
        if len(p) > 1:
            state = next_states(state, own[:, t], other[:, t], nxt)
    return out


def next_states(
    state: NDArray[np.intp], own: NDArray[np.int8], other: NDArray[np.int8], following: NDArray[np.intp]
) -> NDArray[np.intp]:
    """State (m,) that an automaton goes to after a round of moves (m,); unknown ones count as D."""
    mine, theirs = np.maximum(own, 0).astype(np.intp), np.maximum(other, 0)
    after: NDArray[np.intp] = following.reshape(-1).take(state * 4 + 3 - 2 * mine - theirs)
    return after


def decisions(X: Choices, rows: NDArray[np.intp], s: Strategy, noise: Floats) -> Floats:
    """Probability of deciding C (m, T) of some rows, whatever is unknown in them."""
    counts = X.counted[rows]
    return filtered_cooperation(X.own[rows], X.other[rows], counts, s, noise, X.chosen[rows])


class States:
    """State of each strategy in the games of some rows, as their moves become known."""

    def __init__(self, X: Choices, strategies: Sequence[Strategy], trembles: Floats) -> None:
        self._strategies, self._trembles = strategies, trembles
        noise = composed(trembles, implementation_errors(X)[:, None])
        self._noise, self._tables = noise, [s.arrays() for s in strategies]
        self._at = [np.full(len(X), s.start, dtype=np.intp) for s in strategies]
        self._known = np.ones(len(X), dtype=bool)
        self._X = X
        self._moves: tuple[Moves, ...] = (X.own[:, :0], X.other[:, :0], X.chosen[:, :0])

    def now(self) -> Floats:
        """P(action | strategy) in the round that is next, (m, K, 2)."""
        q = np.empty(self._trembles.shape)
        for k, (p, _) in enumerate(self._tables):
            intends = p.take(self._at[k])
            q[:, k] = intends + self._noise[:, k] * (1 - 2 * intends)
        open_rows = self._X.counted[:, self._moves[0].shape[1]]  # of a game that is over nobody asks
        for k, s in enumerate(self._strategies):  # whose state is not known has a distribution over states
            rows = np.flatnonzero(open_rows & ~self._known if s.observed_path else open_rows)
            if len(rows):
                q[rows, k] = cooperation(self._play(rows), [s], self._trembles[rows, k, None])[:, -1, 0]
        return np.stack([1 - q, q], axis=2)

    def moved(self, own: Moves, other: Moves, chosen: Moves) -> None:
        """What was played in it."""
        self._moves = tuple(
            np.hstack([before, now[:, None]])
            for before, now in zip(self._moves, (own, other, chosen), strict=True)
        )
        self._known &= (own >= 0) & (other >= 0)
        for k, (p, following) in enumerate(self._tables):
            if len(p) > 1:
                self._at[k] = next_states(self._at[k], own, other, following)

    def _play(self, rows: NDArray[np.intp]) -> Choices:
        """The games of some rows so far, and a round of which nothing is known."""
        own, other, chosen = (
            np.pad(moves[rows], ((0, 0), (0, 1)), constant_values=-1) for moves in self._moves
        )
        return replace(self._X[rows], own=own, other=other, chosen=chosen)


def certain(X: Choices) -> Choices:
    """The same, without decisions of rounds whose own move is unknown: those are no evidence."""
    unsure = (X.own < 0) & (X.chosen >= 0)
    return replace(X, chosen=np.where(unsure, np.int8(-1), X.chosen)) if unsure.any() else X


def implementation_errors(X: Choices) -> Floats:
    """(n,) implementation errors."""
    return np.zeros(len(X)) if X.implementation_error is None else X.implementation_error


def log_softmax(logits: Floats) -> Floats:
    """Logarithms of probabilities that are proportional to the exponentials, along the last axis."""
    away = logits - along_last(np.maximum, logits)
    logs: Floats = away - np.log(along_last(np.add, np.exp(away)))
    return logs


def along_last(f: np.ufunc, values: Floats) -> Floats:
    """What a ufunc makes of the last axis, which stays; slice by slice where it is short, which is faster."""
    if not 0 < values.shape[-1] <= _FEW:
        return np.asarray(f.reduce(values, axis=-1, keepdims=True))
    return reduce(f, [values[..., i : i + 1] for i in range(values.shape[-1])])


def softmax(logits: Floats) -> Floats:
    weights = np.exp(logits - logits.max(-1, keepdims=True))
    out: Floats = weights / weights.sum(-1, keepdims=True)
    return out


def first_rows(X: Choices) -> NDArray[np.intp]:
    """The first row of the subject of each row."""
    _, first, of = np.unique(X.subject, return_index=True, return_inverse=True)
    rows: NDArray[np.intp] = first[of.reshape(-1)]
    return rows
