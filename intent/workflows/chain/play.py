"""One set through validation, tournament, line-up, evolution and inspection."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from intent.workflows.chain.outcome import Ends, Outcome
from intent.workflows.chain.sets import ChainSet
from intent.workflows.chain.spec import ChainSpec

if TYPE_CHECKING:
    from intent.arena.evolution.mix import Mix
    from intent.arena.evolution.pool import Pool
    from intent.arena.inspection.facts import StrategyFacts
    from intent.arena.round_robin import RoundRobin
    from intent.arena.streams import Salt
    from intent.workflows.tournament_result import TournamentResult

__all__ = ["play_set"]

Update = Callable[[str, int, int], None]


def play_set(
    one: ChainSet,
    spec: ChainSpec,
    folder: Path,
    salt: Salt,
    *,
    workers: int | None = None,
    engine: str = "auto",
    update: Update = lambda stage, done, total: None,
) -> Outcome:
    """Everything that the chain asks of one set; matches that are in the folder are not played again.

    A strategy at fault in any match counts in none of the tables on attitudes, nor in the evolution, whatever
    the tournament's policy: with ``void`` only the standings keep its other matches.

    Parameters
    ----------
    one : ChainSet with a path
    spec : ChainSpec
    folder : Path, of the chain; its part ``play/NAME`` is used
    salt : Salt, of the chain
    workers : int, optional
    engine : str
    update : called with (stage, done, total)

    Raises
    ------
    UsageError
        None of the strategies plays, or none has an attitude.
    """
    from intent.arena.evolution.payoff_draws import payoff_draws
    from intent.arena.evolution.pool import mean_payoffs, pool_of
    from intent.arena.validation import validate_attitudes
    from intent.workflows.tournament import tournament

    assert one.path is not None
    place = folder / "play" / one.name
    place.mkdir(parents=True, exist_ok=True)
    shared: dict[str, Any] = {
        "turns": spec.turns,
        "noise": one.noise,
        "game": one.game,
        "seed": spec.seed,
        "salt": salt.hex,
        "workers": workers,
        "engine": engine,
        "fidelity": spec.tournament.fidelity,
        "faults": spec.tournament.faults,
        "log": "none",
    }
    result = tournament(
        [one.path],
        repetitions=spec.tournament.repetitions,
        self_play=spec.tournament.self_play,
        single_matches=True,
        output=place / "tournament",
        update=lambda done, total: update("tournament", done, total),
        **shared,
    )
    table = result.matches.without({fault.player for fault in result.matches.faults})
    validation = validate_attitudes(table, np.random.default_rng([spec.seed, 3]), samples=spec.bootstrap)
    pool, at_fault = pool_of(table, "group")
    draws = payoff_draws(pool, spec.bootstrap, np.random.default_rng([spec.seed, 4]))
    figures = _figures(place / "tournament", folder, f"{one.name}: all strategies")
    line_up, scores = _line_up(one, spec, place, shared, update)
    if line_up is not None:
        figures |= _figures(
            place / "line_up", folder, f"{one.name}: attitude agents among others' strategies"
        )
    ends, evolved = _evolved(result, pool, spec, place, workers)
    for part in evolved:
        figures |= _figures(part, folder, f"{one.name}: Moran processes")
    left_out = at_fault | {row["name"]: row["reason"] for row in result.all_left_out()}
    return Outcome(
        chain_set=one,
        n=len(result.matches.field) + len(result.left_out),
        ok=int(table.played.any(axis=(1, 2)).sum()),
        left_out=left_out,
        validation=validation,
        names=pool.names,
        payoffs=mean_payoffs(pool),
        draws=draws,
        intervals=_intervals(table, spec.seed),
        ends=ends,
        line_up=[] if line_up is None else line_up.standings,
        scores=scores,
        facts=_inspected(result, spec, salt, workers, engine, update),
        figures=figures,
        notes=result.notes,
    )


def _intervals(table: RoundRobin, seed: int) -> Mapping[str, Mapping[str, Any]]:
    """Of the payoffs by attitude; the draws are those of the tournament's own."""
    from intent.arena.tournament.head_to_head import groups_of, head_to_head_intervals

    groups = groups_of(table.field)
    if groups is None:
        return {}
    return head_to_head_intervals(table, groups, np.random.default_rng([seed, 2]))["payoff"]


