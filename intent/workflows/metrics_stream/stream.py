"""Measure a log on disk piece by piece, in order, with bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from intent.errors import OutputError, UsageError
from intent.parallel import SERIAL, Workers, open_workers
from intent.workflows.columns import column_names
from intent.workflows.interval_settings import check_bootstrap, check_level
from intent.workflows.metrics_notes import metric_notes
from intent.workflows.metrics_result import StreamedMetrics, metrics_config
from intent.workflows.metrics_stream.columns import (
    can_be_cut,
    check_columns,
    key_names,
    log_facts,
    table_columns,
    told_schema,
)

if TYPE_CHECKING:
    from intent.workflows.log_stream.pieces import Source
    from intent.workflows.metrics_stream.job import Job
    from intent.workflows.metrics_stream.tally import Tally

__all__ = ["PIECE", "metrics_to", "stream_metrics"]

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

    Row by row the metrics are those of `intent.workflows.metrics.metrics`, in the same order, and the means
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
    from intent.workflows.metrics import claim_outputs, metrics

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
    from intent.workflows.log_stream import open_source

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
    from intent.analysis.metrics.table import METRICS
    from intent.logs.compact.gamelog import LIMIT_MOVES
    from intent.logs.conditions import as_options
    from intent.workflows.metrics_stream.job import Job

    keys = key_names(source)
    job = Job(
        keys,
        column_names(by, table_columns(keys)),
        (*METRICS, "mean_payoff"),
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
    job = replace(job, schema=told_schema(source, job), token=uuid4().hex)
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
    from intent.workflows.metrics_stream.job import measure_piece, packed_piece, unpacked
    from intent.workflows.metrics_stream.measured_plays import forget
    from intent.workflows.metrics_stream.table_file import NothingWrittenError, table_file
    from intent.workflows.metrics_stream.tally import added

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

    from intent.analysis.means import Intervals
    from intent.analysis.metrics.group_means import means_of_groups
    from intent.analysis.unit import Unit

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
