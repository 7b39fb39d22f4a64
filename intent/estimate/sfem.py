"""From any game log to strategy shares: a finite mixture fitted to the play, by group, with errors.

Labels of the same play, counted chunk by chunk: what estimated shares are set beside.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import DataError, UsageError
from intent.base.files import path_of
from intent.base.job import job
from intent.base.registry import require
from intent.base.statistics import grouping, stream_of_test
from intent.base.tables import read_table
from intent.base.workers import SERIAL, Workers, open_workers
from intent.estimate.baselines import baselines
from intent.estimate.choice.choices import choices_of_log
from intent.estimate.choice.completeness import CEILING, completeness
from intent.estimate.counts import Player
from intent.estimate.design_units import SEAT, SubjectUnit
from intent.estimate.mixture import Method
from intent.estimate.population import Key
from intent.estimate.requests import SfemRequest
from intent.estimate.sfem_result import Rows, Seen, ShareEstimates, notes_of
from intent.estimate.shares import (
    Counted,
    check_request,
    estimate_population,
    select_population,
    with_subjects,
)
from intent.estimate.stream import (
    CountedLog,
    Job,
    Memory,
    by_piece,
    chunk_of,
    count_log,
    find_design,
    group_codes,
    posterior_tables,
)
from intent.logs.chunks import Piece, Source, focal_play, keeps_scripted, notes_of_runs, scripted_notes
from intent.logs.gamelog import Trajectories
from intent.logs.reading import open_source
from intent.recognise.bayes import BayesRecogniser
from intent.recognise.verdict import KnownPlays, LabelSettings, judge, with_gap
from intent.strategies.catalogue import Strategy
from intent.strategies.sets import facts_of
from intent.version import __version__

if TYPE_CHECKING:
    import pyarrow as pa

    from intent.estimate.counts import Player
    from intent.estimate.shares import SfemResult
    from intent.logs.chunks import Source
    from intent.strategies.catalogue import Strategy

__all__ = [
    "ShareEstimates",
    "sfem",
]


@job(SfemRequest)
def sfem(request: SfemRequest) -> ShareEstimates:
    """Shares of strategies in a log, estimated by maximum likelihood, with standard errors.

    Each subject plays one strategy k, drawn with probability phi_k, and trembles with probability b per move;
    phi and b maximise prod_i sum_k phi_k prod_t [(1 - b)^match b^mismatch] (strategy frequency estimation).

    A compact log, or a Parquet folder written chunk by chunk, is read piece by piece: memory holds one piece,
    the distinct plays, and a row for each subject that has a name. Any other log is one piece.

    Raises
    ------
    UsageError
        A setting that cannot be, nothing to estimate from, or a subject that several clusters share.
    UnknownNameError
        A strategy or column that does not exist.

    References
    ----------
    Dal Bó & Fréchette 2011, AER 101:411; Fudenberg, Rand & Dreber 2012, AER 102:720; Dvorak 2023,
    Journal of the Economic Science Association 9:337.
    """
    request.check()
    if request.explained and request.others == "count":
        raise UsageError("--explained predicts moves against one other player: not with --others count")
    if request.explained:
        require(*CEILING)
    with _spread(request) as workers:
        for source, strategies in _sources(request):
            estimates = _estimates(source, strategies, request, workers)
            if estimates is not None:
                estimates = _with_baselines(estimates, request.baselines)
                return _with_explained(estimates, strategies, request) if request.explained else estimates
    raise AssertionError("a log in memory can always be counted")


def _spread(request: SfemRequest) -> AbstractContextManager[Workers]:
    """Who shares the work: nobody beside this process, unless the request says so."""
    alone = request.workers == 1 and request.dask is None
    return nullcontext(SERIAL) if alone else open_workers(request.workers, request.dask)


def _sources(request: SfemRequest) -> Iterator[tuple[Source | Memory, tuple[Player, ...]]]:
    """The log as pieces, with the strategies that compete: on disk where that can be, then in memory."""
    if request.others == "count":
        from intent.estimate.contributions import contributor_play
        from intent.strategies.sets import threshold_strategies

        how = _reading(request, ("where", "contributes_from", "endowment", "keep_defaulted"))
        play = contributor_play(request.log, **how)
        most = int(play.others[play.rows].max(initial=1))
        chosen = threshold_strategies(_set_of(request), most)
        if request.memory is not None:
            chosen = tuple(s.with_memory(request.memory) for s in chosen)  # type: ignore[arg-type]
        yield Memory(play.log, play.counted(), _path(request)), chosen
        return
    if request.contributes_from or request.endowment is not None:
        raise UsageError("--contributes-from and --endowment say who contributed: they need --others count")
    strategies = _competitors(request)
    how = _reading(request, ("where", "others", "keep_defaulted"))
    path = _path(request)
    source = None if path is None or request.labels is not None else open_source(path, **how)
    if source is not None:
        yield source, strategies
    log, X = focal_play(request.log, **how)
    yield Memory(log, X, path), strategies


def _reading(request: SfemRequest, settings: Sequence[str]) -> dict[str, Any]:
    """How the log is read, with these settings and the seats that count."""
    return request.values(settings) | keeps_scripted(request) | request.file_reading()


def _with_explained(
    estimates: ShareEstimates, strategies: Sequence[Player], request: SfemRequest
) -> ShareEstimates:
    """The same with how much the strategies explain."""
    automata = tuple(s for s in strategies if isinstance(s, Strategy))
    how = _reading(request, ("where", "others", "keep_defaulted"))
    log, X = focal_play(request.log, **how)
    tremble = "strategy" if request.tremble == "strategy" else "pooled"
    columns = tuple(estimates.config["subject"])
    choices = choices_of_log(log, X, subject=() if columns == ("player",) else columns)
    assert choices.keys is not None
    groups = grouping(choices.keys, estimates.by) if estimates.by else None
    explained = completeness(
        choices, log, automata, groups=groups, tremble=tremble, seed=request.seed, update=request.update
    )
    return replace(estimates, explained=explained)


def _with_baselines(estimates: ShareEstimates, names: Sequence[str]) -> ShareEstimates:
    """The same with shares of people beside."""
    if not names:
        return estimates
    classes = list(dict.fromkeys(name for fit in estimates.fits for name in fit.names))
    beside = baselines(names, classes)
    estimates.notes.extend(line for line in (one.differences(classes) for one in beside) if line)
    return replace(estimates, baselines=tuple(beside))


def _path(request: SfemRequest) -> Path | None:
    return path_of(request.log) if isinstance(request.log, str | Path) else None


def _competitors(request: SfemRequest) -> tuple[Strategy, ...]:
    """The strategies that compete against one other player, with one memory semantics (None: their own)."""
    from intent.strategies.catalogue import named_set

    chosen = named_set(_set_of(request))
    if request.memory is None:
        return chosen
    # RANDOM without a name has nothing to remember, and its path of one state stays known.
    plain = request.strategies is None
    return tuple(s if plain and s.is_background else s.with_memory(request.memory) for s in chosen)  # type: ignore[arg-type]


def _set_of(request: SfemRequest) -> str | Sequence[str | Strategy]:
    """The strategies that are named, those of files as such, else the default ones with RANDOM."""
    from intent.recognise.bayes import default_strategies
    from intent.strategies.sets import without_files

    return default_strategies() if request.strategies is None else without_files(request.strategies)


def _estimates(
    source: Source | Memory, strategies: tuple[Player, ...], request: SfemRequest, workers: Workers
) -> ShareEstimates | None:
    """The estimates of a log; None where it has to be read into memory."""
    check_request(strategies, request.tremble, request.level)
    by, subject, cluster = (
        columns if isinstance(columns, str) else tuple(columns)
        for columns in (request.by, request.subject, request.cluster)
    )
    design = find_design(source, Job(strategies, by, subject, cluster), workers)
    counted = None if design is None else count_log(source, design.job, workers, request.update)
    if design is None or counted is None:
        return None
    independent = design.unit(counted.columns, counted.population.kinds.n_clusters)
    fitted, dropped = _fitted([s.name for s in strategies], counted, request, independent.unit.kind, workers)
    left = tuple(s for s in strategies if s.name not in dropped)
    population, pattern = counted.population, counted.pattern
    if dropped:
        population, new = population.only([strategies.index(s) for s in left])
        pattern = None if pattern is None else new[pattern]
    if counted.units is not None and pattern is not None:
        fitted = with_subjects(fitted, population, pattern, counted.units)
    fits = tuple(fit for _, fit in fitted.groups)
    columns = counted.columns
    labels: TableLabels | None = None
    if isinstance(source, Memory) and request.labels is not None:
        labels = _table_labels(request.labels, source.chunk.keys)

    def count() -> list[Counted | None]:
        with _spread(request) as spread:
            return _count_labels_of(source, left, columns.by, counted.place, len(fits), spread, labels)

    def rows() -> Rows:
        if isinstance(source, Memory):
            assert counted.units is not None
            return Rows(source.chunk.keys, counted.units.of_row, fits)
        *_, (whole, _) = _sources(request)
        estimates = _estimates(whole, strategies, request.replace(bootstrap=0, test=False), workers)
        assert estimates is not None
        return estimates.known

    def tables() -> Iterator[pa.Table]:
        assert not isinstance(source, Memory)
        with _spread(request) as spread:
            yield from posterior_tables(source, left, counted, population, fits, spread)

    result = ShareEstimates(
        by=counted.grouping.columns,
        values=counted.grouping.values,
        fits=fits,
        tests=fitted.tests,
        config=_config(request, source, strategies, counted, independent, dropped),
        rows=rows,
        count=count,
        tables=tables if columns.subject == SEAT and not isinstance(source, Memory) else None,
        origin=source.path,
        independent=independent.unit,
    )
    reads = list(source.notes() if isinstance(source, Memory) else notes_of_runs(source.provenance))
    reads += scripted_notes(source.log if isinstance(source, Memory) else source)
    counts = Seen(
        counted.skipped, counted.silent, counted.games, counted.several, (*reads, *independent.notes)
    )
    result.notes.extend([*notes_of(result, counts), *workers.notes])
    return result


def _fitted(
    names: list[str], counted: CountedLog, request: SfemRequest, kind: str, workers: Workers
) -> tuple[SfemResult, list[str]]:
    """The estimate, and the strategies that selection dropped."""
    method = Method(
        **request.values(("tremble", "bootstrap", "level", "update")),
        test=request.test and len(counted.grouping) > 1,
        rng=np.random.default_rng(request.seed),
        shares_rng=stream_of_test(request.seed, ",".join(counted.columns.by), kind),
        workers=workers,
    )
    if request.select is None:
        return estimate_population(names, counted.population, method), []
    selection = select_population(names, counted.population, method, request.select)  # type: ignore[arg-type]
    return selection.result, [step.dropped for step in selection.steps if step.dropped]


def _config(
    request: SfemRequest,
    source: Source | Memory,
    strategies: Sequence[Player],
    counted: CountedLog,
    independent: SubjectUnit,
    dropped: Sequence[str],
) -> dict[str, Any]:
    """The settings as JSON, with the log's provenance and the columns that they came to."""
    config, columns = request.config(), counted.columns
    counts = ("contributes_from", "endowment") if request.others == "count" else ()
    return {
        "log": dict(_provenance(source, request)),
        "strategies": [s.name for s in strategies],
        "memory": sorted({s.memory for s in strategies}),
        **facts_of(s for s in strategies if isinstance(s, Strategy)),
        "by": list(columns.by),
        "subject": list(columns.subject),
        "cluster": list(independent.columns),
        "unit": independent.unit.line(),
        **{name: config[name] for name in ("tremble", "bootstrap", "level", "select")},
        "dropped": list(dropped),
        **({"baseline": list(request.baselines)} if request.baselines else {}),
        "labels": str(request.labels) if isinstance(request.labels, str | Path) else None,
        **{
            name: config[name]
            for name in ("others", *counts, "keep_defaulted", "keep_scripted", "where", "seed")
        },
        "version": __version__,
    }


