"""The texts of one language: templates and phrases, ours or a user's, checked before they are used."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from intent.agents.prompts.languages import LANGUAGES
from intent.agents.prompts.phrases import FRAMINGS, OPTIONAL, PERSONA, PHRASES, variant_of
from intent.agents.prompts.template import (
    block_tags,
    blocks,
    fill,
    line_of,
    nested_block,
    placeholders,
    resolve_blocks,
)
from intent.agents.prompts.vocabulary import CONDITIONS, PHRASES_FILE, TEMPLATES, known_placeholders
from intent.errors import PromptError, UnknownNameError

__all__ = ["SYSTEM_END", "Wording", "check_template", "framings", "our_wordings", "parse_phrases"]


SYSTEM_END = re.compile(r"^===[ \t]*$", re.MULTILINE)
"""The line of a template above which the system message stands."""


@dataclass(frozen=True)
class Wording:
    """All texts of one language.

    Parameters
    ----------
    language : str
    templates : mapping from ``two_players``, ``public_goods``, … or a game's name to text
    phrases : mapping from name to text
        ``unpaid_years`` is what stands in place of ``unpaid`` in the framing ``years``.
    """

    language: str
    templates: Mapping[str, str]
    phrases: Mapping[str, str]

    def say(self, phrase: str, **values: object) -> str:
        """A phrase with values for its placeholders.

        Raises
        ------
        PromptError
            The language has no such phrase, or it asks for another value.
        """
        if phrase not in self.phrases:
            raise PromptError(f"{PHRASES_FILE}_{self.language}: no phrase {{{phrase}}}")
        return fill(self.phrases[phrase], values, f"{PHRASES_FILE}_{self.language} {{{phrase}}}")

    def persona(self, name: str) -> str:
        """The wording of a persona, the name itself where there is none."""
        folded = "_".join(name.casefold().split())
        return self.phrases.get(f"{PERSONA}{folded}", name)

    def framed(self, framing: str) -> Wording:
        """These texts with the variants of phrases that the framing has in place of the phrases."""
        variants = {
            base: text
            for name, text in self.phrases.items()
            if name.endswith(f"_{framing}") and (base := variant_of(name, {framing}))
        }
        return Wording(self.language, self.templates, {**self.phrases, **variants}) if variants else self

    def over(self, other: Wording) -> Wording:
        """These texts, and those of `other` for what is not here."""
        return Wording(
            self.language, {**other.templates, **self.templates}, {**other.phrases, **self.phrases}
        )


def parse_phrases(text: str, where: str, stories: Collection[str] = FRAMINGS) -> dict[str, str]:
    """Name -> text of a file of phrases, with variants ``PHRASE_FRAMING`` for the framings in `stories`.

    Raises
    ------
    PromptError
        Not a sequence of blocks, an unknown phrase, or one that asks for what it does not get.
    """
    found = blocks(text, where)
    for name, phrase in found.items():
        known = variant_of(name, stories) or name
        if known not in PHRASES and not name.startswith(PERSONA):
            raise PromptError(f"{where}: {UnknownNameError('phrase', name, PHRASES)}")
        values = (*PHRASES.get(known, ()), *OPTIONAL.get(known, ()))
        _check_names(placeholders(phrase, where), values, f"{where} {{{name}}}")
    return found


def check_template(text: str, stem: str, where: str) -> None:
    """Refuse a template that asks for what no game gives it.

    Raises
    ------
    PromptError
        A placeholder that is not known, a block within a block, braces that are no placeholder, or two
        lines ``===``.
    """
    if nested := nested_block(text):
        outer, inner = nested
        raise PromptError(
            f"{where}: block {{{inner}}} begins inside block {{{outer}}}, expected one after the other "
            f"(the first ] ends a block; {{{outer}}} may be opened again)"
        )
    whole = resolve_blocks(text, block_tags(text))
    _check_names(placeholders(whole, where), tuple(known_placeholders(stem)), where, text)
    if len(SYSTEM_END.findall(whole)) > 1:
        raise PromptError(f"{where}: more than one line ===, expected one between system and user")


@lru_cache(maxsize=1024)
def framings(text: str) -> tuple[str, ...]:
    """The cover stories of a template: its blocks that no condition decides on, and that are no variants."""
    tags = block_tags(text)
    free = [tag for tag in tags if tag not in CONDITIONS]
    return tuple(tag for tag in free if not _is_variant(tag, free))


def _is_variant(tag: str, free: Collection[str]) -> bool:
    return any(tag == f"{condition}_{other}" for condition in CONDITIONS for other in free)


def _check_names(asked: tuple[str, ...], known: tuple[str, ...], where: str, text: str = "") -> None:
    for name in asked:
        if name not in known:
            line = line_of(text, name)
            place = f"{where} line {line}" if line else where
            raise PromptError(f"{place}: {UnknownNameError('placeholder', name, known)}")


@cache
def our_wordings() -> dict[str, Wording]:
    """Language -> our own texts."""
    folder = files("intent.agents.prompts") / "texts"

    def text(stem: str, language: str) -> str:
        return (folder / f"{stem}_{language}.txt").read_text(encoding="utf-8")

    return {
        language: Wording(
            language,
            {stem: text(stem, language) for stem in TEMPLATES},
            parse_phrases(text(PHRASES_FILE, language), f"{PHRASES_FILE}_{language}.txt"),
        )
        for language in LANGUAGES
    }
