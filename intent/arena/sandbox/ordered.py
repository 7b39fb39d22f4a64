"""Sets whose order is the same in every run and on every engine; standard library only.

Members stand in the order in which they came; of the two moves, C comes first. Python's own sets are ordered
by hashes, which for many values are addresses or drawn anew by every process.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NoReturn, TypeVar

from intent.arena.sandbox.actions import C, D

__all__ = ["FrozenSet", "Set"]

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
        kept = self
        for other in others:
            among = dict.fromkeys(other)
            kept = type(self)(x for x in kept if x in among)
        return kept.copy()

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
