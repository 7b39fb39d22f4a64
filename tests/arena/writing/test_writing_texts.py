"""The texts that ask for strategies: what is in them, and how they are replaced."""

from __future__ import annotations

import re

import pytest

from intent.arena.match import MatchRules
from intent.arena.sources.parser import BUILTINS
from intent.arena.writing.task import WritingTask, check_attitudes, load_texts, parse_style
from intent.base.errors import PromptError, UnknownNameError
from intent.games.catalogue import game

TEXTS = load_texts()
THEORY = re.compile(
    r"game|player|\bround\b|\brounds|strateg|payoff|points|cooperat|defect|dilemma|equilibri|tit.for|opponent",
    re.IGNORECASE,
)


def task(name="classic", **how):
    return WritingTask(TEXTS, game(name), name, **how)


def text(messages):
    return "\n".join(message.content for message in messages)


@pytest.mark.parametrize("scenario", TEXTS.scenarios)
@pytest.mark.parametrize("attitude", TEXTS.attitudes)
def test_a_plan_is_asked_for_without_a_word_of_game_theory(scenario, attitude):
    asked = text(task(noise=0.1).plan(attitude, scenario))
    assert THEORY.findall(asked.replace("be cooperative", "")) == []
    assert "1000 times" in asked
    assert "10 %" in asked


def test_there_are_four_settings_and_the_published_attitudes():
    assert len(TEXTS.scenarios) == 4
    assert TEXTS.attitudes == ("Aggressive", "Cooperative", "Neutral")


@pytest.mark.parametrize("name", ["classic", "prisoner", "chicken-t4", "stag"])
def test_payoffs_are_those_of_the_game(name):
    reward, sucker, temptation, punishment = (f"{x:g}" for x in MatchRules.of(game(name)).payoffs)
    asked = text(task(name).words("Neutral"))
    assert f"both cooperate: each scores {reward}\n" in asked
    assert f"both defect: each scores {punishment}\n" in asked
    assert f"who defects scores {temptation}, who cooperates {sucker}\n" in asked


@pytest.mark.parametrize(
    ("name", "order"),
    [
        (
            "classic",
            ["you obstruct while", "both attorneys disclose", "both attorneys obstruct", "you disclose"],
        ),
        (
            "chicken-t4",
            ["you obstruct while", "both attorneys disclose", "you disclose", "both attorneys obs"],
        ),
        (
            "stag",
            ["both attorneys disclose", "you obstruct while", "both attorneys obstruct", "you disclose"],
        ),
    ],
)
def test_the_order_of_outcomes_is_that_of_the_payoffs(name, order):
    asked = text(task(name).plan("Neutral", "law"))
    ranking = re.search(r"from best to worst: (.*)\.", asked)[1].split("; ")
    assert [said[: len(start)] for said, start in zip(ranking, order, strict=True)] == order


def test_noise_is_told_where_there_is_some():
    assert "opposite" not in text(task().words("Neutral"))
    assert "with probability 5 %" in text(task(noise=0.05).words("Neutral"))
    assert "with probability 5 %" in text(task(noise=0.05).code("…"))


def test_the_request_for_code_tells_what_can_be_used():
    asked = text(task().code("Defect always."))
    wanted = [
        *(
            "def strategy(self, opponent) -> axl.Action",
            "axl.Action.C",
            ".flip()",
            "self.history",
            ".cooperations",
        ),
        *("opponent.history", "self.score", "self.total_scores(", "self.first_round()", "no imports", "=="),
        *('self.match_attributes["length"]', "random_choice(p)", "randint(low, high)", ".choice(list)"),
        *("Defect always.", "2 seconds", *BUILTINS),
    ]
    assert [part for part in wanted if part not in asked] == []


def test_what_a_model_wrote_is_no_template():
    strategy = "Say {game} and {{ } and {noise}: [x]."
    assert strategy in text(task().code(strategy))
    assert strategy in text(task().rewrite("Neutral", strategy, "{critique}"))


def test_styles():
    assert parse_style("refine+prose").name == "prose+refine"
    assert parse_style("default").purposes == ("words", "code")
    assert parse_style("prose+refine").purposes == ("plan", "convert", "critique", "rewrite", "code")
    with pytest.raises(UnknownNameError, match="unknown style 'prosa'; did you mean prose"):
        parse_style("prosa")


def test_a_folder_replaces_texts_and_adds_attitudes_and_settings(tmp_path):
    (tmp_path / "words_en.txt").write_text("Please: {attitude} {rounds}", encoding="utf-8")
    (tmp_path / "attitude_spiteful_en.txt").write_text("It is spiteful.", encoding="utf-8")
    texts = load_texts(tmp_path)
    asked = WritingTask(texts, game("classic")).words("Spiteful")
    assert [(m.role, m.content) for m in asked] == [("user", "Please: It is spiteful. 1000")]
    assert check_attitudes(("spiteful", " NEUTRAL", "Neutral"), texts) == ("Spiteful", "Neutral")
    assert "be spiteful" not in text(WritingTask(texts, game("classic")).plan("Spiteful", "law"))
    with pytest.raises(UnknownNameError, match="unknown attitude"):
        check_attitudes(("Grumpy",), texts)


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("word_en.txt", "x", "unknown text 'word'; did you mean words"),
        ("scenario_trad_en.txt", "x", "did you mean scenario_trade"),
        ("words.txt", "x", r"unknown text 'words.txt'; did you mean words_en.txt"),
        ("words_fr.txt", "x", "expected texts in English|unknown text"),
        ("words_en.txt", "a\n===\nb\n===\nc", "more than one line ==="),
    ],
)
def test_files_that_are_no_text_are_refused(tmp_path, file, content, said):
    (tmp_path / "code_en.txt").write_text("{strategy}", encoding="utf-8")
    (tmp_path / file).write_text(content, encoding="utf-8")
    with pytest.raises(PromptError, match=said):
        load_texts(tmp_path)


def test_a_placeholder_that_gets_no_value_is_named(tmp_path):
    (tmp_path / "words_en.txt").write_text("{atitude}", encoding="utf-8")
    with pytest.raises(PromptError, match=r"words_en: no value for placeholder \{atitude\}; did you mean"):
        WritingTask(load_texts(tmp_path), game("classic")).words("Neutral")


def test_a_setting_needs_all_its_blocks(tmp_path):
    (tmp_path / "scenario_fishing_en.txt").write_text("{role}: [You fish.]", encoding="utf-8")
    with pytest.raises(PromptError, match=r"scenario_fishing_en: no block \{situation\}"):
        WritingTask(load_texts(tmp_path), game("classic")).plan("Neutral", "fishing")
