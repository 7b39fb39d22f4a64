"""How good the moves behind each group of a comparison are: defaulted, missing, refused at first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from intent.analysis.comparison import Comparison
    from intent.workflows.log_behind import Behind

__all__ = ["with_quality"]

_KEYS = ["game_id", "seat"]


def with_quality(
    found: Comparison, rows: pd.DataFrame, factors: Sequence[str], behind: Behind, *, told: bool
) -> tuple[Comparison, str | None]:
    """The comparison with the quality of the moves of each group, and a note where that is not known.

    Parameters
    ----------
    found : Comparison
    rows : DataFrame
        What was compared.
    factors : columns that make the groups
    behind : Behind
    told : bool
        Whether a reader would expect it: a table of labels or metrics from a file.
    """
    from intent.analysis.groups import grouping
    from intent.analysis.quality import move_quality, quality_of

    if behind.log is None:
        why = f"{behind.why}: shares of defaulted, missing and refused moves are not known (see --log)"
        return found, why if told else None
    if not set(_KEYS) <= set(rows.columns):
        return found, None
    quality = move_quality(behind.log)
    keys = rows[_KEYS].assign(game_id=rows["game_id"].map(str))
    joined = keys.merge(quality, on=_KEYS, how="left", validate="many_to_one")
    if joined["n_moves"].isna().all():
        return found, "no row is a seat of a game of the log: shares of defaulted moves are not known"
    codes = grouping(rows, factors).codes
    groups = [
        replace(group, quality=quality_of(joined[codes == code])) for code, group in enumerate(found.groups)
    ]
    lost = int(joined["n_moves"].isna().sum())
    note = f"{lost:,} of {len(joined):,} rows are no seat of a game of the log" if lost else None
    return replace(found, groups=tuple(groups)), note
