"""Values of a match, what each player sees of it, and matches that have been played as a game log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, overload

import numpy as np

from intent.base.errors import GameError
from intent.games.game import Facts, Game

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog

__all__ = [
    "Communication",
    "Horizon",
    "Match",
    "Move",
    "MoveStatus",
    "Past",
    "Phase",
    "QuestionAnswer",
    "Round",
    "Scorer",
    "View",
    "add_answers",
    "to_log",
]


MOST_ROUNDS = 1_000_000


@dataclass(frozen=True)
class Horizon:
    """A fixed number of rounds, or a chance to go on after each.

    Parameters
    ----------
    rounds : number of rounds; with a continuation probability the most that are played
    known : whether the players are told: the number of rounds, or the continuation probability
    continuation : float in [0, 1), optional
        Probability, after each round, that another one follows (Roth & Murnighan 1978). None: the
        number of rounds is fixed.

    Raises
    ------
    GameError
        Rounds below 1 or above a million, or a probability outside [0, 1).

    References
    ----------
    Roth & Murnighan 1978, Journal of Mathematical Psychology 17:189.
    """

    rounds: int
    known: bool = True
    continuation: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.rounds, int) or not 1 <= self.rounds <= MOST_ROUNDS:
            raise GameError(f"horizon of {self.rounds} rounds, expected 1 to {MOST_ROUNDS}")
        if self.continuation is not None and not 0 <= self.continuation < 1:
            raise GameError(f"continuation probability {self.continuation}, expected [0, 1)")

    @property
    def announced_rounds(self) -> int | None:
        """The number of rounds that the players are told."""
        return self.rounds if self.known and self.continuation is None else None

    @property
    def planned(self) -> int | None:
        """The number of rounds that are to be played, None where chance decides."""
        return self.rounds if self.continuation is None else None

    @property
    def expected(self) -> float:
        """Mean number of rounds: of at most n with continuation probability d, (1 - d^n) / (1 - d)."""
        if self.continuation is None:
            return float(self.rounds)
        return float((1 - self.continuation**self.rounds) / (1 - self.continuation))

    def length(self, rng: np.random.Generator | None = None) -> int:
        """The number of rounds of one match.

        The chances after all rounds are drawn at once, as one geometric number.

        Raises
        ------
        GameError
            A continuation probability without `rng`.
        """
        if self.continuation is None:
            return self.rounds
        if rng is None:
            raise GameError("a continuation probability needs rng, which draws the length of the match")
        return min(int(rng.geometric(1 - self.continuation)), self.rounds)


MoveStatus = Literal["parsed", "defaulted", "missing"]

Communication = Literal["none", "sequential", "simultaneous"]
"""No message phase; each message is seen by those who speak later in the round; or all speak at once."""


@dataclass(frozen=True)
class Move:
    """One seat's move.

    Parameters
    ----------
    seat : from 1
    step : step within the round, from 1; all 1 where players move at once
    action : what was played; None where the move is missing
    status : {"parsed", "defaulted", "missing"}
    message : public message of the round: that of the message phase, or one sent along with the move, which
        the others see from the next round on
    private_thought, reasoning : text of the player that no other player ever sees
    reply, prompt : references to the stored reply and prompt
    advice : the action that a tool or an assistant of the player advised
    details : what else the player's architecture recorded, a JSON object (`intent.base.codebook.DETAILS`)
    decided : what the player chose, in games with implementation errors
    """

    seat: int
    step: int
    action: str | None
    status: MoveStatus = "parsed"
    message: str | None = None
    private_thought: str | None = None
    reasoning: str | None = None
    reply: str | None = None
    prompt: str | None = None
    advice: str | None = None
    details: str | None = None
    decided: str | None = None

    @property
    def submitted(self) -> Move:
        """The move as the player made it, before an error could change it."""
        return self if self.decided is None else replace(self, action=self.decided, decided=None)


@dataclass(frozen=True)
class QuestionAnswer:
    """What a player answered to a comprehension question between two rounds.

    Parameters
    ----------
    round : the round after which it was asked, from 1
    seat : from 1
    question : name of the question, as in `intent.behaviour.questions`
    answer : as given; None where nothing came
    reply : reference to the stored reply
    """

    round: int
    seat: int
    question: str
    answer: str | None
    reply: str | None = None


@dataclass(frozen=True)
class Round:
    """One completed round.

    Parameters
    ----------
    number : from 1
    moves : tuple of Move, in seat order
        Of all seats, or of those that had a part in this round of a `intent.games.game.CourseGame`.
    payoffs : tuple of float or None, by seat
        None for all where a move is missing; in a CourseGame as its course says.
    values : mapping of seat -> float or None
        The numbers of moves that are numbers.
    """

    number: int
    moves: tuple[Move, ...]
    payoffs: tuple[float | None, ...]
    values: Mapping[int, float | None] = field(default_factory=dict, compare=False)

    @property
    def actions(self) -> tuple[str | None, ...]:
        """The joint action by seat; of the seats that moved, where not all did."""
        return tuple(move.action for move in self.moves)

    def action(self, seat: int) -> str | None:
        """The action of a seat, None where it had none."""
        return next((move.action for move in self.moves if move.seat == seat), None)


@dataclass(frozen=True)
class Match:
    """A repeated game that was played.

    Parameters
    ----------
    seats : tuple of mappings, by seat
        Columns of the log's seats table: model, persona, strategy and any condition of the seat.
    columns : columns of the log's games table: language, run and any condition of the game
    answers : to comprehension questions, in the order in which they were asked
    """

    game: Game
    horizon: Horizon
    rounds: tuple[Round, ...]
    seats: tuple[Mapping[str, Any], ...] = ()
    columns: Mapping[str, Any] = field(default_factory=dict)
    answers: tuple[QuestionAnswer, ...] = ()

    def actions(self, seat: int) -> tuple[str | None, ...]:
        """All actions of a seat (from 1)."""
        return tuple(r.action(seat) for r in self.rounds)

    def payoffs(self, seat: int) -> tuple[float | None, ...]:
        """All payoffs of a seat (from 1)."""
        return tuple(r.payoffs[seat - 1] for r in self.rounds)


Phase = Literal["message", "choose"]
"""What is asked for: a public message, or an action."""


@dataclass(frozen=True)
class View:
    """The game from one seat.

    Parameters
    ----------
    game : the stage game with all payoffs
    seat : the player's own position, from 1
    round : the round to be played, from 1
    horizon : number of rounds of the match, None where the players are not told
    continuation : probability of another round after each, where there is one and the players are told
    actions_by_seat : tuple by seat of sequences by past round, of label or None
        All actions so far, None where a move is missing, of others also where the game hides what they did.
    payoffs_by_seat : tuple by seat of sequences by past round, of float or None
        All payoffs so far, None where some move of the round is missing, of others also where the game hides
        what they did.
    messages_by_seat : tuple by seat of sequences by past round, of str or None
        Public messages of past rounds, None where a player stayed silent.
    earlier : tuple of (seat, action)
        Moves of earlier steps of this round; empty where all move at once.
    phase : {"message", "choose"}
        What is asked for now.
    messages : tuple of (seat, message or None)
        Messages of this round that the seat sees, in seat order; None of a player who stayed silent.
    question : what the course of a `intent.games.game.CourseGame` shows the seat of this round; empty in
        other games
    reports : sequence by past round of Facts or None
        What the course told the seat of each round, None of rounds that it had no part in; empty in other
        games.

    implementation_error : float
        Probability that a move is played as the opposite of what was chosen; all that is seen was played.

    Notes
    -----
    The sequences by past round never change and equal the tuples of their values (`intent.play.match.Past`).
    """

    game: Game
    seat: int
    round: int
    horizon: int | None
    continuation: float | None
    actions_by_seat: tuple[Sequence[str | None], ...]
    payoffs_by_seat: tuple[Sequence[float | None], ...]
    messages_by_seat: tuple[Sequence[str | None], ...]
    earlier: tuple[tuple[int, str | None], ...] = ()
    phase: Phase = "choose"
    messages: tuple[tuple[int, str | None], ...] = ()
    question: Facts = field(default_factory=dict, compare=False)
    reports: Sequence[Facts | None] = field(default=(), compare=False)
    implementation_error: float = 0.0

    @property
    def actions(self) -> tuple[str, ...]:
        """Labels to choose from."""
        return self.game.actions

    @property
    def other_seats(self) -> tuple[int, ...]:
        """The other positions, in order."""
        return tuple(s for s in range(1, self.game.n_players + 1) if s != self.seat)

    @property
    def own(self) -> Sequence[str | None]:
        """Own past actions."""
        return self.actions_by_seat[self.seat - 1]

    @property
    def others(self) -> tuple[Sequence[str | None], ...]:
        """Past actions of the others, by seat in the order of `other_seats`."""
        return tuple(self.actions_by_seat[s - 1] for s in self.other_seats)

    @property
    def own_payoffs(self) -> Sequence[float | None]:
        """Own past payoffs."""
        return self.payoffs_by_seat[self.seat - 1]

    @property
    def others_payoffs(self) -> tuple[Sequence[float | None], ...]:
        """Past payoffs of the others, by seat in the order of `other_seats`."""
        return tuple(self.payoffs_by_seat[s - 1] for s in self.other_seats)


T = TypeVar("T")


class Past(Sequence[T]):
    """The first `length` values of a record that is only ever appended to.

    It equals the tuple of these values, hashes alike and stays as it is while the record grows, so that
    a view of round t costs nothing to make, where a tuple would copy t values per seat. A beginning
    such as ``past[:-1]`` is again a `Past`, other slices are tuples.

    Parameters
    ----------
    record : owned by the referee
    length : int, at most the length of the record
    """

    __slots__ = ("_length", "_record")

    def __init__(self, record: list[T], length: int) -> None:
        self._record = record
        self._length = length

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[T]:
        return islice(self._record, self._length)

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[T]: ...
    def __getitem__(self, at: int | slice) -> T | Sequence[T]:
        if isinstance(at, slice):
            start, stop, step = at.indices(self._length)
            if start == 0 and step == 1:
                return Past(self._record, stop)
            return tuple(self._record[i] for i in range(start, stop, step))
        if not -self._length <= at < self._length:
            raise IndexError(f"round {at} of {self._length}")
        return self._record[at if at >= 0 else at + self._length]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Past):
            if self._length != other._length:
                return False
            return self._record is other._record or tuple(self) == tuple(other)
        return tuple(self) == other if isinstance(other, tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))

    def __reduce__(self) -> tuple[type[Past[T]], tuple[list[T], int]]:
        """Pickle and copy what is seen, without what was appended later."""
        return type(self), (list(self), self._length)


class Scorer(Protocol):
    """Understands an answer and says what is correct; a question may be scored under several names."""

    def __call__(
        self,
        game: Game,
        seat: int,
        round: int,
        question: str,
        answer: str | None,
        actions_by_seat: Sequence[Sequence[str | None]],
        payoffs_by_seat: Sequence[Sequence[float | None]],
        architectures: Sequence[str | None],
        /,
    ) -> Sequence[tuple[str, str | None, str | None, bool | None]]:
        """Name, answer as understood, correct answer, whether they agree; actions are of the whole game."""
        ...


def question_table() -> dict[str, list[Any]]:
    """Empty columns of the log's table of questions."""
    return {name: [] for name in _COLUMNS}


