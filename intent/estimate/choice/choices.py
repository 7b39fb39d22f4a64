"""Play as models of choice read it: moves as codes of actions, payoffs, subjects and covariates.

The past of a move is every earlier round of its game, and every earlier game of its subject.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from intent.base.errors import DataError, UnknownNameError, UsageError
from intent.base.files import json_value
from intent.base.tables import column_names
from intent.estimate.design_units import block_codes
from intent.logs.gamelog import Trajectories

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog

__all__ = ["COOPERATION", "OTHER_PREFIX", "Choices", "Stakes", "as_choices", "choices_of_log", "of_partner"]

COOPERATION = ("defect", "cooperate")
"""Actions of a game with a cooperative one: code 1 cooperates, as in `Trajectories`."""

OTHER_PREFIX = "other_"
"""What stands before a column of the seat where it describes the other player: ``other_persona``."""

_MOST_ACTIONS = 20


@dataclass(frozen=True, eq=False)
class Stakes:
    """The distinct payoff tables that are played, each from 0 up.

    Attributes
    ----------
    own, other : (G, A, A) float, own and the other's payoff by own and other's action, in spans
    of : (n,) table of each row
    span : float, payoff of the log that one unit is
    """

    own: NDArray[np.float64]
    other: NDArray[np.float64]
    of: NDArray[np.intp]
    span: float


@dataclass(frozen=True, eq=False)
class Choices:
    """The moves of `n` players in games of at most `T` rounds, one row per player and game.

    Works where scikit-learn wants an array: it has ``shape`` and ``len`` and takes array indexing by row.

    Parameters
    ----------
    own, other : (n, T) int8, codes 0 .. A - 1 of what was played, -1 where unknown
    chosen : (n, T) int8
        What is predicted: the player's own decision, -1 where there is none, or none that counts as evidence.
    actions : A names; of a game with a cooperative action `COOPERATION`
    subject : (n,) int
        Rows of one subject stand in the order in which it played them.
    covariates : DataFrame of n rows, optional
        What is known before the first move, one column for each covariate.
    payoffs : (G, A, A) float, optional
        Own payoff by own and other's action, higher being better, of G games.
    payoff_of : (n,) int
        Which of them each row played, -1 where its payoffs are unknown.
    keys : DataFrame of n rows, optional
        What describes the rows: game_id, seat, and the columns of the log.
    implementation_error : (n,) float in [0, .5), optional
        Known probability that the game plays the opposite of a decision, of rows whose decisions are not
        recorded; 0 where they are.
    other_payoffs : (G, A, A) float, optional
        The other's payoff by own and other's action; absent where the games are symmetric.

    Raises
    ------
    DataError
        Shapes that do not fit each other, or codes that no action has.
    """

    own: NDArray[np.int8]
    other: NDArray[np.int8]
    chosen: NDArray[np.int8]
    actions: tuple[str, ...]
    subject: NDArray[np.intp]
    covariates: pd.DataFrame | None = None
    payoffs: NDArray[np.float64] | None = None
    payoff_of: NDArray[np.intp] | None = None
    keys: pd.DataFrame | None = None
    implementation_error: NDArray[np.float64] | None = None
    other_payoffs: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        n, shape = len(self.own), self.own.shape
        if len(shape) != 2 or self.other.shape != shape or self.chosen.shape != shape:
            shapes = (shape, self.other.shape, self.chosen.shape)
            raise DataError(f"own, other and chosen have shapes {shapes}, expected the same (n, T)")
        described = ("subject", "covariates", "keys", "implementation_error")
        for name, values in ((name, getattr(self, name)) for name in described):
            if values is not None and len(values) != n:
                raise DataError(f"{name} has {len(values):,} rows, expected {n:,}")
        for name, moves in (("own", self.own), ("other", self.other), ("chosen", self.chosen)):
            if moves.size and not -1 <= int(moves.min()) <= int(moves.max()) < len(self.actions):
                raise DataError(f"{name} has a code that none of {len(self.actions)} actions has")

    @property
    def shape(self) -> tuple[int, int]:
        """(n, T)."""
        return self.own.shape[0], self.own.shape[1]

    @property
    def ndim(self) -> int:
        """Two: rows and rounds."""
        return 2

    @property
    def n_actions(self) -> int:
        """A."""
        return len(self.actions)

    @property
    def counted(self) -> NDArray[np.bool_]:
        """(n, T): the moves that are predicted and scored."""
        return self.chosen >= 0

    @property
    def n_moves(self) -> int:
        """Moves that are predicted and scored."""
        return int(np.count_nonzero(self.counted))

    def __len__(self) -> int:
        return len(self.own)

    def __getitem__(self, rows: Any) -> Choices:
        index = np.arange(len(self))[rows]
        if index.ndim == 0:
            index = index[None]
        return replace(
            self,
            own=self.own[index],
            other=self.other[index],
            chosen=self.chosen[index],
            subject=self.subject[index],
            covariates=None if self.covariates is None else self.covariates.iloc[index],
            payoff_of=None if self.payoff_of is None else self.payoff_of[index],
            keys=None if self.keys is None else self.keys.iloc[index],
            implementation_error=(
                None if self.implementation_error is None else self.implementation_error[index]
            ),
        )

    def __repr__(self) -> str:
        n, t = self.shape
        return f"<Choices: {n:,} x {t}, {self.n_moves:,} moves, {self.n_actions} actions>"

    def before(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums of the earlier rows of each row's subject, its own not included: (n, ...) -> (n, ...)."""
        order = np.argsort(self.subject, kind="stable")
        ordered = values[order]
        total = np.cumsum(ordered, axis=0) - ordered
        codes = self.subject[order]
        first = np.flatnonzero(np.r_[True, codes[1:] != codes[:-1]]) if len(codes) else np.zeros(0, np.intp)
        sizes = np.diff(np.r_[first, len(codes)])
        earlier = np.empty_like(total)
        earlier[order] = total - np.repeat(total[first], sizes, axis=0)
        return earlier

    def stakes(self, span: float | None = None) -> Stakes:
        """Payoffs as models of learning and of stage games read them: from 0, in spans of the log.

        Parameters
        ----------
        span : float, optional
            What one unit is; else the widest range of own payoffs of a game that is played here.

        Raises
        ------
        DataError
            Rows whose payoffs are unknown.
        """
        of = np.full(len(self), -1, dtype=np.intp) if self.payoff_of is None else self.payoff_of
        unknown = np.flatnonzero((of < 0) if self.payoffs is not None else np.ones(len(self), dtype=bool))
        if len(unknown):
            moves = int(np.count_nonzero(self.counted[unknown]))
            raise DataError(
                f"payoffs of {len(unknown):,} of {len(self):,} games ({moves:,} moves) are unknown, which"
                " this model needs: give the log columns payoffs and payoff_kind, or leave these games out"
                " (--where)"
            )
        assert self.payoffs is not None
        theirs = self.other_payoffs
        theirs = self.payoffs.swapaxes(1, 2) if theirs is None else theirs
        used, place = np.unique(of, return_inverse=True)
        both = np.stack([self.payoffs[used], theirs[used]], axis=1)
        tables, same = np.unique(both, axis=0, return_inverse=True)
        if span is None:
            ranges = np.ptp(tables[:, 0], axis=(1, 2)) if len(tables) else np.zeros(0)
            span = float(ranges.max(initial=0.0)) or 1.0
        scaled = (tables - tables.min(axis=(2, 3), keepdims=True)) / span
        return Stakes(scaled[:, 0], scaled[:, 1], same.reshape(-1)[place].astype(np.intp), span)

    @classmethod
    def of_trajectories(
        cls, X: Trajectories, *, covariates: pd.DataFrame | None = None, subject: ArrayLike | None = None
    ) -> Choices:
        """Play of a game with a cooperative action.

        Parameters
        ----------
        X : Trajectories of two players, or of more whose play was read by `read_others`
        covariates : DataFrame of n rows, optional
        subject : (n,) int, optional
            Else the players of its keys, and a row without a player is a subject of its own.

        Raises
        ------
        DataError
            More than two players whose moves nobody said how to read.
        """
        if X.other_share is not None:
            raise DataError(
                "games of more than two players: choose read_others('any'|'majority'|'all') first"
            )
        chosen = np.where(X.evidence, X.decisions, np.int8(-1)).astype(np.int8)
        codes = _subjects(X.keys, len(X)) if subject is None else np.asarray(subject, dtype=np.intp)
        return cls(
            X.own,
            X.other,
            chosen,
            COOPERATION,
            codes,
            covariates,
            keys=X.keys,
            implementation_error=X.implementation_error,
        )


