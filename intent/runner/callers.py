"""The callers of a run: one for each model, with one gate for all models of an endpoint."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress

import numpy as np

from intent.agents.client import Client
from intent.agents.clients.contacts import model_contacts
from intent.agents.clients.endpoints import limited
from intent.errors import IntentError
from intent.offline import announce
from intent.runner.budget import Budget
from intent.runner.cache import CallCache
from intent.runner.called import Listener
from intent.runner.caller import Caller
from intent.runner.gate import Gate
from intent.runner.ledger import Ledger
from intent.runner.limits import Limits
from intent.runner.prices import Price, price_of, require_prices
from intent.runner.retry import RetryRules

__all__ = ["make_callers"]


def make_callers(
    clients: Iterable[Client],
    *,
    limits: Mapping[str, Limits] | None = None,
    ledger: Ledger | None = None,
    retry: RetryRules | None = None,
    cache: CallCache | None = None,
    prices: Mapping[str, Price] | None = None,
    budget: Budget | None = None,
    concurrency: int | None = None,
    listener: Listener | None = None,
    rng: np.random.Generator | None = None,
) -> dict[str, Caller]:
    """A caller for each client, by the client's name.

    Parameters
    ----------
    clients : iterable of Client
    limits : mapping
        From the name of an endpoint (``openai``, or the address in ``openai/NAME@URL``) or of a model
        (``openai/gpt-4o``) to its limits. Where both have some, both hold; concurrency is the endpoint's.
        Names that no client has are passed over, so that one list may serve many experiments.
    ledger : Ledger, optional
        Made for any limits per time; None keeps them in memory.
    retry, cache, budget, listener, rng
        As for `Caller`; shared by all.
    prices : mapping from names of models
    concurrency : int, optional
        Of endpoints whose limits state none; None takes the smallest of their clients.

    Raises
    ------
    UsageError
        A budget, and a model without a price; or an address that is none.
    """
    clients, prices = list(clients), dict(prices or {})
    limits = {limited(name): given for name, given in (limits or {}).items()}
    if budget is not None:
        require_prices((client.name for client in clients), prices)
    for client in clients:
        with suppress(IntentError):  # a client of somebody's own, whose name says no endpoint
            announce(model_contacts(client.name))
    ledger = ledger or Ledger()
    gates = {}
    for endpoint in sorted({client.endpoint for client in clients}):
        given = limits.get(endpoint, Limits()).concurrency or concurrency
        least = min(client.concurrency for client in clients if client.endpoint == endpoint)
        gates[endpoint] = Gate(given or least, ledger)
    return {
        client.name: Caller(
            client,
            limits=limits.get(client.endpoint),
            own_limits=limits.get(client.name) if client.name != client.endpoint else None,
            retry=retry,
            cache=cache,
            budget=budget,
            price=price_of(client.name, prices),
            gate=gates[client.endpoint],
            listener=listener,
            rng=rng,
        )
        for client in clients
    }
