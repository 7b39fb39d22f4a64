"""What is read of a transcript: short messages whole, of long ones the ends and what matters amid them.

The rules of `intent.inspect.transcripts` try many hypotheses on the same text, so what they read is bounded.
What it is of long messages is sought in all of their text, in time linear in its length:

1. *What is decided on*: values behind labels, in tags, in fields of JSON and behind words such as
   ``I choose`` in the model's long messages, and what it says in short. Those first that recur, that stand
   where many messages have something once, and that messages to the model hold too.
2. *Where that stands*: places of these words by their letters, joined to windows of at most twice `_AROUND`
   characters, no further than the line.
3. *What is read of these*: the windows weigh more where a decision is stated, or where words for the model,
   for another, for choices and for rounds stand beside; the weightiest that have room, of equal ones some
   from all over the message and the last.

The bounds concern such candidates and not the text. What they leave out is counted (`unread`).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from typing import Any, TypeVar

from intent.base.files import json_value
from intent.inspect.lexicon import BOTH, CHOICE, DULL, OTHER, ROUND, SELF, STATES, Stem, lowered, stems
from intent.inspect.moves import LABELLED, LONGEST_VALUE, NUMBER, TAG, Line, bare, pieces, slots

__all__ = [
    "ARGUMENTS",
    "BLOCK",
    "CANDIDATES",
    "LONGEST",
    "MESSAGES",
    "WHOLE",
    "Unread",
    "clean",
    "lines_of",
    "marked",
    "thinned",
    "unread",
]

LONGEST = 20_000
"""Characters of a message that are read: its ends, and what stands around words that are decided on."""

WHOLE = 60_000
"""Characters that are read of all messages of the model, of all to it, and of all arguments of tools.

Where there are more, the longest messages lose of their middle, all to the same length.
"""

CANDIDATES = 20_000
"""Windows of all long messages that are weighed, and forms of each that may state a decision.

