"""What the study measures: equilibria that play reaches, utilities, cooperation, deception.

The outcomes and equilibria of a 2x2 game are points in the plane of payoffs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from intent.base.statistics import bootstrap_means
from intent.behaviour.means import STANDARD, Intervals, cell_means, means_of
from intent.games.equilibria import (
    correlated_distance,
    deviation_gain,
    joint_actions,
    mixed_equilibria,
    solutions,
)
from intent.games.game import MatrixGame, stage
from intent.logs.gamelog import GameLog

__all__ = [
    "KINDS",
    "cooperation_ratio",
    "deception_rates",
    "equilibrium_points",
    "equilibrium_rates",
    "joint_play",
    "matrix_of",
    "play_distribution",
    "pooled_utility",
    "utility_by_round",
]


KINDS = ("nash", "pareto", "focal", "correlated")
"""A pure Nash equilibrium; a Pareto-efficient joint action; the focal point; a joint action that the best
correlated equilibrium recommends at times."""

_JOINT = ("11", "12", "21", "22")


def matrix_of(payoffs: Any, kind: Any) -> MatrixGame | None:
    """The 2x2 game of a row of the games table, None where it is none or its payoffs are not known."""
    made = stage(payoffs, kind)
    return made if isinstance(made, MatrixGame) else None


def joint_play(log: GameLog, table: pd.DataFrame) -> pd.DataFrame:
    """Joint actions of every round in which both are known.

    Parameters
    ----------
    table : DataFrame
        As `seated`.

    Returns
    -------
    DataFrame
        game_id, round, game, agents, payoffs, payoff_kind, joint (0 to 3: the joint actions 11, 12, 21, 22,
        seat 1 first), payoff_1, payoff_2, and `KINDS`: 1 or 0 whether the joint action is of that kind, NaN
        where the game has none.
    """
    keys = ["game_id", "round"]
    one, two = (table[table["seat"] == seat].set_index(keys) for seat in (1, 2))
    theirs = two[["action", "payoff"]].rename(columns={"action": "action_2", "payoff": "payoff_2"})
    joined = one.join(theirs, how="inner")
    joined = joined[joined["action"].notna() & joined["action_2"].notna()].reset_index()
    joined["payoff_kind"] = joined["payoff_kind"].astype(object)
    parts = []
    for (payoffs, kind), rows in joined.groupby(["payoffs", "payoff_kind"], sort=False, observed=True):
        game = matrix_of(payoffs, kind)
        if game is None:
            continue
        place = {action: i for i, action in enumerate(game.actions)}
        joint = 2 * rows["action"].map(place) + rows["action_2"].map(place)
        part = rows.assign(joint=joint)[joint.notna()]
        of_kind = _kinds(game)
        codes = part["joint"].to_numpy(dtype=np.intp)
        parts.append(part.assign(**{name: of_kind[name][codes] for name in KINDS}))
    columns = [*keys, "game", "agents", "payoffs", "payoff_kind", "joint", "payoff", "payoff_2", *KINDS]
    made = pd.concat(parts, ignore_index=True) if parts else joined.iloc[:0].reindex(columns=columns)
    return made[columns].rename(columns={"payoff": "payoff_1"})


def equilibrium_rates(
    joint: pd.DataFrame, by: Sequence[str], *, rng: np.random.Generator, intervals: Intervals = STANDARD
) -> pd.DataFrame:
    """Share of rounds whose joint action is of each kind; with ``round`` in `by`, per iteration.

    Parameters
    ----------
    joint : DataFrame
        As `joint_play`.

    Returns
    -------
    DataFrame
        `by`, kind, then as `cell_means`; kinds that the game has not are left out.

    References
    ----------
    Poje et al. 2024, Entropy 26:524, Table 2, names a kind for each game and no rates.
    """
    values = {kind: joint[kind] for kind in KINDS}
    return means_of(joint, by, values, rng=rng, intervals=intervals, column="kind")


def play_distribution(
    joint: pd.DataFrame, by: Sequence[str], *, rng: np.random.Generator, intervals: Intervals = STANDARD
) -> pd.DataFrame:
    """The distribution of joint actions in every cell, and how far it is from a correlated equilibrium.

    Parameters
    ----------
    joint : DataFrame
        As `joint_play`; the games of a cell must have the same payoffs.
    by : sequence of str
        With the column payoffs, or with columns that determine it.

    Returns
    -------
    DataFrame
        `by`, n (rounds), n_games, p_11 to p_22; gain (`deviation_gain`) with gain_low and gain_high,
        percentiles over resampled games, which are biased upwards where play is near an equilibrium;
        distance (`correlated_distance`); payoff_1, payoff_2 (means). Cells of several games are left out.
    """
    rows: list[dict[str, Any]] = []
    for cell, part in joint.groupby(list(by), observed=True):
        if part["payoffs"].nunique() > 1:
            continue
        game = matrix_of(part["payoffs"].iloc[0], part["payoff_kind"].iloc[0])
        assert game is not None, "joint play is of such games only"
        hits = np.eye(4)[part["joint"].to_numpy(dtype=np.intp)]
        clusters = pd.factorize(part["game_id"])[0]
        low = high = np.nan
        if clusters.max() > 0:
            drawn = bootstrap_means(hits, clusters, intervals.samples, rng)
            tail = (1 - intervals.level) / 2
            low, high = np.quantile(deviation_gain(game, drawn), [tail, 1 - tail])
        share = hits.mean(axis=0)
        rows.append(
            dict(zip(by, cell if isinstance(cell, tuple) else (cell,), strict=True))
            | {"n": len(part), "n_games": int(clusters.max()) + 1}
            | {f"p_{name}": float(p) for name, p in zip(_JOINT, share, strict=True)}
            | {"gain": float(deviation_gain(game, share)), "gain_low": float(low), "gain_high": float(high)}
            | {"distance": correlated_distance(game, share)}
            | {name: float(part[name].mean()) for name in ("payoff_1", "payoff_2")}
        )
    return pd.DataFrame(rows)


def _kinds(game: MatrixGame) -> dict[str, np.ndarray[Any, Any]]:
    """By kind, (4,): whether each joint action is of it; NaN where none is."""
    solved, every = solutions(game), joint_actions(game)
    sets = {kind: getattr(solved, kind) for kind in KINDS[:3]} | {"correlated": dict(solved.correlated)}
    return {
        kind: np.array([float(joint in joints) for joint in every]) if joints else np.full(4, np.nan)
        for kind, joints in sets.items()
    }


def equilibrium_points(game: MatrixGame) -> pd.DataFrame:
    """Payoffs of every outcome and equilibrium.

    Returns
    -------
    DataFrame
        kind (outcome, nash, mixed, pareto, focal, correlated: the best for both together), what (joint
        action, or probabilities), payoff_1, payoff_2 (expected, in the units of the game). Mixed equilibria
        are left out without nashpy.
    """
    solved, joint = solutions(game), joint_actions(game)
    pays = dict(zip(joint, (cell for row in game.payoffs for cell in row), strict=True))
    rows = [("outcome", f"{x}, {y}", *pays[x, y]) for x, y in joint]
    pure = {"nash": solved.nash, "pareto": solved.pareto, "focal": solved.focal}
    for kind, profiles in pure.items():
        for x, y in profiles:
            first, second = pays[x, y]
            rows.append((kind, f"{x}, {y}", first, second))
    table = np.array([pays[p] for p in joint], dtype=float)
    for mixed in mixed_equilibria(game) or ():
        p, q = mixed.first[0], mixed.second[0]
        weights = np.outer([p, 1 - p], [q, 1 - q]).ravel()
        first, second = weights @ table
        rows.append(
            ("mixed", f"{game.actions[0]}: {p:.3g} by seat 1, {q:.3g} by seat 2", float(first), float(second))
        )
    lottery = dict(solved.correlated)
    first, second = np.array([lottery.get(p, 0.0) for p in joint]) @ table
    text = "; ".join(f"{', '.join(p)}: {w:.3g}" for p, w in lottery.items())
    rows.append(("correlated", text, float(first), float(second)))
    return pd.DataFrame(rows, columns=["kind", "what", "payoff_1", "payoff_2"])


def utility_by_round(
    table: pd.DataFrame, by: Sequence[str], *, rng: np.random.Generator, intervals: Intervals = STANDARD
) -> pd.DataFrame:
    """Average utility of every iteration j, ū_j = (1/|I|) sum over games i of u_ij, with its interval.

    Parameters
    ----------
    table : DataFrame
        As `seated`.

    Returns
    -------
    DataFrame
        `by`, round, then as `cell_means`, in the units of the game (penalties as they are).

    References
    ----------
    Poje et al. 2024, Entropy 26:524, section 4.1, figures 7 and 8.
    """
    return cell_means(table, [*by, "round"], "payoff", rng=rng, intervals=intervals)


def pooled_utility(
    table: pd.DataFrame, by: Sequence[str], *, rng: np.random.Generator, intervals: Intervals = STANDARD
) -> pd.DataFrame:
    """Mean and standard deviation of u_ij over games and iterations together, and totals per game.

    Returns
    -------
    DataFrame
        As `cell_means`, then sd (of single payoffs, divided by their number), total and total_sd (mean
        and, divided by n - 1, standard deviation over games of a player's sum; NaN for one game).
    """
    means = cell_means(table, by, "payoff", rng=rng, intervals=intervals)
    known = table[table["payoff"].notna()]
    spread = known.groupby(list(by), observed=True)["payoff"].std(ddof=0).rename("sd")
    totals = known.groupby([*by, "game_id", "seat"], observed=True)["payoff"].sum()
    grouped = totals.groupby(level=list(by), observed=True)
    facts = pd.concat([spread, grouped.mean().rename("total"), grouped.std().rename("total_sd")], axis=1)
    return means.merge(facts.reset_index(), on=list(by), how="left")


def cooperation_ratio(
    table: pd.DataFrame, by: Sequence[str], *, rng: np.random.Generator, intervals: Intervals = STANDARD
) -> pd.DataFrame:
    """Share of cooperation, with its standard deviation over players of games.

    Returns
    -------
    DataFrame
        As `cell_means` over moves; sd is that of the ratios of single players in single games.

    References
    ----------
    Poje et al. 2024, Entropy 26:524, figure 9.
    """
    means = cell_means(table, by, "cooperated", rng=rng, intervals=intervals, bounds=(0.0, 1.0))
    known = table[table["cooperated"].notna()]
    ratios = known.groupby([*by, "game_id", "seat"], observed=True)["cooperated"].mean()
    spread = ratios.groupby(level=list(by), observed=True).std().rename("sd")
    return means.merge(spread.reset_index(), on=list(by), how="left")


def deception_rates(
    table: pd.DataFrame,
    by: Sequence[str],
    *,
    rng: np.random.Generator,
    intervals: Intervals = STANDARD,
) -> pd.DataFrame:
    """Shares of moves that announce an action, and of those that could deceive and do.

    Parameters
    ----------
    table : DataFrame
        `deception` with the columns `by`.

    Returns
    -------
    DataFrame
        measure (announces, deceptive, intended_deceptive), `by`, then as `cell_means`; n is the denominator:
        moves; of deceptive, moves with an announcement; of intended_deceptive, those with an intention too.
    """
    values = {
        "announces": table["announced"].notna(),
        "deceptive": table["deceptive"],
        "intended_deceptive": table["intended_deceptive"],
    }
    made = means_of(table, by, values, rng=rng, intervals=intervals)
    return made[["measure", *(c for c in made.columns if c != "measure")]]
