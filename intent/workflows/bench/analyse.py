"""What scores alone do not say: which differences are more than chance, regret, levels, memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import DataError, UnknownNameError
from intent.version import __version__
from intent.workflows.bench.analyse_notes import cautions, goes_together
from intent.workflows.bench.analyse_result import Analysis
from intent.workflows.columns import column_names

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from intent.logs.gamelog import GameLog
    from intent.suites.gamma.differences import ScoreDifference
    from intent.workflows.bench.score_result import ScoreRow

__all__ = ["Analysis", "analyse"]

_MODEL = "model"

_SHOWN = 5
"""Games left out that are named one by one."""

_TOLD_BY_STORY = ("relabelled", "listed_first")
"""Conditions that a story changes with it: they keep no game from its partner."""


def analyse(
    sources: Sequence[str | Path],
    *,
    by: str | Sequence[str] = _MODEL,
    scoring: str = "code",
    samples: int = 2000,
    level: float = 0.95,
    where: Mapping[str, Sequence[str]] | None = None,
    seed: int = 0,
    **reading: Any,
) -> Analysis:
    """Compare the scores of runs, and look into their decisions.

    Parameters
    ----------
    sources : sequence of path
        Run folders and logs; of files saved by GAMA-Bench the scores alone are compared.
    by : str or sequence of str
        Factors: scores are compared between the levels of each, with all other conditions held fixed.
    scoring : {"code", "paper"}
    samples : int
        Of bootstrap and permutations.
    level : float in (0, 1)
        Of intervals.
    where : mapping of column -> accepted values
    seed : int
    **reading
        Passed to `read_log`.

    Raises
    ------
    DataError
        Nothing to analyse.
    UnknownNameError
        A factor that no game has, or another scoring.
    """
    import numpy as np

    from intent.suites.gamma.scores import SCORINGS

    if scoring not in SCORINGS:
        raise UnknownNameError("scoring", scoring, SCORINGS)
    rows, regrets, guesses, notes = _read(sources, scoring, where, reading)
    scores = _scores(rows)
    factors = column_names(by, scores.columns)
    for name in factors:
        if name not in scores.columns:
            raise UnknownNameError("column", name, [c for c in scores.columns if c not in ("run", "score")])
    streams = np.random.default_rng(seed).spawn(4)
    options: dict[str, Any] = {"samples": samples, "level": level}
    differences = _differences(scores, factors, options, streams[0])
    memory = _memory(scores, options, streams[1])
    return Analysis(
        by=factors,
        scoring=scoring,
        level=level,
        scores=scores,
        differences=differences,
        contamination=memory,
        moves=regrets,
        regret=_regret(regrets, factors, options, streams[2]),
        levels=_levels(guesses, factors),
        notes=(*notes, *goes_together(scores, factors), *cautions(differences, memory)),
        config={
            "sources": [Path(source).name for source in sources],
            "by": list(factors),
            "scoring": scoring,
            "samples": samples,
            "level": level,
            "where": {column: list(values) for column, values in (where or {}).items()},
            "seed": seed,
            "version": __version__,
        },
    )


def _read(
    sources: Sequence[str | Path],
    scoring: str,
    where: Mapping[str, Sequence[str]] | None,
    reading: Mapping[str, Any],
) -> tuple[list[dict[str, Any]], pd.DataFrame, pd.DataFrame, list[str]]:
    """Scores, regret of moves and guesses of all sources, and what is to be said of them."""
    import pandas as pd

    from intent.workflows.bench.decisions import decisions, tables_by_name
    from intent.workflows.bench.score import score_files, score_log

    rows: list[dict[str, Any]] = []
    moves: list[pd.DataFrame] = []
    guesses: list[pd.DataFrame] = []
    left_out: list[str] = []
    n_saved = 0
    for source in sources:
        log = _log(source, where, reading)
        if log is None:
            rows += [_flat(row, None) for row in score_files([source], scoring=scoring).rows]
            n_saved += 1
            continue
        named = tables_by_name(log)
        scored = score_log(log, str(source), scoring=scoring)  # type: ignore[arg-type]
        if not scored:
            raise DataError(f"{Path(source).name}: no gamma-bench game, expected a run or log of some")
        for row in scored:
            if isinstance(row, DataError):
                left_out.append(str(row))
            else:
                rows.append(_flat(row, named.get(str(row.game_id))))
        *tables, errors = decisions(log, str(source))
        left_out += [f"{Path(source).name}: {error}" for error in errors]
        for kept, found in zip((moves, guesses), tables, strict=True):
            if len(found):
                kept.append(found)
    if not rows:
        raise DataError(left_out[0] if left_out else "no game was scored, expected some")
    notes = [f"left out: {error}" for error in left_out[:_SHOWN]]
    if len(left_out) > _SHOWN:
        notes.append(f"left out: {len(left_out) - _SHOWN} more")
    if n_saved:
        notes.append(f"{n_saved:,} files saved by GAMA-Bench: their scores alone are analysed")
    whole = [pd.concat(t, ignore_index=True) if t else pd.DataFrame() for t in (moves, guesses)]
    return rows, whole[0], whole[1], notes


def _flat(row: ScoreRow, players: str | None) -> dict[str, Any]:
    """A row of scores with its conditions as columns; saved files share no luck, so they have no run."""
    kept = {
        "game": row.game,
        "setting": row.setting,
        "run": None if row.game_id is None else row.run,
        "score": row.score,
        _MODEL: row.model or players,
    }
    return {**{name: value for name, value in row.conditions.items() if name not in kept}, **kept}


def _scores(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """The scores of runs; the story is a condition and no part of the setting."""
    import pandas as pd

    table = pd.DataFrame(rows)
    if "story" in table.columns:
        table = table.drop(columns=[name for name in _TOLD_BY_STORY if name in table.columns])
        table["story"] = table["story"].astype(object).where(table["story"].notna(), "original")
        table["setting"] = [
            setting.removesuffix(f"story={story}").removesuffix(", ") or "default"
            for setting, story in zip(table["setting"], table["story"], strict=True)
        ]
    return table


def _differences(
    scores: pd.DataFrame, factors: Sequence[str], options: Mapping[str, Any], rng: np.random.Generator
) -> tuple[ScoreDifference, ...]:
    from intent.suites.gamma.differences import score_differences

    return tuple(one for name in factors for one in score_differences(scores, name, rng=rng, **options))


def _memory(
    scores: pd.DataFrame, options: Mapping[str, Any], rng: np.random.Generator
) -> tuple[ScoreDifference, ...]:
    """Scores of each model in the original games less those in their stories."""
    from intent.suites.gamma.differences import score_differences

    if "story" not in scores.columns or scores["story"].nunique() < 2:
        return ()
    told = scores.assign(story=scores["story"].where(scores["story"] == "original", "story"))
    return tuple(score_differences(told, "story", within=(_MODEL,), rng=rng, **options))


def _log(
    source: str | Path, where: Mapping[str, Sequence[str]] | None, reading: Mapping[str, Any]
) -> GameLog | None:
    """The log at a path; None of a file saved by GAMA-Bench."""
    from intent.logs.readers import read_log
    from intent.suites.gamma.saved import is_saved

    path = Path(source)
    if path.is_file() and path.suffix.lower() == ".json" and reading.get("format", "auto") == "auto":
        from intent.logs.jsonfile import read_object

        try:
            if is_saved(read_object(path, "a game saved by GAMA-Bench")):
                return None
        except DataError:
            pass
    log = read_log(path, **reading)
    return log.where(where) if where else log


def _regret(
    moves: pd.DataFrame, factors: Sequence[str], options: Mapping[str, Any], rng: np.random.Generator
) -> list[dict[str, Any]]:
    """Mean regret by factors and game, with intervals that resample whole games."""
    from intent.analysis.means import Intervals, cell_means

    if moves.empty:
        return []
    by = [*dict.fromkeys(name for name in factors if name in moves.columns and name != "game"), "game"]
    intervals = Intervals(options["samples"], options["level"])
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for what, bounds in (("regret", None), ("relative", (0.0, 1.0)), ("best", (0.0, 1.0))):
        table = moves.assign(best=(moves["regret"] <= 1e-9).astype(float).where(moves["regret"].notna()))
        means = cell_means(table, by, what, rng=rng, intervals=intervals, bounds=bounds, cluster="cluster")
        for row in means.to_dict("records"):
            key = tuple(row[name] for name in by)
            cell = found.setdefault(key, {"group": dict(zip(by[:-1], key, strict=False)), "game": key[-1]})
            cell |= {"n_games": row["n_games"]} if what == "regret" else {}
            cell[what] = {name: row[name] for name in ("estimate", "low", "high", "n")}
    return list(found.values())


def _levels(guesses: pd.DataFrame, factors: Sequence[str]) -> list[dict[str, Any]]:
    """Levels of reasoning by factors and version of the guessing game."""
    if guesses.empty:
        return []
    from intent.suites.gamma.level_report import level_report

    by = [name for name in factors if name in guesses.columns and name != "game"]
    keys = [*by, "ratio", "low", "high"]
    plain = guesses.assign(**{name: guesses[name].astype(object).map(str) for name in by})
    subjects = plain["cluster"] + "\n" + plain["seat"].astype(str)
    return [
        {"group": dict(zip(by, values, strict=False)), **level_report(rows, rows["subject"])}
        for values, rows in plain.assign(subject=subjects).groupby(keys, sort=True)
    ]
