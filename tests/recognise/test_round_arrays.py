"""Events of a log as arrays of rounds by seats."""

import numpy as np
import pandas as pd
import pytest
from course_logs import at_random, course_log, equilibrium

from intent.gamma.catalogue import GAMMA_GAMES, gamma_game
from intent.recognise.encoding import round_arrays


@pytest.mark.parametrize("name", GAMMA_GAMES)
def test_every_event_stands_at_its_round_and_seat(name):
    log = course_log([(gamma_game(name, n_players=4), {})], at_random, 5, np.random.default_rng(3))
    (found,) = round_arrays(log).values()
    assert found.step.shape == (log.moves["round"].max(), 4)
    assert found.moved.sum() == len(log.moves)
    for move in log.moves.itertuples():
        at = move.round - 1, move.seat - 1
        assert found.step[at] == move.step
        assert found.action[at] == (None if pd.isna(move.action) else move.action)
        known = [-1 if pd.isna(x) else x for x in (move.value, move.payoff)]
        assert [*np.nan_to_num([found.value[at], found.payoff[at]], nan=-1)] == known


def test_one_shooter_a_round_and_all_bidders_at_once():
    games = [gamma_game("battle_royale", n_players=3), gamma_game("auction", n_players=3)]
    log = course_log([(game, {}) for game in games], equilibrium, 2, np.random.default_rng(0))
    battle, auction = round_arrays(log).values()
    assert battle.moved.sum(axis=1).tolist() == [1, 1]
    assert auction.moved.all()


def test_games_keep_their_own_length():
    games = [gamma_game("pirate", n_players=3), gamma_game("diner", n_players=2)]
    log = course_log([(game, {}) for game in games], equilibrium, 4, np.random.default_rng(0))
    assert [each.step.shape for each in round_arrays(log).values()] == [(1, 3), (4, 2)]
