"""Games of a log as records of play: what the referee recorded scores as the same rounds in a saved file."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from saved_files import META, saved, votes
from slow_scores import slow_score

from intent import GameLog
from intent.agents.plan import parse_player
from intent.agents.table import scripted_table_player
from intent.base.errors import DataError
from intent.gamma.bench.scores import score, seat_scores
from intent.gamma.catalogue import GAMMA_GAMES, gamma_game, setting_name
from intent.gamma.records import each_plays, plays_of
from intent.play.match import Horizon, Match, to_log
from intent.play.referee import play


def played(name: str, who: str = "scripted/RANDOM", seed: int = 0, rounds: int = 6, **parameters) -> Match:
    """A match of ten players of one kind."""
    game = gamma_game(name, **parameters)
    seats = range(1, game.n_players + 1)
    players = [scripted_table_player(parse_player(who), game, seat) for seat in seats]
    return play(game, players, Horizon(rounds, True), np.random.default_rng(seed))


def as_saved(match: Match) -> dict:
    """The match as GAMA-Bench would have saved it."""
    game, records = match.game, []
    alive = dict(enumerate(game.facts().get("rates", ()), start=1))
    valuations = match.game.course(np.random.default_rng(9)) if game.name == "auction" else None
    for one in match.rounds:
        actions = {move.seat: move.action for move in one.moves}
        if game.name == "pirate":
            proposer, *juniors = sorted(actions)
            cast = "".join(actions[seat][0] for seat in juniors)
            records += votes(f"{actions[proposer]} {cast}")
        elif game.name == "battle_royale":
            ((shooter, action),) = actions.items()
            target = None if action == "miss" else int(action)
            records.append(
                {
                    "player_shooting": shooter - 1,
                    "initial_players": [[f"player_{seat - 1}", rate] for seat, rate in alive.items()],
                    "shot_player": "null" if target is None else target - 1,
                }
            )
            if one.values[shooter] == 1:
                del alive[target]
        else:
            given = [actions[seat] for seat in sorted(actions)]
            words = game.name in ("bar", "diner")
            records.append({"responses": given if words else [int(x) for x in given]})
            if valuations is not None:
                worth = [valuations.question(seat, {})["valuation"] for seat in sorted(actions)]
                records[-1]["valuations"] = worth
                valuations.complete(actions)
    return saved(game.name, *records, n=game.n_players)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", GAMMA_GAMES)
def test_a_logged_match_scores_as_its_saved_rounds(name, seed):
    match = played(name, seed=seed)
    ((row, plays),) = plays_of(to_log([match]))
    assert (row["game"], plays.game, plays.setting, plays.model) == (name, name, "default", "scripted/RANDOM")
    for scoring in ("code", "paper"):
        assert score(plays, scoring) == pytest.approx(float(slow_score(name, as_saved(match), scoring)))


def test_every_game_has_parameters_in_these_tests():
    assert set(META) == set(GAMMA_GAMES)


@pytest.mark.parametrize(
    ("name", "parameters", "setting"),
    [
        ("guessing", {"ratio": "1/2"}, "ratio=1/2"),
        ("bar", {"mode": "explicit"}, "mode=explicit"),
        ("bar", {"ratio": "20%"}, "ratio=20%"),
        ("bar", {"home": 4}, "home=4"),
        ("auction", {"step": 20}, "step=20"),
        ("divide_dollar", {"gold": 400}, "gold=400"),
        ("public_goods", {"factor": 0.5}, "factor=0.5"),
        ("diner", {"cheap_price": 11}, "menu=11/15/20/20"),
        ("auction", {"price": "second"}, "price=second"),
        ("battle_royale", {"lowest": 10, "interval": 10}, "rates=10/100"),
        ("pirate", {"gold": 4}, "gold=4"),
        ("divide_dollar", {"n_players": 4}, "n_players=4"),
        ("divide_dollar", {"gold": 12345678}, "gold=12345678"),
        ("bar", {"low": -1, "home": 8}, "low=-1, home=8"),
        ("public_goods", {"least": 11}, "least=11"),
        ("auction", {"step": 5, "overbid": True}, "step=5, overbid=true"),
    ],
)
def test_settings_are_named_by_what_is_not_the_papers(name, parameters, setting):
    ((_, plays),) = plays_of(to_log([played(name, "scripted/equilibrium", **parameters)]))
    assert plays.setting == setting == setting_name(gamma_game(name, **parameters))


@pytest.mark.parametrize("name", ["guessing", "divide_dollar", "public_goods", "diner", "pirate"])
def test_equilibrium_play_scores_100_where_the_score_measures_it(name):
    ((_, plays),) = plays_of(to_log([played(name, "scripted/equilibrium", rounds=4)]))
    assert score(plays) == pytest.approx(100)


def test_missing_moves_are_nobodys():
    log = without(to_log([played("guessing", "scripted/constant:30", rounds=2)]), seat=1)
    ((_, plays),) = plays_of(log)
    assert plays.means == (30, 30)
    assert seat_scores(plays) is None


def without(log: GameLog, seat: int) -> GameLog:
    """The log with the moves of a seat missing."""
    gone = log.moves["seat"] == seat
    action = log.moves["action"].astype(object).where(~gone, None)
    moves = log.moves.assign(action=action, status=log.moves["status"].astype(object).where(~gone, "missing"))
    return GameLog(log.games, log.seats, moves)


def test_games_that_cannot_be_read_do_not_hide_the_others():
    log = to_log([played("bar", seed=1), played("diner", seed=2)])
    action = log.moves["action"].astype(object).replace("go", "dance")
    (_, bar), (_, diner) = each_plays(GameLog(log.games, log.seats, log.moves.assign(action=action)))
    assert isinstance(bar, DataError)
    assert "'game_0', round 1, seat" in str(bar)
    assert "'dance', expected go or stay" in str(bar)
    assert diner.game == "diner"


def test_rules_that_make_no_game_are_an_error():
    log = to_log([played("bar")])
    payoffs = pd.Series(['{"rules": "bar", "n_players": true}'])
    with pytest.raises(DataError, match=r"game 'game_0', bar: n_players 'True'"):
        plays_of(GameLog(log.games.assign(payoffs=payoffs), log.seats, log.moves))


def test_other_games_of_a_log_are_left_out():
    log = to_log([played("bar")])
    assert plays_of(GameLog(log.games.assign(payoffs=None), log.seats, log.moves)) == []
