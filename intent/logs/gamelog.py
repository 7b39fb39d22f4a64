"""GameLog: what happened, in three tables that every later layer reads; rows that could not be read."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base import codebook
from intent.base.errors import DataError, LimitError, UnknownNameError, located, shorten, unit_of
from intent.base.files import beyond, bounds
from intent.base.tables import TEXT, conform, empty_table, write_table
from intent.logs.trajectories import Trajectories, unseen_errors

__all__ = [
    "KEY_GAME_COLUMNS",
    "KEY_SEAT_COLUMNS",
    "GameLog",
    "Rejects",
    "accepted_rows",
    "as_options",
    "check_moves",
    "check_seats",
    "concat_logs",
    "matches",
    "write_rejects",
]


_TEXT = 200


class Rejects:
    """Collects the rejected rows of one file.

    Parameters
    ----------
    file : str or Path
    strict : bool
        Whether one rejected row is an error.
    """

    def __init__(self, file: str | Path, *, strict: bool = False) -> None:
        self.file, self.strict = Path(file), strict
        self._rows: list[tuple[int | None, str, str]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, line: int | None, reason: str, text: str | Callable[[], str] = "") -> None:
        """Reject a row: its line in the file (from 1), what is wrong, and the beginning of it."""
        self.expect(1)
        quoted = text if isinstance(text, str) else text()
        self._rows.append((line, reason, shorten(quoted, _TEXT)))

    def extend(self, others: Rejects) -> None:
        """Reject rows that were rejected elsewhere."""
        self.expect(len(others))
        for line, reason, text in others._rows:
            self.add(line, reason, text)

    def expect(self, n: int) -> None:
        """Make sure that so many rows more may be rejected; call it before long work on them.

        Raises
        ------
        LimitError
            More rows cannot be read than ``rejects`` of `Bounds` allows to list.
        """
        if len(self._rows) + n > bounds().rejects:
            first = f"; the first: {self._rows[0][1]}" if self._rows else ""
            what = f"{len(self._rows) + n:,} rows and more cannot be read{first}"
            raise beyond(self.file, what, "rejects", self._rows[0][0] if self._rows else None)

    def table(self, n_read: int) -> pd.DataFrame:
        """The rejected rows by line, as `codebook.REJECTS`.

        Parameters
        ----------
        n_read : int
            Rows that could be read.

        Raises
        ------
        DataError
            Rows were rejected and reading is strict, or not one row could be read.
        """
        rows = sorted(self._rows, key=lambda row: row[0] or 0)
        if rows and self.strict:
            raise DataError(located(self.file, rows[0][1], rows[0][0]))
        if rows and not n_read:
            first = f"the first in {unit_of(self.file)} {rows[0][0]}" if rows[0][0] else "the first"
            raise DataError(
                located(self.file, f"not one of {len(rows):,} rows can be read; {first}: {rows[0][1]}")
            )
        return pd.DataFrame(
            {
                "file": pd.Series([str(self.file)] * len(rows), dtype=TEXT),
                "line": pd.Series([row[0] for row in rows], dtype="Int64"),
                "reason": pd.Series([row[1] for row in rows], dtype=TEXT),
                "text": pd.Series([row[2] for row in rows], dtype=TEXT),
            },
            columns=[column.name for column in codebook.REJECTS],
        )


def write_rejects(rejects: pd.DataFrame, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write the rejected rows of a log as a table; the suffix of the path says how."""
    return write_table(rejects, path, {"table": "rejects"}, overwrite=overwrite)


Codes = NDArray[np.intp]


def check_seats(seats: pd.DataFrame, game: Codes) -> None:
    """Every seat belongs to a game, is numbered from 1, and is listed once.

    Parameters
    ----------
    seats : DataFrame as `codebook.SEATS`
    game : (n_seats,) row in games, -1 where there is none

    Raises
    ------
    DataError
        One of these does not hold.
    """
    _belongs(seats, game, "seats")
    number = seats["seat"].to_numpy(dtype=np.intp)
    if (number < 1).any():
        raise DataError(f"table seats: seat {number[number < 1][0]}, expected numbers from 1")
    at = _repeated([game, number])
    if at is not None:
        raise DataError(f"table seats lists seat {number[at]} of game {seats['game_id'].iloc[at]!r} twice")


_PLACES = 16
"""Places of seats for each move up to which a table of them is faster than a search."""


