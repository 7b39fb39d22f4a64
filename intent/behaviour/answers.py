"""Readers of answers to comprehension questions: the one thing that an answer states, or nothing.

Words for numbers in five languages, and Chinese numerals.

The one number that a text states, in the digits and words of five languages; never a guess.

The one name that a sentence gives: a label of the game, private or public; never a guess.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType

from intent.base.announcements import DENIALS, either
from intent.base.replies import digits, read_stated, read_strict, strip_reasoning, words

__all__ = [
    "BEYOND",
    "LONGEST_ANSWER",
    "WORDS",
    "chinese",
    "read_action",
    "read_amount",
    "read_extremes",
    "read_number",
    "read_type",
]


_ENGLISH = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
]
_FRENCH = [
    "zéro",
    "un",
    "deux",
    "trois",
    "quatre",
    "cinq",
    "six",
    "sept",
    "huit",
    "neuf",
    "dix",
    "onze",
    "douze",
    "treize",
    "quatorze",
    "quinze",
    "seize",
    "dix-sept",
    "dix-huit",
    "dix-neuf",
    "vingt",
]
_VIETNAMESE = [
    "không",
    "một",
    "hai",
    "ba",
    "bốn",
    "năm",
    "sáu",
    "bảy",
    "tám",
    "chín",
    "mười",
    "mười một",
    "mười hai",
    "mười ba",
    "mười bốn",
    "mười lăm",
    "mười sáu",
    "mười bảy",
    "mười tám",
    "mười chín",
    "hai mươi",
]
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

_ARABIC_TENS = [
    "عشرون",
    "عشرين",
    "ثلاثون",
    "ثلاثين",
    "اربعون",
    "اربعين",
    "خمسون",
    "خمسين",
    "ستون",
    "ستين",
    "سبعون",
    "سبعين",
    "ثمانون",
    "ثمانين",
    "تسعون",
    "تسعين",
]

_BEYOND = [
    "thirty",
    "forty",
    "fifty",
    "sixty",
    "seventy",
    "eighty",
    "ninety",
    "hundred",
    "hundreds",
    "thousand",
    "thousands",
    "million",
    "half",
    "dozen",
    "trente",
    "quarante",
    "cinquante",
    "soixante",
    "septante",
    "huitante",
    "nonante",
    "vingts",
    "cent",
    "cents",
    "mille",
    "million",
    "demi",
    "douzaine",
    "mươi",
    "lăm",
    "nhăm",
    "mốt",
    "trăm",
    "nghìn",
    "ngàn",
    "triệu",
    "rưỡi",
    "chục",
    "مئة",
    "مائة",
    "مئتان",
    "مئتين",
    "الف",
    "الفان",
    "الاف",
    "مليون",
    "نصف",
]

BEYOND = frozenset([*_BEYOND, *_ARABIC_TENS[2:], *(f"و{tens}" for tens in _ARABIC_TENS)])
"""Words that make another number of the one beside them; a text with one of them is not read."""

UNITS = frozenset(
    [
        "year",
        "years",
        "yr",
        "yrs",
        "round",
        "rounds",
        "point",
        "points",
        "turn",
        "turns",
        "time",
        "times",
        "an",
        "ans",
        "année",
        "années",
        "tour",
        "tours",
        "manche",
        "manches",
        "fois",
        "năm",
        "vòng",
        "điểm",
        "lượt",
        "ván",
        "lần",
        "سنة",
        "سنوات",
        "عام",
        "اعوام",
        "جولة",
        "جولات",
        "نقطة",
        "نقاط",
    ]
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


LONGEST_ANSWER = 4_000
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

    Examples
    --------
    >>> [read_number(x) for x in ("10 years", "**١٢**", "vingt", "between 5 and 10")]
    [Decimal('10'), Decimal('12'), Decimal('20'), None]
    """
    if len(text) > LONGEST_ANSWER:
        return None
    plain = _plain_digits(text)
    if _BOUND.search(plain):
        return None
    numbers = [_signed(plain, m.start(), _figures(m[1], m[2])) for m in _FIGURES.finditer(plain)]
    for match in _CHINESE.finditer(plain):
        value = chinese(match[2]) if match[2] != "一" else None
        if value is not None:
            numbers.append(Decimal(-value if match[1] else value))
    words = list(_WORD.finditer(plain))
    if any(m[0] in BEYOND for m in words) or _compound(plain, words):
        return None
    numbers += [_signed(plain, m.start(), Decimal(WORDS[m[0]])) for m in words if m[0] not in ARTICLES]
    if not numbers:
        numbers = _alone(plain)
    return numbers[0] if len(set(numbers)) == 1 else None


