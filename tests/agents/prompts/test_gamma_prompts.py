"""Prompts of the gamma-bench games: who is told what, in which order."""

from __future__ import annotations

import json
from typing import Any

import pytest
from table_views import last_view, table_of, views_of

from intent.agents.client import Message
from intent.agents.prompts.prompt_set import Inside
from intent.agents.prompts.sources import load_prompts, prompts_from_json
from intent.base.errors import PromptError
from intent.gamma.prompts import VERSIONED, VERSIONS, gamma_prompts
from intent.gamma.stories import relabelled
from intent.play.match import View

OURS = gamma_prompts()
GAMES = tuple(VERSIONED)
KEYS = {
    "guessing": "chosen_number",
    "bar": "decision",
    "divide_dollar": "bid_amount",
    "public_goods": "tokens_contributed",
    "diner": "chosen_dish",
    "auction": "bid",
    "battle_royale": "target",
}


def render(view: View, plan: Any) -> tuple[Message, ...]:
    return OURS.render(view, plan, "choose")


def texts(messages: tuple[Message, ...]) -> list[str]:
    return [message.content for message in messages]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("game", GAMES)
def test_system_then_turns_of_user_and_assistant(game: str, version: str) -> None:
    plan = table_of(game, framing=version)
    for view in views_of(plan, missing={(2, 2)}):
        roles = [message.role for message in render(view, plan)]
        assert roles[0] == "system"
        assert roles[1:] == ["user", "assistant"] * (len(roles) // 2 - 1) + ["user"]


@pytest.mark.parametrize("game", GAMES)
def test_words_that_are_kept_are_those_of_a_new_set(game: str) -> None:
    plan = table_of(game)
    for view in views_of(plan, missing={(2, 2)}):
        fresh = prompts_from_json(OURS.to_json())
        assert render(view, plan) == render(view, plan) == fresh.render(view, plan, "choose")


@pytest.mark.parametrize("game", GAMES)
def test_one_round_begins_as_the_round_before_up_to_the_request(game: str) -> None:
    plan = table_of(game)
    before: dict[int, tuple[Message, ...]] = {}
    for view in views_of(plan, missing={(2, 2)}):
        now = render(view, plan)
        if last := before.get(view.seat):
            assert now[: len(last) - 1] == last[:-1]
            begin = OURS.say("begin", plan, round=view.round - 1)
            if begin in last[-1].content:
                shared = last[-1].content.partition(begin)[0]
                assert now[len(last) - 1].content.startswith(shared)
        before[view.seat] = now


@pytest.mark.parametrize("game", KEYS)
def test_own_choices_are_the_assistant_s_and_are_legal_answers(game: str) -> None:
    plan = table_of(game, rounds=6)
    view = last_view(plan, 2, missing={(3, 2)})
    said = [json.loads(m.content)[KEYS[game]] for m in render(view, plan) if m.role == "assistant"]
    own = [action for action in view.own if action is not None]
    assert [str(value) if value is not None else "miss" for value in said] == own


def test_a_pirate_s_past_votes_are_the_assistant_s() -> None:
    plan = table_of("pirate")
    assert [m.content for m in render(last_view(plan, 4), plan) if m.role == "assistant"] == [
        '{"decision": "reject"}'
    ] * 2


def test_who_wins_and_loses_in_the_guessing_game() -> None:
    plan = table_of("guessing", rounds=3)
    for seat in (1, 2, 3, 4):
        view = last_view(plan, seat)
        (user,) = [m.content for m in render(view, plan)[-1:]]
        won = view.reports[-1]["won"]  # type: ignore[index]
        assert ("You won this round." in user) == won
        assert ("You did not win this round." in user) == (not won)


@pytest.mark.parametrize("mode", ["explicit", "implicit"])
def test_the_crowd_is_told_to_all_or_to_those_who_went(mode: str) -> None:
    plan = table_of("bar", n_players=6, rounds=2, parameters={"mode": mode})
    views = [view for view in views_of(plan) if view.round == 2]
    went = {view.seat: view.own[0] == "go" for view in views}
    assert len(set(went.values())) == 2
    for view in views:
        told = "Players who went to the bar" in render(view, plan)[1].content
        assert told == (mode == "explicit" or went[view.seat])


def test_nobody_is_shown_the_bids_or_the_values_of_others() -> None:
    plan = table_of("auction", rounds=2)
    views = [view for view in views_of(plan) if view.round == 2]
    values = {view.seat: view.reports[0]["valuation"] for view in views}  # type: ignore[index]
    for view in views:
        shown = "\n".join(texts(render(view, plan)))
        others = {value for seat, value in values.items() if seat != view.seat} - {values[view.seat]}
        assert f"the value of this round's item is {values[view.seat]}" in shown
        assert not any(f"item is {value}." in shown for value in others - {view.question["valuation"]})


@pytest.mark.parametrize(("price", "words"), [("first", "is the highest bid"), ("second", "second-highest")])
def test_the_price_rule(price: str, words: str) -> None:
    plan = table_of("auction", parameters={"price": price})
    assert words in render(next(views_of(plan)), plan)[0].content


@pytest.mark.parametrize("reset", [True, False])
def test_tokens_that_are_carried_over_are_a_rule_and_new_ones_are_not_mentioned(reset: bool) -> None:
    """The paper, whose tokens are new in every round, says nothing of it."""
    plan = table_of("public_goods", parameters={"reset": reset})
    system = render(next(views_of(plan)), plan)[0].content
    assert ("carried over" in system) == (not reset)
    assert "anew" not in system


def test_what_can_be_given_is_a_whole_number_of_what_is_held() -> None:
    plan = table_of("public_goods", rounds=4, parameters={"reset": False, "factor": 1.3})
    for view in views_of(plan):
        assert f"from 0 to {int(view.question['tokens'])}>" in render(view, plan)[-1].content


def test_those_who_wait_are_told_of_all_shots_in_their_next_message() -> None:
    plan = table_of("battle_royale", rounds=6)
    user = render(last_view(plan, 3, seed=3), plan)[-1].content
    assert user.count("Players left:") >= 1
    assert "You are player_3." in user


def test_a_missing_answer_is_said_and_is_no_turn_of_the_assistant() -> None:
    plan = table_of("diner", rounds=3)
    shown = render(last_view(plan, 2, missing={(1, 2)}), plan)
    assert [m.role for m in shown] == ["system", "user", "assistant", "user"]
    assert "You gave no valid answer in round 1." in shown[1].content


def test_who_did_not_answer_is_not_told_to_have_missed_on_purpose() -> None:
    plan = table_of("battle_royale", rounds=8)
    shown = [m.content for m in render(last_view(plan, 1, missing={(1, 1)}), plan)]
    assert "You gave no valid answer in round 1." in shown[1]
    assert "player_1 missed on purpose" not in shown[1]


def test_nobody_answers() -> None:
    for game in ("guessing", "auction"):
        plan = table_of(game, rounds=2)
        view = last_view(plan, 1, missing={(1, seat) for seat in (1, 2, 3, 4)})
        assert "Nobody gave a valid answer." in render(view, plan)[-1].content


def test_a_pirate_without_a_proposal_is_voted_on() -> None:
    plan = table_of("pirate")
    views = list(views_of(plan, missing={(1, 1)}))
    assert "made no valid proposal" in render(views[1], plan)[-1].content
    assert '"decision": "reject"}' in render(views[1], plan)[-1].content
    assert any("player_1 made no valid proposal" in text for text in texts(render(views[-1], plan)))


def test_the_rules_of_the_pirates_say_majority_and_the_reports_half_as_in_the_paper() -> None:
    plan = table_of("pirate", n_players=4)
    said = render(last_view(plan, 4), plan)
    assert "If a majority votes for the plan" in said[0].content
    assert "That is less than half" in said[-1].content


def test_the_proposal_is_asked_for_by_number() -> None:
    plan = table_of("pirate")
    views = list(views_of(plan))
    assert (
        '{"proposal": {"1": <coins>, "2": <coins>, "3": <coins>, "4": <coins>}}'
        in texts(render(views[0], plan))[-1]
    )
    second = next(view for view in views if view.round == 2)
    assert '{"proposal": {"2": <coins>, "3": <coins>, "4": <coins>}}' in texts(render(second, plan))[-1]


@pytest.mark.parametrize("phrase", range(1, 6))
def test_chain_of_thought_asks_for_the_explanation_first(phrase: int) -> None:
    plan = table_of("guessing", seat={"architecture": "chain_of_thought", "options": {"phrase": phrase}})
    view = last_view(plan, 1)
    said = render(view, plan)
    thinking = OURS.wordings["en"].pieces["phrases"][f"thinking_{phrase}"]
    assert thinking in said[-1].content
    assert '{"explanation": "<your reasoning>", "chosen_number": <whole' in said[-1].content
    assert not any(thinking in message.content for message in said[:-1])
    assert OURS.answer_form(view, plan) in said[-1].content


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ("equilibrium", "each of them always chooses 0"),
        ("smart", "they are smart."),
        ("random", "at random"),
        ("They bid {gold} in [brackets].", "They bid {gold} in [brackets]."),
    ],
)
def test_what_is_told_of_the_others(told: str, words: str) -> None:
    plan = table_of("guessing", seat={"options": {"told": told}})
    assert words in render(next(views_of(plan)), plan)[0].content