def check_moves(moves: pd.DataFrame, game: Codes, seats: pd.DataFrame, seat_game: Codes) -> None:
    """Every move belongs to a listed seat, in a round and step from 1, and is recorded once.

    Parameters
    ----------
    moves : DataFrame as `codebook.MOVES`
    game : (n_moves,) row in games, -1 where there is none
    seats : DataFrame as `codebook.SEATS`
    seat_game : (n_seats,) row in games

    Raises
    ------
    DataError
        One of these does not hold.
    """
    _belongs(moves, game, "moves")
    if not len(moves):
        return
    numbers = {name: moves[name].to_numpy(dtype=np.intp) for name in ("round", "step", "seat")}
    for name, values in numbers.items():
        if values.min() < 1:
            raise DataError(f"table moves: {name} {values.min()}, expected numbers from 1")
    listed = seats["seat"].to_numpy(dtype=np.intp)
    width = int(max(listed.max(initial=0), numbers["seat"].max())) + 1
    known, place = seat_game * width + listed, game * width + numbers["seat"]
    size = (int(game.max()) + 1) * width
    if size <= _PLACES * len(place):
        there = np.zeros(size, dtype=bool)
        there[known[(known >= 0) & (known < size)]] = True
        stray = np.flatnonzero(~there[place])
    else:
        stray = np.flatnonzero(~np.isin(place, known))
    if len(stray):
        at = int(stray[0])
        raise DataError(
            f"table moves: seat {numbers['seat'][at]} of game {moves['game_id'].iloc[at]!r} "
            "is not listed in table seats"
        )
    repeated = _repeated([game, numbers["round"], numbers["step"], numbers["seat"]])
    if repeated is not None:
        raise DataError(
            f"table moves has two moves of seat {numbers['seat'][repeated]} in round "
            f"{numbers['round'][repeated]} of game {moves['game_id'].iloc[repeated]!r}"
        )


def _belongs(table: pd.DataFrame, game: Codes, name: str) -> None:
    if (game < 0).any():
        stray = table["game_id"].iloc[int(np.flatnonzero(game < 0)[0])]
        raise DataError(f"table {name} refers to game_id {stray!r}, which table games does not have")


def _repeated(columns: list[Codes]) -> int | None:
    """Row of a combination that occurred before, None where all differ."""
    spans = [int(values.max(initial=0)) + 1 for values in columns]
    narrow = math.prod(spans) < 2**31
    key: NDArray[Any] = np.zeros(len(columns[0]), dtype=np.int32 if narrow else np.int64)
    for values, span in zip(columns, spans, strict=True):
        key *= span
        key += values.astype(key.dtype, copy=False)
    if (key[1:] > key[:-1]).all():
        return None
    order = np.argsort(key, kind="stable")
    same = np.flatnonzero(np.diff(key[order]) == 0)
    return int(order[same[0] + 1]) if len(same) else None


def matches(column: pd.Series[Any], values: Sequence[str]) -> NDArray[np.bool_]:
    """(n,), whether each value, as text, is one of `values` (numbers and truth values by value)."""
    wanted = {str(v) for v in values}
    if column.dtype == object and pd.api.types.infer_dtype(column, skipna=True) == "boolean":
        column = column.astype("boolean")
    if pd.api.types.is_bool_dtype(column.dtype):
        names = {True: {"true", "1", "yes"}, False: {"false", "0", "no"}}
        folded = {w.casefold() for w in wanted}
        accepted = [truth for truth, texts in names.items() if texts & folded]
        return column.isin(accepted).to_numpy(dtype=bool)
    if pd.api.types.is_numeric_dtype(column.dtype):
        numbers = pd.to_numeric(pd.Series(sorted(wanted)), errors="coerce").dropna()
        return column.isin(numbers.tolist()).to_numpy(dtype=bool)
    return column.astype("string").isin(wanted).fillna(False).to_numpy(dtype=bool)


def accepted_rows(table: pd.DataFrame, conditions: Mapping[str, Sequence[str]]) -> NDArray[np.bool_]:
    """(n,), rows that have any of a column's values, for all of the columns.

    Raises
    ------
    UnknownNameError
        A column that the table does not have.
    """
    keep = np.ones(len(table), dtype=bool)
    for name, values in conditions.items():
        if name not in table.columns:
            raise UnknownNameError("column", name, map(str, table.columns))
        keep &= matches(table[name], values)
    return keep


def as_options(conditions: Mapping[str, Sequence[str]]) -> str:
    """Conditions as they were typed, for messages: ``game=chicken, seat=1``."""
    return ", ".join(f"{column}={value}" for column, values in conditions.items() for value in values)


