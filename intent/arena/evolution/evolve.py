"""Which strategies survive: Moran processes over matches played once, and what is known exactly beside.

With it what evolution says, in values, tables, figures and files; and where its matches come from.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from intent.arena.requests import EvolveRequest, Initial
from intent.arena.tournament.tournament import RESULT
from intent.base.errors import DataError, OutputError, UnknownNameError, UsageError, located, shorten
from intent.base.files import file_text
from intent.base.job import Result, Table, job
from intent.base.workers import open_workers

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.arena.evolution.moran import Mix
    from intent.arena.evolution.population import By, Pool
    from intent.arena.evolution.stability import Dominance, Stability
    from intent.arena.match import Engine
    from intent.arena.requests import EvolveRequest
    from intent.base.statistics import Interval

__all__ = [
    "FACTS",
    "LOCK",
    "Evolution",
    "Source",
    "claim_folder",
    "evolve",
    "evolve_pool",
    "names_in",
    "pool_source",
    "population",
    "starts",
    "tournament_source",
    "write_files",
]


@dataclass(frozen=True, eq=False)
class Evolution(Result):
    """Populations that evolved.

    Parameters
    ----------
    pool : Pool, of the names that take part
    mixes : tuple of Mix, one per start
    payoffs : (m, m) float, mean payoff per turn
    draws : (B, m, m) float or None, payoffs over strategies drawn anew
    invasion : (m, m) float
    dominance, best_replies, stable : of the payoffs
    config : mapping, the resolved settings
    """

    kind = "evolution"
    noun = "an evolution"

    source: Source
    pool: Pool
    mixes: tuple[Mix, ...]
    payoffs: NDArray[np.float64]
    draws: NDArray[np.float64] | None
    invasion: NDArray[np.float64]
    dominance: tuple[Dominance, ...]
    best_replies: dict[str, tuple[str, ...]]
    stable: tuple[Stability, ...]
    config: Mapping[str, Any]
    seconds: float = 0.0
    path: Path | None = None

    def facts(self) -> dict[str, Any]:
        """Also what is known of the matches."""
        from intent.version import __version__

        origin = {"kind": self.kind, "source": self.source.read}
        return {**origin, **self.config, **self.source.facts, "version": __version__}

    def fields(self) -> dict[str, Any]:
        """As `json_objects.JSON_OBJECTS["evolve"]`; of several starts, each under ``mixes``."""
        each = [self._of(mix) for mix in self.mixes]
        shared = {
            **{name: self.config[name] for name in ("runs", "mutation", "intensity")},
            "invasion": self._square(self.invasion),
            "payoff": self._square(self.payoffs),
            "dominance": [
                {"dominated": d.dominated, "by": str(d), "strictly": d.strictly} for d in self.dominance
            ],
            "best_replies": {name: list(replies) for name, replies in self.best_replies.items()},
            "stable": {s.name: {k: v for k, v in vars(s).items() if k != "name"} for s in self.stable},
            **self.source.facts,
            "left_out": [{"name": n, "reason": why} for n, why in self.source.left_out.items()],
            "path": None if self.path is None else str(self.path),
            "seconds": self.seconds,
            "notes": self.notes,
        }
        return {**each[0], **shared} if len(each) == 1 else {**shared, "mixes": each}

    def by_name(self, values: Any) -> dict[str, float]:
        """Values in the order of the names, by name."""
        return {name: float(value) for name, value in zip(self.pool.names, values, strict=True)}

    def _of(self, mix: Mix) -> dict[str, Any]:
        """What became of one start."""
        ends = {
            e.name: {**_ends(e.share), "initial": e.initial, "verdict": e.verdict} for e in mix.equilibria
        }
        long_run = None
        if mix.long_run is not None:
            exact = {} if mix.stationary is None else self.by_name(mix.stationary)
            long_run = {name: {**_ends(i), "exact": exact.get(name)} for name, i in mix.long_run.items()}
        return {
            "equilibria": ends if long_run is None else {},
            "mean_steps": mix.mean_steps,
            "unfinished": mix.unfinished,
            "initial": dict(zip(self.pool.names, map(int, mix.initial), strict=True)),
            "fixation": None if mix.fixation is None else self.by_name(mix.fixation),
            "expected_steps": mix.expected_steps,
            "replicator": self.by_name(mix.course.end),
            "long_run": long_run,
        }

    def _square(self, matrix: NDArray[np.float64]) -> dict[str, dict[str, float]]:
        return {name: self.by_name(row) for name, row in zip(self.pool.names, matrix, strict=True)}

    @cached_property
    def notes(self) -> list[str]:  # type: ignore[override]
        """What a reader should be warned of, most important first."""
        level, mutation = f"{self.config['level']:.0%}", self.config["mutation"]
        notes = [*self.source.notes]
        if self.source.left_out:
            names = list(self.source.left_out)
            listed = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
            notes.append(f"{len(names)} strategies take no part, being unplayable or at fault: {listed}")
        unfinished = sum(mix.unfinished for mix in self.mixes)
        if mutation:
            notes.append(
                "with mutation no name stays alone: see long_run, mean shares over time after the first "
                "fifth of the steps"
            )
        elif unfinished:
            notes.append(f"{unfinished} runs had not ended after {self.config['steps']:,} births")
        if any(mix.exact is not None for mix in self.mixes) and not self.pool.certain:
            notes.append(
                "what is called exact is so for mean payoffs; the processes draw strategies and matches, so "
                "that their probabilities differ a little"
            )
        notes += [_margin(one, level) for one in self.stable if one.open]
        if any(not mix.course.settled for mix in self.mixes):
            notes.append("the replicator dynamics had not come to rest: its shares are the last ones")
        if len(self.pool.names) > 2 and not mutation:
            notes.append(
                f"each {level} interval stands alone: of {len(self.pool.names)} one may be off by chance"
            )
        return notes

    def remarks(self) -> Iterator[str]:
        """How the matches are played again."""
        if (replay := self.source.facts["replay"]) is not None:
            yield replay

    def table(self) -> pd.DataFrame:
        """A row per start and name."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "start": _start_text(self, k),
                    "name": e.name,
                    "individuals": mix.initial[i],
                    "initial": e.initial,
                    "runs": len(mix.runs.winner),
                    **_ends(mix.shares[i]),
                    "verdict": e.verdict if mix.long_run is None else None,
                    "fixation": None if mix.exact is None else float(mix.exact[i]),
                    "replicator": float(mix.course.end[i]),
                }
                for k, mix in enumerate(self.mixes)
                for i, e in enumerate(mix.equilibria)
            ]
        )

    def parts(self) -> Iterator[Table | str]:
        """What became of each start; payoffs, invasion and stability of up to twelve names."""
        level = f"{self.config['level']:.0%}"
        for k, mix in enumerate(self.mixes):
            rows = [
                (
                    e.name,
                    f"{100 * share.estimate:.1f}",
                    f"{100 * share.low:.1f}–{100 * share.high:.1f}",
                    f"{100 * e.initial:.1f}",
                    "–" if mix.long_run is not None else _DRIFT[e.verdict],
                    None if mix.exact is None else f"{100 * float(mix.exact[i]):.1f}",
                    f"{100 * float(mix.course.end[i]):.1f}",
                )
                for i, (e, share) in enumerate(zip(mix.equilibria, mix.shares, strict=True))
            ]
            what = "alone %" if mix.long_run is None else "share %"
            header = (
                "name",
                what,
                f"{level} interval",
                "start %",
                "verdict",
                "mean payoffs %",
                "replicator %",
            )
            births = "" if mix.mean_steps is None else f", {mix.mean_steps:.0f} births on average"
            yield Table(header, rows, f"{_start_text(self, k)}: {len(mix.runs.winner)} runs{births}")
            yield ""
        names = list(self.pool.names)
        if len(names) > _MOST_PRINTED:
            return
        n = sum(self.mixes[0].initial)
        for corner, values, title in (
            ("payoff per round", self.payoffs, ""),
            ("takes over from 1", self.invasion, f"one of the row among {n - 1} of the column"),
        ):
            square = [(name, *map(float, row)) for name, row in zip(names, values, strict=True)]
            yield Table((corner, *names), square, title)
            yield ""
        yes = {True: "yes", False: "no"}
        stands = [
            (s.name, yes[s.strict_nash], yes[s.nash], yes[s.ess], ", ".join(self.best_replies[s.name]))
            for s in self.stable
        ]
        yield Table(("name", "strict Nash", "Nash", "ESS", "best replies to it"), stands)
        yield ""


