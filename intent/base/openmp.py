"""Libraries that compute with OpenMP, loaded so that their threads sleep while they wait.

OpenMP reads ``OMP_WAIT_POLICY`` once, when the first library that brings it is loaded, and libraries that
name it alike (Torch and llama.cpp) have it in common. By default threads wait in a loop, which on processors
that are shared with other work costs the time that others need: on two processors with a load of ten a reply
of a small language model took ten times as long behind an idle Torch.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

from intent.base.registry import LOGGER

__all__ = ["load_asleep"]

_POLICY = "OMP_WAIT_POLICY"
_ASLEEP: set[str] = set()
"""What was loaded here."""

_SHARING = ("torch",)
"""Libraries that may have loaded OpenMP before."""


def load_asleep(package: str) -> Any:
    """The module of a library, loaded with threads that sleep unless the environment says otherwise.

    Where somebody loaded another one before, it is too late, and a line says what to do.
    """
    policy = os.environ.get(_POLICY)
    if package in sys.modules:
        return sys.modules[package]
    early = [name for name in _SHARING if name in sys.modules and name not in _ASLEEP]
    if early and policy is None:
        LOGGER.warning(
            "%s was loaded before %s, so threads wait in a loop, which is slow where processors are shared; "
            "%s=PASSIVE in the environment lets them sleep",
            early[0],
            package,
            _POLICY,
        )
    os.environ.setdefault(_POLICY, "PASSIVE")
    try:
        module = import_module(package)
    finally:
        if policy is None:
            os.environ.pop(_POLICY, None)
    _ASLEEP.add(package)
    return module
