"""Adherence, tool use and Nash-consistency of small logs, by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from play_logs import log_of, match

from intent import GameLog
from intent.behaviour.measures import adherence, equilibrium_action, mean_payoff, nash_consistency, tool_use
from intent.behaviour.metric_table import seat_rows
from intent.games.catalogue import game, public_goods
from intent.games.game import MatrixGame

DILEMMA = MatrixGame.from_trps("dilemma", 15, 10, 5, 0)
CONFUSION = MatrixGame.from_trps("confusion", 10, 15, 5, 0)


def with_moves(log: GameLog, **columns) -> GameLog:
    """The log, all seats with a tool, with these columns of the moves."""
    return GameLog(log.games, log.seats.assign(architecture="tool"), log.moves.assign(**columns))


def test_adherence_counts_decisions_with_advice_and_an_own_action():
    log = with_moves(
        log_of(match(DILEMMA, "CDc.", "CCCC")), advice=["C", None, "C", None, "C", None, "C", None]
    )
    rows = seat_rows(log, log.moves)
    found = adherence(log, rows)
    assert (found.hits.tolist(), found.occasions.tolist()) == ([1, 0], [2, 0])
    assert np.isnan(found.value[1])
    assert adherence(log, rows, keep_defaulted=True).occasions.tolist() == [3, 0]


@pytest.mark.parametrize(
    ("stage", "action"),
    [
        (DILEMMA, "D"),
        (MatrixGame.from_trps("delight", 0, 5, 10, 15), "C"),
        (MatrixGame.from_trps("delight in years", 15, 10, 5, 0, "penalty"), "C"),
        (CONFUSION, None),
        (game("battle-sexes"), None),
        (public_goods(2), "OptionB"),
    ],
    ids=lambda x: getattr(x, "name", x),
)
def test_equilibrium_actions_stand_alone_or_not(stage, action):
    assert equilibrium_action(stage, 1) == action


def test_nash_consistency_is_null_where_equilibria_differ():
    log = log_of(match(DILEMMA, "CDD.", "DDDd"), match(CONFUSION, "CC", "DD"))
    found = nash_consistency(log, seat_rows(log, log.moves))
    assert (found.hits.tolist(), found.occasions.tolist()) == ([2, 3, 0, 0], [3, 3, 0, 0])
    unknown = GameLog(log.games.assign(payoffs=None), log.seats, log.moves)
    assert nash_consistency(unknown, seat_rows(unknown, unknown.moves)).occasions.sum() == 0


def test_tool_use_reads_untrusted_details():
    details = ['{"status":"called"}', '{"status":"not_called"}', "[1]", '{"status":"invalid"}', "{", None]
    log = with_moves(log_of(match(DILEMMA, "CCC", "CCC")), details=details)
    found = tool_use(log, seat_rows(log, log.moves))
    assert (found.hits.tolist(), found.occasions.tolist()) == ([1, 0], [1, 2])
    plain = GameLog(log.games, log.seats.assign(architecture="plain"), log.moves)
    assert tool_use(plain, seat_rows(plain, plain.moves)).occasions.tolist() == [0, 0]


def test_mean_payoff_adds_up_the_steps_of_a_round():
    log = log_of(match(DILEMMA, "CD.", "CCC"))
    assert mean_payoff(log, seat_rows(log, log.moves)).tolist() == [12.5, 5.0]
    steps = pd.concat([log.moves, log.moves.assign(step=2)])
    twice = GameLog(log.games, log.seats, steps)
    assert mean_payoff(twice, seat_rows(twice, twice.moves)).tolist() == [25.0, 10.0]
