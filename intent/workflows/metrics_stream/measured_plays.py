"""Metrics of plays, each distinct one measured once and remembered."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from intent.analysis.metrics.table import metrics_table
from intent.logs.compact.gamelog import games_of
from intent.logs.compact.rows import as_lists
from intent.logs.trajectories import Trajectories
from intent.recognise.known_plays import KnownPlays

__all__ = ["STAGE", "forget", "lengths_told", "looked_up"]

STAGE = ("seat", "payoffs", "payoff_kind", "cooperative_action")
"""What a metric depends on beside the play."""

_PLAYS = 1 << 19
"""Plays that are remembered, at most twice as many where stages come and go: 340 bytes each."""

_JUDGED = 1 << 14
"""Plays that are measured at a time."""


def forget() -> None:
    """Let go of the plays measured in this process."""
    _known.cache_clear()


@lru_cache(maxsize=1)
def _known(token: str) -> dict[tuple[Any, ...], KnownPlays]:
    """Plays that were measured, by stage."""
    return {}


def looked_up(
    token: str, keep_defaulted: bool, X: Trajectories, stages: list[tuple[Any, ...]], codes: NDArray[np.intp]
) -> dict[str, NDArray[Any]]:
    """Columns of `schema.METRICS` from n_rounds on, in the order of the rows.

    Parameters
    ----------
    token : str
        Plays that were measured under another one are let go.
    keep_defaulted : bool
    X : Trajectories of n rows
    stages : values of `STAGE`, each distinct one
    codes : (n,) which of them each row has
    """
    plays = _known(token)
    found: dict[str, NDArray[Any]] = {}
    for code, stage in enumerate(stages):
        at = np.flatnonzero(codes == code)
        if not len(at):
            continue
        if stage not in plays:
            limit = _PLAYS // len(stages)
            if sum(known.table.capacity for known in plays.values()) + limit > 2 * _PLAYS:
                plays.clear()
            plays[stage] = KnownPlays(partial(_judged, stage, keep_defaulted), limit=limit)
        table, rows = plays[stage].look_up(X[at])
        for name, values in table.columns.items():
            if name not in found:
                found[name] = np.empty(len(codes), dtype=values.dtype)
            found[name][at] = values[rows]
    return found


def _judged(stage: tuple[Any, ...], keep_defaulted: bool, X: Trajectories) -> pd.DataFrame:
    """Metrics of plays that have one stage in common, as one-row games of a compact log."""
    parts = []
    for start in range(0, len(X), _JUDGED):
        some = X[start : start + _JUDGED]
        n, rounds = some.shape
        lengths = lengths_told(some)
        columns = {
            "game_id": pa.array(np.arange(n)).cast(pa.string()),
            **{name: _same(value, n) for name, value in zip(STAGE, stage, strict=True)},
            "own": as_lists(some.own, lengths),
            "other": as_lists(some.other, lengths),
        }
        if some.evidence_mask is not None:
            columns["evidence"] = as_lists(some.evidence_mask.astype(np.int8), lengths)
        log = games_of(pa.table(columns), rounds, {"repetition": 1})
        X_of_log = log.trajectories(keep_defaulted=keep_defaulted)
        made = metrics_table(log, X_of_log, keep_defaulted=keep_defaulted)
        parts.append(made.loc[:, "n_rounds":])
    return pd.concat(parts, ignore_index=True)


def lengths_told(X: Trajectories) -> NDArray[np.int64]:
    """(n,), the last round of which anything is known."""
    last = X.mask[:, ::-1].argmax(axis=1)
    return np.where(X.mask.any(axis=1), X.shape[1] - last, 0)


def _same(value: Any, n: int) -> pa.Array:
    """A column of one number or text."""
    return pa.array([value] * n, pa.string() if value is None else None)
