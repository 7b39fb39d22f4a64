"""The way to one endpoint: so many calls at a time, first come first served, when the limits allow."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import nullcontext

from intent.runner.ledger import Ledger, Slot, Wait
from intent.runner.limits import Account

__all__ = ["Gate"]

NAP, SHARE = 1.0, 0.02
"""The ledger is looked at again after a second, or this share of a longer wait, at the latest: other
processes may give tokens back, and a machine may sleep meanwhile."""


class Gate:
    """Lets calls through to one endpoint; shared by all that this process sends there.

    An endpoint that says it is overloaded gets no call for a while, then half as many at a time, and one
    more after every round of calls that it answers (additive increase, multiplicative decrease).

    Parameters
    ----------
    concurrency : int
        Most calls in flight.
    ledger : Ledger
        Where limits per time are kept.

    Attributes
    ----------
    allowed : int, calls that may now be in flight
    in_flight, answers : int
        Calls on their way, and calls answered so far.

    References
    ----------
    Chiu & Jain 1989, Computer Networks and ISDN Systems 17:1.
    """

    def __init__(self, concurrency: int, ledger: Ledger) -> None:
        self.most = self.allowed = concurrency
        self.in_flight = self.answers = 0
        self.ledger = ledger
        self._permits = asyncio.Semaphore(concurrency)
        self._owed = 0
        self._round = self._refusals = 0
        self._slowed_at = self._closed_until = float("-inf")
        self._turn = asyncio.Lock()
        self._turns: dict[str, asyncio.Lock] = {}
        self._resting: set[asyncio.Future[None]] = set()

    async def enter(
        self,
        endpoint: Account | None = None,
        model: Account | None = None,
        tokens: int = 0,
        on_wait: Callable[[Wait], None] = lambda wait: None,
    ) -> Slot | None:
        """Wait for a turn; the request is to be sent at once, and `leave` called when it is over.

        Who waits for the limits of one model lets other models pass.

        Parameters
        ----------
        endpoint, model : Account, optional
            What limits the endpoint and the model.
        tokens : int, estimate for prompt and reply
        on_wait : function
            Told once of every limit that has to be waited for.
        """
        accounts = [account for account in (endpoint, model) if account is not None]
        if not accounts:
            await self._permit()
            self.in_flight += 1
            return None
        told: set[str] = set()
        async with self._turns.setdefault(model.key, asyncio.Lock()) if model else nullcontext():
            while True:
                async with self._turn:
                    while True:
                        found = await self._reserve(accounts, tokens)
                        if isinstance(found, Slot):
                            return found
                        if found.limit not in told:
                            told.add(found.limit)
                            on_wait(found)
                        if model is not None and found.account == model.key:
                            break
                        await self._rest(found.seconds)
                await self._rest(found.seconds)

    def leave(self) -> None:
        """The request is over, whatever came of it."""
        self.in_flight -= 1
        self._give_back()

    def settle(self, slot: Slot | None, tokens: int | None) -> None:
        """The tokens that a request took, None where nobody knows; who waits for them looks again."""
        if slot is None or tokens is None:
            return
        self.ledger.settle(slot, tokens)
        if tokens < slot.tokens:
            for future in self._resting:
                _wake(future)

    def refused(self, sent: float) -> int:
        """A request was refused for overload: fewer at a time from now on.

        Those sent before the last such refusal say nothing new.

        Parameters
        ----------
        sent : float
            When the request was sent, in the loop's time.

        Returns
        -------
        int
            How often the endpoint was found overloaded since it last answered.
        """
        if sent >= self._slowed_at:
            fewer = max(1, self.allowed // 2)
            self._owed += self.allowed - fewer
            self.allowed, self._round = fewer, 0
            self._slowed_at = asyncio.get_running_loop().time()
            self._refusals += 1
        return max(self._refusals, 1)

    def pause(self, seconds: float) -> None:
        """Send nothing for so long."""
        until = asyncio.get_running_loop().time() + seconds
        self._closed_until = max(self._closed_until, until)

    def answered(self) -> None:
        """A request was answered: a slowed endpoint is tried with more again, by and by."""
        self.answers += 1
        self._refusals = 0
        if self.allowed < self.most:
            self._round += 1
            if self._round >= self.allowed:
                self.allowed, self._round = self.allowed + 1, 0
                self._give_back()

    async def _reserve(self, accounts: list[Account], tokens: int) -> Slot | Wait:
        await self._permit()
        found = None
        try:
            found = self.ledger.reserve(accounts, tokens)
        finally:
            if isinstance(found, Slot):
                self.in_flight += 1
            else:
                self._give_back()
        return found

    async def _permit(self) -> None:
        await self._permits.acquire()
        time = asyncio.get_running_loop().time
        try:
            while (left := self._closed_until - time()) > 0:
                await asyncio.sleep(left)
        except BaseException:
            self._give_back()
            raise

    def _give_back(self) -> None:
        if self._owed:
            self._owed -= 1
        else:
            self._permits.release()

    async def _rest(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        nap = min(seconds, max(NAP, SHARE * seconds))
        timer = loop.call_later(nap, _wake, future)
        self._resting.add(future)
        try:
            await future
        finally:
            timer.cancel()
            self._resting.discard(future)


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
