"""Play among several others, who are known by how many of them cooperated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from intent.logs.trajectories import Trajectories

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CountedOthers"]


@dataclass(frozen=True, eq=False)
class CountedOthers:
    """Own moves of n trajectories, and the number of others that cooperated.

    Attributes
    ----------
    own : (n, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
    giving : (n, T) int, others that are known to have cooperated
    silent : (n, T) int, others whose move is unknown
    evidence : (n, T) bool, own moves that count, or None: all that are known
    keys : one row per trajectory: game_id, seat and what describes them
    decided, implementation_error : as those of Trajectories
    """

    own: NDArray[np.int8]
    giving: NDArray[np.int32]
    silent: NDArray[np.int32]
    evidence: NDArray[np.bool_] | None = None
    keys: pd.DataFrame | None = None
    decided: NDArray[np.int8] | None = None
    implementation_error: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.own)

    @property
    def n_rounds(self) -> NDArray[np.int64]:
        """(n,), own moves that count as evidence."""
        counts: NDArray[np.int64] = (
            (self.own >= 0) & (True if self.evidence is None else self.evidence)
        ).sum(1)
        return counts

    def at_least(self, k: int) -> Trajectories:
        """The others as one player, who cooperated when at least `k` of them did.

        Others whose move is unknown leave that open only where they could make the difference.

        Parameters
        ----------
        k : int, at least 1
        """
        other = np.full(self.own.shape, -1, dtype=np.int8)
        other[self.giving >= k] = 1
        other[self.giving + self.silent < k] = 0
        return Trajectories(
            self.own,
            other,
            decided=self.decided,
            evidence=self.evidence,
            keys=self.keys,
            implementation_error=self.implementation_error,
        )

    def __getitem__(self, rows: Any) -> CountedOthers:
        return CountedOthers(
            self.own[rows],
            self.giving[rows],
            self.silent[rows],
            None if self.evidence is None else self.evidence[rows],
            None if self.keys is None else self.keys.iloc[rows].reset_index(drop=True),
            None if self.decided is None else self.decided[rows],
            None if self.implementation_error is None else self.implementation_error[rows],
        )
