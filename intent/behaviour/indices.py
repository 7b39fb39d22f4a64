"""Four measures of how steadily a model behaves, as on the radar of the published study.

The cells of a design whose repetitions show how steady behaviour is, and what is measured in each.

FAIRGAME's four indices as numbers with intervals: how much behaviour varies, and over what.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from intent.base.statistics import cluster_bootstrap
from intent.behaviour.payoffs import normalised_payoffs, proportional
from intent.behaviour.play_table import conditions, determined
from intent.games.game import MatrixGame, stage

__all__ = [
    "AXES",
    "Index",
    "Outcome",
    "Radar",
    "behaviour_indices",
    "behaviour_radar",
    "outcome_of",
]


Outcome = Literal["payoff", "cooperation"]

_ALL = "all"


def outcome_of(table: pd.DataFrame) -> Outcome:
    """Payoff where all games are one matrix game with its payoffs multiplied, else cooperation.

    Between games that are no scaled copies, as public goods games of several factors, a normalised payoff
    changes though behaviour does not. Payoff too where no action is cooperation.
    """
    if not table["cooperated"].notna().any():
        return "payoff"
    games = [stage(text) if isinstance(text, str) else None for text in table["payoffs"].unique()]
    matrices = [game for game in games if isinstance(game, MatrixGame)]
    return "payoff" if len(matrices) == len(games) and proportional(matrices) else "cooperation"


def _cell_measures(
    table: pd.DataFrame,
    *,
    model: str = "model",
    stakes: str | None = None,
    language: str = "language",
    outcome: Outcome | None = None,
) -> pd.DataFrame:
    """What the measures of `behaviour_radar` are means of, settings of the stakes together.

    Columns model, axis, value, noise, unit: the variance of a cell (IV), the standard deviation of a cell
    over languages (CI) or stakes (SP), that of a player over rounds (VR); noise is what repetitions alone
    would give (NaN for IV and VR); unit is the game for VR, else the cell.
    """
    chosen = outcome or outcome_of(table)
    players, cells, keys = _players_and_cells(table, model, stakes, language, chosen)
    several = cells[cells["count"] > 1]
    steady = players[players["volatility"].notna()]
    parts = [
        several.assign(axis="IV", value=several["var"], noise=np.nan, unit=several.index),
        steady.assign(
            axis="VR", value=steady["volatility"], noise=np.nan, unit=pd.factorize(steady["game_id"])[0]
        ),
    ]
    for axis, factor in (("CI", language), ("SP", "_stakes")):
        spreads = _cell_spreads(cells, _keys_without(players, keys, factor))
        parts.append(
            spreads.assign(axis=axis, value=spreads["sd"], noise=spreads["chance"], unit=spreads.index)
        )
    columns = [model, "axis", "value", "noise", "unit"]
    known = [part[columns] for part in parts if len(part)]
    whole = pd.concat(known, ignore_index=True) if known else parts[0][columns]
    return whole.rename(columns={model: "model"})


def _players_and_cells(
    table: pd.DataFrame, model: str, stakes: str | None, language: str, outcome: Outcome
) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """Players of games, the cells that they fall into (mean, var, count of x), and what makes a cell."""
    profile = _profiles(table, model)
    players = _players(table[table["focal"]], outcome).assign(
        _profile=lambda rows: rows["game_id"].map(profile)
    )
    players = players.assign(_stakes=players[stakes] if stakes else _ALL)
    known = {model, "model", "persona", stakes, language}
    fixed = [c for c in conditions(table) if c not in known and _is_condition(players, c)]
    keys = ["_stakes", model, language, "seat", "_profile", *fixed]
    cells = (
        players.groupby(keys, observed=True, dropna=False)["x"].agg(["mean", "var", "count"]).reset_index()
    )
    return players, cells, keys


def _players(table: pd.DataFrame, outcome: Outcome) -> pd.DataFrame:
    """One row per player and game: x, its outcome, and volatility, its standard deviation over rounds."""
    value = "normalised" if outcome == "payoff" else "cooperated"
    players = normalised_payoffs(table)
    rounds = table.groupby(["game_id", "seat"], observed=True, sort=False)[value]
    several = rounds.count() > 1
    x = pd.DataFrame({"x": rounds.mean(), "volatility": rounds.std(ddof=0).where(several)}).reset_index()
    return players.merge(x[x["x"].notna()], on=["game_id", "seat"])


def _profiles(table: pd.DataFrame, model: str) -> pd.Series:
    """Game -> persona and model of every seat in one text."""
    seats = table.drop_duplicates(["game_id", "seat"]).sort_values(["game_id", "seat"])
    text = seats["persona"].astype(str) + " / " + seats[model].astype(str)
    return text.groupby(seats["game_id"], observed=True).agg("; ".join)


def _is_condition(players: pd.DataFrame, column: str) -> bool:
    """Whether a column describes conditions, not single games."""
    games = players.drop_duplicates("game_id")
    return bool(games[column].nunique(dropna=False) <= max(1, len(games) // 2))


def _keys_without(players: pd.DataFrame, keys: Sequence[str], factor: str) -> list[str]:
    """The keys of cells without a factor, nor conditions that follow from it (the labels of a language)."""
    own = {*keys[:5]}
    return [k for k in keys if k != factor and (k in own or not determined(players, k, [factor]))]


def _cell_spreads(cells: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """The cells of `keys` that hold several means: sd of these, chance (what noise alone would give)."""
    table = cells.assign(noise=cells["var"] / cells["count"])
    grouped = table.groupby(list(keys), observed=True, dropna=False)
    k = grouped["mean"].count()
    sd, noise = grouped["mean"].std(ddof=0), grouped["noise"].agg(lambda v: v.mean(skipna=False))
    return pd.DataFrame({"sd": sd, "chance": np.sqrt(noise * (k - 1) / k)})[k > 1].reset_index()


AXES = {
    "IV": "internal variability",
    "CI": "cross-language inconsistency",
    "VR": "volatility over rounds",
    "SP": "sensitivity to payoff",
}
"""Short name -> name of each measure."""

LEAST_MODELS = 2


@dataclass(frozen=True, eq=False)
class Radar:
    """The measures of every model.

    Parameters
    ----------
    outcome : {"payoff", "cooperation"}
        What varies: a player's normalised payoff per round, or its cooperation.
    stakes : str or None
        The column of payoff settings.
    table : DataFrame
        One row per setting of the stakes, model and axis: stakes, model, axis, value (NaN where it cannot be
        computed), chance (what the value would be about, if only repetitions varied; NaN where there are
        none), n_cells (cells that the mean is over), relative (value over the largest of the models at that
        setting; NaN with fewer than two).
    missing : dict
        Axis -> why it cannot be computed, for those that no model has.
    """

    outcome: Outcome
    stakes: str | None
    table: pd.DataFrame
    missing: dict[str, str]

    @property
    def axes(self) -> list[str]:
        """Axes that can be drawn: known for at least two models at every setting of the stakes."""
        return [axis for axis in AXES if axis not in self.missing]


def behaviour_radar(
    table: pd.DataFrame,
    *,
    model: str = "model",
    stakes: str | None = None,
    language: str = "language",
    outcome: Outcome | None = None,
) -> Radar:
    """Internal variability, cross-language inconsistency, volatility over rounds, sensitivity to payoff.

    Let x be a player's outcome in one game: its normalised payoff, total / (m·N), or its share of
    cooperation; x_t that of one round. A cell is everything that two repetitions have in common: the seat,
    personas and models of all seats, language, stakes and every other condition. Then, for every model and
    setting of the stakes,

        IV = mean over cells of the variance (n - 1) of x over repetitions,
        CI = mean over cells without language of the standard deviation over languages of the mean of x,
        VR = mean over players and games of the standard deviation of x_t over rounds,
        SP = mean over cells without stakes of the standard deviation over stakes of the mean of x,

    the last three with n in the denominator, since languages, rounds and stakes are all that there are, not a
    sample. A cell with one repetition gives no IV, one with one language no CI, one with one setting no SP, a
    game with one known round no VR; they count in no denominator. SP is one number per model, repeated at
    every setting. A measure without any cell is missing, never 0.

    chance is what repetitions alone would give: for CI and SP the mean over cells of
    sqrt(mean over the k languages (settings) of s^2/n · (k - 1)/k), s^2 the variance over the n
    repetitions. A value that is no larger says nothing of languages or stakes.

    Parameters
    ----------
    table : DataFrame
        As `played` returns, of one game; rows that are not focal are left out.
    model : str
        Column whose values are compared.
    stakes : str, optional
        Column of payoff settings; None: one setting.
    outcome : {"payoff", "cooperation"}, optional
        Default `outcome_of`.

    Returns
    -------
    Radar

    References
    ----------
    Huynh et al. 2025, figure 6c, which names the measures and gives no formula.
    """
    chosen = outcome or outcome_of(table)
    players, cells, keys = _players_and_cells(table, model, stakes, language, chosen)
    by = ["_stakes", model]
    measures = {
        "IV": _mean(cells[cells["count"] > 1], by, "var"),
        "CI": _spread(cells, _keys_without(players, keys, language), by),
        "VR": _mean(players[players["volatility"].notna()], by, "volatility"),
        "SP": _spread(cells, _keys_without(players, keys, "_stakes"), [model]),
    }
    rows = []
    for setting, name in sorted(
        set(map(tuple, players[by].drop_duplicates().to_numpy(dtype=object))), key=_order
    ):
        for axis, values in measures.items():
            at = name if axis == "SP" else (setting, name)
            value, chance, n = values.get(at, (np.nan, np.nan, 0))
            rows.append((setting, name, axis, value, chance, n))
    result = pd.DataFrame(rows, columns=["stakes", "model", "axis", "value", "chance", "n_cells"])
    result = _relative(result)
    return Radar(chosen, stakes, result, _missing(result, players, language, stakes))


def _mean(rows: pd.DataFrame, by: Sequence[str], value: str) -> dict[object, tuple[float, float, int]]:
    grouped = rows.groupby(list(by), observed=True)[value].agg(["mean", "count"])
    return {k: (float(r["mean"]), np.nan, int(r["count"])) for k, r in grouped.iterrows()}


def _spread(
    cells: pd.DataFrame, keys: Sequence[str], by: Sequence[str]
) -> dict[object, tuple[float, float, int]]:
    """Mean over the cells of `keys` of the standard deviation of their means, and the same of noise alone."""
    spreads = _cell_spreads(cells, keys)
    means = spreads.groupby(list(by), observed=True)[["sd", "chance"]].agg("mean")
    sizes = spreads.groupby(list(by), observed=True).size()
    labels = [
        label if len(by) > 1 else (label[0] if isinstance(label, tuple) else label) for label in means.index
    ]
    return {
        label: (float(row["sd"]), float(row["chance"]), int(n))
        for label, (_, row), n in zip(labels, means.iterrows(), sizes, strict=True)
    }


def _relative(table: pd.DataFrame) -> pd.DataFrame:
    """With the column relative: over the largest value at the same setting, 0 where all are 0."""
    grouped = table.groupby(["stakes", "axis"], observed=True)["value"]
    largest, known = grouped.transform("max"), grouped.transform("count")
    relative = np.where(largest > 0, table["value"] / largest.where(largest > 0), table["value"])
    return table.assign(relative=np.where(known >= LEAST_MODELS, relative, np.nan))


def _missing(table: pd.DataFrame, players: pd.DataFrame, language: str, stakes: str | None) -> dict[str, str]:
    """Axis -> why no radar can have it."""
    reasons = {
        "IV": "no cell has two repetitions",
        "CI": "no cell has two languages"
        if players[language].nunique() > 1
        else "all games are in one language",
        "VR": "no game has two rounds with a known outcome",
        "SP": "no cell has two payoff settings" if stakes else "there is one payoff setting",
    }
    models = table["model"].nunique()
    missing = {}
    for axis, reason in reasons.items():
        part = table[table["axis"] == axis]
        if part["value"].isna().all():
            missing[axis] = reason
        elif models < LEAST_MODELS:
            missing[axis] = "one model has no other to be compared with"
        elif part["relative"].isna().any():
            missing[axis] = "it is not known for all models and payoff settings"
    return missing


def _order(key: tuple[object, object]) -> tuple[bool, object, str]:
    setting = key[0]
    number = isinstance(setting, int | float | np.number)
    return (not number, setting if number else str(setting), str(key[1]))


@dataclass(frozen=True)
class Index:
    """One index of one model in one game.

    Parameters
    ----------
    index : str
        IV, CI, VR or SP (`intent.behaviour.indices.AXES`).
    outcome : {"payoff", "cooperation"}
        What varies.
    estimate, low, high : float
        Mean over cells (VR: over players and games), and its bootstrap interval over them.
    chance : float
        What repetitions alone would give (CI, SP); NaN where that is not known.
    """

    game: str
    model: str
    index: str
    name: str
    outcome: str
    estimate: float
    low: float
    high: float
    chance: float
    n_cells: int

    def to_dict(self) -> dict[str, Any]:
        """JSON-able, but for NaN."""
        return asdict(self)


def behaviour_indices(
    table: pd.DataFrame,
    *,
    game: str,
    model: str,
    stakes: str | None,
    outcome: Outcome,
    bootstrap: int,
    level: float,
    rng: np.random.Generator,
) -> list[Index]:
    """The indices of every model, with intervals that resample cells (VR: whole games).

    An index is the mean of one number per cell of the design (`behaviour_radar` has the formulas), the
    settings of the stakes together. The interval takes the cells for a sample of those that could have been
    played; it holds for no other game.

    Parameters
    ----------
    table : DataFrame
        As `intent.behaviour.play_table.played` returns, of one game.
    game : str, its name
    model : str, column whose values are compared
    stakes : str, optional
        Column of payoff settings; None: no sensitivity to payoff.
    outcome : {"payoff", "cooperation"}
    level : float in (0, 1)

    References
    ----------
    Huynh et al. 2025, figure 6c, which names the indices and gives no formula.
    """
    measures = _cell_measures(table, model=model, stakes=stakes, outcome=outcome)
    indices = []
    for (who, axis), cells in measures.groupby(["model", "axis"], sort=True, observed=True):
        values = cells["value"].to_numpy(dtype=float)
        (interval,) = cluster_bootstrap(
            values[:, None], cells["unit"].to_numpy(dtype=np.intp), samples=bootstrap, level=level, rng=rng
        )
        chance = float(cells["noise"].mean()) if cells["noise"].notna().any() else float("nan")
        indices.append(
            Index(
                game,
                str(who),
                str(axis),
                AXES[str(axis)],
                outcome,
                interval.estimate,
                interval.low,
                interval.high,
                chance,
                len(values),
            )
        )
    return sorted(indices, key=lambda index: (index.model, list(AXES).index(index.index)))
