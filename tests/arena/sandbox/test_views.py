"""What a strategy is called with."""

import pytest

from intent.arena.sandbox.runtime import Myself, Rules, namespace, take_seat
from intent.arena.sandbox.values import AXL, Action, C, D, Game, History
from intent.arena.sources.parser import BUILTINS, EXCEPTIONS

RULES = Rules((3.0, 0.0, 5.0, 1.0), 10, 0.0, True, True, False)


def seat(rules=RULES, late=False):
    """Both views after CC, CD, DC, DD as the player sees them, with what `see` was called on."""
    play, me, other, see = take_seat(lambda me, other: (me, other), Myself(), rules, 1, late)
    return play(me, other), see


def test_actions_are_equal_to_themselves_alone_flip_print_and_are_true():
    assert (AXL.Action.C, AXL.Action.D) == (C, D)
    assert C.flip() is D
    assert D.flip() is C
    assert (repr(C), str(D)) == ("C", "D")
    assert bool(C)
    assert bool(D)
    assert C != D
    assert C not in (0, "C", (0,), None)
    assert {C: 1, D: 2}[D] == 2


@pytest.mark.parametrize("change", ["C.flip = None", "Action.C = D", "AXL.Action = None", "del Action.C"])
def test_actions_cannot_be_changed(change):
    with pytest.raises(AttributeError):
        exec(change, {"C": C, "D": D, "Action": Action, "AXL": AXL})  # noqa: S102 - the line above


@pytest.mark.parametrize(
    "said", ["Action('E', 2)", "Action(1)", "C < D", "list(C)", "len(C)", "C[0]", "C + D", "int(C)"]
)
def test_an_action_is_no_number_text_or_tuple(said):
    with pytest.raises(TypeError):
        eval(said, {"C": C, "D": D, "Action": Action})  # noqa: S307 - the line above


def test_history_reads_like_a_list_that_nobody_writes():
    history = History()
    list.extend(history, [C, D, D])
    assert (history[-1], history[1:], len(history), list(history)) == (D, [D, D], 3, [C, D, D])
    assert history == [C, D, D]
    assert history.count(D) == 2
    for write in ("append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse"):
        with pytest.raises(TypeError):
            getattr(history, write)(C)
    with pytest.raises(TypeError):
        history[0] = D
    with pytest.raises(TypeError):
        history += [C]


def test_both_see_the_same_rounds_and_scores():
    (me, other), see = seat()
    assert me.first_round()
    for moves in ((C, C), (C, D), (D, C), (D, D)):
        see(*moves)
    assert (me.history, other.history) == ([C, C, D, D], [C, D, C, D])
    assert (me.cooperations, me.defections, other.cooperations, other.defections) == (2, 2, 2, 2)
    assert (me.score, other.score) == (9, 9)
    assert me.total_scores(me.history[1:3], other.history[1:3]) == (5, 5)
    assert not me.first_round()


def test_a_late_view_shows_the_others_score_of_the_round_before():
    (me, other), see = seat(late=True)
    seen = []
    for moves in ((D, D), (C, D), (C, D)):
        see(*moves)
        seen.append((me.score, other.score))
    assert seen == [(1, 0), (1, 1), (1, 6)]


def test_match_attributes_tell_the_length_only_where_it_is_known():
    assert seat()[0][0].match_attributes["length"] == 10
    hidden = RULES._replace(known_length=False, noise=0.1)
    attributes = seat(hidden)[0][0].match_attributes
    assert (attributes["length"], attributes["noise"]) == (-1, 0.1)
    assert attributes["game"].RPST() == (3, 1, 0, 5)


def test_whole_payoffs_are_whole_numbers():
    assert [type(x) for x in Game((3.0, 0.5, 5.0, 1.0)).RPST()] == [int, int, float, int]


def test_the_opponent_is_for_reading():
    (_, other), _ = seat()
    for name in ("score", "history", "mine"):
        with pytest.raises(AttributeError):
            setattr(other, name, 1)


def test_what_is_not_there_is_an_attribute_error():
    (me, other), _ = seat()
    for thing in (me, other, me._random):
        with pytest.raises(AttributeError):
            _ = thing.nothing


def test_builtins_are_those_that_the_gate_lets_in():
    assert set(namespace()["__builtins__"]) == BUILTINS | EXCEPTIONS


def test_reading_by_name_reaches_no_inner_parts():
    given = namespace()["__builtins__"]
    (me, _), _ = seat()
    me.mark = 3
    assert given["getattr"](me, "mark") == 3
    assert given["getattr"](me, "other", 4) == 4
    assert not given["hasattr"](me, "other")
    for name in ("__class__", "__dict__", 3):
        with pytest.raises(AttributeError):
            given["getattr"](me, name, None)
    made = (x for x in ())
    for name in ("gi_frame", "gi_code", "close", "send"):
        assert given["getattr"](made, name, None) is None
        assert not given["hasattr"](made, name)
