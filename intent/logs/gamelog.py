"""GameLog: what happened, in three tables that every later layer reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent import schema
from intent.errors import DataError, LimitError, UnknownNameError
from intent.files.bounds import bounds
from intent.logs.conditions import matches
from intent.logs.integrity import check_moves, check_seats
from intent.logs.tables import conform, empty_table
from intent.logs.trajectories import Trajectories, unseen_errors

__all__ = ["KEY_GAME_COLUMNS", "KEY_SEAT_COLUMNS", "GameLog"]

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
        Tables as `schema.GAMES`, `schema.SEATS`, `schema.MOVES`; columns that are absent are added as
        null where they may be. Further columns of games and seats are conditions.
    questions : DataFrame, optional
        As `schema.QUESTIONS`.
    provenance : mapping, optional
        JSON-able facts on where the log comes from (source, format, sha256, settings).
    rejects : DataFrame, optional
        Rows of the source that could not be read, as `schema.REJECTS`; not stored with the log.

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
        self.rejects = empty_table(schema.REJECTS) if rejects is None else rejects
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
        fixed = {c.name for c in schema.GAMES}
        return [c for c in self.games.columns if c not in fixed]

    @property
    def seat_conditions(self) -> list[str]:
        """Columns of seats beyond the fixed ones."""
        fixed = {c.name for c in schema.SEATS}
        return [c for c in self.seats.columns if c not in fixed]

    def equals(self, other: GameLog) -> bool:
        """Whether all tables hold the same values (provenance and rejects aside)."""
        mine, theirs = self.tables(), other.tables()
        return mine.keys() == theirs.keys() and all(
            list(mine[k].columns) == list(theirs[k].columns) and mine[k].equals(theirs[k]) for k in mine
        )

    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables by name, questions only where there are any."""
        found = {"games": self.games, "seats": self.seats, "moves": self.moves}
        if self.questions is not None:
            found["questions"] = self.questions
        return found

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
