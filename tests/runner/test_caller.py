"""From a prompt to a reply that is counted, whatever happens on the way."""

import asyncio
from dataclasses import fields

import numpy as np
import pytest
from fake_endpoint import ASKED, FakeEndpoint, first
from virtual_time import now, run_virtually

from intent.agents.client import Settings, Usage
from intent.base.errors import BudgetSpent, DataError, RefusedError, RetryableError, SettingError, UsageError
from intent.runner.caller import CallCache, Caller, Terms, seed_of
from intent.runner.limits import Budget, Ledger, Limits, Price, RetryRules

PRICE = Price(prompt=1e4, completion=1e4)  # a token costs .01, a call of 50 tokens .5


def caller(client, **how):
    own = {field.name for field in fields(Terms)} & set(how)
    terms = Terms(**{"rng": np.random.default_rng(1), **{name: how.pop(name) for name in own}})
    return Caller(client, terms, **how)


def call(client, n=1, settings=Settings(max_tokens=10), **how):  # noqa: B008 - frozen
    """The outcomes of n calls that come at once."""

    async def main():
        one = caller(client, **how)
        calls = (one.call(ASKED, settings, draw=str(i)) for i in range(n))
        return await asyncio.gather(*calls, return_exceptions=True)

    return run_virtually(main())


def test_an_answer():
    (called,) = call(FakeEndpoint(latency=2))
    assert (called.reply.text, called.seconds, called.tries) == ("answer 1", 2, 1)
    assert (called.failures, called.cached, called.cost) == ((), False, None)


def test_concurrency_is_the_clients_unless_it_is_said():
    free, bound = FakeEndpoint(latency=1), FakeEndpoint(latency=1)
    call(free, 100)
    call(bound, 100, limits=Limits(concurrency=3))
    assert (free.most, bound.most) == (64, 3)


@pytest.mark.parametrize("error", [RetryableError("cut"), RetryableError("oops", status=500)])
def test_what_may_succeed_later_is_tried_again(error):
    client = FakeEndpoint(first(3, lambda: error))
    (called,) = call(client)
    assert called.tries == len(client.times) == 4
    assert [failure.error for failure in called.failures] == [str(error)] * 3
    waited = np.cumsum([failure.waited for failure in called.failures])
    assert client.times == pytest.approx([0, *waited])


@pytest.mark.parametrize("error", [RefusedError("key"), SettingError("top_p"), ValueError("bug")])
def test_what_fails_again_is_not(error):
    client = FakeEndpoint(first(1, lambda: error))
    assert call(client) == [error]
    assert len(client.times) == 1


def test_tries_are_bounded_and_all_told():
    client = FakeEndpoint(lambda n: RetryableError("cut", status=500))
    (error,) = call(client, retry=RetryRules(attempts=5))
    assert isinstance(error, RetryableError)
    assert "cut (given up after 5 tries" in str(error)
    assert len(client.times) == len(error.failures) == 5


def test_time_is_bounded():
    client = FakeEndpoint(lambda n: RetryableError("cut"), latency=3)
    (error,) = call(client, retry=RetryRules(attempts=1_000, total=60, cap=10))
    assert isinstance(error, RetryableError)
    assert client.times[-1] + 3 <= 60


def test_an_endpoint_that_never_answers():
    client = FakeEndpoint(latency=10**6)
    (error,) = call(client, settings=Settings(timeout=30), retry=RetryRules(attempts=2, base=0))
    assert client.times == [0, 30]
    assert "openai/fake: no answer within 30 s" in str(error)


def test_retry_after_holds_all_calls():
    client = FakeEndpoint(first(1, lambda: RetryableError("slow down", 40, 429)), latency=0.5)
    called = call(client, 5, limits=Limits(concurrency=1), retry=RetryRules(base=0))
    assert client.times == [0, 40.5, 41, 41.5, 42, 42.5]
    assert called[0].failures[0].waited == 40


def test_retry_after_has_an_end():
    client = FakeEndpoint(first(1, lambda: RetryableError("tomorrow", 86_400, 429)))
    call(client, retry=RetryRules(longest=100, base=0))
    assert client.times == [0, 100]


@pytest.mark.parametrize("ask", [1.0, None])
def test_nobody_is_lost_to_an_endpoint_slower_than_we_thought(ask):
    """A bucket of ten requests a second, unknown to the caller, who starts with 64 at a time."""

    class Bucket(FakeEndpoint):
        level, at, refused = 10.0, 0.0, 0

        async def complete(self, *asked):
            self.level, self.at = min(10.0, self.level + (now() - self.at) * 10), now()
            if self.level < 1:
                self.refused += 1
                raise RetryableError("slow down", ask, 429)
            self.level -= 1
            return await super().complete(*asked)

    client = Bucket(latency=0.5)
    assert not any(isinstance(each, Exception) for each in call(client, 500))
    assert client.refused < 150
    assert client.times[-1] < 65


def test_attempts_count_where_the_endpoint_answers_nobody():
    client = FakeEndpoint(lambda n: RetryableError("slow down", status=429))
    (error,) = call(client, retry=RetryRules(attempts=4))
    assert len(error.failures) == 4


def test_limits_count_every_try():
    client = FakeEndpoint(lambda n: RetryableError("cut") if n % 2 else None)
    clocked = Ledger(clock=now)
    call(client, 10, limits=Limits(requests_per_minute=4), ledger=clocked, retry=RetryRules(base=0))
    assert len(client.times) == 19
    assert all(
        later - earlier >= 60 - 1e-6 for earlier, later in zip(client.times, client.times[4:], strict=False)
    )


