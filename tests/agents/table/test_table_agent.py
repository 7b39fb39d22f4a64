"""A language model at the table of a game."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from table_plans import GAMES, asks_clients, moves_of, played_table, replies_of, table_agents, table_plan

from intent.agents.client import Settings
from intent.agents.plan import ReplyRules
from intent.agents.table import TableAgent
from intent.base.errors import UnknownNameError, UsageError
from intent.play.match import to_log

BAD = {
    "guessing": ['{"chosen_number": 101}', '{"chosen_number": -1}', '{"chosen_number": "many"}', "no"],
    "bar": ['{"decision": "perhaps"}', '{"decision": 1}'],
    "divide_dollar": ['{"bid_amount": 101}', '{"bid_amount": 1.5}'],
    "public_goods": ['{"tokens_contributed": 21}'],
    "diner": ['{"chosen_dish": "pizza"}'],
    "auction": ['{"bid": 201}', '{"bid": -10}'],
    "battle_royale": ['{"target": 1}', '{"target": 7}', '{"target": "somebody"}'],
    "pirate": ['{"proposal": [99, 0]}', '{"proposal": [99, 0, 2]}', '{"proposal": [101, -1, 0]}'],
}
"""Game -> answers of seat 1 in round 1 that are to be refused."""


def one_round(game: str, reply: str, **rules: object):
    """What seat 1 of three does in round 1 where every answer is this one."""
    others = ["scripted/equilibrium"] * 2
    plan = table_plan(game, "scripted/says:x", *others, rounds=1, reply=ReplyRules(**rules))
    return played_table(plan, replies_of(reply)).rounds[0].moves[0]


@pytest.mark.parametrize(("game", "reply"), [(game, reply) for game in BAD for reply in BAD[game]])
def test_a_bad_answer_is_asked_again_and_then_recorded(game: str, reply: str) -> None:
    move = one_round(game, reply, retries=3)
    assert (move.action, move.status, move.reply) == (None, "missing", "g/1/1/4")
    refused = json.loads(move.details)["unread"]
    assert len(refused) == 4
    assert len(set(refused)) == 1


def test_a_good_answer_after_a_bad_one_counts_and_the_bad_one_is_seen() -> None:
    plan = table_plan("guessing", "scripted/says:x", "scripted/constant:0", rounds=1)
    asks = replies_of('{"chosen_number": 200}', "hm", '{"chosen_number": 20}')
    move = played_table(plan, asks).rounds[0].moves[0]
    assert (move.action, move.status, move.reply) == ("20", "parsed", "g/1/1/3")
    assert [why[:12] for why in json.loads(move.details)["unread"]] == ["number '200'", "number 'hm',"]


@pytest.mark.parametrize(("default", "kept"), [("5", ("5", "defaulted")), (" 5.0", ("5", "defaulted"))])
def test_a_default_takes_the_place(default: str, kept: tuple[str, str]) -> None:
    move = one_round("guessing", "?", then="default", default=default, retries=0)
    assert (move.action, move.status) == kept


def test_a_default_that_is_not_legal_at_its_moment_is_a_missing_move() -> None:
    rules = ReplyRules(then="default", default="accept", retries=0)
    plan = table_plan("pirate", *["scripted/says:x"] * 3, rounds=1, reply=rules)
    moves = played_table(plan).rounds[0].moves
    assert {(move.action, move.status) for move in moves} == {(None, "missing")}


@pytest.mark.parametrize("default", [None, "101", "go"])
def test_a_default_that_nobody_may_do_is_refused_before_anything_is_played(default: str | None) -> None:
    rules = ReplyRules(then="default", default=default)
    with pytest.raises(UsageError, match=r"g: reply.default .*expected a whole number from 0 to 100"):
        table_agents(table_plan("guessing", *["scripted/first"] * 2, reply=rules))


def test_the_game_ends_where_the_rules_say_so() -> None:
    plan = table_plan("bar", *["scripted/says:x"] * 2, reply=ReplyRules(then="end", retries=1))
    assert len(played_table(plan).rounds) == 1


@pytest.mark.parametrize("remind", [False, True])
def test_the_reason_is_told_where_the_rules_say_so(remind: bool) -> None:
    rules = ReplyRules(remind=remind, retries=1)
    plan = table_plan("auction", "scripted/asked:constant:999", "scripted/equilibrium", rounds=1, reply=rules)
    asked: list = []
    played_table(plan, asks_clients(plan, asked))
    (_, first, _), (_, second, _) = asked
    if not remind:
        assert second == first
        return
    assert second[: len(first)] == first
    assert json.loads(second[-2].content) == {"bid": 999}
    assert "bid '999', expected a whole number from 0 to" in second[-1].content
    assert '{"bid": <' in second[-1].content


def test_a_reminder_is_in_one_language() -> None:
    """Reasons are in English, so elsewhere the reminder stands alone."""
    rules = ReplyRules(remind=True, retries=1)
    players = ("scripted/asked:constant:999", "scripted/equilibrium")
    plan = table_plan("auction", *players, rounds=1, reply=rules, language="fr")
    asked: list = []
    played_table(plan, asks_clients(plan, asked))
    said = asked[1][1][-1].content
    assert said.startswith("Votre dernière réponse n'a pas pu être utilisée.")
    assert '{"bid": <nombre entier de 0 à' in said
    assert "expected" not in said


def test_an_explanation_is_reasoning_and_nobody_sees_it() -> None:
    plan = table_plan("guessing", *["scripted/asked:constant:7"] * 2, architecture="chain_of_thought")
    asked: list = []
    match = played_table(plan, asks_clients(plan, asked))
    moves = [move for played in match.rounds for move in played.moves]
    assert {move.reasoning for move in moves} == {"I weigh what the others may do."}
    assert not any("I weigh what" in message.content for _, messages, _ in asked for message in messages)
    assert moves_of(match, 1) == ["7"] * 3
    assert to_log([match]).seats["phrase"].tolist() == [1, 1]


def test_plain_answers_have_no_reasoning_but_the_model_s_own() -> None:
    assert one_round("bar", '<think>full</think>{"why": "x", "decision": "go"}').reasoning == "full"


@pytest.mark.parametrize(
    ("architecture", "constrained"), [("plain", [True, True]), ("chain_of_thought", [False, True])]
)
def test_constrained_replies_are_the_objects_of_legal_answers(
    architecture: str, constrained: list[bool]
) -> None:
    plan = table_plan(
        *("bar", "scripted/says:x", "scripted/equilibrium"),
        rounds=1,
        reply=ReplyRules(retries=1),
        architecture=architecture,
        settings=Settings(constrained=True),
    )
    asked: list = []
    played_table(plan, asks_clients(plan, asked))
    assert [settings.constrained for _, _, settings in asked] == constrained
    assert asked[0][2].choices == ('{"decision": "go"}', '{"decision": "stay"}')


def test_what_cannot_be_listed_is_asked_for_as_text() -> None:
    plan = table_plan(
        *("pirate", "scripted/asked:RANDOM", *["scripted/equilibrium"] * 5),
        rounds=1,
        settings=Settings(constrained=True),
    )
    asked: list = []
    played_table(plan, asks_clients(plan, asked))
    assert (asked[0][2].choices, asked[0][2].constrained) == ((), False)


@given(st.text(max_size=300), st.sampled_from(GAMES), st.sampled_from(["missing", "end"]))
@settings(max_examples=40)
def test_whatever_is_replied_the_game_ends(reply: str, game: str, then: str) -> None:
    plan = table_plan(game, *["scripted/says:x"] * 3, rounds=2, reply=ReplyRules(then=then, retries=1))
    match = played_table(plan, replies_of(reply))
    assert 1 <= len(match.rounds) <= 2


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"options": {"tols": "smart"}}, "unknown option 'tols'; did you mean told"),
        ({"options": {"phrase": 2}}, "unknown option 'phrase'"),
        ({"options": {"phrase": 6}, "architecture": "chain_of_thought"}, "phrase '?6"),
        ({"options": {"told": ""}}, "told ''"),
        ({"architecture": "debate"}, "'debate' plays matrix games only, expected one of plain, chain_of"),
        ({"architecture": "plian"}, "'plian' is unknown"),
        ({"communication": "sequential"}, "no message phase"),
    ],
)
def test_what_cannot_be_planned_is_refused(fields: dict, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        table_agents(table_plan("bar", *["scripted/first"] * 2, **fields))


def test_prompts_are_needed_and_columns_say_what_was_told() -> None:
    from intent.agents.agent import make_agents

    plan = table_plan("bar", *["scripted/first"] * 2, options={"told": "smart"})
    with pytest.raises(UnknownNameError):
        make_agents(plan, {})
    (agent, _) = table_agents(plan)
    assert isinstance(agent, TableAgent)
    assert agent.columns["told"] == "smart"
    assert "phrase" not in agent.columns
    assert TableAgent.calls(plan, plan.seats[0]) == (1, 3)
