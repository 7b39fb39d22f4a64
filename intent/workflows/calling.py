"""The callers of a session: limits, prices, budget, cache and ledger put together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from intent.agents.client import Client
    from intent.runner.called import Event
    from intent.runner.caller import Caller
    from intent.runner.limits import Limits
    from intent.runner.prices import Price
    from intent.runner.retry import RetryRules

__all__ = ["session_callers"]


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
    budget : float, optional
        What all sessions together may cost.
    spent : float, what earlier sessions have

    Raises
    ------
    UsageError
        A budget, and a model without a price.
    """
    from intent.runner.budget import Budget
    from intent.runner.cache import CallCache, cache_path
    from intent.runner.callers import make_callers
    from intent.runner.ledger import Ledger, ledger_path

    limited = any(each.account(name) for name, each in limits.items())
    return make_callers(
        clients,
        limits=limits,
        ledger=Ledger(ledger_path()) if limited else None,
        retry=retry,
        cache=CallCache(cache_path() if cache is True else Path(cache)) if cache else None,
        prices=prices,
        budget=None if budget is None else Budget(budget, spent),
        concurrency=concurrency,
        listener=listener,
    )
