"""Differences of gamma-bench scores between levels of a factor: per game and overall, paired where possible.

Games of the same setting and repetition share their luck (common random numbers), so that their scores are
compared pair by pair. Where levels share no such games, their runs are exchanged between them instead.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from intent.base.errors import LimitError, UnknownNameError
from intent.behaviour.play_table import determined
from intent.comparison.differences import Difference, paired_difference, unpaired_difference
from intent.comparison.groups import holm
from intent.gamma.catalogue import GAMMA_GAMES

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["OVERALL", "ScoreDifference", "confounded", "score_differences"]

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
            made = {game: _compared([_side(side, [game]) for side in sides], options) for game in common}
            if len(common) > 1:
                overall = _compared([_side(side, common) for side in sides], options)
                made[OVERALL] = overall
            differences += [
                ScoreDifference(factor, str(first), str(second), cell, game, difference, np.nan)
                for game, difference in made.items()
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
        for values, rows in scores.groupby(list(within), sort=True)
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
