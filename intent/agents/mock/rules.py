"""Rules by which artificial models answer: all that any architecture asks for, done well and done badly.

`agreeable` does what it is asked to do, `erratic` gets it wrong in as many ways as models do; others answer
with JSON objects, by a given rule or with errors.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from intent.agents.mock.client import (
    Utterance,
    call,
    constrained_labels,
    digest,
    fraction,
    labels_in,
    pick,
)
from intent.agents.mock.requests import (
    ObjectForm,
    ParsedRequest,
    Task,
    joint_choices,
    object_form,
    other_choices,
    outcomes,
    places,
    question,
    rounds_so_far,
    total,
)
from intent.base.wording import number_text
from intent.games.game import number

__all__ = [
    "DIGITS",
    "FAULTS",
    "OBJECT_FAULTS",
    "agreeable",
    "answer",
    "choice",
    "erratic",
    "erring_object",
    "fault_of",
    "heeds",
    "stated_payoffs",
]


PLAUSIBLE = {"temptation": 5.0, "reward": 3.0, "punishment": 1.0, "sucker": 0.0}
"""Stated where the prompt tells no payoffs (Axelrod 1984, The Evolution of Cooperation)."""

_PASSED_ON = re.compile(r"I would answer (.{1,80})\.$", re.MULTILINE)


_PER_CENT = re.compile(r"([0-9]{1,3})\s?%")


def heeds(body: Mapping[str, Any], text: str, labels: Sequence[str]) -> Utterance:
    """Answers in kind: the move that the other is expected to make, where the prompt tells of one.

    The last line of the prompt with one label and a probability in per cent says what is expected: that label
    from 50 % on, else the other one. Without such a line a label by a hash of the request.
    """
    among = labels_in(body, labels)
    messages = body.get("messages") or [{}]
    lines = str(messages[-1].get("content") or "").splitlines()
    for line in reversed(lines):
        named = [label for label in among if re.search(rf"(?<!\w){re.escape(label)}(?!\w)", line)]
        if len(named) == 1 and (chances := _PER_CENT.findall(line)):
            likely = int(chances[-1]) >= 50
            return Utterance(named[0] if likely else next(label for label in among if label != named[0]))
    return Utterance(pick(body, labels))


def agreeable(body: Mapping[str, Any], text: str, labels: Sequence[str]) -> Utterance:
    """What a well-behaved model says; a pure function of the request.

    1. With a tool it calls once, with the payoffs that the prompt tells, and follows the advice.
    2. In a debate it advises in one sentence, and decides after the other's first turn as that advises.
    3. Private thoughts stand in double braces, and its public text announces what it then does.
    4. Questions are answered from the history that the prompt shows.
    5. Where nothing was advised, the choice is made by a hash of the request.
    6. An object of one of the games of gamma-bench is given as it is asked for.

    Parameters
    ----------
    text : the choice, where another than that of 2, 5 and 6 is to be made; else empty
    labels : where the request names none
    """
    request = ParsedRequest(body, labels)
    form = None if request.must else object_form(body)
    if form is not None:
        return Utterance(form.with_answer(_value(text) if text else form.uniform()))
    chosen = text or choice(request)
    if request.task == "label":
        return Utterance(json.dumps({"choice": chosen}, ensure_ascii=False) if request.as_object else chosen)
    if request.task in ("tool", "call"):
        assert request.tool is not None
        name, arguments = request.tool
        stated = stated_payoffs(request, arguments)
        if request.task == "tool":
            return Utterance("", (call(body, name, stated),))
        return Utterance("CALL: " + json.dumps({"name": name, "arguments": stated}))
    if request.task == "answer":
        return Utterance(_stated(request, "ANSWER", answer(request)))
    if request.to_advise is not None:
        known = question(request.last)
        return Utterance(
            f"I would answer {answer(request)}." if known else f"I advise you to choose {chosen}."
        )
    thoughts = _thoughts(request, chosen) if request.private else ""
    if request.task == "decision":
        return Utterance(f"{thoughts}I will choose {chosen}.\n{_stated(request, 'DECISION', chosen)}")
    return Utterance(_weighed(request) if request.thinks else f"{thoughts}I will choose {chosen}.")


def _stated(request: ParsedRequest, keyword: str, value: str) -> str:
    """A statement as a line, or as the object that the request asks for."""
    return json.dumps({keyword: value}, ensure_ascii=False) if request.in_braces else f"{keyword}: {value}"


def choice(request: ParsedRequest) -> str:
    """The option that was advised or announced, else one by a hash of the request."""
    return request.to_advise or request.advised or request.one_of(request.labels, "label")


def stated_payoffs(request: ParsedRequest, arguments: Mapping[str, str]) -> dict[str, float]:
    """The arguments of a call: the payoff of the joint action that each description names, own first."""
    payoffs = outcomes(request.instructions, request.labels)
    stated = {}
    for name, description in arguments.items():
        joint = [label for _, label in places(description, request.labels)][:2]
        payoff = payoffs.get((joint[0], joint[1])) if len(joint) == 2 else None
        stated[name] = number(PLAUSIBLE.get(name, 0.0) if payoff is None else payoff)
    return stated


def answer(request: ParsedRequest) -> str:
    """The answer to a comprehension question, in the form that it asks for."""
    subject = question(request.last) or question(request.instructions)
    if subject is None:
        passed_on = _PASSED_ON.findall(request.instructions)
        return passed_on[-1] if passed_on else choice(request)
    language, name = subject
    known = _known(request, language, name)
    if known is not None:
        return known
    passed_on = _PASSED_ON.findall(request.instructions)
    return passed_on[-1] if passed_on else "0"


def _known(request: ParsedRequest, language: str, name: str) -> str | None:
    """What the prompt says; None where it says nothing."""
    if name.startswith("opponent_next"):
        choices = other_choices(request.instructions, request.labels, language, request.client)
        passed_on = _PASSED_ON.search(request.instructions)
        return choices[-1] if choices else None if passed_on else choice(request)
    if name.startswith("rounds_so_far"):
        return str(rounds_so_far(request.instructions, language))
    if name.startswith("extremes"):
        payoffs = outcomes(request.instructions, request.labels).values()
        return (
            f"MAXIMUM: {number_text(max(payoffs))}, MINIMUM: {number_text(min(payoffs))}" if payoffs else None
        )
    if name.startswith("total_so_far"):
        whole = total(request.instructions, language, request.client)
        if whole is None:
            by_joint = outcomes(request.instructions, request.labels)
            joint = joint_choices(request.instructions, request.labels, language, request.client)
            known = bool(by_joint) and all(one in by_joint for one in joint)
            whole = sum(by_joint[one] for one in joint) if known else None
        return None if whole is None else number_text(whole)
    return request.one_of(("PRIVATE", "PUBLIC"), "type")


def _thoughts(request: ParsedRequest, chosen: str) -> str:
    """Three thoughts: on each option, and on what the others may know."""
    about = " ".join(f"If I choose {label}, it depends on the others." for label in request.labels)
    return f"{{{{{about} I mean to choose {chosen} and say so.}}}}\n"


def _weighed(request: ParsedRequest) -> str:
    return f"I compare {' with '.join(request.labels)}, given the past rounds."


def rule_of_object(body: Mapping[str, Any], text: str, labels: Sequence[str]) -> Utterance:
    """What a model says that is asked for a JSON object; a pure function of the request.

    ``constant:91`` gives this answer whatever the game, ``cycle:0,50,100`` the next one for every answer that
    it gave before (``;`` between answers that have commas), ``RANDOM`` one of those that the request allows.
    The object is the one that the prompt asks for, with an explanation where it asks for that. A prompt that
    asks for none is answered with the bare action.

    Parameters
    ----------
    text : what stands after ``asked:``
    labels : where the request names none
    """
    form = object_form(body)
    head, _, argument = text.partition(":")
    if head not in ("constant", "cycle"):
        return Utterance(form.with_answer(form.uniform()) if form else pick(body, labels))
    actions = [argument] if head == "constant" else argument.split(";" if ";" in argument else ",")
    turns = sum(
        1 for m in body.get("messages") or () if isinstance(m, Mapping) and m.get("role") == "assistant"
    )
    action = actions[turns % len(actions)].strip()
    must = constrained_labels(body) if body.get("constrained") or "choices" not in body else ()
    answer = form.with_answer(_value(action)) if form else action
    return Utterance(answer if not must or answer in must else str(must[0]))


def erring_object(body: Mapping[str, Any]) -> Utterance | None:
    """What a badly behaved model says in place of the object; None where none is asked for."""
    form = object_form(body)
    if form is None:
        return None
    names = tuple(OBJECT_FAULTS)
    return Utterance(OBJECT_FAULTS[names[int(form.drawn("fault") * len(names))]](form))


def _value(action: str) -> object:
    parts = action.split(",")
    if all(part.strip().lstrip("-").isdecimal() for part in parts):
        numbers = [int(part) for part in parts]
        return numbers if len(numbers) > 1 else numbers[0]
    return None if action == "miss" else action


def _shares(form: ObjectForm, change: int) -> object:
    """A proposal whose sum is off, or a number beyond the range."""
    if not form.places:
        return form.high + change if change > 0 else change
    shares = form.uniform()
    assert isinstance(shares, dict)
    return {place: int(share) + (change if place == form.places[0] else 0) for place, share in shares.items()}


def _oneself(form: ObjectForm) -> object:
    """Oneself, or whoever else is listed first, as a target; the wrong kind of answer in other games."""
    return form.players[0] if form.players else {"player": 1}


OBJECT_FAULTS: Mapping[str, Callable[[ObjectForm], str]] = MappingProxyType(
    {
        "plain": lambda form: form.with_answer(form.uniform()),
        "text": lambda form: form.with_answer(str(form.uniform())),
        "fenced": lambda form: f"```json\n{form.with_answer(form.uniform())}\n```",
        "pseudo-json": lambda form: str({form.key: form.uniform()}),
        "prose": lambda form: f"I have thought about it.\n{form.with_answer(form.uniform())}\nThat is all.",
        "spelling": lambda form: json.dumps({form.key.title(): form.uniform()}),
        "beyond": lambda form: form.with_answer(_shares(form, 1_000)),
        "off": lambda form: form.with_answer(_shares(form, 7)),
        "negative": lambda form: form.with_answer(_shares(form, -5)),
        "less": lambda form: form.with_answer([-1, form.high + 1] if form.places else -0.5),
        "fraction": lambda form: form.with_answer(12.5),
        "huge": lambda form: form.with_answer(10**40),
        "words": lambda form: form.with_answer("quite a lot"),
        "dead": lambda form: form.with_answer(999),
        "oneself": lambda form: form.with_answer(_oneself(form)),
        "short": lambda form: form.with_answer([form.high]),
        "nothing": lambda form: form.with_answer(None),
        "field": lambda form: json.dumps({"thought": "none", "feeling": "good"}),
        "twice": lambda form: f"{form.with_answer(form.low)} or {form.with_answer(form.high + 1)}",
        "cut": lambda form: form.with_answer(form.uniform())[:-1],
        "no-number": lambda form: f'{{"{form.key}": NaN}}',
        "bare": lambda form: str(form.uniform()),
        "refuses": lambda form: "I would rather not say.",
        "empty": lambda form: "",
    }
)
"""What can go wrong, and what only looks so, by name."""


DIGITS = ("0123456789", "٠١٢٣٤٥٦٧٨٩", "۰۱۲۳۴۵۶۷۸۹", "０１２３４５６７８９", "〇一二三四五六七八九")
"""Latin, Arabic-Indic, Eastern Arabic, fullwidth, Chinese."""

Fault = Callable[[ParsedRequest, str], Utterance]
"""``(request, a label) -> reply``"""


def erratic(body: Mapping[str, Any], text: str, labels: Sequence[str]) -> Utterance:
    """What a badly behaved model says; a pure function of the request, which decides what goes wrong.

    Seeds (`Settings.seeded`) make repetitions differ. A constrained reply is one of the labels, since
    nothing else can come of it.

    Parameters
    ----------
    text : not used
    labels : where the request names none
    """
    request = ParsedRequest(body, labels)
    if request.must:
        return Utterance(request.one_of(request.labels, "label"))
    if (fault := erring_object(body)) is not None:
        return fault
    return FAULTS[request.task][fault_of(request)](request, request.one_of(request.labels, "label"))


def fault_of(request: ParsedRequest) -> str:
    """The name of what goes wrong, each as likely as the others over different requests.

    Politeness is endless: who has begun with it goes on, so that a debate stalls.
    """
    own = [text for role, text in request.messages if role == "assistant"]
    if own and own[-1] == POLITE and "polite" in FAULTS[request.task]:
        return "polite"
    return request.one_of(tuple(FAULTS[request.task]), "fault")


def _calls(change: Callable[[dict[str, Any]], Mapping[str, Any]], name: str = "", says: str = "") -> Fault:
    """A call with changed arguments, natively or in words."""

    def made(request: ParsedRequest, label: str) -> Utterance:
        assert request.tool is not None
        known, described = request.tool
        arguments = change(dict(stated_payoffs(request, described)))
        text = says.format(label=label)
        if request.task == "tool":
            return Utterance(text, (call(request.body, name or known, arguments),))
        line = "CALL: " + json.dumps({"name": name or known, "arguments": dict(arguments)})
        return Utterance(f"{text}\n{line}" if text else line)

    return made


def _twice(request: ParsedRequest, label: str) -> Utterance:
    assert request.tool is not None
    name, described = request.tool
    first, second = stated_payoffs(request, described), _swapped(dict(stated_payoffs(request, described)))
    if request.task == "tool":
        return Utterance("", (call(request.body, name, first, 1), call(request.body, name, second, 2)))
    lines = [json.dumps({"name": name, "arguments": dict(arguments)}) for arguments in (first, second)]
    return Utterance("\n".join(f"CALL: {line}" for line in lines))


def _broken(request: ParsedRequest, label: str) -> Utterance:
    assert request.tool is not None
    name, described = request.tool
    cut = json.dumps(stated_payoffs(request, described))[:-1] + ", "
    if request.task == "tool":
        return Utterance("", ({**call(request.body, name, {}), "arguments": cut},))
    return Utterance(f"CALL: {{'name': '{name}', 'arguments': {cut}")


def _swapped(stated: dict[str, Any]) -> dict[str, Any]:
    """The first argument's value for the last and the other way round."""
    names = list(stated)
    return dict(zip(names, reversed(list(stated.values())), strict=True))


