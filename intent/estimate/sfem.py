"""From any game log to strategy shares: a finite mixture fitted to the play, by group, with errors.

What is asked of an estimate of strategy shares: settings, checked, and as they are kept with results.

What competes for the play of a log: strategies against one other, or with thresholds against several.

Estimates of strategy shares from a log that is read at once.

Estimates of strategy shares from a log that is read piece by piece.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import OutputError, UnknownNameError, UsageError
from intent.base.workers import open_workers
from intent.estimate.intervals import check_level
from intent.estimate.sfem_result import Rows, ShareEstimates
from intent.estimate.units import SEAT
from intent.version import __version__

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import pyarrow as pa
    from numpy.typing import NDArray

    from intent.base.workers import Workers
    from intent.estimate.counts import Play, Player
    from intent.estimate.label_weights import Counted
    from intent.estimate.mixture_fit import SfemResult
    from intent.estimate.stream import Streamed
    from intent.estimate.units import SubjectUnit
    from intent.logs.chunks import Source
    from intent.logs.gamelog import GameLog
    from intent.strategies.automaton import Strategy


__all__ = [
    "Request",
    "ShareEstimates",
    "claim_outputs",
    "competing_play",
    "competitors",
    "estimates_at_once",
    "estimates_by_piece",
    "sfem",
]


_TREMBLES = ("common", "strategy", "pooled")
_MEMORIES = ("realised", "intended")
_CRITERIA = ("bic", "aic", "icl")


@dataclass(frozen=True, eq=False)
class Request:
    """Settings of `intent.estimate.sfem.sfem`, under their names.

    Raises
    ------
    UnknownNameError
        A tremble, memory or criterion that does not exist.
    UsageError
        A bootstrap or level that cannot be.
    """

    strategies: str | Sequence[str | Strategy] | None
    by: str | Sequence[str]
    subject: str | Sequence[str]
    cluster: str | Sequence[str]
    tremble: str
    bootstrap: int
    level: float
    memory: str | None
    select: str | None
    test: bool
    labels: pd.DataFrame | str | Path | None
    others: str | None
    contributes_from: float
    endowment: float | None
    keep_defaulted: bool
    where: Mapping[str, Sequence[str]] | None
    seed: int

    def __post_init__(self) -> None:
        for option, value, known in (
            ("tremble", self.tremble, _TREMBLES),
            ("memory", self.memory, _MEMORIES),
            ("criterion", self.select, _CRITERIA),
        ):
            if value is not None and value not in known:
                raise UnknownNameError(option, value, known)
        if self.bootstrap < 0 or self.bootstrap == 1:
            raise UsageError(f"--bootstrap {self.bootstrap}, expected 0 (none) or at least 2")
        check_level(self.level)

    def config(
        self,
        provenance: Mapping[str, Any],
        chosen: Sequence[Player],
        by: Sequence[str],
        subject: Sequence[str],
        independent: SubjectUnit,
        dropped: Sequence[str],
    ) -> dict[str, Any]:
        """The settings as JSON, with the log's provenance and the columns that they came to."""
        counted = {"contributes_from": self.contributes_from, "endowment": self.endowment}
        return {
            "log": dict(provenance),
            "strategies": [s.name for s in chosen],
            "memory": sorted({s.memory for s in chosen}),
            "by": list(by),
            "subject": list(subject),
            "cluster": list(independent.columns),
            "unit": independent.unit.line(),
            "tremble": self.tremble,
            "bootstrap": self.bootstrap,
            "level": self.level,
            "select": self.select,
            "dropped": list(dropped),
            "labels": str(self.labels) if isinstance(self.labels, str | Path) else None,
            "others": self.others,
            **(counted if self.others == "count" else {}),
            "keep_defaulted": self.keep_defaulted,
            "where": {column: list(values) for column, values in (self.where or {}).items()},
            "seed": self.seed,
            "version": __version__,
        }


