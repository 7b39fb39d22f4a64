"""What is independent among the subjects of an estimate of shares: the unit of the design.

Columns that name groups, subjects and clusters, and their values in a piece of a log.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from intent.base.codebook import column_names
from intent.base.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from intent.estimate.design_units import Unit


__all__ = [
    "SEAT",
    "Columns",
    "Key",
    "SubjectUnit",
    "alone",
    "first_rows",
    "frame",
    "joined_names",
    "named_unit",
    "names_of",
    "own_unit",
    "several_clusters",
    "subject_unit",
]


SEAT = ("game_id", "seat")
"""Columns of a subject that is one seat of one game."""


@dataclass(frozen=True, eq=False)
class SubjectUnit:
    """The unit that errors, bootstrap and tests of an estimate use.

    Parameters
    ----------
    unit : Unit
    clusters : (n,) int, cluster of each row; None where each subject is a unit of its own
    notes : tuple of str
        Wider claims that cannot be made, and why.
    """

    unit: Unit
    clusters: NDArray[np.intp] | None
    notes: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that make the clusters; none where each subject is a unit of its own."""
        return () if self.clusters is None else self.unit.columns


def subject_unit(
    keys: pd.DataFrame,
    by: Sequence[str],
    subject: Sequence[str],
    subjects: NDArray[np.intp],
    cluster: Sequence[str] = (),
) -> SubjectUnit:
    """The unit of independence of subjects.

    Without a named cluster it is that of the design (`design_units`), but never less than a subject: the
    session or the subjects who met, the subject, the condition, or the game. The column ``strategy`` makes no
    conditions, since it says of scripted play what is estimated.

    Parameters
    ----------
    keys : DataFrame
        n rows, what describes the trajectories.
    by : columns that make the groups
    subject : columns that name a subject
    subjects : (n,) int, subject of each row, whatever its group
    cluster : columns that the user names

    Raises
    ------
    UnknownNameError
        A column that the table does not have.
    UsageError
        A subject that several named clusters share.
    """
    import numpy as np
    import pandas as pd

    from intent.base.statistics.groups import cluster_codes
    from intent.estimate.design_units import CELL, design_units

    table = keys.drop(columns=[c for c in ("strategy",) if c in keys and c not in by])
    if cluster:
        named = tuple(cluster)
        if named == CELL and "cell" not in keys:
            codes = design_units(table.drop(columns="player", errors="ignore"), by, named).unit.codes
        else:
            codes = cluster_codes(keys, named)
        row = _cut(subjects, codes)
        if row is not None:
            shown = ", ".join(str(keys[column].iloc[row]) for column in named if column in keys)
            raise several_clusters(named, shown)
        return SubjectUnit(named_unit(named, codes), codes)
    if tuple(subject) not in (SEAT, ("player",)):
        table = table.assign(player=pd.Series(joined_names(keys, subject), index=keys.index, dtype=object))
    design = design_units(table, by)
    unit, notes = design.unit.one_way(), design.notes
    own = np.unique(subjects, return_inverse=True)[1].reshape(-1)
    if _cut(own, unit.codes) is not None:
        return SubjectUnit(own_unit(own, subject, "all games of a subject are one observation"), None)
    if tuple(subject) != SEAT and unit.n == len(np.unique(own)):
        kind = unit.kind if unit.kind in ("player", "game") else "player"
        columns = unit.columns if kind == unit.kind else tuple(subject)
        return SubjectUnit(replace(unit, kind=kind, columns=columns), None, notes)
    return SubjectUnit(unit, unit.codes, notes)


def named_unit(columns: Sequence[str], codes: NDArray[np.intp]) -> Unit:
    """The unit of columns that the user names."""
    import pandas as pd

    from intent.estimate.design_units import CELL, Unit, design_units

    if tuple(columns) == CELL:
        return Unit("condition", codes, CELL, "in conditions like these", "as --cluster says")
    table: Mapping[str, Any] = dict.fromkeys(columns, codes)
    return design_units(pd.DataFrame(table), (), columns).unit


def own_unit(subjects: NDArray[np.intp], columns: Sequence[str], reason: str) -> Unit:
    """The unit where each subject is one."""
    from intent.estimate.design_units import Unit

    return Unit("player", subjects, tuple(columns), "among subjects like these", reason)