def as_choices(X: Any) -> Choices:
    """Choices from what users hand over: themselves, a game log, trajectories, or an (n, T, 2) array.

    Raises
    ------
    DataError
        Anything else.
    """
    from intent.logs.gamelog import GameLog
    from intent.recognise.recogniser import as_trajectories

    if isinstance(X, Choices):
        return X
    return choices_of_log(X) if isinstance(X, GameLog) else Choices.of_trajectories(as_trajectories(X))


def choices_of_log(
    log: GameLog,
    X: Trajectories | None = None,
    *,
    covariates: Sequence[str] = (),
    subject: Sequence[str] = (),
) -> Choices:
    """The choices of a log: of its cooperative action, else of all actions of its one game.

    Parameters
    ----------
    log : GameLog
    X : Trajectories, optional
        Its play, where it was read already (`intent.logs.chunks.focal_play`).
    covariates : columns of games or seats; ``other_`` before one of the seat means the other player's
    subject : columns that name a subject; by default its player, else each row is one

    Raises
    ------
    UsageError
        No game of two players to read, or several games with different actions.
    UnknownNameError
        A covariate that the log does not have.
    """
    play = log.trajectories() if X is None else X
    if len(play) or bool(log.has_cooperation().any()):
        choices = _with_payoffs(log, Choices.of_trajectories(play), cooperation=True)
    else:
        choices = _with_payoffs(log, _of_actions(log), cooperation=False)
    if subject:
        assert choices.keys is not None
        columns = column_names(subject, choices.keys.columns)
        choices = replace(choices, subject=block_codes(choices.keys, columns))
    return with_covariates(choices, log, covariates) if covariates else choices


