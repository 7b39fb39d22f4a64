"""``scripted/erratic``: a model that gets every architecture wrong, in as many ways as models do."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from intent.agents.clients.agreeable import stated_payoffs
from intent.agents.clients.asked import Asked, Task
from intent.agents.clients.object_models import erring_object
from intent.agents.clients.pick import digest, fraction
from intent.agents.clients.said import Said, call

__all__ = ["DIGITS", "FAULTS", "erratic", "fault_of"]

DIGITS = ("0123456789", "٠١٢٣٤٥٦٧٨٩", "۰۱۲۳۴۵۶۷۸۹", "０１２３４５６７８９", "〇一二三四五六七八九")
"""Latin, Arabic-Indic, Eastern Arabic, fullwidth, Chinese."""

Fault = Callable[[Asked, str], Said]
"""``(request, a label) -> reply``"""


def erratic(body: Mapping[str, Any], text: str, labels: Sequence[str]) -> Said:
    """What a badly behaved model says; a pure function of the request, which decides what goes wrong.

    Seeds (`Settings.seeded`) make repetitions differ. A constrained reply is one of the labels, since
    nothing else can come of it.

    Parameters
    ----------
    body : mapping
    text : str
        Not used.
    labels : sequence of str
        Where the request names none.
    """
    asked = Asked(body, labels)
    if asked.must:
        return Said(asked.one_of(asked.labels, "label"))
    if (said := erring_object(body)) is not None:
        return said
    return FAULTS[asked.task][fault_of(asked)](asked, asked.one_of(asked.labels, "label"))


def fault_of(asked: Asked) -> str:
    """The name of what goes wrong, each as likely as the others over different requests.

    Politeness is endless: who has begun with it goes on, so that a debate stalls.
    """
    own = [text for role, text in asked.messages if role == "assistant"]
    if own and own[-1] == POLITE and "polite" in FAULTS[asked.task]:
        return "polite"
    return asked.one_of(tuple(FAULTS[asked.task]), "fault")


def _calls(change: Callable[[dict[str, Any]], Mapping[str, Any]], name: str = "", says: str = "") -> Fault:
    """A call with changed arguments, natively or in words."""

    def made(asked: Asked, label: str) -> Said:
        assert asked.tool is not None
        known, described = asked.tool
        arguments = change(dict(stated_payoffs(asked, described)))
        text = says.format(label=label)
        if asked.task == "tool":
            return Said(text, (call(asked.body, name or known, arguments),))
        line = "CALL: " + json.dumps({"name": name or known, "arguments": dict(arguments)})
        return Said(f"{text}\n{line}" if text else line)

    return made


def _twice(asked: Asked, label: str) -> Said:
    assert asked.tool is not None
    name, described = asked.tool
    first, second = stated_payoffs(asked, described), _swapped(dict(stated_payoffs(asked, described)))
    if asked.task == "tool":
        return Said("", (call(asked.body, name, first, 1), call(asked.body, name, second, 2)))
    lines = [json.dumps({"name": name, "arguments": dict(made)}) for made in (first, second)]
    return Said("\n".join(f"CALL: {line}" for line in lines))


def _broken(asked: Asked, label: str) -> Said:
    assert asked.tool is not None
    name, described = asked.tool
    cut = json.dumps(stated_payoffs(asked, described))[:-1] + ", "
    if asked.task == "tool":
        return Said("", ({**call(asked.body, name, {}), "arguments": cut},))
    return Said(f"CALL: {{'name': '{name}', 'arguments': {cut}")


def _swapped(stated: dict[str, Any]) -> dict[str, Any]:
    """The first argument's value for the last and the other way round."""
    names = list(stated)
    return dict(zip(names, reversed(list(stated.values())), strict=True))


def _in_digits(value: object, asked: Asked) -> str:
    table = str.maketrans(DIGITS[0], asked.one_of(DIGITS[1:], "digits"))
    return str(value).translate(table)


def _foreign(asked: Asked, label: str) -> Said:
    written = _calls(lambda stated: {name: _in_digits(value, asked) for name, value in stated.items()})
    return written(asked, label)


