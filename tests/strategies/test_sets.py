from __future__ import annotations

import itertools
import json

import numpy as np
import own_sets
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intent import Strategy, strategy, strategy_set
from intent.base.errors import DataError, IntentError, StrategyError, UnknownNameError
from intent.strategies.catalogue import CATALOGUE, OUTCOMES, SETS, named_set, same_play
from intent.strategies.likelihood import log_likelihood
from intent.strategies.sets import (
    facts_of,
    names_and_own,
    read_set,
    read_tables,
    strategies_in,
    strategy_tables,
)


@pytest.mark.parametrize("name", own_sets.FILES)
def test_every_form_of_file_is_the_same_set(tmp_path, name):
    path = own_sets.written(tmp_path, name)
    for chosen in (strategy_set(path), strategy_set(str(path)), strategy_set([path])):
        assert tuple(s.name for s in chosen) == own_sets.NAMES
        assert all(same_play(a, b) for a, b in zip(chosen, own_sets.strategies(), strict=True))


def test_shipped_sets_and_names_mean_what_they_meant():
    for name, (members, memory) in SETS.items():
        assert strategy_set(name) == tuple(CATALOGUE[m].with_memory(memory) for m in members)
    assert [s.name for s in strategy_set("GTFT(0.2),Pavlov")] == ["GTFT(0.2)", "WSLS"]


def test_files_and_names_stand_side_by_side(tmp_path):
    path = own_sets.written(tmp_path, "own.yaml")
    assert [s.name for s in strategy_set(f"ALLD,{path}")] == ["ALLD", *own_sets.NAMES]
    with pytest.raises(StrategyError, match="listed twice: TFT"):
        strategy_set(f"TFT,{path}")
    with pytest.raises(StrategyError, match=r"GTFT\(0.1\) and GTFT10 are the same automaton"):
        strategy_set(["GTFT(0.1)", path])


STATES = "{name: X, states: {a: {cooperate: 1, C: a, D: b}, b: {cooperate: 0, %s}}}"

