"""A few short matches, where they can do no harm, to see whether written code runs at all."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from intent.arena.entrant import Entrant
from intent.arena.match import Engine, Fault, Job, MatchRules
from intent.arena.sources.parser import INSTEAD
from intent.arena.streams import Salt
from intent.base.errors import one_line
from intent.runner.caller import Replies, reply_key
from intent.strategies.catalogue import strategy

__all__ = ["Trial", "fault_line", "smoke_play", "try_out"]


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
                faults[played.job.first] = fault_line(played, partner)
            done += 1
            if update is not None:
                update(done, total)
    return dict(sorted(faults.items()))


def _job(field: Sequence[Entrant], i: int, j: int, salt: Salt) -> Job:
    return Job(i, j, (salt.match(field[i].name, field[j].name, 0),))


def fault_line(fault: Fault, against: str) -> str:
    """A fault in one line: its kind, against whom, in which round, why; lines are those of its own code.

    Examples
    --------
    >>> fault_line(Fault(Job(0, 1, (7,)), 0, "error", "line 3: IndexError", turn=4), "TFT")
    'error against TFT in round 5: line 3 of its code: IndexError'
    """
    when = f" in round {fault.turn + 1}" if fault.turn is not None else ""
    reason = re.sub(r"^(line \d+):", r"\1 of its code:", fault.reason)
    return f"{fault.kind} against {against}{when}: {reason}{_hint(fault.reason)}"


def _hint(reason: str) -> str:
    """What to do instead of a name that has no value; empty after other faults.

    Examples
    --------
    >>> _hint("line 3: NameError: name 'math' is not defined")
    '; use plain arithmetic'
    """
    match = _NO_VALUE.search(reason)
    if match is None:
        return ""
    return "; " + INSTEAD.get(match[1], "give it a value first, in every case")


_NO_VALUE = re.compile(r"NameError\b.*\bname '(\w+)' is not defined")


TRIALS = "trials.jsonl"

OPPONENTS = ("ALLC", "ALLD", "TFT", "RANDOM")
SHORT = 30
"""Rounds of a short match."""

_KINDS = {
    "refused": "it was not let in",
    "error": "it raised an error",
    "value": "it returned something that is no move",
    "time": "it took too long",
    "memory": "it took too much memory",
    "output": "it wrote too much",
    "killed": "it did what is forbidden",
}


def try_out(source: str, engine: Engine, rules: MatchRules) -> str | None:
    """What went wrong when the code played, in one line; None where nothing did.

    1. `SHORT` rounds against ALLC, ALLD, TFT, RANDOM and itself.
    2. All rounds against RANDOM, which takes the history into most situations.

    It ends with the first fault.

    Parameters
    ----------
    source : str, as the gate gives it
    """
    field = [Entrant("strategy", source=source)]
    field += [Entrant(name, automaton=strategy(name)) for name in OPPONENTS]
    salt = Salt.of_field(field, 0, "trial")
    short = replace(rules, turns=min(SHORT, rules.turns))
    plan = [*((place, short) for place in (1, 2, 3, 4, 0)), (4, rules)]
    for place, how in plan:
        seeds = (salt.match("strategy", field[place].name, how.turns),)
        for ended in engine.play(field, [Job(0, place, seeds)], how):
            if isinstance(ended, Fault):
                return _fault_words(ended, field[place].name, how.turns)
    return None


def _fault_words(fault: Fault, other: str, turns: int) -> str:
    against = "itself" if other == "strategy" else other
    where = f"in round {fault.turn + 1} of {turns}" if fault.turn is not None else f"in {turns} rounds"
    reason = one_line(fault.reason, 300) + _hint(fault.reason)
    return f"{_KINDS[fault.kind]} {where} against {against}: {reason}"


class Trial:
    """Tries code out, each piece once, beside an event loop; what it found is kept in a file.

    Parameters
    ----------
    folder : Path
        Holds, or gets, ``trials.jsonl``.

    Raises
    ------
    DataError, OutputError
        As `Replies`.
    """

    def __init__(self, folder: Path, engine: Engine, rules: MatchRules) -> None:
        self._trials = Replies(folder / TRIALS)
        self._engine, self._rules = engine, rules
        self._turn = asyncio.Lock()
        self._thread = ThreadPoolExecutor(1)

    async def __call__(self, source: str) -> str | None:
        """As `try_out`."""
        rules = self._rules
        what = {"source": source, "rules": repr(rules), "engine": self._engine.name}
        key = reply_key(what)
        async with self._turn:
            if key not in self._trials.known:
                loop = asyncio.get_running_loop()
                problem = await loop.run_in_executor(self._thread, try_out, source, self._engine, rules)
                self._trials.add({"key": key, "engine": self._engine.name, "text": problem or ""})
        return str(self._trials.known[key]["text"]) or None

    def close(self) -> None:
        """End the thread; the engine is its owner's to close."""
        self._thread.shutdown()
