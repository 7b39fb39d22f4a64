"""A random forest fitted to a metric, and how well it predicts games that it has not seen."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["FOLDS", "fit_forest", "r_squared", "r_squared_out"]

FOLDS = 5


def fit_forest(X: NDArray[np.float64], y: NDArray[np.float64], trees: int, seed: int) -> Any:
    """scikit-learn's RandomForestRegressor with its own defaults otherwise.

    Parameters
    ----------
    X : (n, p) float
    y : (n,) float
    trees : int
    seed : int, its random_state

    References
    ----------
    Breiman 2001, Machine Learning 45:5.
    """
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(n_estimators=trees, random_state=seed).fit(X, y)


def r_squared(y: NDArray[np.float64], predicted: NDArray[np.float64]) -> float:
    """R2 = 1 - sum (y - predicted)^2 / sum (y - mean y)^2; NaN where y does not vary."""
    total = float(((y - y.mean()) ** 2).sum())
    return 1 - float(((y - predicted) ** 2).sum()) / total if total > 0 else float("nan")


def r_squared_out(
    X: NDArray[np.float64], y: NDArray[np.float64], games: NDArray[np.intp], trees: int, seed: int
) -> float:
    """R2 of predictions for games left out, in five folds drawn by the seed (fewer where games are fewer).

    The rows of a game are left out together. Games of the same conditions may stay in, so that this is the
    fit for new games of known conditions; where no conditions repeat, that for new combinations of them.

    Parameters
    ----------
    X : (n, p) float
    y : (n,) float
    games : (n,) int, at least two distinct ones
    trees, seed : int
    """
    from sklearn.model_selection import GroupKFold

    folds = GroupKFold(min(FOLDS, len(np.unique(games))), shuffle=True, random_state=seed)
    predicted = np.empty(len(y))
    for train, test in folds.split(X, y, games):
        predicted[test] = fit_forest(X[train], y[train], trees, seed).predict(X[test])
    return r_squared(y, predicted)
