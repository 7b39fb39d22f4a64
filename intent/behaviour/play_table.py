"""The play of a log as one tidy table, a row per game, round and seat, with what describes each.

The personas of seats by kind, and who meets whom; who is a subject of an experiment, and who its condition:
the one rule for means, figures and results. What is chosen round by round: trajectories of choices,
cooperation rates, how many contribute, and how far the players of a game are from all choosing alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from intent.base import codebook
from intent.base.statistics import NONE
from intent.behaviour.means import STANDARD, Intervals, cell_means
from intent.behaviour.payoffs import SCALE_COLUMNS, largest_payoff, multiplication_factor
from intent.behaviour.personas import composition, pairing, persona_kind
from intent.games.game import PublicGoods, stage
from intent.logs.gamelog import GameLog, subjects

__all__ = [
    "choice_trajectories",
    "conditions",
    "contributor_counts",
    "cooperation_rates",
    "determined",
    "mismatch_by_round",
    "of_games",
    "played",
    "round_mismatch",
    "seat_personas",
]


def seat_personas(seats: pd.DataFrame, kinds: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Kind of persona of every seat, and pairing and composition of its game.

    Parameters
    ----------
    seats : DataFrame
        Columns game_id, seat, persona.
    kinds : mapping of persona -> kind, optional
        As in `persona_kind`.

    Returns
    -------
    DataFrame
        With the index of `seats`: persona (its kind), pairing, composition; null where a persona is unknown,
        and for the game where that of any seat is.
    """
    names = seats["persona"].dropna().unique()
    kind = seats["persona"].map({name: persona_kind(name, kinds) for name in names})
    ordered = kind[seats.sort_values(["game_id", "seat"], kind="stable").index]
    lists = ordered.groupby(seats["game_id"].reindex(ordered.index), sort=False, observed=True).agg(tuple)
    known = {who for who in lists.unique() if not any(pd.isna(k) for k in who)}
    met = seats["game_id"].map(lists)
    return pd.DataFrame(
        {
            "persona": kind.astype(object),
            "pairing": met.map({who: pairing(who) for who in known}).astype(object),
            "composition": met.map({who: composition(who) for who in known}).astype(object),
        },
        index=seats.index,
    )


_GAME_COLUMNS = (
    "game",
    "payoffs",
    "payoff_kind",
    "n_players",
    "horizon_known",
    "language",
    "repetition",
    "run",
)
_SEAT_COLUMNS = ("model", "architecture", "attitude", "strategy", "focal")
_NO_CONDITIONS = {"game_id", "source", "payoffs", "cooperative_action", "rounds_played", "repetition", "run"}


def played(
    log: GameLog, *, kinds: Mapping[str, str] | None = None, keep_defaulted: bool = False
) -> pd.DataFrame:
    """Every move with its game and seat.

    Parameters
    ----------
    kinds : mapping of persona -> kind, optional
        As in `persona_kind`.
    keep_defaulted : bool
        Whether a default that replaced an unreadable reply counts as a choice. If not, action, cooperated
        and choice are null there; its payoff counts in any case, since the players got it.

    Returns
    -------
    DataFrame
        One row per game, round and seat, in that order. game_id, round, seat; action; cooperated (1, 0 or
        NaN); choice (+1 for defection, -1 for cooperation; where the game has no cooperative action, +1 for
        its first action and -1 for its second); payoff; normalised (payoff over the largest absolute payoff
        of the game, NaN where the payoffs are not known); status; then the columns of seats and games that
        describe the row. persona is its kind; pairing and composition are derived from the personas; factor
        is that of a public goods game, and ``public-goods(2.9)`` is the game public-goods. A seat played by
        a strategy has its name as model, and is not focal where models play other seats.

    Notes
    -----
    Where a seat moves in several steps of a round, its first known action and the sum of its payoffs count.
    """
    games, seats = _games(log), _seats(log, kinds)
    rows = _one_step(log.moves)
    game = games.index.get_indexer(pd.Index(rows["game_id"]))
    keys = pd.MultiIndex.from_frame(log.seats[["game_id", "seat"]])
    seat = keys.get_indexer(pd.MultiIndex.from_arrays([rows["game_id"].astype(object), rows["seat"]]))
    counts = ~rows["status"].isin(["missing"] if keep_defaulted else ["missing", "defaulted"]).to_numpy()
    cooperated = np.where(counts, rows["cooperated"].to_numpy(dtype=float, na_value=np.nan), np.nan)
    action = rows["action"].astype(object).where(counts)
    of_game = games.iloc[game].reset_index(drop=True)
    payoff = rows["payoff"].to_numpy(dtype=float, na_value=np.nan)
    data: dict[str, Any] = {
        "game_id": pd.Categorical.from_codes(game, pd.Index(games.index.astype(str))),
        "round": rows["round"].to_numpy(dtype=np.intp),
        "seat": rows["seat"].to_numpy(dtype=np.intp),
        "action": action.to_numpy(dtype=object),
        "cooperated": cooperated,
        "choice": _choice(cooperated, action, of_game),
        "payoff": payoff,
        "normalised": payoff / of_game["_largest"].to_numpy(dtype=float),
        "status": rows["status"].to_numpy(dtype=object),
    }
    data |= {c: seats[c].to_numpy()[seat] for c in seats.columns if c not in data}
    data |= {c: of_game[c].to_numpy() for c in of_game.columns if c not in data and not c.startswith("_")}
    table = pd.DataFrame(data)
    order = np.lexsort((table["seat"], table["round"], game))
    return table.iloc[order].reset_index(drop=True)


