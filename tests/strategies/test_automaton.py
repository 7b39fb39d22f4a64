"""What an automaton is, and what it refuses to be."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

import pytest

from intent.base.errors import StrategyError
from intent.strategies.catalogue import CATALOGUE, OUTCOMES, Strategy, outcome_code, strategy

STAY = ((0, 0, 0, 0),)


def test_outcomes_have_the_own_move_first():
    assert [OUTCOMES[outcome_code(a, b)] for a, b in ((1, 1), (1, 0), (0, 1), (0, 0))] == [
        "CC",
        "CD",
        "DC",
        "DD",
    ]


@pytest.mark.parametrize(
    ("name", "vector"),
    [
        ("ALLC", (1, 1, 1, 1, 1)),
        ("ALLD", (0, 0, 0, 0, 0)),
        ("RANDOM", (0.5, 0.5, 0.5, 0.5, 0.5)),
        ("TFT", (1, 1, 0, 1, 0)),
        ("DTFT", (0, 1, 0, 1, 0)),
        ("WSLS", (1, 1, 0, 0, 1)),
        ("GTFT", (1, 1, 1 / 3, 1, 1 / 3)),
        ("CTOD", (1, 0, 0, 0, 0)),
        ("FBF", (1, 1, 0, 1, 2 / 3)),
        ("EXTORT2", (1, 8 / 9, 1 / 2, 1 / 3, 0)),
        ("ZDGTFT2", (1, 1, 1 / 8, 1, 1 / 4)),
        ("BULLY", (0, 0, 1, 0, 1)),
    ],
)
def test_memory_one_vectors(name, vector):
    assert CATALOGUE[name].memory_one_vector() == vector


def test_all_others_remember_more():
    longer = " ".join(s.name for s in CATALOGUE.values() if s.memory_one_vector() is None)
    assert longer == ("GRIM GRUDGER GRIM2 GRIM3 TF2T TF3T 2TFT 2TF2T T2 2WSLS DC DTF2T DTF3T DGRIM2 DGRIM3")


def test_memory_one_merges_equal_states():
    tft = Strategy.memory_one("TFT", 1, 1, 0, 1, 0)
    assert (tft.p_cooperate, tft.next_state) == ((1, 0), ((0, 1, 0, 1), (0, 1, 0, 1)))
    assert Strategy.memory_one("ALLC", 1, 1, 1, 1, 1).n_states == 1


def test_equal_tables_are_equal_and_hash_alike():
    again = Strategy("TFT", (1.0, 0.0), ((0, 1, 0, 1), (0, 1, 0, 1)))
    assert again == Strategy("TFT", (1.0, 0.0), ((0, 1, 0, 1), (0, 1, 0, 1)))
    assert hash(again) == hash(strategy("TFT"))
    assert again != again.with_memory("intended")


@pytest.mark.parametrize("salt", ["1", "2"])
def test_pickled_in_another_process_is_equal_and_hashes_alike(salt):
    code = (
        "import pickle, sys; from intent.strategies.catalogue import strategy;"
        "sys.stdout.buffer.write(pickle.dumps(strategy('GTFT(0.1)').with_memory('intended')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": salt},
        capture_output=True,
        check=True,
    )
    travelled = pickle.loads(done.stdout)  # noqa: S301 - written one line above
    here = strategy("GTFT(0.1)").with_memory("intended")
    assert travelled == here
    assert {here: "found"}[travelled] == "found"


def test_intended_memory_of_a_deterministic_automaton_ignores_its_own_slips():
    p, following = strategy("WSLS").with_memory("intended").arrays()
    assert p.tolist() == [1, 0]
    assert following.tolist() == [[0, 1, 0, 1], [1, 0, 1, 0]]


@pytest.mark.parametrize("memory", ["realised", "intended"])
def test_only_hidden_random_intentions_hide_the_path(memory):
    hidden = {s.name for s in CATALOGUE.values() if not s.with_memory(memory).observed_path}
    stochastic = {"RANDOM", "GTFT", "FBF", "EXTORT2", "ZDGTFT2"}
    assert hidden == (stochastic if memory == "intended" else set())


@pytest.mark.parametrize(
    ("p", "following", "start", "message"),
    [
        ((), (), 0, "at least one state"),
        ((1.2,), STAY, 0, r"P\(cooperate\) of state 0 is 1.2, expected \[0, 1\]"),
        ((float("nan"),), STAY, 0, "is nan, expected"),
        ((1.0, 0.0), STAY, 0, "2 states but 1 rows"),
        ((1.0,), ((0, 0, 0, 1),), 0, r"next states \(0, 0, 0, 1\) of state 0, expected four of 0..0"),
        ((1.0,), ((0, 0, 0),), 0, "expected four"),
        ((1.0,), STAY, 1, "start state 1, expected 0..0"),
    ],
)
def test_tables_that_are_no_automaton(p, following, start, message):
    with pytest.raises(StrategyError, match=f"BROKEN: .*{message}"):
        Strategy("BROKEN", p, following, start)


def test_unknown_memory():
    with pytest.raises(StrategyError, match="memory 'elephant', expected 'realised' or 'intended'"):
        Strategy("BROKEN", (1.0,), STAY, memory="elephant")  # type: ignore[arg-type]


def test_reachable_states_in_order_of_discovery():
    assert strategy("T2").reachable() == (0, 1, 2)
    assert Strategy("ISLAND", (1.0, 0.0), ((0, 0, 0, 0), (0, 0, 0, 0))).reachable() == (0,)
