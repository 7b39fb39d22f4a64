"""What the model decides in a transcript, and what messages to it say that others did.

A *slot* is an argument of a tool, called or written as text, a field of a JSON object, a tag, a line
``WORD: value``, or what the message says in short: the whole of it, its first or last line or sentence, or
what stands behind words such as ``I choose``. What a slot holds counts as a decision where it is a number, or
a word that messages to the model use as well.

An *ascription* is a value of the kind that is decided on, and whose it is: of whom the words before it name,
up to the last comma or stop: ``Oster 7, Pell 14``, ``the other player chose B``, ``你甲，对方乙``; in JSON of
the key; in rows such as ``1 A / B`` of the seats of the head line, of the model and another where there is
none.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any

from intent.base.files import json_value
from intent.inspect.lexicon import AGGREGATE, BOTH, DULL, OTHER, OUTCOME, SEAT, SELF, SPEAKER, STATES

__all__ = [
    "LABELLED",
    "LONGEST_VALUE",
    "MARKS",
    "NUMBER",
    "TAG",
    "Ascription",
    "Kind",
    "Line",
    "alternatives",
    "ascriptions",
    "bare",
    "json_objects",
    "json_places",
    "label",
    "pieces",
    "plain",
    "slots",
    "stated",
    "stated_pattern",
    "word_pattern",
]

SENTENCE = 400
"""Characters before a value in which the beginning of its sentence is looked for."""

_MOST_ROWS = 1_000
_MOST_CELLS = 64
_MOST_STATED = 40
_LONGEST_WORDS = 200

NUMBER = r"\d{1,9}(?:[.,]\d{1,4})?"
MARKS = "\"'“”‘’`*«»「」『』_"
LONGEST_VALUE = 40
_OBJECTS = 12
LONGEST_JSON = 20_000
"""Characters of an object of JSON that is read."""

_CALL = re.compile(r"(?m)^[\s`>$-]{0,6}(?:\w{1,30}\.)?(\w{1,40})\(([^()\n]{1,200})\)")
_ARGUMENT = re.compile(
    r"(?:(\w{1,30})\s{0,3}[=:]\s{0,3})?(\"[^\"\n]{0,80}\"|'[^'\n]{0,80}'|[^,\s\"'][^,\n]{0,80})(?:,|$)"
)
TAG = re.compile(r"<(\w{1,30})>\s{0,9}([^<>]{1,60}?)\s{0,9}</")
LABELLED = re.compile(
    r"(?m)^[\s*_#>`-]{0,6}([^\W\d][\w '-]{0,24}?)[*_\"'`]{0,3}\s{0,3}[:=：]\s{0,3}(\S.{0,60}?)\s{0,9}$"
)
_ITEM = (
    rf"[{MARKS}]{{0,3}}(?:to |the |die |der |den |das |la |le |el |du |in |ins )?"
    rf"(?P<NAME>\w(?:[\w'-]{{0,18}}\w)?"
    rf"(?: \w(?:[\w'-]{{0,18}}\w)?)?)[{MARKS}]{{0,3}}(?:\s?\([^()\n]{{1,30}}\))?"
)
_OR = r"(?:,? (?:or|ou|oder|o|u|أو|hoặc|hay|and|und|et|y) |\s?\|\s?|\s?/\s?|\s?(?:或者?|还是)\s?)"
_LISTED = re.compile(
    rf"(?:{_ITEM.replace('NAME', 'zero')}(?:,|،|、) ?)?{_ITEM.replace('NAME', 'one')}{_OR}"
    rf"{_ITEM.replace('NAME', 'two')}"
)
_QUOTED = re.compile(
    r"[\"“«「『`]([^\"”»」』`\n]{1,25})[\"”»」』`]|\*\*([^*\n]{1,25})\*\*|(?<!\w)'([^'\n]{1,25})'(?!\w)"
)
_ENUMERATED = re.compile(
    r"(?:[:：]|(?<!\w)(?:[Oo]ptions?|[Aa]ctions?|[Mm]oves?|"
    r"[Cc]hoices?))\s?([\w'\"*`-]{1,20}(?:[,،、，]\s?[\w'\"*`-]{1,20}){1,6})(?=[.。\n;]|$)"
)
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_MOST_LISTS = 60


@dataclass(frozen=True)
class Line:
    """A message.

    Parameters
    ----------
    role : {"system", "user", "assistant", "tool"}
    calls : arguments of the tools that it calls
    uncut : the message itself, where ``text`` or ``calls`` are a part of it
    left_out : places in it of words that are decided on, which the part does not hold
    """

    role: str
    text: str
    calls: tuple[Mapping[str, Any], ...] = ()
    uncut: Line | None = None
    left_out: int = 0


def bare(text: str) -> str:
    """A text without marks and stops around it."""
    return text.strip(f" {MARKS}.,;:!?()[]<>{{}}|。，！？；：、،؟#\n\t")


_INFINITIVE = re.compile(r"[^\W\d]{4,}(?:er|ir|ar|en)", re.IGNORECASE)
"""A verb as French, Spanish and German name it, of which reports use other forms."""


def whole(word: str) -> str:
    """A pattern of the word by itself, a single letter in its case; Chinese has no spaces."""
    escaped = re.escape(word).replace(r"\ ", r"\s+")
    if len(word) == 1 and word.isascii() and word.isalpha():
        return rf"(?<![\w'’])(?-i:{escaped})(?![\w'’])"
    if re.search(r"[\u4e00-\u9fff]", word):
        return escaped
    if _INFINITIVE.fullmatch(word):
        return rf"(?<![\w]){re.escape(word[:-2])}\w{{1,4}}(?![\w])"
    longer = "(?:d|ed|e?s)?" if len(word) > 2 and word.isascii() else ""
    return rf"(?<![\w]){escaped}{longer}(?![\w])"


@lru_cache(maxsize=4096)
def word_pattern(word: str, *, cased: bool = False) -> re.Pattern[str]:
    """`whole`, compiled; capitals are as small letters unless told otherwise."""
    return re.compile(whole(word), 0 if cased else re.IGNORECASE)


@lru_cache(maxsize=1024)
def stated_pattern(word: str) -> re.Pattern[str]:
    """An option at the beginning of what is `stated`."""
    return re.compile(rf"[\s{MARKS}\[(]*(?:to |option |action )?{whole(word)}", re.IGNORECASE)


def label(text: str, options: Mapping[str, str]) -> str | None:
    """The option that a text is, as it is written; options by their folded text."""
    folded = text.casefold().strip()
    for prefix in ("", "option ", "action ", "button ", "to ", "the "):
        if folded.removeprefix(prefix) in options:
            return options[folded.removeprefix(prefix)]
    return None


def json_objects(text: str) -> list[Any]:
    """Objects and lists of JSON that stand in a text, the outermost ones, the first dozen."""
    return [value for _, _, value in json_places(text)]


def json_places(text: str) -> list[tuple[int, int, Any]]:
    """`json_objects` with where each begins and ends; those longer than `LONGEST_JSON` are none."""
    values: list[tuple[int, int, Any]] = []
    decoder = json.JSONDecoder()
    at = tries = 0
    begin, end = _BRACKET.search(text), 0
    while begin is not None and tries < _OBJECTS:
        at, tries = begin.start(), tries + 1
        part = text[at : at + LONGEST_JSON]
        try:
            _, end = decoder.raw_decode(part)
            values.append((at, at + end, json_value(part[:end])))
            at += end
        except (ValueError, RecursionError):
            at += 1
        begin = _BRACKET.search(text, at)
    return [one for one in values if isinstance(one[2], dict | list)]


_BRACKET = re.compile(r"[{\[]")


def _scalars(value: Any, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Field -> value of an object, nested ones under the innermost name."""
    if not isinstance(value, Mapping) or depth > 3:
        return
    for name, held in value.items():
        if isinstance(held, Mapping):
            yield from _scalars(held, depth + 1)
        elif isinstance(held, str | int | float) and not isinstance(held, bool):
            yield str(name), str(held)


