"""What scores alone do not say: which differences are more than chance, regret, levels, memory.

Made from scores and decisions of logs, and scores of saved files. Games of the same setting and repetition
share their luck (common random numbers), so that their scores are compared pair by pair. Where levels share
no such games, their runs are exchanged between them instead.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from intent.base.errors import DataError, LimitError, UnknownNameError
from intent.base.job import Result, Table, job
from intent.base.outputs import json_values
from intent.base.statistics import NONE
from intent.base.tables import column_names
from intent.behaviour.play_table import determined
from intent.comparison.differences import Difference, paired_difference, unpaired_difference
from intent.comparison.groups import holm
from intent.gamma.bench.requests import AnalyseRequest
from intent.gamma.catalogue import GAMMA_GAMES
from intent.version import __version__

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from intent.gamma.bench.scores import ScoreRow
    from intent.gamma.plays import Scoring
    from intent.logs.gamelog import GameLog

__all__ = ["MODEL", "OVERALL", "Analysis", "ScoreDifference", "analyse", "confounded", "score_differences"]

OVERALL = "overall"

_LEVELS = 20
"""Levels of a factor that are compared, each with each."""

_NONE = "-"


@dataclass(frozen=True)
class ScoreDifference:
    """A difference between two levels of a factor.

    Parameters
    ----------
    factor, first, second : str
    within : tuple of (column, value)
        Conditions that all of its games share.
    game : str
        A game, or ``overall``: the mean over the games that both levels have.
    difference : Difference
        Of the first less the second.
    p_adjusted : float
        By Holm, over the games and pairs of levels of the same factor (those overall apart).
    """

    factor: str
    first: str
    second: str
    within: tuple[tuple[str, str], ...]
    game: str
    difference: Difference
    p_adjusted: float


def score_differences(
    scores: pd.DataFrame,
    factor: str,
    *,
    within: Sequence[str] = (),
    samples: int,
    level: float,
    rng: np.random.Generator,
) -> list[ScoreDifference]:
    """Every two levels of a factor compared, in each game that both have and over these.

    1. Scores of the same level, game, setting, run and other conditions are averaged.
    2. Runs that agree in all but the factor, and what goes with it (`confounded`), are pairs. Where a game
       has such pairs, those are what counts, and runs without a partner are left out.
    3. Else its runs are compared unpaired: within the settings and conditions that both levels have, each
       counting alike, or all together where they have none in common.
    4. Overall is the mean over games; it is paired where all of its games are.

    Parameters
    ----------
    scores : DataFrame
        Columns game, setting, run (null: no pair has it), score, and any conditions, `factor` among them.
    factor : str
    within : sequence of str
        Conditions in each joint value of which the levels are compared by themselves.
    samples : int
        Of bootstrap and random flips.
    level : float in (0, 1)
    rng : Generator

    Raises
    ------
    UnknownNameError
        A factor that is no column.
    LimitError
        More than twenty levels.

    References
    ----------
    Davison & Hinkley (1997), Bootstrap Methods and their Application, section 4.4 (paired randomisation);
    Holm (1979), Scandinavian Journal of Statistics 6:65.
    """
    for name in (factor, *within):
        if name not in scores.columns:
            raise UnknownNameError("column", name, scores.columns)
    plain = _comparable(scores)
    levels = sorted(plain[factor].unique())
    if len(levels) > _LEVELS:
        raise LimitError(f"{factor} has {len(levels)} levels, expected at most {_LEVELS}")
    apart = {factor, "score", "run", *confounded(plain, factor)}
    rest = [name for name in plain.columns if name not in apart]
    options: dict[str, Any] = {"samples": samples, "level": level, "rng": rng}
    differences: list[ScoreDifference] = []
    for cell, rows in _cells(plain, within):
        for first, second in combinations(levels, 2):
            sides = [_keyed(rows[rows[factor] == one], [*rest, "run"]) for one in (first, second)]
            common = [game for game in GAMMA_GAMES if all(game in side for side in sides)]
            by_game = {game: _compared([_side(side, [game]) for side in sides], options) for game in common}
            if len(common) > 1:
                overall = _compared([_side(side, common) for side in sides], options)
                by_game[OVERALL] = overall
            differences += [
                ScoreDifference(factor, str(first), str(second), cell, game, difference, np.nan)
                for game, difference in by_game.items()
            ]
    return _adjusted(differences)


def confounded(scores: pd.DataFrame, factor: str) -> list[str]:
    """Conditions that vary, and of which each level of the factor has one value: they cannot be held fixed.

    Parameters
    ----------
    scores : DataFrame, as `score_differences`
    factor : str
    """
    conditions = [name for name in scores.columns if name not in (factor, "game", "setting", "run", "score")]
    table = scores[[factor, *conditions]].astype(object)
    plain = table.where(table.notna(), _NONE).astype(str)
    return [name for name in conditions if plain[name].nunique() > 1 and determined(plain, name, [factor])]


_Side = dict[tuple[Hashable, ...], tuple[int, float]]
"""Key of a run, game first -> number of the game, score."""


def _comparable(scores: pd.DataFrame) -> pd.DataFrame:
    """The scores with conditions as text; nulls are a value of their own, but of `run`."""
    plain = scores.copy()
    for name in plain.columns:
        if name not in ("score", "run"):
            column = plain[name].astype(object)
            plain[name] = column.where(column.notna(), _NONE).map(str)
    return plain


def _cells(
    scores: pd.DataFrame, within: Sequence[str]
) -> list[tuple[tuple[tuple[str, str], ...], pd.DataFrame]]:
    if not within:
        return [((), scores)]
    return [
        (tuple(zip(within, map(str, values), strict=True)), rows)
        for values, rows in scores.groupby(list(within), sort=True, observed=True)
    ]


def _keyed(rows: pd.DataFrame, keys: list[str]) -> dict[str, dict[tuple[Hashable, ...], float]]:
    """Game -> key of the run -> score, averaged where keys are the same; a run without number has its own."""
    runs_by_game: dict[str, dict[tuple[Hashable, ...], list[float]]] = {}
    for i, row in enumerate(rows.to_dict("records")):
        run = row["run"]
        known = isinstance(run, int | float | np.number) and run == run
        key = tuple(row[name] for name in keys if name != "run")
        key += (int(run),) if known else (f"row {id(rows)} {i}",)
        runs_by_game.setdefault(str(row["game"]), {}).setdefault(key, []).append(float(row["score"]))
    return {
        game: {key: float(np.mean(values)) for key, values in runs.items()}
        for game, runs in runs_by_game.items()
    }


def _side(side: dict[str, dict[tuple[Hashable, ...], float]], games: Sequence[str]) -> _Side:
    return {(game, *key): (i, score) for i, game in enumerate(games) for key, score in side[game].items()}


def _compared(sides: Sequence[_Side], options: dict[str, Any]) -> Difference:
    first, second = sides
    games = {i for i, _ in first.values()}
    shared = [key for key in first if key in second]
    if {first[key][0] for key in shared} == games:
        pairs = [np.array([side[key][1] for key in shared]) for side in sides]
        return paired_difference(*pairs, strata=np.array([first[key][0] for key in shared]), **options)
    alike = {key[:-1] for key in first} & {key[:-1] for key in second}
    if {game for game, *_ in alike} != {game for game, *_ in first}:
        alike = set()
    strata = {key: i for i, key in enumerate(sorted(alike, key=str))}
    values, codes = [], []
    for side in sides:
        points = [
            (strata.get(key[:-1], i), score)
            for key, (i, score) in side.items()
            if not alike or key[:-1] in alike
        ]
        values.append(np.array([score for _, score in points]))
        codes.append(np.array([code for code, _ in points], dtype=np.intp))
    return unpaired_difference(*values, strata=(codes[0], codes[1]), **options)


def _adjusted(differences: list[ScoreDifference]) -> list[ScoreDifference]:
    adjusted = [one.difference.p for one in differences]
    for overall in (False, True):
        family = [
            i
            for i, one in enumerate(differences)
            if (one.game == OVERALL) == overall and np.isfinite(one.difference.p)
        ]
        for i, p in zip(family, holm([differences[i].difference.p for i in family]), strict=True):
            adjusted[i] = p
    return [replace(one, p_adjusted=p) for one, p in zip(differences, adjusted, strict=True)]


@dataclass(frozen=True, eq=False, repr=False)
class Analysis(Result):
    """Differences of scores, regret of decisions, levels of reasoning, and a check for memory.

    Parameters
    ----------
    by : tuple of str
    scoring : str
    level : float, of intervals
    scores : DataFrame, a row per run
    differences, contamination : tuple of ScoreDifference
    moves : DataFrame, a row per move of logs
    regret, levels : list of mappings, as `json_objects.JSON_OBJECTS["bench_analyse"]`
    notes : tuple of str
    config : mapping
    """

    kind = "bench_analysis"

    by: tuple[str, ...]
    scoring: str
    level: float
    scores: pd.DataFrame
    differences: tuple[ScoreDifference, ...]
    contamination: tuple[ScoreDifference, ...]
    moves: pd.DataFrame
    regret: Sequence[Mapping[str, Any]]
    levels: Sequence[Mapping[str, Any]]
    notes: tuple[str, ...]
    config: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Analysis by {', '.join(self.by)}: {len(self.scores):,} scores, {len(self.moves):,} moves>"

    def fields(self) -> dict[str, Any]:
        return {
            "by": list(self.by),
            "scoring": self.scoring,
            "n": len(self.scores),
            "differences": [_plain(one) for one in self.differences],
            "contamination": [_plain(one) for one in self.contamination],
            "regret": [dict(row) for row in self.regret],
            "levels": [dict(row) for row in self.levels],
            "notes": list(self.notes),
        }

    def parts(self) -> Iterator[Table | str]:
        """The tables that have rows, with a line between them."""
        tables = (
            self._difference_table("differences of scores", self.differences),
            self._difference_table("original less story", self.contamination),
            self.regret_table(),
            self.level_table(),
        )
        for k, table in enumerate(table for table in tables if table.rows):
            yield from ("", table) if k else (table,)

    def _difference_table(self, title: str, differences: Sequence[ScoreDifference]) -> Table:
        header = ["game", "first - second", f"difference [{self.level:.0%}]", "p", "p (Holm)", "n", ""]
        rows: list[list[object]] = []
        for one in differences:
            d = one.difference
            held = [(name, value) for name, value in one.within if value not in ("-", NONE)]
            where = "".join(f", {value}" if name == MODEL else f", {name}={value}" for name, value in held)
            n = str(d.n[0]) if d.paired else f"{d.n[0]} and {d.n[1]}"
            rows.append(
                [
                    *(one.game, f"{one.first} - {one.second}{where}", _interval(d.estimate, d.low, d.high)),
                    *(_p(d.p), _p(one.p_adjusted), n, "pairs" if d.paired else "unpaired"),
                ]
            )
        return Table(header, rows, title)

    def regret_table(self) -> Table:
        """Mean regret for people."""
        groups = list(dict.fromkeys(name for row in self.regret for name in row["group"]))
        header = [*groups, "game", "regret", "of what was at stake", "best replies", "moves", "games"]
        rows: list[list[object]] = []
        for row in self.regret:
            cells = [str(row["group"].get(name, "")) for name in groups]
            shares = [row.get(name) for name in ("relative", "best")]
            percentages = ["–" if share is None else _percent(share) for share in shares]
            mean = row["regret"]
            regret = _interval(mean["estimate"], mean["low"], mean["high"], ".3g")
            rows.append([*cells, row["game"], regret, *percentages, mean["n"], row["n_games"]])
        return Table(header, rows, "regret of a move, in what the game pays")

    def level_table(self) -> Table:
        """Levels of reasoning for people."""
        groups = list(dict.fromkeys(name for row in self.levels for name in row["group"]))
        header = [*groups, "ratio", "players", "first mean", "people", "tau", "± se"]
        types = list(dict.fromkeys(t for row in self.levels for t in (row["shares"] or ())))
        rows: list[list[object]] = []
        for row in self.levels:
            shares = row["shares"] or {}
            cells: list[object] = [str(row["group"].get(name, "")) for name in groups]
            means = [_number(row[name], ".1f") for name in ("first_mean", "human_mean")]
            cells += [row["ratio"], row["n_subjects"], *means]
            cells += [_number(row[name], ".2f") for name in ("tau", "tau_se")]
            rows.append([*cells, *(f"{shares[t]:.0%}" if t in shares else "–" for t in types)])
        header += [f"level {t}" if t.isdigit() else t for t in types]
        return Table(header, rows, "levels of reasoning in the guessing game")

    def write(self, folder: str | Path, *, overwrite: bool = False) -> list[Path]:  # type: ignore[override]
        """Write ``analysis.json``, ``differences.csv``, ``regret.csv``, ``moves.csv`` and ``levels.csv``.

        Tables without rows are left out.

        Raises
        ------
        OutputError
            A file is there and may not be replaced, or cannot be written.
        """
        import pandas as pd

        from intent.base.outputs import claim, make_folder, write_object
        from intent.base.tables import claim_table, write_table

        target = claim(folder, overwrite=True, into=True)
        both = [*self.differences, *self.contamination]
        tables = {
            "differences.csv": pd.DataFrame([_flat(_plain(one)) for one in both]),
            "regret.csv": pd.DataFrame([_flat(row) for row in self.regret]),
            "moves.csv": self.moves.drop(columns="cluster", errors="ignore"),
            "levels.csv": pd.DataFrame([_flat(row) for row in self.levels]),
        }
        tables = {name: table for name, table in tables.items() if len(table)}
        if target.is_dir():
            claim(target / "analysis.json", overwrite=overwrite)
            for name in tables:
                claim_table(target / name, overwrite=overwrite)
        make_folder(target)
        payload = {**self.to_dict(), "config": json_values(dict(self.config))}
        write_object(target / "analysis.json", payload, overwrite=overwrite)
        for name, table in tables.items():
            facts = {"table": f"bench_{name.removesuffix('.csv')}", **self.config}
            write_table(table, target / name, facts, overwrite=overwrite)
        return [target / name for name in ("analysis.json", *tables)]


def _plain(one: ScoreDifference) -> dict[str, Any]:
    d = one.difference
    return {
        "factor": one.factor,
        "first": one.first,
        "second": one.second,
        "within": dict(one.within),
        "game": one.game,
        "estimate": d.estimate,
        "low": d.low,
        "high": d.high,
        "p": d.p,
        "p_adjusted": one.p_adjusted,
        "least_p": d.least_p,
        "n": list(d.n),
        "paired": d.paired,
        "exact": d.exact,
    }


def _flat(row: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested values as columns: ``regret_low``; of a group by their own names; lists with blanks."""
    flat: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, "" if name in ("group", "within") else f"{prefix}{name}_")
        else:
            flat[f"{prefix}{name}"] = " ".join(map(str, value)) if isinstance(value, list) else value
    return flat


