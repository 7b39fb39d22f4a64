"""The texts of one language: templates and phrases, ours or a user's, checked before they are used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from intent.agents.prompts.languages import LANGUAGES
from intent.agents.prompts.template import block_tags, blocks, fill, keep_blocks, placeholders
from intent.agents.prompts.vocabulary import (
    CONDITIONS,
    MATRIX,
    PERSONA,
    PHRASES,
    PHRASES_FILE,
    POOL,
    SHARED_PLACEHOLDERS,
    TEMPLATES,
)
from intent.errors import PromptError, UnknownNameError

__all__ = ["Wording", "check_template", "framings", "our_wordings", "parse_phrases"]


@dataclass(frozen=True)
class Wording:
    """All texts of one language.

    Parameters
    ----------
    language : str
    templates : mapping from ``two_players``, ``public_goods`` or a game's name to text
    phrases : mapping from name to text
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

    def over(self, other: Wording) -> Wording:
        """These texts, and those of `other` for what is not here."""
        return Wording(
            self.language, {**other.templates, **self.templates}, {**other.phrases, **self.phrases}
        )


def parse_phrases(text: str, where: str) -> dict[str, str]:
    """Name -> text of a file of phrases.

    Raises
    ------
    PromptError
        Not a sequence of blocks, an unknown phrase, or one that asks for what it does not get.
    """
    found = blocks(text, where)
    for name, phrase in found.items():
        if name not in PHRASES and not name.startswith(PERSONA):
            raise PromptError(f"{where}: {UnknownNameError('phrase', name, PHRASES)}")
        _check_names(placeholders(phrase, where), PHRASES.get(name, ()), f"{where} {{{name}}}")
    return found


def check_template(text: str, stem: str, where: str) -> None:
    """Refuse a template that asks for what no game gives it.

    Raises
    ------
    PromptError
        A placeholder that is not known, or braces that are no placeholder.
    """
    tags = block_tags(text)
    whole = keep_blocks(text, tags, tags)
    special = TEMPLATES.get(stem) or TEMPLATES[MATRIX] | TEMPLATES[POOL]
    _check_names(placeholders(whole, where), [*SHARED_PLACEHOLDERS, *special], where)


def framings(text: str) -> tuple[str, ...]:
    """The cover stories of a template: its blocks that no condition decides on."""
    return tuple(tag for tag in block_tags(text) if tag not in CONDITIONS)


def _check_names(asked: tuple[str, ...], known: tuple[str, ...] | list[str], where: str) -> None:
    for name in asked:
        if name not in known:
            raise PromptError(f"{where}: {UnknownNameError('placeholder', name, known)}")


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
