"""What a recurrent network says of histories: log-probabilities of the classes, in bounded batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from intent.encode.packed import packed

if TYPE_CHECKING:
    from intent.recognise.lstm_network import LstmNetwork

__all__ = ["log_proba_at_end", "log_proba_path"]

Floats = NDArray[np.float64]

_MOVES_AT_ONCE = 1 << 16


def log_proba_at_end(
    network: LstmNetwork, found: NDArray[np.int8], lengths: NDArray[np.intp], eps: float | None
) -> Floats:
    """Log-probability of each class after the last known round, (n, K).

    Histories of like lengths run together; one of which nothing is known has equal probabilities.

    Parameters
    ----------
    network : LstmNetwork
    found, lengths : (n, T) int8 and (n,), as `packed`
    eps : float, or None where the noise is not told
    """
    from scipy.special import log_softmax

    out = np.zeros((len(found), network.out.out_features))
    order = np.argsort(lengths, kind="stable")
    step = max(1, _MOVES_AT_ONCE // max(1, found.shape[1]))
    for a in range(0, len(order), step):
        rows = order[a : a + step]
        rows = rows[lengths[rows] > 0]
        if len(rows):
            scores = _scores(network, found[rows, : lengths[rows].max()], eps)
            out[rows] = scores[np.arange(len(rows)), lengths[rows] - 1]
    log_proba: Floats = log_softmax(out, axis=1)
    return log_proba


def log_proba_path(network: LstmNetwork, raw: NDArray[np.int8], eps: float | None) -> Floats:
    """Log-probability of each class after every round, (n, T, K); an unknown round leaves it as it was.

    Parameters
    ----------
    network : LstmNetwork
    raw : (n, T) int8 symbols, -1 where the round is unknown
    eps : float, or None where the noise is not told
    """
    from scipy.special import log_softmax

    found, _ = packed(raw)
    seen = (raw >= 0).cumsum(axis=1)
    k = network.out.out_features
    out = np.full((*raw.shape, k), -np.log(k))
    step = max(1, _MOVES_AT_ONCE // max(1, raw.shape[1]))
    for a in range(0, len(raw) if found.shape[1] else 0, step):
        rows = slice(a, a + step)
        log_proba = log_softmax(_scores(network, found[rows], eps), axis=2)
        at = np.maximum(seen[rows] - 1, 0)
        picked = np.take_along_axis(log_proba, at[:, :, None], axis=1)
        out[rows] = np.where((seen[rows] > 0)[:, :, None], picked, -np.log(k))
    return out


def _scores(network: LstmNetwork, found: NDArray[np.int8], eps: float | None) -> Floats:
    """Unnormalised log-probabilities after every round, (n, T, K)."""
    import torch

    from intent.recognise.lstm_network import network_input

    told = None if eps is None else np.full(len(found), eps)
    device = next(network.parameters()).device
    with torch.no_grad():
        scores: Floats = network(network_input(found, told).to(device)).cpu().numpy().astype(float)
    return scores
