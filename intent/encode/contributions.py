"""Contributions to a public good, of every seat and round, as shares of what the seat could have given.

1. A game that names its tokens (``"rules": "public_goods"``): the tokens given, over those held. Where tokens
   are kept from round to round, a seat holds what it began with and has gained since.
2. A game of numbers whose endowment the user names: the number, over it.
3. Any other game with a cooperative action: 1 for it, 0 for the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.encode.counted_others import CountedOthers
from intent.encode.seat_rounds import SeatRounds
from intent.errors import DataError, GameError, shorten
from intent.games.gamma.catalogue import gamma_from_json
from intent.games.gamma.public_goods import PublicGoodsTokens
from intent.logs.gamelog import GameLog
from intent.logs.trajectories import Trajectories

__all__ = ["Contributions", "contributions"]

Floats = NDArray[np.float64]

_SLACK = 1e-6
_MOST_UNITS = 100
"""Steps into which an endowment is parted at most."""


@dataclass(frozen=True, eq=False)
class Contributions:
    """Contributions of the n seats of a log in T rounds.

    Attributes
    ----------
    given : (n, T) share of the endowment, in [0, 1]; NaN where unknown to the others, too
    game : (n,) index of the game
    others : (n,) number of the other seats
    units : (n,) int, contributions are multiples of 1 / units: 1 where all or nothing is given
    contributed : (n, T) int8, 1 = a contributor, 0 = none, -1 = unknown
    play : Trajectories of the focal seats in games with contributions; own moves are `contributed`
    rows : (m,) row of each of these among the n
    log : GameLog whose column ``cooperated`` tells who contributed
    drawn : bool, whether some game drew its endowments, which a log does not tell
    """

    given: Floats
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
        known = np.isfinite(self.given)
        amount = np.where(known, self.given, 0.0)
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
        found: Floats = sums[self.game]
        return found


def contributions(
    log: GameLog, *, endowment: float | None = None, least: float = 0.0, keep_defaulted: bool = False
) -> Contributions:
    """Contributions of a log.

    Parameters
    ----------
    log : GameLog
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
    given = np.where(own, share, cooperated)
    contributed = np.where(np.isnan(given), -1, (given >= least) & (given > _SLACK)).astype(np.int8)
    played = log.games["rounds_played"].to_numpy(dtype=np.intp)[seats.game]
    # By the rules of the token game a seat whose move is missing gives nothing, which the others see.
    absent = (rules & numbers)[seats.game][:, None] & np.isnan(given) & _before(played, given.shape[1])
    told = seats.told(contributed)
    derived = _with_cooperation(log, told)
    play = derived.trajectories(keep_defaulted=keep_defaulted)
    assert play.keys is not None
    return Contributions(
        given=np.where(absent, 0.0, given),
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
        game = gamma_from_json(text, "public_goods")
    except GameError:
        return _Pot()
    if not isinstance(game, PublicGoodsTokens):
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
        kept = np.isfinite(returned)[seats.game][:, None]
        held[:, 1:] += np.where(kept, np.cumsum(gained, axis=1)[:, :-1], 0.0)
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
    found: NDArray[np.bool_] = np.arange(horizon) < rounds[:, None]
    return found


def _units(value: Floats, tokens: Floats, numbers: NDArray[np.bool_], seats: SeatRounds) -> NDArray[np.intp]:
    """Steps of the endowment of each game's seats: its tokens where all contributions are whole."""
    fractional = seats.any_by_game(np.isfinite(value) & (value != np.round(value)))
    whole = numbers & ~fractional & (tokens == np.round(np.nan_to_num(tokens)))
    steps = np.where(whole & (tokens <= _MOST_UNITS), np.nan_to_num(tokens), _MOST_UNITS)
    found: NDArray[np.intp] = np.where(numbers, steps, 1).astype(np.intp)[seats.game]
    return found


def _with_cooperation(log: GameLog, told: NDArray[np.int8]) -> GameLog:
    """The log, ``cooperated`` true of contributors."""
    column = pd.arrays.BooleanArray(told == 1, told < 0)
    moves = log.moves.assign(cooperated=column)
    return GameLog(log.games, log.seats, moves, log.questions, provenance=log.provenance, rejects=log.rejects)
