"""What groups of strategies earn from one another, and how often they cooperate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.arena.entrant import ATTITUDES, Entrant
from intent.arena.pair_draws import pair_draws
from intent.arena.round_robin import RoundRobin
from intent.arena.tournament.self_play import mean_cooperation, mean_payoffs

__all__ = ["Matrix", "groups_of", "head_to_head", "head_to_head_intervals"]

Matrix = dict[str, dict[str, Any]]
"""Row -> column -> value; the row is who plays, the column whom it meets."""

_OTHER = "other"


def groups_of(field: Sequence[Entrant]) -> tuple[str, ...] | None:
    """The group of each strategy; None where none of them has an attitude."""
    if not any(entrant.group in ATTITUDES for entrant in field):
        return None
    return tuple(entrant.group or _OTHER for entrant in field)


def head_to_head(table: RoundRobin, groups: Sequence[str] | None = None) -> dict[str, Matrix]:
    """Mean payoff per turn and share of cooperation, of rows against columns.

    A cell is the mean over its pairs (i of the row, j of the column), repetitions pooled: within a group
    i against j and j against i count one each, and self-play once with the mean of its two seats.

    Parameters
    ----------
    table : RoundRobin
    groups : sequence of n str, optional
        The group of each strategy; default: each by itself.

    Returns
    -------
    dict
        ``payoff`` and ``cooperation`` as row -> column -> float, None where no such pair was played.
        Attitudes come first, in their order. Strategies without matches take no part.

    References
    ----------
    Willis, Du, Leibo & Luck 2025, arXiv:2501.16173, Tables 3 to 5.
    """
    places = _places(table, groups)
    return {
        name: {
            row: {column: _mean(values[np.ix_(i, j)]) for column, j in places.items()}
            for row, i in places.items()
        }
        for name, values in _values(table).items()
    }


def head_to_head_intervals(
    table: RoundRobin,
    groups: Sequence[str],
    rng: np.random.Generator,
    *,
    samples: int = 2000,
    level: float = 0.95,
) -> dict[str, Matrix]:
    """Bootstrap intervals of the cells: strategies are resampled within each group.

    Where row and column are the same group, one sample serves as both (`pair_draws`). Groups of one strategy
    say nothing of their spread: None.

    Parameters
    ----------
    table : RoundRobin
    groups : sequence of n str
    rng : Generator
    samples : int
    level : float in (0, 1)

    Returns
    -------
    dict
        As `head_to_head`, each cell a dict of low and high.
    """
    places = _places(table, groups)
    weights = {
        name: rng.multinomial(len(at), np.full(len(at), 1 / len(at)), size=samples).astype(float)
        for name, at in places.items()
    }
    tail = (1 - level) / 2

    def ends(values: NDArray[np.float64], row: str, column: str) -> dict[str, float] | None:
        if min(len(places[row]), len(places[column])) < 2:
            return None
        block = values[np.ix_(places[row], places[column])]
        drawn = pair_draws(block, weights[row], None if row == column else weights[column])
        drawn = drawn[~np.isnan(drawn)]
        if not len(drawn):
            return None
        low, high = np.quantile(drawn, [tail, 1 - tail])
        return {"low": float(low), "high": float(high)}

    return {
        name: {row: {column: ends(values, row, column) for column in places} for row in places}
        for name, values in _values(table).items()
    }


def _values(table: RoundRobin) -> dict[str, NDArray[np.float64]]:
    return {"payoff": mean_payoffs(table), "cooperation": mean_cooperation(table)}


def _places(table: RoundRobin, groups: Sequence[str] | None) -> dict[str, NDArray[np.intp]]:
    """Group -> its strategies that took part."""
    names = [entrant.name for entrant in table.field] if groups is None else list(groups)
    took_part = np.asarray(table.played.any(axis=(1, 2)))
    found = [name for name, plays in zip(names, took_part, strict=True) if plays]
    known = [a for a in ATTITUDES if a in found]
    order = list(dict.fromkeys([*known, *found])) if groups is not None else found
    return {
        group: np.array([i for i, name in enumerate(names) if name == group and took_part[i]], dtype=np.intp)
        for group in order
    }


def _mean(block: NDArray[np.float64]) -> float | None:
    known = block[~np.isnan(block)]
    return float(known.mean()) if len(known) else None
