"""Counts of labels that add up over pieces to the summary of the whole."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent import schema
from intent.logs.trajectories import Trajectories
from intent.recognise.coin import Situations
from intent.recognise.known_plays import CodedTable
from intent.workflows.log_stream.pieces import Play, Runs

__all__ = ["Counted", "Tally"]

_UNIT = 2**40
"""Posteriors are summed as whole multiples of 2^-40: the sum is then the same in any order."""


@dataclass(frozen=True)
class Counted:
    """Columns of a table of distinct plays that are counted, and are no labels.

    Attributes
    ----------
    changed : whether integrating the noise changes the label; None where that is not counted
    situation : what a coin would meet, as `situation_keys`; it has none of play of more than 16 rounds
    """

    changed: str | None
    situation: str


@dataclass(frozen=True)
class Tally:
    """What `schema.JSON_OBJECTS["label"]` is made of.

    Attributes
    ----------
    n : int, labels
    read : Runs, games that meet the conditions
    games : Runs, games with labels
    statuses, consistent, posteriors : Counter
    tied, changed : int
    skipped : reason -> Runs
    situations : Situations, what the players met
    """

    n: int = 0
    read: Runs = field(default_factory=Runs)
    games: Runs = field(default_factory=Runs)
    statuses: Counter[str] = field(default_factory=Counter)
    consistent: Counter[str] = field(default_factory=Counter)
    posteriors: Counter[str] = field(default_factory=Counter)
    tied: int = 0
    changed: int = 0
    skipped: dict[str, Runs] = field(default_factory=dict)
    situations: Situations = field(default_factory=Situations)

    @classmethod
    def of(cls, table: CodedTable, rows: NDArray[np.intp], play: Play, counted: Counted) -> Tally:
        """Counts of the labels at `rows` of a table of distinct plays."""
        used = np.bincount(rows, minlength=table.size)
        there, changed = np.flatnonzero(used), counted.changed
        times = used[there]

        def counts(column: str) -> dict[Any, int]:
            codes = np.bincount(
                table.columns[column][there], weights=times, minlength=len(table.words[column])
            )
            return {word: int(n) for word, n in zip(table.words[column], codes, strict=True) if n}

        consistent: Counter[str] = Counter()
        for names, n in counts("consistent").items() if len(there) else ():
            consistent[("none", "one", "several")[min(len(names), 2)]] += n
        sums = {
            name: int((np.rint(values[there] * _UNIT).astype(np.int64) * times).sum())
            for name, values in table.columns.items()
            if name.startswith(schema.PROBABILITY_PREFIX)
        }
        return cls(
            len(rows),
            play.games,
            Runs.of(play.keys.column("game_id").combine_chunks()),
            Counter(counts("status") if len(there) else {}),
            consistent,
            Counter(sums),
            int(times[table.columns["tied"][there]].sum()) if len(there) else 0,
            int(times[table.columns[changed][there]].sum()) if changed and len(there) else 0,
            play.skipped,
            _situations(table, there, times, play, counted.situation),
        )

    def __add__(self, after: Tally) -> Tally:
        reasons = dict.fromkeys([*self.skipped, *after.skipped])
        return Tally(
            self.n + after.n,
            self.read + after.read,
            self.games + after.games,
            self.statuses + after.statuses,
            self.consistent + after.consistent,
            self.posteriors + after.posteriors,
            self.tied + after.tied,
            self.changed + after.changed,
            {r: self.skipped.get(r, Runs()) + after.skipped.get(r, Runs()) for r in reasons},
            self.situations + after.situations,
        )

    def summary(self, classes: list[str]) -> dict[str, Any]:
        """What ``intent label --json`` prints."""
        prefix = schema.PROBABILITY_PREFIX
        return {
            "n": self.n,
            "n_games": self.games.n,
            "statuses": {s: self.statuses[s] for s in schema.STATUSES},
            "consistent": {k: self.consistent[k] for k in ("none", "one", "several")},
            "tied": self.tied,
            "mean_posterior": {
                c: self.posteriors[prefix + c] / _UNIT / self.n if self.n else None for c in classes
            },
            "skipped": {reason: games.n for reason, games in self.skipped.items()},
            "rejects": 0,
        }


def _situations(
    table: CodedTable, there: NDArray[np.intp], times: NDArray[np.intp], play: Play, column: str
) -> Situations:
    """What the players of a piece met."""
    if not len(there):
        return Situations()
    if column in table.columns:
        keys = table.columns[column][there].view(np.uint64)
        return Situations.of_keys(keys, times.astype(np.int64), play.X.shape[1])
    X = Trajectories(
        play.X.own, play.X.other, evidence=None if play.X.evidence_mask is None else play.X.evidence
    )
    X.keys = play.keys.select(["game_id", "seat"]).to_pandas(ignore_metadata=True)
    return Situations.of(X)
