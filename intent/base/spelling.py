"""Spellings that mean the same label: width, case, spaces, quotes, emphasis, invisible characters.

Words that turn a sentence against the name in it, in five languages: data for those who read sentences.

Each is a regular expression on text in lower case. Languages that part words by spaces have word limits.

How prompts write numbers: the same digits in every language.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

__all__ = [
    "DENIALS",
    "LONGEST_LABEL",
    "NEGATIONS",
    "REJECTIONS",
    "Spellings",
    "digits",
    "either",
    "key",
    "number_text",
    "parts",
    "spellings",
    "sum_text",
    "without_fence",
    "words",
]


LONGEST_LABEL = 4_000
"""Characters of a reply that are looked at; a longer one cannot be a label and its decoration."""

_OPENING = "*_`#>•·-–—"
"""Markdown before a label: emphasis, code, headings, quotations, bullets."""

_CLOSING = "*_`.!,:;。、،؛۔।…"
"""Emphasis, code and punctuation after a label. A question mark is none: who asks has not chosen."""

_QUOTES = "\"'`´"

_WORDS = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+|\d+|[^\w\s]")

_FENCE = re.compile(r"```[a-z]{0,12}\n(.*)```", re.DOTALL | re.IGNORECASE)


def key(text: str) -> str:
    """`text` as labels are compared: NFKC, case folded, without white space and invisible characters.

    Invisible are all of Unicode's control and format characters (general categories Cc and Cf: zero-width
    spaces and joiners, marks of direction, byte order marks) and variation selectors.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return "".join(c for c in folded if not (c.isspace() or _invisible(c)))


def words(label: str) -> tuple[str, ...]:
    """The words of a label in lower case, as sentences may write it: apart, together, or joined by a dash.

    Examples
    --------
    >>> words("OptionA"), words("tit-for-tat"), words("-10")
    (('option', 'a'), ('tit', 'for', 'tat'), ('-', '10'))
    """
    plain = "".join(c for c in unicodedata.normalize("NFKC", label) if not _invisible(c))
    return tuple(word.casefold() for word in _WORDS.findall(re.sub(r"(?<=\w)[-_]+(?=\w)", " ", plain)))


def digits(text: str) -> str:
    """`text` with the digits of every script as 0 to 9.

    Examples
    --------
    >>> digits("٤٢ points, １５")
    '42 points, 15'
    """
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)


def parts(spelt: str) -> tuple[str, str, str]:
    """Decoration before, core, decoration after: quotes, brackets, emphasis, punctuation."""
    start, end = 0, len(spelt)
    while start < end and (spelt[start] in _OPENING or _encloses(spelt[start])):
        start += 1
    while end > start and (spelt[end - 1] in _CLOSING or _encloses(spelt[end - 1])):
        end -= 1
    return spelt[:start], spelt[start:end], spelt[end:]


def without_fence(text: str) -> str:
    """The inside of a text that is one fenced block of Markdown, else the text."""
    match = _FENCE.fullmatch(text.strip())
    return match[1] if match else text


def _encloses(char: str) -> bool:
    return char in _QUOTES or unicodedata.category(char) in ("Ps", "Pe", "Pi", "Pf")


