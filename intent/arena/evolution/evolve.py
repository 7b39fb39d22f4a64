"""Which strategies survive: Moran processes over matches played once, and what is known exactly beside.

Who is in a population at first: ``--initial 8,2,2`` or ``Aggressive=8,Cooperative=2,Neutral=2``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import UnknownNameError, UsageError, shorten
from intent.base.workers import open_workers

if TYPE_CHECKING:
    from intent.arena.evolution.population import By, Pool
    from intent.arena.evolution.result import Evolution, Source
    from intent.arena.match import Engine, Fidelity


__all__ = ["Initial", "evolve", "evolve_pool", "names_in", "population", "starts"]


Initial = str | Sequence[int] | Mapping[str, int]

_EACH = 4
"""Individuals of each name where nothing is said, as in the paper (Willis et al. 2025, section 4.3)."""
_FEW = 3


def starts(initial: Initial | Sequence[Initial] | None, known: Sequence[str]) -> list[dict[str, int]]:
    """Individuals by name, one mapping per start.

    Numbers without names are of the attitudes in their order (Aggressive, Cooperative, Neutral) where there
    are three and all attitudes are known; else of all names in their order.

    Parameters
    ----------
    initial : text, numbers or mapping, or a list of such; optional
        Default: 4 of each attitude; without attitudes 4 of each of up to three names, else one of each.

    Raises
    ------
    UsageError
    """
    if initial is None:
        return [_default(known)]
    texts: list[Any] = [initial]
    if not isinstance(initial, str | Mapping) and any(not isinstance(one, int) for one in initial):
        texts = list(initial)
    populations = [_start(one, known) for one in texts]
    for before, after in pairwise(populations):
        if sum(before.values()) != sum(after.values()):
            sizes = " and ".join(str(sum(one.values())) for one in (before, after))
            raise UsageError(f"--initial of {sizes} individuals, expected populations of one size")
    return populations


def names_in(begun: Sequence[Mapping[str, int]], known: Sequence[str]) -> tuple[str, ...]:
    """The names of all starts, in the known order; those unknown last."""
    named = {name for one in begun for name in one}
    return (*(name for name in known if name in named), *sorted(named - set(known)))


def population(start: Mapping[str, int], names: Sequence[str]) -> tuple[int, ...]:
    """Individuals in the order of the names."""
    return tuple(start.get(name, 0) for name in names)


def _start(initial: Initial, known: Sequence[str]) -> dict[str, int]:
    if isinstance(initial, Mapping):
        return {str(name): _number(count, initial) for name, count in initial.items()}
    if not isinstance(initial, str):
        return _by_order([_number(count, initial) for count in initial], known)
    parts = [part.strip() for part in initial.split(",") if part.strip()]
    if all("=" in part for part in parts) and parts:
        pairs = [(name.strip(), count) for name, _, count in (part.rpartition("=") for part in parts)]
        counts = {name: _number(count, initial) for name, count in pairs}
        if len(counts) < len(pairs):
            raise UsageError(f"--initial {shorten(initial)!r} names one twice")
        return counts
    return _by_order([_number(part, initial) for part in parts], known)


def _by_order(counts: Sequence[int], known: Sequence[str]) -> dict[str, int]:
    from intent.arena.entrant import ATTITUDES

    names = list(ATTITUDES) if len(counts) == 3 and set(ATTITUDES) <= set(known) else list(known)
    if len(counts) != len(names):
        listed = ", ".join(known[:12]) + (", …" if len(known) > 12 else "")
        raise UsageError(
            f"--initial has {len(counts)} numbers, expected {len(names)} ({listed}), or NAME=NUMBER,…"
        )
    return dict(zip(names, counts, strict=True))


def _number(text: object, initial: object) -> int:
    try:
        count = int(str(text))
    except ValueError:
        count = -1
    if not 0 <= count <= 1_000_000:
        raise UsageError(
            f"--initial {shorten(initial)!r}, expected numbers such as 4,4,4 or Aggressive=8,Neutral=4"
        )
    return count


def _default(known: Sequence[str]) -> dict[str, int]:
    from intent.arena.entrant import ATTITUDES

    attitudes = [name for name in ATTITUDES if name in known]
    if len(attitudes) > 1:
        return dict.fromkeys(attitudes, _EACH)
    return dict.fromkeys(known, _EACH if len(known) <= _FEW else 1)


def evolve(
    paths: str | Path | Sequence[str | Path],
    initial: Initial | Sequence[Initial] | None = None,
    *,
    runs: int = 100,
    against: str | None = None,
    game: str | None = None,
    turns: int | None = None,
    noise: float | None = None,
    repetitions: int | None = None,
    by: By | None = None,
    mutation: float = 0.0,
    intensity: float = 1.0,
    steps: int | None = None,
    fidelity: Fidelity = "axelrod",
    seed: int = 0,
    salt: str | None = None,
    workers: int | None = None,
    dask: str | None = None,
    engine: str | Engine = "auto",
    level: float = 0.95,
    bootstrap: int = 1000,
    output: str | Path | None = None,
    image: str = "png",
    overwrite: bool = False,
    update: Callable[[int, int], None] | None = None,
) -> Evolution:
    """Evolve populations of strategies.

    Parameters
    ----------
    paths : files and folders of written strategies; or the folder of a tournament; or a CSV payoff matrix
        Of a tournament and a matrix, the settings of matches are their own.
    initial : start, or list of starts, optional
        As `intent.arena.evolution.evolve.starts`.
    runs : int, Moran processes of each start
    against : str, optional
        Further strategies that may take part: ``humans``, ``catalogue``, names.
    game, turns, noise, repetitions : of the matches, optional
        Default as `intent.arena.tournament.tournament.tournament`: what the files say, else the classic
        Prisoner's
        Dilemma, 1,000 rounds, no noise; 20 repetitions to draw from where anything is random, else one.
    by : {"group", "strategy"}, optional
        Whether an individual is a group, whose strategy is drawn for each match, or one strategy.
    mutation : float in [0, 1], probability that a clone is of another name
    intensity : float in [0, 1], of selection
    steps : int, optional
        Most births of a run. Default: 100,000; with mutation 20,000.
    fidelity : {"axelrod", "clean"}
    salt : str, optional
        Of the matches that are played, as `intent.arena.tournament.tournament.tournament`.
    workers : int, optional
        Processes. Default: the usable processors.
    dask : str, optional
        In their place: the address of a Dask scheduler, whose workers play matches and Moran processes.
        Written code is played there where the machine has the sandbox, and nowhere without.
    engine : name of an engine of the sandbox, or an Engine
    level : float in (0, 1), of intervals
    bootstrap : int
        Draws of strategies for intervals of payoffs.
    output : folder to make, optional
    image : {"png", "svg", "pdf"}
        Of the figures in it.
        With it, matches are kept there, and a run that was cut short goes on.
    overwrite : bool
        Whether results in the folder may be replaced; matches in it are used again.
    update : callable, optional
        Told of matches played and of their number.

    Returns
    -------
    Evolution
        ``to_dict()`` is the object of ``intent evolve --json``.

    Raises
    ------
    IntentError

    References
    ----------
    Willis, Du, Leibo & Luck 2025, arXiv:2501.16173, sections 3.3, 3.4 and 4.3.
    """
    from intent.arena.evolution.moran import check_process
    from intent.arena.evolution.result import claim_folder, pool_source, write_files
    from intent.estimate.intervals import check_bootstrap, check_level
    from intent.report.figures import check_image

    check_level(level)
    check_bootstrap(bootstrap)
    if by not in (None, "group", "strategy"):
        raise UsageError(f"--by {by}, expected group or strategy")
    check_process(runs, _most(steps, mutation), mutation, intensity)
    began = time.monotonic()
    check_image(image)
    folder = None if output is None else claim_folder(output, overwrite=overwrite)
    source = pool_source(
        [paths] if isinstance(paths, str | Path) else list(paths),
        folder=folder,
        by=by,
        engine=engine,
        workers=workers,
        dask=dask,
        against=against,
        game=game,
        turns=turns,
        noise=noise,
        repetitions=repetitions,
        seed=seed,
        salt=salt,
        fidelity=fidelity,
        update=update,
        ready=lambda known: _check_starts(initial, known),
    )
    evolution = evolve_pool(
        source,
        initial,
        runs=runs,
        mutation=mutation,
        intensity=intensity,
        steps=steps,
        seed=seed,
        workers=workers,
        dask=dask,
        level=level,
        bootstrap=bootstrap,
    )
    evolution = evolution.finished(time.monotonic() - began, folder)
    if folder is not None:
        write_files(evolution, folder, image)
    return evolution


def evolve_pool(
    source: Source | Pool,
    initial: Initial | Sequence[Initial] | None = None,
    *,
    runs: int = 100,
    mutation: float = 0.0,
    intensity: float = 1.0,
    steps: int | None = None,
    seed: int = 0,
    workers: int | None = None,
    dask: str | None = None,
    level: float = 0.95,
    bootstrap: int = 1000,
) -> Evolution:
    """Evolve populations of a pool, such as `intent.arena.evolution.population.pool_of` a round robin.

    Parameters
    ----------
    source : Source or Pool
    initial, runs, mutation, intensity, steps, seed, workers, dask, level, bootstrap : as `evolve`

    Raises
    ------
    UsageError
    """
    import numpy as np

    from intent.arena.evolution.equilibria import evolve_mix
    from intent.arena.evolution.exact import invasion_matrix
    from intent.arena.evolution.moran import PATH_ROWS
    from intent.arena.evolution.population import Pool, mean_payoffs, payoff_draws, some_names
    from intent.arena.evolution.result import Evolution, Source
    from intent.arena.evolution.stability import best_replies, dominance, stability

    origin = Source(source, _unknown()) if isinstance(source, Pool) else source
    begun = starts(initial, origin.pool.names)
    names = names_in(begun, origin.pool.names)
    pool = some_names(origin.pool, names)
    steps = _most(steps, mutation)
    first, *streams = np.random.default_rng(seed).spawn(1 + len(begun))
    mixes, left = [], PATH_ROWS
    with open_workers(workers, dask) as those:
        for start, rng in zip(begun, streams, strict=True):
            mix = evolve_mix(
                pool,
                population(start, names),
                runs=runs,
                rng=rng,
                steps=steps,
                mutation=mutation,
                intensity=intensity,
                path_rows=left,
                workers=those,
                level=level,
            )
            mixes.append(mix)
            paths = mix.runs.paths
            left = left - sum(map(len, paths)) if len(paths) == runs else 0
    means = mean_payoffs(pool)
    draws = payoff_draws(pool, bootstrap, first)
    return Evolution(
        origin,
        pool,
        tuple(mixes),
        payoffs=means,
        draws=draws,
        invasion=invasion_matrix(means, sum(mixes[0].initial), intensity=intensity),
        dominance=dominance(names, means),
        best_replies=best_replies(names, means),
        stable=stability(names, means, draws, level=level),
        config={
            "runs": runs,
            "mutation": mutation,
            "intensity": intensity,
            "steps": steps,
            "seed": seed,
            "level": level,
            "bootstrap": bootstrap,
        },
    )


def _check_starts(initial: Initial | Sequence[Initial] | None, known: Sequence[str]) -> None:
    """Refuse starts that cannot be, before anything is played."""
    from intent.arena.evolution.moran import check_population

    begun = starts(initial, known)
    names = names_in(begun, known)
    for name in names:
        if name not in known:
            raise UnknownNameError("name in the population", name, known)
    for start in begun:
        check_population(names, population(start, names))


def _most(steps: int | None, mutation: float) -> int:
    """Births of a run at most."""
    return steps if steps is not None else 20_000 if mutation else 100_000


def _unknown() -> dict[str, None]:
    from intent.arena.evolution.result import FACTS

    return dict.fromkeys(FACTS)
