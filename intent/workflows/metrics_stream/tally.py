"""What the means and the notes of a log need to know of a piece of it, and how that adds up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from intent.analysis.metrics.group_sums import GroupSums, added_sums, group_sums
from intent.analysis.subjects import ranked_subjects

__all__ = ["Read", "Tally", "added"]


@dataclass(frozen=True, eq=False)
class Read:
    """What was read of a piece, beyond the rows of the table.

    Parameters
    ----------
    games : int, games that meet the conditions
    skipped : reason -> games without rows
    unknown : as `intent.workflows.metrics_notes.unknown_moves`
    told : columns that describe trajectories and have a value here
    """

    games: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    told: frozenset[str] = frozenset()

    def __add__(self, after: Read) -> Read:
        return Read(
            self.games + after.games,
            self.skipped + after.skipped,
            self.unknown + after.unknown,
            self.told | after.told,
        )


@dataclass(frozen=True, eq=False)
class Tally:
    """The counts and totals of a piece; its games are in no other one.

    Parameters
    ----------
    read : Read
    n, n_games : trajectories and games in the table
    rank : int, case of the rule for subjects (`ranked_subjects`)
    counted, counted_games : int, trajectories in the means, and games they come from
    sums : GroupSums of these
    kinds : DataFrame, distinct values among these of payoff_kind and the columns that make the groups
    """

    read: Read = field(default_factory=Read)
    n: int = 0
    n_games: int = 0
    rank: int = -1
    counted: int = 0
    counted_games: int = 0
    sums: GroupSums = field(default_factory=lambda: added_sums([]))
    kinds: pd.DataFrame = field(default_factory=pd.DataFrame)

    @classmethod
    def of(cls, table: pd.DataFrame, read: Read, by: Sequence[str], names: Sequence[str]) -> Tally:
        """Of the table of a piece.

        Parameters
        ----------
        table : DataFrame as `schema.METRICS`
        read : Read
        by : columns that make the groups; with ``strategy`` among them, every row is in the means
        names : the metrics
        """
        if not len(table):
            return cls(read)
        rank, meant = (0, np.ones(len(table), dtype=bool)) if "strategy" in by else ranked_subjects(table)
        counted = table if meant.all() else table[meant].reset_index(drop=True)
        kinds = [c for c in dict.fromkeys(("payoff_kind", *by)) if c in counted]
        return cls(
            read,
            len(table),
            int(table["game_id"].nunique()),
            rank,
            len(counted),
            int(counted["game_id"].nunique()),
            group_sums(counted, by, names),
            counted[kinds].drop_duplicates(ignore_index=True),
        )


def added(parts: Sequence[Tally]) -> Tally:
    """The tally of all pieces: those without subjects have no part in the means."""
    rank = max((part.rank for part in parts), default=-1)
    meant = [part for part in parts if part.rank == rank and part.n]
    read = Read()
    for part in parts:
        read += part.read
    return Tally(
        read,
        sum(part.n for part in parts),
        sum(part.n_games for part in parts),
        rank,
        sum(part.counted for part in meant),
        sum(part.counted_games for part in meant),
        added_sums(part.sums for part in meant),
        pd.concat([p.kinds for p in meant], ignore_index=True).drop_duplicates(ignore_index=True)
        if meant
        else pd.DataFrame(),
    )