def test_the_equilibrium_of_other_games_is_told_by_its_name() -> None:
    plan = table_of("diner", seat={"options": {"told": "equilibrium"}})
    assert "Nash equilibrium" in render(next(views_of(plan)), plan)[0].content


@pytest.mark.parametrize(
    ("persona", "words"),
    [
        ({"persona": "selfish"}, "As a player, you are selfish and greedy."),
        ({"persona": "Cooperative"}, "As a player, you are cooperative and collaborative."),
        ({"persona": "a careful accountant"}, "You are a careful accountant."),
        ({"persona": "x", "persona_text": "very tired"}, "You are very tired."),
    ],
)
def test_personas_stand_first(persona: dict[str, str], words: str) -> None:
    plan = table_of("bar", seat=persona)
    assert render(next(views_of(plan)), plan)[0].content.startswith(words)


def test_without_persona_the_rules_stand_first() -> None:
    plan = table_of("bar", seat={"persona": "None"})
    assert render(next(views_of(plan)), plan)[0].content.startswith("You take part in a game.")


@pytest.mark.parametrize(("memory", "assistants"), [(None, 3), (2, 2), (0, 0)])
def test_memory_limits_the_past(memory: int | None, assistants: int) -> None:
    plan = table_of("diner", rounds=4, memory=memory)
    said = render(last_view(plan, 1), plan)
    assert sum(message.role == "assistant" for message in said) == assistants


