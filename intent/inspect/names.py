"""Names under which Inspect finds what is ours: ``intent/NAME``, however the package is installed.

Inspect puts the name of a package before what is decorated in it, but not where the package is installed in
editable mode under another name than it is imported by, as ours is by its developers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inspect_ai.scorer import metric
from inspect_ai.util import registry_info

__all__ = ["PACKAGE", "full_name", "registered"]

PACKAGE = "intent"


def _probe() -> Any:
    """Nothing: it shows what Inspect makes of a name."""
    return lambda scores: 0.0


_PREFIXED = registry_info(metric(name="intent_name")(_probe)).name.startswith(f"{PACKAGE}/")


def full_name(name: str) -> str:
    """What a decorator is told, so that the name comes to be ``intent/NAME``."""
    return name if _PREFIXED else f"{PACKAGE}/{name}"


def registered(decorator: Callable[..., Any], name: str, made: Callable[..., Any], **settings: Any) -> Any:
    """What a decorator of Inspect's makes of a function, registered as ``intent/NAME``.

    Parameters
    ----------
    decorator : such as ``task`` or ``scorer``
    settings : of the decorator
    """
    return decorator(name=full_name(name), **settings)(made)
