"""Personas in five languages have one kind, and a pairing does not depend on seats."""

from __future__ import annotations

import pytest

from intent.behaviour.personas import composition, english_persona, pairing, persona_kind, published_words


@pytest.mark.parametrize(
    "word", ["cooperative", "Cooperative", " hợp  tác", "coopératif", "合作", "合作型的", "متعاون"]
)
def test_cooperative_in_every_language(word):
    assert persona_kind(word) == "cooperative"


def test_a_mapping_goes_before_the_known_words():
    assert persona_kind("selfish", {"selfish": "strategic"}) == "strategic"
    assert persona_kind("A pirate") == "A pirate"


@pytest.mark.parametrize(
    ("kinds", "name"),
    [
        (["cooperative", "selfish"], "CS"),
        (["selfish", "cooperative"], "CS"),
        (["selfish", "cooperative", "cooperative"], "CCS"),
        (["neutral", "selfish"], "NS"),
        (["strategic", "cooperative"], "cooperative + strategic"),
    ],
)
def test_pairings(kinds, name):
    assert pairing(kinds) == name


def test_compositions():
    assert [composition(k) for k in (["selfish"] * 3, ["selfish", "neutral"])] == ["all selfish", "mixed"]


@pytest.mark.parametrize("persona", ["cooperative", "selfish"])
@pytest.mark.parametrize("language", ["fr", "ar", "zh", "vi"])
def test_published_words_lead_back_to_their_persona(persona, language):
    words = published_words(persona, language)
    assert words != persona
    assert english_persona(words) == persona_kind(words) == persona
