"""Run the chain: get the sets, play each, and write tables, figures, verdicts and a summary."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from intent.base.errors import DataError, IntentError, UsageError
from intent.base.outputs import json_values

from .sets import ChainSet, ChainSpec, Ends, Outcome, check_sets, load_chain, published_sets, written_sets

if TYPE_CHECKING:
    from intent.arena.evolution.moran import Mix
    from intent.arena.evolution.population import Pool
    from intent.arena.inspection import StrategyFacts
    from intent.arena.streams import Salt
    from intent.arena.tournament.table import RoundRobin
    from intent.arena.tournament.tournament import TournamentResult


__all__ = ["run_chain"]


Update = Callable[[str, int, int], None]

MARK = "chain.json"
LOCK = "chain.lock"
PAGE = "inspection.html"


def run_chain(
    spec: ChainSpec | str | Path,
    folder: str | Path,
    *,
    published: str | Path | None = None,
    settings: Sequence[str] = (),
    salt: str | None = None,
    workers: int | None = None,
    engine: str = "auto",
    beside: Path | None = None,
    facts: Mapping[str, Any] = MappingProxyType({}),
    update: Update = lambda stage, done, total: None,
) -> dict[str, Any]:
    """Run a chain, or go on with it.

    1. Sets of strategies are written by models, or read from the folder `published`.
    2. Each set plays its tournament, its attitudes are validated, its agents play others' strategies, its
       attitudes compete in Moran processes, and its strategies are inspected.
    3. Tables 3 to 6 are written, beside the paper's numbers where the sets are the paper's, with verdicts on
       the paper's claims.

    Replies of models and matches are kept in the folder: a chain that was stopped goes on. Everything else is
    computed anew from them.

    Parameters
    ----------
    spec : ChainSpec, or the path of its YAML file
    folder : path; a new or empty one, or that of an earlier run
    published : folder of ``anthropic_default.py`` and the others, optional
    settings : sequence of ``key=value``, in place of the file's
    salt : str, optional
        That of another run, as its result says it, to play the same matches again, on any machine. Default:
        `intent.arena.streams.Salt.of_field` of the strategies of all sets.
    workers : int, optional
    engine : str, of the sandbox
    beside : folder where a folder of prompts is looked for, by default that of the file
    facts : mapping, kept in ``chain.json`` with the options above, for `intent resume`
    update : called with (stage, done, total)

    Returns
    -------
    dict, as `codebook.JSON_OBJECTS` describes ``chain``

    Raises
    ------
    DataError
        No such file, not such a chain, or no models and no folder.
    OutputError
        The folder holds something else.
    UsageError
        None of the published sets could be played. Where models wrote none that plays, the summary says so.

    References
    ----------
    Willis, Du, Leibo & Luck 2025, arXiv:2501.16173.
    """
    from intent.arena.engines import make_engine
    from intent.arena.streams import Salt
    from intent.base.outputs import make_folder, remove_scratch
    from intent.logs.run_folder import locked, own_folder

    beside = beside or (Path() if isinstance(spec, ChainSpec) else Path(spec).parent)
    plan = spec if isinstance(spec, ChainSpec) else load_chain(spec, settings)
    target = own_folder(folder, kind="chain", marks=[MARK], lock=LOCK, make=False)
    make_engine(engine, workers=1).close()
    check_sets(plan, published)
    with locked(make_folder(target) / LOCK):
        remove_scratch(target)
        origin = None if published is None else str(Path(published).resolve())
        options = {**facts, "published": origin, "salt": salt, "engine": engine}
        _mark(target, plan, options, None)
        sets, notes = _sets(plan, target, published, beside, engine, update)
        streams = _salt(sets, plan.seed) if salt is None else Salt.from_hex(salt)
        outcomes, every_set = _play(sets, plan, target, streams, workers, engine, update, notes)
        if not outcomes and published is not None:
            why = "; ".join(f"{one.name}: {one.lost}" for one in every_set[:3])
            raise UsageError(f"none of the {len(every_set)} sets can be played ({why})")
        result = _write(plan, every_set, outcomes, streams, notes, target)
        _mark(target, plan, options, result)
    return result


def _sets(
    spec: ChainSpec, folder: Path, published: str | Path | None, beside: Path, engine: str, update: Update
) -> tuple[tuple[ChainSet, ...], list[str]]:
    if published is not None:
        return published_sets(published, spec), []
    return written_sets(
        spec,
        folder / "sets",
        beside=beside,
        engine=engine,
        update=lambda done, total: update("writing", done, total),
    )


def _salt(sets: Sequence[ChainSet], seed: int) -> Salt:
    """The salt of a chain: of the strategies of all sets that can be read, each under the name of its set."""
    from dataclasses import replace

    from intent.arena.sources.reader import read_strategies
    from intent.arena.streams import Salt

    entrants = []
    for one in sets:
        if one.path is not None:
            with suppress(IntentError):
                written = read_strategies([one.path]).entrants
                entrants += [replace(entrant, name=f"{one.name}/{entrant.name}") for entrant in written]
    return Salt.of_field(entrants, seed, "chain")


def _play(
    sets: Sequence[ChainSet],
    spec: ChainSpec,
    folder: Path,
    salt: Salt,
    workers: int | None,
    engine: str,
    update: Update,
    notes: list[str],
) -> tuple[list[Outcome], list[ChainSet]]:
    """What became of each set; those that cannot be played are lost, with the reason."""
    from dataclasses import replace

    outcomes, every_set = [], []
    for one in sets:
        if one.path is None:
            every_set.append(one)
            continue
        try:
            outcome = play_set(
                one,
                spec,
                folder,
                salt,
                workers=workers,
                engine=engine,
                update=partial(_tell, update, one.name),
            )
        except (UsageError, DataError) as error:
            every_set.append(replace(one, lost=str(error)))
            continue
        outcomes.append(outcome)
        every_set.append(one)
        notes += [f"{one.name}: {note}" for note in outcome.notes]
    return outcomes, every_set


def _tell(update: Update, name: str, stage: str, done: int, total: int) -> None:
    update(f"{name}: {stage}", done, total)


def _write(
    spec: ChainSpec,
    sets: Sequence[ChainSet],
    outcomes: Sequence[Outcome],
    salt: Salt,
    notes: list[str],
    folder: Path,
) -> dict[str, Any]:
    """Tables, figures, page and summary; the object that tells of them."""
    from intent.base.outputs import writing
    from intent.base.tables import write_table
    from intent.version import __version__

    from .claims import judge_claims
    from .tables import TABLE_NAMES, chain_tables, summary_text, write_page

    made = chain_tables(outcomes, spec.seed) if outcomes else {}
    facts = {"kind": "chain", "chain": spec.name, "seed": spec.seed, "salt": salt.hex, "version": __version__}
    tables = []
    for name in TABLE_NAMES:
        if name not in made or made[name][0].empty:
            for old in (f"{name}.csv", f"{name}.csv.meta.json"):
                (folder / old).unlink(missing_ok=True)
            continue
        rows, title, published = made[name]
        path = write_table(rows, folder / f"{name}.csv", {**facts, "title": title}, overwrite=True)
        tables.append({"name": name, "file": path.name, "title": title, "published": published})
    verdicts = judge_claims(outcomes, spec.seed)
    page = write_page(folder / PAGE, outcomes, spec) if spec.inspect and outcomes else None
    notes += [f"{one.name} is left out: {one.lost}" for one in sets if one.lost]
    frames = {name: rows for name, (rows, _, _) in made.items()}
    text = summary_text(spec, sets, outcomes, frames, verdicts, notes, None if page is None else page.name)
    with writing(folder / "summary.md", overwrite=True) as draft:
        draft.write_text(text + "\n", encoding="utf8", errors="backslashreplace")
    tables.append({"name": "summary", "file": "summary.md", "title": "All of it in words", "published": None})
    by_name = {one.chain_set.name: one for one in outcomes}
    result: dict[str, Any] = json_values(
        {
            "path": str(folder),
            "sets": [_set_row(one, by_name.get(one.name)) for one in sets],
            "tables": tables,
            "figures": [
                {"name": Path(file).stem, "file": file, "title": title, "published": None}
                for one in outcomes
                for file, title in one.figures.items()
            ],
            "verdicts": verdicts,
            "page": None if page is None else page.name,
            "salt": salt.hex,
            "replay": salt.replay,
            "notes": list(dict.fromkeys(notes)),
        }
    )
    return result


def _set_row(one: ChainSet, outcome: Outcome | None) -> dict[str, Any]:
    return {
        "file": None if one.path is None else one.path.name,
        "model": one.model,
        "style": one.style,
        "noise": one.noise,
        "n": 0 if outcome is None else outcome.n,
        "ok": 0 if outcome is None else outcome.ok,
        "lost": one.lost,
    }


def _mark(folder: Path, spec: ChainSpec, options: Mapping[str, Any], result: dict[str, Any] | None) -> None:
    """Keep the resolved settings and options, and what was found once it is."""
    from intent.base.outputs import write_object
    from intent.version import __version__

    chain = spec.model_dump(mode="json")
    facts = {"version": __version__, "chain": chain, "options": dict(options), "result": result}
    write_object(folder / MARK, facts, overwrite=True)


StageUpdate = Callable[[str, int, int], None]


def play_set(
    one: ChainSet,
    spec: ChainSpec,
    folder: Path,
    salt: Salt,
    *,
    workers: int | None = None,
    engine: str = "auto",
    update: StageUpdate = lambda stage, done, total: None,
) -> Outcome:
    """Everything that the chain asks of one set; matches that are in the folder are not played again.

    Each set, and in it the tournament, the line-up and the inspection, draws from a salt of its own: players
    of the same name in two sets, and rows of the tables, have nothing in common by chance.

    A strategy at fault in any match counts in none of the tables on attitudes, nor in the evolution, whatever
    the tournament's policy: with ``void`` only the standings keep its other matches.
    """
    from intent.arena.evolution.population import mean_payoffs, payoff_draws, pool_of
    from intent.arena.tournament.tournament import tournament
    from intent.arena.validation import validate_attitudes

    assert one.path is not None
    place = folder / "play" / one.name
    place.mkdir(parents=True, exist_ok=True)
    own = salt.part("set", one.name)
    seed = own.number("seed")
    shared: dict[str, Any] = {
        "turns": spec.turns,
        "noise": one.noise,
        "game": one.game,
        "seed": seed,
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
        salt=own.hex,
        output=place / "tournament",
        update=lambda done, total: update("tournament", done, total),
        **shared,
    )
    table = result.matches.without({fault.player for fault in result.matches.faults})
    validation = validate_attitudes(table, np.random.default_rng([seed, 3]), samples=spec.bootstrap)
    pool, at_fault = pool_of(table, "group")
    draws = payoff_draws(pool, spec.bootstrap, np.random.default_rng([seed, 4]))
    figures = _figures(place / "tournament", folder, f"{one.name}: all strategies")
    line_up, scores = _line_up(one, spec, place, {**shared, "salt": own.part("line-up").hex}, update)
    if line_up is not None:
        figures |= _figures(
            place / "line_up", folder, f"{one.name}: attitude agents among others' strategies"
        )
    ends, evolved = _evolved(result, pool, spec, place, shared)
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
        intervals=_intervals(table, seed),
        errors=_errors(table),
        ends=ends,
        line_up=[] if line_up is None else line_up.standings,
        scores=scores,
        facts=_inspected(result, spec, own.part("inspection"), shared, update),
        figures=figures,
        notes=result.notes,
    )


def _intervals(table: RoundRobin, seed: int) -> Mapping[str, Mapping[str, Any]]:
    """Of the payoffs by attitude; the draws are those of the tournament's own."""
    from intent.arena.tournament.standings import groups_of, head_to_head_intervals

    groups = groups_of(table.field)
    if groups is None:
        return {}
    return head_to_head_intervals(table, groups, np.random.default_rng([seed, 2]))["payoff"]


