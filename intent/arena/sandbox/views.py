"""What a strategy is called with: itself, a view of the opponent, and the builtins; standard library only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from operator import add
from typing import Any, NamedTuple, NoReturn

from intent.arena.sandbox.actions import AXL, Action, C, D, Game, History
from intent.arena.sandbox.generator import Generator
from intent.arena.sandbox.names import readable
from intent.arena.sandbox.ordered import FrozenSet, Set
from intent.arena.sandbox.plain import (
    zz_all,
    zz_any,
    zz_back,
    zz_deeper,
    zz_is,
    zz_items,
    zz_keys,
    zz_next,
    zz_parts,
    zz_pow,
    zz_shift,
    zz_sort,
    zz_text,
    zz_truth,
    zz_values,
    zz_within,
)

__all__ = ["Myself", "Opponent", "Play", "Rules", "Seat", "See", "namespace", "take_seat"]

Play = Callable[[Any, Any], object]
See = Callable[[Action, Action], None]

_GIVEN = (
    *(
        abs,
        all,
        any,
        bool,
        dict,
        float,
        int,
        isinstance,
        iter,
        len,
        list,
        max,
        min,
        next,
        range,
        sorted,
        tuple,
    ),
    *(ArithmeticError, AttributeError, IndexError, KeyError, LookupError, OverflowError, StopIteration),
    *(TypeError, ValueError, ZeroDivisionError),
)


class Rules(NamedTuple):
    """The rules of a match as the players' process knows them."""

    payoffs: tuple[float, float, float, float]
    turns: int
    noise: float
    late: bool
    known_length: bool
    reuse: bool


class Seat(NamedTuple):
    """A player at a table: each round ``play(me, other)``, then ``see(own, other)`` with what was realised.

    The three are called apart, without a closure around them, which would cost a tenth of a plain match.
    """

    play: Play
    me: Myself | None
    other: Opponent | None
    see: See


def _getattr(thing: object, name: str, *default: object) -> Any:
    if readable(name, type(thing) is Myself):
        return getattr(thing, name, *default)
    if default:
        return default[0]
    raise AttributeError(f"{name} cannot be read")


def _hasattr(thing: object, name: str) -> bool:
    return readable(name, type(thing) is Myself) and hasattr(thing, name)


def _at_once(lazy: Callable[..., Iterable[Any]]) -> Callable[..., Iterator[Any]]:
    def listed(*args: Any, **named: Any) -> Iterator[Any]:
        return iter([*lazy(*args, **named)])

    return listed


def _sum(values: Iterable[Any], start: Any = 0) -> Any:
    # later Pythons add up floats with a compensation that no other engine knows
    return reduce(add, values, start)


def _round(value: Any, ndigits: Any = None) -> Any:
    if not isinstance(value, int | float):
        raise TypeError("round() takes a number")
    return round(value, ndigits)


def _power(a: Any, b: Any) -> Any:
    return zz_pow(a, b)  # type: ignore[no-untyped-call]


_REPLACED: dict[str, Any] = {
    **{lazy.__name__: _at_once(lazy) for lazy in (enumerate, filter, map, reversed, zip)},
    "set": Set,
    "frozenset": FrozenSet,
    "str": zz_text((C, D)),  # type: ignore[no-untyped-call]
    "round": _round,
    "pow": _power,
    "sum": sum if sys.version_info < (3, 12) else _sum,
    "getattr": _getattr,
    "hasattr": _hasattr,
}
"""Builtins that mean the same in every run and on every engine."""

_HELPERS: dict[str, Any] = {
    "zz_deeper": zz_deeper,
    "zz_back": zz_back,
    "zz_within": zz_within,
    **{f"zz_lazy_{lazy.__name__}": lazy for lazy in (enumerate, reversed, zip)},
    "zz_set": Set,
    "zz_truth": zz_truth,
    "zz_iter": iter,
    "zz_kind_str": str,
    "zz_pow": zz_pow,
    "zz_shift": zz_shift,
    "zz_is": zz_is,
    "zz_keys": zz_keys,
    "zz_values": zz_values,
    "zz_items": zz_items,
    "zz_sort": zz_sort,
    "zz_any": zz_any,
    "zz_all": zz_all,
    "zz_next": zz_next,
    "zz_parts": zz_parts,
}
"""What `shared.py` writes into code; written code cannot say such names."""


