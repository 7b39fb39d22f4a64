"""Who plays in a tournament, and under which rules: what was asked for, else what the files say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from intent.arena.entrant import Entrant
    from intent.arena.match import Engine, MatchRules
    from intent.games.matrix import MatrixGame

__all__ = ["Entries", "arena_engine", "read_entries", "stage", "usual_repetitions"]

USUAL_TURNS = 1000
USUAL_GAME = "classic"
USUAL_REPETITIONS = 20


@dataclass(frozen=True)
class Entries:
    """A field, and who is not in it.

    Parameters
    ----------
    field : tuple of Entrants
    left_out : tuple of (name, reason)
    notes : tuple of str, on how they were read
    """

    field: tuple[Entrant, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


def read_entries(paths: Sequence[str | Path], against: str | None) -> Entries:
    """The strategies of files and folders, then the opponents that a text names.

    Raises
    ------
    UsageError
        Neither, or none of the strategies can be played.
    """
    from intent.arena.field import join_fields, opponents

    if not paths and against is None:
        raise UsageError("no strategies: give files of strategies, or opponents such as --against humans")
    rivals = opponents(against) if against is not None else ()
    if not paths:
        return Entries(rivals)
    from intent.arena.sources.reading import read_strategies

    found = read_strategies(paths)
    left_out = tuple((refused.name, refused.reason) for refused in found.failed)
    if not found.entrants:
        reason = f"; the first: {left_out[0][0]}: {left_out[0][1]}" if left_out else ""
        raise UsageError(f"{', '.join(map(str, paths))}: no strategy that can be played{reason}")
    return Entries(join_fields(found.entrants, rivals), left_out, found.notes)


def stage(
    field: Sequence[Entrant],
    *,
    game: str | None = None,
    turns: int | None = None,
    noise: float | None = None,
    **settings: Any,
) -> tuple[MatrixGame, MatchRules, list[str]]:
    """The game and the rules, and notes where they differ from what strategies were written for.

    Parameters
    ----------
    field : sequence of Entrants
    game : str, optional
        Name in the catalogue of games; default: the one that the files name, else ``classic``.
    turns, noise : optional
        Default: what the files say, else 1,000 and 0.
    **settings : further fields of `MatchRules`

    Raises
    ------
    UsageError
        The files do not agree and nothing was given, or a game without a cooperative action.
    UnknownNameError
        No such game.
    """
    from intent.arena.match import MatchRules
    from intent.games.catalogue import game as find
    from intent.games.matrix import MatrixGame

    written = {
        "game": _said(_catalogue_name(e.game) for e in field if e.game),
        "turns": _said(e.turns for e in field),
        "noise": _said(e.noise for e in field),
    }
    usual = {"game": USUAL_GAME, "turns": USUAL_TURNS, "noise": 0.0}
    asked = {"game": None if game is None else find(game).name, "turns": turns, "noise": noise}
    chosen = {name: _settle(name, asked[name], written[name], usual[name]) for name in usual}
    found = find(chosen["game"])
    if not isinstance(found, MatrixGame):
        raise UsageError(f"{found.name} is no symmetric game of two players")
    rules = MatchRules.of(found, turns=chosen["turns"], noise=chosen["noise"], **settings)
    played = {"game": found.name, "turns": rules.turns, "noise": rules.noise}
    notes = [
        f"some strategies were written for {name} {', '.join(map(_told, others))}, played with {_told(value)}"
        for name, value in played.items()
        if (others := [v for v in written[name] if v != value])
    ]
    return found, rules, notes


def usual_repetitions(field: Sequence[Entrant], rules: MatchRules, *, agents: bool) -> int:
    """20 where repetitions can differ, else 1."""
    from intent.arena.tournament.schedule import varies

    differ = agents or any(varies(a, a, rules) for a in field)
    return USUAL_REPETITIONS if differ else 1


def arena_engine(name: str, field: Sequence[Entrant], workers: int | None, dask: str | None = None) -> Engine:
    """The engine of a field; automata alone need no sandbox.

    Parameters
    ----------
    name : str
    field : sequence of Entrants
    workers : int or None
    dask : str, optional
        Where pairs are played in place of this machine. Each machine of the cluster makes the engine that
        this one would take; where it cannot confine, it refuses.

    Raises
    ------
    UsageError
        No such engine, or it is not available here.
    """
    from functools import partial

    from intent.arena.sandbox.engines import make_engine
    from intent.arena.tournament.spread_engine import SpreadEngine

    if name == "auto" and all(entrant.automaton is not None for entrant in field):
        from intent.arena.tournament.automata_engine import AutomataEngine

        return (
            AutomataEngine() if workers == 1 and dask is None else SpreadEngine(AutomataEngine, workers, dask)
        )
    if dask is None:
        return make_engine(name, workers=workers)
    with make_engine(name, workers=1) as here:
        chosen = here.name
    return SpreadEngine(partial(make_engine, chosen, workers=1), workers, dask)


def _catalogue_name(name: str) -> str:
    """The catalogue's name of a game; one that it does not have stays as it is."""
    from intent.games.catalogue import game as find

    try:
        return find(name).name
    except UnknownNameError:
        return name


def _said(values: Any) -> list[Any]:
    """What the strategies say, each value once."""
    return list(dict.fromkeys(value for value in values if value is not None))


def _settle(name: str, asked: Any, written: list[Any], usual: Any) -> Any:
    if asked is not None:
        return asked
    if len(written) > 1:
        values = " and ".join(map(_told, written[:3]))
        raise UsageError(f"the strategies were written for {name} {values}; say which with --{name}")
    return written[0] if written else usual


def _told(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
