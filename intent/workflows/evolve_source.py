"""What a population is made of: strategies that are played, a tournament that was, or a payoff matrix."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import DataError, UsageError, located, shorten
from intent.files.text import file_text

if TYPE_CHECKING:
    from intent.arena.entrant import Entrant
    from intent.arena.evolution.pool import By, Pool
    from intent.arena.match import Engine, Fidelity

__all__ = ["FACTS", "Source", "matrix_source", "played_source", "pool_source"]

FACTS = ("turns", "noise", "repetitions", "game", "engine", "salt", "replay")
"""What is known of the matches that a pool is made of."""

_MOST_NAMES = 200
_LONGEST = 4 * 2**20


@dataclass(frozen=True, eq=False)
class Source:
    """A pool, and how it came about.

    Parameters
    ----------
    pool : Pool
    facts : dict
        As `FACTS`; None each where a matrix does not say.
    left_out : dict of strategy -> reason
    notes : list of str
    read : str, what was read
    """

    pool: Pool
    facts: dict[str, Any]
    left_out: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    read: str = ""


def pool_source(
    paths: Sequence[str | Path],
    *,
    folder: Path | None,
    by: By | None,
    engine: str | Engine,
    workers: int | None,
    dask: str | None = None,
    **settings: Any,
) -> Source:
    """The pool of what the paths hold: a CSV file, a folder of ``intent tournament``, or strategies.

    Parameters
    ----------
    paths : sequence of path
    folder : where matches are kept, optional
    by : {"group", "strategy"}, optional
    engine : name, or an Engine
    workers, dask : optional, as `arena_engine`
    **settings
        As `played_source`.

    Raises
    ------
    UsageError, DataError
    """
    from intent.workflows.evolve_tournament import is_tournament, tournament_source

    if not paths:
        raise UsageError("nothing to evolve, expected files of strategies, a tournament or a CSV matrix")
    first = Path(paths[0])
    single = len(paths) == 1
    if first.suffix.casefold() == ".csv":
        if not single:
            raise UsageError(f"{first} and {len(paths) - 1} more, expected one matrix alone")
        return matrix_source(first)
    if is_tournament(first):
        if not single:
            raise UsageError(f"{first} and {len(paths) - 1} more, expected one tournament alone")
        return tournament_source(first, by)
    return played_source(paths, folder=folder, by=by, engine=engine, workers=workers, dask=dask, **settings)


def matrix_source(path: Path) -> Source:
    """A payoff matrix: a header of names, then a row per name, its name first.

    Raises
    ------
    DataError
        It is not such a file.
    """
    import numpy as np

    from intent.arena.evolution.pool import pool_of_matrix

    try:
        text = file_text(path, _LONGEST, "a payoff matrix")
        rows = [row for row in csv.reader(io.StringIO(text, newline="")) if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise DataError(located(path, f"not a readable CSV file: {error}")) from None
    if not rows:
        raise DataError(located(path, "it is empty, expected a payoff matrix"))
    names = [name.strip() for name in rows[0][1:]]
    if not 1 <= len(names) <= _MOST_NAMES:
        raise DataError(located(path, f"{len(names)} columns of payoffs, expected 1 to {_MOST_NAMES}", 1))
    if [row[0].strip() for row in rows[1:]] != names:
        raise DataError(located(path, f"expected one row for each of {shorten(', '.join(names))}, in order"))
    matrix = []
    for number, row in enumerate(rows[1:], 2):
        try:
            if len(row) != len(names) + 1:
                raise ValueError
            matrix.append([float(cell) for cell in row[1:]])
        except ValueError:
            raise DataError(located(path, f"expected {len(names)} numbers after the name", number)) from None
    return Source(pool_of_matrix(names, np.array(matrix)), dict.fromkeys(FACTS), read=path.name)


def played_source(
    paths: Sequence[str | Path],
    *,
    folder: Path | None,
    by: By | None,
    engine: str | Engine,
    workers: int | None,
    dask: str | None = None,
    against: str | None = None,
    game: str | None = None,
    turns: int | None = None,
    noise: float | None = None,
    repetitions: int | None = None,
    seed: int = 0,
    salt: str | None = None,
    fidelity: Fidelity = "axelrod",
    update: Callable[[int, int], None] | None = None,
    ready: Callable[[Sequence[str]], None] | None = None,
) -> Source:
    """Strategies of files and folders, every one against every one and itself.

    Before anything is played, `ready` is told the names that individuals may have.

    Raises
    ------
    UsageError
        No strategies, or settings of matches that cannot be.
    """
    from intent.arena.evolution.match_payoffs import PayoffTally
    from intent.arena.evolution.pool import group_places, pool_of
    from intent.arena.streams import Salt
    from intent.arena.tournament.matches import check_field, play_matches
    from intent.arena.tournament.schedule import lots
    from intent.workflows.evolve_files import LOCK
    from intent.workflows.tournament_field import read_entries, stage, usual_repetitions
    from intent.workflows.tournament_files import kept_matches

    entries = read_entries(paths, against)
    if ready is not None:
        ready(group_places([e.name for e in entries.field], [e.group for e in entries.field], by)[0])
    the_game, rules, notes = stage(entries.field, game=game, turns=turns, noise=noise, fidelity=fidelity)
    if repetitions is None:
        repetitions = usual_repetitions(entries.field, rules, agents=False)
    check_field(entries.field, repetitions)
    streams = Salt.of_field(entries.field, seed) if salt is None else Salt.from_hex(salt)
    with _engine(engine, entries.field, workers, dask) as made, kept_matches(folder, LOCK) as store:
        tally = PayoffTally(len(entries.field), repetitions, rules)
        spoiled = play_matches(
            entries.field,
            rules,
            lots(entries.field, rules, repetitions),
            tally.add,
            salt=streams,
            engine=made,
            store=store,
            update=update,
        )
        pool, left_out = pool_of(tally.table(entries.field, spoiled.faults), by)
    facts = {
        "turns": rules.turns,
        "noise": rules.noise,
        "repetitions": repetitions,
        "game": the_game.name,
        "engine": made.name,
        "salt": streams.hex,
        "replay": streams.replay,
    }
    names = shorten(", ".join(Path(path).name for path in paths))
    return Source(pool, facts, {**dict(entries.left_out), **left_out}, [*entries.notes, *notes], names)


def _engine(
    engine: str | Engine, field: Sequence[Entrant], workers: int | None, dask: str | None
) -> AbstractContextManager[Engine]:
    """The engine; one that was given is left open."""
    if not isinstance(engine, str):
        return nullcontext(engine)
    from intent.workflows.tournament_field import arena_engine

    return arena_engine(engine, field, workers, dask)
