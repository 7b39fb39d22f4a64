"""How a run is going, read from its database by any process, or told while it is played."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from intent.logs.run_folder import LOCK, is_locked
from intent.runner.store import RunStore

__all__ = ["Progress", "RunStatus", "Ticker", "status_of"]


_RECENT = 60.0
_MOST_ERRORS = 20


@dataclass(frozen=True)
class ModelUse:
    """What one model was asked.

    Parameters
    ----------
    player : as in the plan
    models : snapshots that answered
    calls, cached : stored calls, and those of them that came from the cache
    prompt_tokens, completion_tokens : as far as the endpoint counts them
    cost : None where no call has a price
    seconds : mean of a call that was not cached
    """

    player: str
    models: tuple[str, ...]
    calls: int
    cached: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    seconds: float | None


@dataclass(frozen=True)
class RunStatus:
    """How a run is going.

    Parameters
    ----------
    playing : whether a process plays it now
    games, finished, in_progress, interrupted, waiting : int
        Planned games, and how many of them are over, begun, set aside with an error, not begun.
    progress : float in [0, 1]
        Share of the expected rounds that have been played.
    calls, cached, resent, in_flight : int
        Stored calls; from the cache; sent again after a crash; sent and not answered (yet).
    retried : stored calls that took more than one request
    failures : dict of kind -> number of failed requests
    errors : tuple of (game_id, error) of games set aside, the first 20
    calls_per_second : in the last minute of play
    seconds : time of play in all sessions
    eta : seconds until the end at the speed of this session, None while nobody plays or knows
    stopped : why it was last stopped; None while it is played
    """

    run: str
    playing: bool
    games: int
    finished: int
    in_progress: int
    interrupted: int
    waiting: int
    progress: float
    calls: int
    cached: int
    resent: int
    in_flight: int
    retried: int
    failures: dict[str, int]
    errors: tuple[tuple[str, str], ...]
    models: tuple[ModelUse, ...]
    cost: float
    calls_per_second: float
    seconds: float
    eta: float | None
    stopped: str | None


def status_of(store: RunStore, folder: Path, run: str) -> RunStatus:
    """The status of an open run."""
    rows, count = store.file.rows, store.file.count
    playing = is_locked(folder / LOCK)
    states = dict(rows("SELECT state, count(*) FROM games GROUP BY state"))
    games = count("SELECT count(*) FROM plans")
    begun = states.get("playing", 0) + states.get("waiting", 0)
    models = _models(store)
    errors = rows(
        "SELECT game_id, error FROM games JOIN plans USING (game) WHERE state = 'interrupted' "
        "ORDER BY game LIMIT ?",
        (_MOST_ERRORS,),
    )
    progress = store.progress()
    speed, seconds, eta, stopped = _times(store, playing, progress)
    return RunStatus(
        run=run,
        playing=playing,
        games=games,
        finished=states.get("finished", 0),
        in_progress=begun,
        interrupted=states.get("interrupted", 0),
        waiting=games - sum(states.values()),
        progress=progress,
        calls=sum(m.calls for m in models),
        cached=sum(m.cached for m in models),
        resent=count("SELECT sum(sends - 1) FROM calls WHERE sends > 1")
        + count("SELECT sum(times - 1) FROM flights"),
        in_flight=count("SELECT count(*) FROM flights WHERE sent IS NOT NULL"),
        retried=count("SELECT count(*) FROM calls WHERE tries > 1"),
        failures=dict(rows("SELECT kind, count(*) AS n FROM failures GROUP BY kind ORDER BY n DESC")),
        errors=tuple((str(game_id), str(error)) for game_id, error in errors),
        models=models,
        cost=sum(m.cost or 0.0 for m in models),
        calls_per_second=speed,
        seconds=seconds,
        eta=eta,
        stopped=stopped,
    )


def _models(store: RunStore) -> tuple[ModelUse, ...]:
    snapshots: dict[str, list[str]] = {}
    for player, model in store.file.rows("SELECT DISTINCT player, model FROM calls ORDER BY player, model"):
        snapshots.setdefault(player, []).extend([] if model is None else [model])
    sql = (
        "SELECT player, count(*), sum(cached), sum(prompt_tokens), sum(completion_tokens), sum(cost), "
        "avg(CASE WHEN cached THEN NULL ELSE seconds END) FROM calls GROUP BY player ORDER BY player"
    )
    return tuple(
        ModelUse(player, tuple(snapshots[player]), calls, cached, prompts or 0, completions or 0, cost, mean)
        for player, calls, cached, prompts, completions, cost, mean in store.file.rows(sql)
    )


def _times(store: RunStore, playing: bool, progress: float) -> tuple[float, float, float | None, str | None]:
    """Calls per second, seconds of play, seconds to go, and why it was last stopped."""
    now = time.time()
    last = store.file.row("SELECT started, ended, progress, reason FROM sessions ORDER BY id DESC LIMIT 1")
    if last is None:
        return 0.0, 0.0, None, None
    started, ended, before, reason = last
    newest = store.file.row("SELECT max(stored) FROM calls WHERE id > (SELECT max(id) FROM calls) - 10000")
    # A killed session has no end of its own: its last call stands in.
    end = now if playing else ended or (newest[0] if newest and newest[0] else started)
    earlier = store.file.row(
        "SELECT sum(ended - started) FROM sessions WHERE id < (SELECT max(id) FROM sessions)"
    )
    span = max(end - started, 1e-9)
    recent = min(_RECENT, span)
    calls = store.file.count("SELECT count(*) FROM calls WHERE stored > ?", (end - recent,))
    gained = progress - before
    eta = (1 - progress) / gained * span if playing and gained > 0 else None
    seconds = span + float(earlier[0] or 0.0) if earlier else span
    return calls / recent, seconds, eta, None if playing else str(reason or "killed")


_EVERY = 0.1


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Parameters
    ----------
    games : int, planned
    finished, interrupted : games that are over, and set aside with an error
    calls : calls stored, those of earlier sessions included
    new_calls : calls stored in this session
    seconds : since this session began
    """

    games: int
    finished: int
    interrupted: int
    calls: int
    new_calls: int
    seconds: float

    @property
    def calls_per_second(self) -> float:
        """New calls per second."""
        return self.new_calls / self.seconds if self.seconds > 0 else 0.0


class Ticker:
    """Tells of progress, at most ten times a second."""

    def __init__(self, store: RunStore, tell: Callable[[Progress], None]) -> None:
        self._tell = tell
        self._games = store.file.count("SELECT count(*) FROM plans")
        self._calls = store.file.count("SELECT count(*) FROM calls")
        self._states = Counter(
            state for (state,) in store.file.rows("SELECT state FROM games WHERE state = 'finished'")
        )
        self._new = 0
        self._began, self._told = time.monotonic(), 0.0

    def call(self) -> None:
        """A call was stored."""
        self._new += 1
        self._tick()

    def game(self, state: str) -> None:
        """A game is over or set aside."""
        self._states[state] += 1
        self._tick()

    def _tick(self) -> None:
        now = time.monotonic()
        if now - self._told >= _EVERY:
            self._told = now
            self.last()

    def last(self) -> None:
        """Tell now."""
        self._tell(
            Progress(
                self._games,
                self._states["finished"],
                self._states["interrupted"],
                self._calls + self._new,
                self._new,
                time.monotonic() - self._began,
            )
        )
