"""What every piece is measured by, and the metrics of one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, cast

import pandas as pd
import pyarrow as pa

from intent.analysis.metrics.table import FIRST, TAKEN, metrics_table
from intent.errors import DataError
from intent.logs.gamelog import KEY_GAME_COLUMNS, KEY_SEAT_COLUMNS, GameLog
from intent.workflows.focal import focal_play
from intent.workflows.log_stream.compact_pieces import CompactPiece
from intent.workflows.log_stream.pieces import Piece
from intent.workflows.metrics_notes import unknown_moves
from intent.workflows.metrics_stream.tally import Read, Tally

__all__ = ["Job", "measure_piece", "measured", "packed_piece", "unpacked"]


@dataclass(frozen=True)
class Job:
    """How the pieces of a log are measured.

    Parameters
    ----------
    keys : columns that describe a trajectory of the log
    by : those that make the groups
    names : metrics whose means are wanted
    others, keep_defaulted : as `focal_play`
    table : bool
        Whether the rows are wanted, or the totals alone.
    schema : Schema of the table, where it follows from the play alone (`plays_of_piece`)
    token : str
        Tells this job from every other; plays measured once serve the whole job.
    """

    keys: tuple[str, ...]
    by: tuple[str, ...]
    names: tuple[str, ...]
    others: str | None = None
    keep_defaulted: bool = False
    table: bool = True
    schema: pa.Schema | None = None
    token: str = ""


def measure_piece(job: Job, piece: Piece) -> tuple[pa.Table | None, Tally]:
    """The table of a piece as `schema.METRICS` (None where not wanted, or without rows), and its tally."""
    if job.schema is not None and isinstance(piece, CompactPiece):
        from intent.workflows.metrics_stream.plays import plays_of_piece

        try:
            found = plays_of_piece(job, piece)
        except DataError:  # the tables of the piece say where it is
            found = None
        if found is not None:
            return found
    frame, read = measured(job, piece.games())
    tally = Tally.of(frame, read, job.by, job.names)
    if not job.table or not len(frame):
        return None, tally
    return pa.Table.from_pandas(frame, preserve_index=False), tally


def packed_piece(job: Job, piece: Piece) -> tuple[bytes | None, Tally]:
    """`measure_piece` with the table as a fifth of its bytes, to be sent to another process."""
    table, tally = measure_piece(job, piece)
    if table is None:
        return None, tally
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
    with pa.ipc.new_stream(sink, table.schema, options=options) as stream:
        stream.write_table(table)
    return sink.getvalue().to_pybytes(), tally


def unpacked(sent: bytes | pa.Table) -> pa.Table:
    """The table of `packed_piece`."""
    return sent if isinstance(sent, pa.Table) else pa.ipc.open_stream(sent).read_all()


def measured(job: Job, log: GameLog) -> tuple[pd.DataFrame, Read]:
    """The table of some games with all columns of the log, and what else was read of them."""
    if not len(log):
        return pd.DataFrame(), Read()
    played, X = focal_play(log, others=job.others, keep_defaulted=job.keep_defaulted)
    made = metrics_table(played, X, keep_defaulted=job.keep_defaulted)
    assert X.keys is not None
    described: dict[str, Any] = {}
    for name in _in_order(log, job.keys):
        if name in made:
            described[name] = made[name]
        else:
            dtype = (log.seats if name in log.seats else log.games)[name].dtype
            described[name] = pd.Series([None] * len(made), dtype=cast(Any, dtype))
    rest = {str(name): made[name] for name in made if name not in described}
    read = Read(
        len(log), Counter(played.skipped()), Counter(unknown_moves(played)), frozenset(X.keys.columns)
    )
    return pd.DataFrame({**described, **rest}, copy=False), read


def _in_order(log: GameLog, keys: tuple[str, ...]) -> list[str]:
    """Columns of keys that the table keeps as they are, in the order of `GameLog.trajectories`."""
    known = ["game_id", "seat", *KEY_SEAT_COLUMNS, *log.seat_conditions, *KEY_GAME_COLUMNS, *log.conditions]
    return [name for name in dict.fromkeys(known) if name in keys and name not in {*FIRST, *TAKEN}]
