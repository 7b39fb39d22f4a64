"""Readers of answers to comprehension questions: the one thing that an answer states, or nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from intent.agents.questions.numbers import LONGEST, read_number
from intent.agents.questions.prose import label_patterns, only_named
from intent.agents.replies.reasoning import strip_reasoning
from intent.agents.replies.stated import read_stated
from intent.agents.replies.strict import read_strict

__all__ = ["read_action", "read_amount", "read_extremes", "read_type"]

_LARGEST = r"maximum|maximale?|maximal|max|最大|最多|最高|(?:ال)?[أا]قصى|tối đa|nhiều nhất|cao nhất|lớn nhất"
_LEAST = r"minimum|minimale?|minimal|min|最小|最少|最低|(?:ال)?[أا]دنى|tối thiểu|ít nhất|thấp nhất|nhỏ nhất"
_LARGER = r"highest|largest|greatest|biggest|(?:la |le )?plus (?:élevée?|haute?|grande?)|[أا]على|[أا]كبر"
_SMALLER = r"lowest|smallest|least|(?:la |le )?plus (?:faible|basse?|petite?)|[أا]صغر|[أا]قل"
"""Words of the question, which answers in sentences repeat; looked for where the others are not."""


def _either(largest: str, least: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z])(?:(?P<largest>{largest})|(?P<least>{least}))(?![a-z])", re.IGNORECASE)


_ENDS = _either(_LARGEST, _LEAST)
_ENDS_IN_PROSE = _either(f"{_LARGEST}|{_LARGER}", f"{_LEAST}|{_SMALLER}")

_MOST_WORDS = 40

_TERM = r"\d{1,15}(?:[.,]\d{1,9})?(?: ?[^\W\d_]{1,12})?"
_WORKING = re.compile(
    rf"(?<![\w.,]){_TERM}(?:\s{{0,2}}[-+×·−]\s{{0,2}}{_TERM}){{1,40}}\s{{0,2}}=(?=\s{{0,2}}[-−]?\d)"
)
"""The terms of a sum, where its result follows."""

_OWN_MOVE = re.compile(r"[^\n]{0,40}\bDECISION\b[^\n]{0,400}")
"""A line that states the player's own move, which is no answer to a question about the other's."""

_TYPES = {
    "private": r"(?<!\w)(?:private|privée?|riêng tư|kín)(?!\w)|私密|私下|私人|私有"
    r"|(?<!\w)(?:ال)?(?:خاصة?)(?!\w)",
    "public": r"(?<!\w)(?:public|publique|công khai)(?!\w)|公开|公開|公共"
    r"|(?<!\w)(?:ال)?(?:عامة?|علنية?)(?!\w)",
}


def read_action(answer: str, labels: Sequence[str]) -> str | None:
    """The label that an answer names.

    The answer is what stands after ``ANSWER:`` or in a field of that name, else all of it; read as a
    label alone (`read_strict`), else as sentences that name one (`only_named`).

    Parameters
    ----------
    answer : str
    labels : sequence of str, in the game's order

    Examples
    --------
    >>> read_action("{'ANSWER': 'Cooperate'}", ("Cooperate", "Defect"))
    'Cooperate'
    """
    body = _body(answer)
    return read_strict(body, labels).action or only_named(body, label_patterns(tuple(labels)))


def read_amount(answer: str) -> Decimal | None:
    """The number that an answer states, as `read_number` reads it; an answer about extremes states two."""
    body = _body(answer)
    return None if _names_both(body) else read_number(body)


def read_extremes(answer: str) -> tuple[Decimal, Decimal] | None:
    """The largest and the smallest value that an answer names as such; None where one of them is missing.

    ``MAXIMUM: 15, MINIMUM: 0``, with these words in any case or in the five languages; else with others that
    mean the same (*highest*, *lowest*). The numbers stand all behind their words, or all before them;
    anything else is a miss, and so is a word with two numbers. A statement ``ANSWER: …`` that holds one of
    the two alone is read with the rest of the text.

    Examples
    --------
    >>> read_extremes("ANSWER: MAXIMUM: 15, MINIMUM: 0")
    (Decimal('15'), Decimal('0'))
    """
    body = _body(answer)
    if not _names_both(body):
        body = strip_reasoning(answer)[0]
    if len(body) > LONGEST:
        return None
    words = list((_ENDS if _names_both(body) else _ENDS_IN_PROSE).finditer(body))
    if not 2 <= len(words) <= _MOST_WORDS:
        return None
    cuts = [0, *(w.start() for w in words[1:]), len(body)]
    behind = [body[w.end() : end] for w, end in zip(words, cuts[1:], strict=True)]
    cuts = [*(w.end() for w in words[:-1]), len(body)]
    before = [body[start : w.start()] for w, start in zip(words, [0, *cuts], strict=False)]
    leads, ends = read_number(before[0]) is not None, read_number(behind[-1]) is not None
    if leads == ends:
        return None
    found: dict[str, set[Decimal | None]] = {"largest": set(), "least": set()}
    for word, part in zip(words, before if leads else behind, strict=True):
        found[str(word.lastgroup)].add(read_number(part))
    values = [next(iter(v)) if len(v) == 1 else None for v in found.values()]
    if values[0] is None or values[1] is None:
        return None
    return values[0], values[1]


def read_type(answer: str) -> str | None:
    """``private`` or ``public``, as an answer says in one of five languages."""
    return only_named(_body(answer), _TYPES)


def _names_both(text: str) -> bool:
    """Whether words for the largest and for the smallest occur."""
    return {m.lastgroup for m in _ENDS.finditer(text)} == {"largest", "least"}


def _body(answer: str) -> str:
    """What an answer states, without the working of a sum; else all of it but a stated move.

    Nothing of an endless one.
    """
    text, _ = strip_reasoning(answer)
    stated = read_stated(text, "ANSWER")
    if stated is None:
        return _OWN_MOVE.sub("", text) if len(text) <= LONGEST else ""
    return _WORKING.sub("", stated)
