"""What stops a run and what does not: refusals, budgets, signals; one game's bad luck; an agent's fault."""

from __future__ import annotations

import os
import signal

import pytest
from fake_endpoint import FakeEndpoint
from stub_runs import StubCaller, make, plans, play, stub_agents

from intent.base.errors import BudgetSpent, RefusedError, RetryableError, SettingError
from intent.runner.caller import Caller, Terms
from intent.runner.limits import RetryRules


def raising(error: Exception, at: int) -> StubCaller:
    """A caller whose call number `at`, and all later ones, raise."""

    def before(n: int) -> None:
        if n >= at:
            raise error

    return StubCaller(before)


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (RefusedError("stub: HTTP 401"), "endpoint"),
        (SettingError("stub refuses top_p"), "endpoint"),
        (BudgetSpent("9.9 of the budget of 10 is spent"), "budget"),
    ],
)
def test_what_would_stop_every_game_stops_the_run(tmp_path, error, cause):
    run = make(tmp_path / "run", plans(5))
    outcome = play(run, raising(error, at=8), window=2)
    assert (outcome.stop.cause, outcome.stop.reason) == (cause, str(error))
    assert outcome.calls == 7
    assert outcome.left == 5 - outcome.finished
    assert run.status().in_flight == 0
    assert run.status().stopped == str(error)
    assert play(run).left == 0


def test_an_endpoint_that_never_answered_stops_the_run(tmp_path):
    run = make(tmp_path / "run", plans(5))
    outcome = play(run, raising(RetryableError("stub: connection refused"), at=1), window=1)
    assert (outcome.stop.cause, outcome.stop.reason) == ("endpoint", "stub: connection refused")
    assert (outcome.interrupted, outcome.left) == (0, 5)
    assert play(run).finished == 5


def test_a_call_that_fails_for_good_sets_its_game_aside(tmp_path):
    run = make(tmp_path / "run", plans(5))

    def before(n: int) -> None:
        if n == 3:
            raise RetryableError("stub: no answer within 120 s")

    outcome = play(run, StubCaller(before))
    assert (outcome.finished, outcome.interrupted, outcome.left) == (4, 1, 0)
    status = run.status()
    assert status.failures == {"time-out": 1}
    assert status.errors == (("g003", "stub: no answer within 120 s"),)
    assert len(run.log()) == 4
    assert play(run).finished == 5
    assert run.check() == []


def test_an_agents_fault_sets_its_game_aside(tmp_path, monkeypatch):
    monkeypatch.setenv("STUB_API_KEY", "canary-0123456789")
    run = make(tmp_path / "run", plans(3))

    def agents(p):
        if p.game_id == "g002":
            raise KeyError("canary-0123456789")
        return stub_agents(p)

    assert play(run, agents=agents).interrupted == 1
    assert run.status().errors == (("g002", "KeyError: '[key]'"),)


def test_the_first_signal_waits_for_calls_in_flight(tmp_path):
    run = make(tmp_path / "run", plans(6))
    caller = StubCaller(lambda n: os.kill(os.getpid(), signal.SIGINT) if n == 9 else None, latency=0.01)
    outcome = play(run, caller, window=3)
    assert (outcome.stop.cause, outcome.stop.reason) == ("signal", "stopped by SIGINT")
    assert outcome.calls == len(caller.draws) >= 9
    assert run.status().in_flight == 0
    assert play(run).resent == 0


def test_what_fails_after_a_signal_is_not_sent_again(tmp_path):
    def failing(n: int) -> RetryableError:
        if n == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return RetryableError("fake: HTTP 500", status=500)

    run, endpoint = make(tmp_path / "run", plans(3)), FakeEndpoint(failing, latency=0.02)
    outcome = play(run, Caller(endpoint, Terms(RetryRules(base=0.05))))
    assert len(endpoint.times) == 3
    assert (outcome.left, outcome.interrupted, run.status().in_flight) == (3, 0, 0)
    assert play(run).resent == 0


def test_the_reason_of_a_stop_holds_no_key(tmp_path, monkeypatch):
    monkeypatch.setenv("STUB_API_KEY", "canary-0123456789")
    run = make(tmp_path / "run", plans(2))
    outcome = play(run, raising(RefusedError("no such key: canary-0123456789"), at=1))
    assert outcome.stop.reason == run.status().stopped == "no such key: [key]"


def test_the_second_signal_does_not_wait(tmp_path):
    run = make(tmp_path / "run", plans(6))
    caller = StubCaller(lambda n: os.kill(os.getpid(), signal.SIGTERM) if n in (1, 2) else None, latency=30)
    outcome = play(run, caller, window=3)
    assert outcome.calls == 0
    assert run.status().in_flight == 3
    assert play(run).resent == 3


def test_patience_is_bounded(tmp_path):
    run = make(tmp_path / "run", plans(2))
    caller = StubCaller(lambda n: os.kill(os.getpid(), signal.SIGTERM), latency=30)
    assert play(run, caller, patience=0.05).calls == 0
    assert run.status().in_flight == 2


def test_a_caller_that_cannot_be_made_stops_the_run(tmp_path):
    run = make(tmp_path / "run", plans(2))

    def none(player: str):
        raise RefusedError(f"no key for {player}")

    import asyncio

    assert asyncio.run(run.play(none, stub_agents)).stop.cause == "endpoint"


def test_progress_is_told(tmp_path):
    run, told = make(tmp_path / "run", plans(3)), []
    play(run, on_progress=told.append)
    assert (told[-1].games, told[-1].finished, told[-1].calls, told[-1].new_calls) == (3, 3, 15, 15)
