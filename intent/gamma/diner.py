"""The diner's dilemma: order the cheap or the costly dish when the bill is split equally."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from intent.base.errors import GameError
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
    by_seat,
    check_number,
    check_players,
    listed,
    one_of,
    plain,
    value_text,
)
from intent.gamma.plays import Plays, Scoring, Table, Words, mean_of, own_scores

if TYPE_CHECKING:
    import numpy as np

    from intent.games.game import CourseGame
    from intent.gamma.saved import Saved

__all__ = ["Diner"]

CHEAP, COSTLY = "cheap", "costly"

MOST = 1_000_000
"""Of prices and utilities."""


@dataclass(frozen=True)
class Diner(SimultaneousGame):
    """Each player orders a dish and pays an equal part of the bill: payoff = utility - total cost / N.

    N counts those who ordered; a player without a move eats and pays nothing. The costly dish costs its guest
    (costly price - cheap price)/N only, so that it is dominant where it is worth more than that. It is a
    dilemma, in which the cheap dish is cooperation, where the costly dish is strictly dominant and all are
    better off when all order the cheap one.

    Parameters
    ----------
    n_players : int, 2 to 1000
    cheap_price, costly_price : int or float, at least 0, the first lower
    cheap_utility, costly_utility : int or float

    Raises
    ------
    GameError
        Parameters that make no game.

    References
    ----------
    Glance & Huberman 1994, Scientific American 270:76. Gneezy, Haruvy & Yafe 2004, Economic Journal 114:265.
    """

    cheap_price: float = 10
    cheap_utility: float = 15
    costly_price: float = 20
    costly_utility: float = 20

    name: ClassVar[str] = "diner"
    answer_key: ClassVar[str] = "chosen_dish"
    actions: ClassVar[tuple[str, ...]] = (CHEAP, COSTLY)

    def __post_init__(self) -> None:
        check_players(self.name, self.n_players)
        lowest = {"cheap_price": 0, "costly_price": 0, "cheap_utility": -MOST, "costly_utility": -MOST}
        for what, low in lowest.items():
            object.__setattr__(self, what, check_number(self.name, what, getattr(self, what), low, MOST))
        if not self.cheap_price < self.costly_price:
            raise GameError(
                f"{self.name}: cheap_price {self.cheap_price} and costly_price {self.costly_price}, "
                f"expected the cheap dish to cost less"
            )

    @property
    def cooperative_label(self) -> str | None:
        """``cheap`` in a dilemma, else None."""
        alone = self._worth(CHEAP) - self._price(CHEAP) > self._worth(COSTLY) - self._price(COSTLY)
        return CHEAP if alone and self._temptation(self.n_players) > 0 else None

    def settings(self) -> dict[str, object]:
        """The menu."""
        return {"menu": "/".join(map(str, self.facts().values()))}

    def read(self, value: object, seat: int, question: Facts) -> str:
        """``cheap`` or ``costly``."""
        return one_of(value, self.actions, "dish")

    def outcome(self, actions: Moves) -> RoundOutcome:
        """The utilities of the dishes less an equal share of the bill."""
        moves = by_seat(self.name, self.n_players, actions)
        cheap, costly = moves.count(CHEAP), moves.count(COSTLY)
        total = self._bill(cheap, costly)
        share = total / (cheap + costly) if cheap + costly else Fraction(0)
        pays = {dish: self._worth(dish) - share for dish in self.actions}
        gains = [None if move is None else pays[move] for move in moves]
        public = {"costly": costly, "cheap": cheap, "total_cost": plain(total)}
        return RoundOutcome(
            payoffs=tuple(None if gain is None else float(gain) for gain in gains),
            values=dict.fromkeys(range(1, self.n_players + 1)),
            reports={
                seat: {
                    "own": move,
                    **public,
                    "share": 0 if move is None else plain(share),
                    "gain": 0 if gain is None else plain(gain),
                }
                for seat, (move, gain) in enumerate(zip(moves, gains, strict=True), start=1)
            },
        )

    def equilibrium(self, seat: int, question: Facts, rng: np.random.Generator) -> str:
        """The dominant dish; the cheap one where both pay the same, which is better for the others."""
        return self._dominant

    def best_reply(self, seat: int, last: Facts | None, question: Facts, rng: np.random.Generator) -> str:
        """The dominant dish among those who ordered in the last round, the seat included."""
        cheap, costly, own = ((last or {}).get(what) for what in (CHEAP, COSTLY, "own"))
        if not isinstance(cheap, int) or not isinstance(costly, int):
            return self.equilibrium(seat, question, rng)
        return COSTLY if self._temptation(cheap + costly + (own is None)) > 0 else CHEAP

    def gains(self, seat: int, others: Moves, question: Facts, actions: tuple[str, ...]) -> tuple[float, ...]:
        """Utility less the share of the bill that each dish would have made."""
        ordered = [action for s, action in others.items() if s != seat]
        cheap, costly = ordered.count(CHEAP), ordered.count(COSTLY)
        n = cheap + costly + 1
        bills = (self._bill(cheap + (a == CHEAP), costly + (a == COSTLY)) for a in actions)
        return tuple(float(self._worth(a) - bill / n) for a, bill in zip(actions, bills, strict=True))

    def best(self, seat: int, others: Moves, question: Facts) -> tuple[str, float]:
        """The dish that pays more."""
        n = 1 + sum(action is not None for s, action in others.items() if s != seat)
        action = COSTLY if self._temptation(n) > 0 else CHEAP
        return action, self.gains(seat, others, question, (action,))[0]

    @cached_property
    def _dominant(self) -> str:
        return COSTLY if self._temptation(self.n_players) > 0 else CHEAP

    def _temptation(self, n: int) -> Fraction:
        """What the costly dish pays its guest more than the cheap one, with n at the table."""
        return self._worth(COSTLY) - self._worth(CHEAP) - (self._price(COSTLY) - self._price(CHEAP)) / n

    def _bill(self, cheap: int, costly: int) -> Fraction:
        return cheap * self._price(CHEAP) + costly * self._price(COSTLY)

    def _price(self, dish: str) -> Fraction:
        return self._exact[dish][0]

    def _worth(self, dish: str) -> Fraction:
        return self._exact[dish][1]

    @cached_property
    def _exact(self) -> dict[str, tuple[Fraction, Fraction]]:
        """Price and utility of each dish."""
        cheap, costly = (self.cheap_price, self.cheap_utility), (self.costly_price, self.costly_utility)
        return {
            dish: (Fraction(str(price)), Fraction(str(worth)))
            for dish, (price, worth) in ((CHEAP, cheap), (COSTLY, costly))
        }


_MENU = ("cheap_price", "cheap_utility", "costly_price", "costly_utility")


@dataclass(frozen=True, kw_only=True)
class DinerPlays(Plays):
    """What was ordered.

    Parameters
    ----------
    menu : tuple of float
        Price and utility of the cheap dish, price and utility of the costly one.
    cheap : tuple of int, by round
        Players who ordered the cheap dish.
    diners : tuple of int, by round
        Players who ordered.
    by_seat : rounds by seats of ``cheap``, ``costly`` or None, optional
    """

    game = "diner"
    by_round = "cheap"
    settings = (("menu", "menu", (10, 15, 20, 20)),)

    menu: tuple[float, float, float, float] = (10, 15, 20, 20)
    cheap: tuple[int, ...]
    diners: tuple[int, ...]
    by_seat: Words | None = None

    @classmethod
    def from_table(cls, game: Diner, table: Table) -> dict[str, Any]:
        """Rounds in which somebody ordered."""
        rows = tuple(row for row in table.words(Diner.actions) if any(row))
        return {
            "menu": tuple(game.facts().values()),
            "cheap": tuple(row.count(CHEAP) for row in rows),
            "diners": tuple(len(row) - row.count(None) for row in rows),
            "by_seat": rows,
        }

    def rules(self) -> dict[str, Any]:
        """The menu."""
        return dict(zip(_MENU, self.menu, strict=True))

    def payoffs(self, stage: Diner) -> Iterator[float | None]:
        """Utility of the dish less an equal part of the bill."""
        cheap_price, cheap_utility, costly_price, costly_utility = self.menu
        for row, cheap, n in zip(self.by_seat or (), self.cheap, self.diners, strict=False):
            part = (cheap * cheap_price + (n - cheap) * costly_price) / n if n else 0.0
            gains = {CHEAP: cheap_utility - part, COSTLY: costly_utility - part}
            yield from (gains[dish] for dish in row if dish is not None)

    def score(self, scoring: Scoring = "code") -> float:
        """Share of costly dishes: mean over rounds of 1 - cheap / diners."""
        return 100 * mean_of([1 - some / n for some, n in zip(self.cheap, self.diners, strict=True)])

    def seat_scores(self, scoring: Scoring = "code") -> tuple[float, ...] | None:
        """Share of a seat's costly dishes."""
        if self.by_seat is None:
            return None
        dishes = [[None if dish is None else float(dish == CHEAP) for dish in row] for row in self.by_seat]
        return own_scores(dishes, lambda own: 100 * (1 - sum(own) / len(own)))


