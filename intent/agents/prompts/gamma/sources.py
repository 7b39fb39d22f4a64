"""Prompts for gamma-bench from a user's files over ours, and from what was saved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from intent.agents.prompts.gamma.pieces import PHRASES_FILE
from intent.agents.prompts.gamma.prompts import GammaPrompts
from intent.agents.prompts.gamma.templates import GamaTemplates
from intent.agents.prompts.gamma.wording import (
    STEMS,
    GammaWording,
    base_piece,
    is_stem,
    our_gamma_wordings,
    parse_pieces,
)
from intent.agents.prompts.languages import canonical_language
from intent.agents.prompts.phrases import PERSONA
from intent.agents.prompts.phrases import PHRASES as MATRIX_PHRASES
from intent.agents.prompts.template import block_tags
from intent.errors import PromptError, UnknownNameError

__all__ = ["gama_from_saved", "gamma_from_folder", "gamma_from_saved", "holds_pieces"]


def holds_pieces(stem: str, text: str) -> bool:
    """Whether a file holds pieces of ours, and not a prompt of a matrix game or its phrases."""
    if not is_stem(stem):
        return False
    tags = block_tags(text)
    if stem == PHRASES_FILE:
        tags = tuple(tag for tag in tags if tag not in MATRIX_PHRASES and not tag.startswith(PERSONA))
    return any(base_piece(stem, tag) for tag in tags)


def gamma_from_folder(texts: Mapping[tuple[str, str], str], name: str) -> GammaPrompts:
    """A user's files over ours.

    Parameters
    ----------
    texts : mapping of (stem, language) -> text
    name : str

    Raises
    ------
    PromptError
        A file of another name, or one that holds no pieces; says where.
    """
    wordings = dict(our_gamma_wordings())
    theirs: dict[str, dict[str, dict[str, str]]] = {}
    for (stem, code), text in texts.items():
        where = f"{stem}_{code}"
        if not is_stem(stem):
            raise PromptError(f"{where}: {UnknownNameError('file of gamma-bench texts', stem, STEMS)}")
        theirs.setdefault(canonical_language(code), {})[stem] = parse_pieces(text, stem, where)
    for language, pieces in theirs.items():
        made = GammaWording(language, pieces)
        wordings[language] = made.over(wordings[language]) if language in wordings else made
    return GammaPrompts(name, wordings)


def gamma_from_saved(table: Mapping[str, Any]) -> GammaPrompts:
    """The prompts of a table that `GammaPrompts.to_json` wrote.

    Raises
    ------
    PromptError, TypeError, KeyError, AttributeError
        It is none.
    """
    wordings = {}
    for language, stems in table["languages"].items():
        pieces = {}
        for stem, found in stems.items():
            if not is_stem(stem):
                raise PromptError(f"saved prompts: {UnknownNameError('file', stem, STEMS)}")
            where = f"{stem}_{language}"
            text = "\n".join(f"{{{tag}}}: [{piece}]" for tag, piece in found.items())
            pieces[stem] = parse_pieces(text, stem, where)
        wordings[str(language)] = GammaWording(str(language), pieces)
    return GammaPrompts(str(table["name"]), wordings)


def gama_from_saved(table: Mapping[str, Any]) -> GamaTemplates:
    """The templates of a table that `GamaTemplates.to_json` wrote.

    Raises
    ------
    TypeError, KeyError, AttributeError
        It is none.
    """
    files = {str(folder): dict(texts) for folder, texts in table["files"].items()}
    if not all(isinstance(text, str) for texts in files.values() for text in texts.values()):
        raise TypeError("a text that is none")
    return GamaTemplates(str(table["name"]), files, upstream_window=bool(table["upstream_window"]))
