"""What an explanation of a metric holds: importances by feature and level, fit, stability."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Explanation", "Importance", "Level", "Spread", "Stability"]


@dataclass(frozen=True)
class Level:
    """A level of a feature: rows, their mean metric, the mean Shapley value of the feature there."""

    name: str
    n: int
    mean_target: float
    mean_shap: float


@dataclass(frozen=True)
class Importance:
    """A feature: mean absolute Shapley value, its share of all features', ranks over the seeds, levels."""

    feature: str
    mean_abs_shap: float
    share: float
    rank_low: int | None
    rank_high: int | None
    levels: tuple[Level, ...]


@dataclass(frozen=True)
class Stability:
    """Over forests of different seeds: Kendall's tau between rankings (mean over pairs), R2 in and out."""

    seeds: int
    rank_correlation: float
    r2_in: tuple[float, float, float]
    r2_out: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Spread:
    """Shapley values behind the means: (m, F) by feature, (m, F) levels, (m,) rows that are alike."""

    values: NDArray[np.float64]
    codes: NDArray[np.intp]
    weights: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Explanation:
    """What drives a metric.

    Attributes
    ----------
    target : str
    n, n_games : rows and games that the forest was fitted to
    trees : int
    ranking : Importance of every feature, the largest first
    r2_in, r2_out : float, NaN where the metric does not vary or games are too few
    stability : Stability
    spread : Spread, features in the order of `features`
    features : names in the order given
    notes : what a reader should be warned of
    """

    target: str
    n: int
    n_games: int
    trees: int
    ranking: tuple[Importance, ...]
    r2_in: float
    r2_out: float
    stability: Stability
    spread: Spread
    features: tuple[str, ...]
    notes: tuple[str, ...]
