"""Games: what each offers to those who play, log or analyse it; those of one round, and those with a course.

Games of one round have two players with two actions each, or are public goods among any number of players.

A matrix game is the same in every round. In a game with a course the past decides: tokens are carried over,
pirates are thrown overboard, a dead player does not shoot. Such a game makes a `Course` for every match; the
referee asks it who is to move, shows each seat what the course says, and gives it the moves of a completed
round. Courses come in by name from higher rooms and other packages (group ``intent.games``); rules that are
no game's name, such as those of a game within a game, are read by the group ``intent.rules``.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeGuard, runtime_checkable

from intent.base.errors import GameError, UnknownNameError, shorten
from intent.base.registry import load, point, points

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "GAMES",
    "RULES",
    "Course",
    "CourseGame",
    "Facts",
    "Game",
    "MatrixGame",
    "PayoffKind",
    "Payoffs",
    "PublicGoods",
    "RoundOutcome",
    "TokenPot",
    "check_actions",
    "check_kind",
    "course_from_json",
    "course_game",
    "course_names",
    "game_from_json",
    "has_course",
    "holds_rules",
    "number",
    "parse_object",
    "stage",
]


PayoffKind = Literal["reward", "penalty"]


@runtime_checkable
class Game(Protocol):
    """A one-shot game with labelled actions, the stage of a repeated game.

    Attributes
    ----------
    name : str
    kind : {"reward", "penalty"}
        Whether players want payoffs high or low.
    n_players : int
    actions : tuple of str
        Labels that every seat chooses from, in the order in which prompts list them.
    cooperative_label : str or None
        The cooperative action: one label where all seats agree, labels joined by ``|`` in seat order
        where they differ, None where undecidable.
    """

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> PayoffKind: ...
    @property
    def n_players(self) -> int: ...
    @property
    def actions(self) -> tuple[str, ...]: ...
    @property
    def cooperative_label(self) -> str | None: ...

    def payoff(self, actions: Sequence[str]) -> tuple[float, ...]:
        """Payoffs by seat of the joint action (labels by seat), in the units of the game."""
        ...

    def cooperative_action(self, seat: int) -> str | None:
        """The action that is cooperation for a seat (from 1), None where undecidable."""
        ...

    def to_json(self) -> str:
        """The payoffs as compact JSON, as in the column ``payoffs`` of a game log."""
        ...


def check_kind(name: str, kind: str) -> None:
    """Refuse a payoff kind other than reward and penalty."""
    if kind not in ("reward", "penalty"):
        raise GameError(f"{name}: payoff kind {kind!r}, expected 'reward' or 'penalty'")


def check_actions(name: str, actions: Sequence[str]) -> None:
    """Refuse labels that are not two different texts free of commas and bars, which separate labels."""
    if (
        not isinstance(actions, list | tuple)
        or len(actions) != 2
        or not all(isinstance(a, str) for a in actions)
    ):
        raise GameError(f"{name}: actions {shorten(actions)}, expected two labels")
    if actions[0] == actions[1]:
        raise GameError(
            f"{name}: both actions are called {shorten(actions[0])!r}, expected two different labels"
        )
    for label in actions:
        if not label or label != label.strip() or "," in label or "|" in label:
            raise GameError(
                f"{name}: action {shorten(label)!r}, expected a label without comma, bar or outer spaces"
            )


def number(value: float) -> int | float:
    """The value as an int where it is one exactly, so that equal payoffs are written alike."""
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def parse_object(text: str, name: str) -> dict[str, Any]:
    """A JSON object from untrusted text.

    Raises
    ------
    GameError
        The text is no JSON object.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise GameError(f"{name}: payoffs {shorten(text)!r} are no JSON: {shorten(error)}") from None
    if not isinstance(value, dict):
        raise GameError(f"{name}: payoffs {shorten(text)!r}, expected a JSON object")
    return value


Facts = Mapping[str, object]
"""Name -> number, text, truth value, or tuple of these; the names are placeholders of the prompts."""


@dataclass(frozen=True)
class RoundOutcome:
    """What a completed round came to.

    Parameters
    ----------
    payoffs : tuple of float or None, by seat
        Of all seats; None of a seat whose own move is missing, 0 of one that had no part in the round.
    values : mapping of seat -> float or None
        The number of each move, for the log's column ``value``: a guess, a bid, tokens; what a proposer
        keeps; 1 for a shot that hit and 0 for one that did not; None of moves that are no numbers.
    reports : mapping of seat -> Facts
        What each seat, also one that did not move, learns of the round. A seat that is out learns nothing.
    """

    payoffs: tuple[float | None, ...]
    values: Mapping[int, float | None]
    reports: Mapping[int, Facts]


class Course(Protocol):
    """One match in progress, owned by its referee.

    Chance (ties, hits, endowments) is drawn from the generator that the course was made with, as many draws
    in every round whatever is played, so that two matches of one seed share their luck.
    """

    @property
    def over(self) -> bool:
        """Whether the rules have ended the match; rounds that are used up are the referee's business."""
        ...

    def steps(self) -> tuple[tuple[int, ...], ...]:
        """Who moves in the coming round: seats by step, each seat once at most."""
        ...

    def question(self, seat: int, earlier: Mapping[int, str | None]) -> Facts:
        """What a seat that is to move is shown of the round: its valuation, who is alive, the proposal.

        `earlier` has the moves of earlier steps of this round. The same facts decide what it may play
        (`CourseGame.read`).
        """
        ...

    def complete(self, actions: Mapping[int, str | None]) -> RoundOutcome:
        """Take the moves of the round, None where one is missing, and go on to the next round."""
        ...


