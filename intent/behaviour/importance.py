"""What drives a metric: a random forest, Shapley values by feature and level, fit and stability.

What an explanation of a metric holds: importances by feature and level, fit, stability.

Features of a table as the columns of a regression: one per level, and the way back to the feature.

A random forest fitted to a metric, and how well it predicts games that it has not seen.

Shapley values of a forest's predictions, by TreeExplainer.

Explanations read back from the table of importances that was written of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import DataError, UnknownNameError, UsageError
from intent.base.registry import require
from intent.base.statistics import NONE
from intent.base.tables import keys_of_rows

__all__ = [
    "Design",
    "Explanation",
    "Importance",
    "Level",
    "Spread",
    "Stability",
    "design",
    "explain_metric",
    "explanation_grid",
    "fit_forest",
    "r_squared",
    "shapley_values",
]


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
    n, n_games : rows and games that the forest was fitted to
    ranking : Importance of every feature, the largest first
    r2_in, r2_out : float, NaN where the metric does not vary or games are too few
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


_MOST_LEVELS = 50
_FEW_NUMBERS = 12
"""Distinct numbers up to which each is a level of its own, as 10 and 20 rounds are."""

_PARTS = 4


@dataclass(frozen=True, eq=False)
class Design:
    """The rows of a regression.

    Attributes
    ----------
    features : (F,) names
    levels : for each feature, the names of its levels
    codes : (n, F) intp, level of each row
    columns : (n, p) float, 0 and 1; a feature of many numbers has one column that holds them
    owner : (p,) intp, the feature that each column belongs to
    """

    features: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    codes: NDArray[np.intp]
    columns: NDArray[np.float64]
    owner: NDArray[np.intp]

    def by_feature(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(m, F) sums over the columns of each feature of (m, p) values."""
        sums = np.zeros((len(values), len(self.features)))
        np.add.at(sums.T, self.owner, values.T)
        return sums


def design(table: pd.DataFrame, features: Sequence[str]) -> Design:
    """One column per level of each feature; rows without a value are the level ``(none)``.

    Numbers of at most 12 distinct values are levels too (rounds played, a scale of payoffs). More of them
    stay numbers in one column, and their levels, by which results are told, hold a quarter of the rows each.

    Parameters
    ----------
    table : DataFrame of n rows
    features : names of F of its columns

    Raises
    ------
    UnknownNameError
        No such column.
    UsageError
        A column named twice, or text of more than 50 values.
    DataError
        A column of many numbers has nulls.
    """
    levels, codes, columns, owner = [], [], [], []
    for f, name in enumerate(features):
        if name not in table.columns:
            raise UnknownNameError("column", name, map(str, table.columns))
        if name in features[:f]:
            raise UsageError(f"feature {name!r} is named twice")
        names, own, dummies = _feature(table[name], name)
        levels.append(names)
        codes.append(own)
        columns.append(dummies)
        owner += [f] * dummies.shape[1]
    n = len(table)
    return Design(
        tuple(features),
        tuple(levels),
        np.stack(codes, axis=1) if codes else np.zeros((n, 0), dtype=np.intp),
        np.concatenate(columns, axis=1) if columns else np.zeros((n, 0)),
        np.array(owner, dtype=np.intp),
    )


def _feature(column: pd.Series, name: str) -> tuple[tuple[str, ...], NDArray[np.intp], NDArray[np.float64]]:
    """Levels of a column, the level of each row, and the columns that it becomes."""
    kind = column.dtype
    numeric = pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind)
    known = column.notna().to_numpy()
    values = column[known].to_numpy(dtype=float) if numeric else column[known].astype(str).to_numpy(dtype=str)
    distinct, inverse = np.unique(values, return_inverse=True)
    if numeric and len(distinct) > _FEW_NUMBERS:
        return _numbers(values, known, name)
    if len(distinct) > _MOST_LEVELS:
        raise UsageError(f"feature {name!r} has {len(distinct):,} levels, expected at most {_MOST_LEVELS}")
    texts = [f"{value:g}" if numeric else str(value) for value in distinct]
    codes = np.full(len(column), len(distinct), dtype=np.intp)
    codes[known] = inverse
    names = (*texts, *([NONE] if not known.all() else []))
    return names, codes, (codes[:, None] == np.arange(len(names))).astype(float)


