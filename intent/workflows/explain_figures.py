"""Figures of explanations: bars and violins, metrics from top to bottom, groups side by side."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.workflows.result_files import data_line, kept_in_words

if TYPE_CHECKING:
    from intent.analysis.explaining.explanation import Explanation
    from intent.workflows.explain_result import Explained

__all__ = ["caption_lines", "draw_explained", "drawings", "pages"]

_ACROSS = 3
"""Groups side by side in a figure, at most; several figures share them evenly."""

_DOWN = 6

_TITLES = {"shap_bars": "SHAP importance", "shap_violins": "SHAP values"}


def draw_explained(
    parts: Sequence[Explained],
    folder: Path,
    config: Mapping[str, Any],
    *,
    image: str,
    overwrite: bool,
) -> list[str]:
    """Draw bars and violins, in files of at most three groups and six metrics; the names of the files.

    Raises
    ------
    OutputError
        A file is there and may not be replaced, or cannot be written.
    """
    from intent.report.play_figures import write_play_figure

    names = []
    for kind, page, draw in drawings(parts):
        name = f"{kind}{page}.{image}"
        write_play_figure(
            draw,
            folder / name,
            title=f"{_TITLES[kind]} of {', '.join(config['features'])}",
            lines=[
                *caption_lines(config, kind),
                data_line(config["source"], *kept_in_words(config["where"]), nothing="a table"),
            ],
            description=json.dumps(dict(config), ensure_ascii=True, default=str),
            overwrite=overwrite,
        )
        names.append(name)
    return names


def drawings(parts: Sequence[Explained]) -> Iterator[tuple[str, str, Callable[[], Any]]]:
    """The figures of explanations: shap_bars or shap_violins, ``-1`` where there are several, what draws."""
    from intent.report.shap_bars import draw_shap_bars
    from intent.report.shap_violins import draw_shap_violins

    grids: list[Any] = list(pages(parts))
    for kind, draw in (("shap_bars", draw_shap_bars), ("shap_violins", draw_shap_violins)):
        for number, grid in enumerate(grids, start=1):
            yield kind, f"-{number}" if len(grids) > 1 else "", partial(draw, *grid)


def pages(
    parts: Sequence[Explained],
) -> Iterator[tuple[list[list[Explanation | None]], list[str], list[str | None]]]:
    """Grids of explanations (rows metrics, columns groups) with their names, a figure each."""
    groups = list(dict.fromkeys(tuple(one.group.items()) for one in parts))
    targets = list(dict.fromkeys(one.explanation.target for one in parts))
    found = {(tuple(o.group.items()), o.explanation.target): o.explanation for o in parts}
    for down in range(0, len(targets), _DOWN):
        rows = targets[down : down + _DOWN]
        width = -(-len(groups) // -(-len(groups) // _ACROSS))
        for across in range(0, len(groups), width):
            columns = groups[across : across + width]
            grid = [[found.get((group, target)) for group in columns] for target in rows]
            yield grid, rows, [" · ".join(str(v) for _, v in group) or None for group in columns]


def caption_lines(config: Mapping[str, Any], kind: str) -> list[str]:
    """What one must know to read figures of a kind, shap_bars or shap_violins."""
    ranks = f" Ranks: smallest and largest over {config['seeds']} seeds, where they differ."
    return [
        f"Random forest of {config['trees']} trees on one column per level. A Shapley value says how far a "
        "feature moves the prediction of a game from the mean prediction; those of a feature's columns are "
        "added up.",
        "R² in: rows that the forest was fitted to; out: games left out (five-fold cross-validation)."
        + (ranks if kind == "shap_bars" else ""),
    ]