def conditions(table: pd.DataFrame) -> list[str]:
    """Columns of `played` that vary and say how a game was set up, not what happened in it."""
    measures = {"round", "seat", "action", "cooperated", "choice", "payoff", "normalised", "status", "focal"}
    derived = {"composition", "pairing", "source_game_id", "strategy"}
    names = [
        c for c in table.columns if c not in measures | derived | _NO_CONDITIONS and not c.endswith("_id")
    ]
    return [c for c in names if table[c].nunique(dropna=False) > 1]


def determined(table: pd.DataFrame, column: str, by: Sequence[str]) -> bool:
    """Whether the values of `by` tell that of a column, so that it says nothing beside them."""
    kinds = table[[*by, column]].drop_duplicates()
    return not kinds.duplicated(list(by)).any() if by else len(kinds) <= 1


def _games(log: GameLog) -> pd.DataFrame:
    """Games by game_id with the columns that describe them."""
    table = log.games.set_index("game_id")
    stages = {text: stage(text) for text in table["payoffs"].dropna().unique()}
    largest = {text: largest_payoff(game) if game else np.nan for text, game in stages.items()}
    factor = {text: multiplication_factor(game) for text, game in stages.items()}
    first = {text: game.actions[0] if game else None for text, game in stages.items()}
    games = table[[c for c in _GAME_COLUMNS if c in table.columns]].copy()
    text = table["payoffs"]
    goods = text.map({cell: isinstance(game, PublicGoods) for cell, game in stages.items()}).eq(True)
    family = games["game"].str.replace(r"\s*\(.*\)$", "", regex=True)
    games["game"] = games["game"].where(~goods, family).fillna(NONE)
    size = text.map(largest).astype(float)
    games["_largest"] = size.where(size > 0)
    games["_first"] = text.map(first).astype(object)
    games["factor"] = text.map(factor).astype(float)
    for name in log.conditions:
        if name not in games:
            games[name] = table[name].astype(float).fillna(1.0) if _is_scale(name, table) else table[name]
    return games


def _is_scale(name: str, games: pd.DataFrame) -> bool:
    """Whether a column holds lambda; null there means that payoffs are as they are."""
    return name in SCALE_COLUMNS and pd.api.types.is_numeric_dtype(games[name].dtype)


def _seats(log: GameLog, kinds: Mapping[str, str] | None) -> pd.DataFrame:
    """Seats in the order of the log, without their keys."""
    seats = log.seats
    rows = seats[[*_SEAT_COLUMNS, *log.seat_conditions]].copy()
    rows["focal"] = subjects(seats)
    models = rows["model"].notna()
    rows["model"] = rows["model"].astype(object).where(models, rows["strategy"].astype(object)).fillna(NONE)
    for name, column in seat_personas(seats, kinds).items():
        rows[name] = column.fillna(NONE)
    return rows[[c for c in rows.columns if c not in {column.name for column in codebook.GAMES}]]


