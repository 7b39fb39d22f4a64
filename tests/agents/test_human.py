"""A human at an injected terminal."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterable

import numpy as np
import pytest
from agent_plans import GOODS, moves, no_model, plan_of, played

from intent.agents.agent import Agent, make_agents
from intent.agents.human import HumanAgent, Terminal, _Lines
from intent.agents.plan import GamePlan
from intent.base.errors import UsageError
from intent.play.match import Match
from intent.play.referee import Referee


class Typist:
    """A terminal's other side: types the lines, keeps what it is shown."""

    def __init__(self, *lines: str) -> None:
        self.lines, self.shown = iter(lines), ""

    def read_line(self) -> str:
        try:
            return next(self.lines)
        except StopIteration:
            raise EOFError from None

    def write(self, text: str) -> None:
        self.shown += text


def table(plan: GamePlan, typist: Typist) -> tuple[Agent, ...]:
    terminal = Terminal(typist.read_line, typist.write)
    return tuple(
        HumanAgent(plan, seat, terminal) if agent.columns.get("player") == "human" else agent
        for seat, agent in enumerate(make_agents(plan, {}), start=1)
    )


def result(plan: GamePlan, *lines: str) -> tuple[Match, Typist]:
    typist = Typist(*lines)
    return asyncio.run(played(plan, table(plan, typist))), typist


def test_labels_and_numbers_are_understood_and_nonsense_asked_again() -> None:
    plan = plan_of("human", "scripted/ALLD", stage="prisoner-dilemma")
    match, typist = result(plan, "optionb", " 1 ", "3", "", "OptionA or OptionB", "2", "OPTIONA")
    assert moves(match, 1) == "BABA"
    assert typist.shown.count("Please type one of 1 = OptionA, 2 = OptionB") == 3
    assert match.seats[0]["player"] == match.seats[0]["architecture"] == "human"


def test_options_are_listed_as_the_plan_says() -> None:
    match, typist = result(plan_of("human", "scripted/ALLD", listed_first="D", rounds=1), "1")
    assert moves(match, 1) == "D"
    assert "1 = D, 2 = C" in typist.shown


def test_shows_rules_payoffs_and_the_past() -> None:
    _, typist = result(plan_of("human", "scripted/ALLD", rounds=2), "C", "D")
    first, second = typist.shown.split("Your choice")[:2]
    assert "[g] prisoner-dilemma-trps: round 1 of 2. You are agent1 (seat 1, you)." in first
    assert "higher is better" in first
    assert "you D, other C: you get 5, the other gets 0" in first
    assert "round 1: agent1 (seat 1, you) C (0), agent2 (seat 2) D (5)" in second


@pytest.mark.parametrize(("memory", "shown"), [(None, [1, 2, 3]), (1, [3]), (0, [])])
def test_the_memory_window_holds_for_humans_too(memory: int | None, shown: list[int]) -> None:
    _, typist = result(plan_of("human", "scripted/ALLC", memory=memory), *"CCCC")
    last = typist.shown.split("Your choice")[3]
    assert [n for n in (1, 2, 3) if f"round {n}: agent1" in last] == shown


def test_the_second_seat_and_public_goods_are_told_from_its_side() -> None:
    _, typist = result(plan_of("scripted/ALLC", "human", stage="prisoner-dilemma", rounds=1), "OptionA")
    assert "lower is better" in typist.shown
    assert "you OptionA, other OptionB: you get 0, the other gets 10" in typist.shown
    plan = plan_of("scripted/ALLC", "human", "scripted/ALLD", stage=GOODS, rounds=2, horizon_known=False)
    _, typist = result(plan, "OptionA", "OptionB")
    assert "OptionA: put 10 into the pool" in typist.shown
    assert "times 2, is shared equally by all 3 players" in typist.shown
    assert "round 1." in typist.shown
    assert "agent3 (seat 3) OptionB (13.333333333333334)" in typist.shown


def test_messages_are_typed_and_those_of_others_cannot_steer_the_terminal() -> None:
    plan = plan_of("human", "human", rounds=2, communication="sequential")
    match, typist = result(plan, "\x1b[2Jhello", "", "C", "D", "", "x", "C", "C")
    assert [m.message for m in match.rounds[0].moves] == ["\x1b[2Jhello", None]
    assert "agent1 (seat 1) says: \N{REPLACEMENT CHARACTER}[2Jhello" in typist.shown
    assert "agent2 (seat 2) says: (nothing)" in typist.shown
    assert "round 1: agent1 (seat 1) said:" in typist.shown
    assert "\x1b" not in typist.shown


def test_the_end_of_input_is_an_error_that_says_where() -> None:
    with pytest.raises(UsageError, match="g, seat 1: the input has ended, expected a choice, one of C, D"):
        result(plan_of("human", "scripted/ALLD"), "C")
    with pytest.raises(UsageError, match="g, seat 1: the input has ended, expected a message"):
        result(plan_of("human", "scripted/ALLD", communication="simultaneous"))


def test_other_games_go_on_while_a_human_thinks() -> None:
    typing = threading.Event()

    def wait() -> str:
        assert typing.wait(60)
        return "C"

    async def both() -> Match:
        slow = plan_of("human", "scripted/ALLD", rounds=1)
        terminal = Terminal(wait, lambda text: None)
        waiting = asyncio.create_task(played(slow, (HumanAgent(slow, 1, terminal), make_agents(slow, {})[1])))
        fast = plan_of("scripted/TFT", "scripted/ALLD", rounds=20)
        await played(fast, make_agents(fast, {}))
        assert not waiting.done()
        typing.set()
        return await waiting

    assert moves(asyncio.run(both()), 1) == "C"


def test_one_question_at_a_time() -> None:
    plan = plan_of("human", "human", rounds=3)
    _, typist = result(plan, *"CCCCCC")
    for piece in typist.shown.split("\n[g] ")[1:]:
        assert piece.count("Your choice") == 1


def test_a_question_that_nobody_waits_for_takes_no_line() -> None:
    first, asked = threading.Event(), []

    def read() -> str:
        assert first.wait(60)
        return "C"

    async def cancelled() -> None:
        plan = plan_of("human", "human")
        terminal = Terminal(read, asked.append)
        view = Referee(plan.stage(), plan.horizon()).view(1)
        agents = [HumanAgent(plan, seat, terminal) for seat in (1, 2)]
        rng = np.random.default_rng(0)
        one, two = (asyncio.create_task(a.choose(view, no_model, rng)) for a in agents)
        while not asked:
            await asyncio.sleep(0.001)
        two.cancel()
        await asyncio.sleep(0)
        first.set()
        assert (await one).action == "C"

    asyncio.run(cancelled())
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("typed", "lines"),
    [
        (b"C\r\nD\n", ["C", "D"]),
        (b"C\nlast", ["C", "last"]),
        ("å\n\xff".encode("latin-1"), ["\ufffd", "\ufffd"]),
    ],
)
def test_lines_of_a_pipe(typed: bytes, lines: Iterable[str]) -> None:
    out, into = os.pipe()
    os.write(into, typed)
    os.close(into)
    reader = _Lines(out)
    assert [reader.next_line() for _ in lines] == lines
    with pytest.raises(EOFError):
        reader.next_line()
    os.close(out)
