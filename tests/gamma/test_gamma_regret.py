"""Regret of every move against brute force over all actions, from logs replayed without their seed."""

import numpy as np
import pytest
from course_logs import at_random, course_log, equilibrium

from intent.base.errors import DataError
from intent.gamma.bench.decisions import regret_table
from intent.gamma.catalogue import GAMMA_GAMES, gamma_game
from intent.gamma.records import replayed_games
from intent.gamma.stories import relabelled
from intent.logs.gamelog import GameLog

each_game = pytest.mark.parametrize("name", GAMMA_GAMES)


@each_game
def test_regret_is_what_the_best_of_all_actions_pays_more(name, rng):
    game = gamma_game(name, n_players=4)
    log = course_log([(game, {}), (relabelled(game), {})], at_random, 3, rng)
    table = regret_table(log)
    assert len(table) == len(log.moves)
    rows = table.set_index(["game_id", "round", "seat"])
    for played in replayed_games(log):
        for moment in played.rounds:
            for seat, action in moment.actions.items():
                row = rows.loc[(played.row["game_id"], moment.number, seat)]
                legal = played.game.legal(seat, moment.questions[seat])
                if action is None:
                    assert np.isnan(row.regret)
                elif legal is not None:
                    others = {s: a for s, a in moment.actions.items() if s != seat}
                    gains = played.game.gains(seat, others, moment.questions[seat], legal)
                    assert row.regret == pytest.approx(max(gains) - gains[legal.index(action)])
                    assert row.regret >= 0


@each_game
def test_the_replay_comes_to_the_logged_payoffs(name, rng):
    """Ties and hits are drawn anew until they are those of the log."""
    log = course_log([(gamma_game(name), {}), (gamma_game(name), {})], at_random, 12, rng)
    logged = log.moves.set_index(["game_id", "round", "seat"])
    n = 0
    for played in replayed_games(log):
        for moment in played.rounds:
            for seat in moment.actions:
                row = logged.loc[(played.row["game_id"], moment.number, seat)]
                payoff = moment.outcome.payoffs[seat - 1]
                assert (np.nan if payoff is None else payoff) == pytest.approx(row.payoff, nan_ok=True)
                n += 1
    assert n == len(log.moves)


@pytest.mark.parametrize("name", ["divide_dollar", "public_goods", "diner", "battle_royale", "pirate"])
def test_equilibrium_play_has_no_regret(name, rng):
    """Where the equilibrium is pure and strict against the play of the others."""
    table = regret_table(course_log([(gamma_game(name), {})], equilibrium, 5, rng))
    assert table["regret"].to_numpy() == pytest.approx(0, abs=1e-9)


def test_regret_by_hand_in_a_small_auction(rng):
    """Bids of half the valuation: the higher could have paid just one more than the lower."""
    game = gamma_game("auction", n_players=2, top=20, step=10)
    log = course_log([(game, {})], lambda game, seat, asked, rng: str(asked["valuation"] // 2), 1, rng)
    asked = {
        seat: facts["valuation"] for seat, facts in next(replayed_games(log)).rounds[0].questions.items()
    }
    low, high = sorted(asked, key=asked.__getitem__)
    table = regret_table(log).set_index("seat")
    assert table.loc[high, "regret"] == asked[high] / 2 - (asked[low] // 2 + 1)
    assert table.loc[low, "regret"] == 0


def test_drawn_endowments_are_taken_as_full(rng):
    game = gamma_game("public_goods", n_players=3, tokens=9, factor=1.5, reset=False, least=2)
    table = regret_table(course_log([(game, {})], at_random, 4, rng))
    given = table["action"].dropna().astype(int)
    assert table.loc[given.index, "regret"].to_numpy() == pytest.approx(given.to_numpy() * 0.5)


def test_moves_that_the_rules_forbid_are_refused(rng):
    log = course_log([(gamma_game("guessing"), {})], equilibrium, 2, rng)
    moves = log.moves.assign(action=log.moves["action"].astype(object))
    for action, payoff, message in (("101", 0.0, "seat 1: "), ("0", 0.5, "do not follow")):
        wrong = moves.copy()
        wrong.loc[0, ["action", "payoff"]] = [action, payoff]
        with pytest.raises(DataError, match=f"game g0 round 1: .*{message}"):
            regret_table(GameLog(log.games, log.seats, wrong))


def test_other_games_have_no_rows(rng):
    log = course_log([(gamma_game("bar"), {})], equilibrium, 2, rng)
    other = GameLog(log.games.assign(payoffs="{}"), log.seats, log.moves)
    table = regret_table(other)
    assert len(table) == 0
    assert "regret" in table
