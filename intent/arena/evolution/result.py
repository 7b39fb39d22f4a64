"""What evolution says: values, tables, sentences.

What a reader of an evolution should be warned of.

Evolution as tables: for the terminal, and for the files of a folder.

The figures of an evolution: one path, the equilibria, the replicator dynamics of three names.

The folder of an evolution: tables, figures, the JSON object, and the matches that it rests on.

What a population is made of: strategies that are played, a tournament that was, or a payoff matrix.

A tournament that was played, as the matches that evolution draws from.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.arena.tournament.tournament import RESULT
from intent.base.errors import DataError, OutputError, UsageError, located, shorten
from intent.base.files import file_text
from intent.base.json_text import json_values

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from intent.arena.entrant import Entrant
    from intent.arena.evolution.equilibria import Mix
    from intent.arena.evolution.population import By, Pool
    from intent.arena.evolution.stability import Dominance, Stability
    from intent.arena.match import Engine, Fidelity


__all__ = [
    "FACTS",
    "LOCK",
    "Evolution",
    "Source",
    "claim_folder",
    "equilibria_table",
    "is_tournament",
    "matrix_source",
    "matrix_table",
    "notes_on",
    "paths_table",
    "played_source",
    "pool_source",
    "runs_table",
    "start_name",
    "terminal_tables",
    "tournament_source",
    "write_figures",
    "write_files",
]


@dataclass(frozen=True, eq=False)
class Evolution:
    """Populations that evolved.

    Parameters
    ----------
    source : Source
    pool : Pool, of the names that take part
    mixes : tuple of Mix, one per start
    payoffs : (m, m) float, mean payoff per turn
    draws : (B, m, m) float or None, payoffs over strategies drawn anew
    invasion : (m, m) float
    dominance, best_replies, stable : of the payoffs
    config : mapping, the resolved settings
    seconds : float
    path : Path or None
    """

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

    def finished(self, seconds: float, path: Path | None) -> Evolution:
        """The same, with the time that it took and the folder that it is written to."""
        return replace(self, seconds=seconds, path=path)

    def to_dict(self) -> dict[str, Any]:
        """The object of ``intent evolve --json``."""
        names = self.pool.names
        each = [self._of(mix) for mix in self.mixes]
        begin = each[0] if len(each) == 1 else {}
        shared = {
            "runs": self.config["runs"],
            "mutation": self.config["mutation"],
            "intensity": self.config["intensity"],
            "invasion": self._square(self.invasion),
            "payoff": self._square(self.payoffs),
            "dominance": [
                {"dominated": d.dominated, "by": str(d), "strictly": d.strictly} for d in self.dominance
            ],
            "best_replies": {name: list(found) for name, found in self.best_replies.items()},
            "stable": {
                name: {
                    "strict_nash": s.strict_nash,
                    "nash": s.nash,
                    "ess": s.ess,
                    "margin": s.margin,
                    "low": s.low,
                    "high": s.high,
                }
                for name, s in zip(names, self.stable, strict=True)
            },
            **self.source.facts,
            "left_out": [{"name": n, "reason": why} for n, why in self.source.left_out.items()],
            "path": None if self.path is None else str(self.path),
            "seconds": self.seconds,
            "notes": self.notes(),
        }
        more = {} if len(each) == 1 else {"mixes": each}
        return dict(json_values({**begin, **shared, **more}))

    def notes(self) -> list[str]:
        """What a reader should be warned of."""

        return notes_on(self)

    def by_name(self, values: Any) -> dict[str, float]:
        """Values in the order of the names, by name."""
        return {name: float(value) for name, value in zip(self.pool.names, values, strict=True)}

    def _of(self, mix: Mix) -> dict[str, Any]:
        long_run = None
        if mix.long_run is not None:
            exact = {} if mix.stationary is None else self.by_name(mix.stationary)
            long_run = {
                name: {"share": i.estimate, "low": i.low, "high": i.high, "exact": exact.get(name)}
                for name, i in mix.long_run.items()
            }
        return {
            "equilibria": {
                e.name: {
                    "share": e.share.estimate,
                    "low": e.share.low,
                    "high": e.share.high,
                    "initial": e.initial,
                    "verdict": e.verdict,
                }
                for e in mix.equilibria
                if mix.long_run is None
            },
            "mean_steps": mix.mean_steps,
            "unfinished": mix.unfinished,
            "initial": {name: int(k) for name, k in zip(self.pool.names, mix.initial, strict=True)},
            "fixation": None if mix.fixation is None else self.by_name(mix.fixation),
            "expected_steps": mix.expected_steps,
            "replicator": self.by_name(mix.course.end),
            "long_run": long_run,
        }

    def _square(self, matrix: NDArray[np.float64]) -> dict[str, dict[str, float]]:
        return {name: self.by_name(row) for name, row in zip(self.pool.names, matrix, strict=True)}


def notes_on(found: Evolution) -> list[str]:
    """Notes, most important first."""
    level = f"{found.config['level']:.0%}"
    notes = [*found.source.notes]
    if found.source.left_out:
        names = list(found.source.left_out)
        listed = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
        notes.append(f"{len(names)} strategies take no part, being unplayable or at fault: {listed}")
    unfinished = sum(mix.unfinished for mix in found.mixes)
    if found.config["mutation"]:
        notes.append(
            "with mutation no name stays alone: see long_run, mean shares over time after the first fifth of "
            "the steps"
        )
    elif unfinished:
        notes.append(f"{unfinished} runs had not ended after {found.config['steps']:,} births")
    exact = any(mix.fixation is not None or mix.stationary is not None for mix in found.mixes)
    if exact and not found.pool.certain:
        notes.append(
            "what is called exact is so for mean payoffs; the processes draw strategies and matches, so that "
            "their probabilities differ a little"
        )
    notes += [_margin(one, level) for one in found.stable if one.open]
    if any(not mix.course.settled for mix in found.mixes):
        notes.append("the replicator dynamics had not come to rest: its shares are the last ones")
    if len(found.pool.names) > 2 and not found.config["mutation"]:
        notes.append(
            f"each {level} interval stands alone: of {len(found.pool.names)} one may be off by chance"
        )
    return notes


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


def start_name(found: Evolution, k: int) -> str:
    """``Aggressive 8, Cooperative 2``: a start in words."""
    counts = zip(found.pool.names, found.mixes[k].initial, strict=True)
    return ", ".join(f"{name} {n}" for name, n in counts if n)


def equilibria_table(found: Evolution) -> pd.DataFrame:
    """A row per start and name."""
    import pandas as pd

    rows: list[dict[str, Any]] = []
    for k, mix in enumerate(found.mixes):
        for i, e in enumerate(mix.equilibria):
            row: dict[str, Any] = {
                "start": start_name(found, k),
                "name": e.name,
                "individuals": mix.initial[i],
            }
            row |= {"initial": e.initial, "runs": len(mix.runs.winner)}
            if mix.long_run is None:
                row |= {"share": e.share.estimate, "low": e.share.low, "high": e.share.high}
                row |= {"verdict": e.verdict}
                row |= {"fixation": None if mix.fixation is None else float(mix.fixation[i])}
            else:
                time = mix.long_run[e.name]
                row |= {"share": time.estimate, "low": time.low, "high": time.high, "verdict": None}
                row |= {"fixation": None if mix.stationary is None else float(mix.stationary[i])}
            row |= {"replicator": float(mix.course.end[i])}
            rows.append(row)
    return pd.DataFrame(rows)


def runs_table(found: Evolution) -> pd.DataFrame:
    """A row per run: who was left alone, after how many births."""
    import pandas as pd

    parts = []
    for k, mix in enumerate(found.mixes):
        winners = [found.pool.names[w] if w >= 0 else None for w in mix.runs.winner]
        frame = pd.DataFrame({"start": start_name(found, k), "run": range(1, len(winners) + 1)})
        frame["equilibrium"], frame["steps"] = winners, mix.runs.steps
        for i, name in enumerate(found.pool.names):
            frame[f"n_{name}"] = mix.runs.final[:, i]
        parts.append(frame)
    return pd.concat(parts, ignore_index=True)


def paths_table(found: Evolution) -> pd.DataFrame:
    """A row per run and step kept: individuals of each name; of a million rows on, the first runs only."""
    import numpy as np
    import pandas as pd

    parts: list[pd.DataFrame] = []
    for k, mix in enumerate(found.mixes):
        if not mix.runs.paths:
            continue
        rows = np.concatenate(mix.runs.paths)
        lengths = [len(path) for path in mix.runs.paths]
        frame = pd.DataFrame(rows[:, 1:], columns=[f"n_{n}" for n in found.pool.names])
        frame.insert(0, "step", rows[:, 0].astype(np.int64))
        frame.insert(0, "run", np.repeat(np.arange(1, len(lengths) + 1), lengths))
        frame.insert(0, "start", start_name(found, k))
        parts.append(frame)
    return pd.concat(parts, ignore_index=True)


def matrix_table(found: Evolution, values: Any) -> pd.DataFrame:
    """A matrix with names, as `intent evolve` reads it again."""
    import pandas as pd

    frame = pd.DataFrame(values, columns=list(found.pool.names))
    frame.insert(0, "row", list(found.pool.names))
    return frame


def terminal_tables(found: Evolution) -> list[tuple[list[str], list[list[object]], str]]:
    """Header, rows and title of the tables that the command prints."""
    made: list[tuple[list[str], list[list[object]], str]] = []
    level = f"{found.config['level']:.0%}"
    for k, mix in enumerate(found.mixes):
        rows: list[list[object]] = []
        for i, e in enumerate(mix.equilibria):
            share = e.share if mix.long_run is None else mix.long_run[e.name]
            exact = mix.fixation if mix.long_run is None else mix.stationary
            rows.append(
                [
                    e.name,
                    f"{100 * share.estimate:.1f}",
                    f"{100 * share.low:.1f}–{100 * share.high:.1f}",
                    f"{100 * e.initial:.1f}",
                    "–" if mix.long_run is not None else _DRIFT[e.verdict],
                    None if exact is None else f"{100 * float(exact[i]):.1f}",
                    f"{100 * float(mix.course.end[i]):.1f}",
                ]
            )
        what = "alone %" if mix.long_run is None else "share %"
        header = ["name", what, f"{level} interval", "start %", "verdict", "mean payoffs %", "replicator %"]
        births = "" if mix.mean_steps is None else f", {mix.mean_steps:.0f} births on average"
        made.append((header, rows, f"{start_name(found, k)}: {len(mix.runs.winner)} runs{births}"))
    names = list(found.pool.names)
    if len(names) <= 12:
        square = [[n, *map(float, row)] for n, row in zip(names, found.payoffs, strict=True)]
        made.append((["payoff per round", *names], square, ""))
        invades = [[n, *map(float, row)] for n, row in zip(names, found.invasion, strict=True)]
        n = sum(found.mixes[0].initial)
        made.append((["takes over from 1", *names], invades, f"one of the row among {n - 1} of the column"))
        stands: list[list[object]] = [
            [s.name, _yes(s.strict_nash), _yes(s.nash), _yes(s.ess), ", ".join(found.best_replies[s.name])]
            for s in found.stable
        ]
        made.append((["name", "strict Nash", "Nash", "ESS", "best replies to it"], stands, ""))
    return made


def _yes(answer: bool) -> str:
    return "yes" if answer else "no"


_MOST_NAMES = 9


@dataclass(frozen=True)
class _Picture:
    stem: str
    title: str
    lines: tuple[str, ...]
    draw: Callable[[], Any]


def write_figures(found: Evolution, folder: Path, facts: Mapping[str, Any], image: str = "png") -> None:
    """Draw ``path``, ``equilibria`` and, of three names, ``replicator``, in place of earlier ones.

    More than nine names are too many to tell apart, and get none.

    Raises
    ------
    OutputError
    """
    from intent.figures.style import write_play_figure
    from intent.report.figures import IMAGES

    for stem in ("path", "equilibria", "replicator"):
        for ending in IMAGES:
            (folder / f"{stem}.{ending}").unlink(missing_ok=True)
    if len(found.pool.names) > _MOST_NAMES:
        return
    for picture in _pictures(found):
        write_play_figure(
            picture.draw,
            folder / f"{picture.stem}.{image}",
            title=picture.title,
            lines=[*picture.lines, f"Data: {found.source.read or 'payoffs in memory'}."],
            description=json.dumps(dict(facts), default=str),
            overwrite=True,
        )


def _pictures(found: Evolution) -> Iterator[_Picture]:
    from intent.arena.figures import draw_field
    from intent.figures.populations import draw_equilibria, draw_path, equilibria_lines

    names, mixes = found.pool.names, found.mixes
    k = len(mixes) - 1
    n, runs = sum(mixes[k].initial), len(mixes[k].runs.winner)
    yield _Picture(
        "path",
        "A population on its way",
        (
            f"One of {runs} Moran processes of {n} individuals: that of the length nearest to the median.",
            f"Start: {start_name(found, k)}.",
        ),
        lambda: draw_path(names, mixes[k].runs.typical),
    )
    ended = mixes[0].long_run is None
    yield _Picture(
        "equilibria",
        "Who is left alone" if ended else "Shares in the long run",
        equilibria_lines(runs=runs, individuals=n, level=found.config["level"], ended=ended),
        lambda: draw_equilibria(equilibria_table(found), ended=ended),
    )
    if len(names) == 3:
        corners = "At the corners: share of the Moran processes that ended there, by start."
        yield _Picture(
            "replicator",
            "Replicator dynamics",
            (
                "Arrows: replicator dynamics of the mean payoffs. Squares: starts; lines: their courses.",
                "Discs: rest points, black where stable, white where not, grey where this is open.",
                corners if ended else "",
            ),
            lambda: draw_field(found),
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


def write_files(found: Evolution, folder: Path, image: str = "png") -> None:
    """Write everything; ``evolution.json`` last, so that it says that the rest is there.

    Raises
    ------
    OutputError
    """
    from intent.base.files import make_folder, remove_scratch
    from intent.base.json_text import write_object
    from intent.base.tables import write_table
    from intent.logs.run_folder import locked
    from intent.version import __version__

    facts = {"kind": "evolution", "source": found.source.read, **found.config, **found.source.facts}
    facts["version"] = __version__
    with locked(make_folder(folder) / LOCK):
        remove_scratch(folder)
        write_table(equilibria_table(found), folder / "equilibria.csv", facts, overwrite=True)
        write_table(runs_table(found), folder / "runs.csv", facts, overwrite=True)
        write_table(paths_table(found), folder / "paths.parquet", facts, overwrite=True)
        write_table(matrix_table(found, found.payoffs), folder / "payoff.csv", facts, overwrite=True)
        write_table(matrix_table(found, found.invasion), folder / "invasion.csv", facts, overwrite=True)
        write_figures(found, folder, facts, image)
        write_object(folder / MARK, {**found.to_dict(), "config": facts}, overwrite=True)


FACTS = ("turns", "noise", "repetitions", "game", "engine", "salt", "replay")
"""What is known of the matches that a pool is made of."""

_EVOLVE_SOURCE_MOST_NAMES = 200
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
    from intent.arena.evolution.population import PayoffTally, group_places, pool_of
    from intent.arena.field import read_entries, stage, usual_repetitions
    from intent.arena.streams import Salt
    from intent.arena.tournament.matches import check_field, lots, play_matches
    from intent.arena.tournament.tournament import kept_matches

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
    from intent.arena.field import arena_engine

    return arena_engine(engine, field, workers, dask)


_COLUMNS = ("name", "group", "opponent", "payoff")


def is_tournament(path: Path) -> bool:
    """Whether a folder is one of ``intent tournament``."""
    return (path / RESULT).is_file()


def tournament_source(folder: Path, by: By | None) -> Source:
    """The pool of a tournament's pairs: means over the repetitions of each.

    Parameters
    ----------
    folder : path
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
    from intent.base.json_text import read_object
    from intent.base.tables import read_table

    told, source = read_object(folder / RESULT, "a tournament"), folder / "pairs.csv"
    pairs, _ = read_table(source)
    if missing := [name for name in _COLUMNS if name not in pairs.columns]:
        raise DataError(located(source, f"no column {missing[0]}"))
    left_out = _left_out(told)
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
    config = told.get("config")
    if by is None and isinstance(config, dict) and config.get("agents"):
        by = "strategy"
    pool = pool_of_means(names, group_places(names, groups, by), payoffs)
    notes = []
    if (told.get("repetitions") or 1) > 1:
        notes.append(
            "of a tournament, means over the repetitions of a pair are taken; give the strategies themselves "
            "for single matches to be drawn"
        )
    return Source(pool, {name: told.get(name) for name in FACTS}, left_out, notes, folder.name)


def _left_out(told: dict[str, Any]) -> dict[str, str]:
    """Who did not play, or was ever at fault, with the reason."""
    lists = [told.get(key) for key in ("faults", "left_out")]
    rows = [one for listed in lists if isinstance(listed, list) for one in listed if isinstance(one, dict)]
    return {str(one.get("name")): str(one.get("reason")) for one in rows}
