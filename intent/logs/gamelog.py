"""GameLog: what happened, in three tables that every later layer reads; rows that could not be read.

Trajectories: of each focal player its moves and its opponent's, as arrays.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from intent.base import codebook
from intent.base.errors import DataError, LimitError, UnknownNameError, located, shorten, unit_of
from intent.base.files import beyond, bounds
from intent.base.tables import TEXT, conform, empty_table, write_table

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "KEY_GAME_COLUMNS",
    "KEY_SEAT_COLUMNS",
    "UNDECIDED",
    "GameLog",
    "Rejects",
    "Trajectories",
    "accepted_rows",
    "as_options",
    "check_moves",
    "check_seats",
    "concat_logs",
    "is_scripted",
    "matches",
    "ranked_subjects",
    "subjects",
    "unseen_errors",
    "write_rejects",
]

UNDECIDED = "no cooperative action"
"""Why a game has no labels whose actions and payoffs make none of them cooperation."""


class Trajectories:
    """Own and other moves of `n` trajectories of at most `T` rounds.

    Works wherever scikit-learn wants an array: it has ``shape`` and ``len`` and takes array indexing by row.

    Parameters
    ----------
    own, other : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
    mask : (n, T) bool, optional
        False where nothing of the round is known (not played, or missing): both moves are then unknown.
    decided : (n, T) int8, optional
        What the player chose, where the game may have played something else (an implementation error); -1:
        what was played. Decisions are the evidence about the player; states move on what was played.
    evidence : (n, T) bool, optional
        False where an own move, though known, says nothing about the player (a default replaced its
        unreadable reply). By default every known own move counts.
    other_share : (n, T) float, optional
        With more than two players, the share of the others that cooperated.
    keys : DataFrame, optional
        One row per trajectory: game_id, seat, and the columns that describe them (the way back).
    implementation_error : float or (n,) float in [0, .5), optional
        Known probability that the game plays the opposite of a decision, of trajectories whose decisions are
        not recorded; 0 where they are.

    Attributes
    ----------
    own, other : (n, T) int8, what was played
    decided : (n, T) int8, or None where every decision was played
        As `own` where the decision is unknown or no evidence.
    implementation_error : (n,) float, or None where there is none to reckon with

    Raises
    ------
    DataError
        Arrays of different shape, or values other than -1, 0 and 1.

    Examples
    --------
    >>> Trajectories([[1, 1, 0]], [[1, 0, 0]]).shape
    (1, 3)
    """

    def __init__(
        self,
        own: ArrayLike,
        other: ArrayLike,
        mask: ArrayLike | None = None,
        decided: ArrayLike | None = None,
        *,
        evidence: ArrayLike | None = None,
        other_share: ArrayLike | None = None,
        keys: pd.DataFrame | None = None,
        implementation_error: ArrayLike | None = None,
    ) -> None:
        self.own = _moves(own, "own")
        self.other = _moves(other, "other")
        if self.own.shape != self.other.shape:
            raise DataError(f"own has shape {self.own.shape} and other {self.other.shape}, expected the same")
        if mask is not None:
            known = np.asarray(mask, dtype=bool)
            if known.shape != self.own.shape:
                raise DataError(f"mask has shape {known.shape}, expected {self.own.shape}")
            if not known.all():
                self.own = np.where(known, self.own, np.int8(-1))
                self.other = np.where(known, self.other, np.int8(-1))
        self._evidence: NDArray[np.bool_] | None = None
        if evidence is not None:
            counts = np.asarray(evidence, dtype=bool)
            if counts.shape != self.own.shape:
                raise DataError(f"evidence has shape {counts.shape}, expected {self.own.shape}")
            if not (counts | (self.own < 0)).all():
                self._evidence = counts & (self.own >= 0)
        self.decided = None if decided is None else self._decisions(_moves(decided, "decided"))
        self.implementation_error = _errors(implementation_error, len(self.own))
        self.other_share = None if other_share is None else np.asarray(other_share, dtype=float)
        self.keys = keys

    def _decisions(self, decided: NDArray[np.int8]) -> NDArray[np.int8] | None:
        """Decisions that say more than the moves that were played, None where none does."""
        if decided.shape != self.own.shape:
            raise DataError(f"decided has shape {decided.shape}, expected {self.own.shape}")
        full = np.where(self.evidence & (decided >= 0), decided, self.own)
        return None if (full == self.own).all() else full

    @classmethod
    def trusted(cls, own: NDArray[np.int8], other: NDArray[np.int8]) -> Trajectories:
        """Without the checks, for arrays that this package has just made."""
        new = object.__new__(cls)
        new.own, new.other = own, other
        new._evidence, new.other_share, new.keys = None, None, None
        new.decided, new.implementation_error = None, None
        return new

    @classmethod
    def from_strings(cls, own: Sequence[str], other: Sequence[str]) -> Trajectories:
        """From strings such as ``"CCD"``; any other letter is an unknown move, shorter ones are padded."""
        horizon = max((len(text) for text in [*own, *other]), default=0)

        def decode(texts: Sequence[str]) -> NDArray[np.int8]:
            rows = [[{"C": 1, "D": 0}.get(x, -1) for x in text.upper().ljust(horizon)] for text in texts]
            return np.array(rows, dtype=np.int8).reshape(len(texts), horizon)

        return cls(decode(own), decode(other))

    @property
    def shape(self) -> tuple[int, int]:
        """(n, T)."""
        return (self.own.shape[0], self.own.shape[1])

    @property
    def ndim(self) -> int:
        """2, as for an array of n rows."""
        return 2

    @property
    def mask(self) -> NDArray[np.bool_]:
        """(n, T), True where anything of the round is known."""
        known: NDArray[np.bool_] = (self.own >= 0) | (self.other >= 0)
        return known

    @property
    def evidence(self) -> NDArray[np.bool_]:
        """(n, T), True where the own move is known and counts as evidence about the player."""
        known: NDArray[np.bool_] = self.own >= 0
        return known if self._evidence is None else self._evidence

    @property
    def evidence_mask(self) -> NDArray[np.bool_] | None:
        """`evidence`, or None where every known own move counts (which is faster to score)."""
        return self._evidence

    @property
    def n_rounds(self) -> NDArray[np.int64]:
        """(n,), own moves that count as evidence."""
        counts: NDArray[np.int64] = self.evidence.sum(axis=1)
        return counts

    def read_others(self, how: str) -> Trajectories:
        """Two-player trajectories in which the others count as one player.

        Parameters
        ----------
        how : {"any", "majority", "all"}
            The others "cooperated" when any, more than half, or all of them did.
        """
        if self.other_share is None:
            return self
        known = np.isfinite(self.other_share)
        share = np.where(known, self.other_share, 0.0)
        rules = {"any": share > 0, "majority": share > 0.5, "all": share >= 1}
        if how not in rules:
            raise DataError(f"others {how!r}, expected any, majority or all")
        other = np.where(known, rules[how].astype(np.int8), np.int8(-1))
        new = self[slice(None)]
        new.other, new.other_share = other, None
        return new

    def __len__(self) -> int:
        return int(self.own.shape[0])

    def __getitem__(self, rows: Any) -> Trajectories:
        if isinstance(rows, tuple):
            if any(part is not Ellipsis and part != slice(None) for part in rows[1:]):
                raise DataError(
                    "trajectories are indexed by row only; use truncated(rounds) for fewer rounds"
                )
            rows = rows[0]
        if isinstance(rows, int | np.integer):
            rows = [rows]
        new = object.__new__(Trajectories)
        new.own, new.other = self.own[rows], self.other[rows]
        new._evidence = None if self._evidence is None else self._evidence[rows]
        new.decided = None if self.decided is None else self.decided[rows]
        errors = self.implementation_error
        new.implementation_error = None if errors is None else errors[rows]
        new.other_share = None if self.other_share is None else self.other_share[rows]
        new.keys = None if self.keys is None else self.keys.iloc[rows].reset_index(drop=True)
        return new

    def truncated(self, rounds: int) -> Trajectories:
        """The first `rounds` rounds."""
        new = self[slice(None)]
        new.own, new.other = new.own[:, :rounds], new.other[:, :rounds]
        new._evidence = None if new._evidence is None else new._evidence[:, :rounds]
        new.decided = None if new.decided is None else new.decided[:, :rounds]
        new.other_share = None if new.other_share is None else new.other_share[:, :rounds]
        return new

    def lengthened(self, rounds: int) -> Trajectories:
        """The play alone, with unknown rounds at the end up to `rounds`."""
        ends = ((0, 0), (0, rounds - self.shape[1]))
        new = object.__new__(Trajectories)
        new.own, new.other = (np.pad(m, ends, constant_values=-1) for m in (self.own, self.other))
        new._evidence = None if self._evidence is None else np.pad(self._evidence, ends)
        new.decided = None if self.decided is None else np.pad(self.decided, ends, constant_values=-1)
        new.implementation_error, new.other_share, new.keys = self.implementation_error, None, None
        return new

    @property
    def decisions(self) -> NDArray[np.int8]:
        """(n, T), what the player chose: `decided`, or `own` where every decision was played."""
        return self.own if self.decided is None else self.decided

    @classmethod
    def concatenated(cls, parts: Sequence[Trajectories]) -> Trajectories:
        """The play of several, one below the other; shorter ones are padded, keys and shares left out.

        Raises
        ------
        DataError
            No part.
        """
        if not parts:
            raise DataError("no trajectories, expected at least one part")
        rounds = max(part.shape[1] for part in parts)
        padded = [part.lengthened(rounds) for part in parts]
        new = object.__new__(cls)
        new.own = np.concatenate([p.own for p in padded])
        new.other = np.concatenate([p.other for p in padded])
        new._evidence = new.decided = new.implementation_error = None
        new.other_share = new.keys = None
        if any(p._evidence is not None for p in padded):
            new._evidence = np.concatenate([p.evidence for p in padded])
        if any(p.decided is not None for p in padded):
            new.decided = np.concatenate([p.decisions for p in padded])
        if any(p.implementation_error is not None for p in padded):
            errors = [p.implementation_error for p in padded]
            new.implementation_error = np.concatenate(
                [np.zeros(len(p)) if e is None else e for p, e in zip(padded, errors, strict=True)]
            )
        return new

    def __repr__(self) -> str:
        return f"Trajectories(n={self.shape[0]}, T={self.shape[1]})"


def unseen_errors(errors: ArrayLike, decided: NDArray[np.int8] | None) -> NDArray[np.float64]:
    """Implementation errors (n,) that no recorded decision shows: 0 where none is known, or decisions are.

    Parameters
    ----------
    errors : (n,) float, NaN where none is known of
    decided : (n, T) int8, -1 where no decision is recorded, or None
    """
    unseen = np.nan_to_num(np.asarray(errors, dtype=float))
    return unseen if decided is None else np.where((decided >= 0).any(axis=1), 0.0, unseen)


def _errors(values: ArrayLike | None, n: int) -> NDArray[np.float64] | None:
    """Implementation errors (n,), None where all are zero."""
    if values is None:
        return None
    errors = np.asarray(values, dtype=float)
    if errors.shape not in ((), (n,)):
        raise DataError(f"implementation_error has shape {errors.shape}, expected one number or ({n},)")
    if not ((errors >= 0) & (errors < 0.5)).all():
        raise DataError("implementation_error is outside [0, .5), expected a probability below one half")
    return np.broadcast_to(errors, n) if errors.any() else None


def _moves(values: ArrayLike, name: str) -> NDArray[np.int8]:
    raw = np.asarray(values)
    if raw.ndim != 2:
        raise DataError(f"{name} has {raw.ndim} dimensions, expected 2: trajectories by rounds")
    if raw.dtype == np.int8:
        moves = raw
    else:
        wide = raw.astype(float) if raw.dtype.kind in "bfiu" else None
        if wide is None or not np.isin(wide, (-1.0, 0.0, 1.0)).all():
            raise DataError(f"{name} holds values other than 1 (cooperate), 0 (defect) and -1 (unknown)")
        return raw.astype(np.int8)
    if moves.size and not (moves.min() >= -1 and moves.max() <= 1):
        raise DataError(f"{name} holds values other than 1 (cooperate), 0 (defect) and -1 (unknown)")
    return moves


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


def is_scripted(table: pd.DataFrame) -> NDArray[np.bool_]:
    """(n,) rows of seats that a strategy plays: one is named, and no model.

    Parameters
    ----------
    table : DataFrame
        Seats, trajectories, labels or metrics, with the columns model and strategy as far as they are known.
    """
    if "strategy" not in table.columns:
        return np.zeros(len(table), dtype=bool)
    named = table["strategy"].notna()
    if "model" in table.columns:
        named &= table["model"].isna()
    return named.to_numpy(dtype=bool)


def subjects(table: pd.DataFrame) -> NDArray[np.bool_]:
    """(n,) rows of subjects: models and people; strategies only where nobody else plays.

    Seats that are not focal are never subjects. A strategy that sits opposite a model is a condition of its
    game, as a computer in the laboratory is.

    Parameters
    ----------
    table : as `is_scripted`, with the column focal where it is known
    """
    return ranked_subjects(table)[1]


def ranked_subjects(table: pd.DataFrame) -> tuple[int, NDArray[np.bool_]]:
    """`subjects`, and which case it was: 1 models or people, 0 strategies alone.

    Of a table in parts, the subjects are those of the parts of the higher case: where one part has models,
    no strategy in a part without them is a subject.

    Parameters
    ----------
    table : as `subjects`
    """
    focal = np.ones(len(table), dtype=bool)
    if "focal" in table.columns:
        focal = table["focal"].to_numpy(dtype=bool)
    others = focal & ~is_scripted(table)
    return (1, others) if others.any() else (0, focal)


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

    Attributes
    ----------
    n_scripted : int
        Seats that are not focal since a strategy plays them, where subjects alone were kept.

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
        self.n_scripted = 0
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

    def where(self, conditions: Mapping[str, Sequence[str]], *, scripted: bool = True) -> GameLog:
        """Games and seats that meet conditions: any of a column's values, all of the columns.

        A condition on a seat column keeps the other seats of its games, as not focal, so that the
        opponent's moves stay known.

        Parameters
        ----------
        conditions : mapping of column -> accepted values, compared as text
        scripted : bool
            Whether seats that a strategy plays (`is_scripted`) may be focal.

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
        if not scripted:
            focal &= ~is_scripted(self.seats)
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
            UNDECIDED: int(undecidable.sum()),
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
