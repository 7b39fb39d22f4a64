"""What the benchmark has of a game beside its rules: one row, which stands with the rules in the game's file.

Words that players read, the benchmark authors' templates, another story, the record that is scored and drawn,
and files that their code saved. Everything else reads these rows
(`intent.gamma.catalogue.bench_game`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from intent.agents.replies import answer_value
from intent.base.spelling import number_text
from intent.gamma.plays import Plays

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from intent.games.game import CourseGame, Facts

__all__ = [
    "CHOICE",
    "CHOICE_MARK",
    "About",
    "BenchGame",
    "Events",
    "GameWords",
    "Picture",
    "Story",
    "Teller",
    "Templates",
    "listed",
    "value_text",
]


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