def _errors(table: RoundRobin) -> Mapping[str, Mapping[str, Mapping[str, float | None]]]:
    """Of the cells of tables 3 to 5, over matches."""
    from intent.arena.tournament.standings import groups_of, head_to_head_errors

    groups = groups_of(table.field)
    return {} if groups is None else head_to_head_errors(table, groups)


def _line_up(
    one: ChainSet, spec: ChainSpec, place: Path, shared: dict[str, Any], update: StageUpdate
) -> tuple[TournamentResult | None, dict[str, Any]]:
    if spec.line_up is None:
        return None, {}
    from intent.arena.tournament.standings import scores
    from intent.arena.tournament.tournament import tournament

    assert one.path is not None
    result = tournament(
        [one.path],
        against=spec.line_up.against,
        agents=True,
        repetitions=spec.line_up.repetitions,
        output=place / "line_up",
        update=lambda done, total: update("line-up", done, total),
        **shared,
    )
    names = [entrant.name for entrant in result.round_robin.field]
    return result, dict(zip(names, scores(result.round_robin), strict=True))


def _evolved(
    result: TournamentResult, pool: Pool, spec: ChainSpec, place: Path, shared: dict[str, Any]
) -> tuple[tuple[Ends, ...], list[Path]]:
    """Moran processes from every start, with what is exact beside, and the folders of their files."""
    if spec.evolution is None:
        return (), []
    from intent.arena.evolution.evolve import Source, claim_folder, evolve_pool, write_files
    from intent.arena.requests import EvolveRequest

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
        request = EvolveRequest(
            paths=result.config["paths"],
            initial=[start for start in starts if sum(start.values()) == size],
            runs=spec.evolution.runs,
            seed=shared["seed"],
            workers=shared["workers"],
            bootstrap=spec.bootstrap,
        )
        evolution = evolve_pool(source, request)
        folders.append(place / ("evolution" if len(sizes) == 1 else f"evolution_{size}"))
        write_files(evolution, claim_folder(folders[-1], overwrite=True))
        ends += [_ends(mix, evolution.pool.names, spec.evolution.runs) for mix in evolution.mixes]
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
    shared: dict[str, Any],
    update: StageUpdate,
) -> tuple[StrategyFacts, ...]:
    if not spec.inspect:
        return ()
    from intent.arena.field import arena_engine
    from intent.arena.inspection import inspect_strategies

    field: Sequence[Any] = result.matches.field
    with arena_engine(shared["engine"], field, shared["workers"]) as runs:
        return inspect_strategies(
            field,
            runs,
            result.matches.rules,
            seed=shared["seed"],
            salt=salt,
            update=lambda done, total: update("inspection", done, total),
        )


def _figures(place: Path, folder: Path, title: str) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): f"{title}, {path.stem.replace('_', ' ')}"
        for path in sorted(place.glob("*.png"))
    }