def _numbers(
    values: NDArray[np.float64], known: NDArray[np.bool_], name: str
) -> tuple[tuple[str, ...], NDArray[np.intp], NDArray[np.float64]]:
    if not known.all():
        raise DataError(f"feature {name!r} has nulls among many numbers, expected a number in every row")
    inner = np.unique(np.quantile(values, np.arange(1, _PARTS) / _PARTS))
    codes = np.searchsorted(inner, values, side="left")
    ends = [f"up to {inner[0]:g}", *(f"{a:g} to {b:g}" for a, b in pairwise(inner))]
    return (*ends, f"over {inner[-1]:g}"), codes.astype(np.intp), values[:, None]


FOLDS = 5


def fit_forest(X: NDArray[np.float64], y: NDArray[np.float64], trees: int, seed: int) -> Any:
    """scikit-learn's RandomForestRegressor with its own defaults otherwise.

    Parameters
    ----------
    X : (n, p) float
    y : (n,) float
    seed : int, its random_state

    References
    ----------
    Breiman 2001, Machine Learning 45:5.
    """
    require("sklearn")
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(n_estimators=trees, random_state=seed).fit(X, y)


def r_squared(y: NDArray[np.float64], predicted: NDArray[np.float64]) -> float:
    """R2 = 1 - sum (y - predicted)^2 / sum (y - mean y)^2; NaN where y does not vary."""
    total = float(((y - y.mean()) ** 2).sum())
    return 1 - float(((y - predicted) ** 2).sum()) / total if total > 0 else float("nan")


def _r_squared_out(
    X: NDArray[np.float64], y: NDArray[np.float64], games: NDArray[np.intp], trees: int, seed: int
) -> float:
    """R2 of predictions for games left out, in five folds drawn by the seed (fewer where games are fewer).

    The rows of a game are left out together. Games of the same conditions may stay in, so that this is the
    fit for new games of known conditions; where no conditions repeat, that for new combinations of them.
    """
    from sklearn.model_selection import GroupKFold

    folds = GroupKFold(min(FOLDS, len(np.unique(games))), shuffle=True, random_state=seed)
    predicted = np.empty(len(y))
    for train, test in folds.split(X, y, games):
        predicted[test] = fit_forest(X[train], y[train], trees, seed).predict(X[test])
    return r_squared(y, predicted)


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
    require("shap")
    with warnings.catch_warnings():
        # shap imports matplotlib, whose newest version warns of what shap asks of it
        warnings.simplefilter("ignore")
        from shap import TreeExplainer
    explainer = TreeExplainer(forest, feature_perturbation="tree_path_dependent")
    raw = np.asarray(explainer.shap_values(rows, check_additivity=False), dtype=float)
    values = raw.reshape(rows.shape)
    base = float(np.ravel(explainer.expected_value)[0])
    predicted = forest.predict(rows)
    assert np.allclose(base + values.sum(axis=1), predicted, atol=1e-6 * max(1.0, np.abs(predicted).max()))
    return values, base


_BUDGET = 2e7
"""Rows times leaves that Shapley values are computed for, all seeds together: some seconds."""

_MANY = 5_000
_FEW_REPEATS = 3
"""Repeats of the cross-validation beyond so many rows, where repeats differ little."""

_LEAST_GAMES = 5


def explain_metric(
    table: pd.DataFrame,
    target: str,
    y: NDArray[np.float64],
    features: Sequence[str],
    games: NDArray[np.intp],
    *,
    trees: int = 10,
    seeds: int = 20,
    seed: int = 0,
) -> Explanation:
    """Fit a random forest to a metric and divide its predictions among the features.

    1. Every feature becomes one column per level (`one_hot.design`).
    2. A forest of `trees` trees with random_state `seed` is fitted to all rows; its Shapley values are added
       up over the columns of a feature. Importance = mean over rows of the absolute sum.
    3. The same with random states seed + 1, ..., seed + seeds - 1 says how far ranks depend on the seed
       (smallest and largest rank, Kendall's tau).
    4. Five-fold cross-validation over games, once per seed, says how well rows left out are predicted.

    Parameters
    ----------
    table : DataFrame of n rows
    target : str, name of the metric
    y : (n,) float, the metric; rows of NaN are left out and counted
    features : columns of the table
    games : (n,) int, rows that are left out together

    Raises
    ------
    UsageError
        No feature, no row with a value, or fewer than one tree or seed.

    References
    ----------
    Cremonini 2025, The Agent's Dilemma, section 2.4.4 (10 trees, one-hot features, SHAP).
    """
    if trees < 1 or seeds < 1:
        raise UsageError(f"{trees} trees and {seeds} seeds, expected at least 1 of each")
    if not features:
        raise UsageError("no features to explain by, expected at least one column")
    known = np.isfinite(y)
    if not known.any():
        raise UsageError(f"column {target!r} has no value in any of {len(y):,} rows")
    notes = []
    if not known.all():
        notes.append(f"{int((~known).sum()):,} of {len(y):,} rows have no {target} and are left out")
    matrix = design(table[known].reset_index(drop=True), features)
    values, clusters = y[known], games[known]
    notes += [
        f"feature {name} has one level, so that nothing can depend on it"
        for name, levels in zip(matrix.features, matrix.levels, strict=True)
        if len(levels) == 1
    ]
    n_games = len(np.unique(clusters))
    if np.ptp(values) == 0:
        notes.append(f"{target} is {values[0]:g} in all rows: nothing to explain")
        return _constant(target, matrix, values, n_games, trees, seeds, notes)
    return _explained(target, matrix, values, clusters, trees, seeds, seed, notes)


