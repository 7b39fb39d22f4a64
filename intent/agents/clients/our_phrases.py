"""Our own phrases and lines, of all languages, found again in the text that was made of them."""

from __future__ import annotations

import re
from functools import cache

__all__ = ["lines_holding", "occurs", "our_phrases", "values_of"]

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_BLOCK = re.compile(r"\{(\w+)\}: \[(.*)")


@cache
def our_phrases() -> dict[str, dict[str, str]]:
    """Language -> phrase -> words."""
    from intent.agents.prompts.wording import our_wordings

    return {language: dict(wording.phrases) for language, wording in our_wordings().items()}


@cache
def lines_holding(holding: str, tags: tuple[str, ...] = ()) -> tuple[tuple[str, str], ...]:
    """Language and line, of all lines of our texts that hold a placeholder, in blocks of these tags only."""
    from intent.agents.prompts.wording import our_wordings

    found: dict[tuple[str, str], None] = {}
    for language, wording in our_wordings().items():
        named = [("", line) for text in wording.templates.values() for line in text.splitlines()]
        named += [(name, line) for name, text in wording.phrases.items() for line in text.splitlines()]
        for name, line in named:
            head = _BLOCK.match(line)
            tag, body = (head[1], head[2].removesuffix("]")) if head else (name, line.removesuffix("]"))
            if holding in body and (not tags or tag in tags):
                found[language, body] = None
    return tuple(found)


def values_of(phrase: str, text: str) -> dict[str, str] | None:
    """The values that a phrase was filled with, each as short as can be; None where `text` is not it."""
    literals, asked = _parts(phrase)
    if not asked:
        return {} if text == phrase else None
    if not text.startswith(literals[0]) or not text.endswith(literals[-1]):
        return None
    values, at, end = {}, len(literals[0]), len(text) - len(literals[-1])
    for name, literal in zip(asked[:-1], literals[1:-1], strict=True):
        stop = text.find(literal, at, end)
        if stop < 0:
            return None
        values[name], at = text[at:stop], stop + len(literal)
    return {**values, asked[-1]: text[at:end]} if at <= end else None


def occurs(phrase: str, text: str) -> bool:
    """Whether the literal parts of a phrase stand in the text, one after the other."""
    at = 0
    for literal in _parts(phrase)[0]:
        at = text.find(literal, at)
        if at < 0:
            return False
        at += len(literal)
    return True


@cache
def _parts(phrase: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The literal text around the placeholders, and the placeholders' names."""
    pieces = _PLACEHOLDER.split(phrase)
    literals = [piece.replace("{{", "{").replace("}}", "}") for piece in pieces[::2]]
    return tuple(literals), tuple(pieces[1::2])
