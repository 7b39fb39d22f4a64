"""The one name that a sentence gives: a label of the game, private or public; never a guess."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache

__all__ = ["LONGEST", "label_patterns", "only_named"]

LONGEST = 4_000
"""Characters of an answer that are looked at; a longer one is not read."""

_DENIAL = re.compile(
    r"\b(?:not|never|neither|nor|no|unlikely|without|cannot|avoid|refuse[sd]?|instead of|rather than|"
    r"other than|anything but|less likely)\b|n['’]t\b"
    r"|\b(?:ne|pas|jamais|ni|non|sans|plutôt que|au lieu|peu probable)\b|\bn['’]"
    r"|\b(?:không|chưa|chẳng|đừng|thay vì|khó)\b"
    r"|[不没沒非未别別勿无無]"
    r"|(?<!\w)(?:لا|لن|لم|ليس|ليست|غير|بدلا|بدلاً|عدم|دون)(?!\w)"
)
_SENTENCE = re.compile(r"[^.!?。！？؟۔;；\n]{1,4000}[.!?。！？؟۔;；]{0,10}")
_NO_SPACES = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_ARABIC = re.compile(r"[\u0620-\u064a]")


def only_named(text: str, patterns: Mapping[str, str]) -> str | None:
    """The one name that the text gives, where no sentence that gives it denies it or asks.

    A name within a longer one does not count; two names are a miss, and so is a name in a sentence
    with a word such as *not*, or with a question mark: "anything but X", "will they X?".

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
        if here and (_DENIAL.search(sentence) or sentence.rstrip().endswith(("?", "؟"))):
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
    spread = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[^\W\d_])(?=\d)", " ", unicodedata.normalize("NFKC", label))
    atoms = [re.escape(_folded(atom)) for atom in re.split(r"[\s_-]+", spread) if atom]
    body = r"[\s_-]{0,2}".join(atoms) or re.escape(_folded(label))
    plain = _folded(label)
    before = "" if _NO_SPACES.match(plain[0]) else r"(?<!\w)" + ("(?:ال)?" if _ARABIC.match(plain[0]) else "")
    return before + body + ("" if _NO_SPACES.match(plain[-1]) else r"(?!\w)")


def _folded(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(c for c in folded if unicodedata.category(c) != "Cf")
