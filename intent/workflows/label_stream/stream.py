"""Label a log on disk piece by piece, in order, with bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from intent.errors import UsageError
from intent.schema.defaults import BACKGROUND
from intent.workflows.label_stream.label_writer import label_writer
from intent.workflows.label_stream.whole import why_not_streamed
from intent.workflows.log_stream import PIECE, open_source

if TYPE_CHECKING:
    from intent.recognise.base import Recogniser
    from intent.workflows.log_stream.pieces import Source

__all__ = ["StreamedLabels", "label_to", "stream_labels"]


@dataclass(frozen=True, eq=False)
class StreamedLabels:
    """Labels of a log, written but not in memory.

    Attributes
    ----------
    path : Path of the table as `schema.LABELS`, or None where only the counts were wanted
    summary, provenance, changed, notes : as `intent.workflows.label_result.Labels`
    """

    path: Path | None
    summary: dict[str, Any]
    provenance: dict[str, Any]
    changed: int | None
    notes: tuple[str, ...] = ()


def label_to(
    log: str | Path,
    output: str | Path | None,
    recogniser: Recogniser | str | Path | None = None,
    *,
    workers: int = 1,
    dask: str | None = None,
    overwrite: bool = False,
    piece: int = PIECE,
    update: Callable[[int, int], None] = lambda done, total: None,
    **settings: Any,
) -> StreamedLabels:
    """Label a log that may be larger than memory, and write the labels to one Parquet file.

    Row by row the labels are those of `intent.workflows.label.label_log`, in the same order, for any number
    of workers and any size of pieces. A log or a setting that needs the whole log at once is labelled in
    memory.

    Parameters
    ----------
    log : path of a log: the compact form, or a Parquet folder of ours, is read piece by piece
    output : .parquet file, or None for the counts alone
    recogniser : fitted recogniser, name of a shipped one, or folder of a saved one
    workers, dask : as `open_workers`
    overwrite : bool
    piece : int
        Rows (in a Parquet folder: games) that are read at a time; at least a row group of the log.
    update : called with (done, total)
    **settings
        As `label_log`.

    Raises
    ------
    OutputError
        A path that cannot be written; nothing is left there when the work is interrupted.
    UsageError, DataError, RecogniserError, LimitError
        As `label_log`.
    """
    from intent.workflows.label import DEFAULT_RECOGNISER, claim_outputs, label_log

    chosen = DEFAULT_RECOGNISER if recogniser is None else recogniser
    target = None if output is None else Path(output)
    claim_outputs(target, None, overwrite=overwrite, source=Path(log))
    found = stream_labels(
        log,
        target,
        chosen,
        workers=workers,
        dask=dask,
        overwrite=overwrite,
        piece=piece,
        update=update,
        **settings,
    )
    if found is not None:
        return found
    labels = label_log(log, chosen, **settings)
    if target is not None:
        labels.write(target, overwrite=overwrite)
    return StreamedLabels(target, labels.summary, labels.provenance, labels.changed, labels.notes)


def stream_labels(
    log: str | Path,
    output: Path | None,
    recogniser: Recogniser | str | Path,
    *,
    workers: int = 1,
    dask: str | None = None,
    overwrite: bool = False,
    piece: int = PIECE,
    update: Callable[[int, int], None] = lambda done, total: None,
    **settings: Any,
) -> StreamedLabels | None:
    """As `label_to`, but None where the whole log is needed at once, or nothing of it can be labelled."""
    if why_not_streamed(output, **settings):
        return None
    source = open_source(Path(log), **settings)
    if source is None:
        return None
    return _streamed(source, output, recogniser, workers, dask, overwrite, piece, update, settings)


def _streamed(
    source: Source,
    target: Path | None,
    recogniser: Recogniser | str | Path,
    workers: int,
    dask: str | None,
    overwrite: bool,
    piece: int,
    update: Callable[[int, int], None],
    settings: Mapping[str, Any],
) -> StreamedLabels | None:
    """The labels of a source; None where it turns out that nothing of it can be labelled."""
    from intent.logs.conditions import as_options
    from intent.parallel import open_workers
    from intent.recognise.coin import coin_shares
    from intent.recognise.verdict import LabelSettings
    from intent.workflows.integrated import integrated, is_affordable
    from intent.workflows.label import bayes_options
    from intent.workflows.label_result import label_provenance
    from intent.workflows.label_stream.job import Job, forget, label_piece, told_recogniser
    from intent.workflows.label_stream.tally import Tally

    options = bayes_options(**{k: settings.get(k) for k in ("eps", "eps_prior", "prior")})
    background = settings.get("background", BACKGROUND)
    named = str(recogniser) if isinstance(recogniser, str | Path) else recogniser
    model = told_recogniser(named, options, background)
    judged = LabelSettings(threshold=settings.get("threshold", 0.9), alpha=settings.get("alpha", 0.01))
    compare = integrated(model) is not None and is_affordable(source.n, source.rounds, source.complete)
    seed = settings.get("seed", 0)
    job = Job(
        uuid4().hex, named, options, judged, background, seed, source.complete, compare, target is not None
    )
    total, tally, done = source.n, Tally(), 0
    classes = [str(c) for c in model.classes_]
    try:
        with label_writer(target, overwrite) as (write, close), open_workers(workers, dask) as spread:
            pieces = list(source.pieces(piece))
            found = spread.map(partial(label_piece, job), pieces)
            for one, (table, counted) in zip(pieces, found, strict=True):
                if table is not None and len(table):
                    write(table)
                tally += counted
                done += one.n
                update(done, total)
            if not tally.read.n:
                said = as_options(settings.get("where") or {})
                raise UsageError(f"no game left of {total:,} rows{f' (--where {said})' if said else ''}")
            if not tally.n:
                raise _NothingLabelledError
            summary = tally.summary(classes)
            if settings.get("coin", True):
                coin = coin_shares(tally.situations, model, judged, seed=seed)
                summary["coin"] = None if coin is None else coin.to_dict()
            changed = tally.changed if compare else None
            provenance = label_provenance(
                _log_facts(source, settings), named, model, changed=changed, settings=settings
            )
            close({**provenance, "summary": summary})
    except _NothingLabelledError:
        return None
    finally:
        forget()
    return StreamedLabels(target, summary, provenance, changed)


class _NothingLabelledError(Exception):
    """No piece had a trajectory to label."""


def _log_facts(source: Source, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The provenance that `read_log` gives the log."""
    from intent.logs.readers import told_provenance
    from intent.logs.readers.reader import Settings
    from intent.logs.readers.reader import Source as File

    return told_provenance(
        source.provenance, File(source.path), source.format, Settings(strict=bool(settings.get("strict")))
    )
