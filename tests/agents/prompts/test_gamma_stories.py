"""The stories of relabelled games tell the facts of the original, and none of its words."""

import re

import pytest

from intent.agents.prompts.wording import placeholders
from intent.base.errors import PromptError
from intent.gamma.catalogue import GAMMA_GAMES, gamma_game
from intent.gamma.prompts import OPTIONAL, UNSAID, base_piece, our_gamma_wordings, pieces_of, several_wordings
from intent.gamma.stories import STORIES, relabelled

FAMILIAR = {
    "guessing": "average|two thirds|guess|number named",
    "bar": r"bar|home|go\b|stay|evening",
    "divide_dollar": "gold|coin|bid|dollar",
    "public_goods": "token|pot|contribut|public",
    "diner": "dish|cheap|costly|eat|restaurant|diner",
    "auction": "bid|auction|valuation|item",
    "battle_royale": "shoot|shot|bullet|surviv|battle",
    "pirate": "pirate|gold|coin|overboard",
}
"""Words by which the original would be known."""

each_game = pytest.mark.parametrize("game", GAMMA_GAMES)


def _pieces(game):
    return our_gamma_wordings()["en"].pieces[f"{game}_{STORIES[game].name}"]


@each_game
def test_every_story_has_all_pieces_and_facts(game):
    stem = f"{game}_{STORIES[game].name}"
    our_gamma_wordings()["en"].check(stem, "v1")
    known = pieces_of(stem)
    told = {base_piece(stem, tag): set(placeholders(text, tag)) for tag, text in _pieces(game).items()}
    assert set(told) >= set(known) - OPTIONAL
    assert {piece: facts - {"centre"} for piece, facts in told.items()} == {
        piece: set(known[piece]) - {"centre"} for piece in told
    }
    assert several_wordings(stem).keys() - UNSAID <= told.keys()


@each_game
def test_no_story_has_words_of_the_original(game):
    words = re.compile(rf"\b(?:{FAMILIAR[game]})", re.IGNORECASE)
    for tag, text in _pieces(game).items():
        plain = re.sub(r"\{\w+\}", "", text)
        assert not words.search(plain), f"{tag}: {words.search(plain)}"


@each_game
def test_labels_are_named_where_they_are_asked_for(game):
    told = relabelled(gamma_game(game))
    text = " ".join(_pieces(game).values())
    for _, label in told.story.labels:
        assert f'"{label}"' in text


def test_stories_are_in_one_wording_and_language():
    with pytest.raises(PromptError, match="v2"):
        our_gamma_wordings()["en"].check("guessing_dials", "v2")
    with pytest.raises(PromptError, match="guessing_dials_fr"):
        our_gamma_wordings()["fr"].check("guessing_dials", "v1")