def _provenance(source: Source | Memory, request: SfemRequest) -> Mapping[str, Any]:
    """The provenance that `read_log` gives the log."""
    if isinstance(source, Memory):
        return source.log.provenance
    from intent.logs.readers.reader import Settings, told_provenance
    from intent.logs.readers.reader import Source as File

    file = File(source.path)
    return told_provenance(source.provenance, file, source.format, Settings(strict=request.strict))


_CHUNK = 1 << 15

TableLabels = tuple[NDArray[np.str_], NDArray[np.bool_]]
"""Best strategy of each trajectory ("" where there is no label), and whether its label is confident."""


def _count_labels_of(
    source: Source | Memory,
    strategies: Sequence[Player],
    by: tuple[str, ...],
    place: Mapping[Key, int],
    n_groups: int,
    workers: Workers,
    labels: TableLabels | None = None,
) -> list[Counted | None]:
    """Labels counted by group; None where none can be made.

    They are those of a Bayes recogniser with these strategies, eps .05 and a uniform prior, a label being
    confident as `intent label` says. Deviations from intentions that stay hidden cannot be counted, nor can
    several others be labelled.
    """
    automata = tuple(s for s in strategies if isinstance(s, Strategy) and s.observed_path)
    if labels is None and len(automata) < len(strategies):
        return [None] * n_groups
    complete = labels is None and source.complete
    job = _Job(uuid4().hex, automata, by, dict(place), complete, labels)
    tallies = [[Counter[str](), Counter[str]()] for _ in range(n_groups)]
    try:
        for _, part in by_piece(source, partial(_tally, job), workers):
            for (group, name, confident), n in part.items():
                tallies[group][0][name] += n
                tallies[group][1][name] += n * confident
    finally:
        _plays.cache_clear()
    return [Counted.of(best, sure) for best, sure in tallies]


