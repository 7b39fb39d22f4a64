"""Games of one round: two players with two actions each, and public goods among any number of players."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from intent.base.errors import GameError, shorten
from intent.games.game import (
    CourseGame,
    PayoffKind,
    check_actions,
    check_kind,
    course_from_json,
    holds_rules,
    number,
    parse_object,
)

__all__ = ["MatrixGame", "Payoffs", "PublicGoods", "game_from_json", "stage"]


Payoffs = tuple[
    tuple[tuple[float, float], tuple[float, float]], tuple[tuple[float, float], tuple[float, float]]
]
"""``payoffs[i][j]`` = payoffs of seats 1 and 2 when seat 1 plays action i and seat 2 action j."""


@dataclass(frozen=True)
class MatrixGame:
    """A 2x2 game.

    Parameters
    ----------
    name : str
    actions : (str, str)
        Labels of the actions of both seats.
    payoffs : Payoffs
        ``payoffs[i][j]`` = (payoff of seat 1, payoff of seat 2) when seat 1 plays ``actions[i]`` and
        seat 2 plays ``actions[j]``.
    kind : {"reward", "penalty"}
        Whether players want payoffs high or low. No number tells: 6, 10, 0, 2 is a Prisoner's Dilemma
        both ways, with opposite roles of the two actions.
    cooperate : str, optional
        The action that counts as cooperation, for both seats, in place of the one that the payoffs make so.
    description, citation, variant : str
        Texts; they do not count when games are compared.

    Raises
    ------
    GameError
        Labels that are not two different ones, a `cooperate` that is neither, payoffs that are
        not 2x2x2 finite numbers, or an unknown kind.
    """

    name: str
    actions: tuple[str, str]
    payoffs: Payoffs
    kind: PayoffKind
    cooperate: str | None = None
    description: str = field(default="", compare=False)
    citation: str = field(default="", compare=False)
    variant: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        check_kind(self.name, self.kind)
        check_actions(self.name, self.actions)
        object.__setattr__(self, "actions", tuple(self.actions))
        object.__setattr__(self, "payoffs", _checked(self.name, self.payoffs))
        if self.cooperate is not None and self.cooperate not in self.actions:
            raise GameError(
                f"{self.name}: cooperate {shorten(self.cooperate)!r} is not one of {', '.join(self.actions)}"
            )

    @classmethod
    def symmetric(
        cls,
        name: str,
        actions: tuple[str, str],
        aa: float,
        ab: float,
        ba: float,
        bb: float,
        kind: PayoffKind,
        **texts: str,
    ) -> MatrixGame:
        """The game that looks alike from both seats.

        Parameters
        ----------
        aa, ab, ba, bb : float
            A player's own payoff by (own action, other's action), first and second action as a and b.
        """
        return cls(name, actions, (((aa, aa), (ab, ba)), ((ba, ab), (bb, bb))), kind, **texts)

    @classmethod
    def from_trps(
        cls,
        name: str,
        temptation: float,
        reward: float,
        punishment: float,
        sucker: float,
        kind: PayoffKind = "reward",
        actions: tuple[str, str] = ("C", "D"),
        **texts: str,
    ) -> MatrixGame:
        """The symmetric game of T, R, P, S: own payoff for DC, CC, DD, CD, the first action as C.

        References
        ----------
        Rapoport & Chammah 1965, Prisoner's Dilemma.
        """
        return cls.symmetric(name, actions, reward, sucker, temptation, punishment, kind, **texts)

    @property
    def n_players(self) -> int:
        """2."""
        return 2

    @property
    def is_symmetric(self) -> bool:
        """Whether the game looks alike from both seats."""
        return all(self.payoffs[i][j] == self.payoffs[j][i][::-1] for i in (0, 1) for j in (0, 1))

    @property
    def utilities(self) -> Payoffs:
        """The payoffs with the sign that makes higher better."""
        if self.kind == "reward":
            return self.payoffs
        (aa, ab), (ba, bb) = self.payoffs
        return ((_negated(aa), _negated(ab)), (_negated(ba), _negated(bb)))

    def scaled(self, lam: float) -> MatrixGame:
        """The game with every payoff times `lam`, unrounded (6 * 0.1 = 0.6000000000000001).

        Raises
        ------
        GameError
            A factor that is not positive, or so large that a payoff overflows.
        """
        if not (lam > 0 and math.isfinite(lam)):
            raise GameError(f"{self.name}: payoffs scaled by {lam}, expected a positive number")
        (aa, ab), (ba, bb) = self.payoffs

        def times(cell: tuple[float, float]) -> tuple[float, float]:
            return (float(cell[0]) * float(lam), float(cell[1]) * float(lam))

        return replace(self, payoffs=((times(aa), times(ab)), (times(ba), times(bb))))

    def payoff(self, actions: Sequence[str]) -> tuple[float, ...]:
        """Payoffs of seats 1 and 2 for their actions, in seat order.

        Raises
        ------
        GameError
            Not two actions, or one that the game does not have.
        """
        if isinstance(actions, str) or len(actions) != 2:
            raise GameError(f"{self.name}: joint action {shorten(actions)}, expected the actions of 2 seats")
        i, j = (self._index(action) for action in actions)
        return self.payoffs[i][j]

    def _index(self, action: str) -> int:
        if action not in self.actions:
            raise GameError(
                f"{self.name}: action {shorten(action)!r} is not one of {', '.join(self.actions)}"
            )
        return self.actions.index(action)

    def cooperative_action(self, seat: int) -> str | None:
        """The action that helps the other: never worse for them than the alternative, once better.

        Read off the utilities, never off the labels, unless `cooperate` names it. None where the
        actions help in turn (battle of the sexes, matching pennies) or make no difference to the other.

        Parameters
        ----------
        seat : int
            1 or 2.

        References
        ----------
        Dawes 1980, Annual Review of Psychology 31:169 (the cooperative choice serves the others,
        whatever they do).
        """
        if seat not in (1, 2):
            raise GameError(f"{self.name}: seat {seat}, expected 1 or 2")
        return self._cooperative[seat - 1]

    @cached_property
    def _cooperative(self) -> tuple[str | None, str | None]:
        if self.cooperate is not None:
            return self.cooperate, self.cooperate
        (aa, ab), (ba, bb) = self.utilities
        of_first = self._helpful(aa[1] - ba[1], ab[1] - bb[1])
        return of_first, self._helpful(aa[0] - ab[0], ba[0] - bb[0])

    def _helpful(self, *gains: float) -> str | None:
        """The helpful action, from what the first one brings the other for each of the other's actions."""
        if min(gains) >= 0 and max(gains) > 0:
            return self.actions[0]
        if max(gains) <= 0 and min(gains) < 0:
            return self.actions[1]
        return None

    @property
    def cooperative_label(self) -> str | None:
        """The cooperative action, ``first|second`` where it differs by seat, None where undecidable."""
        first, second = self.cooperative_action(1), self.cooperative_action(2)
        if first is None or second is None:
            return None
        return first if first == second else f"{first}|{second}"

    def to_json(self) -> str:
        """Compact JSON: joint action (labels joined by a comma, seat 1 first) -> payoffs by seat."""
        table = {
            f"{a},{b}": [number(x) for x in self.payoffs[i][j]]
            for i, a in enumerate(self.actions)
            for j, b in enumerate(self.actions)
        }
        return json.dumps(table, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str, name: str, kind: PayoffKind, **texts: str) -> MatrixGame:
        """The game that `to_json` wrote; the order of the keys gives the order of the actions.

        Raises
        ------
        GameError
            The text is no JSON object from the four joint actions of two labels to pairs of numbers.
        """
        table = parse_object(text, name)
        joint = [key.split(",") for key in table]
        labels = list(dict.fromkeys(pair[0] for pair in joint))
        if len(labels) != 2 or sorted(joint) != sorted([a, b] for a in labels for b in labels):
            raise GameError(
                f"{name}: payoffs for {shorten(', '.join(table))!r}, expected all four pairs of two actions"
            )
        a, b = labels
        rows: Any = tuple(tuple(table[f"{x},{y}"] for y in labels) for x in labels)
        return cls(name, (a, b), rows, kind, **texts)


