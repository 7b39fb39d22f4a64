"""The figures that a trained recogniser leaves with its tracked run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from intent.recognise.base import Recogniser

__all__ = ["FIGURES", "draw_figures"]


def _shares(model: Any, folder: Path) -> Path:
    """Estimated shares of the strategies in the play that an SFEM was fitted to."""
    from intent.analysis.counted import GroupShares
    from intent.report.shares_with_errors import write_shares

    return write_shares([GroupShares((), model.fit_)], folder / "shares.png")


FIGURES: dict[str, Callable[[Any, Path], Path]] = {"sfem": _shares}
"""Kind -> function that draws a fitted recogniser into a folder; kinds without a figure are not listed."""


def draw_figures(model: Recogniser, folder: Path) -> list[Path]:
    """Draw what there is to draw of a fitted recogniser.

    Parameters
    ----------
    model : fitted Recogniser
    folder : folder that exists

    Returns
    -------
    list of the files written
    """
    draw = FIGURES.get(model.kind)
    return [] if draw is None else [draw(model, folder)]