def _invisible(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cf") or "\ufe00" <= char <= "\ufe0f"


class Spellings:
    """The labels of a game by what remains of them after normalisation.

    Decoration that a label has itself is required of a reply: with the labels ``1`` and ``-1``, ``**-1**`` is
    the second. Labels that are alike after `key` (``A`` and ``a``) are only read as they are spelt.

    Parameters
    ----------
    labels : sequence of str, distinct
    """

    def __init__(self, labels: Sequence[str]) -> None:
        self.labels = tuple(labels)
        self._fold: Callable[[str], str] = key
        if len({key(label) for label in labels} - {""}) < len(self.labels):
            self._fold = str.strip
        self._keys = {self._fold(label): label for label in labels}
        self._parts = sorted(((*parts(k), label) for k, label in self._keys.items()), key=_own, reverse=True)

    def label(self, text: str) -> str | None:
        """The label that `text` is, or None."""
        if len(text) > LONGEST_LABEL:
            return None
        spelt = self._fold(text)
        if spelt in self._keys:
            return self._keys[spelt]
        before, core, after = parts(spelt)
        for own_before, own_core, own_after, label in self._parts:
            if core == own_core and before.endswith(own_before) and after.startswith(own_after):
                return label
        return None

    def named(self, text: str) -> tuple[str, ...]:
        """The labels that occur in the beginning of `text`; one within a longer one does not count."""
        spelt = self._fold(text[:LONGEST_LABEL])
        named = set()
        for known in sorted(self._keys, key=len, reverse=True):
            if known in spelt:
                named.add(self._keys[known])
                spelt = spelt.replace(known, "\0")
        return tuple(label for label in self.labels if label in named)


def _own(entry: tuple[str, str, str, str]) -> int:
    return len(entry[0]) + len(entry[2])


@lru_cache(maxsize=256)
def spellings(labels: tuple[str, ...]) -> Spellings:
    """The spellings of a game's labels, kept between replies."""
    return Spellings(labels)


_NOT = {
    "en": "not|never|avoid",
    "fr": "ne|pas|jamais",
    "vi": "không|chẳng|đừng",
    "zh": "不|没|別|别",
    "ar": "لا|لن|لم|ليس",
}

NEGATIONS = {
    "en": (_NOT["en"], r"refuse|\w+n't"),
    "fr": (_NOT["fr"], "n'|éviter"),
    "vi": (_NOT["vi"], "tránh"),
    "zh": (_NOT["zh"], "避免"),
    "ar": (rf"(?<!\w)(?:{_NOT['ar']}|تجنب)(?!\w)",),
}
"""Negate a clause that commits."""

REJECTIONS = {
    "en": ("rather than|instead of|and not|over",),
    "fr": ("plutôt que|plutôt qu'|au lieu de|et non|et pas",),
    "vi": ("thay vì|chứ không|hơn là",),
    "zh": ("而不是|而非|不是",),
    "ar": ("بدلا من|بدلًا من|وليس",),
}
"""What follows is the option that is not taken."""

DENIALS = {
    "en": (
        _NOT["en"],
        r"neither|nor|no|unlikely|without|cannot|refuse[sd]?|instead of|rather than|\w*n['’]t",
        "other than|anything but|less likely|hardly|scarcely|barely|rarely|seldom|doubt(?:s|ful)?|except",
        "opposite|fail(?:s|ed)?|stop(?:s|ped)?|ceases?|mistake",
    ),
    "fr": (
        _NOT["fr"],
        r"ni|non|sans|plutôt que|au lieu|peu probable|peu de chances?|aucune?|rarement|guère|n['’]\w*",
        "sauf|contraire|doute",
    ),
    "vi": (_NOT["vi"], "chưa|thay vì|khó|ít khả năng|hiếm khi|trừ|ngược lại"),
    "zh": (_NOT["zh"], "[沒非未勿无無]|很少|除了|相反|拒绝|拒絕"),
    "ar": (rf"(?<!\w)(?:{_NOT['ar']}|ليست|غير|بدلا|بدلاً|عدم|دون|نادرا|نادراً|عكس|باستثناء|يستبعد)(?!\w)",),
}
"""Deny, doubt or except what a sentence names, anywhere in it.

Wider than `NEGATIONS`, since a name that is not read is a miss and one that is misread an error.
"""

_SPACED = ("en", "fr", "vi")


def either(words: Mapping[str, tuple[str, ...]]) -> re.Pattern[str]:
    """One pattern for the words of all languages."""
    parts = []
    for language, alternatives in words.items():
        joined = "|".join(alternatives)
        parts.append(rf"(?<!\w)(?:{joined})(?!\w)" if language in _SPACED else joined)
    return re.compile("|".join(parts))


DIGITS = 12


def number_text(value: float) -> str:
    """The shortest text of the value rounded to 12 significant digits.

    That is 6, 0.6, 3.33333333333, never 0.6000000000000001: what arithmetic in binary adds at the end
    is no part of the game. Full digits are in the log.
    """
    rounded = float(f"{value:.{DIGITS}g}")
    return str(int(rounded)) if rounded.is_integer() and abs(rounded) < 1e15 else repr(rounded)


def sum_text(values: Iterable[float]) -> str:
    """The sum, as `written`."""
    return number_text(math.fsum(values))