def _in_digits(value: object, request: ParsedRequest) -> str:
    table = str.maketrans(DIGITS[0], request.one_of(DIGITS[1:], "digits"))
    return str(value).translate(table)


def _foreign(request: ParsedRequest, label: str) -> Utterance:
    written = _calls(lambda stated: {name: _in_digits(value, request) for name, value in stated.items()})
    return written(request, label)


def _says(pattern: str, *, cut: bool = False) -> Fault:
    """A text with the label, the other one, and a mixed spelling of the label filled in."""

    def made(request: ParsedRequest, label: str) -> Utterance:
        other = next((known for known in request.labels if known != label), label)
        text = pattern.replace("@LABEL", label).replace("@OTHER", other).replace("@MIXED", label.swapcase())
        number = int(fraction("number", digest(request.body)) * 40)
        text = text.replace("@NUMBER", str(number)).replace("@DIGITS", _in_digits(number, request))
        return Utterance(text, cut=cut)

    return made


_PATTERNS: Mapping[str, Mapping[str, str]] = tomllib.loads(
    (files("intent.agents.mock") / "faults.toml").read_text(encoding="utf-8")
)
POLITE = _PATTERNS["text"]["polite"]

_TOOLS: Mapping[str, Fault] = MappingProxyType(
    {
        "twice": _twice,
        "never": _says("I need no advice.\nDECISION: @LABEL"),
        "words": _calls(lambda stated: dict.fromkeys(stated, "quite a lot")),
        "units": _calls(lambda stated: {name: f"{value} years" for name, value in stated.items()}),
        "digits": _foreign,
        "types": _calls(lambda stated: {name: [value] for name, value in stated.items()}),
        "missing": _calls(lambda stated: dict(list(stated.items())[1:])),
        "swapped": _calls(_swapped),
        "huge": _calls(lambda stated: dict.fromkeys(stated, 10**40)),
        "broken": _broken,
        "unknown": _calls(dict, name="ask_the_oracle"),
        "early": _calls(dict, says="I know already.\nDECISION: {label}"),
        "empty": _says("", cut=True),
    }
)

_SAID: dict[Any, Mapping[str, Fault]] = {
    task: {name: _says(pattern, cut=not pattern) for name, pattern in patterns.items()}
    for task, patterns in _PATTERNS.items()
}

FAULTS: Mapping[Task, Mapping[str, Fault]] = MappingProxyType(
    {
        "tool": _TOOLS,
        "call": _TOOLS,
        **_SAID,
        "decision": {**_SAID["text"], **_SAID["decision"]},
    }
)
"""What is asked for to what can go wrong, by name."""
