"""Libraries that a plain installation lacks: which extra brings each, and the line that installs it.

The core reads, labels, estimates, compares and draws. What needs more asks for it by `require` where the need
is known, before any work is done, and imports it only then.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from types import MappingProxyType

from intent.base.errors import MissingExtraError

__all__ = ["EXTRAS", "LOGGER", "installed", "missing", "require"]

LOGGER = logging.getLogger("intent.extras")
"""Hears, at level WARNING, what is not done for want of a library; the command line shows it as a note."""

EXTRAS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "sklearn": ("scikit-learn", "sklearn"),
        "skops": ("skops", "sklearn"),
        "torch": ("torch", "train"),
        "pytorch_lightning": ("pytorch-lightning", "train"),
        "mlflow": ("mlflow", "train"),
        "shap": ("shap", "explain"),
        "openai": ("openai", "play"),
        "httpx2": ("httpx2", "play"),
        "anthropic": ("anthropic", "anthropic"),
        "xllamacpp": ("xllamacpp", "local"),
        "starlette": ("starlette", "view"),
        "uvicorn": ("uvicorn", "view"),
        "statsmodels": ("statsmodels", "stats"),
        "nashpy": ("nashpy", "games"),
        "pydantic_monty": ("pydantic-monty", "sandbox"),
        "dask": ("dask", "cluster"),
        "distributed": ("distributed", "cluster"),
        "axelrod": ("axelrod", "axelrod"),
        "pyspiel": ("open-spiel", "bridges"),
        "pettingzoo": ("pettingzoo", "bridges"),
        "s3fs": ("s3fs", "cloud"),
        "inspect_ai": ("inspect-ai", "inspect"),
        "inspect_scout": ("inspect-scout", "inspect"),
    }
)
"""Package as it is imported -> its name on the index, and the extra that brings it."""


def installed(package: str) -> bool:
    """Whether a package can be imported; nothing is."""
    if package in sys.modules:
        return sys.modules[package] is not None
    try:
        return find_spec(package) is not None
    except ImportError:  # by a finder that refuses it
        return False


def missing(*packages: str) -> MissingExtraError | None:
    """The error for the first of these packages that cannot be imported.

    Parameters
    ----------
    packages : keys of `EXTRAS`
    """
    return next((MissingExtraError(*EXTRAS[name]) for name in packages if not installed(name)), None)


def require(*packages: str) -> None:
    """Go on only where all of these can be imported.

    Raises
    ------
    MissingExtraError
        One of them is not installed; says the line that brings it.
    """
    if (error := missing(*packages)) is not None:
        raise error
