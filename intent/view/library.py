"""A library of games: any log or run, opened to be read, queried and shown one game at a time.

From a path to the games behind it: a run, a log of any format, or labels with the log that they are of.

Going through all games behind the scenes: what has changed, labels, sums.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base import codebook
from intent.base.defaults import DEFAULT_RECOGNISER
from intent.base.errors import (
    DataError,
    IntentError,
    UnknownNameError,
    UsageError,
    located,
    one_line,
    shorten,
)
from intent.base.tables import LABEL_MARKS, are_labels, holds_labels, read_table
from intent.logs.gamelog import GameLog, is_scripted
from intent.logs.readers import read_log
from intent.logs.readers.reader import Source as LogSource
from intent.logs.reading import named_log, reading_of_named_log, reading_without_defaults, sha256_of_named_log
from intent.logs.run_folder import is_run
from intent.recognise.coin import Situations, coin_of_labels, coin_shares
from intent.strategies.sets import strategy_set
from intent.view.columns import accepted, column_facts
from intent.view.detail import GameDetail, Keep, TextKeeper
from intent.view.game_detail import game_detail, sent_messages
from intent.view.game_table import GameTable, matching_rows, meeting, value_counts
from intent.view.groups import Estimates, Side, estimates, repeats, sample, side_of
from intent.view.judging import SUMS, WHY, Judge, judge_of, label_columns, seat_sums
from intent.view.query import ColumnFacts, Facts, Filter, Page, Query
from intent.view.source import DAMAGE, Source, StoredLog, is_current_folder
from intent.view.strips import SeatMoves, seat_moves
from intent.view.texts import Found, Hit, TextStore

if TYPE_CHECKING:
    from intent.view.run_source import RunCalls


__all__ = ["Library", "Opened", "Progress", "open_library", "opened"]


_LONGEST_HASHED = 256 * 1024**2
"""Bytes of a log up to which it is looked whether it is the one that was labelled."""


@dataclass(eq=False)
class Opened:
    """What a path turned out to be.

    Parameters
    ----------
    source : Source
    kind : {"log", "run"}
    run : RunCalls or None
        The database of the run that the games are of.
    rejects : int
    labels : DataFrame or None
    labels_path : Path or None
    origin : dict
        What the table of labels says of its making.
    notes : list of str
    """

    source: Source
    kind: Literal["log", "run"]
    run: RunCalls | None = None
    rejects: int = 0
    labels: pd.DataFrame | None = None
    labels_path: Path | None = None
    origin: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def may_change(self) -> bool:
        """Whether games may come in."""
        return not isinstance(self.source, StoredLog)

    @property
    def classes(self) -> tuple[str, ...]:
        """Strategies that the table of labels has probabilities of."""
        names = [] if self.labels is None else [str(c) for c in self.labels.columns]
        prefix = codebook.PROBABILITY_PREFIX
        return tuple(name.removeprefix(prefix) for name in names if name.startswith(prefix))


def opened(path: str | Path, labels: str | Path | None, reading: Mapping[str, Any]) -> Opened:
    """The games behind a path.

    Parameters
    ----------
    path : run folder, log, or table of labels (its log is where its provenance says)
    labels : table of labels of the log, optional
    reading : settings of `read_log`

    Raises
    ------
    DataError, RunError
        It can be read as none of these, or the log of the labels is not where it was.
    UsageError
        Labels of labels.
    """
    place, reading = Path(path), reading_without_defaults(reading)
    if labels is None and holds_labels(place):
        table, origin = read_table(place)
        try:
            log = named_log(origin, beside=place)
        except DataError as error:
            raise DataError(located(place, f"{error}, expected LOG --labels {place.name}")) from None
        source = _source(log, reading or reading_of_named_log(origin))
        return _with_labels(source, place, table, origin, _changed(log, origin))
    source = _source(place, reading)
    if labels is None:
        return source
    table, origin = read_table(labels)
    return _with_labels(source, Path(labels), table, origin, _changed(place, origin))


def _with_labels(
    log: Opened, place: Path, table: pd.DataFrame, origin: dict[str, Any], notes: list[str]
) -> Opened:
    missing = sorted(LABEL_MARKS - set(map(str, table.columns)))
    if missing and are_labels(map(str, table.columns)):
        table = _of_seats(table, log.source, place)
        notes = [*notes, "labels are of players, all their games together: every game of a player shows them"]
    elif missing:
        raise DataError(located(place, f"no column {missing[0]!r}, expected a table of labels"))
    log.labels, log.labels_path, log.origin = table, place, origin
    log.notes += notes
    return log


def _of_seats(table: pd.DataFrame, source: Source, place: Path) -> pd.DataFrame:
    """Labels of players as labels of their seats."""
    seats = source.seats
    if "player" not in seats.column_names:
        raise DataError(located(place, "labels are of players, but the log names none"))
    names = seats.select(["game_id", "seat", "player"]).to_pandas(ignore_metadata=True)
    names["player"] = names["player"].astype(str)
    return table.assign(player=table["player"].astype(str)).merge(names, on="player", how="inner")


def _source(place: Path, reading: Mapping[str, Any]) -> Opened:
    if is_run(place):
        from intent.view.run_source import RunCalls, RunSource

        if reading:
            raise UsageError(f"{place} is a run and says itself what {', '.join(reading)} would say")
        run = RunCalls(place)
        log = place / "log"
        if not run.live and is_current_folder(log):
            stored = StoredLog.of_folder(log)
            if len(stored.games) == run.n_finished() == run.n_planned:
                return Opened(stored, "run", run)
        return Opened(RunSource(run), "run", run)
    if reading in ({}, {"format": "gamelog"}) and is_current_folder(place):
        return Opened(StoredLog.of_folder(place), "log")
    read = read_log(place, **reading)
    return Opened(StoredLog.of_log(read), "log", rejects=len(read.rejects))


def _changed(log: Path, origin: Mapping[str, Any]) -> list[str]:
    """A note where the log is not what was labelled, as far as that is soon said."""
    digest = sha256_of_named_log(origin)
    try:
        source = LogSource(log)
        files = [source.path] if source.path.is_file() else [p for p in source.path.iterdir() if p.is_file()]
        if digest is None or sum(p.stat().st_size for p in files) > _LONGEST_HASHED:
            return []
        same = source.sha256 == digest
    except (IntentError, OSError):
        return []
    return [] if same else ["the log is not the one that was labelled: its contents differ"]


_MOST_NOTES = 20
_BREATH = 0.005
"""Seconds between chunks, in which a page may be served."""

_QUIET, _PATIENCE = 0.1, 0.3
"""Seconds without a request that a chunk waits for, and the most that it waits."""

_OVER = Filter("state", "=", "finished")
_EVERY_ROUND = 1 << 31

_PAUSE = 1.0
"""Seconds between looks at a run."""


class Progress:
    """Keeps the table of games up to date.

    Parameters
    ----------
    source : Source
    judge : Judge
    labelled : DataFrame or None
        Labels that are there already: then none are computed.
    watch : bool
        Whether the source may change.
    run : RunCalls, optional
        Whose prompts and replies are searched, too.

    Attributes
    ----------
    table : GameTable
        Replaced, never emptied, when games come in.
    notes : list of str
    coin : dict or None
        What fair coins would get, once all games are labelled here; of games that come in, nothing.
    texts : TextStore
    caught_up : bool
        Whether all that a run did has been read, once nobody plays it any more.
    """

    def __init__(
        self,
        source: Source,
        judge: Judge,
        labelled: pd.DataFrame | None = None,
        *,
        watch: bool = False,
        run: RunCalls | None = None,
    ) -> None:
        self._source, self._judge, self._labelled, self._watch = source, judge, labelled, watch
        self._kinds = {**label_columns(judge.classes), **dict.fromkeys(SUMS, "number")}
        for name in ("moves_played", "defaulted", "missing"):
            self._kinds[name] = "whole"
        self._skipped: dict[str, str] = {}
        self._run_calls = run
        self._called: set[str] = set()
        self.texts = TextStore()
        self.caught_up = True
        self.notes: list[str] = []
        self.coin: dict[str, Any] | None = None
        self._met = {False: Situations(), True: Situations()}  # by whether a strategy plays
        self._lock, self._stop = threading.RLock(), threading.Event()
        self._thread: threading.Thread | None = None
        self._last_page = time.monotonic()
        self.table = self._fresh()

    def _fresh(self) -> GameTable:
        source = self._source
        table = GameTable(source.games, source.seats, source.seat_game, self._kinds)
        if self._labelled is not None:
            unknown = table.fill(self._labelled)
            if unknown and not self._watch:
                self.note(f"{unknown:,} labels are of no seat of this log")
        return table

    def note(self, text: str) -> None:
        """Remember something that a reader should know, once."""
        if text not in self.notes and len(self.notes) < _MOST_NOTES:
            self.notes.append(text)

    def start(self) -> None:
        """Go through the games in a thread."""
        self._thread = threading.Thread(target=self._run, name="intent-view", daemon=True)
        self._thread.start()

    def give_way(self) -> None:
        """A page is asked for: the thread goes on once nobody waits for one."""
        self._last_page = time.monotonic()

    def _wait_turn(self) -> None:
        latest = time.monotonic() + _PATIENCE
        while (now := time.monotonic()) < min(self._last_page + _QUIET, latest) and not self._stop.is_set():
            self._stop.wait(min(self._last_page + _QUIET, latest) - now)

    def close(self) -> None:
        """Stop the thread."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=10)
        self.texts.close()

    def _run(self) -> None:
        while not self._stop.is_set():
            began = time.monotonic()
            try:
                self.step()
            except DAMAGE as error:
                self.note(one_line(error))
            if not self._watch:
                return
            self._stop.wait(max(_PAUSE, 2 * (time.monotonic() - began)))

    def step(self) -> None:
        """Read what has changed, and label what is new."""
        self._source.prepare()
        live = self._run_calls is not None and self._run_calls.live
        self.caught_up = self.caught_up and not live
        while not self._stop.is_set():
            changed = self._source.refresh()
            if changed is not None:
                self._replace(changed)
            left = np.flatnonzero(~self.table.done)
            if not len(left):
                self._toss()
                self.caught_up = not live
                self._read_calls()
                return
            for a in range(0, len(left), self._source.chunk):
                if self._stop.is_set():
                    return
                self._wait_turn()
                self.label(left[a : a + self._source.chunk])
                time.sleep(_BREATH)

    def _read_calls(self) -> None:
        """Take in what was asked and replied in games that are over, for searches."""
        run = self._run_calls
        if run is None:
            return
        for name in self._uncalled(run):
            if self._stop.is_set():
                return
            self._wait_turn()
            try:
                calls = run.calls(name, 1, _EVERY_ROUND)
                with self._lock:
                    if len(calls):
                        self.texts.add_calls(calls, [sent_messages(body) for body in calls["body"]])
            except DAMAGE as error:
                self.note(one_line(error))
            self._called.add(name)

    def _uncalled(self, run: RunCalls) -> list[str]:
        """Games that are over and whose calls have not been read."""
        state = self.table.games.get("state") if run.live else None
        over = range(len(self.table)) if state is None else np.flatnonzero(accepted(state, _OVER))
        names = (self.table.ids[int(game)] for game in over)
        return [name for name in names if name not in self._called]

    @property
    def texts_read(self) -> float:
        """Share of the games whose texts can be searched."""
        n = len(self.table)
        done = int(self.table.done.sum())
        if self._run_calls is None or not n:
            return done / n if n else 1.0
        return (done + len(self._called)) / (2 * n)

    def _toss(self) -> None:
        """Say what fair coins would get; a run that goes on would change it with every game."""
        if self._labelled is None and not self._watch and self.coin is None:
            judge = self._judge
            met = self._met[not len(self._met[False].counts)]  # strategies count where nobody else plays
            coin = coin_shares(met, judge.recogniser, judge.settings, seed=judge.seed)
            self.coin = None if coin is None else coin.to_dict()

    def _replace(self, changed: set[str]) -> None:
        self._called -= changed
        with self._lock:
            table = self._fresh()
            table.carry(self.table, changed)
            self.table = table

    def label(self, games: NDArray[np.intp], *, wait: bool = True) -> None:
        """Label games that are not labelled yet, by their rows; those that cannot be read are noted.

        Parameters
        ----------
        games : (n,)
        wait : bool
            Whether to wait for other games that are being labelled, or leave these to them.
        """
        if not self._lock.acquire(blocking=wait):
            return
        try:
            games = games[~self.table.done[games]]
            if len(games):
                self._label(games)
        finally:
            self._lock.release()

    def _label(self, games: NDArray[np.intp]) -> None:
        try:
            log = self._source.log(games)
            table = self.table
            table.fill(seat_sums(log))
            table.marks.fill(table.rows_of(log.seats[["game_id", "seat"]]), log)
            if self._labelled is None:
                X = self._judge.play(log)
                assert X.keys is not None
                table.fill(self._judge.labels_of(X))
                if not self._watch:
                    scripted = is_scripted(table.players.iloc[table.rows_of(X.keys)])
                    for strategy in self._met:
                        self._met[strategy] += Situations.of(X[scripted == strategy])
                self._count(log)
            self.texts.add_moves(log, calls=self._run_calls is not None)
            table.finish(games)
        except DAMAGE as error:
            if len(games) == 1:
                self.note(one_line(error))
                self.table.finish(games)
                return
            half = len(games) // 2
            self._label(games[:half])
            self._label(games[half:])

    def _count(self, log: GameLog) -> None:
        """Why games have no labels."""
        coded = log.has_cooperation()
        undecidable = log.games["cooperative_action"].isna().to_numpy()
        many = (log.games["n_players"] > 2).to_numpy(dtype=bool) & (self._judge.others is None)
        why = np.select([~coded & undecidable, ~coded, many], WHY, default="")
        for name, reason in zip(log.games["game_id"], why.tolist(), strict=True):
            if reason:
                self._skipped[str(name)] = reason
            else:
                self._skipped.pop(str(name), None)

    @property
    def skipped(self) -> tuple[tuple[str, int], ...]:
        """Reasons why games have no labels, and how many games."""
        return tuple(Counter(list(self._skipped.values())).most_common())


