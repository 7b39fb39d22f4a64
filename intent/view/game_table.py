"""All games and seats of a library as columns in memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, cast

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from intent.view.column import SeatColumn, arrow_column, empty_column

__all__ = ["GameTable"]

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
    seat_game, seat_number : (n_seats,)
    kind_of_game : (n_games,), a number for each name and payoff table
    done : (n_games,) bool, games that have been labelled and summed
    changes : int, goes up with every change
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
        kinds = [arrow_column(games[n], n).values for n in ("game", "payoffs") if n in games.column_names]
        self.kind_of_game = np.unique(np.array(kinds).reshape(len(kinds), -1), axis=1, return_inverse=True)[1]
        n = len(seat_game)
        self.computed = {name: _empty(kind, n) for name, kind in computed.items()}
        self.done = np.zeros(len(self.ids), dtype=bool)
        self.changes = 0
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
        found = {name: place for name in names if (place := self.column(name)) is not None}
        return {name: place for name, place in found.items() if _holds(place[1])}

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
        self.done[self.seat_game[rows[known]]] = older.done[game[known]]
        self.changes = older.changes + 1

    def labels(self, game: int) -> list[dict[str, Any]] | None:
        """The labels of the seats of a game, those that have one; None before they are computed."""
        if not self.done[game]:
            return None
        rows = [int(row) for row in self.seat_rows(game)]
        found = [{name: column.cell(row) for name, column in self.computed.items()} for row in rows]
        numbers = [int(self.seat_number[row]) for row in rows]
        return [
            {"seat": seat, **told}
            for seat, told in zip(numbers, found, strict=True)
            if told["status"] is not None
        ]

    def row(self, game: int) -> dict[str, Any]:
        """A game as a page lists it: its columns, and those of its seats."""
        told: dict[str, Any] = {"game_id": self.ids[game]}
        told |= {name: _bounded(column.cell(game)) for name, column in self.games.items()}
        told["seats"] = [
            {
                name: _bounded(column.cell(int(row)))
                for name, column in (*self.seats.items(), *self.computed.items())
            }
            for row in self.seat_rows(game)
        ]
        return told


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
