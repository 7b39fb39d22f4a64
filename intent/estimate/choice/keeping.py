"""Subjects who keep their strategy, with covariates: their likelihood from counts of moves, and its slope."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.estimate.choice.choices import Choices
from intent.estimate.choice.laws import Design, Point, bounded_odds, softmax
from intent.estimate.counts import Counts, patterns

__all__ = ["Kept"]

Floats = NDArray[np.float64]


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
