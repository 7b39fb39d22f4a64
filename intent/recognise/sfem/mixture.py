"""The likelihood of the mixture, its gradient and its observed information, for a batch of parameters.

L = prod_i sum_k phi_k P_ik with log P_ik = sum_c N_ic log q_c. With r_ik = P_ik / sum_l phi_l P_il, the
log-odds of tremble j written l_j, and s_ik, h_ik the derivatives of log P_ik by its log-odds:

    u_ij = sum_{k in j} phi_k r_ik s_ik
    d log L / d phi_k = sum_i r_ik              d log L / d l_j = sum_i u_ij
    -d2 / d phi_k d phi_l = sum_i r_ik r_il     -d2 / d phi_k d l_j = sum_i r_ik u_ij - [k in j] r_ik s_ik
    -d2 / d l_j d l_m = sum_i u_ij u_im - [j = m] sum_{k in j} phi_k r_ik (h_ik + s_ik^2)

The batch runs over starts, bootstrap samples or permutations, which differ in parameters and in the weights
of subjects.

References
----------
Dal Bó & Fréchette 2011, AER 101:411 (the mixture); Louis 1982, JRSS B 44:226 (observed information of an EM
problem).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.recognise.sfem.counts import Counts

__all__ = ["BESIDE_RANDOM", "HIGHEST", "LOWEST", "Layout", "Mixture", "Parameters", "Slopes"]

Floats = NDArray[np.float64]
LOWEST, HIGHEST = float(np.log(1e-13)), -1e-9
"""Log-odds between which a tremble is sought: 1e-13 stands for 0, and .5 is approached only."""
BESIDE_RANDOM = float(np.log(1 / 3))
"""Highest log-odds (a tremble of 1/4) where RANDOM competes: with a tremble of 1/2 every strategy is RANDOM,
and play by coins would pass for that of a strategy that errs very often."""
_CHUNK = 1 << 18
"""Numbers per array in a step over subjects: they stay in the processor's cache."""


@dataclass(frozen=True, eq=False)
class Layout:
    """Which parameters are whose.

    Attributes
    ----------
    block : (G,) index of the shares of each group
    tremble : (G, K) index of the tremble of each group and strategy
    """

    block: NDArray[np.intp]
    tremble: NDArray[np.intp]

    @property
    def n_blocks(self) -> int:
        """A, vectors of shares."""
        return int(self.block.max()) + 1

    @property
    def n_trembles(self) -> int:
        """J."""
        return int(self.tremble.max()) + 1


@dataclass(frozen=True, eq=False)
class Parameters:
    """A batch of parameters: shares (B, A, K) and log-odds of the trembles (B, J)."""

    shares: Floats
    log_odds: Floats

    def take(self, rows: NDArray[np.intp]) -> Parameters:
        """Some of the batch."""
        return Parameters(self.shares[rows], self.log_odds[rows])


@dataclass(frozen=True, eq=False)
class Slopes:
    """What one pass over the subjects gives, for each of the batch.

    Attributes
    ----------
    value : (B,) log-likelihood
    shares : (B, A, K) its derivative by the shares
    log_odds : (B, J) its derivative by the log-odds
    information : (B, A K + J, A K + J) minus its second derivative
    moves : (B, J) expected number of moves that each tremble governs
    """

    value: Floats
    shares: Floats
    log_odds: Floats
    information: Floats
    moves: Floats

    def put(self, rows: NDArray[np.intp], other: Slopes) -> None:
        """Overwrite some of the batch."""
        for name in ("value", "shares", "log_odds", "information", "moves"):
            getattr(self, name)[rows] = getattr(other, name)