Where there are more, some of them from all over the message, at most twice as many.
"""

MESSAGES = 1_000
"""Messages that are read, half of them at each end; of those between only the role is kept."""

ARGUMENTS = 4_000
"""Names and entries that are read of the arguments of all called tools."""

_DECIDED_ON = 24
_CONSIDERED = 4 * _DECIDED_ON
_AROUND = 160
"""Characters on each side of a word that are read, to the ends of its line at most."""

_APART = 32
_FORM = 64
_DEEPEST = 6
_LONGEST_NAME = 200

_LETTER = r"[^\W\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]"
_BLOB = re.compile(rf"({_LETTER}{{100}}){_LETTER}+")
"""What is longer than any word, in scripts that part words."""

_CHINESE = re.compile(r"[\u4e00-\u9fff]")

T = TypeVar("T")


@dataclass(frozen=True)
class Unread:
    """What of a transcript was not read for moves.

    Attributes
    ----------
    characters, of_characters : left out of all messages, and all that these have
    places : places of words that are decided on, in what was left out
    messages : of which nothing was read
    """

    characters: int
    of_characters: int
    places: int
    messages: int

    def __bool__(self) -> bool:
        return self.characters > 0

    def sentence(self) -> str:
        """What was not read, empty if all was."""
        if not self:
            return ""
        parts = f"of {self.of_characters:,} characters {self.characters:,} were not read for moves"
        if self.messages:
            parts += f", among them {self.messages:,} whole messages"
        amid = f"{self.places:,} places" if self.places else "no place"
        return f"{parts}; {amid} of words that are decided on left out"

    def counts(self) -> dict[str, int]:
        """As numbers by name."""
        return asdict(self)


def unread(lines: Sequence[Line]) -> Unread:
    """What `lines_of` left out."""
    cut = [line for line in lines if line.uncut is not None]
    return Unread(
        sum(max(0, len(line.uncut.text) - len(line.text)) for line in cut if line.uncut is not None)
        + sum(_missing(line.uncut.calls, line.calls) for line in cut if line.uncut is not None),
        sum(
            len((line.uncut or line).text) + sum(map(len, _texts((line.uncut or line).calls)))
            for line in lines
        ),
        sum(line.left_out for line in lines),
        sum(not line.text and bool(line.uncut and line.uncut.text) for line in cut),
    )


def _missing(whole: Sequence[Any], part: Sequence[Any]) -> int:
    return max(0, sum(map(len, _texts(whole))) - sum(map(len, _texts(part))))


def lines_of(messages: Iterable[Mapping[str, Any]]) -> list[Line]:
    """Messages of a chat log: role, content, and calls of tools in OpenAI's form or as name and arguments.

    Of a long one a part is read: `LONGEST`, `WHOLE`, `MESSAGES`, `ARGUMENTS`. `Line.uncut` holds it whole.
    """
    whole = [_line(message) for message in messages]
    share = ARGUMENTS // max(1, sum(bool(line.calls) for line in whole))
    whole = [replace(line, calls=_first(line.calls, share)) for line in whole]
    half = MESSAGES // 2
    among = [not half <= at < len(whole) - half for at in range(len(whole))]
    short = [
        replace(line, text=_ends(clean(_ends(line.text, LONGEST)), LONGEST)) if read else Line(line.role, "")
        for line, read in zip(whole, among, strict=True)
    ]
    lines = _bounded(short)
    cut = [
        at
        for at, line in enumerate(lines)
        if among[at] and (len(whole[at].text) > LONGEST or len(line.text) < len(short[at].text))
    ]
    parted = frozenset(cut)
    if cut:
        lines = _with_middles(whole, lines, cut)
    return [
        replace(line, uncut=uncut) if at in parted or not among[at] or line.calls != uncut.calls else line
        for at, (line, uncut) in enumerate(zip(lines, whole, strict=True))
    ]


def _line(message: Mapping[str, Any]) -> Line:
    content = message.get("content")
    if isinstance(content, list):
        content = "\n".join(part.get("text") or "" for part in content if isinstance(part, Mapping))
    calls = []
    for call in message.get("tool_calls") or ():
        function = call.get("function") if isinstance(call, Mapping) else None
        part = function if isinstance(function, Mapping) else call
        arguments = part.get("arguments") if isinstance(part, Mapping) else None
        if isinstance(arguments, str):
            arguments = _object(arguments)
        if isinstance(arguments, Mapping):
            calls.append(arguments)
    return Line(str(message.get("role")), str(content or ""), tuple(calls))


def clean(text: str) -> str:
    """A short text with composed letters and without what is longer than any word."""
    return _BLOB.sub(r"\1", unicodedata.normalize("NFC", text))


def thinned(items: Iterable[T], most: int) -> tuple[list[T], int]:
    """Some of the items from all over, at most twice as many as ``most``, and how many there are."""
    some: list[T] = []
    step, n = 1, 0
    for item in items:
        if n % step == 0:
            some.append(item)
            if len(some) >= 2 * most:
                some = some[::2]
                step *= 2
        n += 1
    return some, n


BLOCK = 16
"""Characters that share a mark."""


def marked(low: str, words: Iterable[Stem]) -> bytearray:
    """A mark for each `BLOCK` of a text in small letters in which some of the words begins."""
    blocks = bytearray(len(low) // BLOCK + 1)
    for word in words:
        for at in word.places(low, BLOCK):
            blocks[at // BLOCK] = 1
    return blocks


# What is decided on


@dataclass(frozen=True)
class _Form:
    """What may state a decision: where, in what, and what it says."""

    at: int
    slot: str
    value: str


_SHORT_LINE = re.compile(r"^[^\n:=：]{1,40}+[:=：][^\n]{1,80}+$", re.MULTILINE)
_FIELD = re.compile(
    rf'"(\w{{1,30}})"\s{{0,3}}:\s{{0,3}}("[^"\n]{{1,{2 * LONGEST_VALUE}}}"|{NUMBER}(?![\w.]))'
)
_BEHIND = re.compile(r"[\s,.;:!?]")


def _forms(text: str) -> Iterator[_Form]:
    """What stands in a message of the model at labels, in tags and fields, and behind words of choice."""
    lines = (LABELLED.match(text, line.start()) for line in _SHORT_LINE.finditer(text))
    for match in (*filter(None, lines), *TAG.finditer(text), *_FIELD.finditer(text)):
        yield _Form(match.start(2), f"{match.re.pattern[:3]}{match[1].casefold()}", bare(match[2]))
    for match in STATES.finditer(text):
        value = bare(_BEHIND.split(text[match.end() : match.end() + LONGEST_VALUE], maxsplit=1)[0])
        yield _Form(match.end(), match[0].strip().casefold(), value)


class _Speech:
    """What the model says in forms in its long messages.

    A slot counts for more that is filled in many messages and seldom in each.
    """

    def __init__(self, texts: Mapping[int, str]):
        self.forms = {
            at: thinned((form for form in _forms(text) if 0 < len(form.value) <= LONGEST_VALUE), CANDIDATES)[
                0
            ]
            for at, text in texts.items()
        }
        filled = Counter(form.slot for held in self.forms.values() for form in held)
        within = Counter(slot for held in self.forms.values() for slot in {form.slot for form in held})
        self.worth = {slot: within[slot] / n for slot, n in filled.items()}

    def values(self) -> Iterator[dict[str, float]]:
        """What each message says, and how much it counts for."""
        for held in self.forms.values():
            counts: dict[str, float] = {}
            for form in held:
                counts[form.value] = max(counts.get(form.value, 0), self.worth[form.slot])
            yield counts


def _decided_on(lines: Sequence[Line], speech: _Speech, heard: Sequence[str]) -> tuple[str, ...]:
    """What the model says in short most often, which may be its decisions, in the letters it uses.

    Parameters
    ----------
    lines : with the ends of long messages
    heard : messages to the model, in small letters
    """
    worth, times = Counter[str](), Counter[str]()
    short = (
        dict.fromkeys([*pieces(line.text), *map(bare, slots(line.text, line.calls).values())], 1.0)
        for line in lines
        if line.role == "assistant"
    )
    for counts in (*speech.values(), *short):
        for word, one in counts.items():
            if 0 < len(word) <= LONGEST_VALUE and (word if len(word) == 1 else word.casefold()) not in DULL:
                worth[word] += one  # type: ignore[assignment]
                times[word] += 1
    words = [word for word, _ in worth.most_common(_CONSIDERED) if times[word] > 1 or word[0].isdigit()]
    known = {word: any(lowered(word) in text for text in heard) for word in words}
    return tuple(sorted(words, key=lambda word: not known[word])[:_DECIDED_ON])


# Where that stands, and what is read of it


@dataclass(frozen=True)
class _Window:
    """A part of a message around words that are decided on.

    Parameters
    ----------
    weight : how surely it tells of moves
    places : of such words in it
    """

    start: int
    end: int
    weight: float
    places: float


def _with_middles(whole: Sequence[Line], ends: Sequence[Line], cut: Sequence[int]) -> list[Line]:
    """The lines, those that are cut with what stands around words that are decided on."""
    speech = _Speech({at: whole[at].text for at in cut if whole[at].role == "assistant"})
    low = {at: lowered(whole[at].text) for at in cut}
    heard = [low.get(at) or lowered(line.text) for at, line in enumerate(ends) if line.role != "assistant"]
    words = _decided_on(ends, speech, heard)
    lines = list(ends)
    for at in cut if words else ():
        long = _Long(whole[at].text, low[at], whole[at].role == "assistant", len(ends[at].text) // 3)
        known = frozenset(words)
        sure = {form.at: speech.worth[form.slot] for form in speech.forms.get(at, ()) if form.value in known}
        windows = long.windows(words, sure, max(1, CANDIDATES // len(cut)))
        if windows:
            text, left_out = long.part(windows)
            lines[at] = replace(ends[at], text=text, left_out=left_out)
    return lines


_SURE = 5
"""Weight of what states a decision, more than that of words around moves."""


@dataclass(frozen=True)
class _Long:
    """A long message.

    Parameters
    ----------
    low : the text in small letters
    own : whether it is the model's
    third : characters that are read of each end, and as many of what is between
    """

    text: str
    low: str
    own: bool
    third: int

    def windows(self, words: Sequence[str], sure: Mapping[int, float], most: int) -> list[_Window]:
        """What stands around the words between the ends, in its order."""
        begin, stop = self.third, len(self.text) - self.third
        some, n = thinned((at for word in words for at in self._stand(word, begin, stop)), most)
        each = n / max(1, len(some))
        windows: list[_Window] = []
        for at in sorted({*some, *(at for at in sure if begin <= at < stop)}):
            start, end = self._around(at, begin, stop)
            weight = _SURE + sure[at] if at in sure else 0.0
            last = windows[-1] if windows else None
            if last is None or start > last.end:
                windows.append(_Window(start, end, weight, each))
            elif end - last.start <= 2 * _AROUND and (not weight or last.start <= max(start, at - _FORM)):
                windows[-1] = _Window(last.start, end, max(weight, last.weight), last.places + each)
            elif weight:  # what states a decision is not parted
                windows.append(_Window(max(start, min(last.end, at - _FORM)), end, weight, each))
            elif end > last.end:
                windows.append(_Window(last.end, end, weight, each))
        return list(self._weighed(windows))

    def _stand(self, word: str, begin: int, stop: int) -> Iterator[int]:
        """Where a word stands by itself, places far enough apart; Chinese has no spaces."""
        text, form = (self.text, word) if len(word) == 1 else (self.low, lowered(word))
        inside = not _CHINESE.match(word)
        at = text.find(form, begin, stop)
        while at >= 0:
            after = at + len(form)
            alone = not inside or not (text[at - 1 : at].isalnum() or text[after : after + 1].isalnum())
            if alone:
                yield at
            at = text.find(form, max(after, at + _APART) if alone else after, stop)

    def _around(self, at: int, begin: int, stop: int) -> tuple[int, int]:
        """The window of a place, to the ends of its line."""
        start = max(begin, at - _AROUND, self.text.rfind("\n", begin, at) + 1)
        end = self.text.find("\n", at, at + _AROUND)
        end = min(stop, at + _AROUND if end < 0 else end)
        return start, end

    def _weighed(self, windows: Sequence[_Window]) -> Iterator[_Window]:
        """The windows with weights: kinds of words that tell of moves, of texts that recur the less."""
        tables = ((CHOICE,), (ROUND,)) if self.own else ((SELF,), (OTHER, BOTH), (CHOICE,), (ROUND,))
        texts = [self.low[one.start : one.end] for one in windows]
        joined = "\n".join(texts)
        marks = [marked(joined, (word for table in group for word in stems(table))) for group in tables]
        times = Counter(texts)
        at = 0
        for one, text in zip(windows, texts, strict=True):
            blocks = -(-at // BLOCK), (at + len(text)) // BLOCK
            kinds = sum(mark.find(1, *blocks) >= 0 for mark in marks)
            at += len(text) + 1
            yield one if one.weight else replace(one, weight=kinds + 1 / times[text])

    def part(self, windows: Sequence[_Window]) -> tuple[str, int]:
        """The ends and, between them, the weightiest windows; and how many places are left out."""
        chosen = sorted(_weightiest(windows, self.third - 1), key=lambda one: one.start)
        middle = "\n".join(clean(self.text[one.start : one.end]) for one in chosen)
        head, tail = clean(self.text[: self.third]), clean(self.text[len(self.text) - self.third :])
        left_out = sum(one.places for one in windows) - sum(one.places for one in chosen)
        return f"{head}\n{middle[: self.third]}\n{tail}"[: 3 * self.third + 1], round(left_out)


def _weightiest(windows: Sequence[_Window], room: int) -> list[_Window]:
    """The windows of greatest weight that have room; of equal ones some from all over, and the last."""
    chosen: list[_Window] = []
    for _, group in groupby(sorted(windows, key=lambda one: -one.weight), key=lambda one: one.weight):
        equal = list(group)
        need = sum(one.end - one.start + 1 for one in equal)
        full = need > room
        step = max(1, -(-need // max(1, room)))
        for one in equal[::-1][::step]:
            if one.end - one.start < room:
                chosen.append(one)
                room -= one.end - one.start + 1
        if full:
            break
    return chosen


# Bounds


def _bounded(lines: Sequence[Line]) -> list[Line]:
    """The messages with no more in them than is read."""
    limits = {
        own: _limit([len(line.text) for line in lines if (line.role == "assistant") == own])
        for own in (True, False)
    }
    longest = _limit([len(text) for line in lines for call in line.calls for text in _texts(call)])
    return [
        replace(
            line,
            text=_ends(line.text, limits[line.role == "assistant"]),
            calls=tuple(_clipped(call, longest) for call in line.calls) if line.calls else (),
        )
        for line in lines
    ]


def _limit(lengths: Iterable[int]) -> int:
    """The greatest length to which texts are cut so that together they have `WHOLE` characters."""
    left, waiting = WHOLE, sorted(lengths)
    for place, length in enumerate(waiting):
        share = left // (len(waiting) - place)
        if length > share:
            return share
        left -= length
    return LONGEST


def _ends(text: str, longest: int) -> str:
    """The ends of a text that is longer."""
    half = longest // 2
    return text if len(text) <= longest else f"{text[:half]}\n{text[len(text) - half :]}"


def _first(calls: Sequence[Mapping[str, Any]], most: int) -> tuple[Mapping[str, Any], ...]:
    """The first calls of a message, with no more entries together than that."""
    left = [most]
    return tuple(_pruned(call, left) for call in calls[:most])


def _pruned(value: Any, left: list[int], depth: int = 0) -> Any:
    """Nested arguments with the first entries of them; ``left`` is how many more are read."""
    if not isinstance(value, Mapping | list):
        return value
    named = value.items() if isinstance(value, Mapping) else enumerate(value)
    first: dict[str, Any] = {}
    for name, held in named:
        if left[0] <= 0 or depth > _DEEPEST:
            break
        left[0] -= 1
        first[str(name)[:_LONGEST_NAME]] = _pruned(held, left, depth + 1)
    return first if isinstance(value, Mapping) else list(first.values())


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for held in value.values():
            yield from _texts(held)
    elif isinstance(value, list | tuple):
        for held in value:
            yield from _texts(held)


def _clipped(value: Any, longest: int) -> Any:
    """Nested arguments with their texts cut."""
    if isinstance(value, str):
        return _ends(value, longest)
    if isinstance(value, Mapping):
        return {name: _clipped(held, longest) for name, held in value.items()}
    return [_clipped(held, longest) for held in value] if isinstance(value, list) else value


def _object(text: str) -> Any:
    try:
        return json_value(text)
    except (ValueError, RecursionError):
        return None
