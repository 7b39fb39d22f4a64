"""The input of hidden Markov models: each own move as a symbol, with or without memory of a defection."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from intent.encode.contexts import CONTEXTS, N_SYMBOLS, symbols
from intent.errors import RecogniserError, shorten
from intent.logs.trajectories import Trajectories

__all__ = ["N_SYMBOLS_CHOICES", "move_symbols", "situations"]

N_SYMBOLS_CHOICES = (10, 14)
"""10: own move after {nothing, R, S, T, P}; 14: R and T after an earlier defection of the other apart."""

_FOLDED = np.array([*range(10), 2, 3, 6, 7, -1], dtype=np.int8)
"""Symbol of 14 -> symbol of 10; the last entry answers -1."""


def move_symbols(X: Trajectories, n_symbols: int) -> NDArray[np.int8]:
    """Symbol ``2 * situation + (own move is D)`` of every own move.

    Parameters
    ----------
    X : Trajectories of shape (n, T)
    n_symbols : 10 or 14

    Returns
    -------
    (n, T) int8, -1 where the move is no evidence or its situation unknown.

    Raises
    ------
    RecogniserError
        Another number of symbols.
    """
    situations(n_symbols)
    found = symbols(X)
    return found if n_symbols == N_SYMBOLS else _FOLDED[found]


def situations(n_symbols: int) -> tuple[str, ...]:
    """Names of the situations: "first", then the last outcome from the agent's side.

    Raises
    ------
    RecogniserError
        A number of symbols other than 10 and 14.
    """
    if type(n_symbols) is not int or n_symbols not in N_SYMBOLS_CHOICES:
        raise RecogniserError(f"symbols is {shorten(repr(n_symbols))}, expected 10 or 14")
    return CONTEXTS[: n_symbols // 2]
