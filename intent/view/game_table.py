"""All games and seats of a library as columns in memory.

Games that meet a query, in its order; by default those first in which most happens.

Games far out: most deviations, worst fit, highest and lowest payoff.

How many rows have each value of a column, among those that a query leaves.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from intent.base.errors import UnknownNameError
from intent.view.columns import SeatColumn, accepted, arrow_column, column_facts, empty_column
from intent.view.query import Filter, Query
from intent.view.strips import WIDTH, Marks, SeatMoves

__all__ = [
    "MOST_EXTREME",
    "GameTable",
    "extreme_games",
    "interest",
    "matching_rows",
    "meeting",
    "value_counts",
]


LIMIT_CELL = 200
"""Most characters of a value in a list of games."""

_HIDDEN = ("game_id", "payoffs")


class GameTable:
    """Columns of games, of seats, and of what is computed for seats.

    Parameters
    ----------
    games, seats : Table with game_id
    seat_game, seat_number : (n_seats,) row of the game of each seat
    computed : mapping of name -> "text", "list", "number", "whole" or "bool"
        Columns of labels and sums, null until `fill`. A column of the log of such a name is kept as
        ``<name>_in_log``.

    Attributes
    ----------
    ids : list of n_games str
    games : dict of name -> SeatColumn of n_games rows
    seats, computed : dict of name -> SeatColumn of n_seats rows
    players : DataFrame of n_seats rows
        Who sits there: model, strategy and focal, as far as the log has them.
    seat_game, seat_number : (n_seats,)
    kind_of_game : (n_games,), a number for each name and payoff table
    done : (n_games,) bool, games that have been labelled and summed
    changes : int, goes up with every change
    marks : Marks of the seats' moves
    """

    def __init__(
        self, games: pa.Table, seats: pa.Table, seat_game: NDArray[np.intp], computed: Mapping[str, str]
    ) -> None:
        self.ids: list[str] = games["game_id"].cast(pa.large_string()).to_pylist()
        self._place: dict[str, int] | None = None
        self.seat_game = seat_game
        self.games = {
            _renamed(n, computed): arrow_column(games[n], n) for n in games.column_names if n not in _HIDDEN
        }
        self.seats = {
            _renamed(n, computed): arrow_column(seats[n], n) for n in seats.column_names if n not in _HIDDEN
        }
        who = [n for n in ("model", "strategy", "focal") if n in seats.column_names]
        self.players = pd.DataFrame({n: seats[n].to_pandas() for n in who}, index=range(len(seat_game)))
        kinds = [arrow_column(games[n], n).values for n in ("game", "payoffs") if n in games.column_names]
        _, kind = np.unique(np.array(kinds).reshape(len(kinds), -1), axis=1, return_inverse=True)
        self.kind_of_game = kind.ravel()  # numpy 2.0 keeps the axes
        n = len(seat_game)
        self.computed = {name: _empty(kind, n) for name, kind in computed.items()}
        self.done = np.zeros(len(self.ids), dtype=bool)
        self.changes = 0
        self.marks = Marks(n, _longest(self.games))
        order = np.argsort(seat_game, kind="stable")
        self._order = order
        self._starts = np.searchsorted(seat_game[order], np.arange(len(self.ids) + 1))
        number = seats["seat"].cast(pa.int64()).to_numpy()
        self.seat_number: NDArray[np.int64] = number
        self._width = int(number.max(initial=0)) + 1
        self._seat_key = seat_game * self._width + number
        self._by_key = np.argsort(self._seat_key, kind="stable")

    def __len__(self) -> int:
        return len(self.ids)

    def place(self, game_id: str) -> int | None:
        """Row of a game; None where there is none of that name."""
        if self._place is None:
            self._place = {name: i for i, name in enumerate(self.ids)}
        return self._place.get(game_id)

    def seat_rows(self, game: int) -> NDArray[np.intp]:
        """Rows of the seats of a game."""
        return self._order[self._starts[game] : self._starts[game + 1]]

    def column(self, name: str) -> tuple[Literal["games", "seats", "labels"], SeatColumn] | None:
        """Where a column stands, and the column; of one name in several tables, that of the games first."""
        for table, columns in (("games", self.games), ("seats", self.seats), ("labels", self.computed)):
            if name in columns:
                return cast(Any, table), columns[name]
        return None

    def columns(self) -> dict[str, tuple[Literal["games", "seats", "labels"], SeatColumn]]:
        """All columns that hold something, and where they stand."""
        names = dict.fromkeys([*self.games, *self.seats, *self.computed])
        places = {name: place for name in names if (place := self.column(name)) is not None}
        return {name: place for name, place in places.items() if _holds(place[1])}

    def rows_of(self, keys: pd.DataFrame) -> NDArray[np.intp]:
        """Row of each game_id and seat of a table, -1 where there is none."""
        if self._place is None:
            self.place("")
        assert self._place is not None
        place = self._place
        game = np.array([place.get(g, -1) for g in keys["game_id"].astype(str).tolist()], dtype=np.intp)
        seat = pd.to_numeric(keys["seat"], errors="coerce").fillna(-1).to_numpy(dtype=float)
        fits = (game >= 0) & (seat >= 0) & (seat < self._width)
        wanted = np.where(fits, game * self._width + np.where(fits, seat, 0).astype(np.intp), -1)
        sorted_keys = self._seat_key[self._by_key]
        if not len(sorted_keys):
            return np.full(len(wanted), -1, dtype=np.intp)
        at = np.minimum(np.searchsorted(sorted_keys, wanted), len(sorted_keys) - 1)
        return np.where(sorted_keys[at] == wanted, self._by_key[at], -1).astype(np.intp)

    def fill(self, table: pd.DataFrame) -> int:
        """Set computed columns from a table with game_id and seat; the number of rows that fit no seat."""
        rows = self.rows_of(table)
        known = rows >= 0
        for name, column in self.computed.items():
            if name in table.columns:
                column.fill(rows[known], table[name][known])
        self.changes += 1
        return int((~known).sum())

    def finish(self, games: NDArray[np.intp]) -> None:
        """Count games as gone through; who reads after the change that this makes knows it of all of them."""
        self.done[games] = True
        self.changes += 1

    def n_with(self, name: str) -> int:
        """Games of which a seat has a value in a computed column."""
        column = self.computed[name]
        values, _ = column.snapshot()
        known = ~np.isnan(values) if column.kind == "number" else values >= 0
        return int(np.count_nonzero(np.bincount(self.seat_game[known], minlength=len(self.ids))))

    def carry(self, older: GameTable, changed: set[str]) -> None:
        """Take over what an older table of the same columns has computed, changed games aside."""
        game = older.seat_game
        keep = np.array([name not in changed for name in older.ids], dtype=bool)
        keys = pd.DataFrame(
            {"game_id": pd.array(older.ids, dtype=object).take(game), "seat": older.seat_number}
        )
        rows = np.where(keep[game], self.rows_of(keys), -1)
        known = rows >= 0
        for name, column in self.computed.items():
            before = older.computed[name]
            values, names = before.snapshot()
            if before.is_coded:
                values = np.append(column.places(names), -1)[values]
            column.values[rows[known]] = values[known]
        wide = min(self.marks.codes.shape[1], older.marks.codes.shape[1])
        self.marks.codes[rows[known], :wide] = older.marks.codes[known, :wide]
        self.marks.n_moves[rows[known]] = older.marks.n_moves[known]
        self.done[self.seat_game[rows[known]]] = older.done[game[known]]
        self.changes = older.changes + 1

    def labels(self, game: int) -> list[dict[str, Any]] | None:
        """The labels of the seats of a game, those that have one; None before they are computed."""
        if not self.done[game]:
            return None
        rows = [int(row) for row in self.seat_rows(game)]
        cells = [{name: column.cell(row) for name, column in self.computed.items()} for row in rows]
        numbers = [int(self.seat_number[row]) for row in rows]
        return [
            {"seat": seat, **label}
            for seat, label in zip(numbers, cells, strict=True)
            if label["status"] is not None
        ]

    def moves_of(self, games: Sequence[int]) -> dict[int, list[SeatMoves]]:
        """The moves of the seats of games, those left out of which more is to be read than their marks."""
        rows = {game: self.seat_rows(game) for game in games}
        every = np.concatenate([*rows.values(), np.empty(0, dtype=np.intp)])
        whole = dict(zip(every.tolist(), self.marks.whole(every).tolist(), strict=True))
        codes, count = self.marks.codes, self.marks.n_moves
        return {
            game: [SeatMoves(codes[row, : count[row]].tobytes()) for row in own]
            for game, own in rows.items()
            if all(whole[row] for row in own.tolist())
        }

    def row(self, game: int) -> dict[str, Any]:
        """A game as a page lists it: its columns, and those of its seats."""
        values: dict[str, Any] = {"game_id": self.ids[game]}
        values |= {name: _bounded(column.cell(game)) for name, column in self.games.items()}
        values["seats"] = [
            {
                name: _bounded(column.cell(int(row)))
                for name, column in (*self.seats.items(), *self.computed.items())
            }
            for row in self.seat_rows(game)
        ]
        return values


def _longest(games: Mapping[str, SeatColumn]) -> int:
    """Rounds of the longest game, as far as the table says."""
    rounds = games.get("rounds_played")
    if rounds is None or rounds.kind != "number" or not (rounds.values >= 0).any():
        return WIDTH
    return int(np.nanmax(rounds.values))


def _renamed(name: str, computed: Mapping[str, str]) -> str:
    return f"{name}_in_log" if name in computed else name


def _empty(kind: str, n: int) -> SeatColumn:
    if kind == "whole":
        return empty_column("number", n, whole=True)
    return empty_column(cast(Any, kind), n)


def _holds(column: SeatColumn) -> bool:
    if column.kind == "number":
        return not bool(np.isnan(column.values).all())
    return bool((column.values >= 0).any())


def _bounded(cell: Any) -> Any:
    if isinstance(cell, str) and len(cell) > LIMIT_CELL:
        return cell[: LIMIT_CELL - 1] + "…"
    if isinstance(cell, list):
        return [_bounded(item) for item in cell[:LIMIT_CELL]]
    return cell


MOST_EXTREME = 100
"""Most games that are called extreme."""

_LEAST_SPREAD = 1e-12


def extreme_games(table: GameTable, among: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Rows of the games that stand out among some, the one that stands out most first.

    Four orders of the seats: by deviations from the best strategy, by its fit, and by the payoff per move,
    from above and from below, in standard deviations within games of one name and payoff table. A game stands
    where its best place in any of them is; equal places in the order of the log.

    Parameters
    ----------
    table : GameTable
    among : (n_games,) bool
    """
    best = np.full(len(table), np.inf)
    considered = among[table.seat_game]
    payoff = _standardised(table)
    missed, fit = table.computed["n_deviations"].values, table.computed["fit_p"].values
    orders = (np.where(missed > 0, -missed, np.nan), np.where(fit < 1, fit, np.nan), -payoff, payoff)
    for order in orders:
        known = np.flatnonzero(considered & ~np.isnan(order))
        if not len(known):
            continue
        _, place = np.unique(order[known], return_inverse=True)
        first = np.concatenate([[0], np.cumsum(np.bincount(place))])[place]
        np.minimum.at(best, table.seat_game[known], first)
    rows = np.flatnonzero(np.isfinite(best))
    return rows[np.argsort(best[rows], kind="stable")][:MOST_EXTREME]


