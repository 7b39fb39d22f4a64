"""Generated play as a labelled game log."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from intent.logs.gamelog import GameLog
from intent.play.corpora import Chunk, Corpus
from intent.play.opponents import Mixture, SelfPlay

__all__ = ["CONSTANTS", "chunk_log", "chunk_rows"]

GAME = "prisoner-dilemma-trps"
_PAYOFFS = {"C,C": [3, 3], "C,D": [0, 5], "D,C": [5, 0], "D,D": [1, 1]}

CONSTANTS = {
    "source": "generated",
    "game": GAME,
    "payoffs": json.dumps(_PAYOFFS, separators=(",", ":")),
    "payoff_kind": "reward",
    "cooperative_action": "C",
    "horizon_known": False,
}
"""Columns of games that have one value in generated play."""


def chunk_log(chunk: Chunk, corpus: Corpus) -> GameLog:
    """The chunk as a `GameLog`: seat 1 is focal and carries its strategy, seat 2 is its opponent.

    Classes take turns; condition columns are ``eps``, ``opponent_eps`` and ``opponent``. Payoffs are those of
    the standard Prisoner's Dilemma (T, R, P, S = 5, 3, 1, 0).
    """
    order = np.argsort(chunk.number, kind="stable")
    own, other = chunk.X.own[order], chunk.X.other[order]
    y, eps, met = chunk.y[order], chunk.eps[order], chunk.opponent[order]
    n = len(own)
    number = chunk.number[order]
    ids = pd.Index([f"g{i:07d}" for i in range(chunk.first + 1, chunk.first + n + 1)])
    names = np.array([s.name for s in corpus.strategies], dtype=object)[y]
    parts = corpus.opponent.parts if isinstance(corpus.opponent, Mixture) else (corpus.opponent,)
    rivals = np.array(corpus.opponent_names, dtype=object)[met]
    played = (own >= 0).sum(axis=1)
    games = pd.DataFrame(
        {
            "game_id": ids,
            **CONSTANTS,
            "n_players": 2,
            "rounds_planned": played,
            "rounds_played": played,
            "repetition": number // len(corpus.strategies) + 1,
            "eps": eps[:, 0],
            "opponent_eps": eps[:, 1],
            "opponent": rivals,
        }
    )
    scripted = [names[i] if isinstance(parts[met[i]], SelfPlay) else rivals[i] for i in range(n)]
    seats = pd.DataFrame(
        {
            "game_id": np.repeat(ids.to_numpy(), 2),
            "seat": np.tile([1, 2], n),
            "strategy": np.stack([names, np.array(scripted, dtype=object)], axis=1).reshape(-1),
            "focal": np.tile([True, False], n),
        }
    )
    cube = np.stack([own, other], axis=2)
    at = np.nonzero(cube >= 0)
    value = cube[at]
    partner = cube[at[0], at[1], 1 - at[2]]
    table = np.array([[1.0, 5.0], [0.0, 3.0]])
    moves = pd.DataFrame(
        {
            "game_id": pd.Categorical.from_codes(at[0], categories=ids),
            "round": at[1] + 1,
            "step": 1,
            "seat": at[2] + 1,
            "action": pd.Categorical.from_codes(1 - value, categories=pd.Index(["C", "D"])),
            "cooperated": value.astype(bool),
            "payoff": np.where(partner < 0, np.nan, table[value, np.maximum(partner, 0)]),
            "status": pd.Categorical.from_codes(
                np.zeros(len(value), dtype=np.int8), categories=pd.Index(["parsed"])
            ),
        }
    )
    return GameLog(games, seats, moves)


def chunk_rows(chunk: Chunk, corpus: Corpus) -> tuple[pa.Table, NDArray[np.int8], NDArray[np.int8]]:
    """The chunk as rows of a compact log, without the columns that are `CONSTANTS`.

    Returns
    -------
    keys : Table of m rows: game_id, seat, repetition, strategy, eps, opponent_eps and opponent
    own, other : (m, T) int8, 1 = cooperate, 0 = defect, -1 = unknown
    """
    order = np.argsort(chunk.number, kind="stable")
    number, n = chunk.number[order], len(order)
    digits = pc.utf8_lpad(pa.array(number + 1).cast(pa.string()), 7, padding="0")
    names = pa.array([s.name for s in corpus.strategies])
    keys = {
        "game_id": pc.binary_join_element_wise("g", digits, ""),
        "seat": pa.array(np.ones(n, dtype=np.int8)),
        "repetition": pa.array(number // len(corpus.strategies) + 1),
        "strategy": _coded(chunk.y[order], names),
        "eps": pa.array(chunk.eps[order, 0]),
        "opponent_eps": pa.array(chunk.eps[order, 1]),
        "opponent": _coded(chunk.opponent[order], pa.array(list(corpus.opponent_names))),
    }
    return pa.table(keys), chunk.X.own[order], chunk.X.other[order]


def _coded(codes: NDArray[np.intp], names: pa.Array) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), names)
