"""Figures of the thesis: grouped bars, architectures side by side, Shapley values."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from intent.errors import UsageError
from intent.workflows.results.thesis_tables import BEHAVIOUR, QUESTIONS, measured

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from intent.workflows.results.collected import Collected

__all__ = ["write_figures", "write_importances"]

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
    from intent.report.play_bars import draw_grouped_bars

    means = measured(part, [metric], [groups, bars], bootstrap=bootstrap, rng=rng, occasions=False)
    asked = metric.removesuffix("_correct")
    words = metric.replace("_", " ")
    if asked in QUESTIONS:
        words = f"right answers to {QUESTIONS[asked]} ({asked.replace('_', ' ')})"
    made.figure(
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
    from intent.report.play_bars import draw_grouped_bars

    means = measured(table, list(names), ["architecture"], bootstrap=bootstrap, rng=rng, occasions=False)
    order = {metric: f"{k + 1}. {text}" for k, (metric, text) in enumerate(names.items())}
    means["metric"] = means["metric"].map(order)
    explained = "; ".join(f"{text}: {metric.replace('_', ' ')}" for metric, text in names.items())
    made.figure(
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
    import pandas as pd

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
        made.table(
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
    from intent.workflows.explain import explain
    from intent.workflows.explain_figures import caption_lines, drawings

    found = explain(part, list(BEHAVIOUR), features, by="model", seeds=_SEEDS, seed=seed)
    if not found.parts:
        raise UsageError("nothing varies")
    rows = found.table()
    rows.insert(0, "architecture", architecture)
    importances.append(rows)
    published = dict(zip(("shap_bars", "shap_violins"), figures, strict=True))
    for kind, page, draw in drawings(found.parts):
        made.figure(
            f"{kind}_{architecture}{page}",
            draw,
            f"What drives {architecture} agents: {', '.join(features)}",
            published[kind],
            lines=caption_lines(found.config, kind),
        )
