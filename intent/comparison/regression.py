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

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import UsageError
from intent.base.registry import require
from intent.base.statistics import sandwich
from intent.comparison.coefficients import (
    Coefficient,
    Design,
    MeanModel,
    ShareModel,
    Term,
    adjusted_margins,
    adjusted_score,
    design,
    effective_clusters,
    hotelling_score,
    t_quantile,
    two_sided_p,
)
from intent.comparison.groups import Outcomes
from intent.comparison.shares import EstimatedShares, joined_strategies

__all__ = [
    "OTHER",
    "mean_model",
    "membership_model",
    "share_model",
]

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]

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
        counted = ", ".join(f"{names[k]} ({counts[k]})" for k in np.flatnonzero(few))
        if few.sum() > 1 and counts[few].sum() >= rare:
            target[few[codes]] = len(names)
            names.append(OTHER)
            notes.append(f"outcomes of fewer than {rare} rows are merged: {counted}")
        else:
            keep = ~few[codes]
            notes.append(f"rows of outcomes that occur fewer than {rare} times are left out: {counted}")
    left = np.bincount(target[keep], minlength=len(names))
    order = [k for k in np.argsort(-left, kind="stable") if left[k]]
    place = np.full(len(names), -1, dtype=np.intp)
    place[order] = np.arange(len(order))
    return tuple(names[k] for k in order), place[target[keep]], keep, notes


def empty_cells(model: Design, codes: NDArray[np.intp], names: Sequence[str]) -> str:
    """Levels at which an outcome never occurs, in words; empty where every level has every outcome."""
    empty = []
    for place, factor in enumerate(model.factors):
        for level, value in enumerate(model.levels[place]):
            counts = np.bincount(codes[model.codes[:, place] == level], minlength=len(names))
            empty += [f"no {names[k]} where {factor} = {value}" for k in np.flatnonzero(counts == 0).tolist()]
    more = f" and {len(empty) - _SHOWN} more" if len(empty) > _SHOWN else ""
    return ", ".join(empty[:_SHOWN]) + more


BOUND = 2.5
"""Standard deviation of the normal prior on coefficients where some outcome is separated."""

FAR = 12.0
"""Log odds that no data of this size support: the estimates run to infinity."""

_FEW = 10
"""Degrees of freedom below which a test rests on few clusters."""

_RARE = 10
"""Expected subjects below which strategies are one class."""


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
    full = design(rows, factors, interactions)
    empty = empty_cells(full, codes, names) or "some outcome can be told in advance"
    separation = (
        f"separation: {empty}; coefficients are bounded by a normal prior (sd {BOUND:g}), and permutation "
        "within blocks is the test to rely on there"
    )
    likelihood = _Counted(full.matrix(), codes=codes, n_outcomes=len(names))
    return _logit(likelihood, design(rows, factors), full, names, clusters, level, notes, separation)


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
    separation = (
        "separation: some class never or always occurs at some level; coefficients are bounded by a "
        f"normal prior (sd {BOUND:g})"
    )
    full = design(rows, estimate.by, interactions)
    likelihood = _Played(full.matrix(), log_p)
    model = _logit(
        likelihood, design(rows, estimate.by), full, names, clusters, estimate.level, notes, separation
    )
    return replace(model, notes=(*model.notes, "the trembles of the groups are taken as known"))