def _says(pattern: str, *, cut: bool = False) -> Fault:
    """A text with the label, the other one, and a mixed spelling of the label filled in."""

    def made(asked: Asked, label: str) -> Said:
        other = next((known for known in asked.labels if known != label), label)
        text = pattern.replace("@LABEL", label).replace("@OTHER", other).replace("@MIXED", label.swapcase())
        number = int(fraction("number", digest(asked.body)) * 40)
        text = text.replace("@NUMBER", str(number)).replace("@DIGITS", _in_digits(number, asked))
        return Said(text, cut=cut)

    return made


POLITE = "Thank you, that is most kind. Please go on, I would not want to decide before you have finished."
ROLES = "**Adviser:** You should take @LABEL.\n**Client:** Then @LABEL it is!\n**Adviser:** A wise choice."
QUOTED = 'You told me to end with "DECISION: @LABEL", but I am not there yet.'

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

_TEXTS: Mapping[str, Fault] = MappingProxyType(
    {
        "polite": _says(POLITE),
        "roles": _says(ROLES),
        "quoted": _says(QUOTED),
        "decides": _says("That settles it.\nDECISION: @LABEL"),
        "nested": _says("{{I will take @LABEL {{or not}} in the end}} You can count on @OTHER."),
        "unclosed": _says("You can count on @OTHER. {{But I will take @LABEL"),
        "unopened": _says("I will take @LABEL.}} You can count on @OTHER."),
        "split": _says("{\n{I will take @LABEL.}\n} You can count on @OTHER."),
        "fullwidth": _says("｛｛I will take @LABEL.｝｝ You can count on @OTHER."),
        "triple": _says("{{{I will take @LABEL.}}} You can count on @OTHER."),
        "headings": _says("Private thoughts: I will take @LABEL.\nPublic thoughts: You can count on @OTHER."),
        "bare": _says("I will take @LABEL, but they need not know."),
        "long": _says("I weigh @LABEL and @OTHER once more. " * 200),
        "empty": _says("", cut=True),
    }
)

_DECISIONS: Mapping[str, Fault] = MappingProxyType(
    {
        **_TEXTS,
        "prose": _says("I think that I will go with @LABEL, although @OTHER is tempting."),
        "both": _says("DECISION: @LABEL or @OTHER"),
        "pseudo-json": _says("{'DECISION': '@MIXED'}"),
        "mixed": _says("decision: **@MIXED**"),
        "fenced": _says('```json\n{"DECISION": "@LABEL"}\n```'),
        "placeholder": _says("DECISION: <option>"),
        "other": _says("DECISION: neither"),
        "again": _says("DECISION: @OTHER\nNo, wait.\nDECISION: @LABEL"),
        "private": _says("{{DECISION: @LABEL}}\nYou can count on @OTHER.\nDECISION: @OTHER"),
        "calls": _says('CALL: {"name": "ask_the_oracle", "arguments": {}}'),
    }
)

_LABELS: Mapping[str, Fault] = MappingProxyType(
    {
        "prose": _says("I think that I will go with @LABEL, although @OTHER is tempting."),
        "pseudo-json": _says("{'choice': '@LABEL'}"),
        "json": _says('{"choice": "@LABEL"}'),
        "mixed": _says("**@MIXED**."),
        "plain": _says("@LABEL"),
        "both": _says("@LABEL or @OTHER"),
        "other": _says("neither"),
        "empty": _says("", cut=True),
    }
)

_ANSWERS: Mapping[str, Fault] = MappingProxyType(
    {
        "label": _says("ANSWER: @LABEL"),
        "number": _says("ANSWER: @NUMBER"),
        "digits": _says("ANSWER: @DIGITS"),
        "pseudo-json": _says("{'ANSWER': '@MIXED'}"),
        "pair": _says("{'ANSWER': 'maximum: @DIGITS, minimum: 0'}"),
        "prose": _says("Well, I suppose it is @NUMBER, or that they will take @LABEL."),
        "both": _says("ANSWER: @LABEL or @OTHER, @NUMBER or 41"),
        "unit": _says("Answer: **@NUMBER years**"),
        "none": _says("I would rather not say."),
        "roles": _says(ROLES),
        "empty": _says("", cut=True),
    }
)

FAULTS: Mapping[Task, Mapping[str, Fault]] = MappingProxyType(
    {
        "tool": _TOOLS,
        "call": _TOOLS,
        "text": _TEXTS,
        "decision": _DECISIONS,
        "label": _LABELS,
        "answer": _ANSWERS,
    }
)
"""What is asked for to what can go wrong, by name."""