def _negated(cell: tuple[float, float]) -> tuple[float, float]:
    return (-cell[0], -cell[1])


def _checked(name: str, payoffs: Any) -> Payoffs:
    """The payoffs as nested tuples of finite floats."""
    try:
        (aa, ab), (ba, bb) = payoffs
        return ((_cell(aa), _cell(ab)), (_cell(ba), _cell(bb)))
    except (TypeError, ValueError, OverflowError):
        raise GameError(f"{name}: payoffs {shorten(payoffs)}, expected 2x2 pairs of finite numbers") from None


def _cell(values: Any) -> tuple[float, float]:
    first, second = values
    if any(isinstance(v, str | bool) for v in (first, second)):
        raise TypeError
    mine, theirs = float(first), float(second)
    if not (math.isfinite(mine) and math.isfinite(theirs)):
        raise ValueError
    return (mine, theirs)


MOST_PLAYERS = 10_000
MOST_VALUE = 1e100


@dataclass(frozen=True)
class PublicGoods:
    """Each player gives `cost` to a pool or not; the pool times `factor` is shared by all.

    With k contributors among N players: payoff = k·c·M/N - (c for a contributor).

    Parameters
    ----------
    name : str
    n_players : int, at least 2
    cost : float > 0
        c, what a contributor gives.
    factor : float > 0
        M, what the pool is multiplied by; a social dilemma for 1 < M < N.
    actions : (str, str)
        The first contributes, which serves the others whatever they do, so it is cooperation.

    Raises
    ------
    GameError
        Fewer than two players, or a cost or factor that is not a positive number.

    References
    ----------
    Isaac & Walker 1988, Quarterly Journal of Economics 103:179.
    """

    name: str
    n_players: int
    cost: float
    factor: float
    actions: tuple[str, str] = ("OptionA", "OptionB")
    description: str = field(default="", compare=False)
    citation: str = field(default="", compare=False)
    variant: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        check_actions(self.name, self.actions)
        object.__setattr__(self, "actions", tuple(self.actions))
        n = self.n_players
        if not isinstance(n, int) or isinstance(n, bool) or not 2 <= n <= MOST_PLAYERS:
            raise GameError(f"{self.name}: {shorten(n)} players, expected 2 to {MOST_PLAYERS}")
        for what, value in (("cost", self.cost), ("factor", self.factor)):
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if not is_number or not 0 < value < MOST_VALUE:
                raise GameError(f"{self.name}: {what} {shorten(value)}, expected a positive number")

    @property
    def kind(self) -> PayoffKind:
        """Payoffs are rewards."""
        return "reward"

    def payoff(self, actions: Sequence[str]) -> tuple[float, ...]:
        """Payoffs by seat for the actions by seat, computed as ``k*c*M/N - c`` in this order.

        The order of operations decides the last digit (3.333333333333334 for 2 of 3 at c 10, M 2) and
        agrees with the published logs.

        Raises
        ------
        GameError
            Not one action per seat, or one that the game does not have.
        """
        if isinstance(actions, str) or len(actions) != self.n_players:
            raise GameError(f"{self.name}: {len(actions)} actions, expected those of {self.n_players} seats")
        stray = next((a for a in actions if a not in self.actions), None)
        if stray is not None:
            raise GameError(f"{self.name}: action {shorten(stray)!r} is not one of {', '.join(self.actions)}")
        give = self.actions[0]
        k = sum(action == give for action in actions)
        share = k * self.cost * self.factor / self.n_players
        return tuple(share - (self.cost if action == give else 0) for action in actions)

    def cooperative_action(self, seat: int) -> str | None:
        """To contribute, for every seat."""
        if not 1 <= seat <= self.n_players:
            raise GameError(f"{self.name}: seat {seat}, expected 1 to {self.n_players}")
        return self.actions[0]

    @property
    def cooperative_label(self) -> str | None:
        """To contribute."""
        return self.actions[0]

    def to_json(self) -> str:
        """Compact JSON of the parameters."""
        table = {
            "n_players": self.n_players,
            "cost": number(float(self.cost)),
            "factor": number(float(self.factor)),
            "actions": list(self.actions),
        }
        return json.dumps(table, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str, name: str) -> PublicGoods:
        """The game that `to_json` wrote.

        Raises
        ------
        GameError
            The text is no JSON object with n_players, cost, factor and actions.
        """
        table = parse_object(text, name)
        missing = [key for key in ("n_players", "cost", "factor", "actions") if key not in table]
        if missing:
            raise GameError(f"{name}: payoffs {shorten(text)!r} have no {missing[0]}")
        return cls(name, table["n_players"], table["cost"], table["factor"], table["actions"])


