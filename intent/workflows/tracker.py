"""The tracker that the user's options ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from intent.tracking.base import Tracker

__all__ = ["make_tracker"]


def make_tracker(uri: str | None, experiment: str = "intent") -> Tracker:
    """MLflow at a URI or SQLite file; None keeps nothing."""
    from intent.tracking.base import NullTracker

    if uri is None:
        return NullTracker()
    from intent.tracking.mlflow_store import MLflowTracker

    return MLflowTracker(uri, experiment=experiment)
