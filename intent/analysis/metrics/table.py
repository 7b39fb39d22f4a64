"""The table of behaviour metrics of a log: one row per trajectory, each metric with its denominator."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent import schema
from intent.analysis.deliberation.deception import deception
from intent.analysis.metrics import behaviour
from intent.analysis.metrics.behaviour import Metric
from intent.analysis.metrics.comprehension import comprehension, question_columns
from intent.analysis.metrics.decisions import adherence, mean_payoff, nash_consistency, tool_use
from intent.analysis.metrics.memory_one import memory_one
from intent.analysis.metrics.seats import opponents, seat_rows
from intent.logs.gamelog import GameLog
from intent.logs.tables import TEXT
from intent.logs.trajectories import Trajectories

__all__ = ["FIRST", "METRICS", "TAKEN", "metrics_table"]

METRICS = tuple(
    c.name
    for c in schema.METRICS
    if c.kind == "float" and not c.name.endswith(("_low", "_high")) and c.name != "mean_payoff"
)
"""Names of the columns that are shares, in the order of the codebook."""

FIRST = ("rounds", "opponent")
"""Columns that a condition column of the same name only fills in."""

TAKEN = frozenset(c.name for c in schema.METRICS) - {"game_id", "seat", *FIRST}
"""Names that a condition column of a log cannot keep in this table."""


def metrics_table(
    log: GameLog, X: Trajectories, *, keep_defaulted: bool = False, questions: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Behaviour metrics of trajectories.

    Own moves that are no evidence (a default in place of an unreadable reply) count as unknown; as moves of
    the other they count, since the player saw them.

    Parameters
    ----------
    log : GameLog
    X : its trajectories of two players, with keys
    keep_defaulted : bool
        Whether a default that replaced an unreadable reply counts as the player's own move.
    questions : DataFrame, optional
        As `schema.QUESTIONS`; default: those of the log, as they were scored.

    Returns
    -------
    DataFrame
        As `schema.METRICS`. A condition column that is called ``rounds`` or ``opponent`` only fills in what
        the log does not tell otherwise; one with the name of a metric is left out.
    """
    assert X.keys is not None
    own = np.where(X.evidence, X.own, np.int8(-1))
    keys = X.keys.reset_index(drop=True)
    at = seat_rows(log, keys)
    data: dict[str, Any] = {name: keys[name].array for name in keys.columns if name not in (*TAKEN, *FIRST)}
    named = pd.array(opponents(log)[at], dtype=cast(Any, TEXT))
    for name, column in zip(FIRST, (_rounds(log, keys), named), strict=True):
        data[name] = _known_first(column, keys.get(name))
    data["n_rounds"] = X.n_rounds
    for name, metric in _of_play(log, keys, own, X.other):
        data |= {name: metric.value, f"{name}_n": metric.occasions}
    data["first_move"] = behaviour.first_move(own, X.other).value
    for name, after in memory_one(own, X.other).items():
        data |= {f"p_{name}": after.value, f"p_{name}_low": after.low, f"p_{name}_high": after.high}
        data[f"p_{name}_n"] = after.n
    rows = seat_rows(log, log.moves)
    data["mean_payoff"] = mean_payoff(log, rows)[at]
    for name, metric in (
        ("adherence", adherence(log, rows, keep_defaulted=keep_defaulted)),
        ("nash_consistency", nash_consistency(log, rows, keep_defaulted=keep_defaulted)),
        ("tool_use", tool_use(log, rows)),
        *_of_texts(log),
    ):
        data |= {name: metric.value[at], f"{name}_n": metric.occasions[at]}
    table = pd.DataFrame(data)
    asked = log.questions if questions is None else questions
    if asked is None or not len(asked):
        return table
    return pd.concat([table, question_columns(comprehension(asked), keys)], axis=1)


def _of_play(
    log: GameLog, keys: pd.DataFrame, own: NDArray[np.int8], other: NDArray[np.int8]
) -> Iterable[tuple[str, Metric]]:
    """Metrics of both players' moves, by name."""
    for name, metric in behaviour.METRICS.items():
        yield name, metric(own, other)
    yield "mutual_cooperation", behaviour.mutual_cooperation(own, other)
    of_game = log.games["rounds_played"].to_numpy(dtype=np.int64)
    lengths = of_game[pd.Index(log.games["game_id"]).get_indexer(pd.Index(keys["game_id"]))]
    yield "end_effect", behaviour.end_effect(own, other, lengths)


def _of_texts(log: GameLog) -> Iterable[tuple[str, Metric]]:
    """Deception by row of the table of seats."""
    names = {"deception": "deceptive", "intended_deception": "intended_deceptive"}
    n = len(log.seats)
    told = "message" in log.moves and log.moves["message"].notna().any()
    found = deception(log) if told else None
    for name, column in names.items():
        hits = occasions = np.zeros(n, dtype=np.int64)
        if found is not None:
            known = found[column].notna().to_numpy()
            rows = seat_rows(log, found)[known]
            lies = found[column][known].astype(bool).to_numpy()
            occasions = np.bincount(rows, minlength=n).astype(np.int64)
            hits = np.bincount(rows[lies], minlength=n).astype(np.int64)
        value = np.where(occasions > 0, hits / np.maximum(occasions, 1), np.nan)
        yield name, Metric(value, hits, occasions)


def _rounds(log: GameLog, keys: pd.DataFrame) -> Any:
    """Rounds planned by trajectory, null where the log does not know."""
    planned = log.games["rounds_planned"]
    return planned.take(pd.Index(log.games["game_id"]).get_indexer(pd.Index(keys["game_id"]))).array


def _known_first(values: Any, stand_in: pd.Series | None) -> Any:
    """Values, with those of a condition column of the same name where they are null."""
    known = pd.notna(values)
    if stand_in is None or known.all():
        return values
    if not known.any():
        return stand_in.array
    return np.where(known, np.asarray(values, dtype=object), stand_in.to_numpy(dtype=object))
