"""Export a run, or any log: as a log of ours, a data set with its card, in formats of others; the calls."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import OutputError, UnknownNameError, UsageError
from intent.base.job import JSON, OVERWRITE, Result, Table, argument, here, job, option
from intent.logs.leaving import Leaving
from intent.logs.reading import COOPERATE, GAME, MAPPING, PAYOFF_KIND, WHERE

if TYPE_CHECKING:
    import pandas as pd

    from intent.logs.gamelog import GameLog
    from intent.logs.redaction import Without
    from intent.logs.stores.dataset import Card
    from intent.runner.run import Run

__all__ = ["FORMATS", "Export", "ExportRequest", "export"]

FORMATS: dict[str, tuple[tuple[str, ...], str]] = {
    "gamelog": ((), ""),
    "dataset": (("",), "a data set is a folder: -o folder --format dataset"),
    "stratest": ((".csv",), "stratEst's data frame is one .csv file: -o frame.csv --format stratest"),
    "fairgame": ((".csv",), "FAIRGAME's format is one .csv file: -o results.csv --format fairgame"),
    "inspect": ((".eval",), "an evaluation of Inspect is one .eval file: -o games.eval --format inspect"),
    "compact": ((".parquet",), "the compact form is one .parquet file"),
}
"""Format -> suffixes that a path may have, and what is said of another; of a game log the suffix decides."""

_SUFFIXES = (".parquet", ".csv", ".jsonl")

_READING = ("mapping", "cooperate", "payoff_kind", "game")
_CARD = ("licence", "title", "description", "creator", "url", "citation", "published")


class ExportRequest(Leaving, job="export", function="intent.runner.export.export"):
    """Write the games of a run or log as a log, and every prompt and reply of a run as a table."""

    source: str | Path = argument("A run folder, or a game log.", words=Path, metavar="RUN|LOG")
    output: str | Path | None = option(
        None,
        "A folder (Parquet), .zip, .jsonl, .csvs (folder) or .csv.zip; .csv, .eval of other formats.",
        "-o",
        "--output",
        words=Path | None,
        positional=True,
    )
    format: str = option(
        "gamelog",
        "gamelog (ours), dataset (with card and Croissant), stratest, fairgame, inspect, compact.",
        "--format",
        "--to",
    )
    licence: str | None = option(
        None, "Of a dataset: who may use it how, such as CC-BY-4.0.", "--licence", "--license"
    )
    title: str | None = option(None, "Of a dataset; else the name of the folder.")
    description: str | None = option(None, "Of a dataset; else a sentence on what was played.")
    creator: Sequence[str] = option(
        (), "Of a dataset: who made it (repeat).", words=list[str] | None, metavar="NAME"
    )
    url: str | None = option(None, "Of a dataset: where it will be found.")
    citation: str | None = option(None, "Of a dataset: how to cite it.")
    published: str | None = option(None, "Of a dataset: its date, else today's.", metavar="YYYY-MM-DD")
    calls: str | Path | None = option(
        None, "Where to write the table of calls: .parquet, .csv or .jsonl.", words=Path | None
    )
    unfinished: bool = option(False, "Also completed rounds of games that are not over.", "--unfinished")
    leaving = here(Leaving)
    where: Mapping[str, Sequence[str]] | None = WHERE
    mapping: Mapping[str, str] | str | None = MAPPING
    cooperate: str | None = COOPERATE
    payoff_kind: str | None = PAYOFF_KIND
    game: str | None = GAME
    overwrite: bool = replace(OVERWRITE, only="")
    json: bool = JSON

    def claim_outputs(self) -> None:
        """Nothing: the job claims both of them."""

    def write_outputs(self, result: Any) -> list[Path]:
        """Nothing: the job writes both of them."""
        return []


@dataclass(frozen=True)
class Export(Result):
    """What was written.

    Attributes
    ----------
    format : str
    path : where the games are, if they were asked for
    n_games : int
    calls : where the table of calls is, if it was asked for
    n_calls : int
    notes : what the format has no room for, and what else to beware of
    """

    format: str
    path: str | None = None
    n_games: int = 0
    calls: str | None = None
    n_calls: int = 0
    notes: tuple[str, ...] = ()

    kind = "export"

    def fields(self) -> Mapping[str, Any]:
        """The object of ``intent export --json``."""
        return {
            name: getattr(self, name) for name in ("path", "format", "n_games", "calls", "n_calls", "notes")
        }

    def parts(self) -> Iterator[Table | str]:
        """Nothing."""
        yield from ()

    def remarks(self) -> Iterator[str]:
        """How much is where."""
        if self.path:
            yield f"{self.n_games:,} games in {self.path}"
        if self.calls:
            yield f"{self.n_calls:,} calls in {self.calls}"


@job(ExportRequest)
def export(request: ExportRequest) -> Export:
    """Write the games of a run, and its calls, or those of a log.

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
    from intent.base.outputs import claim
    from intent.logs.chunks import unread_rows
    from intent.logs.redaction import without_places
    from intent.logs.run_folder import is_run
    from intent.logs.stores import is_part
    from intent.runner.run import Run

    source, output, calls = request.source, request.output, request.calls
    reading = {name: value for name, value in request.values(_READING).items() if value is not None}
    if output is None and calls is None:
        raise UsageError("nothing to export to, expected -o PATH for the games or --calls PATH for the calls")
    if request.format not in FORMATS:
        raise UnknownNameError("format", request.format, FORMATS)
    if request.format == "gamelog":
        if output is not None and Path(output).suffix in (".csv", ".eval"):
            of_others = " or ".join(
                f"--format {name}" for name, (s, _) in FORMATS.items() if Path(output).suffix in s
            )
            raise OutputError(f"cannot write {output} as a log of ours: expected {of_others} beside it")
    elif output is not None and Path(output).suffix not in FORMATS[request.format][0]:
        raise OutputError(f"cannot write {output}: {FORMATS[request.format][1]}")
    card = _card(request)
    run = Run.open(source) if is_run(source) else None
    if calls is not None and run is None:
        raise UsageError(f"{source} is no run folder, and only a run has calls")
    if run is not None and any(reading.values()):
        raise UsageError(f"{source} is a run and says itself what {', '.join(reading)} would say")
    if calls is not None and request.where:
        raise UsageError("--calls writes all calls of a run, expected no --where beside it")
    without = request.without()
    for path in (output, calls):
        if path is not None:
            claim(path, overwrite=request.overwrite)
            if Path(source).is_dir() and is_part(Path(path), Path(source)):
                raise OutputError(f"cannot write {path}: it is part of the log that is read")
    written = Export(request.format)
    if output is not None:
        log = _log(run, request, reading)
        log = without_places(log if without is None else without.log(log))
        n_games, notes = _games(log, output, request, card)
        written = replace(written, path=str(output), n_games=n_games, notes=(*unread_rows(log), *notes))
    if calls is not None and run is not None:
        n_calls = _calls(run, Path(calls), without, request.overwrite)
        written = replace(written, calls=str(calls), n_calls=n_calls)
    return written if without is None else replace(written, notes=(*written.notes, *without.notes))


