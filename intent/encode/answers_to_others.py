"""A subject's contributions beside those of the others that they may answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.encode.contributions import Contributions

__all__ = ["Answers", "answers"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Answers:
    """Pairs of contributions, those of a subject together and in order of its games and rounds.

    Attributes
    ----------
    x : (m,) mean contribution of the others, as a share of the endowment
    y : (m,) own contribution
    subject : (m,) int in 0 .. n - 1, ascending
    n : int, subjects, also those without a pair
    units : (n,) int, contributions are multiples of 1 / units
    others : (n,) int, the largest number of others
    """

    x: Floats
    y: Floats
    subject: NDArray[np.intp]
    n: int
    units: NDArray[np.intp]
    others: NDArray[np.intp]

    def of(self, subject: int) -> tuple[Floats, Floats]:
        """x and y of one subject."""
        a, b = np.searchsorted(self.subject, [subject, subject + 1])
        return self.x[a:b], self.y[a:b]


def answers(found: Contributions, subjects: NDArray[np.intp], *, lag: int = 1) -> Answers:
    """Pairs of the others' mean in round t - lag and the own contribution in round t, both known.

    Parameters
    ----------
    found : Contributions
    subjects : (m,) int in 0 .. n - 1, of each focal trajectory
    lag : int, 0 where a contribution answers the others' of the same round
    """
    rows, horizon = found.rows, found.given.shape[1]
    own = np.where(found.play.evidence, found.given[rows], np.nan)[:, lag:]
    others = found.mean_of_others()[rows][:, : horizon - lag]
    known = np.isfinite(own) & np.isfinite(others)
    at = np.broadcast_to(subjects[:, None], known.shape)[known]
    order = np.argsort(at, kind="stable")
    n = int(subjects.max(initial=-1)) + 1
    units, most = np.ones(n, dtype=np.intp), np.ones(n, dtype=np.intp)
    np.maximum.at(units, subjects, found.units[rows])
    np.maximum.at(most, subjects, found.others[rows])
    return Answers(others[known][order], own[known][order], at[order], n, units, most)
