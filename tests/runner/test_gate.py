"""Who may go when: limits, places, pauses, and calls that are given up while they wait."""

import asyncio

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from virtual_time import now, run_virtually
from window_oracle import earliest

from intent.runner.limits import Gate, Ledger, Limits


async def visit(gate, log, name=0, *, seconds=0.0, limits=None, own=None, tokens=0, took=None):
    slot = await gate.enter(limits and limits.account("e"), own and own.account("m"), tokens)
    log.append((name, now()))
    try:
        await asyncio.sleep(seconds)
    finally:
        gate.leave()
    gate.settle(slot, took)


def visits(n, concurrency=64, **how):
    """The times at which n calls that all come at once may go."""

    async def main():
        gate, log = Gate(concurrency, Ledger(clock=now)), []
        await asyncio.gather(*(visit(gate, log, i, **how) for i in range(n)))
        assert [name for name, _ in log] == list(range(n))
        return [time for _, time in log]

    return run_virtually(main())


def test_so_many_at_a_time():
    assert visits(6, concurrency=2, seconds=5) == [0, 0, 5, 5, 10, 10]


def test_the_limit_is_reached_and_never_passed():
    times = visits(200, limits=Limits(requests_per_minute=60))
    assert times == pytest.approx(np.repeat([0, 60, 120, 180], [60, 60, 60, 20]), abs=1e-3)


def test_limits_of_several_windows():
    times = visits(7, limits=Limits(requests_per_minute=2, requests_per_hour=5))
    assert times == pytest.approx([0, 0, 60, 60, 120, 3_600, 3_600], abs=1e-3)


calls = st.lists(st.tuples(st.integers(0, 40_000_000), st.integers(0, 12)), max_size=25)


@settings(max_examples=30)
@given(st.integers(1, 5), st.integers(1, 9), st.integers(1, 30), st.integers(1, 60), calls)
def test_calls_of_any_pattern_go_in_order_and_at_once(
    per_minute, per_hour, tokens_per_minute, per_day, calls
):
    limits = Limits(
        requests_per_minute=per_minute,
        requests_per_hour=per_hour,
        tokens_per_minute=tokens_per_minute,
        tokens_per_day=per_day,
    )

    async def main():
        gate, log = Gate(64, Ledger(clock=now)), []
        tasks = []
        for gap, tokens in calls:
            await asyncio.sleep(gap / 10**6)
            tasks.append(asyncio.create_task(visit(gate, log, now(), limits=limits, tokens=tokens)))
        await asyncio.gather(*tasks)
        return log

    log, entries = run_virtually(main()), []
    account, last = limits.account("e"), 0
    for (came, went), (_, tokens) in zip(log, calls, strict=True):
        last = earliest(entries, account, tokens, max(last, round(came * 10**6)))
        assert went == pytest.approx(last / 10**6, abs=1e-3)
        entries.append((last, tokens))


def test_tokens_given_back_are_used_at_once():
    times = visits(7, limits=Limits(tokens_per_minute=1_000), seconds=1, tokens=500, took=100)
    assert times == pytest.approx([0, 0, 1, 2, 3, 4, 60], abs=1e-3)


def test_a_limited_model_lets_others_pass():
    async def main():
        gate, log = Gate(1, Ledger(clock=now)), []
        slow = [visit(gate, log, "slow", own=Limits(requests_per_minute=1)) for _ in range(3)]
        fast = [visit(gate, log, "fast", seconds=1, limits=Limits(requests_per_hour=100)) for _ in range(3)]
        await asyncio.gather(*slow, *fast)
        return log

    log = run_virtually(main())
    assert [t for name, t in log if name == "fast"] == pytest.approx([0, 1, 2], abs=1e-3)
    assert [t for name, t in log if name == "slow"] == pytest.approx([0, 60, 120], abs=1e-3)


def test_what_is_waited_for_is_told_once():
    async def main():
        gate, told = Gate(4, Ledger(clock=now)), []
        account = Limits(requests_per_minute=1).account("e")
        for _ in range(2):
            await gate.enter(account, on_wait=told.append)
            gate.leave()
        return told

    (wait,) = run_virtually(main())
    assert (wait.seconds, wait.account, wait.limit) == (60, "e", "requests_per_minute")


def test_a_pause_holds_everybody():
    async def main():
        gate, log = Gate(4, Ledger(clock=now)), []
        gate.pause(7)
        await asyncio.gather(*(visit(gate, log) for _ in range(3)))
        return [time for _, time in log]

    assert run_virtually(main()) == [7, 7, 7]


def test_refusals_halve_and_answers_restore():
    async def main():
        gate = Gate(8, Ledger(clock=now))
        assert [gate.refused(sent) for sent in (0, -1, -1)] == [1, 1, 1]
        assert gate.allowed == 4
        await asyncio.sleep(1)
        assert (gate.refused(now()), gate.allowed) == (2, 2)
        for _ in range(2 + 3 + 4 + 5 + 6 + 7):
            gate.answered()
        assert gate.allowed == 8
        log = []
        await asyncio.gather(*(visit(gate, log, seconds=1) for _ in range(16)))
        return [time for _, time in log]

    assert run_virtually(main()) == [1] * 8 + [2] * 8


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.booleans())
def test_calls_given_up_while_they_wait_leave_nothing_behind(seed, limited):
    rng = np.random.default_rng(seed)
    limits = Limits(requests_per_minute=20, tokens_per_minute=400) if limited else None
    own = Limits(requests_per_minute=15) if rng.random() < 0.5 else None

    async def main():
        gate, log = Gate(3, Ledger(clock=now)), []
        tasks = []
        for i in range(40):
            how = {
                "limits": limits,
                "own": own,
                "tokens": int(rng.integers(60)),
                "took": int(rng.integers(60)),
            }
            tasks.append(asyncio.create_task(visit(gate, log, i, seconds=float(rng.exponential(2)), **how)))
            await asyncio.sleep(float(rng.exponential(0.5)))
            if rng.random() < 0.1:
                gate.refused(now())
                gate.pause(1)
            if rng.random() < 0.5:
                tasks[rng.integers(len(tasks))].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert gate.in_flight == 0
        for _ in range(20):
            gate.answered()
        log.clear()
        await asyncio.sleep(2)
        began = now()
        await asyncio.gather(*(visit(gate, log, seconds=1) for _ in range(3)))
        assert [time for _, time in log] == [began] * 3

    run_virtually(main())
