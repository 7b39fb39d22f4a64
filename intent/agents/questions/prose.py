"""The one name that a sentence gives: a label of the game, private or public; never a guess."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache

from intent.agents.replies.negations import DENIALS, either
from intent.agents.replies.normalise import words

__all__ = ["LONGEST", "label_patterns", "only_named"]

LONGEST = 4_000
"""Characters of an answer that are looked at; a longer one is not read."""

_DENIAL = either(DENIALS)
_OWN = re.compile(
    r"^\W*(?:(?:and|so|then|but) )?(?:i (?:will|shall|choose|chose|have chosen|am going to) |i['’]ll )"
    r"(?!say|answer|guess|bet)"
    r"|^\W*(?:je (?:vais|choisis|choisirai)|j['’]ai choisi)\b(?! (?:dire|répondre))"
    r"|^\W*tôi (?:sẽ|chọn|đã chọn)\b|^\W*我(?:会选|會選|将选|將選|选|選)|^\W*(?:انا )?(?:ساختار|سأختار|اخترت)"
)
"""Begins a sentence on one's own move."""
_SENTENCE = re.compile(r"[^.!?。！？؟۔;；\n]{1,4000}[.!?。！？؟۔;；]{0,10}")
_UNSPACED = r"\u3040-\u30ff\u3400-\u9fff"
_NO_SPACES = re.compile(f"[{_UNSPACED}]")
_LETTER = rf"[^\W{_UNSPACED}]"
"""Of a word with spaces around it; Chinese writes a label of Latin letters without: 选择OptionB."""

_ARABIC = re.compile(r"[\u0620-\u064a]")


def only_named(text: str, patterns: Mapping[str, str]) -> str | None:
    """The one name that the text gives, where no sentence that gives it denies it or asks.

    A name within a longer one does not count; two names are a miss, and so is a name in a sentence
    with a word such as *not*, with a question mark, or on one's own move: "anything but X", "will they X?",
    "I will X".

    Parameters
    ----------
    text : str
    patterns : mapping of name -> regular expression for folded text (NFKC, case), longest names first

    Examples
    --------
    >>> only_named("I think they will cooperate.", label_patterns(("Cooperate", "Defect")))
    'Cooperate'
    """
    if len(text) > LONGEST:
        return None
    named = set()
    for match in _SENTENCE.finditer(_folded(text)):
        sentence, here = match[0], set()
        for name, pattern in patterns.items():
            rest = re.sub(pattern, " \0 ", sentence)
            if rest != sentence:
                here.add(name)
                sentence = rest
        asked = sentence.rstrip().endswith(("?", "؟"))
        if here and (asked or _DENIAL.search(sentence) or _OWN.search(match[0])):
            return None
        named |= here
    return named.pop() if len(named) == 1 else None


@lru_cache(maxsize=256)
def label_patterns(labels: tuple[str, ...]) -> Mapping[str, str]:
    """Regular expressions of labels in sentences, longest first; none where a label is too short to be told.

    A label of one character is also a word ("A"), and labels that differ in case alone are not told apart.
    """
    folded = {label: _folded(label) for label in labels}
    if len(set(folded.values())) < len(labels) or any(len(text) < 2 for text in folded.values()):
        return {}
    ordered: Sequence[str] = sorted(labels, key=lambda label: -len(folded[label]))
    return {label: _pattern(label) for label in ordered}


def _pattern(label: str) -> str:
    """A label as a word, with or without spaces where it has them, a capital, or a figure."""
    body = r"[\s_-]{0,3}".join(map(re.escape, words(label))) or re.escape(_folded(label))
    plain = _folded(label)
    before = (
        ""
        if _NO_SPACES.match(plain[0])
        else rf"(?<!{_LETTER})" + ("(?:ال)?" if _ARABIC.match(plain[0]) else "")
    )
    return before + body + ("" if _NO_SPACES.match(plain[-1]) else rf"(?!{_LETTER})")


def _folded(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(c for c in folded if unicodedata.category(c) != "Cf")
