"""The reader of replies that hold an object with the choice: JSON, or what models take for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from intent.agents.replies.normalise import key, spellings
from intent.agents.replies.objects import Pairs, objects_in
from intent.agents.replies.reading import Reading, found, nothing

__all__ = ["FIELDS", "read_json"]

FIELDS = ("choice", "action", "decision", "move", "answer")
"""Names, in any case, of the field that holds the label."""


def read_json(text: str, labels: Sequence[str]) -> Reading:
    """The label in the field ``choice``, ``action``, ``decision``, ``move`` or ``answer`` of an object.

    Objects are found as `objects_in` says; what lies within another one does not count. All that name a field
    must name the same label, spelt as `read_strict` allows; else the reply is refused.

    Parameters
    ----------
    text : str, without reasoning
    labels : sequence of str
    """
    known = spellings(tuple(labels))
    values = [value for pairs in objects_in(text) for value in _choices(pairs)]
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
