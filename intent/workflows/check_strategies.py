"""Read files of written strategies, gate them and let them play a little: what runs, and what does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from intent.workflows.check_result import CheckResult

if TYPE_CHECKING:
    from intent.arena.entrant import Entrant
    from intent.arena.sources.reading import StrategySet
    from intent.arena.streams import Salt

__all__ = ["check_strategies"]


def check_strategies(
    paths: str | Path | Sequence[str | Path],
    *,
    engine: str = "auto",
    turns: int = 50,
    workers: int | None = None,
    seed: int = 0,
    salt: str | None = None,
    strict: bool = False,
    output: str | Path | None = None,
    page: str | Path | None = None,
    overwrite: bool = False,
    update: Callable[[int, int], None] | None = None,
) -> CheckResult:
    """Read, gate and play the strategies of files and folders.

    Parameters
    ----------
    paths : path, or sequence of path
        As `intent.arena.sources.reading.read_strategies`.
    engine : str, of the sandbox
    turns : int
        Rounds of the short matches: against ALLC, ALLD, RANDOM, TFT and itself.
    workers : int, optional
    seed : int
    salt : str, optional
        That of another check, as its result says it, to play the same matches again, on any machine.
    strict : bool
        Whether a strategy that does not run is an error.
    output : path, optional
        Table (.csv, .parquet, .jsonl) with a row per strategy, or the JSON object (.json).
    page : path, optional
        Page for inspection (.html), as `write_inspection`.
    overwrite : bool
    update : function of (matches done, all), optional

    Returns
    -------
    CheckResult

    Raises
    ------
    DataError, LimitError
        As `read_strategies`.
    UsageError
        No such engine, or none on this machine.
    StrategyError
        `strict`, and a strategy does not run.
    OutputError
    """
    from intent.arena.match import MatchRules
    from intent.arena.sources.reading import read_strategies
    from intent.arena.streams import Salt

    rules = MatchRules(turns=turns)
    _claim(output, overwrite)
    _claim_page(page, overwrite)
    found = read_strategies(paths)
    streams = Salt.of_field(found.entrants, seed, "check") if salt is None else Salt.from_hex(salt)
    reasons: dict[int, str] = {}
    played_by = None
    if found.entrants:
        from intent.arena.sandbox.engines import make_engine
        from intent.arena.smoke import smoke_play

        with make_engine(engine, workers=workers) as players:
            played_by = players.name
            reasons = smoke_play(found.entrants, players, rules, seed=seed, salt=streams, update=update)
    result = _result(found, reasons, played_by, turns, streams)
    if page is not None:
        result = _with_page(result, page, engine, workers, seed, overwrite, update)
    if output is not None:
        _write(result, Path(output), overwrite)
    if strict and result.failed:
        from intent.errors import StrategyError

        first = result.failed[0]
        counted = f"{len(result.failed)} of {result.n} strategies do not run"
        raise StrategyError(f"{counted}; the first, {first.name}: {first.reason}")
    return result


def _result(
    found: StrategySet, reasons: dict[int, str], engine: str | None, turns: int, salt: Salt
) -> CheckResult:
    from intent.arena.sources.reading import Refused

    ok = tuple(e for i, e in enumerate(found.entrants) if i not in reasons)
    running = {e.name for e in ok}
    files = tuple(replace(f, ok=sum(name in running for name in f.names)) for f in found.files)
    of_file = {name: f.path for f in found.files for name in f.names}
    spoiled = tuple(
        Refused(e.name, reasons[i], e.origin, e.group, of_file.get(e.name, ""))
        for i, e in enumerate(found.entrants)
        if i in reasons
    )
    failed = sorted((*found.failed, *spoiled), key=lambda f: [g.path for g in found.files].index(f.path))
    return CheckResult(ok, tuple(failed), files, engine, turns, salt, notes=tuple(_notes(ok, found)))


def _notes(entrants: Sequence[Entrant], found: StrategySet) -> list[str]:
    counts = Counter(e.digest for e in entrants)
    alike = sum(k for k in counts.values() if k > 1)
    notes = list(found.notes)
    if alike:
        notes.append(f"{alike} strategies share their code with another one")
    prefixed = sum("/" in e.name for e in entrants)
    if prefixed:
        notes.append(f"{prefixed} names stand in several files; there the name of the file is put in front")
    return notes


def _claim(output: str | Path | None, overwrite: bool) -> None:
    """Whether the result can be written, before any work."""
    if output is None:
        return
    from intent.errors import OutputError
    from intent.workflows.result_files import TABLE_SUFFIXES, check_output

    if Path(output).suffix not in TABLE_SUFFIXES:
        raise OutputError(
            f"cannot write {output}: suffix {Path(output).suffix!r}, expected {', '.join(TABLE_SUFFIXES)}"
        )
    check_output(output, overwrite=overwrite)


def _claim_page(page: str | Path | None, overwrite: bool) -> None:
    if page is None:
        return
    from intent.errors import OutputError
    from intent.logs.output import claim

    if Path(page).suffix not in (".html", ".htm"):
        raise OutputError(f"cannot write {page}: suffix {Path(page).suffix!r}, expected .html")
    claim(page, overwrite=overwrite)


def _with_page(
    result: CheckResult,
    page: str | Path,
    engine: str,
    workers: int | None,
    seed: int,
    overwrite: bool,
    update: Callable[[int, int], None] | None,
) -> CheckResult:
    """The result with the page for inspection, written."""
    from intent.workflows.inspect_strategies import write_inspection
    from intent.workflows.tournament_field import arena_engine

    tell = update or (lambda done, total: None)
    with arena_engine(engine, result.entrants, workers) as players:
        made = write_inspection(
            page,
            result.entrants,
            result.failed,
            players,
            seed=seed,
            salt=result.salt,
            overwrite=overwrite,
            update=tell,
        )
    return replace(result, page=str(made))


def _write(result: CheckResult, target: Path, overwrite: bool) -> None:
    if target.suffix == ".json":
        from intent.logs.jsonfile import write_object

        write_object(target, result.to_json(), overwrite=overwrite)
        return
    from intent.logs.tablefile import write_table

    facts = {
        "engine": result.engine,
        "turns": result.turns,
        "salt": result.salt.hex,
        "files": [f.path for f in result.files],
    }
    write_table(result.table(), target, facts, overwrite=overwrite)
