"""Codes of the languages that prompts are written in, and the other codes that mean the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from intent.errors import PromptError, UnknownNameError

__all__ = ["LANGUAGES", "LANGUAGE_ALIASES", "canonical_language", "in_language", "known_as"]

T = TypeVar("T")

LANGUAGES: dict[str, str] = {
    "en": "English",
    "fr": "French",
    "ar": "Arabic",
    "zh": "Chinese",
    "vi": "Vietnamese",
}
"""Code (ISO 639-1) -> language of our own prompts."""

LANGUAGE_ALIASES: dict[str, str] = {"cn": "zh", "vn": "vi"}
"""Code in FAIRGAME's files -> code (ISO 639-1)."""


def canonical_language(code: str) -> str:
    """The code that our prompts are filed under: small letters, ``cn`` as ``zh``, ``vn`` as ``vi``."""
    folded = code.strip().casefold()
    return LANGUAGE_ALIASES.get(folded, folded)


def known_as(code: str, known: Iterable[str]) -> str | None:
    """The one of the `known` codes that means the language of `code`, None where there is none."""
    codes = list(known)
    if code in codes:
        return code
    return next((other for other in codes if canonical_language(other) == canonical_language(code)), None)


def in_language(code: str, texts: Mapping[str, T], prompts: str) -> T:
    """The texts of the language, from those by language of the prompts of this name.

    Raises
    ------
    PromptError
        There are none.
    """
    found = known_as(code, texts)
    if found is None:
        raise PromptError(f"prompts {prompts}: {UnknownNameError('language', code, texts)}")
    return texts[found]
