"""Personas in five languages have one kind, and a pairing does not depend on seats."""

from __future__ import annotations

import pandas as pd
import pytest

from intent.analysis.personas import composition, pairing, persona_kind, seat_personas


@pytest.mark.parametrize("word", ["cooperative", "Cooperative", " hợp  tác", "coopératif", "合作", "متعاون"])
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


def test_a_game_with_an_unknown_persona_has_no_pairing():
    seats = pd.DataFrame(
        {"game_id": ["a", "b", "a", "b"], "seat": [2, 1, 1, 2], "persona": ["ích kỷ", "x", "hợp tác", None]}
    )
    found = seat_personas(seats)
    assert found["persona"].tolist()[:3] == ["selfish", "x", "cooperative"]
    assert found["pairing"].fillna("?").tolist() == ["CS", "?", "CS", "?"]
    assert found["composition"].fillna("?").tolist() == ["mixed", "?", "mixed", "?"]
