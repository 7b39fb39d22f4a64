"""Models of one endpoint share its limits; each may have its own besides."""

import asyncio

import pytest
from fake_endpoint import ASKED, FakeEndpoint
from virtual_time import now, run_virtually

from intent.agents.client import Settings
from intent.base.errors import UsageError
from intent.runner.caller import Terms, make_callers
from intent.runner.limits import Budget, Ledger, Limits, Price


def times(limits, n=4, **how):
    """When each of two models is asked, n times at once."""

    async def main():
        clients = [FakeEndpoint(name=name, latency=1) for name in ("openai/a", "openai/b")]
        callers = make_callers(clients, limits=limits, ledger=Ledger(clock=now), **how)
        asked = [one.call(ASKED, Settings(), draw=str(i)) for i in range(n) for one in callers.values()]
        await asyncio.gather(*asked)
        return [sorted(round(time) for time in client.times) for client in clients]

    return run_virtually(main())


def test_an_endpoint_is_one_gate():
    assert times({"openai": Limits(concurrency=2)}) == [[0, 1, 2, 3]] * 2
    assert times({}, concurrency=4) == [[0, 0, 1, 1]] * 2


def test_an_endpoint_has_one_limit():
    assert times({"openai": Limits(requests_per_minute=4)}) == [[0, 0, 60, 60]] * 2


@pytest.mark.parametrize("address", ["https://api.openai.com/v1/", "https://api.openai.com"])
def test_an_endpoint_may_be_an_address(address):
    assert times({address: Limits(concurrency=2)}) == times({"openai": Limits(concurrency=2)})


def test_a_model_has_its_own_besides():
    limits = {
        "openai": Limits(requests_per_minute=5),
        "openai/a": Limits(requests_per_minute=1),
        "other": Limits(),
    }
    assert times(limits) == [[0, 60, 120, 180], [0, 0, 0, 0]]


def test_a_budget_needs_every_price():
    clients = [FakeEndpoint(name="openai/a"), FakeEndpoint(name="openai/b")]
    with pytest.raises(UsageError, match="openai/b has none"):
        make_callers(clients, Terms(budget=Budget(1)), prices={"openai/a": Price(prompt=1, completion=1)})
