"""``intent strategies write``: strategies that a language model is to write."""

from __future__ import annotations

from typing import Any

from intent.arena.requests import WriteRequest
from intent.cli.jobs import command
from intent.cli.jobs import run as run_job
from intent.cli.options import Budget, Cache, Concurrency, Limit, Price

__all__ = ["write"]


@command(WriteRequest, budget=Budget, prices=Price, concurrency=Concurrency, limits=Limit, cache=Cache)
def write(request: WriteRequest) -> None:
    """Have a language model write strategies: words, code, the gate, a trial, a file.

    What fails is kept with its reason and replaced, up to --attempts. The
    same command goes on where an earlier one was cut short.
    """
    from intent.runner.requests import parse_limits, parse_prices

    items: Any = request
    run_job(request.replace(prices=parse_prices(items.prices), limits=parse_limits(items.limits)))
