"""How much of what can be predicted of the next move the strategies explain whose shares are compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from intent.base.statistics.groups import Grouping, grouping
from intent.comparison.shares import background_of, competing, play_of
from intent.estimate.choice.choices import choices_of_log
from intent.estimate.choice.completeness import completeness

if TYPE_CHECKING:
    from intent.comparison.requests import CompareRequest
    from intent.comparison.source import Compared
    from intent.estimate.choice.completeness import Completeness

__all__ = ["explained_of"]


def explained_of(
    request: CompareRequest, source: Compared, rows: pd.DataFrame, factors: Sequence[str] = ()
) -> Completeness:
    """Completeness of the strategies that compete for the play of some rows, and of each of their groups.

    Parameters
    ----------
    request : CompareRequest
        Its seed, whether RANDOM competes, and how the play is read.
    source : Compared
    rows : DataFrame
        Of labels, one for each trajectory, or for each player with all games.
    factors : columns that make the groups; none: the whole alone

    Raises
    ------
    UsageError
        The log behind the labels is not at hand, or none of its moves is of these rows.
    """
    facts = source.provenance or {}
    background = background_of(facts) if request.background is None else request.background
    strategies = competing(source, rows, background=background)
    log, X, owner = play_of(request, source, rows, "--explained")
    here = np.flatnonzero((owner >= 0) & (X.n_rounds > 0))
    groups = None
    if factors:
        whole = grouping(rows, factors)
        present, codes = np.unique(whole.codes[owner[here]], return_inverse=True)
        values = tuple(whole.values[g] for g in present)
        groups = Grouping(whole.columns, values, codes.reshape(-1).astype(np.intp))
    return completeness(
        choices_of_log(log, X[here]),
        log,
        strategies,
        groups=groups,
        seed=request.seed,
        update=request.update,
    )
