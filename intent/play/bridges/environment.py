"""A repeated game that another library steps: actions with names, any number of players, payoffs as they
come.

Strategies of matrix games do not play it: it has no cooperation. Constants, cycles, RANDOM and bots of the
library do (`intent.agents.table.scripted_table_player`), and any `intent.play.players.Player`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from intent.base.errors import GameError, UnknownNameError, one_line, shorten
from intent.base.registry import load, point, points
from intent.games.game import Facts, PayoffKind, RoundOutcome

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "ENVIRONMENTS",
    "EnvironmentGame",
    "Opened",
    "Stepper",
    "environment_from_rules",
    "environment_game",
    "parameters_of",
]

ENVIRONMENTS = "intent.environments"
"""Group of entry points: library -> function from the name of an environment to an `Opened` one."""

MOST_PLAYERS, MOST_ACTIONS = 100, 10_000
RULES = "environment"


class Stepper(Protocol):
    """One match in progress, in the library's own state."""

    @property
    def over(self) -> bool:
        """Whether the library has ended the match."""
        ...

    @property
    def seats(self) -> Sequence[int]:
        """Who moves in the coming round, from 1; all at once."""
        ...

    def legal(self, seat: int) -> tuple[str, ...]:
        """What the seat may do in the coming round."""
        ...

    def step(self, actions: Mapping[int, str]) -> Mapping[int, float]:
        """Take a legal action of each of `seats`, and say what each is paid."""
        ...


@dataclass(frozen=True)
class Opened:
    """An environment that the library has opened.

    Parameters
    ----------
    actions : by seat, all actions that it ever has
    begin : makes a `Stepper` of a match, whose chances are drawn from the generator
    """

    actions: tuple[tuple[str, ...], ...]
    begin: Callable[[np.random.Generator], Stepper]


@dataclass(frozen=True)
class EnvironmentGame:
    """A game with a course that another library steps; a value that says which, and what can be done.

    Logs hold it as that value, so that to read one opens no environment and needs no library.

    Parameters
    ----------
    library, environment : str
        As in ``openspiel:matrix_rps``.
    actions_by_seat : tuple by seat of tuples of str
    opened : the environment, where it is open already; it does not count when games are compared

    Raises
    ------
    GameError
        Actions that are not two or more different texts by seat.
    """

    library: str
    environment: str
    actions_by_seat: tuple[tuple[str, ...], ...]
    opened: Opened | None = field(default=None, compare=False, repr=False)

    kind: PayoffKind = field(default="reward", init=False)
    open: bool = field(default=True, init=False)
    cooperative_label: None = field(default=None, init=False)

    def __post_init__(self) -> None:
        seats = self.actions_by_seat
        if not 1 <= len(seats) <= MOST_PLAYERS:
            raise GameError(f"{self.name}: {len(seats)} players, expected 1 to {MOST_PLAYERS}")
        for number, labels in enumerate(seats, start=1):
            texts = all(isinstance(label, str) and label.strip() == label != "" for label in labels)
            if not texts or not 1 <= len(set(labels)) == len(labels) <= MOST_ACTIONS:
                raise GameError(
                    f"{self.name}: actions {shorten(labels)} of seat {number}, expected different labels"
                )

    @property
    def name(self) -> str:
        """Library and environment: ``openspiel:matrix_rps``."""
        return f"{self.library}:{self.environment}"

    @property
    def n_players(self) -> int:
        """Seats."""
        return len(self.actions_by_seat)

    @property
    def actions(self) -> tuple[str, ...]:
        """All actions, where every seat has the same; else none, as for games whose actions depend on the
        round."""
        first, *others = self.actions_by_seat
        return first if all(labels == first for labels in others) else ()

    def cooperative_action(self, seat: int) -> None:
        """None: no payoff says what helps the others."""

    def course(self, rng: np.random.Generator) -> _EnvironmentCourse:
        """A new match.

        Raises
        ------
        MissingExtraError
            The library is not installed.
        GameError, UnknownNameError
            It has no such environment, or one of other actions than the game's.
        """
        opened = self.opened or _open(self.library, self.environment)
        if opened.actions != self.actions_by_seat:
            raise GameError(
                f"{self.name}: actions {shorten(opened.actions)} here, expected those of the game: "
                f"{shorten(self.actions_by_seat)}"
            )
        return _EnvironmentCourse(self, opened.begin(rng))

    def facts(self) -> Facts:
        """Names and numbers of seats and actions."""
        return {"library": self.library, "environment": self.environment, "n_players": self.n_players}

    def key(self, question: Facts) -> str:
        """``action``."""
        return "action"

    def read(self, value: object, seat: int, question: Facts) -> str:
        """The label of an action that is legal now."""
        legal = self._legal(seat, question)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str) or value not in legal:
            got, known = one_line(value, 64), shorten(", ".join(legal), 120)
            raise GameError(f"action {got!r}, expected one of {known}")
        return value

    def legal(self, seat: int, question: Facts) -> tuple[str, ...] | None:
        """All that are legal now."""
        return self._legal(seat, question)

    def _legal(self, seat: int, question: Facts) -> tuple[str, ...]:
        listed = question.get("legal")
        return listed if isinstance(listed, tuple) else self.actions_by_seat[seat - 1]

    def payoff(self, actions: Sequence[str]) -> tuple[float, ...]:
        """Not known: payoffs come from the environment, round by round."""
        self._unknown("what a joint action pays")

    def equilibrium(self, seat: int, question: Facts, rng: np.random.Generator) -> str:
        """Not known."""
        self._unknown("equilibrium play")

    def best_reply(self, seat: int, last: Facts | None, question: Facts, rng: np.random.Generator) -> str:
        """Not known."""
        self._unknown("the best reply")

    def gains(
        self, seat: int, others: Mapping[int, str | None], question: Facts, actions: tuple[str, ...]
    ) -> tuple[float, ...]:
        """Not known."""
        self._unknown("what other actions would have paid")

    def best(self, seat: int, others: Mapping[int, str | None], question: Facts) -> tuple[str, float]:
        """Not known."""
        self._unknown("what would have paid most")

    def _unknown(self, what: str) -> NoReturn:
        raise GameError(
            f"{self.name}: {what} is not known of an environment; expected players that name actions, "
            "such as constant:ACTION, cycle:ACTION,ACTION or RANDOM"
        )

    def to_json(self) -> str:
        """Compact JSON of the value."""
        table = {
            "rules": RULES,
            "library": self.library,
            "environment": self.environment,
            "actions": [list(labels) for labels in self.actions_by_seat],
        }
        return json.dumps(table, ensure_ascii=False, separators=(",", ":"))


