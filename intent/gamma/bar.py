"""The El Farol bar: going is fun as long as not too many go."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
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
    check_choice,
    check_number,
    check_players,
    exact,
    one_of,
    percent,
    plain,
)
from intent.gamma.plays import Plays, Scoring, Table, Words, mean_of
from intent.gamma.saved import SMALLEST

if TYPE_CHECKING:
    import numpy as np

    from intent.games.game import CourseGame
    from intent.gamma.saved import Saved

__all__ = ["Bar", "attendance"]

GO, STAY = "go", "stay"


@dataclass(frozen=True)
class Bar(SimultaneousGame):
    """Each player goes to the bar or stays home; who goes has fun if at most `ratio` of all players go.

    Parameters
    ----------
    n_players : int, 2 to 1000
        The whole that `ratio` is of, players without a move included.
    low, high, home : int or float, low < home < high
        Payoffs of going to a crowded bar, of going to one that is not, and of staying home.
    ratio : str, int or float
        Kept as text, as prompts tell it: ``"60%"``; a fraction that is no percentage of two decimals stays
        one (``"1/3"``).
    mode : {"implicit", "explicit"}
        Whether those who stay home are told how many went; those who go see it.

    Raises
    ------
    GameError
        Parameters that make no game.

    References
    ----------
    Arthur 1994, American Economic Review 84:406. Every profile in which as many go as there is room for is a
    pure equilibrium; `attendance` gives the symmetric mixed one (Whitehead 2008, Edinburgh School of
    Economics Discussion Paper 186).
    """

    low: float = 0
    high: float = 10
    home: float = 5
    ratio: str = "60%"
    mode: str = "implicit"

    name: ClassVar[str] = "bar"
    answer_key: ClassVar[str] = "decision"
    actions: ClassVar[tuple[str, ...]] = (GO, STAY)

    def __post_init__(self) -> None:
        check_players(self.name, self.n_players)
        for what in ("low", "high", "home"):
            value = check_number(self.name, what, getattr(self, what), -1_000_000, 1_000_000)
            object.__setattr__(self, what, value)
        if not self.low < self.home < self.high:
            raise GameError(
                f"{self.name}: low {self.low}, home {self.home} and high {self.high}, "
                f"expected home between low and high"
            )
        ratio = exact(self.name, "ratio", self.ratio, 1)
        whole = (10_000 * ratio).denominator == 1
        object.__setattr__(self, "ratio", percent(ratio) if whole else str(ratio))
        check_choice(self.name, "mode", self.mode, ("implicit", "explicit"))

    @cached_property
    def capacity(self) -> int:
        """How many may go at most for going to be fun: the whole part of ratio · N."""
        return math.floor(exact(self.name, "ratio", self.ratio, 1) * self.n_players)

    def read(self, value: object, seat: int, question: Facts) -> str:
        """``go`` or ``stay``."""
        return one_of(value, self.actions, "decision")

    def outcome(self, actions: Moves) -> RoundOutcome:
        """What going and staying pay; those who go see the crowd."""
        moves = by_seat(self.name, self.n_players, actions)
        went = moves.count(GO)
        crowd = {
            "went": went,
            "stayed": self.n_players - went,
            "share": percent(Fraction(went, self.n_players)),
            "crowded": went > self.capacity,
        }
        reports: dict[int, Facts] = {}
        payoffs: list[float | None] = []
        for seat, move in enumerate(moves, start=1):
            gain = 0 if move is None else self._pays(move, went)
            payoffs.append(None if move is None else float(gain))
            facts = crowd if self.mode == "explicit" or move == GO else {}
            reports[seat] = {"own": move, "gain": plain(gain), **facts}
        return RoundOutcome(tuple(payoffs), dict.fromkeys(range(1, self.n_players + 1)), reports)

    def equilibrium(self, seat: int, question: Facts, rng: np.random.Generator) -> str:
        """To go with the probability of the symmetric mixed equilibrium."""
        return GO if rng.random() < self.attendance else STAY

    @cached_property
    def attendance(self) -> float:
        """Probability of going in the symmetric equilibrium, see `attendance`."""
        fun = (self.home - self.low) / (self.high - self.low)
        return attendance(self.n_players, self.capacity, fun)

    def best_reply(self, seat: int, last: Facts | None, question: Facts, rng: np.random.Generator) -> str:
        """To go if there was room for one more beside the others who went."""
        went, own = (last or {}).get("went"), (last or {}).get("own")
        if not isinstance(went, int):
            return self.equilibrium(seat, question, rng)
        return GO if went - (own == GO) < self.capacity else STAY

    def gains(self, seat: int, others: Moves, question: Facts, actions: tuple[str, ...]) -> tuple[float, ...]:
        """What going beside those who went, and staying, would have paid."""
        went = sum(action == GO for s, action in others.items() if s != seat)
        return tuple(float(self._pays(action, went + (action == GO))) for action in actions)

    def best(self, seat: int, others: Moves, question: Facts) -> tuple[str, float]:
        """To go where there was room."""
        gains = self.gains(seat, others, question, self.actions)
        return max(zip(self.actions, gains, strict=True), key=lambda pair: pair[1])

    def _pays(self, action: str, went: int) -> float:
        if action != GO:
            return self.home
        return self.high if went <= self.capacity else self.low


@lru_cache(maxsize=1024)
def attendance(n_players: int, capacity: int, fun: float) -> float:
    """Probability p of going in the symmetric mixed equilibrium of the bar.

    Who goes has fun if at most capacity - 1 of the other N - 1 go. In equilibrium going pays as much as
    staying::

        P(Binomial(N - 1, p) <= capacity - 1) = fun,    fun = (home - low) / (high - low)

    The left side falls from 1 to 0 as p rises, so there is one p, found by bisection. Nobody goes where there
    is room for nobody, everybody where there is room for all.

    Parameters
    ----------
    n_players : int
    capacity : int, 0 to N
    fun : float in (0, 1)

    Examples
    --------
    >>> round(attendance(10, 6, 0.5), 3)
    0.607
    """
    if capacity <= 0:
        return 0.0
    if capacity >= n_players:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(60):
        p = (low + high) / 2
        low, high = (p, high) if _room(n_players - 1, capacity - 1, p) > fun else (low, p)
    return (low + high) / 2


def _room(n: int, most: int, p: float) -> float:
    """P(Binomial(n, p) <= most), by logarithms so that no term is lost."""
    log_go, log_stay = math.log(p), math.log1p(-p)
    log_factorials = math.lgamma(n + 1)
    return math.fsum(
        math.exp(
            log_factorials - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * log_go + (n - k) * log_stay
        )
        for k in range(most + 1)
    )


@dataclass(frozen=True, kw_only=True)
class BarPlays(Plays):
    """Who went.

    Parameters
    ----------
    low, high, home, mode : as `Bar`
    ratio : float
        Share of the players that the bar holds.
    written : str
        The ratio as the rules say it.
    goers : tuple of int, by round
    by_seat : rounds by seats of ``go``, ``stay`` or None, optional
    """

    game = "bar"
    by_round = "goers"
    settings = (
        *(("low", "low", 0), ("high", "high", 10), ("home", "home", 5)),
        *(("written", "ratio", "60%"), ("mode", "mode", "implicit")),
    )

    low: float = 0
    high: float = 10
    home: float = 5
    ratio: float = 0.6
    written: str = "60%"
    mode: str = "implicit"
    goers: tuple[int, ...]
    by_seat: Words | None = None

    @classmethod
    def from_table(cls, game: Bar, table: Table) -> dict[str, Any]:
        """Who made no move is at home."""
        rows = table.words((GO, STAY))
        return {
            "ratio": float(exact(game.name, "ratio", game.ratio, 10)),
            "written": str(game.facts()["ratio"]),
            "goers": tuple(row.count(GO) for row in rows),
            "by_seat": rows,
        }

    def rules(self) -> dict[str, Any]:
        """The ratio as it is written, where that is the ratio."""
        try:
            same = abs(float(exact(self.game, "ratio", self.written, 1)) - self.ratio) < SMALLEST
        except GameError:
            same = False
        ratio = self.written if same else str(Fraction(self.ratio).limit_denominator(10_000))
        bounds = {name: getattr(self, name) for name in ("low", "high", "home")}
        return {**bounds, "ratio": ratio, "mode": self.mode}

    def payoffs(self, stage: Bar) -> Iterator[float | None]:
        """What going paid beside all who went, and staying."""
        for row, went in zip(self.by_seat or (), self.goers, strict=False):
            gain = float(stage.high if went <= stage.capacity else stage.low)
            yield from (gain if choice == GO else float(stage.home) for choice in row if choice is not None)

    def score(self, scoring: Scoring = "code") -> float:
        """How near the share that goes is to R, what the bar holds.

        (q - S) / q with q = max(R, 1 - R) and S the mean over rounds of abs(share - R).
        """
        farthest = max(self.ratio, 1 - self.ratio)
        distance = mean_of([abs(n / self.n_players - self.ratio) for n in self.goers])
        return 100 * (farthest - distance) / farthest


def _saved(saved: Saved) -> dict[str, Any]:
    mode = saved.word("mode", "implicit", ("implicit", "explicit"))
    ratio = saved.parameter("ratio", 0.6, high=1)
    low, high, home = (
        saved.parameter(key, usual, low=-1e6, high=1e6)
        for key, usual in (("min", 0), ("max", 10), ("home", 5))
    )
    goers, rows = saved.counts("go_num", (GO, STAY))
    return {
        "low": low,
        "high": high,
        "home": home,
        "ratio": ratio,
        "written": saved.written("60%", ratio),
        "mode": mode,
        "goers": goers,
        "by_seat": rows,
    }


class _Words(GameWords):
    pieces: ClassVar = {
        "rules": ("low", "high", "home", "ratio"),
        "crowded": ("went", "stayed", "share", "ratio", CHOICE),
        "roomy": ("went", "stayed", "share", "ratio", CHOICE),
        "request": ("ratio",),
    }

    def report(self, t: Teller, facts: Facts) -> list[str]:
        if "went" not in facts:
            return t.gain(facts)
        crowd = {name: facts[name] for name in ("went", "stayed", "share")}
        piece = "crowded" if facts["crowded"] else "roomy"
        return [t.say(piece, ratio=t.game.facts()["ratio"], **crowd), *t.gain(facts)]


class _Templates(Templates):
    folder = "bar_game"
    inputs: ClassVar = {
        "description": ("n_players", "rounds", "ratio", "high", "low", "home", "role"),
        "report_explicit": (
            *("round", "went", "stayed", "n_players", "compared", "fun"),
            *("ratio", "own", "gain"),
        ),
        "report_implicit": ("round", "own", "gain"),
        "request": ("round", "ratio", "format"),
    }

    def report_facts(self, game: CourseGame, seat: int, names: Sequence[str], facts: Facts) -> Facts:
        if "went" not in facts:
            return {}
        crowded = facts["crowded"]
        return {"compared": "more" if crowded else "no more", "fun": "less" if crowded else "more"}

    def report_name(self, seat: int, facts: Facts) -> str:
        return "report_explicit" if "went" in facts else "report_implicit"


BENCH = BenchGame(
    "cooperative",
    "El Farol Bar",
    About(
        "El Farol bar",
        "Each player goes to the bar or stays home. Going pays high if at most ratio of the "
        "players go, else low; staying pays home. In the implicit mode those who stay do not "
        "learn how many went.",
        "to go with the probability at which both pay the same (0.607 with the default parameters)",
        "Arthur 1994, American Economic Review 84:406",
    ),
    BarPlays,
    _Words(),
    _Templates(),
    Story("bridge", (("decision", "route"),), ((GO, "bridge"), (STAY, "ferry"))),
    Picture(
        "Thin lines: share of the players that went, in a run.",
        "share of goers",
        lambda run: [n / run.n_players for n in run.goers],
        lambda run: {"what the bar holds": run.ratio},
        limits=lambda run: (0, 1),
    ),
    _saved,
    (("home",), ("go_num",)),
    missing="at home",
    spellings={"decision": ("vote",)},
    short_names=("bar",),
    sweeps=("r",),
    settings=tuple({"ratio": ratio} for ratio in ("0%", "20%", "40%", "60%", "80%", "100%")),
)