_MOST_PRINTED = 12
"""Names of which square tables are printed."""


def _ends(share: Interval) -> dict[str, float]:
    return {"share": share.estimate, "low": share.low, "high": share.high}


def _margin(one: Stability, level: str) -> str:
    """That other strategies of the same names might make another verdict."""
    word = "no best reply to itself"
    if one.nash:
        word = "a strict best reply to itself" if one.strict_nash else "as good a reply to itself as another"
    return (
        f"{one.name} is {word}, by a margin of {one.margin:.3g} per round whose {level} interval over "
        f"strategies holds 0 ({one.low:.3g} to {one.high:.3g}): other strategies might reverse it"
    )


_DRIFT = {"above": "above drift", "below": "below drift", "compatible": "like drift"}


def _start_text(evolution: Evolution, k: int) -> str:
    """``Aggressive 8, Cooperative 2``: a start in words."""
    counts = zip(evolution.pool.names, evolution.mixes[k].initial, strict=True)
    return ", ".join(f"{name} {n}" for name, n in counts if n)


def _runs_table(evolution: Evolution) -> pd.DataFrame:
    """A row per run: who was left alone, after how many births."""
    import pandas as pd

    parts = []
    for k, mix in enumerate(evolution.mixes):
        winners = [evolution.pool.names[w] if w >= 0 else None for w in mix.runs.winner]
        frame = pd.DataFrame({"start": _start_text(evolution, k), "run": range(1, len(winners) + 1)})
        frame["equilibrium"], frame["steps"] = winners, mix.runs.steps
        for i, name in enumerate(evolution.pool.names):
            frame[f"n_{name}"] = mix.runs.final[:, i]
        parts.append(frame)
    return pd.concat(parts, ignore_index=True)