def _standardised(table: GameTable) -> NDArray[np.float64]:
    """Payoff per move of each seat, centred and scaled within games of one name and payoff table.

    NaN where all seats of such games have the same.
    """
    payoff = table.computed["mean_payoff"].values.copy()
    codes = table.kind_of_game[table.seat_game]
    known = ~np.isnan(payoff)
    count = np.maximum(np.bincount(codes[known], minlength=codes.max(initial=0) + 1), 1)
    mean = np.bincount(codes[known], payoff[known], minlength=len(count)) / count
    away = payoff - mean[codes]
    spread = np.sqrt(np.bincount(codes[known], away[known] ** 2, minlength=len(count)) / count)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(spread[codes] > _LEAST_SPREAD, away / spread[codes], np.nan)


def interest(table: GameTable) -> NDArray[np.float64]:
    """How much happens in each game, (n_games,) float from 0 to 2; -1 where that is not known.

    The mean over its seats of 4 r (1 - r), r the share of moves that cooperate: 1 where both moves are as
    frequent, 0 where one alone is played; plus the distance between the highest and the lowest r.
    """
    rate = table.computed["cooperation_rate"].values
    known = ~np.isnan(rate)
    game, rate = table.seat_game[known], rate[known]
    n = np.bincount(game, minlength=len(table))
    varied = np.bincount(game, 4 * rate * (1 - rate), minlength=len(table)) / np.maximum(n, 1)
    high, low = np.zeros(len(table)), np.ones(len(table))
    np.maximum.at(high, game, rate)
    np.minimum.at(low, game, rate)
    return np.where(n > 0, varied + high - low, -1.0)


