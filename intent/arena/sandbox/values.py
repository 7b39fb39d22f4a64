"""The two moves, the record of them and the names that a strategy sees; standard library only.

They read like those of the Axelrod library (Knight et al. 2016, Journal of Open Research Software 4:e35):
``axl.Action.C``, ``history[-1]``, ``history.cooperations``.

The Mersenne Twister as numpy's legacy ``RandomState`` draws from it; standard library only.

Sets whose order is the same in every run and on every engine; standard library only.

Members stand in the order in which they came; of the two moves, C comes first. Python's own sets are ordered
by hashes, which for many values are addresses or drawn anew by every process.

References
----------
Matsumoto & Nishimura 1998, ACM TOMACS 8(1):3, ``init_genrand``, ``init_by_array`` and ``genrand_res53``.
"""

from __future__ import annotations

import _random
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, ClassVar, NoReturn, TypeVar

__all__ = ["AXL", "Action", "C", "D", "FrozenSet", "Game", "Generator", "History", "Set"]


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
    action = object.__new__(Action)
    object.__setattr__(action, "name", name)
    object.__setattr__(action, "value", value)
    type.__setattr__(Action, name, action)
    return action


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


_WORD = 0xFFFFFFFF


def _state(seed: int) -> tuple[int, ...]:
    """The 624 words of ``init_genrand(seed)`` and the place behind the last one."""
    words, word = [], seed & _WORD
    for i in range(1, 625):
        words.append(word)
        word = (1812433253 * (word ^ (word >> 30)) + i) & _WORD
    return (*words, 624)


class Generator:
    """Random numbers of one player or match; the words are made when the first one is drawn.

    Parameters
    ----------
    seed : int in [0, 2**128)
        Below 2**32 as ``RandomState(seed)``, else as ``RandomState`` of its 32-bit words, the lowest first.
    """

    __slots__ = ("_bits", "_draw", "_seed")
    _bits: Callable[[int], int]
    _draw: Callable[[], float]

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def __getattr__(self, name: str) -> Any:
        if name not in ("_bits", "_draw"):
            raise AttributeError(f"the generator has no {name!r}")
        twister = _random.Random(self._seed)
        if self._seed <= _WORD:
            twister.setstate(_state(self._seed))
        self._bits, self._draw = twister.getrandbits, twister.random
        return self._bits if name == "_bits" else self._draw

    def random_choice(self, p: float = 0.5) -> Action:
        """C with probability `p`, else D; nothing is drawn for 0 and 1."""
        if p == 0:
            return D
        if p == 1:
            return C
        return C if self._draw() < p else D

    def random(self, *shape: int) -> Any:
        """Uniform on [0, 1): one, or nested lists of that shape."""
        return _shaped(self._draw, shape) if shape else self._draw()

    def randint(self, low: float, high: float | None = None, size: Any = None, dtype: Any = None) -> Any:
        """A whole number in [low, high), or in [0, low) where `high` is left out; lists with `size`.

        Raises
        ------
        ValueError
            There is no such number, or it has more than 64 bits.
        """
        least, bound = (0, int(low)) if high is None else (int(low), int(high))
        if least >= bound:
            raise ValueError("low >= high")
        if least < -(2**63) or bound > 2**63:
            raise ValueError("a bound of randint has more than 64 bits")
        span = bound - 1 - least

        def one() -> int:
            return least + self._below(span)

        return one() if size is None else _shaped(one, _tuple(size))

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Sequence[float] | None = None) -> Any:
        """One of `a` (or of ``range(a)``), equally likely or by the probabilities `p`; lists with `size`.

        Raises
        ------
        ValueError
            There is nothing to choose from, or `p` is no distribution.
        NotImplementedError
            Several, without replacement.
        """
        items: Any = range(a) if isinstance(a, int) else tuple(a)
        if not items:
            raise ValueError("a cannot be empty")
        if not replace and size is not None:
            raise NotImplementedError("choice without replacement")
        if p is None:

            def one() -> Any:
                return items[self._below(len(items) - 1)]

        else:
            cumulated = list(accumulate(p))
            if len(cumulated) != len(items) or min(p) < 0 or abs(cumulated[-1] - 1) > 1e-8:
                raise ValueError("p is no distribution over a")
            steps = [x / cumulated[-1] for x in cumulated]

            def one() -> Any:
                u = self._draw()
                return items[sum(step <= u for step in steps)]

        return one() if size is None else _shaped(one, _tuple(size))

    def _below(self, span: int) -> int:
        """A whole number in [0, span], by masked rejection on words of 32 or 64 bits."""
        if span == 0:
            return 0
        mask = (1 << span.bit_length()) - 1
        while True:
            word = self._bits(32)
            if span > _WORD:
                word = word << 32 | self._bits(32)
            if (word := word & mask) <= span:
                return word


def _tuple(size: Any) -> tuple[int, ...]:
    return (size,) if isinstance(size, int) else tuple(size)


