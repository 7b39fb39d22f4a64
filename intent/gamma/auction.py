"""The sealed-bid auction: the highest bid wins, and pays itself or the second-highest.

The first-price auction on its grid, exactly: what bids pay against others who bid by a rule.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import comb, nan
from statistics import fmean
from typing import TYPE_CHECKING, Any, ClassVar

from intent.base.errors import DataError, GameError, shorten
from intent.games.game import Facts, RoundOutcome
from intent.gamma.game import (
    CHOICE,
    MOST_VALUE,
    About,
    BenchGame,
    GameWords,
    Moves,
    Picture,
    SituatedGame,
    Story,
    Teller,
    Templates,
    check_choice,
    check_moves,
    check_players,
    check_whole,
    number_round,
    value_text,
    whole_number,
    whole_range,
)
from intent.gamma.plays import Numbers, Plays, Scoring, Table, mean_of, whole_or_same, whole_within
from intent.gamma.saved import LARGEST, SMALLEST, numbers, part, seat_of

if TYPE_CHECKING:
    import numpy as np

    from intent.games.game import CourseGame
    from intent.gamma.saved import Saved


__all__ = ["Auction", "deviation_gain", "interim_payoffs", "shading", "valuations"]


@lru_cache(maxsize=4096)
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
    answer_key: ClassVar[str] = "bid"

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

    def read(self, value: object, seat: int, question: Facts) -> str:
        """A whole number from 0 to the valuation, or to `top` where `overbid` allows."""
        return str(whole_number(value, "bid", 0, self.top if self.overbid else _valuation(question)))

    def legal(self, seat: int, question: Facts) -> tuple[str, ...] | None:
        """All bids up to the valuation (`top` with `overbid`); None where there are many."""
        return whole_range(0, self.top if self.overbid else _valuation(question))

    def equilibrium(self, seat: int, question: Facts, rng: np.random.Generator) -> str:
        """The valuation with the second price, v·(N-1)/N rounded down with the first."""
        worth = _valuation(question)
        return str(worth if self.price == "second" else worth * (self.n_players - 1) // self.n_players)

    def best_reply(self, seat: int, last: Facts | None, question: Facts, rng: np.random.Generator) -> str:
        """With the second price the valuation. With the first, one more than the last round's highest bid, if
        another made it and that leaves a gain (that bid itself where it leaves one of 1); a winner was not
        told what
        the others bid, and above the valuation nothing can be gained: as `equilibrium`."""
        worth, highest = _valuation(question), (last or {}).get("highest")
        if (
            self.price == "second"
            or not isinstance(highest, int)
            or (last or {}).get("won")
            or highest >= worth
        ):
            return self.equilibrium(seat, question, rng)
        return str(min(highest + 1, worth - 1))

    def gains(self, seat: int, others: Moves, question: Facts, actions: tuple[str, ...]) -> tuple[float, ...]:
        """The valuation less the price where the bid wins; of a tie its expectation."""
        rivals = _bids(seat, others)
        highest, tied = (rivals[-1], rivals.count(rivals[-1])) if rivals else (-1, 0)
        worth, gains = _valuation(question), []
        for bid in map(int, actions):
            price = bid if self.price == "first" else max(highest, 0)
            share = 1 if bid > highest else 1 / (tied + 1) if bid == highest else 0
            gains.append(float((worth - price) * share))
        return tuple(gains)

    def best(self, seat: int, others: Moves, question: Facts) -> tuple[str, float]:
        """The valuation with the second price; with the first the best of losing, tying, and one more than
        the
        highest."""
        worth, rivals = _valuation(question), _bids(seat, others)
        highest = rivals[-1] if rivals else -1
        tries = [0, highest, highest + 1] if self.price == "first" else [worth]
        actions = tuple(str(bid) for bid in tries if 0 <= bid <= worth)
        gains = self.gains(seat, others, question, actions)
        i = max(range(len(actions)), key=gains.__getitem__)
        return actions[i], gains[i]


class AuctionCourse:
    """An auction in every round, with new valuations; the generator draws the winner of ties."""

    over = False

    def __init__(self, game: Auction, rng: np.random.Generator) -> None:
        self._game, self._rng = game, rng
        self._seats = tuple(range(1, game.n_players + 1))
        self._round = 0
        self._next()

    def steps(self) -> tuple[tuple[int, ...], ...]:
        """All seats at once."""
        return (self._seats,)

    def question(self, seat: int, earlier: Moves) -> Facts:
        """The own valuation."""
        return {"valuation": self._worth[seat - 1]}

    def complete(self, actions: Moves) -> RoundOutcome:
        """Sell the item."""
        check_moves(self._game.name, actions, self._seats)
        bids = {seat: None if actions[seat] is None else int(actions[seat] or 0) for seat in self._seats}
        ranked = sorted(bid for bid in bids.values() if bid is not None)
        luck = self._rng.random()
        highest = ranked[-1] if ranked else None
        tied = [seat for seat, bid in bids.items() if bid is not None and bid == highest]
        winner = tied[int(luck * len(tied))] if tied else None
        price = (
            highest if self._game.price == "first" or not ranked else (ranked[-2] if len(ranked) > 1 else 0)
        )
        gains = {
            seat: self._worth[seat - 1] - price if seat == winner and price is not None else 0
            for seat in self._seats
        }
        reports = [
            {
                "valuation": self._worth[seat - 1],
                "own": bids[seat],
                "highest": highest,
                "price": price,
                "won": seat == winner,
                "gain": gains[seat],
            }
            for seat in self._seats
        ]
        outcome = number_round(list(bids.values()), list(gains.values()), reports)
        self._next()
        return outcome

    def _next(self) -> None:
        game = self._game
        self._round += 1
        self._worth = valuations(self._round, game.n_players, game.top, game.step, game.seed)


def _valuation(question: Facts) -> int:
    worth = question.get("valuation")
    if not isinstance(worth, int):
        raise GameError("auction: a request without valuation, expected what the course asks")
    return worth


def _bids(seat: int, others: Moves) -> list[int]:
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


@dataclass(frozen=True, kw_only=True)
class AuctionPlays(Plays):
    """What was bid, on which valuations.

    Parameters
    ----------
    price, top, step, seed, overbid : as `Auction`
    valuations : rounds by seats of numbers
    bids : rounds by seats of numbers, None where none was made
    winners : tuple of int or None, by round
        Seats, where the source says who had the item; no score depends on it.
    """

    game = "auction"
    by_round = "bids"
    settings = (
        *(("price", "price", "first"), ("top", "top", 200), ("step", "step", 10)),
        *(("seed", "seed", 42), ("overbid", "overbid", False)),
    )

    price: str = "first"
    top: float = 200
    step: float = 10
    seed: int = 42
    overbid: bool = False
    valuations: tuple[tuple[float, ...], ...]
    bids: Numbers
    winners: tuple[int | None, ...] = field(default=(), compare=False)

    @classmethod
    def from_table(cls, game: Auction, table: Table) -> dict[str, Any]:
        """Valuations follow from the game's own seed, whatever is bid; a missing move is no bid."""
        rounds = range(1, len(table.rounds) + 1)
        worth = (valuations(i, game.n_players, game.top, game.step, game.seed) for i in rounds)
        return {
            "valuations": tuple(tuple(map(float, row)) for row in worth),
            "bids": table.numbers(0, game.top),
        }

    @property
    def by_seat(self) -> Numbers:
        """The bids."""
        return self.bids

    @property
    def shares(self) -> list[list[float | None]]:
        """Bids over valuations, None without either."""
        return [
            [None if b is None or not v else b / v for b, v in zip(bids, values, strict=True)]
            for bids, values in zip(self.bids, self.valuations, strict=True)
        ]

    def rules(self) -> dict[str, Any]:
        """Bids above the valuation are part of the rules where some were made.

        Raises
        ------
        GameError
            The valuations are not those that the seed draws, so that no rules have them.
        """
        rows = zip(self.valuations, self.bids, strict=True)
        above = any(
            b is not None and b > v for values, bids in rows for v, b in zip(values, bids, strict=True)
        )
        grid = (whole_or_same(self.top), whole_or_same(self.step))
        if not _are_drawn(self.valuations, self.n_players, *grid, self.seed):
            raise GameError("auction: valuations that no seed draws, expected those of a seed")
        return {
            **dict(zip(("price", "top", "step"), (self.price, *grid), strict=True)),
            "seed": self.seed,
            "overbid": self.overbid or above,
        }

    def allowed(self, stage: Auction) -> bool:
        """Whole bids up to the valuation."""
        rows = zip(self.valuations, self.bids, strict=True)
        above = any(b is not None and b > v for row in rows for v, b in zip(*row, strict=True))
        return not above and whole_within(self.bids, 0, stage.top)

    def payoffs(self, stage: Auction) -> Iterator[float | None]:
        """Valuation less price, of the winner; of a tie the winner is the source's."""
        winners = self.winners or (None,) * len(self.bids)
        for values, bids, winner in zip(self.valuations, self.bids, winners, strict=True):
            ranked = sorted(bid for bid in bids if bid is not None)
            tied = [seat for seat, bid in enumerate(bids, start=1) if ranked and bid == ranked[-1]]
            won = tied[0] if len(tied) == 1 else winner if winner in tied else None
            price = ranked[-1] if stage.price == "first" else ranked[-2] if len(ranked) > 1 else 0
            for seat, (value, bid) in enumerate(zip(values, bids, strict=True), start=1):
                if bid is not None:
                    lucky = won is None and seat in tied
                    yield None if lucky else float(value - price) if seat == won else 0.0

    def score(self, scoring: Scoring = "code") -> float:
        """How far bids are shaded: mean of (v - b) / v over all bids made, in auctions of either price.

        The code takes a bid above the valuation, and any bid on a valuation of 0, for 0; the paper's quotient
        is negative in the first case and not defined in the second, which is left out.

        Raises
        ------
        DataError
            Not one bid counts.
        """
        rows = zip(self.valuations, self.bids, strict=True)
        margins = _margins((pair for row in rows for pair in zip(*row, strict=True)), scoring)
        if not margins:
            raise DataError("auction: no bid that counts, and no bid makes no score")
        return 100 * mean_of(margins)

    def seat_scores(self, scoring: Scoring = "code") -> tuple[float | None, ...] | None:
        """Mean margin of a seat; as the paper writes it over bids, and None without a valuation above 0."""
        columns = list(zip(zip(*self.valuations, strict=True), zip(*self.bids, strict=True), strict=True))
        if any(bid is None for _, bids in columns for bid in bids):
            return None
        margins = [_margins(zip(*column, strict=True), scoring) for column in columns]
        return tuple(100 * sum(each) / len(each) if each else None for each in margins)


