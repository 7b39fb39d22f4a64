"""How much may be asked of an endpoint or a model: calls at a time, requests and tokens per time, and money.

No prices are shipped: they change. Cost is estimated before a call is sent, and bounded.

What was asked in the last day is shared by processes and remembered between runs. Each request of an
account is a row: its ordinal n, its time, its tokens and the tokens of all rows up to it. Both columns grow
with n, so that a window's content is a difference of two rows, found by bisection:

- a further request keeps a limit of R in windows of W if row n + 1 - R is at least W old;
- one of k tokens keeps a limit of L if the rows of the last W hold at most L - k tokens, that is, if the
  first row whose running total reaches (total + k - L) is at least W old.

Either says to the microsecond when the request may go.
"""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from intent.agents.client import Settings, Usage
from intent.base.caches import SharedFile, cache_folder
from intent.base.errors import BudgetSpent, RetryableError, UsageError, shorten

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "FREE",
    "Account",
    "Bound",
    "Budget",
    "BudgetSpent",
    "Gate",
    "Ledger",
    "Limits",
    "Price",
    "RetryRules",
    "Slot",
    "TokenEstimate",
    "Wait",
    "backoff",
    "completed",
    "ledger_path",
    "overloaded",
    "price_of",
    "require_prices",
    "tokens_of",
]


SECOND = 1_000_000
DAY = 86_400 * SECOND
"""The longest window, in microseconds."""

WINDOWS = {"minute": 60 * SECOND, "hour": 3_600 * SECOND, "day": DAY}

Count = Field(default=None, ge=1, le=10**12)


@dataclass(frozen=True)
class Bound:
    """At most `limit` requests, or tokens, in any time of length `window`.

    Parameters
    ----------
    name : str, such as ``requests_per_minute``
    window : int, microseconds
    """

    name: str
    limit: int
    window: int


@dataclass(frozen=True)
class Account:
    """What one endpoint, or one model, is limited to; `key` is what the ledger knows it by."""

    key: str
    requests: tuple[Bound, ...]
    tokens: tuple[Bound, ...]


class Limits(BaseModel):
    """Limits of one endpoint, or of one model; None is no limit.

    The windows slide: in no minute, whenever it begins, are there more than ``requests_per_minute``.

    Attributes
    ----------
    concurrency : calls in flight, of one process; None takes the client's own number
    tokens_per_minute, tokens_per_hour, tokens_per_day : prompt and reply together
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    concurrency: int | None = Field(default=None, ge=1, le=100_000)
    requests_per_minute: int | None = Count
    requests_per_hour: int | None = Count
    requests_per_day: int | None = Count
    tokens_per_minute: int | None = Count
    tokens_per_hour: int | None = Count
    tokens_per_day: int | None = Count

    def account(self, key: str) -> Account | None:
        """These limits as the ledger takes them; None where nothing is limited per time."""
        requests, tokens = (
            tuple(
                Bound(name, limit, window)
                for unit, window in WINDOWS.items()
                if (limit := getattr(self, name := f"{what}_per_{unit}")) is not None
            )
            for what in ("requests", "tokens")
        )
        return Account(key, requests, tokens) if requests or tokens else None


SCHEMA = """
CREATE TABLE requests (
    account TEXT NOT NULL, n INTEGER NOT NULL, time INTEGER NOT NULL,
    tokens INTEGER NOT NULL, total INTEGER NOT NULL,
    PRIMARY KEY (account, n)
) WITHOUT ROWID
"""

PRUNE_EVERY = 1_000


def ledger_path() -> Path:
    """The user's own ledger."""
    return cache_folder() / "limits.sqlite"


@dataclass(frozen=True)
class Slot:
    """A request that has been entered: its row in every account, and the tokens set down for it."""

    rows: tuple[tuple[str, int], ...]
    tokens: int


@dataclass(frozen=True)
class Wait:
    """A request that may not go yet.

    Parameters
    ----------
    seconds : until it may, if nothing else is asked or given back meanwhile
    account, limit : what it waits for
    """

    seconds: float
    account: str
    limit: str


