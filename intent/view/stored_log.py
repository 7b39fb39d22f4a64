"""A log on disk, of which only what is looked at is read."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from intent.errors import DataError, located, shorten
from intent.files.archive import read_member
from intent.files.parquet import parquet_rows
from intent.logs.gamelog import GameLog
from intent.logs.migrate import ALIKE
from intent.logs.stores.layout import FACTS, describe, load_facts, rebuild
from intent.view.arrow_tables import batches, check_seats, coded_table, pandas_frame
from intent.view.rows_by_game import RowsByGame

__all__ = ["StoredLog", "is_current_folder"]

_PATIENCE = 1.0
"""Seconds to wait for the copy of the moves, before searching for those of a game takes less time."""

_ROUNDS = 200_000
"""Rounds of the games that are gone through at a time, where games are long."""

_ID = pa.large_string()


class StoredLog:
    """Games and seats in memory, moves and questions game by game.

    Parameters
    ----------
    games, seats : Table
    facts : as `intent.logs.stores.layout.describe`
    parts : mapping of ``"moves"`` and perhaps ``"questions"`` -> Parquet file, or table

    Raises
    ------
    DataError
        Games without or with the same identifier, or seats of no game.

    Attributes
    ----------
    games, seats : Table
    seat_game : (n_seats,) row in `games` of each seat
    """

    chunk = 1_000

    def __init__(
        self, games: pa.Table, seats: pa.Table, facts: dict[str, Any], parts: dict[str, Path | pa.Table]
    ) -> None:
        self.games, self.seats, self._facts, self._parts = games, seats, facts, parts
        for name, table in (("games", games), ("seats", seats)):
            if "game_id" not in table.column_names or table["game_id"].null_count:
                raise DataError(f"table {name} has no column 'game_id', or it is null somewhere")
        check_seats(seats)
        self.ids: pa.Array = (
            pa.concat_arrays(games["game_id"].cast(_ID).chunks) if len(games) else pa.array([], _ID)
        )
        if pc.count_distinct(self.ids).as_py() != len(games):
            raise DataError("a game_id occurs twice, expected unique identifiers")
        found = pc.index_in(seats["game_id"].cast(_ID), value_set=self.ids)
        if found.null_count:
            raise DataError("table seats has rows of no game")
        self.seat_game: NDArray[np.intp] = found.to_numpy().astype(np.intp)
        self._seats_by_game = np.argsort(self.seat_game, kind="stable")
        self._seat_starts = np.searchsorted(self.seat_game[self._seats_by_game], np.arange(len(games) + 1))
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._rows: dict[str, RowsByGame] = {}
        self.notes: list[str] = []
        self._lock = threading.Lock()
        self.chunk = max(1, min(self.chunk, _ROUNDS // _longest(games)))

    @classmethod
    def of_folder(cls, folder: Path) -> StoredLog:
        """A Parquet folder, of which the moves are left where they are.

        Raises
        ------
        DataError
            It is none, or damaged.
        """
        facts = load_facts(read_member(folder, FACTS, bound="object_bytes"))
        try:
            games, seats = (coded_table(folder, name) for name in ("games", "seats"))
            parts: dict[str, Path | pa.Table] = {
                name: folder / f"{name}.parquet"
                for name in ("moves", "questions")
                if (folder / f"{name}.parquet").is_file()
            }
            if "moves" not in parts:
                raise DataError(located(folder, "no table moves"))
            return cls(games, seats, facts, parts)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise DataError(located(folder, f"no readable Parquet: {shorten(error, 200)}")) from None

    @classmethod
    def of_log(cls, log: GameLog) -> StoredLog:
        """A log in memory; it can be let go once `prepare` has run."""
        tables = {
            name: pa.Table.from_pandas(table, preserve_index=False).replace_schema_metadata(None)
            for name, table in log.tables().items()
        }
        parts: dict[str, Path | pa.Table] = {n: t for n, t in tables.items() if n in ("moves", "questions")}
        return cls(tables["games"], tables["seats"], describe(log), parts)

    @property
    def provenance(self) -> dict[str, Any]:
        """Facts on where the log comes from."""
        return dict(self._facts.get("provenance") or {})

    @property
    def ready(self) -> bool:
        """Whether any game can be had at once."""
        return bool(self._rows)

    def prepare(self) -> None:
        """Copy moves and questions to a temporary file from which any game is read at once.

        Some seconds for millions of moves; until then `log` finds its rows by reading through the file.

        Raises
        ------
        DataError
            They are damaged, or do not fit on the disk.
        """
        with self._lock:
            if self._rows:
                return
            self._folder = tempfile.TemporaryDirectory(prefix="intent-view-", ignore_cleanup_errors=True)
            folder = Path(self._folder.name)
            try:
                rows = {
                    name: RowsByGame.build(batches(part), self.ids, folder / name)
                    for name, part in self._parts.items()
                }
            except (pa.ArrowException, OSError) as error:
                raise DataError(f"the moves cannot be read: {shorten(error, 200)}") from None
            self._rows, self._parts = rows, {}

    def refresh(self, most: int = 0) -> set[str] | None:
        """Nothing changes."""
        return None

    def log(self, games: Sequence[int] | NDArray[np.intp]) -> GameLog:
        """Some games, by their rows, as a log of their own.

        Raises
        ------
        DataError
            The tables contradict each other.
        """
        places = np.asarray(games, dtype=np.intp)
        seats = [self._seats_by_game[self._seat_starts[g] : self._seat_starts[g + 1]] for g in places]
        tables = {
            "games": pandas_frame(self.games.take(pa.array(places, pa.int64()))),
            "seats": pandas_frame(
                self.seats.take(pa.array(np.concatenate(seats) if seats else places, pa.int64()))
            ),
        }
        self._await()
        parts, rows = self._parts, self._rows
        for name in rows or parts:
            tables[name] = self._indexed(rows[name], places) if rows else self._searched(parts[name], places)
        facts = {**self._facts, "columns": {n: c for n, c in self._facts["columns"].items() if n in tables}}
        return rebuild(tables, facts)

    def _await(self) -> None:
        """Let the copying end, if it is under way and near its end."""
        if not self._rows and self._lock.acquire(timeout=_PATIENCE):
            self._lock.release()

    def _indexed(self, rows: RowsByGame, places: NDArray[np.intp]) -> pd.DataFrame:
        table, owner = rows.rows(places)
        return pandas_frame(
            table.append_column("game_id", self.ids.take(pa.array(places[owner], pa.int64())))
        )

    def _searched(self, part: Path | pa.Table, places: NDArray[np.intp]) -> pd.DataFrame:
        wanted = self.ids.take(pa.array(places, pa.int64()))
        if isinstance(part, Path):
            return pandas_frame(parquet_rows(part, "game_id", wanted.to_pylist()))
        return pandas_frame(part.filter(pc.is_in(part["game_id"].cast(_ID), value_set=wanted)))

    def close(self) -> None:
        """Remove the temporary files."""
        with self._lock:
            self._rows = {}
            if self._folder is not None:
                self._folder.cleanup()
                self._folder = None


def _longest(games: pa.Table) -> int:
    """Rounds of the longest game, as far as the table says."""
    if "rounds_played" not in games.column_names or not pa.types.is_integer(games["rounds_played"].type):
        return 1
    return max(1, pc.max(games["rounds_played"]).as_py() or 1)


def is_current_folder(folder: Path) -> bool:
    """Whether this is a Parquet folder in the present layout, which can be read in parts."""
    if not folder.is_dir() or not (folder / "games.parquet").is_file():
        return False
    facts = load_facts(read_member(folder, FACTS, bound="object_bytes"))
    return bool(facts["intent_log"] in ALIKE)
