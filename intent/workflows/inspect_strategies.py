"""The page for inspection of written strategies, file by file, under the rules that each was written for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from intent.arena.entrant import Entrant
    from intent.arena.inspection.facts import StrategyFacts
    from intent.arena.match import Engine, MatchRules
    from intent.arena.sources.reading import Refused
    from intent.arena.streams import Salt
    from intent.games.matrix import MatrixGame

__all__ = ["write_inspection"]


def write_inspection(
    path: str | Path,
    entrants: Sequence[Entrant],
    failed: Sequence[Refused],
    engine: Engine,
    *,
    turns: int | None = None,
    seed: int = 0,
    salt: Salt | None = None,
    overwrite: bool = False,
    update: Callable[[int, int], None] = lambda done, total: None,
) -> Path:
    """Inspect strategies, and write what is known of them as one self-contained HTML file.

    Parameters
    ----------
    path : path
    entrants : those that run
    failed : the others
    engine : Engine
    turns : int, optional
        Rounds of a match with the panel. Default: what a file says, else 1,000.
    seed : int
    salt : Salt, optional
        Default: ``Salt.of_field(entrants, seed, "inspection")``.
    overwrite : bool
    update : called with (matches done, of how many)

    Raises
    ------
    OutputError
        The path exists and may not be replaced, or cannot be written.
    UsageError
        The strategies of one file were written for different games or noise.
    """
    from intent.arena.entrant import split_origin
    from intent.arena.inspection.facts import inspect_strategies
    from intent.arena.inspection.panel import PANEL
    from intent.arena.streams import Salt
    from intent.report.inspection_page import InspectedSet, write_inspection_page

    salt = salt or Salt.of_field(entrants, seed, "inspection")
    by_file: dict[str, list[Entrant]] = {}
    for entrant in entrants:
        by_file.setdefault(entrant.file, []).append(entrant)
    lost: dict[str, list[Refused]] = {}
    for one in failed:
        lost.setdefault(split_origin(one.origin)[0], []).append(one)
    matches = len(PANEL) + 2
    total, done = matches * len(entrants), 0
    sets, played = [], []
    for name in dict.fromkeys([*by_file, *lost]):
        field = by_file.get(name, [])
        facts: tuple[StrategyFacts, ...] = ()
        if field:
            game, rules = _table(field, turns)
            facts = inspect_strategies(
                field, engine, rules, seed=seed, salt=salt, update=partial(_tell, update, done, total)
            )
            noise = f"noise {rules.noise:g}" if rules.noise else "no noise"
            played.append(f"{name or 'strategies'}: {game.name}, {rules.turns:,} rounds, {noise}")
        done += matches * len(field)
        sets.append(InspectedSet(name, facts, tuple(lost.get(name, ()))))
    lines = [
        "Each strategy met RANDOM (five matches), TFT, ALLC, ALLD and itself, with the same random numbers "
        f"for all; engine {engine.name}, seed {seed}, salt {salt.hex}.",
        f"{'; '.join(played)}.",
    ]
    return write_inspection_page(path, sets, lines=lines if played else (), overwrite=overwrite)


def _table(field: Sequence[Entrant], turns: int | None) -> tuple[MatrixGame, MatchRules]:
    """What a file says that it was written for; where that cannot be played, the usual game."""
    from intent.errors import UsageError
    from intent.workflows.tournament_field import USUAL_GAME, USUAL_TURNS, stage

    try:
        game, rules, _ = stage(field, turns=turns)
    except UsageError:
        game, rules, _ = stage(field, game=USUAL_GAME, turns=turns or USUAL_TURNS, noise=0.0)
    return game, rules


def _tell(update: Callable[[int, int], None], before: int, total: int, done: int, _: int) -> None:
    update(before + done, total)