def game_from_json(payoffs: str, name: str, kind: str | None) -> MatrixGame | PublicGoods | CourseGame:
    """The game that `to_json` of any kind of game wrote.

    Parameters
    ----------
    payoffs : str
    name : str
    kind : {"reward", "penalty"} or None
        Of a matrix game; the others always pay rewards.

    Raises
    ------
    GameError
        Payoffs that make no game, or a matrix without its kind.

    Examples
    --------
    >>> from intent.games.catalogue import public_goods
    >>> game_from_json(public_goods(2).to_json(), "goods", None).factor
    2
    """
    if holds_rules(payoffs):
        return course_from_json(payoffs, name)
    if '"n_players"' in payoffs:
        return PublicGoods.from_json(payoffs, name)
    if kind not in ("reward", "penalty"):
        raise GameError(f"payoff_kind {shorten(kind)!r}, expected reward or penalty")
    return MatrixGame.from_json(payoffs, name, "penalty" if kind == "penalty" else "reward")


def stage(payoffs: object, kind: object = "reward") -> MatrixGame | PublicGoods | None:
    """The game that cells of the columns ``payoffs`` and ``payoff_kind`` hold.

    None where they hold none, or one that does not pay the same for the same play in every round.
    """
    if not isinstance(payoffs, str):
        return None
    try:
        game = game_from_json(payoffs, "game", kind if isinstance(kind, str) else None)
    except GameError:
        return None
    return game if isinstance(game, MatrixGame | PublicGoods) else None
