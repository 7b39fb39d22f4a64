"""Calls to language models: what is asked and what came of it, and one call from cache to cost.

A caller waits for its turn, tries again and counts; all callers of an endpoint share one gate. Replies of
earlier calls are known by all that was sent and the draw; replies are kept as they come, a line each.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import time
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import numpy as np

from intent.agents.client import Client, Message, Reply, Settings, Tool, Usage
from intent.agents.clients.registry import limited, make_client, model_contacts, provider_of, providers
from intent.agents.plan import GamePlan
from intent.base.caches import SharedFile, cache_folder
from intent.base.errors import (
    DataError,
    IntentError,
    OutputError,
    RetryableError,
    UnknownNameError,
    UsageError,
    located,
    shorten,
)
from intent.base.files import bounds, file_bytes, json_value
from intent.base.outputs import private
from intent.base.remote import announce
from intent.runner.limits import (
    Budget,
    Gate,
    Ledger,
    Limits,
    Price,
    RetryRules,
    TokenEstimate,
    Wait,
    backoff,
    completed,
    overloaded,
    price_of,
    require_prices,
    tokens_of,
)

if TYPE_CHECKING:
    from intent.runner.experiment.file import Runtime

__all__ = [
    "CallCache",
    "CallKey",
    "Called",
    "Caller",
    "Event",
    "Failure",
    "Replies",
    "Request",
    "Terms",
    "cache_path",
    "call_name",
    "canonical",
    "draw_text",
    "has_human",
    "in_own_loop",
    "make_callers",
    "make_clients",
    "model_names",
    "reply_key",
    "request_digest",
    "seed_of",
    "session_callers",
]

SCHEMA = """
CREATE TABLE replies (key BLOB PRIMARY KEY, model TEXT NOT NULL, stored REAL NOT NULL, reply TEXT NOT NULL)
WITHOUT ROWID
"""

MOST_CHARACTERS = 4_000_000
"""Of a reply with the body it answers; a longer one is not kept."""


def cache_path() -> Path:
    """The user's own cache of calls."""
    return cache_folder() / "calls.sqlite"


def canonical(body: Mapping[str, Any]) -> bytes:
    """The one JSON text of a body, whatever the order of its fields."""
    text = json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


class CallCache:
    """A file of replies that several processes may use at a time.

    The key is the SHA-256 of endpoint, model, body as sent and draw. The draw differs between the calls of
    a run, so that two repetitions never share a reply, however alike their prompts are.

    Parameters
    ----------
    path : None keeps replies in memory

    Attributes
    ----------
    hits, misses : int, of this object
    """

    def __init__(self, path: Path | None = None) -> None:
        self._file = SharedFile(path, SCHEMA, version=1)
        self.hits = self.misses = 0

    @staticmethod
    def key(client: Client, body: bytes, draw: str) -> bytes:
        """What a call is known by; `body` as `canonical` writes it."""
        known = json.dumps([client.endpoint, client.name, draw]).encode()
        return hashlib.sha256(known + b"\n" + body).digest()

    def get(self, key: bytes) -> Reply | None:
        """The reply, or None where there is none that can be read.

        Raises
        ------
        DataError
            The file is damaged.
        """
        with self._file.explained():
            row = self._file.connection.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        reply = None if row is None else reply_from_json(row[0])
        self.hits += reply is not None
        self.misses += reply is None
        return reply

    def put(self, key: bytes, model: str, reply: Reply) -> None:
        """Keep a reply; the first one of a key stays.

        Raises
        ------
        DataError
            The file is damaged.
        """
        text = json.dumps(asdict(reply))
        if len(text) <= MOST_CHARACTERS:
            with self._file.transaction() as connection:
                connection.execute(
                    "INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?)", (key, model, time.time(), text)
                )

    def close(self) -> None:
        """Release the file."""
        self._file.close()


