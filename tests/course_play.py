"""Plays the course of a game from a table of actions or a policy, without the referee."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from intent.games.game import Course, CourseGame, Facts, RoundOutcome

Policy = Callable[[int, Facts, Facts | None, np.random.Generator], str | None]
"""(seat, asked, told of the last round or None, rng) -> action, None for a missing move."""


@dataclass(frozen=True)
class PlayedRound:
    """A round: what the seats that moved were asked, what they did, what it came to."""

    steps: tuple[tuple[int, ...], ...]
    questions: Mapping[int, Facts]
    actions: Mapping[int, str | None]
    outcome: RoundOutcome


def play_table(
    game: CourseGame, rounds: Iterable[Sequence[object] | Mapping[int, object]], seed: int = 0
) -> list[PlayedRound]:
    """Plays rounds written as answers by seat (a sequence, or seat -> answer); None is a missing move.

    Answers are read as the rules read a player's, so numbers may be numbers. Seats that are not to move are
    ignored. Stops when the course is over.
    """
    course, played = game.course(np.random.default_rng(seed)), []
    for row in rounds:
        if course.over:
            break
        answers = row if isinstance(row, Mapping) else dict(enumerate(row, start=1))
        played.append(play_round(game, course, lambda seat, asked, a=answers: a.get(seat)))
    return played


def play_policy(
    game: CourseGame, policy: Policy, rounds: int, seed: int = 0, course: Course | None = None
) -> list[PlayedRound]:
    """Plays up to `rounds` rounds by a policy for all seats; `seed` serves both luck and policy."""
    luck, own = np.random.default_rng(seed).spawn(2)
    course = game.course(luck) if course is None else course
    played: list[PlayedRound] = []
    while not course.over and len(played) < rounds:
        last = played[-1].outcome.reports if played else {}
        played.append(
            play_round(game, course, lambda seat, asked, t=last: policy(seat, asked, t.get(seat), own))
        )
    return played


def play_round(
    game: CourseGame, course: Course, answer: Callable[[int, Facts], object | None]
) -> PlayedRound:
    """One round, step by step; illegal answers raise `GameError`."""
    steps = course.steps()
    asked: dict[int, Facts] = {}
    actions: dict[int, str | None] = {}
    for step in steps:
        earlier = dict(actions)
        for seat in step:
            asked[seat] = course.question(seat, earlier)
            given = answer(seat, asked[seat])
            actions[seat] = None if given is None else game.read(given, seat, asked[seat])
    return PlayedRound(steps, asked, actions, course.complete(actions))


def equilibrium_policy(game: CourseGame) -> Policy:
    """Everybody plays the equilibrium."""
    return lambda seat, asked, told, rng: game.equilibrium(seat, asked, rng)


def random_policy(game: CourseGame) -> Policy:
    """Uniform over what may be played; where that cannot be listed, the equilibrium."""

    def choose(seat: int, asked: Facts, told: Facts | None, rng: np.random.Generator) -> str:
        legal = game.legal(seat, asked)
        if legal is None:
            return game.equilibrium(seat, asked, rng)
        return legal[int(rng.integers(len(legal)))]

    return choose
