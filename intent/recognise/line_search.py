"""Minimising a function of one number that may have several valleys."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["lowest_point"]


def lowest_point(loss: Callable[[float], float], grid: NDArray[np.float64], tol: float) -> float:
    """Where a function is least: the best point of a grid, refined between its neighbours.

    Parameters
    ----------
    loss : float -> float
    grid : (m,) rising
        Fine enough that the lowest valley holds a point of it.
    tol : float
        Distance from the minimum at which the refinement (Brent's, bounded) stops.

    Returns
    -------
    float, the point of the grid itself where the refinement finds nothing lower

    References
    ----------
    Brent 1973, Algorithms for Minimization without Derivatives, chapter 5.
    """
    from scipy.optimize import minimize_scalar

    losses = [loss(float(x)) for x in grid]
    at = int(np.argmin(losses))
    bounds = (grid[max(0, at - 1)], grid[min(len(grid) - 1, at + 1)])
    found = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": tol})
    return float(found.x if found.fun < losses[at] else grid[at])
