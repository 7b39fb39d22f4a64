"""Measure a log on disk piece by piece, in order, with bounded memory.

Metrics of logs larger than memory: read, measured and written piece by piece, by any number of workers.

Which columns the table of a log will have, before a row is read; which logs that can be told of.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from intent.base.codebook import column_names
from intent.base.errors import DataError, OutputError, UnknownNameError, UsageError
from intent.base.workers import SERIAL, Workers, open_workers
from intent.behaviour.metrics import StreamedMetrics, metric_notes, metrics_config
from intent.estimate.intervals import check_bootstrap, check_level

if TYPE_CHECKING:
    from intent.behaviour.metrics_pieces import Job, Tally
    from intent.logs.chunks import Source


__all__ = [
    "PIECE",
    "can_be_cut",
    "check_columns",
    "key_names",
    "log_facts",
    "metrics_to",
    "stream_metrics",
    "table_columns",
    "table_schema",
]


def can_be_cut(source: Source) -> bool:
    """Whether the table of a log is that of its pieces, one below the other.

    It is not where a condition column called ``rounds``, or one called ``opponent`` that holds no text, may
    decide on the type of a column of ours; nor where answers to questions make columns.
    """
    from intent.logs.chunks import said_text

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
    from intent.base import codebook
    from intent.behaviour.metric_table import outside_columns

    return list(dict.fromkeys([*keys, *(c.name for c in codebook.METRICS), *outside_columns()]))


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


def table_schema(source: Source, job: Job) -> Any:
    """Schema of the table of a compact log whose columns have plain types, else None.

    The types are those of the first rows, read as a log.
    """
    import pyarrow as pa

    from intent.behaviour.metric_table import TAKEN, outside_columns
    from intent.behaviour.metrics_pieces import piece_metrics as measured
    from intent.logs.chunks import said_text
    from intent.logs.compact_chunks import CompactSource
    from intent.logs.readers.gamelog import games_of

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
        if name in (*TAKEN, *outside_columns()) or name not in schema.names:
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

    from intent.logs.chunks import FolderSource
    from intent.logs.compact_chunks import CompactSource

    if isinstance(source, CompactSource):
        log = source.log
        return {
            name: log.types[name] if name in log.types else pa.scalar(log.filled[name]).type
            for name in log.keys
        }
    assert isinstance(source, FolderSource)
    return dict(source.keys)


PIECE = 1 << 15
"""Rows of a piece (in a Parquet folder: games), at least one row group."""

SEARCHED = 1 << 22
"""Moves of a player up to which a log is measured at once, to see what repeats in it and who returns."""

_GAMES = ("game_id",)

_TOGETHER = 8
"""Tallies of pieces that are added up at a time."""


def metrics_to(
    log: str | Path,
    output: str | Path | None,
    by: str | Sequence[str] = (),
    *,
    workers: int = 1,
    dask: str | None = None,
    overwrite: bool = False,
    piece: int = PIECE,
    update: Callable[[int, int], None] = lambda done, total: None,
    **settings: Any,
) -> StreamedMetrics:
    """Measure a log that may be larger than memory, and write the metrics to one Parquet file.

    Row by row the metrics are those of `intent.behaviour.metrics.metrics`, in the same order, and the means
    are the same to the last digit, for any number of workers and any size of pieces. A log or a setting that
    needs the whole log at once is measured in memory; so is one of up to `SEARCHED` moves, unless ``cluster``
    is ``game_id``. In pieces what is independent is the game.

    Parameters
    ----------
    log : path of a log: the compact form, or a Parquet folder of ours, is read piece by piece
    output : .parquet file, or None for the means alone
    by : columns whose joint values make the groups; a comma in text separates columns
    workers, dask : as `open_workers`
    overwrite : bool
    piece : int
        Rows (in a Parquet folder: games) that are read at a time; at least a row group of the log.
    update : called with (done, total)
    **settings
        As `metrics`.

    Raises
    ------
    OutputError
        A path that cannot be written; nothing is left there when the work is interrupted.
    UsageError, UnknownNameError, DataError, LimitError
        As `metrics`.
    """
    from intent.behaviour.metrics import claim_outputs, metrics

    target = None if output is None else Path(output)
    if target is not None:
        claim_outputs([target], overwrite=overwrite, source=Path(log))
        if target.suffix == ".json":
            raise OutputError(f"cannot write {target}: expected a table; the result's write has the means")
    found = stream_metrics(
        log,
        target,
        by,
        workers=workers,
        dask=dask,
        overwrite=overwrite,
        piece=piece,
        update=update,
        **settings,
    )
    if found is not None:
        return found
    result = metrics(log, by, workers=workers, dask=dask, **settings)
    if target is not None:
        result.write(target, overwrite=overwrite)
    kept = {name: getattr(result, name) for name in StreamedMetrics.__dataclass_fields__ if name != "path"}
    return StreamedMetrics(path=target, **kept)


def stream_metrics(
    log: str | Path,
    output: Path | None,
    by: str | Sequence[str] = (),
    *,
    cluster: str | Sequence[str] = (),
    bootstrap: int = 2000,
    level: float = 0.95,
    rescore: bool = False,
    seed: int = 0,
    workers: int = 1,
    dask: str | None = None,
    overwrite: bool = False,
    piece: int = PIECE,
    update: Callable[[int, int], None] = lambda done, total: None,
    **reading: Any,
) -> StreamedMetrics | None:
    """As `metrics_to`, but None where the whole log is needed at once, or nothing of it can be measured."""
    from intent.logs.streams import open_source

    check_bootstrap(bootstrap)
    check_level(level)
    if rescore or (output is not None and output.suffix != ".parquet"):
        return None
    named = column_names(cluster, ())
    if named not in ((), _GAMES):
        return None
    source = open_source(Path(log), **reading)
    if source is None or not can_be_cut(source) or (not named and source.n * source.rounds <= SEARCHED):
        return None
    from intent.behaviour.metric_table import metric_names
    from intent.behaviour.metrics_pieces import Job
    from intent.logs.gamelog import as_options
    from intent.logs.readers.gamelog import LIMIT_MOVES

    keys = key_names(source)
    job = Job(
        keys,
        column_names(by, table_columns(keys)),
        (*metric_names(), "mean_payoff"),
        reading.get("others"),
        bool(reading.get("keep_defaulted")),
        output is not None,
    )
    config = metrics_config(
        log_facts(source, reading),
        job.by,
        cluster=_GAMES,
        bootstrap=bootstrap,
        level=level,
        rescore=rescore,
        others=job.others,
        keep_defaulted=job.keep_defaulted,
        where=reading.get("where"),
        seed=seed,
    )
    check_columns(job)
    job = replace(job, schema=table_schema(source, job), token=uuid4().hex)
    with open_workers(workers, dask) as spread:
        tally = _measured(source, job, output, config, spread, overwrite, piece, update)
        notes = tuple(spread.notes)
    if not tally.n:
        if source.n * source.rounds > LIMIT_MOVES:
            said = as_options(reading.get("where") or {})
            what = f"no play to measure in {source.n:,} rows"
            raise UsageError(f"{what}{f' (--where {said})' if said else ''}")
        return None
    why = f"a log of more than {SEARCHED:,} moves is not searched for conditions that repeat, nor for players"
    why = "as --cluster says" if named else f"{why} who return (--cluster)"
    return _result(source, job, tally, config, output, notes, why)


def _measured(
    source: Source,
    job: Job,
    target: Path | None,
    config: Mapping[str, Any],
    spread: Workers,
    overwrite: bool,
    piece: int,
    update: Callable[[int, int], None],
) -> Tally:
    """The tally of all pieces; their table is then written, unless it has no row."""
    from intent.behaviour.metrics_pieces import (
        NothingWrittenError,
        added,
        forget,
        measure_piece,
        packed_piece,
        table_file,
        unpacked,
    )

    done, tallies = 0, []
    pieces = list(source.pieces(piece))
    try:
        with table_file(target, overwrite=overwrite) as file:
            made = measure_piece if spread is SERIAL else packed_piece
            found = spread.map(partial(made, job), pieces)
            for one, (table, tally) in zip(pieces, found, strict=True):
                if table is not None:
                    file.write(unpacked(table))
                tallies.append(tally)
                if len(tallies) == _TOGETHER:
                    tallies = [added(tallies)]
                done += one.n
                update(done, source.n)
            whole = added(tallies)
            lost = check_columns(job, whole.read.told) if whole.n else ()
            file.finish({**config, "skipped": dict(whole.read.skipped)}, without=lost)
    except NothingWrittenError:
        pass
    finally:
        forget()
    return whole


def _result(
    source: Source,
    job: Job,
    tally: Tally,
    config: Mapping[str, Any],
    target: Path | None,
    notes: tuple[str, ...],
    why: str,
) -> StreamedMetrics:
    import numpy as np

    from intent.behaviour.means import Intervals, means_of_groups
    from intent.estimate.design_units import Unit

    groups = means_of_groups(
        tally.sums,
        job.names,
        rng=np.random.default_rng(config["seed"]),
        intervals=Intervals(config["bootstrap"], config["level"]),
    )
    unit = Unit("game", np.arange(tally.counted_games), _GAMES, "in these conditions", why)
    told = metric_notes(
        skipped=tally.read.skipped,
        unread=(),
        unknown=tally.read.unknown,
        kinds=tally.kinds,
        by=job.by,
        columns=[name for name in job.keys if name in tally.read.told],
        left_out=tally.n - tally.counted,
    )
    return StreamedMetrics(
        path=target,
        n=tally.n,
        n_games=tally.n_games,
        by=job.by,
        groups=tuple(groups),
        skipped=dict(tally.read.skipped),
        config=config,
        unit=unit.noun,
        unit_line=unit.line(),
        notes=(*told, *notes),
        origin=source.path,
    )
