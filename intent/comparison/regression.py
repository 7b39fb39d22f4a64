"""Regressions of what is played, or of a number, on several factors at once, with errors clustered.

Three models share their design, their tests of terms and their adjusted margins: a multinomial logit of
outcomes, least squares of a number, and class membership in the mixture itself, where no label is counted:
each subject enters with the likelihood of its play under every strategy, at the noise of its group, so that
neither noise nor opponents move the effects.

References
----------
Dayton & Macready (1988), JASA 83:173 (covariates of latent classes); Bolck, Croon & Hagenaars (2004),
Political Analysis 12:3, and Vermunt (2010), Political Analysis 18:450 (why assigned classes must not be
regressed).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import MissingExtraError, UsageError
from intent.base.statistics.clusters import sandwich
from intent.base.statistics.groups import grouping
from intent.comparison.shares import EstimatedShares, joined_strategies
from intent.estimate.label_weights import Outcomes

__all__ = [
    "INTERCEPT",
    "OTHER",
    "Coefficient",
    "Design",
    "DesignColumn",
    "LogitFit",
    "Margin",
    "MeanModel",
    "ShareModel",
    "Term",
    "adjusted_margins",
    "adjusted_score",
    "alias_notes",
    "design",
    "effective_clusters",
    "empty_cells",
    "hotelling_score",
    "logit_coefficients",
    "mean_model",
    "membership_model",
    "merged_outcomes",
    "share_model",
    "shares_at",
    "t_quantile",
    "term_notes",
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
    factor : str
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
    n, n_clusters : int
    log_likelihood : float
    terms : tuple of Term
    coefficients : tuple of Coefficient
    margins : tuple of Margin
    separated : bool
        Whether some outcome never (or always) occurs somewhere, so that coefficients had to be bounded.
    notes : tuple of str
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

    def to_dict(self) -> dict[str, Any]:
        """JSON-able, but for NaN."""
        return asdict(self)

    def table(self) -> pd.DataFrame:
        """Adjusted shares, one row per factor, level and outcome."""
        return pd.DataFrame([asdict(margin) for margin in self.margins])


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

    def to_dict(self) -> dict[str, Any]:
        """JSON-able, but for NaN."""
        return asdict(self)

    def table(self) -> pd.DataFrame:
        """Adjusted means, one row per factor and level."""
        return pd.DataFrame([asdict(margin) for margin in self.margins])


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
    factors : tuple of str
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
    table : DataFrame
    factors : sequence of str
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
    wanted = [DesignColumn(INTERCEPT, INTERCEPT, ())]
    chosen_terms = [*((factor,) for factor in factors), *map(tuple, interactions)]
    for term in chosen_terms:
        places = [list(factors).index(factor) for factor in term]
        for combination in product(*(range(1, len(levels[place])) for place in places)):
            cell = tuple(zip(places, combination, strict=True))
            name = " × ".join(f"{factors[place]} = {levels[place][level]}" for place, level in cell)
            wanted.append(DesignColumn(" × ".join(term), name, cell))
    cells, counts = np.unique(codes, axis=0, return_counts=True)
    kept, aliased = _independent(_matrix(cells, wanted) * np.sqrt(counts)[:, None], wanted)
    terms = tuple(" × ".join(term) for term in chosen_terms)
    return Design(tuple(factors), levels, codes, kept, aliased, terms)


def _matrix(codes: NDArray[np.intp], columns: Sequence[DesignColumn]) -> Floats:
    found = np.ones((len(codes), len(columns)))
    for i, column in enumerate(columns):
        for place, level in column.cell:
            found[:, i] *= codes[:, place] == level
    return found


def _independent(
    matrix: Floats, columns: Sequence[DesignColumn]
) -> tuple[tuple[DesignColumn, ...], dict[str, tuple[str, ...]]]:
    """Columns in order, without those that lie in the span of earlier ones (modified Gram-Schmidt)."""
    basis: list[Floats] = []
    kept: list[int] = []
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
            kept.append(i)
            continue
        weights = np.linalg.lstsq(matrix[:, kept], own, rcond=None)[0]
        why = [columns[j].name for j, w in zip(kept, weights, strict=True) if abs(w) > 1e-6]
        aliased[column.name] = tuple(name for name in why if name != INTERCEPT)
    return tuple(columns[i] for i in kept), aliased


def adjusted_margins(
    found: Design,
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
    found : Design
    predicted : callable
        (m, p) design and (m,) weights -> (J,) weighted predictions and their (J, q) gradients.
    covariance : (q, q) float
    outcomes : sequence of J names
    n_clusters : int
    level : float in (0, 1)

    References
    ----------
    Williams (2012), The Stata Journal 12:308; Graubard & Korn (1999), Biometrics 55:652.
    """
    reach = t_quantile(level, n_clusters - 1)
    margins = []
    for place, factor in enumerate(found.factors):
        first: tuple[Floats, Floats] | None = None
        for code, value in enumerate(found.levels[place]):
            codes = found.codes.copy()
            codes[:, place] = code
            cells, counts = np.unique(codes, axis=0, return_counts=True)
            estimates, gradients = predicted(found.matrix(cells), counts / counts.sum())
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


