"""A game put together for a page: moves, texts, calls, and what they say of the strategies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from intent.logs.gamelog import GameLog
from intent.strategies.automaton import Strategy
from intent.view.call_detail import calls_by_move
from intent.view.cells import cells, plain, short_text
from intent.view.detail import (
    CallText,
    GameDetail,
    MoveDetail,
    QuestionDetail,
    RoundDetail,
    Text,
)
from intent.view.judging import Judge
from intent.view.seat_detail import seat_details
from intent.view.texts import Keep, TextKeeper

__all__ = ["game_detail"]


def game_detail(
    log: GameLog,
    judge: Judge,
    strategies: Sequence[Strategy],
    labels: Sequence[Mapping[Any, Any]] | None,
    calls: pd.DataFrame | None = None,
    *,
    first: int = 1,
    most: int = 500,
    keep: Keep | None = None,
    state: tuple[str | None, str | None] = (None, None),
) -> GameDetail:
    """One game.

    Parameters
    ----------
    log : GameLog of that game
    judge : Judge
    strategies : further Strategy to hold the play against
    labels : sequence of mapping, or None
        Rows of a table of labels for this game; None has the judge make them.
    calls : DataFrame as `schema.CALLS`, of the rounds that are shown
    first, most : int
        Rounds to show.
    keep : callable, by default `TextKeeper`
    state : of a game of a run, and what set it aside
    """
    cut = keep or TextKeeper()
    game = log.games.iloc[0]
    moves = log.moves.sort_values(["round", "step", "seat"], kind="stable")
    n_rounds = int(moves["round"].max()) if len(moves) else 0
    shown = moves[moves["round"].between(first, first + most - 1)]
    totals = _totals(moves, shown.index)
    found = judge.labels(log).to_dict("records") if labels is None else labels
    return GameDetail(
        game_id=str(game["game_id"]),
        columns=cells(game, ("game_id", "payoffs")),
        payoffs=short_text(game["payoffs"], 100_000),
        seats=seat_details(log, moves, judge, strategies, found, (first, first + most - 1)),
        rounds=_rounds(shown, totals, calls_by_move(calls, cut), _questions(log.questions, cut), cut),
        first=first,
        n_rounds=n_rounds,
        state=state[0],
        error=None if state[1] is None else short_text(state[1], 1_000),
    )


def _totals(moves: pd.DataFrame, shown: pd.Index[Any]) -> dict[Any, float | None]:
    """Sum of the payoffs of each seat, up to and with each row that is shown."""
    paid = moves["payoff"].astype("float64")
    sums = (
        paid.fillna(0.0)
        .groupby(moves["seat"])
        .cumsum()
        .where(paid.groupby(moves["seat"]).transform("count") > 0)
    )
    return {row: None if pd.isna(v) else float(v) for row, v in sums.loc[shown].items()}


def _rounds(
    moves: pd.DataFrame,
    totals: Mapping[Any, float | None],
    calls: Mapping[tuple[int, int], tuple[CallText, ...]],
    questions: Mapping[int, tuple[QuestionDetail, ...]],
    cut: Keep,
) -> tuple[RoundDetail, ...]:
    rounds: dict[int, list[MoveDetail]] = defaultdict(list)
    told: set[tuple[int, int]] = set()
    names = list(moves.columns)
    for index, values in zip(moves.index, moves.itertuples(index=False, name=None), strict=True):
        row = dict(zip(names, values, strict=True))
        number, step, seat = int(row["round"]), int(row["step"]), int(row["seat"])

        def text(field: str, row: dict[str, Any] = row, at: str = f"{number}/{step}/{seat}") -> Text | None:
            return cut(row.get(field), f"{at}/{field}")

        key = (number, seat)
        rounds[number].append(
            MoveDetail(
                seat=seat,
                step=step,
                action=short_text(row["action"]),
                value=plain(row["value"]),
                cooperated=plain(row["cooperated"]),
                payoff=plain(row["payoff"]),
                total=totals[index],
                status=str(row["status"]),
                message=text("message"),
                private_thought=text("private_thought"),
                reasoning=text("reasoning"),
                details=text("details"),
                advice=short_text(row.get("advice")),
                reply=text("reply"),
                prompt=text("prompt"),
                calls=() if key in told else calls.get(key, ()),
            )
        )
        told.add(key)
    return tuple(RoundDetail(n, tuple(found), questions.get(n, ())) for n, found in rounds.items())


def _questions(table: pd.DataFrame | None, cut: Keep) -> dict[int, tuple[QuestionDetail, ...]]:
    found: dict[int, list[QuestionDetail]] = defaultdict(list)
    if table is None:
        return {}
    for place, row in enumerate(table.to_dict("records")):
        number, seat = int(row["round"]), int(row["seat"])
        found[number].append(
            QuestionDetail(
                seat,
                str(short_text(row["question"])),
                cut(row["answer"], f"{number}/question/{place}"),
                short_text(row["parsed"]),
                short_text(row["expected"]),
                plain(row["correct"]),
            )
        )
    return {number: tuple(rows) for number, rows in found.items()}
