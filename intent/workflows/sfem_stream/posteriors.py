"""Posteriors of the seats of a log, piece by piece: each has the posterior of its pattern of play."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from intent import schema
from intent.analysis.groups import grouping
from intent.parallel import Workers
from intent.recognise.base import most_probable
from intent.recognise.sfem.counts import Counts, count_moves
from intent.recognise.sfem.patterns import merged, patterns
from intent.recognise.sfem.population import Population
from intent.recognise.sfem.result import MixtureFit
from intent.strategies.automaton import Strategy
from intent.workflows.log_stream.pieces import Piece, Source, named
from intent.workflows.sfem_stream.columns import SEAT, first_rows, frame
from intent.workflows.sfem_stream.count import played
from intent.workflows.sfem_stream.stream import by_piece

__all__ = ["posterior_tables"]


@dataclass(frozen=True, eq=False)
class _Known:
    """Posteriors of R pairs of group and pattern.

    Parameters
    ----------
    strategies : those that stayed
    by : columns that make groups
    place : their values -> number of the group
    counts : Counts of the P patterns
    row : (G, P) int, place of each pair below
    posterior : (R, K)
    """

    strategies: tuple[Strategy, ...]
    by: tuple[str, ...]
    place: Mapping[tuple[Any, ...], int]
    counts: Counts
    row: NDArray[np.int32]
    posterior: NDArray[np.float64]


def posterior_tables(
    source: Source,
    strategies: tuple[Strategy, ...],
    population: Population,
    fits: Sequence[MixtureFit],
    by: tuple[str, ...],
    place: Mapping[tuple[Any, ...], int],
    size: int,
    workers: Workers,
) -> Iterator[pa.Table]:
    """Rows of `sfem_tables.posterior_table` in order, where each subject is one seat of one game.

    Parameters
    ----------
    source : Source
    strategies : those of the fits
    population : Population of these strategies
    fits : MixtureFit of each group
    by : columns that make groups
    place : their values -> number of the group
    size : int, rows of a piece
    workers : Workers
    """
    row = np.full((len(fits), len(population.counts)), -1, dtype=np.int32)
    kinds, found, done = population.kinds, [], 0
    for g, fit in enumerate(fits):
        assert fit.patterns is not None
        row[g, np.unique(kinds.pattern[kinds.group == g])] = done + np.arange(len(fit.patterns))
        done += len(fit.patterns)
        found.append(fit.patterns)
    known = _Known(strategies, by, place, population.counts, row, np.concatenate(found))
    for _, table in by_piece(source, partial(_table, known), size, workers):
        if table is not None:
            yield table


def _table(known: _Known, piece: Piece) -> pa.Table | None:
    play, _ = played(piece)
    n = len(play.X)
    if not n:
        return None
    distinct, pattern = patterns(count_moves(play.X, np.arange(n), known.strategies))
    _, (theirs, ours) = merged([known.counts, distinct])
    same = np.empty(len(theirs) + len(ours), dtype=np.intp)
    same[theirs] = np.arange(len(theirs))
    groups = grouping(frame(play.keys, known.by), known.by)
    names = first_rows(play.keys, known.by, groups.codes, len(groups))
    group = np.array([known.place[name] for name in names], dtype=np.intp)[groups.codes]
    posterior = known.posterior[known.row[group, same[ours][pattern]]]
    strategies = [s.name for s in known.strategies]
    best = most_probable(posterior).astype(np.int32)
    columns = list(dict.fromkeys([*SEAT, *known.by]))
    return named(
        [
            *((column, play.keys.column(column)) for column in columns),
            ("n_trajectories", pa.array(np.ones(n, dtype=np.int64))),
            ("best", pa.DictionaryArray.from_arrays(pa.array(best), pa.array(strategies))),
            ("confidence", pa.array(posterior.max(axis=1))),
            *(
                (schema.PROBABILITY_PREFIX + name, pa.array(posterior[:, k]))
                for k, name in enumerate(strategies)
            ),
        ]
    )