def _explained(
    target: str,
    matrix: Design,
    y: NDArray[np.float64],
    games: NDArray[np.intp],
    trees: int,
    seeds: int,
    seed: int,
    notes: list[str],
) -> Explanation:
    rows, first, inverse, counts = np.unique(
        matrix.columns, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    n_games = len(np.unique(games))
    repeats = 0 if n_games < _LEAST_GAMES else seeds if len(y) <= _MANY else min(seeds, _FEW_REPEATS)
    if not repeats:
        notes.append(f"{n_games} games are too few to leave any out")
    elif repeats < seeds:
        notes.append(f"r2_out is of {repeats} cross-validations, as there are many rows")
    weights, sizes, fits, spread = counts.astype(float), [], [], None
    for k in range(seeds):
        forest = fit_forest(matrix.columns, y, trees, seed + k)
        fits.append(r_squared(y, forest.predict(rows)[inverse.reshape(-1)]))
        drawn = _drawn(weights, forest, seeds, k == 0, np.random.default_rng((seed, k)))
        shap = matrix.by_feature(shapley_values(forest, rows[drawn > 0])[0])
        sizes.append(np.average(np.abs(shap), axis=0, weights=drawn[drawn > 0]))
        if k == 0:
            spread = Spread(shap, matrix.codes[first][drawn > 0], drawn[drawn > 0])
    assert spread is not None
    if len(spread.weights) < len(rows):
        notes.append(
            f"Shapley values are of a random {len(spread.weights):,} of {len(rows):,} different rows"
        )
    out = [_r_squared_out(matrix.columns, y, games, trees, seed + k) for k in range(repeats)]
    every = np.stack(sizes)
    return Explanation(
        target,
        len(y),
        n_games,
        trees,
        _ranking(matrix, y, every, spread),
        fits[0],
        float(np.mean(out)) if out else float("nan"),
        Stability(seeds, _rank_correlation(every), _summary(fits), _summary(out)),
        spread,
        matrix.features,
        tuple(notes),
    )


def _drawn(
    weights: NDArray[np.float64], forest: object, seeds: int, main: bool, rng: np.random.Generator
) -> NDArray[np.float64]:
    """How often each different row counts: all of them, or a sample of rows where they are too many."""
    leaves = sum(tree.get_n_leaves() for tree in forest.estimators_)  # type: ignore[attr-defined]
    share = _BUDGET / 2 if main else _BUDGET / 2 / max(1, seeds - 1)
    most = max(100, int(share / leaves))
    if len(weights) <= most:
        return weights
    return rng.multinomial(most, weights / weights.sum()).astype(float)


def _ranking(
    matrix: Design, y: NDArray[np.float64], sizes: NDArray[np.float64], spread: Spread
) -> tuple[Importance, ...]:
    order = np.argsort(-sizes, axis=1, kind="stable")
    ranks = np.argsort(order, axis=1, kind="stable") + 1
    total = float(sizes[0].sum())
    importances = [
        Importance(
            name,
            float(sizes[0, f]),
            float(sizes[0, f]) / total if total > 0 else float("nan"),
            int(ranks[:, f].min()),
            int(ranks[:, f].max()),
            _levels(matrix, f, y, spread),
        )
        for f, name in enumerate(matrix.features)
    ]
    return tuple(sorted(importances, key=lambda one: -one.mean_abs_shap))


def _levels(matrix: Design, f: int, y: NDArray[np.float64], spread: Spread) -> tuple[Level, ...]:
    levels = []
    for code, name in enumerate(matrix.levels[f]):
        rows, shown = matrix.codes[:, f] == code, spread.codes[:, f] == code
        mean = np.average(spread.values[shown, f], weights=spread.weights[shown]) if shown.any() else np.nan
        levels.append(Level(name, int(rows.sum()), float(y[rows].mean()), float(mean)))
    return tuple(levels)


def _rank_correlation(sizes: NDArray[np.float64]) -> float:
    """Mean of Kendall's tau-b over all pairs of seeds; NaN with one seed or one feature."""
    from scipy.stats import kendalltau

    seeds, features = sizes.shape
    if seeds < 2 or features < 2:
        return float("nan")
    pairs = [(a, b) for a in range(seeds) for b in range(a)]
    taus = [float(kendalltau(sizes[a], sizes[b]).statistic) for a, b in pairs]
    return float(np.nanmean(taus)) if np.isfinite(taus).any() else float("nan")


def _summary(values: Sequence[float]) -> tuple[float, float, float]:
    """Mean, smallest and largest."""
    if not values:
        return (float("nan"),) * 3
    return float(np.mean(values)), float(np.min(values)), float(np.max(values))


def _constant(
    target: str,
    matrix: Design,
    y: NDArray[np.float64],
    n_games: int,
    trees: int,
    seeds: int,
    notes: list[str],
) -> Explanation:
    """A metric that does not vary: no importance, no ranks, no fit."""
    nothing = float("nan")
    zero = Spread(np.zeros(matrix.codes.shape), matrix.codes, np.ones(len(y)))
    ranking = tuple(
        Importance(name, 0.0, nothing, None, None, _levels(matrix, f, y, zero))
        for f, name in enumerate(matrix.features)
    )
    none = (nothing, nothing, nothing)
    stability = Stability(seeds, nothing, none, none)
    return Explanation(
        target,
        len(y),
        n_games,
        trees,
        ranking,
        nothing,
        nothing,
        stability,
        zero,
        matrix.features,
        tuple(notes),
    )


def explanation_grid(
    table: pd.DataFrame,
) -> tuple[list[list[Explanation | None]], list[str], list[str | None]]:
    """What bars of importance are drawn of: rows targets, columns groups.

    Parameters
    ----------
    table : DataFrame
        As `ExplainResult.table` gives it; columns before ``target`` make the groups.

    Returns
    -------
    grid, names of the targets, names of the groups (None for a single group)
    """
    by = [str(name) for name in table.columns[: list(table.columns).index("target")]]
    keys = [" · ".join(map(str, row)) or None for row in keys_of_rows(table, by)]
    groups = list(dict.fromkeys(keys))
    targets = [str(name) for name in dict.fromkeys(table["target"])]
    grid: list[list[Explanation | None]] = []
    for target in targets:
        line: list[Explanation | None] = []
        for group in groups:
            same = np.array([key == group for key in keys], dtype=bool)
            part = table[same & (table["target"].astype(str) == target).to_numpy()]
            line.append(_explanation(target, part) if len(part) else None)
        grid.append(line)
    return grid, targets, groups


def _explanation(target: str, part: pd.DataFrame) -> Explanation:
    def rank(value: Any) -> int | None:
        return None if value is None or value != value else int(value)

    rows: Any = part.itertuples(index=False)
    ranking = tuple(
        Importance(
            str(row.feature),
            float(row.mean_abs_shap),
            float(row.share),
            rank(getattr(row, "rank_low", None)),
            rank(getattr(row, "rank_high", None)),
            (),
        )
        for row in rows
    )
    nothing, nowhere = float("nan"), np.empty((0, len(ranking)))
    first = part.iloc[0]
    return Explanation(
        target=target,
        n=int(first["n"]),
        n_games=0,
        trees=0,
        ranking=ranking,
        r2_in=float(first["r2_in"]),
        r2_out=float(first["r2_out"]),
        stability=Stability(0, nothing, (nothing,) * 3, (nothing,) * 3),
        spread=Spread(nowhere, nowhere.astype(np.intp), np.empty(0)),
        features=tuple(one.feature for one in ranking),
        notes=(),
    )
