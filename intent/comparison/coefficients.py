"""What a regression is made of: its design, terms, coefficients, and adjusted shares or means.

Tests that coefficients are zero know that rows of one cluster are no independent observations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import UsageError
from intent.base.statistics import grouping

__all__ = [
    "Coefficient",
    "Design",
    "MeanModel",
    "ShareModel",
    "Term",
    "adjusted_margins",
    "adjusted_score",
    "design",
    "effective_clusters",
    "hotelling_score",
    "t_quantile",
    "two_sided_p",
]


@dataclass(frozen=True)
class Term:
    """Whether a factor, or an interaction, matters at all.

    Parameters
    ----------
    term : str
        The factor, or factors joined by a cross.
    statistic : float
        F: `adjusted_score` in a logit, `hotelling_score` of means.
    df : (float, float) or None
        Of numerator and denominator, which need not be whole; None where it cannot be tested.
    p : float
        NaN where it cannot be tested.
    """

    term: str
    statistic: float
    df: tuple[float, float] | None
    p: float


@dataclass(frozen=True)
class Coefficient:
    """One coefficient: of the log odds of an outcome against the reference outcome, or of the mean.

    Parameters
    ----------
    outcome : str or None
        None for means.
    name : str
        ``model = B``; the reference level has no coefficient.
    estimate, se, low, high, p : float
        t interval and test with C - 1 degrees of freedom.
    """

    outcome: str | None
    name: str
    estimate: float
    se: float
    low: float
    high: float
    p: float


@dataclass(frozen=True)
class Margin:
    """What the model predicts if all rows had one level of a factor, all else as it is.

    Parameters
    ----------
    level : object
    outcome : str or None
        None for means.
    estimate, se, low, high : float
        Adjusted share or mean.
    effect, effect_se, effect_low, effect_high : float
        Its difference to the factor's first level (average marginal effect); 0 for that level.
    p : float
        Of the effect; NaN for the first level.
    """

    factor: str
    level: Any
    outcome: str | None
    estimate: float
    se: float
    low: float
    high: float
    effect: float
    effect_se: float
    effect_low: float
    effect_high: float
    p: float


@dataclass(frozen=True)
class ShareModel:
    """A multinomial logit of outcomes on factors.

    Parameters
    ----------
    outcomes : tuple of str
        Those that the model tells apart; the first is the reference.
    terms : tuple of Term
    coefficients : tuple of Coefficient
    margins : tuple of Margin
    separated : bool
        Whether some outcome never (or always) occurs somewhere, so that coefficients had to be bounded.
    """

    outcomes: tuple[str, ...]
    n: int
    n_clusters: int
    log_likelihood: float
    terms: tuple[Term, ...]
    coefficients: tuple[Coefficient, ...]
    margins: tuple[Margin, ...]
    separated: bool
    notes: tuple[str, ...]


@dataclass(frozen=True)
class MeanModel:
    """A linear regression of a number on factors; attributes as `ShareModel`."""

    n: int
    n_clusters: int
    r2: float
    terms: tuple[Term, ...]
    coefficients: tuple[Coefficient, ...]
    margins: tuple[Margin, ...]
    notes: tuple[str, ...]


INTERCEPT = "(intercept)"
_ALIASED = 1e-8
"""A column is determined by earlier ones if its part outside them is shorter than this, of its own length."""
Floats = NDArray[np.float64]
Cell = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class DesignColumn:
    """One column: 1 where each factor named has the level named.

    Attributes
    ----------
    term : str
        The factor, or factors joined by a cross; `INTERCEPT` for the constant.
    name : str
        ``model = B × language = fr``.
    cell : tuple of (factor, level)
        Places of both.
    """

    term: str
    name: str
    cell: Cell


@dataclass(frozen=True, eq=False)
class Design:
    """A design of full rank, with what had to be left out of it.

    Attributes
    ----------
    levels : tuple of tuples
        Values of each factor; the first is the reference.
    codes : (n, f) int
        Level of each factor in each row.
    columns : tuple of p DesignColumn
    aliased : mapping of column name -> columns that determine it
    terms : tuple of str
        All that were asked for, also those without a column left.
    """

    factors: tuple[str, ...]
    levels: tuple[tuple[Any, ...], ...]
    codes: NDArray[np.intp]
    columns: tuple[DesignColumn, ...]
    aliased: dict[str, tuple[str, ...]]
    terms: tuple[str, ...]

    def matrix(self, codes: NDArray[np.intp] | None = None) -> Floats:
        """(n, p) float, of the rows' own codes or of others."""
        return _matrix(self.codes if codes is None else codes, self.columns)

    def places(self, term: str) -> NDArray[np.intp]:
        """Columns of a term."""
        return np.array([i for i, c in enumerate(self.columns) if c.term == term], dtype=np.intp)


