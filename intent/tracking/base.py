"""The tracker that workflows talk to, and two that need no MLflow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from intent.offline import Contact, contact

__all__ = ["MemoryTracker", "NullTracker", "TrackedRun", "Tracker", "tracking_contacts"]


@dataclass(frozen=True)
class TrackedRun:
    """What is recorded of one run.

    Parameters
    ----------
    name : str
    parameters : mapping of str -> JSON-able value
    metrics : mapping of str -> float
    curves : mapping of str -> values by step; ``step``, if there, says which steps those are
    artifacts : files and folders to keep with the run
    """

    name: str
    parameters: Mapping[str, Any]
    metrics: Mapping[str, float]
    curves: Mapping[str, Sequence[float]] = field(default_factory=dict)
    artifacts: Sequence[Path] = ()


class Tracker(Protocol):
    """Records finished runs, each in one write."""

    def record(self, run: TrackedRun) -> str | None:
        """Keep a run; returns its identifier, None where nothing is kept."""
        ...

    @property
    def where(self) -> str | None:
        """Where people find the runs."""
        ...


def tracking_contacts(uri: str | None) -> list[Contact]:
    """Whom a tracking URI means; nobody where it is a file, or none."""
    if uri is None or uri.lower().startswith(("sqlite:", "file:")):
        return []
    if uri.startswith("databricks"):
        return [Contact("the Databricks workspace that is configured", None, "MLflow")]
    return [contact(uri, "MLflow")] if "://" in uri else []


class NullTracker:
    """Keeps nothing (``--no-track``)."""

    where: str | None = None

    def record(self, run: TrackedRun) -> str | None:
        """Forget the run."""
        return None


class MemoryTracker:
    """Keeps runs in a list, for tests and notebooks."""

    where: str | None = "memory"

    def __init__(self) -> None:
        self.runs: list[TrackedRun] = []

    def record(self, run: TrackedRun) -> str | None:
        """Append the run; its identifier is its number."""
        self.runs.append(run)
        return str(len(self.runs))
