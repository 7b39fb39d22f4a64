"""The texts of the gamma-bench games say the same facts in every wording and language."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from intent.agents.prompts.wording import LANGUAGES, placeholders
from intent.base.errors import PromptError
from intent.gamma.prompts import (
    OPTIONAL,
    STEMS,
    UNSAID,
    VERSIONED,
    VERSIONS,
    base_piece,
    our_gamma_wordings,
    parse_pieces,
    pieces_of,
    several_wordings,
)

FOLDER = files("intent.gamma") / "texts"
SPELT = {
    ("bar", "rules"): ('"go"', '"stay"'),
    ("bar", "request"): ('"go"', '"stay"'),
    ("diner", "rules"): ('"costly"', '"cheap"'),
    ("diner", "request"): ('"costly"', '"cheap"'),
    ("pirate", "vote"): ('"accept"', '"reject"'),
    ("battle_royale", "request"): ("null",),
    ("battle_royale", "form"): ("null",),
}
"""(Game, piece) -> what is answered, which no language translates."""

SCRIPTS = {
    "ar": "[\u0600-\u06ff]",
    "zh": "[\u4e00-\u9fff]",
    "vi": "[ăđơưạảấầẩẫậắằẳặẹẻẽếềểễệịọỏốồổộớờởợụủứừửữựỳ]",
}

files_of_all = pytest.mark.parametrize(
    ("stem", "language"), [(stem, language) for language in LANGUAGES for stem in STEMS]
)


def pieces(stem: str, language: str) -> dict[str, str]:
    name = f"{stem}_{language}.txt"
    return parse_pieces((FOLDER / name).read_text(encoding="utf-8"), stem, name)


@files_of_all
def test_every_file_has_all_pieces_in_five_wordings_and_no_others(stem: str, language: str) -> None:
    several = several_wordings(stem)
    said = [piece for piece in several if stem == "phrases" or piece not in UNSAID]
    wanted = {f"{piece}_{version}" for piece in said for version in VERSIONS}
    wanted |= {piece for piece in pieces_of(stem) if piece not in several}
    assert set(pieces(stem, language)) == wanted


@files_of_all
def test_every_wording_tells_the_same_facts(stem: str, language: str) -> None:
    known = pieces_of(stem)
    told = {tag: set(placeholders(text, tag)) for tag, text in pieces(stem, language).items()}
    assert told == {tag: set(known[base_piece(stem, tag) or ""]) for tag in told}


@files_of_all
def test_five_wordings_differ(stem: str, language: str) -> None:
    found = pieces(stem, language)
    for piece in (piece for piece in several_wordings(stem) if stem == "phrases" or piece not in UNSAID):
        assert len({found[f"{piece}_{version}"] for version in VERSIONS}) == 5, piece


@files_of_all
def test_answers_are_spelt_as_the_log_spells_them(stem: str, language: str) -> None:
    for tag, text in pieces(stem, language).items():
        for word in SPELT.get((stem, base_piece(stem, tag) or ""), ()):
            assert word in text, f"{tag}: {word}"


@files_of_all
def test_every_language_is_written_in_its_script(stem: str, language: str) -> None:
    text = " ".join(pieces(stem, language).values())
    for code, letters in SCRIPTS.items():
        assert bool(re.search(letters, text, re.IGNORECASE)) == (code == language), code


@files_of_all
def test_digits_are_the_same_in_every_language(stem: str, language: str) -> None:
    """But for those that number the rules, numbers come from the game."""
    text = " ".join(pieces(stem, language).values())
    assert not re.search("[\u0660-\u0669\u06f0-\u06f9\uff10-\uff19]", text)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", VERSIONED)
def test_every_wording_of_every_game_can_be_used(game: str, language: str) -> None:
    for version in VERSIONS:
        our_gamma_wordings()[language].check(game, version)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "{rules_v1}: [{hihg}]",
            r"guessing_en\.txt line 1: placeholder \{hihg\} in \{rules_v1\}, expected low",
        ),
        ("{ruels_v1}: [x]", r"guessing_en\.txt: unknown piece 'ruels_v1'; did you mean rules_v1"),
        ("{rules_v1}: [x] y", "between blocks"),
        ("{won_v1}: [x]\n{won_v1}: [y]", "occurs twice"),
        ("{won_v1}: [{]", "no placeholder"),
    ],
)
def test_slips_are_found(text: str, message: str) -> None:
    with pytest.raises(PromptError, match=message):
        parse_pieces(text, "guessing", "guessing_en.txt")


def test_another_story_of_a_game_has_its_pieces_and_where_its_numbers_are_told_from() -> None:
    assert parse_pieces("{won_v1}: [{centre}]", "guessing_dials", "guessing_dials_en.txt")
    with pytest.raises(PromptError, match="centre"):
        parse_pieces("{won_v1}: [{centre}]", "guessing", "guessing_en.txt")


def test_what_is_optional_has_a_phrase_of_the_same_name_or_is_not_said() -> None:
    assert set(pieces_of("phrases")) >= OPTIONAL - UNSAID - {"action"}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", VERSIONED)
def test_every_game_has_a_place_for_the_own_choice(game: str, language: str) -> None:
    assert all(our_gamma_wordings()[language].tells_before(game, version) for version in VERSIONS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_personas_are_words_and_no_goals(language: str) -> None:
    """Two adjectives, or a trade: nothing of what the player wants, likes or does."""
    found = pieces("phrases", language)
    for name in ("cooperative", "selfish", "mathematician"):
        assert len(re.split("[.:。：]", found[f"persona_{name}"].strip(".。"))) == 1
