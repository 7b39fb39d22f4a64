"""What came of reading a reply: one of the labels of a game, an object, what it states at its end.

Spellings mean the same label whatever their width, case, spaces, quotes, emphasis, invisible characters.

The reader ``strict`` takes a label and nothing else: a reply is read if it is one of the labels after
normalisation (`Spellings`): width and case, any spaces ("Option A"), and around it quotes, brackets,
Markdown, punctuation, one code fence. Anything more is refused, also "Answer: OptionA" and "I choose
OptionA": who says more may say the opposite ("anything but OptionA"), and a rule that guesses from sentences
works better in some languages than in others, so that what it misreads looks like an effect of language.

The reader of replies that think first and then state: ``DECISION: OptionA``, ``{'ANSWER': '5'}``.

Reasoning that a model writes before its answer, taken out and kept apart.

FAIRGAME's reader is for replications: the first label, in the order of the game's options, whose
lower-cased text is a substring of the lower-cased reply. So "not OptionA but OptionB" is OptionA, "Option
A" is nothing, and a label that begins another one and is listed before it shadows it (FAIRGAME,
aira-list/FAIRGAME, src/fairgame.py).
"""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Literal, NamedTuple

from intent.base.errors import UnknownNameError, shorten

__all__ = [
    "FIELDS",
    "LONGEST_LABEL",
    "LONGEST_REPLY",
    "Pairs",
    "Parser",
    "Reading",
    "Spellings",
    "answer_value",
    "digits",
    "is_object",
    "key",
    "loose_object",
    "no_reading",
    "objects_in",
    "parts",
    "read_decision",
    "read_fairgame",
    "read_json",
    "read_reply",
    "read_stated",
    "read_strict",
    "reading_of",
    "spellings",
    "strip_reasoning",
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


@dataclass(frozen=True)
class Reading:
    """A label, or why there is none.

    Parameters
    ----------
    action : str or None
        The label as the game spells it.
    why : str or None
        One line; None where there is a label.
    """

    action: str | None
    why: str | None = None


def reading_of(labels: Sequence[str], named: Sequence[str]) -> Reading:
    """The reading of a reply that names these labels: exactly one is an answer."""
    if len(named) == 1:
        return Reading(named[0])
    if named:
        return no_reading(f"names {' and '.join(named)}, expected one of them")
    return no_reading(f"names none of {', '.join(labels)}")


def no_reading(why: str) -> Reading:
    """A reply that cannot be read."""
    return Reading(None, shorten(why, 200))


def read_strict(text: str, labels: Sequence[str]) -> Reading:
    """The label that the reply is.

    Parameters
    ----------
    text : str, without reasoning
    labels : sequence of str
    """
    known = spellings(tuple(labels))
    if len(text) <= LONGEST_LABEL and (label := known.label(without_fence(text))) is not None:
        return Reading(label)
    if not text.strip():
        return no_reading("an empty reply")
    named = known.named(text)
    if len(named) == 1:
        return no_reading(f"more than a label: names {named[0]} among other words")
    return reading_of(labels, named)


LONGEST_REPLY = 100_000
"""Characters of a reply in which an object is looked for, and at its end a statement."""

LONGEST_VALUE = 2_000
"""Characters of a stated value."""

_MARKS = "\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff"
"""Zero-width and directional marks, which replies in Arabic put before Latin words."""

_OPEN, _CLOSE = "\"'“‘`", "\"'”’`"

_ENDS = ".!?…。！？؟۔"
"""What ends a sentence, after which a statement may stand on the same line."""

_PAIRS = (("“", "”"), ("«", "»"), ("「", "」"), ("『", "』"))

_PLACEHOLDER = re.compile(
    r"[<\[{]\s{0,3}(?:[^<>\[\]{}\n]{0,60}_[^<>\[\]{}\n]{0,60}|your\b[^<>\[\]{}\n]{0,60}"
    r"|(?:the )?(?:option|decision|answer|choice|action|value|number|label|max|min|maximum|minimum|n|x|y|…"
    r"|\.\.\.))\s{0,3}[>\]}]",
    re.IGNORECASE,
)

_GAP = re.compile(r"\s{0,10}")

_SENTENCE = re.compile(r"[.!。！۔](?=\s|$)|[。！۔]")


class _Statement(NamedTuple):
    start: int
    end: int
    value: str


def read_stated(text: str, keyword: str) -> str | None:
    """The value of the last real statement of `keyword`, or None.

    1. A statement is a line ``KEYWORD: value`` in any case, behind nothing but Markdown, bullets or *final*;
       ``KEYWORD: value`` in capitals behind the end of a sentence; or an object with that field, as JSON or
       with single, curly or no quotes. A value may stand on the line after an empty ``KEYWORD:``.
    2. It is none inside a quotation or a block quote, in the middle of a sentence, or where the value is a
       placeholder, such as ``<YOUR_DECISION>``. Different values on one line are an instruction, not a
       statement; those of one object are its value together, which no label is.
    3. A code fence is no quotation, nor are quotation marks around the whole reply.

    Parameters
    ----------
    text : str
        Without reasoning; the last `LONGEST_REPLY` characters are looked at, in linear time.
    keyword : str
        ``DECISION``, ``ANSWER``.

    Returns
    -------
    str or None
        The value without quotes and Markdown around it.

    Examples
    --------
    >>> read_stated("They said: end with 'DECISION: A'.\\n**DECISION:** OptionB", "DECISION")
    'OptionB'
    """
    last = None
    for statement in _real(_inside(text[-LONGEST_REPLY:]), keyword):
        last = statement
    return last


def read_decision(text: str, labels: Sequence[str]) -> Reading:
    """The label that a reply states as its DECISION.

    The stated value is a label as `read_strict` spells them, or its first sentence is one and the rest of
    the line names no other.

    Parameters
    ----------
    text : str, without reasoning
    labels : sequence of str
    """
    value = read_stated(text, "DECISION")
    if value is None:
        return no_reading("states no DECISION")
    known = spellings(tuple(labels))
    if (label := known.label(value)) is not None:
        return Reading(label)
    if end := _SENTENCE.search(value):
        label, rest = known.label(value[: end.start()]), known.named(value[end.end() :])
        if label is not None and set(rest) <= {label}:
            return Reading(label)
    named = known.named(value)
    if len(named) == 1:
        return no_reading(f"DECISION holds more than a label: names {named[0]} among other words")
    return reading_of(labels, named)


def _inside(text: str) -> str:
    """`text` without quotation marks around all of it."""
    stripped = text.strip()
    if len(stripped) > 1 and stripped[0] in '"“' and stripped[-1] in '"”':
        inner = stripped[1:-1]
        if not any(mark in inner for mark in '"“”'):
            return inner
    return text


def _real(text: str, keyword: str) -> Iterator[str]:
    """Values of the statements that are neither quoted nor placeholders, in order."""
    at, quotes = 0, dict.fromkeys(('"', *(mark for pair in _PAIRS for mark in pair)), 0)
    total = {mark: text.count(mark) for mark in quotes}
    line: list[str] = []
    line_end = -1
    for statement in _statements(text, keyword):
        for mark in quotes:
            quotes[mark] += text.count(mark, at, statement.start)
        at = statement.start
        if statement.start > line_end:
            yield from _agreed(line)
            line = []
            line_end = text.find("\n", statement.end)
            line_end = len(text) if line_end < 0 else line_end
        if not _PLACEHOLDER.search(statement.value) and not _quoted(quotes, total):
            line.append(statement.value)
    yield from _agreed(line)


def _agreed(values: list[str]) -> Iterator[str]:
    """The statement of a line; none where it holds different ones."""
    if values and len(set(values)) == 1:
        yield values[0]


def _quoted(before: dict[str, int], total: dict[str, int]) -> bool:
    """Whether a quotation that was opened before is closed later on."""
    if before['"'] % 2 and total['"'] > before['"']:
        return True
    return any(before[a] > before[b] and total[b] > before[b] for a, b in _PAIRS)


def _statements(text: str, keyword: str) -> Iterator[_Statement]:
    """Everything that looks like a statement, in order, without overlaps."""
    line_rule, field_rule, again_rule = _rules(keyword)
    fields = list(field_rule.finditer(text))
    statements = []
    for m in fields:
        if _stands(text, m.start()):  # an object that names the field twice states both
            values = dict.fromkeys(
                _bare(one["value"]) for one in again_rule.finditer(text, m.start(), m.end())
            )
            statements.append(_Statement(m.start(), m.end(), " / ".join(values)))
    starts, ends = [m.start() for m in fields], [m.end() for m in fields]
    lines = []
    for match in line_rule.finditer(text):
        before = bisect_right(starts, match.end()) - 1
        if before < 0 or match.end() > ends[before]:
            lines.append(match)
    nexts = [match.start() for match in lines[1:]] + [len(text)] * bool(lines)
    statements += [_line(text, match, following) for match, following in zip(lines, nexts, strict=True)]
    yield from sorted((one for one in statements if one.value), key=lambda one: one.start)


def _line(text: str, match: re.Match[str], following: int) -> _Statement:
    """The statement of a line; its value is on the next one where the line holds none."""
    # A quotation mark before the keyword alone opens a quotation; around the keyword it is a field's.
    quoted = match["open"] and not match["field"]
    start = match.end("open") if quoted else match.start()
    end = max(match.end(), min(_line_end(text, match.end()), following))
    value = _bare(text[match.end() : end])
    if not value and text[end : end + 1] == "\n":
        gap = _GAP.match(text, end)
        begin = gap.end() if gap else end
        if begin < following and text[begin : begin + 1] not in (">", "{"):
            end = min(_line_end(text, begin), following)
            value = _bare(text[begin:end])
    return _Statement(start, end, value)


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _stands(text: str, start: int) -> bool:
    """Whether an object is a statement where it stands: not in quotation marks behind other words."""
    if text[start] == "," and (start := text.rfind("{", max(0, start - LONGEST_VALUE), start)) < 0:
        return False
    edge = max(0, start - LONGEST_VALUE)
    before = text[max(edge, text.rfind("\n", edge, start) + 1) : start].strip()
    if before.startswith(">"):
        return False
    return not before.strip("`\"'“‘ ") or before[-1] not in _OPEN


def _bare(value: str) -> str:
    """A value without Markdown, quotes and angle brackets around it, at most `LONGEST_VALUE` characters."""
    value = value[:LONGEST_VALUE].strip().strip("*_").strip()
    value = value.removesuffix("}").rstrip() if "{" not in value else value
    if len(value) > 1 and value[0] in _OPEN and value[-1] in _CLOSE:
        value = value[1:-1].strip()
    value = value.rstrip("`*_").strip()
    if len(value) > 2 and value[0] == "<" and value[-1] == ">" and not _PLACEHOLDER.search(value):
        value = value[1:-1].strip()
    return value


@lru_cache(maxsize=16)
def _rules(keyword: str) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """The patterns of a line, of an object with the field, and of the field; every repetition is bounded."""
    key = re.escape(keyword)
    line = (
        rf"(?:(?P<lead>^[ \t*_`#•·–—\-\d.)(\[{_MARKS}]{{0,40}}(?i:(?:(?:my|the)[ ])?(?:final[ ])?)"
        rf"[*_`]{{0,4}}(?P<open>[\"'“‘])?)(?i:{key})(?P<field>[\"'”’])?"
        rf"|(?<=[{_ENDS})])[ \t*_`]{{0,10}}{key})"
        r"[*_` \t]{0,10}[:：]"
    )
    field = rf"(?i:[\{{,]\s{{0,20}}(?:[\"'“”‘’`]{key}[\"'“”‘’`]|(?<=\{{){key}))\s{{0,5}}[:：]\s{{0,20}}"
    value = (
        rf"(?P<value>\"(?:[^\"\\\n]|\\.){{0,{LONGEST_VALUE}}}\"|'[^\n{{}}]{{0,500}}?'(?=\s{{0,20}}[,}}])"
        rf"|“[^”\n]{{0,500}}”|‘[^’\n]{{0,500}}’|\{{[^{{}}]{{0,500}}\}}|\[[^\[\]]{{0,500}}\]|[^,{{}}\n]{{1,500}})"
    )
    rest = r"[^{}]{0,1000}\}"
    return (
        re.compile(line, re.MULTILINE),
        re.compile(field + value + rf"(?:{rest})?"),
        re.compile(field + value),
    )


_TAG = re.compile(r"<(/?)think(?:ing)?(?:\s[^<>]{0,200})?>", re.IGNORECASE)


def strip_reasoning(text: str) -> tuple[str, str | None]:
    """The answer without blocks of reasoning, and the reasoning.

    1. What stands between ``<think>`` or ``<thinking>`` and the tag that closes it is reasoning, over any
       number of lines and in any case.
    2. A closing tag that nothing opened ends reasoning that the prompt began: all before it is reasoning.
    3. A tag that is never closed: the answer is what stands between the last closing tag and it, or nothing
       where no block was closed, since what precedes an endless thought is no answer.

    Parameters
    ----------
    text : str

    Returns
    -------
    answer : str
        Stripped of white space at both ends.
    reasoning : str or None
        The blocks with an empty line between; None where there is none.

    Examples
    --------
    >>> strip_reasoning("<think>B pays more</think>OptionB")
    ('OptionB', 'B pays more')
    """
    answer: list[str] = []
    thoughts: list[str] = []
    position, inside, closed = 0, False, False
    for tag in _TAG.finditer(text):
        if tag[1]:
            part = text[position : tag.start()]
            thoughts += [part] if inside else [*answer, part]
            answer = answer if inside else []
            position, inside, closed = tag.end(), False, True
        elif not inside:
            answer.append(text[position : tag.start()])
            position, inside = tag.end(), True
    rest = text[position:]
    if inside:
        thoughts.append(rest)
        answer = answer if closed else []
    else:
        answer.append(rest)
    reasoning = [stripped for thought in thoughts if (stripped := thought.strip())]
    return "".join(answer).strip(), "\n\n".join(reasoning) or None


Pairs = list[tuple[str, object]]
"""The fields of an object in their order, doubled ones twice; values are texts, numbers, lists, `Pairs`."""

LONGEST_LOOSE = 2_002
"""Characters of an object that is no JSON."""

DEEPEST = 4
"""Objects and lists within one another, of an object that is no JSON."""

MOST = 200
"""Opening braces of a reply at which an object is looked for."""

_QUOTED = re.compile(r"\"(?:[^\"\\\n]|\\.){0,500}\"|'(?:[^'\\\n]|\\.){0,500}'|“[^”\n]{0,500}”")
_NAME = re.compile(r"\w{1,40}")
_BARE = re.compile(r"[^\s,{}\[\]\"'“”]{1,100}")
_SPACE = re.compile(r"\s*")


class _Object(list[tuple[str, object]]):
    """The fields of an object; a list of its own, to tell objects from arrays."""


_DECODER = json.JSONDecoder(object_pairs_hook=_Object, strict=False)


def objects_in(text: str) -> list[Pairs]:
    """The objects of a reply that lie within no other one.

    1. A reply that is one object, fenced or not, is that.
    2. Else every opening brace, from the left, may begin one: JSON, line breaks in texts allowed, or names
       and values with single quotes, curly quotes or none. What lies within an object is not looked at
       again; where none begins at a brace, the next brace may begin one.

    Bounded by `LONGEST_REPLY`, `LONGEST_LOOSE`, `DEEPEST` and `MOST`, so that no text takes long.

    Examples
    --------
    >>> objects_in("I say {'proposal': {1: 98, 2: 0}, 'why': 'so'}.")
    [[('proposal', [('1', '98'), ('2', '0')]), ('why', 'so')]]
    """
    text = without_fence(text[:LONGEST_REPLY])
    whole = whole_object(text.strip())
    if whole is not None:
        return [whole]
    objects: list[Pairs] = []
    at = text.find("{")
    for _ in range(MOST):
        if at < 0:
            break
        read = _object_at(text, at)
        if read is not None:
            objects.append(read[0])
        at = text.find("{", read[1] if read else at + 1)
    return objects


def whole_object(text: str) -> Pairs | None:
    """The fields of a text that is one object and nothing else; None where it is none."""
    if not (text.startswith("{") and text.endswith("}")):
        return None
    read = _object_at(text, 0)
    return read[0] if read and read[1] == len(text) else None


def loose_object(inside: str) -> Pairs | None:
    """The fields of what would be an object with braces around it: ``bid: 30``; None where it is none."""
    return whole_object("{" + inside.strip() + "}") if len(inside) < LONGEST_LOOSE - 1 else None


def is_object(value: object) -> bool:
    """Whether a value of `Pairs` is an object, not a list."""
    return isinstance(value, _Object)


def _object_at(text: str, start: int) -> tuple[Pairs, int] | None:
    """The object that begins there, and where it ends."""
    try:
        read, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        try:
            read, end = _loose(text[: start + LONGEST_LOOSE], start, 0)
        except ValueError:
            return None
    return (read, end) if isinstance(read, _Object) else None


def _loose(text: str, at: int, depth: int) -> tuple[object, int]:
    """The value that begins there, and where it ends.

    Raises
    ------
    ValueError
        None does.
    """
    at = _after_space(text, at)
    opening = text[at : at + 1]
    if opening and opening in "{[":
        if depth == DEEPEST:
            raise ValueError
        return _loose_many(text, at + 1, depth + 1, "}" if opening == "{" else "]")
    match = _QUOTED.match(text, at) or _BARE.match(text, at)
    if match is None:
        raise ValueError
    return _unquoted(match[0]), match.end()


def _loose_many(text: str, at: int, depth: int, closing: str) -> tuple[object, int]:
    """What stands between brackets, with commas between and perhaps one at the end."""
    pairs, values = _Object(), list[object]()
    while True:
        at = _after_space(text, at)
        if text[at : at + 1] == closing:
            return (pairs if closing == "}" else values), at + 1
        if closing == "}":
            name, at = _loose_name(text, at)
            value, at = _loose(text, at, depth)
            pairs.append((name, value))
        else:
            value, at = _loose(text, at, depth)
            values.append(value)
        at = _after_space(text, at)
        if text[at : at + 1] == ",":
            at += 1
        elif text[at : at + 1] != closing:
            raise ValueError


def _loose_name(text: str, at: int) -> tuple[str, int]:
    match = _QUOTED.match(text, at) or _NAME.match(text, at)
    if match is None:
        raise ValueError
    at = _after_space(text, match.end())
    if text[at : at + 1] != ":":
        raise ValueError
    return _unquoted(match[0]), at + 1


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[0] in "\"'“":
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return text


FIELDS = ("choice", "action", "decision", "move", "answer")
"""Names, in any case, of the field that holds the label."""


def read_json(text: str, labels: Sequence[str]) -> Reading:
    """The label in the field ``choice``, ``action``, ``decision``, ``move`` or ``answer`` of an object.

    Objects are found as `objects_in` says; what lies within another one does not count. All that name a field
    must name the same label, spelt as `read_strict` allows; else the reply is refused.

    Parameters
    ----------
    text : str, without reasoning
    """
    known = spellings(tuple(labels))
    values = [value for pairs in objects_in(text) for value in _choices(pairs)]
    if not values:
        return no_reading(f"no object with a field {' or '.join(FIELDS[:3])}")
    read = [known.label(value) for value in values]
    if None in read:
        return no_reading(
            f"the field holds {values[read.index(None)]!r}, expected one of {', '.join(labels)}"
        )
    return reading_of(labels, tuple(label for label in labels if label in read))


def _choices(pairs: Pairs) -> Iterator[str]:
    for name, value in pairs:
        if len(name) <= 40 and key(name) in FIELDS:
            yield str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def read_fairgame(text: str, labels: Sequence[str]) -> Reading:
    """The first label that occurs in the reply.

    Parameters
    ----------
    labels : sequence of str, in the game's order, which decides
    """
    lowered = text.lower()
    for label in labels:
        if label.lower() in lowered:
            return Reading(label)
    return reading_of(labels, ())


Parser = Literal["strict", "json", "fairgame"]

PARSERS: Mapping[str, Callable[[str, Sequence[str]], Reading]] = MappingProxyType(
    {"strict": read_strict, "json": read_json, "fairgame": read_fairgame}
)


def read_reply(text: str, labels: Sequence[str], parser: Parser = "strict") -> Reading:
    """Read a reply as one of the labels.

    Takes any text, of any length, and never raises for what it holds.

    Parameters
    ----------
    text : without reasoning, see `strip_reasoning`
    labels : in the game's order
    parser : {"strict", "json", "fairgame"}

    Returns
    -------
    Reading

    Raises
    ------
    UnknownNameError
        No such parser.
    """
    if parser not in PARSERS:
        raise UnknownNameError("parser", parser, PARSERS)
    return PARSERS[parser](text, labels)


def answer_value(action: str, named: Sequence[int] = ()) -> object:
    """What the field of the object holds: the opposite of `intent.games.game.CourseGame.read`.

    Parameters
    ----------
    action : str, as the log has it
    named : the seats that a proposal names, from the proposer down; empty of any other action

    Examples
    --------
    >>> answer_value("37"), answer_value("go"), answer_value("miss")
    (37, 'go', None)
    >>> answer_value("99,1", (3, 4))
    {'3': 99, '4': 1}
    """
    if named:
        return {str(seat): int(share) for seat, share in zip(named, action.split(","), strict=True)}
    return None if action == "miss" else int(action) if action.isdecimal() else action
