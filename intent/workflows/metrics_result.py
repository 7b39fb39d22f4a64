"""What the metrics of a log return: means by group, the table or where it is, files as their suffix says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from intent.errors import OutputError
from intent.version import __version__
from intent.workflows.json_values import json_values
from intent.workflows.result_files import write_result

if TYPE_CHECKING:
    import pandas as pd

    from intent.analysis.bootstrap import Interval
    from intent.analysis.metrics.group_means import GroupMeans

__all__ = ["MetricMeans", "MetricsResult", "StreamedMetrics", "metrics_config"]


@dataclass(frozen=True, eq=False, kw_only=True)
class MetricMeans:
    """Means of the metrics of a log.

    Parameters
    ----------
    n, n_games : trajectories, and games that have rows
    by : columns that make the groups
    groups : means of the metrics, by group
    questions : means of the columns of comprehension questions, by group
    asked : names of these questions
    skipped : mapping of reason -> number of games without rows
    config : the resolved settings, version and hash of the log, JSON-able; kept in every file written
    notes : what a reader should be warned of
    origin : the log that was read, if it was a file; never written over
    unit, unit_line : what intervals take as independent, and a line that says why
    """

    n: int
    n_games: int
    by: tuple[str, ...]
    groups: tuple[GroupMeans, ...]
    questions: tuple[GroupMeans, ...] = ()
    asked: tuple[str, ...] = ()
    skipped: Mapping[str, int]
    config: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    origin: Path | None = None
    unit: str = "games"
    unit_line: str = ""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.n:,} trajectories, {len(self.groups)} groups>"

    def to_dict(self, path: str | Path | None = None) -> dict[str, Any]:
        """The object of ``intent metrics --json``.

        Parameters
        ----------
        path : where the table was written, if it was
        """
        found: dict[str, Any] = json_values(
            {
                "path": None if path is None else str(path),
                "n": self.n,
                "n_games": self.n_games,
                "by": self.by,
                "groups": [
                    {
                        "group": dict(zip(self.by, group.values, strict=True)),
                        "n": group.n,
                        "n_games": group.n_games,
                        **{
                            name: {
                                **_ends(mean.all),
                                "n": mean.n,
                                "estimate_with_occasion": mean.occasion.estimate,
                            }
                            for name, mean in group.means.items()
                        },
                    }
                    for group in self.groups
                ],
                "questions": [
                    {
                        "group": dict(zip(self.by, group.values, strict=True)),
                        "question": name,
                        "n": group.means[f"{name}_correct"].n,
                        "correct": _ends(group.means[f"{name}_correct"].all),
                        "misunderstood": _ends(group.means[f"{name}_misunderstood"].all),
                    }
                    for group in self.questions
                    for name in self.asked
                    if f"{name}_correct" in group.means
                ],
                "skipped": dict(self.skipped),
                "unit": self.unit,
                "unit_line": self.unit_line,
            }
        )
        return found

    def rows(self, most: int | None = None) -> tuple[list[str], list[list[object]]]:
        """Header and rows of the table of means for people.

        Parameters
        ----------
        most : int, optional
            Groups that are shown, in their order; default: all.
        """
        header = [*self.by, "metric", "n", "mean", "with occasion", "mean of these"]
        rows: list[list[object]] = []
        for group in self.groups[:most]:
            for name, mean in group.means.items():
                known = [*map(str, group.values), name, f"{mean.valued:,}", _shown(mean.all)]
                rows.append([*known, f"{mean.n:,}", _shown(mean.occasion) if mean.n else "–"])
        return header, rows

    def question_rows(self, most: int | None = None) -> tuple[list[str], list[list[object]]]:
        """Header and rows of the table of comprehension for people, of as many groups."""
        rows: list[list[object]] = []
        for group in self.questions[:most]:
            for name in self.asked:
                if f"{name}_correct" in group.means:
                    right, lost = (group.means[f"{name}_{what}"] for what in ("correct", "misunderstood"))
                    told = [f"{right.n:,}", _shown(right.all), _shown(lost.all)]
                    rows.append([*map(str, group.values), name, *told])
        return [*self.by, "question", "n", "correct", "misunderstood"], rows

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the object of the means (.json).

        Raises
        ------
        OutputError
            Another suffix, or a path that cannot be written.
        """
        if Path(path).suffix != ".json":
            raise OutputError(f"cannot write {path}: only means are in memory, expected a .json file")
        return _written(self, path, overwrite)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class MetricsResult(MetricMeans):
    """Metrics of a log, in memory.

    Parameters
    ----------
    table : DataFrame as `schema.METRICS`
    """

    table: pd.DataFrame

    def write(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the table (.parquet, .csv, .jsonl) or the object of the means (.json).

        Raises
        ------
        OutputError
            Another suffix, or a path that cannot be written.
        """
        return _written(self, path, overwrite, self.table)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class StreamedMetrics(MetricMeans):
    """Metrics of a log, written but not in memory.

    Parameters
    ----------
    path : Path of the table as `schema.METRICS`, or None where only the means were wanted
    """

    path: Path | None


def metrics_config(
    log: Mapping[str, Any],
    by: Sequence[str],
    *,
    where: Mapping[str, Sequence[str]] | None,
    **settings: Any,
) -> dict[str, Any]:
    """The resolved settings of metrics, as they are kept with every result.

    Parameters
    ----------
    log : provenance of the log
    by : columns that make the groups
    where : mapping of column -> accepted values
    **settings : cluster, bootstrap, level, rescore, others, keep_defaulted and seed
    """
    kept = {column: list(values) for column, values in (where or {}).items()}
    order = ("bootstrap", "level", "rescore", "others", "keep_defaulted")
    return {
        "kind": "metrics",
        "log": log,
        "by": list(by),
        "cluster": list(settings["cluster"]),
        **{name: settings[name] for name in order},
        "where": kept,
        "seed": settings["seed"],
        "version": __version__,
    }


def _written(
    result: MetricMeans, path: str | Path, overwrite: bool, table: pd.DataFrame | None = None
) -> Path:
    from intent.workflows.metrics import claim_outputs

    claim_outputs([Path(path)], overwrite=overwrite, source=result.origin)
    return write_result(
        path,
        figure=Path,
        table=lambda: cast(Any, table),
        payload=lambda: {**result.to_dict(), "notes": list(result.notes), "config": dict(result.config)},
        facts={**result.config, "skipped": dict(result.skipped)},
        origin=result.origin,
        overwrite=overwrite,
    )


def _ends(interval: Interval) -> dict[str, float]:
    return {"estimate": interval.estimate, "low": interval.low, "high": interval.high}


def _shown(interval: Interval) -> str:
    """``0.512 [0.480, 0.540]``, without brackets where there is no interval."""
    digits = 3 if abs(interval.estimate) < 1000 else 1
    if interval.low != interval.low:
        return f"{interval.estimate:.{digits}f}"
    return f"{interval.estimate:.{digits}f} [{interval.low:.{digits}f}, {interval.high:.{digits}f}]"
