"""Tables of the thesis: comprehension and behaviour by architecture, one row per game, advice, failures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from intent.workflows.explain import BEHAVIOUR as METRICS
from intent.workflows.results import thesis_numbers as published

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from intent.logs.gamelog import GameLog
    from intent.workflows.results.collected import Collected

__all__ = ["BEHAVIOUR", "QUESTIONS", "measured", "write_tables"]

QUESTIONS: Mapping[str, str] = {
    "opponent_next": "Q1",
    "rounds_so_far": "Q2",
    "maximum": "Q3-max",
    "minimum": "Q3-min",
    "total_so_far": "Q4",
}
"""Question -> what the thesis calls it."""

BEHAVIOUR: Mapping[str, str] = dict(zip(METRICS, ("CR", "N", "TM", "Ret", "For", "Em"), strict=True))
"""Metric -> what the thesis calls it."""

_SHORT: Mapping[str, str] = {
    "opponent_next": "1",
    "rounds_so_far": "2",
    "maximum": "3M",
    "minimum": "3m",
    "total_so_far": "4",
}
_ADVICE = ("adherence", "nash_consistency", "tool_use")


def write_tables(
    made: Collected, log: GameLog, table: pd.DataFrame, *, bootstrap: int, rng: np.random.Generator
) -> None:
    """Write all tables of numbers that the metrics give.

    Parameters
    ----------
    made : Collected
    log : GameLog
        Of which the metrics are.
    table : DataFrame as `schema.METRICS`, with ``incentive``
    bootstrap : int
    rng : Generator
    """
    asked = [name for name in QUESTIONS if f"{name}_correct" in table]
    ratios = [f"{name}_{ratio}" for name in asked for ratio in ("correct", "misunderstood")]
    if not asked:
        made.skip("comprehension", "the log holds no answers to comprehension questions")
    for architecture in table["architecture"].unique():
        part = table[table["architecture"] == architecture]
        titles = published.TABLES.get(architecture, (None, None))
        if asked:
            rows = _comprehension(part, asked, architecture)
            made.table(
                f"comprehension_{architecture}", rows, f"Comprehension, {architecture} agents", titles[0]
            )
        rows = _behaviour(part, architecture)
        made.table(f"behaviour_{architecture}", rows, f"Behaviour, {architecture} agents", titles[1])
    groups = ["architecture", "model"]
    if asked:
        rows = measured(table, ratios, groups, bootstrap=bootstrap, rng=rng)
        made.table("comprehension", rows, "Comprehension by architecture and model, with intervals")
    rows = measured(table, list(BEHAVIOUR), groups, bootstrap=bootstrap, rng=rng)
    made.table("behaviour", rows, "Behaviour by architecture and model, with intervals")
    advised = table[table["attitude"].notna()]
    if len(advised):
        rows = measured(
            advised, _ADVICE, ["architecture", "attitude", "incentive"], bootstrap=bootstrap, rng=rng
        )
        made.table("advice", rows, "Adherence to advice, Nash consistency, use of the tool")
    made.table("games", _games(table, asked), "Every game", "Tables A.1, A.2, A.3")
    failures = _failures(log)
    if len(failures):
        made.table("decisions", failures, "How decisions came about: calls of tools, debates that stalled")


def measured(
    table: pd.DataFrame,
    metrics: Sequence[str],
    by: Sequence[str],
    *,
    bootstrap: int,
    rng: np.random.Generator,
    occasions: bool = True,
) -> pd.DataFrame:
    """Means by group: columns by, metric, n, n_games, estimate, low, high, and of rows with an occasion."""
    import numpy as np
    import pandas as pd

    from intent.analysis.means import Intervals, cell_means

    parts = []
    for metric in metrics:
        if metric not in table:
            continue
        found = cell_means(
            table, by, metric, rng=rng, intervals=Intervals(bootstrap, 0.95), bounds=(0.0, 1.0)
        )
        found.insert(len(by), "metric", metric)
        if occasions and f"{metric}_n" in table:
            with_one = table[table[f"{metric}_n"] > 0]
            means = cell_means(with_one, by, metric, rng=rng, intervals=Intervals(2, 0.95))
            means = means[[*by, "n", "estimate"]].rename(
                columns={"n": "n_with_occasion", "estimate": "estimate_with_occasion"}
            )
            found = found.merge(means, on=list(by), how="left") if by else found.join(means)
        parts.append(found)
    kept = [part for part in parts if len(part)]
    if not kept:
        return pd.DataFrame({"metric": [], "estimate": np.empty(0)})
    return pd.concat(kept, ignore_index=True)


def _comprehension(part: pd.DataFrame, asked: Sequence[str], architecture: str) -> pd.DataFrame:
    """Rows: all games, each model, the thesis; columns: the questions."""
    import pandas as pd

    rows: list[dict[str, Any]] = []
    for group, games in _groups(part):
        for ratio in ("correct", "misunderstood"):
            means = {QUESTIONS[name]: float(games[f"{name}_{ratio}"].mean()) for name in asked}
            rows.append({"games": group, "ratio": ratio, "n": len(games), **means})
    for ratio, numbers in published.COMPREHENSION.get(architecture, {}).items():
        told = dict(zip(QUESTIONS.values(), numbers, strict=True))
        rows.append({"games": "published: all", "ratio": ratio, **told})
    return pd.DataFrame(rows).astype({"n": "Int64"})


def _behaviour(part: pd.DataFrame, architecture: str) -> pd.DataFrame:
    """Rows: all games, each model, the thesis; columns: the metrics, Ret and For also with occasion."""
    import pandas as pd

    rows: list[dict[str, Any]] = []
    for group, games in _groups(part):
        means = {short: float(games[name].mean()) for name, short in BEHAVIOUR.items()}
        with_one = {
            f"{short}, with occasion": float(games.loc[games[f"{name}_n"] > 0, name].mean())
            for name, short in BEHAVIOUR.items()
            if short in ("Ret", "For")
        }
        rows.append({"games": group, "n": len(games), **means, **with_one})
    for group, numbers in published.BEHAVIOUR.get(architecture, {}).items():
        rows.append({"games": f"published: {group}", **dict(zip(BEHAVIOUR.values(), numbers, strict=True))})
    return pd.DataFrame(rows).astype({"n": "Int64"})


def _groups(part: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    models = [(str(name), games) for name, games in part.groupby("model", sort=True, observed=True)]
    return [("all", part), *models]


def _games(table: pd.DataFrame, asked: Sequence[str]) -> pd.DataFrame:
    """One row per trajectory, columns named as in the thesis's appendix, denominators beside them."""
    keys = {
        "model": "Model",
        "architecture": "Arch",
        "opponent": "OppStr",
        "attitude": "Att",
        "rounds": "NR",
        "game": "Game",
    }
    columns = {name: label for name, label in keys.items() if name in table}
    for ratio, letter in (("correct", "CR"), ("misunderstood", "MR")):
        columns |= {f"{name}_{ratio}": f"{letter}{_SHORT[name]}" for name in asked}
    columns |= dict(BEHAVIOUR)
    columns |= {f"{name}_n": f"{short}_n" for name, short in BEHAVIOUR.items()}
    extra = {name: name for name in _ADVICE if name in table}
    found = table[["game_id", "seat", *columns, *extra]].rename(columns={**columns, **extra})
    return found.reset_index(drop=True)


