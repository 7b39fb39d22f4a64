"""The recognisers that come with the package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["list_models", "show_model"]


def list_models() -> list[dict[str, Any]]:
    """Manifest facts of every shipped recogniser, without the model card."""
    from intent.recognise.storage import describe_recogniser, shipped_recognisers

    return [
        {k: v for k, v in describe_recogniser(name).items() if k != "card"} for name in shipped_recognisers()
    ]


def show_model(name_or_path: str | Path) -> dict[str, Any]:
    """Manifest facts and model card of one recogniser."""
    from intent.recognise.storage import describe_recogniser

    return describe_recogniser(name_or_path)
