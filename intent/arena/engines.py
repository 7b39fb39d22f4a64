"""The engines by name, and which of them this machine can run.

Automata are tables, and so data: they need no sandbox, and their matches may be shared among processes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import chain

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from intent.arena.entrant import Entrant
from intent.arena.match import (
    Engine,
    Fault,
    Job,
    Limits,
    MatchRules,
    MatchSeed,
    Played,
    legacy_generator,
    match_draws,
)
from intent.base.errors import UnknownNameError, UsageError
from intent.base.registry import installed, require
from intent.base.workers import Workers, open_workers
from intent.strategies.catalogue import Strategy

__all__ = ["ENGINES", "AutomataEngine", "SpreadEngine", "engine_status", "make_engine", "play_automata"]


ENGINES = ("auto", "seccomp", "strict", "monty")
"""``auto`` takes ``seccomp`` where the kernel confines, else ``monty``."""


def engine_status() -> dict[str, str | None]:
    """Engine -> why it cannot be used here, or None where it can."""
    from intent.arena.sandbox.confined import confinement

    kernel = confinement()
    monty = None if installed("pydantic_monty") else "pydantic-monty is not installed"
    return {"seccomp": kernel, "strict": kernel, "monty": monty}


def make_engine(name: str = "auto", *, workers: int | None = None, limits: Limits | None = None) -> Engine:
    """An engine that plays written code where it can do no harm.

    Parameters
    ----------
    name : {"auto", "seccomp", "strict", "monty"}
    workers : int, optional
        Pairs that play at a time; by default one per usable processor.
    limits : Limits, optional
        What a player may use of the machine.

    Raises
    ------
    UnknownNameError
    MissingExtraError
        ``monty`` without its library.
    UsageError
        This machine has no such engine.
    """
    if name not in ENGINES:
        raise UnknownNameError("engine", name, ENGINES)
    status = engine_status()
    if name == "auto":
        name = "seccomp" if status["seccomp"] is None else "monty"
        if status[name] is not None:
            raise UsageError(
                f"written strategies cannot be confined here (seccomp: {status['seccomp']}; monty: "
                f"{status['monty']}); run: pip install 'strategy-intent[sandbox]'"
            )
    if (why := status[name]) is not None:
        if name == "monty":
            require("pydantic_monty")
        raise UsageError(f"engine {name!r} cannot be used here: {why}")
    if name == "monty":
        from intent.arena.sandbox.monty import MontyEngine

        return MontyEngine(workers=workers, limits=limits or Limits())
    from intent.arena.sandbox.confined import ConfinedEngine

    return ConfinedEngine(workers, limits, apart=name == "strict")


class AutomataEngine(Engine):
    """Plays automata in this process, move for move as the engines of the sandbox do."""

    name = "automata"

    def play(
        self, field: Sequence[Entrant], jobs: Iterable[Job], rules: MatchRules
    ) -> Iterator[Played | Fault]:
        """The moves of each job, in their order.

        Raises
        ------
        UsageError
            A player is written code.
        """
        for job in jobs:
            pair = (_automaton(field[job.first]), _automaton(field[job.second]))
            yield Played(job, np.stack([play_automata(pair, rules, seed) for seed in job.seeds]))

    def close(self) -> None:
        """Nothing is held."""


def play_automata(pair: tuple[Strategy, Strategy], rules: MatchRules, seed: MatchSeed) -> NDArray[np.uint8]:
    """One match: (2, turns) uint8, 1 = cooperate.

    Random numbers as in `match_draws`; states with probability 0 or 1 draw nothing.

    Parameters
    ----------
    pair : two Strategies
    """
    drawing = [_draws(strategy) for strategy in pair]
    seeds, flips = match_draws(seed, drawing, rules)
    own = [legacy_generator(s) if draws else None for s, draws in zip(seeds, drawing, strict=True)]
    if not rules.noise:
        flips = np.zeros((rules.turns, 2), dtype=bool)
    moves = np.empty((rules.turns, 2), dtype=np.uint8)
    states = [strategy.start for strategy in pair]
    for turn, flipped in enumerate(flips.tolist()):
        intended = [_intended(pair[k], states[k], own[k]) for k in (0, 1)]
        played = [intended[k] ^ flipped[k] for k in (0, 1)]
        moves[turn] = played
        for k in (0, 1):
            remembered = intended[k] if pair[k].memory == "intended" else played[k]
            states[k] = pair[k].next_state[states[k]][3 - 2 * remembered - played[1 - k]]
    return np.ascontiguousarray(moves.T)


def _automaton(entrant: Entrant) -> Strategy:
    if entrant.automaton is None:
        raise UsageError(f"{entrant.name} is written code, which needs an engine of the sandbox")
    return entrant.automaton


def _draws(strategy: Strategy) -> bool:
    return any(0 < p < 1 for p in strategy.p_cooperate)


def _intended(strategy: Strategy, state: int, generator: RandomState | None) -> int:
    p = strategy.p_cooperate[state]
    if generator is None or p in (0.0, 1.0):
        return int(p)
    return int(generator.random_sample() < p)


_PIECE = 50_000
"""Rounds that a worker plays together."""

_SHORT = 300_000
"""Rounds up to which matches are played here: starting a worker takes longer."""


class SpreadEngine(Engine):
    """Plays jobs where workers are; `Engine`'s contract, with the results of the engine that they make.

    Parameters
    ----------
    make : () -> Engine, called in each worker, for each piece of work
        An engine of the sandbox refuses there to play without a sandbox, as it does here.
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
