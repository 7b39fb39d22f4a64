"""Read files of written strategies, gate them and let them play a little: what runs, and what does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.arena.requests import CheckRequest
from intent.base.job import TABLE_SUFFIXES, Result, Table, job

if TYPE_CHECKING:
    import pandas as pd

    from intent.arena.entrant import Entrant
    from intent.arena.inspection import StrategyFacts
    from intent.arena.match import Engine, MatchRules
    from intent.arena.sources.reader import FileFacts, Refused, StrategySet
    from intent.arena.streams import Salt
    from intent.games.game import MatrixGame


__all__ = ["CheckResult", "check_strategies"]


@dataclass(frozen=True, eq=False)
class CheckResult(Result):
    """Which strategies run.

    Parameters
    ----------
    entrants : tuple of Entrant, those that run
    failed : tuple of Refused, the others, with their reasons
    engine : str or None
        Who played them; None where nothing passed the gate.
    turns : int, rounds of each of the short matches
    salt : Salt, of all that was drawn in the matches
    page : str or None, the page for inspection
    notes : tuple of str, what a reader should be warned of
    """

    kind = "check"
    noun = "a check"

    entrants: tuple[Entrant, ...]
    failed: tuple[Refused, ...]
    files: tuple[FileFacts, ...]
    engine: str | None
    turns: int
    salt: Salt
    page: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """Strategies found."""
        return len(self.entrants) + len(self.failed)

    def groups(self) -> dict[str, dict[str, int]]:
        """Attitude (the file, for strategies without one) -> n, ok."""
        from intent.arena.entrant import split_origin

        counts: dict[str, dict[str, int]] = {}
        ok = [(e.group or e.file, 1) for e in self.entrants]
        bad = [(f.group or split_origin(f.origin)[0], 0) for f in self.failed]
        for name, runs in (*ok, *bad):
            row = counts.setdefault(name, {"n": 0, "ok": 0})
            row["n"] += 1
            row["ok"] += runs
        return dict(sorted(counts.items()))

    @property
    def config(self) -> dict[str, Any]:  # type: ignore[override]
        """Who played what how long."""
        return {
            "engine": self.engine,
            "turns": self.turns,
            "salt": self.salt.hex,
            "files": [f.path for f in self.files],
        }

    def parts(self) -> Iterator[Table | str]:
        """What runs, by file and by attitude, and why the others do not."""
        turns = (
            f"engine {self.engine}, {self.turns} rounds each" if self.engine else "nothing passed the gate"
        )
        yield Table(
            ("file", "strategies", "run", "ranks"),
            [(Path(f.path).name, f.n, f.ok, ", ".join(f.ranks) or None) for f in self.files],
            f"{len(self.entrants):,} of {self.n:,} strategies run ({turns})",
        )
        groups = self.groups()
        if set(groups) != {Path(f.path).name for f in self.files}:
            yield ""
            rows = [(name, group["n"], group["ok"]) for name, group in groups.items()]
            yield Table(("attitude or file", "strategies", "run"), rows)
        if self.failed:
            yield ""
            yield Table(
                ("failed", "where", "reason"),
                [(f.name, f.origin or None, _reason(f.reason, f.origin)) for f in self.failed],
            )

    def remarks(self) -> Iterator[str]:
        """How the matches are played again."""
        yield self.salt.replay

    def fields(self) -> dict[str, Any]:
        """As `json_objects.JSON_OBJECTS["check"]`."""
        files = [
            {
                "path": f.path,
                "n": f.n,
                "ok": f.ok,
                "ranks": {who: list(names) for who, names in f.ranks.items()},
            }
            for f in self.files
        ]
        return {
            "n": self.n,
            "ok": len(self.entrants),
            "failed": [{"name": f.name, "reason": f.reason} for f in self.failed],
            "groups": self.groups(),
            "engine": self.engine,
            "salt": self.salt.hex,
            "replay": self.salt.replay,
            "files": files,
            "page": self.page,
            "notes": list(self.notes),
        }

    def table(self) -> pd.DataFrame:
        """One row per strategy: name, group, file, line, ok, reason, draws, digest."""
        import pandas as pd

        rows = [
            {
                **_place(e.name, e.group, e.origin),
                "ok": True,
                "reason": None,
                "draws": e.draws,
                "digest": e.digest,
            }
            for e in self.entrants
        ]
        rows += [
            {
                **_place(f.name, f.group, f.origin),
                "ok": False,
                "reason": f.reason,
                "draws": None,
                "digest": None,
            }
            for f in self.failed
        ]
        table = pd.DataFrame(rows)
        return table.astype({"line": "Int64", "draws": "boolean"})


def _reason(reason: str, origin: str) -> str:
    """The reason, without the line where it is the one that the strategy begins in."""
    _, _, line = origin.rpartition(" line ")
    return reason.removeprefix(f"line {line}: ")


def _place(name: str, group: str | None, origin: str) -> dict[str, Any]:
    from intent.arena.entrant import split_origin

    file, line = split_origin(origin)
    return {"name": name, "group": group, "file": file or None, "line": line}


@job(CheckRequest)
def check_strategies(request: CheckRequest) -> CheckResult:
    """Read, gate and play the strategies of files and folders.

    Raises
    ------
    DataError, LimitError
        As `intent.arena.sources.reader.read_strategies`.
    UsageError
        No such engine, or none on this machine.
    StrategyError
        `strict`, and a strategy does not run.
    OutputError
    """
    from intent.arena.match import MatchRules
    from intent.arena.sources.reader import read_strategies
    from intent.arena.streams import Salt

    seed, rules = request.seed, MatchRules(turns=request.turns)
    _claim(request.output, request.overwrite, TABLE_SUFFIXES, ", ".join(TABLE_SUFFIXES))
    _claim(request.page, request.overwrite, (".html", ".htm"), ".html")
    strategies = read_strategies(request.paths)
    field = strategies.entrants
    salt = Salt.of_field(field, seed, "check") if request.salt is None else Salt.from_hex(request.salt)
    reasons: dict[int, str] = {}
    played_by = None
    if field:
        from intent.arena.field import arena_engine
        from intent.arena.trial import smoke_play

        with arena_engine(request.engine, field, request.workers) as players:
            played_by = players.name
            reasons = smoke_play(field, players, rules, seed=seed, salt=salt, update=request.update)
    result = _result(strategies, reasons, played_by, request.turns, salt)
    if request.page is not None:
        from intent.arena.field import arena_engine

        with arena_engine(request.engine, result.entrants, request.workers) as players:
            page = write_inspection(
                request.page,
                result.entrants,
                result.failed,
                players,
                seed=seed,
                salt=salt,
                overwrite=request.overwrite,
                update=request.update or (lambda done, total: None),
            )
        result = replace(result, page=str(page))
    if request.output is not None:
        result.write(request.output, overwrite=request.overwrite)
    if request.strict and result.failed:
        from intent.base.errors import StrategyError

        first = result.failed[0]
        counted = f"{len(result.failed)} of {result.n} strategies do not run"
        raise StrategyError(f"{counted}; the first, {first.name}: {first.reason}")
    return result


def _result(
    strategies: StrategySet, reasons: dict[int, str], engine: str | None, turns: int, salt: Salt
) -> CheckResult:
    from intent.arena.sources.reader import Refused

    ok = tuple(e for i, e in enumerate(strategies.entrants) if i not in reasons)
    running = {e.name for e in ok}
    files = tuple(replace(f, ok=sum(name in running for name in f.names)) for f in strategies.files)
    of_file = {name: f.path for f in strategies.files for name in f.names}
    spoiled = tuple(
        Refused(e.name, reasons[i], e.origin, e.group, of_file.get(e.name, ""))
        for i, e in enumerate(strategies.entrants)
        if i in reasons
    )
    failed = sorted(
        (*strategies.failed, *spoiled), key=lambda f: [g.path for g in strategies.files].index(f.path)
    )
    return CheckResult(ok, tuple(failed), files, engine, turns, salt, notes=tuple(_notes(ok, strategies)))


def _notes(entrants: Sequence[Entrant], strategies: StrategySet) -> list[str]:
    counts = Counter(e.digest for e in entrants)
    alike = sum(k for k in counts.values() if k > 1)
    notes = list(strategies.notes)
    if alike:
        notes.append(f"{alike} strategies share their code with another one")
    prefixed = sum("/" in e.name for e in entrants)
    if prefixed:
        notes.append(f"{prefixed} names stand in several files; there the name of the file is put in front")
    return notes


def _claim(path: str | Path | None, overwrite: bool, suffixes: Sequence[str], expected: str) -> None:
    """Whether a file can be written, before any work."""
    from intent.base.errors import OutputError
    from intent.base.job import check_output
    from intent.base.outputs import claim

    if path is None:
        return
    if Path(path).suffix not in suffixes:
        raise OutputError(f"cannot write {path}: suffix {Path(path).suffix!r}, expected {expected}")
    if suffixes == TABLE_SUFFIXES:
        check_output(path, overwrite=overwrite)
    else:
        claim(path, overwrite=overwrite)


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
    """Inspect strategies, and write what is known of them as one self-contained HTML file."""
    from intent.arena.entrant import split_origin
    from intent.arena.inspection import PANEL, InspectedSet, inspect_strategies, write_inspection_page
    from intent.arena.streams import Salt

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
    from intent.arena.field import USUAL_GAME, USUAL_TURNS, stage
    from intent.base.errors import UsageError

    try:
        game, rules, _ = stage(field, turns=turns)
    except UsageError:
        game, rules, _ = stage(field, game=USUAL_GAME, turns=turns or USUAL_TURNS, noise=0.0)
    return game, rules


def _tell(update: Callable[[int, int], None], before: int, total: int, done: int, _: int) -> None:
    update(before + done, total)
