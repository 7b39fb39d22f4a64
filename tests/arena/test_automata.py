"""Code becomes an automaton by its play; the oracle is the catalogue, written as code."""

from __future__ import annotations

import pytest

from intent import strategy, strategy_set
from intent.arena.automata import learned
from intent.arena.sources.reader import read_strategies
from intent.base.errors import DataError
from intent.strategies.catalogue import same_play

CODE = {
    "ALLD": "return axl.Action.D",
    "TFT": "return opponent.history[-1] if self.history else axl.Action.C",
    "DTFT": "return opponent.history[-1] if self.history else axl.Action.D",
    "WSLS": """
    if not self.history or self.history[-1] == opponent.history[-1]:
        return axl.Action.C
    return axl.Action.D""",
    "GRUDGER": "return axl.Action.D if opponent.defections else axl.Action.C",
    "GRIM": "return axl.Action.D if opponent.defections or self.defections else axl.Action.C",
    "TF3T": "return axl.Action.D if opponent.history[-3:].count(axl.Action.D) == 3 else axl.Action.C",
    "2TFT": "return axl.Action.D if opponent.history[-2:].count(axl.Action.D) else axl.Action.C",
    "DC": "return axl.Action.C if len(self.history) % 2 else axl.Action.D",
    "T2": """
    left = getattr(self, "left", 0)
    if left == 0 and self.history and axl.Action.D in (self.history[-1], opponent.history[-1]):
        self.left = 1
        return axl.Action.D
    if left == 1:
        self.left = -1
        return axl.Action.D
    self.left = 0
    return axl.Action.C""",
}
"""Name in the catalogue -> the body of a function that plays so."""


def file_of(folder, functions, name="mine.py"):
    path = folder / name
    parts = [f"def {key}(self, opponent):\n    {body.strip()}\n" for key, body in functions.items()]
    path.write_text("import axelrod as axl\n\n\n" + "\n\n".join(parts), encoding="utf8")
    return path


def test_code_of_the_catalogue_is_learned_as_the_catalogue_has_it(tmp_path):
    path = file_of(tmp_path, {f"MY_{name}": body for name, body in CODE.items()})
    chosen = {s.name.removeprefix("MY_"): s for s in strategy_set(path)}
    assert {name for name, s in chosen.items() if not same_play(s, strategy(name))} == set()
    assert chosen["TF3T"].n_states == 4
    assert "learned from its code (4 states" in chosen["TF3T"].rule


REFUSED = {
    "return self._random.random_choice(0.5)": "it draws random numbers",
    'return axl.Action.D if self.match_attributes["length"] == 5 else axl.Action.C': "asks for the length",
    "return axl.Action.D if len(self.history) > 90 else axl.Action.C": "no automaton of 64 states",
    "return axl.Action.D if opponent.defections > opponent.cooperations else axl.Action.C": "of 64 states",
    "return opponent.history[40]": "it fails in round 1",
}


@pytest.mark.parametrize(
    "body",
    [pytest.param(body, marks=pytest.mark.slow if "64" in why else ()) for body, why in REFUSED.items()],
)
def test_what_has_no_table_is_refused_and_can_still_be_played(tmp_path, body):
    path = file_of(tmp_path, {"MINE": body})
    with pytest.raises(DataError, match=REFUSED[body]) as caught:
        strategy_set(path)
    assert str(caught.value).startswith("mine.py line 4: MINE has no table")
    assert "intent tournament plays it as code" in str(caught.value)
    assert [e.name for e in read_strategies(path).entrants] == ["MINE"]


def test_a_counter_that_is_short_enough_is_learned(tmp_path):
    """What play seldom shows is found by what it does next: D for ever after 20 rounds."""
    path = file_of(tmp_path, {"MINE": "return axl.Action.D if len(self.history) >= 20 else axl.Action.C"})
    (entrant,) = read_strategies(path).entrants
    automaton = learned(entrant)
    assert automaton.n_states == 21
    state, play = automaton.start, ""
    for _ in range(25):
        play += "DC"[int(automaton.p_cooperate[state])]
        state = automaton.next_code(state, 1, 1)
    assert play == "C" * 20 + "D" * 5


def test_own_slips_count_where_the_code_counts_them(tmp_path):
    """It answers its own slip, which no play without noise would show."""
    body = "return axl.Action.D if self.history and self.history[-1] == axl.Action.D else axl.Action.C"
    (mine,) = strategy_set(file_of(tmp_path, {"MINE": body}))
    assert mine.memory_one_vector() == (1, 1, 1, 0, 0)


def test_files_of_values_play_in_tournaments(tmp_path):
    path = tmp_path / "own.yaml"
    path.write_text("strategies: [TFT, {name: X, memory_one: [0, 0, 0, 1, 1]}]", encoding="utf8")
    (tmp_path / "bad.yaml").write_text("strategies: [TTF]", encoding="utf8")
    strategies = read_strategies([path, tmp_path / "bad.yaml"])
    assert [(e.name, e.automaton is not None) for e in strategies.entrants] == [("TFT", True), ("X", True)]
    (failed,) = strategies.failed
    assert failed.name == "bad"
    assert "did you mean" in failed.reason


def test_a_python_file_declares_and_defines(tmp_path):
    path = file_of(tmp_path, {"MINE": CODE["TFT"], "OTHER": "return axl.Action.D"})
    path.write_text(path.read_text() + '\nSTRATEGIES = ["WSLS", MINE]\n')
    assert [s.name for s in strategy_set(path)] == ["WSLS", "MINE"]
    entrants = read_strategies(path).entrants
    assert [(e.name, e.automaton is not None) for e in entrants] == [
        ("MINE", False),
        ("OTHER", False),
        ("WSLS", True),
    ]
