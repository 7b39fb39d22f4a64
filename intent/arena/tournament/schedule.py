"""Which matches a round robin consists of, cut into the jobs of its engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.arena.entrant import Entrant
from intent.arena.match import MatchRules

__all__ = ["Lot", "cover_first", "lots", "varies"]

_ROUNDS_PER_LOT = 50_000
"""Rounds that are played in one child: long beside its start, short beside a tournament."""


@dataclass(frozen=True, slots=True)
class Lot:
    """Some matches of one pair.

    Parameters
    ----------
    first, second : int, places in the field
    repetitions : tuple of int from 0
    varies : bool
        Whether repetitions can differ; else one match stands for all.
    """

    first: int
    second: int
    repetitions: tuple[int, ...]
    varies: bool


def varies(first: Entrant, second: Entrant, rules: MatchRules) -> bool:
    """Whether two matches of a pair can differ: by noise, draws, or attributes that live on."""
    return bool(rules.noise) or first.draws or second.draws or rules.reuse_instances


def lots(
    field: Sequence[Entrant],
    rules: MatchRules,
    repetitions: int,
    *,
    self_play: bool = True,
    wanted: NDArray[np.bool_] | None = None,
) -> list[Lot]:
    """All matches, self-play first, then neighbours in the field, then those two apart, and so on.

    Parameters
    ----------
    field : sequence of n Entrants
    rules : MatchRules
    repetitions : int, R
    self_play : bool
    wanted : (n, n, R) bool, optional
        The matches that are needed, at places (first, second) with first <= second; default: all.

    Returns
    -------
    list of Lot
    """
    n = len(field)
    size = repetitions if rules.reuse_instances else max(1, _ROUNDS_PER_LOT // rules.turns)
    every = tuple(range(repetitions))
    cut = [every[start : start + size] for start in range(0, repetitions, size)]
    found = []
    for apart in range(0 if self_play else 1, n):
        for first in range(n - apart):
            second = first + apart
            chosen = every if wanted is None else tuple(int(r) for r in np.flatnonzero(wanted[first, second]))
            if not chosen:
                continue
            if not varies(field[first], field[second], rules):
                found.append(Lot(first, second, (0,), varies=False))
                continue
            parts = cut
            if len(chosen) < repetitions and not rules.reuse_instances:
                parts = [chosen[start : start + size] for start in range(0, len(chosen), size)]
            found += [Lot(first, second, part, varies=True) for part in parts]
    return found


def cover_first(found: Sequence[Lot]) -> tuple[list[Lot], list[Lot]]:
    """Lots that show each player once, and all others.

    A player that always fails is found in the first part, so that its other matches need not be waited for.
    """
    seen: set[int] = set()
    cover: list[Lot] = []
    rest: list[Lot] = []
    for lot in found:
        new = {lot.first, lot.second} - seen
        (cover if new else rest).append(lot)
        seen |= new
    return cover, rest
