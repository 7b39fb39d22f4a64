"""What all eight games have in common: a name, ten players unless told otherwise, rewards as payoffs.

What the games have in common in which all players move once, at the same time.

What the games have in common in which a round depends on chance or on what has happened before.

The parameters of a game, checked: numbers of players, whole numbers, exact ratios.

An answer as the action that a log has: whole numbers and labels, however a player spells them.
"""

from __future__ import annotations

import json
import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Self

from intent.base.errors import GameError, one_line, shorten
from intent.games.game import Course, Facts, PayoffKind, RoundOutcome, number

if TYPE_CHECKING:
    import numpy as np


__all__ = [
    "LONGEST",
    "MOST_LISTED",
    "MOST_PLAYERS",
    "MOST_VALUE",
    "GammaGame",
    "Moves",
    "SimultaneousGame",
    "SituatedGame",
    "by_seat",
    "check_choice",
    "check_moves",
    "check_number",
    "check_players",
    "check_whole",
    "exact",
    "folded",
    "number_round",
    "one_of",
    "percent",
    "plain",
    "whole_moves",
    "whole_number",
    "whole_range",
]


Moves = Mapping[int, str | None]
"""Seat -> action, None of a move that is missing."""


@dataclass(frozen=True)
class GammaGame:
    """A frozen value whose fields are the parameters of its rules."""

    n_players: int = 10

    name: ClassVar[str]
    answer_key: ClassVar[str]
    """The field of the JSON object that a player answers with, where it is always the same."""
    actions: ClassVar[tuple[str, ...]] = ()
    open: ClassVar[bool] = False

    def __deepcopy__(self, memo: object) -> Self:
        """Itself, as it is frozen."""
        return self

    @property
    def kind(self) -> PayoffKind:
        """Payoffs are rewards."""
        return "reward"

    @property
    def cooperative_label(self) -> str | None:
        """None: no single action is cooperation."""
        return None

    def cooperative_action(self, seat: int) -> str | None:
        """The same for every seat.

        Raises
        ------
        GameError
            No such seat.
        """
        if not 1 <= seat <= self.n_players:
            raise GameError(f"{self.name}: seat {shorten(seat)}, expected 1 to {self.n_players}")
        return self.cooperative_label

    def key(self, question: Facts) -> str:
        """The field of the JSON object that a player answers with."""
        return self.answer_key

    def facts(self) -> Facts:
        """What prompts tell of the rules: the parameters but the number of players."""
        return GammaGame.settings(self)  # each by itself, whatever belongs together in a score's name

    def settings(self) -> dict[str, object]:
        """The parameters but the number of players, as scores name them; what belongs together as one."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.init and f.name != "n_players"}

    def to_json(self) -> str:
        """Compact JSON: the rules' name and the parameters."""
        table = {"rules": self.name, **{field.name: getattr(self, field.name) for field in fields(self)}}
        return json.dumps(table, ensure_ascii=False, separators=(",", ":"))


def check_moves(name: str, actions: Moves, seats: Iterable[int]) -> None:
    """Refuse moves that are not those of `seats` and no others.

    Raises
    ------
    GameError
        See above.
    """
    expected = set(seats)
    if actions.keys() != expected:
        got, wanted = (shorten(", ".join(map(str, sorted(those)))) or "none" for those in (actions, expected))
        raise GameError(f"{name}: moves of seats {got}, expected those of {wanted}")


@dataclass(frozen=True)
class SimultaneousGame(GammaGame, ABC):
    """A round in which every player moves once, without seeing the others.

    Parameters
    ----------
    n_players : int, 2 to 1000
    """

    def course(self, rng: np.random.Generator) -> Course:
        """A new match, in which no round depends on an earlier one; nothing is drawn."""
        return _Repetition(self)

    def request(self) -> Facts:
        """What a request says beside the rules, in the first round."""
        return {}

    def payoff(self, actions: Sequence[str]) -> tuple[float, ...]:
        """Payoffs by seat of a first round, for the actions by seat.

        Raises
        ------
        GameError
            Not one action per seat, or one that may not be played.
        """
        if isinstance(actions, str) or len(actions) != self.n_players:
            raise GameError(f"{self.name}: {len(actions)} actions, expected those of {self.n_players} seats")
        moves = {seat: self.read(a, seat, self.request()) for seat, a in enumerate(actions, start=1)}
        return tuple(float(paid or 0) for paid in self.outcome(moves).payoffs)

    def legal(self, seat: int, question: Facts) -> tuple[str, ...] | None:
        """The labels, of a game that has some."""
        return self.actions or None

    @abstractmethod
    def read(self, value: object, seat: int, question: Facts) -> str:
        """See `intent.games.game.CourseGame.read`."""

    @abstractmethod
    def outcome(self, actions: Moves) -> RoundOutcome:
        """What a first round comes to, from the moves of all seats, None where one is missing."""


