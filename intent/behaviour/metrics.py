"""From any game log to behaviour and comprehension metrics, and their means by group."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

import numpy as np
import pandas as pd

from intent.base.codebook import column_names
from intent.base.errors import OutputError, UsageError
from intent.base.job import Result, Table, check_bootstrap, check_level, job
from intent.base.wording import counted
from intent.base.workers import Workers, open_workers
from intent.behaviour.means import GroupMeans, Intervals, group_means, means_of_groups
from intent.behaviour.metric_table import TAKEN, metric_names, outside_columns, with_questions
from intent.behaviour.metrics_pieces import (
    Job,
    Memory,
    NothingWrittenError,
    Read,
    Tally,
    added,
    can_be_cut,
    check_columns,
    counted_rows,
    key_types,
    measured,
    table_columns,
    table_file,
    table_schema,
)
from intent.behaviour.questions import rescore
from intent.behaviour.requests import MetricsRequest, claim_outputs
from intent.estimate.design_units import Unit, design_units
from intent.logs.chunks import focal_play, notes_of_runs, unread_rows
from intent.logs.reading import open_source
from intent.version import __version__

if TYPE_CHECKING:
    from intent.base.statistics import Interval
    from intent.logs.chunks import Source


__all__ = ["MetricsResult", "metrics", "metrics_to"]


SEARCHED = 1 << 22
"""Moves of a player up to which a log is measured in memory, to see what repeats in it and who returns."""

_GAMES = ("game_id",)

_TOGETHER = 8
"""Tallies of pieces that are added up at a time."""

_NO_ROWS = cast(pd.DataFrame, None)

_SHOWN = 10
"""Groups that are printed, each with a line for every metric."""


@dataclass(frozen=True, eq=False, kw_only=True)
class MetricsResult(Result):
    """Metrics of a log, and their means.

    Parameters
    ----------
    table : DataFrame as `codebook.METRICS`, or None where only the means are in memory
    path : where the rows are written, if they are
    streamed : the same, if it is done
    n, n_games : trajectories, and games that have rows
    by : columns that make the groups
    groups : means of the metrics, by group
    questions : means of the columns of comprehension questions, by group
    question_names : of these
    skipped : mapping of reason -> number of games without rows
    config : the resolved settings, version and hash of the log, JSON-able; kept in every file written
    notes : what a reader should be warned of
    origin : the log that was read, if it was a file; never written over
    unit, unit_line : what intervals take as independent, and a line that says why
    """

    table: pd.DataFrame = field()  # type: ignore[assignment]
    path: Path | None = None
    streamed: Path | None = None
    n: int
    n_games: int
    by: tuple[str, ...]
    groups: tuple[GroupMeans, ...]
    questions: tuple[GroupMeans, ...] = ()
    question_names: tuple[str, ...] = ()
    skipped: Mapping[str, int]
    config: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    origin: Path | None = None
    unit: str = "games"
    unit_line: str = ""

    kind = "metrics"

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.n:,} trajectories, {len(self.groups)} groups>"

    def fields(self) -> Mapping[str, Any]:
        """The keys of ``intent metrics --json``."""
        return {
            "path": None if self.path is None else str(self.path),
            "n": self.n,
            "n_games": self.n_games,
            "by": self.by,
            "groups": [
                {
                    "group": dict(zip(self.by, group.values, strict=True)),
                    "n": group.n,
                    "n_games": group.n_games,
                    **{
                        name: {
                            **_ends(mean.all),
                            "n": mean.n,
                            "estimate_with_occasion": mean.occasion.estimate,
                        }
                        for name, mean in group.means.items()
                    },
                }
                for group in self.groups
            ],
            "questions": [
                {
                    "group": dict(zip(self.by, group.values, strict=True)),
                    "question": name,
                    "n": group.means[f"{name}_correct"].n,
                    "correct": _ends(group.means[f"{name}_correct"].all),
                    "misunderstood": _ends(group.means[f"{name}_misunderstood"].all),
                }
                for group in self.questions
                for name in self.question_names
                if f"{name}_correct" in group.means
            ],
            "skipped": dict(self.skipped),
            "unit": self.unit,
            "unit_line": self.unit_line,
        }

    def rows(self, most: int | None = None) -> tuple[list[str], list[list[object]]]:
        """Header and rows of the table of means for people.

        Parameters
        ----------
        most : int, optional
            Groups that are shown, in their order; default: all.
        """
        header = [*self.by, "metric", "n", "mean", "with occasion", "mean of these"]
        rows: list[list[object]] = []
        for group in self.groups[:most]:
            for name, mean in group.means.items():
                known = [*map(str, group.values), name, f"{mean.valued:,}", _shown(mean.all)]
                rows.append([*known, f"{mean.n:,}", _shown(mean.occasion) if mean.n else "–"])
        return header, rows

    def question_rows(self, most: int | None = None) -> tuple[list[str], list[list[object]]]:
        """Header and rows of the table of comprehension for people, of as many groups."""
        rows: list[list[object]] = []
        for group in self.questions[:most]:
            for name in self.question_names:
                if f"{name}_correct" in group.means:
                    right, lost = (group.means[f"{name}_{what}"] for what in ("correct", "misunderstood"))
                    shares = [_shown(right.all), _shown(lost.all)]
                    rows.append([*map(str, group.values), name, f"{right.n:,}", *shares])
        return [*self.by, "question", "n", "correct", "misunderstood"], rows

    def parts(self) -> Iterator[Table | str]:
        """Means of the metrics, and of answers to questions, of the first groups."""
        title, level = f"{self.n:,} trajectories of {self.n_games:,} games", self.config["level"] * 100
        yield Table(*self.rows(_SHOWN), f"{title}, with {level:g} % intervals")
        yield self.unit_line
        header, rows = self.question_rows(_SHOWN)
        if rows:
            yield ""
            yield Table(header, rows, "Answers to comprehension questions, shares of rounds")

    def remarks(self) -> Iterator[str]:
        """Groups that are not printed."""
        if (more := len(self.groups) - _SHOWN) > 0:
            files = "-o FILE.csv or FILE.json, or --json, has them all"
            yield f"note: {more} further groups are not printed; {files}"

    def facts(self) -> dict[str, Any]:
        """Also what was left out."""
        return {**super().facts(), "skipped": dict(self.skipped)}

    def payload(self) -> dict[str, Any]:
        """The object of ``intent metrics --json`` with notes and settings."""
        return {**self.to_dict(), "path": None, "notes": list(self.notes), "config": dict(self.config)}

    def write(self, path: str | Path, *, overwrite: bool = False, **how: Any) -> Path:
        """Write the table (.parquet, .csv, .jsonl) or the object of the means (.json).

        Raises
        ------
        OutputError
            Another suffix, or a path that cannot be written.
        """
        if cast(Any, self.table) is None and Path(path).suffix != ".json":
            raise OutputError(f"cannot write {path}: only means are in memory, expected a .json file")
        claim_outputs([Path(path)], overwrite=overwrite, source=self.origin)
        return super().write(path, overwrite=overwrite, **how)


def _ends(interval: Interval) -> dict[str, float]:
    return {"estimate": interval.estimate, "low": interval.low, "high": interval.high}


def _shown(interval: Interval) -> str:
    """``0.512 [0.480, 0.540]``, without brackets where there is no interval."""
    digits = 3 if abs(interval.estimate) < 1000 else 1
    if interval.low != interval.low:
        return f"{interval.estimate:.{digits}f}"
    return f"{interval.estimate:.{digits}f} [{interval.low:.{digits}f}, {interval.high:.{digits}f}]"


def _notes(
    whole: Tally, by: Sequence[str], columns: Collection[str], unread: Sequence[str] = ()
) -> list[str]:
    """What a reader of means should be warned of; `columns` describe the trajectories of the log."""
    notes = [f"{n:,} games have no rows: {why}" for why, n in whole.read.skipped.items()]
    notes += unread
    unknown = " and ".join(f"{n:,} {status}" for status, n in whole.read.unknown.items() if n)
    if unknown:
        notes.append(f"{unknown} moves; what is unknown gives no occasion (defaults: --keep-defaulted)")
    if "payoff_kind" in whole.kinds and _mixed(whole.kinds, by):
        notes.append("mean_payoff is over rewards and penalties together: --by payoff_kind tells them apart")
    lost = [c for c in columns if c in (*TAKEN, *outside_columns())]
    if lost:
        notes.append(f"columns of the log that are called as a metric are left out: {', '.join(lost)}")
    if left_out := whole.n - whole.counted:
        why = "seats that a strategy plays are in the table and not in the means (--by strategy shows them)"
        notes.append(f"{counted(left_out, 'trajectory', 'trajectories')} of {why}")
    return notes


def _mixed(table: pd.DataFrame, by: Sequence[str]) -> bool:
    """Whether a group has both rewards and penalties."""
    kinds = table[["payoff_kind", *(c for c in by if c != "payoff_kind")]].drop_duplicates()
    return bool(len(kinds) > 1 if not by else kinds.duplicated(list(by)).any())


@job(MetricsRequest)
def metrics(request: MetricsRequest) -> MetricsResult:
    """Behaviour metrics of every focal trajectory of a log, and their means by group.

    Of a log larger than memory, `metrics_to` writes the same to a file.

    Returns
    -------
    MetricsResult
        ``table`` has one row per trajectory, as `codebook.METRICS`. Games without a cooperative action have
        no rows and are counted under ``skipped``. Means are over subjects alone (`play_table`),
        unless ``strategy`` makes groups.

    Raises
    ------
    UsageError
        A setting that cannot be, games of more than two players and no `others`, or no game left.
    UnknownNameError
        A column that does not exist.
    """
    check_bootstrap(request.bootstrap)
    check_level(request.level)
    with open_workers(request.workers, request.dask) as workers:
        source = _on_disk(request)
        result = None if source is None else _of_disk(source, request, workers)
        return _of_memory(request, workers) if result is None else result


def metrics_to(
    log: str | Path,
    output: str | Path | None,
    by: str | Sequence[str] = (),
    *,
    overwrite: bool = False,
    **settings: Any,
) -> MetricsResult:
    """Measure a log that may be larger than memory, and write the metrics to one file.

    Row by row the metrics are those of `metrics`, in the same order, and the means are the same to the last
    digit, for any number of workers and any size of pieces. Rows are written as they are measured to Parquet,
    of a log in the compact form or a Parquet folder of ours; a log or a setting that needs the whole log
    at once is measured in memory; so is one of up to `SEARCHED` moves, unless ``cluster`` is ``game_id``. In
    pieces what is independent is the game.

    Parameters
    ----------
    log : path of a log
    output : path of a table, or None for the means alone
    by : columns whose joint values make the groups; a comma in text separates columns
    **settings
        As `metrics`.

    Raises
    ------
    OutputError
        A path that cannot be written; nothing is left there when the work is interrupted.
    UsageError, UnknownNameError, DataError, LimitError
        As `metrics`.
    """
    files = () if output is None else (Path(output),)
    request = MetricsRequest(log=log, by=by, output=files, overwrite=overwrite, **settings)
    request.claim_outputs()
    if files and not request.tables:
        raise OutputError(f"cannot write {output}: expected a table; the result's write has the means")
    result: MetricsResult = request.run()
    request.write_outputs(result)
    return replace(result, table=_NO_ROWS)


def _on_disk(request: MetricsRequest) -> Source | None:
    """The log as pieces on disk; None where the log, a setting or an output needs all rows in memory."""
    path, named = request.input_path(), column_names(request.cluster, ())
    tables = [output.suffix for output in request.tables]
    if path is None or request.rows or request.rescore or tables not in ([], [".parquet"]):
        return None
    if named not in ((), _GAMES):
        return None
    how = request.values(("where", "others", "keep_defaulted"))
    source = open_source(path, **how, **request.file_reading())
    if source is None or not can_be_cut(source) or (not named and source.n * source.rounds <= SEARCHED):
        return None
    return source


def _of_disk(source: Source, request: MetricsRequest, workers: Workers) -> MetricsResult | None:
    """Metrics written piece by piece; None where nothing can be measured, which is for the reader to say."""
    from intent.logs.gamelog import as_options
    from intent.logs.readers.compact import LIMIT_MOVES

    keys, target = tuple(key_types(source)), next(iter(request.tables), None)
    job = Job(
        keys,
        column_names(request.by, table_columns(keys)),
        (*metric_names(), "mean_payoff"),
        request.others,
        request.keep_defaulted,
        target is not None,
    )
    config = _config(request, _provenance(source, request), job.by, _GAMES)
    check_columns(job)
    job = replace(job, schema=table_schema(source, job), token=uuid4().hex)
    done, tallies, whole = 0, [], Tally()
    try:
        with table_file(target, overwrite=request.overwrite) as file:
            for n, _, rows, tally in measured(source, job, workers):
                if rows is not None:
                    file.write(rows)
                tallies.append(tally)
                if len(tallies) == _TOGETHER:
                    tallies = [added(tallies)]
                done += n
                request.update(done, source.n)
            whole = added(tallies)
            lost = check_columns(job, whole.read.described) if whole.n else ()
            file.finish({**config, "skipped": dict(whole.read.skipped)}, without=lost)
    except NothingWrittenError:
        pass
    if not whole.n:
        if source.n * source.rounds > LIMIT_MOVES:
            where = as_options(request.where or {})
            what = f"no play to measure in {source.n:,} rows"
            raise UsageError(f"{what}{f' (--where {where})' if where else ''}")
        return None
    why = f"a log of more than {SEARCHED:,} moves is not searched for conditions that repeat, nor for players"
    why = "as --cluster says" if request.cluster else f"{why} who return (--cluster)"
    unit = Unit("game", np.arange(whole.counted_games), _GAMES, "in these conditions", why)
    rng, intervals = np.random.default_rng(request.seed), Intervals(request.bootstrap, request.level)
    groups = means_of_groups(whole.sums, job.names, rng=rng, intervals=intervals)
    columns = [name for name in job.keys if name in whole.read.described]
    return MetricsResult(
        table=_NO_ROWS,
        path=target,
        streamed=target,
        n=whole.n,
        n_games=whole.n_games,
        by=job.by,
        groups=tuple(groups),
        skipped=dict(whole.read.skipped),
        config=config,
        unit=unit.noun,
        unit_line=unit.line(),
        notes=(*_notes(whole, job.by, columns, notes_of_runs(source.provenance)), *workers.notes),
        origin=source.path,
    )


def _of_memory(request: MetricsRequest, workers: Workers) -> MetricsResult:
    """Metrics in memory, which a pass over all rows sets beside the design."""
    how = request.values(("where", "others", "keep_defaulted"))
    log, X = focal_play(request.log, **how, **request.file_reading())
    questions = rescore(log) if request.rescore else log.questions
    table = _rows(Memory(log, X), request, workers)
    assert X.keys is not None
    table = with_questions(table, questions, X.keys.reset_index(drop=True))
    by = column_names(request.by, table.columns)
    question_names = [c.removesuffix("_misunderstood") for c in table.columns if c.endswith("_misunderstood")]
    rank, counted = counted_rows(table, by)
    of_questions = {c for c in counted.columns for name in question_names if c.startswith(f"{name}_")}
    conditions = counted[[c for c in counted if c not in of_questions]]
    design = design_units(conditions, by, column_names(request.cluster, conditions.columns) or None)
    unit = design.unit.one_way()
    names = [*metric_names(), "mean_payoff"]
    whole = Tally.of(table, (rank, counted), Read.of(log, X), by, names, unit.codes)
    rng, intervals = np.random.default_rng(request.seed), Intervals(request.bootstrap, request.level)
    groups = means_of_groups(whole.sums, names, rng=rng, intervals=intervals)
    answers = [f"{name}_{what}" for name in question_names for what in ("correct", "misunderstood")]
    skipped = log.skipped()
    return MetricsResult(
        table=table,
        path=next(iter(request.tables), None),
        n=whole.n,
        n_games=whole.n_games,
        by=by,
        groups=tuple(groups),
        questions=tuple(group_means(counted, by, answers, rng=rng, intervals=intervals, units=unit.codes)),
        question_names=tuple(question_names),
        skipped=skipped,
        config=_config(request, log.provenance, by, unit.columns),
        unit=unit.noun,
        unit_line=unit.line(),
        notes=(*_notes(whole, by, list(X.keys.columns), unread_rows(log)), *design.notes, *workers.notes),
        origin=request.input_path(),
    )


def _rows(memory: Memory, request: MetricsRequest, workers: Workers) -> pd.DataFrame:
    """The table of a log in memory, row for row as its trajectories stand."""
    job = Job((), (), (), request.others, request.keep_defaulted)
    tables: list[pd.DataFrame] = []
    places: list[Any] = []
    done = 0
    for n, own, rows, _ in measured(memory, job, workers):
        tables.append(cast(pd.DataFrame, rows))
        places.append(own)
        done += n
        request.update(done, memory.n)
    if len(tables) == 1:
        return tables[0]
    table = pd.concat([rows for rows in tables if len(rows)] or tables[:1], ignore_index=True)
    order = np.argsort(np.concatenate(places), kind="stable")
    return table if (order == np.arange(len(order))).all() else table.take(order).reset_index(drop=True)


def _config(
    request: MetricsRequest, log: Mapping[str, Any], by: Sequence[str], cluster: Sequence[str]
) -> dict[str, Any]:
    """The resolved settings, as they are kept with every result."""
    settings = request.config()
    order = ("bootstrap", "level", "rescore", "others", "keep_defaulted", "where", "seed")
    return {
        "kind": "metrics",
        "log": log,
        "by": list(by),
        "cluster": list(cluster),
        **{name: settings[name] for name in order},
        "version": __version__,
    }


def _provenance(source: Source, request: MetricsRequest) -> Mapping[str, Any]:
    """The provenance that `read_log` gives the log."""
    from intent.logs.readers.reader import Settings, told_provenance
    from intent.logs.readers.reader import Source as File

    settings = Settings(strict=request.strict)
    return told_provenance(source.provenance, File(source.path), source.format, settings)
