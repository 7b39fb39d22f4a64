"""Games of a log played again: what each seat was asked, what it did, and what the round came to.

The course of a game is driven with the actions of the log. Luck (hits, ties) is taken from what the log says
came of it, never from a seed, so that games recorded elsewhere can be replayed, too.
"""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from intent.base.errors import DataError, GameError, shorten
from intent.gamma.records import LoggedMove, MovesByGame, Rounds, course_game

if TYPE_CHECKING:
    from intent.games.game import Course, CourseGame, Facts, RoundOutcome
    from intent.logs.gamelog import GameLog


__all__ = ["ReplayedGame", "ReplayedRound", "each_replayed", "replay", "replayed_games"]


_LUCKS = 2000
"""Draws that are tried for the luck of a round; each of ten tied bidders wins one in ten."""

_CLOSE = 1e-6


@dataclass(frozen=True)
class ReplayedRound:
    """A round that was played again.

    Parameters
    ----------
    number : int
        From 1.
    steps : tuple of tuple of int
        Seats by step.
    questions : mapping of seat -> Facts
        What each seat that moved was shown.
    actions : mapping of seat -> str or None
        Of the seats that moved.
    moves : mapping of seat -> LoggedMove
    outcome : RoundOutcome
    """

    number: int
    steps: tuple[tuple[int, ...], ...]
    questions: Mapping[int, Facts]
    actions: Mapping[int, str | None]
    moves: Mapping[int, LoggedMove]
    outcome: RoundOutcome


@dataclass(frozen=True)
class ReplayedGame:
    """A game of the log: its row in the table of games, the game, its rounds."""

    row: Mapping[str, Any]
    game: CourseGame
    rounds: tuple[ReplayedRound, ...]


def replayed_games(log: GameLog) -> Iterator[ReplayedGame]:
    """As `each_replayed`, with errors raised.

    Raises
    ------
    DataError
        Moves that the game does not allow, or payoffs that no luck explains; the message says in which game
        and round.
    """
    for replayed in each_replayed(log):
        if isinstance(replayed, DataError):
            raise replayed
        yield replayed


def each_replayed(log: GameLog) -> Iterator[ReplayedGame | DataError]:
    """The gamma-bench games of a log, one after the other, with errors in the place of those that cannot be.

    Other games are left out.
    """
    moves = MovesByGame(log)
    for i, row in enumerate(log.games.to_dict("records")):
        try:
            game = course_game(row["payoffs"], row["game"])
            if game is None:
                continue
            named = {str(key): value for key, value in row.items()}
            yield ReplayedGame(named, game, replay(game, moves.rounds(i), str(row["game_id"])))
        except DataError as error:
            yield error
        except GameError as error:
            yield DataError(f"game {shorten(row['game_id'])}: {error}")


def replay(game: CourseGame, rounds: Rounds, name: str) -> tuple[ReplayedRound, ...]:
    """A game's rounds from its moves.

    Parameters
    ----------
    game : CourseGame
    rounds : mapping of round -> seat -> LoggedMove, from round 1 on
    name : str
        Of the game, for messages.

    Raises
    ------
    DataError
        As `replayed_games`.

    Notes
    -----
    Endowments that were drawn are taken as full: what was asked then says more tokens than the seat held.
    """
    luck = np.random.default_rng(0)
    course = _with_full_endowments(game).course(luck)
    replayed: list[ReplayedRound] = []
    for expected, (number, moves) in enumerate(sorted(rounds.items()), start=1):
        where = f"game {shorten(name)} round {number}"
        if number != expected or course.over:
            why = "after the game was over" if course.over else f"expected round {expected}"
            raise DataError(f"{where}: {why}")
        steps = course.steps()
        questions, actions = _questions(game, course, steps, moves, where)
        course, luck, outcome = _completed(course, luck, actions, moves, where)
        replayed.append(ReplayedRound(number, steps, questions, actions, dict(moves), outcome))
    return tuple(replayed)


def _with_full_endowments(game: CourseGame) -> CourseGame:
    """A public goods game without drawn endowments, which no log tells; payoffs do not depend on them."""
    if getattr(game, "least", None) is None:
        return game
    return dataclasses.replace(game, least=None)  # type: ignore[type-var]


def _questions(
    game: CourseGame,
    course: Course,
    steps: tuple[tuple[int, ...], ...],
    moves: Mapping[int, LoggedMove],
    where: str,
) -> tuple[dict[int, Facts], dict[int, str | None]]:
    """What each seat was shown, and its action."""
    questions: dict[int, Facts] = {}
    actions: dict[int, str | None] = {}
    movers = {seat for step in steps for seat in step}
    stranger = next((seat for seat in moves if seat not in movers), None)
    if stranger is not None:
        raise DataError(f"{where}: seat {stranger} moved, expected of {', '.join(map(str, sorted(movers)))}")
    for step in steps:
        earlier = dict(actions)
        for seat in step:
            questions[seat] = course.question(seat, earlier)
            action = moves[seat].action if seat in moves else None
            try:
                actions[seat] = None if action is None else game.read(action, seat, questions[seat])
            except GameError as error:
                raise DataError(f"{where}: seat {seat}: {error}") from None
    return questions, actions


def _completed(
    course: Course,
    luck: np.random.Generator,
    actions: Mapping[int, str | None],
    moves: Mapping[int, LoggedMove],
    where: str,
) -> tuple[Course, np.random.Generator, RoundOutcome]:
    """The course after the round, with luck under which values and payoffs are those of the log.

    A copy of the course shares nothing with it and draws from its own generator, so that it can be tried.
    """
    for seed in range(_LUCKS):
        fresh = np.random.default_rng(seed)
        trial = copy.deepcopy(course, {id(luck): fresh})
        outcome = trial.complete(actions)
        if _as_logged(outcome, moves):
            return trial, fresh, outcome
    got = {seat: move.payoff for seat, move in moves.items() if not math.isnan(move.payoff)}
    raise DataError(f"{where}: payoffs {shorten(got)} do not follow from the moves")


def _as_logged(outcome: RoundOutcome, moves: Mapping[int, LoggedMove]) -> bool:
    for seat, move in moves.items():
        value, payoff = outcome.values.get(seat), outcome.payoffs[seat - 1]
        for got, logged in ((value, move.value), (payoff, move.payoff)):
            if got is None or math.isnan(logged):
                continue
            if not math.isclose(got, logged, rel_tol=_CLOSE, abs_tol=_CLOSE):
                return False
    return True
