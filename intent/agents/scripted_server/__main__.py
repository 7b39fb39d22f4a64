"""``python -m intent.agents.scripted_server``: serve until interrupted, and say where."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal
import sys

from intent.agents.clients.pick import LABELS
from intent.agents.scripted_server.faults import FAULTS
from intent.agents.scripted_server.server import ScriptedServer
from intent.errors import IntentError


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(
        prog="python -m intent.agents.scripted_server",
        description="An OpenAI-compatible endpoint whose replies depend on nothing but the request.",
    )
    made.add_argument("--port", type=int, default=0, help="0 takes a free one (default)")
    made.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    made.add_argument("--jitter", type=float, default=0.0, help="spread of the latency, as a share of it")
    made.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="NAME=PROBABILITY",
        help="repeatable: " + "; ".join(f"{name} ({what})" for name, what in FAULTS.items()),
    )
    made.add_argument("--retry-after", type=float, default=1.0, help="seconds in the header of 429-after")
    made.add_argument("--labels", default=",".join(LABELS), help="what replies name, with commas between")
    made.add_argument("--key", help="what requests must bear; others get 401")
    made.add_argument("--seed", type=int, default=0)
    made.add_argument("--log", metavar="FILE", help="gets one line of JSON per request")
    return made


async def _serve(options: argparse.Namespace) -> None:
    server = ScriptedServer(
        latency=options.latency,
        jitter=options.jitter,
        faults=options.fault,
        retry_after=options.retry_after,
        labels=options.labels.split(","),
        key=options.key,
        seed=options.seed,
        port=options.port,
        log=options.log,
    )
    async with server:
        task = asyncio.ensure_future(server.forever())
        loop = asyncio.get_running_loop()
        with contextlib.suppress(NotImplementedError):
            for ending in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(ending, task.cancel)
        print(f"listening on {server.url}", flush=True)
        with contextlib.suppress(asyncio.CancelledError):
            await task


def main(arguments: list[str] | None = None) -> int:
    """Serve; returns the exit status."""
    try:
        asyncio.run(_serve(parser().parse_args(arguments)))
    except (IntentError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
