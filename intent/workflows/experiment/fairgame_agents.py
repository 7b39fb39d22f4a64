"""The agents of a FAIRGAME file: names, personas in several languages, what is told of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from intent.agents.personas import english_persona
from intent.errors import DataError, shorten

__all__ = ["Agents", "agents_of"]

NO_PERSONA = "None"
"""The word that FAIRGAME takes for no persona."""


@dataclass(frozen=True)
class Agents:
    """What the key ``agents`` says.

    Attributes
    ----------
    names : by position
    texts : persona -> language -> its wording
    fixed, grid : keys of an experiment that do not vary, and that do
    """

    names: list[str]
    texts: dict[str, dict[str, str]]
    fixed: dict[str, Any] = field(default_factory=dict)
    grid: dict[str, Any] = field(default_factory=dict)


def agents_of(agents: Mapping[str, Any], languages: Sequence[str], permuted: bool, called: str) -> Agents:
    """The agents of a file.

    A persona is known by its English name, where the file or the published ones have it, so that
    languages can be compared; prompts word it as the file does.

    Parameters
    ----------
    agents : the key of the file
    languages : that are played
    permuted : whether every combination of personas is played, and of what is told of them

    Raises
    ------
    DataError
        Names that are not different, or personas that are not as many in every language.
    """
    names = _texts(agents.get("names"), f"{called}: agents.names")
    if len(names) < 2 or len(set(names)) < len(names):
        raise DataError(f"{called}: agents.names {shorten(names)}, expected at least two different names")
    personas, texts = _personas(agents.get("personalities"), languages, called)
    chances = agents.get("opponentPersonalityProb", [0])
    if not isinstance(chances, list) or not all(isinstance(p, int | float) for p in chances):
        raise DataError(
            f"{called}: agents.opponentPersonalityProb {shorten(chances)}, expected a list of numbers"
        )
    if permuted:
        grid: dict[str, Any] = {"personas": {"ordered": personas}}
        if len(chances) == 1:
            return Agents(names, texts, {"opponent_persona_probability": chances[0]}, grid)
        return Agents(names, texts, {}, {**grid, "opponent_persona_probability": {"ordered": chances}})
    for what, found in (("personalities", personas), ("opponentPersonalityProb", chances)):
        if len(found) != len(names):
            raise DataError(
                f"{called}: agents.{what} lists {len(found)}, expected {len(names)}, one by agent "
                "(allAgentPermutations is false)"
            )
    return Agents(names, texts, {"personas": personas, "opponent_persona_probability": chances})


def _personas(
    found: Any, languages: Sequence[str], called: str
) -> tuple[list[str | None], dict[str, dict[str, str]]]:
    """The personas by our names, and how each is worded in each language."""
    if not isinstance(found, dict):
        raise DataError(f"{called}: agents.personalities, expected language -> list")
    worded = {
        language: _texts(found.get(language), f"{called}: agents.personalities.{language}")
        for language in languages
    }
    lengths = {language: len(listed) for language, listed in worded.items()}
    if len(set(lengths.values())) > 1 or not all(lengths.values()):
        raise DataError(
            f"{called}: agents.personalities lists {lengths}, expected equally many in every language"
        )
    english = found.get("en")
    first = worded[languages[0]]
    same = isinstance(english, list) and len(english) == len(first)
    names = [
        str(english[i]) if same else english_persona(text)  # type: ignore[index]
        for i, text in enumerate(first)
    ]
    texts = {
        name: {language: listed[i] for language, listed in worded.items()}
        for i, name in enumerate(names)
        if name != NO_PERSONA
    }
    return [None if name == NO_PERSONA else name for name in names], texts


def _texts(value: Any, where: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(v, str) and v for v in value):
        raise DataError(f"{where} is {shorten(value)}, expected a list of texts")
    return value
