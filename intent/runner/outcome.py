"""How far a run came in one session."""

from __future__ import annotations

from dataclasses import dataclass

from intent.runner.driver import Stop
from intent.runner.store import RunStore

__all__ = ["Outcome", "outcome_of"]


@dataclass(frozen=True)
class Outcome:
    """How far a run came.

    Parameters
    ----------
    finished, interrupted, left : int
        Games that are over; set aside with an error; neither.
    calls : int
        New calls that were stored.
    resent : int
        Calls that had been in flight when the run was last ended, and were sent again.
    stop : Stop or None
        Why it stopped before the last game was over or set aside.
    seconds : float
    """

    finished: int
    interrupted: int
    left: int
    calls: int
    resent: int
    stop: Stop | None
    seconds: float


def outcome_of(store: RunStore, session: int, stop: Stop | None, seconds: float) -> Outcome:
    """What a session brought.

    Parameters
    ----------
    store : RunStore
    session : int
    stop : Stop or None
    seconds : float
    """
    count = store.file.count
    planned = count("SELECT count(*) FROM plans")
    finished = count("SELECT count(*) FROM games WHERE state = 'finished'")
    interrupted = count("SELECT count(*) FROM games WHERE state = 'interrupted'")
    since = "SELECT count(*) - (SELECT calls FROM sessions WHERE id = ?) FROM calls"
    began = "WHERE stored >= (SELECT started FROM sessions WHERE id = ?) AND sends > 1"
    return Outcome(
        finished=finished,
        interrupted=interrupted,
        left=planned - finished - interrupted,
        calls=count(since, (session,)),
        resent=count(f"SELECT sum(sends - 1) FROM calls {began}", (session,)),
        stop=stop,
        seconds=seconds,
    )
