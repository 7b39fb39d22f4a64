"""Repetitions added up as they come: the results of the table of single matches, in less memory."""

from __future__ import annotations

import numpy as np
import pytest

from intent.arena.engines import AutomataEngine
from intent.arena.entrant import Entrant
from intent.arena.evolution.population import PayoffTally, pool_of
from intent.arena.match import Fault, MatchRules
from intent.arena.streams import Salt
from intent.arena.tournament.matches import Contest, MatchStore, lots, play_matches
from intent.arena.tournament.standings import (
    head_to_head,
    head_to_head_errors,
    head_to_head_intervals,
    scores,
    standings,
    wins,
)
from intent.arena.tournament.table import PairTally, pair_columns, play_round_robin
from intent.arena.tournament.tournament import round_robin_matches
from intent.base.errors import LimitError, UsageError
from intent.strategies.catalogue import strategy

SALT = Salt(bytes(32))
FIELD = tuple(Entrant(name, automaton=strategy(name)) for name in ("TFT", "ALLD", "RANDOM", "WSLS", "GTFT"))
ODD = MatchRules(payoffs=(3.1, 0.2, 5.3, 1.7), turns=40, noise=0.1)
STILL = MatchRules(turns=40)


class Faulty(AutomataEngine):
    """Finds RANDOM at fault against ALLD."""

    def play(self, field, jobs, rules):
        for result in super().play(field, jobs, rules):
            names = [field[k].name for k in (result.job.first, result.job.second)]
            if names == ["ALLD", "RANDOM"]:
                yield Fault(result.job, result.job.second, "error", "boom", 0, 3)
            else:
                yield result


def played(rules, engine=None, **settings):
    settings = {"repetitions": 5, "salt": SALT, "engine": engine or AutomataEngine(), **settings}
    return play_round_robin(FIELD, rules, Contest(**settings))


def results(table):
    rng = np.random.default_rng(0)
    groups = ["a", "a", "b", "b", "b"]
    columns = {name: list(values) for name, values in pair_columns(table).items()}
    tables = head_to_head(table), head_to_head_intervals(table, groups, rng, samples=50)
    tables += (head_to_head_errors(table, groups), head_to_head_errors(table))
    return standings(table, rng, samples=50), columns, tables, table.matches.tolist(), table.faults


def equal(some, other):
    assert results(some) == results(other)
    np.testing.assert_array_equal(scores(some), scores(other))
    np.testing.assert_array_equal(wins(some), wins(other))


@pytest.mark.parametrize("rules", [ODD, STILL, MatchRules(turns=1, noise=0.1)])
@pytest.mark.parametrize("self_play", [True, False])
def test_results_are_those_of_single_matches(rules, self_play):
    equal(played(rules, self_play=self_play, added=True), played(rules, self_play=self_play))


@pytest.mark.parametrize("faults", ["disqualify", "void"])
@pytest.mark.parametrize("stored", [True, False])
def test_matches_that_must_not_count_do_not(faults, stored):
    expected = played(ODD, Faulty(), faults=faults)
    with MatchStore(None) as store:
        found = played(ODD, Faulty(), faults=faults, store=store if stored else None, added=True)
    equal(found, expected)


def test_a_tournament_goes_on_with_what_is_stored():
    with MatchStore(None) as store:
        played(ODD, repetitions=3, store=store)
        equal(played(ODD, store=store, added=True), played(ODD))


def test_the_log_has_the_same_matches():
    with MatchStore(None) as store:
        for which in ("first", "all"):
            found, expected = (
                [
                    (match.players, match.repetition, match.moves.tolist())
                    for match in round_robin_matches(
                        played(rules, store=store, added=added), SALT, store, which
                    )
                ]
                for added in (True, False)
                for rules in [ODD]
            )
            assert found == expected


def test_without_a_player_single_repetitions_are_not_known():
    table = played(ODD, added=True)
    less = table.without({2})
    assert not less.matches[2].any()
    assert pair_columns(less)["payoff"].tolist() == pair_columns(played(ODD).without({2}))["payoff"].tolist()
    for function in (scores, wins, pool_of):
        with pytest.raises(UsageError, match="expected a table of single matches"):
            function(less)


def test_memory_is_bounded():
    PairTally(300, 1000, ODD)
    for n, repetitions in ((4000, 1), (10, 2_000_000)):
        with pytest.raises(LimitError, match="expected at most"):
            PairTally(n, repetitions, ODD)
    with pytest.raises(LimitError, match="at most 67,108,864"):
        PayoffTally(1000, 1000, ODD)


@pytest.mark.parametrize("rules", [ODD, STILL])
@pytest.mark.parametrize("engine", [AutomataEngine(), Faulty()])
def test_payoffs_of_matches_are_those_of_the_table(rules, engine):
    table = played(rules, engine)
    tally = PayoffTally(5, 5, rules)
    spoiled = play_matches(FIELD, rules, lots(FIELD, rules, 5), tally.add, Contest(5, SALT, engine))
    (found, left_out), (expected, out) = pool_of(tally.table(FIELD, spoiled.faults)), pool_of(table)
    assert (found.names, found.members, left_out) == (expected.names, expected.members, out)
    np.testing.assert_allclose(found.payoffs, expected.payoffs, rtol=1e-14)
    np.testing.assert_allclose(found.second, expected.second, rtol=1e-14)
