"""Each strategy against the same few opponents and itself, with the same random numbers for all."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from intent.arena.entrant import Entrant
from intent.arena.match import Engine, Fault, Job, MatchRules, Played
from intent.arena.streams import Salt
from intent.strategies.catalogue import strategy

__all__ = ["ITSELF", "PANEL", "PanelPlay", "play_panel", "stacked"]

PANEL = ("RANDOM", "TFT", "ALLC", "ALLD")
"""Opponents that show what a strategy does in every situation, and with friend and foe."""

ITSELF = "itself"

Update = Callable[[int, int], None]


@dataclass(eq=False)
class PanelPlay:
    """The play of one strategy.

    Attributes
    ----------
    moves : opponent -> (repetitions, 2, turns) uint8, the strategy in the first place, 1 = cooperate
    faults : list of Fault, those of which it is the culprit
    seconds : float, wall time of one match against TFT with the start of the sandbox; NaN where it failed
    """

    moves: dict[str, NDArray[np.uint8]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    seconds: float = float("nan")

    @property
    def whole(self) -> bool:
        """Whether every match of it was played."""
        return not self.faults and len(self.moves) == len(PANEL) + 1


def stacked(
    played: Sequence[PanelPlay],
) -> Iterator[tuple[str, NDArray[np.int8], NDArray[np.int8], NDArray[np.intp]]]:
    """The matches of all whole plays by opponent, for work on many at once.

    Yields
    ------
    opponent : str
    own, other : (m, turns) int8
    owner : (m,) place of the strategy among `played`
    """
    for opponent in (*PANEL, ITSELF):
        parts = [(i, play.moves[opponent]) for i, play in enumerate(played) if play.whole]
        if not parts:
            continue
        moves = np.concatenate([m for _, m in parts]).astype(np.int8)
        owner = np.repeat([i for i, _ in parts], [len(m) for _, m in parts])
        yield opponent, moves[:, 0], moves[:, 1], owner


def play_panel(
    entrants: Sequence[Entrant],
    engine: Engine,
    rules: MatchRules,
    *,
    repetitions: int = 5,
    seed: int = 0,
    salt: Salt | None = None,
    update: Update = lambda done, total: None,
) -> list[PanelPlay]:
    """Play each entrant against RANDOM, TFT, ALLC, ALLD and itself.

    The streams depend on the salt, opponent and repetition only, so that two strategies which do the same in
    the same situations play the same moves, chance included.

    Parameters
    ----------
    entrants : sequence of n Entrants
    engine : Engine
    rules : MatchRules
    repetitions : int
        Of matches that can differ: against RANDOM always, else where the strategy or noise draws.
    seed : int
    salt : Salt, optional
        Default: ``Salt.of_field(entrants, seed, "inspection")``.
    update : called with (matches played or spoiled, of how many)

    Returns
    -------
    list of n PanelPlay
    """
    salt = salt or Salt.of_field(entrants, seed, "inspection")
    opponents = [Entrant(f"{name} of the panel", automaton=strategy(name)) for name in PANEL]
    whole = [*(replace(e, name=f"{i}") for i, e in enumerate(entrants)), *opponents]
    found = [PanelPlay() for _ in entrants]
    n = len(entrants)
    total, done = n * (len(PANEL) + 2), 0
    for play in engine.play(whole, _jobs(entrants, rules, repetitions, salt), rules):
        i, j = play.job.first, play.job.second
        if isinstance(play, Played):
            found[i].moves[PANEL[j - n] if j >= n else ITSELF] = play.moves
        elif play.player < n:
            found[play.player].faults.append(play)
        done += 1
        update(done, total)
    tft = n + PANEL.index("TFT")
    for i, one in enumerate(found):
        if not one.faults:
            one.seconds = _timed(whole, Job(i, tft, (salt.match("inspection", "time", 0),)), engine, rules)
        done += 1
        update(done, total)
    return found


def _jobs(entrants: Sequence[Entrant], rules: MatchRules, repetitions: int, salt: Salt) -> Iterator[Job]:
    n = len(entrants)
    for i, entrant in enumerate(entrants):
        for k, name in enumerate((*PANEL, ITSELF)):
            differ = entrant.draws or rules.noise > 0 or name == "RANDOM"
            seeds = tuple(salt.match("inspection", name, r) for r in range(repetitions if differ else 1))
            yield Job(i, i if name == ITSELF else n + k, seeds)


def _timed(whole: Sequence[Entrant], job: Job, engine: Engine, rules: MatchRules) -> float:
    start = time.perf_counter()
    ended = list(engine.play(whole, [job], rules))
    seconds = time.perf_counter() - start
    return seconds if all(isinstance(play, Played) for play in ended) else float("nan")