def _margins(pairs: Iterable[tuple[float, float | None]], scoring: Scoring) -> list[float]:
    """(v - b) / v of every valuation and bid that counts, as `AuctionPlays.score` has it."""
    margins: list[float] = []
    for v, b in pairs:
        if b is not None and scoring == "code":
            margins.append(max((v - b) / v, 0.0) if v else 0.0)
        elif b is not None and v:
            margins.append((v - b) / v)
    return margins


_PRICES = {"highest bid": "first", "second highest bid": "second"}


def _saved(saved: Saved) -> dict[str, Any]:
    """Bids above the valuation or below 0 are taken as they are, as upstream does."""
    bids, worth, winners = [], [], []
    mode = saved.word("mode", "highest bid", tuple(_PRICES))
    for i, record in enumerate(saved.records):
        at, answers = f"round {i + 1}", saved.responses(i)
        values = part(record, "valuations", list, at)
        if len(values) != saved.n_players:
            raise DataError(f"{at}: {len(values)} valuations, expected {saved.n_players}")
        if answers is None:
            raise DataError(f"{at}: no responses, expected a bid of every player")
        bids.append(numbers(answers, "response", at, low=-LARGEST))
        worth.append(numbers(values, "valuation", at))
        winners.append(seat_of(record.get("bid_winner")))
        if small := next((v for v in worth[-1] if 0 < v < SMALLEST), None):
            raise DataError(f"{at}: valuation {small:g}, expected 0 or at least {SMALLEST:g}")
    saved.has_records(len(bids))
    top, step = saved.parameter("valuation_max", 200), saved.parameter("interval", 10)
    return {
        "price": _PRICES[mode],
        "top": top,
        "step": step,
        **_drawn_by(saved, tuple(worth), top, step),
        "valuations": tuple(worth),
        "bids": tuple(bids),
        "winners": tuple(winners),
    }


