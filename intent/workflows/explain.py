"""From a table of metrics to what drives them: a random forest, Shapley values, fit and stability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import DataError, UnknownNameError, UsageError
from intent.version import __version__
from intent.workflows.explain_result import Explained, ExplainResult

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

__all__ = ["BEHAVIOUR", "ExplainResult", "explain"]

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

    from intent.analysis.groups import grouping
    from intent.analysis.subjects import subjects
    from intent.logs.conditions import accepted_rows
    from intent.logs.tablefile import read_table
    from intent.workflows.columns import column_names

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

    from intent.analysis.explaining.importance import explain_metric
    from intent.analysis.unit import design_units

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
    from intent.workflows.columns import column_names

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
