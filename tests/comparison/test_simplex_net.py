"""The tetrahedron laid flat: corners, edges, and what a place leaves out."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from intent.comparison.portraits import simplex_net


def test_corners_of_a_triangle():
    net = simplex_net(np.eye(3))
    assert np.allclose(net.points, [place for _, place in net.corners])
    assert np.allclose(simplex_net(np.full((1, 3), 1 / 3)).points, net.points.mean(axis=0))


def test_each_certain_strategy_is_at_a_corner_of_its_name():
    net = simplex_net(np.eye(4))
    for k, point in enumerate(net.points):
        assert any(name == k and np.allclose(point, place) for name, place in net.corners)


def test_two_that_share_are_in_the_middle_of_their_edge():
    posterior = np.array([[0.5, 0.5, 0, 0], [0.5, 0, 0, 0.5], [0, 0, 0.5, 0.5]])
    net = simplex_net(posterior)
    for row, point in zip(posterior, net.points, strict=True):
        a, b = np.flatnonzero(row)
        ends = [[place for name, place in net.corners if name == k] for k in (a, b)]
        assert any(np.allclose(point, (p + q) / 2) for p in ends[0] for q in ends[1])


@given(st.lists(st.floats(0.001, 1), min_size=4, max_size=4))
def test_a_place_tells_all_but_the_least_probability(weights):
    p = np.array([weights]) / sum(weights)
    net = simplex_net(p)
    assume(len(set(weights)) == 4)
    least = int(p.argmin())
    assert net.left_out[0] == p.min() <= 0.25
    places = [[place for name, place in net.corners if name == k] for k in range(4) if k != least]
    kept = np.delete(p[0], least) / (1 - p.min())
    choices = [
        np.array(corners)
        for corners in np.array(np.meshgrid(*[range(len(c)) for c in places])).T.reshape(-1, 3)
    ]
    found = [kept @ np.array([places[i][j] for i, j in enumerate(choice)]) for choice in choices]
    assert min(np.abs(net.points[0] - point).max() for point in found) < 1e-9