def _log(run: "Run | None", request: ExportRequest, reading: Mapping[str, Any]) -> "GameLog":
    from intent.logs.readers import read_log

    log = read_log(request.source, **reading) if run is None else run.log(unfinished=request.unfinished)
    return log.where(request.where) if request.where else log


def _card(request: ExportRequest) -> "Card | None":
    """The card of a data set, None of other formats.

    Raises
    ------
    UsageError
        Settings of a card without a data set, a data set without a licence, or a setting that is none.
    """
    values = {name: value for name, value in request.values(_CARD).items() if value}
    if request.format != "dataset":
        if values:
            raise UsageError(f"--{min(values)} is of a data card, expected --format dataset beside it")
        return None
    from intent.logs.stores.dataset import Card

    creators = tuple(values.pop("creator", ()))
    return Card(**{"licence": "", "published": _today(), **values, "creators": creators})


def _today() -> str:
    from datetime import UTC, datetime

    return datetime.now(UTC).date().isoformat()


def _games(
    log: "GameLog", output: str | Path, request: ExportRequest, card: "Card | None"
) -> tuple[int, Sequence[str]]:
    """Write the games; returns their number, and what the format has no room for."""
    overwrite = request.overwrite
    if card is not None:
        from intent.logs.stores.dataset import missing, write_dataset

        without = ", ".join(missing(card))
        notes = [f"croissant.json lacks what hubs of data sets ask for: {without}"] if without else []
        return write_dataset(log, output, card, overwrite=overwrite), notes
    if request.format == "stratest":
        from intent.logs.stores import stratest

        return stratest.write_stratest(log, output, overwrite=overwrite), stratest.left_out(log)
    if request.format == "inspect":
        from intent.logs.stores.evaluation import write_evaluation

        return write_evaluation(log, output, overwrite=overwrite), ()
    if request.format == "compact":
        from intent.logs.readers import compact

        return compact.write_compact(log, output, overwrite=overwrite), compact.left_out(log)
    if request.format == "fairgame":
        from intent.logs.stores.fairgame import left_out, write_fairgame_csv

        write_fairgame_csv(log, output, overwrite=overwrite)
        lost = ", ".join(left_out(log))
        return len(log.games), [f"FAIRGAME's CSV has no room for {lost}"] if lost else []
    from intent.logs.stores import write_log

    write_log(log, output, overwrite=overwrite)
    return len(log.games), ()


def _calls(run: "Run", target: Path, without: "Without | None", overwrite: bool) -> int:
    """Write the table of calls, some thousands at a time."""
    from intent.base.outputs import writing

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


def _parquet(tables: "Iterator[pd.DataFrame]", draft: Path) -> int:
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
