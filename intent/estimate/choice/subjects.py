"""Likelihoods of subjects, and their slopes: of those who keep their strategy, and of those who draw anew.

Who keeps it is known by counts of moves. Who draws anew is followed forwards, and backwards for the slope.
With a_t the belief after move t, u_t = e_t beta_t / c_t, the hazard h and the shares phi,

    a_t = ((1 - h) a_{t-1} + h phi) e_t / c_t,        beta_{t-1} = (1 - h) u_t + h (phi . u_t),

the log-likelihood is sum_t log c_t, and its slope follows from the expected draws of every strategy.

References
----------
Rabiner 1989, Proceedings of the IEEE 77:257 (scaling of the forward and the backward pass).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.estimate.choice.choices import Choices
from intent.estimate.choice.membership import (
    Design,
    Point,
    bounded_odds,
    decisions,
    implementation_errors,
    intentions,
    softmax,
)
from intent.estimate.counts import Counts, patterns
from intent.strategies.catalogue import Strategy
from intent.strategies.likelihood import complete_rows, composed

__all__ = ["Drifting", "Kept"]

Floats = NDArray[np.float64]
_STEP = 1e-4
"""Of log odds, in the derivative of histories whose state path is unknown."""
_CELLS = 1 << 21
"""Numbers per array of a block of subjects."""


@dataclass(frozen=True, eq=False)
class _Block:
    """Some subjects, the one with most moves first.

    Attributes
    ----------
    row : (S, M), row of each move, 0 after the last one
    turn : (S, M), its round
    number : (S,), subjects that each stands for
    length : (S,), moves that count
    """

    row: NDArray[np.intp]
    turn: NDArray[np.intp]
    number: Floats
    length: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Drifting:
    """Likelihood of subjects who draw their strategy anew.

    Attributes
    ----------
    X : Choices
    strategies : K Strategy
    z : (n, P), covariates of the rows
    intended : (n, T, K) float32, probability of intending the decision that was made
    gaps : (K,) lists of rows whose state path is unknown while moves count
    """

    X: Choices
    strategies: tuple[Strategy, ...]
    z: Floats
    intended: NDArray[np.float32]
    gaps: tuple[NDArray[np.intp], ...]
    blocks: tuple[_Block, ...]

    @classmethod
    def of(cls, X: Choices, strategies: tuple[Strategy, ...], design: Design) -> Drifting:
        X, number = _alike(X) if not design.width else (X, np.ones(len(X)))
        simple, _ = complete_rows(X.own, X.other, X.counted)
        intended = np.empty((*X.shape, len(strategies)), dtype=np.float32)
        for k, s in enumerate(strategies):
            p = intentions(X.own, X.other, s)
            intended[:, :, k] = np.where(X.chosen == 1, p, 1 - p)
        gaps = tuple(
            np.flatnonzero(~simple if s.observed_path else np.ones(len(X), bool)) for s in strategies
        )
        blocks = tuple(_blocks(X, number, len(strategies)))
        return cls(X, strategies, design.code(X), intended, gaps, blocks)

    @property
    def size(self) -> float:
        """Subjects."""
        return float(sum(block.number.sum() for block in self.blocks))

    def shares(self, at: Point) -> Floats:
        """(n, K)."""
        return softmax(at.constants + self.z @ at.membership)

    def slopes(self, at: Point) -> tuple[float, Floats]:
        """Log-likelihood and its slope."""
        parts = [(block.number @ value, block.number @ scores) for block, value, scores in self._scores(at)]
        return float(sum(value for value, _ in parts)), np.sum([slope for _, slope in parts], axis=0)

    def outer(self, at: Point) -> Floats:
        """Outer product of the scores of subjects."""
        parts = [scores.T @ (scores * block.number[:, None]) for block, _, scores in self._scores(at)]
        total: Floats = np.sum(parts, axis=0)
        return total

    def _scores(self, at: Point) -> Iterator[tuple[_Block, Floats, Floats]]:
        phi = self.shares(at)
        own, inner = bounded_odds(at.log_odds + self.z @ at.response, at.cap)
        filtered = [self._gaps(k, own) for k in range(len(self.strategies))]
        for block in self.blocks:
            yield block, *self._of_block(block, at.hazard, phi, own, inner, filtered)

    def _gaps(self, k: int, log_odds: Floats) -> tuple[Floats, Floats]:
        """Probability of the decisions in rows whose path is unknown, and its slope: two (m, T)."""
        rows = self.gaps[k]
        if not len(rows):
            return np.zeros((0, 0)), np.zeros((0, 0))
        own = log_odds[rows, k if log_odds.shape[1] > 1 else 0]
        error = implementation_errors(self.X)[rows]
        chosen = self.X.chosen[rows] == 1

        odds = np.concatenate([own, own + _STEP, own - _STEP])
        noise = composed(1 / (1 + np.exp(-odds)), np.tile(error, 3))
        q = decisions(self.X, np.tile(rows, 3), self.strategies[k], noise)
        likelihoods, up, down = np.split(np.where(np.tile(chosen, (3, 1)), q, 1 - q), 3)
        return likelihoods, (up - down) / (2 * _STEP)

    def _of_block(
        self,
        block: _Block,
        hazard: float,
        phi: Floats,
        log_odds: Floats,
        inner: Floats,
        filtered: Sequence[tuple[Floats, Floats]],
    ) -> tuple[Floats, Floats]:
        """Log-likelihood of each subject (S,) and its scores (S, P)."""
        row, turn = block.row, block.turn
        b = 1 / (1 + np.exp(-log_odds))[row]
        error = implementation_errors(self.X)[row][..., None]
        c = self.intended[row, turn].astype(float)
        e = c + composed(b, error) * (1 - 2 * c)
        change = b * (1 - b) * (1 - 2 * error) * (1 - 2 * c) / e
        for k, rows in enumerate(self.gaps):
            if not len(rows):
                continue
            place = np.full(len(self.X), -1)
            place[rows] = np.arange(len(rows))
            at = place[row]
            where = at >= 0
            q, slope = filtered[k]
            e[where, k] = q[at[where], turn[where]]
            change[where, k] = slope[at[where], turn[where]] / e[where, k]
        prior = phi[row] if len(self.z[0]) else phi[0]
        value, gamma, draws = _forward_backward(e, prior, hazard, block.length)
        played = np.arange(row.shape[1]) < block.length[:, None]
        gamma *= played[..., None]
        draws *= played[..., None]
        net = draws - draws.sum(2, keepdims=True) * prior
        j = log_odds.shape[1]
        trembles = gamma * change if j > 1 else (gamma * change).sum(2, keepdims=True)
        trembles = trembles * inner[row]
        net = net[:, :, :-1]
        z = self.z[row]
        parts = [net.sum(1), np.einsum("smp,smk->spk", z, net).reshape(len(row), -1)]
        parts += [trembles.sum(1), np.einsum("smp,smk->spk", z, trembles).reshape(len(row), -1)]
        chances = np.maximum(block.length - 1, 0)
        parts.append((draws[:, 1:].sum((1, 2)) - hazard * chances)[:, None])
        return value, np.hstack(parts)


def _forward_backward(
    e: Floats, prior: Floats, hazard: float, length: NDArray[np.intp]
) -> tuple[Floats, Floats, Floats]:
    """Log-likelihood (S,), posterior of the types of every move and expected draws of each, two (S, M, K).

    Parameters
    ----------
    e : (S, M, K), probability of each move by type
    prior : (K,) or (S, M, K), what types are drawn from
    hazard : float
    length : (S,), moves of each subject, the most first
    """
    s, m, k = e.shape
    prior = np.broadcast_to(prior, e.shape)
    active = [int(np.searchsorted(-length, -t, side="left")) for t in range(m)]
    alpha, norm = np.empty((m, s, k)), np.ones((m, s))
    for t in range(m):
        n = active[t]
        before = prior[:n, t] if t == 0 else (1 - hazard) * alpha[t - 1, :n] + hazard * prior[:n, t]
        weight = before * e[:n, t]
        norm[t, :n] = weight.sum(1)
        alpha[t, :n] = weight / norm[t, :n, None]
        alpha[t, n:] = 0
    gamma, draws = np.zeros(e.shape), np.zeros(e.shape)
    beta = np.ones((s, k))
    for t in range(m - 1, -1, -1):
        n = active[t]
        gamma[:n, t] = alpha[t, :n] * beta[:n]
        if t == 0:
            draws[:n, 0] = gamma[:n, 0]
            break
        u = e[:n, t] * beta[:n] / norm[t, :n, None]
        drawn = prior[:n, t] * u
        draws[:n, t] = hazard * drawn
        beta[:n] = (1 - hazard) * u + hazard * drawn.sum(1, keepdims=True)
    return np.log(norm).sum(0), gamma, draws


def _alike(X: Choices) -> tuple[Choices, Floats]:
    """Rows that are alike once, with their number, where every subject has one row."""
    if len(np.unique(X.subject)) < len(X) or X.implementation_error is not None:
        return X, np.ones(len(X))
    rows = np.concatenate([X.own, X.other, X.chosen], axis=1)
    _, first, number = np.unique(rows, axis=0, return_index=True, return_counts=True)
    return X[first], number.astype(float)


def _blocks(X: Choices, number: Floats, k: int) -> Iterator[_Block]:
    """Subjects with the places of their moves, in blocks of bounded size."""
    order = np.argsort(X.subject, kind="stable")
    row, turn = np.nonzero(X.counted[order])
    row = order[row]
    _, of = np.unique(X.subject[row], return_inverse=True)
    length = np.bincount(of)
    start = np.cumsum(length) - length
    by_length = np.argsort(-length, kind="stable")
    at = 0
    while at < len(by_length):
        most = int(length[by_length[at]])
        size = max(1, _CELLS // (most * k))
        chosen = by_length[at : at + size]
        at += size
        place = np.arange(most)
        inside = place < length[chosen, None]
        index = np.where(inside, start[chosen, None] + place, start[chosen, None])
        yield _Block(row[index], turn[index], number[row[start[chosen]]], length[chosen])


@dataclass(frozen=True, eq=False)
class Kept:
    """Likelihood of subjects who keep their strategy, with covariates.

    Attributes
    ----------
    counts : Counts of the kinds of subjects, those that are alike in counts and covariates
    number : (m,), subjects of each kind
    z : (m, P), their covariates
    """

    counts: Counts
    number: Floats
    z: Floats

    @classmethod
    def of(cls, X: Choices, counts: Counts, codes: NDArray[np.intp], design: Design) -> Kept:
        first = np.unique(codes, return_index=True)[1]
        z = design.code(X[first])
        _, setting = np.unique(z, axis=0, return_inverse=True)
        pattern = patterns(counts)[1]
        pairs = np.stack([pattern, setting.reshape(-1)], axis=1)
        _, place, number = np.unique(pairs, axis=0, return_index=True, return_counts=True)
        return cls(counts.take(place), number.astype(float), z[place])

    @property
    def size(self) -> float:
        """Subjects."""
        return float(self.number.sum())

    def shares(self, at: Point) -> Floats:
        """(subjects, K), as each kind counts."""
        phi = softmax(at.constants + self.z @ at.membership)
        weighted: Floats = phi * (self.number / self.number.mean())[:, None]
        return weighted

    def slopes(self, at: Point) -> tuple[float, Floats]:
        """Log-likelihood and its slope."""
        value, scores = self._scores(at)
        return float(self.number @ value), self.number @ scores

    def outer(self, at: Point) -> Floats:
        """Outer product of the scores of subjects."""
        scores = self._scores(at)[1]
        out: Floats = scores.T @ (scores * self.number[:, None])
        return out

    def _scores(self, at: Point) -> tuple[Floats, Floats]:
        phi = softmax(at.constants + self.z @ at.membership)
        own, inner = bounded_odds(at.log_odds + self.z @ at.response, at.cap)
        k, j = phi.shape[1], own.shape[1]
        ll, s = _log_likelihoods(self.counts, np.broadcast_to(own, (len(phi), k)) if j == 1 else own)
        with np.errstate(divide="ignore"):
            joint = np.log(phi) + ll
        top = joint.max(1, keepdims=True)
        value = top[:, 0] + np.log(np.exp(joint - top).sum(1))
        r = np.exp(joint - value[:, None])
        draws = (r - phi)[:, :-1]
        trembles = r * s if j > 1 else (r * s).sum(1, keepdims=True)
        trembles = trembles * inner
        return value, np.hstack([draws, _spread(self.z, draws), trembles, _spread(self.z, trembles)])


def _spread(z: Floats, scores: Floats) -> Floats:
    """Scores (n, M) of each column of covariates (n, P): (n, P M)."""
    return (z[:, :, None] * scores[:, None]).reshape(len(z), -1)


def _log_likelihoods(counts: Counts, log_odds: Floats) -> tuple[Floats, Floats]:
    """Log-likelihood of subjects under each strategy and its slope by the log odds, two (n, K)."""
    b = 1 / (1 + np.exp(-log_odds))
    ll, slope = np.empty(b.shape), np.empty(b.shape)
    for k in range(counts.n_strategies):
        columns = counts.columns(k)
        p, moves, own = counts.p[columns], counts.moves[:, columns], b[:, k, None]
        q = p + own * (1 - 2 * p)
        ll[:, k] = (moves * np.log(q)).sum(1)
        slope[:, k] = (moves * (own * (1 - own) * (1 - 2 * p) / q)).sum(1)
    gaps = counts.gaps
    if len(gaps):
        more, more_slope, _ = gaps.moments(log_odds[gaps.row, gaps.strategy][None])
        np.add.at(ll, (gaps.row, gaps.strategy), more[0])
        np.add.at(slope, (gaps.row, gaps.strategy), more_slope[0])
    return ll, slope
