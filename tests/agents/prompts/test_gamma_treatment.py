"""The default prompts run the paper's treatment; what was ours is the variant ``own``.

Huang et al. 2024, arXiv:2403.11807, appendix C: facts shown, their order, options, form of the answer.
"""

from __future__ import annotations

from typing import Any

import pytest
from table_views import last_view, table_of, views_of

from intent.agents.client import Message
from intent.agents.prompts.wording import LANGUAGES
from intent.base.files import shipped
from intent.gamma.bench.benchmark import load_benchmark
from intent.gamma.prompts import VERSIONS, gamma_prompts
from intent.gamma.templates import gamma_source

OURS = gamma_prompts()
OWN = gamma_source(shipped("experiments") / "gamma_bench" / "own")
BEFORE = {
    "guessing": ("mean", "target", "winning"),
    "public_goods": ("contributions",),
    "diner": ("costly", "cheap", "share"),
    "auction": ("valuation",),
}
"""Game -> numbers of a report that the paper tells before the own choice; it tells the rest after it."""

AFTER = {"public_goods": ("total", "tokens"), "auction": ("highest", "price"), "divide_dollar": ("total",)}

every_wording = pytest.mark.parametrize(
    ("language", "version"), [(language, version) for language in LANGUAGES for version in VERSIONS]
)


def said(game: str, seat: int = 1, prompts: Any = OURS, **how: Any) -> tuple[Message, ...]:
    plan = table_of(game, rounds=2, **how)
    return prompts.render(last_view(plan, seat), plan, "choose")


@every_wording
@pytest.mark.parametrize("game", ["guessing", "public_goods", "diner", "auction", "divide_dollar"])
def test_results_stand_before_the_own_choice_and_what_came_of_it_after(
    game: str, language: str, version: str
) -> None:
    plan = table_of(game, rounds=2, language=language, framing=version)
    view = last_view(plan, 1)
    told: Any = view.reports[0]
    system, before, choice, after = OURS.render(view, plan, "choose")
    assert [m.role for m in (system, before, choice, after)] == ["system", "user", "assistant", "user"]
    for name in BEFORE.get(game, ()):
        first = told[name][0] if isinstance(told[name], tuple) else told[name]
        assert f"{round(first, 2):g}" in before.content, name
    rest = after.content.partition(OURS.say("begin", plan, round=2))[0]
    for name in AFTER.get(game, ()):
        assert f"{round(told[name], 2):g}" in rest, name
        assert f" {round(told[name], 2):g}" not in before.content.replace(",", ""), name


@every_wording
def test_the_diner_s_bill_and_gain_show_their_arithmetic(language: str, version: str) -> None:
    plan = table_of("diner", rounds=2, language=language, framing=version)
    view = last_view(plan, 1)
    told: Any = view.reports[0]
    _, before, _, after = OURS.render(view, plan, "choose")
    costly, cheap, bill = (told[name] for name in ("costly", "cheap", "total_cost"))
    assert f"{costly} * 20 + {cheap} * 10 = {bill}" in before.content
    utility = {"costly": 20, "cheap": 15}[told["own"]]
    assert f"{utility} - {bill}/4 = {told['gain']:g}" in after.content


def test_options_stand_in_the_paper_s_order() -> None:
    forms = {"bar": '"go" or "stay"', "diner": '"costly" or "cheap"'}
    for game, form in forms.items():
        assert said(game)[-1].content.endswith(f": {form}}}")
    assert '"accept" or "reject"' in said("pirate", 4)[-1].content
    for version in VERSIONS:
        rules = said("bar", framing=version, parameters={"high": 77, "low": 11, "home": 33})[0].content
        assert rules.index("77") < rules.index("11") < rules.index("33"), version


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_shot_is_answered_with_action_and_target_and_who_is_hit_is_out(language: str) -> None:
    plan = table_of("battle_royale", rounds=6, language=language)
    view = last_view(plan, 2, seed=3)
    messages = OURS.render(view, plan, "choose")
    assert '{"action": "shoot"' in messages[-1].content
    assert ', "target": <' in messages[-1].content
    assert [m.content for m in messages if m.role == "assistant"] == ['{"action": "miss", "target": null}']
    told: Any = view.reports[0]
    assert told["hit"]
    assert messages[1].content.count(f"player_{told['target']}") == 2


def test_nobody_s_contribution_has_a_name_and_no_rule_of_new_tokens_is_told() -> None:
    text = "\n".join(m.content for m in said("public_goods"))
    assert "player_" not in text
    assert "anew" not in text


def test_the_bar_s_goal_says_fewer() -> None:
    for version in VERSIONS:
        assert (
            "fewer than 60%" in (text := said("bar", framing=version)[-1].content) or "less than 60%" in text
        )


def test_an_answer_may_have_text_around_it() -> None:
    """The paper asks for JSON and forbids nothing beside it."""
    for version in VERSIONS:
        last = said("bar", framing=version)[-1].content.splitlines()[-1]
        assert not any(word in last for word in ("nothing", "without", "whole", "single"))


def test_the_variant_own_has_what_was_ours() -> None:
    plan = table_of("public_goods", rounds=2)
    messages = OWN.render(last_view(plan, 1), plan, "choose")
    assert "You are called player_1." in messages[0].content
    assert "handed out anew" in messages[0].content
    assert [m.role for m in messages] == ["system", "user", "assistant", "user"]
    assert messages[1].content == "Round 1 begins."
    assert "player_2: " in messages[-1].content
    plan = table_of("diner", rounds=2, seat={"persona": "selfish"})
    messages = OWN.render(last_view(plan, 1), plan, "choose")
    assert "You want" in messages[0].content or "you want" in messages[0].content
    assert " * " not in messages[-1].content
    assert "anything else" in messages[-1].content or "nothing else" in messages[-1].content
    assert '{"target": <' in said("battle_royale", 1, OWN)[-1].content
    assert "at least half of them" in said("pirate", 4, OWN)[0].content


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_variant_own_is_whole_in_every_language_and_wording(language: str) -> None:
    for version in VERSIONS:
        for game in (
            "guessing",
            "bar",
            "divide_dollar",
            "public_goods",
            "diner",
            "auction",
            "battle_royale",
            "pirate",
        ):
            OWN.check(table_of(game, language=language, framing=version))


def test_bad_answers_are_asked_again_with_the_same_prompt_and_the_variant_reminds() -> None:
    folder = shipped("experiments") / "gamma_bench"
    assert not load_benchmark(folder / "experiment.yaml").reply.remind
    own = load_benchmark(folder / "own.yaml")
    assert own.reply.remind
    assert own.prompts.endswith("own")


def test_the_first_view_has_no_past() -> None:
    plan = table_of("auction")
    assert len(OURS.render(next(views_of(plan)), plan, "choose")) == 2
