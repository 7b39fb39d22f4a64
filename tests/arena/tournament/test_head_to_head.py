import numpy as np
import pandas as pd
import pytest

from intent.arena.engines import AutomataEngine
from intent.arena.entrant import Entrant
from intent.arena.match import MatchRules
from intent.arena.streams import Salt
from intent.arena.tournament.matches import Contest
from intent.arena.tournament.standings import (
    groups_of,
    head_to_head,
    head_to_head_errors,
    head_to_head_intervals,
)
from intent.arena.tournament.table import pair_columns, play_round_robin
from intent.strategies.catalogue import strategy

FIELD = (
    Entrant("nice", automaton=strategy("ALLC"), group="Cooperative"),
    Entrant("mirror", automaton=strategy("TFT"), group="Cooperative"),
    Entrant("nasty", automaton=strategy("ALLD"), group="Aggressive"),
    Entrant("coin", automaton=strategy("RANDOM"), group=None),
)


def played(entrants=FIELD, **settings):
    settings = {"repetitions": 2, "salt": Salt.of_field(entrants, 1), "engine": AutomataEngine(), **settings}
    return play_round_robin(entrants, MatchRules(turns=10), Contest(**settings))


def test_cells_are_means_over_pairs():
    found = head_to_head(played(FIELD[:3]), groups_of(FIELD[:3]))
    assert found["payoff"]["Cooperative"]["Cooperative"] == 3
    assert found["payoff"]["Aggressive"]["Aggressive"] == 1
    assert found["payoff"]["Aggressive"]["Cooperative"] == pytest.approx((5 + 1.4) / 2)
    assert found["payoff"]["Cooperative"]["Aggressive"] == pytest.approx((0 + 0.9) / 2)
    assert found["cooperation"]["Cooperative"]["Aggressive"] == pytest.approx((1 + 0.1) / 2)


def test_attitudes_come_first_and_the_rest_has_a_group():
    groups = groups_of(FIELD)
    assert list(head_to_head(played(), groups)["payoff"]) == ["Aggressive", "Cooperative", "other"]


def test_without_attitudes_results_are_by_strategy():
    plain = (Entrant("a", automaton=strategy("ALLC")), Entrant("b", automaton=strategy("ALLD")))
    assert groups_of(plain) is None
    assert head_to_head(played(plain))["payoff"] == {"a": {"a": 3, "b": 0}, "b": {"a": 5, "b": 1}}


def test_self_play_is_the_mean_of_both_seats():
    table = played((FIELD[3],), repetitions=50)
    cc, cd, dc, dd = table.outcomes[0, 0].sum(axis=0) / 500
    found = head_to_head(table)
    assert found["payoff"]["coin"]["coin"] == pytest.approx(3 * cc + 2.5 * (cd + dc) + dd)
    assert found["cooperation"]["coin"]["coin"] == pytest.approx(cc + (cd + dc) / 2)


def test_a_group_that_never_met_is_null():
    table = played(FIELD[:3], self_play=False)
    assert head_to_head(table, groups_of(FIELD[:3]))["payoff"]["Aggressive"]["Aggressive"] is None


def test_intervals_hold_the_means_and_need_two_strategies():
    groups = groups_of(FIELD)
    table = played()
    ends = head_to_head_intervals(table, groups, np.random.default_rng(1))["cooperation"]
    mean = head_to_head(table, groups)["cooperation"]["Cooperative"]["Cooperative"]
    cell = ends["Cooperative"]["Cooperative"]
    assert cell["low"] <= mean <= cell["high"]
    assert ends["Aggressive"]["Cooperative"] is None


def test_pairs_are_rows_in_both_directions():
    table = pd.DataFrame(pair_columns(played(FIELD[:3])))
    rows = {(row["name"], row["opponent"]): row for row in table.to_dict("records")}
    assert len(rows) == 9
    one = rows["mirror", "nasty"]
    assert (one["payoff"], one["opponent_payoff"], one["cd_rate"]) == pytest.approx((0.9, 1.4, 0.1))
    assert one["opponent_group"] == "Aggressive"
    assert one["matches"] == 2


NOISY = MatchRules(turns=20, noise=0.1, payoffs=(3.0, 0.0, 5.0, 1.0))
GROUPED = (*FIELD[:3], Entrant("coin", automaton=strategy("RANDOM"), group="Aggressive"))


def noisy(salt, repetitions=4, **settings):
    return play_round_robin(GROUPED, NOISY, Contest(repetitions, salt, AutomataEngine(), **settings))


def test_errors_are_the_spread_of_tournaments_played_anew():
    """Of 200 tournaments, the standard deviation of each cell against the root mean square of its errors."""
    tables = [noisy(Salt(bytes([k, *bytes(31)]))) for k in range(200)]
    for groups in (groups_of(GROUPED), None):
        means, errors = (
            [function(table, groups) for table in tables] for function in (head_to_head, head_to_head_errors)
        )
        for name in ("payoff", "cooperation"):
            for row, columns in means[0][name].items():
                for column in columns:
                    spread = np.std([m[name][row][column] for m in means], ddof=1)
                    told = np.sqrt(np.mean([e[name][row][column] ** 2 for e in errors]))
                    assert told == pytest.approx(spread, rel=0.25), (name, row, column)


def test_errors_by_hand():
    table = noisy(Salt(bytes(32)), 5)
    x = table.payoffs()
    error = head_to_head_errors(table)["payoff"]["nice"]["nasty"]
    assert error == pytest.approx(np.std(x[0, 2], ddof=1) / np.sqrt(5))
    sides = x[0, 1] + x[1, 0]
    own = [np.var(table.outcomes[i, i] @ [3, 2.5, 2.5, 1] / 20, ddof=1) for i in (0, 1)]
    cell = head_to_head_errors(table, groups_of(GROUPED))["payoff"]["Cooperative"]["Cooperative"]
    assert cell == pytest.approx(np.sqrt((np.var(sides, ddof=1) + sum(own)) / 5) / 4)


def test_what_nothing_is_drawn_in_has_no_error_and_what_is_played_once_none_that_is_known():
    still = head_to_head_errors(played(FIELD[:3], repetitions=1))["payoff"]
    assert {error for columns in still.values() for error in columns.values()} == {0.0}
    once = head_to_head_errors(played(repetitions=1))["payoff"]
    assert (once["nice"]["coin"], once["nice"]["nasty"]) == (None, 0.0)
    assert head_to_head_errors(played(FIELD[:3], self_play=False))["payoff"]["nice"]["nice"] is None