OTHER = "other outcomes"
_SHOWN = 5


def merged_outcomes(
    outcomes: Outcomes, rare: int
) -> tuple[tuple[str, ...], NDArray[np.intp], NDArray[np.bool_], list[str]]:
    """Outcomes by frequency, the rare ones as one.

    Parameters
    ----------
    outcomes : Outcomes
        n rows that count whole.
    rare : int
        Outcomes of fewer rows are merged; rows of those that still are fewer together are left out.

    Returns
    -------
    names : tuple of J str, the most frequent first
    codes : (m,) int, of the rows that are kept
    keep : (n,) bool
    notes : list of str
    """
    codes = outcomes.weights.argmax(axis=1)
    counts = np.bincount(codes, minlength=len(outcomes.names))
    few = (counts > 0) & (counts < rare)
    notes: list[str] = []
    names, target = list(outcomes.names), codes.copy()
    keep = np.ones(len(codes), dtype=bool)
    if few.any():
        told = ", ".join(f"{names[k]} ({counts[k]})" for k in np.flatnonzero(few))
        if few.sum() > 1 and counts[few].sum() >= rare:
            target[few[codes]] = len(names)
            names.append(OTHER)
            notes.append(f"outcomes of fewer than {rare} rows are merged: {told}")
        else:
            keep = ~few[codes]
            notes.append(f"rows of outcomes that occur fewer than {rare} times are left out: {told}")
    left = np.bincount(target[keep], minlength=len(names))
    order = [k for k in np.argsort(-left, kind="stable") if left[k]]
    place = np.full(len(names), -1, dtype=np.intp)
    place[order] = np.arange(len(order))
    return tuple(names[k] for k in order), place[target[keep]], keep, notes


def empty_cells(found: Design, codes: NDArray[np.intp], names: Sequence[str]) -> str:
    """Levels at which an outcome never occurs, in words; empty where every level has every outcome."""
    empty = []
    for place, factor in enumerate(found.factors):
        for level, value in enumerate(found.levels[place]):
            counts = np.bincount(codes[found.codes[:, place] == level], minlength=len(names))
            empty += [f"no {names[k]} where {factor} = {value}" for k in np.flatnonzero(counts == 0).tolist()]
    more = f" and {len(empty) - _SHOWN} more" if len(empty) > _SHOWN else ""
    return ", ".join(empty[:_SHOWN]) + more


BOUND = 2.5
"""Standard deviation of the normal prior on coefficients where some outcome is separated."""
FAR = 12.0
"""Log odds that no data of this size support: the estimates run to infinity."""
_MOST_STEPS = 100
_FEW = 10
"""Degrees of freedom below which a test rests on few clusters."""


