"""Between decision and play: what is flipped, what follows from it, who sees it."""

from __future__ import annotations

import numpy as np
import pytest

from intent.agents.human import describe
from intent.base.errors import GameError
from intent.games.catalogue import game
from intent.gamma.catalogue import gamma_game
from intent.play.match import Horizon, to_log
from intent.play.players import AutomatonPlayer
from intent.play.referee import Referee, play
from intent.strategies.catalogue import strategy

PD = game("prisoner-dilemma-trps")


class Always:
    """Errors of every seat in some draws."""

    def __init__(self, *flips):
        self._flips = iter(flips)

    def random(self, n):
        return np.array(next(self._flips, [1.0] * n))


def test_payoffs_views_and_stops_follow_what_was_played():
    errors = Always([0.0, 1.0], [1.0, 1.0], [1.0, 0.0])
    stop = [("C", "D")]
    referee = Referee(PD, Horizon(5), stop=stop, implementation_error=0.1, errors=errors)
    for joint in ("CC", "CC", "CC"):
        for seat, action in enumerate(joint, start=1):
            referee.submit(seat, action)
    assert [r.actions for r in referee.record] == [("D", "C"), ("C", "C"), ("C", "D")]
    assert [r.payoffs for r in referee.record] == [(5, 0), (3, 3), (0, 5)]
    assert {m.decided for r in referee.record for m in r.moves} == {"C"}
    assert referee.over
    assert referee.view(1).own == ("D", "C", "C")
    assert referee.view(2).implementation_error == 0.1


def test_a_missing_move_is_not_flipped():
    referee = Referee(PD, Horizon(1), implementation_error=0.4, errors=Always([0.0, 0.0]))
    referee.submit(1, None, "missing")
    referee.submit(2, "D")
    assert [(m.action, m.decided) for m in referee.record[0].moves] == [(None, None), ("C", "D")]


def test_the_order_of_moves_does_not_matter():
    records = []
    for seats in ((1, 2), (2, 1)):
        referee = Referee(PD, Horizon(50), implementation_error=0.3, errors=np.random.default_rng(1))
        while not referee.over:
            for seat in seats:
                referee.submit(seat, "C")
        records.append([r.actions for r in referee.record])
    assert records[0] == records[1]
    flips = np.array(records[0]) == "D"
    assert 0.15 < flips.mean() < 0.45
    assert (flips[:, 0] != flips[:, 1]).any()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Referee(PD, Horizon(1), implementation_error=0.5),
            r"implementation_error 0.5, expected a prob",
        ),
        (lambda: Referee(PD, Horizon(1), implementation_error=0.1), "needs errors, a generator"),
        (
            lambda: Referee(
                gamma_game("guessing"),
                Horizon(1),
                rng=np.random.default_rng(0),
                implementation_error=0.1,
                errors=np.random.default_rng(0),
            ),
            "expected it in games of two actions only",
        ),
    ],
)
def test_errors_that_cannot_be(make, message):
    with pytest.raises(GameError, match=message):
        make()


def test_strategies_answer_what_was_played_and_the_log_has_both():
    players = [AutomatonPlayer(strategy("ALLC")), AutomatonPlayer(strategy("TFT"))]
    match = play(PD, players, Horizon(400), np.random.default_rng(3), implementation_error=0.125)
    log = to_log([match])
    moves = log.moves.set_index(["seat", "round"])
    assert moves.loc[1, "decided"].all()
    shown = moves.loc[1, "cooperated"].to_numpy(dtype=bool)
    assert 0.07 < 1 - shown.mean() < 0.18
    assert (moves.loc[2, "decided"].to_numpy(dtype=bool)[1:] == shown[:-1]).all()
    assert log.games["implementation_error"].tolist() == [0.125]
    X = log.trajectories()
    assert X.implementation_error is None
    assert (X.decided[1, 1:] == X.own[0, :-1]).all()


def test_without_errors_nothing_is_new():
    players = [AutomatonPlayer(strategy("ALLC")), AutomatonPlayer(strategy("TFT"))]
    log = to_log([play(PD, players, Horizon(3), np.random.default_rng(3))])
    assert "decided" not in log.moves
    assert "implementation_error" not in log.games


def test_a_human_is_told():
    referee = Referee(PD, Horizon(1), implementation_error=0.125, errors=np.random.default_rng(0))
    assert "With probability 0.125, drawn for each player" in describe(referee.view(1), ("a", "b"))