def _paths_table(evolution: Evolution) -> pd.DataFrame:
    """A row per run and step kept: individuals of each name; of a million rows on, the first runs only."""
    import numpy as np
    import pandas as pd

    parts: list[pd.DataFrame] = []
    for k, mix in enumerate(evolution.mixes):
        if not mix.runs.paths:
            continue
        rows = np.concatenate(mix.runs.paths)
        lengths = [len(path) for path in mix.runs.paths]
        frame = pd.DataFrame(rows[:, 1:], columns=[f"n_{n}" for n in evolution.pool.names])
        frame.insert(0, "step", rows[:, 0].astype(np.int64))
        frame.insert(0, "run", np.repeat(np.arange(1, len(lengths) + 1), lengths))
        frame.insert(0, "start", _start_text(evolution, k))
        parts.append(frame)
    return pd.concat(parts, ignore_index=True)


def _matrix_table(evolution: Evolution, values: Any) -> pd.DataFrame:
    """A matrix with names, as `intent evolve` reads it again."""
    import pandas as pd

    names = list(evolution.pool.names)
    return pd.DataFrame(values, index=pd.Index(names, name="row"), columns=names).reset_index()


_MOST_NAMES = 9


def _write_figures(evolution: Evolution, folder: Path, facts: Mapping[str, Any], image: str) -> None:
    """Draw ``path``, ``equilibria`` and, of three names, ``replicator``, in place of earlier ones.

    More than nine names are too many to tell apart, and get none.
    """
    from intent.arena.figures import draw_field
    from intent.figures.populations import draw_path, equilibria_figure
    from intent.figures.style import Drawing
    from intent.report.figures import IMAGES

    for stem in ("path", "equilibria", "replicator"):
        for ending in (*IMAGES, "caption.txt"):
            (folder / f"{stem}.{ending}").unlink(missing_ok=True)
    names, mixes = evolution.pool.names, evolution.mixes
    if len(names) > _MOST_NAMES:
        return

    data = f"Data: {evolution.source.read or 'payoffs in memory'}."
    description = json.dumps(dict(facts), default=str)

    def write(stem: str, drawing: Drawing) -> None:
        path = folder / f"{stem}.{image}"
        drawing.write(path, remarks=[data], description=description, overwrite=True)

    last = mixes[-1]
    n, runs = sum(last.initial), len(last.runs.winner)
    ended = mixes[0].long_run is None
    write(
        "path",
        Drawing(
            "A population on its way",
            lambda: draw_path(names, last.runs.typical),
            [
                f"One of {runs} Moran processes of {n} individuals: "
                "that of the length nearest to the median.",
                f"Start: {_start_text(evolution, len(mixes) - 1)}.",
            ],
        ),
    )
    table, level = evolution.table(), evolution.config["level"]
    write("equilibria", equilibria_figure(table, runs, n, level=level, ended=ended))
    if len(names) == 3:
        corners = "At the corners: share of the Moran processes that ended there, by start."
        write(
            "replicator",
            Drawing(
                "Replicator dynamics",
                lambda: draw_field(evolution),
                [
                    "Arrows: replicator dynamics of the mean payoffs. Squares: starts; lines: their courses.",
                    "Discs: rest points, black where stable, white where not, grey where this is open.",
                    corners if ended else "",
                    f"{runs} processes of {n} individuals from each start.",
                ],
            ),
        )


