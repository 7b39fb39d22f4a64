"""The engine ``monty``: an interpreter of its own, for machines where seccomp is missing.

Written code runs in Pydantic's Monty, a Python interpreter in Rust without files, network or modules of the
host, in worker processes; a fresh session per pair. The loop over rounds runs inside (`monty_session.py`) and
moves come back as two texts. Random words are drawn by numpy on this side: the moves are those of the other
engines. What Monty cannot end by itself (squaring huge integers) the time-out of its pool ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.arena.entrant import Entrant
from intent.arena.match import Fault, Job, MatchRules, Played
from intent.arena.sandbox.job_check import check_job
from intent.arena.sandbox.limits import Limits
from intent.arena.sandbox.monty_replay import play_apart
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
    apart : bool
        Whether each player has a session of its own from the start, not only where a pair does not end
        well.

    Raises
    ------
    MissingExtraError
        pydantic-monty is not installed.
    UsageError
        No worker.
    """

    name = "monty"

    def __init__(
        self, workers: int | None = None, limits: Limits | None = None, *, apart: bool = False
    ) -> None:
        if workers is not None and workers < 1:
            raise UsageError(f"{workers} workers, expected at least 1")
        self._client = _client()
        self._workers = workers or usable_processors()
        self._limits = limits or Limits()
        self._apart = apart
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
            room = _Room(self._client, pool, self._limits, rules, tuple(field), self._apart)
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
        self,
        client: Any,
        pool: Any,
        limits: Limits,
        rules: MatchRules,
        field: Sequence[Entrant],
        apart: bool,
    ) -> None:
        self.client, self.pool, self.limits, self.rules, self.field = client, pool, limits, rules, field
        self.apart = apart
        _, self._wall = limits.per_match(rules.turns, PATIENCE)
        self._players: dict[int, Entering | StrategyError] = {}
        with self.pool.checkout(**self._settings()) as session:
            session.feed_run(session_text())
            self._begun: bytes = session.dump()

    def play(self, job: Job) -> Played | Fault:
        """All matches of a pair, in one session; where that does not end well, with a session per player.

        What the one session says of a fault is not believed: what is too much together may be the doing of
        one, and is no fault where both play it alone.
        """
        check_job(job, len(self.field), self.rules, self.limits)
        pair = [self.field[place] for place in (job.first, job.second)]
        entering: list[Entering] = []
        for place in (job.first, job.second):
            player = self._player(place)
            if isinstance(player, StrategyError):
                return Fault(job, place, "refused", one_line(player))
            entering.append(player)
        if not self.apart:
            try:
                return Played(job, self._together(job, pair, entering))
            except (Broken, StrategyError):
                pass
        return self._apart(job, pair, entering)

    def _together(self, job: Job, pair: Sequence[Entrant], entering: Sequence[Entering]) -> NDArray[np.uint8]:
        """Moves (repetitions, 2, turns) of both players in one session."""
        moves = np.empty((len(job.seeds), 2, self.rules.turns), dtype=np.uint8)
        settings = f"{rules_text(self.rules)}, {all_current(pair, self.rules)}, {self.rules.reuse_instances}"
        match = f"zz_match(zz_enter_0, zz_enter_1, {settings}, zz_flips)"
        with self._table() as table:
            for seat, player in enumerate(entering):
                table.enter(seat, player)
            for repetition, seed in enumerate(job.seeds):
                draws = Draws.of(seed, pair, self.rules)
                table.begin_match()
                got = table.feed(match, draws.more(), zz_flips=draws.flips.tobytes())
                moves[repetition] = _moves(got, self.rules.turns)
        return moves

    def _apart(self, job: Job, pair: Sequence[Entrant], entering: Sequence[Entering]) -> Played | Fault:
        """The job with a session for each player of written code."""
        with ExitStack() as open_tables:
            tables: dict[int, Table] = {}
            for seat, place in enumerate((job.first, job.second)):
                if pair[seat].automaton is not None:
                    continue
                tables[seat] = open_tables.enter_context(self._table())
                try:
                    tables[seat].enter(seat, entering[seat])
                except StrategyError as error:
                    return Fault(job, place, "refused", one_line(error))
                except Broken as broken:
                    return Fault(job, place, broken.kind, broken.reason)
            return play_apart(job, pair, self.rules, tables)

    def _player(self, place: int) -> Entering | StrategyError:
        if place not in self._players:
            try:
                self._players[place] = entering(self.field[place])
            except StrategyError as error:
                self._players[place] = error
        return self._players[place]

    def _settings(self) -> dict[str, Any]:
        bounds = {
            "max_feed_duration_secs": self._wall,
            "max_memory": self.limits.memory,
            "max_suspensions": 1_000_000,
            "max_recursion_depth": DEEPEST,
        }
        return {"limits": bounds, "os_policy": {"sleep": "zero"}}

    @contextmanager
    def _table(self) -> Iterator[Table]:
        with self.pool.checkout(**self._settings()) as session:
            session.load_session(self._begun)
            yield Table(self.client, session, self.limits.output, self._wall)


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