class Ledger:
    """Enters requests, as soon as their limits allow.

    A clock that was put back makes entries that lie in the future count as made now, so that no limit
    is exceeded and nobody waits longer than one window.

    Parameters
    ----------
    path : None keeps it in memory, for one process and one run
    clock : function that returns seconds since 1970
    """

    def __init__(self, path: Path | None = None, *, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        if path is not None:
            self._file = SharedFile(path, SCHEMA, version=1)

    @cached_property
    def _file(self) -> SharedFile:
        """That of one in memory, made with the first request that is limited."""
        return SharedFile(None, SCHEMA, version=1)

    def reserve(self, accounts: Sequence[Account], tokens: int) -> Slot | Wait:
        """Enter a request that is about to be sent in all its accounts, or in none.

        Parameters
        ----------
        tokens : int
            Estimate for prompt and reply. More than a limit allows counts as just as many.

        Raises
        ------
        DataError
            The file is damaged or locked.
        """
        with self._file.transaction():
            now = round(self._clock() * SECOND)
            waits = [self._wait(account, tokens, now) for account in accounts]
            longest = max(waits, key=lambda wait: wait.seconds)
            if longest.seconds > 0:
                return longest
            return Slot(tuple((a.key, self._enter(a.key, tokens, now)) for a in accounts), tokens)

    def settle(self, slot: Slot, tokens: int) -> None:
        """Put the tokens that a request really took in place of its estimate."""
        if more := tokens - slot.tokens:
            with self._file.transaction() as connection:
                for account, n in slot.rows:
                    connection.execute(
                        "UPDATE requests SET total = total + ?, tokens = tokens + ? * (n = ?)"
                        " WHERE account = ? AND n >= ?",
                        (more, more, n, account, n),
                    )

    def close(self) -> None:
        """Release the file."""
        self._file.close()

    def _wait(self, account: Account, tokens: int, now: int) -> Wait:
        key = account.key
        last, time, total = self._last(key)
        if time > now:
            sql = "UPDATE requests SET time = ? WHERE account = ? AND time > ?"
            self._file.connection.execute(sql, (now, key, now))
        free, limit = now, ""
        for bound in account.requests:
            if last >= bound.limit and (row := self._row(key, last + 1 - bound.limit)):
                free, limit = max((free, limit), (row[0] + bound.window, bound.name))
        for bound in account.tokens:
            oldest = self._reaching(key, total + min(tokens, bound.limit) - bound.limit, last)
            if oldest is not None:
                free, limit = max((free, limit), (oldest + bound.window, bound.name))
        return Wait((free - now) / SECOND, key, limit)

    def _reaching(self, key: str, total: int, last: int) -> int | None:
        """The time of the first row whose running total is at least so much; None: before the first."""
        first = self._first(key)
        if first is None or total <= first[2] - first[1]:
            return None
        rows = range(first[0], last + 1)
        n = rows[bisect_left(rows, total, key=lambda n: self._row(key, n)[1])]
        return self._row(key, n)[0]

    def _enter(self, key: str, tokens: int, now: int) -> int:
        n, _, total = self._last(key)
        self._file.connection.execute(
            "INSERT INTO requests VALUES (?, ?, ?, ?, ?)", (key, n + 1, now, tokens, total + tokens)
        )
        if n % PRUNE_EVERY == 0 and (first := self._first(key)):
            rows = range(first[0], n + 1)
            old = first[0] + bisect_left(rows, now - DAY, key=lambda n: self._row(key, n)[0])
            self._file.connection.execute("DELETE FROM requests WHERE account = ? AND n < ?", (key, old))
        return n + 1

    def _first(self, key: str) -> tuple[int, int, int] | None:
        sql = "SELECT n, tokens, total FROM requests WHERE account = ? ORDER BY n LIMIT 1"
        row: tuple[int, int, int] | None = self._file.connection.execute(sql, (key,)).fetchone()
        return row

    def _last(self, key: str) -> tuple[int, int, int]:
        sql = "SELECT n, time, total FROM requests WHERE account = ? ORDER BY n DESC LIMIT 1"
        row: tuple[int, int, int] | None = self._file.connection.execute(sql, (key,)).fetchone()
        return row or (0, 0, 0)

    def _row(self, key: str, n: int) -> tuple[int, int]:
        sql = "SELECT time, total FROM requests WHERE account = ? AND n = ?"
        row: tuple[int, int] = self._file.connection.execute(sql, (key, n)).fetchone()
        return row


NAP, SHARE = 1.0, 0.02
"""The ledger is looked at again after a second, or this share of a longer wait, at the latest: other
processes may give tokens back, and a machine may sleep meanwhile."""


class Gate:
    """Lets calls through to one endpoint; shared by all that this process sends there.

    An endpoint that says it is overloaded gets no call for a while, then half as many at a time, and one
    more after every round of calls that it answers (additive increase, multiplicative decrease).

    Parameters
    ----------
    concurrency : most calls in flight
    ledger : where limits per time are kept

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
        endpoint, model : what limits the endpoint and the model
        tokens : int, estimate for prompt and reply
        on_wait : told once of every limit that has to be waited for
        """
        accounts = [account for account in (endpoint, model) if account is not None]
        if not accounts:
            await self._permit()
            self.in_flight += 1
            return None
        announced: set[str] = set()
        async with self._turns.setdefault(model.key, asyncio.Lock()) if model else nullcontext():
            while True:
                async with self._turn:
                    while True:
                        entry = await self._reserve(accounts, tokens)
                        if isinstance(entry, Slot):
                            return entry
                        if entry.limit not in announced:
                            announced.add(entry.limit)
                            on_wait(entry)
                        if model is not None and entry.account == model.key:
                            break
                        await self._rest(entry.seconds)
                await self._rest(entry.seconds)

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
        sent : when the request was sent, in the loop's time

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
        entry = None
        try:
            entry = self.ledger.reserve(accounts, tokens)
        finally:
            if isinstance(entry, Slot):
                self.in_flight += 1
            else:
                self._give_back()
        return entry

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


OVERLOADED = frozenset({429, 503, 529})


class RetryRules(BaseModel):
    """How often and how long a call is tried. Time spent waiting for limits and places does not count.

    Attributes
    ----------
    attempts : int
        Requests sent for one call, the first one included. Those that an overloaded endpoint refused
        while it answered other calls do not count.
    base, cap : float, seconds
        The k-th wait is drawn from 0 to ``min(cap, base * 2 ** (k - 1))``.
    longest : float, seconds
        Most that is waited because an endpoint asks for it (``Retry-After``).
    total : float, seconds
        Most that all requests of a call and the waits between them may take.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    attempts: int = Field(default=8, ge=1, le=1_000)
    base: float = Field(default=1.0, ge=0, le=3_600)
    cap: float = Field(default=60.0, ge=0, le=86_400)
    longest: float = Field(default=600.0, ge=0, le=86_400)
    total: float = Field(default=3_600.0, gt=0, le=864_000)


def backoff(rules: RetryRules, failed: int, retry_after: float | None, rng: np.random.Generator) -> float:
    """Seconds to wait after the failure number `failed`, counted from 1: capped exponential, full jitter.

    What the endpoint asks for is waited in full, up to `rules.longest`, and the jitter comes on top of it,
    since all calls that it refused were told the same time.

    References
    ----------
    Brooker 2015, Exponential Backoff and Jitter, AWS Architecture Blog.
    """
    jitter = rng.uniform(0, min(rules.cap, rules.base * 2.0 ** min(failed - 1, 64)))
    return float(jitter if retry_after is None else min(max(retry_after, 0), rules.longest) + jitter)


def overloaded(error: RetryableError) -> bool:
    """Whether the endpoint, not this one request, needs a pause."""
    return error.status in OVERLOADED or error.retry_after is not None


MILLION = 1_000_000

FREE_KINDS = ("local/", "gguf:", "scripted/", "python/", "human")


class Price(BaseModel):
    """Price of a model, per million tokens, in whatever currency the budget is in.

    Two or three numbers, ``[2.5, 10]``, may stand for the values in their order.

    Attributes
    ----------
    cached : of prompt tokens that the endpoint had in its cache; None: as other prompt tokens
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    prompt: float = Field(ge=0, allow_inf_nan=False)
    completion: float = Field(ge=0, allow_inf_nan=False)
    cached: float | None = Field(default=None, ge=0, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        if not isinstance(value, list | tuple):
            return value
        return dict(zip(("prompt", "completion", "cached"), value, strict=False))

    @property
    def free(self) -> bool:
        """Whether no call costs anything."""
        return not (self.prompt or self.completion or self.cached)

    def cost(self, usage: Usage) -> float:
        """What a call cost: ``cached * price.cached + (prompt - cached) * price.prompt + completion * …``.

        `usage.prompt_tokens` includes the cached ones, `usage.completion_tokens` those of reasoning.
        Unknown numbers count as 0.
        """
        prompt, completion = usage.prompt_tokens or 0, usage.completion_tokens or 0
        cached = min(usage.cached_tokens or 0, prompt)
        of_cached = self.prompt if self.cached is None else self.cached
        return ((prompt - cached) * self.prompt + cached * of_cached + completion * self.completion) / MILLION


FREE = Price(prompt=0, completion=0)


def price_of(model: str, prices: Mapping[str, Price]) -> Price | None:
    """The stated price of a model; models on this machine are free; None where nobody knows."""
    return prices.get(model) or (FREE if model.startswith(FREE_KINDS) else None)


def require_prices(models: Iterable[str], prices: Mapping[str, Price]) -> None:
    """Check before a run with a budget that its calls can be counted.

    Raises
    ------
    UsageError
        A model without a price.
    """
    unknown = sorted({model for model in models if price_of(model, prices) is None})
    if unknown:
        raise UsageError(
            f"a budget needs the price of every model, and {', '.join(map(shorten, unknown))} has none;"
            f" state it per million tokens: --price {unknown[0]}=PROMPT,REPLY"
        )


class TokenEstimate:
    """Estimates from above, and learns from what replies say.

    Prompt: half a token per byte of the body (English takes about a quarter, Chinese a third to a half)
    until a reply says more, then the largest ratio seen. Completion: ``max_tokens``; where that is not
    set, 1,024 or the largest seen, if that is more.
    """

    def __init__(self) -> None:
        self._ratio: float | None = None
        self._longest = 1_024

    def __call__(self, size: int, settings: Settings) -> Usage:
        """The estimate for a body of `size` bytes."""
        prompt = round(size * (0.5 if self._ratio is None else self._ratio)) + 1
        return Usage(prompt_tokens=prompt, completion_tokens=settings.max_tokens or self._longest)

    def learn(self, size: int, usage: Usage) -> None:
        """Take note of what a body of `size` bytes took."""
        if usage.prompt_tokens and size:
            self._ratio = max(self._ratio or 0.0, usage.prompt_tokens / size)
        self._longest = max(self._longest, usage.completion_tokens or 0)


def completed(usage: Usage, estimate: Usage) -> Usage:
    """What the endpoint counted, with the estimate where it did not."""
    if usage.prompt_tokens is None:
        usage = replace(usage, prompt_tokens=estimate.prompt_tokens)
    if usage.completion_tokens is None:
        usage = replace(usage, completion_tokens=estimate.completion_tokens)
    return usage


def tokens_of(usage: Usage) -> int | None:
    """Prompt and completion together, None where either is unknown."""
    if usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    return usage.prompt_tokens + usage.completion_tokens


class Budget:
    """Money that calls set aside before they are sent, and pay from when they are over.

    What is spent exceeds the limit at most by the amount by which the estimates of the calls in flight
    fall short.

    Parameters
    ----------
    limit : float, in the currency of the prices
    spent : what earlier parts of the same run cost

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