MARK = "evolution.json"
LOCK = "evolution.lock"


def claim_folder(path: str | Path, *, overwrite: bool) -> Path:
    """The folder, not yet made; one of an evolution that was cut short goes on.

    Raises
    ------
    OutputError
        It holds results and `overwrite` is false, something else, or its place cannot be written to.
    """
    from intent.arena.tournament.tournament import STORE
    from intent.logs.run_folder import own_folder

    if (Path(path) / MARK).exists() and not overwrite:
        raise OutputError(
            f"{path} holds an evolution that is finished; give --overwrite to write its results anew "
            "(matches in it are used again), or choose another path"
        )
    return own_folder(path, kind="evolution", marks=[MARK, STORE], lock=LOCK, make=False)


def write_files(evolution: Evolution, folder: Path, image: str = "png") -> None:
    """Write everything; ``evolution.json`` last, so that it says that the rest is there.

    Raises
    ------
    OutputError
    """
    from intent.base.outputs import make_folder, remove_scratch, write_object
    from intent.base.tables import write_table
    from intent.logs.run_folder import locked

    facts = evolution.facts()
    tables = {
        "equilibria.csv": evolution.table(),
        "runs.csv": _runs_table(evolution),
        "paths.parquet": _paths_table(evolution),
        "payoff.csv": _matrix_table(evolution, evolution.payoffs),
        "invasion.csv": _matrix_table(evolution, evolution.invasion),
    }
    with locked(make_folder(folder) / LOCK):
        remove_scratch(folder)
        for name, table in tables.items():
            write_table(table, folder / name, facts, overwrite=True)
        _write_figures(evolution, folder, facts, image)
        write_object(folder / MARK, evolution.payload(), overwrite=True)


FACTS = ("turns", "noise", "repetitions", "game", "engine", "salt", "replay")
"""What is known of the matches that a pool is made of."""

_EVOLVE_SOURCE_MOST_NAMES = 200
_LONGEST = 4 * 2**20


@dataclass(frozen=True, eq=False)
class Source:
    """A pool, and how it came about.

    Parameters
    ----------
    facts : dict
        As `FACTS`; None each where a matrix does not say.
    left_out : dict of strategy -> reason
    read : str, what was read
    """

    pool: Pool
    facts: dict[str, Any]
    left_out: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    read: str = ""


def pool_source(
    request: EvolveRequest, folder: Path | None, ready: Callable[[Sequence[str]], None]
) -> Source:
    """The pool of what the paths hold: a CSV file, a folder of ``intent tournament``, or strategies.

    Parameters
    ----------
    folder : where matches are kept, optional
    ready : told the names that individuals may have, before anything is played

    Raises
    ------
    UsageError, DataError
    """
    from intent.arena.field import path_list

    paths = path_list(request.paths)
    if not paths:
        raise UsageError("nothing to evolve, expected files of strategies, a tournament or a CSV matrix")
    first = Path(paths[0])
    for fits, kind, source in (
        (first.suffix.casefold() == ".csv", "matrix", matrix_source),
        (is_tournament(first), "tournament", partial(tournament_source, by=_by(request))),
    ):
        if fits:
            if len(paths) > 1:
                raise UsageError(f"{first} and {len(paths) - 1} more, expected one {kind} alone")
            return source(first)
    return _played_source(request, folder, ready)


def _by(request: EvolveRequest) -> By | None:
    return cast("By | None", request.by)


