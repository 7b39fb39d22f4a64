"""Shares of a mixture whose components are known: empirical Bayes at a given noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from intent.recognise.sfem.maximise import maximise
from intent.recognise.sfem.mixture import Layout, Mixture, Parameters

__all__ = ["shares_of"]

Floats = NDArray[np.float64]


class _KnownMixture(Mixture):
    """A mixture of given likelihoods, which no tremble changes."""

    def __init__(self, log_likelihoods: Floats) -> None:
        n, k = log_likelihoods.shape
        self.groups = (log_likelihoods,)  # type: ignore[assignment]
        self.layout = Layout(np.zeros(1, dtype=np.intp), np.zeros((1, k), dtype=np.intp))
        self.n_strategies = k
        self._trembles = [np.zeros((k, n))]

    def likelihoods(self, group: int, rows: slice, log_odds: Floats) -> tuple[Floats, Floats, Floats]:
        matrix: Floats = self.groups[group][rows].T[None]  # type: ignore[index]
        known: Floats = np.broadcast_to(matrix, (len(log_odds), *matrix.shape[1:]))
        none: Floats = np.zeros(known.shape)
        return known, none, none


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
    start = Parameters(equal, np.full((1, 1), -2.0))
    found = maximise(_KnownMixture(possible), [np.ones((1, len(possible)))], start, tol=tol)
    shares: Floats = found.at.shares[0, 0]
    shares /= shares.sum()
    return shares
