"""Outcomes that are too rare for a regression, and levels at which an outcome never occurs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from intent.analysis.design_matrix import Design
from intent.analysis.shares import Outcomes

__all__ = ["OTHER", "empty_cells", "merged"]

OTHER = "other outcomes"

_SHOWN = 5


def merged(
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
