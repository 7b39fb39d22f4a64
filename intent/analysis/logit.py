"""Multinomial logit of outcomes on several factors at once, with errors clustered by game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.analysis.cluster_covariance import sandwich
from intent.analysis.design_matrix import Design, design
from intent.analysis.margins import adjusted_margins, t_quantile, two_sided_p
from intent.analysis.model_result import Coefficient, ShareModel, Term
from intent.analysis.outcome_cells import empty_cells, merged
from intent.analysis.score_test import adjusted_score, effective_clusters
from intent.analysis.shares import Outcomes
from intent.errors import MissingExtraError, UsageError

__all__ = [
    "LogitFit",
    "ShareModel",
    "alias_notes",
    "logit_coefficients",
    "share_model",
    "shares_at",
    "term_notes",
]

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
    names, codes, keep, notes = merged(outcomes, rare)
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
