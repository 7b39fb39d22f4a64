"""Label a log on disk piece by piece, in order, with bounded memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from intent.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa

    from intent.recognise.base import Recogniser
    from intent.workflows.label_stream.pieces import Source

__all__ = ["PIECE", "StreamedLabels", "label_to", "open_source", "stream_labels", "why_not_streamed"]

PIECE = 1 << 17
"""Rows of a piece, at least one row group."""

_WHOLE = ("eps_by", "conformal", "conformal_eps")


@dataclass(frozen=True, eq=False)
class StreamedLabels:
    """Labels of a log, written but not in memory.

    Attributes
    ----------
    path : Path of the table as `schema.LABELS`, or None where only the counts were wanted
    summary, provenance, changed : as `intent.workflows.label.Labels`
    """

    path: Path | None
    summary: dict[str, Any]
    provenance: dict[str, Any]
    changed: int | None


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
    return StreamedLabels(target, labels.summary, labels.provenance, labels.changed)


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


def why_not_streamed(output: Path | None, **settings: Any) -> str:
    """What makes the labels need the whole log at once; empty where nothing does.

    Parameters
    ----------
    output : path of the labels, or None
    **settings : as `label_log`
    """
    if output is not None and output.suffix != ".parquet":
        return f"{output.suffix} is written at once (.parquet is not)"
    given = [name for name in _WHOLE if settings.get(name)]
    if settings.get("eps") == "estimate":
        given.append("eps estimate")
    if settings.get("prior") == "sfem":
        given.append("prior sfem")
    return f"{given[0].replace('_', ' ')} looks at all play together" if given else ""


def open_source(path: Path, **settings: Any) -> Source | None:
    """The log as something to read in pieces; None where it has to be read at once."""
    from intent.logs.compact.layout import is_compact, open_compact
    from intent.workflows.label_stream.compact_pieces import CompactSource
    from intent.workflows.label_stream.folder_pieces import open_folder

    reads_otherwise = ("mapping", "cooperate", "payoff_kind", "game")
    if any(settings.get(name) for name in reads_otherwise):
        return None
    where, kept = settings.get("where") or {}, bool(settings.get("keep_defaulted"))
    if settings.get("format", "auto") in ("auto", "compact") and is_compact(path):
        log = open_compact(path)
        return CompactSource(log, where, kept) if log.n and log.rounds else None
    if settings.get("format", "auto") in ("auto", "gamelog") and not where:
        return open_folder(path, settings.get("others"), kept)
    return None


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
    from intent.parallel import open_workers
    from intent.recognise.verdict import LabelSettings
    from intent.workflows.integrated import integrated, is_affordable
    from intent.workflows.label import bayes_options, label_provenance
    from intent.workflows.label_stream.job import Job, forget, label_piece, told_recogniser
    from intent.workflows.label_stream.tally import Tally

    options = bayes_options(**{k: settings.get(k) for k in ("eps", "eps_prior", "prior", "background")})
    named = str(recogniser) if isinstance(recogniser, str | Path) else recogniser
    model = told_recogniser(named, options)
    judged = LabelSettings(threshold=settings.get("threshold", 0.9), alpha=settings.get("alpha", 0.01))
    compare = integrated(model) is not None and is_affordable(source.n, source.rounds, source.complete)
    seed = settings.get("seed", 0)
    job = Job(uuid4().hex, named, options, judged, seed, source.complete, compare, target is not None)
    total, tally, done = source.n, Tally(), 0
    classes = [str(c) for c in model.classes_]
    try:
        with _writing(target, overwrite) as (write, close), open_workers(workers, dask) as spread:
            pieces = list(source.pieces(piece))
            found = spread.map(partial(label_piece, job), pieces)
            for one, (table, counted) in zip(pieces, found, strict=True):
                if table is not None and len(table):
                    write(table)
                tally += counted
                done += one.n
                update(done, total)
            if not tally.read.n:
                raise UsageError(f"no game left of {total:,} rows{_said(settings.get('where'))}")
            if not tally.n:
                raise _NothingLabelledError
            summary = tally.summary(classes)
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


def _said(where: Mapping[str, Sequence[str]] | None) -> str:
    """Conditions, for a message."""
    pairs = [f"{column}={value}" for column, values in (where or {}).items() for value in values]
    return f" (--where {', '.join(pairs)})" if pairs else ""


class _NothingLabelledError(Exception):
    """No piece had a trajectory to label."""


@contextmanager
def _writing(
    target: Path | None, overwrite: bool
) -> Iterator[tuple[Callable[[pa.Table], None], Callable[[Mapping[str, Any]], None]]]:
    """Two functions: one adds rows to a Parquet file, one ends it with the facts on it.

    The file appears when the block ends without an error. Texts are written by their codes and come back as
    texts: the file keeps no types of Arrow's own.
    """
    import pyarrow.parquet as pq

    from intent.logs.output import writing
    from intent.logs.tablefile import METADATA_KEY

    if target is None:
        yield lambda table: None, lambda facts: None
        return
    with writing(target, overwrite=overwrite) as draft:
        opened: list[pq.ParquetWriter] = []

        def write(table: pa.Table) -> None:
            if not opened:
                plain = {"game_id": "DELTA_BYTE_ARRAY"}
                opened.append(
                    pq.ParquetWriter(
                        draft,
                        table.schema,
                        compression="zstd",
                        store_schema=False,
                        use_dictionary=[c for c in table.column_names if c != "game_id"],
                        column_encoding=plain,
                    )
                )
            opened[0].write_table(table, row_group_size=len(table))

        def close(facts: Mapping[str, Any]) -> None:
            opened[0].add_key_value_metadata({METADATA_KEY: json.dumps(dict(facts)).encode()})

        try:
            yield write, close
        finally:
            for writer in opened:
                writer.close()


def _log_facts(source: Source, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The provenance that `read_log` gives the log."""
    from intent.logs.readers import told_provenance
    from intent.logs.readers.reader import Settings
    from intent.logs.readers.reader import Source as File

    return told_provenance(
        source.provenance, File(source.path), source.format, Settings(strict=bool(settings.get("strict")))
    )
