"""Choices by the number of messages in the history buffer, and through the perceived type of the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from intent.analysis.means import STANDARD, Intervals, means_of

__all__ = ["HISTORIES", "choices_by_history", "choices_by_perception", "history"]

HISTORIES = ("0", "1", "2+")
"""|X|: nothing before, one iteration before, a full buffer."""


def history(rounds: pd.Series[int]) -> pd.Series[str]:
    """|X| of each round: the iterations before it, as one of `HISTORIES`."""
    return (rounds - 1).clip(upper=2).map(dict(enumerate(HISTORIES)))


def choices_by_history(
    table: pd.DataFrame, by: Sequence[str], *, rng: np.random.Generator, intervals: Intervals = STANDARD
) -> pd.DataFrame:
    """P(a | |X|): share of each action by the number of messages in the history, whatever they say.

    Parameters
    ----------
    table : DataFrame
        As `seated`; moves without a known action are left out.
    by : sequence of str
    rng : Generator
    intervals : Intervals

    Returns
    -------
    DataFrame
        `by`, history, action, then as `cell_means`; the shares of a history sum to one.

    References
    ----------
    Poje et al. 2024, Entropy 26:524, hypothesis H2, figure 3.
    """
    known = table[table["action"].notna()]
    known = known.assign(history=history(known["round"]))
    return _shares(known, [*by, "history"], rng, intervals)


def choices_by_perception(
    table: pd.DataFrame,
    types: pd.DataFrame,
    by: Sequence[str],
    *,
    rng: np.random.Generator,
    intervals: Intervals = STANDARD,
) -> pd.DataFrame:
    """P(a|X) = sum over the perceived type π' of P(a|π', X)·P(π'|X), each factor estimated.

    The type perceived after iteration j - 1 is that under which the move of iteration j is made.

    Parameters
    ----------
    table : DataFrame
        As `seated`.
    types : DataFrame
        As `perceived_types` returns.
    by : sequence of str
    rng : Generator
    intervals : Intervals

    Returns
    -------
    DataFrame
        `by`, history, perceived, action, then as `cell_means` of P(a|π', X); p_perceived is P(π'|X), product
        what both make together. Products of a history sum over actions and types to one.

    References
    ----------
    Poje et al. 2024, Entropy 26:524, equation 4, which leaves out the sum.
    """
    before = types[["game_id", "seat", "round", "perceived"]].dropna(subset=["perceived"])
    before = before.assign(round=before["round"] + 1)
    known = table[table["action"].notna()].merge(before, on=["game_id", "seat", "round"])
    known = known.assign(history=history(known["round"]))
    found = _shares(known, [*by, "history", "perceived"], rng, intervals)
    if not len(known):
        return found.assign(p_perceived=0.0, product=0.0)
    groups = [*by, "history"]
    counts = known.groupby([*groups, "perceived"], observed=True).size()
    whole = counts.groupby(level=groups).transform("sum")
    shares = (counts / whole).rename("p_perceived").reset_index()
    found = found.merge(shares, on=[*groups, "perceived"], how="left")
    return found.assign(product=found["estimate"] * found["p_perceived"])


def _shares(
    known: pd.DataFrame, by: list[str], rng: np.random.Generator, intervals: Intervals
) -> pd.DataFrame:
    """Share of each action in every cell."""
    hits = {action: known["action"] == action for action in sorted(known["action"].unique())}
    return means_of(known, by, hits, rng=rng, intervals=intervals, column="action")
