"""One row per subject: who it is, what the rules say, what the mixture says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.recognise.contributors.mixture import ContributorFit
    from intent.recognise.contributors.rules import Verdict

__all__ = ["contributor_table"]


def contributor_table(
    keys: pd.DataFrame,
    codes: NDArray[np.intp],
    unit: Sequence[str],
    by: Sequence[str],
    verdicts: Sequence[Verdict],
    fits: Sequence[ContributorFit | None],
) -> pd.DataFrame:
    """The table `schema.CONTRIBUTORS`.

    Parameters
    ----------
    keys : table of trajectories, and what describes them
    codes : (trajectories,) int in 0 .. n - 1, their subjects
    unit : columns that name a subject
    by : columns that make the groups
    verdicts : n Verdict
    fits : of each group, whose `subjects` are these codes
    """
    import numpy as np
    import pandas as pd

    from intent import schema
    from intent.recognise.base import most_probable

    _, first, sizes = np.unique(codes, return_index=True, return_counts=True)
    whole = tuple(unit) == ("game_id", "seat")
    columns = list(keys.columns) if whole else list(dict.fromkeys([*unit, *by]))
    who = keys[columns].iloc[first].reset_index(drop=True)
    if not whole and who.isna().any(axis=None):
        who = pd.concat([keys[["game_id", "seat"]].iloc[first].reset_index(drop=True), who], axis=1)
        who = who.loc[:, ~who.columns.duplicated()]
    said = {f.name: [getattr(v, f.name) for v in verdicts] for f in fields(verdicts[0])}
    said["candidates"] = [list(names) for names in said["candidates"]]
    types = list(dict.fromkeys(name for fit in fits if fit is not None for name in fit.types))
    posterior = np.full((len(first), len(types)), np.nan)
    best = np.full(len(first), None, dtype=object)
    for fit in (fit for fit in fits if fit is not None):
        at = [types.index(name) for name in fit.types]
        posterior[fit.subjects[:, None], at] = fit.posterior
        best[fit.subjects] = np.array(fit.types, dtype=object)[most_probable(fit.posterior)]
    confidence = np.where(
        np.isnan(posterior).all(axis=1), np.nan, np.nan_to_num(posterior).max(axis=1, initial=0)
    )
    ours = {c.name for c in schema.CONTRIBUTORS}
    taken = [c for c in who.columns if c in ours - {"game_id", "seat"} or c.startswith("p_")]
    return who.drop(columns=taken).assign(
        n_trajectories=sizes,
        **said,
        best=best,
        confidence=confidence,
        **{schema.PROBABILITY_PREFIX + name: posterior[:, k] for k, name in enumerate(types)},
    )
