"""The rules of a repeated game: turns, payoffs, views, horizon, stop rules."""

from __future__ import annotations

import numpy as np
import pytest

from intent.base.errors import GameError
from intent.games.catalogue import game, public_goods
from intent.play.match import Horizon
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


def spoken(referee: Referee, *texts: str | None) -> Referee:
    """The referee after a message of each seat, seat 1 first."""
    for seat, text in enumerate(texts, start=1):
        referee.speak(seat, text)
    return referee


def test_later_speakers_hear_earlier_ones_and_all_hear_all_before_they_choose() -> None:
    referee = Referee(PD, Horizon(1), communication="sequential")
    assert (referee.phase, referee.pending(), referee.view(1).phase) == ("message", (1,), "message")
    referee.speak(1, "trust me")
    assert (referee.phase, referee.pending()) == ("message", (2,))
    assert referee.view(2).messages == ((1, "trust me"),)
    referee.speak(2, None)
    assert (referee.phase, referee.pending()) == ("choose", (1, 2))
    assert referee.view(1).messages == referee.view(2).messages == ((1, "trust me"), (2, None))


def test_who_speaks_at_once_hears_the_others_only_when_choosing() -> None:
    referee = Referee(public_goods(2), Horizon(1), communication="simultaneous")
    assert referee.pending() == (1, 2, 3)
    referee.speak(3, "I give")
    assert referee.pending() == (1, 2)
    assert (referee.view(1).messages, referee.view(3).messages) == ((), ((3, "I give"),))
    referee.speak(1, "so do I")
    referee.speak(2, "no")
    assert referee.view(1).messages == ((1, "so do I"), (2, "no"), (3, "I give"))


def test_messages_of_a_round_are_past_in_the_next() -> None:
    referee = played(spoken(Referee(PD, Horizon(3), communication="sequential"), "hi", None), "CD")
    view = referee.view(1)
    assert (view.phase, view.messages, view.messages_by_seat) == ("message", (), (("hi",), (None,)))
    assert [move.message for move in referee.record[0].moves] == ["hi", None]


def test_messages_out_of_turn_are_refused() -> None:
    referee = Referee(PD, Horizon(1), communication="sequential")
    with pytest.raises(
        GameError, match="round 1, seat 2: not this seat's turn, expected a message of seat 1"
    ):
        referee.speak(2, "me first")
    with pytest.raises(GameError, match="seat 1: not the time for a move, expected a message of seat 1"):
        referee.submit(1, "C")
    spoken(referee, "a", "b")
    with pytest.raises(GameError, match="seat 1: not the time for a message, expected a move of seat 1, 2"):
        referee.speak(1, "again")
    with pytest.raises(GameError, match="a message with the move"):
        referee.submit(1, "C", message="b")
    with pytest.raises(GameError, match="not the time for a message"):
        Referee(PD, Horizon(1)).speak(1, "a")
    with pytest.raises(GameError, match="communication 'loud', expected one of none, sequential"):
        Referee(PD, Horizon(1), communication="loud")  # type: ignore[arg-type]
    played(referee, "CC")
    with pytest.raises(GameError, match="over after 1 rounds, expected no message"):
        referee.speak(1, "late")


def test_private_texts_are_recorded_and_never_seen() -> None:
    referee = Referee(PD, Horizon(2))
    referee.submit(1, "C", private_thought="SECRET", reasoning="SECRET", reply="SECRET", prompt="SECRET")
    assert "SECRET" not in repr(referee.view(2))
    referee.submit(2, "C")
    assert "SECRET" not in repr(referee.view(1)) + repr(referee.view(2))
    move = referee.record[0].moves[0]
    assert {move.private_thought, move.reasoning, move.reply, move.prompt} == {"SECRET"}


def test_finish_ends_the_match_at_once_between_rounds() -> None:
    referee = played(Referee(PD, Horizon(9)), "CC")
    referee.finish()
    assert (referee.over, referee.pending(), len(referee.record)) == (True, (), 1)


@pytest.mark.parametrize("communication", ["none", "sequential"])
def test_finish_lets_a_round_in_progress_end(communication: str) -> None:
    referee = Referee(PD, Horizon(9), communication=communication)  # type: ignore[arg-type]
    if communication == "sequential":
        referee.speak(1, "wait")
        referee.finish()
        referee.speak(2, None)
    else:
        referee.submit(1, None, "missing")
        referee.finish()
        referee.submit(2, "C")
        assert referee.over
        return
    assert not referee.over
    assert played(referee, "CC").over


@pytest.mark.parametrize("communication", ["none", "sequential", "simultaneous"])
@pytest.mark.parametrize("horizon", [Horizon(4), Horizon(4, known=False), Horizon(9, continuation=0.5)])
def test_public_goods_with_messages_any_horizon_and_a_stop_rule(
    communication: str, horizon: Horizon, rng: np.random.Generator
) -> None:
    stage = public_goods(2)
    give, keep = stage.actions
    referee = Referee(stage, horizon, stop=[(keep,) * 3], communication=communication, rng=rng)  # type: ignore[arg-type]
    while not referee.over:
        for seat in referee.pending():
            view = referee.view(seat)
            assert (view.horizon is None) == (horizon != Horizon(4))
            if view.phase == "message":
                referee.speak(seat, f"{view.round}")
            else:
                referee.submit(seat, keep if view.round == 3 else give)
    assert len(referee.record) <= 3
    assert all(len(r.payoffs) == 3 for r in referee.record)
    spoken_of = {r.number: {m.message for m in r.moves} for r in referee.record}
    assert spoken_of == {n: {None if communication == "none" else f"{n}"} for n in spoken_of}


def test_a_view_stays_as_it_was_while_the_match_goes_on() -> None:
    referee = played(Referee(PD, Horizon(3)), "CD")
    view, before = referee.view(1), repr(referee.view(1))
    played(referee, "DD", "DD")
    assert repr(view) == before
    assert view != referee.view(1)
    assert view.own == ("C",)
