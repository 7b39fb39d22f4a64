"""What a strategy is called with: itself, a view of the opponent, and the builtins; standard library only."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, NoReturn

from intent.arena.sandbox.actions import AXL, Action, C, D, Game, History
from intent.arena.sandbox.generator import Generator

__all__ = ["Myself", "Opponent", "Play", "Rules", "Seat", "See", "namespace", "take_seat"]

Play = Callable[[Any, Any], object]
See = Callable[[Action, Action], None]

_GIVEN = (
    *(abs, all, any, bool, dict, enumerate, filter, float, frozenset, int, isinstance, iter, len, list, map),
    *(max, min, next, pow, range, reversed, round, set, sorted, str, sum, tuple, zip),
    *(ArithmeticError, AttributeError, IndexError, KeyError, LookupError, OverflowError, StopIteration),
    *(TypeError, ValueError, ZeroDivisionError),
)

_REACHING = frozenset({"format", "format_map", "mro", "with_traceback", "gi_frame", "f_back", "tb_frame"})


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


def _plain(name: object) -> str:
    if type(name) is not str or name.startswith("__") or name in _REACHING:
        raise AttributeError(f"{name!r} cannot be read"[:200])
    return name


def _getattr(thing: object, name: str, *default: object) -> Any:
    return getattr(thing, _plain(name), *default)


def _hasattr(thing: object, name: str) -> bool:
    return hasattr(thing, _plain(name))


def namespace() -> dict[str, Any]:
    """The globals of one strategy: ``axl`` and the builtins, none of them shared with another strategy."""
    given = {thing.__name__: thing for thing in _GIVEN}
    moves = {"axl.Action.C": C, "axl.Action.D": D}  # see shortcuts.py
    return {"__builtins__": {**given, "getattr": _getattr, "hasattr": _hasattr}, "axl": AXL, **moves}


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
