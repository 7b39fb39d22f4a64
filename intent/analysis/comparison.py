"""The result of a comparison, as values, as the JSON object that scripts rely on, and as a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from intent.analysis.bootstrap import Interval
from intent.analysis.hypothesis import Hypothesis
from intent.analysis.quality import Quality

__all__ = ["Comparison", "ErrorInterval", "Group", "Within", "group_name"]

_SHOWN = 4
"""Groups that are named in a summary."""


@dataclass(frozen=True)
class ErrorInterval(Interval):
    """An estimate with its standard error, where the method gives one."""

    se: float | None = None


@dataclass(frozen=True)
class Group:
    """One group of rows.

    Parameters
    ----------
    values : tuple
        Value of every factor.
    n : int
        Rows.
    n_clusters : int
        Clusters they come from, as games.
    n_effective : float
        Independent rows that would be worth as much, at most `n`.
    intervals : tuple of Interval
        One per outcome, or the one mean.
    sd : float or None
        Standard deviation of the metric over rows (n - 1), None for shares.
    quality : Quality or None
        Of the moves behind the rows; None where the log is not at hand.
    """

    values: tuple[Any, ...]
    n: int
    n_clusters: int
    n_effective: float
    intervals: tuple[Interval, ...]
    sd: float | None = None
    quality: Quality | None = None


@dataclass(frozen=True)
class Within:
    """What a factor is compared at equal values of.

    Parameters
    ----------
    factor : str
    columns : tuple of str
        Rows that are alike in them make a block.
    n_blocks : int
    n_informative : int
        Rows of blocks in which the factor has two values or more.
    """

    factor: str
    columns: tuple[str, ...]
    n_blocks: int
    n_informative: int


@dataclass(frozen=True)
class Comparison:
    """Groups, their shares or means, and the tests between them.

    Parameters
    ----------
    by : tuple of str
        Columns that make the groups.
    count : str or None
        How labels were counted (None for a metric).
    metric : str or None
        The numeric column (None for shares).
    level : float
        Coverage of the intervals.
    outcomes : tuple of str
        What `Group.intervals` are of, in order.
    groups : tuple of Group
    tests : tuple of Hypothesis
    unit : str
        What intervals resample and permutations exchange: games, rows, or clusters.
    notes : tuple of str
        What a reader should be warned of.
    within : tuple of Within
        Blocks of the tests within blocks, one for each factor that has some.
    n_clusters : int or None
        Clusters of all groups together: one may have rows in several groups.
    n_effective : float or None
        Independent rows that all rows would be worth.
    bounded : bool
        Whether all values of the metric lie in [0, 1], so that intervals are those of shares.
    """

    by: tuple[str, ...]
    count: str | None
    metric: str | None
    level: float
    outcomes: tuple[str, ...]
    groups: tuple[Group, ...]
    tests: tuple[Hypothesis, ...]
    unit: str = "games"
    notes: tuple[str, ...] = ()
    within: tuple[Within, ...] = ()
    n_clusters: int | None = None
    n_effective: float | None = None
    bounded: bool = False

    def __repr__(self) -> str:
        return f"<Comparison: {self.summary()}>"

    def summary(self) -> str:
        """What was compared, in one line: ``shares (count status) by model: A, B; n = 120``."""
        what = f"mean {self.metric}" if self.metric else f"shares (count {self.count})"
        names = [group_name(group.values) for group in self.groups]
        shown = ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" * (len(names) > _SHOWN))
        groups = f" by {', '.join(self.by)}: {shown}" if self.by else ""
        return f"{what}{groups}; n = {sum(group.n for group in self.groups):,}"

    def to_dict(self) -> dict[str, Any]:
        """The object that ``intent compare --json`` prints, as `schema.JSON_OBJECTS` describes it."""
        kind = {"count": self.count} if self.metric is None else {"metric": self.metric}
        groups = []
        for group in self.groups:
            item: dict[str, Any] = {
                "group": dict(zip(self.by, group.values, strict=True)),
                "n": group.n,
                "n_effective": group.n_effective,
            }
            intervals = [{k: _finite(v) for k, v in asdict(i).items()} for i in group.intervals]
            if self.metric is None:
                item["shares"] = dict(zip(self.outcomes, intervals, strict=True))
            else:
                item |= {"mean": intervals[0], "sd": _finite(group.sd)}
            item["quality"] = group.quality and _shares_of_moves(group.quality)
            groups.append(item)
        tests = [{k: _finite(v) for k, v in asdict(t).items() if k != "smallest"} for t in self.tests]
        return {"by": list(self.by), **kind, "groups": groups, "tests": tests}

    def table(self) -> pd.DataFrame:
        """One row per group and outcome (per group for a metric): n, n_effective, estimate, low, high.

        Where the log is at hand, the shares of defaulted, missing and refused moves stand after n_effective.
        """
        rows = []
        known = any(group.quality for group in self.groups)
        for group in self.groups:
            base = {
                **dict(zip(self.by, group.values, strict=True)),
                "n": group.n,
                "n_effective": group.n_effective,
                **(_shares_of_moves(group.quality) if known else {}),
            }
            for name, interval in zip(self.outcomes, group.intervals, strict=True):
                if self.metric is None:
                    rows.append({**base, "outcome": name, **asdict(interval)})
                else:
                    rows.append({**base, "metric": name, **asdict(interval), "sd": group.sd})
        return pd.DataFrame(rows)


def group_name(values: Sequence[Any]) -> str:
    """A group in words: its values joined by a middle dot."""
    return " · ".join(map(str, values)) if values else "all"


def _shares_of_moves(quality: Quality | None) -> dict[str, float | None]:
    names = ("defaulted", "missing", "refused")
    return {name: None if quality is None else getattr(quality, name) for name in names}


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