def design(table: pd.DataFrame, factors: Sequence[str], interactions: Sequence[Sequence[str]] = ()) -> Design:
    """Treatment coding: a column per level but the first, and products of them for interactions.

    A column that earlier ones determine (persona, where seat decides it; a combination that was never
    played) is left out and named with them.

    Parameters
    ----------
    interactions : sequence of sequences of factors

    Raises
    ------
    UnknownNameError, UsageError
        As `grouping`; no factors, or an interaction of something else than two or more factors.
    """
    if not factors:
        raise UsageError("a regression without factors, expected columns to group by")
    for chosen in interactions:
        if len(set(chosen)) < 2 or not set(chosen) <= set(factors):
            raise UsageError(
                f"interaction {' × '.join(chosen)!r}, expected two or more of {', '.join(factors)}"
            )
    parts = [grouping(table, [factor]) for factor in factors]
    levels = tuple(tuple(value[0] for value in part.values) for part in parts)
    codes = np.stack([part.codes for part in parts], axis=1)
    columns = [DesignColumn(INTERCEPT, INTERCEPT, ())]
    chosen_terms = [*((factor,) for factor in factors), *map(tuple, interactions)]
    for term in chosen_terms:
        places = [list(factors).index(factor) for factor in term]
        for combination in product(*(range(1, len(levels[place])) for place in places)):
            cell = tuple(zip(places, combination, strict=True))
            name = " × ".join(f"{factors[place]} = {levels[place][level]}" for place, level in cell)
            columns.append(DesignColumn(" × ".join(term), name, cell))
    cells, counts = np.unique(codes, axis=0, return_counts=True)
    independent, aliased = _independent(_matrix(cells, columns) * np.sqrt(counts)[:, None], columns)
    terms = tuple(" × ".join(term) for term in chosen_terms)
    return Design(tuple(factors), levels, codes, independent, aliased, terms)


def _matrix(codes: NDArray[np.intp], columns: Sequence[DesignColumn]) -> Floats:
    matrix = np.ones((len(codes), len(columns)))
    for i, column in enumerate(columns):
        for place, level in column.cell:
            matrix[:, i] *= codes[:, place] == level
    return matrix


def _independent(
    matrix: Floats, columns: Sequence[DesignColumn]
) -> tuple[tuple[DesignColumn, ...], dict[str, tuple[str, ...]]]:
    """Columns in order, without those that lie in the span of earlier ones (modified Gram-Schmidt)."""
    basis: list[Floats] = []
    places: list[int] = []
    aliased: dict[str, tuple[str, ...]] = {}
    for i, column in enumerate(columns):
        own = matrix[:, i]
        rest = own.copy()
        for _ in range(2):
            for direction in basis:
                rest -= direction * (direction @ rest)
        length = float(np.linalg.norm(rest))
        if length > _ALIASED * max(float(np.linalg.norm(own)), 1e-300):
            basis.append(rest / length)
            places.append(i)
            continue
        weights = np.linalg.lstsq(matrix[:, places], own, rcond=None)[0]
        why = [columns[j].name for j, w in zip(places, weights, strict=True) if abs(w) > 1e-6]
        aliased[column.name] = tuple(name for name in why if name != INTERCEPT)
    return tuple(columns[i] for i in places), aliased