def sfem(
    log: GameLog | str | Path,
    strategies: str | Sequence[str | Strategy] | None = None,
    *,
    by: str | Sequence[str] = (),
    subject: str | Sequence[str] = (),
    cluster: str | Sequence[str] = (),
    tremble: str = "common",
    bootstrap: int = 0,
    level: float = 0.95,
    memory: str | None = None,
    select: str | None = None,
    test: bool = True,
    labels: pd.DataFrame | str | Path | None = None,
    others: str | None = None,
    contributes_from: float = 0.0,
    endowment: float | None = None,
    keep_defaulted: bool = False,
    where: Mapping[str, Sequence[str]] | None = None,
    seed: int = 0,
    workers: int = 1,
    dask: str | None = None,
    update: Callable[[int, int], None] = lambda done, total: None,
    **reading: Any,
) -> ShareEstimates:
    """Shares of strategies in a log, estimated by maximum likelihood, with standard errors.

    Each subject plays one strategy k, drawn with probability phi_k, and trembles with probability b per move;
    phi and b maximise prod_i sum_k phi_k prod_t [(1 - b)^match b^mismatch] (strategy frequency estimation).

    A compact log, or a Parquet folder written chunk by chunk, is read piece by piece: memory holds one piece,
    the distinct plays, and a row for each subject that has a name. The result is that of the log read whole.

    Parameters
    ----------
    log : GameLog, or the path of one in any format that `read_log` knows
    strategies : set name, comma-separated names, or sequence of names and Strategy, optional
        Default: canonical4 and RANDOM, so that play by chance is no strategy's. A set that is named is
        fitted as it is.
    by : columns of games or seats whose joint values make the groups, each estimated apart
    subject : columns that name a subject, all of whose games count as one observation
        Default: ``player`` where the log has it; a row without one, and every row of a log without players,
        is a subject of its own (the seat of one game).
    cluster : columns; subjects alike in them are not independent, which errors, bootstrap and tests allow for
        Default: as the design says (`intent.estimate.design_units.design_units`): the session or the subjects
        who
        met, the subject, the condition that repeats, else the game. ``cell``: the condition.
    tremble : {"common", "strategy", "pooled"}
        One tremble per group, one per group and strategy, or one for all groups together.
    bootstrap : int
        Samples for errors and intervals, and permutations of the test between groups; 0: errors from the
        observed information, for estimates off the boundary.
    level : float in (0, 1)
        Coverage of the intervals.
    memory : {"realised", "intended"}, optional
        What automata remember of their own moves; default: as the set of strategies says.
    select : {"bic", "aic", "icl"}, optional
        Drop strategies one by one, from all groups, as long as this criterion of all groups improves.
    test : bool
        Whether groups are compared by likelihood-ratio tests.
    labels : table of labels or its path, optional
        What the estimates are set beside; default: the labels of a Bayes recogniser with these strategies.
    others : {"any", "majority", "all", "count"}, optional
        With more than two players: when the others count as having cooperated. With ``count`` this is
        estimated: strategies compete with every threshold k, "at least k of the others did" (``TFT>=2``).
    contributes_from : float in [0, 1]
        With ``count``: share of the endowment from which on a seat has cooperated; 0: any contribution.
    endowment : float, optional
        With ``count``: what a seat can give in a round, in games of numbers that do not say it.
    keep_defaulted : bool
        Whether a default that replaced an unreadable reply counts as the player's own move.
    where : mapping of column -> accepted values
    seed : int
        Of the bootstrap.
    workers, dask : as `intent.base.workers.open_workers`
        Who counts pieces and fits bootstrap samples and permutations; the result is the same for any.
    update : called with (rows read, or bootstrap samples done; in all)
    **reading
        Passed to `read_log` where `log` is a path.

    Returns
    -------
    ShareEstimates

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

    asked = Request(
        strategies,
        by,
        subject,
        cluster,
        tremble,
        bootstrap,
        level,
        memory,
        select,
        test,
        labels,
        others,
        contributes_from,
        endowment,
        keep_defaulted,
        where,
        seed,
    )
    with open_workers(workers, dask) as spread:
        found = None
        if isinstance(log, str | Path):
            again = partial(open_workers, workers, dask)
            found = estimates_by_piece(Path(log), asked, spread, update, again=again, **reading)
        return found or estimates_at_once(log, asked, spread, update, **reading)


def claim_outputs(
    outputs: Sequence[Path], posteriors: Path | None, *, overwrite: bool, source: Path | None = None
) -> None:
    """Make sure, before any work, that results may be written; the log itself is never written over.

    Raises
    ------
    OutputError
        A suffix that means nothing, two results at one path, or a path that cannot be written.
    """
    from intent.base.result import TABLE_SUFFIXES, check_output

    for path in outputs:
        check_output(path, overwrite=overwrite, origin=source)
    if posteriors is None:
        return
    check_output(posteriors, overwrite=overwrite, origin=source)
    if posteriors.suffix not in TABLE_SUFFIXES[:3]:
        known = ", ".join(TABLE_SUFFIXES[:3])
        raise OutputError(f"cannot write {posteriors}: posteriors are a table, expected one of {known}")
    if posteriors in outputs:
        raise OutputError(f"{posteriors} is named for the shares and for the posteriors, expected two files")


def competing_play(
    log: GameLog | str | Path,
    strategies: str | Sequence[str | Strategy] | None,
    memory: str | None,
    others: str | None,
    *,
    contributes_from: float = 0.0,
    endowment: float | None = None,
    where: Mapping[str, Sequence[str]] | None = None,
    keep_defaulted: bool = False,
    **reading: Any,
) -> tuple[GameLog, Play, tuple[Player, ...]]:
    """The log's rows that meet conditions, its play, and the strategies that compete for it.

    Parameters
    ----------
    log, strategies, memory, others, contributes_from, endowment, where, keep_defaulted, **reading
        As `intent.estimate.sfem.sfem`.

    Raises
    ------
    UsageError
        No game left, games of more than two players and no `others`, or settings of counted others without.
    UnknownNameError, StrategyError
        A strategy or threshold that does not exist.
    """
    from intent.estimate.contributions import contributor_play
    from intent.logs.selection import focal_play

    chosen: tuple[Player, ...]
    if others != "count":
        if contributes_from or endowment is not None:
            raise UsageError(
                "--contributes-from and --endowment say who contributed: they need --others count"
            )
        chosen = competitors(strategies, memory)
        played, X = focal_play(log, where=where, others=others, keep_defaulted=keep_defaulted, **reading)
        return played, X, chosen
    from intent.strategies.catalogue import threshold_strategies

    found = contributor_play(
        log,
        where=where,
        contributes_from=contributes_from,
        endowment=endowment,
        keep_defaulted=keep_defaulted,
        **reading,
    )
    most = int(found.others[found.rows].max(initial=1))
    chosen = threshold_strategies(_named(strategies), most)
    return found.log, found.counted(), _remembering(chosen, memory)


def competitors(
    strategies: str | Sequence[str | Strategy] | None, memory: str | None
) -> tuple[Strategy, ...]:
    """The strategies that compete against one other player, with one memory semantics (None: their own)."""
    from intent.strategies.catalogue import strategy_set

    chosen = strategy_set(_named(strategies))
    if memory is None:
        return chosen
    # RANDOM without a name has nothing to remember, and its path of one state stays known.
    plain = strategies is None
    return tuple(s if plain and s.is_background else s.with_memory(memory) for s in chosen)  # type: ignore[arg-type]


def _named(strategies: str | Sequence[str | Strategy] | None) -> str | Sequence[str | Strategy]:
    """The strategies that are named, else the default ones with RANDOM."""
    from intent.recognise.bayes import default_strategies

    return default_strategies() if strategies is None else strategies


def _remembering(chosen: Sequence[Player], memory: str | None) -> tuple[Player, ...]:
    """The strategies with one memory semantics."""
    return tuple(chosen) if memory is None else tuple(s.with_memory(memory) for s in chosen)  # type: ignore[arg-type]


def estimates_at_once(
    log: GameLog | str | Path,
    asked: Request,
    workers: Workers,
    update: Callable[[int, int], None],
    **reading: Any,
) -> ShareEstimates:
    """Shares in a log whose rows are all in memory.

    Parameters
    ----------
    log, update, **reading
        As `intent.estimate.sfem.sfem`.
    asked : Request
    workers : Workers
    """
    from dataclasses import replace

    import numpy as np

    from intent.base.codebook import column_names
    from intent.base.statistics.groups import grouping, stream_of_test
    from intent.estimate.label_counts import counter
    from intent.estimate.sfem_result import Seen, first_games, notes_of
    from intent.estimate.shares import estimate
    from intent.estimate.units import subject_unit
    from intent.logs.selection import unread_rows

    played, X, chosen = competing_play(
        log,
        asked.strategies,
        asked.memory,
        asked.others,
        contributes_from=asked.contributes_from,
        endowment=asked.endowment,
        where=asked.where,
        keep_defaulted=asked.keep_defaulted,
        **reading,
    )
    moved = X.n_rounds > 0
    silent = len(X) - int(moved.sum())
    X = X[np.flatnonzero(moved)] if silent else X
    if not len(X):
        said = "; ".join(f"{n:,} games: {why}" for why, n in played.skipped().items())
        raise UsageError(f"no play to estimate from in {len(played):,} games{said and f' ({said})'}")
    assert X.keys is not None
    groups = grouping(X.keys, column_names(asked.by, X.keys.columns))
    unit = column_names(asked.subject, X.keys.columns) or (("player",) if "player" in X.keys else SEAT)
    players, subjects = _subjects(X.keys, unit, groups.codes, len(groups))
    named = column_names(asked.cluster, X.keys.columns)
    independent = subject_unit(X.keys, groups.columns, unit, players, named)
    settings: dict[str, Any] = {
        "groups": groups.codes if len(groups) > 1 else None,
        "tremble": asked.tremble,
        "clusters": independent.clusters,
        "bootstrap": asked.bootstrap,
        "level": asked.level,
        "test": asked.test and len(groups) > 1,
        "rng": np.random.default_rng(asked.seed),
        "shares_rng": stream_of_test(asked.seed, ",".join(groups.columns), independent.unit.kind),
        "update": update,
        "workers": workers,
    }
    dropped: list[str] = []
    if asked.select is None:
        found = estimate(X, players, chosen, **settings)
    else:
        from intent.estimate.shares import select

        selection = select(X, players, chosen, criterion=asked.select, **settings)  # type: ignore[arg-type]
        dropped, found = [step.dropped for step in selection.steps if step.dropped], selection.result
    fits = tuple(
        replace(fit, subjects=np.unique(subjects[groups.codes == g]))
        for g, (_, fit) in enumerate(found.groups)
    )
    left = [s for s in chosen if s.name not in dropped]
    result = ShareEstimates(
        by=groups.columns,
        values=groups.values,
        fits=fits,
        tests=found.tests,
        config=asked.config(played.provenance, chosen, groups.columns, unit, independent, dropped),
        independent=independent.unit,
        rows=_given(Rows(X.keys, subjects, fits)),
        count=counter(X, left, groups.codes, len(groups), asked.labels),
        origin=Path(log) if isinstance(log, str | Path) else None,
    )
    games = first_games(X.keys["game"].dropna().unique()) if "game" in X.keys else ()
    several = _several(players, groups.codes, len(groups))
    told = (*unread_rows(played), *_unseen(X), *independent.notes)
    seen = Seen(played.skipped(), silent, games, several, told)
    result.notes.extend([*notes_of(result, seen), *workers.notes])
    return result


def _unseen(X: Play) -> tuple[str, ...]:
    """What to say where the game flips decisions that the log does not have."""
    errors = X.implementation_error
    n = 0 if errors is None else int((errors > 0).sum())
    if not n:
        return ()
    return (
        f"{n:,} trajectories have an implementation error and no decisions: the tremble is beside that error",
    )


def _given(rows: Rows) -> Callable[[], Rows]:
    return lambda: rows


def _subjects(
    keys: pd.DataFrame, unit: Sequence[str], groups: NDArray[np.intp], n_groups: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(n,) code of who plays each row, and of the subject: who plays in several groups is one in each."""
    import numpy as np

    from intent.base.statistics.groups import cluster_codes

    codes = np.arange(len(keys)) if tuple(unit) == SEAT else cluster_codes(keys, unit)
    return codes, np.unique(codes * n_groups + groups, return_inverse=True)[1] if n_groups > 1 else codes


