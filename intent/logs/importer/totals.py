"""Payoffs from what games brought in all, where they follow from the moves and explain every sum.

Sum of a player over a game = sum over joint moves of (how often they came in it) * (what they bring).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from intent.logs.importer.columns import Column
from intent.logs.readers.arrays import first_rows, numbered, of_codes
from intent.logs.readers.stages import words_for_no_move

__all__ = ["payoffs_of_sums", "solved"]

Codes = NDArray[np.integer]

_SAME = 1e-6


def solved(joint: Codes, game: Codes, sums: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """(k, s) what each joint move brings, from sums over games; None unless they tell it and it explains all.

    As many kinds of games as joint moves are explained by some numbers, whatever the sums are; then the
    numbers have to be such as people write, of two decimals.

    Parameters
    ----------
    joint : (n,) int in 0 to k - 1, of each round
    game : (n,) int in 0 to g - 1
    sums : (g, s) float, of s players of each game
    """
    counts = np.zeros((int(game.max()) + 1, int(joint.max()) + 1))
    np.add.at(counts, (game, joint), 1)
    if np.linalg.matrix_rank(counts) < counts.shape[1]:
        return None
    payoffs = np.round(np.linalg.lstsq(counts, sums, rcond=None)[0], 9)
    if np.abs(counts @ payoffs - sums).max() > _SAME:
        return None
    proven = len(np.unique(counts, axis=0)) > counts.shape[1]
    return payoffs if proven or np.array_equal(payoffs, np.round(payoffs, 2)) else None


def payoffs_of_sums(
    move: Column, sums: Column, round_: Codes, game: Codes, who: Codes, other: Column | None
) -> pa.Array | None:
    """(n,) payoffs of the rounds as a coded column, from what each player of a game got in all; else None.

    Parameters
    ----------
    move, sums : columns of n
        What a player did in a round, and the sum that stands in each of its rows of the game.
    round_, game, who : (n,) int
    other : column of n, optional
        The other's move; without it there are two rows for a round.
    """
    amounts = sums.numbers
    gone = {"", *words_for_no_move(move.values, None)}
    labels = [value for value in dict.fromkeys(move.usual.values()) if value not in gone]
    if amounts is None or len(labels) != 2 or not np.isfinite(amounts).all():
        return None
    own = _labelled(move, labels)
    if other is not None:
        theirs = _labelled(other, labels)
    else:
        place = numbered([game, round_])
        if (np.bincount(place) != 2).any():
            return None
        pairs = np.argsort(place, kind="stable").reshape(-1, 2)
        theirs = np.empty_like(own)
        theirs[pairs] = own[pairs[:, ::-1]]
    if (own < 0).any() or (theirs < 0).any():
        return None
    series = numbered([game, who])
    heads = first_rows(series, int(series.max()) + 1)
    if not np.array_equal(amounts[heads][series], amounts):
        return None
    outcomes, joint = np.unique(2 * own + theirs, return_inverse=True)
    payoffs = solved(joint, series, amounts[heads][:, None])
    if payoffs is None or len({*payoffs.ravel().tolist()}) < min(2, len(outcomes)):
        return None
    texts = [f"{amount:.12g}" for amount in payoffs.ravel().tolist()]
    words = list(dict.fromkeys(texts))
    return of_codes(np.array([words.index(text) for text in texts])[joint], words)


def _labelled(column: Column, labels: Sequence[str]) -> NDArray[np.intp]:
    """(n,) place of each move among two labels, -1 where there is none."""
    place = {label: i for i, label in enumerate(labels)}
    return np.array([place.get(column.usual.get(v, v), -1) for v in column.values], dtype=np.intp)[
        column.codes
    ]