KEY_GAME_COLUMNS = (
    "source",
    "game",
    "payoff_kind",
    "cooperative_action",
    "horizon_known",
    "language",
    "repetition",
    "run",
    "implementation_error",
)
KEY_SEAT_COLUMNS = ("player", "model", "persona", "architecture", "attitude", "strategy")


class GameLog:
    """Games, seats, moves and (optionally) comprehension questions.

    Parameters
    ----------
    games, seats, moves : DataFrame
        Tables as `codebook.GAMES`, `codebook.SEATS`, `codebook.MOVES`; columns that are absent are added as
        null where they may be. Further columns of games and seats are conditions.
    questions : DataFrame, optional
        As `codebook.QUESTIONS`.
    provenance : mapping, optional
        JSON-able facts on where the log comes from (source, format, sha256, settings).
    rejects : DataFrame, optional
        Rows of the source that could not be read, as `codebook.REJECTS`; not stored with the log.

    Raises
    ------
    DataError
        A required column is missing, a game_id occurs twice, a row refers to no game or seat, or a seat or
        move is listed twice.
    """

    def __init__(
        self,
        games: pd.DataFrame,
        seats: pd.DataFrame,
        moves: pd.DataFrame,
        questions: pd.DataFrame | None = None,
        *,
        provenance: Mapping[str, Any] | None = None,
        rejects: pd.DataFrame | None = None,
    ) -> None:
        self.games = conform(games, "games")
        ids = pd.Index(self.games["game_id"])
        if not ids.is_unique:
            raise DataError(f"game_id {ids[ids.duplicated()][0]!r} occurs twice, expected unique identifiers")
        self._ids = ids
        self.seats = conform(seats, "seats")
        self.moves = conform(moves, "moves", game_ids=ids)
        self.questions = None if questions is None else conform(questions, "questions")
        self.provenance: dict[str, Any] = dict(provenance or {})
        self.rejects = empty_table(codebook.REJECTS) if rejects is None else rejects
        seat_game = self._codes(self.seats)
        check_seats(self.seats, seat_game)
        check_moves(self.moves, self._codes(self.moves), self.seats, seat_game)

    def _codes(self, table: pd.DataFrame) -> NDArray[np.intp]:
        """Row in `games` of each row of another table (-1: none)."""
        column = table["game_id"]
        if isinstance(column.dtype, pd.CategoricalDtype):
            return np.asarray(column.cat.codes, dtype=np.intp)
        return np.asarray(self._ids.get_indexer(pd.Index(column)), dtype=np.intp)

    def __len__(self) -> int:
        return len(self.games)

    def __repr__(self) -> str:
        return f"GameLog({len(self.games)} games, {len(self.seats)} seats, {len(self.moves)} moves)"

    @property
    def conditions(self) -> list[str]:
        """Columns of games beyond the fixed ones."""
        fixed = {c.name for c in codebook.GAMES}
        return [c for c in self.games.columns if c not in fixed]

    @property
    def seat_conditions(self) -> list[str]:
        """Columns of seats beyond the fixed ones."""
        fixed = {c.name for c in codebook.SEATS}
        return [c for c in self.seats.columns if c not in fixed]

    def equals(self, other: GameLog) -> bool:
        """Whether all tables hold the same values (provenance and rejects aside)."""
        mine, theirs = self.tables(), other.tables()
        return mine.keys() == theirs.keys() and all(
            list(mine[k].columns) == list(theirs[k].columns) and mine[k].equals(theirs[k]) for k in mine
        )

    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables by name, questions only where there are any."""
        tables = {"games": self.games, "seats": self.seats, "moves": self.moves}
        if self.questions is not None:
            tables["questions"] = self.questions
        return tables

    def where(self, conditions: Mapping[str, Sequence[str]]) -> GameLog:
        """Games and seats that meet conditions: any of a column's values, all of the columns.

        A condition on a seat column keeps the other seats of its games, as not focal, so that the
        opponent's moves stay known.

        Parameters
        ----------
        conditions : mapping of column -> accepted values, compared as text

        Raises
        ------
        UnknownNameError
            A column that neither games nor seats have.
        """
        keep = np.ones(len(self.games), dtype=bool)
        focal = self.seats["focal"].to_numpy(dtype=bool).copy()
        seat_codes = self._codes(self.seats)
        for column, values in conditions.items():
            if column in self.games.columns:
                keep &= matches(self.games[column], values)
            elif column in self.seats.columns:
                focal &= matches(self.seats[column], values)
            else:
                known = dict.fromkeys([*self.games.columns, *self.seats.columns])
                raise UnknownNameError("column", column, known)
        keep &= np.bincount(seat_codes[focal], minlength=len(keep)).astype(bool)
        seats = self.seats.assign(focal=focal)[keep[seat_codes]]
        move_codes = self._codes(self.moves)
        questions = self.questions
        if questions is not None:
            questions = questions[keep[self._codes(questions)]]
        return GameLog(
            self.games[keep],
            seats,
            self.moves[keep[move_codes]],
            questions,
            provenance=self.provenance,
            rejects=self.rejects,
        )

    def has_cooperation(self) -> NDArray[np.bool_]:
        """(n_games,), True where some move is known to be cooperation or its opposite."""
        known = self.moves["cooperated"].notna().to_numpy()
        counts = np.bincount(self._codes(self.moves)[known], minlength=len(self.games))
        return counts > 0

    def skipped(self) -> dict[str, int]:
        """Reason -> number of games that can have no strategy labels."""
        missing = ~self.has_cooperation()
        if not missing.any():
            return {}
        undecidable = self.games["cooperative_action"].isna().to_numpy() & missing
        reasons = {
            "no cooperative action": int(undecidable.sum()),
            "no readable move": int((missing & ~undecidable).sum()),
        }
        return {reason: n for reason, n in reasons.items() if n}

    def trajectories(self, *, keep_defaulted: bool = False) -> Trajectories:
        """The play of every focal seat in games that have a cooperative action.

        Parameters
        ----------
        keep_defaulted : bool
            Whether a default that replaced an unreadable reply counts as the player's own move. If
            not, it is no evidence, though it stays part of the outcome that both players saw.

        Returns
        -------
        Trajectories
            In the order of the seats table, with `keys`. A player's decisions, where the log has them, and
            the implementation error of its game, where it has not, are those of the trajectory. Games with
            more than two players have `other_share` and an unknown `other`. Where a seat moves in several
            steps of a round, the first one with a known action counts.

        Raises
        ------
        LimitError
            Seats times rounds go beyond the bound that protects memory.
        """
        games, seats = self.games, self.seats
        seat_game = self._codes(seats)
        row_of, partner = _places(seat_game, seats["seat"].to_numpy(dtype=np.intp), len(games))
        grid, evidence, decided = self._grid(row_of, keep_defaulted)
        horizon = grid.shape[1]
        players = games["n_players"].to_numpy(dtype=np.intp)[seat_game]
        other = np.full_like(grid, -1)
        pairs = np.flatnonzero((players == 2) & (partner >= 0))
        other[pairs] = grid[partner[pairs]]
        share = None
        if (players > 2).any():
            known = (grid >= 0).astype(float)
            sums = np.zeros((len(games), horizon))
            counts = np.zeros((len(games), horizon))
            np.add.at(sums, seat_game, np.maximum(grid, 0))
            np.add.at(counts, seat_game, known)
            others = counts[seat_game] - known
            with np.errstate(invalid="ignore", divide="ignore"):
                share = (sums[seat_game] - np.maximum(grid, 0)) / others
            share[players == 2] = np.where(other >= 0, other, np.nan)[players == 2]

        chosen = np.flatnonzero(seats["focal"].to_numpy(dtype=bool) & self.has_cooperation()[seat_game])
        return Trajectories(
            grid[chosen],
            other[chosen],
            evidence=None if evidence is None else evidence[chosen],
            other_share=None if share is None else share[chosen],
            keys=self._keys(chosen, seat_game[chosen]),
            decided=None if decided is None else decided[chosen],
            implementation_error=self._errors(seat_game, decided, chosen),
        )

    def _errors(
        self, seat_game: NDArray[np.intp], decided: NDArray[np.int8] | None, chosen: NDArray[np.intp]
    ) -> NDArray[np.float64] | None:
        """Implementation error of seats (n,), 0 where decisions are recorded; None where no game has one."""
        if "implementation_error" not in self.games:
            return None
        errors = self.games["implementation_error"].to_numpy(dtype=float)[seat_game]
        return unseen_errors(errors, decided)[chosen]

    def _grid(
        self, row_of: NDArray[np.intp], keep_defaulted: bool
    ) -> tuple[NDArray[np.int8], NDArray[np.bool_] | None, NDArray[np.int8] | None]:
        """Moves (n_seats, T) as 1, 0, -1, which known ones count (None: all), and decisions (None: none)."""
        moves, n = self.moves, len(self.seats)
        at = moves["round"].to_numpy(dtype=np.intp) - 1
        horizon = int(at.max()) + 1 if len(at) else 0
        if n * horizon > bounds().moves:
            raise LimitError(
                f"{n:,} seats of up to {horizon:,} rounds are more than {bounds().moves:,} cells; "
                "one very long game makes all rows long: label it apart (--where)"
            )
        coded = moves["cooperated"].to_numpy(dtype=float, na_value=np.nan)
        value = np.where(np.isnan(coded), -1, coded).astype(np.int8)
        choice = None
        if "decided" in moves and moves["decided"].notna().any():
            chosen = moves["decided"].to_numpy(dtype=float, na_value=np.nan)
            choice = np.where(np.isnan(chosen), -1, chosen).astype(np.int8)
        defaulted = (moves["status"] == "defaulted").to_numpy()
        width = len(row_of) // max(len(self.games), 1)
        row = row_of[self._codes(moves) * width + moves["seat"].to_numpy(dtype=np.intp)]
        step = moves["step"].to_numpy(dtype=np.intp)
        if len(step) and step.max() > 1:
            known = np.flatnonzero(value >= 0)
            first_step_last = known[np.argsort(-step[known], kind="stable")]
            row, at, value = row[first_step_last], at[first_step_last], value[first_step_last]
            defaulted = defaulted[first_step_last]
            choice = None if choice is None else choice[first_step_last]
        grid = np.full((n, horizon), -1, dtype=np.int8)
        grid[row, at] = value
        decided = None
        if choice is not None:
            decided = np.full((n, horizon), -1, dtype=np.int8)
            decided[row, at] = choice
        if keep_defaulted or not defaulted.any():
            return grid, None, decided
        counts = np.ones(grid.shape, dtype=bool)
        counts[row, at] = ~defaulted
        return grid, counts, decided

    def _keys(self, seat_rows: NDArray[np.intp], game_rows: NDArray[np.intp]) -> pd.DataFrame:
        seats, games = self.seats, self.games
        data: dict[str, Any] = {"game_id": games["game_id"].take(game_rows).array}
        data["seat"] = seats["seat"].take(seat_rows).array
        for column in (*KEY_SEAT_COLUMNS, *self.seat_conditions):
            if seats[column].notna().any():
                data[column] = seats[column].take(seat_rows).array
        for column in (*KEY_GAME_COLUMNS, *self.conditions):
            if column not in data and column in games and games[column].notna().any():
                data[column] = games[column].take(game_rows).array
        return pd.DataFrame(data)


def _places(
    seat_game: NDArray[np.intp], number: NDArray[np.intp], n_games: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Row of seat s of game g at ``g * width + s`` (-1: none), and the row of each seat's only partner."""
    width = int(number.max(initial=0)) + 1
    row_of = np.full(n_games * width, -1, dtype=np.intp)
    rows = np.arange(len(number))
    row_of[seat_game * width + number] = rows
    partner = np.full(len(number), -1, dtype=np.intp)
    two = np.bincount(seat_game, minlength=n_games)[seat_game] == 2
    total = np.zeros(n_games, dtype=np.intp)
    np.add.at(total, seat_game[two], rows[two])
    partner[two] = total[seat_game[two]] - rows[two]
    return row_of, partner


