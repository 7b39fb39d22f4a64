"""Maximum likelihood of the mixture: EM with a safeguarded Newton step, for a batch of problems at once.

Each iteration proposes the Newton step of the joint problem (shares and log-odds, shares kept at least zero
by an active set) and keeps it where the likelihood rises; elsewhere it takes the EM step, which never
lowers it:

    phi_k <- phi_k mean_i r_ik,      b_j <- E[trembles] / E[moves]

The number of trembles is known in expectation for stochastic strategies and for gaps too, so the M-step is
closed everywhere. The end is a gradient: max_k mean_i r_ik - 1 <= tol bounds what other shares can still
gain per subject (Lindsay 1983), which a small change of the log-likelihood does not on flat ridges.

References
----------
Dempster, Laird & Rubin 1977, JRSS B 39:1; Lindsay 1983, Annals of Statistics 11:86; Kim, Carbonetto,
Stephens & Anitescu 2020, JCGS 29:261 (Newton steps with an active set on the shares).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.recognise.sfem.mixture import HIGHEST, LOWEST, Mixture, Parameters, Slopes

__all__ = ["Optimum", "em_step", "gradient_bound", "maximise", "newton_step"]

Floats = NDArray[np.float64]
_GENTLEST, _STRONGEST = 1e-9, 1e12
"""Relative damping of the Newton step."""
_WARM_UP = 3
"""EM steps before the first Newton step."""


@dataclass(frozen=True, eq=False)
class Optimum:
    """Where the search ended, for each of the batch.

    Attributes
    ----------
    at : Parameters
    slopes : Slopes
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
    mixture : Mixture
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
        found = mixture.slopes(new, own)
        reached = np.maximum(*gradient_bound(new, found, totals[live], highest))
        if not em:
            rise = (found.value - slope.value) / np.abs(slope.value)
            failed = ~((rise > 1e-12) | ((rise >= -1e-13) & (reached < 0.5 * gradient[live])))
            stronger = np.clip(damping[live] * 1e3, 1e-3, _STRONGEST)
            damping[live] = np.where(failed, stronger, np.maximum(damping[live] / 1e2, _GENTLEST))
            again = np.flatnonzero(failed)
            if len(again):
                safe = em_step(before.take(again), _taken(slope, again), highest)
                new.shares[again], new.log_odds[again] = safe.shares, safe.log_odds
                found.put(again, mixture.slopes(safe, [x[again] for x in own]))
                reached = np.maximum(*gradient_bound(new, found, totals[live], highest))
        at.shares[live], at.log_odds[live] = new.shares, new.log_odds
        slopes.put(live, found)
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
