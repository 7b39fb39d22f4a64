"""Splits by setting, never by row: repeats of one condition stay on one side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.errors import DataError

__all__ = ["grouped_split", "setting_groups"]

_NOT_A_SETTING = {"seat", "player", "strategy", "repetition", "run", "source", "source_game_id"}


def setting_groups(keys: pd.DataFrame) -> NDArray[np.intp]:
    """Group of each trajectory: games that share all condition columns are one setting.

    Where a log has fewer than four settings, the game is the group. The seats of a game always stay together.

    Parameters
    ----------
    keys : DataFrame
        `Trajectories.keys`.

    Returns
    -------
    (n,) intp
    """
    columns = [c for c in keys.columns if c not in _NOT_A_SETTING and c != "game_id"]
    if columns:
        per_seat = keys.groupby(columns, dropna=False, sort=False, observed=True).ngroup()
        groups = (
            per_seat.groupby(keys["game_id"], sort=False, observed=True)
            .transform("min")
            .to_numpy(dtype=np.intp)
        )
        if len(np.unique(groups)) >= 4:
            return groups
    return np.asarray(pd.factorize(keys["game_id"])[0], dtype=np.intp)


def grouped_split(
    groups: Sequence[int] | NDArray[np.intp], share: float, rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows to train on and rows to test on, no group on both sides.

    Parameters
    ----------
    groups : (n,) int
    share : float in (0, 1)
        Share of the groups that is tested on.
    rng : numpy Generator

    Returns
    -------
    train, test : row indices, ascending

    Raises
    ------
    DataError
        Fewer than two groups.
    """
    groups = np.asarray(groups)
    names = np.unique(groups)
    if len(names) < 2:
        raise DataError(
            f"{len(names)} group of trajectories, expected at least 2 to split into train and test"
        )
    n_test = min(max(1, round(share * len(names))), len(names) - 1)
    tested = np.isin(groups, rng.choice(names, size=n_test, replace=False))
    return np.flatnonzero(~tested), np.flatnonzero(tested)
