"""The cells of a design whose repetitions show how steady behaviour is, and what is measured in each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd

from intent.analysis.normalised_payoffs import normalised_payoffs
from intent.analysis.played import conditions, determined
from intent.analysis.stakes import proportional, stage
from intent.games.matrix import MatrixGame

__all__ = ["Outcome", "cell_measures", "cell_spreads", "keys_without", "outcome_of", "players_and_cells"]

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


def cell_measures(
    table: pd.DataFrame,
    *,
    model: str = "model",
    stakes: str | None = None,
    language: str = "language",
    outcome: Outcome | None = None,
) -> pd.DataFrame:
    """What the measures of `behaviour_radar.behaviour_radar` are means of, settings of the stakes together.

    Parameters
    ----------
    table, model, stakes, language, outcome
        As `behaviour_radar.behaviour_radar`.

    Returns
    -------
    DataFrame
        model, axis, value, noise, unit: the variance of a cell (IV), the standard deviation of a cell over
        languages (CI) or stakes (SP), that of a player over rounds (VR); noise is what repetitions alone
        would give (NaN for IV and VR); unit is the game for VR, else the cell.
    """
    chosen = outcome or outcome_of(table)
    players, cells, keys = players_and_cells(table, model, stakes, language, chosen)
    several = cells[cells["count"] > 1]
    steady = players[players["volatility"].notna()]
    parts = [
        several.assign(axis="IV", value=several["var"], noise=np.nan, unit=several.index),
        steady.assign(
            axis="VR", value=steady["volatility"], noise=np.nan, unit=pd.factorize(steady["game_id"])[0]
        ),
    ]
    for axis, factor in (("CI", language), ("SP", "_stakes")):
        found = cell_spreads(cells, keys_without(players, keys, factor))
        parts.append(found.assign(axis=axis, value=found["sd"], noise=found["chance"], unit=found.index))
    columns = [model, "axis", "value", "noise", "unit"]
    known = [part[columns] for part in parts if len(part)]
    made = pd.concat(known, ignore_index=True) if known else parts[0][columns]
    return made.rename(columns={model: "model"})


def players_and_cells(
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


def keys_without(players: pd.DataFrame, keys: Sequence[str], factor: str) -> list[str]:
    """The keys of cells without a factor, nor conditions that follow from it (the labels of a language)."""
    own = {*keys[:5]}
    return [k for k in keys if k != factor and (k in own or not determined(players, k, [factor]))]


def cell_spreads(cells: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """The cells of `keys` that hold several means: sd of these, chance (what noise alone would give)."""
    table = cells.assign(noise=cells["var"] / cells["count"])
    grouped = table.groupby(list(keys), observed=True, dropna=False)
    k = grouped["mean"].count()
    sd, noise = grouped["mean"].std(ddof=0), grouped["noise"].agg(lambda v: v.mean(skipna=False))
    return pd.DataFrame({"sd": sd, "chance": np.sqrt(noise * (k - 1) / k)})[k > 1].reset_index()
