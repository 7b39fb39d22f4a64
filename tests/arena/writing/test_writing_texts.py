"""The texts that ask for strategies: what is in them, and how they are replaced."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from intent.agents.client import Message
from intent.arena.match import MatchRules
from intent.arena.sources.parser import BUILTINS
from intent.arena.writing.task import WritingTask, check_attitudes, load_texts, parse_style
from intent.base.errors import PromptError, UnknownNameError
from intent.games.catalogue import game

TEXTS = load_texts()
THEORY = re.compile(
    r"game|player|\bround\b|\brounds|payoff|points|scor|cooperat|defect|dilemma|equilibri|tit.for|opponent",
    re.IGNORECASE,
)
OWN = Path(__file__).resolve().parents[3] / "experiments" / "llm_strategies" / "own"


def task(name="classic", **how):
    return WritingTask(TEXTS, game(name), name, **how)


def text(messages):
    return "\n".join(message.content for message in messages)


@pytest.mark.parametrize("scenario", TEXTS.scenarios)
@pytest.mark.parametrize("attitude", TEXTS.attitudes)
def test_a_plan_is_asked_for_without_a_word_of_game_theory(scenario, attitude):
    asked = text(task(noise=0.1).plan(attitude, scenario))
    assert THEORY.findall(asked.replace("a cooperative, straightforward strategy", "")) == []
    assert f" {attitude.casefold()}, straightforward strategy" in asked
    assert re.findall(r"\d", asked) == []  # neither rounds nor payoffs nor the rate of noise
    quiet = text(task().plan(attitude, scenario))
    assert ("Mind that" in asked, "Mind that" in quiet) == (True, False)


def test_an_attitude_is_one_word_and_the_game_is_not_named():
    asked = {name: text(task().words(name)) for name in TEXTS.attitudes}
    assert "is to take an aggressive approach" in asked["Aggressive"]
    assert (
        len(
            {
                words.replace("an aggressive", "a").replace("a cooperative", "a").replace("a neutral", "a")
                for words in asked.values()
            }
        )
        == 1
    )
    for words in asked.values():
        assert not re.search(
            r"prisoner|dilemma|score of|scores of|compare|exploit|retaliat", words, re.IGNORECASE
        )
        assert "1000 rounds" in words


def test_what_follows_goes_on_with_the_conversation():
    asked = task()
    plan = (*asked.plan("Neutral", "law"), Message("assistant", "PLAN"))
    convert = asked.convert("Neutral", "law", "PLAN", plan)
    critique = asked.critique("Neutral", "FIRST", (*convert, Message("assistant", "FIRST")))
    rewrite = asked.rewrite("Neutral", "FIRST", "WEAK", (*critique, Message("assistant", "WEAK")))
    assert [message.role for message in rewrite] == ["system", *("user", "assistant") * 3, "user"]
    assert [message.content for message in rewrite if message.role == "assistant"] == [
        "PLAN",
        "FIRST",
        "WEAK",
    ]
    assert rewrite[: len(plan)] == plan
    assert "mistakes of logic" in critique[-1].content


def test_a_text_that_quotes_what_was_written_stands_alone(tmp_path):
    asked = WritingTask(load_texts(OWN), game("classic"))
    before = asked.words("Neutral")
    assert [m.role for m in asked.critique("Neutral", "FIRST", before)] == ["system", "user"]
    assert "FIRST" in text(asked.critique("Neutral", "FIRST", before))
    assert "Prisoner's Dilemma" in text(before)
    (tmp_path / "critique_en.txt").write_text("You judge.\n===\nWell?", encoding="utf-8")
    with pytest.raises(PromptError, match="a part for the system within a conversation"):
        WritingTask(load_texts(tmp_path), game("classic")).critique("Neutral", "FIRST", before)


def test_there_are_four_settings_and_the_published_attitudes():
    assert len(TEXTS.scenarios) == 4
    assert TEXTS.attitudes == ("Aggressive", "Cooperative", "Neutral")


@pytest.mark.parametrize("name", ["classic", "prisoner", "chicken-t4", "stag"])
def test_payoffs_are_those_of_the_game(name):
    reward, sucker, temptation, punishment = (f"{x:g}" for x in MatchRules.of(game(name)).payoffs)
    asked = text(task(name).words("Neutral"))
    assert f"C by both: {reward} for each of you" in asked
    assert f"D by both: {punishment} for each of you" in asked
    assert f"C by you and D by your opponent: {sucker} for you, {temptation} for" in asked
    assert f"D by you and C by your opponent: {temptation} for you, {sucker} for" in asked


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("classic", ["DC", "CC", "CD", "DD"]),
        ("chicken-t4", ["DC", "CC", "DD", "CD"]),
        ("stag", ["CC", "DC", "CD", "DD"]),
    ],
)
def test_the_order_of_outcomes_is_that_of_the_payoffs(name, order):
    """Best, second best, worst, second worst."""
    said = text(task(name).plan("Neutral", "law"))
    starts = {"CC": "both sides make", "DD": "both sides argue", "CD": "you make", "DC": "you argue"}
    ranking = re.search(r"Best for you: (.*); second best: (.*); worst: (.*); second worst: (.*)\.", said)
    assert [outcome.startswith(starts[o]) for outcome, o in zip(ranking.groups(), order, strict=True)] == [
        True
    ] * 4


def test_noise_is_told_where_there_is_some():
    assert "noise" not in text(task().words("Neutral")) + text(task().code("…"))
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
    own = WritingTask(load_texts(OWN), game("classic"))
    assert strategy in text(own.rewrite("Neutral", strategy, "{critique}"))


def test_styles():
    assert parse_style("refine+prose").name == "prose+refine"
    assert parse_style("default").purposes == ("words", "code")
    assert parse_style("prose+refine").purposes == ("plan", "convert", "critique", "rewrite", "code")
    with pytest.raises(UnknownNameError, match="unknown style 'prosa'; did you mean prose"):
        parse_style("prosa")


def test_a_folder_replaces_texts_and_adds_attitudes_and_settings(tmp_path):
    (tmp_path / "words_en.txt").write_text("Please: {attitude} {rounds}", encoding="utf-8")
    (tmp_path / "attitude_spiteful_en.txt").write_text("spiteful", encoding="utf-8")
    texts = load_texts(tmp_path)
    asked = WritingTask(texts, game("classic")).words("Spiteful")
    assert [(m.role, m.content) for m in asked] == [("user", "Please: spiteful 1000")]
    assert check_attitudes(("spiteful", " NEUTRAL", "Neutral"), texts) == ("Spiteful", "Neutral")
    assert "out a spiteful," in text(WritingTask(texts, game("classic")).plan("Spiteful", "law"))
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
