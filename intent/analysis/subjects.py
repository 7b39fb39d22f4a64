"""Who is a subject of an experiment, and who its condition: the one rule for means, figures and results."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = ["ranked_subjects", "subjects"]


def subjects(table: pd.DataFrame) -> NDArray[np.bool_]:
    """Rows whose seat a subject plays; strategies that sit opposite are conditions.

    1. Seats that are not focal are never subjects.
    2. Subjects are the seats that name a model; where none does, those that no strategy plays (people); where
       there are none of these either, all.

    Parameters
    ----------
    table : DataFrame
        Seats, moves or trajectories, with the columns focal, model and strategy as far as they are known.

    Returns
    -------
    (n,) bool
    """
    return ranked_subjects(table)[1]


def ranked_subjects(table: pd.DataFrame) -> tuple[int, NDArray[np.bool_]]:
    """`subjects`, and which case of the rule it was: 2 models, 1 people, 0 all.

    Of a table in parts, the subjects are those of the parts of the highest case: where one part has models,
    nobody in a part without models is a subject.

    Parameters
    ----------
    table : as `subjects`
    """
    focal = np.ones(len(table), dtype=bool)
    if "focal" in table.columns:
        focal = table["focal"].to_numpy(dtype=bool)
    models = focal & ~_unknown(table, "model")
    if models.any():
        return 2, models
    people = focal & _unknown(table, "strategy")
    return (1, people) if people.any() else (0, focal)


def _unknown(table: pd.DataFrame, name: str) -> NDArray[np.bool_]:
    if name not in table.columns:
        return np.ones(len(table), dtype=bool)
    found: NDArray[np.bool_] = table[name].isna().to_numpy(dtype=bool)
    return found