def add_answers(match: Match, game_id: str, into: dict[str, list[Any]], score: Scorer | None) -> None:
    """The answers of a match, as rows of `codebook.QUESTIONS`.

    Parameters
    ----------
    into : dict of column -> values
    score : None leaves open what the answers mean
    """
    if not match.answers:
        return
    seats = range(1, match.game.n_players + 1)
    actions = [match.actions(seat) for seat in seats]
    payoffs = [match.payoffs(seat) for seat in seats]
    described = [*match.seats, *({} for _ in range(len(seats) - len(match.seats)))]
    architectures = [seat.get("architecture") for seat in described]
    for one in match.answers:
        question = (match.game, one.seat, one.round, one.question, one.answer)
        scored = (
            [(one.question, None, None, None)]
            if score is None
            else score(*question, actions, payoffs, architectures)
        )
        for row in scored:
            values = (game_id, one.round, one.seat, one.answer, one.reply, *row)
            for name, value in zip(_COLUMNS, values, strict=True):
                into[name].append(value)


_COLUMNS = ("game_id", "round", "seat", "answer", "reply", "question", "parsed", "expected", "correct")


def to_log(matches: Iterable[Match], *, source: str | None = None, score: Scorer | None = None) -> GameLog:
    """The game log of matches, in their order.

    Games are named ``game_0``, ``game_1``, … unless a match's columns have a ``game_id``; repeats of
    the same game under the same conditions are numbered from 1 unless they have a ``repetition``. Messages,
    private texts and references to replies and prompts make columns where any move has them.

    Parameters
    ----------
    source : file or generator that the matches come from
    score : what answers to comprehension questions are understood and scored with; without it the table of
        questions has the answers alone

    Raises
    ------
    GameError
        A match describes more seats than its game has.
    DataError
        A game_id occurs twice.
    """
    import pandas as pd

    from intent.logs.gamelog import GameLog

    games: list[dict[str, Any]] = []
    seats: list[dict[str, Any]] = []
    moves: dict[str, list[Any]] = {name: [] for name in (*_MOVE_COLUMNS, *_TEXT_COLUMNS)}
    answers = question_table()
    repeats: Counter[str] = Counter()
    for i, match in enumerate(matches):
        row = {**_game_row(match, source), **match.columns}
        described = _conditions(match, row)
        repeats[described] += 1
        row.setdefault("repetition", repeats[described])
        row.setdefault("game_id", f"game_{i}")
        games.append(row)
        seats.extend(_seat_rows(match, row["game_id"]))
        _add_moves(match, row["game_id"], moves)
        add_answers(match, row["game_id"], answers, score)
    if any("implementation_error" in row for row in games):
        games = [{"implementation_error": 0.0, **row} for row in games]
    for name in ("value", "decided", *_TEXT_COLUMNS):
        if all(cell is None for cell in moves[name]):
            del moves[name]
    return GameLog(
        pd.DataFrame(
            games, columns=None if games else ["game_id", "n_players", "rounds_played", "repetition"]
        ),
        pd.DataFrame(seats, columns=None if seats else ["game_id", "seat", "focal"]),
        pd.DataFrame(moves),
        pd.DataFrame(answers) if answers["game_id"] else None,
    )