def _interval(estimate: float, low: float, high: float, how: str = ".1f") -> str:
    ends = f" [{low:{how}}, {high:{how}}]" if low == low else ""
    return f"{estimate:{how}}{ends}"


def _number(value: float | None, how: str) -> str:
    return "–" if value is None or value != value else f"{value:{how}}"


def _percent(share: Mapping[str, float]) -> str:
    low, high = share["low"], share["high"]
    ends = f" [{low:.0%}, {high:.0%}]" if low == low else ""
    return f"{share['estimate']:.0%}{ends}"


def _p(p: float) -> str:
    return "–" if p != p else f"{p:.3g}"


_ALPHA = 0.05


def _goes_together(scores: pd.DataFrame, factors: Sequence[str]) -> list[str]:
    """Notes on conditions that change with a factor, so that a difference may be due to either."""
    confounds = [(factor, confounded(scores, factor)) for factor in factors]
    return [
        f"{factor}: {', '.join(names)} {'change' if len(names) > 1 else 'changes'} with it, so a difference "
        "may be due to either"
        for factor, names in confounds
        if names
    ]


def _conditions(scores: pd.DataFrame, factors: Sequence[str]) -> list[str]:
    """Conditions of saved games that vary within a level of the factors.

    The letter of a sweep is none: its value is part of the setting.
    """
    from intent.gamma.saved import is_condition

    if "run" not in scores.columns or not scores["run"].isna().any():
        return []
    columns = (*filter(is_condition, scores.columns), "setting")
    names = [name for name in columns if name not in (*factors, "sweep")]
    levels = scores.astype(object).where(scores.notna(), "").groupby([*factors, "game"], observed=True)
    return [name for name in names if (levels[name].nunique() > 1).any()]


