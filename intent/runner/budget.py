"""A bound on what a run may cost."""

from __future__ import annotations

import asyncio

from intent.errors import BudgetSpent, UsageError

__all__ = ["Budget", "BudgetSpent"]


class Budget:
    """Money that calls set aside before they are sent, and pay from when they are over.

    What is spent exceeds the limit at most by the amount by which the estimates of the calls in flight
    fall short.

    Parameters
    ----------
    limit : float, in the currency of the prices
    spent : float
        What earlier parts of the same run cost.

    Attributes
    ----------
    spent : float, cost of the calls that are over
    reserved : float, what the calls in flight are thought to cost at most

    Raises
    ------
    UsageError
        A limit that is not a number from 0.
    """

    def __init__(self, limit: float, spent: float = 0.0) -> None:
        if not 0 <= limit < float("inf"):
            raise UsageError(f"budget {limit}, expected a number from 0")
        self.limit, self.spent, self.reserved = limit, spent, 0.0
        self._in_flight = 0
        self._turn = asyncio.Lock()
        self._settled = asyncio.Event()

    async def reserve(self, amount: float) -> None:
        """Set an amount aside; where calls in flight may give enough back, wait for them, in order.

        Raises
        ------
        BudgetSpent
            It would not fit if nothing else were in flight.
        """
        async with self._turn:
            while self.spent + self.reserved + amount > self.limit:
                if self.spent + amount > self.limit:
                    raise BudgetSpent(
                        f"{self.spent:.4g} of the budget of {self.limit:g} is spent, and the next call"
                        f" may cost {amount:.4g}"
                    )
                self._settled.clear()
                await self._settled.wait()
            self._in_flight += 1
            self.reserved += amount

    def settle(self, amount: float, cost: float) -> None:
        """Replace an amount set aside by what the call cost; 0 for one that was never answered."""
        self._in_flight -= 1
        self.reserved = self.reserved - amount if self._in_flight else 0.0
        self.spent += cost
        self._settled.set()
