"""Fields by name."""

from __future__ import annotations

import pytest

from intent.arena.entrant import Entrant
from intent.arena.field import catalogue_entrants, humans, join_fields, opponents
from intent.base.errors import StrategyError, UnknownNameError, UsageError
from intent.strategies.catalogue import CATALOGUE


def names(entrants) -> list[str]:
    return [e.name for e in entrants]


def test_the_eleven_in_the_order_of_the_published_tournament():
    assert " ".join(names(humans())) == (
        "Cooperator Defector Random TitForTat Grudger CyclerDDC CyclerCCD GoByMajority SuspiciousTitForTat "
        "Prober WinStayLoseShift"
    )
    assert {e.group for e in humans()} == {"human"}


def test_the_catalogue_is_a_field():
    assert names(catalogue_entrants()) == list(CATALOGUE)
    assert names(catalogue_entrants("canonical4")) == ["ALLC", "ALLD", "TFT", "WSLS"]
    assert all(e.automaton == CATALOGUE[e.name] and e.group == "catalogue" for e in catalogue_entrants())


def test_a_strategy_with_two_names_enters_once():
    both = opponents("humans,catalogue")
    assert len(both) == 11 + len(CATALOGUE) - 7
    assert len({e.digest for e in both}) == len(both)
    left_out = set(CATALOGUE) - set(names(both))
    assert left_out == {"ALLC", "ALLD", "RANDOM", "TFT", "GRUDGER", "DTFT", "WSLS"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Gradual", ["Gradual"]),
        (" tft , GTFT(0.1)", ["TFT", "GTFT(0.1)"]),
        ("canonical4,Cooperator,Prober", ["ALLC", "ALLD", "TFT", "WSLS", "Prober"]),
        ("prober", ["Prober"]),
        ("GRUDGER", ["GRUDGER"]),
        ("Grudger", ["Grudger"]),
        ("GTFT(0.1),GTFT(0.2)", ["GTFT(0.1)", "GTFT(0.2)"]),
    ],
)
def test_opponents_by_name(text, expected):
    assert names(opponents(text)) == expected


def test_an_unknown_opponent_is_suggested():
    with pytest.raises(UnknownNameError, match="unknown opponent 'Probber'; did you mean Prober"):
        opponents("humans,Probber")
    with pytest.raises(UsageError, match="no opponents"):
        opponents(" , ")
    with pytest.raises(StrategyError, match="probability"):
        opponents("GTFT(2)")


def test_a_taken_name_gets_its_group():
    mine = Entrant("TFT", source="def strategy(self, opponent):\n    return axl.Action.C\n", group="Neutral")
    assert names(join_fields([mine], opponents("canonical4"))) == [
        "TFT",
        "ALLC",
        "ALLD",
        "TFT (catalogue)",
        "WSLS",
    ]
    with pytest.raises(StrategyError, match="two strategies are named 'TFT \\(Neutral\\)'"):
        join_fields([mine, mine, mine])


def test_only_those_who_draw_are_seeded_among_people():
    assert [e.name for e in (*humans(), *opponents("Gradual")) if e.seeded] == ["Random"]
    written = Entrant("A", source="def strategy(self, opponent):\n    return axl.Action.C\n")
    assert written.seeded
    assert not any(e.keeps_score for e in humans())


def test_keeping_a_score_is_part_of_how_it_plays():
    text = "def strategy(self, opponent):\n    return axl.Action.C\n"
    assert Entrant("A", text).digest != Entrant("A", text, scored=False).digest
