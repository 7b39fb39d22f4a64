"""Scripted players of games whose rules depend on the past: constants, cycles, equilibrium, best replies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np

from intent.agents.agent import ScriptedSeat
from intent.agents.plan import (
    BEST_REPLY,
    CONSTANT,
    CYCLE,
    EQUILIBRIUM,
    RANDOM,
    SEQUENCE,
    TABLE_PLAYERS,
    GamePlan,
    PlayerName,
    parse_player,
    seat_columns,
)
from intent.agents.table.seats import opening
from intent.base.errors import GameError, UsageError, shorten
from intent.games.game import CourseGame, Facts
from intent.play.match import View

__all__ = ["MOST", "ScriptedTableAgent", "extent", "legal_near", "scripted_table_player", "uniform_action"]


MOST = 2**53
"""Whole numbers are looked for up to here."""


def uniform_action(game: CourseGame, seat: int, facts: Facts, rng: np.random.Generator) -> str:
    """A legal action, each as likely as the others.

    1. Of actions that the game lists, one.
    2. A proposal is a uniform composition: of the C(gold + k - 1, k - 1) ways to share `gold` among the k
       that are left, each as likely (stars and bars: k - 1 bars at distinct places of gold + k - 1).
    3. Else a whole number between the smallest and the largest that are legal.

    Raises
    ------
    GameError
        Actions that are none of these.
    """
    listed = game.legal(seat, facts)
    if listed is not None:
        return listed[int(rng.integers(len(listed)))]
    if facts.get("role") == "propose":
        gold, n = _whole(game.facts()["gold"]), len(cast("tuple[Any, ...]", facts["left"]))
        bars = np.sort(rng.choice(gold + n - 1, size=n - 1, replace=False))
        shares = np.diff(np.concatenate(([-1], bars, [gold + n - 1]))) - 1
        return ",".join(str(share) for share in shares)
    low, high = extent(game, seat, facts, rng)
    return str(int(rng.integers(low, high + 1)))


def extent(game: CourseGame, seat: int, facts: Facts, rng: np.random.Generator) -> tuple[int, int]:
    """The smallest and the largest legal whole number, of games whose legal numbers have no gaps.

    Found by doubling steps from what equilibrium plays.

    Raises
    ------
    GameError
        That is no whole number.
    """
    start = game.equilibrium(seat, facts, rng)
    try:
        at = int(start)
    except ValueError:
        raise GameError(
            f"{game.name}: actions such as {start!r} cannot be listed, expected numbers"
        ) from None

    def farthest(sign: int) -> int:
        number, step = at, 1
        while step and abs(number) <= MOST:
            further = number + sign * step
            try:
                game.read(further, seat, facts)
            except GameError:
                if step == 1:
                    break
                step = 1
            else:
                number, step = further, 2 * step
        return number

    return farthest(-1), farthest(1)


def _whole(value: object) -> int:
    assert isinstance(value, int)
    return value


Rule = Callable[[View, Facts, np.random.Generator], str]


class ScriptedTableAgent(ScriptedSeat):
    """Plays `scripted_table_player`; never asks anything, never speaks.

    Raises
    ------
    UsageError, GameError
        As `scripted_table_player`.
    """

    def __init__(self, plan: GamePlan, seat: int) -> None:
        mine, game = plan.seats[seat - 1], plan.stage()
        name = parse_player(mine.player, mine.own)
        assert isinstance(game, CourseGame)
        noise = {"eps": name.eps} if name.eps else {}
        columns = {**seat_columns(mine), "architecture": "scripted", "strategy": name.name, **noise}
        super().__init__(scripted_table_player(name, game, seat), columns)


class TablePlayer:
    """Follows a rule; depends on nothing but the view and the generator.

    Parameters
    ----------
    rule : from view, what is asked, and generator to a legal action
    """

    def __init__(self, name: PlayerName, rule: Rule) -> None:
        self.name, self._rule = name, rule

    @property
    def columns(self) -> dict[str, object]:
        """The name of the strategy."""
        return {"strategy": self.name.name}

    def act(self, view: View, rng: np.random.Generator) -> str:
        """The rule's action, or with probability eps a uniform legal one, the rule's own among them."""
        facts = view.question
        if self.name.eps and rng.random() < self.name.eps:
            return uniform_action(_course(view), view.seat, facts, rng)
        return self._rule(view, facts, rng)


def scripted_table_player(name: PlayerName, game: CourseGame, seat: int) -> TablePlayer:
    """The synchronous player of a name.

    ======================  =================================================================
    ``constant:91``         this action at every own turn
    ``cycle:0,50,100``      one action per own turn, again from the first; ``;`` between proposals
    ``sequence:0,50,100``   the same
    ``equilibrium``         `CourseGame.equilibrium`
    ``best-reply``          `CourseGame.best_reply` to the last round
    ``RANDOM``              uniform over the legal actions (`uniform_action`)
    ======================  =================================================================

    A given action that is not legal at its moment is replaced as `legal_near` says.

    Parameters
    ----------
    name : PlayerName, of kind scripted
    seat : int, from 1

    Raises
    ------
    UsageError
        A strategy of matrix games.
    GameError
        A given action that is never legal for the seat: where what is legal does not depend on the round, any
        that is not; else one that the seat could not play in place of anybody who moves in the first round,
        and that is no whole number in a game of whole numbers.
    """
    if name.name == EQUILIBRIUM:
        return TablePlayer(name, lambda view, facts, rng: _course(view).equilibrium(view.seat, facts, rng))
    if name.name == BEST_REPLY:
        return TablePlayer(name, _best_reply)
    if name.name == RANDOM:
        return TablePlayer(
            name, lambda view, facts, rng: uniform_action(_course(view), view.seat, facts, rng)
        )
    head, colon, text = name.name.partition(":")
    if head + colon not in (CONSTANT, CYCLE, SEQUENCE):
        raise UsageError(
            f"scripted/{shorten(name.name)} plays matrix games; in {game.name} expected one of "
            f"{', '.join(TABLE_PLAYERS)}"
        )
    separator = ";" if ";" in text else ","
    actions = (text,) if head + colon == CONSTANT else tuple(text.split(separator))
    facts = opening(game)
    cycle = tuple(_possible(action.strip(), game, seat, facts, name) for action in actions)
    return TablePlayer(name, lambda view, facts, rng: _next(cycle, view, facts, rng))


def legal_near(action: str, game: CourseGame, seat: int, facts: Facts, rng: np.random.Generator) -> str:
    """The action, where it is legal now; else the nearest legal number, else what equilibrium plays.

    The nearest number is meant where all legal actions are whole numbers and the action is one too: a bid
    above the own valuation becomes the valuation. Equilibrium stands in for a shot at a dead player, a vote
    of a proposer, a proposal of a voter.
    """
    try:
        return game.read(action, seat, facts)
    except GameError:
        number = _nearest(action, game, seat, facts, rng)
    return game.equilibrium(seat, facts, rng) if number is None else number


def _next(cycle: tuple[str, ...], view: View, facts: Facts, rng: np.random.Generator) -> str:
    turns = sum(action is not None for action in view.own)
    return legal_near(cycle[turns % len(cycle)], _course(view), view.seat, facts, rng)


def _best_reply(view: View, facts: Facts, rng: np.random.Generator) -> str:
    outcome = view.reports[-1] if view.round > 1 else None
    return _course(view).best_reply(view.seat, outcome, facts, rng)


def _course(view: View) -> CourseGame:
    """Its game, which `scripted_table_player` took; asking a protocol costs more than a move."""
    return cast("CourseGame", view.game)


def _possible(action: str, game: CourseGame, seat: int, facts: Mapping[int, Facts], name: PlayerName) -> str:
    """The action, refused where it can be told that it is never legal; `facts` as in round 1, by seat."""
    fixed = seat in facts and not facts[seat]
    problems = []
    for other in (seat,) if fixed else sorted(facts, key=lambda other: other != seat):
        try:
            game.read(action, seat, facts[other])
            return action
        except GameError as error:
            problems.append(str(error))
        if not fixed and _nearest(action, game, seat, facts[other], np.random.default_rng(0)) is not None:
            return action
    raise GameError(f"player scripted/{shorten(name.name)} in {game.name}: {problems[0]}")


def _nearest(action: str, game: CourseGame, seat: int, facts: Facts, rng: np.random.Generator) -> str | None:
    """The legal number nearest to a number, None where not all legal actions are numbers."""
    if not action.isdecimal() or len(action) > 18 or facts.get("role") == "propose":
        return None
    listed = game.legal(seat, facts)
    if listed is None:
        low, high = extent(game, seat, facts, rng)
        return str(min(max(int(action), low), high))
    if not listed or not all(one.isdecimal() for one in listed):
        return None
    return min(listed, key=lambda one: abs(int(one) - int(action)))