def with_covariates(choices: Choices, log: GameLog, columns: Sequence[str]) -> Choices:
    """The same choices with columns of the log as covariates.

    Raises
    ------
    UnknownNameError
        A column that the log does not have.
    """
    keys = choices.keys
    assert keys is not None
    frame = pd.DataFrame(index=keys.index)
    for column in columns:
        if column in keys.columns:
            frame[column] = keys[column]
            continue
        plain = column.removeprefix(OTHER_PREFIX)
        if not column.startswith(OTHER_PREFIX) or plain not in log.seats.columns:
            known = [*keys.columns, *(OTHER_PREFIX + c for c in log.seats.columns if c in keys)]
            raise UnknownNameError("covariate", column, known)
        frame[column] = _of_other(log, keys, plain)
    return replace(choices, covariates=frame)


def of_partner(keys: pd.DataFrame, column: str) -> NDArray[Any] | None:
    """A column of the rows of the other players of these rows (games of two); None where some have none.

    Parameters
    ----------
    keys : DataFrame with game_id, seat and the column; rows of both seats of each game
    """
    if not {"game_id", "seat", column} <= set(keys.columns):
        return None
    seat = keys["seat"].astype(int)
    place = pd.MultiIndex.from_arrays([keys["game_id"].astype(str), seat])
    if not place.is_unique:
        return None
    at = place.get_indexer(pd.MultiIndex.from_arrays([keys["game_id"].astype(str), 3 - seat]))
    if (at < 0).any():
        return None
    values: NDArray[Any] = keys[column].to_numpy(dtype=object)[at]
    return values


def _of_other(log: GameLog, keys: pd.DataFrame, column: str) -> NDArray[Any]:
    """A column of the seat, of the other player of each row (games of two)."""
    seats = log.seats
    table = seats.set_index(["game_id", "seat"])[column]
    other = pd.MultiIndex.from_arrays([keys["game_id"], 3 - keys["seat"].astype(int)])
    values: NDArray[Any] = table.reindex(other).to_numpy(dtype=object)
    return values


def _subjects(keys: pd.DataFrame | None, n: int) -> NDArray[np.intp]:
    """Codes of subjects: the players, and a row without a player is a subject of its own."""
    own = np.arange(n, dtype=np.intp)
    if keys is None or "player" not in keys or not keys["player"].notna().any():
        return own
    codes, _ = pd.factorize(keys["player"].astype(object))
    return np.where(codes >= 0, codes, codes.max() + 1 + own).astype(np.intp)