Rows = NDArray[np.intp]
Flags = NDArray[np.bool_]


def matching_rows(table: GameTable, query: Query, base: tuple[Filter, ...] = ()) -> Rows:
    """Rows of the games that a query finds, all of them, in its order.

    Parameters
    ----------
    table : GameTable
    query : Query, whose offset and limit do not matter here
    base : tuple of Filter
        Conditions that hold beside those of the query.

    Raises
    ------
    UnknownNameError
        A column that does not exist.
    """
    jump: tuple[Filter, ...] = ()
    if query.jump not in (None, "extreme"):
        jump = (Filter("status", "=", str(query.jump)),)
    games, seats = meeting(table, base, query.filters, jump)
    if query.jump == "extreme":
        rows = extreme_games(table, games)
        return rows if query.sort is None else _sorted(table, query, np.sort(rows), seats)
    return _sorted(table, query, np.flatnonzero(games), seats)


def meeting(table: GameTable, *conditions: tuple[Filter, ...]) -> tuple[Flags, Flags]:
    """Games that meet all conditions (n_games,), and the seats by which they do (n_seats,).

    Within each set of conditions, those with "=" on one column are alternatives.

    Raises
    ------
    UnknownNameError
        A column that does not exist.
    """
    games = np.ones(len(table), dtype=bool)
    seats = np.ones(len(table.seat_game), dtype=bool)
    for group in (group for filters in conditions for group in _alternatives(filters)):
        name = group[0].column
        if name == "game_id":
            games &= np.any([_ids(table, one) for one in group], axis=0)
            continue
        where, column = _column(table, name)
        flags = np.any([accepted(column, one) for one in group], axis=0)
        if where == "games":
            games &= flags
        else:
            seats &= flags
    if not seats.all():
        games &= _any_seat(table, seats)
    return games, seats & games[table.seat_game]


