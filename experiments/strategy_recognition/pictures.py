"""The paper's figures of play and of labels, made of any log of it.

References
----------
Huynh et al. 2025, Understanding LLM Agent Behaviours via Game Theory, figures 2 to 6, 8, 9, A2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

import intent
from intent.base.statistics import NONE
from intent.behaviour.means import Intervals
from intent.behaviour.payoffs import stakes_column
from intent.behaviour.play_table import played
from intent.figures.panels import draw_grouped_bars
from intent.report.figure_makers import Subject, makers
from intent.report.results import Drawn

__all__ = ["STRATEGIES", "figures_of_labels", "figures_of_play"]

STRATEGIES = ("ALLC", "ALLD", "TFT", "WSLS")

_STAKES: Mapping[str, str] = {"payoffs": "Figure 2", "choices": "Figure 3"}
_GOODS: Mapping[str, str] = {
    "cooperation": "Figure 4",
    "mismatch": "Figure 5",
    "personas": "Figure 6",
    "radar": "Figure 6",
}
"""Figure of `intent figures` -> the paper's."""

_SAMPLES = 500
"""Bootstrap samples of intervals in figures."""


def figures_of_play(log: intent.GameLog) -> Iterator[Drawn]:
    """Figures 2 and 3 of games at several stakes, figures 4 to 6 of public goods."""
    table = played(log)
    table = table if set(table["model"]) != {NONE} else table.assign(model="all")
    goods = log.games["n_players"].max() > 2
    names = _GOODS if goods else _STAKES
    for game in sorted(map(str, table["game"].unique())):
        part = table[(table["game"] == game).to_numpy()].reset_index(drop=True)
        part = part.assign(game_id=part["game_id"].cat.remove_unused_categories())
        stakes = stakes_column(part, None)
        if not goods and stakes is None:
            continue  # figures 2 and 3 compare stakes
        for name, published in names.items():
            rng = np.random.default_rng(0)
            made = makers()[name].make(Subject(game, part, "model", stakes, Intervals(_SAMPLES), rng))
            if not isinstance(made, str):
                yield Drawn(made.title, made.draw, published, tuple(made.lines))


def figures_of_labels(labels: pd.DataFrame) -> Iterator[Drawn]:
    """Figures 8, 9 and A2: shares of strategies among labels, by model, by language and by agent.

    Parameters
    ----------
    labels : one row per agent of the games whose labels are sure, with a column per strategy (1 where it is
        a label) and their number, ``labels``
    """
    first = labels[labels["seat"] == 1]
    model = labels["model"].astype(object).where(labels["model"].notna(), "all")
    labels, first = labels.assign(model=model), first.assign(model=model[first.index])
    agents = labels.assign(agent=[f"agent {seat}" for seat in labels["seat"]])
    for table, by, published in (
        (first, ("model",), "Figure 8"),
        (first, ("language", "model"), "Figure 9"),
        (agents, ("agent", "model"), "Figure A2"),
    ):
        shares = _shares(table, by)
        rows = by[0] if len(by) > 1 else None
        title = f"Strategies by {' and '.join(by)}"
        line = (
            "Labels of games in which both agents' are sure, as shares of all labels. Lines: 95 % intervals."
        )
        yield Drawn(title, _bars(shares, rows), published, (line,))


def _bars(shares: pd.DataFrame, rows: str | None):  # type: ignore[no-untyped-def]
    return lambda: draw_grouped_bars(
        shares,
        rows=rows,
        inner="model",
        outer=None,
        bars="strategy",
        label="share of labels (%)",
        limits=(0.0, 1.0),
        title="strategy",
        percent=True,
    )


def _shares(labels: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Share of each strategy among all labels of a group, with its linearised 95 % interval."""
    rows = []
    for key, part in labels.groupby(list(by), sort=True, observed=True):
        total, n = float(part["labels"].sum()), len(part)
        for strategy in STRATEGIES:
            share = float(part[strategy].sum()) / total if total else float("nan")
            residual = (part[strategy] - share * part["labels"]).to_numpy(dtype=float)
            half = 1.96 * float(np.sqrt(np.sum(residual**2) * n / max(n - 1, 1))) / total if total else 0.0
            low, high = max(share - half, 0.0), min(share + half, 1.0)
            facts = dict(zip(by, key if isinstance(key, tuple) else (key,), strict=True))
            rows.append({**facts, "strategy": strategy, "estimate": share, "low": low, "high": high})
    return pd.DataFrame(rows)
