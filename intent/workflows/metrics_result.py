"""What the metrics of a log return: the table, means by group, and files as their suffix says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.workflows.json_values import json_values
from intent.workflows.result_files import write_result

if TYPE_CHECKING:
    import pandas as pd

    from intent.analysis.bootstrap import Interval
    from intent.analysis.metrics.group_means import GroupMeans

__all__ = ["MetricsResult"]


@dataclass(frozen=True, eq=False)
class MetricsResult:
    """Metrics of a log.

    Parameters
    ----------
    table : DataFrame as `schema.METRICS`
    by : columns that make the groups
    groups : means of the metrics, by group
    questions : means of the columns of comprehension questions, by group
    asked : names of these questions
    skipped : mapping of reason -> number of games without rows
    config : the resolved settings, version and hash of the log, JSON-able; kept in every file written
    notes : what a reader should be warned of
    origin : the log that was read, if it was a file; never written over
    """

    table: pd.DataFrame
    by: tuple[str, ...]
    groups: tuple[GroupMeans, ...]
    questions: tuple[GroupMeans, ...]
    asked: tuple[str, ...]
    skipped: Mapping[str, int]
    config: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    origin: Path | None = None

    def __repr__(self) -> str:
        return f"<MetricsResult: {len(self.table):,} trajectories, {len(self.groups)} groups>"

    @property
    def n_games(self) -> int:
        """Games that have rows."""
        return int(self.table["game_id"].nunique())

    def to_dict(self, path: str | Path | None = None) -> dict[str, Any]:
        """The object of ``intent metrics --json``.

        Parameters
        ----------
        path : where the table was written, if it was
        """
        found: dict[str, Any] = json_values(
            {
                "path": None if path is None else str(path),
                "n": len(self.table),
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
        """Write the table (.parquet, .csv, .jsonl) or the object of the means (.json).

        Raises
        ------
        OutputError
            Another suffix, or a path that cannot be written.
        """
        from intent.workflows.metrics import claim_outputs

        claim_outputs([Path(path)], overwrite=overwrite, source=self.origin)
        return write_result(
            path,
            figure=Path,
            table=lambda: self.table,
            payload=lambda: {**self.to_dict(), "notes": list(self.notes), "config": dict(self.config)},
            facts={**self.config, "skipped": dict(self.skipped)},
            origin=self.origin,
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
