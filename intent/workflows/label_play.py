"""The play that labels were made of: read as it was then, and found row by row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.logs.gamelog import GameLog
    from intent.logs.trajectories import Trajectories

__all__ = ["Reading", "places_of", "play_of_labels", "reading_of_play"]


class Reading(TypedDict):
    """How play was read for labels, as arguments of `focal_play`."""

    where: dict[str, Sequence[str]]
    others: str | None
    keep_defaulted: bool


def reading_of_play(provenance: Mapping[str, Any]) -> Reading:
    """What the provenance of labels says of it; a file may say anything, and only what can be is taken."""
    where, others = provenance.get("where"), provenance.get("others")
    given = where if isinstance(where, Mapping) else {}
    return {
        "where": {str(k): [str(x) for x in v] for k, v in given.items() if isinstance(v, list | tuple)},
        "others": others if isinstance(others, str) else None,
        "keep_defaulted": provenance.get("keep_defaulted") is True,
    }


def play_of_labels(log: GameLog, provenance: Mapping[str, Any]) -> Trajectories:
    """The trajectories that labels were made of.

    Raises
    ------
    UsageError
        As `focal_play`.
    """
    from intent.workflows.focal import focal_play

    return focal_play(log, **reading_of_play(provenance))[1]


def places_of(labels: pd.DataFrame, X: Trajectories) -> NDArray[np.intp]:
    """(n,) row of the trajectory that each label is of; -1 where it is not there, as no player is."""
    import numpy as np
    import pandas as pd

    assert X.keys is not None
    if "game_id" not in labels.columns:
        return np.full(len(labels), -1, dtype=np.intp)
    own, there = (
        pd.MultiIndex.from_arrays([t["game_id"].astype(str), t["seat"].astype(int)]) for t in (labels, X.keys)
    )
    return np.asarray(there.get_indexer(own), dtype=np.intp)
