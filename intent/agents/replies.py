"""What a language model replied, read as one of the labels of a game or as an object, or refused.

FAIRGAME's reader is for replications: the first label, in the order of the game's options, whose
lower-cased text is a substring of the lower-cased reply. So "not OptionA but OptionB" is OptionA, "Option
A" is nothing, and a label that begins another one and is listed before it shadows it (FAIRGAME,
aira-list/FAIRGAME, src/fairgame.py).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from intent.base.errors import UnknownNameError
from intent.base.spelling import key, spellings, without_fence
from intent.base.statements import Reading, no_reading, read_strict, reading_of, strip_reasoning

__all__ = [
    "FIELDS",
    "Pairs",
    "Parser",
    "Reading",
    "answer_value",
    "is_object",
    "loose_object",
    "objects_in",
    "read_fairgame",
    "read_json",
    "read_reply",
    "strip_reasoning",
]


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
    objects: list[Pairs] = []
    at = text.find("{")
    for _ in range(MOST):
        if at < 0:
            break
        read = _object_at(text, at)
        if read is not None:
            objects.append(read[0])
        at = text.find("{", read[1] if read else at + 1)
    return objects


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


FIELDS = ("choice", "action", "decision", "move", "answer")
"""Names, in any case, of the field that holds the label."""


def read_json(text: str, labels: Sequence[str]) -> Reading:
    """The label in the field ``choice``, ``action``, ``decision``, ``move`` or ``answer`` of an object.

    Objects are found as `objects_in` says; what lies within another one does not count. All that name a field
    must name the same label, spelt as `read_strict` allows; else the reply is refused.

    Parameters
    ----------
    text : str, without reasoning
    """
    known = spellings(tuple(labels))
    values = [value for pairs in objects_in(text) for value in _choices(pairs)]
    if not values:
        return no_reading(f"no object with a field {' or '.join(FIELDS[:3])}")
    read = [known.label(value) for value in values]
    if None in read:
        return no_reading(
            f"the field holds {values[read.index(None)]!r}, expected one of {', '.join(labels)}"
        )
    return reading_of(labels, tuple(label for label in labels if label in read))


def _choices(pairs: Pairs) -> Iterator[str]:
    for name, value in pairs:
        if len(name) <= 40 and key(name) in FIELDS:
            yield str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def read_fairgame(text: str, labels: Sequence[str]) -> Reading:
    """The first label that occurs in the reply.

    Parameters
    ----------
    labels : sequence of str, in the game's order, which decides
    """
    lowered = text.lower()
    for label in labels:
        if label.lower() in lowered:
            return Reading(label)
    return reading_of(labels, ())


Parser = Literal["strict", "json", "fairgame"]

PARSERS: Mapping[str, Callable[[str, Sequence[str]], Reading]] = MappingProxyType(
    {"strict": read_strict, "json": read_json, "fairgame": read_fairgame}
)


def read_reply(text: str, labels: Sequence[str], parser: Parser = "strict") -> Reading:
    """Read a reply as one of the labels.

    Takes any text, of any length, and never raises for what it holds.

    Parameters
    ----------
    text : without reasoning, see `strip_reasoning`
    labels : in the game's order
    parser : {"strict", "json", "fairgame"}

    Returns
    -------
    Reading

    Raises
    ------
    UnknownNameError
        No such parser.
    """
    if parser not in PARSERS:
        raise UnknownNameError("parser", parser, PARSERS)
    return PARSERS[parser](text, labels)


def answer_value(action: str, named: Sequence[int] = ()) -> object:
    """What the field of the object holds: the opposite of `intent.games.game.CourseGame.read`.

    Parameters
    ----------
    action : str, as the log has it
    named : the seats that a proposal names, from the proposer down; empty of any other action

    Examples
    --------
    >>> answer_value("37"), answer_value("go"), answer_value("miss")
    (37, 'go', None)
    >>> answer_value("99,1", (3, 4))
    {'3': 99, '4': 1}
    """
    if named:
        return {str(seat): int(share) for seat, share in zip(named, action.split(","), strict=True)}
    return None if action == "miss" else int(action) if action.isdecimal() else action
