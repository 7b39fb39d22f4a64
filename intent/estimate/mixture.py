"""The likelihood of the mixture, its gradient and its observed information, for a batch of parameters.

L = prod_i sum_k phi_k P_ik with log P_ik = sum_c N_ic log q_c. With r_ik = P_ik / sum_l phi_l P_il, the
log-odds of tremble j written l_j, and s_ik, h_ik the derivatives of log P_ik by its log-odds:

    u_ij = sum_{k in j} phi_k r_ik s_ik
    d log L / d phi_k = sum_i r_ik              d log L / d l_j = sum_i u_ij
    -d2 / d phi_k d phi_l = sum_i r_ik r_il     -d2 / d phi_k d l_j = sum_i r_ik u_ij - [k in j] r_ik s_ik
    -d2 / d l_j d l_m = sum_i u_ij u_im - [j = m] sum_{k in j} phi_k r_ik (h_ik + s_ik^2)

The batch runs over starts, bootstrap samples or permutations, which differ in parameters and in the weights
of subjects.

Maximum likelihood of the mixture: EM with a safeguarded Newton step, for a batch of problems at once.

Each iteration proposes the Newton step of the joint problem (shares and log-odds, shares kept at least zero
by an active set) and keeps it where the likelihood rises; elsewhere it takes the EM step, which never
lowers it:

    phi_k <- phi_k mean_i r_ik,      b_j <- E[trembles] / E[moves]

The number of trembles is known in expectation for stochastic strategies and for gaps too, so the M-step is
closed everywhere. The end is a gradient: max_k mean_i r_ik - 1 <= tol bounds what other shares can still
gain per subject (Lindsay 1983), which a small change of the log-likelihood does not on flat ridges.

Where the search begins, and which beginning wins.

At a given tremble the log-likelihood is concave in the shares, so with one tremble a grid over it reaches
every hill; with one per strategy, each strategy in turn is also tried as the precise and as the sloppy one.

Shares of a mixture whose components are known: empirical Bayes at a given noise.

The covariance of the estimates is that of the observed information. The shares sum to one, so it is taken
along that plane: with T a basis of it, the covariance is T (T' I T)^-1 T', which gives every share its error
at once. Estimates on their boundary are held there. With clusters it is the sandwich
T A^-1 (sum_c s_c s_c') A^-1 T' of the clusters' scores s_c; those of clusters that are alike are counted.

References
----------
Dal Bó & Fréchette 2011, AER 101:411 (the mixture); Louis 1982, JRSS B 44:226 (observed information of an EM
problem); White 1982, Econometrica 50:1, and Liang & Zeger 1986, Biometrika 73:13 (sandwich).
Dempster, Laird & Rubin 1977, JRSS B 39:1; Lindsay 1983, Annals of Statistics 11:86; Kim, Carbonetto,
Stephens & Anitescu 2020, JCGS 29:261 (Newton steps with an active set on the shares).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import UsageError
from intent.base.workers import SERIAL, Workers
from intent.estimate.counts import Counts

__all__ = [
    "HIGHEST",
    "LOWEST",
    "NO_TREMBLE",
    "PIECE",
    "ZERO",
    "Covariance",
    "KnownMixture",
    "Layout",
    "Method",
    "Mixture",
    "Optimum",
    "Parameters",
    "Slopes",
    "TrembleKind",
    "climb",
    "climb_known",
    "covariance",
    "gradient_bound",
    "layout_of",
    "maximise",
    "newton_step",
    "ridges",
    "shares_of",
    "starts",
]


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


@dataclass(frozen=True, eq=False)
class Method:
    """How shares are estimated.

    Parameters
    ----------
    tremble : {"common", "strategy", "pooled"}
        One per group; one per strategy and group; one for all groups, which are then fitted together.
    bootstrap : int
        Resamples of subjects (or clusters); 0: errors from the information. As many permutations are drawn
        for the test between groups.
    level : float in (0, 1), of the intervals
    test : bool, whether groups are compared
    rng : Generator, needed for the bootstrap
    shares_rng : Generator, for a test of equal shares that holds for clusters; None: by chi-square alone
    update : called with (units of work done, in all)
    workers : Workers, which fit resamples and permutations; the result is the same for any

    Raises
    ------
    UsageError
        A bootstrap without `rng`.
    """

    tremble: TrembleKind = "common"
    bootstrap: int = 0
    level: float = 0.95
    test: bool = True
    rng: np.random.Generator | None = None
    shares_rng: np.random.Generator | None = None
    update: Callable[[int, int], None] = lambda done, total: None
    workers: Workers = SERIAL

    def __post_init__(self) -> None:
        if self.bootstrap and self.rng is None:
            raise UsageError("a bootstrap draws random numbers: got no rng, expected a numpy Generator")


class Mixture:
    """Subjects of G groups, and the likelihood of their play.

    Parameters
    ----------
    groups : G Counts of the same strategies

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
        sums = Slopes(
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
                self._add(sums, at, g, rows, weights[g][:, rows])
        return sums

    def _add(self, sums: Slopes, at: Parameters, g: int, rows: slice, w: Floats) -> None:
        """Add the terms of some subjects of group g."""
        block, n_strategies = int(self.layout.block[g]), self.n_strategies
        ll, s, h = self.likelihoods(g, rows, at.log_odds)
        phi = at.shares[:, block]
        value, r = _ratios(ll, phi)
        sums.value[:] += np.einsum("bn,bn->b", w, value)
        wr = r * w[:, None]
        sums.shares[:, block] += wr.sum(axis=2)
        part = slice(block * n_strategies, (block + 1) * n_strategies)
        sums.information[:, part, part] += wr @ r.transpose(0, 2, 1)
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
            sums.log_odds[:, tremble] += wu[:, i].sum(axis=1)
            sums.moves[:, tremble] += (played * in_it).sum(axis=1)
            column = mixed[:, :, i] - cross * in_it
            sums.information[:, part, base + tremble] += column
            sums.information[:, base + tremble, part] += column
            for m, other in enumerate(used):
                sums.information[:, base + tremble, base + other] += square[:, i, m]
            sums.information[:, base + tremble, base + tremble] -= (curvature * in_it).sum(axis=1)

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


_GENTLEST, _STRONGEST = 1e-9, 1e12
"""Relative damping of the Newton step."""
_WARM_UP = 3
"""EM steps before the first Newton step."""


@dataclass(frozen=True, eq=False)
class Optimum:
    """Where the search ended, for each of the batch.

    Attributes
    ----------
    gradient : (B,) largest of the shares' bound and the trembles' score, both per subject
    iterations : (B,)
    path : list of (B,) log-likelihoods after each iteration
    highest : float, log-odds at which trembles are held
    """

    at: Parameters
    slopes: Slopes
    gradient: Floats
    iterations: NDArray[np.int64]
    path: list[Floats]
    highest: float = HIGHEST


def em_step(at: Parameters, slopes: Slopes, highest: float = HIGHEST) -> Parameters:
    """One EM step from where the slopes were taken; log-odds of trembles up to `highest`."""
    shares = at.shares * slopes.shares
    total = shares.sum(axis=2, keepdims=True)
    shares = np.where(total > 0, shares / np.where(total > 0, total, 1), at.shares)
    b = 1 / (1 + np.exp(-at.log_odds))
    with np.errstate(divide="ignore", invalid="ignore"):
        new = b + slopes.log_odds / slopes.moves
        log_odds = np.log(new) - np.log1p(-new)
    usable = (slopes.moves > 0) & ~np.isnan(log_odds)
    return Parameters(shares, np.where(usable, np.clip(log_odds, LOWEST, highest), at.log_odds))


def gradient_bound(
    at: Parameters, slopes: Slopes, totals: Floats, highest: float = HIGHEST
) -> tuple[Floats, Floats]:
    """How far from stationary: max_k mean_i r_ik - 1 over all blocks, and the trembles' score per subject.

    Parameters
    ----------
    at, slopes
        Of a batch of B.
    totals : (B, A) subjects of each block of shares
    highest : float, log-odds at which a tremble is held
    """
    mean = slopes.shares / np.where(totals > 0, totals, 1)[:, :, None] - 1
    shares = np.where(totals[:, :, None] > 0, mean, 0).max(axis=(1, 2))
    score = slopes.log_odds / totals.sum(axis=1)[:, None]
    score = np.where(at.log_odds <= LOWEST, np.maximum(score, 0), score)
    score = np.where(at.log_odds >= highest, np.minimum(score, 0), score)
    return shares, np.abs(score).max(axis=1)


def newton_step(
    at: Parameters, slopes: Slopes, totals: Floats, damping: Floats, highest: float = HIGHEST
) -> Parameters:
    """The maximum of the quadratic model over shares >= 0, nearly: a few passes of an active set.

    The constraint sum phi = 1 is dropped for log L - n sum phi, whose maximum fulfils it.
    """
    b, a, k = at.shares.shape
    theta = np.concatenate([at.shares.reshape(b, a * k), at.log_odds], axis=1)
    slope = np.concatenate([(slopes.shares - totals[:, :, None]).reshape(b, a * k), slopes.log_odds], axis=1)
    matrix = slopes.information
    diagonal = np.abs(np.einsum("bii->bi", matrix))
    damped = damping[:, None] * np.maximum(diagonal, 1e-8 * diagonal.max(axis=1, keepdims=True)) + 1e-300
    is_share = np.arange(theta.shape[1]) < a * k
    odds_held = ((theta <= LOWEST) & (slope <= 0)) | ((theta >= highest) & (slope >= 0))
    held = np.where(is_share, (theta <= 0) & (slope <= 0), odds_held)
    forced = np.zeros_like(theta)
    eye = np.eye(theta.shape[1])
    for _ in range(4):
        free = ~held
        right = np.where(held, forced, slope - np.einsum("bij,bj->bi", matrix, forced) + 0.0)
        system = np.where(free[:, :, None] & free[:, None, :], matrix, 0.0)
        system += eye * np.where(held, 1.0, damped)[:, :, None]
        step = _solved(system, right, eye * np.where(held, 0.0, 1e-3 * damped)[:, :, None])
        out = is_share & free & (theta + step < 0)
        if not out.any():
            break
        held = held | out
        forced = np.where(out, -theta, forced)
    shares = np.maximum(theta + step, 0)[:, : a * k].reshape(b, a, k)
    total = shares.sum(axis=2, keepdims=True)
    shares = np.where((total > 0) & np.isfinite(total), shares / np.where(total > 0, total, 1), at.shares)
    log_odds = at.log_odds + np.clip(step[:, a * k :], -3, 3)
    sinking = (at.log_odds < np.log(1e-7)) & (slopes.log_odds < 0)
    return Parameters(shares, np.where(sinking, LOWEST, np.clip(log_odds, LOWEST, highest)))


def _solved(system: Floats, right: Floats, more: Floats) -> Floats:
    """Solutions (B, P); with `more` damping where a negative curvature meets its own size."""
    try:
        step: Floats = np.linalg.solve(system, right[:, :, None]).astype(float)
    except np.linalg.LinAlgError:
        step = np.linalg.solve(system + more, right[:, :, None]).astype(float)
    return step[:, :, 0]


def maximise(
    mixture: Mixture,
    weights: Sequence[Floats],
    start: Parameters,
    *,
    tol: float = 1e-9,
    most: int = 500,
    newton: bool = True,
) -> Optimum:
    """Climb from each start of a batch.

    Parameters
    ----------
    weights : G arrays (B, n_g), how often each subject counts
    start : Parameters of a batch of B
    tol : float
        Bound on the gradient (per subject) at which to stop.
    most : int
        Iterations after which a search ends unconverged.
    newton : bool
        False: EM steps only.
    """
    totals = np.zeros(start.shares.shape[:2])
    for g, w in enumerate(weights):
        totals[:, mixture.layout.block[g]] += w.sum(axis=1)
    highest = mixture.highest
    at = Parameters(start.shares.copy(), np.clip(start.log_odds, LOWEST, highest))
    slopes = mixture.slopes(at, weights)
    gradient = np.maximum(*gradient_bound(at, slopes, totals, highest))
    iterations = np.zeros(len(totals), dtype=np.int64)
    damping = np.full(len(totals), _GENTLEST)
    path = [slopes.value.copy()]
    for iteration in range(most):
        live = np.flatnonzero(gradient > tol)
        if not len(live):
            break
        whole = len(live) == len(totals)
        own = list(weights) if whole else [x[live] for x in weights]
        before, slope = at.take(live), _taken(slopes, live)
        em = not newton or iteration < _WARM_UP
        if em:
            new = em_step(before, slope, highest)
        else:
            new = newton_step(before, slope, totals[live], damping[live], highest)
        fresh = mixture.slopes(new, own)
        reached = np.maximum(*gradient_bound(new, fresh, totals[live], highest))
        if not em:
            rise = (fresh.value - slope.value) / np.abs(slope.value)
            failed = ~((rise > 1e-12) | ((rise >= -1e-13) & (reached < 0.5 * gradient[live])))
            stronger = np.clip(damping[live] * 1e3, 1e-3, _STRONGEST)
            damping[live] = np.where(failed, stronger, np.maximum(damping[live] / 1e2, _GENTLEST))
            again = np.flatnonzero(failed)
            if len(again):
                safe = em_step(before.take(again), _taken(slope, again), highest)
                new.shares[again], new.log_odds[again] = safe.shares, safe.log_odds
                fresh.put(again, mixture.slopes(safe, [x[again] for x in own]))
                reached = np.maximum(*gradient_bound(new, fresh, totals[live], highest))
        at.shares[live], at.log_odds[live] = new.shares, new.log_odds
        slopes.put(live, fresh)
        gradient[live] = reached
        iterations[live] += 1
        path.append(slopes.value.copy())
    return Optimum(at, slopes, gradient, iterations, path, highest)


def _taken(slopes: Slopes, rows: NDArray[np.intp]) -> Slopes:
    return Slopes(
        slopes.value[rows],
        slopes.shares[rows],
        slopes.log_odds[rows],
        slopes.information[rows],
        slopes.moves[rows],
    )


_GRID = (0.005, 0.03, 0.1, 0.2, 0.3, 0.42)
_SCREEN = 4000
"""Distinct subjects on which the starts compete; the winner goes on with all."""


def starts(layout: Layout) -> Parameters:
    """A batch of starting values: equal shares at several trembles."""
    n_strategies = layout.tremble.shape[1]
    trembles = [np.full(layout.n_trembles, b) for b in _GRID]
    if len(np.unique(layout.tremble[0])) > 1:
        for k in range(n_strategies):
            for own, others in ((0.02, 0.3), (0.3, 0.03)):
                row = np.full(layout.n_trembles, others)
                row[layout.tremble[:, k]] = own
                trembles.append(row)
    b = np.stack(trembles)
    shares = np.full((len(b), layout.n_blocks, n_strategies), 1 / n_strategies)
    return Parameters(shares, np.log(b) - np.log1p(-b))


def climb(
    groups: Sequence[Counts],
    weights: Sequence[Floats],
    layout: Layout,
    *,
    tol: float = 1e-9,
    most: int = 1000,
) -> Optimum:
    """The highest point found from all starts (a batch of one).

    Parameters
    ----------
    groups : G Counts of distinct subjects
    weights : G arrays (n_g,), their numbers
    tol, most
        As `maximise`.
    """
    begin = starts(layout)
    b = len(begin.shares)
    screened, screen_weights = list(groups), list(weights)
    if sum(map(len, groups)) > _SCREEN:
        stride = -(-sum(map(len, groups)) // _SCREEN)
        screened = [c.take(np.arange(0, len(c), stride)) for c in groups]
        screen_weights = [w[::stride] for w in weights]
    first = maximise(
        Mixture(screened, layout), [np.tile(w, (b, 1)) for w in screen_weights], begin, tol=1e-4, most=60
    )
    best = int(np.argmax(first.slopes.value > first.slopes.value.max() - 1e-7))
    lead = first.at.take(np.array([best]))
    shares = np.where(lead.shares > 0, lead.shares, 1e-6)
    lifted = Parameters(shares / shares.sum(axis=2, keepdims=True), lead.log_odds)
    if screened[0] is not groups[0]:
        lead = lifted
    optimum = maximise(Mixture(groups, layout), [w[None, :] for w in weights], lead, tol=tol, most=most)
    optimum.iterations[:] += first.iterations[best]
    return optimum


class KnownMixture(Mixture):
    """A mixture of given likelihoods, which no tremble changes.

    Parameters
    ----------
    log_likelihoods : G arrays (n_g, K)
    """

    def __init__(self, log_likelihoods: Sequence[Floats], layout: Layout) -> None:
        self.groups = tuple(log_likelihoods)  # type: ignore[arg-type]
        self.layout = layout
        self.highest = HIGHEST
        self.n_strategies = log_likelihoods[0].shape[1]
        self._trembles = [np.zeros(matrix.shape[::-1]) for matrix in log_likelihoods]

    def likelihoods(self, group: int, rows: slice, log_odds: Floats) -> tuple[Floats, Floats, Floats]:
        matrix: Floats = self.groups[group][rows].T[None]  # type: ignore[index]
        known: Floats = np.broadcast_to(matrix, (len(log_odds), *matrix.shape[1:]))
        none: Floats = np.zeros(known.shape)
        return known, none, none


def climb_known(
    log_likelihoods: Sequence[Floats], weights: Sequence[Floats], layout: Layout, *, tol: float = 1e-9
) -> Optimum:
    """The highest point of a mixture of given likelihoods, a concave problem (a batch of one).

    Parameters
    ----------
    log_likelihoods : G arrays (n_g, K), with a possible component in every row
    weights : G arrays (n_g,), how often each row occurs
    tol : float
        As `maximise`.
    """
    k = log_likelihoods[0].shape[1]
    start = Parameters(np.full((1, layout.n_blocks, k), 1 / k), np.full((1, layout.n_trembles), -2.0))
    return maximise(KnownMixture(log_likelihoods, layout), [w[None, :] for w in weights], start, tol=tol)


def shares_of(log_likelihoods: Floats, *, tol: float = 1e-9) -> Floats:
    """Shares phi that maximise sum_i log sum_k phi_k exp(l_ik), a concave problem.

    Parameters
    ----------
    log_likelihoods : (n, K), -inf where impossible; rows without any possible component are left out
    tol : float
        Most that the mean log-likelihood can still gain.

    Returns
    -------
    (K,) that sum to one; equal shares where nothing is known
    """
    n_strategies = log_likelihoods.shape[1]
    equal: Floats = np.full((1, 1, n_strategies), 1 / n_strategies)
    possible = log_likelihoods[np.isfinite(log_likelihoods).any(axis=1)]
    if not len(possible):
        nothing: Floats = equal[0, 0]
        return nothing
    layout = Layout(np.zeros(1, dtype=np.intp), np.zeros((1, n_strategies), dtype=np.intp))
    optimum = climb_known([possible], [np.ones(len(possible))], layout, tol=tol)
    shares: Floats = optimum.at.shares[0, 0]
    shares /= shares.sum()
    return shares


TrembleKind = Literal["common", "strategy", "pooled"]
"""One tremble per group, one per strategy, or one for all groups."""


def layout_of(n_groups: int, n_strategies: int, tremble: TrembleKind, *, equal: Sequence[str] = ()) -> Layout:
    """The parameters of groups that are fitted together.

    Parameters
    ----------
    tremble : {"common", "strategy", "pooled"}
    equal : of "shares" and "tremble", those that are the same in all groups
    """
    groups = np.arange(n_groups)
    block = np.zeros(n_groups, dtype=np.intp) if "shares" in equal else groups
    own = groups if tremble != "pooled" and "tremble" not in equal else np.zeros(n_groups, dtype=np.intp)
    if tremble == "strategy":
        return Layout(block, own[:, None] * n_strategies + np.arange(n_strategies))
    return Layout(block, np.repeat(own[:, None], n_strategies, axis=1))


NO_TREMBLE = float(np.log(1e-8))
"""Log-odds of the smallest tremble that is told from none."""


ZERO = 1e-9
"""Shares smaller than this are zero."""


@dataclass(frozen=True, eq=False)
class Covariance:
    """Covariance of all parameters, shares block by block, then the log-odds of the trembles.

    Attributes
    ----------
    matrix : (P, P)
    interior : (P,) bool, neither on the boundary nor without moves to learn from
    known : (P,) bool, interior and told apart by the data
    """

    matrix: Floats
    interior: NDArray[np.bool_]
    known: NDArray[np.bool_]


def covariance(
    optimum: Optimum, scores: Floats | None = None, number: NDArray[np.int64] | None = None
) -> Covariance:
    """Covariance of the estimates at an optimum (the first of its batch).

    Parameters
    ----------
    scores : (C, P) or None
        Sum of the scores of each cluster, for the sandwich.
    number : (C,), optional
        How many clusters each row stands for; default: one.
    """
    shares, log_odds = optimum.at.shares[0], optimum.at.log_odds[0]
    moves = optimum.slopes.moves[0]
    odds_inside = (
        (log_odds > NO_TREMBLE) & (log_odds < optimum.highest) & (moves > 1e-6 * max(moves.sum(), 1e-300))
    )
    inside = (shares > ZERO) & (shares < 1 - ZERO)
    interior = np.concatenate([inside.reshape(-1), odds_inside])
    basis = _basis(shares.shape, inside, odds_inside)
    reduced = basis.T @ optimum.slopes.information[0] @ basis
    diagonal = np.abs(np.diag(reduced))
    scale = 1 / np.sqrt(np.maximum(diagonal, max(1e-10 * diagonal.max(initial=0.0), 1e-300)))
    values, vectors = np.linalg.eigh(reduced * scale[:, None] * scale)
    good = values > 1e-8
    half = basis @ (scale[:, None] * vectors)
    null = np.abs(half[:, ~good]).max(axis=1, initial=0.0)
    known = interior & (null <= 1e-6 * max(1e-300, np.abs(half).max(initial=0.0)))
    inverse = (half[:, good] / values[good]) @ half[:, good].T
    if scores is None:
        return Covariance(inverse, interior, known)
    number = np.ones(len(scores), dtype=np.int64) if number is None else number
    n_clusters = int(number.sum())
    if n_clusters < 2:
        return Covariance(inverse, interior, np.zeros_like(known))
    meat = (scores.T * number) @ scores * (n_clusters / max(n_clusters - 1, 1))
    return Covariance(inverse @ meat @ inverse, interior, known)


def ridges(shares_slope: Floats, information: Floats, total: float) -> list[tuple[int, ...]]:
    """Groups of strategies between which shares can be moved without changing the likelihood.

    A direction v with sum_k v_k P_ki = 0 for every subject i is a null vector of sum_i r_i r_i'; only
    strategies that the data do not exclude (mean_i r_ik = 1) take part.

    Parameters
    ----------
    shares_slope : (K,) sum_i r_ik
    information : (K, K) sum_i r_i r_i'
    total : float, number of subjects
    """
    able = np.flatnonzero(shares_slope >= total * (1 - 1e-6))
    values, vectors = np.linalg.eigh(information[np.ix_(able, able)] / total)
    null = vectors[:, values <= 1e-10 * max(values.max(initial=0.0), 1.0)]
    linked = np.abs(null @ null.T) > 1e-6
    left = {int(i) for i in np.flatnonzero(np.diag(linked))}
    parts = []
    while left:
        part, edge = set(), {min(left)}
        while edge:
            part |= edge
            edge = {int(j) for i in edge for j in np.flatnonzero(linked[i])} - part
        left -= part
        parts.append(tuple(int(able[i]) for i in sorted(part)))
    return parts


def _basis(shape: tuple[int, int], inside: NDArray[np.bool_], odds_inside: NDArray[np.bool_]) -> Floats:
    """(P, R) columns along which interior parameters can move: shares of a block by sums of zero."""
    a, k = shape
    size = a * k + len(odds_inside)
    columns = []
    for block in range(a):
        free = np.flatnonzero(inside[block]) + block * k
        for i in range(1, len(free)):
            column = np.zeros(size)
            column[free[:i]] = 1 / np.sqrt(i * (i + 1))
            column[free[i]] = -i / np.sqrt(i * (i + 1))
            columns.append(column)
    for j in np.flatnonzero(odds_inside):
        column = np.zeros(size)
        column[a * k + j] = 1.0
        columns.append(column)
    return np.stack(columns, axis=1) if columns else np.zeros((size, 0))


PIECE = 1 << 16
"""Numbers per array of fits that a worker makes together. They do not depend on the number of workers, since
the last digits of a fit may depend on what it is fitted with."""