def _one_step(moves: pd.DataFrame) -> pd.DataFrame:
    """The moves with one row per game, round and seat."""
    if not len(moves) or moves["step"].max() == 1:
        return moves
    keys = ["game_id", "round", "seat"]
    ordered = moves.assign(_unknown=moves["action"].isna()).sort_values([*keys, "_unknown", "step"])
    paid = ordered.groupby(keys, observed=True)["payoff"].sum(min_count=1)
    first = ordered.drop_duplicates(keys).set_index(keys)
    return first.assign(payoff=paid).reset_index()


def _choice(cooperated: Any, action: pd.Series[Any], games: pd.DataFrame) -> np.ndarray[Any, Any]:
    """+1 for defection, -1 for cooperation; by the order of the options where neither is known."""
    first = np.asarray(action.to_numpy(dtype=object) == games["_first"].to_numpy(dtype=object))
    by_order = np.where(action.isna() | games["_first"].isna(), np.nan, np.where(first, 1.0, -1.0))
    return np.where(np.isnan(cooperated), by_order, 1.0 - 2.0 * cooperated)


def choice_trajectories(
    table: pd.DataFrame,
    by: Sequence[str],
    *,
    rng: np.random.Generator,
    intervals: Intervals = STANDARD,
) -> pd.DataFrame:
    """Mean over games and players of +1 (defection) and -1 (cooperation) by round.

    Of games without a cooperative action, +1 is the first and -1 the second action.

    Parameters
    ----------
    table : DataFrame
        As `played` returns; rows that are not focal, and moves that count as missing, are left out.

    Returns
    -------
    DataFrame
        As `cell_means` with the column round after `by`; n counts moves.

    References
    ----------
    Huynh et al. 2025, figure 3.
    """
    rows = table[table["focal"]]
    return cell_means(rows, [*by, "round"], "choice", rng=rng, intervals=intervals, bounds=(-1, 1))


def cooperation_rates(
    table: pd.DataFrame,
    by: Sequence[str],
    *,
    rng: np.random.Generator,
    intervals: Intervals = STANDARD,
) -> pd.DataFrame:
    """Share of cooperation: the mean over games g and players i of s_git, 1 where i cooperated in round t.

    With ``round`` among `by` it is the rate by round, else that of all rounds together.

    Parameters
    ----------
    table : DataFrame
        As `played` returns; rows that are not focal, and moves that count as missing, are left out.

    Returns
    -------
    DataFrame
        As `cell_means`; n counts moves.

    References
    ----------
    Huynh et al. 2025, figures 4 and 6.
    """
    rows = table[table["focal"]]
    return cell_means(rows, by, "cooperated", rng=rng, intervals=intervals, bounds=(0, 1))


