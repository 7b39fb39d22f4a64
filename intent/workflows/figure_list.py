"""Every figure there is: what it shows, what it is made of, and the command that draws it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["ListedFigure", "figure_list", "listed"]


@dataclass(frozen=True)
class ListedFigure:
    """A figure, for reading.

    Parameters
    ----------
    name : str
    shows : str
    needs : str
        A log, or a kind of result table.
    made_by : str
        The command that writes what is needed; empty for a log.
    command : str
        The command that draws it.
    """

    name: str
    shows: str
    needs: str
    made_by: str
    command: str


_OF_COMMANDS = (
    ("automaton", "states of a strategy, and what leads from each to the next", "a name",
     "intent strategies show NAME -o FILE.svg"),
    ("estimated-shares", "SFEM shares with intervals beside counted labels, trembles", "log",
     "intent sfem LOG --by COLUMN -o FILE.png"),
    ("agreement", "how often recognisers agree, by pair", "log", "intent label LOG -r A,B -o FILE.png"),
    ("sweep", "labels kept over thresholds", "labels", "intent sweep LABELS -o FILE.png"),
    ("states", "hidden Markov states, beside the catalogue", "log", "intent discover LOG -o FILE.png"),
    ("contributor-types", "contributions by what others gave, by type", "log",
     "intent contributors LOG -o FILE.png"),
    ("probe", "how fast a sequence of moves tells strategies apart", "a set of strategies",
     "intent probe --strategies SET -o FILE.png"),
    ("shap-violins", "Shapley values of every game, by feature and level", "metrics",
     "intent explain METRICS --target NAME --features A,B -o FOLDER"),
    ("replicator", "replicator dynamics of three names", "strategies or matrix",
     "intent evolve … -o FOLDER"),
    ("standings", "scores of a tournament over repetitions", "strategies",
     "intent tournament … -o FOLDER"),
    ("samples", "numbers that a model was to draw, beside the distribution", "a model",
     "intent sampling -m MODEL -o FOLDER"),
    ("scores", "scores of the eight games by model", "bench scores",
     "intent bench gamma leaderboard SCORES -o FILE.png"),
)  # fmt: skip
"""Figures that other commands draw: name, what it shows, what it needs, the command."""


def figure_list() -> list[ListedFigure]:
    """All figures: of logs, of result tables, of other commands."""
    from intent.workflows.figure_makers import MAKERS
    from intent.workflows.result_tables import TABLES
    from intent.workflows.table_figure_makers import TABLE_FIGURES

    found = []
    for name, make in MAKERS.items():
        shows = (make.__doc__ or "").strip().rstrip(".")
        shows = shows if shows[1:2] == "(" else shows[:1].lower() + shows[1:]
        found.append(ListedFigure(name, shows, "log", "", f"intent figures LOG {name}"))
    commands = {kind.name: kind.command for kind in TABLES}
    for name, figure in TABLE_FIGURES.items():
        makes = "; ".join(commands[kind] for kind in figure.needs)
        drawn = f"intent figures TABLE {name}"
        found.append(ListedFigure(name, figure.shows, " or ".join(figure.needs), makes, drawn))
    for name, shows, needs, command in _OF_COMMANDS:
        found.append(ListedFigure(name, shows, needs, "", command))
    return found


def listed() -> dict[str, Any]:
    """The object of ``intent figures --list --json``."""
    from dataclasses import asdict

    return {"figures": [asdict(one) for one in figure_list()]}
