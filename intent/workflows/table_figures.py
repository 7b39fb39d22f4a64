"""From a result table to its figures, each with the numbers that it shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import DataError, UnknownNameError, UsageError
from intent.workflows.figures import FiguresResult, check_settings, figures_folder
from intent.workflows.result_files import data_line, kept_in_words, source_of_table

if TYPE_CHECKING:
    import pandas as pd

    from intent.workflows.figure_subject import Made

__all__ = ["table_figures"]


def table_figures(
    path: str | Path,
    names: Sequence[str] = (),
    folder: str | Path = "figures",
    *,
    by: str | Sequence[str] = (),
    where: Mapping[str, Sequence[str]] | None = None,
    image: str = "png",
    level: float = 0.95,
    bootstrap: int = 2000,
    seed: int = 0,
    overwrite: bool = False,
) -> FiguresResult:
    """Draw figures of a result table: one image and one table (CSV) each.

    Parameters
    ----------
    path : path of a table that a command wrote, as `intent.workflows.result_tables.TABLES` lists them
    names : sequence of str
        Of `TABLE_FIGURES`; none means all that can be made of this table.
    folder : path
    by : str or sequence of str
        Columns that make the groups of labels and metrics; default model, where there is one.
    where : mapping of column -> accepted values, optional
    image : {"png", "svg", "pdf"}
    level, bootstrap, seed : of the intervals that are computed here
    overwrite : bool

    Raises
    ------
    UnknownNameError
        A figure or column that is not there.
    UsageError
        A figure that needs another table, no row left, or a table of which no figure can be made.
    DataError
        The file is no result table, or holds what such a table cannot.
    OutputError
        The folder cannot be written into, or holds a file of that name and `overwrite` is false.
    """
    import numpy as np

    from intent.analysis.means import Intervals
    from intent.logs.conditions import accepted_rows
    from intent.logs.tablefile import read_table
    from intent.recognise.background import was_without_random
    from intent.workflows.result_tables import TABLES, table_kind
    from intent.workflows.table_figure_makers import TABLE_FIGURES, TableSubject

    check_settings(names, TABLE_FIGURES, image=image, level=level, bootstrap=bootstrap)
    kind = table_kind(path)
    if kind is None:
        raise DataError(
            f"{path} is no result table, expected one of {', '.join(kind.name for kind in TABLES)} "
            "(intent figures --list says what writes them)"
        )
    fitting = [name for name, figure in TABLE_FIGURES.items() if kind in figure.needs]
    for name in names:
        if name not in fitting:
            needs = " or ".join(TABLE_FIGURES[name].needs)
            raise UsageError(f"figure {name!r} needs a table of {needs}, got one of {kind}: {path}")
    table, facts = read_table(path)
    kept = table[accepted_rows(table, dict(where or {}))].reset_index(drop=True)
    if kept.empty:
        raise UsageError(f"no rows left of {len(table)}, expected at least one (--where)")
    factors = _factors(by, kept, kind)
    target = figures_folder(folder)
    settings = {**source_of_table(Path(path)), "table": kind, "by": list(factors), "where": dict(where or {})}
    settings |= {"level": level, "bootstrap": bootstrap, "seed": seed}
    n_games = int(kept["game_id"].nunique()) if "game_id" in kept.columns else None
    before = was_without_random(table.columns, facts)
    found = FiguresResult(target, factors, notes=(before,) if before else ())
    rngs = np.random.default_rng(seed).spawn(len(TABLE_FIGURES))
    for (name, figure), rng in zip(TABLE_FIGURES.items(), rngs, strict=True):
        if name not in (names or fitting):
            continue
        subject = TableSubject(kind, kept, facts, factors, Intervals(bootstrap, level), rng)
        try:
            made = figure.make(subject)
            files = None if isinstance(made, str) else _write(made, name, target, settings, image, overwrite)
        except UsageError as error:
            if names:
                raise
            made, files = str(error), None
        if files is None:
            found.skipped.append({"name": name, "game": None, "why": made})
            continue
        found.figures.append({"name": name, "game": None, **files, "n_games": n_games})
    if not found.figures:
        why = "; ".join(f"{s['name']}: {s['why']}" for s in found.skipped)
        raise UsageError(f"no figure can be made of {path} ({why})")
    return found


def _factors(by: str | Sequence[str], table: pd.DataFrame, kind: str) -> tuple[str, ...]:
    """Columns that make the groups, of tables that are not grouped already."""
    from intent.workflows.columns import column_names

    if kind not in ("labels", "metrics"):
        if by:
            raise UsageError(f"--by does not apply to a table of {kind}, whose rows are groups already")
        return ()
    factors = column_names(by, table.columns)
    for name in factors:
        if name not in table.columns:
            raise UnknownNameError("column", name, map(str, table.columns))
    if factors or by:
        return factors
    return ("model",) if "model" in table.columns and table["model"].nunique() > 1 else ()


def _write(
    made: Made, name: str, folder: Path, settings: Mapping[str, Any], image: str, overwrite: bool
) -> dict[str, Any]:
    """Image and table of one figure; their names."""
    from intent.version import __version__
    from intent.workflows.figure_files import write_made

    return write_made(
        made,
        folder / f"{name}.{image}",
        title=made.title,
        lines=[*made.lines, data_line(settings["source"], *kept_in_words(settings["where"]))],
        facts={"kind": "figure of a table", "figure": name, **settings, "version": __version__},
        overwrite=overwrite,
    )
