"""The one number that a text states, in the digits and words of five languages; never a guess."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from itertools import pairwise

from intent.agents.questions.number_words import ARTICLES, BEYOND, CHINESE, MINUS, UNITS, WORDS, chinese
from intent.agents.replies.normalise import digits

__all__ = ["LONGEST", "plain_digits", "read_number"]

LONGEST = 4_000
"""Characters of an answer that are looked at; a longer one is not read."""

_PUNCTUATION = str.maketrans(
    {"−": "-", "﹣": "-", "－": "-", "٫": ".", "．": ".", "，": ", ", "：": ": ", "٬": "'", "’": "'"}
    | dict.fromkeys("\u00a0\u202f\u2009\u2007", "\u2009")
    | dict.fromkeys("أإآٱ", "ا")
)
_FIGURES = re.compile(
    r"(?<![a-z0-9_.])([-–](?=\d))?"
    r"(\d{1,3}(?:['\u2009]\d{3}){1,5}(?:[.,]\d{1,9})?"
    r"|\d{1,3}(?:,\d{3}){1,5}(?:\.\d{1,9})?|\d{1,3}(?:\.\d{3}){1,5}(?:,\d{1,9})?"
    r"|\d{1,20}(?:[.,]\d{1,15})?)"
    r"(?![.,]?\d|e[-+]?\d|[²³¹⁰-⁹½¼¾])"
)
_CHINESE = re.compile(
    rf"(?<![唯统之同专])([负負])?([{CHINESE}]{{1,12}})(?=[轮年次局刑岁]|回合|分?(?:[^\w]|$))"
)
_LONE_CHINESE = re.compile(r"\W*一(?:[轮年次局分]|回合)?\W*")
_WORD = re.compile(
    r"(?<![^\W_])(?:"
    + "|".join(sorted(map(re.escape, {*WORDS, *BEYOND}), key=len, reverse=True))
    + r")(?![^\W_])"
)
_BOUND = re.compile(
    r"\b(?:more|less|fewer|greater|higher|lower) than\b|\bat (?:least|most)\b"
    r"|\bor (?:more|less|fewer|higher)\b"
    r"|\b(?:over|under|above|below|up to|not)\s{1,2}[-−]?\d"
    r"|\b(?:plus|moins) (?:de|d'|que)\s{0,2}\d|\bau (?:moins|plus)\b|\bou (?:plus|moins)\b|\bpas\s{1,2}\d"
    r"|\b(?:ít nhất|nhiều nhất|trở lên|hơn|dưới|không quá|không phải)\b"
    r"|(?<=\w)\s{0,2}[+×]\s{0,2}\d"
    r"|至少|至多|最多|不到|不足|超过|超過|多于|少于|不是|\d\s{0,2}[年轮輪分次局]?[及或]?(?:以上|以下)"
    r"|(?:اكثر|اقل) من|على الاقل|على الاكثر|(?<!\w)ليس(?!\w)"
)
"""What makes a bound, a denial or a term of a sum of the number beside it."""
_BEFORE = re.compile(r"(\w+)\s{0,2}$")


def read_number(text: str) -> Decimal | None:
    """The number, where the text states exactly one.

    1. Digits of any script, with a sign and with thousands apart (``1,234`` and ``1.234.567`` have thousands,
       ``1.234`` and ``1,5`` decimals), words from zero to twenty, and Chinese numerals are numbers; digits
       glued behind a Latin letter (``Q2``) are none.
    2. The same number again is no second one. Two different numbers are a miss.
    3. Words that mostly mean something else (*one*, *un*, *năm*: year, *không*: not) are numbers only where
       they stand alone or before what is counted (*one round*).
    4. A compound that this does not know (*thirty*, *vingt et un*) is a miss, and so is a bound or a denial
       (*at least 5*, *not 5*).

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> [read_number(x) for x in ("10 years", "**١٢**", "vingt", "between 5 and 10")]
    [Decimal('10'), Decimal('12'), Decimal('20'), None]
    """
    if len(text) > LONGEST:
        return None
    plain = plain_digits(text)
    if _BOUND.search(plain):
        return None
    found = [_signed(plain, m.start(), _figures(m[1], m[2])) for m in _FIGURES.finditer(plain)]
    for match in _CHINESE.finditer(plain):
        value = chinese(match[2]) if match[2] != "一" else None
        if value is not None:
            found.append(Decimal(-value if match[1] else value))
    words = list(_WORD.finditer(plain))
    if any(m[0] in BEYOND for m in words) or _compound(plain, words):
        return None
    found += [_signed(plain, m.start(), Decimal(WORDS[m[0]])) for m in words if m[0] not in ARTICLES]
    if not found:
        found = _alone(plain)
    return found[0] if len(set(found)) == 1 else None


def plain_digits(text: str) -> str:
    """Lower case, digits of all scripts as 0 to 9, signs as in English, no Arabic vowel signs."""
    folded = unicodedata.normalize("NFC", text).translate(_PUNCTUATION).lower()
    return "".join(
        c
        for c in digits(folded)
        if not ("\u064b" <= c <= "\u0652" or c == "\u0640" or unicodedata.category(c) == "Cf")
    )


def _figures(sign: str | None, digits: str) -> Decimal:
    bare = digits.replace("'", "").replace("\u2009", "")
    comma, point = bare.count(","), bare.count(".")
    if comma and point:
        last = "," if bare.rfind(",") > bare.rfind(".") else "."
        bare = bare.replace("." if last == "," else ",", "").replace(last, ".")
    elif point > 1:
        bare = bare.replace(".", "")
    elif comma:
        grouped = comma > 1 or re.fullmatch(r"[1-9]\d{0,2},\d{3}", bare)
        bare = bare.replace(",", "" if grouped else ".")
    value = Decimal(bare)
    return -value if sign else value


def _compound(plain: str, words: list[re.Match[str]]) -> bool:
    """Whether words for numbers are part of another one: two in a row, or *twenty-first*."""
    if any(re.match(r"-[^\W\d_]", plain[word.end() :]) for word in words):
        return True
    for a, b in pairwise(words):
        between = plain[a.end() : b.start()]
        if re.fullmatch(r"[\s-]+|\s+(?:et|and)\s+|-et-|\s+و\s*", between) and b[0] not in UNITS:
            return True
    return False


def _signed(plain: str, start: int, value: Decimal) -> Decimal:
    """The value, negative after a word for minus."""
    before = _BEFORE.search(plain, max(0, start - 20), start)
    negative = before is not None and (before[1] in MINUS or before[1].endswith(("负", "負")))
    return -value if negative else value


def _alone(plain: str) -> list[Decimal]:
    """The number of a text that is one word that may be a number, alone or with a unit."""
    if _LONE_CHINESE.fullmatch(plain):
        return [Decimal(1)]
    words = re.findall(r"\w+", plain)
    if not 1 <= len(words) <= 2 or words[0] not in ARTICLES or not set(words[1:]) <= UNITS:
        return []
    return [Decimal(WORDS[words[0]])]