def _of_actions(log: GameLog) -> Choices:
    """Choices among all actions of a game of two players that has no cooperative one."""
    games, seats, moves = log.games, log.seats, log.moves
    pairs = games.loc[games["n_players"] == 2, "game_id"]
    moves = moves[moves["game_id"].isin(set(pairs)) & moves["action"].notna()]
    if not len(moves):
        raise UsageError("no game of two players whose actions are named, expected at least one")
    names = sorted({str(a) for a in moves["action"].astype(str).unique()})
    if not 2 <= len(names) <= _MOST_ACTIONS:
        shown = ", ".join(names[:8])
        raise UsageError(f"{len(names)} actions ({shown}), expected 2 to {_MOST_ACTIONS} of one game")
    seats = seats[seats["game_id"].isin(set(pairs))].reset_index(drop=True)
    place = pd.MultiIndex.from_frame(seats[["game_id", "seat"]].astype({"seat": int}))
    rows = place.get_indexer(
        pd.MultiIndex.from_arrays([moves["game_id"].astype(str), moves["seat"].astype(int)])
    )
    at = moves["round"].to_numpy(dtype=np.intp) - 1
    code = pd.Categorical(moves["action"].astype(str), categories=names).codes.astype(np.int8)
    grid = np.full((len(seats), int(at.max()) + 1), -1, dtype=np.int8)
    grid[rows[::-1], at[::-1]] = code[::-1]  # the first step of a round counts
    counts = np.ones_like(grid, dtype=bool)
    defaulted = (moves["status"].astype(str) == "defaulted").to_numpy()
    counts[rows[defaulted], at[defaulted]] = False
    others = place.get_indexer(pd.MultiIndex.from_arrays([seats["game_id"], 3 - seats["seat"].astype(int)]))
    other = np.where((others >= 0)[:, None], grid[others], np.int8(-1))
    focal = np.flatnonzero(seats["focal"].to_numpy(dtype=bool))
    described = seats.merge(
        games[[c for c in games.columns if c == "game_id" or c not in seats.columns]],
        on="game_id",
        how="left",
    )
    keys = described.iloc[focal].reset_index(drop=True)
    chosen = np.where(counts, grid, np.int8(-1))
    return Choices(
        grid[focal], other[focal], chosen[focal], tuple(names), _subjects(keys, len(keys)), keys=keys
    )


def _with_payoffs(log: GameLog, choices: Choices, *, cooperation: bool) -> Choices:
    """The same choices with the payoffs of each row, own and the other's, as the log states or pays them."""
    keys = choices.keys
    if keys is None or not len(keys):
        return choices
    games = log.games.set_index("game_id")
    wanted = [c for c in ("payoffs", "payoff_kind", "cooperative_action") if c in games.columns]
    known = games.loc[keys["game_id"], wanted].astype(object).where(lambda t: t.notna(), None)
    places: dict[tuple[Any, ...], int] = {}
    tables: list[NDArray[np.float64]] = []
    of = np.full(len(keys), -1, dtype=np.intp)
    seat_numbers = keys["seat"].to_numpy(dtype=int)
    for row, (values, seat) in enumerate(
        zip(known.itertuples(index=False, name=None), seat_numbers, strict=True)
    ):
        key = (*values, seat)  # the payoffs of a seat, and what is cooperation for it, are its own
        if key not in places:
            facts = dict(zip(wanted, values, strict=True))
            table = _payoff_table(facts, int(seat), choices.actions, cooperation=cooperation)
            places[key] = -1 if table is None else len(tables)
            if table is not None:
                tables.append(table)
        of[row] = places[key]
    if (of < 0).any():
        _learn_payoffs(log, choices, tables, of)
    if not tables:
        return choices
    both = np.stack(tables)
    return replace(choices, payoffs=both[:, 0], payoff_of=of, other_payoffs=both[:, 1])


