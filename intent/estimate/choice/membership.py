"""Mixtures of types: who plays which type, what moves say of it, and what each strategy would do now.

Who plays which type is a multinomial logit of the types on covariates.
With u_i = (1, x_i) the coded covariates of subject i, the share of type k among subjects like i is

    pi_ik = exp(u_i' b_k) / sum_l exp(u_i' b_l),    b_1 = 0,

and the M-step of EM maximises the concave

    sum_i sum_k r_ik log pi_ik - (ridge / 2) sum_j sum_k (b_jk - mean_l b_jl)^2,    j over the covariates.

The penalty does not depend on which type is the first. Without covariates the shares are the mean posterior.

With p_k(move) the probability that type k gives to each move, and s_k the share of type k, the belief before
a move is proportional to s_k times the product of p_k over all earlier moves of the subject, its earlier
games included. A subject that draws its type anew before a move with probability h (the hazard) forgets: then
b' = (1 - h) b + h s before every move, which is the forward algorithm of a hidden Markov chain. A move that
does not count leaves the belief as it was before that step.

Automata are types, too: their parameters and covariates, and the state of each as moves become known.

References
----------
Bandeen-Roche, Miglioretti, Zeger & Rathouz (1997), JASA 92:1375; Dvorak (2023), stratEst, Journal of the
Economic Science Association 9:337 (latent class regression on strategies).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.estimate.choice.choices import Choices
from intent.estimate.choice.features import Coding, codes_of, groups_apart
from intent.estimate.mixture import LOWEST
from intent.strategies.catalogue import Strategy
from intent.strategies.likelihood import composed, filtered_cooperation

__all__ = [
    "SEPARATED",
    "Design",
    "Membership",
    "Point",
    "States",
    "SubjectCoding",
    "along_last",
    "beliefs",
    "bounded_odds",
    "certain",
    "cooperation",
    "decisions",
    "first_rows",
    "implementation_errors",
    "intentions",
    "log_softmax",
    "separated_types",
    "softmax",
]


Floats = NDArray[np.float64]

SEPARATED = 12.0
"""Log odds beyond which a covariate is said to separate the types."""
_LEAST_SHARE = 1e-12
_HALVINGS = 30
_FEWEST = 10
"""Fewer subjects are told apart by many a covariate."""


@dataclass(frozen=True, eq=False)
class Membership:
    """Coefficients b (P, K), those of the first type zero; the first row is the intercept.

    Without covariates P is 1. Several memberships are one, (..., P, K), and so is what is computed of them.
    """

    coefficients: Floats

    @classmethod
    def of_shares(cls, shares: Floats, n_columns: int = 0) -> Membership:
        """The same shares (K,) whatever the covariates."""
        logits = np.log(np.maximum(shares, _LEAST_SHARE))
        b = np.zeros((*shares.shape[:-1], 1 + n_columns, shares.shape[-1]))
        b[..., 0, :] = logits - logits[..., :1]
        return cls(b)

    @property
    def n_types(self) -> int:
        """K."""
        return int(self.coefficients.shape[-1])

    def log_shares(self, design: Floats) -> Floats:
        """Log probability of each type before any move: (n, P) -> (n, K)."""
        return log_softmax(design @ self.coefficients)

    def taken(self, order: NDArray[np.intp]) -> Membership:
        """The types in another order."""
        b = self.coefficients[:, order]
        return Membership(b - b[:, :1])

    def maximised(self, design: Floats, r: Floats, ridge: Floats, *, steps: int = 1) -> Membership:
        """After some Newton steps, none of which lowers what is maximised.

        Parameters
        ----------
        design : (G, P), distinct rows, the first column ones
        r : (G, K), expected subjects of each type among those of each row
        ridge : (P,), penalty of each coefficient, that of the intercept 0
        steps : int
        """
        if self.n_types == 1:
            return self
        if design.shape[1] == 1:
            total = r.sum(-2)
            return Membership.of_shares(total / total.sum(-1, keepdims=True))
        b = self.coefficients
        weights, logs, climbing = r.sum(-1), self.log_shares(design), np.ones(b.shape[:-2], dtype=bool)
        value = self._value(logs, r, ridge)
        for _ in range(steps):
            if not climbing.any():
                break
            at, pi = Membership(b), np.exp(logs)
            slope = at._slope(design, pi, r, weights, ridge)
            step = _newton(design, pi, weights, ridge, slope)
            move = np.concatenate([np.zeros((*b.shape[:-1], 1)), step.swapaxes(-1, -2)], axis=-1)
            size = np.minimum(1.0, 8.0 / np.maximum(np.abs(design @ move).max(axis=(-2, -1)), 1e-300))
            tried, reached = climbing, value
            for _ in range(_HALVINGS):
                new = Membership(b + size[..., None, None] * move)
                moved = new.log_shares(design)
                after = new._value(moved, r, ridge)
                better = tried & (after >= value)
                b, logs = (
                    np.where(better[..., None, None], *both)
                    for both in ((new.coefficients, b), (moved, logs))
                )
                reached, tried = np.where(better, after, reached), tried & ~better
                if not tried.any():
                    break
                size = size / 2
            climbing = climbing & ~tried & (reached - value >= 1e-12 * np.abs(value))
            value = reached
        return Membership(b)

    def objective(self, design: Floats, r: Floats, ridge: Floats) -> Floats:
        """What the M-step maximises, (...)."""
        return self._value(self.log_shares(design), r, ridge)

    def _value(self, logs: Floats, r: Floats, ridge: Floats) -> Floats:
        value: Floats = np.einsum("...nk,...nk->...", r, logs) - self.penalty(ridge)
        return value

    def penalty(self, ridge: Floats) -> Floats:
        """(1 / 2) sum_jk ridge_j (b_jk - mean_l b_jl)^2, (...)."""
        b = self.coefficients
        value: Floats = 0.5 * (ridge @ (b - b.mean(axis=-1, keepdims=True)) ** 2).sum(-1)
        return value

    def gradient(self, design: Floats, r: Floats, ridge: Floats) -> Floats:
        """((K - 1) P,), by type and coefficient."""
        return self._slope(design, np.exp(self.log_shares(design)), r, r.sum(-1), ridge)

    def _slope(self, design: Floats, pi: Floats, r: Floats, weights: Floats, ridge: Floats) -> Floats:
        slope = design.T @ (r - weights[..., None] * pi) - self._penalty_slope(ridge)
        flat: Floats = slope[..., 1:].swapaxes(-1, -2).reshape(*slope.shape[:-2], -1)
        return flat

    def _penalty_slope(self, ridge: Floats) -> Floats:
        b = self.coefficients
        slope: Floats = ridge[:, None] * (b - b.mean(axis=-1, keepdims=True))
        return slope

    def information(self, design: Floats, weights: Floats, ridge: Floats) -> Floats:
        """Minus the second derivative, ((K - 1) P, (K - 1) P)."""
        return _pressed(design, _weights(np.exp(self.log_shares(design)), weights), ridge)


def _weights(pi: Floats, weights: Floats) -> Floats:
    """(..., n, K - 1, K - 1): n_i (diag pi_i - pi_i pi_i') of each row, the first type left out."""
    pi = pi[..., 1:]
    out: Floats = weights[..., None, None] * (
        pi[..., None] * np.eye(pi.shape[-1]) - pi[..., None] * pi[..., None, :]
    )
    return out


def _pressed(design: Floats, w: Floats, ridge: Floats) -> Floats:
    """sum_i w_i (x) x_i x_i', and the ridge."""
    p, k, lead = design.shape[1], w.shape[-1], w.shape[:-3]
    out = np.empty((*lead, k, p, k, p))
    for a in range(k):
        for b in range(a, k):
            block = (design * w[..., a, b, None]).swapaxes(-1, -2) @ design
            block += np.diag(ridge * ((a == b) - 1 / (k + 1)))
            out[..., a, :, b, :] = block
            out[..., b, :, a, :] = block.swapaxes(-1, -2)
    return out.reshape(*lead, k * p, k * p)


def _newton(design: Floats, pi: Floats, weights: Floats, ridge: Floats, gradient: Floats) -> Floats:
    """information^-1 gradient, (..., K - 1, P).

    The last columns are often those of combinations, of which each row has one at most: their block falls
    into one of K - 1 coefficients for each combination, which are eliminated first (Schur complement).
    """
    k, p = pi.shape[-1] - 1, design.shape[1]
    own = _one_of(design) if p > _FEWEST_OWN else 0
    head = p - own
    if own < _FEWEST_OWN:
        information = _steady(_pressed(design, _weights(pi, weights), ridge))
        solution = np.linalg.solve(information, gradient[..., None])
        return np.asarray(solution, dtype=np.float64).reshape(*gradient.shape[:-1], k, p)
    if gradient.ndim > 1:
        several = zip(pi, weights, gradient, strict=True)
        return np.stack([_newton(design, shares, n, ridge, g) for shares, n, g in several])
    w = _weights(pi, weights)
    tied = np.flatnonzero(design[:, head:].any(axis=1))
    column = design[tied, head:].argmax(axis=1)
    block, cross = np.zeros((own, k, k)), np.zeros((own, k, k, head))
    np.add.at(block, column, w[tied])
    np.add.at(cross, column, w[tied][..., None] * design[tied, None, None, :head])
    block += ridge[head:, None, None] * (np.eye(k) - 1 / (k + 1))
    block += np.eye(k) * (1e-9 * np.maximum(np.einsum("caa->ca", block), 1e-8) + 1e-10)[..., None]
    left = _pressed(design[:, :head], w, ridge[:head])
    by_type = gradient.reshape(k, p)
    cross = cross.reshape(own, k, k * head)
    both = np.concatenate([cross, by_type[:, head:].T[..., None]], axis=2)
    solved = np.linalg.solve(block, both)
    reduced = _steady(left) - np.einsum("cax,cay->xy", cross, solved[..., :-1])
    right = by_type[:, :head].reshape(-1) - np.einsum("cax,ca->x", cross, solved[..., -1])
    first = np.linalg.solve(reduced, right)
    rest = solved[..., -1] - solved[..., :-1] @ first
    step: Floats = np.hstack([first.reshape(k, head), rest.T])
    return step


_FEWEST_OWN = 20
"""Columns that exclude each other, from which on their structure is worth using."""


def _one_of(design: Floats) -> int:
    """How many of the last columns, each 0 or 1, are such that every row has one of them at most."""
    counts = np.cumsum(design[:, ::-1], axis=1).max(axis=0)
    binary = ((design == 0) | (design == 1)).all(axis=0)[::-1]
    fits = np.asarray((counts <= 1) & binary, dtype=bool)
    return min(int(np.argmin(np.r_[fits, False])), int(design.shape[1]) - 1)


def _steady(information: Floats) -> Floats:
    """The same with a diagonal that is never 0."""
    scale = np.maximum(np.diagonal(information, axis1=-2, axis2=-1), 1e-8)
    steady: Floats = information + (1e-9 * scale + 1e-10)[..., None] * np.eye(scale.shape[-1])
    return steady


@dataclass(frozen=True, eq=False)
class SubjectCoding:
    """Covariates of subjects as the columns of the logit.

    Beside a column for each level (and number) there is one for each combination of the covariates that was
    met, so that a combination may differ from what its levels tell, as far as the ridge lets it.

    Attributes
    ----------
    coding : Coding
    combinations : mapping from settings to the place of their column; empty for levels alone
    """

    coding: Coding
    combinations: Mapping[tuple[str, ...], int]

    @classmethod
    def learn(cls, X: Choices, *, combinations: bool) -> SubjectCoding:
        """From the first row of each subject."""
        coding = Coding.learn(X)
        many = combinations and len(coding.levels) > 1
        settings = sorted(set(_settings(coding, X))) if many else []
        return cls(coding, {setting: i for i, setting in enumerate(settings)})

    @property
    def columns(self) -> tuple[str, ...]:
        """The covariates."""
        return self.coding.columns

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns but the intercept."""
        return (*self.coding.names, *(" ".join(setting) for setting in self.combinations))

    def design(self, X: Choices) -> Floats:
        """(n, P), the first column ones."""
        code = self.coding.code(X)
        parts = [np.ones((len(X), 1)), code]
        if self.combinations:
            place = np.array([self.combinations.get(s, -1) for s in _settings(self.coding, X)])
            parts.append((place[:, None] == np.arange(len(self.combinations))).astype(float))
        return np.hstack(parts)

    def to_state(self) -> dict[str, Any]:
        """As JSON values."""
        return {"coding": self.coding.to_state(), "combinations": [list(s) for s in self.combinations]}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> SubjectCoding:
        """Restore what `to_state` gave."""
        combinations = {tuple(map(str, s)): i for i, s in enumerate(state["combinations"])}
        return cls(Coding.from_state(state["coding"]), combinations)


def _settings(coding: Coding, X: Choices) -> list[tuple[str, ...]]:
    """The combination of categories of each row; numbers are left out."""
    at = [i for i, column in enumerate(coding.columns) if column in coding.levels]
    return [tuple(setting[i] for i in at) for setting in coding.settings(X)]


def separated_types(coding: Coding, X: Choices, posterior: Floats, *, ridge: bool) -> list[str]:
    """A line for each covariate whose values share no types: its coefficients have no finite maximum.

    Parameters
    ----------
    coding : Coding
    X : Choices of n rows
    posterior : (n, K), of the type of each row's subject, at the row's end
    ridge : whether one keeps the coefficients finite
    """
    if X.covariates is None or len(np.unique(X.subject)) < _FEWEST:
        return []
    first = np.unique(X.subject, return_index=True)[1]
    last = len(X) - 1 - np.unique(X.subject[::-1], return_index=True)[1]
    groups = groups_apart(coding, X.covariates.iloc[first], posterior[last])
    keeps = "only the ridge keeps its coefficients finite" if ridge else "a ridge would keep them finite"
    return [
        f"covariate {column!r} separates the types perfectly: {keeps}"
        for column, n in groups.items()
        if n > 1
    ]


def beliefs(log_p: Floats, log_shares: Floats, X: Choices, *, hazard: float = 0.0) -> tuple[Floats, Floats]:
    """Posterior of the types before every move, and after the last one.

    Parameters
    ----------
    log_p : (n, T, K)
        Log probability of the move that was made, by type; 0 where none is counted.
    log_shares : (n, K), log probability of each type before any move
    X : Choices of n rows, those of a subject in the order of play
    hazard : float in [0, 1), probability that a type is drawn anew before a move

    Returns
    -------
    before : (n, T, K), after : (n, K)
    """
    if hazard == 0:
        start = log_shares + X.before(log_p.sum(1))
        upto = np.cumsum(log_p, axis=1)
        before = softmax(start[:, None] + upto - log_p)
        return before, softmax(start + upto[:, -1]) if log_p.shape[1] else softmax(start)
    n, rounds, k = log_p.shape
    shares = softmax(log_shares)
    before, after = np.empty((n, rounds, k)), shares.copy()
    place = X.before(np.ones(n)).astype(np.intp)
    _, subject = np.unique(X.subject, return_inverse=True)
    belief = np.full((int(subject.max(initial=-1)) + 1, k), np.nan)
    for turn in range(int(place.max(initial=-1)) + 1):
        rows = np.flatnonzero(place == turn)
        now = shares[rows] if turn == 0 else belief[subject[rows]]
        for t in range(rounds):
            played = X.counted[rows, t, None]
            ahead = (1 - hazard) * now + hazard * shares[rows] if turn or t else now
            before[rows, t] = ahead
            weight = ahead * np.exp(log_p[rows, t] - log_p[rows, t].max(1, keepdims=True))
            now = np.where(played, weight / weight.sum(1, keepdims=True), now)
        belief[subject[rows]] = after[rows] = now
    return before, after


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
