"""Nodes and weights that integrate a likelihood over the noise exactly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from intent.errors import RecogniserError

__all__ = ["eps_nodes"]

_FEWEST_NODES = 64


def eps_nodes(prior: tuple[float, ...], rounds: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Gauss nodes and weights of a prior over eps.

    The likelihood of T moves is a polynomial of degree T in eps, so T // 2 + 1 Gauss nodes integrate it
    exactly. For T > 126 the number grows with the square root of T, as the peak gets narrower.

    Parameters
    ----------
    prior : (low, high) of a uniform on [low, high], or (a, b, scale) of a Beta(a, b) on [0, scale]
        All within [0, .5].
    rounds : int
        T, at least 1.

    Returns
    -------
    nodes, weights : (m,) float64; weights sum to one

    Raises
    ------
    RecogniserError
        The prior is neither.
    """
    m = min(max(rounds, 1) // 2 + 1, max(_FEWEST_NODES, int(4 * rounds**0.5)))
    if len(prior) == 2:
        low, high = prior
        if not 0 <= low < high <= 0.5:
            raise RecogniserError(
                f"eps prior {tuple(prior)}, expected (low, high) with 0 <= low < high <= .5"
            )
        x, w = np.polynomial.legendre.leggauss(m)
        return low + (x + 1) * (high - low) / 2, w / w.sum()
    if len(prior) == 3 and prior[0] > 0 and prior[1] > 0 and 0 < prior[2] <= 0.5:
        from scipy.special import roots_jacobi

        a, b, scale = prior
        x, w = roots_jacobi(m, b - 1, a - 1)
        return (x + 1) / 2 * scale, w / w.sum()
    raise RecogniserError(
        f"eps prior {tuple(prior)}, expected (low, high) or Beta (a > 0, b > 0, scale <= .5)"
    )
