"""The population of a log on disk, counted piece by piece by any number of workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from intent.errors import UsageError
from intent.parallel import SERIAL

if TYPE_CHECKING:
    from intent.analysis.groups import Grouping
    from intent.parallel import Workers
    from intent.recognise.sfem.population import Population
    from intent.workflows.log_stream.pieces import Piece, Source
    from intent.workflows.sfem_stream.columns import Columns
    from intent.workflows.sfem_stream.count import Job
    from intent.workflows.sfem_stream.gathering import Gathering

__all__ = ["Streamed", "by_piece", "stream_population"]

T = TypeVar("T")

_CELLS = 1 << 22
"""Moves of a piece where some are unknown: each may need a polynomial of its own."""


_LARGER = 8
"""How many rows of the compact form take the memory of a game in tables."""

_FEW = 1 << 17
"""Rows up to which a log that has no game to count is read at once: its error says what there is."""


@dataclass(frozen=True, eq=False)
class Streamed:
    """A log, counted.

    Attributes
    ----------
    population : Population
    grouping : Grouping, one row for each way that its columns combine
    place : values of the columns that make groups -> number of the group
    columns : Columns
    skipped : reason -> games that are left out
    silent : int, trajectories without a readable move
    games : names of the games played, sorted
    several : int, subjects in several groups
    """

    population: Population
    grouping: Grouping
    place: dict[tuple[Any, ...], int]
    columns: Columns
    skipped: dict[str, int]
    silent: int
    games: tuple[str, ...]
    several: int


def by_piece(
    source: Source, function: Callable[[Piece], T], size: int, workers: Workers
) -> Iterator[tuple[Piece, T]]:
    """The pieces of a log, each with what a function makes of it, in order.

    Parameters
    ----------
    source : Source
    function : callable of a piece
    size : int, rows of a piece; fewer where moves are unknown or stand in tables
    workers : Workers; one piece is done in this process
    """
    rows = size if source.format == "compact" else size // _LARGER
    most = rows if source.complete else min(rows, _CELLS // source.rounds)
    pieces = list(source.pieces(max(1, most)))
    spread = SERIAL if len(pieces) == 1 else workers
    yield from zip(pieces, spread.map(function, pieces), strict=True)


def stream_population(
    source: Source,
    job: Job,
    size: int,
    workers: Workers,
    update: Callable[[int, int], None] = lambda done, total: None,
) -> Streamed | None:
    """Count a log; None where it has to be read at once.

    The counts are the same for any number of workers and any size of pieces.

    Parameters
    ----------
    source : Source
    job : Job
    size : int, rows of a piece
    workers : Workers
    update : called with (rows counted, in all)

    Raises
    ------
    UsageError
        No game of a large log meets the conditions, columns make too many groups, or a subject is in several
        clusters.
    UnknownNameError
        A column that the log does not have.
    """
    from intent.workflows.sfem_stream.columns import SEAT
    from intent.workflows.sfem_stream.count import count_piece
    from intent.workflows.sfem_stream.gathering import Gathering

    found, done = Gathering(), 0
    for one, part in by_piece(source, partial(count_piece, job), size, workers):
        found.add(part)
        done += one.n
        update(done, source.n)
        if found.nested or found.unseen:
            return None
    if not found.read.n and source.n > _FEW:
        raise UsageError(f"no game of {source.n:,} rows is left that meets the conditions (--where)")
    columns = found.columns
    if not found.n or columns is None:
        return None
    if not job.subject and columns.subject != SEAT and not found.valued & set(columns.subject):
        return stream_population(source, replace(job, subject=SEAT), size, workers, update)
    if not found.valued.issuperset(columns.wanted):
        return None
    return _told(found, columns)


def _told(found: Gathering, columns: Columns) -> Streamed:
    from intent.workflows.sfem_notes import first_games

    groups = found.grouping()
    return Streamed(
        found.population(),
        groups,
        dict(zip(found.groups, groups.codes.tolist(), strict=True)),
        columns,
        {reason: games.n for reason, games in sorted(found.skipped.items())},
        found.silent,
        first_games(found.games),
        found.several(),
    )
