"""What all eight games have in common: their rules, and what the benchmark has of each beside them.

A name, ten players unless told otherwise, rewards as payoffs; games in which all players move once, at the
same time, and those in which a round depends on chance or on what has happened before; checked parameters,
and answers as the log has them, however a player spells them.

What the benchmark has of a game is one row, which stands with the rules in the game's file: words that
players read, the benchmark authors' templates, another story, the record that is scored and drawn, and files
that their code saved. Everything else reads these rows (`intent.gamma.catalogue.bench_game`).
"""

from __future__ import annotations

import json
import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

from intent.base.errors import GameError, one_line, shorten
from intent.base.replies import answer_value
from intent.base.wording import number_text
from intent.games.game import Course, Facts, PayoffKind, RoundOutcome, number
from intent.gamma.plays import Plays

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes

    from intent.games.game import CourseGame, Facts

__all__ = [
    "CHOICE",
    "CHOICE_MARK",
    "FACTS",
    "LONGEST",
    "MOST_LISTED",
    "MOST_PLAYERS",
    "MOST_VALUE",
    "About",
    "BenchGame",
    "Events",
    "GameWords",
    "GammaGame",
    "Moves",
    "Picture",
    "SimultaneousGame",
    "SituatedGame",
    "Story",
    "Teller",
    "Templates",
    "by_seat",
    "check_choice",
    "check_moves",
    "check_number",
    "check_players",
    "check_whole",
    "exact",
    "folded",
    "listed",
    "number_round",
    "one_of",
    "percent",
    "plain",
    "value_text",
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


CHOICE = "choice"
"""The placeholder at which a report stops for the player's own choice: what stands before it is told, then
comes the choice as the player's turn, then the rest (`intent.gamma.prompts`)."""

CHOICE_MARK = "\x1f"
"""What the placeholder is filled with until the report is split there."""


def value_text(value: Any) -> str:
    """A number as players read it, to hundredths; text as it is."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return number_text(round(value, 2))
    return "0" if value is None else str(value)


@dataclass(frozen=True)
class About:
    """A game in a few sentences.

    Parameters
    ----------
    title : str
    rules : str
    equilibrium : str
        What equilibrium play does, in the order of the cases.
    source : str
    """

    title: str
    rules: str
    equilibrium: str
    source: str


@dataclass(frozen=True)
class Story:
    """Another surface of a game: the same strategy, other words and numbers.

    Parameters
    ----------
    name : str
    keys : tuple of (field of the game's answers, field in the story)
    labels : tuple of (action, its name in the story), optional
    mirrored : str, optional
        What the numbers are turned round by: a parameter of the game, or ``ends`` for low + high.
    numbers : tuple of str
        Facts that hold such a number, or a tuple of them by seat.
    """

    name: str
    keys: tuple[tuple[str, str], ...]
    labels: tuple[tuple[str, str], ...] = ()
    mirrored: str = ""
    numbers: tuple[str, ...] = ()


class Pieces(Protocol):
    """The texts of one language (`intent.gamma.prompts.GammaWording`)."""

    def has(self, stem: str, piece: str, version: str = "") -> bool: ...
    def say(self, stem: str, piece: str, version: str, values: Mapping[str, object]) -> str: ...
    def tells_before(self, game: str, version: str) -> bool: ...


@dataclass(frozen=True)
class Teller:
    """Tells one seat of a game, in one wording.

    Parameters
    ----------
    wording : GammaWording
    version : str
    game : CourseGame
    words : GameWords
        Of the game, whatever its story.
    seat : int, from 1
    names : tuple of str, by seat
    """

    wording: Pieces
    version: str
    game: CourseGame
    words: GameWords
    seat: int
    names: tuple[str, ...]

    def say(self, piece: str, **values: object) -> str:
        """A piece of the game's file."""
        centre = self.game.facts().get("centre")
        more = {CHOICE: CHOICE_MARK} | ({} if centre is None else {"centre": value_text(centre)})
        return self.wording.say(self.game.name, piece, self.version, {**more, **values})

    def has(self, piece: str) -> bool:
        """Whether the game's file has a piece that it may lack."""
        return self.wording.has(self.game.name, piece, self.version)

    def phrase(self, piece: str, **values: object) -> str:
        """A piece of the file of phrases."""
        return self.wording.say("phrases", piece, self.version, values)

    def gain(self, facts: Facts) -> list[str]:
        """One's gain, of who gave an answer."""
        return [] if facts["own"] is None else [self.phrase("gain", gain=value_text(facts["gain"]))]

    def name(self, seat: Any) -> str:
        """What a player is called."""
        return self.names[int(seat) - 1]

    def lines(self, piece: str, seats: Sequence[int], **columns: Sequence[Any]) -> str:
        """One line for each seat, with a value of every column."""
        rows = zip(*columns.values(), strict=True) if columns else ((),) * len(seats)
        return "\n".join(
            self.phrase(
                piece,
                number=seat,
                name=self.name(seat),
                **dict(zip(columns, map(value_text, row), strict=True)),
            )
            for seat, row in zip(seats, rows, strict=True)
        )

    def values(self, values: Sequence[Any]) -> str:
        """A number of every player on one line, by seat and without names; of who gave no answer, that."""
        missing = self.phrase("no_answer")
        return self.phrase("comma").join(missing if v is None else value_text(v) for v in values)

    def amounts(self, values: Sequence[Any]) -> str:
        """A number of every player on one line, with names; of who gave no answer, that."""
        missing = self.phrase("no_answer")
        return self.phrase("comma").join(
            self.phrase("player_amount", name=name, amount=missing if value is None else value_text(value))
            for name, value in zip(self.names, values, strict=True)
        )


class GameWords:
    """Which pieces of a game's text are said when; a game overrides what it says otherwise."""

    pieces: ClassVar[dict[str, tuple[str, ...]]]
    """Piece -> the facts it tells, each once at least; in the game's file, in five wordings."""
    plain: ClassVar[dict[str, tuple[str, ...]]] = {}
    """As `pieces`, in one wording. ``form`` is what stands in the JSON object that is asked for, as in
    ``{"bid": <whole number from 0 to 70>}``."""
    more: ClassVar[dict[str, tuple[str, ...]]] = {}
    """Piece -> facts that it may tell besides; ours do not."""
    length_known: ClassVar[bool] = True
    """Whether players are told how many rounds there are."""

    def rules(self, t: Teller) -> list[str]:
        """The rules, with the parameters of the game."""
        facts = {
            name: number_text(value)
            if isinstance(value, int | float) and not isinstance(value, bool)
            else value
            for name, value in t.game.facts().items()
        }
        return [t.say("rules", **facts)]

    def news(self, t: Teller, facts: Facts) -> list[str]:
        """What a seat learns as a round begins; `facts` are those of the request or of the report."""
        return []

    def request(self, t: Teller, question: Facts) -> list[str]:
        """What a seat is asked, without the form of the answer."""
        facts = {**t.game.facts(), **question}
        return [t.say("request", **{name: value_text(value) for name, value in facts.items()})]

    def fields(self, t: Teller, question: Facts) -> dict[str, str]:
        """The fields of the object that is asked for, with words in the place of answers."""
        return {t.game.key(question): self.place(t, question)}

    def answer(self, t: Teller, action: str, facts: Facts) -> dict[str, object]:
        """The object of a past answer."""
        role = "propose" if facts.get("proposer") == t.seat else "vote"
        proposes = "proposer" in facts and role == "propose"
        named = range(t.seat, t.seat + action.count(",") + 1) if proposes else ()
        return {t.game.key({"role": role, **facts}): answer_value(action, named)}

    def place(self, t: Teller, question: Facts) -> str:
        """What stands for the answer in the object that is asked for."""
        if t.game.actions:
            return listed(t, t.game.actions)
        facts: dict[str, Any] = {**t.game.facts(), **question}
        return f"<{t.say('form', **{name: value_text(value) for name, value in facts.items()})}>"

    def report(self, t: Teller, facts: Facts) -> list[str]:
        """What a seat is told of a round that is over."""
        raise NotImplementedError

    def had_a_move(self, seat: int, facts: Facts) -> bool:
        """Whether the seat was asked in the round that it is told of."""
        return True


def listed(t: Teller, options: Sequence[str]) -> str:
    """Options of an answer."""
    return t.phrase("or").join(json.dumps(option) for option in options)


class Templates:
    """What stands for ``!<INPUT k>!`` in GAMA-Bench's templates of a game; a game overrides what is special.

    The order is that of the calls in its code (``games/*.py``); words that its code puts in are ours.
    """

    folder: ClassVar[str]
    inputs: ClassVar[dict[str, tuple[str, ...]]]
    """Template -> facts by number."""
    window: ClassVar[int] = 20
    """Round after which upstream begins to drop messages."""

    def rule_facts(self, game: CourseGame, seat: int, names: Sequence[str]) -> Facts:
        """Facts of the description that are no facts of the rules."""
        return {}

    def request_facts(self, game: CourseGame, names: Sequence[str], question: Facts) -> Facts:
        """Facts of the request that are no facts of what was asked."""
        return {}

    def report_facts(self, game: CourseGame, seat: int, names: Sequence[str], facts: Facts) -> Facts:
        """Facts of the report that are no facts of what was told."""
        return {}

    def answer(self, game: CourseGame, question: Facts) -> object:
        """What stands for the answer in the object that is asked for."""
        if game.actions:
            return "_or_".join(game.actions)
        low, high = map(value_text, self.range(game.facts(), question))
        return f"integer_between_{low}_and_{high}"

    def fields(self, game: CourseGame, question: Facts) -> dict[str, object]:
        """The fields of the object that is asked for."""
        return {game.key(question): self.answer(game, question)}

    def range(self, rules: Facts, question: Facts) -> tuple[object, object]:
        """The ends of the numbers that may be answered."""
        raise NotImplementedError

    def report_name(self, seat: int, facts: Facts) -> str:
        """The template that tells of a round."""
        return "report"

    def request_name(self, question: Facts) -> str:
        """The template that asks."""
        return "request"

    def parts(self, template: str) -> int:
        """How many parts a template has: of a report user, assistant, user."""
        return 3 if template.startswith("report") else 1


_OUTCOMES = (
    *("crowded", "roomy", "within", "exceeds", "hit", "missed", "on_purpose", "thrown", "passed", "no_plan"),
    *("report", "report_explicit", "report_implicit", "report2", "vote.proposal", "request1.plan"),
)

FACTS: dict[str, str | None] = {
    **dict.fromkeys(_OUTCOMES, "others_choices"),
    **dict.fromkeys(("rules", "reset", "kept", "first", "second", "valuation"), "payoffs"),
    **dict.fromkeys(("gain", "won", "lost"), "past_payoffs"),
    **dict.fromkeys(
        (f"{piece}.{gain}" for piece in _OUTCOMES for gain in ("gain", "outcome")), "past_payoffs"
    ),
    **dict.fromkeys((f"{piece}.own" for piece in _OUTCOMES), "own_choices"),
    **dict.fromkeys((f"{piece}.{rule}" for piece in _OUTCOMES for rule in ("ratio", "gold", "round")), None),
    "report.holdings": "totals",
    "report.tokens": "totals",
    "rules.name": None,
    "description": "payoffs",
    "description.rounds": "horizon",
    "description.role": "persona",
    "known": "horizon",
    "random": "horizon",
    "results": None,
    "begin.round": "round",
    "persona*": "persona",
    "told_*": "others_persona",
}
"""Piece, or ``piece.placeholder``, of our words and of GAMA-Bench's templates -> the fact that it shows
(`intent.runner.information.FACTS`)."""


@dataclass(frozen=True)
class Picture:
    """How play over rounds is drawn: the line of a run, single choices behind it, what it is held against.

    Parameters
    ----------
    what : str
        What is shown, below the title.
    label : str
    line : from a record to a number per round
    choices : from a record to rounds by seats, or None
    marks : from a record (or from several as one, with their mean line as its own) to name -> number, or
        number per round
    limits : from a record to the ends of the axis
    """

    what: str
    label: str
    line: Callable[[Any], Sequence[float]]
    marks: Callable[[Any], Mapping[str, float | Sequence[float]]]
    choices: Callable[[Any], Sequence[Sequence[float | None]] | None] = lambda run: None
    limits: Callable[[Any], tuple[float, float | None]] = lambda run: (0, None)


@dataclass(frozen=True)
class Events:
    """How a game that is played in turn is drawn: a panel per run.

    Parameters
    ----------
    what : str
        What is shown, below the title.
    across, down : float, size of a panel
    wrap : int, characters of a panel's title
    x, y : str, labels of the axes
    draw : onto an axes the record of a run
    legend : to the handles of the legend
    """

    what: str
    across: float
    down: float
    wrap: int
    x: str
    y: str
    draw: Callable[[Axes, Any], None]
    legend: Callable[[], list[Any]]


@dataclass(frozen=True)
class BenchGame:
    """The row of a game.

    Parameters
    ----------
    family : str
        cooperative, betraying or sequential (Huang et al. 2024, section 2).
    title : str
        As the paper's tables have it.
    about : About
    plays : type
        The record of play.
    words : GameWords
    templates : Templates
    story : Story
    picture : Picture or Events
    saved : from a file that GAMA-Bench saved (`intent.gamma.saved.Saved`) to the fields of the record
    signs : keys of ``meta`` that only its files have, keys that every round of them has
    missing : str
        What a missing move counts as.
    discrepancy : str
        What differs between the scorings ``code`` and ``paper``.
    spellings : key of an answer -> what models call the field instead
    short_names : what names of saved files call the game, beside the folder of its templates
    sweeps : letters that such names give the sweep of a parameter, which the file itself holds
    settings : parameters of the paper's tests of generality (tables 8, 13, 17 and 21), the default among them
        Table 8 is damaged in print; these are the values of the published files of results.
    matches : int
        Matches of equilibrium play that the dry run averages over.
    seats_shown : int
        Seats whose prompts the dry run shows, since they are asked otherwise.
    most_rounds : from rounds and number of players to the rounds that a match can have
    most_moves : from rounds and seats to their most moves together; by default one in every round
    """

    family: str
    title: str
    about: About
    plays: type[Plays]
    words: GameWords
    templates: Templates
    story: Story
    picture: Picture | Events
    saved: Callable[[Any], dict[str, Any]]
    signs: tuple[tuple[str, ...], tuple[str, ...]]
    missing: str
    discrepancy: str = "none"
    spellings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    short_names: tuple[str, ...] = ()
    sweeps: tuple[str, ...] = ()
    settings: tuple[Mapping[str, Any], ...] = ()
    matches: int = 1
    seats_shown: int = 1
    most_rounds: Callable[[int, int], int] = lambda rounds, n_players: rounds
    most_moves: Callable[[int, Sequence[int]], int] = lambda rounds, seats: rounds * len(seats)

    @property
    def sequential(self) -> bool:
        """Whether the game lasts as long as play makes it."""
        return isinstance(self.picture, Events)
