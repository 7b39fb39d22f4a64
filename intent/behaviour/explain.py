"""From a table of metrics to what drives them: a random forest, Shapley values, fit and stability.

The figures are bars of importance, how much each feature moves a metric, in a grid of metrics and groups; and
violins of Shapley values, which level of a feature raises a metric and which lowers it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import DataError, UnknownNameError, UsageError
from intent.base.job import Result, Table, data_line, job, kept_in_words
from intent.base.outputs import json_values
from intent.base.registry import require
from intent.base.sheet import drawn_on
from intent.base.statistics import grouping
from intent.base.tables import column_names, read_table, write_table
from intent.behaviour.importance import Explanation
from intent.behaviour.requests import ExplainRequest
from intent.estimate.design_units import design_units
from intent.figures.panels import check_sizes, named, panels
from intent.figures.style import (
    FAINT,
    columns_of,
    empty_panel,
    palette,
    pt,
    shown,
    wrapped,
)
from intent.logs.gamelog import accepted_rows, subjects
from intent.version import __version__

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from intent.behaviour.importance import Explanation, Importance

__all__ = [
    "BEHAVIOUR",
    "ExplainResult",
    "Explained",
    "caption_lines",
    "draw_shap_bars",
    "draw_shap_violins",
    "drawings",
    "explain",
    "pages",
]

Grid = Sequence[Sequence[Explanation | None]]


def draw_shap_bars(grid: Grid, rows: Sequence[str], columns: Sequence[str | None]) -> Figure:
    """A panel per metric (row) and group (column): features by mean absolute Shapley value.

    Parameters
    ----------
    grid : Explanation, or None where there is none, by row and column
    rows : names of the metrics
    columns : names of the groups

    Raises
    ------
    UsageError
        More than 30 panels.
    """
    check_sizes(len(rows) * len(columns), ())
    grid, rows, columns = _reflowed(grid, rows, columns)
    features = list(dict.fromkeys(f for line in grid for one in line if one for f in one.features))
    tones = dict(zip(features, palette(len(features)), strict=True))
    figure, axes = panels(len(rows), len(columns), across=3.6, down=0.55 + 0.28 * max(1, len(features)))
    for line, explanations in zip(axes, grid, strict=True):
        top = max([one.ranking[0].mean_abs_shap for one in explanations if one] or [0.0])
        for ax, one in zip(line, explanations, strict=True):
            _panel(ax, one, tones, top)
    _label_grid(axes, rows, columns)
    for ax in axes[-1]:
        ax.set_xlabel("mean |SHAP|")
    return figure


def _reflowed(
    grid: Grid, rows: Sequence[str], columns: Sequence[str | None]
) -> tuple[Grid, Sequence[str], Sequence[str | None]]:
    """All panels below one another, the group beside the metric, where there is no room side by side."""
    if columns_of(len(columns), 2.1) == len(columns):
        return grid, rows, columns
    names = [f"{row}, {named(column)}" for row in rows for column in columns]
    return [[one] for line in grid for one in line], names, [None]


def _panel(ax: Axes, one: Explanation | None, tones: dict[str, str], top: float) -> None:
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    if one is None:
        ax.set_yticks([])
        empty_panel(ax)
        return
    places = np.arange(len(one.ranking))[::-1]
    for y, feature in zip(places, one.ranking, strict=True):
        ax.barh(y, feature.mean_abs_shap, 0.7, color=tones[feature.feature])
        if np.isfinite(feature.share):
            text = f" {feature.share:.0%}"
            if (feature.rank_low, feature.rank_high) != (
                None,
                None,
            ) and feature.rank_low != feature.rank_high:
                text += f"  (rank {feature.rank_low}–{feature.rank_high})"
            ax.text(feature.mean_abs_shap, y, text, va="center", fontsize=pt(7.5), color="#444444")
    ax.set_yticks(places, [wrapped(feature.feature, 18) for feature in one.ranking])
    ax.set_ylim(-0.6, len(places) - 0.4)
    ax.set_xlim(0, (top or 1) * 1.6)
    ax.text(
        1, 1.02, _fit_in_words(one), transform=ax.transAxes, ha="right", fontsize=pt(7.5), color="#444444"
    )


def _fit_in_words(one: Explanation) -> str:
    """``n = 54, R² .93 in, .61 out``."""
    if not np.isfinite(one.r2_in):
        return f"n = {one.n:,}, does not vary"
    out = f"{one.r2_out:.2f} out" if np.isfinite(one.r2_out) else "out unknown"
    return f"n = {one.n:,}, R² {one.r2_in:.2f} in, {out}"


def _label_grid(axes: Any, rows: Sequence[str], columns: Sequence[str | None]) -> None:
    """Groups above the first row; the metric at the left of each row."""
    for ax, name in zip(axes[0], columns, strict=True):
        if name is not None:
            ax.set_title(wrapped(named(name), 28), loc="left", fontweight="bold", pad=16)
    for ax, name in zip(axes[:, 0], rows, strict=True):
        ax.set_ylabel(wrapped(name.replace("_", " "), 18), fontweight="bold")


def _shared_limits(grid: Sequence[Explanation | None]) -> tuple[float, float]:
    """Ends of an axis that holds all Shapley values of a row of panels, 0 in the middle."""
    reach = max([float(np.abs(one.spread.values).max(initial=0)) for one in grid if one] or [0.0])
    reach = reach * 1.08 or 1.0
    return -reach, reach


_DOTS = 200
"""Dots that a level has at most; the violin is of all of its values."""

_ENOUGH = 5
_HALF = 0.36


def draw_shap_violins(grid: Grid, rows: Sequence[str], columns: Sequence[str | None]) -> Figure:
    """A panel per metric (row) and group (column); in it a violin and dots per level of each feature.

    Dots are games (rows that are alike lie beside one another), right of 0 where the level raised the
    prediction; colours are features, ticks the mean of a level.

    Parameters
    ----------
    grid, rows, columns : as `draw_shap_bars`

    Raises
    ------
    UsageError
        More than 30 panels.
    """
    check_sizes(len(rows) * len(columns), ())
    grid, rows, columns = _reflowed(grid, rows, columns)
    places = _places(grid)
    features = list(dict.fromkeys(feature for feature, _ in places))
    tones = dict(zip(features, palette(len(features)), strict=True))
    figure, axes = panels(
        len(rows), len(columns), across=3.4, down=0.6 + 0.24 * max(1, len(places)), sharey=True
    )
    for line, explanations in zip(axes, grid, strict=True):
        limits = _shared_limits(explanations)
        for ax, one in zip(line, explanations, strict=True):
            _frame(ax, limits, places)
            if one is not None:
                _draw_violins(ax, one, places, tones)
    _label_grid(axes, rows, columns)
    for ax in axes[-1]:
        ax.set_xlabel("SHAP value")
    return figure


def _places(grid: Grid) -> dict[tuple[str, str], float]:
    """Height of each feature and level, features from the top, with room between them."""
    pairs = list(
        dict.fromkeys(
            (name, level.name)
            for line in grid
            for one in line
            if one
            for name in one.features
            for level in next(r for r in one.ranking if r.feature == name).levels
        )
    )
    order = list(dict.fromkeys(feature for feature, _ in pairs))
    pairs.sort(key=lambda pair: order.index(pair[0]))
    places, height = {}, 0.0
    for k, (feature, level) in enumerate(pairs):
        height += 1.0 if k == 0 or pairs[k - 1][0] == feature else 1.5
        places[feature, level] = -height
    return places


def _frame(ax: Axes, limits: tuple[float, float], places: dict[tuple[str, str], float]) -> None:
    ax.axvline(0, color="#888888", linewidth=0.9, zorder=0)
    ax.set_xlim(*limits)
    ax.set_yticks(list(places.values()), [f"{shown(f)} = {shown(v)}" for f, v in places], fontsize=pt(7.5))
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    if places:
        ax.set_ylim(min(places.values()) - 0.7, max(places.values()) + 0.7)


def _draw_violins(
    ax: Axes, one: Explanation, places: dict[tuple[str, str], float], tones: dict[str, str]
) -> None:
    ax.text(
        1, 1.01, _fit_in_words(one), transform=ax.transAxes, ha="right", fontsize=pt(7.5), color="#444444"
    )
    if not np.isfinite(one.r2_in):
        return
    for feature in one.ranking:
        f = one.features.index(feature.feature)
        for code, level in enumerate(feature.levels):
            rows = one.spread.codes[:, f] == code
            values = np.repeat(one.spread.values[rows, f], one.spread.weights[rows].astype(int))
            if len(values):
                _level(ax, values, places[feature.feature, level.name], tones[feature.feature])


def _level(ax: Axes, values: NDArray[np.float64], y: float, tone: str) -> None:
    values = np.sort(values)
    if len(values) >= _ENOUGH and np.ptp(values) > 1e-9:
        drawn = ax.violinplot([values], [y], orientation="horizontal", widths=2 * _HALF, showextrema=False)
        for body in drawn["bodies"]:  # type: ignore[attr-defined]
            body.set(facecolor=tone, alpha=0.25, linewidth=0, gid=FAINT)
    dots = values[np.linspace(0, len(values) - 1, min(len(values), _DOTS)).astype(int)]
    offset = ((np.arange(len(dots)) * 0.618) % 1 - 0.5) * _HALF
    ax.scatter(dots, y + offset, s=5, color=tone, linewidths=0)
    ax.plot([values.mean()] * 2, [y - _HALF, y + _HALF], color="#222222", linewidth=1.1)


@dataclass(frozen=True, eq=False)
class Explained:
    """A metric explained in a group."""

    group: Mapping[str, Any]
    explanation: Explanation


@dataclass(frozen=True, eq=False)
class ExplainResult(Result):
    """Explanations, with what is needed to say how they came about.

    Parameters
    ----------
    explanations : Explained of every group and metric
    skipped : mappings of target, group, why
    config : the resolved settings and version, JSON-able; kept in every file written
    single : whether it is one metric of all rows
    origin : the table that was read, if it was a file
    files : names within the folder, once written
    folders : where they were written
    """

    explanations: tuple[Explained, ...]
    skipped: tuple[Mapping[str, Any], ...]
    config: Mapping[str, Any]
    single: bool
    origin: Path | None = None
    files: list[str] = field(default_factory=list)
    folders: list[str | Path] = field(default_factory=list)

    kind = "explain"

    def fields(self) -> Mapping[str, Any]:
        """The object of ``intent explain --json``, as `codebook.JSON_OBJECTS` and its extras describe it."""
        figures = [name for name in self.files if not name.endswith((".csv", ".json"))]
        facts = [_facts(one.explanation, figures) for one in self.explanations]
        if self.single:
            return facts[0]
        several = [{"group": dict(o.group), **f} for o, f in zip(self.explanations, facts, strict=True)]
        return {"explanations": several, "skipped": [dict(one) for one in self.skipped]}

    def table(self) -> pd.DataFrame:
        """One row per group, metric and feature."""
        return pd.DataFrame(
            [
                {
                    **one.group,
                    "target": one.explanation.target,
                    "n": one.explanation.n,
                    "feature": feature.feature,
                    "mean_abs_shap": feature.mean_abs_shap,
                    "share": feature.share,
                    "rank_low": feature.rank_low,
                    "rank_high": feature.rank_high,
                    "r2_in": one.explanation.r2_in,
                    "r2_out": one.explanation.r2_out,
                }
                for one in self.explanations
                for feature in one.explanation.ranking
            ]
        )

    def levels(self) -> pd.DataFrame:
        """One row per group, metric, feature and level."""
        return pd.DataFrame(
            [
                {
                    **one.group,
                    "target": one.explanation.target,
                    "feature": feature.feature,
                    "level": level.name,
                    "mean_shap": level.mean_shap,
                    "mean_target": level.mean_target,
                    "n_rows": level.n,
                }
                for one in self.explanations
                for feature in one.explanation.ranking
                for level in feature.levels
            ]
        )

    def parts(self) -> Iterator[Table | str]:
        """The ranking of features and remarks of each explanation."""
        header = ("feature", "mean |SHAP|", "share", "rank", "levels: mean SHAP (mean of the metric)")
        for one in self.explanations:
            explanation, where = one.explanation, _within(one.group)
            title = f"{explanation.target}{f' ({where})' if where else ''}: {explanation.n:,} rows"
            rows = [_row(feature) for feature in explanation.ranking]
            yield Table(header, rows, f"{title}, {explanation.trees} trees")
            yield from _words(explanation)
            yield ""
        for lost in self.skipped:
            yield Table((), (), f"{lost['target']} ({_within(lost['group'])}): {lost['why']}")
            yield ""

    def remarks(self) -> Iterator[str]:
        """Where the files are."""
        for folder in self.folders:
            yield f"wrote {len(self.files)} files into {folder}"

    def write(self, path: str | Path, *, overwrite: bool = False, image: str = "png", **how: Any) -> Path:
        """Write ``explain.json``, ``importance.csv``, ``levels.csv`` and the figures into a folder.

        Raises
        ------
        UnknownNameError
            Another kind of image.
        OutputError
            A file is there and may not be replaced, or cannot be written.
        """
        from intent.base.outputs import claim, write_object

        if image not in ("png", "svg", "pdf"):
            raise UnknownNameError("kind of image", image, ("png", "svg", "pdf"))
        target = claim(path, overwrite=True, into=True)
        self.files.clear()
        for name, rows in (("importance.csv", self.table()), ("levels.csv", self.levels())):
            write_table(rows, target / name, self.facts(), overwrite=overwrite)
            self.files.append(name)
        with drawn_on(self.sheet_for(how)):
            self.files.extend(_draw(self.explanations, target, self.config, image, overwrite))
        write_object(target / "explain.json", self.payload(), overwrite=overwrite)
        self.files.append("explain.json")
        self.folders.append(path)
        return target

    def payload(self) -> dict[str, Any]:
        """The object of ``intent explain --json`` with the settings."""
        return {**self.to_dict(), "config": json_values(dict(self.config))}


def _within(group: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in group.items())


def _facts(explanation: Explanation, figures: list[str]) -> dict[str, Any]:
    stable = explanation.stability
    return {
        "target": explanation.target,
        "n": explanation.n,
        "trees": explanation.trees,
        "ranking": [
            {
                "feature": one.feature,
                "mean_abs_shap": one.mean_abs_shap,
                "share": one.share,
                "rank_low": one.rank_low,
                "rank_high": one.rank_high,
                "levels": {
                    level.name: {"mean_shap": level.mean_shap, "mean_target": level.mean_target, "n": level.n}
                    for level in one.levels
                },
            }
            for one in explanation.ranking
        ],
        "r2_in": explanation.r2_in,
        "r2_out": explanation.r2_out,
        "stability": {
            "seeds": stable.seeds,
            "rank_correlation": stable.rank_correlation,
            "r2_in": dict(zip(("mean", "low", "high"), stable.r2_in, strict=True)),
            "r2_out": dict(zip(("mean", "low", "high"), stable.r2_out, strict=True)),
        },
        "figures": figures,
        "notes": list(explanation.notes),
    }


def _row(one: Importance) -> list[object]:
    levels = ", ".join(f"{lv.name} {lv.mean_shap:+.3f} ({lv.mean_target:.3f})" for lv in one.levels)
    rank = "–" if one.rank_low is None else f"{one.rank_low}–{one.rank_high}"
    share = "–" if one.share != one.share else f"{one.share:.0%}"
    return [one.feature, f"{one.mean_abs_shap:.4f}", share, rank, levels]


def _words(explanation: Explanation) -> list[str]:
    lines = list(explanation.notes)
    if explanation.r2_in == explanation.r2_in:
        out = (
            ""
            if explanation.r2_out != explanation.r2_out
            else f", {explanation.r2_out:.3f} on games left out"
        )
        lines.insert(0, f"R² {explanation.r2_in:.3f} on the rows fitted{out}")
        if explanation.r2_out == explanation.r2_out and explanation.r2_out < 0.1:
            lines.append(
                "the features say next to nothing about games left out: importances are fitted noise"
            )
        tau = explanation.stability.rank_correlation
        if tau == tau:
            lines.append(
                f"Kendall's tau between the rankings of {explanation.stability.seeds} seeds: {tau:.2f}"
            )
    return lines


BEHAVIOUR = (
    "cooperation_rate",
    "niceness",
    "troublemaking",
    "retaliation",
    "forgiveness",
    "emulation",
)
"""The six metrics of behaviour, in the order of the thesis's tables."""


