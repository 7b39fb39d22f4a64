"""Recognise which strategy an agent is playing in repeated games.

The names below are loaded when first used, so that ``import intent`` stays fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from intent.errors import IntentError
    from intent.logs.gamelog import GameLog
    from intent.logs.readers import read_log
    from intent.logs.trajectories import Trajectories
    from intent.recognise.registry import make_recogniser
    from intent.recognise.storage import load_recogniser
    from intent.strategies.automaton import Strategy
    from intent.strategies.catalogue import catalogue, strategy, strategy_set
    from intent.workflows.compare import compare
    from intent.workflows.evaluate import evaluate
    from intent.workflows.generate import generate
    from intent.workflows.label import label
    from intent.workflows.play import play_experiment
    from intent.workflows.sfem import sfem
    from intent.workflows.train import train

from intent.offline import silence
from intent.version import __version__ as __version__

silence()

_HOMES = {
    "GameLog": "intent.logs.gamelog",
    "IntentError": "intent.errors",
    "Strategy": "intent.strategies.automaton",
    "Trajectories": "intent.logs.trajectories",
    "catalogue": "intent.strategies.catalogue",
    "compare": "intent.workflows.compare",
    "evaluate": "intent.workflows.evaluate",
    "generate": "intent.workflows.generate",
    "label": "intent.workflows.label",
    "load_recogniser": "intent.recognise.storage",
    "make_recogniser": "intent.recognise.registry",
    "play_experiment": "intent.workflows.play",
    "read_log": "intent.logs.readers",
    "sfem": "intent.workflows.sfem",
    "strategy": "intent.strategies.catalogue",
    "strategy_set": "intent.strategies.catalogue",
    "train": "intent.workflows.train",
}

__all__ = [
    "GameLog",
    "IntentError",
    "Strategy",
    "Trajectories",
    "catalogue",
    "compare",
    "evaluate",
    "generate",
    "label",
    "load_recogniser",
    "make_recogniser",
    "play_experiment",
    "read_log",
    "sfem",
    "strategy",
    "strategy_set",
    "train",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(importlib.import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'intent' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
