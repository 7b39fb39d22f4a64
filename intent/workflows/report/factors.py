"""Which columns make groups worth comparing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intent.report.wording import in_words

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["in_words", "varying"]

_FIRST = ("model", "language", "persona", "horizon_known")
_LAST = ("seat",)
_NEVER = frozenset(
    {
        "game_id",
        "game",
        "player",
        "repetition",
        "run",
        "source",
        "agent_name",
        "payoff_kind",
        "eps",
        "strategy",
    }
)
_MOST = 12
"""Values up to which a column is a factor, and not a description."""


def varying(labels: pd.DataFrame, *, most: int = 8, seats: bool = True) -> tuple[str, ...]:
    """Columns that describe a trajectory and take two to twelve values, the usual ones first.

    A column that says the same as one before it (each value goes with one value of the other) is left out.

    Parameters
    ----------
    labels : DataFrame as `schema.LABELS`
    most : int, columns at the most
    seats : bool, whether the seat counts as one, last
    """
    from intent import schema

    results = {c.name for c in schema.LABELS} - {"seat"}
    names = [c for c in labels.columns if c not in results | _NEVER and not c.startswith("p_")]
    order = [c for c in _FIRST if c in names]
    order += [c for c in names if c not in (*order, *_LAST) and not c.endswith("_id")]
    order += [c for c in _LAST if seats and c in names]
    found: list[str] = []
    for name in order:
        try:
            n = labels[name].nunique(dropna=False)
        except TypeError:
            continue
        if not 2 <= n <= _MOST or any(_same(labels, name, other) for other in found):
            continue
        found.append(name)
    return tuple(found[:most])


def _same(labels: pd.DataFrame, name: str, other: str) -> bool:
    pairs = labels[[name, other]].astype(str).drop_duplicates()
    return bool(len(pairs) == pairs[name].nunique() == pairs[other].nunique())