@job(ExplainRequest)
def explain(request: ExplainRequest) -> ExplainResult:
    """Fit a random forest to each metric in each group, and divide its predictions among the features.

    Where models play some of the seats, rows of the other ones (strategies, people) are left out and counted
    in the notes, unless ``strategy`` is among the columns.

    Raises
    ------
    UnknownNameError
        A column that the table does not have.
    UsageError
        No rows, a target that is a feature, a setting that cannot be.
    DataError
        A file that is no table, or a target that is no number.
    MissingExtraError
        The extra ``explain`` is not installed.

    References
    ----------
    Cremonini 2025, The Agent's Dilemma, section 2.4.4; Lundberg et al. 2020, Nature Machine Intelligence
    2:56.
    """
    require("shap", "sklearn")
    origin = request.input_path()
    table: Any = request.table
    every = table if origin is None else read_table(origin)[0]
    targets, features = _targets(request.target, every), column_names(request.features, every.columns)
    columns = column_names(request.by, every.columns)
    for name in (*targets, *features, *columns):
        if name not in every.columns:
            raise UnknownNameError("column", name, map(str, every.columns))
    for name in targets:
        if name in features:
            raise UsageError(f"{name!r} is the target and a feature, expected different columns")
    conditions = {c: [v] if isinstance(v, str) else list(v) for c, v in (request.where or {}).items()}
    rows = every[accepted_rows(every, conditions)].reset_index(drop=True)
    if rows.empty:
        raise UsageError(f"no rows left of {len(every):,}, expected at least one")
    of_subjects = np.ones(len(rows), dtype=bool) if "strategy" in (*features, *columns) else subjects(rows)
    notes = []
    if not of_subjects.all():
        notes.append(f"{int((~of_subjects).sum()):,} rows of seats that a strategy plays are left out")
        rows = rows[of_subjects].reset_index(drop=True)
    groups = grouping(rows, columns)
    explanations, skipped = [], []
    for g, values in enumerate(groups.values):
        group = dict(zip(groups.columns, values, strict=True))
        part = rows[groups.codes == g].reset_index(drop=True)
        for name in targets:
            try:
                explanation = _one(part, name, features, request)
            except (UsageError, DataError) as error:
                if len(targets) * len(groups) == 1:
                    raise
                skipped.append({"target": name, "group": group, "why": str(error)})
                continue
            explanation = replace(explanation, notes=(*notes, *explanation.notes))
            explanations.append(Explained(group, explanation))
    if not explanations:
        raise UsageError(f"nothing could be explained: {skipped[0]['why']}")
    config = {
        "source": origin.name if origin is not None else None,
        "targets": list(targets),
        "features": list(features),
        "by": list(columns),
        "where": conditions,
        **request.values(("trees", "seeds", "with_occasion", "seed")),
        "version": __version__,
    }
    single = len(targets) == 1 and not columns
    return ExplainResult(tuple(explanations), tuple(skipped), config, single, origin)


