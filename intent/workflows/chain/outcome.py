"""What the chain found out about one set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from intent.analysis.bootstrap import Interval
from intent.workflows.chain.sets import ChainSet

if TYPE_CHECKING:
    from intent.arena.inspection.facts import StrategyFacts
    from intent.arena.validation import Validation

__all__ = ["Ends", "Outcome"]


@dataclass(frozen=True)
class Ends:
    """Where the Moran processes of one start went.

    Attributes
    ----------
    initial : individuals of each name
    names : tuple of str
    counts : runs that ended with each name alone
    runs : int
    shares : name -> Interval
    exact : probabilities of ending alone, from mean payoffs; None of large populations
    mean_steps : float, NaN where none ended
    """

    initial: tuple[int, ...]
    names: tuple[str, ...]
    counts: tuple[int, ...]
    runs: int
    shares: Mapping[str, Interval]
    exact: tuple[float, ...] | None
    mean_steps: float

    @property
    def ratio(self) -> str:
        """``4:1:1`` for 8, 2, 2."""
        divisor = int(np.gcd.reduce(self.initial)) or 1
        return ":".join(str(n // divisor) for n in self.initial)


@dataclass(frozen=True, eq=False)
class Outcome:
    """One set after validation, tournament, line-up and evolution.

    Attributes
    ----------
    chain_set : ChainSet
    n, ok : int, strategies found, and of them those that run
    left_out : name -> reason
    validation : Validation
    names : attitudes, as in the matrices
    payoffs : (m, m), mean payoff per turn of the row against the column
    draws : (B, m, m) or None, payoffs over strategies drawn anew
    intervals : row -> column -> {low, high} or None, of the payoffs
    ends : of each start
    line_up : rows as `schema.STANDINGS`; agents are those whose name is an attitude
    scores : name -> (R,) score of each repetition of the line-up
    facts : of every strategy; empty where none was inspected
    figures : paths within the folder of the chain -> title
    notes : tuple of str
    """

    chain_set: ChainSet
    n: int
    ok: int
    left_out: Mapping[str, str]
    validation: Validation
    names: tuple[str, ...]
    payoffs: NDArray[np.float64]
    draws: NDArray[np.float64] | None
    intervals: Mapping[str, Mapping[str, Mapping[str, float] | None]]
    ends: tuple[Ends, ...] = ()
    line_up: Sequence[Mapping[str, Any]] = ()
    scores: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    facts: tuple[StrategyFacts, ...] = ()
    figures: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
