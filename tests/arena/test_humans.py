"""Play of people's strategies, as literal strings of moves."""

from __future__ import annotations

import pytest

from intent.arena.field import ELEVEN, HUMANS, cycler
from intent.strategies.catalogue import CATALOGUE


def answers(automaton, other: str) -> str:
    """Moves of a deterministic automaton against a fixed string, without noise."""
    state, moves = automaton.start, ""
    for move in other:
        own = automaton.p_cooperate[state] == 1
        moves += "C" if own else "D"
        state = automaton.next_code(state, own, move == "C")
    return moves


@pytest.mark.parametrize(
    ("other", "play"),
    [
        ("CCCCCC", "DCCDDD"),
        ("CCCDCD", "DCCDDD"),
        ("DDDDDD", "DCCDDD"),
        ("CDCDCC", "DCCCDC"),
        ("CCDDCC", "DCCDDC"),
        ("CDCCCC", "DCCCCC"),
    ],
)
def test_prober(other, play):
    assert answers(HUMANS["Prober"].automaton, other) == play


@pytest.mark.parametrize("moves", ["CCD", "DDC", "C", "CCCDCD"])
def test_a_cycler_repeats_itself_whatever_happens(moves):
    automaton = cycler("x", moves)
    assert answers(automaton, "CDDCDCDCDDCC") == (moves * 12)[:12]
    assert all(len(set(row)) == 1 for row in automaton.next_state)


def test_those_of_the_catalogue_are_the_catalogues_own():
    for human in HUMANS.values():
        if human.catalogue:
            assert human.automaton is CATALOGUE[human.catalogue]
            assert human.entrant.automaton is CATALOGUE[human.catalogue]


def test_none_of_the_others_is_in_the_catalogue():
    known = {(s.p_cooperate, s.next_state, s.start) for s in CATALOGUE.values()}
    new = [h.automaton for h in HUMANS.values() if h.automaton and not h.catalogue]
    assert not known & {(s.p_cooperate, s.next_state, s.start) for s in new}


def test_each_says_what_it_does_and_where_it_is_from():
    assert all(h.rule and h.citation for h in HUMANS.values())
    assert len(ELEVEN) == 11
    assert set(HUMANS) - set(ELEVEN) == {"Gradual"}


@pytest.fixture(scope="module")
def engine():
    from intent.arena.engines import engine_status, make_engine

    if all(engine_status().values()):
        pytest.skip("no engine of the sandbox runs on this machine")
    with make_engine(workers=1) as made:
        yield made


@pytest.mark.parametrize(
    ("name", "other", "play"),
    [
        ("GoByMajority", "DDC", "CDDDDDDDD"),
        ("GoByMajority", "CCD", "CCCCCCCCC"),
        ("Gradual", "DDC", "CDCCDDCCDDDCC"),
        ("Gradual", "C", "CCCC"),
        ("Prober", "CCD", "DCCDCC"),
        ("Prober", "DDC", "DCCCDD"),
        ("WinStayLoseShift", "D", "CDCDC"),
    ],
)
def test_play_in_the_sandbox(engine, name, other, play):
    from intent.arena.entrant import Entrant
    from intent.arena.match import Job, MatchRules, Played

    field = (HUMANS[name].entrant, Entrant("other", automaton=cycler("other", other)))
    (played,) = engine.play(field, [Job(0, 1, (0,))], MatchRules(turns=len(play)))
    assert isinstance(played, Played)
    assert "".join("DC"[move] for move in played.moves[0, 0]) == play