def _one(table: pd.DataFrame, target: str, features: tuple[str, ...], request: ExplainRequest) -> Explanation:
    from intent.behaviour.importance import explain_metric

    notes = []
    y = _numbers(table, target)
    occasions = f"{target}_n"
    if occasions in table.columns:
        without = (table[occasions].to_numpy(dtype=float, na_value=0) == 0) & np.isfinite(y)
        left_out = request.with_occasion
        if without.any():
            what = "left out" if left_out else "counted as they stand (--with-occasion leaves them out)"
            notes.append(f"{int(without.sum()):,} of {len(table):,} rows gave {target} no occasion: {what}")
        if left_out:
            table, y = table[~without].reset_index(drop=True), y[~without]
    unit = design_units(table, conditions=False).unit
    if unit.kind not in ("game", "row"):
        notes.append(f"{unit.line()}: these are left out together")
    settings = request.values(("trees", "seeds", "seed"))
    explanation = explain_metric(table, target, y, features, unit.codes, **settings)
    return replace(explanation, notes=(*notes, *explanation.notes))


def _targets(target: str | Sequence[str], rows: pd.DataFrame) -> tuple[str, ...]:
    names = column_names(target, rows.columns)
    spelled = [one for name in names for one in (BEHAVIOUR if name == "all" else (name,))]
    if not spelled:
        raise UsageError("no target to explain, expected a column such as cooperation_rate")
    return tuple(dict.fromkeys(spelled))


