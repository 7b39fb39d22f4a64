"""Labels of the same play, counted: what estimated shares are set beside.

Labels of a log counted piece by piece, each distinct play judged once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np
import pandas as pd

from intent.base.errors import DataError
from intent.base.statistics.groups import grouping
from intent.base.workers import Workers
from intent.estimate.label_weights import Counted
from intent.estimate.stream import by_piece, readable_play
from intent.estimate.units import first_rows, frame
from intent.logs.chunks import Piece, Source
from intent.logs.trajectories import Trajectories
from intent.recognise.distinct_plays import KnownPlays
from intent.strategies.automaton import Strategy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from intent.estimate.counts import Play, Player


__all__ = ["can_label", "counted_by_piece", "counter", "judged_plays"]


_CHUNK = 1 << 15


def counter(
    X: Play,
    strategies: Sequence[Player],
    groups: NDArray[np.intp],
    n_groups: int,
    labels: pd.DataFrame | str | Path | None = None,
) -> Callable[[], list[Counted | None]]:
    """A function that counts labels by group when it is called, since labelling can cost more than the fit.

    Parameters
    ----------
    X : Trajectories with keys, or CountedOthers, of which no labels are made
    strategies : those that labels may name, where they are made here
    groups : (n,) group of each trajectory
    n_groups : int
    labels : table as `intent label` writes it, or its path
        Default: labels of a Bayes recogniser with these strategies, eps .05 and a uniform prior, a label
        being confident as `intent label` says.

    Raises
    ------
    DataError
        The table cannot be read, has no labels, or none of these trajectories.
    """
    given = None if labels is None else _read(labels, X)

    def count() -> list[Counted | None]:
        from intent.estimate.label_weights import count_labels
        from intent.logs.trajectories import Trajectories
        from intent.strategies.automaton import Strategy

        automata = [s for s in strategies if isinstance(s, Strategy)]
        if given is None and (not isinstance(X, Trajectories) or not can_label(automata)):
            return [None] * n_groups
        best, confident = _judged(X, automata) if given is None else given  # type: ignore[arg-type]
        known = best != ""
        return [
            count_labels(best[rows], confident[rows])
            for rows in (known & (groups == g) for g in range(n_groups))
        ]

    return count


def can_label(strategies: Sequence[Strategy]) -> bool:
    """Whether labels can be made: deviations from intentions that stay hidden cannot be counted."""
    return all(s.observed_path for s in strategies)


def judged_plays(
    X: Trajectories, strategies: Sequence[Strategy], *, complete: bool
) -> tuple[NDArray[np.str_], NDArray[np.bool_]]:
    """Best strategy of each trajectory, and whether that label is confident.

    Parameters
    ----------
    X : Trajectories
    strategies : those that labels may name
    complete : bool
        Whether all play of the log is known, of which these trajectories may be a part.
    """
    import numpy as np

    from intent.recognise.bayes import BayesRecogniser
    from intent.recognise.distinct_plays import with_gap
    from intent.recognise.verdict import LabelSettings, judge

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


def _judged(X: Trajectories, strategies: Sequence[Strategy]) -> tuple[NDArray[np.str_], NDArray[np.bool_]]:
    """Of all trajectories, each distinct play judged once."""
    from intent.recognise.distinct_plays import distinct, play_keys

    first, codes = distinct(play_keys(X))
    complete = X.evidence_mask is None and bool((X.own >= 0).all() and (X.other >= 0).all())
    best, confident = judged_plays(X[first], strategies, complete=complete)
    return best[codes], confident[codes]


def _read(labels: pd.DataFrame | str | Path, X: Play) -> tuple[NDArray[np.str_], NDArray[np.bool_]]:
    """Best strategy ("" where there is no label) and confidence of each trajectory, from a table."""
    import pandas as pd

    from intent.base.tables import read_table

    name = str(labels) if isinstance(labels, str | Path) else "the table of labels"
    table = read_table(labels)[0] if isinstance(labels, str | Path) else labels
    missing = [column for column in ("game_id", "seat", "best", "label") if column not in table.columns]
    if missing:
        raise DataError(f"{name} has no column {missing[0]!r}, expected labels as `intent label` writes them")
    assert X.keys is not None
    where = pd.MultiIndex.from_arrays([table["game_id"].astype(str), table["seat"].astype(int)])
    if not where.is_unique:
        raise DataError(f"{name} has two rows for seat {where[where.duplicated()][0]}, expected one")
    wanted = pd.MultiIndex.from_arrays([X.keys["game_id"].astype(str), X.keys["seat"].astype(int)])
    rows = where.get_indexer(wanted)
    if (rows < 0).all():
        raise DataError(f"{name} holds none of the {len(X):,} trajectories, expected labels of this log")
    found = table.iloc[rows]
    best = found["best"].astype(str).where(rows >= 0, "").to_numpy(dtype=str)
    confident = found["label"].notna().to_numpy(dtype=bool) & (rows >= 0)
    return best, confident


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
    play, _ = readable_play(piece)
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
