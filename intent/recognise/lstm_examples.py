"""What the recurrent recogniser learns from: play without end, and examples as the network takes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from intent.logs.trajectories import Trajectories
from intent.recognise.base import Recogniser
from intent.strategies.automaton import Strategy

if TYPE_CHECKING:
    from intent.recognise.lstm_training import Example

__all__ = ["FreshPlay", "example", "labelled_example"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FreshPlay:
    """Play to learn from, drawn without end.

    Parameters
    ----------
    strategies : sequence of K Strategy, the classes
    eps : (low, high), uniform noise that the rule integrates where it may not know it
    draw : step number -> complete Trajectories of one length, and the eps (n,) that the rule may know of
        each (nan where it may not)
    regret : recogniser -> loss of accuracy against the exact rule, on play that is never drawn
    """

    strategies: Sequence[Strategy]
    eps: tuple[float, float]
    draw: Callable[[int], tuple[Trajectories, Floats]]
    regret: Callable[[Recogniser], float]


def example(
    found: NDArray[np.int8],
    target: NDArray[np.float32],
    lengths: NDArray[np.intp] | None = None,
    eps: Floats | None = None,
) -> Example:
    """Histories with a target after every round.

    Parameters
    ----------
    found : (n, T) int8 symbols
    target : (n, T, K) probabilities
    lengths : (n,), optional
        Rounds that count, where not all do.
    eps : (n,), optional
        Noise that the network is told of each; nan where it is not.
    """
    import torch

    from intent.recognise.lstm_network import network_input

    n, horizon = found.shape
    weight = np.ones((n, horizon), dtype=np.float32)
    if lengths is not None:
        weight = (np.arange(horizon) < lengths[:, None]).astype(np.float32)
    return network_input(found, eps), torch.from_numpy(target), torch.from_numpy(weight)


def labelled_example(
    found: NDArray[np.int8], lengths: NDArray[np.intp], codes: NDArray[np.intp], k: int
) -> Example:
    """Histories whose target after every round is their class.

    Parameters
    ----------
    found, lengths : (n, T) int8 and (n,), as `packed`
    codes : (n,) in 0 .. k - 1
    k : int, number of classes
    """
    horizon = max(1, int(lengths.max(initial=1)))
    target = np.zeros((len(found), horizon, k), dtype=np.float32)
    target[np.arange(len(found)), :, codes] = 1.0
    return example(found[:, :horizon], target, lengths)
