"""A round robin: everybody against everybody, into the table of its counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from intent.arena.entrant import Entrant
from intent.arena.match import Engine, MatchRules
from intent.arena.round_robin import RoundRobin
from intent.arena.streams import Salt
from intent.arena.tournament.matches import FaultPolicy, Spoiled, check_field, play_matches, take_stored
from intent.arena.tournament.pair_tally import PairTally
from intent.arena.tournament.schedule import lots
from intent.arena.tournament.store import MatchStore
from intent.arena.tournament.tally import Tally

__all__ = ["play_round_robin"]


def play_round_robin(
    field: Sequence[Entrant],
    rules: MatchRules,
    *,
    repetitions: int,
    seed: int,
    engine: Engine,
    salt: Salt | None = None,
    store: MatchStore | None = None,
    self_play: bool = True,
    faults: FaultPolicy = "disqualify",
    wanted: NDArray[np.bool_] | None = None,
    added: bool = False,
    update: Callable[[int, int], None] | None = None,
) -> RoundRobin:
    """Everybody against everybody, and against itself.

    The same table comes out on any engine and number of workers, and whatever part was in the store before.
    No player can know what chance decides (`intent.arena.streams`).
    A pair in which nothing is drawn is played once and stands for all repetitions.

    The matches are played as in `play_matches`, then the policy on faults is applied.

    Parameters
    ----------
    field : sequence of n Entrants with different names
    rules : MatchRules
    repetitions : int, R
    seed : int
    engine : Engine
    salt : Salt, optional
        Gives with the names and the number of the repetition the streams of each match. Default:
        ``Salt.of_field(field, seed)``.
    store : MatchStore, optional
        Takes every match as it ends.
    self_play : bool
    faults : {"disqualify", "void"}
        ``disqualify``: none of the matches of a player that is ever at fault counts, so that all others met
        the same opponents. ``void``: only the pairs that were spoiled do not count.
    wanted : (n, n, R) bool, optional
        Matches that are needed, at (first, second) with first <= second; default: all.
    added : bool
        Whether repetitions may be added up as they come, so that memory is bounded by the pairs and not by
        the matches. Where code was written that may be at fault, this needs a store: the matches that count
        are then read again.
    update : called with (done, total) matches

    Returns
    -------
    RoundRobin
        Of the whole field: who is disqualified keeps its place, with no matches.

    Raises
    ------
    UsageError
        No entrants, two of one name, or too many matches.
    """
    check_field(field, repetitions)
    salt = salt or Salt.of_field(field, seed)
    n, safe = len(field), all(entrant.automaton is not None for entrant in field)
    added = added and wanted is None and (safe or store is not None)
    tally = PairTally(n, repetitions, rules) if added else Tally(n, repetitions)
    plan = lots(field, rules, repetitions, self_play=self_play, wanted=wanted)

    def play(tally: Tally | PairTally) -> Spoiled:
        return play_matches(
            field,
            rules,
            plan,
            tally.add,
            salt=salt,
            engine=engine,
            store=store,
            faults=faults,
            update=update,
        )

    spoiled = play(tally)
    if isinstance(tally, PairTally) and spoiled.pairs:
        if store is None:
            tally = Tally(n, repetitions)
            spoiled = play(tally)
        else:
            tally = PairTally(n, repetitions, rules)
            for lot in plan:
                if not spoiled.spoils(lot):
                    take_stored(lot, field, rules, salt, store, tally.add)
    if isinstance(tally, Tally):
        for pair in spoiled.pairs:
            tally.void(*pair)
        for player in spoiled.barred:
            tally.disqualify(player)
    return tally.table(tuple(field), rules, spoiled.faults)
