"""A human at the table of a game."""

from __future__ import annotations

import pytest
from table_plans import moves_of, played_table, table_agents, table_plan

from intent.agents.human import Terminal
from intent.agents.plan import GamePlan
from intent.agents.table import HumanTableAgent
from intent.base.errors import UsageError
from intent.play.match import Match


def result(plan: GamePlan, *lines: str) -> tuple[Match, str]:
    """The match, and what was shown to a human who types these lines."""
    shown: list[str] = []
    typed = iter(lines)

    def read_line() -> str:
        try:
            return next(typed)
        except StopIteration:
            raise EOFError from None

    human = HumanTableAgent(plan, 1, terminal=Terminal(read_line, shown.append))
    return played_table(plan, agents=(human, *table_agents(plan)[1:])), "".join(shown)


def test_answers_are_typed_as_they_are_or_as_an_object() -> None:
    plan = table_plan("guessing", "human", "scripted/constant:0", rounds=3)
    match, shown = result(plan, "20", '{"chosen_number": 30}', "101", "hm", "", "0")
    assert moves_of(match, 1) == ["20", "30", "0"]
    assert shown.count("Your answer (chosen_number):") == 6
    assert "number '101', expected a whole number from 0 to 100. Your answer" in shown
    assert match.seats[0]["player"] == "human"


def test_the_rules_are_told_once_and_what_happened_in_every_round() -> None:
    plan = table_plan("diner", "human", "scripted/constant:costly", rounds=2)
    _, shown = result(plan, "cheap", "cheap")
    first, second = shown.split("Your answer")[:2]
    assert "[g] round 1" in first
    assert "one of two dishes" in first
    assert "one of two dishes" not in second
    assert "Results of round 1:" in second
    assert second.index("Players who ordered") < second.index("Your gain in this round:")


def test_results_of_every_round_are_shown_once() -> None:
    plan = table_plan("diner", "human", "scripted/constant:costly", rounds=4)
    _, shown = result(plan, "cheap", "cheap", "costly", "costly")
    for number in (1, 2, 3):
        assert shown.count(f"Results of round {number}:") == 1


def test_a_name_cannot_steer_the_terminal() -> None:
    plan = table_plan("battle_royale", "human", "scripted/equilibrium", "scripted/equilibrium", rounds=1)
    evil = plan.seats[1].model_copy(update={"name": "\x1b[2Jx"})
    _, shown = result(plan.model_copy(update={"seats": (plan.seats[0], evil, plan.seats[2])}), "1", "2")
    assert "\x1b" not in shown
    assert "target '1' is yourself" in shown


def test_the_end_of_input_is_an_error_that_says_where() -> None:
    with pytest.raises(UsageError, match=r"g, seat 1: the input has ended, expected an answer \(decision\)"):
        result(table_plan("bar", "human", "scripted/RANDOM"))


def test_is_made_for_a_plan() -> None:
    agents = table_agents(table_plan("bar", "human", "scripted/RANDOM"))
    assert isinstance(agents[0], HumanTableAgent)
