"""Execution noise: independent flips of the intended move."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.errors import StrategyError

__all__ = ["Noise", "coin_flips"]


@dataclass(frozen=True)
class Noise:
    """Probability per move that the intended move is flipped.

    Parameters
    ----------
    own, other : float in [0, .5), probability per move
        Of the focal player and of its opponent.

    Raises
    ------
    StrategyError
        A value outside [0, .5).
    """

    own: float = 0.0
    other: float = 0.0

    def __post_init__(self) -> None:
        for who, eps in (("own", self.own), ("other", self.other)):
            if not 0 <= eps < 0.5:
                raise StrategyError(f"noise of the {who} player is {eps}, expected [0, .5)")


def coin_flips(size: int, p: float, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Independent Bernoulli(p) draws as 0 and 1, exact for every p.

    Fair coins come from raw random bits. Rare events (p <= .2) are placed by their geometric gaps, so
    the cost is per event and not per draw (Devroye 1986, Non-Uniform Random Variate Generation, X.2).

    Parameters
    ----------
    size : int
    p : float in [0, 1]
    rng : numpy Generator

    Returns
    -------
    (size,) uint8
    """
    if p == 0.0:
        return np.zeros(size, dtype=np.uint8)
    if p == 1.0:
        return np.ones(size, dtype=np.uint8)
    if p == 0.5:
        packed = np.frombuffer(rng.bytes((size + 7) // 8), dtype=np.uint8)
        return np.unpackbits(packed, count=size)
    if p > 0.2:
        return (rng.random(size) < p).view(np.uint8)
    out = np.zeros(size, dtype=np.uint8)
    at = -1
    while True:
        expected = (size - at) * p
        gaps = rng.geometric(p, size=int(expected + 4 * expected**0.5) + 8)
        places = at + np.cumsum(gaps)
        stop = int(np.searchsorted(places, size))
        out[places[:stop]] = 1
        if stop < len(places):
            return out
        at = int(places[-1])