def _mixed(conditions: Sequence[str], factors: Sequence[str], *, pool: bool) -> list[str]:
    """A note on what is kept apart, or put together."""
    if not conditions:
        return []
    games = f"games alike in {', '.join(factors)} differ in {', '.join(conditions)}"
    if pool:
        return [
            f"{games}: regret and levels put them together, as do differences where nothing is alike "
            "on both sides"
        ]
    return [f"{games}: each is analysed by itself; --pool puts them together"]


def _cautions(differences: Sequence[ScoreDifference], memory: Sequence[ScoreDifference]) -> list[str]:
    """Notes on pairs, power and what a story can show."""
    notes = []
    both = [*differences, *memory]
    if unpaired := sorted({one.game for one in both if not one.difference.paired}):
        notes.append(
            f"unpaired ({', '.join(unpaired)}): no runs of the same setting and repetition, so that "
            "differences of luck are part of the error"
        )
    if any(one.difference.paired for one in both):
        notes.append("pairs share their luck where the runs were made with the same seed")
    weak = [
        one.difference
        for one in both
        if one.difference.paired and one.difference.exact and one.difference.least_p > _ALPHA
    ]
    if weak:
        n = max(difference.n[0] for difference in weak)
        notes.append(
            f"{n} pairs give no two-sided p below {2.0 ** (1 - n):.3g} (2/2^{n}), before any correction: to "
            "tell levels apart in a single game takes more repetitions"
        )
    if memory:
        notes.append(
            "a drop from the original to its isomorphic story suggests answers from memory; that a story is "
            "harder to read would look the same"
        )
    return notes


