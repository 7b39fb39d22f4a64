"""Who broke a match: the players again, each in a session of its own, with a referee between them."""

from __future__ import annotations

import time
from collections.abc import Sequence

from intent.arena.entrant import Entrant
from intent.arena.match import Fault, FaultKind, Job, MatchRules
from intent.arena.sandbox.monty_table import Broken, Draws, Table, all_current, rules_text
from intent.errors import one_line

__all__ = ["culprit"]

Foul = tuple[int, int | None, FaultKind, str]
"""Seat, turn, kind, reason."""


def culprit(
    job: Job,
    pair: Sequence[Entrant],
    rules: MatchRules,
    tables: Sequence[Table],
    broken: Broken,
    repetition: int,
) -> Fault:
    """The fault of a job whose session broke.

    Where neither player breaks its own session, together they were too much, and the one that took longer is
    named.

    Parameters
    ----------
    job : Job
    pair : two Entrants
    rules : MatchRules
    tables : two Tables, a fresh one per player, who has entered
    broken : Broken, how the session of both ended
    repetition : int, in which
    """
    places = (job.first, job.second)
    spent = [0.0, 0.0]
    for now in range(0 if rules.reuse_instances else repetition, repetition + 1):
        foul = _replay(pair, rules, tables, Draws.of(job.seeds[now], pair, rules), spent)
        if foul is not None:
            seat, turn, kind, reason = foul
            return Fault(job, places[seat], kind, reason, now, turn)
    slower = int(spent[1] > spent[0])
    return Fault(job, places[slower], broken.kind, broken.reason, repetition)


def _replay(
    pair: Sequence[Entrant], rules: MatchRules, tables: Sequence[Table], draws: Draws, spent: list[float]
) -> Foul | None:
    """One match; the first foul, if there is one. Adds the seconds of each player to `spent`."""
    told = rules_text(rules).split(", ", 1)[1]
    late = not all_current(pair, rules)
    pay, more = rules.payoffs, draws.more()
    last, scores, shown = (-1, -1), (0.0, 0.0), 0.0
    turn: int | None = None

    def ask(seat: int, code: str) -> object:
        begun = time.monotonic()
        try:
            return tables[seat].feed(code, more)
        finally:
            spent[seat] += time.monotonic() - begun

    seat = 0
    try:
        for seat in (0, 1):
            got = ask(seat, f"zz_seat({seat}, zz_enter_{seat}, {told}, {rules.reuse_instances})")
            if isinstance(got, tuple):
                return seat, None, "error", one_line(got[-1])
        for turn in range(rules.turns):
            moves = [0, 0]
            for seat in (0, 1):
                seen = shown if late and seat == 0 else scores[1 - seat]
                step = f"{last[seat]}, {last[1 - seat]}, {_number(scores[seat])}, {_number(seen)}"
                got = ask(seat, f"zz_step({seat}, {step})")
                if isinstance(got, tuple):
                    return seat, turn, got[2], one_line(got[3])
                if got not in (0, 1):
                    return seat, turn, "killed", "its session gave no move"
                moves[seat] = int(got == 1)
            if rules.noise:
                moves = [m ^ int(flip) for m, flip in zip(moves, draws.flips[turn], strict=True)]
            shown = scores[1]
            a, b = moves
            scores = scores[0] + pay[3 - 2 * a - b], scores[1] + pay[3 - 2 * b - a]
            last = a, b
    except Broken as broken:
        return seat, turn, broken.kind, broken.reason
    return None


def _number(score: float) -> str:
    """As the session writes it: whole scores are int."""
    return repr(int(score) if float(score).is_integer() else float(score))
