"""Multinomial logit of outcomes on several factors at once, with errors clustered by game.

Outcomes that are too rare for a regression, and levels at which an outcome never occurs.

Linear regression of a number on several factors at once, with errors clustered by game.

Which strategy a subject plays, explained by factors: regression of class membership in the mixture itself.

No label is counted: each subject enters with the likelihood of its play under every strategy, at the noise of
its group, so that neither noise nor opponents move the effects.

References
----------
Dayton & Macready (1988), JASA 83:173 (covariates of latent classes); Bolck, Croon & Hagenaars (2004),
Political Analysis 12:3, and Vermunt (2010), Political Analysis 18:450 (why assigned classes must not be
regressed).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import MissingExtraError, UsageError
from intent.base.statistics.clusters import sandwich
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
from intent.comparison.estimated_shares import EstimatedShares, joined_strategies
from intent.estimate.label_weights import Outcomes

__all__ = [
    "OTHER",
    "LogitFit",
    "ShareModel",
    "alias_notes",
    "empty_cells",
    "logit_coefficients",
    "mean_model",
    "membership_model",
    "merged_outcomes",
    "share_model",
    "shares_at",
    "term_notes",
]


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

Floats = NDArray[np.float64]


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
