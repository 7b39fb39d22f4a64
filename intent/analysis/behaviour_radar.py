"""Four measures of how steadily a model behaves, as on the radar of the published study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from intent.analysis.behaviour_cells import Outcome, cell_spreads, keys_without, outcome_of, players_and_cells

__all__ = ["AXES", "Radar", "behaviour_radar"]

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
    language : str
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
    players, cells, keys = players_and_cells(table, model, stakes, language, chosen)
    by = ["_stakes", model]
    found = {
        "IV": _mean(cells[cells["count"] > 1], by, "var"),
        "CI": _spread(cells, keys_without(players, keys, language), by),
        "VR": _mean(players[players["volatility"].notna()], by, "volatility"),
        "SP": _spread(cells, keys_without(players, keys, "_stakes"), [model]),
    }
    rows = []
    for setting, name in sorted(
        set(map(tuple, players[by].drop_duplicates().to_numpy(dtype=object))), key=_order
    ):
        for axis, values in found.items():
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
    found = cell_spreads(cells, keys)
    means = found.groupby(list(by), observed=True)[["sd", "chance"]].agg("mean")
    sizes = found.groupby(list(by), observed=True).size()
    labels = [
        label if len(by) > 1 else (label[0] if isinstance(label, tuple) else label) for label in means.index
    ]
    return {
        label: (float(row["sd"]), float(row["chance"]), int(n))
        for label, (_, row), n in zip(labels, means.iterrows(), sizes, strict=True)
    }


def _relative(table: pd.DataFrame) -> pd.DataFrame:
    """With the column relative: over the largest value at the same setting, 0 where all are 0."""
    grouped = table.groupby(["stakes", "axis"])["value"]
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
