"""Estimated instead of counted shares in a comparison: strategy frequency estimation by group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from intent.analysis.comparison import Comparison
    from intent.analysis.hypothesis import Hypothesis
    from intent.analysis.working_likelihood import GroupPosteriors
    from intent.logs.gamelog import GameLog
    from intent.workflows.sfem_result import ShareEstimates

__all__ = ["estimated", "estimated_comparison"]


def estimated(
    log: GameLog,
    factors: Sequence[str],
    provenance: Mapping[str, Any] | None,
    *,
    cluster: Sequence[str],
    where: Mapping[str, Sequence[str]],
    level: float,
    bootstrap: int,
    others: str | None,
    keep_defaulted: bool,
    seed: int,
) -> ShareEstimates:
    """Shares of the strategies that the labels may name, estimated from the log that they were made from.

    Play is read as it was for the labels: same reading of several others, same treatment of defaults, and
    only the games that were labelled.
    """
    from intent.workflows.label_play import reading_of_play
    from intent.workflows.sfem import sfem

    facts: Mapping[str, Any] = provenance or {}
    classes = facts.get("classes")
    strategies = [str(c) for c in classes] if isinstance(classes, list | tuple) and classes else "canonical4"
    read = reading_of_play(facts)
    own = tuple(cluster)
    return sfem(
        log,
        strategies,
        by=factors,
        cluster=() if own == ("game_id",) else own,
        bootstrap=bootstrap,
        level=level,
        others=others or read["others"],
        keep_defaulted=keep_defaulted or read["keep_defaulted"],
        where={**read["where"], **where},
        seed=seed,
    )


def estimated_comparison(found: ShareEstimates, *, unit: str) -> Comparison:
    """The estimates as a comparison: one outcome per strategy, intervals with standard errors.

    n_effective is that of the posteriors of the subjects; the test between groups is the likelihood ratio of
    equal shares over its design effect, and its permutation of clusters where there is one.
    """
    import numpy as np

    from intent.analysis.bootstrap import n_effective
    from intent.analysis.comparison import Comparison, ErrorInterval, Group
    from intent.analysis.groups import cluster_codes
    from intent.analysis.working_likelihood import GroupPosteriors

    names = list(dict.fromkeys(name for fit in found.fits for name in fit.names))
    cluster = list(found.config["cluster"])
    known = found.known
    clusters = cluster_codes(known.keys, cluster) if cluster else known.subjects
    codes, first = np.unique(known.subjects, return_index=True)
    home = clusters[first]
    groups, parts = [], []
    for values, fit in zip(found.values, known.fits, strict=True):
        assert fit.posterior is not None
        assert fit.subjects is not None
        own = home[np.searchsorted(codes, fit.subjects)]
        estimates = np.array([share.estimate for share in fit.shares])
        parts.append(GroupPosteriors(estimates, fit.posterior, own))
        shares = dict(zip(fit.names, fit.shares, strict=True))
        intervals = [
            ErrorInterval(shares[n].estimate, shares[n].low, shares[n].high, shares[n].se)
            if n in shares
            else ErrorInterval(0.0, float("nan"), float("nan"), None)
            for n in names
        ]
        groups.append(
            Group(
                values=values,
                n=fit.n_subjects,
                n_clusters=len(np.unique(own)),
                n_effective=n_effective(fit.posterior, own),
                intervals=tuple(intervals),
            )
        )
    return Comparison(
        by=tuple(found.by),
        count="sfem",
        metric=None,
        level=float(found.config["level"]),
        outcomes=tuple(names),
        groups=tuple(groups),
        tests=_tests(found, parts),
        unit=unit,
        notes=tuple(found.notes),
        n_clusters=len(np.unique(home)),
    )


def _tests(found: ShareEstimates, parts: Sequence[GroupPosteriors]) -> tuple[Hypothesis, ...]:
    """Likelihood-ratio tests of equal shares in all groups, over their design effect."""
    from intent.analysis.hypothesis import Hypothesis
    from intent.analysis.working_likelihood import scaled_ratio

    factor, tests = ",".join(found.by), []
    for test in found.tests:
        if test.tested != "shares" or len(test.groups) != len(found.values):
            continue
        nan = float("nan")
        ratio, p, df = scaled_ratio(test.statistic, test.df, parts)
        if df is None:
            continue
        tests.append(Hypothesis(factor, "likelihood_ratio", ratio, df, p, p, p, effect=nan))
        if test.p_permutation is not None:
            p = test.p_permutation
            tests.append(Hypothesis(factor, "permutation", test.statistic, None, p, p, p, effect=nan))
    return tuple(tests)
