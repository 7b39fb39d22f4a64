"""The scores of a benchmark's run: one row per table, means per condition, and the leaderboard."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from intent.errors import DataError
from intent.workflows.bench.table import table_name

if TYPE_CHECKING:
    import pandas as pd

    from intent.agents.plan import GamePlan
    from intent.logs.gamelog import GameLog
    from intent.suites.gamma.plays import Plays
    from intent.workflows.bench.benchmark import Benchmark
    from intent.workflows.bench.leaderboard import LeaderboardResult

__all__ = ["board_of", "contestants", "means_of", "score_table", "scored_tables"]


def contestants(benchmark: Benchmark, plans: Sequence[GamePlan]) -> dict[str, tuple[str, bool]]:
    """Game -> who is scored, and whether its setting is the one that the benchmark has as it stands.

    Who is scored is the model of a table, or its company, with the levels of all that varies: those are
    compared in a leaderboard.

    Parameters
    ----------
    benchmark : Benchmark
    plans : those of the run, in order
    """
    from intent.games.gamma import gamma_game
    from intent.games.gamma.settings import setting_name
    from intent.workflows.bench.cells import bench_cells

    named: list[tuple[str, bool]] = []
    cells = bench_cells(benchmark)
    for cell, plan in zip(cells, plans, strict=False):
        condition = cell.condition
        base = gamma_game(
            cell.game.name, **{"n_players": condition.players, **condition.games[cell.game.name]}
        )
        levels = [f"{key.rpartition('.')[2]}={level}" for key, level in cell.levels.items() if key != "table"]
        if condition.relabelled and "relabelled" not in cell.levels:
            levels.append("relabelled")
        who = cell.model if condition.table is None else table_name([s.player for s in plan.seats])
        told = f"{who} ({', '.join(levels)})" if levels else str(who)
        named.append((told, cell.setting == setting_name(base)))
    return {plan.game_id: named[i % len(cells)] for i, plan in enumerate(plans)}


def scored_tables(
    log: GameLog, who: Mapping[str, tuple[str, bool]]
) -> tuple[list[tuple[dict[str, Any], Plays]], list[str]]:
    """A row of scores and the record of play of every finished table, and what could not be scored.

    Parameters
    ----------
    log : GameLog
    who : as `contestants`

    Returns
    -------
    tables : list of (row, Plays)
        A row has game_id, model (who is scored), game, setting, run (the repetition), score and scoring (as
        the published numbers are computed: code), other (as the paper writes it), n_players, rounds, seats
        (JSON of the shares of the seats, or null), base (whether it is one for the leaderboard), and the
        condition columns of the log.
    notes : list of str
    """
    from intent.workflows.bench.score import scored_games

    found: list[tuple[dict[str, Any], Plays]] = []
    notes: list[str] = []
    for score, plays in scored_games(log):
        if isinstance(score, DataError) or plays is None:
            notes.append(f"not scored: {score}")
            continue
        name, base = who[str(score.game_id)]
        row = {
            "game_id": score.game_id,
            "model": name,
            "game": score.game,
            "setting": score.setting,
            "run": score.run,
            "score": score.score,
            "scoring": score.scoring,
            "other": score.other,
            "n_players": score.n_players,
            "rounds": score.rounds,
            "seats": None if score.seats is None else json.dumps(score.seats),
            "base": base,
        }
        told = {column: value for column, value in score.conditions.items() if column not in row}
        found.append(({**row, **told}, plays))
    return found, notes


def means_of(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Mean and sample deviation over repetitions, by model, game and setting; paper: mean of the other.

    Parameters
    ----------
    rows : as `scored_tables`
    """
    from intent.suites.gamma.leaderboard import cell

    found: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    for row in rows:
        key = (row["model"], row["game"], row["setting"])
        found.setdefault(key, []).append((row["score"], row["other"]))
    made = []
    for (model, game, setting), points in found.items():
        scores = cell(score for score, _ in points)
        made.append(
            {
                "model": model,
                "game": game,
                "setting": setting,
                "n": scores.n,
                "mean": scores.mean,
                "sd": scores.sd,
                "paper": cell(paper for _, paper in points).mean,
            }
        )
    return made


def board_of(rows: Iterable[Mapping[str, Any]]) -> LeaderboardResult:
    """The leaderboard of those rows that are for it."""
    import pandas as pd

    from intent.suites.gamma.leaderboard import leaderboard
    from intent.workflows.bench.leaderboard import LeaderboardResult

    runs = pd.DataFrame([row for row in rows if row["base"]], columns=["model", "game", "run", "score"])
    return LeaderboardResult(tuple(leaderboard(runs)), runs, "code")


def score_table(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """The rows as a table; without any, one of the columns that are always there."""
    import pandas as pd

    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=["model", "game", "setting", "score"])
