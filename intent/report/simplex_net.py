"""Where a posterior lies: in a triangle, or on the net of a tetrahedron laid flat.

The net of a tetrahedron is a triangle of twice the side: one face in the middle, the three others folded
out, so that the fourth corner stands at all three tips. A posterior of four strategies goes to the face of
its three most probable ones; the fourth probability, at most 1/4 and mostly near 0, is left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Net", "simplex_net"]

_H = np.sqrt(3) / 2
_TRIANGLE = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, _H]])
_MIDDLE = np.array([[1.0, 0.0], [1.5, _H], [0.5, _H]])
_TIPS = np.array([[1.0, 2 * _H], [0.0, 0.0], [2.0, 0.0]])
"""Tip k is the fourth corner of the face without corner k of the middle one."""


@dataclass(frozen=True, eq=False)
class Net:
    """Corners, edges and points in the plane.

    Parameters
    ----------
    corners : list of (name index, (2,) place), one or three places per strategy
    edges : list of (2, 2), ends of the lines to draw
    points : (n, 2)
    left_out : (n,), probability that a place does not show
    """

    corners: list[tuple[int, NDArray[np.float64]]]
    edges: list[NDArray[np.float64]]
    points: NDArray[np.float64]
    left_out: NDArray[np.float64]


def simplex_net(posterior: NDArray[np.float64]) -> Net:
    """Places of posteriors over three or four strategies.

    Of four, the last is the one at the three tips.

    Parameters
    ----------
    posterior : (n, 3) or (n, 4), rows sum to one

    Returns
    -------
    Net
    """
    if posterior.shape[1] == 3:
        edges = [_TRIANGLE[[a, b]] for a, b in ((0, 1), (1, 2), (2, 0))]
        return Net(list(enumerate(_TRIANGLE)), edges, posterior @ _TRIANGLE, np.zeros(len(posterior)))
    least = posterior.argmin(axis=1)
    least = np.where(posterior[:, 3] <= posterior.min(axis=1), 3, least)
    rows = np.arange(len(posterior))
    left_out = posterior[rows, least]
    kept = posterior.copy()
    kept[rows, least] = 0.0
    kept /= kept.sum(axis=1, keepdims=True)
    points = np.empty((len(posterior), 2))
    for face in range(4):
        places = np.vstack([_MIDDLE, np.zeros(2) if face == 3 else _TIPS[face]])
        inside = least == face
        points[inside] = kept[inside] @ places
    corners = [*enumerate(_MIDDLE), *((3, tip) for tip in _TIPS)]
    outline = [_TIPS[[a, b]] for a, b in ((0, 1), (1, 2), (2, 0))]
    inner = [_MIDDLE[[a, b]] for a, b in ((0, 1), (1, 2), (2, 0))]
    return Net(corners, [*outline, *inner], points, left_out)
