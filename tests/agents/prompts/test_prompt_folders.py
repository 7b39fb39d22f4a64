"""A user's own wording: which files count, what is taken from ours, what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from prompt_plans import plan, view

from intent.agents.prompts.sources import load_prompts, prompts_from_json
from intent.agents.prompts.wording import (
    CONDITIONS,
    INSIDE_PLACEHOLDERS,
    PHRASES,
    SHARED_PLACEHOLDERS,
    TEMPLATES,
    rtf_text,
)
from intent.base.errors import PromptError

OURS = load_prompts("intent")


@pytest.fixture
def folder(tmp_path):
    """A function that writes files and gives their folder."""

    def write(**texts: str):
        for name, text in texts.items():
            (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
        return tmp_path

    return write


def first_prompt(prompts, made) -> str:
    """The prompt of round 1."""
    return prompts.render(view(made), made, "choose")[0].content


def test_some_phrases_of_ours_are_replaced(folder):
    theirs = load_prompts(
        folder(phrases_en="{unit_penalty}: [number of years]\n{persona_stern}: [a stern judge]")
    )
    made = plan(personas=("stern", "selfish", "selfish"))
    theirs.check(made)
    assert "you get a number of years of 6" in first_prompt(theirs, made)
    assert "You are a stern judge." in first_prompt(theirs, made)
    french = plan(language="fr")
    assert first_prompt(theirs, french) == first_prompt(OURS, french)


def test_a_template_of_ones_own_with_payoffs_one_by_one_and_a_story(folder):
    text = (
        "{fable}: [Once {name} met {other}.]\n{option_1}{option_2}: {own_1_1} {own_1_2} {own_2_1} {own_2_2}, "
        "{other_1_1} {other_1_2} {other_2_1} {other_2_2} {{x}}\n{choose}: [{options}?]{communicate}: [Say.]"
    )
    theirs = load_prompts(folder(two_players_en=text))
    made = plan(framing="fable", listed_first="OptionB", communication="simultaneous")
    theirs.check(made)
    assert first_prompt(theirs, made) == (
        "Once Ann met Bob.\nOptionBOptionA: 2 10 0 6, 2 0 10 6 {x}\nOptionB or OptionA?"
    )
    with pytest.raises(PromptError, match="unknown framing 'prison'"):
        theirs.check(plan(framing="prison"))


def test_a_template_for_one_game_only(folder):
    theirs = load_prompts(folder(stag_hunt_en="Hunt! {choose}: [{options}]"))
    assert first_prompt(theirs, plan("stag-hunt")) == "Hunt! OptionA or OptionB"
    assert first_prompt(theirs, plan()) == first_prompt(OURS, plan())


def test_a_language_of_ones_own_needs_all_pieces(folder):
    theirs = load_prompts(
        folder(two_players_de="Hallo {name}. {choose}: [{options}?]", phrases_de="{or}: [ oder ]")
    )
    with pytest.raises(PromptError, match="phrases_de: no unit_reward, "):
        theirs.check(plan(language="de"))
    with pytest.raises(PromptError, match=r"phrases_de: no phrase \{comma\}"):
        first_prompt(theirs, plan(language="de"))


def test_a_message_phase_needs_its_request(folder):
    theirs = load_prompts(folder(two_players_en="{choose}: [{options}]"))
    theirs.check(plan())
    with pytest.raises(PromptError, match=r"two_players_en: no block \{communicate\}, expected one to ask"):
        theirs.check(plan(communication="sequential"))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "two_players_en",
            "{histroy}",
            r"two_players_en line 1: unknown placeholder 'histroy'; did you mean history",
        ),
        ("two_players_en", "a\n{name.x}", r"two_players_en line 2: "),
        (
            "phrases_en",
            "{unit_rewards}: [x]",
            "phrases_en: unknown phrase 'unit_rewards'; did you mean unit_reward",
        ),
        (
            "phrases_en",
            "{own_choice}: [{player}]",
            r"phrases_en \{own_choice\}: unknown placeholder 'player'",
        ),
        ("phrase_en", "{or}: [x]", "phrase_en: is no template of ours; did you mean phrases"),
        ("two_players_en", " \n", "two_players_en.txt: empty"),
        ("two_players_en", "\0", "binary data"),
        ("two_players_en", "x" * 200_001, "expected at most 200,000"),
    ],
)
def test_slips_are_found_when_loading(folder, name, text, message):
    with pytest.raises(PromptError, match=message):
        load_prompts(folder(**{name: text}))


def test_what_is_no_folder_of_prompts(tmp_path, folder):
    with pytest.raises(PromptError, match="no such folder"):
        load_prompts(tmp_path / "nowhere")
    with pytest.raises(PromptError, match="no templates, expected files such as two_players_en"):
        load_prompts(tmp_path)
    with pytest.raises(PromptError, match="expected one kind"):
        load_prompts(folder(a_en="{currentPlayerName}", b_en="{name}"))


def test_links_out_of_the_folder_are_refused(tmp_path):
    (tmp_path / "secret.txt").write_text("secret")
    inside = tmp_path / "prompts"
    inside.mkdir()
    (inside / "two_players_en.txt").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(PromptError, match="leads out of the folder"):
        load_prompts(inside)


def test_line_ends_and_byte_order_marks(tmp_path):
    (tmp_path / "two_players_en.txt").write_bytes("\ufeff{name}\r\n{choose}: [x]".encode())
    assert first_prompt(load_prompts(tmp_path), plan()) == "Ann\nx"


def test_a_wording_survives_saving(folder):
    theirs = load_prompts(folder(two_players_cn="你好 {name} {choose}: [{options}]"))
    assert prompts_from_json(theirs.to_json()) == theirs
    assert (
        first_prompt(prompts_from_json(theirs.to_json()), plan(language="zh"))
        == "你好 Ann OptionA 或 OptionB"
    )


def test_saved_templates_are_checked_too(folder):
    saved = load_prompts(folder(two_players_en="{name}")).to_json().replace('"{name}"', '"{name.__class__}"')
    with pytest.raises(PromptError, match="is no placeholder"):
        prompts_from_json(saved)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"plain", "no rich text"),
        (rb"{\rtf1 {\field{\*\fldinst HYPERLINK}}}", "expected text only"),
        (rb"{\rtf1 \uc a}", "cannot be read"),
        (rb"{\rtf1\ansi {\fonttbl\f0;}}", "empty"),
    ],
)
def test_rich_text_that_is_none(data, message):
    with pytest.raises(PromptError, match=message):
        rtf_text(data, "x.rtf")


def test_rich_text():
    assert (
        rtf_text(rb"{\rtf1\ansi\ansicpg1252 \{name\}: \'93x\'94 \u-10179?\u-8704?\par y}", "x")
        == "{name}: “x” 😀\ny"
    )


def test_the_page_on_prompts_names_all_that_may_be_written():
    page = (Path(__file__).resolve().parents[3] / "docs" / "prompts.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`\{?(\w+)\}?`", page))
    placeholders = {
        *SHARED_PLACEHOLDERS,
        *INSIDE_PLACEHOLDERS,
        *(name for names in TEMPLATES.values() for name in names),
    }
    assert placeholders | set(CONDITIONS) | set(PHRASES) | set(TEMPLATES) <= named
