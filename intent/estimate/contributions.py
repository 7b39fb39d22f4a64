"""Contributions to a public good, of every seat and round, as shares of what the seat could have given.

1. A game that names its tokens (``"rules": "public_goods"``): the tokens given, over those held. Where tokens
   are kept from round to round, a seat holds what it began with and has gained since.
2. A game of numbers whose endowment the user names: the number, over it.
3. Any other game with a cooperative action: 1 for it, 0 for the other.

Columns of the moves as arrays of seats by rounds.

A subject's contributions beside those of the others that they may answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import DataError, GameError, LimitError, shorten
from intent.base.files import bounds
from intent.estimate.counts import CountedOthers
from intent.games.game import TokenPot, course_from_json
from intent.logs.chunks import narrowed, of_subjects
from intent.logs.gamelog import GameLog, Trajectories

__all__ = ["Answers", "Contributions", "SeatRounds", "answers", "contributions", "contributor_play"]


@dataclass(frozen=True, eq=False)
class SeatRounds:
    """Where each move of a log stands in arrays of n seats by T rounds.

    Attributes
    ----------
    game : (n,) index of each seat's game
    row : (M,) seat of each move
    at : (M,) round of each move, from 0
    horizon : int, T
    """

    log: GameLog
    game: NDArray[np.intp]
    row: NDArray[np.intp]
    at: NDArray[np.intp]
    horizon: int

    @classmethod
    def of(cls, log: GameLog) -> SeatRounds:
        """Of a log.

        Raises
        ------
        LimitError
            Seats times rounds go beyond the bound that protects memory.
        """
        ids = pd.Index(log.games["game_id"].astype(str))
        game = np.asarray(ids.get_indexer(pd.Index(log.seats["game_id"].astype(str))), dtype=np.intp)
        of_move = np.asarray(ids.get_indexer(pd.Index(log.moves["game_id"].astype(str))), dtype=np.intp)
        seat, mover = (table["seat"].to_numpy(dtype=np.intp) for table in (log.seats, log.moves))
        width = int(max(seat.max(initial=0), mover.max(initial=0))) + 1
        row = pd.Index(game * width + seat).get_indexer(pd.Index(of_move * width + mover))
        at = log.moves["round"].to_numpy(dtype=np.intp) - 1
        horizon = int(at.max(initial=-1)) + 1
        if len(seat) * horizon > bounds().moves:
            raise LimitError(
                f"{len(seat):,} seats of up to {horizon:,} rounds are more than {bounds().moves:,} cells; "
                "one very long game makes all rows long: take it apart (--where)"
            )
        return cls(log, game, np.asarray(row, dtype=np.intp), at, horizon)

    def grid(self, column: str) -> NDArray[np.float64]:
        """(n, T) a column of numbers or truth values, NaN where unknown; the first step with one counts."""
        values = self.log.moves[column].to_numpy(dtype=float, na_value=np.nan)
        known = np.flatnonzero(~np.isnan(values))
        steps = self.log.moves["step"].to_numpy(dtype=np.intp)[known]
        last_first = known[np.argsort(-steps, kind="stable")]
        out = np.full((len(self.game), self.horizon), np.nan)
        out[self.row[last_first], self.at[last_first]] = values[last_first]
        return out

    def any_by_game(self, cells: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """(games,) whether any cell of (n, T) of the game's seats is true."""
        hits = np.bincount(self.game[cells.any(axis=1)], minlength=len(self.log))
        some: NDArray[np.bool_] = hits > 0
        return some

    def of_moves(self, cells: NDArray[np.int8]) -> NDArray[np.int8]:
        """(M,) the cell of each move."""
        of_moves: NDArray[np.int8] = cells[self.row, self.at]
        return of_moves

    def rows(self, keys: pd.DataFrame) -> NDArray[np.intp]:
        """Seats that a table names by game_id and seat."""
        seats, places = (
            pd.MultiIndex.from_arrays([table["game_id"].astype(str), table["seat"].astype(int)])
            for table in (self.log.seats, keys)
        )
        return np.asarray(seats.get_indexer(places), dtype=np.intp)


