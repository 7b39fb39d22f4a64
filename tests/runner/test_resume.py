"""A run that was stopped anywhere continues there: nothing is asked twice, and the log is the same."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing, suppress

import pytest
from stub_runs import StubCaller, make, plan, plans, play, stub_agents

from intent.agents.client import Message
from intent.base.errors import RunError
from intent.runner.run import Run


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The log of twelve games and every draw that was asked for."""
    run, caller = make(tmp_path_factory.mktemp("whole") / "run", plans(12)), StubCaller()
    play(run, caller)
    return run.log(), sorted(caller.draws)


def break_off(run: Run, after: int) -> StubCaller:
    """Play until so many calls were sent, then end as a killed process does: nobody is told."""
    caller = StubCaller(latency=0.001)

    async def main() -> None:
        task = asyncio.create_task(run.play(lambda player: caller, stub_agents, window=4))
        caller.before = lambda n: task.cancel() if n == after else None
        with suppress(asyncio.CancelledError):
            await task

    asyncio.run(main())
    return caller


@pytest.mark.parametrize("after", [1, 2, 7, 31, 58, 60])
def test_a_killed_run_ends_with_the_same_log(tmp_path, undisturbed, after):
    log, draws = undisturbed
    run = make(tmp_path / "run", plans(12))
    first = break_off(run, after)
    stored = run.calls()
    in_flight = run.status().in_flight
    second = StubCaller()
    outcome = play(run, second)
    assert run.log().equals(log)
    assert not set(second.draws) & set(stored["draw"])
    assert sorted(set(first.draws) | set(second.draws)) == draws
    assert len(first.draws) + len(second.draws) == len(draws) + outcome.resent
    assert outcome.resent == in_flight <= 4
    assert run.check() == []


def test_implementation_errors_are_those_of_the_undisturbed_run(tmp_path):
    noisy = [p.model_copy(update={"implementation_error": 0.25}) for p in plans(8)]
    whole = make(tmp_path / "whole", noisy)
    play(whole)
    run = make(tmp_path / "run", noisy)
    break_off(run, 17)
    play(run)
    log = run.log()
    assert log.equals(whole.log())
    assert run.check() == []
    assert 0.1 < (log.moves["decided"] != log.moves["cooperated"]).mean() < 0.4


def test_kept_calls_are_not_touched_by_a_resume(tmp_path):
    run = make(tmp_path / "run", plans(6))
    break_off(run, 17)
    before = run.calls()
    play(run)
    after = run.calls().set_index("reference").loc[before["reference"]].reset_index()
    assert after[before.columns].equals(before)


def test_a_finished_run_asks_nothing(tmp_path, undisturbed):
    run, caller = make(tmp_path / "run", plans(3)), StubCaller()
    play(run)
    assert play(run, caller).calls == 0
    assert caller.draws == []


def test_the_window_changes_nothing(tmp_path, undisturbed):
    run = make(tmp_path / "run", plans(12))
    play(run, window=1)
    assert run.log().equals(undisturbed[0])


def test_changed_prompts_are_named(tmp_path):
    run = make(tmp_path / "run", plans(2))
    break_off(run, 5)
    with pytest.raises(RunError, match=r"g001, round 1, seat 1, attempt 1: .* prompts or agents changed"):
        play(run, agents=lambda p: stub_agents(p, wording="Choose"))
    assert play(run).left == 0


def test_a_call_that_is_no_longer_asked_for_is_named(tmp_path):
    run = make(tmp_path / "run", [plan(rounds=2)])

    def twice(p):
        agent, other = stub_agents(p)
        once = agent.choose

        async def choose(view, ask, rng):
            decision = await once(view, ask, rng)
            if view.round == 2:
                await ask([Message("user", "Sure?")])
                raise KeyError
            return decision

        agent.choose = choose
        return agent, other

    play(run, agents=twice)
    with pytest.raises(RunError, match=r"round 2, seat 1, attempt 2: .* not asked again"):
        play(run)


def test_moves_that_differ_from_those_kept_are_named(tmp_path):
    run = make(tmp_path / "run", plans(1))
    break_off(run, 4)
    with closing(sqlite3.connect(run.folder / "run.sqlite")) as db, db:
        db.execute("UPDATE moves SET status = 'defaulted' WHERE round = 2 AND seat = 2")
    with pytest.raises(RunError, match="game g001, round 2: played otherwise than before"):
        play(run)


def test_repetitions_never_share_a_draw(undisturbed):
    assert len(set(undisturbed[1])) == len(undisturbed[1]) == 60


def test_the_same_plans_make_the_same_run(tmp_path):
    runs = [make(tmp_path / name, plans(n)) for name, n in (("a", 2), ("b", 2), ("c", 3))]
    names = [run.facts["run"] for run in runs]
    assert names[0] == names[1] != names[2]