def _drawn_by(saved: Saved, worth: tuple[tuple[float, ...], ...], top: float, step: float) -> dict[str, int]:
    """The seed of the first round, where it draws these; the file has that of the round after the last."""
    last = saved.meta.get("seed")
    seed = last - len(worth) if type(last) is int else -1
    grid = (whole_or_same(top), whole_or_same(step))
    return {"seed": seed} if _are_drawn(worth, saved.n_players, *grid, seed) else {}


def _are_drawn(
    worth: tuple[tuple[float, ...], ...], n_players: int, top: float, step: float, seed: int
) -> bool:
    """Whether valuations are those that a seed draws."""
    if not (isinstance(top, int) and isinstance(step, int) and 1 <= step <= top <= MOST_VALUE):
        return False
    if not 0 <= seed < 2**32 or n_players > top // step + 1:
        return False
    return all(valuations(i, n_players, top, step, seed) == row for i, row in enumerate(worth, start=1))


class _Words(GameWords):
    pieces: ClassVar = {
        "rules": (),
        "first": (),
        "second": (),
        "valuation": ("valuation",),
        "report": ("highest", "price", CHOICE),
        "won": (),
        "lost": (),
        "request": ("valuation",),
    }
    plain: ClassVar = {"form": ("valuation",)}

    def rules(self, t: Teller) -> list[str]:
        return [t.say("rules"), t.say(str(t.game.facts()["price"]))]

    def news(self, t: Teller, facts: Facts) -> list[str]:
        return [t.say("valuation", valuation=value_text(facts["valuation"]))]

    def report(self, t: Teller, facts: Facts) -> list[str]:
        if facts["highest"] is None:
            return [t.phrase("nobody")]
        bids = t.say("report", highest=value_text(facts["highest"]), price=value_text(facts["price"]))
        outcome = [] if facts["own"] is None else [t.say("won" if facts["won"] else "lost")]
        return [bids, *outcome, *t.gain(facts)]