def test_tokens_are_estimated_then_corrected():
    client = FakeEndpoint(latency=1, usage=Usage(30, 10))
    call(
        client,
        40,
        settings=Settings(max_tokens=300),
        limits=Limits(tokens_per_minute=400),
        ledger=Ledger(clock=now),
    )
    for end in client.times:
        assert 40 * sum(end - 60 < time <= end for time in client.times) <= 400
    assert client.times[-1] < 60 * 40


def test_seeds_come_from_the_draw():
    client = FakeEndpoint()
    call(client, 3, settings=Settings(seeded=True))
    assert client.seeds == [seed_of("0"), seed_of("1"), seed_of("2")]
    assert all(0 <= seed_of(str(i)) < 2**31 for i in range(99))
    call(client, settings=Settings(seeded=True, seed=5))
    assert client.seeds[3] == 5


def test_cost_of_calls():
    assert [called.cost for called in call(FakeEndpoint(), 2, price=PRICE)] == pytest.approx([0.5, 0.5])
    assert call(FakeEndpoint(name="scripted/first"))[0].cost == 0


def test_an_answer_without_usage_costs_its_estimate():
    (called,) = call(FakeEndpoint(usage=Usage()), price=PRICE)
    assert called.cost > 0.1


def test_a_request_without_answer_may_have_cost_something():
    client = FakeEndpoint(first(1, TimeoutError))
    (called,) = call(client, price=PRICE, retry=RetryRules(base=0))
    assert called.cost > 0.5


def test_a_budget_is_not_passed():
    client, budget = FakeEndpoint(latency=1, usage=Usage(15, 10)), Budget(10)
    outcomes = call(client, 100, price=PRICE, budget=budget)
    costs = [outcome.cost for outcome in outcomes if not isinstance(outcome, Exception)]
    assert all(isinstance(o, BudgetSpent) for o in outcomes if isinstance(o, Exception))
    assert sum(costs) == pytest.approx(budget.spent)
    assert 9.5 <= budget.spent <= 10
    assert budget.reserved == 0


def test_failures_cost_nothing():
    budget = Budget(10)
    call(FakeEndpoint(lambda n: RetryableError("oops", status=500)), 20, price=PRICE, budget=budget)
    assert (budget.spent, budget.reserved) == (0, 0)


def test_a_budget_needs_a_price():
    with pytest.raises(UsageError, match="openai/fake has no price"):
        caller(FakeEndpoint(), budget=Budget(1))
    caller(FakeEndpoint(name="local/smollm2-135m"), budget=Budget(1))


def test_a_cached_reply_is_not_asked_for_again():
    client, cache = FakeEndpoint(), CallCache()
    first_time = call(client, 5, cache=cache, price=PRICE)
    again = call(client, 5, cache=cache, price=PRICE, budget=Budget(0))
    assert [called.reply for called in again] == [called.reply for called in first_time]
    assert all(called.cached and called.tries == 0 and called.cost == 0 for called in again)
    assert len(client.times) == 5


def test_draws_never_share_a_reply():
    replies = [called.reply.text for called in call(FakeEndpoint(), 50, cache=CallCache())]
    assert len(set(replies)) == 50


def test_each_request_is_announced_as_it_leaves():
    client, sent = FakeEndpoint(first(2, lambda: RetryableError("cut"))), []

    async def main():
        one = caller(client, cache=CallCache())
        for _ in range(2):
            await one.call(ASKED, Settings(), draw="a", on_send=lambda: sent.append(now()))

    run_virtually(main())
    assert sent == client.times
    assert len(sent) == 3


def test_waits_are_told():
    events = []
    client = FakeEndpoint(first(2, lambda: RetryableError("slow down", 3, 429)))
    call(client, 2, listener=events.append, limits=Limits(requests_per_minute=2), ledger=Ledger(clock=now))
    assert {(event.kind, event.text) for event in events} == {
        ("slowed", "slow down"),
        ("waiting", "requests_per_minute"),
    }
    assert {(event.model, event.endpoint) for event in events} == {("openai/fake", "openai")}


@pytest.mark.parametrize("after", [0.0, 0.5, 1.5, 30.0, 61.0])
def test_a_cancelled_run_gives_everything_back(after):
    async def main():
        client = FakeEndpoint(lambda n: RetryableError("cut") if n % 3 else None, latency=1)
        budget, ledger = Budget(20), Ledger(clock=now)
        one = caller(
            client,
            budget=budget,
            price=PRICE,
            limits=Limits(requests_per_minute=9, concurrency=4),
            ledger=ledger,
        )
        tasks = [
            asyncio.create_task(one.call(ASKED, Settings(max_tokens=10), draw=str(i))) for i in range(30)
        ]
        await asyncio.sleep(after)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert (one.gate.in_flight, budget.reserved) == (0, 0)
        await one.call(ASKED, Settings(max_tokens=10), draw="after")

    run_virtually(main())


@pytest.mark.parametrize("broken", ["cache", "ledger"])
def test_an_answer_outlives_the_files_beside_it(broken):
    files = {"cache": CallCache(), "ledger": Ledger()}

    def spoil(n):
        files[broken]._file.connection.execute("PRAGMA query_only=ON")

    limits = Limits(tokens_per_minute=1_000)
    first_call, second = call(
        FakeEndpoint(spoil), 2, limits=limits.model_copy(update={"concurrency": 1}), **files
    )
    assert first_call.reply.text == "answer 1"
    assert isinstance(second, DataError) == (broken == "ledger")
