"""An engine that plays automata in this process; written code stands for one, or is at fault."""

from __future__ import annotations

import numpy as np

from intent.arena.match import Fault, Played


class AutomatonEngine:
    """Plays a field without a sandbox.

    Parameters
    ----------
    stands_for : source -> Strategy; other sources are at fault
    """

    name = "automata"

    def __init__(self, stands_for=None):
        self.stands_for = dict(stands_for or {})

    def play(self, field, jobs, rules):
        for job in jobs:
            seats = (job.first, job.second)
            automata = [field[i].automaton or self.stands_for.get(field[i].source) for i in seats]
            if None in automata:
                yield Fault(job, seats[automata.index(None)], "error", "ValueError: <b>no</b>", 0, 4)
                continue
            yield Played(job, np.stack([_match(automata, seed, rules) for seed in job.seeds]))

    def close(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()


def _match(automata, seed, rules):
    rng = np.random.default_rng(seed if isinstance(seed, int) else seed.player(0))
    states = [a.start for a in automata]
    moves = np.zeros((2, rules.turns), dtype=np.uint8)
    for t in range(rules.turns):
        meant = [rng.random() < a.p_cooperate[s] for a, s in zip(automata, states, strict=True)]
        made = [int(m ^ (rng.random() < rules.noise)) for m in meant]
        moves[:, t] = made
        states = [
            a.next_code(s, made[k], made[1 - k])
            for k, (a, s) in enumerate(zip(automata, states, strict=True))
        ]
    return moves