def share_model(
    table: pd.DataFrame,
    factors: Sequence[str],
    outcomes: Outcomes,
    clusters: NDArray[np.intp],
    interactions: Sequence[Sequence[str]] = (),
    *,
    level: float = 0.95,
    rare: int = 10,
) -> ShareModel:
    """Which factors matter for the outcome, the others held equal.

    1. log P(outcome j) / P(reference) = x' b_j, x the main effects and interactions; maximum likelihood.
    2. Covariance by `sandwich` over clusters; every term by `adjusted_score`. Main effects are tested in
       the model without interactions, interactions in the full one (principle of marginality).
    3. Adjusted shares by level: `adjusted_margins` of the full model.
    4. Where an outcome is separated (never or always occurs at some level, so that its coefficient has no
       finite estimate), all coefficients but the constants get a normal prior of standard deviation 2.5, and
       a note says where.

    Parameters
    ----------
    table : DataFrame
        n rows with the factors.
    factors : sequence of str
    outcomes : Outcomes
        Counted whole. The most frequent one is the reference.
    clusters : (n,) int
    interactions : sequence of sequences of factors
    level : float in (0, 1)
    rare : int
        Outcomes of fewer rows are merged, and left out where they still are fewer together.

    Raises
    ------
    UsageError
        Fractional counts, or fewer than two outcomes.
    MissingExtraError
        statsmodels is not installed.

    References
    ----------
    McFadden (1974), in Frontiers in Econometrics; Albert & Anderson (1984), Biometrika 71:1 (separation);
    Gelman et al. (2008), Annals of Applied Statistics 2:1360 (weakly informative priors).
    """
    if outcomes.fractional:
        raise UsageError("a logit of rows that count for several outcomes in parts, expected whole counts")
    names, codes, keep, notes = merged_outcomes(outcomes, rare)
    if len(names) < 2:
        raise UsageError(f"a logit of {len(names)} outcome, expected at least two that are not rare")
    rows, clusters = table[keep].reset_index(drop=True), clusters[keep]
    main = _fitted(design(rows, factors), codes, len(names), clusters)
    full = main
    if interactions:
        full = _fitted(design(rows, factors, interactions), codes, len(names), clusters)
    n_clusters = len(np.unique(clusters))
    terms = tuple(
        _tested(main if term in main.design.terms else full, term, codes, clusters)
        for term in full.design.terms
    )
    notes += alias_notes(full.design)
    separated = main.separated or full.separated
    if separated:
        notes.append(
            "separation: "
            + (empty_cells(full.design, codes, names) or "some outcome can be told in advance")
            + f"; coefficients are bounded by a normal prior (sd {BOUND:g}), and permutation within blocks "
            "is the test to rely on there"
        )
    notes += term_notes(terms, full.design, n_clusters)
    return ShareModel(
        outcomes=names,
        n=len(codes),
        n_clusters=n_clusters,
        log_likelihood=full.log_likelihood,
        terms=terms,
        coefficients=logit_coefficients(full, names, n_clusters, level),
        margins=adjusted_margins(full.design, full.predicted, full.covariance, names, n_clusters, level),
        separated=separated,
        notes=tuple(notes),
    )


def alias_notes(found: Design) -> list[str]:
    """What the data cannot tell apart, in words."""
    notes = [
        f"{name} is determined by {', '.join(why) or 'the other levels'}: their effects cannot be told apart"
        for name, why in found.aliased.items()
        if " × " not in name
    ]
    crossed = [name for name in found.aliased if " × " in name]
    if crossed:
        shown = "; ".join(crossed[:3]) + (f" and {len(crossed) - 3} more" if len(crossed) > 3 else "")
        notes.append(f"interactions that the data do not identify are left out: {shown}")
    return notes


def term_notes(terms: Sequence[Term], found: Design, n_clusters: int) -> list[str]:
    """Which terms have coefficients and no test, or one that rests on few clusters, in words."""
    unsure = [term.term for term in terms if term.df is None and found.places(term.term).size]
    rough = [term.term for term in terms if term.df is not None and term.df[1] < _FEW]
    few = f"too few clusters ({n_clusters}, or too few of some level) for so many coefficients"
    trust = "few clusters at some level: errors are rough, permutation within blocks is the test to rely on"
    return [f"{', '.join(names)}: {what}" for names, what in ((unsure, few), (rough, trust)) if names]


