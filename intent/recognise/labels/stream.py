"""Labels of logs larger than memory: read, labelled and written piece by piece, by any number of workers.

Label a log on disk piece by piece, in order, with bounded memory.

Under which settings labels need the whole log at once.

What every piece is labelled by, and the labels of one.

Counts of labels that add up over pieces to the summary of the whole.

A Parquet file of labels, written table by table.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from intent.base import codebook
from intent.base.defaults import BACKGROUND
from intent.base.errors import UsageError
from intent.logs.chunks import Piece, Play, Runs, named
from intent.logs.reading import Reading
from intent.logs.streams import PIECE, open_source
from intent.logs.trajectories import Trajectories
from intent.recognise.coin import Situations, situation_keys
from intent.recognise.distinct_plays import PER_KEY, CodedTable, KnownPlays, with_gap
from intent.recognise.labels.label import changed_rows, integrated
from intent.recognise.labels.request import LabelRequest
from intent.recognise.recogniser import Recogniser
from intent.recognise.verdict import LabelSettings, label_table

if TYPE_CHECKING:
    from intent.logs.chunks import Source


__all__ = [
    "Counted",
    "Job",
    "StreamedLabels",
    "Tally",
    "forget",
    "label_piece",
    "label_to",
    "label_writer",
    "stream_labels",
    "told_recogniser",
    "why_not_streamed",
]


_WHOLE = ("eps_by", "conformal", "conformal_eps")


def why_not_streamed(request: LabelRequest) -> str:
    """What makes the labels need the whole log at once; empty where nothing does."""
    output = request.output
    if output is not None and output.suffix != ".parquet":
        return f"{output.suffix} is written at once (.parquet is not)"
    if request.per != "game":
        return "all games of a player are judged together"
    whole = [name for name in _WHOLE if getattr(request, name)]
    if request.eps == "estimate":
        whole.append("eps estimate")
    if request.prior == "sfem":
        whole.append("prior sfem")
    return f"{whole[0].replace('_', ' ')} looks at all play together" if whole else ""


_UNIT = 2**40
"""Posteriors are summed as whole multiples of 2^-40: the sum is then the same in any order."""


@dataclass(frozen=True)
class Counted:
    """Columns of a table of distinct plays that are counted, and are no labels.

    Attributes
    ----------
    changed : whether integrating the noise changes the label; None where that is not counted
    situation : what a coin would meet, as `situation_keys`; it has none of play of more than 16 rounds
    """

    changed: str | None
    situation: str


@dataclass(frozen=True)
class Tally:
    """What `json_objects.JSON_OBJECTS["label"]` is made of.

    Attributes
    ----------
    n : int, labels
    read : Runs, games that meet the conditions
    games : Runs, games with labels
    statuses, consistent, posteriors : Counter
    tied, changed : int
    skipped : reason -> Runs
    situations : Situations, what the players met
    """

    n: int = 0
    read: Runs = field(default_factory=Runs)
    games: Runs = field(default_factory=Runs)
    statuses: Counter[str] = field(default_factory=Counter)
    consistent: Counter[str] = field(default_factory=Counter)
    posteriors: Counter[str] = field(default_factory=Counter)
    tied: int = 0
    changed: int = 0
    skipped: dict[str, Runs] = field(default_factory=dict)
    situations: Situations = field(default_factory=Situations)

    @classmethod
    def of(cls, table: CodedTable, rows: NDArray[np.intp], play: Play, counted: Counted) -> Tally:
        """Counts of the labels at `rows` of a table of distinct plays."""
        used = np.bincount(rows, minlength=table.size)
        there, changed = np.flatnonzero(used), counted.changed
        times = used[there]

        def counts(column: str) -> dict[Any, int]:
            codes = np.bincount(
                table.columns[column][there], weights=times, minlength=len(table.words[column])
            )
            return {word: int(n) for word, n in zip(table.words[column], codes, strict=True) if n}

        consistent: Counter[str] = Counter()
        for names, n in counts("consistent").items() if len(there) else ():
            consistent[("none", "one", "several")[min(len(names), 2)]] += n
        sums = {
            name: int((np.rint(values[there] * _UNIT).astype(np.int64) * times).sum())
            for name, values in table.columns.items()
            if name.startswith(codebook.PROBABILITY_PREFIX)
        }
        return cls(
            len(rows),
            play.games,
            Runs.of(play.keys.column("game_id").combine_chunks()),
            Counter(counts("status") if len(there) else {}),
            consistent,
            Counter(sums),
            int(times[table.columns["tied"][there]].sum()) if len(there) else 0,
            int(times[table.columns[changed][there]].sum()) if changed and len(there) else 0,
            play.skipped,
            _situations(table, there, times, play, counted.situation),
        )

    def __add__(self, after: Tally) -> Tally:
        reasons = dict.fromkeys([*self.skipped, *after.skipped])
        return Tally(
            self.n + after.n,
            self.read + after.read,
            self.games + after.games,
            self.statuses + after.statuses,
            self.consistent + after.consistent,
            self.posteriors + after.posteriors,
            self.tied + after.tied,
            self.changed + after.changed,
            {r: self.skipped.get(r, Runs()) + after.skipped.get(r, Runs()) for r in reasons},
            self.situations + after.situations,
        )

    def summary(self, classes: list[str]) -> dict[str, Any]:
        """What ``intent label --json`` prints."""
        prefix = codebook.PROBABILITY_PREFIX
        return {
            "n": self.n,
            "n_games": self.games.n,
            "statuses": {s: self.statuses[s] for s in codebook.STATUSES},
            "consistent": {k: self.consistent[k] for k in ("none", "one", "several")},
            "tied": self.tied,
            "mean_posterior": {
                c: self.posteriors[prefix + c] / _UNIT / self.n if self.n else None for c in classes
            },
            "skipped": {reason: games.n for reason, games in self.skipped.items()},
            "rejects": 0,
        }


def _situations(
    table: CodedTable, there: NDArray[np.intp], times: NDArray[np.intp], play: Play, column: str
) -> Situations:
    """What the players of a piece met."""
    if not len(there):
        return Situations()
    if column in table.columns:
        keys = table.columns[column][there].view(np.uint64)
        return Situations.of_keys(keys, times.astype(np.int64), play.X.shape[1])
    X = Trajectories(
        play.X.own, play.X.other, evidence=None if play.X.evidence_mask is None else play.X.evidence
    )
    X.keys = play.keys.select(["game_id", "seat"]).to_pandas(ignore_metadata=True)
    return Situations.of(X)


_CHANGED = "changed by integrating"
_SITUATION = "situation of a coin"


@dataclass(frozen=True)
class Job:
    """How the pieces of a log are labelled.

    Parameters
    ----------
    token : str
        Tells this job from every other; plays judged once serve the whole job.
    recogniser : fitted recogniser, or name or folder of one
    options : those of eps, eps_prior and prior that were given
    settings : LabelSettings
    background : bool
        Whether RANDOM competes.
    seed : int
    complete : bool
        Whether every move of the log is known.
    compare : bool
        Whether labels that integrating the noise would change are counted.
    table : bool
        Whether the rows are wanted, or the counts alone.
    """

    token: str
    recogniser: Any = field(compare=False)
    options: dict[str, Any] = field(compare=False)
    settings: LabelSettings = field(compare=False)
    background: bool = BACKGROUND
    seed: int = 0
    complete: bool = False
    compare: bool = False
    table: bool = True


def told_recogniser(
    recogniser: Recogniser | str | Path, options: dict[str, Any], background: bool
) -> Recogniser:
    """The recogniser of that name, told the options, with RANDOM as a rival where there is a background."""
    from intent.recognise.labels.label import recognisers_of_parts
    from intent.recognise.storage import load_recogniser

    model = load_recogniser(recogniser) if isinstance(recogniser, str | Path) else recogniser
    nothing = Trajectories(np.empty((0, 1), dtype=np.int8), np.empty((0, 1), dtype=np.int8))
    return recognisers_of_parts(model, nothing, options, background=background)[0][2]


def label_piece(job: Job, piece: Piece) -> tuple[pa.Table | None, Tally]:
    """Labels of a piece as `codebook.LABELS` (None where not wanted), and their counts."""
    play = piece.read()
    table, rows = _plays(job).look_up(play.X)
    counted = Counted(_CHANGED if job.compare else None, _SITUATION)
    tally = Tally.of(table, rows, play, counted)
    if not job.table:
        return None, tally
    computed = table.take(rows)
    computed.pop(_CHANGED, None)
    computed.pop(_SITUATION, None)
    renamed = [(f"{c}_in_log" if c in computed else c, play.keys.column(c)) for c in play.keys.column_names]
    return named([*renamed, *computed.items()]).combine_chunks(), tally


def forget() -> None:
    """Let go of the plays judged in this process."""
    _plays.cache_clear()


@lru_cache(maxsize=1)
def _plays(job: Job) -> KnownPlays:
    model = told_recogniser(job.recogniser, job.options, job.background)
    fresh = integrated(model) if job.compare else None

    def judge(X: Trajectories) -> pd.DataFrame:
        judged = X if job.complete else with_gap(X)
        table = label_table(judged, model, job.settings, np.random.default_rng(job.seed))
        if fresh is not None:
            table[_CHANGED] = changed_rows(table, judged, fresh, job.settings)
        table = table.iloc[: len(X)].drop(columns=["game_id", "seat"])
        if X.shape[1] <= PER_KEY:
            table[_SITUATION] = situation_keys(X).view(np.int64)
        return table

    return KnownPlays(judge)


@contextmanager
def label_writer(
    target: Path | None, overwrite: bool
) -> Iterator[tuple[Callable[[pa.Table], None], Callable[[Mapping[str, Any]], None]]]:
    """Two functions: one adds rows to a Parquet file, one ends it with the facts on it.

    The file appears when the block ends without an error. Texts are written by their codes and come back as
    texts: the file keeps no types of Arrow's own.
    """
    import pyarrow.parquet as pq

    from intent.base.files import writing
    from intent.base.tables import METADATA_KEY

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


@dataclass(frozen=True, eq=False)
class StreamedLabels:
    """Labels of a log, written but not in memory.

    Attributes
    ----------
    path : Path of the table as `codebook.LABELS`, or None where only the counts were wanted
    summary, provenance, changed, notes : as `intent.recognise.labels.label.Labels`
    """

    path: Path | None
    summary: dict[str, Any]
    provenance: dict[str, Any]
    changed: int | None
    notes: tuple[str, ...] = ()


def label_to(
    log: str | Path,
    output: str | Path | None,
    recogniser: Recogniser | str | Path = LabelRequest.recogniser,
    *,
    piece: int = PIECE,
    update: Callable[[int, int], None] = lambda done, total: None,
    **settings: Any,
) -> StreamedLabels:
    """Label a log that may be larger than memory, and write the labels to one Parquet file.

    Row by row the labels are those of `label_log`, in the same order, for any number of workers and any size
    of pieces. A log or a setting that needs the whole log at once is labelled in
    memory.

    Parameters
    ----------
    log : path of a log: the compact form, or a Parquet folder of ours, is read piece by piece
    output : .parquet file, or None for the counts alone
    recogniser : fitted recogniser, name of a shipped one, or folder of a saved one
    piece : int
        Rows (in a Parquet folder: games) that are read at a time; at least a row group of the log.
    update : called with (done, total)
    **settings
        As `LabelRequest`, among them workers and dask (as `open_workers`), and overwrite.

    Raises
    ------
    OutputError
        A path that cannot be written; nothing is left there when the work is interrupted.
    UsageError, DataError, RecogniserError, LimitError
        As `label_log`.
    """
    from intent.recognise.labels.label import claim_outputs

    target = None if output is None else Path(output)
    request = LabelRequest(log=log, output=target, recogniser=recogniser, **settings)
    claim_outputs(target, None, overwrite=request.overwrite, source=Path(log))
    streamed = stream_labels(request, piece=piece, update=update)
    if streamed is not None:
        return streamed
    labels = request.run()
    if target is not None:
        labels.write(target, overwrite=request.overwrite)
    return StreamedLabels(target, labels.summary, labels.provenance, labels.changed, labels.notes)


def stream_labels(
    request: LabelRequest,
    *,
    piece: int = PIECE,
    update: Callable[[int, int], None] = lambda done, total: None,
) -> StreamedLabels | None:
    """As `label_to`, but None where the whole log is needed at once, or nothing of it can be labelled."""
    from intent.base.workers import open_workers
    from intent.logs.gamelog import as_options
    from intent.recognise.coin import coin_shares
    from intent.recognise.labels.label import bayes_options, integrated, is_affordable, label_provenance
    from intent.recognise.verdict import LabelSettings

    if why_not_streamed(request):
        return None
    reading = request.values(Reading) | request.values(("others", "keep_defaulted"))
    source = open_source(Path(str(request.log)), **reading)
    if source is None:
        return None
    named = request.recogniser
    options = bayes_options(request)
    model = told_recogniser(named, options, request.background)
    judged = LabelSettings(threshold=request.threshold, alpha=request.alpha)
    compare = integrated(model) is not None and is_affordable(source.n, source.rounds, source.complete)
    target, seed = request.output, request.seed
    job = Job(
        uuid4().hex,
        str(named) if isinstance(named, Path) else named,
        options,
        judged,
        request.background,
        seed,
        source.complete,
        compare,
        target is not None,
    )
    total, tally, done = source.n, Tally(), 0
    classes = [str(c) for c in model.classes_]
    spreading = open_workers(request.workers, request.dask)
    try:
        with label_writer(target, request.overwrite) as (write, close), spreading as spread:
            pieces = list(source.pieces(piece))
            found = spread.map(partial(label_piece, job), pieces)
            for one, (table, counted) in zip(pieces, found, strict=True):
                if table is not None and len(table):
                    write(table)
                tally += counted
                done += one.n
                update(done, total)
            if not tally.read.n:
                said = as_options(request.where or {})
                raise UsageError(f"no game left of {total:,} rows{f' (--where {said})' if said else ''}")
            if not tally.n:
                raise _NothingLabelledError
            summary = tally.summary(classes)
            if request.coin:
                coin = coin_shares(tally.situations, model, judged, seed=seed)
                summary["coin"] = None if coin is None else coin.to_dict()
            changed = tally.changed if compare else None
            provenance = label_provenance(_log_facts(source, request.strict), request, model, changed=changed)
            close({**provenance, "summary": summary})
    except _NothingLabelledError:
        return None
    finally:
        forget()
    return StreamedLabels(target, summary, provenance, changed)


class _NothingLabelledError(Exception):
    """No piece had a trajectory to label."""


def _log_facts(source: Source, strict: bool) -> dict[str, Any]:
    """The provenance that `read_log` gives the log."""
    from intent.logs.readers import told_provenance
    from intent.logs.readers.reader import Settings
    from intent.logs.readers.reader import Source as File

    return told_provenance(source.provenance, File(source.path), source.format, Settings(strict=strict))