@runtime_checkable
class CourseGame(Game, Protocol):
    """A game that makes courses; a frozen value like every game.

    Attributes
    ----------
    actions : tuple of str
        Empty where actions are numbers or depend on the round.
    open : bool
        Whether a seat sees what the others did; else its view has its own past alone, and `Course.complete`
        tells what is public.
    """

    @property
    def open(self) -> bool: ...

    def course(self, rng: np.random.Generator) -> Course:
        """A new match."""
        ...

    def facts(self) -> Facts:
        """What the rules say: the parameters as prompts tell them."""
        ...

    def key(self, question: Facts) -> str:
        """Name of the field of the JSON object that a player answers with."""
        ...

    def read(self, value: object, seat: int, question: Facts) -> str:
        """An answer as the action that the log has: ``"37"``, ``"go"``, ``"98,0,1,0,1"``.

        Parameters
        ----------
        value : str, int, float, mapping or list
            The field of the player's JSON object, or an action already read.
        seat : int
        question : Facts
            As `Course.question` gave it to the seat.

        Raises
        ------
        GameError
            No action, or none that the seat may play now; the message says what was got and what is expected,
            in words that may be shown to a player.
        """
        ...

    def legal(self, seat: int, question: Facts) -> tuple[str, ...] | None:
        """All actions the seat may play now, where they can be listed (1,001 at most); else None."""
        ...

    def equilibrium(self, seat: int, question: Facts, rng: np.random.Generator) -> str:
        """What equilibrium play does now; a draw where it mixes. The game's module cites the theory."""
        ...

    def best_reply(self, seat: int, last: Facts | None, question: Facts, rng: np.random.Generator) -> str:
        """The best reply to what the others did in the last round, as far as the seat was told.

        In round 1 (None), and where nothing follows from what was told: as `equilibrium`.
        """
        ...

    def gains(
        self, seat: int, others: Mapping[int, str | None], question: Facts, actions: tuple[str, ...]
    ) -> tuple[float, ...]:
        """What each of `actions` would have paid the seat against what the others did in this round.

        In sequential games with equilibrium play from the next round on. The largest over all that the seat
        could play, less what it did play, is its regret.
        """
        ...

    def best(self, seat: int, others: Mapping[int, str | None], question: Facts) -> tuple[str, float]:
        """An action that pays most against what the others did in this round, and what it pays."""
        ...


def has_course(game: Game) -> TypeGuard[CourseGame]:
    """Whether a game is a `CourseGame`; asking the protocol takes longer than a move."""
    return hasattr(game, "course")


@runtime_checkable
class TokenPot(Protocol):
    """A game in which tokens go into a pot, which times `factor` is shared equally by all.

    Attributes
    ----------
    n_players : int
    tokens : int
        What each holds at the start of a round, or of the match.
    factor : float
    reset : bool
        Whether every round starts with the tokens; else they are carried over.
    least : int or None
        What each holds is drawn from `least` to `tokens`; None where all hold the same.
    """

    @property
    def n_players(self) -> int: ...
    @property
    def tokens(self) -> int: ...
    @property
    def factor(self) -> float: ...
    @property
    def reset(self) -> bool: ...
    @property
    def least(self) -> int | None: ...


GAMES = "intent.games"
"""Group of entry points of games: a dataclass of parameters that is a `CourseGame`, or a game of a table."""

RULES = "intent.rules"
"""Group of entry points of rules that are no game's name: from (parsed object, name) to a `CourseGame`."""

_RULES = re.compile(r'\s*\{\s*"rules"\s*:')


def course_names() -> list[str]:
    """Names of the group ``intent.games``; ours first."""
    return list(points(GAMES))


def course_game(name: str, **parameters: Any) -> CourseGame:
    """A game with its usual parameters, or with others.

    Raises
    ------
    UnknownNameError
        No such game, or no such parameter.
    GameError
        Parameters that make no game.
    """
    there = point(GAMES, name)
    kind = None if there is None else load(there)
    if not isinstance(kind, type):
        raise UnknownNameError("game with a course", name, course_names())
    known = [field.name for field in dataclasses.fields(kind)]
    for parameter in parameters:
        if parameter not in known:
            raise UnknownNameError(f"parameter of {name}", parameter, known)
    game: CourseGame = kind(**parameters)
    return game


def holds_rules(payoffs: object) -> bool:
    """Whether a cell of the column ``payoffs`` claims to hold what `course_from_json` reads.

    Examples
    --------
    >>> holds_rules('{"rules":"bar"}'), holds_rules("[[3, 0], [5, 1]]"), holds_rules(None)
    (True, False, False)
    """
    return isinstance(payoffs, str) and _RULES.match(payoffs) is not None


def course_from_json(text: str, name: str) -> CourseGame:
    """The game that `to_json` wrote: an object with ``rules`` (the game's name here) and its parameters.

    Raises
    ------
    GameError
        The text is no such object.
    """
    table = parse_object(text, name)
    rules = table.pop("rules", None)
    if isinstance(rules, str) and (there := point(RULES, rules)) is not None:
        read: Callable[[dict[str, Any], str], CourseGame] = load(there)
        return read(table, name)
    if not isinstance(rules, str) or point(GAMES, rules) is None:
        raise GameError(f"{name}: rules {shorten(rules)!r}, expected one of {', '.join(course_names())}")
    try:
        return course_game(rules, **table)
    except (TypeError, UnknownNameError) as error:
        raise GameError(f"{name}: payoffs {shorten(text)!r}: {error}") from None


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
