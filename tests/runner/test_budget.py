"""Money is set aside before a call, and what is not needed comes back."""

import asyncio

import pytest
from virtual_time import now, run_virtually

from intent.base.errors import BudgetSpent, UsageError
from intent.runner.limits import Budget


def test_what_does_not_fit_is_refused():
    async def main():
        budget = Budget(1.0, spent=0.5)
        await budget.reserve(0.5)
        budget.settle(0.5, 0.2)
        assert budget.spent == pytest.approx(0.7)
        with pytest.raises(BudgetSpent, match=r"0\.7 of the budget of 1 is spent"):
            await budget.reserve(0.31)

    run_virtually(main())


def test_calls_in_flight_are_waited_for():
    async def one(budget, starts):
        await budget.reserve(3)
        starts.append(now())
        await asyncio.sleep(1)
        budget.settle(3, 1)

    async def main():
        budget, starts = Budget(8), []
        results = await asyncio.gather(*(one(budget, starts) for _ in range(9)), return_exceptions=True)
        assert starts == [0, 0, 1, 1, 2, 3]
        assert [isinstance(r, BudgetSpent) for r in results] == [False] * 6 + [True] * 3
        assert (budget.spent, budget.reserved) == (6, 0)

    run_virtually(main())


@pytest.mark.parametrize("limit", [-1, float("nan"), float("inf")])
def test_budgets_that_cannot_be(limit):
    with pytest.raises(UsageError):
        Budget(limit)
