"""Personas across languages: what kind each one is, and who meets whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = [
    "KINDS",
    "LETTERS",
    "MIXED",
    "PUBLISHED",
    "composition",
    "english_persona",
    "pairing",
    "persona_kind",
    "published_words",
]

LETTERS = {"cooperative": "C", "selfish": "S", "neutral": "N"}
"""Kind of persona -> its letter in a pairing."""

MIXED = "mixed"
"""Composition of a game whose players have different personas."""

PUBLISHED: dict[str, dict[str, tuple[str, ...]]] = {
    "cooperative": {
        "fr": ("coopératif",),
        "ar": ("متعاون",),
        "zh": ("合作型的", "合作"),
        "vi": ("một người hợp tác", "hợp tác"),
    },
    "selfish": {
        "fr": ("égoïste",),
        "ar": ("أناني",),
        "zh": ("自私型的", "自私"),
        "vi": ("một người ích kỷ", "ích kỷ"),
    },
    "strategic": {"fr": ("stratégique",), "vi": ("chiến lược",)},
}
"""Persona -> language -> what published configurations call it there, the most usual first."""

_ENGLISH = {
    word: persona
    for persona, by_language in PUBLISHED.items()
    for words in by_language.values()
    for word in words
}

KINDS: dict[str, str] = {
    **{persona: persona for persona in PUBLISHED},
    **_ENGLISH,
    **dict.fromkeys(("neutral", "none"), "neutral"),
}
"""Persona as published configurations word it, in five languages -> its kind."""


def english_persona(words: str) -> str:
    """The English name of a published persona, whatever its language; other words as they are."""
    return _ENGLISH.get(words, words)


def published_words(persona: str, language: str) -> str:
    """What published configurations call a persona in a language (ISO 639-1); its name where they do not.

    Examples
    --------
    >>> published_words("selfish", "fr"), published_words("a pirate", "fr")
    ('égoïste', 'a pirate')
    """
    return PUBLISHED.get(persona, {}).get(language, (persona,))[0]


def persona_kind(persona: str, kinds: Mapping[str, str] | None = None) -> str:
    """The kind of a persona, whatever its language; a persona that nobody listed is its own kind.

    Parameters
    ----------
    kinds : mapping of persona -> kind, optional
        Goes before `KINDS`.

    Examples
    --------
    >>> persona_kind("ích kỷ"), persona_kind("a pirate"), persona_kind("a pirate", {"a pirate": "selfish"})
    ('selfish', 'a pirate', 'selfish')
    """
    text = " ".join(persona.split())
    return (kinds or {}).get(text) or KINDS.get(text.casefold(), text)


def pairing(kinds: Sequence[str]) -> str:
    """Who meets whom, whatever the seats: letters in order (``CS`` is also SC), else kinds joined by ``+``.

    Examples
    --------
    >>> pairing(["selfish", "cooperative"]), pairing(["selfish"] * 3), pairing(["strategic", "selfish"])
    ('CS', 'SSS', 'selfish + strategic')
    """
    if all(kind in LETTERS for kind in kinds):
        return "".join(sorted(LETTERS[kind] for kind in kinds))
    return " + ".join(sorted(kinds))


def composition(kinds: Sequence[str]) -> str:
    """``all cooperative`` where every player has that persona, ``mixed`` where they differ."""
    return f"all {kinds[0]}" if len(set(kinds)) == 1 else MIXED