_REMEMBERED = 16
"""Queries whose games are remembered, for paging and for the neighbours of a game."""


def open_library(
    path: str | Path,
    *,
    labels: str | Path | None = None,
    recogniser: str = DEFAULT_RECOGNISER,
    strategies: str = "all",
    others: str | None = None,
    where: Mapping[str, Sequence[str]] | None = None,
    reading: Mapping[str, Any] | None = None,
    background: bool = True,
) -> Library:
    """Open games to browse them.

    Parameters
    ----------
    path : run folder (also while it is played), log of any format, or table of labels
        The log of labels is the one that they say they are of.
    labels : path of a table of labels, optional
        Without one, `recogniser` labels the games behind the scenes.
    recogniser : name of a shipped one, or folder of a saved one
    strategies : set name or comma-separated names
        What the moves of a game are held against, beside the classes of the recogniser.
    others : {"any", "majority", "all"}, optional
        With more than two players, when the others count as having cooperated; without it such games have
        no labels.
    where : mapping of column -> accepted values, optional
        Only games of which a seat meets them.
    reading : mapping, optional
        Settings of `read_log`.
    background : bool
        Whether to label in a thread, which gives way to whoever asks for games; without, all is labelled
        when this returns, and a run is looked at once.

    Returns
    -------
    Library, to be closed

    Raises
    ------
    DataError, RunError
        Nothing that could be read.
    UsageError
        A name or setting that cannot be.
    """
    against = strategy_set(strategies)
    games = opened(path, labels, dict(reading or {}))
    try:
        judge, notes = judge_of(
            recogniser, None if games.labels is None else games.origin, others=others, classes=games.classes
        )
        progress = Progress(games.source, judge, games.labels, watch=games.may_change, run=games.run)
        base = tuple(Filter(name, "=", str(v)) for name, values in (where or {}).items() for v in values)
        return Library(str(path), games, judge, progress, against, base, notes, background=background)
    except IntentError:
        games.source.close()
        raise
    except DAMAGE as error:
        games.source.close()
        raise DataError(located(path, f"cannot be read: {one_line(error)}")) from None


