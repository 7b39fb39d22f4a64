"""The reader of replies that hold an object with the choice: JSON, or what models take for it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from intent.agents.replies.normalise import key, spellings, without_fence
from intent.agents.replies.reading import Reading, found, nothing

__all__ = ["FIELDS", "read_json"]

FIELDS = ("choice", "action", "decision", "move", "answer")
"""Names, in any case, of the field that holds the label."""

_LONGEST = 100_000
"""Characters of a reply in which an object is looked for."""

_OBJECT = re.compile(r"\{[^{}]{1,2000}\}")

_QUOTED = r"\"(?:[^\"\\\n]|\\.){0,500}\"|'(?:[^'\\\n]|\\.){0,500}'|“[^”\n]{0,500}”"

_PAIR = re.compile(rf"\s*({_QUOTED}|\w{{1,40}})\s*:\s*({_QUOTED}|[^\s,{{}}\"'“”]{{1,100}})\s*(?:,|$)")

Pairs = list[tuple[str, object]]


def read_json(text: str, labels: Sequence[str]) -> Reading:
    """The label in the field ``choice``, ``action``, ``decision``, ``move`` or ``answer`` of an object.

    1. A reply that is one JSON object, fenced or not, is read as such.
    2. Else the objects without objects inside are looked at wherever they stand, as JSON or with single
       quotes, curly quotes or none.
    3. All that name a field must name the same label, spelt as `read_strict` allows; else it is refused.

    Parameters
    ----------
    text : str, without reasoning
    labels : sequence of str
    """
    known = spellings(tuple(labels))
    text = without_fence(text[:_LONGEST])
    whole = _pairs(text.strip())
    objects = [whole] if whole is not None else [p for m in _OBJECT.finditer(text) if (p := _pairs(m[0]))]
    values = [value for pairs in objects for value in _choices(pairs)]
    if not values:
        return nothing(f"no object with a field {' or '.join(FIELDS[:3])}")
    read = [known.label(value) for value in values]
    if None in read:
        return nothing(f"the field holds {values[read.index(None)]!r}, expected one of {', '.join(labels)}")
    return found(labels, tuple(label for label in labels if label in read))


def _choices(pairs: Pairs) -> Iterator[str]:
    for name, value in pairs:
        if len(name) <= 40 and key(name) in FIELDS:
            yield str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _pairs(text: str) -> Pairs | None:
    """The fields of an object in their order, doubled ones twice; None where it is no object."""
    if not (text.startswith("{") and text.endswith("}")):
        return None
    try:
        read = json.loads(text, object_pairs_hook=_Object)
    except (ValueError, RecursionError):
        return _loose_pairs(text[1:-1]) if len(text) <= 2002 else None
    return list(read)


class _Object(list[tuple[str, object]]):
    """The fields of a JSON object; a list of its own, to tell objects from arrays."""


def _loose_pairs(inside: str) -> Pairs | None:
    """Pairs ``name: value`` with commas between and nothing else."""
    pairs: Pairs = []
    position, end = 0, len(inside.rstrip())
    while position < end:
        match = _PAIR.match(inside, position)
        if match is None:
            return None
        pairs.append((_unquoted(match[1]), _unquoted(match[2])))
        position = match.end()
    return pairs


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[0] in "\"'“":
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return text