def _alternatives(filters: tuple[Filter, ...]) -> list[list[Filter]]:
    """Filters of which one must hold, for each of the groups that must hold together."""
    groups: dict[str, list[Filter]] = defaultdict(list)
    for place, one in enumerate(filters):
        groups[one.column if one.op == "=" else f"\0{place}"].append(one)
    return list(groups.values())


def _column(table: GameTable, name: str) -> tuple[str, SeatColumn]:
    where = table.column(name)
    if where is None:
        known = dict.fromkeys(["game_id", *table.games, *table.seats, *table.computed])
        raise UnknownNameError("column", name, known)
    return where


def _any_seat(table: GameTable, seats: Flags) -> Flags:
    return np.bincount(table.seat_game[seats], minlength=len(table)).astype(bool)


def _ids(table: GameTable, one: Filter) -> Flags:
    codes = np.arange(len(table), dtype=np.int32)
    return accepted(SeatColumn("text", codes, table.ids), one)


def _sorted(table: GameTable, query: Query, rows: Rows, seats: Flags) -> Rows:
    """The rows by the column to sort by, null last; of a seat column, the first of the seats that met."""
    if query.sort is None:
        if query.order == "interest":
            rows = rows[np.argsort(-interest(table)[rows].round(9), kind="stable")]
        return rows[::-1] if query.descending else rows
    by_game = True
    if query.sort == "game_id":
        key = _ranks(SeatColumn("text", np.arange(len(table), dtype=np.int32), table.ids))
    else:
        where, column = _column(table, query.sort)
        key, by_game = _ranks(column), where == "games"
    key = -key if query.descending else key
    key = np.where(np.isnan(key), np.inf, key)
    if not by_game:
        lowest = np.full(len(table), np.inf)
        np.minimum.at(lowest, table.seat_game[seats], key[seats])
        key = lowest
    return rows[np.argsort(key[rows], kind="stable")]


