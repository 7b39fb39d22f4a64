"""Label a log: which strategy each agent played, and how sure that is.

A log is read in pieces of whole games (`intent.logs.chunks`); one in memory is a single piece. What needs all
of the play (estimated noise, an estimated prior, label sets) makes a first pass over it. Then every piece is
labelled, by any number of workers, and the counts add up to those of the whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from operator import add
from pathlib import Path
from typing import Any, TypeVar, cast, get_args
from uuid import uuid4

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from intent.base import codebook
from intent.base.defaults import BACKGROUND
from intent.base.errors import LimitError, UnknownNameError, UsageError
from intent.base.files import bounds, path_of
from intent.base.job import Result, Table, job
from intent.base.tables import (
    LIST_SEPARATOR,
    column_names,
    empty_table,
    read_table,
    table_writer,
    write_table,
)
from intent.base.wording import counted
from intent.base.workers import open_workers
from intent.logs.chunks import (
    NOT_COUNTED,
    PIECE,
    LogInMemory,
    Piece,
    Play,
    Runs,
    Source,
    missing_rest,
    named,
    notes_of_runs,
)
from intent.logs.gamelog import UNDECIDED, Trajectories, as_options, is_scripted, subjects
from intent.logs.readers.reader import Settings, told_provenance
from intent.logs.readers.reader import Source as File
from intent.logs.reading import Reading, open_source
from intent.recognise.bayes import BayesRecogniser, adapter, against_random
from intent.recognise.coin import (
    CoinShares,
    Situations,
    coin_column,
    coin_sentence,
    coin_shares,
    mean_coin,
    situation_keys,
)
from intent.recognise.labels.conformal import check_level, class_quantiles, label_sets, set_summary
from intent.recognise.labels.request import LabelRequest
from intent.recognise.recogniser import Recogniser, as_recogniser, plain_parameters
from intent.recognise.rules import HybridCounts, RuleMode, hybrid_columns, hybrid_counts
from intent.recognise.verdict import (
    PER_KEY,
    CodedTable,
    KnownPlays,
    LabelSettings,
    judge,
    label_table,
    subject_keys,
    with_gap,
)
from intent.strategies.catalogue import Strategy
from intent.strategies.sets import facts_of, strategy_set
from intent.version import __version__

__all__ = ["Labels", "label", "label_log", "label_to", "recognisers_of_parts"]


_ROWS = {"game": ("trajectory", "trajectories"), "player": ("player",)}
"""What a row is of, one and several."""


@dataclass(frozen=True, eq=False)
class Labels(Result):
    """Labels of a log, and how they came about.

    Attributes
    ----------
    request : LabelRequest
    frame : DataFrame as `codebook.LABELS`, or None where the rows are in a file, or not wanted
    path : Path of the file that the rows were written to as they were made, or None
    summary : what ``intent label --json`` prints, `JSON_OBJECTS["label"]`, and `JSON_EXTRAS` where asked for
    provenance : path and hash of the log, recogniser, settings, version
    rejects : DataFrame as `codebook.REJECTS`, rows of the log that could not be read
    changed : number of labels or statuses that differ with eps integrated out; None where it already is,
        or where a strategy randomises
    notes : what a reader should know of the table, one line each
    hybrid : HybridCounts, where labels of the rules were added
    """

    request: LabelRequest
    frame: pd.DataFrame | None
    path: Path | None
    summary: dict[str, Any]
    provenance: dict[str, Any]
    rejects: pd.DataFrame
    changed: int | None
    notes: tuple[str, ...] = ()
    hybrid: HybridCounts | None = None

    kind = "labels"
    noun = "a table of labels"

    def fields(self) -> Mapping[str, Any]:
        """What ``intent label --json`` prints."""
        return self.summary

    def facts(self) -> dict[str, Any]:
        """Provenance and summary."""
        return {**self.provenance, "summary": self.summary}

    def table(self) -> pd.DataFrame:
        """One row per trajectory, or per player.

        Raises
        ------
        UsageError
            Only the counts were wanted.
        """
        if self.frame is not None:
            return self.frame
        if self.path is None:
            raise UsageError("the rows were not kept, expected rows=True or an output file")
        return read_table(self.path)[0]

    def write_rejects(self, path: Path | None, *, overwrite: bool = False) -> Path | None:
        """List the rejected rows; None where there are none or no path."""
        if path is None or not len(self.rejects):
            return None
        return write_table(self.rejects, path, {"kind": "rejects"}, overwrite=overwrite)

    def parts(self) -> Iterator[Table | str]:
        """Counts by status and by fit, mean posteriors, and what was estimated."""
        summary, request = self.summary, self.request

        def share(count: int) -> str:
            return f"{count / summary['n']:.1%}" if summary["n"] else "–"

        of_games = f"{counted(summary['n'], *_ROWS[request.per])} of {counted(summary['n_games'], 'game')}"
        if "n_scripted" in summary:
            of_games += f" ({summary['n_rows']:,} rows, {summary['n_scripted']:,} of them of strategies)"
        by = f"{request.recogniser}"
        if request.strategies is not None:
            by = f"the exact Bayes rule of {', '.join(s.name for s in strategy_set(request.strategies))}"
        yield f"{of_games} in {request.log}, by {by}\n"
        coins = coin_column(summary.get("coin"))
        statuses = [
            (name, f"{n:,}", share(n), *((coins[name],) if coins else ()))
            for name, n in reversed(summary["statuses"].items())
        ]
        yield Table(("status", "n", "share", *(("fair coins",) if coins else ())), statuses)
        if coins:
            yield coin_sentence(summary["coin"])
        yield ""
        names = {"none": "no strategy", "one": "one strategy", "several": "several strategies"}
        fits = [(names[k], f"{n:,}", share(n)) for k, n in summary["consistent"].items()]
        yield Table(("fits exactly", "n", "share"), fits)
        yield ""
        posteriors = [(k, "–" if p is None else f"{p:.1%}") for k, p in summary["mean_posterior"].items()]
        yield Table(("strategy", "mean posterior"), posteriors)
        tied = summary["tied"]
        yield f"\n{tied:,} ({share(tied)}) have a best strategy that ties with another"
        if self.changed is not None:
            what = "labels or statuses change with the noise integrated (--eps integrate)"
            yield f"{self.changed:,} ({share(self.changed)}) {what}"
        if "conformal" in summary:
            sets = summary["conformal"]
            mean = "–" if sets["mean_size"] is None else f"{sets['mean_size']:.2f}"
            yield ""
            yield Table(
                ("size of set", "n", "share"),
                [(size, f"{n:,}", share(n)) for size, n in sets["sizes"].items()],
                f"label sets that hold the true strategy in {sets['level']:g} of cases, mean size {mean}",
            )
        yield from self._estimated()
        if self.hybrid is not None:
            yield from self.hybrid.parts(request.threshold, request.rules)

    def _estimated(self) -> Iterator[str]:
        """The noise and the prior that were estimated from the log itself."""
        if self.request.eps == "estimate":
            eps = self.provenance["eps"]
            by_group = eps.items() if isinstance(eps, dict) else [("", eps)]
            yield "eps estimated: " + ", ".join(f"{group} {value:.3f}".lstrip() for group, value in by_group)
        if self.request.prior == "sfem":
            for group, shares in self.provenance["prior"].items():
                words = ", ".join(f"{name} {share:.1%}" for name, share in shares.items())
                yield f"prior estimated{group and f', {group}'}: {words}"

    def remarks(self) -> Iterator[str]:
        """Games and rows without labels, and that nothing was saved."""
        for reason, games in self.summary["skipped"].items():
            hint = " (--cooperate ACTION names one)" if reason == UNDECIDED and not self.summary["n"] else ""
            yield f"{counted(games, 'game')} got no labels: {reason}{hint}"
        missing, rows = missing_rest(self.rejects)
        yield from missing
        if len(rows):
            yield f"{counted(len(rows), 'row')} could not be read{_first_of(rows)}"
        if self.request.output is None and not self.request.json:
            yield "nothing saved; -o FILE keeps the labels"


def _first_of(rejects: pd.DataFrame) -> str:
    """Where the first row is that could not be read, and why."""
    first = rejects.iloc[0]
    line = "" if pd.isna(first["line"]) else f", line {int(first['line'])}"
    where = f"{Path(str(first['file'])).name}{line}"
    return f"; the first, {where}: {first['reason']} (intent validate lists all)"


@job(LabelRequest)
def label(request: LabelRequest) -> pd.DataFrame:
    """Strategy labels of every focal trajectory of a log, one row each.

    Returns
    -------
    DataFrame
        As `codebook.LABELS`. ``attrs["summary"]`` is what ``intent label --json`` prints,
        ``attrs["provenance"]`` what a label file stores on its origin, ``attrs["notes"]`` what a reader
        should know.

    Raises
    ------
    UsageError, DataError, RecogniserError
        As `label_log`.
    """
    labels: Labels = request.run()
    table = labels.table()
    table.attrs = {
        "summary": labels.summary,
        "provenance": labels.provenance,
        "notes": list(labels.notes),
    }
    return table


@job(LabelRequest)
def label_log(request: LabelRequest) -> Labels:
    """Strategy labels of every focal trajectory of a log, or of every player.

    RANDOM competes as one class more, with the prior weight of one strategy. Per player, each game starts
    anew, and the player keeps to one strategy. Label sets hold on play of these lengths and opponents.

    Raises
    ------
    UsageError
        Games of more than two players and no `others`; settings of a Bayes recogniser for another one; a
        coverage or noise out of range; players wanted of a log that does not name them.
    UnknownNameError
        A recogniser or column that does not exist, or rows per something else.
    RecogniserError
        A prior or eps that is none.
    """
    return _labels(request)


def label_to(
    log: str | Path,
    output: str | Path | None,
    recogniser: Recogniser | str | Path = LabelRequest.recogniser,
    *,
    piece: int = PIECE,
    **settings: Any,
) -> Labels:
    """Label a log that may be larger than memory, and write the labels to one Parquet file.

    Row by row the labels are those of `label_log`, in the same order, for any number of workers and any size
    of pieces. A log that cannot be read in pieces is labelled in memory.

    Parameters
    ----------
    log : path of a log: the compact form, or a Parquet folder of ours, is read piece by piece
    output : .parquet file, or None for the counts alone
    recogniser : fitted recogniser, name of a shipped one, or folder of a saved one
    piece : int
        Rows (in a Parquet folder: games) that are read at a time; at least a row group of the log.
    **settings
        As `LabelRequest`, among them update, workers and dask (as `open_workers`), and overwrite.

    Returns
    -------
    Labels
        `path` is the file.

    Raises
    ------
    OutputError
        A path that cannot be written; nothing is left there when the work is interrupted.
    UsageError, DataError, RecogniserError, LimitError
        As `label_log`.
    """
    target = None if output is None else path_of(output)
    request = LabelRequest(log=log, output=target, recogniser=recogniser, rows=False, **settings)
    request.claim_outputs()
    labels = _labels(request, piece)
    if target is not None and labels.path is None:
        return replace(labels, frame=None, path=labels.write(target, overwrite=request.overwrite))
    return labels


IN_ONE_PROCESS = "this log, or an option, needs all play at once: labelled in one process"


def _labels(request: LabelRequest, piece: int = PIECE) -> Labels:
    """Labels of a log, its pieces of about `piece` rows."""
    if not isinstance(request.recogniser, str | Path):
        request = request.replace(recogniser=as_recogniser(request.recogniser))
    _check(request)
    if request.strategies is not None:  # resolved here, since whoever shares the work may not have the file
        request = request.replace(strategies=strategy_set(request.strategies))
    source = _source(request)
    in_memory = isinstance(source, LogInMemory)
    rejects = source.log.rejects if isinstance(source, LogInMemory) else empty_table(codebook.REJECTS)
    players = _players(source.X) if isinstance(source, LogInMemory) and request.per == "player" else None
    parts = _first_pass(source, request)
    if any(part.recogniser.reads_keys for part in parts):
        request = request.replace(coin=False)  # a coin has no covariates
    judging = Judging.of(request, source, parts, players)
    target = None if in_memory else request.output
    tally, of_strategies, done, frame = Tally(), Tally(), 0, None
    spreading = nullcontext() if in_memory else open_workers(request.workers, request.dask)
    try:
        with table_writer(target, request.overwrite) as (write, close), spreading as spread:
            pieces, judge = list(source.pieces(piece)), partial(label_piece, judging)
            results = map(judge, pieces) if spread is None else spread.map(judge, pieces)
            for one, (table, counts, others) in zip(pieces, results, strict=True):
                if isinstance(table, pd.DataFrame):
                    frame = table
                elif table is not None and len(table):
                    write(table)
                tally, of_strategies = tally + counts, of_strategies + others
                done += one.n
                request.update(done, source.n)
            if not in_memory and not tally.read.n:
                raise _no_game_left(request, source)
            n_scripted = of_strategies.n
            if not tally.n:  # nobody but strategies plays
                tally, n_scripted = tally + of_strategies, 0
            if not in_memory and not tally.n:
                raise _NothingLabelledError
            summary = tally.summary(request, parts, len(rejects), n_scripted)
            changed = tally.changed if judging.compare else None
            provenance = _provenance(source, request, parts, changed)
            close({**provenance, "summary": summary})
    except _NothingLabelledError:
        return _labels(request.replace(rows=True))
    finally:
        forget()
    labels = Labels(
        request,
        frame,
        target,
        summary,
        provenance,
        rejects,
        changed,
        _notes(request, source, players, n_scripted),
    )
    return _with_rules(labels) if request.hybrid else labels


def forget() -> None:
    """Let go of the plays judged in this process."""
    _parts.cache_clear()
    _plays.cache_clear()


def _no_game_left(request: LabelRequest, source: Source) -> UsageError:
    where = as_options(request.where or {})
    return UsageError(f"no game left of {source.n:,} rows{f' (--where {where})' if where else ''}")


class _NothingLabelledError(Exception):
    """No piece had a trajectory to label, so that no file can be begun."""


def _check(request: LabelRequest) -> None:
    """Refuse rows per something that they cannot be of, a coverage that is none, and two ways to label."""
    if request.strategies is not None and request.changed(("recogniser",)):
        raise UsageError("strategies label by the set itself; leave out recogniser")
    if request.per not in ("game", "player"):
        raise UnknownNameError("row", request.per, ("game", "player"))
    if request.hybrid and request.rules not in get_args(RuleMode):
        raise UnknownNameError("mode of rules", request.rules, get_args(RuleMode))
    if request.conformal is not None:
        if request.per == "player":
            raise UsageError("--conformal makes label sets of single games, but --per player pools them")
        check_level(request.conformal)


def _source(request: LabelRequest) -> Source:
    """The log in pieces; at once where the table is wanted in memory, or all games of a player."""
    output = request.output
    at_once = (
        request.rows or request.hybrid or request.per == "player" or not isinstance(request.log, str | Path)
    )
    if not at_once and (output is None or output.suffix == ".parquet"):
        reading = request.values(Reading) | request.values(("others", "keep_defaulted"))
        source = open_source(path_of(cast("str | Path", request.log)), **reading)
        if source is not None:
            return source
    return LogInMemory.read_from(
        request.log, **request.values(("where", "others", "keep_defaulted")), **request.file_reading()
    )


def _players(X: Trajectories) -> NDArray[np.intp]:
    """(n,) number of the player of each trajectory, in the order of their first games."""
    players = None if X.keys is None or "player" not in X.keys else X.keys["player"]
    if players is None or players.isna().all():
        raise UsageError(
            "--per player needs the names of players, but the log has none (label each game, or name their "
            "column with --map player=COLUMN)"
        )
    if players.isna().any():
        n = int(players.isna().sum())
        raise UsageError(
            f"--per player: {n:,} of {len(players):,} seats have no player, expected a name for each"
        )
    return np.asarray(pd.factorize(players)[0], dtype=np.intp)


@dataclass(frozen=True, eq=False)
class LabelPart:
    """What a part of a log is labelled by.

    Attributes
    ----------
    name : of the group
    values : its values of the columns that divide the log
    recogniser : fitted, told the options
    quantiles : (K,) of label sets, where those are wanted
    """

    name: str
    values: tuple[Any, ...]
    recogniser: Recogniser
    quantiles: NDArray[np.float64] | None = None


def _first_pass(source: Source | None, request: LabelRequest) -> tuple[LabelPart, ...]:
    """The parts of the log; all play is looked at where something is estimated from it."""
    X = Trajectories(np.empty((0, 1), dtype=np.int8), np.empty((0, 1), dtype=np.int8))
    if isinstance(source, LogInMemory):
        X = source.X
    elif source is not None and _looks_at_all(request):
        X = _all_play(source, request)
    chosen = request.recogniser
    if request.strategies is not None:
        chosen = BayesRecogniser(request.strategies).fit()
    model = as_recogniser(chosen)
    options = request.values(n for n in ("eps", "eps_prior", "prior") if getattr(request, n) is not None)
    scripted = None if request.keep_scripted or X.keys is None else is_scripted(X.keys)
    divided = recognisers_of_parts(
        model, X, options, request.eps_by, background=request.background, scripted=scripted
    )
    values = [()] if X.keys is None or not request.eps_by else [v for v, _ in _groups(X.keys, request.eps_by)]
    parts = []
    for (name, rows, recogniser), own in zip(divided, values, strict=True):
        quantiles = None
        if request.conformal is not None:
            rng = np.random.default_rng(request.seed).spawn(1)[0]
            counted = _rows_of_subjects(rows, scripted)
            quantiles = class_quantiles(
                recogniser, X[counted], request.conformal, rng, eps=request.conformal_eps
            )
        parts.append(LabelPart(name, own, recogniser, quantiles))
    return tuple(parts)


def _rows_of_subjects(rows: NDArray[np.intp], scripted: NDArray[np.bool_] | None) -> NDArray[np.intp]:
    """Those of the rows that no strategy plays, or all where there are none."""
    others = rows if scripted is None else rows[~scripted[rows]]
    return others if len(others) else rows


def _looks_at_all(request: LabelRequest) -> bool:
    """Whether something is estimated from all play."""
    return request.eps == "estimate" or request.prior == "sfem" or request.conformal is not None


def _all_play(source: Source, request: LabelRequest) -> Trajectories:
    """The play of all pieces, with what describes it.

    Raises
    ------
    LimitError
        More moves than memory should hold.
    """
    if source.n * source.rounds > bounds().moves:
        raise LimitError(
            f"{source.path}: {source.n:,} rows of {source.rounds:,} rounds are more than {bounds().moves:,} "
            "moves, too many to estimate from at once"
        )
    plays = [piece.read() for piece in source.pieces(PIECE)]
    if not sum((play.games for play in plays), Runs()).n:
        raise _no_game_left(request, source)
    X = Trajectories.concatenated([play.X for play in plays])
    keys = pa.concat_tables([play.keys for play in plays], promote_options="permissive")
    X.keys = keys.unify_dictionaries().to_pandas(ignore_metadata=True)
    return X


def recognisers_of_parts(
    model: Recogniser,
    X: Trajectories,
    options: Mapping[str, Any],
    eps_by: Sequence[str] = (),
    *,
    background: bool = BACKGROUND,
    scripted: NDArray[np.bool_] | None = None,
) -> list[tuple[str, NDArray[np.intp], Recogniser]]:
    """Group name, rows and recogniser of each part of the log that has a recogniser of its own.

    A Bayes recogniser takes all options; another one that can be told the noise (method ``with_eps``) takes
    ``eps``, where "integrate" means not to tell it and "estimate" the maximum-likelihood value under its
    own strategies, equally frequent.

    Parameters
    ----------
    model : fitted Recogniser
    X : Trajectories
    options : those of eps, eps_prior and prior that are set
    eps_by : columns
        With eps "estimate": one value for each of their groups.
    background : bool
        Whether RANDOM competes, as `intent.recognise.bayes.against_random` lets it.
    scripted : (n,) bool, optional
        Trajectories that nothing is estimated from, unless a part has no others.

    Raises
    ------
    UsageError
        An option that the recogniser does not have, or nothing to estimate from.
    UnknownNameError
        No such column.
    """
    if eps_by and options.get("eps") != "estimate":
        raise UsageError("--eps-by needs --eps estimate, which it does for each group apart")
    if not options:
        return [("", np.arange(len(X)), against_random(model, background))]
    if options.get("eps") == "estimate" and not len(X):
        raise UsageError("--eps estimate: no trajectory to estimate from")
    adapted = adapter(model, options, background)

    def part(name: str, rows: NDArray[np.intp]) -> tuple[str, NDArray[np.intp], Recogniser]:
        counted = _rows_of_subjects(rows, scripted)
        return name, rows, adapted(X if len(counted) == len(X) else X[counted])

    if not eps_by:
        return [part("", np.arange(len(X)))]
    assert X.keys is not None
    groups = _groups(X.keys, eps_by)
    return [
        part(", ".join("(none)" if v is None else str(v) for v in values), rows) for values, rows in groups
    ]


def _groups(keys: pd.DataFrame, by: Sequence[str]) -> list[tuple[tuple[Any, ...], NDArray[np.intp]]]:
    """Values (None: null) and rows of each combination of values that occurs."""
    columns = list(column_names(by, keys.columns))
    for column in columns:
        if column not in keys.columns:
            raise UnknownNameError("column", column, keys.columns)
    codes = keys.groupby(columns, dropna=False, sort=False, observed=True).ngroup().to_numpy()
    groups = []
    for code in dict.fromkeys(codes.tolist()):
        rows = np.flatnonzero(codes == code)
        values = keys[columns].iloc[rows[0]].tolist()
        groups.append((tuple(None if pd.isna(v) else v for v in values), rows))
    return groups


K = TypeVar("K")
V = TypeVar("V")

_CHANGED = "changed by integrating"
_SITUATION = "situation of a coin"
_MOST_WORK = 50_000_000


@dataclass(frozen=True)
class Judging:
    """How the pieces of a log are labelled; it travels to whoever does.

    Attributes
    ----------
    token : str
        Tells this job from every other; plays judged once serve the whole job.
    request : LabelRequest, without the log
    parts : of the first pass; None where a process loads the recogniser by itself
    complete : bool
        Whether every move of the log is known.
    compare : bool
        Whether labels that integrating the noise would change are counted.
    rows : {"frame", "arrow", ""}
        What the rows are wanted as; empty: the counts alone.
    players : (n,) int, whose games the trajectories are, where all of a player make one label
    """

    token: str
    request: LabelRequest = field(compare=False)
    parts: tuple[LabelPart, ...] | None = field(compare=False)
    complete: bool
    compare: bool
    rows: str
    players: NDArray[np.intp] | None = field(compare=False, default=None)

    @classmethod
    def of(
        cls,
        request: LabelRequest,
        source: Source,
        parts: tuple[LabelPart, ...],
        players: NDArray[np.intp] | None,
    ) -> Judging:
        """Labels with the noise integrated are compared where that takes no longer than the labels: n T^2,
        and fifty times that with unknown moves."""
        work = source.n * source.rounds**2 * (1 if source.complete else 50)
        in_memory = isinstance(source, LogInMemory)
        return cls(
            uuid4().hex,
            request.replace(log="", update=None),
            parts if in_memory or _looks_at_all(request) else None,
            source.complete,
            0 < work <= _MOST_WORK and _integrated(parts[0].recogniser) is not None,
            "frame" if in_memory else "" if request.output is None else "arrow",
            players,
        )

    @property
    def settings(self) -> LabelSettings:
        """When a label is given."""
        return LabelSettings(threshold=self.request.threshold, alpha=self.request.alpha)

    def table(
        self, X: Trajectories, part: LabelPart, subjects: NDArray[np.intp] | None = None
    ) -> pd.DataFrame:
        """`label_table` of trajectories of a part, and a column with what integrating the noise changes."""
        rng = np.random.default_rng(self.request.seed)
        sets = None
        if part.quantiles is not None:
            sets = label_sets(part.recogniser.predict_proba(X), part.quantiles)
        table = label_table(X, part.recogniser, self.settings, rng, sets=sets, subjects=subjects)
        fresh = _integrated(_parts(self)[0].recogniser) if self.compare else None
        if fresh is not None:
            verdict = judge(X, fresh, self.settings, np.random.default_rng(0), subjects)
            again = np.where(verdict.status == "confident", fresh.classes_[verdict.best], verdict.status)
            table[_CHANGED] = table["label"].fillna(table["status"]).to_numpy(dtype=object) != again
        return table

    def distinct(self, part: LabelPart, X: Trajectories) -> pd.DataFrame:
        """What labels of distinct plays are made of, and what a coin would meet in up to sixteen rounds."""
        table = self.table(X if self.complete else with_gap(X), part)
        table = table.iloc[: len(X)].drop(columns=["game_id", "seat"])
        if self.request.coin and X.shape[1] <= PER_KEY:
            table[_SITUATION] = situation_keys(X).view(np.int64)
        return table

    def each(self, part: LabelPart, play: Play) -> tuple[CodedTable, NDArray[np.intp]]:
        """What labels of all rows are made of, each judged with what describes it, and the rows in order."""
        X = play.X[:]
        X.keys = play.description().reset_index(drop=True)
        coded = CodedTable(len(X))
        coded.append(self.table(X, part).iloc[:, X.keys.shape[1] :])
        return coded, np.arange(len(X))


def _integrated(model: Recogniser) -> Recogniser | None:
    """The recogniser with its noise integrated; None where it is none of Bayes, does so already, or where a
    strategy randomises."""
    if not isinstance(model, BayesRecogniser) or model.eps_ == "integrate":
        return None
    if not all(s.is_deterministic or s.is_background for s in model.strategies_):
        return None
    return BayesRecogniser(
        model.strategies_, eps="integrate", eps_prior=model.eps_prior, prior=model.prior_
    ).fit()


@lru_cache(maxsize=1)
def _parts(judging: Judging) -> tuple[LabelPart, ...]:
    return _first_pass(None, judging.request) if judging.parts is None else judging.parts


@lru_cache(maxsize=1)
def _plays(judging: Judging) -> list[KnownPlays]:
    return [KnownPlays(partial(judging.distinct, part)) for part in _parts(judging)]


def label_piece(judging: Judging, piece: Piece) -> tuple[pd.DataFrame | pa.Table | None, Tally, Tally]:
    """Labels of a piece as `codebook.LABELS` (None where not wanted), and counts of those of subjects and of
    seats that a strategy plays."""
    play, parts = piece.read(), _parts(judging)
    if judging.players is not None:
        return _label_players(judging, play, judging.players)
    request = judging.request
    rows_of: list[Any] = [slice(None)]
    if request.eps_by:
        groups = dict(_groups(play.description(), request.eps_by)) if len(play.X) else {}
        rows_of = [groups.get(part.values, np.empty(0, dtype=np.intp)) for part in parts]
    scripted = np.zeros(len(play.X), dtype=bool) if request.keep_scripted else play.scripted()
    tallies, tables = [Tally(read=play.games, skipped=play.skipped), Tally()], list[Any]()
    for side, chosen in _apart(scripted):
        counted = play if chosen is None else play.rows(chosen)
        tallies[side] = replace(tallies[side], games=counted.labelled_games())
    for k, (rows, plays) in enumerate(zip(rows_of, _plays(judging), strict=True)):
        if len(parts) > 1 and not len(rows) and (k or len(play.X)):
            continue  # nobody of the group is in this piece
        part = play if len(parts) == 1 else play.rows(rows)
        if parts[k].recogniser.reads_keys:
            table, codes = judging.each(parts[k], part)
        else:
            table, codes = plays.look_up(part.X)
        for side, chosen in _apart(scripted[rows]):
            counted, own = (part, codes) if chosen is None else (part.rows(chosen), codes[chosen])
            counts = Tally.of(table, own)
            if request.coin and len(own):
                counts = replace(counts, situations={k: (len(own), _situations(table, own, counted))})
            tallies[side] += counts
        if judging.rows:
            tables.append(table.frame(codes) if judging.rows == "frame" else table.take(codes))
    of_subjects, of_strategies = tallies
    if not judging.rows:
        return None, of_subjects, of_strategies
    order = None if len(parts) == 1 else np.argsort(np.concatenate(rows_of), kind="stable")
    return _with_keys(play, tables, order), of_subjects, of_strategies


def _apart(scripted: NDArray[np.bool_]) -> list[tuple[int, NDArray[np.intp] | None]]:
    """Rows of subjects (0) and of strategies (1); None where all rows are of one kind."""
    n = int(np.count_nonzero(scripted))
    if n in (0, len(scripted)):
        return [(int(n > 0), None)]
    return [(0, np.flatnonzero(~scripted)), (1, np.flatnonzero(scripted))]


def _with_keys(play: Play, tables: list[Any], order: NDArray[np.intp] | None) -> pd.DataFrame | pa.Table:
    """What was computed of the parts of a piece, in the order of its rows, after what describes them.

    A column of the log that has the name of a computed one is kept as ``<name>_in_log``.
    """
    if play.frame is not None:
        computed = tables[0] if order is None else pd.concat(tables, ignore_index=True).iloc[order]
        computed = computed.drop(columns=[_CHANGED, _SITUATION], errors="ignore")
        computed = computed.reset_index(drop=True)
        keys = play.frame.rename(columns={c: f"{c}_in_log" for c in play.frame if c in computed})
        return pd.concat([keys, computed], axis=1)
    arrow = [named(table.items()) for table in tables]
    whole = arrow[0] if order is None else pa.concat_tables(arrow).unify_dictionaries().take(pa.array(order))
    columns = {n: whole.column(n) for n in whole.column_names if n not in (_CHANGED, _SITUATION)}
    described = [(f"{c}_in_log" if c in columns else c, play.keys.column(c)) for c in play.keys.column_names]
    return named([*described, *columns.items()]).combine_chunks()


def _label_players(
    judging: Judging, play: Play, players: NDArray[np.intp]
) -> tuple[pd.DataFrame, Tally, Tally]:
    """Labels of players, each of all its games."""
    assert play.frame is not None
    request, parts = judging.request, _parts(judging)
    frame = _with_strategies(play.frame, players)
    rows_of = [np.arange(len(play.X))]
    if request.eps_by:
        groups = dict(_groups(play.frame, request.eps_by))
        rows_of = [groups[part.values] for part in parts]
    scripted = np.zeros(players.max(initial=-1) + 1, dtype=bool)  # of players, in all of their games
    if not request.keep_scripted:
        scripted[:] = True
        np.logical_and.at(scripted, players, play.scripted())
    if scripted.all():
        scripted[:] = False
    tables, owners, coins = [], [], []
    for rows, part in zip(rows_of, parts, strict=True):
        own, whose = np.unique(players[rows], return_inverse=True)
        X = play.X[rows]
        X.keys = frame.iloc[rows].reset_index(drop=True)
        owners.append(own)
        counted = ~scripted[own]
        if request.coin and counted.any():
            some = np.flatnonzero(counted[whose])
            numbers = np.unique(whose[some], return_inverse=True)[1]
            coin = coin_shares(
                X[some], part.recogniser, judging.settings, subjects=numbers, seed=request.seed
            )
            coins += [] if coin is None else [(float(counted.sum()), coin)]
        tables.append(judging.table(X, part, whose))
    order = np.argsort(np.concatenate(owners), kind="stable")
    if len(order) > len(scripted):
        columns = ", ".join(request.eps_by)
        raise UsageError(f"--eps-by {columns} divides the games of a player, expected it not to")
    varying = subject_keys(frame, players)[1]
    tables = [table[[c for c in table.columns if c not in varying]] for table in tables]
    table = pd.concat(tables, ignore_index=True).iloc[order].reset_index(drop=True)
    coded = CodedTable(len(table))
    described = [c for c in frame.columns if c not in varying]
    coded.append(table.iloc[:, len(described) :])
    of_subjects, of_strategies = (Tally.of(coded, np.flatnonzero(scripted == side)) for side in (False, True))
    of_subjects = replace(
        of_subjects,
        read=play.games,
        games=play.rows(np.flatnonzero(~scripted[players])).labelled_games(),
        skipped=play.skipped,
        coins=tuple(coins),
    )
    return table.drop(columns=_CHANGED, errors="ignore"), of_subjects, of_strategies


def _with_strategies(keys: pd.DataFrame, players: NDArray[np.intp]) -> pd.DataFrame:
    """Keys in which whoever is several strategies, and nothing else, bears the names of all, joined by ``|``.

    Whoever is a strategy in some games alone bears none: a player is a strategy who is one in all games.
    """
    if "strategy" not in keys:
        return keys
    names = keys["strategy"].astype(object)
    pairs = np.unique(np.stack([players, pd.factorize(names)[0]]), axis=1)[0]
    several = np.bincount(pairs, minlength=len(players))[players] > 1
    if not several.any():
        return keys
    whole = np.ones(len(players), dtype=bool)
    np.logical_and.at(whole, players, is_scripted(keys))
    values, of_strategies = names.where(~several, None), several & whole[players]
    own = names[of_strategies].groupby(players[of_strategies])
    values[of_strategies] = own.transform(lambda played: LIST_SEPARATOR.join(sorted(set(played))))
    return keys.assign(strategy=values)


_BITS = 52
"""Posteriors are summed as whole multiples of 2^-52: the sum is then the same in any order."""


def _whole_sum(values: NDArray[np.float64], times: NDArray[np.intp]) -> int:
    """Sum of probabilities, each so many times, in units of 2^-52; halves of them keep within 64 bits."""
    units, half = np.rint(values * 2.0**_BITS).astype(np.int64), _BITS // 2
    high, low = units >> half, units & ((1 << half) - 1)
    return (int((high * times).sum()) << half) + int((low * times).sum())


@dataclass(frozen=True)
class Tally:
    """What `json_objects.JSON_OBJECTS["label"]` is made of; adds up over pieces.

    Attributes
    ----------
    n : int, labels
    read : Runs, games that meet the conditions
    games : Runs, games with labels
    statuses, consistent, posteriors, sets : Counter
    tied, changed : int
    skipped : reason -> Runs
    situations : part -> Situations, what the players met
    coins : weight and shares of coins, where these are of players
    """

    n: int = 0
    read: Runs = field(default_factory=Runs)
    games: Runs = field(default_factory=Runs)
    statuses: Counter[str] = field(default_factory=Counter)
    consistent: Counter[str] = field(default_factory=Counter)
    posteriors: Counter[str] = field(default_factory=Counter)
    sets: Counter[int] = field(default_factory=Counter)
    tied: int = 0
    changed: int = 0
    skipped: Mapping[str, Runs] = field(default_factory=dict)
    situations: Mapping[int, tuple[int, Situations]] = field(default_factory=dict)
    coins: tuple[tuple[float, CoinShares], ...] = ()

    @classmethod
    def of(cls, table: CodedTable, rows: NDArray[np.intp]) -> Tally:
        """Counts of the labels at `rows` of a table of distinct plays."""
        used = np.bincount(rows, minlength=table.size)
        there = np.flatnonzero(used)
        times = used[there]
        if not len(there):
            return cls()

        def counts(column: str) -> dict[Any, int]:
            codes = np.bincount(
                table.columns[column][there], weights=times, minlength=len(table.words[column])
            )
            return {word: int(n) for word, n in zip(table.words[column], codes, strict=True) if n}

        consistent: Counter[str] = Counter()
        for names, n in counts("consistent").items():
            consistent[("none", "one", "several")[min(len(names), 2)]] += n
        sets: Counter[int] = Counter()
        for names, n in counts("label_set").items() if "label_set" in table.columns else ():
            sets[len(names)] += n
        sums = {
            name: _whole_sum(values[there], times)
            for name, values in table.columns.items()
            if name.startswith(codebook.PROBABILITY_PREFIX)
        }
        return cls(
            n=len(rows),
            statuses=Counter(counts("status")),
            consistent=consistent,
            posteriors=Counter(sums),
            sets=sets,
            tied=int(times[table.columns["tied"][there]].sum()),
            changed=int(times[table.columns[_CHANGED][there]].sum()) if _CHANGED in table.columns else 0,
        )

    def __add__(self, after: Tally) -> Tally:
        return Tally(
            self.n + after.n,
            self.read + after.read,
            self.games + after.games,
            self.statuses + after.statuses,
            self.consistent + after.consistent,
            self.posteriors + after.posteriors,
            self.sets + after.sets,
            self.tied + after.tied,
            self.changed + after.changed,
            _united(self.skipped, after.skipped, add),
            _united(self.situations, after.situations, lambda a, b: (a[0] + b[0], a[1] + b[1])),
            (*self.coins, *after.coins),
        )

    def summary(
        self, request: LabelRequest, parts: Sequence[LabelPart], rejects: int, n_scripted: int
    ) -> dict[str, Any]:
        """What ``intent label --json`` prints."""
        classes = [str(c) for c in parts[0].recogniser.classes_]
        sums = {c: self.posteriors[codebook.PROBABILITY_PREFIX + c] / 2**_BITS for c in classes}
        summary: dict[str, Any] = {
            "n": self.n,
            "n_rows": self.n + n_scripted,
            "n_games": self.games.n,
            "statuses": {s: self.statuses[s] for s in codebook.STATUSES},
            "consistent": {k: self.consistent[k] for k in ("none", "one", "several")},
            "tied": self.tied,
            "mean_posterior": {c: total / self.n if self.n else None for c, total in sums.items()},
            "skipped": {reason: games.n for reason, games in self.skipped.items()},
            "rejects": rejects,
        }
        if request.coin:
            settings = LabelSettings(threshold=request.threshold, alpha=request.alpha)
            coins = list(self.coins)
            for k, (n, situations) in sorted(self.situations.items()):
                coin = coin_shares(situations, parts[k].recogniser, settings, seed=request.seed)
                coins += [] if coin is None else [(float(n), coin)]
            mean = mean_coin(coins)
            summary["coin"] = None if mean is None else mean.to_dict()
        if n_scripted:
            summary["n_scripted"] = n_scripted
        if request.conformal is not None:
            summary["conformal"] = set_summary(self.sets, request.conformal)
        return summary


def _united(a: Mapping[K, V], b: Mapping[K, V], plus: Callable[[V, V], V]) -> dict[K, V]:
    """The entries of both, added where both have one."""
    return {**a, **{key: plus(a[key], value) if key in a else value for key, value in b.items()}}


def _situations(table: CodedTable, rows: NDArray[np.intp], play: Play) -> Situations:
    """What the players of a piece met."""
    if _SITUATION in table.columns:
        used = np.bincount(rows, minlength=table.size)
        there = np.flatnonzero(used)
        keys = table.columns[_SITUATION][there].view(np.uint64)
        return Situations.of_keys(keys, used[there].astype(np.int64), play.X.shape[1])
    X = Trajectories(play.X.own, play.X.other, evidence=play.X.evidence_mask)
    X.keys = play.keys.select(["game_id", "seat"]).to_pandas(ignore_metadata=True)
    return Situations.of(X)


def _provenance(
    source: Source, request: LabelRequest, parts: Sequence[LabelPart], changed: int | None
) -> dict[str, Any]:
    """What a label file stores on its origin."""
    if isinstance(source, LogInMemory):
        log = dict(source.log.provenance)
    else:
        log = told_provenance(
            source.provenance, File(source.path), source.format, Settings(strict=request.strict)
        )
    chosen, config, used = request.recogniser, request.config(), parts[0].recogniser
    for name in ("background", "per"):  # last, as in every file of labels so far
        config[name] = config.pop(name)
    eps: Any = getattr(used, "eps_", None)
    if request.eps_by:
        eps = {part.name: getattr(part.recogniser, "eps_", None) for part in parts}
    prior = None
    if request.prior == "sfem":
        models: list[tuple[str, Any]] = [(part.name, part.recogniser) for part in parts]
        prior = {
            name: dict(zip(map(str, model.classes_), model.prior_.tolist(), strict=True))
            for name, model in models
        }
    by = "bayes" if request.strategies is not None else chosen.kind if isinstance(chosen, Recogniser) else ""
    known: tuple[Strategy, ...] = getattr(used, "strategies_", ())
    return {
        "kind": "labels",
        "log": log,
        "recogniser": by or str(chosen),
        **facts_of(known),
        "parameters": plain_parameters(used.get_params(deep=False)),
        "classes": [str(c) for c in used.classes_],
        "eps": eps,
        "prior": prior,
        **config,
        "changed_by_integrating_eps": changed,
        "version": __version__,
    }


def _notes(
    request: LabelRequest, source: Source, players: NDArray[np.intp] | None, n_scripted: int
) -> tuple[str, ...]:
    """What a reader should know of the counts and of the table."""
    notes = notes_of_runs(source.provenance)
    if n_scripted:
        rows = counted(n_scripted, *_ROWS[request.per])
        notes.append(NOT_COUNTED.format(seats=rows))
    if isinstance(source, LogInMemory) and request.changed(("workers", "dask")):
        notes.append(IN_ONE_PROCESS)
    if players is not None and isinstance(source, LogInMemory) and source.X.keys is not None:
        keys = _with_strategies(source.X.keys, players)
        varying = [c for c in subject_keys(keys, players)[1] if c not in ("game_id", "seat")]
        if varying:
            notes.append(f"left out, since they vary within a player: {', '.join(varying)}")
    return tuple(notes)


def _with_rules(labels: Labels) -> Labels:
    """Labels with the columns hybrid_labels and hybrid_source, and how often each strategy is named."""
    request, table = labels.request, labels.table()
    rows = np.ones(len(table), dtype=bool) if request.keep_scripted else subjects(table)
    columns = hybrid_columns(table, request.threshold, request.rules)  # type: ignore[arg-type]
    return replace(
        labels,
        frame=pd.concat([table, columns], axis=1),
        provenance={**labels.provenance, "hybrid": {"threshold": request.threshold, "rules": request.rules}},
        hybrid=hybrid_counts(columns[rows], labels.provenance["classes"]),
    )
