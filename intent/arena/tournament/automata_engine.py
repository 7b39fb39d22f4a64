"""An engine for automata alone: tables are data, so that they need no sandbox."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from intent.arena.entrant import Entrant
from intent.arena.match import Engine, Fault, Job, MatchRules, MatchSeed, Played
from intent.arena.sandbox.draws import legacy_generator, match_draws
from intent.errors import UsageError
from intent.strategies.automaton import Strategy

__all__ = ["AutomataEngine", "play_automata"]


class AutomataEngine:
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

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def play_automata(pair: tuple[Strategy, Strategy], rules: MatchRules, seed: MatchSeed) -> NDArray[np.uint8]:
    """One match: (2, turns) uint8, 1 = cooperate.

    Random numbers as in `match_draws`; states with probability 0 or 1 draw nothing.

    Parameters
    ----------
    pair : two Strategies
    rules : MatchRules
    seed : MatchSeed
    """
    drawing = [_draws(strategy) for strategy in pair]
    seeds, flips = match_draws(seed, drawing, rules)
    own = [legacy_generator(s) if draws else None for s, draws in zip(seeds, drawing, strict=True)]
    if not rules.noise:
        flips = np.zeros((rules.turns, 2), dtype=bool)
    moves = np.empty((rules.turns, 2), dtype=np.uint8)
    states = [strategy.start for strategy in pair]
    for turn, flipped in enumerate(flips.tolist()):
        meant = [_intended(pair[k], states[k], own[k]) for k in (0, 1)]
        played = [meant[k] ^ flipped[k] for k in (0, 1)]
        moves[turn] = played
        for k in (0, 1):
            remembered = meant[k] if pair[k].memory == "intended" else played[k]
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