class _Repetition:
    """The course of a game whose rounds are all alike."""

    over = False

    def __init__(self, game: SimultaneousGame) -> None:
        self._game = game
        self._steps = (tuple(range(1, game.n_players + 1)),)

    def steps(self) -> tuple[tuple[int, ...], ...]:
        """All seats at once."""
        return self._steps

    def question(self, seat: int, earlier: Moves) -> Facts:
        """Nothing beside the rules."""
        return self._game.request()

    def complete(self, actions: Moves) -> RoundOutcome:
        """The outcome of the round."""
        return self._game.outcome(actions)


def by_seat(name: str, n_players: int, actions: Moves) -> list[str | None]:
    """The moves of a round in the order of seats.

    Raises
    ------
    GameError
        Not those of all seats and no others.
    """
    seats = range(1, n_players + 1)
    check_moves(name, actions, seats)
    return [actions[seat] for seat in seats]


def whole_moves(name: str, n_players: int, actions: Moves) -> list[int | None]:
    """As `by_seat`, of actions that are whole numbers."""
    return [None if action is None else int(action) for action in by_seat(name, n_players, actions)]


def number_round(
    moves: Sequence[int | None], gains: Sequence[Fraction | float], reports: Iterable[Facts]
) -> RoundOutcome:
    """What a round of numbers comes to, all by seat; a move that is missing pays nothing."""
    return RoundOutcome(
        tuple(None if move is None else float(gain) for move, gain in zip(moves, gains, strict=True)),
        {seat: None if move is None else float(move) for seat, move in enumerate(moves, start=1)},
        dict(enumerate(reports, start=1)),
    )


@dataclass(frozen=True)
class SituatedGame(GammaGame):
    """A game that is played by its course alone."""

    def payoff(self, actions: Sequence[str]) -> tuple[float, ...]:
        """What actions pay depends on the round.

        Raises
        ------
        GameError
            Always.
        """
        raise GameError(
            f"{self.name}: payoffs of a joint action depend on the round, expected its course to pay"
        )


MOST_PLAYERS = 1000
MOST_VALUE = 10**9
"""Of numbers that rules name; all sums of a round stay exact in a float."""

_FINEST = 10**9
"""Largest denominator of a ratio."""

_RATIO = re.compile(r"(\d{0,12})(?:\.(\d{0,9}))?(%?)|(\d{1,12})/(\d{1,12})", re.ASCII)


def check_players(name: str, n_players: object) -> None:
    """Refuse what is no number of players.

    Raises
    ------
    GameError
        Not a whole number from 2 to 1000.
    """
    check_whole(name, "n_players", n_players, 2, MOST_PLAYERS)


