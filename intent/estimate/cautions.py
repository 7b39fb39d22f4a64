"""What a reader of a comparison should be warned of, as sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base import codebook
from intent.base.statistics.groups import cluster_codes
from intent.estimate.label_weights import strategy_classes

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog

__all__ = [
    "FEW_CLUSTERS",
    "copied_games",
    "few_clusters",
    "few_permutations",
    "identical_repeats",
    "mixed_payoffs",
    "pooled_games",
    "small_counts",
]

FEW_CLUSTERS = 5

_SPELLED = 8
"""Names of games in a note."""

_PLAYERS = ("player", "model", "persona", "architecture", "attitude", "strategy")
_SETTING = ("game", "payoffs", "rounds_planned", "language")

_NOT_SETTINGS = {"repetition", "run", "player", *(c.name for c in codebook.LABELS)} - {"seat"}
_OUTCOME_OF_LABELLING = ("best", "confidence", "n_deviations", "fit_p")


def few_clusters(names: Sequence[str], numbers: Sequence[int], unit: str) -> str | None:
    """A caution where groups rest on fewer than five clusters."""
    few = [name for name, number in zip(names, numbers, strict=True) if number < FEW_CLUSTERS]
    if not few:
        return None
    shown = ", ".join(few[:3]) + (f" and {len(few) - 3} more" if len(few) > 3 else "")
    return f"fewer than {FEW_CLUSTERS} {unit} in {shown}: their intervals are unreliable"


def few_permutations(p: Sequence[float], permutations: int, level: float) -> str | None:
    """A caution where the number of permutations, not the data, decides how small p can be.

    The smallest p of B permutations is 1 / (1 + B), and m / (1 + B) after Holm's correction of m tests.

    Parameters
    ----------
    p : sequence of float
        p of the m permutation tests, before correction.
    permutations : int
    level : float in (0, 1)
        Tests speak at 1 - level.
    """
    least, alpha = 1 / (1 + permutations), 1 - level + 1e-12
    limit = f"{permutations:,} permutations give no p below {least:.2g}"
    if len(p) * least <= alpha:
        reached = sum(value <= least + 1e-12 for value in p)
        return f"{limit}, which {reached} tests have (see --permutations)" if reached > 1 else None
    enough = math.ceil(len(p) / alpha - 1e-9)
    tests = f", {len(p) * least:.2g} after Holm's correction of {len(p)} tests" if len(p) > 1 else ""
    return f"{limit}{tests}, so that none can fall to {alpha:.2g}: give --permutations {enough} or more"


def mixed_payoffs(table: pd.DataFrame, by: Sequence[str]) -> str | None:
    """A caution where some group has payoffs that are rewards and payoffs that are penalties.

    Parameters
    ----------
    table : DataFrame
        With a column ``payoff_kind`` where that is known.
    by : columns that make the groups
    """
    if "payoff_kind" not in table.columns:
        return None
    if table.groupby(list(by) or (lambda row: 0), observed=True)["payoff_kind"].nunique().max() < 2:
        return None
    return "payoffs are rewards and penalties together: --where payoff_kind=reward or --by payoff_kind"


def pooled_games(names: Sequence[str], by: Sequence[str], *, most: int | None = None) -> str | None:
    """A caution where play of several games is taken together.

    Parameters
    ----------
    names : names of the games
    by : columns that make the groups
    most : int, optional
        Number of names beyond which they were not all kept.
    """
    if "game" in by or len(names) < 2:
        return None
    number = f"more than {most:,}" if most is not None and len(names) > most else f"{len(names):,}"
    shown = ", ".join(names[:_SPELLED]) + (", …" if len(names) > _SPELLED else "")
    return f"play of {number} games is pooled ({shown}); --by game or --where game=… keeps them apart"


def small_counts(table: NDArray[np.float64], factor: str) -> str | None:
    """A caution where chi-square's approximation is poor (Cochran's rule).

    Parameters
    ----------
    table : (groups, outcomes) float
    factor : str

    References
    ----------
    Cochran (1954), Biometrics 10:417: at most a fifth of expected counts below 5.
    """
    table = table[:, table.any(axis=0)]
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / table.sum()
    share = float((expected < 5).mean())
    if share <= 0.2:
        return None
    return f"{factor}: {share:.0%} of expected counts are below 5: rely on the permutation test"


def identical_repeats(labels: pd.DataFrame, *, classes: Sequence[str] | None = None) -> str | None:
    """A caution where most repeated settings were played alike, so that repeats add little evidence.

    A setting is a seat in a game with the same model, persona, language and all other conditions; its
    repeats count as alike where best strategy, posterior, deviations and fit all agree. Columns whose name
    ends with ``_id`` name games and are no conditions.

    Parameters
    ----------
    labels : DataFrame
        Columns as `codebook.LABELS`.
    classes : sequence of str, optional
        Strategies that the recogniser knows; default `strategy_classes`.
    """
    known = strategy_classes(labels) if classes is None else classes
    results = _NOT_SETTINGS | {codebook.PROBABILITY_PREFIX + name for name in known}
    settings = [c for c in map(str, labels.columns) if c not in results and not c.endswith("_id")]
    result = [c for c in _OUTCOME_OF_LABELLING if c in labels.columns]
    if "game_id" not in labels.columns or "seat" not in settings or len(result) < len(_OUTCOME_OF_LABELLING):
        return None
    setting = cluster_codes(labels[settings].astype(str), settings)
    alike = cluster_codes(labels[result].round(9).astype(str).assign(setting=setting), ["setting", *result])
    rows = np.bincount(setting)
    distinct = np.bincount(setting[np.unique(alike, return_index=True)[1]], minlength=len(rows))
    repeated = rows > 1
    n_repeated, n_alike = int(repeated.sum()), int((repeated & (distinct == 1)).sum())
    if not n_repeated or n_alike <= n_repeated / 2:
        return None
    return (
        f"in {n_alike} of {n_repeated} repeated settings all repeats were played alike: "
        "they are hardly independent games, and intervals may be too narrow (see --cluster)"
    )


def copied_games(log: GameLog) -> str | None:
    """A caution where the repeats of a setting are copies of one game, move by move.

    A model that answers the same request alike (temperature 0, or artificial) plays the same game again and
    again; intervals and tests take its copies for evidence. A setting is a game with all its conditions and
    the same players in the same seats, one of them a language model.

    Parameters
    ----------
    log : GameLog
    """
    seats, games = log.seats, log.games
    who = seats[["seat", *_PLAYERS, *log.seat_conditions]].map(str).agg("|".join, axis=1)
    moves = log.moves.sort_values(["game_id", "round", "step", "seat"])
    settings = games.set_index(games["game_id"].map(str))[[*_SETTING, *log.conditions]].map(str)
    settings["who"] = who.groupby(seats["game_id"].map(str)).agg("|".join)
    actions = moves["action"].astype(object).map(str)
    settings["play"] = actions.groupby(moves["game_id"].map(str)).agg(",".join)
    by_models = seats.loc[seats["model"].notna(), "game_id"].map(str)
    settings = settings[settings.index.isin(by_models)].dropna(subset="play")
    kinds = settings.groupby([c for c in settings.columns if c != "play"])["play"].agg(["size", "nunique"])
    repeated = kinds[kinds["size"] > 1]
    n_copied = int((repeated["nunique"] == 1).sum())
    if n_copied <= len(repeated) / 2:
        return None
    return (
        f"in {n_copied} of {len(repeated)} repeated settings all games were played alike, move by move: a "
        "model that answers the same request alike makes copies of one game, and intervals and tests then "
        "say too much (a temperature or settings.seeded makes them differ)"
    )
