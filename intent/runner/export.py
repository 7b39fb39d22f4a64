"""Export a run, or any log: as a log of ours, as FAIRGAME's results, and the table of calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import OutputError, UnknownNameError, UsageError

if TYPE_CHECKING:
    import pandas as pd

    from intent.logs.gamelog import GameLog
    from intent.logs.redaction import Without
    from intent.runner.run import Run

__all__ = ["FORMATS", "export"]

FORMATS = ("gamelog", "fairgame", "compact")

_SUFFIXES = (".parquet", ".csv", ".jsonl")


def export(
    source: str | Path,
    output: str | Path | None = None,
    *,
    format: str = "gamelog",
    calls: str | Path | None = None,
    unfinished: bool = False,
    redact: Sequence[str] = (),
    redact_as: str = "length",
    pseudonyms: bool = False,
    key: str | Path | None = None,
    where: Mapping[str, Sequence[str]] | None = None,
    reading: Mapping[str, Any] | None = None,
    overwrite: bool = False,
) -> dict[str, Any]:
    """Write the games of a run, and its calls, or those of a log.

    Parameters
    ----------
    source : run folder, or a log
    output : a log of ours (Parquet folder, .zip, .jsonl, .csvs, .csv.zip), FAIRGAME's .csv, or the compact
        form's .parquet
    format : {"gamelog", "fairgame", "compact"}
    calls : .parquet, .csv or .jsonl for the table of calls, prompts and replies included
    unfinished : also the rounds that games in progress have completed
    redact : texts that are left out, as `logs.redaction.KINDS`, or names of columns
    redact_as : {"length", "hash", "null"}
        What stands in their place.
    pseudonyms : whether subjects and games get pseudonyms
    key : a file whose bytes are the key of hashes and pseudonyms, so that several exports agree; a new key
        that is kept nowhere by default
    where : mapping of column -> values, optional
        Games to keep, as `GameLog.where`.
    reading : keywords of `read_log`, for a log

    Returns
    -------
    dict as `json_objects.JSON_OBJECTS["export"]`

    Raises
    ------
    UsageError
        Neither output nor calls, calls of something that is no run or of a part of the games, or options
        of reading for a run.
    UnknownNameError
        A format, a text to redact or a column that is not there.
    OutputError
        A path that cannot be written.
    """
    from intent.base.files import claim
    from intent.logs.run_folder import is_run
    from intent.logs.stores import is_part
    from intent.runner.run import Run

    if output is None and calls is None:
        raise UsageError("nothing to export to, expected -o PATH for the games or --calls PATH for the calls")
    if format not in FORMATS:
        raise UnknownNameError("format", format, FORMATS)
    if output is not None and (format == "fairgame") != (Path(output).suffix == ".csv"):
        raise OutputError(
            f"cannot write {output}: FAIRGAME's format, and no other, is one .csv file: "
            "-o results.csv --format fairgame"
        )
    if output is not None and format == "compact" and Path(output).suffix != ".parquet":
        raise OutputError(f"cannot write {output}: the compact form is one .parquet file")
    run = Run.open(source) if is_run(source) else None
    if calls is not None and run is None:
        raise UsageError(f"{source} is no run folder, and only a run has calls")
    if run is not None and any((reading or {}).values()):
        raise UsageError(f"{source} is a run and says itself what {', '.join(reading or {})} would say")
    if calls is not None and where:
        raise UsageError("--calls writes all calls of a run, expected no --where beside it")
    without = _without(redact, redact_as, pseudonyms, key)
    for path in (output, calls):
        if path is not None:
            claim(path, overwrite=overwrite)
            if Path(source).is_dir() and is_part(Path(path), Path(source)):
                raise OutputError(f"cannot write {path}: it is part of the log that is read")
    written: dict[str, Any] = {"path": None, "format": format, "n_games": 0, "calls": None, "n_calls": 0}
    if output is not None:
        log = _log(run, source, unfinished, where, reading)
        written |= _games(log if without is None else without.log(log), output, format, overwrite)
    if calls is not None and run is not None:
        written |= {"calls": str(calls), "n_calls": _calls(run, Path(calls), without, overwrite)}
    return written


def _without(
    redact: Sequence[str], redact_as: str, pseudonyms: bool, key: str | Path | None
) -> Without | None:
    """What is left out; None for nothing."""
    if not redact and not pseudonyms:
        if key is not None:
            raise UsageError("--key is the key of --redact-as hash and --pseudonyms, expected one of them")
        return None
    from intent.logs.redaction import leaving_out

    return leaving_out(redact, redact_as, pseudonyms, key)


def _log(
    run: Run | None,
    source: str | Path,
    unfinished: bool,
    where: Mapping[str, Sequence[str]] | None,
    reading: Mapping[str, Any] | None,
) -> GameLog:
    from intent.logs.readers import read_log

    log = read_log(source, **(reading or {})) if run is None else run.log(unfinished=unfinished)
    return log.where(where) if where else log


def _games(log: GameLog, output: str | Path, format: str, overwrite: bool) -> dict[str, Any]:
    from intent.logs.stores import write_log
    from intent.logs.stores.fairgame import write_fairgame_csv

    if format == "compact":
        from intent.logs.readers.compact import write_compact

        return {"path": str(output), "n_games": write_compact(log, output, overwrite=overwrite)}
    if format == "fairgame":
        write_fairgame_csv(log, output, overwrite=overwrite)
    else:
        write_log(log, output, overwrite=overwrite)
    return {"path": str(output), "n_games": len(log.games)}


def _calls(run: Run, target: Path, without: Without | None, overwrite: bool) -> int:
    """Write the table of calls, some thousands at a time."""
    from intent.base.files import writing

    if target.suffix not in _SUFFIXES:
        known = ", ".join(_SUFFIXES)
        raise OutputError(
            f"cannot write calls to {target}: suffix {target.suffix!r}, expected one of {known}"
        )
    tables = run.call_tables()
    if without is not None:
        tables = map(without.calls, tables)
    with writing(target, overwrite=overwrite) as draft:
        if target.suffix == ".parquet":
            return _parquet(tables, draft)
        with draft.open("w", encoding="utf-8", newline="") as stream:
            n = 0
            for i, table in enumerate(tables):
                if target.suffix == ".csv":
                    table.to_csv(stream, index=False, header=i == 0, lineterminator="\n")
                else:
                    table.to_json(stream, orient="records", lines=True, force_ascii=False)
                n += len(table)
    return n


def _parquet(tables: Iterator[pd.DataFrame], draft: Path) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    n, writer = 0, None
    try:
        for table in tables:
            arrow = pa.Table.from_pandas(table, preserve_index=False)
            writer = writer or pq.ParquetWriter(draft, arrow.schema)
            writer.write_table(arrow.cast(writer.schema))
            n += len(table)
    finally:
        if writer is not None:
            writer.close()
    return n