class _Templates(Templates):
    folder = "sealed_bid_auction"
    inputs: ClassVar = {
        "description": ("n_players", "rounds", "price_rule", "role"),
        "report": ("round", "valuation", "own", "highest", "price", "outcome", "gain"),
        "request": ("round", "valuation", "format"),
    }

    def rule_facts(self, game: CourseGame, seat: int, names: Sequence[str]) -> Facts:
        first = game.facts()["price"] == "first"
        return {"price_rule": "highest bid" if first else "second highest bid"}

    def report_facts(self, game: CourseGame, seat: int, names: Sequence[str], facts: Facts) -> Facts:
        return {"outcome": "won" if facts["won"] else "lost"}

    def range(self, rules: Facts, question: Facts) -> tuple[object, object]:
        return 0, question.get("valuation")


def _mean_shares(run: AuctionPlays) -> list[float]:
    rows = [[share for share in row if share is not None] for row in run.shares]
    return [fmean(row) if row else nan for row in rows]


BENCH = BenchGame(
    "betraying",
    "Sealed-Bid Auction",
    About(
        "Sealed-bid auction",
        "Each player learns its valuation and bids; the highest bid wins and pays itself (first) "
        "or the second-highest (second).",
        "the valuation times (N - 1)/N with the first price, close to an equilibrium here; the "
        "valuation with the second",
        "Vickrey 1961, Journal of Finance 16:8; McAfee & McMillan 1987, Journal of Economic "
        "Literature 25:699",
    ),
    AuctionPlays,
    _Words(),
    _Templates(),
    # Sellers of a contract, whose costs are top - valuation, and of whom the lowest ask wins.
    Story("contract", (("bid", "ask"),), mirrored="top", numbers=("valuation", "own", "highest", "price")),
    Picture(
        "Thin lines: mean of bid / valuation in a run; dots: single bids; without valuations of 0.",
        "bid / valuation",
        _mean_shares,
        lambda run: {"equilibrium": 1.0 if run.price == "second" else (run.n_players - 1) / run.n_players},
        choices=lambda run: run.shares,
    ),
    _saved,
    (("valuation_min", "valuation_max"), ("valuations",)),
    missing="no bid",
    discrepancy="the code takes bids above the valuation, and any bid on a valuation of 0, for 0; the "
    "paper's quotient is negative there, or not defined and here left out",
    spellings={"bid": ("bid_amount", "amount")},
    short_names=("auction",),
    sweeps=("vr",),
    settings=tuple({"top": top} for top in (100, 200, 400, 800)),
)
