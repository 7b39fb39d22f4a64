"""Objects in a reply: JSON, or what models take for it, wherever they stand."""

from __future__ import annotations

import json
import re

from intent.agents.replies.normalise import without_fence

__all__ = ["Pairs", "is_object", "loose_object", "objects_in", "whole_object"]

Pairs = list[tuple[str, object]]
"""The fields of an object in their order, doubled ones twice; values are texts, numbers, lists, `Pairs`."""

LONGEST = 100_000
"""Characters of a reply in which objects are looked for."""

LONGEST_LOOSE = 2_002
"""Characters of an object that is no JSON."""

DEEPEST = 4
"""Objects and lists within one another, of an object that is no JSON."""

MOST = 200
"""Opening braces of a reply at which an object is looked for."""

_QUOTED = re.compile(r"\"(?:[^\"\\\n]|\\.){0,500}\"|'(?:[^'\\\n]|\\.){0,500}'|“[^”\n]{0,500}”")
_NAME = re.compile(r"\w{1,40}")
_BARE = re.compile(r"[^\s,{}\[\]\"'“”]{1,100}")
_SPACE = re.compile(r"\s*")


class _Object(list[tuple[str, object]]):
    """The fields of an object; a list of its own, to tell objects from arrays."""


_DECODER = json.JSONDecoder(object_pairs_hook=_Object, strict=False)


def objects_in(text: str) -> list[Pairs]:
    """The objects of a reply that lie within no other one.

    1. A reply that is one object, fenced or not, is that.
    2. Else every opening brace, from the left, may begin one: JSON, line breaks in texts allowed, or names
       and values with single quotes, curly quotes or none. What lies within an object is not looked at
       again; where none begins at a brace, the next brace may begin one.

    Bounded by `LONGEST`, `LONGEST_LOOSE`, `DEEPEST` and `MOST`, so that no text takes long.

    Examples
    --------
    >>> objects_in("I say {'proposal': {1: 98, 2: 0}, 'why': 'so'}.")
    [[('proposal', [('1', '98'), ('2', '0')]), ('why', 'so')]]
    """
    text = without_fence(text[:LONGEST])
    whole = whole_object(text.strip())
    if whole is not None:
        return [whole]
    found: list[Pairs] = []
    at = text.find("{")
    for _ in range(MOST):
        if at < 0:
            break
        read = _object_at(text, at)
        if read is not None:
            found.append(read[0])
        at = text.find("{", read[1] if read else at + 1)
    return found


def whole_object(text: str) -> Pairs | None:
    """The fields of a text that is one object and nothing else; None where it is none."""
    if not (text.startswith("{") and text.endswith("}")):
        return None
    read = _object_at(text, 0)
    return read[0] if read and read[1] == len(text) else None


def loose_object(inside: str) -> Pairs | None:
    """The fields of what would be an object with braces around it: ``bid: 30``; None where it is none."""
    return whole_object("{" + inside.strip() + "}") if len(inside) < LONGEST_LOOSE - 1 else None


def is_object(value: object) -> bool:
    """Whether a value of `Pairs` is an object, not a list."""
    return isinstance(value, _Object)


def _object_at(text: str, start: int) -> tuple[Pairs, int] | None:
    """The object that begins there, and where it ends."""
    try:
        read, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        try:
            read, end = _loose(text[: start + LONGEST_LOOSE], start, 0)
        except ValueError:
            return None
    return (read, end) if isinstance(read, _Object) else None


def _loose(text: str, at: int, depth: int) -> tuple[object, int]:
    """The value that begins there, and where it ends.

    Raises
    ------
    ValueError
        None does.
    """
    at = _after_space(text, at)
    opening = text[at : at + 1]
    if opening and opening in "{[":
        if depth == DEEPEST:
            raise ValueError
        return _loose_many(text, at + 1, depth + 1, "}" if opening == "{" else "]")
    match = _QUOTED.match(text, at) or _BARE.match(text, at)
    if match is None:
        raise ValueError
    return _unquoted(match[0]), match.end()


def _loose_many(text: str, at: int, depth: int, closing: str) -> tuple[object, int]:
    """What stands between brackets, with commas between and perhaps one at the end."""
    pairs, values = _Object(), list[object]()
    while True:
        at = _after_space(text, at)
        if text[at : at + 1] == closing:
            return (pairs if closing == "}" else values), at + 1
        if closing == "}":
            name, at = _loose_name(text, at)
            value, at = _loose(text, at, depth)
            pairs.append((name, value))
        else:
            value, at = _loose(text, at, depth)
            values.append(value)
        at = _after_space(text, at)
        if text[at : at + 1] == ",":
            at += 1
        elif text[at : at + 1] != closing:
            raise ValueError


def _loose_name(text: str, at: int) -> tuple[str, int]:
    match = _QUOTED.match(text, at) or _NAME.match(text, at)
    if match is None:
        raise ValueError
    at = _after_space(text, match.end())
    if text[at : at + 1] != ":":
        raise ValueError
    return _unquoted(match[0]), at + 1


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[0] in "\"'“":
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return text
