"""The door to prompts: ours by name, a folder by its path, saved ones by their JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from intent.agents.prompts import own
from intent.agents.prompts.fairgame import KIND as FAIRGAME_KIND
from intent.agents.prompts.fairgame import FairgamePrompts, fairgame_prompts, is_fairgame
from intent.agents.prompts.fairgame_weights import as_weight
from intent.agents.prompts.files import TemplateFile, read_folder
from intent.agents.prompts.gamma.gama_folder import is_gama_folder, read_gama_templates
from intent.agents.prompts.gamma.prompts import KIND as GAMMA_KIND
from intent.agents.prompts.gamma.prompts import gamma_prompts
from intent.agents.prompts.gamma.sources import (
    gama_from_saved,
    gamma_from_folder,
    gamma_from_saved,
    holds_pieces,
)
from intent.agents.prompts.gamma.templates import KIND as GAMA_KIND
from intent.agents.prompts.languages import canonical_language
from intent.agents.prompts.own import OwnPrompts, own_prompts
from intent.agents.prompts.phrases import FRAMINGS
from intent.agents.prompts.prompt_set import FORMAT, PromptSet
from intent.agents.prompts.vocabulary import PHRASES_FILE, TEMPLATES
from intent.agents.prompts.wording import Wording, check_template, framings, our_wordings, parse_phrases
from intent.errors import PromptError, located, nearest, shorten
from intent.files.json_text import json_value

__all__ = ["load_prompts", "prompts_from_json"]

LARGEST = 32 << 20
"""Characters of a saved prompt set."""


def load_prompts(source: str | Path, *, bench: bool = False) -> PromptSet:
    """The prompts of a name or a folder.

    Parameters
    ----------
    source : str or Path
        ``"intent"`` for our own, ``"gamma"`` for those of the gamma-bench games; a folder of FAIRGAME's
        templates, told by their placeholders, or of GAMA-Bench's (``guessing_game/description_v1.txt``, …); a
        folder with pieces for the gamma-bench games (``guessing_en.txt``, ``phrases_en.txt``, …); or a
        folder with another wording of ours (``two_players_en.txt``, ``public_goods_en.txt``,
        ``decider_en.txt``, ``assistant_two_players_en.txt``, ``assistant_public_goods_en.txt``,
        ``phrases_en.txt``, or a game's name as in ``stag_hunt_en.txt``, ``decider_stag_hunt_en.txt``,
        ``assistant_stag_hunt_en.txt``), where what is missing is taken from ours in the same language.
    bench : bool
        Whether the prompts are for the gamma-bench games, whatever the files of a folder look like.

    Raises
    ------
    PromptError
        No such folder, or a file in it that is no template; says where.
    """
    if source == "intent" and not bench:
        return own_prompts()
    if source == "gamma":
        return gamma_prompts()
    folder = Path(source)
    if is_gama_folder(folder):
        return read_gama_templates(folder)
    texts = read_folder(folder)
    if bench or any(holds_pieces(stem, text) for (stem, _), text in texts.items()):
        return gamma_from_folder(texts, folder.resolve().name or "prompts")
    foreign = [key for key, text in texts.items() if is_fairgame(text)]
    if foreign and len(foreign) < len(texts):
        other = next(key for key in texts if key not in foreign)
        raise PromptError(
            f"{folder}: {'_'.join(foreign[0])} is a FAIRGAME template and {'_'.join(other)} is not; "
            "expected one kind in a folder"
        )
    name = folder.resolve().name or "prompts"
    return fairgame_prompts(folder, name=name) if foreign else _worded(texts, name)


def prompts_from_json(text: str) -> PromptSet:
    """The prompts that `PromptSet.to_json` wrote.

    Raises
    ------
    PromptError
        The text is none of them, or of a later version.
    """
    if len(text) > LARGEST:
        raise PromptError(f"saved prompts of {len(text):,} characters, expected at most {LARGEST:,}")
    try:
        table = json_value(text)
        if table["format"] != FORMAT:
            raise PromptError(f"saved prompts of format {shorten(table['format'])}, expected {FORMAT}")
        if table["kind"] == own.KIND:
            return _own_from(table)
        if table["kind"] == FAIRGAME_KIND:
            return _fairgame_from(table)
        if table["kind"] == GAMMA_KIND:
            return gamma_from_saved(table)
        if table["kind"] == GAMA_KIND:
            return gama_from_saved(table)
        known = ", ".join((own.KIND, FAIRGAME_KIND, GAMMA_KIND, GAMA_KIND))
        raise PromptError(f"saved prompts of kind {shorten(table['kind'])!r}, expected one of {known}")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise PromptError(f"saved prompts {shorten(text, 40)!r} cannot be read: {shorten(error)}") from None


def _worded(texts: dict[TemplateFile, str], name: str) -> OwnPrompts:
    """A user's wording over ours."""
    wordings = dict(our_wordings())
    parts: dict[str, tuple[dict[str, str], dict[str, str]]] = {}
    stories = [story for (stem, _), text in texts.items() if stem != PHRASES_FILE for story in framings(text)]
    for (stem, code), text in texts.items():
        where = f"{stem}_{code}"
        templates, phrases = parts.setdefault(canonical_language(code), ({}, {}))
        _check_stem(stem, where)
        if stem == PHRASES_FILE:
            phrases.update(parse_phrases(text, where, [*FRAMINGS, *stories]))
        else:
            check_template(text, stem, where)
            templates[stem.casefold().replace("-", "_")] = text
    for language, (templates, phrases) in parts.items():
        theirs = Wording(language, templates, phrases)
        wordings[language] = theirs.over(wordings[language]) if language in wordings else theirs
    return OwnPrompts(name, wordings)


def _check_stem(stem: str, where: str) -> None:
    """Refuse a slip in one of our names, which would otherwise be taken for the name of a game."""
    ours = [PHRASES_FILE, *TEMPLATES]
    if stem not in ours and (near := nearest(stem, ours, n=1, cutoff=0.85)):
        raise PromptError(located(where, f"is no template of ours; did you mean {near[0]}?"))


def _own_from(table: dict[str, Any]) -> OwnPrompts:
    wordings = {}
    for language, parts in table["languages"].items():
        templates, phrases = _texts(parts["templates"]), _texts(parts["phrases"])
        for stem, text in templates.items():
            check_template(text, stem, f"{stem}_{language}")
        wordings[language] = Wording(language, templates, phrases)
    return OwnPrompts(str(table["name"]), wordings)


def _fairgame_from(table: dict[str, Any]) -> FairgamePrompts:
    weights = table["weights"]
    stem = table["stem"]
    return FairgamePrompts(
        str(table["name"]),
        {name: _texts(texts) for name, texts in table["templates"].items()},
        None if stem is None else str(stem),
        None if weights is None else tuple(as_weight(w) for w in weights),
        {language: tuple(str(x) for x in labels) for language, labels in table["strategies"].items()},
    )


def _texts(table: dict[str, Any]) -> dict[str, str]:
    if not all(isinstance(text, str) for text in table.values()):
        raise TypeError("a text that is none")
    return dict(table)
