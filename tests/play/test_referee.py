"""The rules of a repeated game: turns, payoffs, views, horizon, stop rules."""

from __future__ import annotations

import numpy as np
import pytest

from intent.errors import GameError
from intent.games.catalogue import game, public_goods
from intent.play.horizon import Horizon
from intent.play.referee import Referee

PD = game("prisoner-dilemma-trps")


def played(referee: Referee, *joints: str) -> Referee:
    """The referee after rounds such as ``"CD"``, seat 1 first."""
    for joint in joints:
        for seat, action in enumerate(joint, start=1):
            referee.submit(seat, action)
    return referee


def test_payoffs_of_every_round_are_recorded() -> None:
    referee = played(Referee(PD, Horizon(3)), "CC", "CD", "DD")
    assert [r.payoffs for r in referee.record] == [(3, 3), (0, 5), (1, 1)]
    assert [r.number for r in referee.record] == [1, 2, 3]
    assert referee.over
    assert referee.pending() == ()


def test_seats_may_move_in_any_order_within_a_step() -> None:
    referee = Referee(PD, Horizon(1))
    referee.submit(2, "D")
    assert referee.pending() == (1,)
    referee.submit(1, "C")
    assert referee.record[0].actions == ("C", "D")


def test_a_view_hides_what_others_just_chose() -> None:
    referee = played(Referee(PD, Horizon(3)), "CD")
    referee.submit(2, "C")
    view = referee.view(1)
    assert (view.round, view.own, view.others) == (2, ("C",), (("D",),))
    assert (view.own_payoffs, view.others_payoffs) == ((0,), ((5,),))
    assert view.earlier == ()


def test_each_seat_sees_itself_as_own() -> None:
    referee = played(Referee(public_goods(2), Horizon(2)))
    for seat, action in ((1, "OptionA"), (2, "OptionB"), (3, "OptionB")):
        referee.submit(seat, action)
    view = referee.view(2)
    assert (view.own, view.other_seats, view.others) == (("OptionB",), (1, 3), (("OptionA",), ("OptionB",)))
    assert view.own_payoffs == (6.666666666666667,)


def test_messages_are_seen_from_the_next_round_on() -> None:
    referee = Referee(PD, Horizon(2))
    referee.submit(1, "C", message="trust me")
    assert referee.view(2).messages_by_seat == ((), ())
    referee.submit(2, "D")
    assert referee.view(2).messages_by_seat == (("trust me",), (None,))


@pytest.mark.parametrize(("known", "told"), [(True, 3), (False, None)])
def test_the_horizon_is_told_only_where_it_is_known(known: bool, told: int | None) -> None:
    referee = Referee(PD, Horizon(3, known=known))
    assert referee.view(1).horizon == told
    assert len(played(referee, "CC", "CC", "CC").record) == 3


def test_the_stopping_round_is_recorded() -> None:
    referee = played(Referee(PD, Horizon(5), stop=[("D", "D")]), "CC", "DD")
    assert referee.over
    assert [r.actions for r in referee.record] == [("C", "C"), ("D", "D")]


def test_continuation_is_geometric_and_capped(rng: np.random.Generator) -> None:
    lengths = np.array([Horizon(50, continuation=0.75).length(rng) for _ in range(4000)])
    assert abs(lengths.mean() - 4) < 4 * lengths.std() / 4000**0.5
    assert Horizon(2, continuation=0.999999).length(rng) == 2
    assert Horizon(9, continuation=0).length(rng) == 1


def test_players_are_told_the_continuation_but_never_the_length(rng: np.random.Generator) -> None:
    view = Referee(PD, Horizon(50, continuation=0.75), rng=rng).view(1)
    assert (view.horizon, view.continuation) == (None, 0.75)
    secret = Referee(PD, Horizon(50, known=False, continuation=0.75), rng=rng).view(1)
    assert secret.continuation is None


def test_a_missing_move_leaves_the_round_without_payoffs() -> None:
    referee = Referee(PD, Horizon(2), stop=[("C", "C")])
    referee.submit(1, "C")
    referee.submit(2, None, "missing")
    assert referee.record[0].payoffs == (None, None)
    assert referee.view(1).others == ((None,),)
    assert not referee.over


def test_a_defaulted_move_is_paid_and_marked() -> None:
    referee = Referee(PD, Horizon(1))
    referee.submit(1, "C", "defaulted")
    referee.submit(2, "C")
    assert [move.status for move in referee.record[0].moves] == ["defaulted", "parsed"]
    assert referee.record[0].payoffs == (3, 3)


def test_later_steps_of_a_sequential_round_see_the_earlier() -> None:
    referee = Referee(PD, Horizon(1), order=[[2], [1]])
    assert referee.pending() == (2,)
    referee.submit(2, "D")
    assert referee.pending() == (1,)
    assert referee.view(1).earlier == ((2, "D"),)
    referee.submit(1, "C")
    assert [(move.seat, move.step) for move in referee.record[0].moves] == [(1, 2), (2, 1)]


def test_moves_against_the_rules_are_refused() -> None:
    referee = Referee(PD, Horizon(1))
    referee.submit(1, "C")
    with pytest.raises(GameError, match="round 1, seat 1: not this seat's turn, expected a move of seat 2"):
        referee.submit(1, "D")
    with pytest.raises(GameError, match="round 1, seat 2: action 'OptionA' is not one of C, D"):
        referee.submit(2, "OptionA")
    with pytest.raises(GameError, match="action 'C' of a missing move"):
        referee.submit(2, "C", "missing")
    with pytest.raises(GameError, match="action 'None' is not one of C, D"):
        referee.submit(2, None)
    with pytest.raises(GameError, match="status 'guessed'"):
        referee.submit(2, "C", "guessed")  # type: ignore[arg-type]
    referee.submit(2, "C")
    with pytest.raises(GameError, match="the match is over after 1 rounds"):
        referee.submit(1, "C")


def test_impossible_matches_are_refused() -> None:
    with pytest.raises(GameError, match="'X' is not one of C, D"):
        Referee(PD, Horizon(3), stop=[("C", "X")])
    with pytest.raises(GameError, match="every seat 1 to 2 once"):
        Referee(PD, Horizon(3), order=[[1], [1]])
    with pytest.raises(GameError, match="seat 3, expected 1 to 2"):
        Referee(PD, Horizon(3)).view(3)
    with pytest.raises(GameError, match="needs rng"):
        Referee(PD, Horizon(3, continuation=0.5))
    with pytest.raises(GameError, match="horizon of 0 rounds"):
        Horizon(0)
    with pytest.raises(GameError, match="continuation probability 1"):
        Horizon(3, continuation=1)
