"""One piece of a log, counted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from intent.analysis.groups import cluster_codes, grouping
from intent.recognise.sfem.counts import Counts, count_moves
from intent.recognise.sfem.patterns import patterns
from intent.recognise.sfem.population import populated
from intent.strategies.automaton import Strategy
from intent.workflows.log_stream.pieces import Piece, Play
from intent.workflows.sfem_notes import first_games
from intent.workflows.sfem_stream.columns import SEAT, Columns, alone, first_rows, frame, names_of
from intent.workflows.sfem_stream.design import Derived
from intent.workflows.sfem_stream.part import Entries, Part, Unfinished, several_clusters

__all__ = ["Job", "count_piece", "played"]


@dataclass(frozen=True)
class Job:
    """How the pieces of a log are counted.

    Parameters
    ----------
    strategies : those that compete
    by, subject, cluster : as `intent.workflows.sfem.sfem`
    derived : Derived, where no column of the log names the clusters
    """

    strategies: tuple[Strategy, ...]
    by: str | tuple[str, ...] = ()
    subject: str | tuple[str, ...] = ()
    cluster: str | tuple[str, ...] = ()
    derived: Derived | None = None


def count_piece(job: Job, piece: Piece) -> Part:
    """Count the play of a piece.

    Raises
    ------
    UnknownNameError
        A column that the log does not have.
    UsageError
        Columns that make too many groups.
    """
    play, silent = played(piece)
    if job.derived is not None:
        play = replace(play, keys=job.derived.named(play.keys))
    columns = Columns.of(job.by, job.subject, job.cluster, play.keys.column_names)
    facts: dict[str, Any] = {
        "n": len(play.X),
        "silent": silent,
        "read": play.games,
        "skipped": play.skipped,
        "columns": columns,
        "nested": {c for c in columns.wanted if pa.types.is_nested(play.keys.column(c).type)},
    }
    facts["unseen"] = play.X.implementation_error is not None
    if facts["nested"] or facts["unseen"] or not len(play.X):
        return Part(**facts)
    keys = play.keys
    facts["valued"] = {c for c in columns.wanted if keys.column(c).null_count < len(keys)}
    if "game" in keys.column_names:
        facts["games"] = set(first_games(pc.unique(keys.column("game")).drop_null().to_pylist()))
    groups = grouping(frame(keys, columns.by), columns.by)
    facts["groups"] = first_rows(keys, columns.by, groups.codes, len(groups))
    return Part(**facts, **_counted(job, columns, play, groups.codes, len(groups)))


def played(piece: Piece) -> tuple[Play, int]:
    """The play of a piece without trajectories that have no readable move, and how many these are."""
    play = piece.read()
    moved = play.X.n_rounds > 0
    silent = int(len(moved) - moved.sum())
    if not silent:
        return play, 0
    kept = np.flatnonzero(moved)
    return Play(play.X[kept], play.keys.take(pa.array(kept)), play.games, play.skipped), silent


def _counted(
    job: Job, columns: Columns, play: Play, group: NDArray[np.intp], n_groups: int
) -> dict[str, Any]:
    """The subjects of a piece, apart by what of them may go on elsewhere."""
    n = len(play.X)
    one_by_one = columns.subject == SEAT
    subject = (
        np.arange(n) if one_by_one else cluster_codes(frame(play.keys, columns.subject), columns.subject)
    )
    _, first, unit = np.unique(subject * n_groups + group, return_index=True, return_inverse=True)
    counts = count_moves(play.X, unit.reshape(-1), job.strategies)
    finished = _bounded(play.keys, columns.subject)[first]
    ends, clusters = finished, subject
    if columns.cluster:
        clusters = cluster_codes(frame(play.keys, columns.cluster), columns.cluster)
        _check_one_cluster(columns.cluster, play.keys, unit.reshape(-1), clusters, first)
        shared = np.isin(clusters[first], clusters[first][~finished])
        ends = finished & _bounded(play.keys, columns.cluster)[first] & ~shared
    found: dict[str, Any] = {}
    numbers = np.bincount(subject[first][finished], minlength=1)
    found["shared"] = int((numbers > 1).sum())
    settled = np.flatnonzero(ends)
    if len(settled):
        own = np.unique(clusters[first][settled], return_inverse=True)[1].reshape(-1)
        found["settled"] = populated(
            counts.take(settled), group[first][settled], own, n_groups, clustered=bool(columns.cluster)
        )[0]
    rest = np.flatnonzero(finished & ~ends)
    if len(rest):
        found["entries"] = _entries(columns, play.keys, counts.take(rest), group, clusters, first[rest])
    going = np.flatnonzero(~finished)
    if len(going):
        rows = first[going]
        found["unfinished"] = Unfinished(
            counts.take(going),
            group[rows],
            names_of(play.keys, columns.subject, rows),
            names_of(play.keys, columns.cluster, rows) if columns.cluster else None,
        )
    return found


def _entries(
    columns: Columns,
    keys: pa.Table,
    counts: Counts,
    group: NDArray[np.intp],
    clusters: NDArray[np.intp],
    rows: NDArray[np.intp],
) -> Entries:
    distinct, pattern = patterns(counts)
    _, at, cluster = np.unique(clusters[rows], return_index=True, return_inverse=True)
    together = np.stack([cluster.reshape(-1), group[rows], pattern], axis=1)
    each, times = np.unique(together, axis=0, return_counts=True)
    names = names_of(keys, columns.cluster, rows[at])
    return Entries(distinct, each[:, 0], each[:, 1], each[:, 2], times.astype(np.int64), names)


def _check_one_cluster(
    columns: tuple[str, ...],
    keys: pa.Table,
    unit: NDArray[np.intp],
    clusters: NDArray[np.intp],
    first: NDArray[np.intp],
) -> None:
    other = np.flatnonzero(clusters[first][unit] != clusters)
    if len(other):
        raise several_clusters(columns, names_of(keys, columns, other[:1])[0])


def _bounded(keys: pa.Table, columns: tuple[str, ...]) -> NDArray[np.bool_]:
    """(n,) bool, whether what the columns name in each row lies within one game."""
    return np.ones(len(keys), dtype=bool) if "game_id" in columns else alone(keys, columns)