def _saved(saved: Saved) -> dict[str, Any]:
    """Any dish that is not ``cheap`` is a costly one, as upstream has it."""
    usual = {"cheap_cost": 10, "cheap_utility": 15, "exp_cost": 20, "exp_utility": 20}
    cheap, rows = saved.counts("cheap_player", Diner.actions, other=COSTLY)
    return {
        "menu": tuple(saved.parameter(key, value, low=-1e6, high=1e6) for key, value in usual.items()),
        "cheap": cheap,
        "diners": (saved.n_players,) * len(cheap),
        "by_seat": rows,
    }


class _Words(GameWords):
    pieces: ClassVar = {
        "rules": _MENU,
        "report": ("costly", "cheap", "total_cost", "share", CHOICE),
        "request": (),
        "gain": ("gain",),
    }
    more: ClassVar = {"report": ("bill",)}

    def place(self, t: Teller, question: Facts) -> str:
        """The costly dish first, as in the rules."""
        return listed(t, t.game.actions[::-1])

    def report(self, t: Teller, facts: Facts) -> list[str]:
        """The bill and the gain with their arithmetic; ``bill`` and a piece ``gain`` of its own have none."""
        numbers = {name: value_text(facts[name]) for name in ("costly", "cheap", "share")}
        bill = value_text(facts["total_cost"])
        total = f"{_sum(t.game.facts(), facts)} = {bill}"
        line = t.say("report", **numbers, total_cost=total, bill=bill)
        if facts["own"] is None:
            return [line]
        gain = value_text(facts["gain"])
        if t.has("gain"):
            return [line, t.say("gain", gain=gain)]
        return [line, t.phrase("gain", gain=f"{_less(t.game, facts)} = {gain}")]


