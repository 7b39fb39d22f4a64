"""What scores alone do not say: which differences are more than chance, regret, levels, memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import UnknownNameError
from intent.version import __version__
from intent.workflows.bench.analyse_notes import cautions, goes_together
from intent.workflows.bench.analyse_result import Analysis
from intent.workflows.bench.analyse_sources import MODEL, read_sources
from intent.workflows.columns import column_names

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from intent.suites.gamma.differences import ScoreDifference

__all__ = ["Analysis", "analyse"]


def analyse(
    sources: Sequence[str | Path],
    *,
    by: str | Sequence[str] = MODEL,
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

    from intent.suites.gamma.scores import check_scoring

    known = check_scoring(scoring)
    scores, regrets, guesses, notes = read_sources(sources, known, where, reading)
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
    from intent.suites.gamma.plainly import ORIGINAL, STORY

    if STORY not in scores.columns or scores[STORY].nunique() < 2:
        return ()
    told = scores.assign(**{STORY: scores[STORY].where(scores[STORY] == ORIGINAL, STORY)})
    return tuple(score_differences(told, STORY, within=(MODEL,), rng=rng, **options))


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
