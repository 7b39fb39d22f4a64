"""Contributions of a log: shares of the endowment, means and numbers of the others."""

from __future__ import annotations

import numpy as np
import pytest
from contribution_logs import TOKENS, binary_log, token_log

from intent.base.errors import DataError
from intent.estimate.contributions import answers, contributions


def test_tokens_are_shares_of_the_endowment():
    found = contributions(token_log([[[20, 10, 0, 0], [0, 5, 5, 20]]]))
    assert found.shares.tolist() == [[1, 0], [0.5, 0.25], [0, 0.25], [0, 1]]
    assert found.mean_of_others()[:, 0] == pytest.approx([10 / 60, 20 / 60, 0.5, 0.5])
    assert found.units.tolist() == [20] * 4
    assert found.contributed.tolist() == [[1, 0], [1, 1], [0, 1], [0, 1]]


def test_a_contributor_gives_at_least_what_is_asked():
    found = contributions(token_log([[[20, 10, 9, 0]]]), least=0.5)
    assert found.contributed[:, 0].tolist() == [1, 1, 0, 0]


def test_kept_tokens_are_what_was_gained():
    kept = {**TOKENS, "reset": False}
    # Two players, factor 2: a token returns one to each; after round 1 they hold 20 and 30.
    found = contributions(token_log([[[10, 0], [20, 15]]], kept))
    assert found.shares[:, 1] == pytest.approx([1.0, 0.5])


def test_others_count_where_known():
    counted = contributions(binary_log([[[1, 1, 0], [1, None, 0], [None, None, 1]]])).counted()
    assert counted.giving[0].tolist() == [1, 0, 1]
    assert counted.silent[0].tolist() == [0, 1, 1]
    assert counted.at_least(1).other[0].tolist() == [1, -1, 1]
    assert counted.at_least(2).other[0].tolist() == [0, 0, -1]


def test_in_the_token_game_a_missing_move_gives_nothing():
    found = contributions(token_log([[[None, 20, 20]]]))
    assert found.mean_of_others()[:, 0] == pytest.approx([1, 0.5, 0.5])
    assert found.play.own[:, 0].tolist() == [-1, 1, 1]


def test_answers_are_to_the_round_before():
    found = contributions(token_log([[[20, 0], [10, 20], [0, 5]]]))
    pairs = answers(found, np.array([0, 1]))
    assert pairs.of(0)[0].tolist() == [0, 1]
    assert pairs.of(0)[1].tolist() == [0.5, 0]
    same = answers(found, np.array([0, 0]), lag=0)
    assert same.of(0)[0].tolist() == [0, 1, 0.25, 1, 0.5, 0]


def test_numbers_need_an_endowment():
    log = token_log([[[5, 0], [10, 20]]], None)
    assert len(contributions(log).play.keys) == 0
    assert contributions(log, endowment=20).shares[0].tolist() == [0.25, 0.5]


@pytest.mark.parametrize("value", [21, -1, float("inf")])
def test_impossible_contributions(value):
    with pytest.raises(DataError, match="round 1, seat 2: contribution"):
        contributions(token_log([[[5, value]]]))


@pytest.mark.parametrize("wrong", [{"endowment": 0}, {"endowment": float("nan")}, {"least": 1.5}])
def test_settings_that_cannot_be(wrong):
    with pytest.raises(DataError):
        contributions(token_log([[[5, 5]]]), **wrong)