def joined_names(keys: pd.DataFrame, columns: Sequence[str]) -> list[str | None]:
    """(n,) texts that name the subjects; None where a value is missing."""
    texts = [keys[column].map(str, na_action="ignore").tolist() for column in columns]
    known = keys[list(columns)].notna().all(axis=1).tolist()
    rows = zip(*texts, strict=True)
    return ["|".join(row) if there else None for row, there in zip(rows, known, strict=True)]


def several_clusters(columns: Sequence[str], shown: str) -> UsageError:
    """The error of a subject whose games are in several clusters, one of which is called `shown`."""
    return UsageError(
        f"a subject has games in several clusters of {', '.join(columns)} (one is {shown}), "
        "expected each subject in one: cluster by what subjects share, such as a session"
    )


def _cut(subjects: NDArray[np.intp], clusters: NDArray[np.intp]) -> int | None:
    """A row of a subject who is in several clusters."""
    import numpy as np

    first, place = np.unique(subjects, return_index=True, return_inverse=True)[1:]
    other = np.flatnonzero(clusters[first][place.reshape(-1)] != clusters)
    return int(other[0]) if len(other) else None


Key = tuple[Any, ...]
"""Values of the columns that name something."""

Given = str | tuple[str, ...]


@dataclass(frozen=True)
class Columns:
    """Columns that make groups, subjects and clusters (none: each subject is its own)."""

    by: tuple[str, ...]
    subject: tuple[str, ...]
    cluster: tuple[str, ...]

    @classmethod
    def of(cls, by: Given, subject: Given, cluster: Given, known: list[str]) -> Columns:
        """Those of a log with the columns `known`, from what `intent.estimate.sfem.sfem` is given.

        Raises
        ------
        UnknownNameError
            A column that the log does not have.
        """
        groups, named = column_names(by, known), column_names(subject, known)
        unit = named or (("player",) if "player" in known else SEAT)
        within = column_names(cluster, known) or (("game_id",) if unit == SEAT else ())
        for column in (*groups, *unit, *within):
            if column not in known:
                raise UnknownNameError("column", column, known)
        return cls(groups, unit, within)

    @property
    def wanted(self) -> list[str]:
        """All of them, each once."""
        return list(dict.fromkeys([*self.by, *self.subject, *self.cluster]))


def frame(keys: pa.Table, columns: tuple[str, ...]) -> pd.DataFrame:
    """Some columns as pandas has them; the game is a number."""
    found = {}
    for column in columns:
        values = keys.column(column)
        if column == "game_id":
            found[column] = pd.Series(pc.dictionary_encode(values).combine_chunks().indices.to_numpy())
        else:
            found[column] = values.to_pandas()
    return pd.DataFrame(found, index=range(len(keys)))


def alone(keys: pa.Table, columns: tuple[str, ...]) -> NDArray[np.bool_]:
    """(n,) bool, rows that lack a value: each is a subject, or a cluster, of its own."""
    missing = np.zeros(len(keys), dtype=bool)
    for column in columns:
        missing |= keys.column(column).to_pandas().isna().to_numpy()
    return missing


def names_of(keys: pa.Table, columns: tuple[str, ...], rows: NDArray[np.intp]) -> list[Key]:
    """The values that name a subject or cluster; a row that lacks one has game and seat for a name."""
    taken = keys.select([*dict.fromkeys([*columns, *SEAT])]).take(pa.array(rows))
    named = _tuples(taken, columns)
    lacking = alone(taken, columns)
    if lacking.any():
        seats = _tuples(taken, SEAT)
        named = [(None, *seats[i]) if lacking[i] else name for i, name in enumerate(named)]
    return named


def first_rows(keys: pa.Table, columns: tuple[str, ...], codes: NDArray[np.intp], n: int) -> list[Key]:
    """Values of the columns in the first row of each group."""
    if not columns:
        return [()]
    first = np.unique(codes, return_index=True)[1]
    assert len(first) == n
    return _tuples(keys.take(pa.array(first)), columns)


def _tuples(table: pa.Table, columns: tuple[str, ...]) -> list[Key]:
    values = [[None if v != v else v for v in table.column(c).to_pylist()] for c in columns]
    return list(zip(*values, strict=True))
