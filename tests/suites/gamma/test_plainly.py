"""A story told plainly is the original game, move by move."""

import numpy as np
import pytest
from course_logs import at_random, course_log

from intent.games.gamma import GAMMA_GAMES, gamma_game
from intent.games.gamma.relabelled import relabelled
from intent.suites.gamma.plainly import told_plainly
from intent.suites.gamma.regret import regret_table


@pytest.mark.parametrize("name", GAMMA_GAMES)
def test_a_story_told_plainly_is_the_original(name, rng):
    game = gamma_game(name)
    log = course_log([(relabelled(game), {}), (game, {})], at_random, 4, rng)
    plain = told_plainly(log)
    assert plain.games["game"].tolist() == [name, name]
    assert plain.games["payoffs"].tolist() == [game.to_json()] * 2
    assert plain.games["story"].tolist() == [relabelled(game).story.name, "original"]
    before, after = regret_table(log), regret_table(plain)
    assert after["regret"].to_numpy() == pytest.approx(before["regret"].to_numpy(), nan_ok=True)
    assert len(plain.moves) == len(log.moves)


def test_numbers_are_turned_back(rng):
    log = course_log([(relabelled(gamma_game("guessing")), {})], lambda *_: "91", 1, rng)
    moves = told_plainly(log).moves
    assert set(moves["action"]) == {"9"}
    assert np.unique(moves["value"]).tolist() == [9]


def test_logs_without_stories_are_given_back(rng):
    log = course_log([(gamma_game("diner"), {})], at_random, 2, rng)
    assert told_plainly(log) is log