def concat_logs(logs: Sequence[GameLog], *, provenance: Mapping[str, Any] | None = None) -> GameLog:
    """One log of all games in order.

    Raises
    ------
    DataError
        No log, or a game_id that two of them use.
    """
    if not logs:
        raise DataError("no game logs to put together")
    if len(logs) == 1:
        only = logs[0]
        return GameLog(
            only.games,
            only.seats,
            only.moves,
            only.questions,
            provenance=only.provenance if provenance is None else provenance,
            rejects=only.rejects,
        )
    games = pd.concat([log.games for log in logs], ignore_index=True)
    seats = pd.concat([log.seats for log in logs], ignore_index=True)
    parts = []
    for log in logs:
        moves = log.moves
        parts.append(moves.assign(game_id=moves["game_id"].cat.set_categories(pd.Index(games["game_id"]))))
    for column in ("action", "status"):
        levels = list(dict.fromkeys(level for part in parts for level in part[column].cat.categories))
        parts = [part.assign(**{column: part[column].cat.set_categories(levels)}) for part in parts]
    questions = [log.questions for log in logs if log.questions is not None]
    return GameLog(
        games,
        seats,
        pd.concat(parts, ignore_index=True),
        pd.concat(questions, ignore_index=True) if questions else None,
        provenance=provenance,
        rejects=pd.concat([log.rejects for log in logs], ignore_index=True),
    )