Floats = NDArray[np.float64]

_SLACK = 1e-6
_MOST_UNITS = 100
"""Steps into which an endowment is parted at most."""


@dataclass(frozen=True, eq=False)
class Contributions:
    """Contributions of the n seats of a log in T rounds.

    Attributes
    ----------
    shares : (n, T) share of the endowment, in [0, 1]; NaN where unknown to the others, too
    game : (n,) index of the game
    others : (n,) number of the other seats
    units : (n,) int, contributions are multiples of 1 / units: 1 where all or nothing is given
    contributed : (n, T) int8, 1 = a contributor, 0 = none, -1 = unknown
    play : Trajectories of the focal seats in games with contributions; own moves are `contributed`
    rows : (m,) row of each of these among the n
    log : GameLog whose column ``cooperated`` tells who contributed
    drawn : bool, whether some game drew its endowments, which a log does not tell
    """

    shares: Floats
    game: NDArray[np.intp]
    others: NDArray[np.intp]
    units: NDArray[np.intp]
    contributed: NDArray[np.int8]
    play: Trajectories
    rows: NDArray[np.intp]
    log: GameLog
    drawn: bool = False

    def mean_of_others(self) -> Floats:
        """(n, T) mean contribution of those others whose contribution is known; NaN where none is."""
        known = np.isfinite(self.shares)
        amount = np.where(known, self.shares, 0.0)
        total = self._by_game(amount) - amount
        number = self._by_game(known.astype(float)) - known
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(number > 0, np.clip(total / number, 0.0, 1.0), np.nan)

    def counted(self) -> CountedOthers:
        """The play of the focal seats, their others counted."""
        gave, known = (self.contributed == 1).astype(float), (self.contributed >= 0).astype(float)
        giving = self._by_game(gave) - gave
        silent = self.others[:, None] - (self._by_game(known) - known)
        return CountedOthers(
            self.play.own,
            giving[self.rows].astype(np.int32),
            silent[self.rows].astype(np.int32),
            self.play.evidence_mask,
            self.play.keys,
            self.play.decided,
            self.play.implementation_error,
        )

    def _by_game(self, values: Floats) -> Floats:
        """(n, T) sums over all seats of each seat's game."""
        sums = np.zeros((len(self.log), values.shape[1]))
        np.add.at(sums, self.game, values)
        of_seats: Floats = sums[self.game]
        return of_seats


