"""Tables and figures of the thesis, with what it printed: means over its 252 games, to set beside ours.

References
----------
Cremonini 2025, The Agent's Dilemma, tables 3.1 to 3.8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from intent.base.errors import UsageError
from intent.base.experiments import published_values
from intent.behaviour.explain import BEHAVIOUR as METRICS

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog
    from intent.report.results import Collected


__all__ = [
    "BEHAVIOUR",
    "QUESTIONS",
    "printed",
    "sfem_of",
    "write_figures",
    "write_importances",
    "write_tables",
]


PUBLISHED_TABLES: Mapping[str, tuple[str, str]] = {
    "plain": ("Table 3.1", "Table 3.2"),
    "tool": ("Table 3.3", "Table 3.4"),
    "debate": ("Table 3.6", "Table 3.7"),
}
"""Architecture -> its tables of comprehension and of behaviour."""


@cache
def printed() -> pd.DataFrame:
    """What the thesis prints in its tables 3.1 to 3.8.

    Returns
    -------
    DataFrame
        Columns as `intent.base.codebook.PUBLISHED`, and architecture, model, ratio: the conditions of a row,
        None where the row is of all.
    """
    values = published_values(Path(__file__).parent)
    values = values[values["table"].str.startswith("Table 3.")]
    conditions = [dict(part.split("=", 1) for part in row.split(",")) for row in values["row"]]
    named = {name: [one.get(name) for one in conditions] for name in ("architecture", "model", "ratio")}
    return values.assign(**{name: pd.Series(cells, values.index, object) for name, cells in named.items()})


def _printed(architecture: str, **conditions: str | None) -> pd.DataFrame:
    """The printed values of an architecture, by column; no rows where nothing is printed."""
    values = printed()
    keep = values["architecture"] == architecture
    for name, wanted in conditions.items():
        keep &= values[name].isna() if wanted is None else values[name] == wanted
    return values[keep].set_index("column")


def _by_name(cells: pd.Series[float]) -> dict[str, float]:
    return {str(name): float(value) for name, value in cells.items()}


def sfem_of(architecture: str, model: str) -> tuple[str, float] | None:
    """What the thesis found for a model, by whatever provider, address or version it is named.

    Examples
    --------
    >>> sfem_of("debate", "openai/ministral-8b-latest@https://api.mistral.ai/v1")
    ('GRIM2', 0.63)
    """
    name = model.partition("@")[0].rpartition("/")[2].casefold()
    matches = printed()
    matches = matches[(matches["architecture"] == architecture) & matches["column"].isin(("best", "match"))]
    for known, cells in matches.groupby("model", observed=True):
        if name.startswith(str(known)):
            by_column = cells.set_index("column")
            return str(by_column["note"]["best"]), float(by_column["value"]["match"])
    return None


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
    table : DataFrame as `codebook.METRICS`, with ``incentive``
    bootstrap : int
    rng : Generator
    """
    questions = [name for name in QUESTIONS if f"{name}_correct" in table]
    ratios = [f"{name}_{ratio}" for name in questions for ratio in ("correct", "misunderstood")]
    if not questions:
        made.skip("comprehension", "the log holds no answers to comprehension questions")
    for architecture in table["architecture"].unique():
        part = table[table["architecture"] == architecture]
        titles = PUBLISHED_TABLES.get(architecture, (None, None))
        if questions:
            rows = _comprehension(part, questions, architecture)
            made.add_table(
                f"comprehension_{architecture}", rows, f"Comprehension, {architecture} agents", titles[0]
            )
        rows = _behaviour(part, architecture)
        made.add_table(f"behaviour_{architecture}", rows, f"Behaviour, {architecture} agents", titles[1])
    groups = ["architecture", "model"]
    if questions:
        rows = means_by_group(table, ratios, groups, bootstrap=bootstrap, rng=rng)
        made.add_table("comprehension", rows, "Comprehension by architecture and model, with intervals")
    rows = means_by_group(table, list(BEHAVIOUR), groups, bootstrap=bootstrap, rng=rng)
    made.add_table("behaviour", rows, "Behaviour by architecture and model, with intervals")
    advised = table[table["attitude"].notna()]
    if len(advised):
        rows = means_by_group(
            advised, _ADVICE, ["architecture", "attitude", "incentive"], bootstrap=bootstrap, rng=rng
        )
        made.add_table("advice", rows, "Adherence to advice, Nash consistency, use of the tool")
    made.add_table("games", _games(table, questions), "Every game", "Tables A.1, A.2, A.3")
    failures = _failures(log)
    if len(failures):
        made.add_table(
            "decisions", failures, "How decisions came about: calls of tools, debates that stalled"
        )


