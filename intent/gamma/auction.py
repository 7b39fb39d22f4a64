"""The sealed-bid auction: the highest bid wins, and pays itself or the second-highest.

The first-price auction on its grid, exactly: what bids pay against others who bid by a rule.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, ClassVar

from intent.base.errors import GameError, shorten
from intent.games.game import Facts, RoundOutcome
from intent.gamma.game import (
    SituatedGame,
    check_choice,
    check_moves,
    check_players,
    check_whole,
    whole_number,
    whole_range,
)

if TYPE_CHECKING:
    import numpy as np


__all__ = ["Auction", "deviation_gain", "interim_payoffs", "shading", "valuations"]


def valuations(round: int, n_players: int, top: int, step: int, seed: int) -> tuple[int, ...]:
    """The valuations of a round by seat: different multiples of `step` from 0 to `top`, GAMA-Bench's own
    draws.

    Parameters
    ----------
    round : int, from 1
    n_players : int
    top, step : int
    seed : int
        Of the first round; each later round has the next one.

    Examples
    --------
    >>> valuations(1, 10, top=200, step=10, seed=42)
    (200, 30, 0, 80, 70, 160, 20, 110, 10, 100)
    """
    return tuple(random.Random(seed + round - 1).sample(range(0, top + step, step), n_players))


@dataclass(frozen=True)
class Auction(SituatedGame):
    """Each player learns what the item is worth to it and bids; the winner gains its valuation less the
    price.

    The price is the highest bid (``"first"``) or the second-highest (``"second"``), which equals the highest
    where two players bid the same, and is 0 where nobody else bids. Ties are drawn: one number from the
    generator of the match a round, also where nothing is tied. No two valuations of a round are equal.

    Parameters
    ----------
    n_players : int
        At most the number of valuations, top/step + 1: they are drawn without replacement.
    price : {"first", "second"}
    top : int
        The largest valuation, a multiple of `step`.
    step : int
    seed : int
        Of the valuations, which are the same in all matches of one game.
    overbid : bool
        Whether bids above the valuation are taken, up to `top`. GAMA-Bench's code takes any; its prompts ask
        for none.

    Raises
    ------
    GameError
        Parameters that make no game.

    References
    ----------
    Vickrey 1961, Journal of Finance 16:8: with the second price, to bid the own valuation is weakly dominant.
    McAfee & McMillan 1987, Journal of Economic Literature 25:699: with the first price and N bidders whose
    valuations are uniform and independent, the symmetric equilibrium bids v·(N-1)/N; `equilibrium` rounds it
    down. The valuations here lie on a grid and are drawn without replacement, so that this is close to an
    equilibrium and not one: `intent.gamma.auction` says exactly how close.
    """

    price: str = "first"
    top: int = 200
    step: int = 10
    seed: int = 42
    overbid: bool = False

    name: ClassVar[str] = "auction"

    def __post_init__(self) -> None:
        check_players(self.name, self.n_players)
        check_choice(self.name, "price", self.price, ("first", "second"))
        check_whole(self.name, "top", self.top, 1)
        check_whole(self.name, "step", self.step, 1, self.top)
        check_whole(self.name, "seed", self.seed, 0)
        if not isinstance(self.overbid, bool):
            raise GameError(f"{self.name}: overbid {shorten(self.overbid)!r}, expected true or false")
        if self.top % self.step:
            raise GameError(f"{self.name}: top {self.top}, expected a multiple of step {self.step}")
        if self.n_players > self.top // self.step + 1:
            raise GameError(
                f"{self.name}: {self.n_players} players, expected {self.top // self.step + 1} at most: as "
                "many as different valuations; a larger top or a smaller step has more"
            )

    def course(self, rng: np.random.Generator) -> AuctionCourse:
        """A new match."""
        return AuctionCourse(self, rng)

    def facts(self) -> Facts:
        """price, top."""
        return {"price": self.price, "top": self.top}

    def key(self, asked: Facts) -> str:
        """``bid``."""
        return "bid"

    def read(self, value: object, seat: int, asked: Facts) -> str:
        """A whole number from 0 to the valuation, or to `top` where `overbid` allows."""
        return str(whole_number(value, "bid", 0, self.top if self.overbid else _valuation(asked)))

    def legal(self, seat: int, asked: Facts) -> tuple[str, ...] | None:
        """All bids up to the valuation (`top` with `overbid`); None where there are many."""
        return whole_range(0, self.top if self.overbid else _valuation(asked))

    def equilibrium(self, seat: int, asked: Facts, rng: np.random.Generator) -> str:
        """The valuation with the second price, v·(N-1)/N rounded down with the first."""
        worth = _valuation(asked)
        return str(worth if self.price == "second" else worth * (self.n_players - 1) // self.n_players)

    def best_reply(self, seat: int, told: Facts | None, asked: Facts, rng: np.random.Generator) -> str:
        """With the second price the valuation. With the first, one more than the last round's highest bid, if
        another made it and that leaves a gain (that bid itself where it leaves one of 1); a winner was not
        told what
        the others bid, and above the valuation nothing can be gained: as `equilibrium`."""
        worth, highest = _valuation(asked), (told or {}).get("highest")
        if (
            self.price == "second"
            or not isinstance(highest, int)
            or (told or {}).get("won")
            or highest >= worth
        ):
            return self.equilibrium(seat, asked, rng)
        return str(min(highest + 1, worth - 1))

    def gains(
        self, seat: int, others: Mapping[int, str | None], asked: Facts, actions: tuple[str, ...]
    ) -> tuple[float, ...]:
        """The valuation less the price where the bid wins; of a tie its expectation."""
        rivals = _bids(seat, others)
        highest, tied = (rivals[-1], rivals.count(rivals[-1])) if rivals else (-1, 0)
        worth, gains = _valuation(asked), []
        for bid in map(int, actions):
            price = bid if self.price == "first" else max(highest, 0)
            share = 1 if bid > highest else 1 / (tied + 1) if bid == highest else 0
            gains.append(float((worth - price) * share))
        return tuple(gains)

    def best(self, seat: int, others: Mapping[int, str | None], asked: Facts) -> tuple[str, float]:
        """The valuation with the second price; with the first the best of losing, tying, and one more than
        the
        highest."""
        worth, rivals = _valuation(asked), _bids(seat, others)
        highest = rivals[-1] if rivals else -1
        tries = [0, highest, highest + 1] if self.price == "first" else [worth]
        actions = tuple(str(bid) for bid in tries if 0 <= bid <= worth)
        gains = self.gains(seat, others, asked, actions)
        i = max(range(len(actions)), key=gains.__getitem__)
        return actions[i], gains[i]


class AuctionCourse:
    """An auction in every round, with new valuations.

    Parameters
    ----------
    game : Auction
    rng : numpy Generator
        Draws the winner of ties.
    """

    over = False

    def __init__(self, game: Auction, rng: np.random.Generator) -> None:
        self._game, self._rng = game, rng
        self._seats = tuple(range(1, game.n_players + 1))
        self._round = 0
        self._next()

    def steps(self) -> tuple[tuple[int, ...], ...]:
        """All seats at once."""
        return (self._seats,)

    def asked(self, seat: int, earlier: Mapping[int, str | None]) -> Facts:
        """The own valuation."""
        return {"valuation": self._worth[seat - 1]}

    def complete(self, actions: Mapping[int, str | None]) -> RoundOutcome:
        """Sell the item."""
        check_moves(self._game.name, actions, self._seats)
        bids = {seat: None if actions[seat] is None else int(actions[seat] or 0) for seat in self._seats}
        made = sorted(bid for bid in bids.values() if bid is not None)
        luck = self._rng.random()
        highest = made[-1] if made else None
        tied = [seat for seat, bid in bids.items() if bid is not None and bid == highest]
        winner = tied[int(luck * len(tied))] if tied else None
        price = highest if self._game.price == "first" or not made else (made[-2] if len(made) > 1 else 0)
        gains = {
            seat: self._worth[seat - 1] - price if seat == winner and price is not None else 0
            for seat in self._seats
        }
        outcome = RoundOutcome(
            payoffs=tuple(None if bids[seat] is None else float(gains[seat]) for seat in self._seats),
            values={seat: None if bid is None else float(bid) for seat, bid in bids.items()},
            told={
                seat: {
                    "valuation": self._worth[seat - 1],
                    "own": bids[seat],
                    "highest": highest,
                    "price": price,
                    "won": seat == winner,
                    "gain": gains[seat],
                }
                for seat in self._seats
            },
        )
        self._next()
        return outcome

    def _next(self) -> None:
        game = self._game
        self._round += 1
        self._worth = valuations(self._round, game.n_players, game.top, game.step, game.seed)


def _valuation(asked: Facts) -> int:
    worth = asked.get("valuation")
    if not isinstance(worth, int):
        raise GameError("auction: a request without valuation, expected what the course asks")
    return worth


def _bids(seat: int, others: Mapping[int, str | None]) -> list[int]:
    return sorted(int(bid) for other, bid in others.items() if other != seat and bid is not None)


def shading(game: Auction) -> dict[int, int]:
    """Valuation -> v·(N-1)/N rounded down, for all valuations of the game."""
    values = range(0, game.top + game.step, game.step)
    return {v: v * (game.n_players - 1) // game.n_players for v in values}


def interim_payoffs(valuation: int, rule: Mapping[int, int], n_players: int) -> tuple[float, ...]:
    """Expected gain of each bid with the first price, the own valuation being known.

    The valuations of the N-1 others are drawn without replacement from those of `rule` but the own; all bid
    as `rule` says. With m of these bids below x and t equal to it, a bid of x wins with probability sum over
    k of C(t, k)·C(m, N-1-k) / (C(K-1, N-1)·(k+1)), K the number of valuations.

    Parameters
    ----------
    valuation : int
        One of the keys of `rule`.
    rule : mapping of valuation -> bid
        Of all others.
    n_players : int, N

    Returns
    -------
    tuple of float, of the bids 0 to `valuation`

    References
    ----------
    Harsanyi 1967, Management Science 14:159 (interim expected payoffs of a Bayesian game).
    """
    rivals = [bid for worth, bid in rule.items() if worth != valuation]
    all_draws, payoffs = comb(len(rivals), n_players - 1), []
    for bid in range(valuation + 1):
        below, equal = sum(b < bid for b in rivals), sum(b == bid for b in rivals)
        won = sum(
            comb(equal, k) * comb(below, n_players - 1 - k) / (k + 1)
            for k in range(min(equal, n_players - 1) + 1)
        )
        payoffs.append((valuation - bid) * won / all_draws)
    return tuple(payoffs)


def deviation_gain(rule: Mapping[int, int], n_players: int) -> float:
    """The most that any bidder expects to gain by leaving `rule`; 0 of a symmetric equilibrium."""
    return max(
        max(payoffs) - payoffs[rule[worth]]
        for worth in rule
        for payoffs in [interim_payoffs(worth, rule, n_players)]
    )