_MOVE_COLUMNS = (
    *("game_id", "round", "step", "seat", "action", "value", "cooperated", "decided", "payoff", "status"),
)
_TEXT_COLUMNS = ("message", "private_thought", "reasoning", "reply", "prompt", "advice", "details")
"""Columns that are left out where no move has any."""


def _game_row(match: Match, source: str | None) -> dict[str, Any]:
    game, horizon = match.game, match.horizon
    return {
        "source": source,
        "game": game.name,
        "payoffs": game.to_json(),
        "payoff_kind": game.kind,
        "cooperative_action": game.cooperative_label,
        "n_players": game.n_players,
        "rounds_planned": horizon.planned,
        "rounds_played": len(match.rounds),
        "horizon_known": horizon.announced_rounds is not None,
        **({} if horizon.continuation is None else {"continuation": horizon.continuation}),
    }


def _conditions(match: Match, row: dict[str, Any]) -> str:
    """All that two repeats have in common, which leaves out what happened and the name."""
    fixed = {name: value for name, value in row.items() if name not in ("game_id", "rounds_played")}
    of_seats = [sorted(seat.items(), key=str) for seat in match.seats]
    return repr((sorted(fixed.items(), key=str), match.horizon, of_seats))


def _seat_rows(match: Match, game_id: str) -> list[dict[str, Any]]:
    n = match.game.n_players
    if len(match.seats) > n:
        raise GameError(f"{game_id}: {len(match.seats)} seats are described, expected at most {n}")
    described = [*match.seats, *({} for _ in range(n - len(match.seats)))]
    return [
        {"focal": True, **columns, "game_id": game_id, "seat": seat}
        for seat, columns in enumerate(described, start=1)
    ]


def _add_moves(match: Match, game_id: str, into: dict[str, list[Any]]) -> None:
    cooperate = [match.game.cooperative_action(seat) for seat in range(1, match.game.n_players + 1)]
    for played in match.rounds:
        for move in played.moves:
            label = cooperate[move.seat - 1]
            into["game_id"].append(game_id)
            into["round"].append(played.number)
            into["step"].append(move.step)
            into["seat"].append(move.seat)
            into["action"].append(move.action)
            into["cooperated"].append(None if move.action is None or label is None else move.action == label)
            into["decided"].append(None if move.decided is None or label is None else move.decided == label)
            into["value"].append(played.values.get(move.seat))
            into["payoff"].append(played.payoffs[move.seat - 1])
            into["status"].append(move.status)
            for name in _TEXT_COLUMNS:
                into[name].append(getattr(move, name))