def means_by_group(
    table: pd.DataFrame,
    metrics: Sequence[str],
    by: Sequence[str],
    *,
    bootstrap: int,
    rng: np.random.Generator,
    occasions: bool = True,
) -> pd.DataFrame:
    """Means by group: columns by, metric, n, n_games, estimate, low, high, and of rows with an occasion."""
    from intent.behaviour.means import Intervals, cell_means

    parts = []
    for metric in metrics:
        if metric not in table:
            continue
        estimates = cell_means(
            table, by, metric, rng=rng, intervals=Intervals(bootstrap, 0.95), bounds=(0.0, 1.0)
        )
        estimates.insert(len(by), "metric", metric)
        if occasions and f"{metric}_n" in table:
            with_one = table[table[f"{metric}_n"] > 0]
            means = cell_means(with_one, by, metric, rng=rng, intervals=Intervals(2, 0.95))
            means = means[[*by, "n", "estimate"]].rename(
                columns={"n": "n_with_occasion", "estimate": "estimate_with_occasion"}
            )
            estimates = estimates.merge(means, on=list(by), how="left") if by else estimates.join(means)
        parts.append(estimates)
    filled = [part for part in parts if len(part)]
    if not filled:
        return pd.DataFrame({"metric": [], "estimate": np.empty(0)})
    # a column without any value in one part would have another type there, of which pandas 2 warns
    numbers = {name: float for part in filled for name in part if pd.api.types.is_float_dtype(part[name])}
    return pd.concat(
        [part.astype({n: t for n, t in numbers.items() if n in part}) for part in filled], ignore_index=True
    )


def _comprehension(part: pd.DataFrame, questions: Sequence[str], architecture: str) -> pd.DataFrame:
    """Rows: all games, each model, the thesis; columns: the questions."""
    rows: list[dict[str, Any]] = []
    for group, games in _groups(part):
        for ratio in ("correct", "misunderstood"):
            means = {QUESTIONS[name]: float(games[f"{name}_{ratio}"].mean()) for name in questions}
            rows.append({"games": group, "ratio": ratio, "n": len(games), **means})
    for ratio in ("correct", "misunderstood"):
        cells = _printed(architecture, ratio=ratio)["value"]
        if len(cells):
            rows.append({"games": "published: all", "ratio": ratio, **_by_name(cells)})
    return pd.DataFrame(rows).astype({"n": "Int64"})


def _behaviour(part: pd.DataFrame, architecture: str) -> pd.DataFrame:
    """Rows: all games, each model, the thesis; columns: the metrics, Ret and For also with occasion."""
    rows: list[dict[str, Any]] = []
    for group, games in _groups(part):
        means = {short: float(games[name].mean()) for name, short in BEHAVIOUR.items()}
        with_one = {
            f"{short}, with occasion": float(games.loc[games[f"{name}_n"] > 0, name].mean())
            for name, short in BEHAVIOUR.items()
            if short in ("Ret", "For")
        }
        rows.append({"games": group, "n": len(games), **means, **with_one})
    cells = _printed(architecture, ratio=None)
    cells = cells[cells.index.isin(list(BEHAVIOUR.values()))]
    for group, values in cells.groupby(cells["model"].fillna("all"), sort=False, observed=True):
        rows.append({"games": f"published: {group}", **_by_name(values["value"])})
    return pd.DataFrame(rows).astype({"n": "Int64"})


