"""What a reader of an analysis of gamma-bench runs should be warned of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from intent.suites.gamma.differences import ScoreDifference

__all__ = ["cautions", "goes_together"]

_ALPHA = 0.05


def goes_together(scores: pd.DataFrame, factors: Sequence[str]) -> list[str]:
    """Notes on conditions that change with a factor, so that a difference may be due to either."""
    from intent.suites.gamma.differences import confounded

    found = [(factor, confounded(scores, factor)) for factor in factors]
    return [
        f"{factor}: {', '.join(names)} {'change' if len(names) > 1 else 'changes'} with it, so a difference "
        "may be due to either"
        for factor, names in found
        if names
    ]


def cautions(differences: Sequence[ScoreDifference], memory: Sequence[ScoreDifference]) -> list[str]:
    """Notes on pairs, power and what a story can show.

    Parameters
    ----------
    differences : of the factors
    memory : of original games less their stories
    """
    notes = []
    both = [*differences, *memory]
    if unpaired := sorted({one.game for one in both if not one.difference.paired}):
        notes.append(
            f"unpaired ({', '.join(unpaired)}): no runs of the same setting and repetition, so that "
            "differences of luck are part of the error"
        )
    if any(one.difference.paired for one in both):
        notes.append("pairs share their luck where the runs were made with the same seed")
    weak = [
        one.difference
        for one in both
        if one.difference.paired and one.difference.exact and one.difference.least_p > _ALPHA
    ]
    if weak:
        n = max(difference.n[0] for difference in weak)
        notes.append(
            f"{n} pairs give no two-sided p below {2.0 ** (1 - n):.3g} (2/2^{n}), before any correction: to "
            "tell levels apart in a single game takes more repetitions"
        )
    if memory:
        notes.append(
            "a drop from the original to its isomorphic story suggests answers from memory; that a story is "
            "harder to read would look the same"
        )
    return notes
