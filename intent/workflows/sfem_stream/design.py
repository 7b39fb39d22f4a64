"""The unit of a design that is read piece by piece: a first pass over what describes the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from intent.analysis.groups import NONE, cluster_codes
from intent.analysis.repeats import cell_columns
from intent.analysis.unit import CELL, SESSIONS
from intent.workflows.columns import column_names
from intent.workflows.log_stream.pieces import Piece, Source
from intent.workflows.sfem_stream.columns import SEAT, Columns
from intent.workflows.sfem_unit import SubjectUnit, joined_names, named_unit, own_unit, subject_unit

if TYPE_CHECKING:
    from intent.parallel import Workers
    from intent.workflows.sfem_stream.count import Job

__all__ = ["CLUSTER", "MOST", "Derived", "Design", "design_by_piece"]

MOST = 1 << 20
"""Rows up to which a log is searched for conditions that repeat and subjects who met."""

CLUSTER = "\0unit"
"""A column of keys that names the unit of each row, where no column of the log does."""

_OWN = "\0conditions"

Numbers = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Derived:
    """Units that no column names: conditions of games, or subjects who met.

    Parameters
    ----------
    columns : those that make a condition, or that name a subject
    components : name of a subject -> number of those who met, or None for conditions
    """

    columns: tuple[str, ...]
    components: Mapping[str, int] | None = None

    def named(self, keys: pa.Table) -> pa.Table:
        """The keys of a piece and the column `CLUSTER`."""
        if not len(keys):
            return keys.append_column(CLUSTER, pa.array([], pa.int64()))
        game = _games(keys)
        if self.components is None:
            unit = pa.array(_of_games(_hashed(keys, self.columns), game).view(np.int64))
        else:
            unit = self._met(keys, game, self.components)
        return keys.append_column(CLUSTER, unit)

    def _met(self, keys: pa.Table, game: NDArray[np.intp], components: Mapping[str, int]) -> pa.Array:
        """Those whom each row belongs to: through its subject, else through who else is in the game."""
        names = joined_names(_frame(keys, self.columns), self.columns)
        own = np.array([-1 if name is None else components[name] for name in names], dtype=np.int64)
        most = np.full(int(game.max()) + 1, -1, dtype=np.int64)
        np.maximum.at(most, game, own)
        ids = keys.column("game_id").to_pylist()
        return pa.array([f"met {m}" if m >= 0 else f"game {g}" for m, g in zip(most[game], ids, strict=True)])


@dataclass(frozen=True, eq=False)
class Design:
    """How the clusters of a log are told in pieces.

    Parameters
    ----------
    job : Job, whose clusters are those of the unit
    found : SubjectUnit, or None where the first pass was not needed or too long
    """

    job: Job
    found: SubjectUnit | None = None

    def unit(self, columns: Columns, n: int) -> SubjectUnit:
        """The unit, of which the log has turned out to have n."""
        if self.found is not None:
            return self.found
        codes = np.arange(n)
        if self.job.cluster:
            return SubjectUnit(named_unit(columns.cluster, codes), codes)
        why = f"a log of more than {MOST:,} rows is not searched for conditions that repeat (--cluster)"
        if columns.cluster:
            unit = replace(named_unit(columns.cluster, codes), reason=why)
            return SubjectUnit(unit, codes)
        why = f"a log of more than {MOST:,} rows is not searched for subjects who met (--cluster)"
        return SubjectUnit(own_unit(codes, columns.subject, why), None)


def design_by_piece(source: Source, job: Job, size: int, workers: Workers) -> Design | None:
    """What is independent in a log, as `subject_unit` says of it at once; None where it must be read so.

    Parameters
    ----------
    source : Source
    job : Job, with the columns that the user names
    size : int, rows of a piece
    workers : Workers
    """
    from intent.workflows.sfem_stream.stream import by_piece

    cells = _named(job.cluster) == CELL
    if (job.cluster and not cells) or (source.n > MOST and not cells):
        return Design(job)
    parts = [part for _, part in by_piece(source, partial(_slim, job), size, workers)]
    if any(part is None for part in parts):
        return None
    slim = [part for part in parts if part is not None and len(part[1])]
    if not slim:
        return Design(job)
    columns, table = slim[0][0], _joined([part for _, part in slim])
    if cells and "cell" in slim[0][1].column_names:
        return Design(job)
    if not job.subject and columns.subject != SEAT and not table.get("player", pd.Series()).notna().any():
        columns = replace(columns, subject=SEAT)
    if any(c not in table for c in (*columns.by, *columns.subject)):
        return None
    one_by_one = columns.subject == SEAT
    subjects = np.arange(len(table)) if one_by_one else cluster_codes(table, columns.subject)
    found = subject_unit(table, columns.by, columns.subject, subjects, CELL if cells else ())
    kind, own = found.unit.kind, ("player",) if one_by_one else columns.subject
    own_job = replace(job, subject=columns.subject)
    if found.clusters is None:
        return Design(own_job, found)
    if kind == "condition":
        hashed = _candidates(source_columns(slim), columns.by)
        lost = [c for c in hashed if c in table and c not in cell_columns(table)]
        derived = Derived(tuple(c for c in hashed if c not in lost))
        return Design(replace(own_job, cluster=(CLUSTER,), derived=derived), found)
    if kind == "component":
        names = joined_names(table, own)
        met = {name: int(code) for name, code in zip(names, found.clusters, strict=True) if name is not None}
        return Design(replace(own_job, cluster=(CLUSTER,), derived=Derived(own, met)), found)
    return Design(replace(own_job, cluster=found.unit.columns), found)


def source_columns(parts: Sequence[tuple[Columns, pa.Table]]) -> list[str]:
    """Columns that describe the rows of the log."""
    return [name.decode() for name in (parts[0][1].schema.metadata or {}).get(b"keys", b"").split(b"\n")]


def _slim(job: Job, piece: Piece) -> tuple[Columns, pa.Table] | None:
    """Of the rows of a piece: what may name units, fractions, and a number for all other conditions.

    None where a column that is wanted holds lists.
    """
    from intent.workflows.sfem_stream.count import played

    keys = played(piece)[0].keys
    names = keys.column_names
    cluster = () if _named(job.cluster) == CELL else job.cluster
    columns = Columns.of(job.by, job.subject, cluster, names)
    plain = {_plain(name) for name in SESSIONS}
    raw = {*columns.by, *columns.subject, "player", "model", "cell"}
    kept = [
        c
        for c in names
        if c != "game_id"
        and (c in raw or _plain(c) in plain or pa.types.is_floating(keys.column(c).type))
        and (c in columns.by or c != "strategy" or c in columns.subject)
    ]
    if any(pa.types.is_nested(keys.column(c).type) for c in kept):
        return None
    hashed = [c for c in _candidates(names, columns.by) if c not in kept]
    made: dict[str, Any] = {"game_id": pa.array(_games(keys)) if len(keys) else pa.array([], pa.int64())}
    made |= {c: keys.column(c) for c in kept}
    made[_OWN] = pa.array(_hashed(keys, hashed).view(np.int64))
    return columns, pa.table(made).replace_schema_metadata({"keys": "\n".join(names)})


def _candidates(names: Sequence[str], by: Sequence[str]) -> tuple[str, ...]:
    """Columns that may say what a game's condition is, by their names."""
    some = pd.DataFrame({name: ["some"] for name in names if name != "strategy" or name in by})
    return cell_columns(some)


