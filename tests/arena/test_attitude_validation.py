"""Whether sets do what was asked: planted attitudes are found, missing ones are not."""

from __future__ import annotations

import numpy as np
import pytest
from automaton_engine import AutomatonEngine

from intent.arena.entrant import Entrant
from intent.arena.match import MatchRules
from intent.arena.streams import Salt
from intent.arena.tournament.matches import Contest
from intent.arena.tournament.standings import head_to_head
from intent.arena.tournament.table import play_round_robin
from intent.arena.validation import cooperation_by_pairing, overall_cooperation, validate_attitudes
from intent.base.errors import UsageError
from intent.strategies.catalogue import Strategy


def mixed(name, p):
    return Strategy(name, (p,), ((0, 0, 0, 0),))


def table(**sets):
    """Each attitude: chances of cooperation, whatever the other does."""
    field = [
        Entrant(f"{attitude}_{k}", automaton=mixed(f"{attitude}_{k}", p), group=attitude)
        for attitude, chances in sets.items()
        for k, p in enumerate(chances, 1)
    ]
    contest = Contest(2, Salt.of_field(field, 1), AutomatonEngine())
    return play_round_robin(field, MatchRules(turns=100), contest)


def verdicts(played):
    found = validate_attitudes(played, np.random.default_rng(0), samples=400)
    return {one.attitude: one for one in found.verdicts}


def test_planted_attitudes_are_found():
    found = verdicts(
        table(
            Aggressive=np.linspace(0.0, 0.2, 8),
            Cooperative=np.linspace(0.8, 1.0, 8),
            Neutral=np.linspace(0.4, 0.6, 8),
        )
    )
    assert {name: one.verdict for name, one in found.items()} == dict.fromkeys(found, "supported")
    assert list(found) == ["Aggressive", "Cooperative", "Neutral"]
    assert all(one.contradicting == () for one in found.values())
    assert found["Neutral"].share.high == pytest.approx(1 - 0.025 ** (1 / 8))


def test_swapped_attitudes_are_contradicted_and_named():
    found = verdicts(table(Aggressive=[0.9] * 6, Cooperative=[0.1] * 6, Neutral=[0.5] * 6))
    assert found["Aggressive"].verdict == "not supported"
    assert found["Cooperative"].verdict == "not supported"
    assert len(found["Aggressive"].contradicting) == 6
    assert found["Cooperative"].share.estimate == 1
    assert found["Neutral"].contradicting == tuple(f"Neutral_{k}" for k in range(1, 7))


def test_alike_sets_are_not_told_apart():
    found = verdicts(
        table(Aggressive=[0.0] * 6, Cooperative=[1, 0.8, 1, 0.9, 1, 0.8], Neutral=[0.8, 1, 0.9, 1, 0.8, 1])
    )
    assert found["Aggressive"].verdict == "supported"
    assert found["Cooperative"].verdict == found["Neutral"].verdict == "undecided"


def test_one_aggressive_strategy_that_is_none():
    found = verdicts(table(Aggressive=[0, 0, 0, 0, 0, 1], Cooperative=[0.9] * 6, Neutral=[0.8] * 6))
    assert found["Aggressive"].contradicting == ("Aggressive_6",)
    assert found["Aggressive"].share.estimate == pytest.approx(1 / 6)


def test_pairings_are_those_of_the_tournament_with_intervals_around_them():
    played = table(Aggressive=[0.1, 0.3], Neutral=[0.5, 0.9])
    found = cooperation_by_pairing(played, np.random.default_rng(0), samples=200)
    groups = [e.group for e in played.field]
    for row, cells in head_to_head(played, groups)["cooperation"].items():
        for column, value in cells.items():
            cell = found[row][column]
            assert cell.estimate == value
            assert cell.low <= value <= cell.high


def test_overall_cooperation_weighs_opponents_alike():
    played = table(Aggressive=[0.0, 0.0], Neutral=[1.0])
    assert overall_cooperation(played).tolist() == [0, 0, 1]


def test_one_attitude_alone_decides_nothing():
    assert verdicts(table(Neutral=[0.5, 0.6]))["Neutral"].verdict == "undecided"


def test_no_attitudes_is_an_error():
    field = [Entrant("a", automaton=mixed("a", 1.0))]
    played = play_round_robin(
        field, MatchRules(turns=5), Contest(1, Salt.of_field(field, 1), AutomatonEngine())
    )
    with pytest.raises(UsageError, match="attitude"):
        validate_attitudes(played, np.random.default_rng(0))
