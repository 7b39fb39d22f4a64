"""How labels are counted: from one row per trajectory to a weight on every outcome.

Estimated shares beside counted ones: a mixture fitted to play, and the labels of the same play counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base import codebook
from intent.base.errors import DataError, UnknownNameError, shorten
from intent.base.tables import strategy_classes

__all__ = ["ABSTENTIONS", "Count", "Gate", "Outcomes", "gate_rows", "outcomes"]


Count = Literal["status", "posterior", "split", "best"]
Gate = Literal["game", "trajectory"]

ABSTENTIONS = ("ambiguous", "low_confidence", "no_fit")
"""Statuses that count as outcomes of their own, beside the strategies."""

_NEEDED = {"status": ("status", "label"), "posterior": (), "split": ("best", "tied_with"), "best": ("best",)}


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What each row counts for.

    Parameters
    ----------
    names : tuple of str
        The k outcomes, strategies in the order of the recogniser.
    weights : (n, k) float, rows sum to one
    """

    names: tuple[str, ...]
    weights: NDArray[np.float64]

    @property
    def fractional(self) -> bool:
        """Whether some row counts for several outcomes in parts."""
        return bool(((self.weights > 0) & (self.weights < 1)).any())


def outcomes(
    labels: pd.DataFrame, count: Count = "status", *, classes: Sequence[str] | None = None
) -> Outcomes:
    """Weight of every outcome in every row of a table of labels.

    ``status``
        The strategy where the label is confident, else its status: ambiguous, low_confidence or no_fit.
    ``posterior``
        The posterior probability of each strategy.
    ``split``
        Equal parts for the most probable strategy and those that tie with it.
    ``best``
        The most probable strategy, ties going to the first in catalogue order.

    Parameters
    ----------
    labels : DataFrame
        Columns as `codebook.LABELS`, and ``p_<STRATEGY>`` per class.
    classes : sequence of str, optional
        Strategies that the recogniser knows; default `strategy_classes`.

    Raises
    ------
    DataError
        The table has not the columns of labels, or values that labels cannot have.
    UnknownNameError
        No such way to count.
    """
    if count not in get_args(Count):
        raise UnknownNameError("count", count, get_args(Count))
    missing = [c for c in _NEEDED[count] if c not in labels.columns]
    prefix = codebook.PROBABILITY_PREFIX
    names = tuple(strategy_classes(labels) if classes is None else classes)
    if missing or not names:
        raise DataError(
            f"no column {missing[0] if missing else prefix + '<STRATEGY>'!r}, which --count {count} needs; "
            "expected a table made by `intent label`, or --metric NAME for any numeric column"
        )
    if count == "posterior":
        return Outcomes(names, _posterior(labels, [prefix + name for name in names]))
    if count == "best":
        return Outcomes(names, _one_hot(labels["best"], names, "best"))
    if count == "split":
        return Outcomes(names, _split(labels, names))
    shown = (
        labels["label"].astype(object).where(labels["status"] == "confident", labels["status"].astype(object))
    )
    return Outcomes((*names, *ABSTENTIONS), _one_hot(shown, (*names, *ABSTENTIONS), "status"))


def gate_rows(
    labels: pd.DataFrame, gate: Gate | None, scripted: NDArray[np.bool_] | None = None
) -> NDArray[np.bool_]:
    """(n,), rows that pass: confident ones, or those of games whose subjects' labels all are confident.

    The gate on games is that of the published study, which keeps a game where both agents' most
    probable strategy has a probability above the threshold; both agents are models there.

    Parameters
    ----------
    scripted : (n,) bool, optional
        Rows of seats that a strategy plays, which say nothing about the labels of others in their games.

    Raises
    ------
    DataError
        The table has no column status (or game_id, for the gate on games).
    UnknownNameError
        No such gate.
    """
    if gate is None:
        return np.ones(len(labels), dtype=bool)
    if gate not in get_args(Gate):
        raise UnknownNameError("gate", gate, get_args(Gate))
    for column in ("status", "game_id") if gate == "game" else ("status",):
        if column not in labels.columns:
            raise DataError(f"no column {column!r}, which --gate {gate} needs; expected a table of labels")
    confident = (labels["status"] == "confident").to_numpy(dtype=bool, na_value=False)
    if gate == "trajectory":
        return confident
    games = pd.factorize(labels["game_id"])[0]
    if (games < 0).any():
        raise DataError("column 'game_id' has nulls, expected a value in every row")
    if scripted is not None:
        games = 2 * games + scripted
    failed = np.bincount(games, weights=~confident) > 0
    return np.asarray(~failed[games], dtype=bool)


def _one_hot(values: pd.Series[Any], names: Sequence[str], column: str) -> NDArray[np.float64]:
    codes = pd.Index(names).get_indexer(pd.Index(values.astype(object)))
    if (codes < 0).any():
        row = int(np.flatnonzero(codes < 0)[0])
        got = values.iloc[row]
        raise DataError(f"row {row + 1}: {column} is {shorten(got)!r}, expected one of {', '.join(names)}")
    return np.eye(len(names))[codes]


def _posterior(labels: pd.DataFrame, columns: Sequence[str]) -> NDArray[np.float64]:
    try:
        weights = labels[list(columns)].to_numpy(dtype=float, na_value=np.nan)
    except (TypeError, ValueError) as error:
        raise DataError(f"columns {', '.join(columns)} are no probabilities: {shorten(error)}") from None
    sums = weights.sum(axis=1)
    wrong = ~((np.abs(sums - 1) < 1e-3) & (weights >= 0).all(axis=1))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise DataError(f"row {row + 1}: probabilities {', '.join(columns)} sum to {sums[row]:g}, expected 1")
    return np.asarray(weights / sums[:, None])


def _split(labels: pd.DataFrame, names: Sequence[str]) -> NDArray[np.float64]:
    weights = _one_hot(labels["best"], names, "best")
    place = {name: k for k, name in enumerate(names)}
    for row, tied in enumerate(labels["tied_with"]):
        for name in _listed(tied):
            if name not in place:
                raise DataError(
                    f"row {row + 1}: tied_with names {shorten(name)!r}, expected one of {', '.join(names)}"
                )
            weights[row, place[name]] = 1.0
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _listed(cell: object) -> list[str]:
    """The names in a cell: a list, or (as CSV holds it) text joined by ``|``; null is none."""
    if isinstance(cell, str):
        return [name for name in cell.split("|") if name]
    if isinstance(cell, list | tuple | np.ndarray):
        return [str(name) for name in cell]
    return []
