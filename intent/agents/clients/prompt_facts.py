"""What a prompt says of its game, as an artificial model reads it: labels, payoffs, past choices, totals.

The words are looked up in our own phrases of all languages; a prompt in other words is read as far as
numbers and labels go, and what is not found is None.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from intent.agents.clients.our_phrases import lines_holding, occurs, our_phrases, values_of

__all__ = [
    "LONGEST",
    "advice_to_give",
    "announced",
    "asks_for_label",
    "asks_to_think",
    "client_of",
    "numbers",
    "options",
    "other_choices",
    "outcomes",
    "places",
    "question",
    "rounds_so_far",
    "sole_label",
    "total",
]

LONGEST = 100_000
"""Characters of a prompt that are read."""

ONLY_LABEL = ("choose", "choose_json", "decide_now", "remind", "remind_json")
"""Blocks and phrases that ask for a label and nothing else."""

THINKING = ("think", "think_option", "think_deceive")
"""Blocks that ask for thoughts without a choice."""

QUESTION = "question_"
"""Phrases that begin so are questions."""

_NUMBER = re.compile(r"(?<![A-Za-z0-9_.])[-−]?\d{1,15}(?:\.\d{1,15})?(?![A-Za-z0-9_])", re.ASCII)


def numbers(text: str) -> list[float]:
    """The numbers that stand for themselves, not those within names."""
    return [float(found.replace("−", "-")) for found in _NUMBER.findall(text[:LONGEST])]


def places(text: str, labels: Sequence[str]) -> list[tuple[int, str]]:
    """Where labels stand: position of the end, and label; of overlapping ones the longest."""
    if not labels:
        return []
    return [(found.end(), found.group()) for found in _labels(tuple(labels)).finditer(text[:LONGEST])]


def sole_label(text: str, labels: Sequence[str]) -> str | None:
    """The one label that the text names, however often; None where it names none or several."""
    named = {label for _, label in places(text, labels)}
    return named.pop() if len(named) == 1 else None


def outcomes(text: str, labels: Sequence[str]) -> Mapping[tuple[str, str], float]:
    """Payoffs by joint action, from the list of outcomes: (own, other) -> own.

    A line of the list names two labels and then two payoffs, both of them in the same order of players.
    """
    found = {}
    for line in text[:LONGEST].splitlines():
        named = places(line, labels)
        if not line.lstrip().startswith("-") or len(named) != 2:
            continue
        payoffs = numbers(line[named[-1][0] :])
        for number in numbers(line[: named[-1][0]]):
            # Such as that of "Player 2", who is named again beside the payoff.
            if len(payoffs) > 2 and number in payoffs:
                payoffs.remove(number)
        if len(payoffs) == 2:
            found[named[0][1], named[1][1]] = payoffs[0]
    return found


def options(text: str) -> tuple[str, ...]:
    """The labels that a prompt in our words asks to choose from; empty where it is in other words."""
    for line in text[:LONGEST].splitlines():
        for language, phrase in lines_holding("{options}"):
            told = values_of(phrase, line)
            found = told["options"].split(our_phrases()[language]["or"]) if told else ()
            if len(found) > 1 and all(label.strip() for label in found):
                return tuple(found)
    return ()


def asks_for_label(text: str) -> bool:
    """Whether the last line asks for the name of an option and nothing else."""
    last = text.strip().rsplit("\n", 1)[-1]
    return any(values_of(phrase, last) for _, phrase in lines_holding("{options}", ONLY_LABEL))


def asks_to_think(text: str) -> bool:
    """Whether a line asks for thoughts that nobody else reads, without a choice."""
    lines = text[:LONGEST].splitlines()
    return any(
        values_of(phrase, line) is not None for line in lines for _, phrase in lines_holding("", THINKING)
    )


def advice_to_give(text: str) -> str | None:
    """What an assistant is told to advise: a label, an empty text where it is to find out, None where the
    text is no prompt of an assistant."""
    told = _to_advise(text)
    return told.get("advised", "") if told else None


def client_of(text: str) -> str:
    """Whom an assistant is told to advise; empty where the text is no prompt of an assistant."""
    told = _to_advise(text)
    return told.get("name", "") if told else ""


def _to_advise(text: str) -> dict[str, str] | None:
    for line in text[:LONGEST].splitlines():
        for _, phrase in lines_holding("{name}", ("advise", "advise_compute")):
            if told := values_of(phrase, line):
                return told
    return None


def announced(text: str, labels: Sequence[str]) -> str | None:
    """The one label that the player's own message of this round names; None where there is none."""
    for line in text[:LONGEST].splitlines():
        for language, phrase in lines_holding("{messages}", ("said",)):
            told, phrases = values_of(phrase, line), our_phrases()[language]
            for part in told["messages"].split(phrases["join"]) if told else ():
                if mine := values_of(phrases["own_message"], part):
                    return sole_label(mine["message"], labels)
    return None


def question(text: str) -> tuple[str, str] | None:
    """Language and name of the question of ours that the text puts, such as ``rounds_so_far``."""
    for language, phrases in our_phrases().items():
        for name, phrase in phrases.items():
            if name.startswith(QUESTION) and occurs(phrase, text[:LONGEST]):
                return language, name.removeprefix(QUESTION)
    return None


def other_choices(text: str, labels: Sequence[str], language: str, client: str = "") -> list[str]:
    """What the other player chose in the rounds shown, in order; for an assistant, other than its client."""
    phrases = our_phrases()[language]
    found = []
    for line in _rounds(text, language):
        for event in line["events"].split(phrases["join"]):
            mine = _either(phrases, "own_choice", event)
            other = None if mine else _either(phrases, "other_choice", event)
            if other and other["option"] in labels and other["player"] != client:
                found.append(other["option"])
    return found


def rounds_so_far(text: str, language: str) -> int:
    """How many rounds the history counts up to the last that it shows."""
    shown = [line["round"] for line in _rounds(text, language)]
    return max((int(number) for number in shown if re.fullmatch("[0-9]{1,6}", number)), default=0)


def total(text: str, language: str, client: str = "") -> float | None:
    """The player's own total of the rounds that totals are told of; None where it is not told.

    For an assistant, whose prompt speaks of its client by name, that of the client.
    """
    phrases = our_phrases()[language]
    for name in ("total", "total_all"):
        for line in text[:LONGEST].splitlines():
            told = values_of(phrases[name], line)
            sums = told["sums"].split(phrases["join"]) if told else []
            for part in sums:
                values = values_of(phrases["other_sum" if client else "own_sum"], part)
                if values and values.get("player", "") == client:
                    return next(iter(numbers(values["sum"])), None)
    return None


def _rounds(text: str, language: str) -> list[dict[str, str]]:
    """Number and events of every round that the history shows."""
    phrase = our_phrases()[language]["round"]
    found = (values_of(phrase, line) for line in text[:LONGEST].splitlines())
    return [values for values in found if values]


def _either(phrases: Mapping[str, str], name: str, text: str) -> dict[str, str] | None:
    return values_of(phrases[name], text) or values_of(phrases[f"{name}_unpaid"], text)


@lru_cache(maxsize=256)
def _labels(labels: tuple[str, ...]) -> re.Pattern[str]:
    either = "|".join(re.escape(label) for label in sorted(labels, key=len, reverse=True))
    return re.compile(rf"(?<![A-Za-z0-9_])(?:{either})(?![A-Za-z0-9_])")
