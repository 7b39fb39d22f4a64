"""What drives a metric: a random forest, Shapley values by feature and level, fit and stability."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.analysis.explaining.explanation import Explanation, Importance, Level, Spread, Stability
from intent.analysis.explaining.forest_fit import fit_forest, r_squared, r_squared_out
from intent.analysis.explaining.one_hot import Design, design
from intent.analysis.explaining.shapley import shapley_values
from intent.errors import UsageError

__all__ = ["explain_metric"]

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
    trees, seeds, seed : int

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
    made = design(table[known].reset_index(drop=True), features)
    values, clusters = y[known], games[known]
    notes += [
        f"feature {name} has one level, so that nothing can depend on it"
        for name, levels in zip(made.features, made.levels, strict=True)
        if len(levels) == 1
    ]
    n_games = len(np.unique(clusters))
    if np.ptp(values) == 0:
        notes.append(f"{target} is {values[0]:g} in all rows: nothing to explain")
        return _constant(target, made, values, n_games, trees, seeds, notes)
    return _explained(target, made, values, clusters, trees, seeds, seed, notes)


def _explained(
    target: str,
    made: Design,
    y: NDArray[np.float64],
    games: NDArray[np.intp],
    trees: int,
    seeds: int,
    seed: int,
    notes: list[str],
) -> Explanation:
    rows, first, inverse, counts = np.unique(
        made.columns, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    n_games = len(np.unique(games))
    repeats = 0 if n_games < _LEAST_GAMES else seeds if len(y) <= _MANY else min(seeds, _FEW_REPEATS)
    if not repeats:
        notes.append(f"{n_games} games are too few to leave any out")
    elif repeats < seeds:
        notes.append(f"r2_out is of {repeats} cross-validations, as there are many rows")
    weights, sizes, fits, spread = counts.astype(float), [], [], None
    for k in range(seeds):
        forest = fit_forest(made.columns, y, trees, seed + k)
        fits.append(r_squared(y, forest.predict(rows)[inverse.reshape(-1)]))
        drawn = _drawn(weights, forest, seeds, k == 0, np.random.default_rng((seed, k)))
        shap = made.by_feature(shapley_values(forest, rows[drawn > 0])[0])
        sizes.append(np.average(np.abs(shap), axis=0, weights=drawn[drawn > 0]))
        if k == 0:
            spread = Spread(shap, made.codes[first][drawn > 0], drawn[drawn > 0])
    assert spread is not None
    if len(spread.weights) < len(rows):
        notes.append(
            f"Shapley values are of a random {len(spread.weights):,} of {len(rows):,} different rows"
        )
    out = [r_squared_out(made.columns, y, games, trees, seed + k) for k in range(repeats)]
    every = np.stack(sizes)
    return Explanation(
        target,
        len(y),
        n_games,
        trees,
        _ranking(made, y, every, spread),
        fits[0],
        float(np.mean(out)) if out else float("nan"),
        Stability(seeds, _rank_correlation(every), _summary(fits), _summary(out)),
        spread,
        made.features,
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
    made: Design, y: NDArray[np.float64], sizes: NDArray[np.float64], spread: Spread
) -> tuple[Importance, ...]:
    order = np.argsort(-sizes, axis=1, kind="stable")
    ranks = np.argsort(order, axis=1, kind="stable") + 1
    total = float(sizes[0].sum())
    found = [
        Importance(
            name,
            float(sizes[0, f]),
            float(sizes[0, f]) / total if total > 0 else float("nan"),
            int(ranks[:, f].min()),
            int(ranks[:, f].max()),
            _levels(made, f, y, spread),
        )
        for f, name in enumerate(made.features)
    ]
    return tuple(sorted(found, key=lambda one: -one.mean_abs_shap))


def _levels(made: Design, f: int, y: NDArray[np.float64], spread: Spread) -> tuple[Level, ...]:
    found = []
    for code, name in enumerate(made.levels[f]):
        rows, shown = made.codes[:, f] == code, spread.codes[:, f] == code
        mean = np.average(spread.values[shown, f], weights=spread.weights[shown]) if shown.any() else np.nan
        found.append(Level(name, int(rows.sum()), float(y[rows].mean()), float(mean)))
    return tuple(found)


def _rank_correlation(sizes: NDArray[np.float64]) -> float:
    """Mean of Kendall's tau-b over all pairs of seeds; NaN with one seed or one feature."""
    from scipy.stats import kendalltau

    seeds, features = sizes.shape
    if seeds < 2 or features < 2:
        return float("nan")
    pairs = [(a, b) for a in range(seeds) for b in range(a)]
    found = [float(kendalltau(sizes[a], sizes[b]).statistic) for a, b in pairs]
    return float(np.nanmean(found)) if np.isfinite(found).any() else float("nan")


def _summary(values: Sequence[float]) -> tuple[float, float, float]:
    """Mean, smallest and largest."""
    if not values:
        return (float("nan"),) * 3
    return float(np.mean(values)), float(np.min(values)), float(np.max(values))


def _constant(
    target: str, made: Design, y: NDArray[np.float64], n_games: int, trees: int, seeds: int, notes: list[str]
) -> Explanation:
    """A metric that does not vary: no importance, no ranks, no fit."""
    nothing = float("nan")
    zero = Spread(np.zeros(made.codes.shape), made.codes, np.ones(len(y)))
    ranking = tuple(
        Importance(name, 0.0, nothing, None, None, _levels(made, f, y, zero))
        for f, name in enumerate(made.features)
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
        made.features,
        tuple(notes),
    )