def _ranks(column: SeatColumn) -> NDArray[np.float64]:
    """Numbers in the order of the values; texts in the order of their letters, case aside; null is NaN."""
    values, names = column.snapshot()
    if column.is_coded:
        order = sorted(range(len(names)), key=lambda i: (names[i].casefold(), names[i]))
        rank = np.full(len(names) + 1, np.nan)
        rank[order] = np.arange(len(names))
        ranks: NDArray[np.float64] = rank[values]
        return ranks
    if column.kind == "bool":
        return np.where(values < 0, np.nan, values.astype(float))
    numbers: NDArray[np.float64] = values
    return numbers


_Masks = tuple[NDArray[np.bool_], NDArray[np.bool_]]


def value_counts(table: GameTable, query: Query, base: tuple[Filter, ...] = ()) -> dict[str, dict[str, int]]:
    """Rows with each value of each column that has few, as they would be found if it were asked for.

    Conditions on a column are alternatives to each other, so those of the column itself do not narrow its
    own counts; those of all other columns, and the jump, do. Values that no row is left of are not named.

    Parameters
    ----------
    table : GameTable
    query : Query, whose order, offset and limit do not matter here
    base : tuple of Filter
        Conditions that hold beside those of the query.

    Returns
    -------
    dict of column -> value -> games (seats, for a column of seats or labels); "" stands for null

    Raises
    ------
    UnknownNameError
        A column that does not exist.
    """
    filtered = {one.column for one in query.filters}
    every = _left(table, query, base, query.filters)
    counts = {}
    for name, (where, column) in table.columns().items():
        games, seats = every
        if name in filtered:
            others = tuple(one for one in query.filters if one.column != name)
            games, seats = _left(table, query, base, others)
        facts = column_facts(name, where, column, games if where == "games" else seats, most=None)
        if facts.kind in ("category", "bool"):
            counts[name] = {**dict(facts.values), **({"": facts.n_null} if facts.n_null else {})}
    return counts


def _left(table: GameTable, query: Query, base: tuple[Filter, ...], filters: tuple[Filter, ...]) -> _Masks:
    """Games and seats that the jump and some filters leave."""
    if query.jump == "extreme":
        games, seats = meeting(table, base, filters)
        far: NDArray[Any] = np.zeros(len(table), dtype=bool)
        far[matching_rows(table, Query(filters, jump="extreme"), base)] = True
        return games & far, seats & far[table.seat_game]
    jump = (Filter("status", "=", query.jump),) if query.jump else ()
    return meeting(table, base, filters, jump)
