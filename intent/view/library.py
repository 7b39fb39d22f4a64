"""A library of games: any log or run, opened to be read, queried and shown one game at a time."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from intent.errors import DataError, IntentError, UnknownNameError, located, one_line, shorten
from intent.strategies.catalogue import strategy_set
from intent.view.column_facts import column_facts
from intent.view.detail import GameDetail
from intent.view.find import found, meeting
from intent.view.game_detail import game_detail
from intent.view.game_table import GameTable
from intent.view.judges import judge_of
from intent.view.judging import SUMS, Judge
from intent.view.opening import Opened, opened
from intent.view.progress import Progress
from intent.view.query import ColumnFacts, Facts, Filter, Page, Query
from intent.view.source import DAMAGE
from intent.view.texts import Keep, TextKeeper
from intent.view.value_counts import value_counts

__all__ = ["Library", "open_library"]

_REMEMBERED = 16
"""Queries whose games are remembered, for paging and for the neighbours of a game."""


def open_library(
    path: str | Path,
    *,
    labels: str | Path | None = None,
    recogniser: str = "bayes-canonical4",
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
        progress = Progress(games.source, judge, games.labels, watch=games.may_change)
        base = tuple(Filter(name, "=", str(v)) for name, values in (where or {}).items() for v in values)
        return Library(str(path), games, judge, progress, against, base, notes, background=background)
    except IntentError:
        games.source.close()
        raise
    except DAMAGE as error:
        games.source.close()
        raise DataError(located(path, f"cannot be read: {one_line(error)}")) from None


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
        self._found: dict[tuple[Any, ...], NDArray[np.intp]] = {}
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
            live=games.run is not None and games.run.live,
            labels=self._judge.name if where is None else str(where),
            labelled=float(table.done.mean()) if len(table) else 1.0,
            classes=self._judge.classes,
            skipped=self._progress.skipped if games.labels is None else self._unlabelled(table),
            notes=(*games.notes, *self._notes, *self._progress.notes, *games.source.notes[:20]),
            coin=self._progress.coin if games.labels is None else _coin_of(games.origin),
        )

    def _unlabelled(self, table: GameTable) -> tuple[tuple[str, int], ...]:
        """Games of which the table of labels says nothing."""
        n = len(table) - table.n_with("status")
        return (("the table of labels has none of them", n),) if n else ()

    def version(self) -> str:
        """A text that changes when games come in or are labelled, and when a run starts or stops."""
        run = self._opened.run
        return f"{self._table.changes}-{int(run is not None and run.live)}"

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
        return Page(len(rows), [table.row(int(game)) for game in shown], query.offset)

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
        key = (id(table), table.changes, query.filters, query.sort, query.descending, query.jump)
        with self._lock:
            rows = self._found.get(key)
        if rows is None:
            rows = found(table, query, self._base)
            with self._lock:
                while len(self._found) >= _REMEMBERED:
                    del self._found[next(iter(self._found))]
                self._found[key] = rows
        return table, rows

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
        run, given = self._opened.run, self._opened.labels
        try:
            labels: Sequence[Mapping[Any, Any]] | None = None
            if given is None and not self._opened.may_change:
                labels = table.labels(place)
            elif given is not None:
                labels = given[given["game_id"].astype(str) == game_id].to_dict("records")
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


def _coin_of(origin: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What a table of labels says of fair coins."""
    summary = origin.get("summary")
    coin = summary.get("coin") if isinstance(summary, Mapping) else None
    return coin if isinstance(coin, Mapping) else None
