import numpy as np
import pytest

from intent.arena.engines import AutomataEngine
from intent.arena.entrant import Entrant
from intent.arena.match import MatchRules
from intent.arena.streams import Salt
from intent.arena.tournament.matches import Contest, MatchStore
from intent.arena.tournament.table import attitude_seats, play_line_up, play_round_robin
from intent.arena.tournament.tournament import (
    line_up_matches,
    match_log,
    round_robin_matches,
    write_match_log,
)
from intent.games.catalogue import game
from intent.logs.stores import read_gamelog
from intent.strategies.catalogue import strategy

SALT = Salt(bytes(32))
CLASSIC = game("classic")
FIELD = (
    Entrant("nice", automaton=strategy("ALLC"), group="Cooperative"),
    Entrant("fair", automaton=strategy("TFT"), group="Cooperative"),
    Entrant("nasty", automaton=strategy("ALLD"), group="Aggressive"),
)


@pytest.fixture
def store(tmp_path):
    with MatchStore(tmp_path / "moves.sqlite") as store:
        yield store


def played(store, noise=0.0, game=CLASSIC, **settings):
    rules = MatchRules.of(game, turns=6, noise=noise)
    return play_round_robin(FIELD, rules, Contest(2, SALT, AutomataEngine(), store, **settings))


def test_seats_say_who_played_and_whom_they_met(store):
    table = played(store)
    log = match_log(list(round_robin_matches(table, SALT, store, "all")), table.rules, CLASSIC)
    assert len(log) == 6
    seats = log.seats[log.seats["game_id"] == "m0000005"]
    assert list(seats["player"]) == ["fair", "nasty"]
    assert list(seats["attitude"]) == ["Cooperative", "Aggressive"]
    assert list(seats["opponent_group"]) == ["Aggressive", "Cooperative"]
    moves = log.moves[(log.moves["game_id"] == "m0000005") & (log.moves["seat"] == 1)]
    assert "".join(moves["action"]) == "CDDDDD"
    assert list(moves["payoff"]) == [0, 1, 1, 1, 1, 1]


def test_first_repetition_or_all(store):
    table = played(store, noise=0.1)
    assert len(list(round_robin_matches(table, SALT, store, "first"))) == 6
    assert len(list(round_robin_matches(table, SALT, store, "all"))) == 12


def test_payoffs_that_are_penalties_stay_penalties(store):
    years = game("dilemma")
    table = played(store, game=years)
    log = match_log(list(round_robin_matches(table, SALT, store)), table.rules, years)
    assert set(log.games["payoff_kind"]) == {"penalty"}
    moves = log.moves[log.moves["game_id"] == "m0000001"]
    assert set(moves["action"]) == {"Cooperate"}
    assert set(moves["payoff"]) == {years.payoff(("Cooperate", "Cooperate"))[0]}


def test_a_log_in_chunks_is_the_log(store, tmp_path, monkeypatch):
    table = played(store, noise=0.1)
    matches = list(round_robin_matches(table, SALT, store, "all"))
    monkeypatch.setattr("intent.arena.tournament.tournament._MOVES_PER_CHUNK", 24)
    n = write_match_log(tmp_path / "log", iter(matches), table.rules, CLASSIC, provenance={})
    assert n == 12
    assert read_gamelog(tmp_path / "log").equals(match_log(matches, table.rules, CLASSIC))


def test_agents_are_players_and_their_strategies_strategies(store):
    rules = MatchRules(turns=6)
    contest = Contest(5, SALT, AutomataEngine(), store)
    line_up = play_line_up(FIELD, attitude_seats(FIELD), rules, contest)
    matches = list(line_up_matches(line_up, SALT, store, "all"))
    log = match_log(matches, rules, CLASSIC)
    assert set(log.seats["player"]) == {"Aggressive", "Cooperative"}
    assert set(log.seats["strategy"]) == {"nice", "fair", "nasty"}
    for match in matches:
        a, b = (entrant.automaton.name for entrant in match.strategies)
        assert np.all(match.moves[0] == {"ALLC": 1, "ALLD": 0}.get(a, match.moves[0]))
        assert np.all(match.moves[1] == {"ALLC": 1, "ALLD": 0}.get(b, match.moves[1]))


def test_who_is_left_out_is_not_in_the_log(store):
    table = played(store)
    table.outcomes[2] = table.outcomes[:, 2] = 0
    assert len(list(round_robin_matches(table, SALT, store))) == 3
