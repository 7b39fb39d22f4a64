"""The figures of a tournament, with titles and captions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.arena.round_robin import RoundRobin
from intent.arena.tournament.standings import scores
from intent.report.style import caption, look, save
from intent.report.tournament_maps import Matrices, draw_head_to_head
from intent.report.tournament_violins import draw_standings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["write_tournament_figures"]


def write_tournament_figures(
    folder: Path,
    table: RoundRobin,
    *,
    standings: Sequence[Mapping[str, Any]],
    head_to_head: Matrices,
    intervals: Matrices | None,
    config: Mapping[str, Any],
    image: str = "png",
) -> list[Path]:
    """Write ``standings.png`` and ``head_to_head.png``; nothing where no match counts.

    Parameters
    ----------
    folder : where to write
    table : RoundRobin
    standings : rows as `schema.STANDINGS`
    head_to_head, intervals : as the functions of `intent.arena.tournament.head_to_head` give them
    config : mapping
        game, repetitions, seed, agents, and what else is to be kept in the files.
    image : {"png", "svg", "pdf"}
    """
    if not standings:
        return []
    repetitions, noise = config["repetitions"], table.rules.noise
    played = (
        f"{config['game']}, {table.rules.turns:,} rounds, {f'noise {noise:g}' if noise else 'no noise'}, "
        f"{repetitions} repetition{'s' if repetitions != 1 else ''}, seed {config['seed']}."
    )
    if config["agents"]:
        played += " An agent draws one of its strategies for each match."
    place = {entrant.name: i for i, entrant in enumerate(table.field)}
    per_repetition = scores(table)
    drawn = [(row["name"], row["group"], per_repetition[place[row["name"]]]) for row in standings]
    written = []

    def write(name: str, title: str, lines: Sequence[str], draw: Callable[[], Figure]) -> None:
        with look():
            figure = draw()
            caption(figure, title, lines)
            told = json.dumps({"kind": "tournament", **config})
            written.append(
                save(figure, folder / f"{name}.{image}", title=title, description=told, overwrite=True)
            )

    write(
        "standings",
        "Standings",
        [
            "Score: mean payoff per round over all opponents but itself, once per repetition; violins (dots "
            "where there are few) show the repetitions, black lines their median.",
            played,
        ],
        lambda: draw_standings(drawn),
    )
    unit = "matches" if intervals is None else "pairs of strategies"
    small = "" if intervals is None else " Small: 95 % bootstrap intervals that resample strategies."
    write(
        "head_to_head",
        "Head to head",
        [
            "What the row earns per round, and how often it cooperates, against the column (columns in the "
            f"order of the rows); means over {unit}.{small}",
            played,
        ],
        lambda: draw_head_to_head(head_to_head, intervals),
    )
    return written
