"""The tracker that the user's options ask for."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from intent.tracking.base import Tracker

__all__ = ["make_tracker", "show_runs"]


def make_tracker(uri: str | None, experiment: str = "intent") -> Tracker:
    """MLflow at a URI or SQLite file; None keeps nothing."""
    from intent.tracking.base import NullTracker

    if uri is None:
        return NullTracker()
    from intent.tracking.mlflow_store import MLflowTracker

    return MLflowTracker(uri, experiment=experiment)


def show_runs(uri: str) -> str:
    """The command that shows the runs of a store, with MLflow's telemetry off."""
    switch = "" if os.name == "nt" else "MLFLOW_DISABLE_TELEMETRY=true "
    return f"{switch}mlflow ui --host 127.0.0.1 --backend-store-uri {shlex.quote(uri)}"
