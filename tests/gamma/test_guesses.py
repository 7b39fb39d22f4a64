"""Guesses of a log with what they could go by."""

from course_logs import course_log

from intent.gamma.bench.decisions import guess_rows
from intent.gamma.catalogue import gamma_game
from intent.gamma.records import replayed_games
from intent.gamma.stories import relabelled


def test_later_guesses_refer_to_the_last_mean(rng):
    game = gamma_game("guessing", n_players=2, ratio="1/2")
    said = iter(["10", "30", "5", "7"])
    log = course_log([(game, {}), (gamma_game("bar"), {})], lambda g, *_: next(said, "go"), 2, rng)
    rows = [row[2:5] for played in replayed_games(log) for row in guess_rows(played)]
    assert rows == [(1, 10, 50), (1, 30, 50), (2, 5, 20), (2, 7, 20)]


def test_dials_are_told_as_numbers(rng):
    log = course_log([(relabelled(gamma_game("guessing")), {})], lambda *_: "100", 2, rng)
    rows = [row[3:5] for played in replayed_games(log) for row in guess_rows(played)]
    assert set(rows) == {(0, 50), (0, 0)}