class _EnvironmentCourse:
    """A match, round by round; a round in which an action is missing is not played by the library."""

    def __init__(self, game: EnvironmentGame, stepper: Stepper) -> None:
        self._game, self._stepper = game, stepper

    @property
    def over(self) -> bool:
        """Whether the library has ended it."""
        return self._stepper.over

    def steps(self) -> tuple[tuple[int, ...], ...]:
        """All at once who are still in."""
        return (tuple(self._stepper.seats),)

    def question(self, seat: int, earlier: Mapping[int, str | None]) -> Facts:
        """What the seat may do."""
        return {"legal": self._stepper.legal(seat)}

    def complete(self, actions: Mapping[int, str | None]) -> RoundOutcome:
        """Step the environment."""
        seats = range(1, self._game.n_players + 1)
        moves = {seat: action for seat, action in actions.items() if action is not None}
        if len(moves) < len(actions):
            paid: Mapping[int, float | None] = dict.fromkeys(actions)
        else:
            paid = self._stepper.step(moves)
        payoffs = tuple(paid.get(seat, 0.0) for seat in seats)
        report: Facts = {"actions": tuple(str(actions[seat]) for seat in sorted(actions))}
        return RoundOutcome(payoffs, dict.fromkeys(actions), dict.fromkeys(actions, report))


def environment_game(library: str, environment: str | Callable[[], Any]) -> EnvironmentGame:
    """The repeated game of another library's environment.

    Parameters
    ----------
    library : ``openspiel``, ``pettingzoo``, or another of the group ``intent.environments``
    environment : str or callable
        Its name there, with parameters in brackets where it takes any (``blotto(coins=4,fields=2)``); of
        PettingZoo also a function that makes a parallel environment.

    Raises
    ------
    MissingExtraError
        The library is not installed.
    UnknownNameError
        No such library or environment.
    GameError
        An environment that cannot be a repeated game here; the line says what can.

    Examples
    --------
    >>> environment_game("openspiel", "matrix_rps").actions  # doctest: +SKIP
    ('Rock', 'Paper', 'Scissors')
    """
    opened = _open(library, environment)
    name = environment if isinstance(environment, str) else getattr(environment, "__name__", "environment")
    return EnvironmentGame(library, name, opened.actions, opened)


def environment_from_rules(table: Mapping[str, Any], name: str) -> EnvironmentGame:
    """The game that `EnvironmentGame.to_json` wrote, from its parsed object without ``rules``; opens nothing.

    Raises
    ------
    GameError
        The object is none of these.
    """
    if set(table) != {"library", "environment", "actions"}:
        raise GameError(f"{name}: keys {shorten(sorted(table))}, expected library, environment and actions")
    actions = table["actions"]
    texts = all(isinstance(table[key], str) for key in ("library", "environment"))
    if not texts or not isinstance(actions, list) or not all(isinstance(one, list) for one in actions):
        raise GameError(f"{name}: {shorten(table)}, expected names and a list of actions by seat")
    return EnvironmentGame(table["library"], table["environment"], tuple(tuple(labels) for labels in actions))


_CALL = re.compile(r"\s*(?P<name>[\w./-]+)\s*(?:\((?P<inside>.*)\))?\s*", re.DOTALL)


def parameters_of(text: str, what: str) -> tuple[str, dict[str, int | float | bool | str]]:
    """``blotto(coins=4,fields=2)`` as its name and parameters.

    Raises
    ------
    GameError
        Another form.

    Examples
    --------
    >>> parameters_of("blotto(coins=4,zero_sum=true)", "game")
    ('blotto', {'coins': 4, 'zero_sum': True})
    """
    match = _CALL.fullmatch(text)
    inside = [part for part in ((match["inside"] or "") if match else "").split(",") if part.strip()]
    pairs = [part.split("=", 1) for part in inside]
    if match is None or not all(len(pair) == 2 and pair[0].strip().isidentifier() for pair in pairs):
        raise GameError(
            f"{what} {shorten(text)!r}, expected a name such as blotto or blotto(coins=4,fields=2)"
        )
    return match["name"], {key.strip(): _literal(value.strip()) for key, value in pairs}


def _literal(text: str) -> int | float | bool | str:
    if text.casefold() in ("true", "false"):
        return text.casefold() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _open(library: str, environment: str | Callable[[], Any]) -> Opened:
    there = point(ENVIRONMENTS, library)
    if there is None:
        raise UnknownNameError("library of environments", library, points(ENVIRONMENTS))
    opened: Opened = load(there)(environment)
    return opened
