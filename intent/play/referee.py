"""The one copy of the rules: whose turn it is, what a round pays, when the match is over. No I/O."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypedDict, Unpack, get_args

import numpy as np

from intent.base.errors import GameError, shorten
from intent.games.game import Course, CourseGame, Facts, Game, has_course
from intent.play.match import Communication, Horizon, Match, Move, MoveStatus, Past, Phase, Round, View
from intent.play.players import Player

__all__ = ["Referee", "play"]


_STATUSES: tuple[str, ...] = get_args(MoveStatus)


class Record(TypedDict, total=False):
    """What is recorded with a move (`Move`), and no view holds."""

    private_thought: str | None
    reasoning: str | None
    reply: str | None
    prompt: str | None
    advice: str | None
    details: str | None


class Referee:
    """Steps a repeated game; synchronous and asynchronous drivers only carry moves to it.

    Until `over`: each seat of `pending` gets its `view`; in the phase ``message`` its message is given to
    `speak`, in the phase ``choose`` its move to `submit`, in any order among those who are pending. When
    the last step of a round is complete, the payoffs are added and the next round begins, unless the
    rounds are used up, the joint action is one that stops the match, or `finish` was called. The
    stopping round is recorded. In a `CourseGame` the course says who moves, what each is shown and may play,
    what a round pays, and when the match is over before its time.

    Parameters
    ----------
    game : Game or CourseGame
    stop : iterable of joint actions (labels by seat)
        The match ends after a round with one of them.
    order : sequence of steps, each a sequence of seats, optional
        Who moves in which step of a round; every seat once. By default all move at once. Not for a
        CourseGame.
    communication : {"none", "sequential", "simultaneous"}
        Whether each round begins with a message of every seat: in seat order, seen by those who speak
        later and by all who choose (FAIRGAME's), or at once, seen by all who choose.
    rng : draws the length of the match and the chances of a course; needed for these only
    implementation_error : float in [0, .5)
        Probability that a seat's move is played as the opposite of what was submitted, drawn for every seat
        and round. Payoffs, views, the stop rule and the record follow what was played; the record also has
        what was decided. Only in games of two actions.
    errors : draws these errors; needed where there can be any

    Raises
    ------
    GameError
        A stop rule that is no joint action of the game, an order that leaves out or repeats a seat,
        another communication, a continuation probability or a course without `rng`; a stop rule, an order or
        messages in a CourseGame; an implementation error outside [0, .5), without `errors`, or in a game of
        other than two actions.

    References
    ----------
    Buscemi et al. 2025, arXiv:2504.14325 (messages in turn before each choice); Fudenberg, Rand & Dreber
    2012, AER 102:720 (implementation errors).
    """

    def __init__(
        self,
        game: Game,
        horizon: Horizon,
        *,
        stop: Iterable[Sequence[str]] = (),
        order: Sequence[Sequence[int]] | None = None,
        communication: Communication = "none",
        rng: np.random.Generator | None = None,
        implementation_error: float = 0.0,
        errors: np.random.Generator | None = None,
    ) -> None:
        self.game = game
        self.horizon = horizon
        self.communication = communication
        if communication not in get_args(Communication):
            known = ", ".join(get_args(Communication))
            raise GameError(f"communication {shorten(communication)!r}, expected one of {known}")
        self._stop = frozenset(tuple(joint) for joint in stop)
        self._rules = game if has_course(game) else None
        if self._rules is None:
            for joint in self._stop:
                game.payoff(joint)
        seats = tuple(range(1, game.n_players + 1))
        self._order = (seats,) if order is None else tuple(tuple(step) for step in order)
        if sorted(seat for step in self._order for seat in step) != list(seats) or not all(self._order):
            raise GameError(f"order of moves {shorten(order)}, expected every seat 1 to {len(seats)} once")
        self._length = horizon.length(rng)
        self._course: Course | None = None
        self._steps = self._order
        if self._rules is not None:
            alone = not self._stop and order is None and communication == "none"
            self._course = _course(self._rules, rng, alone)
            self._steps = self._course.steps()
        self._seats = seats
        self._error = _error_rate(game, implementation_error, errors)
        self._errors = errors
        self._round_messages: dict[int, str | None] = {}
        self._moves: dict[int, Move] = {}
        self._flipped: frozenset[int] = frozenset()
        self._begin_round()
        self._rounds: list[Round] = []
        self._over = self._last = False
        self._actions: tuple[list[str | None], ...] = tuple([] for _ in seats)
        self._payoffs: tuple[list[float | None], ...] = tuple([] for _ in seats)
        self._messages: tuple[list[str | None], ...] = tuple([] for _ in seats)
        self._reports: tuple[list[Facts | None], ...] = tuple([] for _ in seats)
        self._hidden: list[Any] = []
        self._look_back()

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self._over

    @property
    def record(self) -> tuple[Round, ...]:
        """The completed rounds."""
        return tuple(self._rounds)

    @property
    def phase(self) -> Phase:
        """What is asked of `pending`: a message or a move."""
        speaking = (
            self.communication != "none" and len(self._round_messages) < len(self._seats) and not self._over
        )
        return "message" if speaking else "choose"

    def pending(self) -> tuple[int, ...]:
        """The seats whose message or move is awaited, none when the match is over."""
        if self._over:
            return ()
        if self.phase == "message":
            silent = tuple(seat for seat in self._seats if seat not in self._round_messages)
            return silent[:1] if self.communication == "sequential" else silent
        return tuple(self._waiting)

    def view(self, seat: int) -> View:
        """What a seat sees now: the past, what was said, and earlier steps, not what others just chose.

        Raises
        ------
        GameError
            No such seat.
        """
        if not 1 <= seat <= self.game.n_players:
            raise GameError(f"seat {seat}, expected 1 to {self.game.n_players}")
        course, played = self._course, len(self._rounds)
        return View(
            game=self.game,
            seat=seat,
            round=played + (not self._over),
            horizon=self.horizon.announced_rounds,
            continuation=self.horizon.continuation if self.horizon.known else None,
            actions_by_seat=self._seen_by(seat, self._past_actions),
            payoffs_by_seat=self._seen_by(seat, self._past_payoffs),
            messages_by_seat=self._past_messages,
            earlier=tuple(self._earlier.items()),
            phase=self.phase,
            messages=self._heard_by(seat) if self._round_messages else (),
            question=self._facts(seat) if course is not None and seat in self.pending() else {},
            reports=() if course is None else Past(self._reports[seat - 1], played),
            implementation_error=self._error,
        )

    def speak(self, seat: int, text: str | None) -> None:
        """Take a seat's message of this round's message phase.

        Parameters
        ----------
        seat : one of `pending`
        text : public; None stays silent

        Raises
        ------
        GameError
            It is not the time for messages, or not the seat's turn.
        """
        self._check_turn(seat, "message")
        self._round_messages[seat] = text

    def submit(
        self,
        seat: int,
        action: str | None,
        status: MoveStatus = "parsed",
        message: str | None = None,
        **record: Unpack[Record],
    ) -> None:
        """Take a seat's move.

        Parameters
        ----------
        seat : one of `pending`
        action : a label of the game; None exactly where the status is missing
        status : {"parsed", "defaulted", "missing"}
            Whether the player chose it, a default replaced an unreadable reply, or nothing came.
        message : public text that goes with the move, in matches without a message phase
        **record : as `Record`

        Raises
        ------
        GameError
            It is not the seat's turn, the action is none of the game's, or does not fit the status, or a
            message comes with the move although there was a message phase.
        """
        self._check_turn(seat, "choose")
        self._check_move(seat, action, status, message)
        public = message if self.communication == "none" else self._round_messages[seat]
        self._moves[seat] = Move(
            *(seat, self._step + 1, self._carried_out(seat, action), status, public),
            decided=action if self._error else None,
            **record,
        )
        del self._waiting[seat]
        if self._waiting:
            return
        if self._step + 1 < len(self._steps):
            self._begin_step(self._step + 1)
        else:
            self._complete_round()

    def finish(self) -> None:
        """End the match: at once, or after the round in progress if anybody spoke or moved in it."""
        self._last = True
        self._over = self._over or not (self._round_messages or self._moves)

    def _where(self, seat: int) -> str:
        return f"round {len(self._rounds) + 1}, seat {seat}"

    def _check_turn(self, seat: int, phase: Phase) -> None:
        what = {"message": "message", "choose": "move"}
        if self._over:
            raise GameError(
                f"seat {seat}: the match is over after {len(self._rounds)} rounds, expected no {what[phase]}"
            )
        if phase != self.phase or seat not in self.pending():
            waiting = ", ".join(str(s) for s in self.pending())
            turn = "not this seat's turn" if phase == self.phase else f"not the time for a {what[phase]}"
            raise GameError(f"{self._where(seat)}: {turn}, expected a {what[self.phase]} of seat {waiting}")

    def _check_move(self, seat: int, action: str | None, status: str, message: str | None) -> None:
        if status not in _STATUSES:
            where = self._where(seat)
            raise GameError(f"{where}: status {shorten(status)!r}, expected {', '.join(_STATUSES)}")
        if status == "missing":
            if action is not None:
                where = self._where(seat)
                raise GameError(f"{where}: action {shorten(action)!r} of a missing move, expected none")
        elif self._course is not None:
            self._check_answer(seat, action)
        elif action not in self.game.actions:
            known = ", ".join(self.game.actions)
            raise GameError(f"{self._where(seat)}: action {shorten(action)!r} is not one of {known}")
        if message is not None and self.communication != "none":
            raise GameError(f"{self._where(seat)}: a message with the move, expected it in the message phase")

    def _facts(self, seat: int) -> Facts:
        """What the course shows a seat that is to move."""
        assert self._course is not None
        return self._course.question(seat, self._earlier)

    def _begin_round(self) -> None:
        """Draw whose moves will be played otherwise than decided, and begin the first step."""
        if self._error and self._errors is not None:
            drawn = self._errors.random(len(self._seats)) < self._error
            self._flipped = frozenset(
                s for s, flips in zip(self._seats, drawn.tolist(), strict=True) if flips
            )
        self._begin_step(0)

    def _carried_out(self, seat: int, action: str | None) -> str | None:
        """What is played of what a seat decided."""
        if action is None or seat not in self._flipped:
            return action
        first, second = self.game.actions
        return second if action == first else first

    def _begin_step(self, step: int) -> None:
        """Who is to move now, and what was done in earlier steps of the round."""
        self._step = step
        before = [seat for earlier in self._steps[:step] for seat in earlier]
        self._earlier = {seat: self._moves[seat].action for seat in before}
        self._waiting = dict.fromkeys(self._steps[step])

    def _heard_by(self, seat: int) -> tuple[tuple[int, str | None], ...]:
        """The messages of this round, or the own one alone while all speak at once."""
        hidden = self.phase == "message" and self.communication == "simultaneous"
        return tuple(
            (s, self._round_messages[s]) for s in sorted(self._round_messages) if s == seat or not hidden
        )

    def _seen_by(self, seat: int, past: tuple[Past[Any], ...]) -> tuple[Past[Any], ...]:
        """The past of all seats, or the own one alone where the game hides what others did."""
        if self._rules is None or self._rules.open:
            return past
        return (*self._nothing[: seat - 1], past[seat - 1], *self._nothing[seat:])

    def _check_answer(self, seat: int, action: object) -> None:
        """Refuse what the seat may not play now, or spells otherwise than the log does."""
        assert self._rules is not None
        try:
            read = self._rules.read(action, seat, self._facts(seat))
        except GameError as error:
            raise GameError(f"{self._where(seat)}: {error}") from None
        if read != action:
            raise GameError(f"{self._where(seat)}: action {shorten(action)!r}, expected it as {read!r}")

    def _complete_round(self) -> None:
        moves = tuple(self._moves[seat] for seat in sorted(self._moves))
        known = [move.action for move in moves if move.action is not None]
        payoffs: tuple[float | None, ...]
        values: Mapping[int, float | None] = {}
        if self._course is not None:
            outcome = self._course.complete({move.seat: move.action for move in moves})
            payoffs, values = outcome.payoffs, outcome.values
            for seat, history in zip(self._seats, self._reports, strict=True):
                history.append(outcome.reports.get(seat))
            self._hidden.append(None)
        elif len(known) == len(moves):
            payoffs = self.game.payoff(known)
        else:
            payoffs = (None,) * len(moves)
        self._rounds.append(Round(len(self._rounds) + 1, moves, payoffs, values))
        for seat in self._seats:
            move = self._moves.get(seat)
            self._actions[seat - 1].append(None if move is None else move.action)
            self._payoffs[seat - 1].append(payoffs[seat - 1])
            self._messages[seat - 1].append(None if move is None else move.message)
        self._look_back()
        self._round_messages, self._moves = {}, {}
        self._over = self._last or len(self._rounds) >= self._length or tuple(known) in self._stop
        if self._course is not None and not self._over:
            self._over = self._course.over
            self._steps = self._order if self._over else self._course.steps()
        self._begin_round()

    def _look_back(self) -> None:
        """The past that all views of the next round share."""
        played = len(self._rounds)
        self._past_actions = tuple([Past(row, played) for row in self._actions])
        self._past_payoffs = tuple([Past(row, played) for row in self._payoffs])
        self._past_messages = tuple([Past(row, played) for row in self._messages])
        self._nothing = (Past(self._hidden, played),) * len(self._seats)


def _error_rate(game: Game, error: float, errors: np.random.Generator | None) -> float:
    """The implementation error, once it is sure that there can be one."""
    if not 0 <= error < 0.5:
        raise GameError(f"implementation_error {error}, expected a probability in [0, .5)")
    if error and errors is None:
        raise GameError("an implementation error needs errors, a generator that draws it")
    if error and (has_course(game) or len(game.actions) != 2):
        raise GameError(f"{game.name}: an implementation error, expected it in games of two actions only")
    return float(error)


def _course(game: CourseGame, rng: np.random.Generator | None, alone: bool) -> Course:
    """A new course, which has no other rules beside it."""
    if not alone:
        raise GameError(
            f"{game.name}: a stop rule, an order of moves or messages, expected none: its own course decides"
        )
    if rng is None:
        raise GameError(f"{game.name} needs rng, which draws its chances")
    return game.course(rng)


def play(
    game: Game,
    players: Sequence[Player],
    horizon: Horizon,
    rng: np.random.Generator,
    *,
    stop: Iterable[Sequence[str]] = (),
    order: Sequence[Sequence[int]] | None = None,
    communication: Communication = "none",
    implementation_error: float = 0.0,
    columns: Mapping[str, Any] | None = None,
) -> Match:
    """Play one match.

    Every seat and the horizon get a stream of their own, spawned from `rng`, so that the draws of one
    player do not depend on who else draws. In a message phase, players without ``speak(view, rng)`` stay
    silent.

    Parameters
    ----------
    players : sequence of Player, by seat
    rng : numpy Generator
    stop, order, communication, implementation_error
        As for `Referee`; errors have a stream of their own.
    columns : what the log's games table is to say of the match

    Raises
    ------
    GameError
        Not one player per seat, or a move that breaks the rules.
    """
    if len(players) != game.n_players:
        raise GameError(f"{game.name}: {len(players)} players, expected {game.n_players}")
    of_horizon, *of_seat = rng.spawn(1 + len(players))
    referee = Referee(
        game,
        horizon,
        stop=stop,
        order=order,
        communication=communication,
        rng=of_horizon,
        implementation_error=implementation_error,
        errors=rng.spawn(1)[0] if implementation_error else None,
    )
    while not referee.over:
        speaking = referee.phase == "message"
        for seat in referee.pending():
            player, view, draws = players[seat - 1], referee.view(seat), of_seat[seat - 1]
            if speaking:
                speak: Callable[[View, np.random.Generator], str | None] | None
                speak = getattr(player, "speak", None)
                referee.speak(seat, None if speak is None else speak(view, draws))
            else:
                action = player.act(view, draws)
                referee.submit(seat, action, "missing" if action is None else "parsed")
    seats = tuple(dict(getattr(player, "columns", {})) for player in players)
    errors = {"implementation_error": implementation_error} if implementation_error else {}
    return Match(game, horizon, referee.record, seats, {**errors, **(columns or {})})