def check_whole(name: str, what: str, value: object, low: int, high: int = MOST_VALUE) -> None:
    """Refuse what is no whole number from `low` to `high`.

    Raises
    ------
    GameError
        See above; the message starts with the game.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise GameError(f"{name}: {what} {shorten(value)!r}, expected a whole number from {low} to {high}")


def check_number(name: str, what: str, value: object, low: float, high: float = MOST_VALUE) -> int | float:
    """The number, as an int where it is whole; refused outside `low` to `high`, or with over nine decimals.

    Raises
    ------
    GameError
        See above; the message starts with the game.
    """
    expected = f"expected a number from {low} to {high}"
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise GameError(f"{name}: {what} {shorten(value)!r}, {expected}")
    if Fraction(str(value)).denominator > _FINEST:
        raise GameError(f"{name}: {what} {shorten(value)!r}, {expected} with nine decimals at most")
    return plain(value)


def check_choice(name: str, what: str, value: object, options: tuple[str, ...]) -> None:
    """Refuse what is none of the options.

    Raises
    ------
    GameError
        See above; the message starts with the game.
    """
    if value not in options:
        raise GameError(f"{name}: {what} {shorten(value)!r}, expected {' or '.join(options)}")


def exact(name: str, what: str, value: object, high: int) -> Fraction:
    """A ratio from 0 to `high`, exactly: ``"2/3"``, ``".5"``, ``"60%"``, or a number as it is printed.

    Raises
    ------
    GameError
        No such text or number.

    Examples
    --------
    >>> exact("bar", "ratio", "60%", 1), exact("guessing", "ratio", 0.1, 10)
    (Fraction(3, 5), Fraction(1, 10))
    """
    ratio = None
    if isinstance(value, str):
        match = _RATIO.fullmatch(value.strip()) if len(value) <= 32 else None
        if match and match[5] and int(match[5]):
            ratio = Fraction(int(match[4]), int(match[5]))
        elif match and (match[1] or match[2]):
            ratio = Fraction(f"{match[1] or 0}.{match[2] or 0}") / (100 if match[3] else 1)
    elif isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= high:
        ratio = Fraction(str(value))
    if ratio is None or not 0 <= ratio <= high or ratio.denominator > 100 * _FINEST:
        raise GameError(
            f"{name}: {what} {shorten(value)!r}, expected a number, fraction or percentage from 0 to {high}, "
            "with nine decimals at most (as in '2/3', .5, '60%')"
        )
    return ratio


def percent(share: Fraction) -> str:
    """A share as a percentage of six digits at most.

    Examples
    --------
    >>> percent(Fraction(3, 5)), percent(Fraction(1, 3))
    ('60%', '33.3333%')
    """
    return f"{float(100 * share):.6g}%"


def plain(value: Fraction | float) -> int | float:
    """The nearest float; an int where it is whole."""
    return number(float(value))


MOST_LISTED = 1001
"""Actions that `CourseGame.legal` lists at most."""


LONGEST = 64
"""Characters of an answer; a longer one is neither a number nor a label."""

_WHOLE = re.compile(r"([+-]?\d{1,18})(?:\.(\d{0,18}))?")

_SIGNS = str.maketrans({"٫": ".", "．": ".", "－": "-", "−": "-", "\u200e": "", "\u200f": "", "\u061c": ""})
"""Points and minus signs of other scripts, and the marks of direction that come with them. Superscripts stay
as they are: 3² is not 32."""


def whole_number(value: object, what: str, low: int, high: int) -> int:
    """A whole number of a range.

    Parameters
    ----------
    value : object
        An int, a float without fraction, or a text of one, in the digits of any script (``"37"``,
        ``" 37.0 "``, ``"３７"``, ``"٣٧"``). True and False are no numbers.
    what : str
        What it is, for the message: ``"bid"``.
    low, high : int
        The range, both ends included.

    Raises
    ------
    GameError
        Anything else; the message may be shown to a player.

    Examples
    --------
    >>> whole_number(" 37.0 ", "guess", 0, 100), whole_number("٣٧", "guess", 0, 100)
    (37, 37)
    """
    number = _integer(value)
    if number is None or not low <= number <= high:
        raise GameError(f"{what} {one_line(value, LONGEST)!r}, expected a whole number from {low} to {high}")
    return number


def _integer(value: object) -> int | None:
    if isinstance(value, str):
        if len(value) > LONGEST:
            return None
        match = _WHOLE.fullmatch(value.translate(_SIGNS).strip())
        return int(match[1]) if match and not int(match[2] or 0) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and not value.is_integer():
        return None
    return int(value) if abs(value) < 10**18 else None


def one_of(value: object, options: Sequence[str], what: str = "answer") -> str:
    """A label, whatever the case and width of its letters, and without quotes or a full stop around it.

    Raises
    ------
    GameError
        No text, or none of the options; the message may be shown to a player.

    Examples
    --------
    >>> one_of(" Go. ", ("go", "stay"))
    'go'
    """
    if isinstance(value, str) and (label := value if value in options else folded(value)) in options:
        return label
    raise GameError(f"{what} {one_line(value, LONGEST)!r}, expected {' or '.join(options)}")


def folded(text: str) -> str:
    """A text without case and width of letters, quotes and full stops around it; "" of a long one.

    Examples
    --------
    >>> folded(" Ｇo. ")
    'go'
    """
    if len(text) > LONGEST:
        return ""
    return unicodedata.normalize("NFKC", text).casefold().strip(" \t\r\n.\"'`*")


@lru_cache(maxsize=256)
def whole_range(low: int, high: int) -> tuple[str, ...] | None:
    """All whole numbers of a range as actions; None where there are more than can be listed."""
    if high - low >= MOST_LISTED:
        return None
    return tuple(str(number) for number in range(low, high + 1))