def _groups(part: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    models = [(str(name), games) for name, games in part.groupby("model", sort=True, observed=True)]
    return [("all", part), *models]


def _games(table: pd.DataFrame, questions: Sequence[str]) -> pd.DataFrame:
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
        columns |= {f"{name}_{ratio}": f"{letter}{_SHORT[name]}" for name in questions}
    columns |= dict(BEHAVIOUR)
    columns |= {f"{name}_n": f"{short}_n" for name, short in BEHAVIOUR.items()}
    extra = {name: name for name in _ADVICE if name in table}
    games = table[["game_id", "seat", *columns, *extra]].rename(columns={**columns, **extra})
    return games.reset_index(drop=True)


def _failures(log: GameLog) -> pd.DataFrame:
    """Architecture, model and status of decisions -> their number and share, from the details of moves."""
    from intent.behaviour.measures import read_details

    if "details" not in log.moves or not log.moves["details"].notna().any():
        return pd.DataFrame()
    seats = log.seats[["game_id", "seat", "architecture", "model"]]
    moves = log.moves[["game_id", "seat", "details"]].astype({"game_id": object})
    decisions = moves[moves["details"].notna()].merge(seats, on=["game_id", "seat"])
    details = [read_details(text) for text in decisions["details"]]
    decisions = decisions.assign(
        status=pd.Series([facts.get("status") for facts in details], index=decisions.index, dtype=object),
        early=[bool(facts.get("early")) for facts in details],
        role_play=[bool(facts.get("role_play")) for facts in details],
        restarts=[_number(facts.get("restarts")) for facts in details],
        refused_calls=[_number(facts.get("refused")) for facts in details],
    )
    decisions = decisions[decisions["status"].notna()]
    if decisions.empty:
        return pd.DataFrame()
    grouped = decisions.groupby(["architecture", "model", "status"], observed=True, sort=True)
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


_BARS = (
    ("plain", "total_so_far_correct", "opponent", "model", "Figure 3.1"),
    ("plain", "cooperation_rate", "opponent", "model", "Figure 3.2"),
    ("tool", "total_so_far_correct", "attitude", "model", "Figure 3.3"),
    ("tool", "cooperation_rate", "attitude", "game", "Figure 3.4"),
    ("tool", "troublemaking", "attitude", "game", "Figure 3.5"),
    ("debate", "opponent_next_correct", "attitude", "model", "Figure 3.8"),
    ("debate", "cooperation_rate", "attitude", "game", "Figure 3.9"),
    ("debate", "niceness", "attitude", "game", "Figure 3.10"),
)
"""Architecture, metric, groups, bars within them, figure of the thesis."""

_SHAPLEY = {
    "tool": ("Figure 3.6 and appendix B", "Figure 3.7 and appendix B"),
    "debate": ("Figure 3.11 and appendix C", "Figure 3.12 and appendix C"),
}
_FEATURES = ("attitude", "opponent", "rounds", "game")
_SEEDS = 10
_INTERVALS = (
    "Lines: 95 % intervals that resample whole games. A metric without an occasion counts as 0, as in the "
    "thesis."
)


def write_figures(made: Collected, table: pd.DataFrame, *, bootstrap: int, rng: np.random.Generator) -> None:
    """Draw the grouped bars, and the architectures side by side."""
    for architecture, metric, groups, bars, figure in _BARS:
        name = f"{metric}_{architecture}_by_{groups}_and_{bars}"
        part = table[table["architecture"] == architecture]
        if part.empty or metric not in part or not part.loc[part[metric].notna(), groups].notna().any():
            what = f"games of {architecture} agents" if part.empty else f"{metric} by {groups}"
            made.skip(name, f"the log holds no {what}")
            continue
        draw = partial(_bars, made, part, metric, groups, bars, architecture, figure)
        made.attempt(name, partial(draw, name, bootstrap=bootstrap, rng=rng))
    answered = {f"{name}_correct": label for name, label in QUESTIONS.items()}
    for name, names, label, figure in (
        ("comprehension_by_architecture", answered, "share right", "Figure 3.13"),
        ("behaviour_by_architecture", dict(BEHAVIOUR), "mean", "Figure 3.14"),
    ):
        known = {metric: words for metric, words in names.items() if _known(table, metric)}
        if known:
            draw_all = partial(_architectures, made, table, known, label, figure, name)
            made.attempt(name, partial(draw_all, bootstrap=bootstrap, rng=rng))


def _known(table: pd.DataFrame, metric: str) -> bool:
    """Whether any game has a value of a metric."""
    return metric in table and bool(table[metric].notna().any())


def _bars(
    made: Collected,
    part: pd.DataFrame,
    metric: str,
    groups: str,
    bars: str,
    architecture: str,
    figure: str,
    name: str,
    *,
    bootstrap: int,
    rng: np.random.Generator,
) -> None:
    from intent.figures.panels import draw_grouped_bars

    means = means_by_group(part, [metric], [groups, bars], bootstrap=bootstrap, rng=rng, occasions=False)
    question = metric.removesuffix("_correct")
    words = metric.replace("_", " ")
    if question in QUESTIONS:
        words = f"right answers to {QUESTIONS[question]} ({question.replace('_', ' ')})"
    made.add_figure(
        name,
        lambda: draw_grouped_bars(
            means, rows=None, inner=groups, outer=None, bars=bars, label=words, limits=(0, 1.04), title=bars
        ),
        f"{words[0].upper()}{words[1:]}, {architecture} agents, by {groups} and {bars}",
        figure,
        lines=[_INTERVALS],
    )


def _architectures(
    made: Collected,
    table: pd.DataFrame,
    names: dict[str, str],
    label: str,
    figure: str,
    name: str,
    *,
    bootstrap: int,
    rng: np.random.Generator,
) -> None:
    from intent.figures.panels import draw_grouped_bars

    means = means_by_group(
        table, list(names), ["architecture"], bootstrap=bootstrap, rng=rng, occasions=False
    )
    order = {metric: f"{k + 1}. {text}" for k, (metric, text) in enumerate(names.items())}
    means["metric"] = means["metric"].map(order)
    explained = "; ".join(f"{text}: {metric.replace('_', ' ')}" for metric, text in names.items())
    made.add_figure(
        name,
        lambda: draw_grouped_bars(
            means,
            rows=None,
            inner="metric",
            outer=None,
            bars="architecture",
            label=label,
            limits=(0, 1.04),
            title="architecture",
        ),
        name.replace("_", " ").capitalize(),
        figure,
        lines=[f"{explained}.", _INTERVALS],
    )


def write_importances(made: Collected, table: pd.DataFrame, *, seed: int) -> None:
    """Fit and draw what drives the six metrics of each architecture with attitudes, per model."""
    importances: list[pd.DataFrame] = []
    for architecture, figures in _SHAPLEY.items():
        part = table[(table["architecture"] == architecture) & table["attitude"].notna()]
        features = [name for name in _FEATURES if name in part and part[name].nunique() > 1]
        if part.empty or not features:
            made.skip(f"shap_{architecture}", f"the log holds no games of {architecture} agents that vary")
            continue
        act = partial(_explain, made, part, architecture, features, figures, importances, seed)
        made.attempt(f"shap_{architecture}", act)
    if importances:
        made.add_table(
            "importances", pd.concat(importances, ignore_index=True), "Importance of conditions (SHAP)"
        )


def _explain(
    made: Collected,
    part: pd.DataFrame,
    architecture: str,
    features: list[str],
    figures: tuple[str, str],
    importances: list[pd.DataFrame],
    seed: int,
) -> None:
    from intent.behaviour.explain import caption_lines, drawings, explain

    explained = explain(part, list(BEHAVIOUR), features, by="model", seeds=_SEEDS, seed=seed)
    if not explained.explanations:
        raise UsageError("nothing varies")
    rows = explained.table()
    rows.insert(0, "architecture", architecture)
    importances.append(rows)
    published = dict(zip(("shap_bars", "shap_violins"), figures, strict=True))
    for kind, page, draw in drawings(explained.explanations):
        made.add_figure(
            f"{kind}_{architecture}{page}",
            draw,
            f"What drives {architecture} agents: {', '.join(features)}",
            published[kind],
            lines=caption_lines(explained.config, kind),
        )
