"""A round robin of strategies, joined by language models: one table, all pairs of one length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from intent.arena.entrant import Entrant
from intent.arena.model_seats import is_model
from intent.arena.round_robin import RoundRobin
from intent.arena.tournament.schedule import Lot
from intent.arena.tournament.tally import Tally
from intent.errors import UsageError

__all__ = ["join_models", "model_pairs", "without_models"]


def model_pairs(
    field: Sequence[Entrant],
    models: Sequence[Entrant],
    *,
    left_out: frozenset[int] = frozenset(),
    self_play: bool = True,
) -> list[tuple[int, int]]:
    """Places of the pairs that have a language model, in the field followed by the models.

    A model is in the first seat; it meets every strategy, every later model, and itself.

    Parameters
    ----------
    field, models : sequences of Entrants
    left_out : places of strategies that are met by nobody
    self_play : bool
        Whether a model meets itself.
    """
    n = len(field)
    places = range(n, n + len(models))
    with_strategies = [(m, s) for m in places for s in range(n) if s not in left_out]
    return with_strategies + [(a, b) for a in places for b in places if a < b or (a == b and self_play)]


def join_models(
    table: RoundRobin,
    models: Sequence[Entrant],
    games: Mapping[tuple[int, int, int], NDArray[np.uint8]],
) -> RoundRobin:
    """The table with rows and columns for the models.

    Parameters
    ----------
    table : RoundRobin, of n strategies
    models : sequence of Entrants
    games : (first, second, repetition) -> (2, T) uint8, 1 = cooperate
        Places in the field followed by the models. Games that are not there do not count.

    Raises
    ------
    UsageError
        A game of another length than the matches.
    """
    n, repetitions = len(table.field), table.outcomes.shape[2]
    tally = Tally(n + len(models), repetitions)
    for (first, second, repetition), moves in games.items():
        if moves.shape != (2, table.rules.turns):
            raise UsageError(
                f"a game of {moves.shape[-1]} rounds, expected {table.rules.turns} as all matches"
            )
        tally.add(Lot(first, second, (repetition,), True), (repetition,), moves[None])
    joined = tally.table((*table.field, *models), table.rules, table.faults)
    joined.outcomes[:n, :n], joined.followed[:n, :n] = table.outcomes, table.followed
    joined.cooperated_after[:n, :n], joined.opened[:n, :n] = table.cooperated_after, table.opened
    if joined.second_after is not None and table.second_after is not None:
        joined.second_after[:n] = table.second_after
    if joined.second_opened is not None and table.second_opened is not None:
        joined.second_opened[:n] = table.second_opened
    return joined


def without_models(table: RoundRobin) -> RoundRobin:
    """The table of the strategies alone."""
    kept = [i for i, entrant in enumerate(table.field) if not is_model(entrant)]
    if len(kept) == len(table.field):
        return table
    some = np.ix_(kept, kept)
    return replace(
        table,
        field=tuple(table.field[i] for i in kept),
        outcomes=table.outcomes[some],
        followed=table.followed[some],
        cooperated_after=table.cooperated_after[some],
        opened=table.opened[some],
        second_after=None if table.second_after is None else table.second_after[kept],
        second_opened=None if table.second_opened is None else table.second_opened[kept],
    )
