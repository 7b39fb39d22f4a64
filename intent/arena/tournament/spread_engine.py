"""An engine whose jobs are shared among workers: processes for automata, a Dask cluster for any engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import chain

from intent.arena.entrant import Entrant
from intent.arena.match import Engine, Fault, Job, MatchRules, Played
from intent.parallel import Workers, open_workers

__all__ = ["SpreadEngine"]

_PIECE = 50_000
"""Rounds that a worker plays together."""

_SHORT = 300_000
"""Rounds up to which matches are played here: starting a worker takes longer."""


class SpreadEngine:
    """Plays jobs where workers are; `Engine`'s contract, with the results of the engine that they make.

    Parameters
    ----------
    make : () -> Engine, called in each worker, for each piece of work
        An engine of the sandbox refuses there to play without a sandbox, as it does here.
    workers : int or None
    dask : str, optional
        Both as `open_workers`; workers start when there is work for them.

    Raises
    ------
    UsageError
    MissingExtraError
    """

    def __init__(
        self, make: Callable[[], Engine], workers: int | None = None, dask: str | None = None
    ) -> None:
        self._make = make
        self._open = ExitStack()
        self._workers: Workers = self._open.enter_context(open_workers(workers, dask))
        self.notes = tuple(self._workers.notes)

    @property
    def name(self) -> str:
        """The name of the engine that plays."""
        with self._make() as engine:
            return engine.name

    def play(
        self, field: Sequence[Entrant], jobs: Iterable[Job], rules: MatchRules
    ) -> Iterator[Played | Fault]:
        """What became of each job, as they end.

        Raises
        ------
        IntentError
            As the engine.
        """
        pieces = _pieces(jobs, rules.turns)
        ahead: list[tuple[Job, ...]] = []
        play = partial(_played, self._make, tuple(field), rules)
        for piece in pieces:
            ahead.append(piece)
            if sum(_rounds(one, rules.turns) for one in ahead) > _SHORT:
                for results in self._workers.map(play, chain(ahead, pieces), ordered=False):
                    yield from results
                return
        with self._make() as engine:
            yield from engine.play(field, chain.from_iterable(ahead), rules)

    def close(self) -> None:
        """End the workers; those of a cluster are left to others."""
        self._open.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _played(
    make: Callable[[], Engine], field: tuple[Entrant, ...], rules: MatchRules, jobs: tuple[Job, ...]
) -> list[Played | Fault]:
    """A piece of the work, in a worker."""
    with make() as engine:
        return list(engine.play(field, jobs, rules))


def _pieces(jobs: Iterable[Job], turns: int) -> Iterator[tuple[Job, ...]]:
    """Jobs in their order, together until they make a piece."""
    piece: list[Job] = []
    for job in jobs:
        piece.append(job)
        if _rounds(piece, turns) >= _PIECE:
            yield tuple(piece)
            piece = []
    if piece:
        yield tuple(piece)


def _rounds(jobs: Sequence[Job], turns: int) -> int:
    return turns * sum(len(job.seeds) for job in jobs)