def contributor_counts(table: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """How many games had k of their N players cooperate in a round, by round.

    Parameters
    ----------
    table : DataFrame
        As `played` returns; all seats count. Rounds in which a move is not known are left out.
    by : sequence of str
        Columns that are constant within games.

    Returns
    -------
    DataFrame
        by, round, n_players, contributors (0 to N, also those that never occur), n (games), share (of the
        games whose round is known).
    """
    keys = [*by, "n_players", "game_id", "round"]
    moves = table.assign(unknown=table["cooperated"].isna())
    rounds = moves.groupby(keys, observed=True, dropna=False)[["cooperated", "unknown"]].sum().reset_index()
    rounds = rounds[rounds["unknown"] == 0]
    counts = rounds.assign(contributors=rounds["cooperated"].astype(int))
    cells = [*by, "round", "n_players"]
    numbers = (
        counts.groupby([*cells, "contributors"], observed=True, dropna=False).size().rename("n").reset_index()
    )
    every = numbers[cells].drop_duplicates()
    most = int(every["n_players"].max()) if len(every) else 0
    grid = every.merge(pd.DataFrame({"contributors": range(most + 1)}), how="cross")
    grid = grid[grid["contributors"] <= grid["n_players"]]
    full = grid.merge(numbers, on=[*cells, "contributors"], how="left")
    full["n"] = full["n"].fillna(0).astype(int)
    full["share"] = full["n"] / full.groupby(cells, observed=True, dropna=False)["n"].transform("sum")
    return full.sort_values([*cells, "contributors"]).reset_index(drop=True)


JOINED = " + "
"""Between the values of a column that differs between the players of a game."""

_OF_MOVES = {
    *(
        "game_id",
        "round",
        "seat",
        "action",
        "cooperated",
        "choice",
        "payoff",
        "normalised",
        "status",
        "focal",
    ),
    "_round",
}


def round_mismatch(table: pd.DataFrame) -> pd.DataFrame:
    """Mismatch of every game and round.

        mismatch_t = 1 - max_a n_a(t) / N,

    where n_a(t) of the N players chose action a. With two actions and k cooperators it is
    1 - max(k, N - k) / N: of three players 0 where all agree and 1/3 where one differs; of two 0 or 1/2.

    Parameters
    ----------
    table : DataFrame
        As `played` returns; all seats of a game count.

    Returns
    -------
    DataFrame
        One row per game and round that has no unknown move: the columns of `table`, of which those that
        differ between seats (model, persona) hold all different values joined by `JOINED`, mismatch, and
        largest, what it can be at most: 1 - ceil(N / 2) / N.

    References
    ----------
    Huynh et al. 2025, figure 5 (agreement of three as 100 %, of two as 66 %).
    """
    keys = ["game_id", "round"]
    games = pd.factorize(table["game_id"])[0]
    cells = table.assign(_round=games * (table["round"].max() + 1 if len(table) else 1) + table["round"])
    counts = cells[cells["action"].notna()].groupby(["_round", "action"], observed=True).size()
    seats = cells.groupby("_round", observed=True)["action"].agg(["size", "count"])
    known = seats[(seats["size"] == seats["count"]) & (seats["size"] > 1)]
    most = counts.groupby(level=0, observed=True).max().reindex(known.index)
    firsts = of_games(cells).drop_duplicates("_round").set_index("_round").loc[known.index]
    n = known["size"].to_numpy(dtype=float)
    rows = firsts.assign(mismatch=1 - most.to_numpy() / n, largest=1 - np.ceil(n / 2) / n)
    return rows.sort_values(keys).reset_index(drop=True)


def mismatch_by_round(
    rounds: pd.DataFrame,
    by: Sequence[str],
    *,
    rng: np.random.Generator,
    intervals: Intervals = STANDARD,
) -> pd.DataFrame:
    """Mean mismatch over games by round, in every cell of `by`, as in figure 5 of the paper.

    Parameters
    ----------
    rounds : DataFrame
        As `round_mismatch` returns.
    by : sequence of str
        ``model`` for panel (a); ``model`` and ``composition`` for panel (b).

    Returns
    -------
    DataFrame
        As `cell_means` with the column round after `by`; n counts games.
    """
    largest = float(rounds["largest"].max()) if len(rounds) else 0.5
    return cell_means(rounds, [*by, "round"], "mismatch", rng=rng, intervals=intervals, bounds=(0, largest))


def of_games(table: pd.DataFrame) -> pd.DataFrame:
    """The table with columns that differ between the seats of a game holding all their values, joined.

    Examples
    --------
    >>> seats = pd.DataFrame({"game_id": ["g", "g"], "seat": [1, 2], "model": ["B", "A"]})
    >>> of_games(seats)["model"].tolist()
    ['A + B', 'A + B']
    """
    seats = table.drop_duplicates(["game_id", "seat"])
    columns = {}
    for name in (c for c in table.columns if c not in _OF_MOVES):
        texts = seats[name].astype(object).where(seats[name].notna(), NONE)
        pairs = pd.DataFrame(
            {"game_id": seats["game_id"].to_numpy(), "text": texts.to_numpy()}
        ).drop_duplicates()
        several = pairs[pairs["game_id"].duplicated(keep=False)]
        if len(several):
            joined = several.groupby("game_id", observed=True)["text"].agg(
                lambda t: JOINED.join(sorted(map(str, t)))
            )
            texts = table["game_id"].astype(object).map(joined)
            columns[name] = texts.where(texts.notna(), table[name].astype(object))
    return table.assign(**columns)
