"""The form of a JSON object that a request asks for, as an artificial model reads it from the prompt."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from intent.agents.clients.pick import constrained_labels, digest, fraction
from intent.agents.replies.normalise import digits
from intent.games.gamma.stories import STORIES

__all__ = ["KEYS", "ObjectForm", "object_form"]

KEYS = tuple(dict.fromkeys(key for story in STORIES.values() for keys in story.keys for key in keys))
"""Fields by which the form is known: those of the eight games, and of their stories."""

LONGEST = 20_000
"""Characters of the end of a prompt that are read."""

_FIELD = re.compile(rf'"({"|".join(KEYS)})"\s{{0,4}}:')
_NUMBER = re.compile(r"\d{1,12}")
_WORD = re.compile(r'"([^"\d\n][^"\n]{0,40})"')
_ALONE = re.compile(r"(?<![A-Za-z0-9_])\d{1,12}(?![A-Za-z0-9_])", re.ASCII)
_PLACE = re.compile(r'"(\d{1,4})"\s{0,4}:')
_PLAYER = re.compile(r"^[^\w\n]{0,6}(\d{1,4})(?:[.):]\s|\uff09)", re.MULTILINE)


@dataclass(frozen=True)
class ObjectForm:
    """What is asked for.

    Parameters
    ----------
    key : str
        The field that holds the answer.
    explains : bool
        Whether an explanation is to come first.
    low, high : int
        Whole numbers from here to there; of a proposal 0 and the coins.
    words : tuple of str
        Labels to choose from, in the order in which the prompt names them; empty of numbers.
    players : tuple of int
        Players that the request lists by number, where the answer may be null; else empty.
    places : tuple of str
        Names of the numbers of a proposal; empty of other answers.
    given : tuple of str
        Answers that the request allows, as JSON objects; empty where it does not say.
    own : int
        Answers of the model's own earlier in the conversation.
    seed : bytes
        Of whatever is drawn: the request's own.
    """

    key: str
    explains: bool
    low: int
    high: int
    words: tuple[str, ...]
    players: tuple[int, ...]
    places: tuple[str, ...]
    given: tuple[str, ...]
    own: int
    seed: bytes

    def drawn(self, *about: object) -> float:
        """A number in [0, 1) that depends on nothing but the request and `about`."""
        return fraction(*about, self.seed)

    def uniform(self) -> object:
        """One of the answers asked for, each as likely as the others, as far as the prompt tells them."""
        if self.given:
            known: object = json.loads(self.given[int(self.drawn("given") * len(self.given))])
            return known[self.key] if isinstance(known, dict) and self.key in known else known
        if self.words:
            return self.words[int(self.drawn("word") * len(self.words))]
        if self.players:
            choices = (*self.players, None)
            return choices[int(self.drawn("target") * len(choices))]
        if self.places:
            bars = sorted(int(self.drawn("bar", i) * (self.high + 1)) for i in range(len(self.places) - 1))
            shares = (b - a for a, b in zip((0, *bars), (*bars, self.high), strict=True))
            return dict(zip(self.places, shares, strict=True))
        return self.low + int(self.drawn("number") * (self.high - self.low + 1))

    def said(self, value: object) -> str:
        """The object with this answer."""
        thought = {"explanation": "I weigh what the others may do."} if self.explains else {}
        return json.dumps({**thought, self.key: value}, ensure_ascii=False)


def object_form(body: Mapping[str, Any]) -> ObjectForm | None:
    """The form that the end of the last message of the user shows; None where it shows none."""
    raw = body.get("messages")
    messages = [m for m in raw if isinstance(m, Mapping)] if isinstance(raw, Sequence) else []
    said = [m.get("content") for m in messages if m.get("role") == "user"]
    users = [digits(text[-LONGEST:]) if isinstance(text, str) else "" for text in said]
    last = users[-1] if users else ""
    fields = list(_FIELD.finditer(last))
    if not fields:
        return None
    field = fields[-1]
    start, value = last.rfind("{", 0, field.start()), last[field.end() :]
    before = last[: max(start, 0)]
    key = field[1]
    numbers = [int(found) for found in _NUMBER.findall(value)]
    places = tuple(dict.fromkeys(_PLACE.findall(value))) if value.lstrip().startswith("{") else ()
    if places:
        numbers = [0, _coins(before)]
    players = _listed([before, *reversed(users[:-1])]) if "null" in value else ()
    return ObjectForm(
        key=key,
        explains='"explanation"' in last[max(start, 0) : field.start()],
        low=min(numbers, default=0) if len(numbers) > 1 else 0,
        high=max(numbers, default=0),
        words=() if places else tuple(dict.fromkeys(_WORD.findall(value))),
        players=players,
        places=places,
        given=tuple(one for one in map(str, constrained_labels(body)) if f'"{key}"' in one),
        own=sum(m.get("role") == "assistant" for m in messages),
        seed=digest(body),
    )


def _listed(texts: Sequence[str]) -> tuple[int, ...]:
    """The players of the first text that lists any: a reminder does not, the request before it does."""
    found = next(filter(None, map(_PLAYER.findall, texts)), [])
    return tuple(dict.fromkeys(int(number) for number in found))


def _coins(before: str) -> int:
    """What is to be shared: the number that the last paragraph with one names most often."""
    for paragraph in reversed(before.split("\n\n")):
        named = Counter(int(found) for found in _ALONE.findall(paragraph) if int(found))
        if named:
            return max(named, key=lambda number: (named[number], number))
    return 0