def contributions(
    log: GameLog, *, endowment: float | None = None, least: float = 0.0, keep_defaulted: bool = False
) -> Contributions:
    """Contributions of a log.

    Parameters
    ----------
    endowment : float > 0, optional
        What a seat can give in a round, in games of numbers that do not say it.
    least : float in [0, 1]
        Share of the endowment from which on a seat is a contributor; 0: any positive contribution.
    keep_defaulted : bool
        Whether a default that replaced an unreadable reply counts as the player's own.

    Raises
    ------
    DataError
        A contribution below 0 or above the endowment, or limits that are none.
    LimitError
        Seats times rounds go beyond the bound that protects memory.
    """
    if endowment is not None and not 0 < endowment < 1e12:
        raise DataError(f"endowment {endowment:g}, expected a positive number")
    if not 0 <= least <= 1:
        raise DataError(f"contributors give from {least:g} of the endowment on, expected a share in [0, 1]")
    seats = SeatRounds.of(log)
    value, cooperated = seats.grid("value"), seats.grid("cooperated")
    binary = seats.any_by_game(np.isfinite(cooperated))
    pots = [_pot(text) for text in log.games["payoffs"]]
    tokens, returned = (np.array([getattr(pot, name) for pot in pots]) for name in ("tokens", "returned"))
    rules = np.isfinite(tokens)
    if endowment is not None:
        tokens = np.where(np.isnan(tokens) & ~binary, endowment, tokens)
    numbers = np.isfinite(tokens) & seats.any_by_game(~np.isnan(value))
    held = _held(value, tokens, returned, seats)
    own = numbers[seats.game][:, None]
    _check(value, held, own, seats, log)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(held > _SLACK, np.clip(value / held, 0.0, 1.0), np.where(value >= 0, 0.0, np.nan))
    shares = np.where(own, share, cooperated)
    contributed = np.where(np.isnan(shares), -1, (shares >= least) & (shares > _SLACK)).astype(np.int8)
    played = log.games["rounds_played"].to_numpy(dtype=np.intp)[seats.game]
    # By the rules of the token game a seat whose move is missing gives nothing, which the others see.
    absent = (rules & numbers)[seats.game][:, None] & np.isnan(shares) & _before(played, shares.shape[1])
    cooperated_now = seats.of_moves(contributed)
    derived = _with_cooperation(log, cooperated_now)
    play = derived.trajectories(keep_defaulted=keep_defaulted)
    assert play.keys is not None
    return Contributions(
        shares=np.where(absent, 0.0, shares),
        game=seats.game,
        others=log.games["n_players"].to_numpy(dtype=np.intp)[seats.game] - 1,
        units=_units(value, tokens, numbers, seats),
        contributed=np.where(absent, np.int8(0), contributed),
        play=play,
        rows=seats.rows(play.keys),
        log=derived,
        drawn=any(pot.drawn for pot in pots),
    )


@dataclass(frozen=True)
class _Pot:
    """Tokens that a game gives each seat, and what a token in the pot returns to each where all are kept."""

    tokens: float = float("nan")
    returned: float = float("nan")
    drawn: bool = False


@lru_cache(maxsize=4096)
def _pot(text: object) -> _Pot:
    if not isinstance(text, str) or '"public_goods"' not in text:
        return _Pot()
    try:
        game = course_from_json(text, "public_goods")
    except GameError:
        return _Pot()
    if not isinstance(game, TokenPot):
        return _Pot()
    returned = float("nan") if game.reset else game.factor / game.n_players
    return _Pot(float(game.tokens), returned, game.least is not None)


def _held(value: Floats, tokens: Floats, returned: Floats, seats: SeatRounds) -> Floats:
    """(n, T) tokens that each seat holds before the round."""
    held = np.repeat(tokens[seats.game][:, None], value.shape[1], axis=1)
    if np.isfinite(returned).any():
        gave = np.nan_to_num(value)
        pot = np.zeros((len(returned), value.shape[1]))
        np.add.at(pot, seats.game, gave)
        gained = np.nan_to_num(pot * returned[:, None])[seats.game] - gave
        keeps = np.isfinite(returned)[seats.game][:, None]
        held[:, 1:] += np.where(keeps, np.cumsum(gained, axis=1)[:, :-1], 0.0)
    return held


def _check(value: Floats, held: Floats, own: NDArray[np.bool_], seats: SeatRounds, log: GameLog) -> None:
    wrong = own & ~np.isnan(value) & ((value < 0) | (value > held * (1 + _SLACK) + _SLACK))
    if not wrong.any():
        return
    row, t = (int(i[0]) for i in np.nonzero(wrong))
    game, seat = log.games["game_id"].iloc[seats.game[row]], log.seats["seat"].iloc[row]
    raise DataError(
        f"game {shorten(game)}, round {t + 1}, seat {seat}: contribution {value[row, t]:g}, "
        f"expected a number from 0 to {held[row, t]:g}, what the seat has"
    )


def _before(rounds: NDArray[np.intp], horizon: int) -> NDArray[np.bool_]:
    before: NDArray[np.bool_] = np.arange(horizon) < rounds[:, None]
    return before


