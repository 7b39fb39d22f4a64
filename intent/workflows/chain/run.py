"""Run the chain: get the sets, play each, and write tables, figures, verdicts and a summary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import DataError, IntentError, UsageError
from intent.workflows.chain.outcome import Outcome
from intent.workflows.chain.sets import ChainSet, check_sets, published_sets, written_sets
from intent.workflows.chain.spec import ChainSpec, load_chain
from intent.workflows.json_values import json_values

if TYPE_CHECKING:
    from intent.arena.streams import Salt

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
    update : called with (stage, done, total)

    Returns
    -------
    dict, as `schema.JSON_OBJECTS` describes ``chain``

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
    from intent.arena.sandbox.engines import make_engine
    from intent.arena.streams import Salt
    from intent.logs.output import made, remove_scratch
    from intent.runner.lock import locked
    from intent.workflows.own_folder import own_folder

    beside = Path() if isinstance(spec, ChainSpec) else Path(spec).parent
    plan = spec if isinstance(spec, ChainSpec) else load_chain(spec, settings)
    target = own_folder(folder, kind="chain", marks=[MARK], lock=LOCK, make=False)
    make_engine(engine, workers=1).close()
    check_sets(plan, published)
    with locked(made(target) / LOCK):
        remove_scratch(target)
        _mark(target, plan, None)
        sets, notes = _sets(plan, target, published, beside, engine, update)
        streams = _salt(sets, plan.seed) if salt is None else Salt.from_hex(salt)
        outcomes, told = _play(sets, plan, target, streams, workers, engine, update, notes)
        if not outcomes and published is not None:
            why = "; ".join(f"{one.name}: {one.lost}" for one in told[:3])
            raise UsageError(f"none of the {len(told)} sets can be played ({why})")
        result = _write(plan, told, outcomes, streams, notes, target)
        _mark(target, plan, result)
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

    from intent.arena.sources.reading import read_strategies
    from intent.arena.streams import Salt

    entrants = []
    for one in sets:
        if one.path is not None:
            with suppress(IntentError):
                found = read_strategies([one.path]).entrants
                entrants += [replace(entrant, name=f"{one.name}/{entrant.name}") for entrant in found]
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

    from intent.workflows.chain.play import play_set

    outcomes, told = [], []
    for one in sets:
        if one.path is None:
            told.append(one)
            continue
        try:
            found = play_set(
                one,
                spec,
                folder,
                salt,
                workers=workers,
                engine=engine,
                update=partial(_tell, update, one.name),
            )
        except (UsageError, DataError) as error:
            told.append(replace(one, lost=str(error)))
            continue
        outcomes.append(found)
        told.append(one)
        notes += [f"{one.name}: {note}" for note in found.notes]
    return outcomes, told


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
    from intent.logs.output import writing
    from intent.logs.tablefile import write_table
    from intent.version import __version__
    from intent.workflows.chain.claims import judge_claims
    from intent.workflows.chain.files import TABLE_NAMES, chain_tables, write_page
    from intent.workflows.chain.summary import summary_text

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
            "sets": [_told(one, by_name.get(one.name)) for one in sets],
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


def _told(one: ChainSet, found: Outcome | None) -> dict[str, Any]:
    return {
        "file": None if one.path is None else one.path.name,
        "model": one.model,
        "style": one.style,
        "noise": one.noise,
        "n": 0 if found is None else found.n,
        "ok": 0 if found is None else found.ok,
        "lost": one.lost,
    }


def _mark(folder: Path, spec: ChainSpec, result: dict[str, Any] | None) -> None:
    """Keep the resolved settings, and what was found once it is."""
    from intent.logs.jsonfile import write_object
    from intent.version import __version__

    facts = {"version": __version__, "chain": spec.model_dump(mode="json"), "result": result}
    write_object(folder / MARK, facts, overwrite=True)
