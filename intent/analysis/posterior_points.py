"""Posteriors of labels as few distinct points with numbers, for pictures of where labels lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from intent import schema
from intent.analysis.groups import grouping
from intent.errors import DataError, UsageError

__all__ = ["PosteriorPoints", "posterior_points"]

_MOST = 4
_GRAIN = 100
"""Posteriors that agree to a hundredth are one point."""


@dataclass(frozen=True, eq=False)
class PosteriorPoints:
    """Distinct posteriors over three or four strategies.

    Parameters
    ----------
    names : tuple of str, the strategies
    by : tuple of str, columns that make the groups
    table : DataFrame
        `by`, one ``p_<STRATEGY>`` per name (rows sum to one), outcome (the label, or the status where there
        is none), n: trajectories.
    elsewhere : float
        Mean probability of strategies that are not among the names.
    dropped : int
        Trajectories that give them more than half, and are no point.
    """

    names: tuple[str, ...]
    by: tuple[str, ...]
    table: pd.DataFrame
    elsewhere: float
    dropped: int


def posterior_points(labels: pd.DataFrame, classes: Sequence[str], by: Sequence[str] = ()) -> PosteriorPoints:
    """Group labels by where their posterior lies.

    1. Of more than four classes keep the four most probable on average; leave out trajectories that give the
       others more than half, and divide by the sum of the rest.
    2. Of four put the one that is least probable on average last.
    3. Count equal posteriors, to a hundredth, in each group.

    Parameters
    ----------
    labels : DataFrame
        A table of labels.
    classes : sequence of str
        At least three, in the order of the recogniser.
    by : sequence of str

    Raises
    ------
    UsageError
        Fewer than three classes.
    DataError
        Posteriors that do not sum to one.
    """
    if len(classes) < 3:
        raise UsageError(
            f"{len(classes)} strategies in the table ({', '.join(classes)}), expected at least 3"
        )
    prefix = schema.PROBABILITY_PREFIX
    p = labels[[f"{prefix}{name}" for name in classes]].to_numpy(dtype=float, na_value=np.nan)
    known = np.isfinite(p).all(axis=1)
    if ((p[known] < -1e-9) | (np.abs(p[known].sum(axis=1, keepdims=True) - 1) > 1e-6)).any():
        raise DataError(f"columns {prefix}… are no posteriors, expected rows that sum to one")
    order = np.argsort(-p[known].mean(axis=0), kind="stable")[:_MOST] if known.any() else np.arange(_MOST)
    kept = [*sorted(order[:-1]), order[-1]] if len(order) == _MOST else sorted(order)
    inside = p[:, kept].sum(axis=1)
    shown = known & (inside > 0.5)
    names = tuple(classes[k] for k in kept)
    rows = labels.loc[shown].reset_index(drop=True)
    scaled = p[shown][:, kept] / inside[shown, None]
    rounded = np.round(scaled * _GRAIN) / _GRAIN
    groups = grouping(rows, by)
    outcome = rows["label"].astype(object).where(rows["status"] == "confident", rows["status"]).astype(str)
    points = pd.DataFrame({f"{prefix}{name}": rounded[:, k] for k, name in enumerate(names)})
    points.insert(0, "_group", groups.codes)
    points["outcome"] = outcome.to_numpy()
    counted = points.groupby(list(points.columns), sort=True).size().rename("n").reset_index()
    values = [groups.values[code] for code in counted.pop("_group")]
    for i, column in enumerate(by):
        counted.insert(i, column, [value[i] for value in values])
    cells = [f"{prefix}{name}" for name in names]
    counted[cells] = counted[cells].div(counted[cells].sum(axis=1), axis=0)
    elsewhere = float(1 - inside[known].mean()) if known.any() else 0.0
    return PosteriorPoints(names, tuple(by), counted, max(elsewhere, 0.0), int((known & ~shown).sum()))