MODEL = "model"
"""The column that says who sits at the table."""

_SHOWN = 5
"""Games left out that are named one by one."""

_APART = 1_000_000_000
"""By how much repetitions of runs made with different seeds are apart."""

_TOLD_BY_STORY = ("relabelled", "listed_first")
"""Conditions that a story changes with it: they keep no game from its partner."""


def _read_sources(
    request: AnalyseRequest, scoring: Scoring
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame, list[str]]:
    """What files hold of scores and decisions."""
    import pandas as pd

    from intent.gamma.bench.decisions import decisions
    from intent.gamma.bench.scores import score_log, spread
    from intent.logs.readers import read_log

    rows: list[dict[str, Any]] = []
    moves: list[pd.DataFrame] = []
    guesses: list[pd.DataFrame] = []
    left_out: list[str] = []
    lucks: dict[object, int] = {}
    n_saved = 0
    for source in spread(request.sources):
        log = read_log(source, **request.file_reading())
        log = log.where(request.where) if request.where else log
        n_saved += _scores_alone(log)
        left_out += map(str, log.rejects["reason"])
        luck = lucks.setdefault(log.provenance.get("seed"), len(lucks)) * _APART
        scored = score_log(log, str(source), scoring=scoring)
        if not scored:
            raise DataError(f"{Path(source).name}: no gamma-bench game, expected a run or log of some")
        for row in scored:
            if isinstance(row, DataError):
                left_out.append(str(row))
            else:
                rows.append(_score_columns(row, luck))
        *tables, errors = decisions(log, str(source))
        left_out += [f"{Path(source).name}: {error}" for error in errors]
        for frames, frame in zip((moves, guesses), tables, strict=True):
            if len(frame):
                frames.append(frame)
    if not rows:
        raise DataError(left_out[0] if left_out else "no game was scored, expected some")
    notes = [f"left out: {error}" for error in left_out[:_SHOWN]]
    if len(left_out) > _SHOWN:
        notes.append(f"left out: {len(left_out) - _SHOWN} more")
    if n_saved:
        notes.append(
            f"{n_saved:,} saved games without rules or players' moves: their scores alone are analysed"
        )
    whole = [pd.concat(t, ignore_index=True) if t else pd.DataFrame() for t in (moves, guesses)]
    return _scores(rows), whole[0], whole[1], notes