def _line_up(
    one: ChainSet, spec: ChainSpec, place: Path, shared: dict[str, Any], update: Update
) -> tuple[TournamentResult | None, dict[str, Any]]:
    if spec.line_up is None:
        return None, {}
    from intent.arena.tournament.standings import scores
    from intent.workflows.tournament import tournament

    assert one.path is not None
    found = tournament(
        [one.path],
        against=spec.line_up.against,
        agents=True,
        repetitions=spec.line_up.repetitions,
        output=place / "line_up",
        update=lambda done, total: update("line-up", done, total),
        **shared,
    )
    names = [entrant.name for entrant in found.table.field]
    return found, dict(zip(names, scores(found.table), strict=True))


def _evolved(
    result: TournamentResult, pool: Pool, spec: ChainSpec, place: Path, workers: int | None
) -> tuple[tuple[Ends, ...], list[Path]]:
    """Moran processes from every start, with what is exact beside, and the folders of their files."""
    if spec.evolution is None:
        return (), []
    from intent.workflows.evolve import evolve_pool
    from intent.workflows.evolve_files import claim_folder, write_files
    from intent.workflows.evolve_source import Source

    facts = {key: result.config[key] for key in ("turns", "noise", "repetitions", "game", "salt")}
    source = Source(
        pool,
        {**facts, "engine": result.engine, "replay": result.salt.replay},
        read=str(result.config["paths"][0]),
    )
    starts = [
        {name: n for name, n in zip(spec.attitudes, initial, strict=True) if name in pool.names}
        for initial in spec.evolution.initial
    ]
    starts = [start for k, start in enumerate(starts) if start not in starts[:k]]
    sizes = dict.fromkeys(size for start in starts if (size := sum(start.values())) > 1)
    ends, folders = [], []
    for size in sizes:  # more than one only where an attitude has no strategies
        found = evolve_pool(
            source,
            [start for start in starts if sum(start.values()) == size],
            runs=spec.evolution.runs,
            seed=spec.seed,
            workers=workers,
            bootstrap=spec.bootstrap,
        )
        folders.append(place / ("evolution" if len(sizes) == 1 else f"evolution_{size}"))
        write_files(found, claim_folder(folders[-1], overwrite=True))
        ends += [_ends(mix, found.pool.names, spec.evolution.runs) for mix in found.mixes]
    return tuple(ends), folders


def _ends(mix: Mix, names: tuple[str, ...], runs: int) -> Ends:
    return Ends(
        mix.initial,
        names,
        tuple(int((mix.runs.winner == k).sum()) for k in range(len(names))),
        runs,
        {one.name: one.share for one in mix.equilibria},
        None if mix.fixation is None else tuple(float(p) for p in mix.fixation),
        float("nan") if mix.mean_steps is None else mix.mean_steps,
    )


def _inspected(
    result: TournamentResult,
    spec: ChainSpec,
    salt: Salt,
    workers: int | None,
    engine: str,
    update: Update,
) -> tuple[StrategyFacts, ...]:
    if not spec.inspect:
        return ()
    from intent.arena.inspection.facts import inspect_strategies
    from intent.workflows.tournament_field import arena_engine

    field: Sequence[Any] = result.matches.field
    with arena_engine(engine, field, workers) as runs:
        return inspect_strategies(
            field,
            runs,
            result.matches.rules,
            seed=spec.seed,
            salt=salt,
            update=lambda done, total: update("inspection", done, total),
        )


def _figures(place: Path, folder: Path, title: str) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): f"{title}, {path.stem.replace('_', ' ')}"
        for path in sorted(place.glob("*.png"))
    }
