"""Which strategies survive: Moran processes over matches played once, and what is known exactly beside."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from intent.arena.requests import EvolveRequest, Initial
from intent.base.errors import UnknownNameError, UsageError, shorten
from intent.base.job import job
from intent.base.workers import open_workers

if TYPE_CHECKING:
    import numpy as np

    from intent.arena.evolution.population import Pool
    from intent.arena.evolution.result import Evolution, Source


__all__ = ["evolve", "evolve_pool", "names_in", "population", "starts"]


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


@job(EvolveRequest)
def evolve(request: EvolveRequest) -> Evolution:
    """Evolve populations of strategies.

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
    from intent.base.job import check_bootstrap, check_level
    from intent.report.figures import check_image

    check_level(request.level)
    check_bootstrap(request.bootstrap)
    if request.by not in (None, "group", "strategy"):
        raise UsageError(f"--by {request.by}, expected group or strategy")
    steps = _most(request.steps, request.mutation)
    check_process(request.runs, steps, request.mutation, request.intensity)
    began = time.monotonic()
    check_image(request.image)
    folder = None if request.output is None else claim_folder(request.output, overwrite=request.overwrite)
    source = pool_source(request, folder, ready=lambda known: _check_starts(request.initial, known))
    evolution = evolve_pool(source, request)
    evolution = replace(evolution, seconds=time.monotonic() - began, path=folder)
    if folder is not None:
        write_files(evolution, folder, request.image)
    return evolution


def evolve_pool(source: Source | Pool, request: EvolveRequest) -> Evolution:
    """Evolve populations of a pool, such as `intent.arena.evolution.population.pool_of` a round robin.

    Random numbers follow the seed, the pool and the start: other pools and other starts draw apart, so that
    rows of a table are independent of each other, and the same call gives the same rows.

    Parameters
    ----------
    source : Source or Pool
    request : EvolveRequest
        What happens to the pool. Where it comes from (`paths`, the rules of matches) and where results go is
        not looked at.

    Raises
    ------
    UsageError
    """
    from intent.arena.evolution.exact import invasion_matrix
    from intent.arena.evolution.moran import PATH_ROWS, mix_of, moran
    from intent.arena.evolution.population import Pool, mean_payoffs, payoff_draws, some_names
    from intent.arena.evolution.result import FACTS, Evolution, Source
    from intent.arena.evolution.stability import best_replies, dominance, stability

    origin = Source(source, dict.fromkeys(FACTS)) if isinstance(source, Pool) else source
    begun = starts(request.initial, origin.pool.names)
    names = names_in(begun, origin.pool.names)
    pool = some_names(origin.pool, names)
    steps = _most(request.steps, request.mutation)
    first, *streams = _generators(request.seed, origin.pool, begun)
    rates: dict[str, Any] = request.values(("mutation", "intensity"))
    mixes, left = [], PATH_ROWS
    with open_workers(request.workers, request.dask) as those:
        for start, rng in zip(begun, streams, strict=True):
            processes = moran(
                pool,
                population(start, names),
                runs=request.runs,
                rng=rng,
                steps=steps,
                path_rows=left,
                workers=those,
                **rates,
            )
            mixes.append(mix_of(pool, processes, level=request.level, **rates))
            paths = processes.paths
            left = left - sum(map(len, paths)) if len(paths) == request.runs else 0
    means = mean_payoffs(pool)
    draws = payoff_draws(pool, request.bootstrap, first)
    return Evolution(
        origin,
        pool,
        tuple(mixes),
        payoffs=means,
        draws=draws,
        invasion=invasion_matrix(means, sum(mixes[0].initial), intensity=request.intensity),
        dominance=dominance(names, means),
        best_replies=best_replies(names, means),
        stable=stability(names, means, draws, level=request.level),
        config={
            "runs": request.runs,
            **rates,
            "steps": steps,
            **request.values(("seed", "level", "bootstrap")),
        },
    )


def _generators(seed: int, pool: Pool, begun: Sequence[Mapping[str, int]]) -> Iterator[np.random.Generator]:
    """One for the draws of strategies, then one for each start; a start that stands twice has two."""
    import numpy as np

    yield np.random.default_rng([seed, pool.digest])
    before: Counter[tuple[tuple[str, int], ...]] = Counter()
    for start in begun:
        counts = tuple(sorted((name, count) for name, count in start.items() if count))
        text = json.dumps([counts, before[counts]]).encode("ascii")
        before[counts] += 1
        yield np.random.default_rng(
            [seed, pool.digest, int.from_bytes(hashlib.sha256(text).digest()[:16], "big")]
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
