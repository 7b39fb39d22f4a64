"""What ``intent bench gamma run`` shows: what it takes beforehand, scores at the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from intent.cli.blocks import print_blocks
from intent.cli.console import note, print_table, say
from intent.cli.run_table import show_played, shown_cost

__all__ = ["print_expected", "show_bench"]

_COLUMNS = 4
"""Most models that are columns of the table."""

_KINDS = 12
"""Most games and settings that are."""


def print_expected(found: Mapping[str, Any]) -> None:
    """One line on what is about to be played, and what a reader should know of it."""
    if found["calls"]:
        cost = "unknown without prices (--price)" if found["cost"] is None else shown_cost(found["cost"])
        games = f"{found['n_games']:,} game{'s' * (found['n_games'] != 1)}"
        note(f"{games}, {found['calls']:,.0f} calls expected, at most {found['most_calls']:,}; cost {cost}")
        for line in found["notes"]:
            note(line)


def show_bench(summary: Mapping[str, Any], *, json: bool) -> None:
    """Scores and summary of a run, for programs or for people; ends with 3 where games are left.

    Raises
    ------
    typer.Exit
        The run is not finished.
    """
    if not json and summary["scores"]:
        _print_scores(summary)
    show_played(summary, json=json)


def _print_scores(summary: Mapping[str, Any]) -> None:
    """Games and settings by models, or the other way round; one score a row where many are empty."""
    rows = summary["scores"]
    models = list(dict.fromkeys(row["model"] for row in rows))
    cells = {(row["model"], row["game"], row["setting"]): row for row in rows}
    kinds = list(dict.fromkeys((row["game"], row["setting"]) for row in rows))
    overall = {one["model"]: one["overall"] for one in summary["leaderboard"]}
    title = "Scores (code): mean ± sd over repetitions"
    heads: list[str]
    body: list[list[str]]
    if len(models) <= _COLUMNS:
        heads = ["game", "setting", *models]
        body = [
            [game, setting, *(_shown(cells.get((model, game, setting))) for model in models)]
            for game, setting in kinds
        ]
        if any(overall.values()):
            body.append(["overall", "", *(_shown(overall.get(model)) for model in models)])
        print_blocks(heads, body, title=title, fixed=2)
    elif len(kinds) > _KINDS or len(rows) <= len(models) * len(kinds) / 2:
        body = [[row["model"], row["game"], row["setting"], _shown(row)] for row in rows]
        print_table(("model", "game", "setting", "score"), body, title=title)
    else:
        heads = ["model", *(game if setting == "default" else f"{game} {setting}" for game, setting in kinds)]
        body = [[model, *(_shown(cells.get((model, *kind))) for kind in kinds)] for model in models]
        if any(overall.values()):
            heads.append("overall")
            body = [[*row, _shown(overall.get(row[0]))] for row in body]
        print_blocks(heads, body, title=title)
    say()


def _shown(cell: Mapping[str, Any] | None) -> str:
    if cell is None:
        return "–"
    return f"{cell['mean']:.1f}" if cell["sd"] is None else f"{cell['mean']:.1f} ± {cell['sd']:.1f}"