def _plain_digits(text: str) -> str:
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


LONGEST_SENTENCE = 4_000
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

_PROSE_ARABIC = re.compile(r"[\u0620-\u064a]")


def _only_named(text: str, patterns: Mapping[str, str]) -> str | None:
    """The one name that the text gives, where no sentence that gives it denies it or asks.

    A name within a longer one does not count; two names are a miss, and so is a name in a sentence
    with a word such as *not*, with a question mark, or on one's own move: "anything but X", "will they X?",
    "I will X".

    Parameters
    ----------
    patterns : mapping of name -> regular expression for folded text (NFKC, case), longest names first

    Examples
    --------
    >>> _only_named("I think they will cooperate.", _label_patterns(("Cooperate", "Defect")))
    'Cooperate'
    """
    if len(text) > LONGEST_SENTENCE:
        return None
    named = set()
    for match in _SENTENCE.finditer(_folded(text)):
        sentence, here = match[0], set()
        for name, pattern in patterns.items():
            rest = re.sub(pattern, " \0 ", sentence)
            if rest != sentence:
                here.add(name)
                sentence = rest
        question = sentence.rstrip().endswith(("?", "؟"))
        if here and (question or _DENIAL.search(sentence) or _OWN.search(match[0])):
            return None
        named |= here
    return named.pop() if len(named) == 1 else None


@lru_cache(maxsize=256)
def _label_patterns(labels: tuple[str, ...]) -> Mapping[str, str]:
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
        else rf"(?<!{_LETTER})" + ("(?:ال)?" if _PROSE_ARABIC.match(plain[0]) else "")
    )
    return before + body + ("" if _NO_SPACES.match(plain[-1]) else rf"(?!{_LETTER})")


def _folded(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(c for c in folded if unicodedata.category(c) != "Cf")


_LARGEST = r"maximum|maximale?|maximal|max|最大|最多|最高|(?:ال)?[أا]قصى|tối đa|nhiều nhất|cao nhất|lớn nhất"
_LEAST = r"minimum|minimale?|minimal|min|最小|最少|最低|(?:ال)?[أا]دنى|tối thiểu|ít nhất|thấp nhất|nhỏ nhất"
_LARGER = r"highest|largest|greatest|biggest|(?:la |le )?plus (?:élevée?|haute?|grande?)|[أا]على|[أا]كبر"
_SMALLER = r"lowest|smallest|least|(?:la |le )?plus (?:faible|basse?|petite?)|[أا]صغر|[أا]قل"
"""Words of the question, which answers in sentences repeat; looked for where the others are not."""


_EITHER = r"(?<![a-z])(?:(?P<largest>%s)|(?P<least>%s))(?![a-z])"
_ENDS = re.compile(_EITHER % (_LARGEST, _LEAST), re.IGNORECASE)
_ENDS_IN_PROSE = re.compile(_EITHER % (f"{_LARGEST}|{_LARGER}", f"{_LEAST}|{_SMALLER}"), re.IGNORECASE)

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
    label alone (`read_strict`), else as sentences that name one (`_only_named`).

    Parameters
    ----------
    labels : sequence of str, in the game's order

    Examples
    --------
    >>> read_action("{'ANSWER': 'Cooperate'}", ("Cooperate", "Defect"))
    'Cooperate'
    """
    body = _body(answer)
    return read_strict(body, labels).action or _only_named(body, _label_patterns(tuple(labels)))


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
    if len(body) > LONGEST_ANSWER:
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
    numbers: dict[str, set[Decimal | None]] = {"largest": set(), "least": set()}
    for word, part in zip(words, before if leads else behind, strict=True):
        numbers[str(word.lastgroup)].add(read_number(part))
    values = [next(iter(v)) if len(v) == 1 else None for v in numbers.values()]
    if values[0] is None or values[1] is None:
        return None
    return values[0], values[1]


def read_type(answer: str) -> str | None:
    """``private`` or ``public``, as an answer says in one of five languages."""
    return _only_named(_body(answer), _TYPES)


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
        return _OWN_MOVE.sub("", text) if len(text) <= LONGEST_ANSWER else ""
    return _WORKING.sub("", stated)
