"""The texts that ask for strategies: ours, with a user's in place of any of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from intent.agents.client import Message
from intent.agents.prompts.files import read_folder
from intent.agents.prompts.template import (
    DROPPED,
    block_tags,
    blocks,
    fill,
    nested_block,
    resolve_blocks,
    tidy,
)
from intent.agents.prompts.wording import SYSTEM_END
from intent.errors import PromptError, UnknownNameError, located, nearest

__all__ = ["ATTITUDE", "CONDUCT", "PARTS", "SCENARIO", "WritingTexts", "load_texts"]

LANGUAGE = "en"
ATTITUDE, CONDUCT, SCENARIO = "attitude_", "conduct_", "scenario_"
"""Beginnings of names that a user may add to: attitudes in words of the game, in everyday words; settings."""

PARTS = (
    "role",
    "situation",
    "cooperate",
    "defect",
    "both_cooperate",
    "self_defects",
    "other_defects",
    "both_defect",
    "mishap",
)
"""Blocks of a scenario: who the model is, what happens, what the two moves mean, the four outcomes from its
side, and how moves go wrong."""


@dataclass(frozen=True, eq=False)
class WritingTexts:
    """Templates by name.

    Parameters
    ----------
    texts : mapping
        ``words``, ``critique``, ``rewrite``, ``plan``, ``convert``, ``code``, ``repair``, ``game``, and one
        ``attitude_…``, ``conduct_…`` for every attitude and ``scenario_…`` for every setting.
    """

    texts: Mapping[str, str]

    @property
    def attitudes(self) -> tuple[str, ...]:
        """Names that strategies may be asked for, capitalised as in the published tables."""
        return tuple(name.capitalize() for name in self._named(ATTITUDE))

    @property
    def scenarios(self) -> tuple[str, ...]:
        """Names of the settings."""
        return self._named(SCENARIO)

    def _named(self, start: str) -> tuple[str, ...]:
        return tuple(sorted(name.removeprefix(start) for name in self.texts if name.startswith(start)))

    def say(self, name: str, values: Mapping[str, object], kept: frozenset[str] = frozenset()) -> str:
        """A text with its blocks resolved and its placeholders filled.

        Raises
        ------
        PromptError
            A placeholder that gets no value.
        """
        return fill(tidy(resolve_blocks(self.texts[name], kept, DROPPED)), values, f"{name}_{LANGUAGE}")

    def messages(
        self, name: str, values: Mapping[str, object], kept: frozenset[str] = frozenset()
    ) -> tuple[Message, ...]:
        """One message of the user, after one of the system where a line ``===`` ends that part.

        Raises
        ------
        PromptError
            As `say`.
        """
        where = f"{name}_{LANGUAGE}"
        text = tidy(resolve_blocks(self.texts[name], kept, DROPPED))
        head, *rest = [part.strip() for part in SYSTEM_END.split(text, maxsplit=1)]
        if not rest or not head:
            return (Message("user", fill((rest or [head])[0], values, where)),)
        return Message("system", fill(head, values, where)), Message("user", fill(rest[0], values, where))

    def scenario(self, name: str, values: Mapping[str, object]) -> dict[str, str]:
        """The blocks of a scenario by name, filled.

        Raises
        ------
        PromptError
            A block is missing, or asks for what it does not get.
        """
        where = f"{SCENARIO}{name}_{LANGUAGE}"
        found = blocks(self.texts[f"{SCENARIO}{name}"], where)
        missing = [part for part in PARTS if part not in found]
        if missing:
            raise PromptError(f"{where}: no block {{{missing[0]}}}, expected {', '.join(PARTS)}")
        return {part: " ".join(fill(found[part], values, f"{where} {{{part}}}").split()) for part in PARTS}


@cache
def _ours() -> dict[str, str]:
    folder = files("intent.arena.writing") / "texts"
    ending = f"_{LANGUAGE}.txt"
    found = {f.name.removesuffix(ending): f for f in folder.iterdir() if f.name.endswith(ending)}
    return {name: found[name].read_text("utf-8") for name in sorted(found)}


def load_texts(folder: str | Path | None = None) -> WritingTexts:
    """Our texts, and in place of them those of a folder with files such as ``words_en.txt``.

    ``attitude_NAME_en.txt`` and ``scenario_NAME_en.txt`` of new names add to ours; an attitude without
    ``conduct_NAME_en.txt`` is told in everyday settings in the same words.

    Raises
    ------
    PromptError
        No such folder; a file that is none of ours, with a suggestion; braces that make no template.
    """
    texts = dict(_ours())
    if folder is not None:
        root = Path(folder)
        found = read_folder(root)
        for path in sorted(root.glob("*.txt")):
            stem, _, language = path.stem.rpartition("_")
            if language != LANGUAGE or (stem, language) not in found:
                known = [f"{name}_{LANGUAGE}.txt" for name in texts]
                raise PromptError(located(root, str(UnknownNameError("text", path.name, known))))
        for (stem, language), text in found.items():
            name = stem.casefold().replace("-", "_")
            if language != LANGUAGE:
                raise PromptError(f"{stem}_{language}: expected texts in English, such as words_en.txt")
            _check_name(name, texts)
            if nested := nested_block(text):
                raise PromptError(f"{name}_{LANGUAGE}: block {{{nested[1]}}} begins inside {{{nested[0]}}}")
            texts[name] = text
    for name in [name for name in texts if name.startswith(ATTITUDE)]:
        texts.setdefault(CONDUCT + name.removeprefix(ATTITUDE), texts[name])
    for name in [name for name in texts if name.startswith(CONDUCT)]:
        texts.setdefault(ATTITUDE + name.removeprefix(CONDUCT), texts[name])
    for name, text in texts.items():
        if len(SYSTEM_END.findall(resolve_blocks(text, block_tags(text)))) > 1:
            raise PromptError(
                f"{name}_{LANGUAGE}: more than one line ===, expected one after the system's part"
            )
    return WritingTexts(texts)


def _check_name(name: str, known: Mapping[str, str]) -> None:
    """Refuse what is neither a text of ours nor a new attitude or scenario, or nearly one of ours."""
    if name in _ours():
        return
    added = name.startswith((ATTITUDE, CONDUCT, SCENARIO))
    near = nearest(name, _ours(), n=1, cutoff=0.88)
    if added and not near:
        return
    raise PromptError(f"{name}_{LANGUAGE}.txt: {UnknownNameError('text', name, near or known)}")
