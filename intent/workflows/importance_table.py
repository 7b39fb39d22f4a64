"""Explanations read back from the table of importances that was written of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from intent.analysis.explaining.explanation import Explanation

__all__ = ["explanation_grid"]


def explanation_grid(
    table: pd.DataFrame,
) -> tuple[list[list[Explanation | None]], list[str], list[str | None]]:
    """What bars of importance are drawn of: rows targets, columns groups.

    Parameters
    ----------
    table : DataFrame
        As `ExplainResult.table` gives it; columns before ``target`` make the groups.

    Returns
    -------
    grid, names of the targets, names of the groups (None for a single group)
    """
    import numpy as np

    by = [str(name) for name in table.columns[: list(table.columns).index("target")]]
    keys = [" · ".join(map(str, row)) or None for row in table[by].itertuples(index=False)]
    groups = list(dict.fromkeys(keys))
    targets = [str(name) for name in dict.fromkeys(table["target"])]
    grid: list[list[Explanation | None]] = []
    for target in targets:
        line: list[Explanation | None] = []
        for group in groups:
            same = np.array([key == group for key in keys], dtype=bool)
            part = table[same & (table["target"].astype(str) == target).to_numpy()]
            line.append(_explanation(target, part) if len(part) else None)
        grid.append(line)
    return grid, targets, groups


def _explanation(target: str, part: pd.DataFrame) -> Explanation:
    import numpy as np

    from intent.analysis.explaining.explanation import Explanation, Importance, Spread, Stability

    def rank(value: Any) -> int | None:
        return None if value is None or value != value else int(value)

    rows: Any = part.itertuples(index=False)
    ranking = tuple(
        Importance(
            str(row.feature),
            float(row.mean_abs_shap),
            float(row.share),
            rank(getattr(row, "rank_low", None)),
            rank(getattr(row, "rank_high", None)),
            (),
        )
        for row in rows
    )
    nothing, nowhere = float("nan"), np.empty((0, len(ranking)))
    first = part.iloc[0]
    return Explanation(
        target=target,
        n=int(first["n"]),
        n_games=0,
        trees=0,
        ranking=ranking,
        r2_in=float(first["r2_in"]),
        r2_out=float(first["r2_out"]),
        stability=Stability(0, nothing, (nothing,) * 3, (nothing,) * 3),
        spread=Spread(nowhere, nowhere.astype(np.intp), np.empty(0)),
        features=tuple(one.feature for one in ranking),
        notes=(),
    )
