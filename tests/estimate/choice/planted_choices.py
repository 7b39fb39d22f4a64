"""Play by a rule that is known, for models of choice to learn."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from intent.estimate.choice.choices import COOPERATION, Choices

Rule = Callable[[np.ndarray, np.ndarray, int], np.ndarray]
"""(own so far, other so far, round from 0) -> probability to cooperate (n,)."""


def played(
    rule: Rule, rng: np.random.Generator, shape: tuple[int, int], covariates: pd.DataFrame | None = None
) -> Choices:
    """Rows of players who follow a rule against moves at random, each a subject of its own."""
    other = rng.integers(0, 2, shape).astype(np.int8)
    own = np.zeros(shape, dtype=np.int8)
    for t in range(shape[1]):
        own[:, t] = rng.random(shape[0]) < rule(own[:, :t], other[:, :t], t)
    return Choices(own, other, own, COOPERATION, np.arange(shape[0]), covariates)


def noisy_copy(noise: float) -> Rule:
    """Tit for tat whose every move is the other one with some probability."""

    def rule(own: np.ndarray, other: np.ndarray, t: int) -> np.ndarray:
        meant = other[:, -1] == 1 if t else np.ones(len(own), dtype=bool)
        return np.where(meant, 1 - noise, noise)

    return rule


def entropy(p: float) -> float:
    """Nats of a coin: the least log loss against it."""
    return float(-p * np.log(p) - (1 - p) * np.log(1 - p))