def _scores_alone(log: GameLog) -> int:
    """How many saved games have no rules, or no moves whose players are known."""
    from intent.gamma.reader import GAMA_BENCH

    moved = log.games["game_id"].isin(log.moves["game_id"].astype(str).unique())
    bare = log.games["payoffs"].isna() | ~moved
    return int((bare & (log.games["source"] == GAMA_BENCH)).sum())


def _score_columns(row: ScoreRow, luck: int = 0) -> dict[str, Any]:
    """A row of scores with its conditions as columns; saved files share no luck, so they have no run.

    Repetitions of another seed have other luck, and other numbers: `luck` is what theirs begin after.
    """
    columns = {
        "game": row.game,
        "setting": row.setting,
        "run": None if row.game_id is None or row.run is None else luck + row.run,
        "score": row.score,
        MODEL: row.model,
    }
    return {**{name: value for name, value in row.conditions.items() if name not in columns}, **columns}


def _scores(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """The scores of runs; the story is a condition and no part of the setting."""
    import pandas as pd

    from intent.gamma.records import ORIGINAL, STORY, setting_without_story

    table = pd.DataFrame(rows)
    if STORY in table.columns:
        table = table.drop(columns=[name for name in _TOLD_BY_STORY if name in table.columns])
        table[STORY] = table[STORY].astype(object).where(table[STORY].notna(), ORIGINAL)
        pairs = zip(table["setting"], table[STORY], strict=True)
        table["setting"] = [setting_without_story(setting, story) for setting, story in pairs]
    return table


@job(AnalyseRequest)
def analyse(request: AnalyseRequest) -> Analysis:
    """Compare the scores of runs, and look into their decisions.

    Raises
    ------
    DataError
        Nothing to analyse.
    UnknownNameError
        A factor that no game has, or another scoring.
    """
    import numpy as np

    from intent.gamma.bench.scores import check_scoring

    scores, regrets, guesses, notes = _read_sources(request, check_scoring(request.scoring))
    factors = column_names(request.by, scores.columns)
    for name in factors:
        if name not in scores.columns:
            raise UnknownNameError("column", name, [c for c in scores.columns if c not in ("run", "score")])
    streams = np.random.default_rng(request.seed).spawn(4)
    options = request.values(("samples", "level"))
    conditions = _conditions(scores, factors)
    apart = [] if request.pool else conditions
    differences = tuple(
        one
        for name in factors
        for one in score_differences(
            scores,
            name,
            within=[held for held in apart if held not in confounded(scores, name)],
            rng=streams[0],
            **options,
        )
    )
    memory = _memory(scores, options, streams[1])
    return Analysis(
        by=factors,
        scoring=request.scoring,
        level=request.level,
        scores=scores,
        differences=differences,
        contamination=memory,
        moves=regrets,
        regret=_regret(regrets, [*factors, *apart], options, streams[2]),
        levels=_levels(guesses, [*factors, *apart]),
        notes=(
            *notes,
            *_goes_together(scores, factors),
            *_mixed(conditions, factors, pool=request.pool),
            *_cautions(differences, memory),
        ),
        config={
            "sources": [Path(source).name for source in request.sources],
            **request.config(),
            "by": list(factors),
            "version": __version__,
        },
    )


def _memory(
    scores: pd.DataFrame, options: Mapping[str, Any], rng: np.random.Generator
) -> tuple[ScoreDifference, ...]:
    """Scores of each model in the original games less those in their stories."""
    from intent.gamma.records import ORIGINAL, STORY

    if STORY not in scores.columns or scores[STORY].nunique() < 2:
        return ()
    labelled = scores.assign(**{STORY: scores[STORY].where(scores[STORY] == ORIGINAL, STORY)})
    return tuple(score_differences(labelled, STORY, within=(MODEL,), rng=rng, **options))


def _regret(
    moves: pd.DataFrame, factors: Sequence[str], options: Mapping[str, Any], rng: np.random.Generator
) -> list[dict[str, Any]]:
    """Mean regret by factors and game, with intervals that resample whole games."""
    from intent.behaviour.means import Intervals, cell_means

    if moves.empty:
        return []
    by = [*dict.fromkeys(name for name in factors if name in moves.columns and name != "game"), "game"]
    intervals = Intervals(options["samples"], options["level"])
    cells: dict[tuple[Any, ...], dict[str, Any]] = {}
    for what, bounds in (("regret", None), ("relative", (0.0, 1.0)), ("best", (0.0, 1.0))):
        table = moves.assign(best=(moves["regret"] <= 1e-9).astype(float).where(moves["regret"].notna()))
        means = cell_means(table, by, what, rng=rng, intervals=intervals, bounds=bounds, cluster="cluster")
        for row in means.to_dict("records"):
            key = tuple(row[name] for name in by)
            cell = cells.setdefault(key, {"group": dict(zip(by[:-1], key, strict=False)), "game": key[-1]})
            cell |= {"n_games": row["n_games"]} if what == "regret" else {}
            cell[what] = {name: row[name] for name in ("estimate", "low", "high", "n")}
    return list(cells.values())


def _level_texts(column: pd.Series[Any]) -> pd.Series[Any]:
    return column.astype(object).where(column.notna(), NONE).map(str)


def _levels(guesses: pd.DataFrame, factors: Sequence[str]) -> list[dict[str, Any]]:
    """Levels of reasoning by factors and version of the guessing game."""
    if guesses.empty:
        return []
    from intent.gamma.levels import level_report

    by = [name for name in factors if name in guesses.columns and name != "game"]
    keys = [*by, "ratio", "low", "high"]
    plain = guesses.assign(**{name: _level_texts(guesses[name]) for name in by})
    subjects = plain["cluster"] + "\n" + plain["seat"].astype(str)
    return [
        {"group": dict(zip(by, values, strict=False)), **level_report(rows, rows["subject"])}
        for values, rows in plain.assign(subject=subjects).groupby(keys, sort=True, observed=True)
    ]