def namespace() -> dict[str, Any]:
    """The globals of one strategy: ``axl`` and the builtins, none of them shared with another strategy."""
    given = {thing.__name__: thing for thing in _GIVEN}
    moves = {"axl.Action.C": C, "axl.Action.D": D}  # see shortcuts.py
    return {"__builtins__": {**given, **_REPLACED}, "axl": AXL, **moves, **_HELPERS}


class Myself:
    """The player itself; what it writes here stays for the match."""

    history: History
    score: float
    match_attributes: dict[str, Any]
    _random: Generator

    @property
    def cooperations(self) -> int:
        """Own moves that were C."""
        return self.history.cooperations

    @property
    def defections(self) -> int:
        """Own moves that were D."""
        return self.history.defections

    def first_round(self) -> bool:
        """Whether nothing was played yet."""
        return not self.history

    def total_scores(self, mine: Iterable[Action], theirs: Iterable[Action]) -> tuple[float, float]:
        """Sums of the payoffs of two records of equal length: own, other's."""
        own: float = 0
        other: float = 0
        score = self.match_attributes["game"].score
        for pair in zip(mine, theirs):  # noqa: B905 - the shorter one decides, as upstream
            a, b = score(pair)
            own += a
            other += b
        return own, other


class Opponent:
    """The other player, for reading."""

    __slots__ = ("history", "score")
    history: History
    score: float

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("the opponent cannot be changed")

    @property
    def cooperations(self) -> int:
        """Moves of the other that were C."""
        return self.history.cooperations

    @property
    def defections(self) -> int:
        """Moves of the other that were D."""
        return self.history.defections


_set_score: Callable[[Opponent, float], None] = Opponent.__dict__["score"].__set__
_set_history: Callable[[Opponent, History], None] = Opponent.__dict__["history"].__set__


def take_seat(
    function: Callable[[Myself, Opponent], object],
    me: Myself,
    rules: Rules,
    seed: int,
    late: bool,
    counts: bool = True,
) -> Seat:
    """Put a player at the table of a new match.

    Parameters
    ----------
    function : the strategy
    me : Myself
        A new one, or that of the last match where attributes are to live on.
    rules : Rules
    seed : int, of the player's own generator
    late : bool
        Whether it sees the other's score one round late.
    counts : bool
        Whether scores and numbers of moves are kept; False for code that cannot read them.

    Returns
    -------
    Seat
    """
    mine, theirs = History(), History()
    game = Game(rules.payoffs)
    cc, dd, cd, dc = game.RPST()
    me.history, me.score, me._random = mine, 0, Generator(seed)
    length = rules.turns if rules.known_length else -1
    me.match_attributes = {"length": length, "game": game, "noise": rules.noise}
    other = Opponent()
    _set_history(other, theirs)
    _set_score(other, 0)
    # bound to these lists at C speed, past the overridden method of the class
    push_mine: Callable[[Action], None] = list.append.__get__(mine)
    push_theirs: Callable[[Action], None] = list.append.__get__(theirs)
    score: float = 0
    others_score: float = 0

    def see(own_move: Action, others_move: Action) -> None:
        nonlocal score, others_score
        push_mine(own_move)
        push_theirs(others_move)
        if late:
            _set_score(other, others_score)
        if own_move is C:
            mine.cooperations += 1
            if others_move is C:
                theirs.cooperations += 1
                score += cc
                others_score += cc
            else:
                theirs.defections += 1
                score += cd
                others_score += dc
        else:
            mine.defections += 1
            if others_move is C:
                theirs.cooperations += 1
                score += dc
                others_score += cd
            else:
                theirs.defections += 1
                score += dd
                others_score += dd
        me.score = score
        if not late:
            _set_score(other, others_score)

    def see_moves(own_move: Action, others_move: Action) -> None:
        push_mine(own_move)
        push_theirs(others_move)

    return Seat(function, me, other, see if counts else see_moves)
