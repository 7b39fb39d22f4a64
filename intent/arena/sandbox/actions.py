"""The two moves, the record of them and the names that a strategy sees; standard library only.

They read like those of the Axelrod library (Knight et al. 2016, Journal of Open Research Software 4:e35):
``axl.Action.C``, ``history[-1]``, ``history.cooperations``.
"""

from __future__ import annotations

from typing import ClassVar, NoReturn

__all__ = ["AXL", "Action", "C", "D", "Game", "History"]


class _Fixed(type):
    """A class whose attributes stay as they are, and of which nobody makes another member."""

    def __setattr__(cls, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{cls.__name__}.{name} cannot be set")

    def __delattr__(cls, name: str) -> NoReturn:
        raise AttributeError(f"{cls.__name__}.{name} cannot be deleted")

    def __call__(cls, *values: object) -> NoReturn:
        raise TypeError(f"no {cls.__name__} can be made; there are axl.Action.C and axl.Action.D")


class Action(metaclass=_Fixed):
    """A move, `C` or `D`; both are true in a condition, and equal to nothing but themselves.

    Comparison and hash are those of every object, in C: moves are compared in every round. There is no order
    among moves, since not every interpreter of an engine lets a class have one.
    """

    __slots__ = ("name", "value")
    name: str
    value: int
    C: ClassVar[Action]
    D: ClassVar[Action]

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a move cannot be changed")

    def __repr__(self) -> str:
        return self.name

    def flip(self) -> Action:
        """The other move."""
        return D if self is C else C


def _member(name: str, value: int) -> Action:
    made = object.__new__(Action)
    object.__setattr__(made, "name", name)
    object.__setattr__(made, "value", value)
    type.__setattr__(Action, name, made)
    return made


C = _member("C", 0)
D = _member("D", 1)


class History(list[Action]):
    """One player's moves so far, for reading; the engine writes with ``list.append``."""

    __slots__ = ("cooperations", "defections")

    def __init__(self) -> None:
        super().__init__()
        self.cooperations = 0
        self.defections = 0

    def _fixed(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("a history is read, not changed")

    append = extend = insert = pop = remove = clear = sort = reverse = _fixed
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _fixed


class Game:
    """Payoffs of the match.

    Parameters
    ----------
    payoffs : 4 numbers, after CC, CD, DC, DD, own move first; whole ones become int, as they print
    """

    __slots__ = ("_table",)

    def __init__(self, payoffs: tuple[float, float, float, float]) -> None:
        r, s, t, p = (int(x) if float(x).is_integer() else float(x) for x in payoffs)
        self._table = {(C, C): (r, r), (C, D): (s, t), (D, C): (t, s), (D, D): (p, p)}

    def score(self, pair: tuple[Action, Action]) -> tuple[float, float]:
        """Payoffs of the two who made these moves."""
        return self._table[pair]

    def RPST(self) -> tuple[float, float, float, float]:
        """Payoffs after CC, DD, CD and DC."""
        t = self._table
        return t[C, C][0], t[D, D][0], t[C, D][0], t[D, C][0]


class _Player(metaclass=_Fixed):
    """A name for annotations; nobody can be one."""

    __slots__ = ()


class _PlayerModule:
    __slots__ = ()
    Player = _Player


class _Axl:
    """What stands for ``import axelrod as axl``."""

    __slots__ = ()
    Action = Action
    Player = _Player
    player = _PlayerModule()


AXL = _Axl()
