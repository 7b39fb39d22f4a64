"""Who did what, in a message to the model.

A value of the kind that the model decides on is ascribed to whom the words before it name, up to the last
comma or stop: ``Oster 7, Pell 14``, ``the other player chose B``, ``你甲，对方乙``; in JSON to the key; in
rows such as ``1 A / B`` to the seats of the head line, to the model and another where there is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from intent.inspect.lexicon import AGGREGATE, BOTH, DULL, OTHER, OUTCOME, SEAT, SELF, SPEAKER
from intent.inspect.slots import MARKS, NUMBER, bare, json_objects, label, whole

__all__ = ["Ascription", "Kind", "ascriptions"]

OWN, ANOTHER, ALL, SEATED, NAMED, SPEAKING = "own", "another", "both", "seat", "named", "speaker"


@dataclass(frozen=True)
class Kind:
    """The kind of value that is decided on: numbers, or one of some words.

    Parameters
    ----------
    options : folded option -> as it is written; None stands for numbers
    """

    options: Mapping[str, str] | None

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
        if self.options is None:
            number = re.fullmatch(rf"[$€£]?\s?({NUMBER})\s?[^\d\s,.;]{{0,12}}(?: \w{{1,10}})?", written)
            return plain(number[1]) if number else None
        return label(written, self.options) or _inflected(written, self.options)


def _inflected(text: str, options: Mapping[str, str]) -> str | None:
    for written in options.values():
        if re.fullmatch(whole(written), text, re.IGNORECASE):
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
    return [*read, *_of_lines(text, kind)][:_MOST]


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
    pattern = kind.pattern()
    columns: list[tuple[str, str]] = []
    for line in text.splitlines():
        cells = [bare(cell) for cell in _CELLS.split(line.strip().strip("|"))]
        if len(cells) < 2 and _COMMAS.fullmatch(line.strip()):
            cells = [bare(cell) for cell in re.split("[,;]", line)]
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
    matches = list(pattern.finditer(line))[:_MOST]
    if kind.options is None:
        matches = [
            match for match in matches if not _COUNTED.search(line[max(0, match.start() - 24) : match.end()])
        ]
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
            rf"[{MARKS}\]]{{0,3}}\s{{0,2}}[(（]([^()（）]{{1,24}})[)）]", line[match.end() :][:40]
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
        if sort == ALL and _PAYS.match(line[match.end() :]):
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

_OR = re.compile(
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
        if _OR.fullmatch(gap):
            joined |= {place, place + 1}
            back = place
            while back > 0 and re.fullmatch(
                rf"[{MARKS}]{{0,2}}[,،、]\s?[{MARKS}]{{0,2}}",
                line[matches[back - 1].end() : matches[back].start()],
            ):
                back -= 1
                joined.add(back)
    return joined


def _supposed(line: str, match: re.Match[str]) -> bool:
    """Whether a value stands in a sentence that supposes or asks, and reports nothing."""
    begin = max(line.rfind(stop, 0, match.start()) for stop in ".!?;。！？；؟")
    end = min((at for stop in ".!?;。！？；؟" if (at := line.find(stop, match.end())) >= 0), default=-1)
    if end >= 0 and line[end] in "?？؟":
        near = line[match.end() : end]
        if len(near) <= 40 and not re.search(
            r"[,，،:;|>]", line[max(begin + 1, match.start() - 40) : match.start()] + near
        ):
            return True
    return _SUPPOSED.search(line[begin + 1 : match.start()]) is not None


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
