"""The network of the recurrent recogniser: one LSTM layer over state-action symbols, a softmax after each."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from intent.encode.contexts import N_SYMBOLS
from intent.recognise.teacher import SMALLEST_EPS

__all__ = ["LstmNetwork", "network_input"]

_EPS_INPUTS = 2
_LOGIT_SCALE = 5.0


class LstmNetwork(nn.Module):
    """Symbols of the first t rounds -> unnormalised log-probabilities of the classes, for every t.

    Parameters
    ----------
    hidden : int
        Cells.
    n_classes : int
    rng : numpy Generator, optional
        Draws the first weights, uniform in +-1/sqrt(hidden); the forget gates start open (bias 1), so that
        evidence adds up (Gers, Schmidhuber & Cummins 2000). None: weights are to be loaded.
    """

    def __init__(self, hidden: int, n_classes: int, rng: np.random.Generator | None = None) -> None:
        super().__init__()
        self.hidden = hidden
        self.lstm = nn.LSTM(N_SYMBOLS + _EPS_INPUTS, hidden, batch_first=True)
        self.out = nn.Linear(hidden, n_classes)
        if rng is None:
            return
        bound = hidden**-0.5
        with torch.no_grad():
            for weights in self.parameters():
                drawn = rng.uniform(-bound, bound, size=tuple(weights.shape))
                weights.copy_(torch.from_numpy(drawn.astype(np.float32)))
            for name, weights in self.lstm.named_parameters():
                if name.startswith("bias"):
                    weights[hidden : 2 * hidden] = 1.0

    def forward(self, inputs: Tensor) -> Tensor:
        """(n, T, inputs) -> (n, T, K)."""
        states, _ = self.lstm(inputs)
        scores: Tensor = self.out(states)
        return scores


def network_input(symbols: NDArray[np.int8], eps: NDArray[np.float64] | None = None) -> Tensor:
    """One-hot symbols, and what is known of the noise.

    Parameters
    ----------
    symbols : (n, T) int8, -1 for padding (all zero)
    eps : (n,) float, optional
        nan where it is not known. Two inputs: whether it is, and its log-odds / 5.

    Returns
    -------
    (n, T, 16) float32
    """
    codes = torch.from_numpy(symbols.astype(np.int64))
    inputs = torch.zeros(*symbols.shape, N_SYMBOLS + _EPS_INPUTS)
    inputs.scatter_(2, codes.clamp(min=0)[:, :, None], 1.0)
    inputs[codes < 0] = 0.0
    if eps is not None:
        known = np.isfinite(eps)
        value = np.clip(np.where(known, eps, 0.5), SMALLEST_EPS, 0.5)
        odds = np.where(known, np.log(value / (1 - value)) / _LOGIT_SCALE, 0.0)
        said = np.stack([known.astype(np.float32), odds.astype(np.float32)], axis=1)
        inputs[:, :, N_SYMBOLS:] = torch.from_numpy(said)[:, None, :]
    return inputs
