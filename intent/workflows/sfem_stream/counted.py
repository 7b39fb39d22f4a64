"""Labels of a log counted piece by piece, each distinct play judged once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any
from uuid import uuid4

import numpy as np
import pandas as pd

from intent.analysis.counted import Counted
from intent.analysis.groups import grouping
from intent.logs.trajectories import Trajectories
from intent.parallel import Workers
from intent.recognise.known_plays import KnownPlays
from intent.strategies.automaton import Strategy
from intent.workflows.log_stream.pieces import Piece, Source
from intent.workflows.sfem_counts import judged_plays
from intent.workflows.sfem_stream.columns import first_rows, frame
from intent.workflows.sfem_stream.count import played
from intent.workflows.sfem_stream.stream import by_piece

__all__ = ["counted_by_piece"]

Tally = Counter[tuple[tuple[Any, ...], str, bool]]
"""(values of the columns that make groups, best strategy, whether confident) -> trajectories."""


@dataclass(frozen=True)
class _Job:
    """What every piece is judged by; `token` tells this job from every other."""

    token: str
    strategies: tuple[Strategy, ...] = field(compare=False)
    by: tuple[str, ...]
    complete: bool


def counted_by_piece(
    source: Source,
    strategies: tuple[Strategy, ...],
    by: tuple[str, ...],
    place: Mapping[tuple[Any, ...], int],
    n_groups: int,
    size: int,
    workers: Workers,
) -> list[Counted | None]:
    """Labels of a Bayes recogniser with these strategies, counted by group, as `sfem_counts.counter` does.

    Parameters
    ----------
    source : Source
    strategies : those that labels may name
    by : columns that make groups
    place : their values -> number of the group
    n_groups : int
    size : int, rows of a piece
    workers : Workers
    """
    job = _Job(uuid4().hex, strategies, by, source.complete)
    whole: Tally = Counter()
    try:
        for _, part in by_piece(source, partial(_tally, job), size, workers):
            whole.update(part)
    finally:
        _plays.cache_clear()
    best = [Counter[str]() for _ in range(n_groups)]
    sure = [Counter[str]() for _ in range(n_groups)]
    for (group, name, confident), n in whole.items():
        best[place[group]][name] += n
        sure[place[group]][name] += n * confident
    return [_counted(b, s) for b, s in zip(best, sure, strict=True)]


def _counted(best: Counter[str], sure: Counter[str]) -> Counted:
    n = best.total()
    names = sorted(best)
    return Counted(n, {name: best[name] / n for name in names}, {name: sure[name] / n for name in names})


def _tally(job: _Job, piece: Piece) -> Tally:
    play, _ = played(piece)
    if not len(play.X):
        return Counter()
    table, rows = _plays(job).look_up(play.X)
    codes, words = table.columns["best"], list(table.words["best"])
    kind = codes.astype(np.intp) * 2 + table.columns["confident"]
    groups = grouping(frame(play.keys, job.by), job.by)
    names = first_rows(play.keys, job.by, groups.codes, len(groups))
    width = 2 * len(words)
    numbers = np.bincount(groups.codes * width + kind[rows], minlength=width * len(names))
    return Counter(
        {
            (names[i // width], words[i % width // 2], bool(i % 2)): int(numbers[i])
            for i in np.flatnonzero(numbers)
        }
    )


@lru_cache(maxsize=1)
def _plays(job: _Job) -> KnownPlays:
    def judge(X: Trajectories) -> pd.DataFrame:
        best, confident = judged_plays(X, job.strategies, complete=job.complete)
        return pd.DataFrame({"best": best, "confident": confident})

    return KnownPlays(judge)
