"""What a reader of metrics should be warned of, from counts that add up over the pieces of a log."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from intent.logs.gamelog import GameLog

__all__ = ["UNKNOWN", "metric_notes", "unknown_moves"]

UNKNOWN = ("missing", "defaulted")
"""Statuses of moves that give no occasion."""


def unknown_moves(log: GameLog) -> dict[str, int]:
    """Number of moves of each status in `UNKNOWN`."""
    status = log.moves["status"]
    return {name: int((status == name).sum()) for name in UNKNOWN}


def metric_notes(
    *,
    skipped: Mapping[str, int],
    unread: Sequence[str],
    unknown: Mapping[str, int],
    kinds: pd.DataFrame,
    by: Sequence[str],
    columns: Collection[str],
    left_out: int,
) -> list[str]:
    """Notes on the means of a log.

    Parameters
    ----------
    skipped : mapping of reason -> number of games without rows
    unread : notes on rows that could not be read
    unknown : as `unknown_moves`
    kinds : DataFrame
        Distinct values of payoff_kind (absent where the log does not say it) and of the columns `by`.
    by : columns that make the groups
    columns : those that describe the trajectories of the log
    left_out : int, trajectories in the table and not in the means
    """
    from intent.analysis.metrics.table import TAKEN

    notes = [f"{n:,} games have no rows: {why}" for why, n in skipped.items()]
    notes += unread
    told = " and ".join(f"{n:,} {status}" for status, n in unknown.items() if n)
    if told:
        notes.append(f"{told} moves; what is unknown gives no occasion (defaults: --keep-defaulted)")
    if "payoff_kind" in kinds and _mixed(kinds, by):
        notes.append("mean_payoff is over rewards and penalties together: --by payoff_kind tells them apart")
    lost = [c for c in columns if c in TAKEN]
    if lost:
        notes.append(f"columns of the log that are called as a metric are left out: {', '.join(lost)}")
    if left_out:
        why = "seats that no model plays are in the table and not in the means (--by strategy shows them)"
        notes.append(f"{left_out:,} trajectories of {why}")
    return notes


def _mixed(table: pd.DataFrame, by: Sequence[str]) -> bool:
    """Whether a group has both rewards and penalties."""
    kinds = table[["payoff_kind", *(c for c in by if c != "payoff_kind")]].drop_duplicates()
    return bool(len(kinds) > 1 if not by else kinds.duplicated(list(by)).any())