def _learn_payoffs(
    log: GameLog, choices: Choices, tables: list[NDArray[np.float64]], of: NDArray[np.intp]
) -> None:
    """Add tables of games that state none, where what their rounds paid agrees and shows every outcome.

    Rounds of all games of one name are read together, of both seats if these agree, else by seat.
    """
    keys, a = choices.keys, choices.n_actions
    assert keys is not None
    paid = _paid(log, keys, choices.shape[1])
    if paid is None or "payoff_kind" not in keys:
        return
    known = (choices.own >= 0) & (choices.other >= 0) & np.isfinite(paid)
    cell = np.where(known, choices.own.astype(np.intp) * a + choices.other, 0)
    names = keys["game"].astype(object) if "game" in keys else pd.Series("", index=keys.index)
    seats = keys["seat"].to_numpy(dtype=int)
    for (_, kind), group in pd.DataFrame(
        {"game": names.to_numpy(), "kind": keys["payoff_kind"].to_numpy()}
    ).groupby(["game", "kind"], dropna=True, observed=True):
        rows = group.index.to_numpy(dtype=np.intp)
        rows = rows[of[rows] < 0]
        if kind not in ("reward", "penalty") or not len(rows):
            continue
        sign = 1.0 if kind == "reward" else -1.0

        def table_of(part: NDArray[np.intp], sign: float = sign) -> NDArray[np.float64] | None:
            cells, values = cell[part][known[part]], paid[part][known[part]]
            low, high = np.full(a * a, np.inf), np.full(a * a, -np.inf)
            np.minimum.at(low, cells, values)
            np.maximum.at(high, cells, values)
            if not np.isfinite(low).all() or (high - low > 1e-9 * np.maximum(1.0, np.abs(high))).any():
                return None
            return (sign * low + 0.0).reshape(a, a)

        if (shared := table_of(rows)) is not None:
            of[rows] = len(tables)
            tables.append(np.stack([shared, shared.T]))
            continue
        by_seat = {int(seat): table_of(rows[seats[rows] == seat]) for seat in np.unique(seats[rows])}
        for seat, own in by_seat.items():
            other = by_seat.get(3 - seat)
            if own is not None and (other is not None or 3 - seat not in by_seat):
                of[rows[seats[rows] == seat]] = len(tables)
                tables.append(np.stack([own, own.T if other is None else other.T]))


def _paid(log: GameLog, keys: pd.DataFrame, rounds: int) -> NDArray[np.float64] | None:
    """(n, T): what each round paid its player, NaN where the log does not say."""
    moves = log.moves
    if "payoff" not in moves or not moves["payoff"].notna().any():
        return None
    moves = moves[moves["payoff"].notna()]
    place = pd.MultiIndex.from_arrays([keys["game_id"].astype(str), keys["seat"].astype(int)])
    row = place.get_indexer(
        pd.MultiIndex.from_arrays([moves["game_id"].astype(str), moves["seat"].astype(int)])
    )
    at = moves["round"].to_numpy(dtype=np.intp) - 1
    inside = (row >= 0) & (at < rounds)
    paid = np.full((len(keys), rounds), np.nan)
    paid[row[inside], at[inside]] = moves["payoff"].to_numpy(dtype=float)[inside]
    return paid


def _payoff_table(
    facts: dict[str, Any], seat: int, actions: Sequence[str], *, cooperation: bool
) -> NDArray[np.float64] | None:
    """(2, A, A) own and other's payoff by own and other's action, higher being better; None if unknown."""
    try:
        cells = json_value(facts.get("payoffs") or "null")
    except (ValueError, RecursionError):
        return None
    kind, good = facts.get("payoff_kind"), facts.get("cooperative_action")
    if not isinstance(cells, dict) or kind not in ("reward", "penalty") or seat not in (1, 2):
        return None
    by_seat = str(good).split("|") if good is not None else []
    mine, theirs = (by_seat[seat - 1], by_seat[2 - seat]) if len(by_seat) == 2 else (good, good)
    table = np.full((2, len(actions), len(actions)), np.nan)
    for joint, payoffs in cells.items():
        moves = str(joint).split(",")
        if len(moves) != 2 or not isinstance(payoffs, list) or len(payoffs) != 2:
            return None
        own, other = moves[seat - 1], moves[2 - seat]
        if cooperation:
            place = (int(own == mine), int(other == theirs))
        elif own in actions and other in actions:
            place = (actions.index(own), actions.index(other))
        else:
            continue
        if not all(isinstance(p, int | float) for p in payoffs):
            return None
        sign = 1.0 if kind == "reward" else -1.0
        table[:, *place] = (payoffs[seat - 1] * sign + 0.0, payoffs[2 - seat] * sign + 0.0)
    return table if np.isfinite(table).all() else None
