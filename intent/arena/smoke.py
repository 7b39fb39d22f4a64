"""A few short matches, to see whether written code runs at all."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from intent.arena.entrant import Entrant
from intent.arena.match import Engine, Fault, Job, MatchRules
from intent.arena.streams import Salt
from intent.strategies.catalogue import strategy

__all__ = ["PARTNERS", "smoke_play", "told"]

PARTNERS = ("ALLC", "ALLD", "RANDOM", "TFT")
"""Who a strategy meets, besides itself: they lead into most of its branches."""


def smoke_play(
    entrants: Sequence[Entrant],
    engine: Engine,
    rules: MatchRules,
    *,
    seed: int,
    salt: Salt | None = None,
    update: Callable[[int, int], None] | None = None,
) -> dict[int, str]:
    """Let each strategy play one match against each of `PARTNERS` and against itself.

    Parameters
    ----------
    entrants : sequence of n Entrants
    engine : Engine
    rules : MatchRules
    seed : int
    salt : Salt, optional
        Of all streams. Default: ``Salt.of_field(entrants, seed, "check")``.
    update : function of (matches done, all), optional

    Returns
    -------
    dict of int -> str
        Place of a strategy that cannot go on -> why, in one line. Who is at fault plays no further match.
    """
    n = len(entrants)
    field = (*entrants, *(Entrant(f"\x1f{name}", automaton=strategy(name)) for name in PARTNERS))
    salt = salt or Salt.of_field(entrants, seed, "check")
    faults: dict[int, str] = {}
    done, total = 0, n * (len(PARTNERS) + 1)
    for k, partner in enumerate((*PARTNERS, "itself")):
        jobs = [_job(field, i, n + k if k < len(PARTNERS) else i, salt) for i in range(n) if i not in faults]
        for played in engine.play(field, jobs, rules):
            if isinstance(played, Fault):
                faults[played.job.first] = told(played, partner)
            done += 1
            if update is not None:
                update(done, total)
    return dict(sorted(faults.items()))


def _job(field: Sequence[Entrant], i: int, j: int, salt: Salt) -> Job:
    return Job(i, j, (salt.match(field[i].name, field[j].name, 0),))


def told(fault: Fault, against: str) -> str:
    """A fault in one line: its kind, against whom, in which round, why; lines are those of its own code.

    Examples
    --------
    >>> told(Fault(Job(0, 1, (7,)), 0, "error", "line 3: IndexError", turn=4), "TFT")
    'error against TFT in round 5: line 3 of its code: IndexError'
    """
    when = f" in round {fault.turn + 1}" if fault.turn is not None else ""
    reason = re.sub(r"^(line \d+):", r"\1 of its code:", fault.reason)
    return f"{fault.kind} against {against}{when}: {reason}"