WRONG = {
    "- {name: X, memory_one: [1, 1, 0, 1.5, 0]}": "own.yaml line 2: .*1.5.*less than or equal to 1",
    "- {name: X, memory_one: [1, 1, 0, 1]}": "line 2: .*4 probabilities, expected five: first, CC",
    "- {name: X, memory_one: {first: 1, CC: 1, CD: 0, DC: 1}}": "line 2: .*DD: Field required",
    "- {name: X, memory: once, same_as: TFT}": "line 2: .*memory is 'once'",
    "- {name: X, memory_one: [1, 1, 0, 1, 1/0]}": "line 2: .*'1/0': expected a number",
    "- {name: X, memoryone: [1, 1, 0, 1, 0]}": "line 2: unknown key .*did you mean memory_one",
    "- {name: X, memory_one: [1, 1, 0, 1, 0], same_as: TFT}": "X has same_as and memory_one, expected one of",
    "- {name: X}": "X has none of them, expected one of same_as, memory_one, states",
    "- {memory_one: [1, 1, 0, 1, 0]}": "line 2: a strategy without a name",
    "- TTF": "line 2: unknown strategy 'TTF'; did you mean",
    "- {name: TFT, memory_one: [1, 1, 0.2, 1, 0]}": "line 2: TFT is in the catalogue with another table",
    "- {name: Pavlov, same_as: TFT}": r"Pavlov \(a synonym of WSLS\) is in the catalogue with another table",
    "- {name: self, same_as: TFT}": "name 'self' means something else",
    "- {name: df2011, same_as: TFT}": "name 'df2011' means something else",
    "- {name: 'A,B', same_as: TFT}": "name 'A,B', expected letters",
    "- {name: own.yaml, same_as: TFT}": "name 'own.yaml', expected letters",
    "- " + STATES % "C: a, D: c": "line 2: X: the state after CD in b is 'c', which is no state",
    "- " + STATES % "C: a": r"line 2: X: state b misses CD \(D, or next\)",
    "- " + STATES.replace("D: b", "D: a") % "next: a": "line 2: X: state b is never reached from a",
    "- {name: X, start: c, states: {a: {cooperate: 1, next: a}}}": "X: start is 'c', which is no state",
    "- {name: X, start: a, same_as: TFT}": "start is a state, but there are no states",
    "- TFT\n- {name: Y, memory_one: [1, 1, 0, 1, 0]}": "own.yaml: TFT and Y are the same automaton",
    "- {name: X, same_as: WSLS}\n- {name: x, same_as: TFT}": r"the name 'x' is there twice \(X and x\)",
    "- {name: X, same_as: WSLS, synonyms: [Y]}\n- {name: Y, same_as: GRIM}": "the name 'Y' is there twice",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_cannot_be_is_one_line_that_says_where(tmp_path, text):
    path = tmp_path / "own.yaml"
    path.write_text(f"strategies:\n{text}\n", encoding="utf8")
    with pytest.raises(IntentError, match=WRONG[text]) as caught:
        strategy_set(path)
    assert "own.yaml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_are_none(tmp_path):
    for name, text, expected in (
        ("a.yaml", "strategies: []", "at least 1 item"),
        ("b.yaml", "name: x", "strategies: Field required"),
        ("c.yaml", "[1, 2", "not readable as YAML"),
        ("d.yaml", "strategies: [{name: X, same_as: TFT}]\nauthor: me", "line 2: unknown key 'author'"),
        ("e.py", "x = 1", "no strategy, expected a list STRATEGIES or functions"),
        ("f.py", "STRATEGIES = [open('x')]", r"line 1: open\('x'\) in STRATEGIES, expected names, numbers"),
        ("g.py", "STRATEGIES = load()", "line 1: STRATEGIES is no list"),
        ("h.py", "def f(:", "no Python"),
    ):
        path = tmp_path / name
        path.write_text(text, encoding="utf8")
        with pytest.raises(IntentError, match=expected):
            strategy_set(path)
    with pytest.raises(DataError, match=r"no such file: .*missing.yaml"):
        strategy_set("missing.yaml")
    with pytest.raises(UnknownNameError, match="unknown strategy 'nothing'"):
        strategy_set("nothing")


def test_a_set_is_bounded(tmp_path):
    path = tmp_path / "own.yaml"
    states = ", ".join(f"s{i}: {{cooperate: 1, next: s{i + 1}}}" for i in range(300))
    path.write_text(f"strategies: [{{name: X, states: {{{states}}}}}]", encoding="utf8")
    with pytest.raises(DataError, match="at most 256 items"):
        strategy_set(path)
    path.write_text("strategies: [" + "TFT, " * 201 + "]", encoding="utf8")
    with pytest.raises(DataError, match="at most 200 items"):
        strategy_set(path)


@st.composite
def automata(draw, name="A"):
    n = draw(st.integers(1, 3))
    chance = st.sampled_from((0.0, 0.3, 1.0))
    row = st.tuples(*[st.integers(0, n - 1)] * 4)
    return Strategy(
        name, draw(st.tuples(*[chance] * n)), draw(st.tuples(*[row] * n)), draw(st.integers(0, n - 1))
    )


@settings(max_examples=60, deadline=None)
@given(automata(), automata("B"))
def test_same_play_is_equal_likelihood_of_every_history(a, b):
    """Two automata of at most 3 states that differ do so within 3 + 3 - 1 rounds (Moore 1956)."""
    rounds = 5
    plays = np.array(list(itertools.product((0, 1), repeat=2 * rounds)), dtype=np.int8)
    own, other = plays[:, :rounds], plays[:, rounds:]
    one, two = (log_likelihood(own, other, None, [s], 0.1) for s in (a, b))
    assert same_play(a, b) == np.allclose(one, two)


def test_random_intentions_that_stay_hidden_are_told_apart():
    mixed = Strategy.memory_one("MIXED", 0.5, 0.9, 0.2, 0.7, 0.1)
    assert same_play(mixed, mixed.with_memory("intended")) is False
    assert same_play(strategy("GRIM").with_memory("intended"), strategy("GRUDGER").with_memory("intended"))
    assert not same_play(strategy("GRIM"), strategy("GRUDGER"))


def test_tables_come_back_and_the_catalogue_needs_none():
    own = own_sets.strategies()
    tables = json.loads(json.dumps(strategy_tables(own)))
    assert read_tables(tables) == own[1:]
    assert strategies_in(json.loads(json.dumps(facts_of(own)))) == own[1:]
    for name in SETS:
        assert facts_of(strategy_set(name)) == {}


def test_names_and_tables_need_no_file(tmp_path):
    text, own = names_and_own(str(own_sets.written(tmp_path, "own.yaml")))
    assert text == ",".join(own_sets.NAMES)
    assert [s.name for s in own] == list(own_sets.NAMES[1:])
    assert named_set(text, own) == (strategy("TFT"), *own)
    assert names_and_own("df2011") == ("df2011", ())
    with pytest.raises(StrategyError, match="TFT is in the catalogue with another table"):
        names_and_own([Strategy("TFT", (1.0,), ((0, 0, 0, 0),))])


@pytest.mark.parametrize(
    "tables",
    [
        3,
        [3],
        [{}] * 300,
        [{"name": "A\n", "p_cooperate": [1]}],
        [{"name": "A", "p_cooperate": [1], "next_state": [[0, 0, 0]], "start": 0, "memory": "realised"}],
        [{"name": "A", "p_cooperate": [2], "next_state": [[0] * 4], "start": 0, "memory": "realised"}],
        [{"name": "A", "p_cooperate": [1], "next_state": [[0.0] * 4], "start": 0, "memory": "realised"}],
        [{"name": "A", "p_cooperate": [1] * 5000, "next_state": [], "start": 0, "memory": "realised"}],
        [{"name": "A", "p_cooperate": ["nan"], "next_state": [[0] * 4], "start": 0, "memory": "realised"}],
    ],
)
def test_stored_tables_may_come_from_anyone(tables):
    with pytest.raises(StrategyError):
        read_tables(tables)


def test_names_of_strangers_open_no_file(tmp_path):
    path = own_sets.written(tmp_path, "own.yaml")
    with pytest.raises(UnknownNameError):
        named_set(str(path))


def test_the_set_that_is_shipped():
    own = {s.name: s for s in read_set("datasets/sets/noisy-play.yaml").strategies}
    assert list(own) == ["GTFT10", "EXTORT3", "EQUALIZER2", "PAVLOV93", "CONTRITE"]
    assert all(s.citation and s.rule for s in own.values())


def stationary_payoffs(p, q):
    """Payoffs a round of two memory-one vectors in the long run, T, R, P, S = 5, 3, 1, 0."""
    mirrored = (q[0], q[2], q[1], q[3])
    rows = [[a * b, a * (1 - b), (1 - a) * b, (1 - a) * (1 - b)] for a, b in zip(p, mirrored, strict=True)]
    state = np.full(4, 0.25) @ np.linalg.matrix_power(np.array(rows), 4096)
    return state @ [3, 0, 5, 1], state @ [3, 5, 0, 1]


def test_the_zero_determinant_strategies_enforce_what_they_are_named_for(rng):
    """EXTORT3 gets three times what the other gets above P; against EQUALIZER2 all get 2 (Press & Dyson)."""
    own = {s.name: s for s in strategy_set("datasets/sets/noisy-play.yaml")}
    for q in rng.uniform(0.05, 0.95, (20, 4)):
        mine, theirs = stationary_payoffs(own["EXTORT3"].memory_one_vector()[1:], q)
        assert mine - 1 == pytest.approx(3 * (theirs - 1))
        assert stationary_payoffs(own["EQUALIZER2"].memory_one_vector()[1:], q)[1] == pytest.approx(2)


def test_contrite_takes_its_punishment():
    """After a slip of its own it cooperates until it is forgiven; TFT would go on in turns."""
    contrite = strategy_set("datasets/sets/noisy-play.yaml")[-1]
    state, play = contrite.start, ""
    for own, other in ((1, 1), (0, 1), (1, 0), (1, 1), (1, 0), (0, 0), (0, 1)):
        play += "DC"[int(contrite.p_cooperate[state])]
        state = contrite.next_code(state, own, other)
    assert play == "CCCCCDD"
    assert OUTCOMES == ("CC", "CD", "DC", "DD")
