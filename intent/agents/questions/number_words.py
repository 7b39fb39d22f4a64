"""Words for numbers in five languages, and Chinese numerals."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["ARTICLES", "BEYOND", "CHINESE", "MINUS", "UNITS", "WORDS", "chinese"]


def _words(text: str, separator: str | None = None) -> list[str]:
    return text.split(separator)


_ENGLISH = _words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
)
_FRENCH = _words(
    "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize "
    "dix-sept dix-huit dix-neuf vingt"
)
_VIETNAMESE = _words(
    "không|một|hai|ba|bốn|năm|sáu|bảy|tám|chín|mười|mười một|mười hai|mười ba|mười bốn|mười lăm|mười sáu|"
    "mười bảy|mười tám|mười chín|hai mươi",
    "|",
)
_ARABIC: tuple[tuple[str, ...], ...] = (
    ("صفر",),
    ("واحد", "واحدة"),
    ("اثنان", "اثنين", "اثنتان", "اثنتين"),
    ("ثلاثة", "ثلاث"),
    ("اربعة", "اربع"),
    ("خمسة", "خمس"),
    ("ستة", "ست"),
    ("سبعة", "سبع"),
    ("ثمانية", "ثماني", "ثمان"),
    ("تسعة", "تسع"),
    ("عشرة", "عشر"),
    ("احد عشر", "احدى عشرة"),
    ("اثنا عشر", "اثني عشر", "اثنتا عشرة", "اثنتي عشرة"),
    *((f"{m} عشر", f"{f} عشرة") for m, f in (("ثلاثة", "ثلاث"), ("اربعة", "اربع"), ("خمسة", "خمس"))),
    *((f"{m} عشر", f"{f} عشرة") for m, f in (("ستة", "ست"), ("سبعة", "سبع"), ("ثمانية", "ثماني"))),
    ("تسعة عشر", "تسع عشرة"),
    ("عشرون", "عشرين"),
)

WORDS: Mapping[str, int] = MappingProxyType(
    {word: n for language in (_ENGLISH, _FRENCH, _VIETNAMESE) for n, word in enumerate(language)}
    | {"zero": 0, "dix sept": 17, "dix huit": 18, "dix neuf": 19, "une": 1, "tư": 4, "bẩy": 7}
    | {word: n for n, forms in enumerate(_ARABIC) for word in forms}
)
"""Word, lower case -> 0 to 20. Arabic without vowel signs and with bare alif."""

ARTICLES = frozenset({"one", "un", "une", "không", "một", "năm", "ba", "tư", "واحد", "واحدة"})
"""Words for numbers that more often mean something else: an article, a pronoun, a year, a denial."""

_ARABIC_TENS = _words(
    "عشرون عشرين ثلاثون ثلاثين اربعون اربعين خمسون خمسين ستون ستين سبعون سبعين ثمانون ثمانين تسعون تسعين"
)

_BEYOND = _words(
    """
    thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands million half dozen
    trente quarante cinquante soixante septante huitante nonante vingts cent cents mille million demi
    douzaine mươi lăm nhăm mốt trăm nghìn ngàn triệu rưỡi chục
    مئة مائة مئتان مئتين الف الفان الاف مليون نصف
    """
)

BEYOND = frozenset([*_BEYOND, *_ARABIC_TENS[2:], *(f"و{tens}" for tens in _ARABIC_TENS)])
"""Words that make another number of the one beside them; a text with one of them is not read."""

UNITS = frozenset(
    _words(
        """
        year years yr yrs round rounds point points turn turns time times
        an ans année années tour tours manche manches fois
        năm vòng điểm lượt ván lần
        سنة سنوات عام اعوام جولة جولات نقطة نقاط
        """
    )
)
"""What is counted in games; "one round" is a number, "one player" need not be."""

MINUS = frozenset({"minus", "negative", "moins", "négatif", "âm", "trừ", "سالب", "ناقص"})

_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_POWERS = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "萬": 10_000}

CHINESE = "".join([*_DIGITS, *_POWERS])
"""Characters of Chinese numerals."""


def chinese(text: str) -> int | None:
    """The value of a run of Chinese numerals, by powers or digit by digit; None where it makes no number.

    Examples
    --------
    >>> [chinese(x) for x in ("十五", "二〇", "三百零四", "万一")]
    [15, 20, 304, None]
    """
    if all(c in _DIGITS for c in text):
        digits = [_DIGITS[c] for c in text]
        if len(digits) > 1 and digits[0] == 0:
            return None
        return int("".join(map(str, digits)))
    if not re.fullmatch(rf"[{''.join(_DIGITS)}]?(?:[十百千万萬]零?[{''.join(_DIGITS)}]?)+", text):
        return None
    total, digit, last = 0, None, 100_000
    for c in text:
        if c in _DIGITS:
            digit = _DIGITS[c] or None
            continue
        power = _POWERS[c]
        if power >= last or (digit is None and (power != 10 or total)):
            return None
        total, digit, last = total + (digit or 1) * power, None, power
    return total + (digit or 0)
