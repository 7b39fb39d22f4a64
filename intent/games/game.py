"""What every game offers to those who play, log or analyse it.

A matrix game is the same in every round. In a game with a course the past decides: tokens are carried over,
pirates are thrown overboard, a dead player does not shoot. Such a game makes a `Course` for every match; the
referee asks it who is to move, shows each seat what the course says, and gives it the moves of a completed
round. Courses come in by name from higher rooms and other packages (group ``intent.games``); rules that are
no game's name, such as those of a game within a game, are read by the group ``intent.rules``.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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
    "PayoffKind",
    "RoundOutcome",
    "TokenPot",
    "check_actions",
    "check_kind",
    "course_from_json",
    "course_game",
    "course_names",
    "has_course",
    "holds_rules",
    "number",
    "parse_object",
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
