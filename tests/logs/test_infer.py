"""Payoff tables are read off scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.logs.readers.stages import fit_matrix, fit_public_goods

numbers = st.integers(-20, 20).map(float)


@given(
    st.lists(st.tuples(numbers, numbers), min_size=4, max_size=4), st.lists(st.integers(0, 3), max_size=20)
)
def test_a_table_is_recovered_from_play_of_all_outcomes(
    table: list[tuple[float, float]], play: list[int]
) -> None:
    joint = np.array([0, 1, 2, 3, *play])
    fit = fit_matrix(joint, np.array(table)[joint])
    assert fit is not None
    assert fit.is_complete
    assert fit.explained.all()
    assert fit.payoffs.reshape(4, 2).tolist() == [list(cell) for cell in table]


def test_one_contradicting_round_is_found() -> None:
    joint = np.array([0, 0, 0, 1, 2, 3])
    scores = np.array([[6, 6], [6, 6], [5, 6], [0, 10], [10, 0], [2, 2]], dtype=float)
    fit = fit_matrix(joint, scores)
    assert fit is not None
    assert fit.explained.tolist() == [True, True, False, True, True, True]


def test_a_missing_outcome_is_filled_by_symmetry_only_where_the_rest_is_symmetric() -> None:
    symmetric = fit_matrix(np.array([0, 1, 3]), np.array([[6, 6], [0, 10], [2, 2]], dtype=float))
    lopsided = fit_matrix(np.array([0, 1, 3]), np.array([[10, 7], [0, 0], [7, 10]], dtype=float))
    assert symmetric is not None
    assert lopsided is not None
    assert (symmetric.mirrored, symmetric.payoffs[1, 0].tolist()) == (True, [10.0, 0.0])
    assert (lopsided.mirrored, lopsided.is_complete) == (False, False)


def test_scores_that_do_not_follow_from_the_actions_give_no_table() -> None:
    assert fit_matrix(np.zeros(5, dtype=int), np.arange(10, dtype=float).reshape(5, 2)) is None


@pytest.mark.parametrize(("cost", "factor"), [(10, 1.1), (10, 2.0), (10, 2.9), (4, 1.5)])
def test_public_goods_parameters_are_recovered(rng: np.random.Generator, cost: float, factor: float) -> None:
    gives = rng.random((60, 3)) < 0.5
    scores = gives.sum(axis=1, keepdims=True) * cost * factor / 3 - np.where(gives, cost, 0)
    fit = fit_public_goods(gives, scores, np.repeat(np.arange(6), 10), 6)
    assert fit.parameters.tolist() == [[cost, factor]]
    assert fit.which.tolist() == [0] * 6


def test_a_game_that_tells_nothing_takes_the_parameters_of_the_others(rng: np.random.Generator) -> None:
    gives = np.concatenate([rng.random((30, 3)) < 0.5, np.ones((5, 3), dtype=bool)])
    scores = gives.sum(axis=1, keepdims=True) * 20 / 3 - np.where(gives, 10, 0)
    fit = fit_public_goods(gives, scores, np.repeat([0, 1, 2, 3], [10, 10, 10, 5]), 4)
    assert fit.which.tolist() == [0, 0, 0, 0]
