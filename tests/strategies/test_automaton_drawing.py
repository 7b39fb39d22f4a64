"""Drawings of automata: arrows as the table says, nothing cut off."""

from __future__ import annotations

import numpy as np
import pytest

from intent.base.errors import UsageError
from intent.strategies.catalogue import Strategy, catalogue, strategy
from intent.strategies.figures import RADIUS, arrows, draw_automaton, places, write_automaton


def labels_of(name):
    return {(a.source, a.target): a.label for a in arrows(strategy(name))}


def test_tit_for_tat():
    assert labels_of("TFT") == {(0, 0): "CC (DC)", (0, 1): "CD (DD)", (1, 0): "DC (CC)", (1, 1): "DD (CD)"}


def test_what_happens_anyway_and_what_only_by_mistake():
    assert labels_of("ALLC") == {(0, 0): "any"}
    assert [a.label for a in arrows(strategy("GRIM")) if a.source == 0] == ["CC", "CD (DC, DD)"]
    assert any(a.by_mistake for a in arrows(strategy("EXTORT2")))


@pytest.mark.parametrize("s", catalogue(), ids=lambda s: s.name)
def test_arrows_hold_every_outcome_of_every_state_once(s):
    found = arrows(s)
    for state in s.reachable():
        own = [a for a in found if a.source == state]
        assert {a.target for a in own} == set(s.next_state[state])
        letters = sum(
            4 if a.label == "any" else len(a.label.replace("(", "").replace(")", "").replace(",", "").split())
            for a in own
        )
        assert letters == 4


@pytest.mark.parametrize("n", range(1, 13))
def test_states_do_not_touch(n):
    at = places(n)
    apart = [np.hypot(*(a - b)) for i, a in enumerate(at) for b in at[:i]]
    assert min(apart, default=9) > 2 * RADIUS


def test_the_same_bytes_and_the_same_words(tmp_path):
    for name in ("a.svg", "b.svg"):
        write_automaton(strategy("WSLS"), tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    texts = [text.get_text() for text in draw_automaton(strategy("GTFT")).axes[0].texts]
    assert {"start", "plays C", "P(C) .333"} <= set(texts)


def test_too_many_states():
    row = tuple((min(i + 1, 12),) * 4 for i in range(13))
    with pytest.raises(UsageError, match="13 states, expected at most 12"):
        draw_automaton(Strategy("long", (0.5,) * 13, row))
