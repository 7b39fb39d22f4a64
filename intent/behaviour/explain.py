"""From a table of metrics to what drives them: a random forest, Shapley values, fit and stability.

What `explain` returns: values, text, tables, figures.

Figures of explanations: bars and violins, metrics from top to bottom, groups side by side.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import DataError, UnknownNameError, UsageError
from intent.base.json_text import json_values
from intent.base.result import data_line, kept_in_words
from intent.version import __version__

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.behaviour.importance import Explanation, Importance


__all__ = [
    "BEHAVIOUR",
    "ExplainResult",
    "Explained",
    "caption_lines",
    "draw_explained",
    "drawings",
    "explain",
    "pages",
]


@dataclass(frozen=True, eq=False)
class Explained:
    """A metric explained in a group."""

    group: Mapping[str, Any]
    explanation: Explanation


@dataclass(frozen=True, eq=False)
class ExplainResult:
    """Explanations, with what is needed to say how they came about.

    Parameters
    ----------
    parts : Explained of every group and metric
    skipped : mappings of target, group, why
    config : the resolved settings and version, JSON-able; kept in every file written
    single : whether it is one metric of all rows
    origin : the table that was read, if it was a file
    files : names within the folder, once written
    """

    parts: tuple[Explained, ...]
    skipped: tuple[Mapping[str, Any], ...]
    config: Mapping[str, Any]
    single: bool
    origin: Path | None = None
    files: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """The object of ``intent explain --json``, as `codebook.JSON_OBJECTS` and its extras describe it."""
        figures = [name for name in self.files if not name.endswith((".csv", ".json"))]
        found = [_facts(one.explanation, figures) for one in self.parts]
        if self.single:
            alone: dict[str, Any] = json_values(found[0])
            return alone
        listed = [{"group": dict(o.group), **facts} for o, facts in zip(self.parts, found, strict=True)]
        several: dict[str, Any] = json_values(
            {"explanations": listed, "skipped": [dict(one) for one in self.skipped]}
        )
        return several

    def table(self) -> pd.DataFrame:
        """One row per group, metric and feature."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    **one.group,
                    "target": one.explanation.target,
                    "n": one.explanation.n,
                    "feature": found.feature,
                    "mean_abs_shap": found.mean_abs_shap,
                    "share": found.share,
                    "rank_low": found.rank_low,
                    "rank_high": found.rank_high,
                    "r2_in": one.explanation.r2_in,
                    "r2_out": one.explanation.r2_out,
                }
                for one in self.parts
                for found in one.explanation.ranking
            ]
        )

    def levels(self) -> pd.DataFrame:
        """One row per group, metric, feature and level."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    **one.group,
                    "target": one.explanation.target,
                    "feature": found.feature,
                    "level": level.name,
                    "mean_shap": level.mean_shap,
                    "mean_target": level.mean_target,
                    "n_rows": level.n,
                }
                for one in self.parts
                for found in one.explanation.ranking
                for level in found.levels
            ]
        )

    def texts(self) -> Iterator[tuple[str, list[str], list[list[object]], list[str]]]:
        """For people: title, header, rows and remarks of each explanation."""
        for one in self.parts:
            found = one.explanation
            within = ", ".join(f"{k} = {v}" for k, v in one.group.items())
            title = f"{found.target}{f' ({within})' if within else ''}: {found.n:,} rows, {found.trees} trees"
            header = ["feature", "mean |SHAP|", "share", "rank", "levels: mean SHAP (mean of the metric)"]
            yield title, header, [_row(feature) for feature in found.ranking], _words(found)
        for lost in self.skipped:
            within = ", ".join(f"{k} = {v}" for k, v in lost["group"].items())
            yield f"{lost['target']} ({within}): {lost['why']}", [], [], []

    def write(self, folder: str | Path, *, image: str = "png", overwrite: bool = False) -> Path:
        """Write ``explain.json``, ``importance.csv``, ``levels.csv`` and the figures into a folder.

        Raises
        ------
        UnknownNameError
            Another kind of image.
        OutputError
            A file is there and may not be replaced, or cannot be written.
        """
        from intent.base.errors import UnknownNameError
        from intent.base.files import claim
        from intent.base.json_text import write_object
        from intent.base.tables import write_table

        if image not in ("png", "svg", "pdf"):
            raise UnknownNameError("kind of image", image, ("png", "svg", "pdf"))
        target = claim(folder, overwrite=True, into=True)
        facts = {"kind": "explain", **self.config}
        self.files.clear()
        for name, rows in (("importance.csv", self.table()), ("levels.csv", self.levels())):
            write_table(rows, target / name, facts, overwrite=overwrite)
            self.files.append(name)
        self.files.extend(draw_explained(self.parts, target, self.config, image=image, overwrite=overwrite))
        told = {**self.to_dict(), "config": json_values(dict(self.config))}
        write_object(target / "explain.json", told, overwrite=overwrite)
        self.files.append("explain.json")
        return target


def _facts(found: Explanation, figures: list[str]) -> dict[str, Any]:
    stable = found.stability
    return {
        "target": found.target,
        "n": found.n,
        "trees": found.trees,
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
            for one in found.ranking
        ],
        "r2_in": found.r2_in,
        "r2_out": found.r2_out,
        "stability": {
            "seeds": stable.seeds,
            "rank_correlation": stable.rank_correlation,
            "r2_in": dict(zip(("mean", "low", "high"), stable.r2_in, strict=True)),
            "r2_out": dict(zip(("mean", "low", "high"), stable.r2_out, strict=True)),
        },
        "figures": figures,
        "notes": list(found.notes),
    }


def _row(one: Importance) -> list[object]:
    levels = ", ".join(f"{lv.name} {lv.mean_shap:+.3f} ({lv.mean_target:.3f})" for lv in one.levels)
    rank = "–" if one.rank_low is None else f"{one.rank_low}–{one.rank_high}"
    share = "–" if one.share != one.share else f"{one.share:.0%}"
    return [one.feature, f"{one.mean_abs_shap:.4f}", share, rank, levels]


def _words(found: Explanation) -> list[str]:
    lines = list(found.notes)
    if found.r2_in == found.r2_in:
        out = "" if found.r2_out != found.r2_out else f", {found.r2_out:.3f} on games left out"
        lines.insert(0, f"R² {found.r2_in:.3f} on the rows fitted{out}")
        if found.r2_out == found.r2_out and found.r2_out < 0.1:
            lines.append(
                "the features say next to nothing about games left out: importances are fitted noise"
            )
        tau = found.stability.rank_correlation
        if tau == tau:
            lines.append(f"Kendall's tau between the rankings of {found.stability.seeds} seeds: {tau:.2f}")
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


def explain(
    table: pd.DataFrame | str | Path,
    target: str | Sequence[str] = "cooperation_rate",
    features: str | Sequence[str] = ("attitude", "opponent", "rounds", "game"),
    *,
    by: str | Sequence[str] = (),
    where: Mapping[str, Sequence[str]] | None = None,
    trees: int = 10,
    seeds: int = 20,
    with_occasion: bool = False,
    seed: int = 0,
) -> ExplainResult:
    """Fit a random forest to each metric in each group, and divide its predictions among the features.

    Where models play some of the seats, rows of the other ones (strategies, people) are left out and counted
    in the notes, unless ``strategy`` is among the columns.

    Parameters
    ----------
    table : DataFrame, or the path of one (.parquet, .csv, .jsonl)
        Such as `intent metrics` writes; any other with the columns named will do.
    target : str or sequence of str
        Numeric columns; ``all`` stands for `BEHAVIOUR`.
    features : str or sequence of str
        Columns; text and numbers of at most 12 values enter as levels.
    by : str or sequence of str
        Columns whose joint values make groups, each explained apart.
    where : mapping of column -> accepted values, optional
    trees : int
        Of each forest.
    seeds : int
        Forests from which the stability of the ranking is judged.
    with_occasion : bool
        Leave out rows whose column ``<target>_n`` is 0: trajectories in which the metric had no occasion.
    seed : int
        random_state of the explained forest; the others follow.

    Returns
    -------
    ExplainResult

    Raises
    ------
    UnknownNameError
        A column that the table does not have.
    UsageError
        No rows, a target that is a feature, a setting that cannot be.
    DataError
        A file that is no table, or a target that is no number.

    References
    ----------
    Cremonini 2025, The Agent's Dilemma, section 2.4.4; Lundberg et al. 2020, Nature Machine Intelligence
    2:56.
    """
    import numpy as np

    from intent.base.codebook import column_names
    from intent.base.statistics.groups import grouping
    from intent.base.tables import read_table
    from intent.behaviour.play_table import subjects
    from intent.logs.gamelog import accepted_rows

    rows, source = (
        (read_table(table)[0], Path(table).name) if isinstance(table, str | Path) else (table, None)
    )
    targets, given = _targets(target, rows), column_names(features, rows.columns)
    columns = column_names(by, rows.columns)
    for name in (*targets, *given, *columns):
        if name not in rows.columns:
            raise UnknownNameError("column", name, map(str, rows.columns))
    for name in targets:
        if name in given:
            raise UsageError(f"{name!r} is the target and a feature, expected different columns")
    conditions = {column: [v] if isinstance(v, str) else list(v) for column, v in (where or {}).items()}
    kept = rows[accepted_rows(rows, conditions)].reset_index(drop=True)
    if kept.empty:
        raise UsageError(f"no rows left of {len(rows):,}, expected at least one")
    meant = np.ones(len(kept), dtype=bool) if "strategy" in (*given, *columns) else subjects(kept)
    notes = []
    if not meant.all():
        notes.append(f"{int((~meant).sum()):,} rows of seats that no model plays are left out")
        kept = kept[meant].reset_index(drop=True)
    groups = grouping(kept, columns)
    parts, skipped = [], []
    for g, values in enumerate(groups.values):
        group = dict(zip(groups.columns, values, strict=True))
        part = kept[groups.codes == g].reset_index(drop=True)
        for name in targets:
            try:
                found = _one(part, name, given, trees, seeds, seed, with_occasion)
                found = replace(found, notes=(*notes, *found.notes))
            except (UsageError, DataError) as error:
                if len(targets) * len(groups) == 1:
                    raise
                skipped.append({"target": name, "group": group, "why": str(error)})
                continue
            parts.append(Explained(group, found))
    if not parts:
        raise UsageError(f"nothing could be explained: {skipped[0]['why']}")
    config = {
        "source": source,
        "targets": list(targets),
        "features": list(given),
        "by": list(columns),
        "where": conditions,
        "trees": trees,
        "seeds": seeds,
        "with_occasion": with_occasion,
        "seed": seed,
        "version": __version__,
    }
    origin = Path(table) if isinstance(table, str | Path) else None
    return ExplainResult(tuple(parts), tuple(skipped), config, _single(targets, columns), origin)


def _one(
    table: pd.DataFrame,
    target: str,
    features: tuple[str, ...],
    trees: int,
    seeds: int,
    seed: int,
    with_occasion: bool,
) -> Any:
    import numpy as np

    from intent.behaviour.importance import explain_metric
    from intent.estimate.design_units import design_units

    notes = []
    y = _numbers(table, target)
    occasions = f"{target}_n"
    if occasions in table.columns:
        without = (table[occasions].to_numpy(dtype=float, na_value=0) == 0) & np.isfinite(y)
        if without.any():
            what = "left out" if with_occasion else "counted as they stand (--with-occasion leaves them out)"
            notes.append(f"{int(without.sum()):,} of {len(table):,} rows gave {target} no occasion: {what}")
        if with_occasion:
            table, y = table[~without].reset_index(drop=True), y[~without]
    unit = design_units(table, conditions=False).unit
    games = unit.codes
    if unit.kind not in ("game", "row"):
        notes.append(f"{unit.line()}: these are left out together")
    found = explain_metric(table, target, y, features, games, trees=trees, seeds=seeds, seed=seed)
    return replace(found, notes=(*notes, *found.notes))


def _targets(target: str | Sequence[str], rows: pd.DataFrame) -> tuple[str, ...]:
    from intent.base.codebook import column_names

    names = column_names(target, rows.columns)
    spelled = [one for name in names for one in (BEHAVIOUR if name == "all" else (name,))]
    if not spelled:
        raise UsageError("no target to explain, expected a column such as cooperation_rate")
    return tuple(dict.fromkeys(spelled))


def _single(targets: Sequence[str], by: Sequence[str]) -> bool:
    return len(targets) == 1 and not by


def _numbers(table: pd.DataFrame, target: str) -> NDArray[np.float64]:
    """(n,) values of a numeric or boolean column, NaN where null."""
    import numpy as np
    import pandas as pd

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


def draw_explained(
    parts: Sequence[Explained],
    folder: Path,
    config: Mapping[str, Any],
    *,
    image: str,
    overwrite: bool,
) -> list[str]:
    """Draw bars and violins, in files of at most three groups and six metrics; the names of the files.

    Raises
    ------
    OutputError
        A file is there and may not be replaced, or cannot be written.
    """
    from intent.figures.style import write_play_figure

    names = []
    for kind, page, draw in drawings(parts):
        name = f"{kind}{page}.{image}"
        write_play_figure(
            draw,
            folder / name,
            title=f"{_TITLES[kind]} of {', '.join(config['features'])}",
            lines=[
                *caption_lines(config, kind),
                data_line(config["source"], *kept_in_words(config["where"]), nothing="a table"),
            ],
            description=json.dumps(dict(config), ensure_ascii=True, default=str),
            overwrite=overwrite,
        )
        names.append(name)
    return names


def drawings(parts: Sequence[Explained]) -> Iterator[tuple[str, str, Callable[[], Any]]]:
    """The figures of explanations: shap_bars or shap_violins, ``-1`` where there are several, what draws."""
    from intent.behaviour.explanation_figures import draw_shap_bars, draw_shap_violins

    grids: list[Any] = list(pages(parts))
    for kind, draw in (("shap_bars", draw_shap_bars), ("shap_violins", draw_shap_violins)):
        for number, grid in enumerate(grids, start=1):
            yield kind, f"-{number}" if len(grids) > 1 else "", partial(draw, *grid)


def pages(
    parts: Sequence[Explained],
) -> Iterator[tuple[list[list[Explanation | None]], list[str], list[str | None]]]:
    """Grids of explanations (rows metrics, columns groups) with their names, a figure each."""
    groups = list(dict.fromkeys(tuple(one.group.items()) for one in parts))
    targets = list(dict.fromkeys(one.explanation.target for one in parts))
    found = {(tuple(o.group.items()), o.explanation.target): o.explanation for o in parts}
    for down in range(0, len(targets), _DOWN):
        rows = targets[down : down + _DOWN]
        width = -(-len(groups) // -(-len(groups) // _ACROSS))
        for across in range(0, len(groups), width):
            columns = groups[across : across + width]
            grid = [[found.get((group, target)) for group in columns] for target in rows]
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
