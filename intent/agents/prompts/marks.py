"""Which placeholder each piece of a rendered prompt came from.

Where `marking` is on, what fills a placeholder, a phrase or a block is enclosed in characters that no text
has (the last private plane of Unicode), together with its name. A prompt that was rendered so says by itself
which facts it shows, whatever a file claims of it; `visible` is the prompt as a model would read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

__all__ = ["Piece", "is_marking", "mark", "marking", "names", "pieces", "visible"]

_OPEN, _CLOSE, _END = "\U0010fff0", "\U0010fff1", "\U0010fff2"
_MARK = re.compile(f"([{_OPEN}{_CLOSE}])([^{_OPEN}{_CLOSE}{_END}]{{0,100}}){_END}")
_ON: ContextVar[bool] = ContextVar("marking", default=False)


class Piece(NamedTuple):
    """A piece of text, and the names of what it lies in, the outermost first."""

    path: tuple[str, ...]
    text: str


@contextmanager
def marking() -> Iterator[None]:
    """Prompts that are rendered inside are marked; never those that a model is sent."""
    token = _ON.set(True)
    try:
        yield
    finally:
        _ON.reset(token)


def is_marking() -> bool:
    """Whether prompts are marked here."""
    return _ON.get()


def mark(name: str, text: str) -> str:
    """The text, marked as what `name` was filled with; as it stands where nothing is marked."""
    return f"{_OPEN}{name}{_END}{text}{_CLOSE}{name}{_END}" if _ON.get() else text


def visible(text: str) -> str:
    """The text without marks."""
    return _MARK.sub("", text)


def names(text: str) -> frozenset[str]:
    """The names of all that was filled in."""
    return frozenset(name for _, name in _MARK.findall(text))


def pieces(text: str) -> Iterator[Piece]:
    """The text between marks, in order; a mark that is opened or closed alone encloses nothing.

    Examples
    --------
    >>> with marking():
    ...     text = f"You are {mark('name', 'Ann')}."
    >>> [(piece.path, piece.text) for piece in pieces(text)]
    [((), 'You are '), (('name',), 'Ann'), ((), '.')]
    """
    path: list[str] = []
    at = 0
    for tag in _MARK.finditer(text):
        if tag.start() > at:
            yield Piece(tuple(path), text[at : tag.start()])
        at = tag.end()
        if tag[1] == _OPEN:
            path.append(tag[2])
        elif tag[2] in path:
            del path[len(path) - 1 - path[::-1].index(tag[2]) :]
    if at < len(text):
        yield Piece(tuple(path), text[at:])
