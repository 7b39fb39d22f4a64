"""Shares of a mixture whose components are known: empirical Bayes at a given noise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from intent.recognise.sfem.maximise import Optimum, maximise
from intent.recognise.sfem.mixture import HIGHEST, Layout, Mixture, Parameters

__all__ = ["KnownMixture", "climb_known", "shares_of"]

Floats = NDArray[np.float64]


class KnownMixture(Mixture):
    """A mixture of given likelihoods, which no tremble changes.

    Parameters
    ----------
    log_likelihoods : G arrays (n_g, K)
    layout : Layout
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
    layout : Layout
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
    found = climb_known([possible], [np.ones(len(possible))], layout, tol=tol)
    shares: Floats = found.at.shares[0, 0]
    shares /= shares.sum()
    return shares