def reply_from_json(text: str) -> Reply | None:
    """A reply as `CallCache.put` wrote it, None for another text."""
    try:
        fields = json.loads(text)
        usage, calls = Usage(**fields.pop("usage")), tuple(fields.pop("tool_calls"))
        reply = Reply(usage=usage, tool_calls=calls, **fields)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return reply if isinstance(reply.text, str) else None


def reply_key(facts: Mapping[str, Any]) -> str:
    """What a reply is known by: everything that was asked, as a digest."""
    text = json.dumps(facts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class Replies:
    """A file of JSON lines that only grows.

    A last line without its end, as a crash leaves it, is cut off before the next reply is written.

    Parameters
    ----------
    fields : what every line has beside ``key`` and ``text``

    Raises
    ------
    DataError
        A line in the middle that is no reply.
    OutputError
        The file cannot be written.
    """

    def __init__(self, path: Path, fields: Sequence[str] = ()) -> None:
        self.path = path
        self._fields = ("key", "text", *fields)
        self.known: dict[str, dict[str, Any]] = {}
        whole = self._read() if path.exists() else b""
        try:
            if path.exists() and path.stat().st_size > len(whole):
                os.truncate(path, len(whole))
        except OSError as error:
            raise OutputError(f"cannot write {path}: {error.strerror or error}") from None

    def _read(self) -> bytes:
        """The complete lines; fills `known`."""
        if not self.path.is_file():
            raise DataError(located(self.path, "no file, expected replies"))
        raw = file_bytes(self.path, bounds().json_bytes, "replies")
        whole = raw[: raw.rfind(b"\n") + 1]
        for number, line in enumerate(whole.splitlines(), start=1):
            try:
                row = json_value(line)
                if not all(name in row for name in self._fields) or not isinstance(row["text"], str):
                    raise TypeError
            except (ValueError, TypeError, RecursionError):
                raise DataError(located(self.path, "expected a stored reply", number)) from None
            self.known[str(row["key"])] = row
        return whole

    def add(self, row: Mapping[str, Any]) -> None:
        """Write a reply; it is on the disk when this returns.

        Raises
        ------
        OutputError
        """
        line = json.dumps(dict(row), ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        try:
            with private(), self.path.open("ab") as file:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise OutputError(f"cannot write {self.path}: {error.strerror or error}") from None
        self.known[str(row["key"])] = dict(row)


@dataclass(frozen=True)
class Failure:
    """A request that failed.

    Parameters
    ----------
    seconds : float, from sending to failing
    waited : seconds before it was sent again, 0 where it was not
    status : int or None, of HTTP
    """

    error: str
    seconds: float
    waited: float
    status: int | None = None


@dataclass(frozen=True)
class Called:
    """An answered call.

    Parameters
    ----------
    seconds : from sending to the reply, of the request that was answered; 0 from the cache
    tries : requests sent; 0 from the cache
    failures : of the requests before
    cost : float or None
        Of all its requests. None where the model has no price, an estimate where the endpoint does not
        count tokens.
    """

    reply: Reply
    seconds: float
    tries: int
    failures: tuple[Failure, ...] = ()
    cached: bool = False
    cost: float | None = None


EventKind = Literal["waiting", "retrying", "slowed", "failed"]
"""Waits for a limit; is sent again; the same, and the whole endpoint pauses; is given up."""


@dataclass(frozen=True)
class Event:
    """Something that keeps a call from being answered at once.

    Parameters
    ----------
    seconds : how long it will take, as far as is known
    text : name of the limit, or what went wrong
    """

    kind: EventKind
    model: str
    endpoint: str
    seconds: float
    text: str


Listener = Callable[[Event], None]


class CallKey(NamedTuple):
    """The place of a call in its run.

    Attributes
    ----------
    game : place of the game among the plans, from 1
    round, seat : from 1
    attempt : all calls of a seat in a round are counted from 1, those of the message phase first
    """

    game: int
    round: int
    seat: int
    attempt: int


def call_name(game_id: str, key: CallKey) -> str:
    """``<game_id>/<round>/<seat>/<attempt>``, as moves and errors refer to a call."""
    return f"{game_id}/{key.round}/{key.seat}/{key.attempt}"


def draw_text(plan: GamePlan, key: CallKey) -> str:
    """What tells the draw of this call from every other one of the run.

    It depends on plan and place alone: the same after a resume, in whatever order games are played,
    and different for any two calls, so that repetitions never share a reply or a seed.
    """
    return f"{plan.seed}/{call_name(plan.game_id, key)}"


def request_digest(
    player: str, messages: Sequence[Message], settings: Settings, tools: Sequence[Tool]
) -> bytes:
    """Sixteen bytes that change with anything an agent asks.

    Settings at their defaults do not enter, so that a setting of a later version changes nothing; nor do
    calls of tools where a message has none.
    """
    content = [
        player,
        [[m.role, m.content, *_tools_of(m)] for m in messages],
        settings.model_dump(mode="json", exclude_defaults=True),
        [dict(tool) for tool in tools],
    ]
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]


def _tools_of(message: Message) -> list[Any]:
    """What a message says of tools, nothing where it says nothing."""
    if not message.tool_calls and message.tool_call_id is None:
        return []
    return [[dict(call) for call in message.tool_calls], message.tool_call_id]


@dataclass(frozen=True)
class Request:
    """What an agent asks, and where.

    Parameters
    ----------
    player : str, as in the plan
    draw : str, as `draw_text`
    family : requests of one family are alike in most of their text
    """

    key: CallKey
    player: str
    purpose: str
    messages: tuple[Message, ...]
    settings: Settings
    tools: tuple[Tool, ...]
    draw: str
    family: str

    @property
    def digest(self) -> bytes:
        """As `request_digest`."""
        return request_digest(self.player, self.messages, self.settings, self.tools)


@dataclass
class _Call:
    """A call under way.

    `used` are the seconds that its requests and the waits between them took, `counted` the failures that
    count, `answers` those that its endpoint had given when it last refused this call.
    """

    messages: Sequence[Message]
    settings: Settings
    tools: Sequence[Tool]
    on_send: Callable[[], None] | None
    on_failure: Callable[[Failure], None] | None
    size: int
    estimate: Usage
    used: float = 0.0
    cost: float = 0.0
    counted: int = 0
    answers: int = 0
    failures: list[Failure] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Terms:
    """What all calls of a session keep to.

    Parameters
    ----------
    budget : needs a price of every model
    listener : function, optional
        Told of waits and failures.
    rng : of the jitter between tries; nothing that is sent depends on it
    """

    retry: RetryRules | None = None
    cache: CallCache | None = None
    budget: Budget | None = None
    listener: Listener | None = None
    rng: np.random.Generator | None = None


class Caller:
    """Asks one model, again if need be, within limits and budget.

    Parameters
    ----------
    limits : of the endpoint
    ledger : where limits per time are remembered; None remembers them as long as this object lives
    price : 0 for models on this machine by default, else unknown
    own_limits : of this model, on top of those of its endpoint
    gate : the one that all callers of an endpoint share, as `make_callers` does; None makes one

    Raises
    ------
    UsageError
        A budget without a price.
    """

    def __init__(
        self,
        client: Client,
        terms: Terms | None = None,
        *,
        limits: Limits | None = None,
        ledger: Ledger | None = None,
        price: Price | None = None,
        own_limits: Limits | None = None,
        gate: Gate | None = None,
    ) -> None:
        terms = terms or Terms()
        self.client, self.cache = client, terms.cache
        self.price = price or price_of(client.name, {})
        if terms.budget is not None and self.price is None:
            raise UsageError(f"{client.name} has no price, which a budget needs")
        paid = self.price is not None and not self.price.free
        self.budget = terms.budget if paid else None
        limits = limits or Limits()
        self.gate = gate or Gate(limits.concurrency or client.concurrency, ledger or Ledger())
        self._endpoint = limits.account(client.endpoint)
        self._model = (own_limits or Limits()).account(f"{client.endpoint} {client.name}")
        self._sized = paid or any(each and each.tokens for each in (self._endpoint, self._model))
        self._rules = terms.retry or RetryRules()
        self._listener = terms.listener
        self._rng = np.random.default_rng() if terms.rng is None else terms.rng
        self._estimate = TokenEstimate()

    async def call(
        self,
        messages: Sequence[Message],
        settings: Settings,
        tools: Sequence[Tool] = (),
        *,
        draw: str,
        on_send: Callable[[], None] | None = None,
        on_failure: Callable[[Failure], None] | None = None,
    ) -> Called:
        """The reply to one prompt.

        Parameters
        ----------
        messages, settings, tools
            As for `Client.complete`.
        draw : str
            Differs between any two calls of a run and is the same when the run is resumed. It makes the
            seed where `settings.seeded` asks for one.
        on_send : called at the moment at which a request leaves, for every try; not for a cached reply
        on_failure : called with each request that failed and may be tried again

        Raises
        ------
        RetryableError
            The last try failed; its `failures` are those of all tries.
        RefusedError, SettingError
            As the client says; not tried again.
        BudgetSpent
            What is left of the budget might not cover this call.
        DataError
            The file of limits or of replies is damaged.
        """
        if settings.seeded and settings.seed is None:
            settings = settings.model_copy(update={"seed": seed_of(draw)})
        body, key = b"", None
        if self._sized or self.cache is not None:
            body = canonical(self.client.body(messages, settings, tools))
        if self.cache is not None:
            key = self.cache.key(self.client, body, draw)
            if (known := self.cache.get(key)) is not None:
                return Called(known, 0.0, 0, cached=True, cost=None if self.price is None else 0.0)
        estimate = self._estimate(len(body), settings) if self._sized else Usage()
        call = _Call(
            *(messages, settings, tools, on_send, on_failure, len(body), estimate), answers=self.gate.answers
        )
        reply, seconds = await self._answered(call)
        if self.cache is not None and key is not None:
            # The reply is worth more than its copy; the next `get` complains of a file that is damaged.
            with suppress(DataError):
                self.cache.put(key, self.client.name, reply)
        cost = None if self.price is None else call.cost
        return Called(reply, seconds, len(call.failures) + 1, tuple(call.failures), cost=cost)

    async def _answered(self, call: _Call) -> tuple[Reply, float]:
        """The reply and the seconds it took, after as many tries as the rules allow."""
        rules, time = self._rules, asyncio.get_running_loop().time
        while True:
            answer, sent = await self._tried(call)
            seconds = time() - sent
            if isinstance(answer, Reply):
                self.gate.answered()
                return answer, seconds
            wait = self._wait(call, answer, sent)
            call.used += seconds
            over = call.counted >= rules.attempts or call.used + wait >= rules.total
            call.failures.append(Failure(str(answer), seconds, 0.0 if over else wait, answer.status))
            if call.on_failure is not None:
                call.on_failure(call.failures[-1])
            if over:
                self._tell("failed", 0.0, str(answer))
                raise _given_up(call, answer)
            call.used += wait
            self._tell("slowed" if overloaded(answer) else "retrying", wait, str(answer))
            await asyncio.sleep(wait)

    def _wait(self, call: _Call, error: RetryableError, sent: float) -> float:
        """Seconds before the next try; an overloaded endpoint gets a pause from all its calls.

        Waits for an overloaded endpoint grow with its refusals in a row, not with those of one call, and
        count as tries only while it answers no other call: else the unluckiest of many would be lost.
        """
        rules, retry_after = self._rules, error.retry_after
        if not overloaded(error):
            call.counted += 1
            return backoff(rules, call.counted, retry_after, self._rng)
        call.counted += call.answers == self.gate.answers
        call.answers = self.gate.answers
        wait = backoff(rules, self.gate.refused(sent), retry_after, self._rng)
        self.gate.pause(wait if retry_after is None else min(max(retry_after, 0), rules.longest))
        return wait

    async def _tried(self, call: _Call) -> tuple[Reply | RetryableError, float]:
        """What one request brought and when it was sent; all that it held is given back."""
        most = self.price.cost(call.estimate) if self.price is not None else 0.0
        cost, sent = 0.0, 0.0
        if self.budget is not None:
            await self.budget.reserve(most)
        try:
            tokens = tokens_of(call.estimate) or 0
            slot = await self.gate.enter(self._endpoint, self._model, tokens, self._waits)
            try:
                sent = asyncio.get_running_loop().time()
                if call.on_send is not None:
                    call.on_send()
                reply = await self._sent(call)
            except RetryableError as error:
                return error, sent
            except TimeoutError:
                cost = most
                return RetryableError(
                    f"{self.client.name}: no answer within {call.settings.timeout:g} s"
                ), sent
            finally:
                self.gate.leave()
            usage = completed(reply.usage, call.estimate)
            cost = self.price.cost(usage) if self.price is not None else 0.0
            with suppress(DataError):  # as above: the estimate stays, the next `enter` complains
                self.gate.settle(slot, tokens_of(reply.usage))
            self._estimate.learn(call.size, reply.usage)
            return reply, sent
        finally:
            call.cost += cost
            if self.budget is not None:
                self.budget.settle(most, cost)

    async def _sent(self, call: _Call) -> Reply:
        seconds = min(call.settings.timeout, max(self._rules.total - call.used, 0.0))
        async with asyncio.timeout(seconds):
            return await self.client.complete(call.messages, call.settings, call.tools)

    def _waits(self, wait: Wait) -> None:
        self._tell("waiting", wait.seconds, wait.limit)

    def _tell(self, kind: EventKind, seconds: float, text: str) -> None:
        if self._listener is not None:
            self._listener(Event(kind, self.client.name, self.client.endpoint, seconds, text))


def seed_of(draw: str) -> int:
    """The seed of a draw, from 0 to 2**31 - 1, which every endpoint with seeds takes."""
    return int.from_bytes(hashlib.sha256(draw.encode()).digest()[:4]) >> 1


def _given_up(call: _Call, last: RetryableError) -> RetryableError:
    n = len(call.failures)
    error = RetryableError(f"{last} (given up after {n} tries in {call.used:.0f} s)", status=last.status)
    error.failures = tuple(call.failures)
    return error


def model_names(plans: Iterable[GamePlan]) -> list[str]:
    """The language models of some plans, each a name that a client could be made of; no key is needed.

    Raises
    ------
    UsageError
        A name that says no provider, such as those in FAIRGAME's files.
    UnknownNameError
        A provider that is not there, or a scripted strategy that is none.
    """
    players = {(seat.player, seat.own): seat for plan in plans for seat in plan.seats}
    models = [seat.player for seat in players.values() if seat.kind == "model"]
    known = providers()
    for name in models:
        provider = provider_of(name)
        if provider is None:
            raise UsageError(
                f"model {shorten(name)!r} says no provider, expected a name such as openai/gpt-4o; -m NAME "
                f"plays another model instead, intent play --map-model {shorten(name)}=NAME this one by its "
                "name here"
            )
        if provider not in known:
            raise UnknownNameError("provider of models", provider, known)
    return models


def has_human(plans: Iterable[GamePlan]) -> bool:
    """Whether a human has a seat in one of the plans."""
    return any(seat.kind == "human" for plan in plans for seat in plan.seats)


def make_clients(
    plans: Iterable[GamePlan], experiment: Runtime, callables: Mapping[str, Callable[..., Any]]
) -> list[Client]:
    """A client for every language model, which takes the settings that its seats ask for.

    Raises
    ------
    IntentError
        A name, key, file, library or price that is missing, or a setting that the endpoint does not have.
    """
    games = list(plans)
    names = model_names(games)
    if experiment.budget is not None:
        require_prices(names, experiment.prices)
    clients = {name: make_client(name, callables=callables) for name in names}
    checked: set[tuple[str, str]] = set()
    for plan in games:
        for seat in plan.seats:
            pair = (seat.player, seat.settings.model_dump_json())
            if seat.player in clients and pair not in checked:
                checked.add(pair)
                labels = plan.stage().actions or ("A", "B")
                settings = seat.settings.model_copy(update={"choices": labels})
                clients[seat.player].body([Message("user", "A or B?")], settings)
    return list(clients.values())


def make_callers(
    clients: Iterable[Client],
    terms: Terms | None = None,
    *,
    limits: Mapping[str, Limits] | None = None,
    ledger: Ledger | None = None,
    prices: Mapping[str, Price] | None = None,
    concurrency: int | None = None,
) -> dict[str, Caller]:
    """A caller for each client, by the client's name.

    Parameters
    ----------
    limits : mapping
        From the name of an endpoint (``openai``, or the address in ``openai/NAME@URL``) or of a model
        (``openai/gpt-4o``) to its limits. Where both have some, both hold; concurrency is the endpoint's.
        Names that no client has are passed over, so that one list may serve many experiments.
    ledger : made for any limits per time; None keeps them in memory
    prices : mapping from names of models
    concurrency : of endpoints whose limits state none; None takes the smallest of their clients

    Raises
    ------
    UsageError
        A budget, and a model without a price; or an address that is none.
    """
    clients, prices = list(clients), dict(prices or {})
    limits = {limited(name): stated for name, stated in (limits or {}).items()}
    if terms is not None and terms.budget is not None:
        require_prices((client.name for client in clients), prices)
    for client in clients:
        with suppress(IntentError):  # a client of somebody's own, whose name says no endpoint
            announce(model_contacts(client.name))
    ledger = ledger or Ledger()
    gates = {}
    for endpoint in sorted({client.endpoint for client in clients}):
        stated = limits.get(endpoint, Limits()).concurrency or concurrency
        least = min(client.concurrency for client in clients if client.endpoint == endpoint)
        gates[endpoint] = Gate(stated or least, ledger)
    return {
        client.name: Caller(
            client,
            terms,
            limits=limits.get(client.endpoint),
            own_limits=limits.get(client.name) if client.name != client.endpoint else None,
            price=price_of(client.name, prices),
            gate=gates[client.endpoint],
        )
        for client in clients
    }


def session_callers(
    clients: Iterable[Client],
    *,
    limits: Mapping[str, Limits],
    prices: Mapping[str, Price],
    cache: bool | str | Path,
    budget: float | None,
    spent: float,
    concurrency: int | None,
    retry: RetryRules | None = None,
    listener: Callable[[Event], None] | None = None,
) -> dict[str, Caller]:
    """A caller for each client, by the client's name.

    Parameters
    ----------
    clients, limits, prices, concurrency, retry, listener : as `make_callers`
    cache : bool or path
        Whether replies are kept and used again; True for the usual place.
    budget : what all sessions together may cost
    spent : float, what earlier sessions have

    Raises
    ------
    UsageError
        A budget, and a model without a price.
    """
    from intent.runner.limits import Budget, Ledger, ledger_path

    limited = any(each.account(name) for name, each in limits.items())
    terms = Terms(
        retry,
        CallCache(cache_path() if cache is True else Path(cache)) if cache else None,
        None if budget is None else Budget(budget, spent),
        listener,
    )
    return make_callers(
        clients,
        terms,
        limits=limits,
        ledger=Ledger(ledger_path()) if limited else None,
        prices=prices,
        concurrency=concurrency,
    )


T = TypeVar("T")


def in_own_loop(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """What the work brings; in a thread of its own where a loop runs already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work())
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(work())).result()
