"""One monty session: what is fed to it, what ends it, and the random numbers of a match."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from intent.arena.entrant import Entrant
from intent.arena.match import FaultKind, MatchRules
from intent.arena.sandbox.draws import match_draws
from intent.arena.sandbox.limits import Limits
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
    """The random numbers of one match, as numpy's legacy generator draws them.

    Parameters
    ----------
    flips : (turns, 2) bool, which realised moves noise flips
    players : pair of RandomState or None, each player's own generator
    """

    flips: NDArray[np.bool_]
    players: tuple[RandomState | None, RandomState | None]

    @classmethod
    def of(cls, seed: int, pair: Sequence[Entrant], rules: MatchRules) -> Draws:
        """From the seed of the match: a seed per seeded player in seat order, then two draws a turn."""
        seeded = [e.seeded for e in pair]
        seeds, flips = match_draws(seed, seeded, rules)
        first, second = (RandomState(s) if own else None for s, own in zip(seeds, seeded, strict=True))
        return cls(flips, (first, second))

    def more(self) -> Callable[[int], list[int]]:
        """What a session calls for the next words of a player's generator."""
        given = [WORDS, WORDS]

        def words(player: int) -> list[int]:
            generator = self.players[player]
            if generator is None:
                generator = RandomState(0)
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
    limits : Limits
    """

    def __init__(self, client: Any, session: Any, limits: Limits) -> None:
        self._client, self._session, self._limits = client, session, limits

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
        printed = client.CollectString(max_bytes=self._limits.output)
        given = {} if more is None else {"zz_more": more}
        try:
            return self._session.feed_run(code, inputs=inputs, external_lookup=given, print_callback=printed)
        except client.MontyCrashedError as error:
            if error.timed_out:
                raise Broken("time", "took too long, and its interpreter had to be ended") from None
            raise Broken("killed", f"its interpreter ended: {one_line(error)}") from None
        except client.MontyError as error:
            raise Broken(*self._ended(error)) from None

    def _ended(self, error: Any) -> tuple[FaultKind, str]:
        inner = error.exception()
        said = one_line(f"{type(inner).__name__}: {inner}")
        if isinstance(inner, TimeoutError):
            return "time", f"worked too long: {said}"
        if isinstance(inner, MemoryError):
            if f"> {self._limits.output} bytes" in said:
                return "output", f"printed more than {self._limits.output} bytes"
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
