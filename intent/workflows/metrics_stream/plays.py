"""A piece of a compact log, each distinct play of which is measured once."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from intent.analysis.metrics.table import FIRST
from intent.logs.conditions import matches
from intent.logs.trajectories import Trajectories
from intent.workflows.log_stream.compact_pieces import CompactPiece
from intent.workflows.log_stream.paired_rows import same_game
from intent.workflows.metrics_notes import UNKNOWN
from intent.workflows.metrics_stream.job import Job
from intent.workflows.metrics_stream.measured_plays import STAGE, lengths_told, looked_up
from intent.workflows.metrics_stream.tally import Read, Tally

__all__ = ["plays_of_piece"]

_MOST_STAGES = 32
"""Of a piece; more of them have few plays each, so that there is little to remember."""

_KINDS = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}


def plays_of_piece(job: Job, piece: CompactPiece) -> tuple[pa.Table | None, Tally] | None:
    """As `measure_piece`, the same row by row; None where the tables of the piece are needed.

    The metrics of a trajectory of a compact log follow from its play, its seat, the payoffs and their kind,
    and the name of cooperation. They do not where moves are unknown up to the end, so that the play does
    not tell how long the game was; and where too many payoffs tell games apart, there is nothing to gain.
    """
    found = _rows(piece)
    if found is None:
        return None
    keys, X = found
    again = same_game(keys.column("game_id").combine_chunks())
    described = keys.drop_columns(["game_id"]).to_pandas(ignore_metadata=True, types_mapper=_KINDS.get)
    stages, codes = _stages(described)
    if len(stages) > _MOST_STAGES:
        return None
    rows = np.flatnonzero(_accepted(piece, keys, described))
    game = np.cumsum(np.append(0, ~again))[: len(keys)]
    kept = np.zeros(len(keys), dtype=bool)
    kept[game[rows]] = True
    of_game = kept[game]
    alone = ~(np.append(again, False) | np.append(False, again))[: len(keys)]
    unknown = Counter() if piece.complete else _unknown(X[of_game], alone[of_game])
    read = Read(int(kept.sum()), Counter(), unknown, _told(keys.filter(pa.array(of_game))))
    if not len(rows):
        return None, Tally(read)
    opponent = _opponent(keys, again).take(pa.array(rows))
    keys, described = keys.take(pa.array(rows)), described.iloc[rows].reset_index(drop=True)
    measured = looked_up(job.token, job.keep_defaulted, X[rows], stages, codes[rows])
    told = "rounds_planned" in keys.column_names
    planned = keys.column("rounds_planned") if told else pa.nulls(len(rows), pa.int64())
    columns: dict[str, Any] = {"rounds": planned, "opponent": opponent, **measured}
    ids = keys.column("game_id").to_pandas() if "game_id" in job.by else game[rows]
    tally = Tally.of(_frame(job, described, columns).assign(game_id=ids), read, job.by, job.names)
    return (_table(job.schema, keys, columns) if job.table else None), tally


def _rows(piece: CompactPiece) -> tuple[pa.Table, Trajectories] | None:
    """What describes the rows of a piece, whatever its conditions, and their play.

    None where a play does not tell how long its game was.
    """
    known = {*(c for c, _ in piece.types), *(c for c, _ in piece.filled)}
    also = {*STAGE, "rounds_planned", *(c for c, _ in piece.where)} & known - set(piece.keys)
    wanted = (*piece.keys, *sorted(also))
    play = replace(piece, keys=wanted, where=(), keep_defaulted=False).read()
    if play.skipped or not (piece.complete or _ends_known(piece, play.X)):
        return None
    return play.keys, play.X


def _accepted(piece: CompactPiece, keys: pa.Table, described: pd.DataFrame) -> NDArray[np.bool_]:
    """(n,), rows that meet the conditions of the piece."""
    accepted = np.ones(len(keys), dtype=bool)
    for name, values in piece.where:
        column = keys.column(name).to_pandas() if name == "game_id" else described[name]
        accepted &= matches(column, values)
    return accepted


def _frame(job: Job, described: pd.DataFrame, columns: dict[str, Any]) -> pd.DataFrame:
    """The columns that the means need."""
    used = [c for c in dict.fromkeys((*job.by, "model", "strategy", "payoff_kind")) if c in described]
    ours = {c: v for c, v in columns.items() if c not in FIRST}
    filled = {
        c: columns[c].to_pandas(ignore_metadata=True, types_mapper=_KINDS.get) for c in FIRST if c in job.by
    }
    return pd.DataFrame({**described[used], **ours, **filled}, copy=False)


def _ends_known(piece: CompactPiece, X: Trajectories) -> bool:
    """Whether every list of moves ends with a known one; those of rows that are not in `X` are empty."""
    lists = piece.rows.table(["game_id", "own"]).column("own")
    return (pc.sum(pc.list_value_length(lists)).as_py() or 0) == int(lengths_told(X).sum())


def _unknown(X: Trajectories, alone: NDArray[np.bool_]) -> Counter[str]:
    """Moves of each status in `UNKNOWN`, those of the other seat where it has no row of its own."""
    inside = np.arange(X.shape[1]) < lengths_told(X)[:, None]
    missing = ((X.own < 0) & inside).sum() + ((X.other < 0) & inside)[alone].sum()
    defaulted = 0 if X.evidence_mask is None else ((X.own >= 0) & ~X.evidence_mask).sum()
    return Counter(dict(zip(UNKNOWN, (int(missing), int(defaulted)), strict=True)))


def _stages(described: pd.DataFrame) -> tuple[list[tuple[Any, ...]], NDArray[np.intp]]:
    """Distinct stages, and which of them each row has."""
    codes = np.zeros(len(described), dtype=np.intp)
    for name in STAGE:
        if name in described:
            own, found = pd.factorize(described[name])
            codes = codes * (len(found) + 1) + own + 1
    codes = pd.factorize(codes)[0]
    first = described.loc[~pd.Series(codes).duplicated()].astype(object)
    cells = (
        [None if pd.isna(v) else v for v in first[c]] if c in first else [None] * len(first) for c in STAGE
    )
    return list(zip(*cells, strict=True)), codes


def _opponent(keys: pa.Table, again: NDArray[np.bool_]) -> pa.Array:
    """Strategy or model of the other seat that has a row; else what the column ``opponent`` says."""

    def texts(name: str) -> pa.Array:
        if name not in keys.column_names:
            return pa.nulls(len(keys), pa.string())
        return keys.column(name).combine_chunks().cast(pa.string())

    partner = np.full(len(keys), -1)
    first = np.flatnonzero(again)
    partner[first], partner[first + 1] = first + 1, first
    names = pc.coalesce(texts("strategy"), texts("model")) if len(first) else texts("")
    return pc.coalesce(names.take(pa.array(partner, mask=partner < 0)), texts("opponent"))


def _told(keys: pa.Table) -> frozenset[str]:
    """Columns that have a value."""
    return frozenset(c for c in keys.column_names if keys.column(c).null_count < len(keys))


def _table(schema: pa.Schema, keys: pa.Table, columns: dict[str, Any]) -> pa.Table:
    arrays = []
    for field in schema:
        values = columns.get(field.name)
        if values is None:
            values = keys.column(field.name)
        if pa.types.is_null(field.type):
            values = pa.nulls(len(keys))
        if isinstance(values, np.ndarray):
            values = pa.array(values, from_pandas=True)
        if pa.types.is_dictionary(values.type):
            values = values.cast(values.type.value_type)
        arrays.append(values.cast(field.type))
    return pa.table(arrays, schema=schema)
