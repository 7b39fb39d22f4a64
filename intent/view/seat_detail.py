"""The seats of a game: their labels, and what the moves say round by round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from intent import schema
from intent.logs.gamelog import GameLog
from intent.recognise.verdict import class_strategies
from intent.strategies.automaton import Strategy
from intent.view.cells import cells, plain, short_text
from intent.view.detail import SeatDetail
from intent.view.judging import Judge, focal_trajectories
from intent.view.round_evidence import PrefixPosterior, move_probabilities, prefix_posterior

__all__ = ["seat_details"]

_LONGEST_PLAY = 2_000
"""Rounds of a game beyond which its moves are not held against strategies, nor its posterior shown whole."""


def seat_details(
    log: GameLog,
    moves: pd.DataFrame,
    judge: Judge,
    strategies: Sequence[Strategy],
    labels: Sequence[Mapping[Any, Any]],
    shown: tuple[int, int],
) -> tuple[SeatDetail, ...]:
    """All seats of a game, in order.

    Parameters
    ----------
    log : GameLog of that game
    moves : its moves, in order
    judge : Judge
    strategies : further Strategy to hold the play against
    labels : rows of labels, those of other seats aside
    shown : (first, last) round
        The posterior of a very long game is that of these rounds.
    """
    X = focal_trajectories(log, judge.others, keep_defaulted=judge.keep_defaulted)
    assert X.keys is not None
    rows = {int(s): i for i, s in enumerate(X.keys["seat"].tolist())}
    own = class_strategies(judge.recogniser)
    against = (*own, *(s for s in strategies if s.name not in {o.name for o in own}))
    is_long = X.shape[1] > _LONGEST_PLAY
    chances = move_probabilities(X, against) if len(X) and not is_long else None
    between = (shown[0] - 1, shown[1]) if is_long else None
    posteriors = prefix_posterior(X, judge.recogniser, between) if len(X) else ()
    found = {int(row["seat"]): row for row in labels}
    details = []
    for record in log.seats.to_dict("records"):
        seat = int(record["seat"])
        mine = moves[moves["seat"] == seat]
        paid = mine["payoff"].astype("float64").dropna()
        at = rows.get(seat)
        details.append(
            SeatDetail(
                seat=seat,
                columns=cells(record, ("game_id", "seat", "focal")),
                focal=bool(record["focal"]),
                label=_label(found.get(seat)),
                why=judge.why_not(log, seat),
                total=float(paid.sum()) if len(paid) else None,
                moves=_letters(mine, int(moves["round"].max()) if len(moves) else 0),
                **({} if at is None else _evidence(posteriors[at], at, judge, against, chances)),
            )
        )
    return tuple(sorted(details, key=lambda d: d.seat))


def _evidence(
    posterior: PrefixPosterior, at: int, judge: Judge, against: Sequence[Strategy], chances: Any
) -> dict[str, Any]:
    told = {
        "classes": judge.classes,
        "posterior_after": tuple(posterior.after.tolist()),
        "posterior": tuple(tuple(row) for row in posterior.proba.tolist()),
    }
    if chances is None:
        return told
    probability, contradictions = {}, {}
    for k, strategy in enumerate(against):
        column = chances[at, :, k].tolist()
        probability[strategy.name] = tuple(None if p != p else p for p in column)
        contradictions[strategy.name] = tuple(t for t, p in enumerate(column, start=1) if p == 0)
    return {
        **told,
        "strategies": tuple(s.name for s in against),
        "move_probability": probability,
        "contradictions": contradictions,
    }


def _letters(moves: pd.DataFrame, n_rounds: int) -> str:
    """A letter for each round, as `SeatDetail` has them."""
    cooperated = moves["cooperated"].to_numpy(dtype=float, na_value=np.nan)
    signs = np.where(moves["action"].isna(), ".", "·")
    signs = np.where(np.isnan(cooperated), signs, np.where(cooperated == 1, "C", "D"))
    signs = np.where(moves["status"] == "defaulted", np.char.lower(signs), signs)
    known = signs != "."
    letters = np.full(n_rounds, ".")
    rounds, first = np.unique(moves["round"].to_numpy(dtype=np.intp)[known], return_index=True)
    letters[rounds - 1] = signs[known][first]
    return "".join(letters.tolist())


def _label(row: Mapping[Any, Any] | None) -> dict[str, Any] | None:
    """The computed columns of a label."""
    if row is None:
        return None
    names = [c.name for c in schema.LABELS if c.name not in ("game_id", "seat")]
    chosen = [n for n in row if n in names or str(n).startswith(schema.PROBABILITY_PREFIX)]
    return {name: _listed(row[name]) for name in chosen}


def _listed(cell: Any) -> Any:
    return [str(short_text(x)) for x in cell] if isinstance(cell, list | tuple | np.ndarray) else plain(cell)