def _judged_plays(X: Trajectories, strategies: Sequence[Strategy], *, complete: bool) -> TableLabels:
    """Best strategy of each trajectory, and whether that label is confident."""
    model = BayesRecogniser(strategies).fit()
    best, confident = np.empty(len(X), dtype=np.intp), np.empty(len(X), dtype=bool)
    for first in range(0, len(X), _CHUNK):
        part = X[first : first + _CHUNK]
        verdict = judge(
            part if complete else with_gap(part), model, LabelSettings(), np.random.default_rng(0)
        )
        rows = slice(first, first + len(part))
        best[rows] = verdict.best[: len(part)]
        confident[rows] = verdict.status[: len(part)] == "confident"
    return model.classes_[best], confident


def _table_labels(labels: pd.DataFrame | str | Path, keys: pd.DataFrame) -> TableLabels:
    """The labels of a table for n trajectories."""
    name = str(labels) if isinstance(labels, str | Path) else "the table of labels"
    table = read_table(labels)[0] if isinstance(labels, str | Path) else labels
    missing = [column for column in ("game_id", "seat", "best", "label") if column not in table.columns]
    if missing:
        raise DataError(f"{name} has no column {missing[0]!r}, expected labels as `intent label` writes them")
    where = pd.MultiIndex.from_arrays([table["game_id"].astype(str), table["seat"].astype(int)])
    if not where.is_unique:
        raise DataError(f"{name} has two rows for seat {where[where.duplicated()][0]}, expected one")
    seats = pd.MultiIndex.from_arrays([keys["game_id"].astype(str), keys["seat"].astype(int)])
    rows = where.get_indexer(seats)
    if (rows < 0).all():
        raise DataError(f"{name} holds none of the {len(keys):,} trajectories, expected labels of this log")
    own = table.iloc[rows]
    best = own["best"].astype(str).where(rows >= 0, "").to_numpy(dtype=str)
    return best, own["label"].notna().to_numpy(dtype=bool) & (rows >= 0)


