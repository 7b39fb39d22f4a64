"""One player in a process of its own, move by move: for games that somebody else runs."""

from __future__ import annotations

import json

from intent.arena.entrant import Entrant
from intent.arena.match import FaultKind, MatchRules
from intent.arena.sandbox.confined import confinement
from intent.arena.sandbox.host import Zygote, player_spec, request
from intent.arena.sandbox.limits import Limits
from intent.errors import StrategyError, UsageError, one_line

__all__ = ["ConfinedPlayer", "PlayerFault"]


class PlayerFault(StrategyError):
    """A confined player cannot go on.

    Attributes
    ----------
    kind : FaultKind
    """

    def __init__(self, name: str, kind: FaultKind, reason: str) -> None:
        super().__init__(f"strategy {name}: {kind}: {reason}")
        self.kind: FaultKind = kind


class ConfinedPlayer:
    """A strategy at a table where the opponent is no other written code; a context manager.

    Both scores are current, as against an automaton.

    Parameters
    ----------
    entrant : Entrant
    rules : MatchRules
        Noise is the table's: `move` is told what was realised.
    seed : int in [0, 2**128)
        Of the player's own generator.
    limits : Limits, optional

    Raises
    ------
    UsageError
        Processes cannot be confined here.
    """

    def __init__(self, entrant: Entrant, rules: MatchRules, seed: int, limits: Limits | None = None) -> None:
        if (why := confinement()) is not None:
            raise UsageError(f"a written strategy cannot join a live game here: {why}")
        if not 0 <= seed < 2**128:
            raise UsageError(f"seed {seed}, expected 0 to 2**128 - 1")
        self._entrant, self._rules, self._seed = entrant, rules, seed
        self._limits = limits or Limits()
        self._zygote: Zygote | None = None

    def __enter__(self) -> ConfinedPlayer:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def move(self, own_last: int | None = None, other_last: int | None = None) -> int:
        """The next move, 1 = cooperate.

        Parameters
        ----------
        own_last, other_last : int, 1 = cooperate
            What was realised in the last round; None in the first.

        Raises
        ------
        PlayerFault
        UsageError
            The first round has no last moves, and a later one needs them.
        RunError
        """
        if (own_last is None) != (self._zygote is None) or (other_last is None) != (self._zygote is None):
            raise UsageError("the first move follows no round, and every later one the last round's moves")
        if self._zygote is None or own_last is None or other_last is None:
            self._zygote = Zygote()
            players = [player_spec(self._entrant)]
            asked = request("live", players, (self._seed,), self._rules, self._limits)
        else:
            asked = {"op": "tell", "own": int(own_last == 0), "other": int(other_last == 0)}
        kind, body = self._zygote.ask(asked)
        if kind == "F":
            words = json.loads(body)
            raise PlayerFault(self._entrant.name, words["kind"], one_line(words["reason"], 300))
        return 1 - body[0]

    def close(self) -> None:
        """End the player's process; a player that was closed begins anew."""
        if self._zygote is not None:
            self._zygote.close()
            self._zygote = None