def _shaped(draw: Callable[[], Any], shape: tuple[int, ...]) -> Any:
    if len(shape) == 1:
        return [draw() for _ in range(shape[0])]
    return [_shaped(draw, shape[1:]) for _ in range(shape[0])] if shape else draw()


_Kind = TypeVar("_Kind", bound="_Held")


def _order(members: dict[Any, None]) -> None:
    """Put C before D and both before the rest, where both are there."""
    if C in members and D in members:
        moved = {C: None, D: None} | members
        members.clear()
        members.update(moved)


class _Held:
    """What both kinds have; made of anything that can be iterated."""

    __slots__ = ("_members",)
    _members: dict[Any, None]

    def __init__(self, values: Iterable[Any] = ()) -> None:
        self._members = dict.fromkeys(values)
        _order(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._members)

    def __contains__(self, value: object) -> bool:
        return value in self._members

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held) and self._members.keys() == other._members.keys()

    def __hash__(self) -> int:
        raise TypeError("a set cannot be a member or a key")

    def __lt__(self, other: object) -> NoReturn:
        raise TypeError("sets are compared with ==, <= and >=")

    __gt__ = __lt__

    def __le__(self, other: object) -> bool:
        if not isinstance(other, _Held):
            return NotImplemented
        return self._members.keys() <= other._members.keys()

    def __ge__(self, other: object) -> bool:
        if not isinstance(other, _Held):
            return NotImplemented
        return self._members.keys() >= other._members.keys()

    def __or__(self: _Kind, other: object) -> _Kind:
        if not isinstance(other, _Held):
            return NotImplemented
        return type(self)((*self, *other))

    def __and__(self: _Kind, other: object) -> _Kind:
        if not isinstance(other, _Held):
            return NotImplemented
        return type(self)(x for x in self if x in other)

    def __sub__(self: _Kind, other: object) -> _Kind:
        if not isinstance(other, _Held):
            return NotImplemented
        return type(self)(x for x in self if x not in other)

    def copy(self: _Kind) -> _Kind:
        """One with the same members."""
        return type(self)(self)

    def union(self: _Kind, *others: Iterable[Any]) -> _Kind:
        """Members of this one, then of the others."""
        return type(self)([*self, *(x for other in others for x in other)])

    def intersection(self: _Kind, *others: Iterable[Any]) -> _Kind:
        """Members that are in all others too."""
        common = self
        for other in others:
            among = dict.fromkeys(other)
            common = type(self)(x for x in common if x in among)
        return common.copy()

    def difference(self: _Kind, *others: Iterable[Any]) -> _Kind:
        """Members that are in no other."""
        among = dict.fromkeys(x for other in others for x in other)
        return type(self)(x for x in self if x not in among)

    def issubset(self, other: Iterable[Any]) -> bool:
        """Whether all members are in the other."""
        return self._members.keys() <= dict.fromkeys(other).keys()

    def issuperset(self, other: Iterable[Any]) -> bool:
        """Whether all of the other's members are in this one."""
        return self._members.keys() >= dict.fromkeys(other).keys()

    def isdisjoint(self, other: Iterable[Any]) -> bool:
        """Whether no member is in the other."""
        return self._members.keys().isdisjoint(dict.fromkeys(other))


class Set(_Held):
    """What stands for ``set``."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __ior__(self, other: object) -> Set:
        if not isinstance(other, _Held):
            return NotImplemented
        self.update(other)
        return self

    def __iand__(self, other: object) -> Set:
        if not isinstance(other, _Held):
            return NotImplemented
        for value in [x for x in self if x not in other]:
            del self._members[value]
        return self

    def __isub__(self, other: object) -> Set:
        if not isinstance(other, _Held):
            return NotImplemented
        for value in [x for x in self if x in other]:
            del self._members[value]
        return self

    def add(self, value: Any) -> None:
        """Take a member in."""
        if value not in self._members:
            self._members[value] = None
            _order(self._members)

    def update(self, *others: Iterable[Any]) -> None:
        """Take the members of others in."""
        for other in others:
            self._members.update(dict.fromkeys(other))
            _order(self._members)

    def discard(self, value: Any) -> None:
        """Drop a member, if it is one."""
        self._members.pop(value, None)

    def remove(self, value: Any) -> None:
        """Drop a member.

        Raises
        ------
        KeyError
        """
        del self._members[value]

    def pop(self) -> Any:
        """Drop the first member and give it.

        Raises
        ------
        KeyError
        """
        if not self._members:
            raise KeyError("an empty set")
        value = next(iter(self._members))
        del self._members[value]
        return value

    def clear(self) -> None:
        """Drop all members."""
        self._members.clear()


class FrozenSet(_Held):
    """What stands for ``frozenset``."""

    __slots__ = ()

    def __hash__(self) -> int:
        return hash(frozenset(self._members))
