"""The past of a match as the players see it: sequences that only grow, shared and never copied."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TypeVar, overload

__all__ = ["Past"]

T = TypeVar("T")


class Past(Sequence[T]):
    """The first `length` values of a record that is only ever appended to.

    It equals the tuple of these values, hashes alike and stays as it is while the record grows, so that
    a view of round t costs nothing to make, where a tuple would copy t values per seat. A beginning
    such as ``past[:-1]`` is again a `Past`, other slices are tuples.

    Parameters
    ----------
    record : list
        Owned by the referee.
    length : int, at most the length of the record
    """

    __slots__ = ("_length", "_record")

    def __init__(self, record: list[T], length: int) -> None:
        self._record = record
        self._length = length

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[T]:
        return islice(self._record, self._length)

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[T]: ...
    def __getitem__(self, at: int | slice) -> T | Sequence[T]:
        if isinstance(at, slice):
            start, stop, step = at.indices(self._length)
            if start == 0 and step == 1:
                return Past(self._record, stop)
            return tuple(self._record[i] for i in range(start, stop, step))
        if not -self._length <= at < self._length:
            raise IndexError(f"round {at} of {self._length}")
        return self._record[at if at >= 0 else at + self._length]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Past):
            if self._length != other._length:
                return False
            return self._record is other._record or tuple(self) == tuple(other)
        return tuple(self) == other if isinstance(other, tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))

    def __reduce__(self) -> tuple[type[Past[T]], tuple[list[T], int]]:
        """Pickle and copy what is seen, without what was appended later."""
        return type(self), (list(self), self._length)
