"""Labels of the same play, counted chunk by chunk: what estimated shares are set beside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from uuid import uuid4

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import DataError
from intent.base.tables import read_table
from intent.base.workers import Workers
from intent.estimate.counts import Player
from intent.estimate.label_weights import Counted
from intent.estimate.population import Key
from intent.estimate.stream import Memory, by_piece, chunk_of, group_codes
from intent.logs.chunks import Piece, Source
from intent.logs.trajectories import Trajectories
from intent.recognise.bayes import BayesRecogniser
from intent.recognise.distinct_plays import KnownPlays, with_gap
from intent.recognise.verdict import LabelSettings, judge
from intent.strategies.automaton import Strategy

__all__ = ["TableLabels", "count_labels_of", "judged_plays", "table_labels"]


_CHUNK = 1 << 15

TableLabels = tuple[NDArray[np.str_], NDArray[np.bool_]]
"""Best strategy of each trajectory ("" where there is no label), and whether its label is confident."""


def count_labels_of(
    source: Source | Memory,
    strategies: Sequence[Player],
    by: tuple[str, ...],
    place: Mapping[Key, int],
    n_groups: int,
    workers: Workers,
    labels: TableLabels | None = None,
) -> list[Counted | None]:
    """Labels counted by group; None where none can be made.

    They are those of a Bayes recogniser with these strategies, eps .05 and a uniform prior, a label being
    confident as `intent label` says. Deviations from intentions that stay hidden cannot be counted, nor can
    several others be labelled.

    Parameters
    ----------
    source : Source or Memory
    strategies : those that labels may name
    by : columns that make groups
    place : their values -> number of the group
    n_groups : int
    workers : Workers
    labels : of a log in memory, as `table_labels` reads them
    """
    automata = tuple(s for s in strategies if isinstance(s, Strategy) and s.observed_path)
    if labels is None and len(automata) < len(strategies):
        return [None] * n_groups
    complete = labels is None and source.complete
    job = _Job(uuid4().hex, automata, by, dict(place), complete, labels)
    tallies = [[Counter[str](), Counter[str]()] for _ in range(n_groups)]
    try:
        for _, part in by_piece(source, partial(_tally, job), workers):
            for (group, name, confident), n in part.items():
                tallies[group][0][name] += n
                tallies[group][1][name] += n * confident
    finally:
        _plays.cache_clear()
    return [Counted.of(best, sure) for best, sure in tallies]


def judged_plays(X: Trajectories, strategies: Sequence[Strategy], *, complete: bool) -> TableLabels:
    """Best strategy of each trajectory, and whether that label is confident.

    Parameters
    ----------
    X : Trajectories
    strategies : those that labels may name
    complete : bool
        Whether all play of the log is known, of which these trajectories may be a part.
    """
    model = BayesRecogniser(strategies).fit()
    best, confident = np.empty(len(X), dtype=np.intp), np.empty(len(X), dtype=bool)
    for first in range(0, len(X), _CHUNK):
        part = X[first : first + _CHUNK]
        verdict = judge(
            part if complete else with_gap(part), model, LabelSettings(), np.random.default_rng(0)
        )
        rows = slice(first, first + len(part))
        best[rows] = verdict.best[: len(part)]
        confident[rows] = verdict.status[: len(part)] == "confident"
    return model.classes_[best], confident


def table_labels(labels: pd.DataFrame | str | Path, keys: pd.DataFrame) -> TableLabels:
    """The labels of a table for n trajectories.

    Parameters
    ----------
    labels : table as `intent label` writes it, or its path
    keys : game_id and seat of the trajectories

    Raises
    ------
    DataError
        The table cannot be read, has no labels, or none of these trajectories.
    """
    name = str(labels) if isinstance(labels, str | Path) else "the table of labels"
    table = read_table(labels)[0] if isinstance(labels, str | Path) else labels
    missing = [column for column in ("game_id", "seat", "best", "label") if column not in table.columns]
    if missing:
        raise DataError(f"{name} has no column {missing[0]!r}, expected labels as `intent label` writes them")
    where = pd.MultiIndex.from_arrays([table["game_id"].astype(str), table["seat"].astype(int)])
    if not where.is_unique:
        raise DataError(f"{name} has two rows for seat {where[where.duplicated()][0]}, expected one")
    wanted = pd.MultiIndex.from_arrays([keys["game_id"].astype(str), keys["seat"].astype(int)])
    rows = where.get_indexer(wanted)
    if (rows < 0).all():
        raise DataError(f"{name} holds none of the {len(keys):,} trajectories, expected labels of this log")
    taken = table.iloc[rows]
    best = taken["best"].astype(str).where(rows >= 0, "").to_numpy(dtype=str)
    return best, taken["label"].notna().to_numpy(dtype=bool) & (rows >= 0)


@dataclass(frozen=True)
class _Job:
    """What every piece is judged by; `token` tells this job from every other."""

    token: str
    strategies: tuple[Strategy, ...] = field(compare=False)
    by: tuple[str, ...]
    place: Mapping[Key, int] = field(compare=False)
    complete: bool
    labels: TableLabels | None = field(default=None, compare=False)


def _tally(job: _Job, piece: Piece | Memory) -> Counter[tuple[int, str, bool]]:
    """(group, best strategy, whether confident) -> trajectories of a piece."""
    chunk = chunk_of(piece)
    if not len(chunk.X):
        return Counter()
    if job.labels is not None:
        best, confident = job.labels
        names, codes = np.unique(best, return_inverse=True)
        words, kind = names.tolist(), codes.reshape(-1) * 2 + confident
    else:
        assert isinstance(chunk.X, Trajectories)
        table, rows = _plays(job).look_up(chunk.X)
        words = list(table.words["best"])
        kind = (table.columns["best"].astype(np.intp) * 2 + table.columns["confident"])[rows]
    width = 2 * len(words)
    numbers = np.bincount(group_codes(chunk.keys, job.by, job.place) * width + kind)
    counts = {
        (int(i // width), words[i % width // 2], bool(i % 2)): int(numbers[i])
        for i in np.flatnonzero(numbers)
    }
    return Counter({key: n for key, n in counts.items() if key[1]})


@lru_cache(maxsize=1)
def _plays(job: _Job) -> KnownPlays:
    def judged(X: Trajectories) -> pd.DataFrame:
        best, confident = judged_plays(X, job.strategies, complete=job.complete)
        return pd.DataFrame({"best": best, "confident": confident})

    return KnownPlays(judged)