def _joined(parts: Sequence[pa.Table]) -> pd.DataFrame:
    """One table of the rows of all pieces, without columns that hold nothing; games have numbers."""
    found, before = [], 0
    for part in parts:
        numbers = pc.add(part.column("game_id"), before)
        before = pc.max(numbers).as_py() + 1
        found.append(part.set_column(0, "game_id", numbers).replace_schema_metadata(None))
    whole = pa.concat_tables([part.unify_dictionaries() for part in found]).unify_dictionaries()
    return _frame(whole, [c for c in whole.column_names if whole.column(c).null_count < len(whole)])


def _frame(keys: pa.Table, columns: Sequence[str]) -> pd.DataFrame:
    kinds = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}
    made: pd.DataFrame = keys.select(list(columns)).to_pandas(ignore_metadata=True, types_mapper=kinds.get)
    return made


def _games(keys: pa.Table) -> NDArray[np.intp]:
    """(n,) number of the game of each row."""
    return np.asarray(pc.dictionary_encode(keys.column("game_id")).combine_chunks().indices, dtype=np.intp)


def _hashed(keys: pa.Table, columns: Sequence[str]) -> Numbers:
    """(n,) a number for the values of columns, equal where their texts are; nulls are equal."""
    found: Numbers = np.zeros(len(keys), dtype=np.uint64)
    for name in columns:
        column = keys.column(name)
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if pa.types.is_nested(column.type):
            texts = [NONE if value is None else str(value) for value in column.to_pylist()]
        else:
            texts = pc.fill_null(column.cast(pa.string()), NONE).to_pylist()
        own = pd.util.hash_array(np.array(texts, dtype=object))
        found = found * np.uint64(0x9E3779B97F4A7C15) + own
    return found


def _of_games(own: Numbers, game: NDArray[np.intp]) -> Numbers:
    """(n,) a number for what all seats of each row's game have, whatever their order."""
    order = np.lexsort((own, game))
    start = np.flatnonzero(np.append(True, np.diff(game[order]) != 0))
    place = np.arange(len(own)) - np.repeat(start, np.diff(np.append(start, len(own))))
    mixed = pd.util.hash_array(own[order] + place.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    sums = np.zeros(int(game.max()) + 1, dtype=np.uint64)
    sums[game[order][start]] = np.add.reduceat(mixed, start)
    return sums[game]


def _named(columns: str | Sequence[str]) -> tuple[str, ...]:
    return column_names(columns, ())


def _plain(name: str) -> str:
    return "".join(c for c in name.casefold() if c.isalnum())
