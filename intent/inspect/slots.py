"""What the model decides in a transcript: the same slot of its messages, filled again and again.

A *slot* is an argument of a tool, called or written as text, a field of a JSON object, a tag, a line
``WORD: value``, or what the message says in short: the whole of it, its first or last line or sentence, or
what stands behind words such as ``I choose``. What a slot holds counts as a decision where it is a number, or
a word that messages to the model use as well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from intent.base.json_text import json_value
from intent.inspect.lexicon import STATES

__all__ = [
    "NUMBER",
    "SAID",
    "alternatives",
    "bare",
    "json_objects",
    "label",
    "named_option",
    "pieces",
    "slots",
    "whole",
]

SAID = "said"
"""The slot of what a message says in short."""

NUMBER = r"\d{1,9}(?:[.,]\d{1,4})?"
MARKS = "\"'“”‘’`*«»「」『』_"
_LONGEST_VALUE = 40
_OBJECTS = 12
_CALL = re.compile(r"(?m)^[\s`>$-]{0,6}(?:\w{1,30}\.)?(\w{1,40})\(([^()\n]{1,200})\)")
_ARGUMENT = re.compile(
    r"(?:(\w{1,30})\s{0,3}[=:]\s{0,3})?(\"[^\"\n]{0,80}\"|'[^'\n]{0,80}'|[^,\s\"'][^,\n]{0,80})(?:,|$)"
)
_TAG = re.compile(r"<(\w{1,30})>\s{0,9}([^<>]{1,60}?)\s{0,9}</")
_LABELLED = re.compile(
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
_MOST_LISTS = 400


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


def label(text: str, options: Mapping[str, str]) -> str | None:
    """The option that a text is, as it is written; options by their folded text."""
    folded = text.casefold().strip()
    for prefix in ("", "option ", "action ", "button ", "to ", "the "):
        if folded.removeprefix(prefix) in options:
            return options[folded.removeprefix(prefix)]
    return None


def named_option(text: str, options: Mapping[str, str], *, cased: bool = False) -> str | None:
    """The option that a text names, None where it names none or several.

    Parameters
    ----------
    options : folded option -> as it is written
    cased : whether an option of one letter is meant only by the letter as it is written
    """
    named = [one for one in dict.fromkeys(options.values()) if re.search(whole(one), text, re.IGNORECASE)]
    if not named and not cased:
        single = {one: rf"(?<!\w){re.escape(one)}(?!\w)" for one in options.values() if len(one) == 1}
        named = [one for one, pattern in single.items() if re.search(pattern, text, re.IGNORECASE)]
    return named[0] if len(named) == 1 else None


def json_objects(text: str) -> list[Any]:
    """Objects and lists of JSON that stand in a text, the outermost ones, the first dozen."""
    values: list[Any] = []
    decoder = json.JSONDecoder()
    at = tries = 0
    while tries < _OBJECTS:
        starts = [place for mark in "{[" if (place := text.find(mark, at)) >= 0]
        if not starts:
            break
        at, tries = min(starts), tries + 1
        try:
            _, end = decoder.raw_decode(text, at)
            values.append(json_value(text[at:end]))
            at = end
        except (ValueError, RecursionError):
            at += 1
    return [value for value in values if isinstance(value, dict | list)]


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
    for match in _TAG.finditer(text):
        held[f"tag {match[1].casefold()}"] = match[2]
    for match in _LABELLED.finditer(text):
        if '"' not in match[2] or match[2].count('"') == 2:
            held[f"line {match[1].strip().casefold()}"] = match[2]
    return {slot: value for slot, value in held.items() if 0 < len(value.strip()) <= 2 * _LONGEST_VALUE}


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
    return [bare(part) for part in dict.fromkeys(parts) if 0 < len(bare(part)) <= _LONGEST_VALUE]


def stated(text: str) -> list[str]:
    """What stands behind words by which a choice is stated, the last first."""
    return [
        text[match.end() : match.end() + _LONGEST_VALUE] for match in reversed(list(STATES.finditer(text)))
    ]


def alternatives(text: str, said: frozenset[str] = frozenset()) -> list[list[str]]:
    """Lists of alternatives in a text: words joined by "or" and the like, and what is quoted.

    Parameters
    ----------
    said : what the model says in short, folded; alternatives are of two words where it does so too
    """
    listed: list[list[str]] = []
    for match in _LISTED.finditer(text):
        words = [bare(match[name]) for name in ("zero", "one", "two") if match[name]]
        listed.append([*(word.split()[-1] for word in words[:-1]), words[-1].split()[0]])
        if any(" " in word and word.casefold() in said for word in words):
            listed.append(words)
        length = min(map(len, words))
        if any(_CHINESE.search(word) for word in words) and max(map(len, words)) >= length + 2:
            listed.append([*(word[-length:] for word in words[:-1]), words[-1][:length]])
        if len(listed) >= _MOST_LISTS:
            break
    for match in _ENUMERATED.finditer(text):
        listed.append([bare(word) for word in re.split(r"[,،、，]", match[1])])
        if len(listed) >= 2 * _MOST_LISTS:
            break
    text = re.sub(r"[\"'][\w ]{1,30}[\"']\s{0,3}:", " ", text)
    quoted = [next(part for part in match.groups() if part) for match in _QUOTED.finditer(text)]
    distinct = list(dict.fromkeys(bare(part) for part in quoted if bare(part)))
    if 2 <= len(distinct) <= 12:
        listed.append(distinct)
    seen: dict[tuple[str, ...], list[str]] = {}
    for words in listed:
        folded = tuple(word.casefold() for word in words if word)
        if len(set(folded)) >= 2:
            seen.setdefault(folded, [word for word in words if word])
    return list(seen.values())
