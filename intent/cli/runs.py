"""``intent status``: how a run is going, once or until it is over."""

from __future__ import annotations

import time

from intent.cli.app import command, run_request
from intent.runner.requests import StatusRequest

__all__ = ["status"]


@command(StatusRequest)
def status(request: StatusRequest) -> None:
    """Show how a run is going: games, calls, rates, cost, errors; also while it is played."""
    while run_request(request).fields()["state"] == "playing" and request.watch:
        time.sleep(2)
