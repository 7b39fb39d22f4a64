"""One monty session: what is fed to it, what ends it, and the random numbers of a match."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from intent.arena.entrant import Entrant
from intent.arena.match import FaultKind, MatchRules, MatchSeed
from intent.arena.sandbox.draws import legacy_generator, match_draws
from intent.arena.sandbox.monty_source import factory
from intent.arena.sandbox.names import OWN_METHODS, PARTS
from intent.errors import StrategyError, one_line

__all__ = [
    "Broken",
    "Draws",
    "Entering",
    "Table",
    "all_current",
    "entering",
    "rules_text",
    "session_text",
]

WORDS = 2048
"""32-bit words that a player's generator is given at a time at first; twice as many each time after."""

MOST_WORDS = 1 << 16

SESSION = ("monty_generator", "plain", "monty_world", "monty_session")
"""Modules of this folder whose text is fed to a session, in this order."""


class Broken(Exception):
    """A session that cannot go on: `kind` of fault and one line that says why."""

    def __init__(self, kind: FaultKind, reason: str) -> None:
        super().__init__(reason)
        self.kind, self.reason = kind, reason


@dataclass(frozen=True, eq=False)
class Draws:
    """The random numbers of one match.

    Parameters
    ----------
    flips : (turns, 2) bool, which realised moves noise flips; (0, 2) without noise
    seeds : pair of int, of each player's own generator
    """

    flips: NDArray[np.bool_]
    seeds: tuple[int, int]

    @classmethod
    def of(cls, seed: MatchSeed, pair: Sequence[Entrant], rules: MatchRules) -> Draws:
        """As `match_draws`."""
        (first, second), flips = match_draws(seed, [e.seeded for e in pair], rules)
        return cls(flips, (first, second))

    def more(self) -> Callable[[int], list[int]]:
        """What a session calls for the next words of a player's generator."""
        given = [WORDS, WORDS]
        generators: list[RandomState | None] = [None, None]

        def words(player: int) -> list[int]:
            generator = generators[player] or legacy_generator(self.seeds[player])
            generators[player] = generator
            n = given[player]
            given[player] = min(2 * n, MOST_WORDS)
            drawn: list[int] = generator.randint(0, 2**32, size=n, dtype=np.uint32).tolist()
            return drawn

        return words


class Table:
    """A session and the way to feed it.

    Parameters
    ----------
    client : module `pydantic_monty`
    session : MontySession, open
    output : int, bytes that may be printed in a match
    wall : float, seconds on the clock that a match may take in this session
    """

    def __init__(self, client: Any, session: Any, output: int, wall: float) -> None:
        self._client, self._session, self._output, self._wall = client, session, output, wall
        self.begin_match()

    def begin_match(self) -> None:
        """Count time and output of a match from here."""
        self._worked = 0.0
        self._printed = self._client.CollectString(max_bytes=self._output)

    def enter(self, seat: int, player: Entering) -> None:
        """Seat a player.

        Raises
        ------
        StrategyError
            The interpreter has no such syntax.
        Broken
        """
        try:
            self.feed(f"{player.code}\nzz_enter_{seat} = {player.made}")
        except Broken as broken:
            if broken.kind == "error":
                raise StrategyError(f"monty: {broken.reason}") from None
            raise

    def feed(self, code: str, more: Callable[[int], list[int]] | None = None, **inputs: object) -> object:
        """What the last expression of `code` is.

        Raises
        ------
        Broken
            Nothing came back: no time or memory left, too much written, or the interpreter died.
        """
        client = self._client
        given = {} if more is None else {"zz_more": more}
        begun = time.monotonic()
        try:
            got = self._session.feed_run(
                code, inputs=inputs, external_lookup=given, print_callback=self._printed
            )
        except client.MontyCrashedError as error:
            if error.timed_out:
                raise Broken("time", "took too long, and its interpreter had to be ended") from None
            raise Broken("killed", f"its interpreter ended: {one_line(error)}") from None
        except client.MontyError as error:
            raise Broken(*self._ended(error)) from None
        self._worked += time.monotonic() - begun
        if self._worked > self._wall:
            raise Broken("time", f"took longer than {self._wall:g} s for a match")
        return got

    def _ended(self, error: Any) -> tuple[FaultKind, str]:
        inner = error.exception()
        said = one_line(f"{type(inner).__name__}: {inner}")
        if isinstance(inner, TimeoutError):
            return "time", f"worked too long: {said}"
        if isinstance(inner, MemoryError):
            if f"> {self._output} bytes" in said:
                return "output", f"printed more than {self._output} bytes"
            return "memory", f"asked for more memory than it may have: {said}"
        if "suspension limit" in said:
            return "time", "turned to the host too often"
        return "error", said


@cache
def session_text() -> str:
    """The code that every session begins with."""
    folder = files("intent.arena.sandbox")
    names = f"zz_readable = {sorted(PARTS | OWN_METHODS)!r}\nzz_slices_hash = {sys.version_info >= (3, 12)}\n"
    return names + "\n".join(folder.joinpath(f"{name}.py").read_text(encoding="utf-8") for name in SESSION)


class Entering(NamedTuple):
    """What is fed for a player: code, and the expression that then stands for it."""

    code: str
    made: str


def entering(entrant: Entrant) -> Entering:
    """What is fed for a player.

    Raises
    ------
    StrategyError
    """
    a = entrant.automaton
    if a is None:
        return Entering(factory(entrant.source), "zz_written(zz_make)")
    table = f"{a.p_cooperate!r}, {a.next_state!r}, {a.start}, {a.memory == 'realised'}"
    return Entering("", f"zz_automaton({table})")


def all_current(pair: Sequence[Entrant], rules: MatchRules) -> bool:
    """Whether the player called first, too, sees the other's score without delay."""
    return rules.fidelity == "clean" or not all(entrant.keeps_score for entrant in pair)


def rules_text(rules: MatchRules) -> str:
    """Rules as arguments: turns, told length, noise, payoffs; whole payoffs as int, as they print."""
    pay = tuple(int(x) if float(x).is_integer() else float(x) for x in rules.payoffs)
    return f"{rules.turns}, {rules.turns if rules.known_length else -1}, {rules.noise!r}, {pay!r}"
