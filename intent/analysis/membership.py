"""Which strategy a subject plays, explained by factors: regression of class membership in the mixture itself.

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

import numpy as np
from numpy.typing import NDArray

from intent.analysis.cluster_covariance import sandwich
from intent.analysis.design_matrix import Design, design
from intent.analysis.estimated import EstimatedShares, together
from intent.analysis.logit import BOUND, FAR, LogitFit, alias_notes, logit_coefficients, shares_at, term_notes
from intent.analysis.margins import adjusted_margins
from intent.analysis.model_result import ShareModel, Term
from intent.analysis.score_test import adjusted_score, effective_clusters
from intent.errors import UsageError

__all__ = ["membership_model"]

Floats = NDArray[np.float64]

_RARE = 10
"""Expected subjects below which strategies are one class."""

_MOST_STEPS = 200


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
    main = _fitted(design(rows, estimate.by), log_p, clusters)
    full = main
    if interactions:
        full = _fitted(design(rows, estimate.by, interactions), log_p, clusters)
    n_clusters = len(np.unique(clusters))
    terms = tuple(
        _tested(main if term in main.design.terms else full, term, log_p, clusters)
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
    parts = [list(part) for part in together(names, ridges)]
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


def _fitted(found: Design, log_p: Floats, clusters: NDArray[np.intp]) -> LogitFit:
    model = _Likelihood(found.matrix(), log_p)
    b, penalty, separated = _maximum(model)
    information = model.information(b) + np.diag(penalty)
    bread = np.asarray(np.linalg.pinv(information, hermitian=True), dtype=np.float64)
    covariance = sandwich(bread, model.scores(b), clusters, penalty)
    value = float(model.posterior(b)[2].sum())
    return LogitFit(found, b, covariance, log_p.shape[1], value, separated)


def _maximum(model: _Likelihood) -> tuple[Floats, Floats, bool]:
    """Estimates, precisions of the prior, and whether it took one."""
    width, classes = model.matrix.shape[1], model.log_p.shape[1]
    prior = np.tile(np.arange(width) > 0, classes - 1) / BOUND**2
    for penalty, separated in ((np.zeros(len(prior)), False), (prior, True)):
        b = _climbed(model, penalty)
        far = b is not None and np.abs(model.matrix @ b.reshape(classes - 1, -1).T).max() > FAR
        if b is not None and (separated or not far):
            return b, penalty, separated
    raise UsageError("the regression has no solution, expected fewer factors or more subjects")


def _climbed(model: _Likelihood, penalty: Floats) -> Floats | None:
    """Newton's method with step halving; None where the likelihood has no maximum in reach."""
    b = np.zeros(len(penalty))

    def objective(at: Floats) -> float:
        return float(model.posterior(at)[2].sum()) - 0.5 * float(penalty @ at**2)

    value = objective(b)
    for _ in range(_MOST_STEPS):
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


def _tested(fit: LogitFit, term: str, log_p: Floats, clusters: NDArray[np.intp]) -> Term:
    own, width = fit.design.places(term), len(fit.design.columns)
    if not own.size:
        return Term(term, float("nan"), None, float("nan"))
    matrix, rest = fit.design.matrix(), np.setdiff1d(np.arange(width), own)
    others, some, _ = _maximum(_Likelihood(matrix[:, rest], log_p))
    estimates, penalty = np.zeros((2, fit.n_outcomes - 1, width))
    estimates[:, rest], penalty[:, rest] = (x.reshape(fit.n_outcomes - 1, -1) for x in (others, some))
    model = _Likelihood(matrix, log_p)
    places = (own[None] + width * np.arange(fit.n_outcomes - 1)[:, None]).ravel()
    at = estimates.ravel()
    information = np.diag(penalty.ravel()) + model.information(at)
    effective = effective_clusters(matrix, clusters, own, fit.n_outcomes - 1)
    statistic, p, df = adjusted_score(model.scores(at), information, clusters, places, effective)
    return Term(term, statistic, df, p)
