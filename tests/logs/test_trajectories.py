from __future__ import annotations

import numpy as np
import pytest

from intent import Trajectories
from intent.base.errors import DataError


def test_masked_rounds_are_unknown_whatever_they_hold():
    X = Trajectories([[1, 0, 1]], [[1, 1, 0]], [[True, False, True]])
    assert X.own.tolist() == [[1, -1, 1]]
    assert X.other.tolist() == [[1, -1, 0]]
    assert X.mask.tolist() == [[True, False, True]]
    assert Trajectories(X.own, X.other, X.mask).own.tolist() == X.own.tolist()


def test_rows_are_indexed_as_arrays_are():
    X = Trajectories(np.eye(4), np.ones((4, 4)))
    assert X[1:3].shape == (2, 4)
    assert X[np.array([True, False, False, True])].own[:, 3].tolist() == [0, 1]
    assert X[[2, 0], ...].own.argmax(axis=1).tolist() == [2, 0]
    assert X[-1].shape == (1, 4)
    with pytest.raises(DataError, match="indexed by row only"):
        X[:, :2]


def test_truncated():
    X = Trajectories.from_strings(["CDCD"], ["DDCC"]).truncated(2)
    assert (X.own.tolist(), X.other.tolist()) == ([[1, 0]], [[0, 0]])


def test_shorter_texts_are_padded():
    X = Trajectories.from_strings(["CD", "CDC"], ["DD", "CCC"])
    assert X.own.tolist() == [[1, 0, -1], [1, 0, 1]]
    assert X.n_rounds.tolist() == [2, 3]


@pytest.mark.parametrize(
    ("own", "other", "message"),
    [
        ([[1, 2]], [[1, 1]], "values other than 1"),
        ([["C"]], [["D"]], "values other than 1"),
        ([1, 0], [1, 0], "1 dimensions, expected 2"),
        ([[1, 0]], [[1]], "expected the same"),
    ],
)
def test_what_are_no_moves(own, other, message):
    with pytest.raises(DataError, match=message):
        Trajectories(own, other)


def test_evidence_needs_a_known_move():
    X = Trajectories([[1, -1, 0]], [[1, 1, 1]], evidence=[[False, True, True]])
    assert X.evidence.tolist() == [[False, False, True]]
    assert X[[0]].evidence.tolist() == X.evidence.tolist()
