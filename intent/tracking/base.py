"""The tracker that workflows talk to, and two that need no MLflow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

__all__ = ["MemoryTracker", "NullTracker", "TrackedRun", "Tracker"]


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