def _logit(
    likelihood: _Likelihood,
    main: Design,
    full: Design,
    names: tuple[str, ...],
    clusters: Codes,
    level: float,
    notes: list[str],
    separation: str,
) -> ShareModel:
    """The model of a likelihood, with main effects alone and with interactions, and its tests."""
    main_fit = full_fit = _fitted(main, likelihood.of(main.matrix()), clusters)
    if len(full.terms) > len(main.terms):
        full_fit = _fitted(full, likelihood, clusters)
    n_clusters = len(np.unique(clusters))
    terms = tuple(
        _tested(main_fit if term in main.terms else full_fit, term, likelihood, clusters)
        for term in full_fit.design.terms
    )
    separated = main_fit.separated or full_fit.separated
    margins = adjusted_margins(full, full_fit.predicted, full_fit.covariance, names, n_clusters, level)
    terms_of_fit = ((outcome, column.name) for outcome in names[1:] for column in full.columns)
    return ShareModel(
        outcomes=names,
        n=len(clusters),
        n_clusters=n_clusters,
        log_likelihood=full_fit.log_likelihood,
        terms=terms,
        coefficients=_coefficients(terms_of_fit, full_fit.estimates, full_fit.covariance, n_clusters, level),
        margins=margins,
        separated=separated,
        notes=(
            *notes,
            *alias_notes(full),
            *([separation] if separated else []),
            *term_notes(terms, full, n_clusters),
        ),
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
    matrix = full.matrix()
    if len(values) <= matrix.shape[1]:
        raise UsageError(f"{len(values)} rows for {matrix.shape[1]} coefficients, expected more rows")
    bread = np.asarray(np.linalg.inv(matrix.T @ matrix), dtype=float)
    estimates = bread @ (matrix.T @ values)
    residuals = values - matrix @ estimates
    total = float(((values - values.mean()) ** 2).sum())
    r2 = 1 - float((residuals**2).sum()) / total if total > 0 else float("nan")
    covariance = sandwich(bread, matrix * residuals[:, None], clusters)
    if np.ptp(values) <= 1e-12 * np.abs(values).max(initial=0.0):
        raise UsageError("a regression of a number that is the same in all rows, expected one that varies")
    terms = tuple(
        _tested_mean(main if term in main.terms else full, term, values, clusters) for term in full.terms
    )

    def predicted(matrix: Floats, weights: Floats) -> tuple[Floats, Floats]:
        gradient = (weights @ matrix)[None]
        return gradient @ estimates, gradient

    pairs = ((None, column.name) for column in full.columns)
    return MeanModel(
        n=len(values),
        n_clusters=n_clusters,
        r2=r2,
        terms=terms,
        coefficients=_coefficients(pairs, estimates, covariance, n_clusters, level),
        margins=adjusted_margins(full, predicted, covariance, (None,), n_clusters, level),
        notes=(*alias_notes(full), *term_notes(terms, full, n_clusters)),
    )


def _tested_mean(design: Design, term: str, values: Floats, clusters: Codes) -> Term:
    own = design.places(term)
    if not own.size:
        return Term(term, float("nan"), None, float("nan"))
    matrix = design.matrix()
    rest = np.delete(matrix, own, axis=1)
    residuals = values - rest @ np.linalg.lstsq(rest, values)[0]
    effective = effective_clusters(matrix, clusters, own)
    scores = matrix * residuals[:, None]
    statistic, p, df = hotelling_score(scores, matrix.T @ matrix, clusters, own, effective)
    return Term(term, statistic, df, p)


def _coefficients(
    names: Iterable[tuple[str | None, str]],
    estimates: Floats,
    covariance: Floats,
    n_clusters: int,
    level: float,
) -> tuple[Coefficient, ...]:
    reach, errors = t_quantile(level, n_clusters - 1), np.sqrt(np.maximum(np.diag(covariance), 0.0))
    return tuple(
        Coefficient(outcome, name, b, se, b - reach * se, b + reach * se, two_sided_p(b, se, n_clusters - 1))
        for (outcome, name), b, se in zip(names, estimates.tolist(), errors.tolist(), strict=True)
    )


def alias_notes(model: Design) -> list[str]:
    """What the data cannot tell apart, in words."""
    notes = [
        f"{name} is determined by {', '.join(why) or 'the other levels'}: their effects cannot be told apart"
        for name, why in model.aliased.items()
        if " × " not in name
    ]
    crossed = [name for name in model.aliased if " × " in name]
    if crossed:
        shown = "; ".join(crossed[:3]) + (f" and {len(crossed) - 3} more" if len(crossed) > 3 else "")
        notes.append(f"interactions that the data do not identify are left out: {shown}")
    return notes


def term_notes(terms: Sequence[Term], model: Design, n_clusters: int) -> list[str]:
    """Which terms have coefficients and no test, or one that rests on few clusters, in words."""
    unsure = [term.term for term in terms if term.df is None and model.places(term.term).size]
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


def shares_at(matrix: Floats, estimates: Floats, n_outcomes: int) -> Floats:
    """(m, J)"""
    odds = np.concatenate(
        [np.zeros((len(matrix), 1)), matrix @ estimates.reshape(n_outcomes - 1, -1).T], axis=1
    )
    odds = np.exp(odds - odds.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


@dataclass(frozen=True, eq=False)
class _Likelihood:
    """A log-likelihood of coefficients (J - 1, p), stacked, its derivatives, and how it is climbed."""

    matrix: Floats

    n_outcomes: ClassVar[Any]
    most_steps: ClassVar[int]
    flat: ClassVar[float]
    smallest: ClassVar[float]
    no_solution: ClassVar[str]

    def of(self, matrix: Floats) -> Self:
        """The same with another design."""
        return replace(self, matrix=matrix)

    def value(self, b: Floats) -> float:
        raise NotImplementedError

    def scores(self, b: Floats) -> Floats:
        """(n, (J - 1) p)"""
        raise NotImplementedError

    def slope(self, b: Floats) -> Floats:
        return np.asarray(self.scores(b).sum(axis=0))

    def information(self, b: Floats) -> Floats:
        """Negative Hessian."""
        raise NotImplementedError

    def step(self, b: Floats, penalty: Floats, slope: Floats) -> Floats | None:
        """Newton's; None where there is none."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class _Counted(_Likelihood):
    """Of outcomes that are known: statsmodels' multinomial logit."""

    codes: Codes
    n_outcomes: int  # type: ignore[misc]

    most_steps = 100
    flat, smallest = 1e-10, 1e-6
    no_solution = "the logit has no solution, expected fewer factors or more rows"

    @cached_property
    def model(self) -> Any:
        require("statsmodels")
        from statsmodels.discrete.discrete_model import MNLogit

        return MNLogit(self.codes, self.matrix)

    def value(self, b: Floats) -> float:
        return float(self.model.loglike(b))

    def scores(self, b: Floats) -> Floats:
        return np.asarray(self.model.score_obs(b))

    def slope(self, b: Floats) -> Floats:
        return np.asarray(self.model.score(b))

    def information(self, b: Floats) -> Floats:
        return -np.asarray(self.model.hessian(b))

    def step(self, b: Floats, penalty: Floats, slope: Floats) -> Floats | None:
        try:
            return np.asarray(np.linalg.solve(np.diag(penalty) + self.information(b), slope))
        except np.linalg.LinAlgError:
            return None


@dataclass(frozen=True, eq=False)
class _Played(_Likelihood):
    """Of play that each class makes with probability exp(log_p), (n, J)."""

    log_p: Floats

    most_steps = 200
    flat, smallest = 1e-9, 1e-8
    no_solution = "the regression has no solution, expected fewer factors or more subjects"

    @property
    def n_outcomes(self) -> int:
        return int(self.log_p.shape[1])

    def posterior(self, b: Floats) -> tuple[Floats, Floats, Floats]:
        """Prior shares (n, J), posterior (n, J), and log-likelihood of each row."""
        prior = shares_at(self.matrix, b, self.n_outcomes)
        with np.errstate(divide="ignore"):
            joint = np.log(prior) + self.log_p
        total = _log_sum(joint)
        return prior, np.exp(joint - total[:, None]), total

    def value(self, b: Floats) -> float:
        return float(self.posterior(b)[2].sum())

    def scores(self, b: Floats) -> Floats:
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

    def step(self, b: Floats, penalty: Floats, slope: Floats) -> Floats | None:
        for observed in (True, False):
            try:
                root = np.linalg.cholesky(self.information(b, observed=observed) + np.diag(penalty))
            except np.linalg.LinAlgError:
                continue
            return np.asarray(np.linalg.solve(root.T, np.linalg.solve(root, slope)))
        return None


def _spread(p: Floats) -> Floats:
    """(n, m, m) diag(p) - p p'."""
    out = -p[:, :, None] * p[:, None, :]
    places = np.arange(p.shape[1])
    out[:, places, places] += p
    return out


def _fitted(design: Design, likelihood: _Likelihood, clusters: Codes) -> LogitFit:
    b, penalty, separated = _maximum(likelihood)
    information = likelihood.information(b) + np.diag(penalty)
    bread = np.asarray(np.linalg.pinv(information, hermitian=True), dtype=np.float64)
    covariance = sandwich(bread, likelihood.scores(b), clusters, penalty)
    return LogitFit(design, b, covariance, likelihood.n_outcomes, likelihood.value(b), separated)


def _maximum(likelihood: _Likelihood) -> tuple[Floats, Floats, bool]:
    """Estimates, precisions of the prior, and whether it took one."""
    matrix, outcomes = likelihood.matrix, likelihood.n_outcomes
    prior = np.tile(np.arange(matrix.shape[1]) > 0, outcomes - 1) / BOUND**2
    for penalty, separated in ((np.zeros(len(prior)), False), (prior, True)):
        b = _climbed(likelihood, penalty)
        far = b is not None and np.abs(matrix @ b.reshape(outcomes - 1, -1).T).max() > FAR
        if b is not None and (separated or not far):
            return b, penalty, separated
    raise UsageError(likelihood.no_solution)


def _climbed(likelihood: _Likelihood, penalty: Floats) -> Floats | None:
    """Newton's method with step halving; None where the likelihood has no maximum in reach."""

    def objective(at: Floats) -> float:
        return likelihood.value(at) - 0.5 * float(penalty @ at**2)

    b = np.zeros(len(penalty))
    value = objective(b)
    for _ in range(likelihood.most_steps):
        slope = likelihood.slope(b) - penalty * b
        step = likelihood.step(b, penalty, slope)
        if step is None:
            return None
        gain = float(slope @ step)
        if gain < likelihood.flat:
            return b
        if not np.isfinite(gain) or np.abs(b).max() > 2 * FAR:
            return None
        size, reached = 1.0, objective(b + step)
        while not reached >= value and size > likelihood.smallest:
            size /= 2
            reached = objective(b + size * step)
        b, value = b + size * step, reached
    return None


def _tested(fit: LogitFit, term: str, likelihood: _Likelihood, clusters: Codes) -> Term:
    own, width = fit.design.places(term), len(fit.design.columns)
    if not own.size:
        return Term(term, float("nan"), None, float("nan"))
    matrix, rest = fit.design.matrix(), np.setdiff1d(np.arange(width), own)
    others, some, _ = _maximum(likelihood.of(matrix[:, rest]))
    estimates, penalty = np.zeros((2, fit.n_outcomes - 1, width))
    estimates[:, rest], penalty[:, rest] = (x.reshape(fit.n_outcomes - 1, -1) for x in (others, some))
    model, at = likelihood.of(matrix), estimates.ravel()
    places = (own[None] + width * np.arange(fit.n_outcomes - 1)[:, None]).ravel()
    information = np.diag(penalty.ravel()) + model.information(at)
    effective = effective_clusters(matrix, clusters, own, fit.n_outcomes - 1)
    statistic, p, df = adjusted_score(model.scores(at), information, clusters, places, effective)
    return Term(term, statistic, df, p)


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
