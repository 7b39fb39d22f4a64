"""``intent strategies``: the catalogue, and strategies that somebody wrote or that models are to write."""

from __future__ import annotations

from typing import Any

import typer

from intent.arena.requests import ChainRequest, CheckRequest, WriteRequest
from intent.cli.jobs import command, job_command
from intent.cli.jobs import run as run_job
from intent.cli.options import Budget, Cache, Concurrency, Limit, Price
from intent.strategies.listing import ListRequest, ShowRequest

__all__ = ["strategies", "write"]


@command(WriteRequest, budget=Budget, prices=Price, concurrency=Concurrency, limits=Limit, cache=Cache)
def write(request: WriteRequest) -> None:
    """Have a language model write strategies: words, code, the gate, a trial, a file.

    What fails is kept with its reason and replaced, up to --attempts. The
    same command goes on where an earlier one was cut short.
    """
    from intent.runner.requests import parse_limits, parse_prices

    items: Any = request
    run_job(request.replace(prices=parse_prices(items.prices), limits=parse_limits(items.limits)))


strategies = typer.Typer(
    help="The catalogue (list, show), and written strategies (check, run, write).", no_args_is_help=True
)
strategies.command("check")(job_command(CheckRequest))
strategies.command("run")(job_command(ChainRequest))
strategies.command("write")(write)
strategies.command("list")(job_command(ListRequest))
strategies.command("show")(job_command(ShowRequest))