def _failures(log: GameLog) -> pd.DataFrame:
    """Architecture, model and status of decisions -> their number and share, from the details of moves."""
    import pandas as pd

    from intent.analysis.metrics.details import read_details

    if "details" not in log.moves or not log.moves["details"].notna().any():
        return pd.DataFrame()
    seats = log.seats[["game_id", "seat", "architecture", "model"]]
    moves = log.moves[["game_id", "seat", "details"]].astype({"game_id": object})
    told = moves[moves["details"].notna()].merge(seats, on=["game_id", "seat"])
    found = [read_details(text) for text in told["details"]]
    told = told.assign(
        status=pd.Series([facts.get("status") for facts in found], index=told.index, dtype=object),
        early=[bool(facts.get("early")) for facts in found],
        role_play=[bool(facts.get("role_play")) for facts in found],
        restarts=[_number(facts.get("restarts")) for facts in found],
        refused_calls=[_number(facts.get("refused")) for facts in found],
    )
    told = told[told["status"].notna()]
    if told.empty:
        return pd.DataFrame()
    grouped = told.groupby(["architecture", "model", "status"], observed=True, sort=True)
    counted = grouped.agg(
        decisions=("status", "size"),
        early=("early", "sum"),
        role_play=("role_play", "sum"),
        restarts=("restarts", "sum"),
        refused_calls=("refused_calls", "sum"),
    ).reset_index()
    total = counted.groupby(["architecture", "model"], observed=True)["decisions"].transform("sum")
    counted.insert(4, "share", counted["decisions"] / total)
    return counted


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
