"""Automata against the rules in words, on every history of up to six rounds."""

from __future__ import annotations

import pytest
from rules_in_words import RULES

from intent.strategies.catalogue import CATALOGUE, Strategy

ROUNDS = 6


def differences(s: Strategy, state: int, own: str, other: str) -> list[tuple[str, str]]:
    """Histories from here on at which the automaton intends something else than the rule says."""
    found = [] if s.p_cooperate[state] == RULES[s.name](own, other) else [(own, other)]
    if len(own) < ROUNDS:
        for a in "CD":
            for b in "CD":
                found += differences(s, s.next_code(state, a == "C", b == "C"), own + a, other + b)
    return found


@pytest.mark.parametrize("s", CATALOGUE.values(), ids=lambda s: s.name)
def test_automaton_follows_its_rule(s):
    assert differences(s, s.start, "", "") == []


def test_no_strategy_without_a_rule():
    assert set(RULES) == set(CATALOGUE)
