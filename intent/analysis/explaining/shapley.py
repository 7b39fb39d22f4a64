"""Shapley values of a forest's predictions, by TreeExplainer."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["shapley_values"]


def shapley_values(forest: Any, rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """What each column adds to the prediction of each row.

    prediction = base + sum_j phi_j, where phi_j is the Shapley value of column j in the game whose worth of a
    set S of columns is the forest's expectation given the row's values in S, by the shares of training rows
    in the branches of its trees (path-dependent TreeSHAP).

    Parameters
    ----------
    forest : fitted RandomForestRegressor of scikit-learn
    rows : (m, p) float

    Returns
    -------
    values : (m, p) float
    base : float, the mean prediction

    References
    ----------
    Lundberg et al. 2020, Nature Machine Intelligence 2:56 (TreeExplainer); Lundberg & Lee 2017, NeurIPS.
    """
    with warnings.catch_warnings():
        # shap imports matplotlib, whose newest version warns of what shap asks of it
        warnings.simplefilter("ignore")
        from shap import TreeExplainer
    explainer = TreeExplainer(forest, feature_perturbation="tree_path_dependent")
    found = np.asarray(explainer.shap_values(rows, check_additivity=False), dtype=float)
    values = found.reshape(rows.shape)
    base = float(np.ravel(explainer.expected_value)[0])
    predicted = forest.predict(rows)
    assert np.allclose(base + values.sum(axis=1), predicted, atol=1e-6 * max(1.0, np.abs(predicted).max()))
    return values, base