def adjusted_margins(
    model: Design,
    predicted: Callable[[Floats, Floats], tuple[Floats, Floats]],
    covariance: Floats,
    outcomes: Sequence[str | None],
    n_clusters: int,
    level: float,
) -> tuple[Margin, ...]:
    """Adjusted prediction of every level of every factor, and its difference to the first level.

    With g(b) the mean prediction over all n rows, the factor set to the level and all else as it is,
    Var g = G V G', G the gradient of g; t intervals with C - 1 degrees of freedom.

    Parameters
    ----------
    predicted : callable
        (m, p) design and (m,) weights -> (J,) weighted predictions and their (J, q) gradients.
    covariance : (q, q) float
    outcomes : sequence of J names
    level : float in (0, 1)

    References
    ----------
    Williams (2012), The Stata Journal 12:308; Graubard & Korn (1999), Biometrics 55:652.
    """
    reach = t_quantile(level, n_clusters - 1)
    margins = []
    for place, factor in enumerate(model.factors):
        first: tuple[Floats, Floats] | None = None
        for code, value in enumerate(model.levels[place]):
            codes = model.codes.copy()
            codes[:, place] = code
            cells, counts = np.unique(codes, axis=0, return_counts=True)
            estimates, gradients = predicted(model.matrix(cells), counts / counts.sum())
            first = first or (estimates, gradients)
            se = _errors(gradients, covariance)
            effect, effect_se = estimates - first[0], _errors(gradients - first[1], covariance)
            for j, outcome in enumerate(outcomes):
                own, apart = float(estimates[j]), float(effect[j])
                margins.append(
                    Margin(
                        factor=factor,
                        level=value,
                        outcome=outcome,
                        estimate=own,
                        se=float(se[j]),
                        low=own - reach * float(se[j]),
                        high=own + reach * float(se[j]),
                        effect=apart,
                        effect_se=float(effect_se[j]),
                        effect_low=apart - reach * float(effect_se[j]),
                        effect_high=apart + reach * float(effect_se[j]),
                        p=two_sided_p(apart, float(effect_se[j]), n_clusters - 1),
                    )
                )
    return tuple(margins)