@pytest.mark.parametrize(
    ("horizon", "words", "absent"),
    [
        ({}, "The number of rounds is 4.", "probability"),
        ({"horizon_known": False}, "", "rounds"),
        ({"continuation": 0.9}, "the probability that another round follows is 0.9", "The number of rounds"),
    ],
)
def test_how_long_it_lasts(horizon: dict[str, Any], words: str, absent: str) -> None:
    plan = table_of("guessing", **horizon)
    system = render(next(views_of(plan)), plan)[0].content
    assert words in system
    assert absent not in system


@pytest.mark.parametrize("game", ["battle_royale", "pirate"])
def test_sequential_games_do_not_tell_the_number_of_rounds(game: str) -> None:
    plan = table_of(game, rounds=97)
    assert not any("97" in text for view in views_of(plan) for text in texts(render(view, plan)))


def test_numbers_are_rounded_to_hundredths() -> None:
    plan = table_of("guessing", n_players=3, rounds=3)
    view = last_view(plan, 1)
    mean = view.reports[0]["mean"]  # type: ignore[index]
    assert f"was {round(mean, 2):g}." in texts(render(view, plan))[1] or round(mean, 2) == mean


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"language": "de"}, "unknown language 'de'"),
        ({"framing": "v9"}, "unknown framing 'v9'"),
        ({"communication": "simultaneous"}, "no words for communication"),
        ({"listed_first": "stay"}, "no words for listed_first in bar"),
        ({"totals": "all"}, "no words for totals"),
        ({"seat": {"architecture": "debate"}}, "no words for architecture 'debate'"),
    ],
)
def test_what_has_no_words_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(PromptError, match=message):
        OURS.check(table_of("bar", **changes))


def test_matrix_games_are_refused() -> None:
    from prompt_plans import plan

    with pytest.raises(PromptError, match="no words for prisoner-dilemma"):
        OURS.check(plan())


def test_other_requests_are_refused() -> None:
    plan = table_of("bar")
    view = next(views_of(plan))
    with pytest.raises(PromptError, match="no words for think"):
        OURS.render(view, plan, "choose", Inside(request="think"))
    with pytest.raises(PromptError, match="no words for message"):
        OURS.render(view, plan, "message")


def test_a_reminder_repeats_the_form() -> None:
    plan = table_of("guessing")
    form = OURS.answer_form(next(views_of(plan)), plan)
    assert OURS.remind("en", (form,)).endswith('{"chosen_number": <whole number from 0 to 100>}')
    assert OURS.remind("en", ())


def test_saved_prompts_are_the_same() -> None:
    assert load_prompts("gamma") == OURS
    assert prompts_from_json(OURS.to_json()) == OURS


def test_the_plain_framing_is_the_first_wording() -> None:
    plain, first = table_of("bar"), table_of("bar", framing="v1")
    assert render(next(views_of(plain)), plain) == render(next(views_of(first)), first)


def test_another_story_needs_a_file_of_its_own() -> None:
    from intent.gamma.catalogue import gamma_game

    plan = table_of("diner", stage=relabelled(gamma_game("diner", n_players=4)), language="fr", framing="v9")
    with pytest.raises(PromptError, match="diner_flat_fr"):
        OURS.check(plan)
