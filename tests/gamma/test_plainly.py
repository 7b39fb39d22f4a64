"""A story told plainly is the original game, move by move."""

import numpy as np
import pytest
from course_logs import at_random, course_log

from intent.gamma.bench.decisions import regret_table
from intent.gamma.catalogue import GAMMA_GAMES, gamma_game
from intent.gamma.records import each_plays, plain_log
from intent.gamma.stories import relabelled


@pytest.mark.parametrize("name", GAMMA_GAMES)
def test_a_story_told_plainly_is_the_original(name, rng):
    game = gamma_game(name)
    log = course_log([(relabelled(game), {}), (game, {})], at_random, 4, rng)
    plain = plain_log(log)
    assert plain.games["game"].tolist() == [name, name]
    assert plain.games["payoffs"].tolist() == [game.to_json()] * 2
    assert plain.games["story"].tolist() == [relabelled(game).story.name, "original"]
    before, after = regret_table(log), regret_table(plain)
    assert after["regret"].to_numpy() == pytest.approx(before["regret"].to_numpy(), nan_ok=True)
    assert len(plain.moves) == len(log.moves)


def test_numbers_are_turned_back(rng):
    log = course_log([(relabelled(gamma_game("guessing")), {})], lambda *_: "91", 1, rng)
    moves = plain_log(log).moves
    assert set(moves["action"]) == {"9"}
    assert np.unique(moves["value"]).tolist() == [9]


def test_logs_without_stories_are_given_back(rng):
    log = course_log([(gamma_game("diner"), {})], at_random, 2, rng)
    assert plain_log(log) is log


@pytest.mark.parametrize("action", ["accept", "1e3", "9" * 5000, "150"])
def test_actions_that_are_none_are_refused_with_their_round(action, rng):
    log = course_log([(relabelled(gamma_game("guessing")), {})], at_random, 2, rng)
    log.moves["action"] = log.moves["action"].astype(object)
    log.moves.loc[0, "action"] = action
    ((_, plays),) = each_plays(log)
    assert "round 1, seat 1: action" in str(plays)


def test_numbers_outside_the_rules_are_refused(rng):
    log = course_log([(gamma_game("divide_dollar"), {})], at_random, 1, rng)
    log.moves["action"] = "101"
    ((_, plays),) = each_plays(log)
    assert "round 1, seat 1: action '101', expected a whole number from 0 to 100" in str(plays)