class Mixture:
    """Subjects of G groups, and the likelihood of their play.

    Parameters
    ----------
    groups : G Counts of the same strategies
    layout : Layout

    Attributes
    ----------
    highest : float, log-odds up to which a tremble is sought
    """

    def __init__(self, groups: Sequence[Counts], layout: Layout) -> None:
        self.groups = tuple(groups)
        self.highest = BESIDE_RANDOM if _has_random(groups[0]) else HIGHEST
        self.layout = layout
        self.n_strategies = groups[0].n_strategies
        self._trembles = [np.ascontiguousarray(g.trembles().T) for g in groups]

    def likelihoods(self, group: int, rows: slice, log_odds: Floats) -> tuple[Floats, Floats, Floats]:
        """Log-likelihood of subjects under each strategy and its two derivatives, three (B, K, n).

        Parameters
        ----------
        group : int
        rows : slice of its subjects
        log_odds : (B, J)
        """
        counts = self.groups[group]
        moves = counts.moves[rows].astype(float).T
        own = log_odds[:, self.layout.tremble[group]]
        out = np.empty((3, len(own), self.n_strategies, moves.shape[1]))
        for k in range(self.n_strategies):
            columns = counts.columns(k)
            p = counts.p[columns]
            b = 1 / (1 + np.exp(-own[:, k, None]))
            q = p + b * (1 - 2 * p)
            slope = b * (1 - b) * (1 - 2 * p) / q
            curve = slope * (1 - 2 * b) - slope**2
            for what, per_move in enumerate((np.log(q), slope, curve)):
                np.matmul(per_move, moves[columns], out=out[what, :, k])
        gaps = counts.gaps
        if len(gaps):
            start, stop, _ = rows.indices(len(counts))
            here = np.flatnonzero((gaps.row >= start) & (gaps.row < stop))
            row, strategy = gaps.row[here] - start, gaps.strategy[here]
            moments = gaps.take(here, row, strategy).moments(own[:, strategy])
            for what, values in enumerate(moments):
                np.add.at(out[what].transpose(1, 2, 0), (strategy, row), values.T)
        return out[0], out[1], out[2]

    def slopes(self, at: Parameters, weights: Sequence[Floats]) -> Slopes:
        """Log-likelihood and derivatives.

        Parameters
        ----------
        at : Parameters of a batch of B
        weights : G arrays (B, n_g), how often each subject counts
        """
        b, a, k = at.shares.shape
        j = at.log_odds.shape[1]
        found = Slopes(
            np.zeros(b),
            np.zeros((b, a, k)),
            np.zeros((b, j)),
            np.zeros((b, a * k + j, a * k + j)),
            np.zeros((b, j)),
        )
        for g, counts in enumerate(self.groups):
            step = max(256, _CHUNK // (b * k))
            for start in range(0, len(counts), step):
                rows = slice(start, min(start + step, len(counts)))
                self._add(found, at, g, rows, weights[g][:, rows])
        return found

    def _add(self, found: Slopes, at: Parameters, g: int, rows: slice, w: Floats) -> None:
        """Add the terms of some subjects of group g."""
        block, n_strategies = int(self.layout.block[g]), self.n_strategies
        ll, s, h = self.likelihoods(g, rows, at.log_odds)
        phi = at.shares[:, block]
        value, r = _ratios(ll, phi)
        found.value[:] += np.einsum("bn,bn->b", w, value)
        wr = r * w[:, None]
        found.shares[:, block] += wr.sum(axis=2)
        part = slice(block * n_strategies, (block + 1) * n_strategies)
        found.information[:, part, part] += wr @ r.transpose(0, 2, 1)
        rs = np.multiply(r, s)
        h += s * s
        h *= wr
        curvature = phi * h.sum(axis=2)
        cross = np.einsum("bkn,bn->bk", rs, w)
        played = phi * np.einsum("bkn,kn->bk", wr, self._trembles[g][:, rows])
        own = self.layout.tremble[g]
        used = np.unique(own)
        u = np.empty((len(w), len(used), r.shape[2]))
        for i, tremble in enumerate(used):
            in_it = own == tremble
            u[:, i] = np.einsum("bk,bkn->bn", phi * in_it, rs)
        wu = u * w[:, None]
        mixed = wr @ u.transpose(0, 2, 1)
        square = wu @ u.transpose(0, 2, 1)
        base = at.shares.shape[1] * n_strategies
        for i, tremble in enumerate(used):
            in_it = own == tremble
            found.log_odds[:, tremble] += wu[:, i].sum(axis=1)
            found.moves[:, tremble] += (played * in_it).sum(axis=1)
            column = mixed[:, :, i] - cross * in_it
            found.information[:, part, base + tremble] += column
            found.information[:, base + tremble, part] += column
            for m, other in enumerate(used):
                found.information[:, base + tremble, base + other] += square[:, i, m]
            found.information[:, base + tremble, base + tremble] -= (curvature * in_it).sum(axis=1)

    def scores(self, group: int, at: Parameters) -> Floats:
        """Scores of each subject of a group under the first parameters of the batch, (n, A K + J)."""
        n_blocks, k = at.shares.shape[1:]
        block, own = int(self.layout.block[group]), self.layout.tremble[group]
        out = np.zeros((len(self.groups[group]), n_blocks * k + at.log_odds.shape[1]))
        phi = at.shares[:1, block]
        step = max(256, _CHUNK // k)
        for start in range(0, len(out), step):
            rows = slice(start, min(start + step, len(out)))
            ll, s, _ = self.likelihoods(group, rows, at.log_odds[:1])
            r = _ratios(ll, phi)[1][0]
            out[rows, block * k : (block + 1) * k] = r.T - 1
            for i in range(k):
                out[rows, n_blocks * k + own[i]] += phi[0, i] * r[i] * s[0, i]
        return out

    def posterior(self, group: int, at: Parameters) -> Floats:
        """Posterior of each subject of a group under the first parameters of the batch, (n, K)."""
        out = np.empty((len(self.groups[group]), self.n_strategies))
        phi = at.shares[:1, int(self.layout.block[group])]
        step = max(256, _CHUNK // self.n_strategies)
        for start in range(0, len(out), step):
            rows = slice(start, min(start + step, len(out)))
            ll, _, _ = self.likelihoods(group, rows, at.log_odds[:1])
            out[rows] = (phi[0][:, None] * _ratios(ll, phi)[1][0]).T
        out /= out.sum(axis=1, keepdims=True)
        return out


def _has_random(counts: Counts) -> bool:
    """Whether one of several strategies tosses a fair coin for every move."""
    fair = [bool((counts.p[counts.columns(k)] == 0.5).all()) for k in range(counts.n_strategies)]
    return any(fair) and not all(fair)


def _ratios(ll: Floats, phi: Floats) -> tuple[Floats, Floats]:
    """log sum_k phi_k P_k (B, n), and the ratios P_k over that sum (B, K, n)."""
    with np.errstate(divide="ignore"):
        top = (ll + np.log(phi)[:, :, None]).max(axis=1)
    r = np.exp(np.minimum(ll - top[:, None], 300.0))
    mix = np.einsum("bk,bkn->bn", phi, r)
    r /= mix[:, None]
    return top + np.log(mix), r
