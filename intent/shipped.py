"""Files that come with the package beside its code: recognisers, sample logs, specs, published figures."""

from __future__ import annotations

from pathlib import Path

__all__ = ["shipped"]


def shipped(name: str) -> Path | None:
    """The file or folder of that name, such as ``datasets/samples``; None where the installation lacks it.

    An installed package has it inside, a checkout beside the package.
    """
    package = Path(__file__).resolve().parent
    places = (package / "_shipped" / name, package.parent / name)
    return next((place for place in places if place.exists()), None)