def _several(players: NDArray[np.intp], groups: NDArray[np.intp], n_groups: int) -> int:
    """Players with rows in several groups."""
    import numpy as np

    return int((np.bincount(np.unique(players * n_groups + groups) // n_groups) > 1).sum())


def estimates_by_piece(
    path: Path,
    asked: Request,
    workers: Workers,
    update: Callable[[int, int], None],
    *,
    again: Callable[[], AbstractContextManager[Workers]],
    size: int | None = None,
    **reading: Any,
) -> ShareEstimates | None:
    """Shares in a log on disk with bounded memory; None where the log or the request needs all rows at once.

    Parameters
    ----------
    path, update, **reading
        As `intent.estimate.sfem.sfem`.
    asked : Request
    workers : Workers
    again : opens workers for a later pass (labels are counted when they are asked for)
    size : int, rows of a piece
    """
    if asked.others == "count" or asked.labels is not None or asked.contributes_from or asked.endowment:
        return None
    from intent.logs.streams import PIECE, open_source

    chosen = competitors(asked.strategies, asked.memory)
    source = open_source(
        path, where=asked.where, others=asked.others, keep_defaulted=asked.keep_defaulted, **reading
    )
    if source is None:
        return None
    from intent.estimate.sfem_result import Seen, notes_of
    from intent.estimate.shares import check_request
    from intent.estimate.stream import Job, design_by_piece, stream_population
    from intent.estimate.units import SEAT

    check_request(chosen, asked.tremble, asked.level)
    piece = size or PIECE
    job = Job(
        chosen, _estimates_named(asked.by), _estimates_named(asked.subject), _estimates_named(asked.cluster)
    )
    design = design_by_piece(source, job, piece, workers)
    if design is None:
        return None
    seen = stream_population(source, design.job, piece, workers, update)
    if seen is None:
        return None
    independent = design.unit(seen.columns, seen.population.kinds.n_clusters)
    kind = independent.unit.kind
    found, dropped = _estimated([s.name for s in chosen], seen, asked, kind, workers, update)
    left = tuple(s for s in chosen if s.name not in dropped)
    columns, n_groups = seen.columns, len(seen.grouping)

    def count() -> list[Counted | None]:
        from intent.estimate.label_counts import can_label, counted_by_piece

        if not can_label(left):
            return [None] * n_groups
        with again() as spread:
            return counted_by_piece(source, left, columns.by, seen.place, n_groups, piece, spread)

    def rows() -> Rows:
        from intent.base.workers import SERIAL

        plain = replace(asked, bootstrap=0, test=False)
        return estimates_at_once(path, plain, SERIAL, lambda done, total: None, **reading).known

    def tables() -> Iterator[pa.Table]:
        from intent.estimate.stream import posterior_tables

        population = seen.population
        if dropped:
            population = population.only([chosen.index(s) for s in left])[0]
        fits = [fit for _, fit in found.groups]
        with again() as spread:
            yield from posterior_tables(source, left, population, fits, columns.by, seen.place, piece, spread)

    result = ShareEstimates(
        by=seen.grouping.columns,
        values=seen.grouping.values,
        fits=tuple(fit for _, fit in found.groups),
        tests=found.tests,
        config=asked.config(
            _provenance(source, reading), chosen, columns.by, columns.subject, independent, dropped
        ),
        independent=independent.unit,
        rows=rows,
        count=count,
        tables=tables if columns.subject == SEAT else None,
        origin=path,
    )
    told = Seen(seen.skipped, seen.silent, seen.games, seen.several, independent.notes)
    result.notes.extend([*notes_of(result, told), *workers.notes])
    return result


def _estimates_named(columns: Any) -> str | tuple[str, ...]:
    return columns if isinstance(columns, str) else tuple(columns)


def _estimated(
    names: list[str],
    seen: Streamed,
    asked: Request,
    kind: str,
    workers: Workers,
    update: Callable[[int, int], None],
) -> tuple[SfemResult, list[str]]:
    """The estimate, and the strategies that selection dropped."""
    import numpy as np

    from intent.base.statistics.groups import stream_of_test
    from intent.estimate.shares import estimate_population, select_population

    settings: dict[str, Any] = {
        "tremble": asked.tremble,
        "bootstrap": asked.bootstrap,
        "level": asked.level,
        "test": asked.test and len(seen.grouping) > 1,
        "rng": np.random.default_rng(asked.seed),
        "shares_rng": stream_of_test(asked.seed, ",".join(seen.columns.by), kind),
        "workers": workers,
        "update": update,
    }
    if asked.select is None:
        return estimate_population(names, seen.population, **settings), []
    chosen = select_population(names, seen.population, criterion=asked.select, **settings)  # type: ignore[arg-type]
    return chosen.result, [step.dropped for step in chosen.steps if step.dropped]


def _provenance(source: Source, reading: dict[str, Any]) -> dict[str, Any]:
    """The provenance that `read_log` gives the log."""
    from intent.logs.readers import told_provenance
    from intent.logs.readers.reader import Settings
    from intent.logs.readers.reader import Source as File

    settings = Settings(strict=bool(reading.get("strict")))
    return dict(told_provenance(source.provenance, File(source.path), source.format, settings))