def _units(value: Floats, tokens: Floats, numbers: NDArray[np.bool_], seats: SeatRounds) -> NDArray[np.intp]:
    """Steps of the endowment of each game's seats: its tokens where all contributions are whole."""
    fractional = seats.any_by_game(np.isfinite(value) & (value != np.round(value)))
    whole = numbers & ~fractional & (tokens == np.round(np.nan_to_num(tokens)))
    steps = np.where(whole & (tokens <= _MOST_UNITS), np.nan_to_num(tokens), _MOST_UNITS)
    of_seats: NDArray[np.intp] = np.where(numbers, steps, 1).astype(np.intp)[seats.game]
    return of_seats


def _with_cooperation(log: GameLog, cooperated: NDArray[np.int8]) -> GameLog:
    """The log, ``cooperated`` true of contributors."""
    column = pd.arrays.BooleanArray(cooperated == 1, cooperated < 0)
    moves = log.moves.assign(cooperated=column)
    return GameLog(log.games, log.seats, moves, log.questions, provenance=log.provenance, rejects=log.rejects)


@dataclass(frozen=True, eq=False)
class Answers:
    """Pairs of contributions, those of a subject together and in order of its games and rounds.

    Attributes
    ----------
    x : (m,) mean contribution of the others, as a share of the endowment
    y : (m,) own contribution
    subject : (m,) int in 0 .. n - 1, ascending
    n : int, subjects, also those without a pair
    units : (n,) int, contributions are multiples of 1 / units
    others : (n,) int, the largest number of others
    """

    x: Floats
    y: Floats
    subject: NDArray[np.intp]
    n: int
    units: NDArray[np.intp]
    others: NDArray[np.intp]

    def of(self, subject: int) -> tuple[Floats, Floats]:
        """x and y of one subject."""
        a, b = np.searchsorted(self.subject, [subject, subject + 1])
        return self.x[a:b], self.y[a:b]


def answers(play: Contributions, subjects: NDArray[np.intp], *, lag: int = 1) -> Answers:
    """Pairs of the others' mean in round t - lag and the own contribution in round t, both known.

    Parameters
    ----------
    subjects : (m,) int in 0 .. n - 1, of each focal trajectory
    lag : int, 0 where a contribution answers the others' of the same round
    """
    rows, horizon = play.rows, play.shares.shape[1]
    own = np.where(play.play.evidence, play.shares[rows], np.nan)[:, lag:]
    others = play.mean_of_others()[rows][:, : horizon - lag]
    known = np.isfinite(own) & np.isfinite(others)
    at = np.broadcast_to(subjects[:, None], known.shape)[known]
    order = np.argsort(at, kind="stable")
    n = int(subjects.max(initial=-1)) + 1
    units, most = np.ones(n, dtype=np.intp), np.ones(n, dtype=np.intp)
    np.maximum.at(units, subjects, play.units[rows])
    np.maximum.at(most, subjects, play.others[rows])
    return Answers(others[known][order], own[known][order], at[order], n, units, most)


def contributor_play(
    log: GameLog | str | Path,
    *,
    where: Mapping[str, Sequence[str]] | None = None,
    contributes_from: float = 0.0,
    endowment: float | None = None,
    keep_defaulted: bool = False,
    keep_scripted: bool = True,
    **reading: Any,
) -> Contributions:
    """The contributions of the rows of a log that meet conditions.

    Parameters
    ----------
    log, where, keep_defaulted, keep_scripted, **reading
        As `focal_play`.
    contributes_from : float in [0, 1]
        Share of the endowment from which on a seat is a contributor; 0: any positive contribution.
    endowment : float, optional
        What a seat can give in a round, in games of numbers that do not say it.

    Raises
    ------
    UsageError
        No game is left.
    DataError
        A contribution that the endowment does not allow.
    """
    from intent.logs.gamelog import GameLog
    from intent.logs.readers import read_log

    played = log if isinstance(log, GameLog) else read_log(log, **reading)
    if where:
        played = narrowed(played, where)
    if not keep_scripted:
        played = of_subjects(played)
    return contributions(played, endowment=endowment, least=contributes_from, keep_defaulted=keep_defaulted)
