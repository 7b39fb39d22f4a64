"""Shares of types of contributors in groups: counted by the rules, and estimated by the mixture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.base.statistics import Interval, share_intervals
from intent.estimate.contributor_mixture import ContributorFit, error_of, most_error, resampled_shares
from intent.estimate.contributor_rules import STATUSES, TYPES
from intent.estimate.resampling import resampled_weights

__all__ = ["OUTCOMES", "GroupTypes", "group_types"]

OUTCOMES = (*TYPES, *STATUSES[:-1])
"""What a subject counts as: its type where that is identified, else its status."""


_EDGE = 1e-6


@dataclass(frozen=True, eq=False)
class GroupTypes:
    """The types of one group.

    Attributes
    ----------
    values : the group's value of each factor
    n : int, subjects
    counted : outcome -> share of the subjects, by the rules
    estimated : type -> share, by the mixture; empty where nobody answers anything
    fit : ContributorFit, or None
    binary : bool, whether all or nothing is given
    """

    values: tuple[Any, ...]
    n: int
    counted: Mapping[str, Interval]
    estimated: Mapping[str, Interval]
    fit: ContributorFit | None
    binary: bool

    @property
    def misfit(self) -> bool:
        """Whether the error is as large as it may be: no type describes the play."""
        return self.fit is not None and self.fit.sigma > 0.98 * most_error(1 if self.binary else 2)

    def to_dict(self, by: Sequence[str]) -> dict[str, Any]:
        """One group of ``intent contributors --json``."""
        fit = self.fit
        return {
            "group": dict(zip(by, self.values, strict=True)),
            "n": self.n,
            "types": {name: _facts(share) for name, share in self.counted.items()},
            "mixture": None
            if fit is None
            else {
                "shares": {name: _facts(share) for name, share in self.estimated.items()},
                "ridge": [list(names) for names in fit.ridge],
                "sigma": fit.sigma,
                "error": error_of(fit.sigma) if self.binary else None,
                "log_likelihood": fit.log_likelihood,
                "bic": fit.bic,
                "n_subjects": len(fit.posterior),
                "n_rounds": fit.n_rounds,
            },
        }


def group_types(
    values: tuple[Any, ...],
    outcomes: Sequence[str],
    clusters: NDArray[np.intp],
    fit: ContributorFit | None,
    of_fit: NDArray[np.intp],
    *,
    binary: bool,
    samples: int,
    level: float,
    rng: np.random.Generator,
) -> GroupTypes:
    """Shares of one group, with intervals that resample clusters.

    Parameters
    ----------
    values : the group's value of each factor
    outcomes : n names, of `OUTCOMES`
    clusters : (n,) int, such as the game of each subject
    of_fit : (m,) int, the cluster of each subject of the fit
    samples : int, of the bootstrap
    level : float in (0, 1)
    """
    weights = np.array([[name == own for name in OUTCOMES] for own in outcomes], dtype=float)
    shares = share_intervals(weights, clusters, level=level)
    estimated = {} if fit is None else _estimated(fit, of_fit, samples, level, rng)
    return GroupTypes(values, len(outcomes), dict(zip(OUTCOMES, shares, strict=True)), estimated, fit, binary)


def _estimated(
    fit: ContributorFit, clusters: NDArray[np.intp], samples: int, level: float, rng: np.random.Generator
) -> dict[str, Interval]:
    codes = np.unique(clusters, return_inverse=True)[1].reshape(-1)
    if codes.max(initial=0) == 0:
        nan = float("nan")
        return {name: Interval(float(s), nan, nan) for name, s in zip(fit.types, fit.shares, strict=True)}
    drawn = resampled_shares(fit, resampled_weights(np.arange(len(codes)), codes, samples, rng))
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    low, high = np.minimum(low, fit.shares), np.maximum(high, fit.shares)
    # Where no resample differs from 0 or 1 the end is that of the exact binomial interval, as for counts.
    reach = 1 - ((1 - level) / 2) ** (1 / (codes.max() + 1))
    high = np.where(high < _EDGE, reach, high)
    low = np.where(low > 1 - _EDGE, 1 - reach, low)
    ends = zip(fit.types, fit.shares, low, high, strict=True)
    return {name: Interval(float(s), float(a), float(b)) for name, s, a, b in ends}


def _facts(share: Interval) -> dict[str, float]:
    return {"estimate": share.estimate, "low": share.low, "high": share.high}