def _numbers(table: pd.DataFrame, target: str) -> NDArray[np.float64]:
    """(n,) values of a numeric or boolean column, NaN where null."""
    try:
        column = pd.to_numeric(table[target].astype(object).where(table[target].notna(), None))
        values = column.to_numpy(dtype=float, na_value=np.nan)
    except (ValueError, TypeError):
        shown = table[target].dropna().iloc[0]
        raise DataError(f"column {target!r} holds {str(shown)[:40]!r}, expected numbers") from None
    if np.isinf(values).any():
        raise DataError(f"column {target!r} row {int(np.flatnonzero(np.isinf(values))[0]) + 1} is infinite")
    return np.asarray(values)


_ACROSS = 3
"""Groups side by side in a figure, at most; several figures share them evenly."""

_DOWN = 6

_TITLES = {"shap_bars": "SHAP importance", "shap_violins": "SHAP values"}


def _draw(
    explanations: Sequence[Explained], folder: Path, config: Mapping[str, Any], image: str, overwrite: bool
) -> list[str]:
    """Draw bars and violins, in files of at most three groups and six metrics; the names of the files."""
    from intent.figures.style import Drawing

    names = []
    for kind, page, draw in drawings(explanations):
        name = f"{kind}{page}.{image}"
        title = f"{_TITLES[kind]} of {', '.join(config['features'])}"
        data = data_line(config["source"], *kept_in_words(config["where"]), nothing="a table")
        sizes = sorted({one.explanation.n for one in explanations})
        number = f"n: {' to '.join(f'{n:,}' for n in dict.fromkeys((sizes[0], sizes[-1])))} rows."
        Drawing(title, draw, [*caption_lines(config, kind), number, data]).write(
            folder / name,
            description=json.dumps(dict(config), ensure_ascii=True, default=str),
            overwrite=overwrite,
        )
        names.append(name)
    return names


