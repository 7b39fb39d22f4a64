"""What Inspect finds of ours: the entry point of the group ``inspect_ai`` names this module."""

from __future__ import annotations

from inspect_ai.model import modelapi

from intent.inspect.agents import seat
from intent.inspect.models import ClientAPI
from intent.inspect.names import PACKAGE
from intent.inspect.scorers import (
    clustered_high,
    clustered_low,
    clustered_mean,
    clustered_stderr,
    cooperation,
    gamma_score,
    regret,
    strategy,
)
from intent.inspect.tasks import TASKS

__all__ = [
    "TASKS",
    "clustered_high",
    "clustered_low",
    "clustered_mean",
    "clustered_stderr",
    "cooperation",
    "gamma_score",
    "intent",
    "regret",
    "seat",
    "strategy",
]

intent = modelapi(PACKAGE)(ClientAPI)
"""``intent/NAME`` as a model."""