def slots(text: str, calls: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Slot -> what a message of the model holds there, the last where it is filled more than once."""
    held: dict[str, str] = {}
    for arguments in calls:
        for name, value in _scalars(arguments):
            held[f"argument {name}"] = value
    for value in json_objects(text):
        for name, scalar in _scalars(value):
            held[f"field {name}"] = scalar
    for match in _CALL.finditer(text):
        for place, argument in enumerate(_ARGUMENT.finditer(match[2])):
            held[f"argument {argument[1] or place} of {match[1]}"] = argument[2].strip("\"'")
    for match in TAG.finditer(text):
        held[f"tag {match[1].casefold()}"] = match[2]
    for match in LABELLED.finditer(text):
        if '"' not in match[2] or match[2].count('"') == 2:
            held[f"line {match[1].strip().casefold()}"] = match[2]
    return {slot: value for slot, value in held.items() if 0 < len(value.strip()) <= 2 * LONGEST_VALUE}


def pieces(text: str) -> list[str]:
    """The short texts that may be the decision: the whole, first and last line, first and last sentence."""
    text = text.strip()
    if not text:
        return []
    lines = [part for part in text.splitlines() if part.strip()]
    head = re.split(r"(?<=[.!?:。！？])\s+|(?<=[。！？])|\n", text[:300], maxsplit=1)[0]
    tail = re.split(r"(?<=[.!?:。！？])\s+|(?<=[。！？])(?=.)|\n", text[-300:])[-1]
    clause = re.split(r"[,;–—(]", text[:300], maxsplit=1)[0]
    parts = [text, lines[0], head, lines[-1], tail, clause]
    return [bare(part) for part in dict.fromkeys(parts) if 0 < len(bare(part)) <= LONGEST_VALUE]


def stated(text: str) -> list[str]:
    """What stands behind words by which a choice is stated, the last first."""
    ends = [match.end() for match in STATES.finditer(text)][-_MOST_STATED:]
    return [text[end : end + LONGEST_VALUE] for end in reversed(ends)]


def alternatives(text: str, spoken: frozenset[str] = frozenset()) -> list[list[str]]:
    """Lists of alternatives in a text: words joined by "or" and the like, and what is quoted.

    Parameters
    ----------
    spoken : what the model says in short, folded; alternatives are of two words where it does so too
    """
    lists: dict[tuple[str, ...], list[str]] = {}
    listed: list[list[str]] = []
    for match in _LISTED.finditer(text):
        words = [bare(match[name]) for name in ("zero", "one", "two") if match[name]]
        listed.append([*(word.split()[-1] for word in words[:-1]), words[-1].split()[0]])
        if any(" " in word and word.casefold() in spoken for word in words):
            listed.append(words)
        length = min(map(len, words))
        if any(_CHINESE.search(word) for word in words) and max(map(len, words)) >= length + 2:
            listed.append([*(word[-length:] for word in words[:-1]), words[-1][:length]])
        if _distinct(listed, lists) >= _MOST_LISTS:
            break
    for match in _ENUMERATED.finditer(text):
        if _distinct([[bare(word) for word in re.split(r"[,،、，]", match[1])]], lists) >= 2 * _MOST_LISTS:
            break
    text = re.sub(r"[\"'][\w ]{1,30}[\"']\s{0,3}:", " ", text)
    quoted = [next(part for part in match.groups() if part) for match in _QUOTED.finditer(text)]
    distinct = list(dict.fromkeys(bare(part) for part in quoted if bare(part)))
    if 2 <= len(distinct) <= 12:
        _distinct([distinct], lists)
    return list(lists.values())


def _distinct(listed: list[list[str]], lists: dict[tuple[str, ...], list[str]]) -> int:
    """How many lists of two words or more there are with these, which are taken over."""
    for words in listed:
        folded = tuple(word.casefold() for word in words if word)
        if len(set(folded)) >= 2:
            lists.setdefault(folded, [word for word in words if word])
    listed.clear()
    return len(lists)


OWN, ANOTHER, ALL, SEATED, NAMED, SPEAKING = "own", "another", "both", "seat", "named", "speaker"


@dataclass(frozen=True)
class Kind:
    """The kind of value that is decided on: numbers, or one of some words.

    Parameters
    ----------
    options : folded option -> as it is written; None stands for numbers
    """

    options: Mapping[str, str] | None

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Where values of the kind stand in a text."""
        if self.options is None:
            return re.compile(rf"(?<![\w.%$-])[$€£]?(?P<value>{NUMBER})(?![\w]*%)(?!(?:\d|[.,:]\d))")
        words = sorted(self.options.values(), key=len, reverse=True)
        return re.compile(f"(?P<value>{'|'.join(whole(word) for word in words)})", re.IGNORECASE)

    def value(self, text: Any) -> str | None:
        """The value that a text is, as first written; a number without zeros that say nothing."""
        if isinstance(text, bool) or text is None:
            return None
        written = bare(str(text))
        if len(written) > _LONGEST_WORDS:
            return None
        if written not in self._values:
            self._values[written] = self._value(written)
        return self._values[written]

    @cached_property
    def _values(self) -> dict[str, str | None]:
        """Texts that were read, and their values."""
        return {}

    def _value(self, written: str) -> str | None:
        if self.options is None:
            number = re.fullmatch(rf"[$€£]?\s?({NUMBER})\s?[^\d\s,.;]{{0,12}}(?: \w{{1,10}})?", written)
            return plain(number[1]) if number else None
        return label(written, self.options) or _inflected(written, self.options)


def _inflected(text: str, options: Mapping[str, str]) -> str | None:
    for written in options.values():
        if word_pattern(written).fullmatch(text):
            return written
    return None


def plain(number: str) -> str:
    """A number as text, one way for each value."""
    value = float(number.replace(",", "."))
    return str(int(value)) if value.is_integer() else str(value)


@dataclass(frozen=True)
class Ascription:
    """A value and whose it is.

    Attributes
    ----------
    sort : {"own", "another", "both", "seat", "named", "speaker"}
        A seat such as "player 2"; named by words that are no pronoun and no word for a player; speaker where
        the user says it of themselves.
    who : the name, folded
    value : as first written
    rest : what stands between name and value
    """

    sort: str
    who: str
    value: str
    rest: str = ""


_BOUNDARY = re.compile(
    r"[,;:|/()\[\]{}<>.。，；：、،؛!?！？\n=→]+|(?<!\w)(?:and|y|et|und|và|while|but|pero|mais|aber|"
    r"و)(?!\w)|而|同时"
)
_LEAD = 80
_MOST_WORDS = 5
_NAME = re.compile(r"[^\W\d_][\w'’.-]{0,24}(?:[ _#-]?\d{1,3}(?!\d))?", re.UNICODE)
_MOST = 400


def ascriptions(text: str, kind: Kind) -> list[Ascription]:
    """What a message ascribes to whom, in its order; the first few hundred."""
    read: list[Ascription] = []
    spans: list[str] = []
    for value in json_objects(text) if "{" in text or "[" in text else ():
        named = list(_of_json(value, kind, "", 0))
        if named:
            read.extend(named)
            spans.append("json")
    if spans and text.lstrip()[:1] in "{[":
        return read[:_MOST]
    return [*read[:_MOST], *islice(_of_lines(text, kind), max(0, _MOST - len(read)))]


def _of_json(value: Any, kind: Kind, key: str, depth: int) -> Iterator[Ascription]:
    if depth > 6:
        return
    if isinstance(value, Mapping):
        yield from _unlisted(value, kind)
        for name, held in list(value.items())[:200]:
            yield from _of_json(
                held, kind, f"{key} {name}".strip() if _generic(str(name)) else str(name), depth + 1
            )
        return
    if isinstance(value, list):
        flat = [kind.value(item) if isinstance(item, str | int | float) else None for item in value[:200]]
        if flat and all(one is not None for one in flat):
            sort, who = _whose(key.replace("_", " "))
            if sort in (ANOTHER, SEATED):
                yield from (Ascription(sort, who, str(one), "json") for one in flat)
            elif len(flat) == 2 and (kind.options is not None or _history(key)):
                yield Ascription(OWN, "you", str(flat[0]), "json")
                yield Ascription(ANOTHER, "other", str(flat[1]), "json")
            return
        for item in value[:200]:
            yield from _of_json(item, kind, key, depth + 1)
        return
    one = kind.value(value) if isinstance(value, str | int | float) else None
    if one is None:
        return
    sort, who = _whose(key.replace("_", " "))
    if (
        not sort
        or OUTCOME.fullmatch(key)
        or (sort == NAMED and kind.options is None and AGGREGATE.match(key))
    ):
        return
    if kind.options is None and any(OUTCOME.fullmatch(word) for word in key.casefold().split("_")[1:]):
        return
    yield Ascription(sort, who, one, "json")


def _unlisted(value: Mapping[Any, Any], kind: Kind) -> Iterator[Ascription]:
    """Another's word beside the model's own in one object, though the word was not offered."""
    if kind.options is None:
        return
    sorts = {str(name): _whose(str(name).replace("_", " ")) for name in list(value)[:50]}
    if not any(
        sorts[name][0] == OWN and kind.value(value[name])
        for name in sorts
        if isinstance(value.get(name), str)
    ):
        return
    for name, (sort, who) in sorts.items():
        held = value.get(name)
        if sort in (ANOTHER, SEATED) and isinstance(held, str) and kind.value(held) is None and _word(held):
            yield Ascription(sort, who, bare(held), "json")


def _word(text: str) -> bool:
    """Whether a text may be a word that is chosen."""
    return re.fullmatch(r"[^\W\d][\w -]{0,19}", bare(text)) is not None and len(text.split()) <= 3


def _generic(name: str) -> bool:
    """Whether a key says what was done, not who did it."""
    return (
        re.fullmatch(
            r"(?:action|move|choice|decision|value|contribution|price|bid|played|chose)s?", name, re.I
        )
        is not None
    )


def _history(key: str) -> bool:
    return re.search(r"hist|past|round|prev|last|log", key, re.IGNORECASE) is not None


def _of_lines(text: str, kind: Kind) -> Iterator[Ascription]:
    pattern = kind.pattern
    columns: list[tuple[str, str]] = []
    rows = [line for line in text.splitlines() if line.strip()]
    for line in rows[: _MOST_ROWS // 2] + rows[_MOST_ROWS // 2 :][-_MOST_ROWS // 2 :]:
        if not _PARTED.search(line) and not pattern.search(line):
            continue
        cells = [bare(cell) for cell in _CELLS.split(line.strip().strip("|"))]
        if len(cells) < 2 and _COMMAS.fullmatch(line.strip()):
            cells = [bare(cell) for cell in re.split("[,;]", line)]
        if len(cells) > _MOST_CELLS:
            cells = []
        held = [_of_cell(cell, kind, pattern) for cell in cells]
        if len(cells) >= 2 and not any(held):
            heads = [_whose(cell) for cell in cells]
            if {OWN, ANOTHER} <= {sort for sort, _ in heads}:
                columns = heads
                continue
        if len(cells) >= 2 and len(cells) == len(columns) and any(held):
            for place, ((sort, who), value) in enumerate(zip(columns, held, strict=True)):
                if value is not None and sort and not OUTCOME.match(who):
                    yield Ascription(sort, who, value, "column")
                elif sort in (OWN, ANOTHER) and kind.options is not None and _word(cells[place]):
                    yield Ascription(sort, who, bare(cells[place]), "column")
            continue
        yield from _of_line(line, kind, pattern, (OWN, ANOTHER))


_CELLS = re.compile(r"\||\t| / | vs\.? ")
_PARTED = re.compile(rf"{_CELLS.pattern}|[,;]")
_COMMAS = re.compile(r"[^,;\s][^,;]{0,15}(?:[,;][^,;\s][^,;]{0,15}){1,9}")
"""A row of values that commas part, with no spaces behind them."""


def _of_cell(cell: str, kind: Kind, pattern: re.Pattern[str]) -> str | None:
    """The value of a cell of a table."""
    if len(cell) > 24:
        return None
    exact = kind.value(cell)
    if exact is not None or kind.options is None:
        return exact
    matches = [match["value"] for match in pattern.finditer(cell)]
    return kind.value(matches[0]) if len(matches) == 1 else None


def _of_line(line: str, kind: Kind, pattern: re.Pattern[str], order: tuple[str, str]) -> Iterator[Ascription]:
    start = 0
    previous: tuple[str, str] | None = None
    matches = list(islice(pattern.finditer(line), _MOST))
    if kind.options is None:
        matches = [match for match in matches if not _counts(line[max(0, match.start() - 24) : match.end()])]
    if len(matches) == 2 and kind.options is not None:
        gap = line[matches[0].end() : matches[1].start()]
        head = line[: matches[0].start()]
        if (
            re.fullmatch(r"\s*(?:/|,|-|–|vs\.?|\||:)\s*", gap)
            and re.fullmatch(r"\W*(?:\w{1,12}\W{1,3})?\d{0,4}\W*", head)
            and re.fullmatch(r"[\W\d]{0,24}", line[matches[1].end() :])
            and _whose(head)[0] not in (OWN, ANOTHER)
        ):
            for sort, match in zip(order, matches, strict=True):
                value = kind.value(match["value"])
                if value is not None:
                    yield Ascription(sort, "you" if sort == OWN else "other", value, "pair")
            return
    offered = _offered(line, matches) if kind.options is not None else set()
    for place, match in enumerate(matches):
        lead = line[max(start, match.start() - _LEAD) : match.start()]
        start = match.end()
        value = kind.value(match["value"]) if kind.options is not None else plain(match["value"])
        if value is None or place in offered or _supposed(line, match):
            continue
        tail = re.match(
            rf"[{MARKS}\]]{{0,3}}\s{{0,2}}[(（]([^()（）]{{1,24}})[)）]", line[match.end() : match.end() + 40]
        )
        stripped = lead.rstrip(f" {MARKS}:=：(（[>-–—→")
        if not re.search(r"\w", stripped) or stripped[-1] in ".。!！?？;；,，、،":
            if re.fullmatch(r"[\s,;/&+、，\]\[]*(?:and\s)?", lead) and previous is not None:
                yield Ascription(*previous, value, "list")
                continue
            if tail is not None and (whose := _whose(tail[1]))[0] != "":
                previous = None
                yield Ascription(*whose, value, "behind")
            continue
        segment = _last_segment(stripped)
        sort, who = _whose(segment, prose=True)
        if not sort and tail is not None:
            sort, who = _whose(tail[1])
        if not sort:
            previous = None
            continue
        if sort == ALL and _PAYS.match(line, match.end()):
            continue
        previous = (sort, who)
        rest = "" if sort == NAMED and re.search(r"[:：=]\W{0,3}$", lead) else _rest(segment, sort, who)
        if len(rest.split()) <= _MOST_WORDS:
            yield Ascription(sort, who, value, rest)


_COUNTED = re.compile(
    rf"(?:{SEAT.pattern}|(?<!\w)(?:rounds?|day|week|month|year|quarter|season|turn|game|pass|morning|"
    rf"night|period|manche|"
    r"tour|runde|tag|ronda|viernes|semana|día|vòng|lượt|ngày|الجولة|اليوم|第) ?#?\d+)$",
    re.IGNORECASE,
)
"""A number that counts seats or rounds."""


@lru_cache(maxsize=8192)
def _counts(text: str) -> bool:
    return _COUNTED.search(text) is not None


_BETWEEN = re.compile(
    rf"[{MARKS}\s,)]{{0,4}}(?:or|ou|oder|o|u|أو|hoặc|hay|nor|或者?|还是|\||/)\s?(?:to |the |el |la |le |"
    rf"die |the option )?[{MARKS}(]{{0,3}}",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"(?<!\w)(?:if|when|whenever|suppose|unless|should|would|can|could|may|must|each picks?|si|quand|"
    r"wenn|falls|cuando|"
    r"nếu|khi|[وف]?إن|[وف]?إذا|لو)(?!\w)|如果|若|当|假如|只有",
    re.IGNORECASE,
)
_PAYS = re.compile(rf"[{MARKS}\s]{{0,3}}(?:->|→|:|=|,|，|،|pays?|gives?)?\s?[+-]?\d")


def _offered(line: str, matches: Sequence[re.Match[str]]) -> set[int]:
    """Which values stand in a list of alternatives: ``A or B``, ``A, B or C``."""
    joined: set[int] = set()
    for place in range(len(matches) - 1):
        gap = line[matches[place].end() : matches[place + 1].start()]
        if _BETWEEN.fullmatch(gap):
            joined |= {place, place + 1}
            back = place
            while back > 0 and re.fullmatch(
                rf"[{MARKS}]{{0,2}}[,،、]\s?[{MARKS}]{{0,2}}",
                line[matches[back - 1].end() : matches[back].start()],
            ):
                back -= 1
                joined.add(back)
    return joined


_STOP = re.compile("[.!?;。！？；؟]")


@lru_cache(maxsize=256)
def _sentences(line: str) -> tuple[list[int], list[int], list[int]]:
    """Places of stops, and beginnings and ends of words that suppose or ask."""
    words = list(_SUPPOSED.finditer(line))
    return (
        [stop.start() for stop in _STOP.finditer(line)],
        [word.start() for word in words],
        [word.end() for word in words],
    )


def _supposed(line: str, match: re.Match[str]) -> bool:
    """Whether a value stands in a sentence that supposes or asks, and reports nothing."""
    stops, begins, ends = _sentences(line)
    behind = bisect_left(stops, match.end())
    before = bisect_left(stops, match.start()) - 1
    begin = max(match.start() - SENTENCE - 1, stops[before] if before >= 0 else -1)
    end = stops[behind] if behind < len(stops) else -1
    if end >= 0 and line[end] in "?？؟" and end - match.end() <= 40:
        near = line[match.end() : end]
        if not re.search(r"[,，،:;|>]", line[max(begin + 1, match.start() - 40) : match.start()] + near):
            return True
    word = bisect_right(ends, match.start()) - 1
    return word >= 0 and begins[word] > begin


def _last_segment(lead: str) -> str:
    """The words of a lead behind the last stop; ``P1 (you)`` is one name."""
    lead = _ASIDE.sub(r" \1 ", lead)
    parts = [part for part in _BOUNDARY.split(lead) if part.strip()]
    return parts[-1].strip() if parts else ""


_GIFT = re.compile(
    r"\W+(?:gave|gives?|sent|sends?|offer(?:s|ed)?|left|leaves?|returned|returns?|paid|pays|"
    r"granted) (?:you|me)$",
    re.IGNORECASE,
)
"""Another's deed towards the model."""

_ASIDE = re.compile(r"\s?[(（]\s?(you|self|me|你|bạn|vous|tú|du|أنت)\s?[)）]?", re.IGNORECASE)


def _whose(words: str, prose: bool = False) -> tuple[str, str]:
    """Sort and name of whom some words name, both empty where they name nobody; in prose a user may speak."""
    return _named(words[:_LONGEST_WORDS], prose)


@lru_cache(maxsize=4096)
def _named(words: str, prose: bool) -> tuple[str, str]:
    words = words.strip(f" {MARKS}-–—*>#")
    if not words:
        return "", ""
    gift = _GIFT.search(words)
    if gift is not None:
        words = words[: gift.start()]
    both, other, own, seat = (table.search(words) for table in (BOTH, OTHER, SELF, SEAT))
    if own is not None and (other is None or other.start() < own.start()):
        return (ALL, "both") if both is not None else (OWN, "you")
    if seat is not None:
        return SEATED, re.sub(r"[\W_]+", " ", seat[0]).casefold()
    if other is not None:
        return ANOTHER, other[0].casefold()
    speaker = SPEAKER.search(words)
    if speaker is not None:
        return (SPEAKING, "i") if prose else (OWN, "you")
    if both is not None:
        return ALL, "both"
    if len(words) > 48 or not words:
        return "", ""
    names = [name for name in _NAME.findall(words) if not OUTCOME.fullmatch(name.rstrip(" _#-0123456789"))]
    if not names or len(re.findall(r"[\u4e00-\u9fff]", words)) > 8:
        return "", ""
    capital = [name for name in names if name[:1].isupper() or "_" in name or name[-1:].isdigit()]
    name = (capital[-1] if capital else names[0]).casefold()
    letter = len(name) == 1 and (bool(capital) or name == words.casefold())
    return ("", "") if name in DULL and not letter else (NAMED, name)


def _rest(segment: str, sort: str, who: str) -> str:
    """What stands between a name and the value."""
    table = {OWN: SELF, ANOTHER: OTHER, SEATED: SEAT, SPEAKING: SPEAKER, ALL: BOTH}.get(sort)
    match = table.search(segment) if table is not None else None
    if match is not None:
        return re.sub(r"[\W_]+", " ", segment[match.end() :]).casefold().strip()
    folded = re.sub(r"[\W_]+", " ", segment.casefold())
    at = folded.find(who)
    return folded[at + len(who) :].strip() if at >= 0 else ""
