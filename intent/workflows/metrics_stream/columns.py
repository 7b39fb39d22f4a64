"""Which columns the table of a log will have, before a row is read; which logs that can be told of."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from intent.errors import DataError, UnknownNameError

if TYPE_CHECKING:
    from intent.workflows.log_stream.pieces import Source
    from intent.workflows.metrics_stream.job import Job

__all__ = ["can_be_cut", "check_columns", "key_names", "log_facts", "table_columns", "told_schema"]


def can_be_cut(source: Source) -> bool:
    """Whether the table of a log is that of its pieces, one below the other.

    It is not where a condition column called ``rounds``, or one called ``opponent`` that holds no text, may
    decide on the type of a column of ours; nor where answers to questions make columns.
    """
    from intent.workflows.log_stream.pieces import said_text

    types = _key_types(source)
    opponent = types.get("opponent")
    if "rounds" in types or (opponent is not None and not said_text(opponent)):
        return False
    return not (source.path / "questions.parquet").exists()


def key_names(source: Source) -> tuple[str, ...]:
    """Columns that describe the trajectories of a log, in the order in which `Trajectories.keys` has them."""
    return tuple(_key_types(source))


def table_columns(keys: Collection[str]) -> list[str]:
    """Columns of the table of a log with such keys."""
    from intent import schema

    return list(dict.fromkeys([*keys, *(c.name for c in schema.METRICS)]))


def check_columns(job: Job, told: Collection[str] | None = None) -> list[str]:
    """Columns of keys that no row tells, which the table does not have.

    Parameters
    ----------
    job : Job
    told : those that a row tells; default: all

    Raises
    ------
    UnknownNameError
        A column that makes groups is none of the table.
    """
    lost = [] if told is None else [name for name in job.keys if name not in told]
    known = [name for name in table_columns(job.keys) if name not in lost]
    for name in job.by:
        if name not in known:
            raise UnknownNameError("column", name, known)
    return lost


def told_schema(source: Source, job: Job) -> Any:
    """Schema of the table of a compact log whose columns have plain types, else None.

    The types are those of the first rows, read as a log.
    """
    import pyarrow as pa

    from intent.analysis.metrics.table import TAKEN
    from intent.logs.compact.gamelog import games_of
    from intent.workflows.log_stream.compact_pieces import CompactSource
    from intent.workflows.log_stream.pieces import said_text
    from intent.workflows.metrics_stream.job import measured

    if not isinstance(source, CompactSource):
        return None
    piece = next(iter(source.pieces(1)))
    try:
        rows = piece.rows.table([name for name, _ in piece.types]).slice(0, 2)
        log = games_of(rows, source.rounds, source.log.filled, source.log.seat_columns)
    except (pa.ArrowException, OSError, ValueError, DataError):  # whoever reads the piece says what it is
        return None
    schema = pa.Schema.from_pandas(measured(job, log)[0], preserve_index=False)
    for name, kind in _key_types(source).items():
        if name in TAKEN or name not in schema.names:
            continue
        made = schema.field(name).type
        whole = pa.types.is_integer(kind) and made == pa.int64()
        if not (whole or (said_text(kind) and said_text(made)) or kind == made in (pa.float64(), pa.bool_())):
            return None
    return schema


def log_facts(source: Source, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The provenance that `read_log` gives the log."""
    from intent.logs.readers import told_provenance
    from intent.logs.readers.reader import Settings
    from intent.logs.readers.reader import Source as File

    return told_provenance(
        source.provenance, File(source.path), source.format, Settings(strict=bool(settings.get("strict")))
    )


def _key_types(source: Source) -> dict[str, Any]:
    """Column -> Arrow type."""
    import pyarrow as pa

    from intent.workflows.log_stream.compact_pieces import CompactSource
    from intent.workflows.log_stream.folder_pieces import FolderSource

    if isinstance(source, CompactSource):
        log = source.log
        return {
            name: log.types[name] if name in log.types else pa.scalar(log.filled[name]).type
            for name in log.keys
        }
    assert isinstance(source, FolderSource)
    return dict(source.keys)
