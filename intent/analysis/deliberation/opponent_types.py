"""Whether players tell a privately deliberating opponent from an open one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from intent.analysis.means import STANDARD, Intervals, means_of
from intent.logs.gamelog import GameLog

__all__ = ["QUESTION", "TYPES", "perceived_types", "type_recognition"]

QUESTION = "opponent_type"
"""Name of the comprehension question."""

TYPES = ("private", "public")


def perceived_types(log: GameLog) -> pd.DataFrame:
    """What each player took its opponent for after each iteration.

    Returns
    -------
    DataFrame
        game_id, round, seat, perceived (private, public or None where the answer could not be read), actual
        (None where the opponent is neither).
    """
    columns = ["game_id", "round", "seat", "perceived", "actual"]
    if log.questions is None:
        return pd.DataFrame(columns=columns)
    asked = log.questions[log.questions["question"] == QUESTION]
    made = pd.DataFrame(
        {
            "game_id": asked["game_id"].astype(str).to_numpy(),
            "round": asked["round"].to_numpy(dtype=np.intp),
            "seat": asked["seat"].to_numpy(dtype=np.intp),
            "perceived": _types(asked["parsed"]),
            "actual": _types(asked["expected"]),
        }
    )
    return made[columns]


def type_recognition(
    types: pd.DataFrame, by: Sequence[str], *, rng: np.random.Generator, intervals: Intervals = STANDARD
) -> pd.DataFrame:
    """Accuracy of the perceived type, and the bias towards an answer whatever is true.

    Parameters
    ----------
    types : DataFrame
        As `perceived_types`, with the columns `by`.
    by : sequence of str
    rng : Generator
    intervals : Intervals

    Returns
    -------
    DataFrame
        `by`, measure, then as `cell_means`. accuracy: N_correct / |J|, unread answers counting as wrong;
        said_private: share of read answers that say private; true_private: share of opponents that are,
        without interval, since the experiment decides it; read: share of answers that could be read. Bias is
        said_private against true_private: who always says private is right in exactly the share true_private.

    References
    ----------
    Poje et al. 2024, Entropy 26:524, hypothesis H2, figure 4.
    """
    known = types[types["actual"].notna()]
    read = known["perceived"].notna()
    measures = {
        "accuracy": (known["perceived"] == known["actual"]).astype(float),
        "said_private": (known["perceived"] == "private").astype(float).where(read),
        "true_private": (known["actual"] == "private").astype(float),
        "read": read.astype(float),
    }
    made = means_of(known, by, measures, rng=rng, intervals=intervals)
    made.loc[made["measure"] == "true_private", ["low", "high"]] = np.nan
    return made


def _types(column: pd.Series[str]) -> list[str | None]:
    folded = [cell.strip().casefold() if isinstance(cell, str) else None for cell in column.astype(object)]
    return [cell if cell in TYPES else None for cell in folded]
