"""Divide the dollar: all get what they ask for, unless together they ask for more than there is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from intent.games.game import Facts, RoundOutcome
from intent.gamma.game import SimultaneousGame, by_seat, check_players, check_whole, whole_number, whole_range

if TYPE_CHECKING:
    import numpy as np

__all__ = ["DivideDollar"]


@dataclass(frozen=True)
class DivideDollar(SimultaneousGame):
    """Each player bids for a part of the gold and gets it if all bids together do not exceed the gold.

    Otherwise nobody gets anything.

    Parameters
    ----------
    n_players : int, 2 to 1000
    gold : int, at least 1
        Bids are whole numbers from 0 to this.

    Raises
    ------
    GameError
        Parameters that make no game.

    References
    ----------
    Shapley & Shubik 1969, International Economic Review 10:337. Ashlock & Greenwood 2016, IEEE Congress on
    Evolutionary Computation, p. 343 (many players). Nash 1953, Econometrica 21:128 (the demand game): every
    profile of bids that add up to the gold is an equilibrium; the symmetric one is gold/N, here with the
    remainder of the division, one coin each, to the first seats.
    """

    gold: int = 100

    name: ClassVar[str] = "divide_dollar"

    def __post_init__(self) -> None:
        check_players(self.name, self.n_players)
        check_whole(self.name, "gold", self.gold, 1)

    def facts(self) -> Facts:
        """gold."""
        return {"gold": self.gold}

    def key(self, asked: Facts) -> str:
        """``bid_amount``."""
        return "bid_amount"

    def read(self, value: object, seat: int, asked: Facts) -> str:
        """A whole number from 0 to the gold."""
        return str(whole_number(value, "bid", 0, self.gold))

    def legal(self, seat: int, asked: Facts) -> tuple[str, ...] | None:
        """All bids, None where there are many."""
        return whole_range(0, self.gold)

    def outcome(self, actions: Mapping[int, str | None]) -> RoundOutcome:
        """The bids, or nothing for all."""
        bids = [None if a is None else int(a) for a in by_seat(self.name, self.n_players, actions)]
        total = sum(bid for bid in bids if bid is not None)
        within = total <= self.gold
        seats = range(1, self.n_players + 1)
        return RoundOutcome(
            payoffs=tuple(None if bid is None else float(bid if within else 0) for bid in bids),
            values={seat: None if bid is None else float(bid) for seat, bid in zip(seats, bids, strict=True)},
            told={
                seat: {"own": bid, "total": total, "within": within, "gain": (bid or 0) if within else 0}
                for seat, bid in zip(seats, bids, strict=True)
            },
        )

    def equilibrium(self, seat: int, asked: Facts, rng: np.random.Generator) -> str:
        """An equal share; the coins that remain go to the first seats."""
        share, rest = divmod(self.gold, self.n_players)
        return str(share + (seat <= rest))

    def best_reply(self, seat: int, told: Facts | None, asked: Facts, rng: np.random.Generator) -> str:
        """What the others' last bids leave; 0 where they leave nothing, as no bid pays then."""
        total, own = (told or {}).get("total"), (told or {}).get("own")
        if not isinstance(total, int):
            return self.equilibrium(seat, asked, rng)
        return str(max(0, self.gold - (total - (own if isinstance(own, int) else 0))))

    def gains(
        self, seat: int, others: Mapping[int, str | None], asked: Facts, actions: tuple[str, ...]
    ) -> tuple[float, ...]:
        """The bid where it fits beside the others', else 0."""
        left = self._left(seat, others)
        return tuple(float(bid if bid <= left else 0) for bid in map(int, actions))

    def best(self, seat: int, others: Mapping[int, str | None], asked: Facts) -> tuple[str, float]:
        """All that the others leave."""
        left = max(0, self._left(seat, others))
        return str(left), float(left)

    def _left(self, seat: int, others: Mapping[int, str | None]) -> int:
        return self.gold - sum(int(a) for s, a in others.items() if s != seat and a is not None)
