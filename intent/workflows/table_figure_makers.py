"""Each figure of a result table, by name: what it needs, what it shows, what makes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from intent.workflows.figure_subject import Made

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from intent.analysis.comparison import Comparison
    from intent.analysis.means import Intervals

__all__ = ["TABLE_FIGURES", "TableFigure", "TableSubject"]


@dataclass(frozen=True, eq=False)
class TableSubject:
    """A result table that figures are made of.

    Parameters
    ----------
    kind : str
        One of `intent.workflows.result_tables.TABLES`.
    table : DataFrame
    facts : mapping
        Metadata of its file.
    by : tuple of str
        Columns that make the groups, where the table is not grouped already.
    intervals : Intervals
    rng : Generator
    """

    kind: str
    table: pd.DataFrame
    facts: Mapping[str, Any]
    by: tuple[str, ...]
    intervals: Intervals
    rng: np.random.Generator

    @cached_property
    def comparison(self) -> Comparison:
        """The groups: of labels counted, else read from the table."""
        from intent.analysis.compare import Settings, compare_shares
        from intent.analysis.comparison_table import comparison_of_table
        from intent.analysis.shares import outcomes, strategy_classes
        from intent.analysis.unit import design_units

        if self.kind != "labels":
            return comparison_of_table(self.table, self.facts)
        classes = strategy_classes(self.table, self.facts)
        counted = outcomes(self.table, "status", classes=classes)
        unit = design_units(self.table, self.by, classes=classes).unit
        found = compare_shares(
            self.table,
            self.by,
            counted,
            unit.codes,
            count="status",
            settings=Settings(self.intervals.samples, 0, self.intervals.level, unit=unit.noun),
            also=unit.also,
            rng=self.rng,
        )
        return replace(found, tests=())  # without permutations they would take rows as independent


@dataclass(frozen=True, eq=False)
class TableFigure:
    """A figure of result tables.

    Parameters
    ----------
    shows : str
    needs : tuple of str
        Kinds of tables that it can be made of.
    make : callable
        Makes it, or says why there is none.
    """

    shows: str
    needs: tuple[str, ...]
    make: Callable[[TableSubject], Made | str]


def simplex(subject: TableSubject) -> Made | str:
    """Where the posteriors lie between three or four strategies."""
    from intent.analysis.posterior_points import posterior_points
    from intent.analysis.shares import strategy_classes
    from intent.report.simplex import draw_simplex, simplex_lines

    classes = strategy_classes(subject.table, subject.facts)
    points = posterior_points(subject.table, classes, subject.by)
    if points.table.empty:
        return "no row has a posterior"
    lines = tuple(simplex_lines(points))
    return Made("Where labels lie", points.table, partial(draw_simplex, points), lines, None)


def portraits(subject: TableSubject) -> Made | str:
    """P(C) in round 1 and after each outcome, beside the catalogue."""
    from intent.analysis.portraits import portraits as estimated
    from intent.report.portraits import PORTRAIT_LINES, draw_portraits

    table = estimated(subject.table, subject.by, rng=subject.rng, intervals=subject.intervals)
    draw = partial(draw_portraits, table, subject.by)
    line = f"Intervals: {subject.intervals.level * 100:g} %, bootstrap."
    return Made("Memory-one portraits", table, draw, (*PORTRAIT_LINES, line), None)


def shares(kind: str, subject: TableSubject) -> Made | str:
    """A figure of shares or means by group."""
    from intent.report.figures import comparison_figure

    found = comparison_figure(subject.comparison, kind)
    return Made(found.title, subject.comparison.table(), found.draw, found.lines, None)


def reliability(subject: TableSubject) -> Made | str:
    """How often a recogniser is right, beside how often it says it is."""
    from intent.report.reliability import RELIABILITY_LINES, draw_reliability

    draw = partial(draw_reliability, subject.table)
    return Made("Reliability of probabilities", subject.table, draw, (RELIABILITY_LINES,), None)


def regret(subject: TableSubject) -> Made | str:
    """Regret to the exact rule by noise and rounds, a panel per model."""
    import pandas as pd

    from intent.report.panels import named
    from intent.report.study_figures import REGRET
    from intent.report.study_maps import draw_regret_maps

    names = ("recogniser", "set", "train_size", "train_noise", "opponent")
    table = subject.table[subject.table["regret_known"].notna()]
    if table.empty:
        return "no regret to a rule that knows the noise"
    varied = [name for name in names if name in table.columns and table[name].nunique(dropna=False) > 1]
    told = table[varied or ["recogniser"]].itertuples(index=False)
    shown = table.assign(label=[" · ".join(named(cell) for cell in row if not pd.isna(cell)) for row in told])
    lines = [REGRET, _precision(table)]
    if varied:
        lines.append(f"Panels: {' · '.join(varied).replace('_', ' ')}.")
    columns = ["label", "rounds", "noise", "regret_known"]
    return Made(
        "Regret by noise and rounds", shown[columns], partial(draw_regret_maps, shown), tuple(lines), None
    )


def shap(subject: TableSubject) -> Made | str:
    """Importance of features for a metric, by mean absolute Shapley value."""
    from intent.report.shap_bars import draw_shap_bars
    from intent.workflows.explain_figures import caption_lines
    from intent.workflows.importance_table import explanation_grid

    grid, targets, groups = explanation_grid(subject.table)
    known = {"seeds", "trees"} <= set(subject.facts)
    lines = caption_lines(subject.facts, "shap_bars") if known else []
    draw = partial(draw_shap_bars, grid, targets, groups)
    return Made("SHAP importance", subject.table, draw, tuple(lines), None)


def path(subject: TableSubject) -> Made | str:
    """One Moran process as it went."""
    from intent.report.moran_path import draw_path

    table = subject.table
    names = [name for name in table.columns if name.startswith("n_")]
    if not names or table.empty:
        return "no individuals in the table (columns n_NAME)"
    runs = table[table["start"] == table["start"].iloc[-1]]
    steps = runs.groupby("run")["step"].max()
    run = (steps - steps.median()).abs().idxmin()
    one = runs[runs["run"] == run].sort_values("step")
    draw = partial(
        draw_path, [name.removeprefix("n_") for name in names], one[["step", *names]].to_numpy(dtype="int64")
    )
    lines = (
        f"One of {len(steps):,} Moran processes: run {run}, of the length nearest to the median.",
        "No interval: it is a single course of chance.",
        f"Start: {one['start'].iloc[0]}.",
    )
    return Made("A population on its way", one, draw, lines, None)


def equilibria(subject: TableSubject) -> Made | str:
    """Who is left alone at the end of Moran processes, or shares in the long run."""
    from intent.report.equilibria_bars import draw_equilibria, equilibria_lines

    table, level = subject.table, subject.facts.get("level", 0.95)
    ended = bool(table["verdict"].notna().any()) if "verdict" in table.columns else True
    n = int(table.groupby("start")["individuals"].sum().max()) if "individuals" in table.columns else None
    lines = equilibria_lines(runs=int(table["runs"].max()), individuals=n, level=float(level), ended=ended)
    title = "Who is left alone" if ended else "Shares in the long run"
    return Made(title, table, partial(draw_equilibria, table, ended=ended), lines, None)


def matrix(subject: TableSubject) -> Made | str:
    """What the row earns from, or how often it cooperates with, the column."""
    from intent.report.tournament_maps import draw_head_to_head

    table = subject.table.set_index("against")
    names = [str(name) for name in table.index]
    if sorted(names) != sorted(map(str, table.columns)):
        return "rows and columns of the matrix differ"
    share = "cooperation" in str(subject.facts.get("kind", ""))
    values = {
        str(row): {str(c): None if x != x else float(x) for c, x in cells.items()}
        for row, cells in table.iterrows()
    }
    draw = partial(draw_head_to_head, {"cooperation" if share else "payoff": values})
    what = "How often the row cooperates with" if share else "What the row earns per round against"
    lines = (f"{what} the column (columns in the order of the rows); means over matches.",)
    return Made("Head to head", subject.table, draw, lines, None)


_GROUPED = ("labels", "shares", "estimates")

TABLE_FIGURES: dict[str, TableFigure] = {
    "simplex": TableFigure("posteriors in a triangle, or on a tetrahedron laid flat", ("labels",), simplex),
    "portraits": TableFigure(
        "P(C) in round 1 and after each outcome, beside the catalogue", ("metrics",), portraits
    ),
    "bars": TableFigure("stacked shares by group, with intervals", _GROUPED, partial(shares, "bars")),
    "ribbons": TableFigure(
        "shares over an ordered column, stacked and with intervals", _GROUPED, partial(shares, "ribbons")
    ),
    "heatmap": TableFigure(
        "shares of groups, or of one factor by another", _GROUPED, partial(shares, "heatmap")
    ),
    "points": TableFigure(
        "shares or means as points with intervals", (*_GROUPED, "means"), partial(shares, "points")
    ),
    "reliability": TableFigure("how often a recogniser is right when it says p", ("bins",), reliability),
    "regret": TableFigure("regret by noise and rounds, a panel per model", ("cells",), regret),
    "shap": TableFigure("importance of features for a metric", ("importance",), shap),
    "path": TableFigure("one Moran process, birth by birth", ("paths",), path),
    "equilibria": TableFigure("who is left alone, by start", ("equilibria",), equilibria),
    "matrix": TableFigure("everyone against everyone", ("matrix",), matrix),
}
"""Name -> figure of a result table."""


def _precision(table: pd.DataFrame) -> str:
    """How many trajectories a cell rests on, and how uncertain it is at most."""
    text = ""
    if "n" in table.columns:
        low, high = int(table["n"].min()), int(table["n"].max())
        text = f"{low:,} trajectories a cell." if low == high else f"{low:,} to {high:,} trajectories a cell."
    if "regret_known_se" in table.columns and table["regret_known_se"].notna().any():
        text += f" Standard error: at most {table['regret_known_se'].max() * 100:.2f} percentage points."
    return text.strip()
