"""A gamma-bench game under another surface: the same strategy, other words and numbers.

A model that has read about the guessing game answers 0 from memory; in the isomorphic game it has to find
100. Every action of a `Relabelled` game stands for one of the inner game, which decides what it pays.

A match of a gamma-bench game under another surface.

Other surfaces of the eight games: names of actions, numbers that are turned round, fields of answers.

Each leaves the game what it is: labels are renamed one to one, and numbers x are told as c - x, so that
payoffs, best replies and equilibria map to each other exactly. The words are among
the texts of `intent.gamma.templates`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from intent.base.errors import GameError, shorten
from intent.games.game import Course, CourseGame, Facts, RoundOutcome, course_from_json
from intent.gamma.catalogue import GAMMA_GAMES, ByGame, bench_game
from intent.gamma.game import Moves, Story, one_of, whole_number

if TYPE_CHECKING:
    import numpy as np

    from intent.games.game import PayoffKind


__all__ = [
    "FIELDS",
    "RELABELLED",
    "SPELLINGS",
    "STORIES",
    "Relabelled",
    "relabelled",
    "relabelled_from_rules",
]


class _StoryCourse:
    """A course of the inner game whose facts and moves are those of the story."""

    def __init__(self, game: Relabelled, inner: Course) -> None:
        self._game, self._inner = game, inner

    @property
    def over(self) -> bool:
        """As the inner one."""
        return self._inner.over

    def steps(self) -> tuple[tuple[int, ...], ...]:
        """As the inner one."""
        return self._inner.steps()

    def question(self, seat: int, earlier: Moves) -> Facts:
        """What the inner one asks, in the words of the story."""
        return self._game.outer_facts(self._inner.question(seat, self._game.inner_moves(earlier)))

    def complete(self, actions: Moves) -> RoundOutcome:
        """What the moves stand for comes to, in the words of the story."""
        outcome = self._inner.complete(self._game.inner_moves(actions))
        values, reports = dict(outcome.values), outcome.reports
        if (centre := self._game.centre) is not None:
            values = {seat: None if value is None else centre - value for seat, value in values.items()}
        facts = {seat: self._game.outer_facts(known) for seat, known in reports.items()}
        return replace(outcome, values=values, reports=facts)


def _outer_reason(error: Exception, key: str, outer_key: str) -> str:
    """Why an answer was refused, with the story's field in place of the game's at the beginning.

    Examples
    --------
    >>> _outer_reason(ValueError("bid '7', expected a whole number from 0 to 5"), "bid_amount", "litres")
    "litres '7', expected a whole number from 0 to 5"
    """
    what, _, why = str(error).partition(" ")
    return f"{outer_key} {why}" if what in key.split("_") else str(error)


STORIES: Mapping[str, Story] = ByGame(lambda row: row.story)
"""Game -> its story."""

FIELDS = tuple(
    dict.fromkeys(key for name in GAMMA_GAMES for keys in bench_game(name).story.keys for key in keys)
)
"""Fields of answers: those of the eight games, and of their stories."""

SPELLINGS = {key: words for name in GAMMA_GAMES for key, words in bench_game(name).spellings.items()}
"""Key of an answer -> what models call the field instead."""

RELABELLED = "relabelled"
"""What ``rules`` says in the JSON of such a game."""


def relabelled(game: CourseGame) -> Relabelled:
    """The game in its story (`intent.gamma.stories.STORIES`).

    Raises
    ------
    GameError
        A game without a story, or parameters under which its numbers cannot be turned round: tokens that are
        carried over or drawn, bids without an upper end.

    Examples
    --------
    >>> from intent.gamma.catalogue import gamma_game
    >>> told = relabelled(gamma_game("guessing"))
    >>> told.name, told.read("100", 1, {}), told.inner_action("100")
    ('guessing_dials', '100', '0')
    """
    return Relabelled(game)


def relabelled_from_rules(table: Mapping[str, Any], name: str) -> Relabelled:
    """The game in another story, from its parsed object without ``rules``.

    Raises
    ------
    GameError
        The object is none of `Relabelled.to_json`.
    """
    inner = table.get("game")
    if set(table) != {"n_players", "story", "game"} or not isinstance(inner, dict):
        raise GameError(f"{name}: keys {shorten(sorted(table))}, expected rules, n_players, story, game")
    if inner.get("rules") == RELABELLED:
        raise GameError(f"{name}: a relabelled game in a relabelled game, expected one of the eight")
    game = Relabelled(course_from_json(json.dumps(inner), name))
    if (table["story"], table["n_players"]) != (game.story.name, game.n_players):
        raise GameError(
            f"{name}: story {shorten(table['story'])!r} of {shorten(table['n_players'])} players, expected "
            f"{game.story.name!r} of {game.n_players}"
        )
    return game


@dataclass(frozen=True)
class Relabelled:
    """A `CourseGame` whose actions stand one to one for those of another.

    Payoffs are those of the inner game. Facts have its names; labels and numbers in them are the story's.

    Parameters
    ----------
    inner : CourseGame
        One of the eight, not itself relabelled.

    Raises
    ------
    GameError
        As `relabelled`.
    """

    inner: CourseGame

    def __post_init__(self) -> None:
        if isinstance(self.inner, Relabelled) or self.inner.name not in STORIES:
            raise GameError(f"{shorten(self.inner.name)}: no story, expected one of {', '.join(STORIES)}")
        if self.story.mirrored == "tokens":
            facts = self.inner.facts()
            if not facts["reset"] or getattr(self.inner, "least", None) is not None:
                raise GameError(
                    f"{self.inner.name}: tokens are carried over or drawn, expected the same in every "
                    "round to tell what is kept"
                )
        if getattr(self.inner, "overbid", False):
            raise GameError(
                f"{self.inner.name}: bids above the valuation have no ask, expected overbid: false"
            )

    @property
    def story(self) -> Story:
        """What it is told as."""
        return STORIES[self.inner.name]

    @property
    def name(self) -> str:
        """``guessing_dials``: the game and its story."""
        return f"{self.inner.name}_{self.story.name}"

    @property
    def n_players(self) -> int:
        return self.inner.n_players

    @property
    def kind(self) -> PayoffKind:
        return self.inner.kind

    @property
    def open(self) -> bool:
        """As the inner game."""
        return self.inner.open

    @property
    def actions(self) -> tuple[str, ...]:
        """Labels of the story, none where the inner game lists none."""
        return tuple(map(self.outer_action, self.inner.actions))

    @property
    def cooperative_label(self) -> str | None:
        """The name of the inner game's."""
        label = self.inner.cooperative_label
        return None if label is None else self.outer_action(label)

    def cooperative_action(self, seat: int) -> str | None:
        """See `Game.cooperative_action`."""
        action = self.inner.cooperative_action(seat)
        return None if action is None else self.outer_action(action)

    def payoff(self, actions: Sequence[str]) -> tuple[float, ...]:
        """Those of the inner game, for what the actions stand for."""
        return self.inner.payoff([self.inner_action(action) for action in actions])

    def to_json(self) -> str:
        """``{"rules": "relabelled", "n_players": …, "story": …, "game": {…}}``."""
        table = {
            "rules": RELABELLED,
            "n_players": self.n_players,
            "story": self.story.name,
            "game": json.loads(self.inner.to_json()),
        }
        return json.dumps(table, ensure_ascii=False, separators=(",", ":"))

    @cached_property
    def centre(self) -> int | None:
        """The c of c - x; None where numbers are told as they are."""
        facts = self.inner.facts()
        if not self.story.mirrored:
            return None
        if self.story.mirrored == "ends":
            return _whole(facts["low"]) + _whole(facts["high"])
        return _whole(facts[self.story.mirrored])

    def inner_action(self, action: str) -> str:
        """The action of the inner game that one of the story stands for."""
        if self.centre is not None:
            return str(self.centre - int(action))
        return self._ours.get(action, action)

    def outer_action(self, action: str) -> str:
        """What an action of the inner game is called in the story."""
        if self.centre is not None:
            return str(self.centre - int(action))
        return self._outer.get(action, action)

    def outer_facts(self, facts: Facts) -> Facts:
        """Facts of the inner game in the words and numbers of the story."""
        return self._facts(facts, self._outer)

    def inner_facts(self, facts: Facts) -> Facts:
        """The opposite of `outer_facts`."""
        return self._facts(facts, self._ours)

    def _facts(self, facts: Facts, labels: Mapping[str, str]) -> Facts:
        translated = dict(facts)
        own = translated.get("own")
        if isinstance(own, str):
            translated["own"] = labels.get(own, own)
        if self.centre is not None:
            translated |= {
                what: _turned(translated[what], self.centre)
                for what in self.story.numbers
                if what in translated
            }
        return translated

    def course(self, rng: np.random.Generator) -> Course:
        """A match of the inner game, told as the story."""
        return _StoryCourse(self, self.inner.course(rng))

    def facts(self) -> Facts:
        """Those of the inner game, and ``centre``, what numbers are told from."""
        rules = dict(self.inner.facts())
        return rules if self.centre is None else {**rules, "centre": self.centre}

    def key(self, question: Facts) -> str:
        """The field of the story."""
        return dict(self.story.keys)[self.inner.key(self.inner_facts(question))]

    def read(self, value: object, seat: int, question: Facts) -> str:
        """An answer in the story's labels or numbers."""
        inside = self.inner_facts(question)
        labels = self._labels(seat, inside)
        if labels:
            return one_of(value, labels, self.key(question))
        if self.centre is None:
            try:
                return self.inner.read(value, seat, inside)
            except GameError as error:
                raise GameError(_outer_reason(error, self.inner.key(inside), self.key(question))) from None
        legal = self.inner.legal(seat, inside)
        ends = (int(legal[0]), int(legal[-1])) if legal else (0, self.centre)
        what = self.key(question).replace("_", " ")
        action = str(whole_number(value, what, self.centre - ends[1], self.centre - ends[0]))
        try:
            self.inner.read(self.inner_action(action), seat, inside)
        except GameError:
            raise GameError(f"{what} {action}, expected what is possible now") from None
        return action

    def legal(self, seat: int, question: Facts) -> tuple[str, ...] | None:
        """The names of what the inner game allows, in its order: equal draws choose what is the same."""
        legal = self.inner.legal(seat, self.inner_facts(question))
        return None if legal is None else tuple(map(self.outer_action, legal))

    def equilibrium(self, seat: int, question: Facts, rng: np.random.Generator) -> str:
        """That of the inner game."""
        return self.outer_action(self.inner.equilibrium(seat, self.inner_facts(question), rng))

    def best_reply(self, seat: int, last: Facts | None, question: Facts, rng: np.random.Generator) -> str:
        """That of the inner game."""
        inside = None if last is None else self.inner_facts(last)
        return self.outer_action(self.inner.best_reply(seat, inside, self.inner_facts(question), rng))

    def gains(self, seat: int, others: Moves, question: Facts, actions: tuple[str, ...]) -> tuple[float, ...]:
        """Those of the inner game."""
        stand_for = tuple(map(self.inner_action, actions))
        return self.inner.gains(seat, self.inner_moves(others), self.inner_facts(question), stand_for)

    def best(self, seat: int, others: Moves, question: Facts) -> tuple[str, float]:
        """That of the inner game."""
        action, gain = self.inner.best(seat, self.inner_moves(others), self.inner_facts(question))
        return self.outer_action(action), gain

    def inner_moves(self, moves: Moves) -> dict[int, str | None]:
        """What moves stand for, by seat."""
        return {seat: None if a is None else self.inner_action(a) for seat, a in moves.items()}

    @cached_property
    def _outer(self) -> dict[str, str]:
        return dict(self.story.labels)

    @cached_property
    def _ours(self) -> dict[str, str]:
        return {outer: ours for ours, outer in self.story.labels}

    def _labels(self, seat: int, inside: Facts) -> tuple[str, ...]:
        """What may be answered, where answers are labels of the story."""
        if not self._outer:
            return ()
        legal = self.inner.legal(seat, inside) or ()
        return tuple(map(self.outer_action, legal)) if any(a in self._outer for a in legal) else ()


def _turned(fact: object, centre: int) -> object:
    if isinstance(fact, tuple):
        return tuple(_turned(each, centre) for each in fact)
    return centre - fact if isinstance(fact, int | float) and not isinstance(fact, bool) else fact


def _whole(fact: object) -> int:
    if isinstance(fact, bool) or not isinstance(fact, int):
        raise GameError(f"parameter {shorten(fact)}, expected a whole number to turn numbers round by")
    return fact