def drawings(explanations: Sequence[Explained]) -> Iterator[tuple[str, str, Callable[[], Any]]]:
    """The figures of explanations: shap_bars or shap_violins, ``-1`` where there are several, what draws."""
    grids: list[Any] = list(pages(explanations))
    for kind, draw in (("shap_bars", draw_shap_bars), ("shap_violins", draw_shap_violins)):
        for number, grid in enumerate(grids, start=1):
            yield kind, f"-{number}" if len(grids) > 1 else "", partial(draw, *grid)


def pages(
    explanations: Sequence[Explained],
) -> Iterator[tuple[list[list[Explanation | None]], list[str], list[str | None]]]:
    """Grids of explanations (rows metrics, columns groups) with their names, a figure each."""
    groups = list(dict.fromkeys(tuple(one.group.items()) for one in explanations))
    targets = list(dict.fromkeys(one.explanation.target for one in explanations))
    by_place = {(tuple(o.group.items()), o.explanation.target): o.explanation for o in explanations}
    for down in range(0, len(targets), _DOWN):
        rows = targets[down : down + _DOWN]
        width = -(-len(groups) // -(-len(groups) // _ACROSS))
        for across in range(0, len(groups), width):
            columns = groups[across : across + width]
            grid = [[by_place.get((group, target)) for group in columns] for target in rows]
            yield grid, rows, [" · ".join(str(v) for _, v in group) or None for group in columns]


def caption_lines(config: Mapping[str, Any], kind: str) -> list[str]:
    """What one must know to read figures of a kind, shap_bars or shap_violins."""
    ranks = f" Ranks: smallest and largest over {config['seeds']} seeds, where they differ."
    return [
        f"Random forest of {config['trees']} trees on one column per level. A Shapley value says how far a "
        "feature moves the prediction of a game from the mean prediction; those of a feature's columns are "
        "added up.",
        "R² in: rows that the forest was fitted to; out: games left out (five-fold cross-validation)."
        + (ranks if kind == "shap_bars" else ""),
    ]