@dataclass(frozen=True)
class _Job:
    """What every piece is judged by; `token` tells this job from every other."""

    token: str
    strategies: tuple[Strategy, ...] = field(compare=False)
    by: tuple[str, ...]
    place: Mapping[Key, int] = field(compare=False)
    complete: bool
    labels: TableLabels | None = field(default=None, compare=False)


def _tally(job: _Job, piece: Piece | Memory) -> Counter[tuple[int, str, bool]]:
    """(group, best strategy, whether confident) -> trajectories of a piece."""
    chunk = chunk_of(piece)
    if not len(chunk.X):
        return Counter()
    if job.labels is not None:
        best, confident = job.labels
        names, codes = np.unique(best, return_inverse=True)
        words, kind = names.tolist(), codes.reshape(-1) * 2 + confident
    else:
        assert isinstance(chunk.X, Trajectories)
        table, rows = _plays(job).look_up(chunk.X)
        words = list(table.words["best"])
        kind = (table.columns["best"].astype(np.intp) * 2 + table.columns["confident"])[rows]
    width = 2 * len(words)
    numbers = np.bincount(group_codes(chunk.keys, job.by, job.place) * width + kind)
    counts = {
        (int(i // width), words[i % width // 2], bool(i % 2)): int(numbers[i])
        for i in np.flatnonzero(numbers)
    }
    return Counter({key: n for key, n in counts.items() if key[1]})


@lru_cache(maxsize=1)
def _plays(job: _Job) -> KnownPlays:
    def judged(X: Trajectories) -> pd.DataFrame:
        best, confident = _judged_plays(X, job.strategies, complete=job.complete)
        return pd.DataFrame({"best": best, "confident": confident})

    return KnownPlays(judged)
