"""Divide the dollar: all get what they ask for, unless together they ask for more than there is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from intent.games.game import Facts, RoundOutcome
from intent.gamma.game import (
    CHOICE,
    About,
    BenchGame,
    GameWords,
    Moves,
    Picture,
    SimultaneousGame,
    Story,
    Teller,
    Templates,
    check_players,
    check_whole,
    number_round,
    value_text,
    whole_moves,
    whole_number,
    whole_range,
)
from intent.gamma.plays import Numbers, Plays, Scoring, Table, mean_of, sums, whole_or_same, whole_within
from intent.gamma.saved import LARGEST

if TYPE_CHECKING:
    import numpy as np

    from intent.games.game import CourseGame
    from intent.gamma.saved import Saved

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
    answer_key: ClassVar[str] = "bid_amount"

    def __post_init__(self) -> None:
        check_players(self.name, self.n_players)
        check_whole(self.name, "gold", self.gold, 1)

    def read(self, value: object, seat: int, question: Facts) -> str:
        """A whole number from 0 to the gold."""
        return str(whole_number(value, "bid", 0, self.gold))

    def legal(self, seat: int, question: Facts) -> tuple[str, ...] | None:
        """All bids, None where there are many."""
        return whole_range(0, self.gold)

    def outcome(self, actions: Moves) -> RoundOutcome:
        """The bids, or nothing for all."""
        bids = whole_moves(self.name, self.n_players, actions)
        total = sum(bid for bid in bids if bid is not None)
        within = total <= self.gold
        gains = [(bid or 0) if within else 0 for bid in bids]
        reports: list[Facts] = [
            {"own": bid, "total": total, "within": within, "gain": gain}
            for bid, gain in zip(bids, gains, strict=True)
        ]
        return number_round(bids, gains, reports)

    def equilibrium(self, seat: int, question: Facts, rng: np.random.Generator) -> str:
        """An equal share; the coins that remain go to the first seats."""
        share, rest = divmod(self.gold, self.n_players)
        return str(share + (seat <= rest))

    def best_reply(self, seat: int, last: Facts | None, question: Facts, rng: np.random.Generator) -> str:
        """What the others' last bids leave; 0 where they leave nothing, as no bid pays then."""
        total, own = (last or {}).get("total"), (last or {}).get("own")
        if not isinstance(total, int):
            return self.equilibrium(seat, question, rng)
        return str(max(0, self.gold - (total - (own if isinstance(own, int) else 0))))

    def gains(self, seat: int, others: Moves, question: Facts, actions: tuple[str, ...]) -> tuple[float, ...]:
        """The bid where it fits beside the others', else 0."""
        left = self._left(seat, others)
        return tuple(float(bid if bid <= left else 0) for bid in map(int, actions))

    def best(self, seat: int, others: Moves, question: Facts) -> tuple[str, float]:
        """All that the others leave."""
        left = max(0, self._left(seat, others))
        return str(left), float(left)

    def _left(self, seat: int, others: Moves) -> int:
        return self.gold - sum(int(a) for s, a in others.items() if s != seat and a is not None)


@dataclass(frozen=True, kw_only=True)
class DollarPlays(Plays):
    """What was bid.

    Parameters
    ----------
    gold : float
    totals : tuple of float, by round
        Sum of the bids.
    by_seat : rounds by seats of bids, optional
    """

    game = "divide_dollar"
    by_round = "totals"
    settings = (("gold", "gold", 100),)

    gold: float = 100
    totals: tuple[float, ...]
    by_seat: Numbers | None = None

    @classmethod
    def from_table(cls, game: DivideDollar, table: Table) -> dict[str, Any]:
        """A missing move is no bid."""
        rows = table.numbers(0, game.gold)
        return {"totals": sums(rows), "by_seat": rows}

    def rules(self) -> dict[str, Any]:
        """The gold."""
        return {"gold": whole_or_same(self.gold)}

    def allowed(self, stage: DivideDollar) -> bool:
        """Whole parts of the gold."""
        return whole_within(self.by_seat or (), 0, stage.gold)

    def payoffs(self, stage: DivideDollar) -> Iterator[float | None]:
        """The bids of rounds in which they fit."""
        for row, total in zip(self.by_seat or (), self.totals, strict=False):
            within = total <= stage.gold
            yield from (float(bid) if within else 0.0 for bid in row if bid is not None)

    def score(self, scoring: Scoring = "code") -> float:
        """How near the average bid is to an equal share: max((G' - S) / G', 0) with G' = G / N.

        S is the mean over rounds of abs(sum / N - G'). The paper has sums and G, which comes to the same but
        for the last bit, by which published figures were rounded.
        """
        share = self.gold / self.n_players
        distance = mean_of([abs(total / self.n_players - share) for total in self.totals])
        return max((share - distance) / share * 100, 0.0)


def _saved(saved: Saved) -> dict[str, Any]:
    gold = saved.parameter("golds", 100, low=1e-9)
    totals, rows = saved.figures("total_proposal", sum, low=-LARGEST)
    return {"gold": gold, "totals": totals, "by_seat": saved.by_seat(rows, low=-LARGEST)}


class _Words(GameWords):
    pieces: ClassVar = {
        "rules": ("gold",),
        "within": ("total", "gold", CHOICE),
        "exceeds": ("total", "gold", CHOICE),
        "request": ("gold",),
    }
    plain: ClassVar = {"form": ("gold",)}

    def report(self, t: Teller, facts: Facts) -> list[str]:
        piece = "within" if facts["within"] else "exceeds"
        gold = value_text(t.game.facts()["gold"])
        return [t.say(piece, total=value_text(facts["total"]), gold=gold), *t.gain(facts)]


class _Templates(Templates):
    folder = "divide_dollar"
    inputs: ClassVar = {
        "description": ("n_players", "rounds", "gold", "role"),
        "report": ("round", "own", "total", "compared", "gold", "gain"),
        "request": ("round", "gold", "format"),
    }

    def report_facts(self, game: CourseGame, seat: int, names: Sequence[str], facts: Facts) -> Facts:
        return {"compared": "is within" if facts["within"] else "is above"}

    def range(self, rules: Facts, question: Facts) -> tuple[object, object]:
        return 0, rules.get("gold")


BENCH = BenchGame(
    "cooperative",
    "Divide the Dollar",
    About(
        "Divide the dollar",
        "Each player bids for a part of the gold. All get their bids if these do not exceed the "
        "gold together, else nothing.",
        "bids that add up to the gold, here equal ones",
        "Shapley & Shubik 1969, International Economic Review 10:337; Nash 1953, Econometrica 21:128",
    ),
    DollarPlays,
    _Words(),
    _Templates(),
    Story("tank", (("bid_amount", "litres"),)),
    Picture(
        "Thin lines: sum of all bids in a run; above the gold nobody gets anything.",
        "sum of bids",
        lambda run: run.totals,
        lambda run: {"gold": run.gold},
    ),
    _saved,
    (("golds",), ("total_proposal",)),
    missing="no bid",
    discrepancy="none: the code has bids per player, the paper their sum, which comes to the same",
    spellings={"bid_amount": ("bid", "amount")},
    short_names=("dollar",),
    sweeps=("g",),
    settings=tuple({"gold": gold} for gold in (50, 100, 200, 400, 800)),
)
