"""The file of a figure of play: common look, title, caption, metadata."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from intent.report.style import caption, look, save

__all__ = ["write_play_figure"]


def write_play_figure(
    draw: Callable[[], Any],
    path: str | Path,
    *,
    title: str,
    lines: Sequence[str],
    description: str = "",
    overwrite: bool = False,
) -> Path:
    """Draw a figure in the common look and write it as .png, .svg or .pdf.

    Parameters
    ----------
    draw : callable
        Returns a matplotlib Figure.
    path : path
    title : str
    lines : sequence of str
        The caption.
    description : str
        Kept in the file's metadata.
    overwrite : bool

    Raises
    ------
    UsageError
        More panels or lines than a figure can show.
    OutputError
        The path cannot be written or has another suffix.
    """
    with look():
        figure = draw()
        caption(figure, title, lines)
        return save(figure, path, title=title, description=description, overwrite=overwrite)
