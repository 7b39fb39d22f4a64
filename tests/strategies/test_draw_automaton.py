"""An automaton as text."""

from __future__ import annotations

from intent.strategies.catalogue import Strategy, draw_automaton, state_names, strategy


def test_states_are_named_by_what_they_play():
    assert state_names(strategy("2TF2T")) == ("C1", "C2", "D3", "D4")
    assert state_names(strategy("GTFT")) == ("C1", "M2")


def test_grim_as_text():
    start, again, leave, defect, forever = draw_automaton(strategy("GRIM")).splitlines()
    assert start == " → (C1) plays C"
    assert again.split() == ["├─", "CC", "──▶", "stays"]
    assert leave.split() == ["└─", "CD,", "DC,", "DD", "──▶", "(D2)"]
    assert defect == "   (D2) plays D"
    assert forever.split() == ["└─", "any", "outcome", "──▶", "stays"]


def test_probabilities_are_written_out():
    assert "plays C with probability 0.3333" in draw_automaton(strategy("GTFT"))


def test_states_out_of_reach_are_not_drawn():
    island = Strategy("ISLAND", (1.0, 0.0), ((0, 0, 0, 0), (0, 0, 0, 0)))
    assert "D2" not in draw_automaton(island)