@dataclass(frozen=True, eq=False)
class LogitFit:
    """Estimates b, (K, J - 1) stacked outcome by outcome, and their covariance."""

    design: Design
    estimates: Floats
    covariance: Floats
    n_outcomes: int
    log_likelihood: float
    separated: bool

    def predicted(self, matrix: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """(J,) mean shares, and their (J, q) gradients."""
        p = shares_at(matrix, self.estimates, self.n_outcomes)
        slope = p[:, :, None] * (np.eye(self.n_outcomes)[None] - p[:, None, :])
        gradients = np.einsum("i,ijl,ik->jlk", weights, slope[:, :, 1:], matrix)
        return weights @ p, gradients.reshape(self.n_outcomes, -1)


def _fitted(found: Design, codes: NDArray[np.intp], n_outcomes: int, clusters: NDArray[np.intp]) -> LogitFit:
    model, estimates, penalty, separated = _maximum(codes, found.matrix(), n_outcomes)
    bread = np.linalg.pinv(np.diag(penalty) - model.hessian(estimates), hermitian=True)
    scores = np.asarray(model.score_obs(estimates))
    covariance = sandwich(bread, scores, clusters, penalty)
    return LogitFit(found, estimates, covariance, n_outcomes, float(model.loglike(estimates)), separated)


def _maximum(codes: NDArray[np.intp], matrix: Floats, n_outcomes: int) -> tuple[Any, Floats, Floats, bool]:
    """Likelihood, estimates, precisions of the prior, and whether it took one."""
    model = _model(codes, matrix)
    prior = np.tile(np.arange(matrix.shape[1]) > 0, n_outcomes - 1) / BOUND**2
    estimates = _climbed(model, np.zeros(len(prior)))
    if estimates is not None and np.abs(matrix @ estimates.reshape(n_outcomes - 1, -1).T).max() <= FAR:
        return model, estimates, np.zeros(len(prior)), False
    estimates = _climbed(model, prior)
    if estimates is None:
        raise UsageError("the logit has no solution, expected fewer factors or more rows")
    return model, estimates, prior, True


def _model(codes: NDArray[np.intp], matrix: Floats) -> Any:
    try:
        from statsmodels.discrete.discrete_model import MNLogit
    except ModuleNotFoundError:
        raise MissingExtraError("statsmodels", "stats") from None
    return MNLogit(codes, matrix)


def _climbed(model: Any, precision: Floats) -> Floats | None:
    """Newton's method with step halving; None where the likelihood has no maximum in reach."""
    b = np.zeros(len(precision))

    def objective(b: Floats) -> float:
        return float(model.loglike(b)) - 0.5 * float(precision @ b**2)

    value = objective(b)
    for _ in range(_MOST_STEPS):
        slope = np.asarray(model.score(b)) - precision * b
        try:
            step = np.linalg.solve(np.diag(precision) - np.asarray(model.hessian(b)), slope)
        except np.linalg.LinAlgError:
            return None
        gain = float(slope @ step)
        if gain < 1e-10:
            return b
        if not np.isfinite(gain) or np.abs(b).max() > 2 * FAR:
            return None
        size, reached = 1.0, objective(b + step)
        while not reached >= value and size > 1e-6:
            size /= 2
            reached = objective(b + size * step)
        b, value = b + size * step, reached
    return None


def shares_at(matrix: Floats, estimates: Floats, n_outcomes: int) -> Floats:
    """(m, J)"""
    odds = np.concatenate(
        [np.zeros((len(matrix), 1)), matrix @ estimates.reshape(n_outcomes - 1, -1).T], axis=1
    )
    odds = np.exp(odds - odds.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def _tested(fit: LogitFit, term: str, codes: NDArray[np.intp], clusters: NDArray[np.intp]) -> Term:
    own, width = fit.design.places(term), len(fit.design.columns)
    if not own.size:
        return Term(term, float("nan"), None, float("nan"))
    matrix, rest = fit.design.matrix(), np.setdiff1d(np.arange(width), own)
    _, others, some, _ = _maximum(codes, matrix[:, rest], fit.n_outcomes)
    estimates, penalty = np.zeros((2, fit.n_outcomes - 1, width))
    estimates[:, rest], penalty[:, rest] = (x.reshape(fit.n_outcomes - 1, -1) for x in (others, some))
    model = _model(codes, matrix)
    places = (own[None] + width * np.arange(fit.n_outcomes - 1)[:, None]).ravel()
    information = np.diag(penalty.ravel()) - np.asarray(model.hessian(estimates.ravel()))
    effective = effective_clusters(matrix, clusters, own, fit.n_outcomes - 1)
    statistic, p, df = adjusted_score(
        np.asarray(model.score_obs(estimates.ravel())), information, clusters, places, effective
    )
    return Term(term, statistic, df, p)


def logit_coefficients(
    fit: LogitFit, names: Sequence[str], n_clusters: int, level: float
) -> tuple[Coefficient, ...]:
    reach, errors = t_quantile(level, n_clusters - 1), np.sqrt(np.diag(fit.covariance))
    wanted = ((outcome, column.name) for outcome in names[1:] for column in fit.design.columns)
    return tuple(
        Coefficient(outcome, name, b, se, b - reach * se, b + reach * se, two_sided_p(b, se, n_clusters - 1))
        for (outcome, name), b, se in zip(wanted, fit.estimates.tolist(), errors.tolist(), strict=True)
    )


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
    estimates, covariance, r2 = _linear_model_fitted(full, values, clusters)
    if np.ptp(values) <= 1e-12 * np.abs(values).max(initial=0.0):
        raise UsageError("a regression of a number that is the same in all rows, expected one that varies")
    terms = tuple(
        _linear_model_tested(main if term in main.terms else full, term, values, clusters)
        for term in full.terms
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


def _linear_model_tested(found: Design, term: str, values: Floats, clusters: NDArray[np.intp]) -> Term:
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


def _linear_model_fitted(
    found: Design, values: Floats, clusters: NDArray[np.intp]
) -> tuple[Floats, Floats, float]:
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


_RARE = 10
"""Expected subjects below which strategies are one class."""
_MEMBERSHIP_MOST_STEPS = 200


def membership_model(estimate: EstimatedShares, interactions: Sequence[Sequence[str]] = ()) -> ShareModel:
    """Which factors matter for the strategy that is played, the others held equal.

    1. log P(class j | x) / P(class 0 | x) = x' b_j; the likelihood of subject i is
       sum_j P(class j | x_i) P(play_i | j), the play at the tremble of the subject's group.
    2. Maximum by Newton's method on the observed information where that is positive, else on that of known
       classes; a normal prior of standard deviation 2.5 on all but the constants where a class never (or
       always) occurs at some level.
    3. Covariance, tests of terms and adjusted shares as those of a logit, clustered by the design's unit.

    Strategies that the play does not tell apart are one class, and so are those that hardly anybody plays.

    Parameters
    ----------
    estimate : EstimatedShares
    interactions : sequence of sequences of factors

    Raises
    ------
    UsageError
        Fewer than two classes, or no solution.
    """
    joint, subjects = estimate.joint, estimate.subjects
    first = np.concatenate(joint.firsts)
    order = np.argsort(first, kind="stable")
    first = first[order]
    rows = subjects.table.iloc[first].reset_index(drop=True)
    clusters = subjects.units.unit.codes[first]
    likelihoods = np.concatenate([fit.likelihoods for fit in joint.fits])[order]
    expected = np.concatenate([fit.posterior for fit in joint.fits]).sum(axis=0)
    names, log_p, notes = _classes(subjects.names, likelihoods, expected, [fit.ridge for fit in joint.fits])
    if len(names) < 2:
        raise UsageError(f"a regression of {len(names)} class, expected at least two that are played")
    main = _membership_fitted(design(rows, estimate.by), log_p, clusters)
    full = main
    if interactions:
        full = _membership_fitted(design(rows, estimate.by, interactions), log_p, clusters)
    n_clusters = len(np.unique(clusters))
    terms = tuple(
        _membership_tested(main if term in main.design.terms else full, term, log_p, clusters)
        for term in full.design.terms
    )
    notes += alias_notes(full.design)
    separated = main.separated or full.separated
    if separated:
        notes.append(
            "separation: some class never or always occurs at some level; coefficients are bounded by a "
            f"normal prior (sd {BOUND:g})"
        )
    notes += term_notes(terms, full.design, n_clusters)
    notes.append("the trembles of the groups are taken as known")
    return ShareModel(
        outcomes=names,
        n=len(rows),
        n_clusters=n_clusters,
        log_likelihood=full.log_likelihood,
        terms=terms,
        coefficients=logit_coefficients(full, names, n_clusters, estimate.level),
        margins=adjusted_margins(
            full.design, full.predicted, full.covariance, names, n_clusters, estimate.level
        ),
        separated=separated,
        notes=tuple(notes),
    )


def _classes(
    names: Sequence[str],
    likelihoods: Floats,
    expected: Floats,
    ridges: Sequence[Sequence[Sequence[int]]],
) -> tuple[tuple[str, ...], Floats, list[str]]:
    """Names of the classes, the most frequent first; (n, J) log-probability of the play in each; notes."""
    parts = [list(part) for part in joined_strategies(names, ridges)]
    common = [part for part in parts if expected[part].sum() >= _RARE]
    rest = [k for part in parts if expected[part].sum() < _RARE for k in part]
    notes = []
    if rest and expected[rest].sum() > 0:
        common.append(rest)
        few = f"fewer than {_RARE} expected subjects"
        notes.append(f"{', '.join(names[k] for k in rest)}: {few}, taken as one class")
    elif rest:
        notes.append(f"{', '.join(names[k] for k in rest)}: nobody is estimated to play it, left out")
    common.sort(key=lambda part: -expected[part].sum())
    columns = []
    for part in common:
        weights = expected[part] + 1e-12
        columns.append(_log_sum(likelihoods[:, part] + np.log(weights / weights.sum())))
    return tuple(" or ".join(names[k] for k in part) for part in common), np.stack(columns, axis=1), notes


def _log_sum(values: Floats) -> Floats:
    top = values.max(axis=1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(values - top).sum(axis=1)) + top[:, 0])


@dataclass(frozen=True, eq=False)
class _Likelihood:
    """The log-likelihood of coefficients (J - 1, p), stacked, and its derivatives."""

    matrix: Floats
    log_p: Floats

    def posterior(self, b: Floats) -> tuple[Floats, Floats, Floats]:
        """Prior shares (n, J), posterior (n, J), and log-likelihood of each row."""
        prior = shares_at(self.matrix, b, self.log_p.shape[1])
        with np.errstate(divide="ignore"):
            joint = np.log(prior) + self.log_p
        total = _log_sum(joint)
        return prior, np.exp(joint - total[:, None]), total

    def scores(self, b: Floats) -> Floats:
        """(n, (J - 1) p)"""
        prior, posterior, _ = self.posterior(b)
        each: Floats = np.einsum("ij,ip->ijp", (posterior - prior)[:, 1:], self.matrix)
        return each.reshape(len(prior), -1)

    def information(self, b: Floats, *, observed: bool = True) -> Floats:
        """Of the play (observed), or of classes if they were known."""
        prior, posterior, _ = self.posterior(b)
        spread = _spread(prior[:, 1:])
        if observed:
            spread -= _spread(posterior[:, 1:])
        size = spread.shape[1] * self.matrix.shape[1]
        blocks = np.einsum("ijl,ip,iq->jplq", spread, self.matrix, self.matrix, optimize=True)
        return np.asarray(blocks.reshape(size, size))


def _spread(p: Floats) -> Floats:
    """(n, m, m) diag(p) - p p'."""
    out = -p[:, :, None] * p[:, None, :]
    places = np.arange(p.shape[1])
    out[:, places, places] += p
    return out


def _membership_fitted(found: Design, log_p: Floats, clusters: NDArray[np.intp]) -> LogitFit:
    model = _Likelihood(found.matrix(), log_p)
    b, penalty, separated = _membership_maximum(model)
    information = model.information(b) + np.diag(penalty)
    bread = np.asarray(np.linalg.pinv(information, hermitian=True), dtype=np.float64)
    covariance = sandwich(bread, model.scores(b), clusters, penalty)
    value = float(model.posterior(b)[2].sum())
    return LogitFit(found, b, covariance, log_p.shape[1], value, separated)


def _membership_maximum(model: _Likelihood) -> tuple[Floats, Floats, bool]:
    """Estimates, precisions of the prior, and whether it took one."""
    width, classes = model.matrix.shape[1], model.log_p.shape[1]
    prior = np.tile(np.arange(width) > 0, classes - 1) / BOUND**2
    for penalty, separated in ((np.zeros(len(prior)), False), (prior, True)):
        b = _membership_climbed(model, penalty)
        far = b is not None and np.abs(model.matrix @ b.reshape(classes - 1, -1).T).max() > FAR
        if b is not None and (separated or not far):
            return b, penalty, separated
    raise UsageError("the regression has no solution, expected fewer factors or more subjects")


def _membership_climbed(model: _Likelihood, penalty: Floats) -> Floats | None:
    """Newton's method with step halving; None where the likelihood has no maximum in reach."""
    b = np.zeros(len(penalty))

    def objective(at: Floats) -> float:
        return float(model.posterior(at)[2].sum()) - 0.5 * float(penalty @ at**2)

    value = objective(b)
    for _ in range(_MEMBERSHIP_MOST_STEPS):
        slope = model.scores(b).sum(axis=0) - penalty * b
        step = None
        for observed in (True, False):
            matrix = model.information(b, observed=observed) + np.diag(penalty)
            try:
                root = np.linalg.cholesky(matrix)
            except np.linalg.LinAlgError:
                continue
            step = np.linalg.solve(root.T, np.linalg.solve(root, slope))
            break
        if step is None:
            return None
        gain = float(slope @ step)
        if gain < 1e-9:
            return b
        if not np.isfinite(gain) or np.abs(b).max() > 2 * FAR:
            return None
        size, reached = 1.0, objective(b + step)
        while not reached >= value and size > 1e-8:
            size /= 2
            reached = objective(b + size * step)
        b, value = b + size * step, reached
    return None


def _membership_tested(fit: LogitFit, term: str, log_p: Floats, clusters: NDArray[np.intp]) -> Term:
    own, width = fit.design.places(term), len(fit.design.columns)
    if not own.size:
        return Term(term, float("nan"), None, float("nan"))
    matrix, rest = fit.design.matrix(), np.setdiff1d(np.arange(width), own)
    others, some, _ = _membership_maximum(_Likelihood(matrix[:, rest], log_p))
    estimates, penalty = np.zeros((2, fit.n_outcomes - 1, width))
    estimates[:, rest], penalty[:, rest] = (x.reshape(fit.n_outcomes - 1, -1) for x in (others, some))
    model = _Likelihood(matrix, log_p)
    places = (own[None] + width * np.arange(fit.n_outcomes - 1)[:, None]).ravel()
    at = estimates.ravel()
    information = np.diag(penalty.ravel()) + model.information(at)
    effective = effective_clusters(matrix, clusters, own, fit.n_outcomes - 1)
    statistic, p, df = adjusted_score(model.scores(at), information, clusters, places, effective)
    return Term(term, statistic, df, p)
