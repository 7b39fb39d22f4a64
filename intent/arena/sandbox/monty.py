"""The engine ``monty``: an interpreter of its own, for machines where seccomp is missing.

Written code runs in Pydantic's Monty, a Python interpreter in Rust without files, network or modules of the
host, in worker processes; a fresh session per pair. The loop over rounds runs inside (`monty_session.py`) and
moves come back as two texts. Random words are drawn by numpy on this side: the moves are those of the other
engines. What Monty cannot end by itself (squaring huge integers) the time-out of its pool ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.arena.entrant import Entrant
from intent.arena.match import Fault, Job, MatchRules, Played
from intent.arena.sandbox.job_check import check_job
from intent.arena.sandbox.limits import Limits
from intent.arena.sandbox.monty_replay import culprit
from intent.arena.sandbox.monty_table import (
    Broken,
    Draws,
    Entering,
    Table,
    all_current,
    entering,
    rules_text,
    session_text,
)
from intent.arena.sandbox.runtime import DEEPEST
from intent.arena.sandbox.spread import spread
from intent.errors import MissingExtraError, StrategyError, UsageError, one_line
from intent.processors import usable_processors

__all__ = ["MontyEngine"]

PATIENCE = 10.0
"""Seconds on the clock per second of `Limits.cpu`: Monty is slower, and the clock also runs for others."""


class MontyEngine:
    """Plays pairs in sessions of Monty, on as many worker processes as asked for.

    Parameters
    ----------
    workers : int, optional
        By default as many as there are usable processors.
    limits : Limits
        `memory` is that of a session's objects, `output` what may be printed per match, as Monty counts them;
        of the times that on the clock holds, since Monty knows no other.

    Raises
    ------
    MissingExtraError
        pydantic-monty is not installed.
    UsageError
        No worker.
    """

    name = "monty"

    def __init__(self, workers: int | None = None, limits: Limits | None = None) -> None:
        if workers is not None and workers < 1:
            raise UsageError(f"{workers} workers, expected at least 1")
        self._client = _client()
        self._workers = workers or usable_processors()
        self._limits = limits or Limits()
        self._closed = False

    def play(
        self, field: Sequence[Entrant], jobs: Iterable[Job], rules: MatchRules
    ) -> Iterator[Played | Fault]:
        """What became of each job, as they end.

        Raises
        ------
        UsageError
            The engine is closed, its interpreter does not start, or a job is none.
        """
        if self._closed:
            raise UsageError("the engine is closed")
        with self._pool(rules) as pool:
            room = _Room(self._client, pool, self._limits, rules, tuple(field))
            yield from spread(jobs, room.play, self._workers)

    @contextmanager
    def _pool(self, rules: MatchRules) -> Iterator[Any]:
        """Worker processes; as many more as workers, for those that play a match again apart."""
        _, wall = self._limits.per_match(rules.turns, PATIENCE)
        try:
            pool = self._client.Monty(
                min_processes=self._workers,
                max_processes=2 * self._workers,
                request_timeout=1.25 * wall,
                feed_duration_limit_grace=None,
                turn_duration_limit_grace=None,
            )
            pool.__enter__()
        except (OSError, RuntimeError) as error:
            raise UsageError(f"engine 'monty' does not start: {one_line(error)}") from None
        try:
            yield pool
        finally:
            pool.__exit__(None, None, None)

    def close(self) -> None:
        """Take no more jobs; the workers of a `play` end with it."""
        self._closed = True

    def __enter__(self) -> MontyEngine:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class _Room:
    """Where the jobs of one `play` are played; used by several threads."""

    def __init__(
        self, client: Any, pool: Any, limits: Limits, rules: MatchRules, field: Sequence[Entrant]
    ) -> None:
        self.client, self.pool, self.limits, self.rules, self.field = client, pool, limits, rules, field
        self._players: dict[int, Entering | StrategyError] = {}
        with self.pool.checkout(**self._settings()) as session:
            session.feed_run(session_text())
            self._begun: bytes = session.dump()

    def play(self, job: Job) -> Played | Fault:
        """All matches of a pair, in one session."""
        check_job(job, len(self.field), self.rules, self.limits)
        places = (job.first, job.second)
        pair = [self.field[place] for place in places]
        given: list[Entering] = []
        for place in places:
            player = self._player(place)
            if isinstance(player, StrategyError):
                return Fault(job, place, "refused", one_line(player))
            given.append(player)
        moves = np.empty((len(job.seeds), 2, self.rules.turns), dtype=np.uint8)
        with self._table() as table:
            for seat, place in enumerate(places):
                try:
                    table.enter(seat, given[seat])
                except StrategyError as error:
                    return Fault(job, place, "refused", one_line(error))
                except Broken as broken:
                    return Fault(job, place, broken.kind, broken.reason)
            for repetition, seed in enumerate(job.seeds):
                draws = Draws.of(seed, pair, self.rules)
                try:
                    got = table.feed(self._match(pair), draws.more(), zz_flips=draws.flips.tobytes())
                    if isinstance(got, tuple) and len(got) == 4:
                        return self._fault(job, got, repetition)
                    moves[repetition] = _moves(got, self.rules.turns)
                except Broken as broken:
                    suspect = broken, repetition
                    break
            else:
                return Played(job, moves)
        return self._apart(job, pair, given, *suspect)

    def _player(self, place: int) -> Entering | StrategyError:
        if place not in self._players:
            try:
                self._players[place] = entering(self.field[place])
            except StrategyError as error:
                self._players[place] = error
        return self._players[place]

    def _settings(self) -> dict[str, Any]:
        _, wall = self.limits.per_match(self.rules.turns, PATIENCE)
        bounds = {
            "max_feed_duration_secs": wall,
            "max_memory": self.limits.memory,
            "max_suspensions": 1_000_000,
            "max_recursion_depth": DEEPEST,
        }
        return {"limits": bounds, "os_policy": {"sleep": "zero"}}

    @contextmanager
    def _table(self) -> Iterator[Table]:
        with self.pool.checkout(**self._settings()) as session:
            session.load_session(self._begun)
            yield Table(self.client, session, self.limits)

    def _match(self, pair: Sequence[Entrant]) -> str:
        settings = f"{rules_text(self.rules)}, {all_current(pair, self.rules)}, {self.rules.reuse_instances}"
        return f"zz_match(zz_enter_0, zz_enter_1, {settings}, zz_flips)"

    def _fault(self, job: Job, got: Sequence[Any], repetition: int) -> Fault:
        seat, turn, kind, words = got
        reason = one_line(words)
        if kind == "value":
            reason = f"returned {reason}, expected axl.Action.C or axl.Action.D"
        return Fault(job, (job.first, job.second)[seat], kind, reason, repetition, turn)

    def _apart(
        self, job: Job, pair: Sequence[Entrant], given: Sequence[Entering], broken: Broken, repetition: int
    ) -> Fault:
        """Who broke a match: played again with each player in a session of its own."""
        with self._table() as first, self._table() as second:
            tables = (first, second)
            for seat, table in enumerate(tables):
                table.enter(seat, given[seat])
            return culprit(job, pair, self.rules, tables, broken, repetition)


def _moves(got: object, turns: int) -> NDArray[np.uint8]:
    """(2, turns) moves from the two texts of a session, which are not trusted."""
    if not (isinstance(got, tuple) and len(got) == 2):
        raise Broken("killed", "its session gave no moves")
    rows = []
    for text in got:
        if not isinstance(text, str) or len(text) != turns or text.strip("01"):
            raise Broken("killed", "its session gave no moves")
        rows.append(np.frombuffer(text.encode(), dtype=np.uint8) - ord("0"))
    return np.stack(rows)


def _client() -> Any:
    try:
        import pydantic_monty
    except ImportError:
        raise MissingExtraError("pydantic-monty", "sandbox") from None
    return pydantic_monty