def matrix_source(path: Path) -> Source:
    """A payoff matrix: a header of names, then a row per name, its name first."""
    import numpy as np

    from intent.arena.evolution.population import pool_of_matrix

    try:
        text = file_text(path, _LONGEST, "a payoff matrix")
        rows = [row for row in csv.reader(io.StringIO(text, newline="")) if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise DataError(located(path, f"not a readable CSV file: {error}")) from None
    if not rows:
        raise DataError(located(path, "it is empty, expected a payoff matrix"))
    names = [name.strip() for name in rows[0][1:]]
    if not 1 <= len(names) <= _EVOLVE_SOURCE_MOST_NAMES:
        raise DataError(
            located(path, f"{len(names)} columns of payoffs, expected 1 to {_EVOLVE_SOURCE_MOST_NAMES}", 1)
        )
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


def _played_source(
    request: EvolveRequest, folder: Path | None, ready: Callable[[Sequence[str]], None]
) -> Source:
    """Strategies of files and folders, every one against every one and itself."""
    from intent.arena.evolution.population import PayoffTally, group_places, pool_of
    from intent.arena.field import arena_engine, path_list, set_stage
    from intent.arena.tournament.matches import Contest, lots, play_matches
    from intent.arena.tournament.tournament import stored_matches

    on = set_stage(request)
    field, rules = on.entries.field, on.rules
    ready(group_places([e.name for e in field], [e.group for e in field], _by(request))[0])
    engine: AbstractContextManager[Engine]
    if isinstance(request.engine, str):
        engine = arena_engine(request.engine, field, request.workers, request.dask)
    else:  # whoever made it closes it
        engine = nullcontext(request.engine)
    with engine as runs, stored_matches(folder, LOCK) as store:
        tally = PayoffTally(len(field), on.repetitions, rules)
        spoiled = play_matches(
            field,
            rules,
            lots(field, rules, on.repetitions),
            tally.add,
            Contest(on.repetitions, on.salt, runs, store, update=request.update),
        )
        pool, left_out = pool_of(tally.table(field, spoiled.faults), _by(request))
    facts = {
        "turns": rules.turns,
        "noise": rules.noise,
        "repetitions": on.repetitions,
        "game": on.game.name,
        "engine": runs.name,
        "salt": on.salt.hex,
        "replay": on.salt.replay,
    }
    names = shorten(", ".join(Path(path).name for path in path_list(request.paths)))
    return Source(pool, facts, {**dict(on.entries.left_out), **left_out}, list(on.notes), names)


_COLUMNS = ("name", "group", "opponent", "payoff")


def is_tournament(path: Path) -> bool:
    """Whether a folder is one of ``intent tournament``."""
    return (path / RESULT).is_file()


def tournament_source(folder: Path, by: By | None) -> Source:
    """The pool of a tournament's pairs: means over the repetitions of each.

    Parameters
    ----------
    by : {"group", "strategy"}, optional
        Default: by group where every strategy has one, and they were not played as agents.

    Raises
    ------
    DataError
        A file that is missing or not what it should be.
    UsageError
        Pairs that were not played, or nobody was never at fault.
    """
    import numpy as np

    from intent.arena.evolution.population import group_places, pool_of_means
    from intent.base.files import read_object
    from intent.base.tables import read_table

    result, source = read_object(folder / RESULT, "a tournament"), folder / "pairs.csv"
    pairs, _ = read_table(source)
    if missing := [name for name in _COLUMNS if name not in pairs.columns]:
        raise DataError(located(source, f"no column {missing[0]}"))
    left_out = _left_out(result)
    pairs = pairs[~(pairs["name"].isin(list(left_out)) | pairs["opponent"].isin(list(left_out)))]
    if pairs.empty:
        raise UsageError(f"{folder}: no strategy is left to evolve, expected some that were never at fault")
    own = pairs.drop_duplicates("name")
    names = [str(name) for name in own["name"]]
    groups = [str(g) if known else None for g, known in zip(own["group"], own["group"].notna(), strict=True)]
    place = {name: i for i, name in enumerate(names)}
    payoffs = np.full((len(names), len(names)), np.nan)
    try:
        rows = [place[str(name)] for name in pairs["name"]]
        columns = [place[str(name)] for name in pairs["opponent"]]
        payoffs[rows, columns] = pairs["payoff"].to_numpy(dtype=float)
    except (KeyError, ValueError) as error:
        raise DataError(located(source, f"not the pairs of a tournament: {error}")) from None
    config = result.get("config")
    if by is None and isinstance(config, dict) and config.get("agents"):
        by = "strategy"
    pool = pool_of_means(names, group_places(names, groups, by), payoffs)
    notes = []
    if (result.get("repetitions") or 1) > 1:
        notes.append(
            "of a tournament, means over the repetitions of a pair are taken; give the strategies themselves "
            "for single matches to be drawn"
        )
    return Source(pool, {name: result.get(name) for name in FACTS}, left_out, notes, folder.name)


def _left_out(result: dict[str, Any]) -> dict[str, str]:
    """Who did not play, or was ever at fault, with the reason."""
    lists = [result.get(key) for key in ("faults", "left_out")]
    rows = [one for listed in lists if isinstance(listed, list) for one in listed if isinstance(one, dict)]
    return {str(one.get("name")): str(one.get("reason")) for one in rows}


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