def _sum(menu: Facts, facts: Facts) -> str:
    """How the bill is made up: ``4 * 20 + 6 * 10``."""
    dishes = ((facts[dish], menu[f"{dish}_price"]) for dish in (COSTLY, CHEAP))
    return " + ".join(f"{value_text(n)} * {value_text(price)}" for n, price in dishes)


def _less(game: CourseGame, facts: Facts) -> str:
    """How the gain is made up: ``20 - 140/10``, the utility of the dish less a share of the bill."""
    cheap, costly = facts["cheap"], facts["costly"]
    assert isinstance(cheap, int)
    assert isinstance(costly, int)
    dish = dict(zip(game.actions, Diner.actions, strict=True))[str(facts["own"])]
    utility = value_text(game.facts()[f"{dish}_utility"])
    return f"{utility} - {value_text(facts['total_cost'])}/{cheap + costly}"


class _Templates(Templates):
    folder = "diner_dilemma"
    inputs: ClassVar = {
        "description": (
            *("n_players", "rounds", "costly_price", "costly_utility", "cheap_price", "cheap_utility"),
            "role",
        ),
        "report": ("round", "costly", "cheap", "total_cost", "share", "own", "gain"),
        "request": ("round", "format"),
    }

    def report_facts(self, game: CourseGame, seat: int, names: Sequence[str], facts: Facts) -> Facts:
        total = f"{_sum(game.facts(), facts)} = {value_text(facts['total_cost'])}"
        gain = value_text(facts["gain"])
        own = facts["own"]
        return {"total_cost": total, "gain": gain if own is None else f"{_less(game, facts)} = {gain}"}

    def answer(self, game: CourseGame, question: Facts) -> object:
        return "_or_".join(game.actions[::-1])


BENCH = BenchGame(
    "betraying",
    "Diner's Dilemma",
    About(
        "Diner's dilemma",
        "Each player orders the cheap or the costly dish; the bill is split equally.",
        "costly where it is worth more than the N-th part of what it costs more, else cheap",
        "Glance & Huberman 1994, Scientific American 270:76",
    ),
    DinerPlays,
    _Words(),
    _Templates(),
    Story("flat", (("chosen_dish", "device"),), ((CHEAP, "fan"), (COSTLY, "cooler"))),
    Picture(
        "Thin lines: bill of all players in a run.",
        "bill of all",
        lambda run: [
            c * run.menu[0] + (n - c) * run.menu[2] for c, n in zip(run.cheap, run.diners, strict=True)
        ],
        lambda run: {
            "all order cheap": run.n_players * run.menu[0],
            "all order costly": run.n_players * run.menu[2],
        },
    ),
    _saved,
    (("cheap_cost",), ("cheap_player",)),
    missing="no dish",
    spellings={"chosen_dish": ("dish",)},
    short_names=("diner",),
    sweeps=("p",),
    settings=tuple(
        dict(zip(_MENU, menu, strict=True))
        for menu in (
            *((10, 15, 20, 20), (11, 5, 20, 7), (4, 19, 9, 20)),
            *((1, 8, 19, 12), (4, 5, 17, 7), (2, 11, 8, 13)),
        )
    ),
)