_MOST_REPEATS = 200


class Library:
    """Games to browse, made by `open_library`. Any thread may call any method; nothing is ever written."""

    def __init__(
        self,
        path: str,
        games: Opened,
        judge: Judge,
        progress: Progress,
        against: Sequence[Any],
        base: tuple[Filter, ...],
        notes: Sequence[str],
        *,
        background: bool,
    ) -> None:
        self._path, self._opened, self._judge, self._progress = path, games, judge, progress
        self._against, self._base, self._notes = against, base, list(notes)
        self._row_cache: dict[tuple[Any, ...], NDArray[np.intp]] = {}
        self._number_cache: tuple[tuple[int, int], NDArray[np.int64], NDArray[np.intp]] | None = None
        self._lock = threading.Lock()
        if background:
            progress.start()
        else:
            progress.step()
        meeting(self._table, base)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop labelling, and remove temporary files."""
        self._progress.close()
        self._opened.source.close()

    def refresh(self) -> None:
        """Read what has changed and label it, without waiting for the thread that does so."""
        self._progress.step()

    @property
    def run_folder(self) -> Path | None:
        """The folder of the run that the games are of; None of a log."""
        return None if self._opened.run is None else self._opened.run.folder

    @property
    def _table(self) -> GameTable:
        return self._progress.table

    def facts(self) -> Facts:
        """What the library is, and how far it has been read."""
        games, table = self._opened, self._table
        where = games.labels_path
        return Facts(
            source=self._path,
            kind=games.kind,
            n_games=len(table),
            n_seats=len(table.seat_game),
            n_planned=None if games.run is None else games.run.n_planned,
            rejects=games.rejects,
            live=self._live,
            labels=self._judge.name if where is None else str(where),
            labelled=float(table.done.mean()) if len(table) else 1.0,
            classes=self._judge.classes,
            skipped=self._progress.skipped if games.labels is None else self._unlabelled(table),
            notes=(*games.notes, *self._notes, *self._progress.notes, *games.source.notes[:20]),
            coin=self._progress.coin
            if games.labels is None
            else coin_of_labels(games.origin, len(games.labels)),
        )

    def _unlabelled(self, table: GameTable) -> tuple[tuple[str, int], ...]:
        """Games of which the table of labels says nothing."""
        n = len(table) - table.n_with("status")
        return (("the table of labels has none of them", n),) if n else ()

    def version(self) -> str:
        """A text that changes when games come in or are labelled, and when a run starts or stops."""
        return f"{self._table.changes}-{int(self._live)}"

    @property
    def _live(self) -> bool:
        """Whether a run is being played, or its last games are still to be read."""
        run = self._opened.run
        return run is not None and (run.live or not self._progress.caught_up)

    def counts(self, query: Query) -> dict[str, dict[str, int]]:
        """Rows with each value among those that a query leaves, as `value_counts`."""
        self._progress.give_way()
        return value_counts(self._table, query, self._base)

    def columns(self) -> list[ColumnFacts]:
        """What the columns hold, those that hold nothing aside."""
        self._progress.give_way()
        table = self._table
        games, seats = meeting(table, self._base)
        return [
            column_facts(
                name, "seats" if name in SUMS else where, column, games if where == "games" else seats
            )
            for name, (where, column) in table.columns().items()
        ]

    def page(self, query: Query) -> Page:
        """Some of the games that a query finds.

        Raises
        ------
        UnknownNameError
            A column that does not exist.
        """
        self._progress.give_way()
        table, rows = self._rows(query)
        shown = rows[query.offset : query.offset + query.limit]
        if self._opened.source.ready and table is self._table:
            self._progress.label(shown, wait=False)
        moves = self._moves(table, shown)
        listed = [table.row(int(game)) | {"moves": moves.get(int(game))} for game in shown]
        return Page(len(rows), listed, query.offset)

    def _moves(self, table: GameTable, games: NDArray[np.intp]) -> dict[int, list[SeatMoves]]:
        """The moves of some games, as far as they are soon had."""
        known = table.moves_of([int(game) for game in games])
        left = [int(game) for game in games if int(game) not in known]
        if not left or not self._opened.source.ready or table is not self._table:
            return known
        try:
            read = seat_moves(self._opened.source.log(left))
        except DAMAGE:
            return known
        for game in left:
            seats = read.get(table.ids[game], {})
            numbers = table.seat_number[table.seat_rows(game)].tolist()
            known[game] = [seats.get(int(seat), SeatMoves(b"")) for seat in numbers]
        return known

    def repeats(self, game_id: str) -> tuple[list[tuple[str, str]], Page]:
        """The games that were played under the conditions of one, itself among them, in the order of the log.

        Returns
        -------
        The conditions (column, value), and the first of the games

        Raises
        ------
        UnknownNameError
            No such game.
        """
        self._progress.give_way()
        table = self._table
        place = table.place(game_id)
        if place is None:
            raise UnknownNameError("game", game_id, table.ids[:1000])
        conditions, rows = repeats(table, place)
        shown = rows[:_MOST_REPEATS]
        moves = self._moves(table, shown)
        listed = [table.row(int(game)) | {"moves": moves.get(int(game))} for game in shown]
        return conditions, Page(len(rows), listed, 0)

    def side(self, query: Query) -> Side:
        """The games that a query finds, and the players by whom they meet it."""
        self._progress.give_way()
        table, rows = self._rows(query)
        jump = (Filter("status", "=", query.jump),) if query.jump not in (None, "extreme") else ()
        _, seats = meeting(table, self._base, query.filters, jump)
        among = np.zeros(len(table), dtype=bool)
        among[rows] = True
        return side_of(table, rows, np.flatnonzero(seats & among[table.seat_game]))

    def estimates(
        self,
        sides: Sequence[Side],
        *,
        explained: bool,
        update: Callable[[int, int], None] = lambda done, total: None,
    ) -> Estimates:
        """Shares by maximum likelihood of the players of one filter or two; see `groups.estimates`.

        Raises
        ------
        UsageError
            Nothing to estimate from.
        """
        table = sides[0].table
        games = [sample(side) for side in sides]
        seats = []
        for side, read in zip(sides, games, strict=True):
            held = side.seats[np.isin(table.seat_game[side.seats], read)]
            names = (table.ids[int(game)] for game in table.seat_game[held])
            seats.append(set(zip(names, table.seat_number[held].tolist(), strict=True)))
        log = self._opened.source.log(np.unique(np.concatenate(games)))
        return estimates(
            log,
            self._judge,
            seats,
            explained=explained,
            left_out=sum(side.left_out for side in sides),
            update=update,
        )

    def search(self, words: str, query: Query, kinds: Sequence[str] = ()) -> tuple[Found, list[str], int]:
        """Where a literal stands in the texts of the games that a query finds.

        Returns
        -------
        Found, names of the games that have it in the order of the query, and games of the query

        Raises
        ------
        UsageError
            Nothing to search for, or too much.
        """
        self._progress.give_way()
        table, rows = self._rows(query)
        numbers, row_of = self._numbers(table)
        among = numbers[rows] if len(rows) < len(table) else None
        outcome = self._progress.texts.search(words, among, kinds)
        rank = np.full(len(table) + 1, len(table))
        rank[rows] = np.arange(len(rows))
        known = outcome.games[outcome.games < len(row_of)]
        games = row_of[known]
        games = games[games >= 0]
        listed = games[np.argsort(rank[games], kind="stable")]
        return outcome, [table.ids[int(game)] for game in listed], len(rows)

    def _numbers(self, table: GameTable) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
        """The number of each game among the texts, -1 for none, and the row of each number, -1 for none."""
        names = self._progress.texts.names()
        key = id(table), len(names)
        if self._number_cache is None or self._number_cache[0] != key:
            places = (table.place(name) for name in names)
            row_of = np.array([-1 if place is None else place for place in places], dtype=np.intp)
            numbers = np.full(len(table), -1, dtype=np.int64)
            numbers[row_of[row_of >= 0]] = np.flatnonzero(row_of >= 0)
            self._number_cache = key, numbers, row_of
        return self._number_cache[1], self._number_cache[2]

    def hits(self, outcome: Found, game_id: str, most: int) -> tuple[int, list[Hit]]:
        """How often a game has what was searched for, and the first places."""
        texts = self._progress.texts
        number = texts.number(game_id)
        return outcome.places_in(number), texts.hits(outcome, number, most)

    def texts(self) -> tuple[int, float, bool]:
        """Texts that can be searched, the share of the games whose are, and whether some were left out."""
        progress = self._progress
        return progress.texts.n_texts, progress.texts_read, progress.texts.full

    def neighbours(self, game_id: str, query: Query) -> tuple[str | None, str | None]:
        """The games before and after one that a query finds; None at the ends."""
        table, rows = self._rows(query)
        at = np.flatnonzero(rows == table.place(game_id)) if table.place(game_id) is not None else rows[:0]
        if not len(at):
            return None, None
        i = int(at[0])
        before = table.ids[rows[i - 1]] if i else None
        after = table.ids[rows[i + 1]] if i + 1 < len(rows) else None
        return before, after

    def _rows(self, query: Query) -> tuple[GameTable, NDArray[np.intp]]:
        """The table as it is now, and the rows of it that a query finds."""
        table = self._table
        if query.order == "interest" and query.sort is None and not self._settled(table):
            query = replace(query, order="log")
        key = (
            *(id(table), table.changes, query.filters, query.sort, query.descending, query.jump),
            query.order,
        )
        with self._lock:
            rows = self._row_cache.get(key)
        if rows is None:
            rows = matching_rows(table, query, self._base)
            with self._lock:
                while len(self._row_cache) >= _REMEMBERED:
                    del self._row_cache[next(iter(self._row_cache))]
                self._row_cache[key] = rows
        return table, rows

    def _settled(self, table: GameTable) -> bool:
        """Whether all games have been gone through, so that a list sorted by their play stays as it is."""
        return bool(table.done.all()) and not self._live

    def game(self, game_id: str, *, first: int = 1, most: int = 500, keep: Keep | None = None) -> GameDetail:
        """One game in all its parts.

        Parameters
        ----------
        game_id : str
        first, most : int
            Rounds whose moves, texts and calls are shown: from `first` on, at most so many.
        keep : callable, optional
            As `game_detail`.

        Raises
        ------
        UnknownNameError
            No such game.
        DataError, RunError
            It is damaged.
        """
        self._progress.give_way()
        table = self._table
        place = table.place(game_id)
        if place is None:
            near = [name for name in table.ids[:1000] if name[:3] == game_id[:3]]
            raise UnknownNameError("game", game_id, near)
        run, own_labels = self._opened.run, self._opened.labels
        try:
            labels: Sequence[Mapping[Any, Any]] | None = None
            if own_labels is None and not self._opened.may_change:
                labels = table.labels(place)
            elif own_labels is not None:
                labels = own_labels[own_labels["game_id"].astype(str) == game_id].to_dict("records")
            return game_detail(
                self._opened.source.log([place]),
                self._judge,
                self._against,
                labels,
                None if run is None else run.calls(game_id, first, first + most - 1),
                first=first,
                most=most,
                keep=keep,
                state=(None, None) if run is None else run.state(game_id),
            )
        except IntentError:
            raise
        except DAMAGE as error:
            raise DataError(f"game {shorten(game_id)} cannot be read: {one_line(error)}") from None

    def text(self, game_id: str, key: str) -> str:
        """A whole text of a game, of which a page shows the beginning.

        Parameters
        ----------
        game_id : str
        key : str, as `Text`

        Raises
        ------
        UnknownNameError
            No such game or text.
        """
        parts = key.split("/")
        number = parts[1] if parts[0] == "call" and len(parts) > 1 else parts[0]
        keeper = TextKeeper(key)
        if number.isdecimal() and len(number) < 10:
            self.game(game_id, first=int(number), most=1, keep=keeper)
        if keeper.whole is None:
            raise UnknownNameError("text", key, [])
        return keeper.whole

    @property
    def judge(self) -> Judge:
        """How it labels play."""
        return self._judge

    @property
    def run(self) -> RunCalls | None:
        """The calls of the run that the games are of; None of a log."""
        return self._opened.run

    def log(self, game_ids: Sequence[str]) -> GameLog:
        """Some games, in that order, as a log of their own.

        Raises
        ------
        UnknownNameError
            No such game.
        DataError, RunError
            They are damaged.
        """
        places = [self._table.place(game_id) for game_id in game_ids]
        for game_id, place in zip(game_ids, places, strict=True):
            if place is None:
                raise UnknownNameError("game", game_id, [])
        try:
            return self._opened.source.log([place for place in places if place is not None])
        except IntentError:
            raise
        except DAMAGE as error:
            raise DataError(f"the games cannot be read: {one_line(error)}") from None

    def labels(self, game_ids: Sequence[str]) -> pd.DataFrame | None:
        """Rows of the table of labels for some games; None where labels are made here."""
        table = self._opened.labels
        return None if table is None else table[table["game_id"].astype(str).isin(list(game_ids))]

    def of_part(
        self, log: GameLog, name: str, labels: pd.DataFrame | None, run: Any, notes: Sequence[str]
    ) -> Library:
        """A library of a part of its games in memory, labelled in the same way.

        Parameters
        ----------
        log : GameLog
        name : str
            What it is called.
        labels : DataFrame or None
            Labels of these games; None has them made.
        run : as `RunCalls`, or None
        notes : what a reader should know of it
        """
        kind, rejects = self._opened.kind, self._opened.rejects
        games = Opened(StoredLog.of_log(log), kind, run, rejects, labels)
        progress = Progress(games.source, self._judge, labels)
        return Library(name, games, self._judge, progress, self._against, (), notes, background=False)
