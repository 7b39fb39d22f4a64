"""Which action a text commits its writer to: strict, in five languages, never guessed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from intent.agents.replies.negations import NEGATIONS, REJECTIONS, either
from intent.agents.replies.normalise import words
from intent.analysis.deliberation.commitment_words import CLAUSE_ENDS, COMMITS, ELSEWHERE, REPORTS

__all__ = ["announced_action", "commitments", "intended_action"]

_LONGEST = 20_000
"""Characters of a text that are read."""

_SENTENCE = re.compile(r"[.!?;\n。！？；؟۔]+")
_CLAUSE = re.compile(rf"[,:،、，：—–()]+|\s-\s|{either(CLAUSE_ENDS).pattern}")
_COMMITS, _REPORTS, _ELSEWHERE = either(COMMITS), either(REPORTS), either(ELSEWHERE)
_NEGATED, _REJECTED = either(NEGATIONS), either(REJECTIONS)
_QUOTED = re.compile(
    rf"(?:{_REPORTS.pattern})[^\n.!?]{{0,30}}[\"“«「][^\n\"”»」]{{1,300}}[\"”»」]", re.IGNORECASE
)
"""Words of somebody, or of a message that is planned."""

_PUNCTUATED = re.compile(r"[*_`\"“”«»'‘’「」\[\]{}]+")
_OWN_ACT = re.compile(r"[^\n.!?。！？؟]{0,40}\bDECISION\b[^\n]{0,400}", re.IGNORECASE)
"""The line that is the move itself, `DECISION: <option>`."""


def announced_action(text: str | None, labels: Sequence[str]) -> str | None:
    """The action that a public text says its writer takes in this round.

    1. The line ``DECISION: …`` is the act and no announcement; it is left out.
    2. A clause counts where a first person commits ("I will", "je choisis", "tôi sẽ", "我会", "سأختار", …)
       and a label follows in the same clause; what comes after "rather than" and the like does not count.
    3. It does not count where it is negated, reports what one says or makes believe, or stands in a sentence
       on a condition, a possibility or another round.
    4. One label over all such clauses is announced; both, or none, are not: None.

    Parameters
    ----------
    text : str or None
        English, French, Vietnamese, Chinese, Arabic; all are looked for in any text.
    labels : sequence of str
        The game's two actions. Case, white space and quotation marks do not count, so that ``Option A`` is
        OptionA.

    Examples
    --------
    >>> announced_action("I will choose Option A, as before. You may take Option B.", ("OptionA", "OptionB"))
    'OptionA'
    """
    found = set(commitments(text, labels))
    return found.pop() if len(found) == 1 else None


def intended_action(text: str | None, labels: Sequence[str]) -> str | None:
    """The action that a private text commits to last, None where none does.

    As `announced_action`, but the last commitment counts: deliberation weighs both options first.
    """
    found = commitments(text, labels)
    return found[-1] if found else None


def commitments(text: str | None, labels: Sequence[str]) -> list[str]:
    """The labels that the clauses of a text commit to, in order; a clause with both commits to both."""
    if not text:
        return []
    spelt = _OWN_ACT.sub("\n", unicodedata.normalize("NFKC", text[:_LONGEST]))
    spelt = _PUNCTUATED.sub(_kept, _QUOTED.sub(" ", spelt)).casefold()
    names = _names(tuple(labels))
    found: list[str] = []
    for sentence in _SENTENCE.split(spelt):
        if not _ELSEWHERE.search(sentence):
            for clause in _CLAUSE.split(sentence):
                found += _of_clause(clause, names)
    return found


def _of_clause(clause: str, names: tuple[tuple[str, re.Pattern[str]], ...]) -> list[str]:
    opens = _COMMITS.search(clause)
    if opens is None:
        return []
    rejected = _REJECTED.search(clause, opens.end())
    end = rejected.start() if rejected else len(clause)
    found = [
        (label, match) for label, pattern in names if (match := pattern.search(clause, opens.end(), end))
    ]
    if not found or _NEGATED.search(clause, 0, end):
        return []
    named = max(match.end() for _, match in found)
    return [] if _REPORTS.search(clause, 0, named) else [label for label, _ in found]


def _kept(match: re.Match[str]) -> str:
    """An apostrophe within a word stays, quotes and emphasis go."""
    mark, text = match[0], match.string
    inside = match.start() > 0 and text[match.start() - 1].isalpha()
    if mark in ("'", "’") and inside and text[match.end() : match.end() + 1].isalpha():
        return "'"
    return " "


@lru_cache(maxsize=256)
def _names(labels: tuple[str, ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Each label with the pattern of its spellings: white space anywhere that letters change their kind."""
    return tuple((label, _spelling(label)) for label in labels)


def _spelling(label: str) -> re.Pattern[str]:
    parts = words(label)
    body = r"[\s_-]{0,3}".join(map(re.escape, parts)) or re.escape(label.casefold())
    short = parts[-1] if len(parts) > 1 and len(parts[-1]) == 1 else ""
    if short and parts[0] == "option":
        # "action A" and a bare letter A name Option A; in English "a" is also an article.
        body += rf"|(?:action|choice|l'option|choix)\s{{0,3}}{re.escape(short)}"
    # Letters of a script without spaces may stand next to a label.
    return re.compile(rf"(?<![a-z0-9])(?:{body})(?![a-z0-9])")
