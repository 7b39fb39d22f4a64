"""The figures of an evolution: one path, the equilibria, the replicator dynamics of three names."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from intent.workflows.evolve_result import Evolution

__all__ = ["write_figures"]

_MOST_NAMES = 9


@dataclass(frozen=True)
class _Picture:
    stem: str
    title: str
    lines: tuple[str, ...]
    draw: Callable[[], Any]


def write_figures(found: Evolution, folder: Path, facts: Mapping[str, Any], image: str = "png") -> None:
    """Draw ``path``, ``equilibria`` and, of three names, ``replicator``, in place of earlier ones.

    More than nine names are too many to tell apart, and get none.

    Raises
    ------
    OutputError
    """
    from intent.report.play_figures import write_play_figure
    from intent.workflows.figures import IMAGES

    for stem in ("path", "equilibria", "replicator"):
        for ending in IMAGES:
            (folder / f"{stem}.{ending}").unlink(missing_ok=True)
    if len(found.pool.names) > _MOST_NAMES:
        return
    for picture in _pictures(found):
        write_play_figure(
            picture.draw,
            folder / f"{picture.stem}.{image}",
            title=picture.title,
            lines=[*picture.lines, f"Data: {found.source.read or 'payoffs in memory'}."],
            description=json.dumps(dict(facts), default=str),
            overwrite=True,
        )


def _pictures(found: Evolution) -> Iterator[_Picture]:
    from intent.report.equilibria_bars import draw_equilibria, equilibria_lines
    from intent.report.moran_path import draw_path
    from intent.report.replicator_field import draw_field
    from intent.workflows.evolve_tables import equilibria_table, start_name

    names, mixes = found.pool.names, found.mixes
    k = len(mixes) - 1
    n, runs = sum(mixes[k].initial), len(mixes[k].runs.winner)
    yield _Picture(
        "path",
        "A population on its way",
        (
            f"One of {runs} Moran processes of {n} individuals: that of the length nearest to the median.",
            f"Start: {start_name(found, k)}.",
        ),
        lambda: draw_path(names, mixes[k].runs.typical),
    )
    ended = mixes[0].long_run is None
    yield _Picture(
        "equilibria",
        "Who is left alone" if ended else "Shares in the long run",
        equilibria_lines(runs=runs, individuals=n, level=found.config["level"], ended=ended),
        lambda: draw_equilibria(equilibria_table(found), ended=ended),
    )
    if len(names) == 3:
        corners = "At the corners: share of the Moran processes that ended there, by start."
        yield _Picture(
            "replicator",
            "Replicator dynamics",
            (
                "Arrows: replicator dynamics of the mean payoffs. Squares: starts; lines: their courses.",
                "Discs: rest points, black where stable, white where not, grey where this is open.",
                corners if ended else "",
            ),
            lambda: draw_field(found),
        )
