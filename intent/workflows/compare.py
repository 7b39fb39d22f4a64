"""From a table of labels, metrics or anything else to a comparison of groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import DataError, UnknownNameError, UsageError
from intent.workflows.compare_result import CompareResult
from intent.workflows.interval_settings import check_bootstrap, check_level
from intent.workflows.result_files import check_output, kept_in_words

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

__all__ = ["CompareResult", "check_output", "compare"]

_GZIP = b"\x1f\x8b"


def compare(
    table: pd.DataFrame | str | Path,
    by: str | Sequence[str] = (),
    *,
    count: str = "status",
    metric: str | None = None,
    gate: str | None = None,
    cluster: str | Sequence[str] = ("game_id",),
    bootstrap: int = 2000,
    permutations: int = 2000,
    level: float = 0.95,
    pairwise: bool = False,
    seed: int = 0,
    where: Mapping[str, Sequence[str]] | None = None,
) -> CompareResult:
    """Strategy shares, or the mean of a number, by group: intervals and tests.

    Parameters
    ----------
    table : DataFrame or path
        Labels, metrics, or any table (.parquet, .csv, .jsonl, .csv.gz, .jsonl.gz).
    by : str or sequence of str
        Columns whose joint values make the groups; a comma in text separates columns.
    count : str
        How labels are counted: status, posterior, split or best.
    metric : str, optional
        A numeric or boolean column: compare its mean instead of shares.
    gate : str, optional
        ``game``: only games whose labelled seats all are confident; ``trajectory``: only confident labels.
    cluster : str or sequence of str
        Rows with the same values here are no independent observations; empty for independent rows.
    bootstrap, permutations : int
        Samples for intervals; permutations per test (0: none).
    level : float in (0, 1)
        Coverage of the intervals; tests speak at 1 - level.
    pairwise : bool
        Test every two groups against each other too.
    seed : int
        Same seed, same result.
    where : mapping of column -> accepted values, optional
        Rows to keep. The gate is applied before.

    Raises
    ------
    UnknownNameError
        A column that the table does not have.
    UsageError
        A setting that cannot be, no rows left, or a column that makes no groups.
    DataError
        The table is not readable, holds no labels, or the metric is no number.
    """
    import numpy as np

    from intent.analysis.cautions import identical_repeats, repeated_players
    from intent.analysis.compare import Settings, compare_means, compare_shares
    from intent.analysis.groups import cluster_codes
    from intent.analysis.shares import gate_rows, outcomes, strategy_classes
    from intent.logs.conditions import accepted_rows
    from intent.workflows.columns import column_names

    check_level(level)
    check_bootstrap(bootstrap)
    if permutations < 0:
        raise UsageError(f"--permutations {permutations}, expected 0 or more")
    rows, source, provenance = _loaded(table)
    factors = column_names(by, rows.columns)
    clusters, notes = column_names(cluster, rows.columns), []
    if clusters == ("game_id",) and "game_id" not in rows.columns:
        clusters = ()
        notes.append("no column game_id: rows are taken as independent (see --cluster)")
    conditions = {column: [v] if isinstance(v, str) else list(v) for column, v in (where or {}).items()}
    keep = gate_rows(rows, gate) & accepted_rows(rows, conditions)  # type: ignore[arg-type]
    rows = rows[keep].reset_index(drop=True)
    kept = _kept(conditions, gate)
    if rows.empty:
        raise UsageError(
            f"no rows left of {len(keep)} ({'; '.join(kept) or 'the table is empty'}), expected at least one"
        )
    settings = Settings(bootstrap, permutations, level, pairwise, _unit(clusters))
    rng = np.random.default_rng(seed)
    if metric is None:
        classes = strategy_classes(rows, provenance)
        counted = outcomes(rows, count, classes=classes)  # type: ignore[arg-type]
        codes = cluster_codes(rows, clusters)
        found = compare_shares(rows, factors, counted, codes, count=count, settings=settings, rng=rng)
        notes += [caution for caution in (identical_repeats(rows, classes=classes),) if caution]
    else:
        values = _numbers(rows, metric)
        known = ~np.isnan(values)
        if not known.any():
            within = f" ({'; '.join(kept)})" if kept else ""
            raise UsageError(f"column {metric!r} has no value in any of {len(rows)} rows{within}")
        if not known.all():
            notes.append(f"{int((~known).sum())} of {len(rows)} rows have no {metric} and are left out")
        rows = rows[known].reset_index(drop=True)
        codes = cluster_codes(rows, clusters)
        found = compare_means(rows, factors, values[known], codes, metric=metric, settings=settings, rng=rng)
    players = repeated_players(rows, codes, (*factors, *clusters))
    notes += [players] if players else []
    config = {
        **source,
        "games": sorted(map(str, rows["game"].dropna().unique())) if "game" in rows.columns else [],
        "kept": kept,
        "by": list(factors),
        **({"count": count} if metric is None else {"metric": metric}),
        "gate": gate,
        "where": conditions,
        "cluster": list(clusters),
        "bootstrap": bootstrap,
        "permutations": permutations,
        "level": level,
        "pairwise": pairwise,
        "seed": seed,
    }
    origin = Path(table) if isinstance(table, str | Path) else None
    return CompareResult(found, config, (*notes, *found.notes), origin)


def _loaded(table: pd.DataFrame | str | Path) -> tuple[pd.DataFrame, dict[str, Any], Any]:
    """The rows, where they come from, and what they say on how they were made."""
    from intent.version import __version__

    if not isinstance(table, str | Path):
        return (
            table,
            {"source": None, "sha256": None, "version": __version__},
            table.attrs.get("provenance"),
        )
    import hashlib

    rows, metadata = _read(Path(table))
    with Path(table).open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return rows, {"source": Path(table).name, "sha256": digest, "version": __version__}, metadata


def _read(path: Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    """A table and its metadata; text may be compressed by gzip, whatever the name says."""
    from tempfile import TemporaryDirectory

    from intent.logs.tablefile import read_table
    from intent.logs.textfile import TextFile, file_head

    name = path.name.removesuffix(".gz")
    text = Path(name).suffix in (".csv", ".jsonl")
    if not text or (name == path.name and file_head(path, len(_GZIP)) != _GZIP):
        return read_table(path)
    with TemporaryDirectory() as folder:
        plain = Path(folder) / name
        plain.write_bytes(TextFile(path).data)
        companion = path.with_name(f"{path.name}.meta.json")
        if companion.is_file():
            plain.with_name(f"{name}.meta.json").write_bytes(companion.read_bytes())
        return read_table(plain)


def _numbers(table: pd.DataFrame, metric: str) -> NDArray[np.float64]:
    """(n,) values of a numeric or boolean column, NaN where null."""
    import numpy as np
    import pandas as pd

    if metric not in table.columns:
        raise UnknownNameError("column", metric, map(str, table.columns))
    column = table[metric]
    if (
        column.dtype == object
        and column.dropna().map(lambda cell: isinstance(cell, bool | int | float)).all()
    ):
        column = column.astype("Float64")
    if not pd.api.types.is_numeric_dtype(column.dtype):
        shown = column.dropna().iloc[0] if column.notna().any() else "nothing"
        raise DataError(
            f"column {metric!r} holds {str(shown)!r}, expected numbers or truth values for --metric"
        )
    values = column.to_numpy(dtype=float, na_value=np.nan)
    if np.isinf(values).any():
        raise DataError(f"column {metric!r} row {int(np.flatnonzero(np.isinf(values))[0]) + 1} is infinite")
    return np.asarray(values)


def _unit(clusters: Sequence[str]) -> str:
    """What the clusters are, in words."""
    if not clusters:
        return "rows"
    return "games" if tuple(clusters) == ("game_id",) else f"clusters of {' × '.join(clusters)}"


def _kept(where: Mapping[str, Sequence[str]], gate: str | None) -> list[str]:
    """Which rows were kept, for messages and captions."""
    return kept_in_words(where) + ([f"gate: {gate}"] if gate else [])