def t_quantile(level: float, free: int) -> float:
    """How many standard errors an interval reaches; NaN without degrees of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(free, (1 + level) / 2)) if free > 0 else float("nan")


def two_sided_p(estimate: float, se: float, free: int) -> float:
    """Of a t test; NaN where there is nothing to test."""
    from scipy.special import stdtr

    if free < 1 or not se > 0:
        return float("nan")
    return float(2 * stdtr(free, -abs(estimate) / se))


def _errors(gradients: Floats, covariance: Floats) -> Floats:
    variances = np.einsum("jq,qr,jr->j", gradients, covariance, gradients)
    return np.asarray(np.sqrt(np.maximum(variances, 0.0)))


Codes = NDArray[np.intp]
_FLAT = 1e-12
"""A direction with less than this part of the largest variance has none."""
Tested = tuple[float, float, tuple[float, float] | None]


def adjusted_score(
    scores: Floats, information: Floats, clusters: Codes, tested: Codes, effective: float
) -> Tested:
    """Rao's test that the tested coefficients are zero, for clustered rows (generalised score test).

    1. With u_c the summed scores of cluster c where the tested coefficients are zero and the others at their
       maximum, and A the information, v_c = u_c,t - A_tr A_rr^-1 u_c,r: what the others leave of them.
    2. T = s' (sum_c v_c v_c')^- s, s = sum_c v_c; F = T / df on df and eta - 1 degrees of freedom, eta the
       effective number of clusters.

    Wald's test of a logit rejects too little where some coefficient is large, and too much where a level
    has few clusters; this one holds its level in the first case and stays below it in the second
    (`benchmarks/comparison.py`).

    Parameters
    ----------
    scores : (n, p) float
    information : (p, p) float
        Negative Hessian.
    clusters : (n,) int
    tested : (df,) int
        Places of the coefficients.
    effective : float
        As `effective_clusters` tells.

    Returns
    -------
    (F, p, (df, eta - 1)); NaN and None where there are too few clusters for so many coefficients

    References
    ----------
    Boos (1992), The American Statistician 46:327; Cameron & Miller (2015), Journal of Human Resources 50:317,
    §VI (degrees of freedom of few and of unequal clusters).
    """
    total, n_clusters = _score(scores, information, clusters, tested)
    df, free = len(tested), min(effective, n_clusters) - 1
    if not 0 < df <= free:
        return float("nan"), float("nan"), None
    return _tail(total / df, df, free)


def hotelling_score(
    scores: Floats, information: Floats, clusters: Codes, tested: Codes, effective: float
) -> Tested:
    """The same test of a linear model, whose summed scores vary about their mean as normal numbers nearly do.

    T of `adjusted_score` takes their covariance about zero; about their mean it is Hotelling's
    Q = (C - 1) T / (C - T), and F = (eta - df) / ((eta - 1) df) Q on df and eta - df degrees of freedom.
    Wald's F rejects 4.7 to 6.6 % of true nulls in 60 to 90 clusters, and 40 % where one level has six
    clusters and a rare outcome mostly does not occur in them.

    Parameters and returns as `adjusted_score`.

    References
    ----------
    Pustejovsky & Tipton (2018), Journal of Business & Economic Statistics 36:672 (approximate Hotelling
    test).
    """
    total, n_clusters = _score(scores, information, clusters, tested)
    df, eta = len(tested), min(effective, n_clusters)
    if not 0 < df < eta:
        return float("nan"), float("nan"), None
    centred = (n_clusters - 1) * total / max(n_clusters - total, 1e-9 * n_clusters)
    return _tail((eta - df) / ((eta - 1) * df) * centred, df, eta - df)


def effective_clusters(matrix: Floats, clusters: Codes, tested: Codes, outcomes: int = 1) -> float:
    """How many alike clusters would tell as much of the variance of the tested coefficients' scores.

    1. z_i, the tested columns of row i less what the other columns tell of them, scaled so that
       sum_i z_i z_i' = 1; H_c = sum_i z_i z_i' over the rows of cluster c, its part of the variance where
       rows are independent and alike.
    2. With q tested columns for each of k outcomes, the degrees of freedom of a Wishart matrix of the same
       variance: eta = qk (qk + 1) / sum_c (k tr H_c^2 + k^2 (tr H_c)^2).

    For one coefficient this is (sum_c h_c)^2 / sum_c h_c^2, Satterthwaite's: 6 games of one model beside 84
    of another are worth 7, not 90.

    Parameters
    ----------
    matrix : (n, p) float, of full rank
    clusters : (n,) int
    tested : (q,) int
        Places of columns.
    outcomes : int
        k; those of a logit, less the reference.

    References
    ----------
    Bell & McCaffrey (2002), Survey Methodology 28:169; Pustejovsky & Tipton (2018), equation 12; Imbens &
    Kolesár (2016), Review of Economics and Statistics 98:701.
    """
    rest = np.setdiff1d(np.arange(matrix.shape[1]), tested)
    own = matrix[:, tested] - matrix[:, rest] @ np.linalg.lstsq(matrix[:, rest], matrix[:, tested])[0]
    values, vectors = np.linalg.eigh(own.T @ own)
    known = values > _FLAT * values[-1]
    scaled = own @ (vectors[:, known] / np.sqrt(values[known]))
    codes = np.unique(clusters, return_inverse=True)[1]
    order = np.argsort(codes, kind="stable")
    borders = np.flatnonzero(np.diff(codes[order])) + 1
    squares = traces = 0.0
    for part in np.split(scaled[order], borders):
        inner = part.T @ part
        squares += float((inner * inner).sum())
        traces += float(np.trace(inner)) ** 2
    size = int(known.sum()) * outcomes
    return size * (size + 1) / (outcomes * squares + outcomes**2 * traces)


def _score(scores: Floats, information: Floats, clusters: Codes, tested: Codes) -> tuple[float, int]:
    """T, and the number of clusters."""
    codes = np.unique(clusters, return_inverse=True)[1]
    sums = np.zeros((int(codes.max()) + 1, scores.shape[1]))
    np.add.at(sums, codes, scores)
    rest = np.setdiff1d(np.arange(scores.shape[1]), tested)
    share = information[np.ix_(tested, rest)] @ np.linalg.pinv(
        information[np.ix_(rest, rest)], hermitian=True
    )
    left = sums[:, tested] - sums[:, rest] @ share.T
    total = left.sum(axis=0)
    return float(total @ np.linalg.pinv(left.T @ left, hermitian=True) @ total), len(sums)


def _tail(statistic: float, df: int, free: float) -> Tested:
    from scipy.special import fdtrc

    return statistic, float(fdtrc(df, free, statistic)), (float(df), float(free))
