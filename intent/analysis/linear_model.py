"""Linear regression of a number on several factors at once, with errors clustered by game."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.analysis.cluster_covariance import sandwich
from intent.analysis.design_matrix import Design, design
from intent.analysis.logit import alias_notes, term_notes
from intent.analysis.margins import adjusted_margins, t_quantile, two_sided_p
from intent.analysis.model_result import Coefficient, MeanModel, Term
from intent.analysis.score_test import effective_clusters, hotelling_score
from intent.errors import UsageError

__all__ = ["mean_model"]

Floats = NDArray[np.float64]


def mean_model(
    table: pd.DataFrame,
    factors: Sequence[str],
    values: Floats,
    clusters: NDArray[np.intp],
    interactions: Sequence[Sequence[str]] = (),
    *,
    level: float = 0.95,
) -> MeanModel:
    """Which factors matter for the mean of a number (of 0 and 1: a share), the others held equal.

    Least squares; covariance and margins as in `share_model`, terms tested by `hotelling_score`.

    Parameters
    ----------
    table : DataFrame
        n rows with the factors.
    factors : sequence of str
    values : (n,) float, no NaN
    clusters : (n,) int
    interactions : sequence of sequences of factors
    level : float in (0, 1)

    Raises
    ------
    UsageError
        Not more rows than coefficients, or a number that does not vary.
    """
    n_clusters = len(np.unique(clusters))
    main = design(table, factors)
    full = design(table, factors, interactions) if interactions else main
    estimates, covariance, r2 = _fitted(full, values, clusters)
    if np.ptp(values) <= 1e-12 * np.abs(values).max(initial=0.0):
        raise UsageError("a regression of a number that is the same in all rows, expected one that varies")
    terms = tuple(
        _tested(main if term in main.terms else full, term, values, clusters) for term in full.terms
    )
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    reach = t_quantile(level, n_clusters - 1)
    coefficients = tuple(
        Coefficient(
            None, column.name, b, se, b - reach * se, b + reach * se, two_sided_p(b, se, n_clusters - 1)
        )
        for column, b, se in zip(full.columns, estimates.tolist(), errors.tolist(), strict=True)
    )

    def predicted(matrix: Floats, weights: Floats) -> tuple[Floats, Floats]:
        gradient = (weights @ matrix)[None]
        return gradient @ estimates, gradient

    return MeanModel(
        n=len(values),
        n_clusters=n_clusters,
        r2=r2,
        terms=terms,
        coefficients=coefficients,
        margins=adjusted_margins(full, predicted, covariance, (None,), n_clusters, level),
        notes=(*alias_notes(full), *term_notes(terms, full, n_clusters)),
    )


def _tested(found: Design, term: str, values: Floats, clusters: NDArray[np.intp]) -> Term:
    own = found.places(term)
    if not own.size:
        return Term(term, float("nan"), None, float("nan"))
    matrix = found.matrix()
    rest = np.delete(matrix, own, axis=1)
    residuals = values - rest @ np.linalg.lstsq(rest, values)[0]
    effective = effective_clusters(matrix, clusters, own)
    statistic, p, df = hotelling_score(
        matrix * residuals[:, None], matrix.T @ matrix, clusters, own, effective
    )
    return Term(term, statistic, df, p)


def _fitted(found: Design, values: Floats, clusters: NDArray[np.intp]) -> tuple[Floats, Floats, float]:
    """Estimates, covariance, and R2."""
    matrix = found.matrix()
    if len(values) <= matrix.shape[1]:
        raise UsageError(f"{len(values)} rows for {matrix.shape[1]} coefficients, expected more rows")
    bread = np.asarray(np.linalg.inv(matrix.T @ matrix), dtype=float)
    estimates = bread @ (matrix.T @ values)
    residuals = values - matrix @ estimates
    total = float(((values - values.mean()) ** 2).sum())
    r2 = 1 - float((residuals**2).sum()) / total if total > 0 else float("nan")
    return estimates, sandwich(bread, matrix * residuals[:, None], clusters), r2
