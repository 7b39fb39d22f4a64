"""Recognise which strategy an agent is playing in repeated games.

The names below are loaded when first used, so that ``import intent`` stays fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from intent.base.errors import IntentError
    from intent.comparison.compare import compare
    from intent.estimate.choice.fit import fit_model
    from intent.estimate.choice.prediction import predict
    from intent.estimate.choice.tracker import Tracker
    from intent.estimate.sfem import sfem
    from intent.logs.gamelog import GameLog, Trajectories
    from intent.logs.readers import read_log
    from intent.play.generate import generate
    from intent.recognise.evaluate import evaluate
    from intent.recognise.labels.label import label
    from intent.recognise.recogniser import load_recogniser, make_recogniser
    from intent.recognise.train import train
    from intent.runner.play import play_experiment
    from intent.strategies.catalogue import Strategy, catalogue, strategy
    from intent.strategies.sets import strategy_set

from intent.base.remote import silence
from intent.version import __version__ as __version__

silence()

_HOMES = {
    "GameLog": "intent.logs.gamelog",
    "IntentError": "intent.base.errors",
    "Strategy": "intent.strategies.catalogue",
    "Tracker": "intent.estimate.choice.tracker",
    "Trajectories": "intent.logs.gamelog",
    "catalogue": "intent.strategies.catalogue",
    "compare": "intent.comparison.compare",
    "evaluate": "intent.recognise.evaluate",
    "fit_model": "intent.estimate.choice.fit",
    "generate": "intent.play.generate",
    "label": "intent.recognise.labels.label",
    "load_recogniser": "intent.recognise.recogniser",
    "make_recogniser": "intent.recognise.recogniser",
    "play_experiment": "intent.runner.play",
    "predict": "intent.estimate.choice.prediction",
    "read_log": "intent.logs.readers.reader",
    "sfem": "intent.estimate.sfem",
    "strategy": "intent.strategies.catalogue",
    "strategy_set": "intent.strategies.sets",
    "train": "intent.recognise.train",
}

__all__ = [
    "GameLog",
    "IntentError",
    "Strategy",
    "Tracker",
    "Trajectories",
    "catalogue",
    "compare",
    "evaluate",
    "fit_model",
    "generate",
    "label",
    "load_recogniser",
    "make_recogniser",
    "play_experiment",
    "predict",
    "read_log",
    "sfem",
    "strategy",
    "strategy_set",
    "train",
]


def __getattr__(name: str) -> Any:
    if name == "features":
        return importlib.import_module("intent.features")
    if name in _HOMES:
        value = getattr(importlib.import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'intent' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
