"""Replies that can only be one of the labels, in the words of each kind of endpoint.

================== =================================================== ===========================
form               field of the body                                   endpoints
================== =================================================== ===========================
json_schema        ``response_format`` with an enum                    OpenAI, Mistral, Ollama, vLLM,
                                                                       llama.cpp, OpenRouter
structured_outputs ``structured_outputs: {"choice": [...]}``           vLLM
guided_choice      ``guided_choice: [...]``                            older vLLM
grammar            ``grammar`` in GBNF                                 llama.cpp
================== =================================================== ===========================

``openai/NAME@URL#FORM`` chooses one; json_schema is the default, being the most widely understood.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from intent.errors import SettingError, UnknownNameError, shorten

__all__ = ["FORMS", "check_form", "choice_schema", "constraint", "gbnf", "unwrap"]

FIELD = "choice"
"""Name of the one field of a JSON reply."""


def choice_schema(choices: Sequence[str]) -> dict[str, Any]:
    """JSON schema of an object whose one field is one of the labels."""
    return {
        "type": "object",
        "properties": {FIELD: {"type": "string", "enum": list(choices)}},
        "required": [FIELD],
        "additionalProperties": False,
    }


def gbnf(choices: Sequence[str]) -> str:
    """The grammar of llama.cpp that allows the labels and nothing else."""
    return "root ::= " + " | ".join(json.dumps(choice, ensure_ascii=False) for choice in choices)


def _json_schema(choices: Sequence[str]) -> dict[str, Any]:
    named = {"name": FIELD, "strict": True, "schema": choice_schema(choices)}
    return {"response_format": {"type": "json_schema", "json_schema": named}}


FORMS: Mapping[str, Callable[[Sequence[str]], dict[str, Any]]] = MappingProxyType(
    {
        "json_schema": _json_schema,
        "structured_outputs": lambda choices: {"structured_outputs": {"choice": list(choices)}},
        "guided_choice": lambda choices: {"guided_choice": list(choices)},
        "grammar": lambda choices: {"grammar": gbnf(choices)},
    }
)


def check_form(form: str | None) -> str:
    """`form`, or json_schema where none is given.

    Raises
    ------
    UnknownNameError
    """
    if form is not None and form not in FORMS:
        raise UnknownNameError("form of constrained output", form, FORMS)
    return form or "json_schema"


def constraint(form: str, choices: Sequence[str]) -> dict[str, Any]:
    """The fields of the body that allow `choices` only.

    Raises
    ------
    SettingError
        No labels, or one that occurs twice.
    """
    if not choices or len(set(choices)) < len(choices):
        raise SettingError(f"constrained output needs distinct labels, got {shorten(list(choices))}")
    return FORMS[form](choices)


def unwrap(text: str, choices: Sequence[str], who: str) -> str:
    """The label in a constrained reply: bare, or the one field of a JSON object.

    Raises
    ------
    SettingError
        It is none of the labels: the endpoint dropped the constraint.
    """
    inner: object = text.strip()
    if inner not in choices:
        try:
            read = json.loads(text)
        except (ValueError, RecursionError):
            read = None
        inner = read.get(FIELD) if isinstance(read, dict) else read
    if isinstance(inner, str) and inner in choices:
        return inner
    raise SettingError(
        f"{who} does not honour constrained: expected one of {', '.join(choices)}, got {shorten(text)!r}; "
        "choose another form with openai/NAME@URL#FORM or set constrained: false"
    )
