"""Slips of models are put right; what passes the gate keeps its meaning."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategy_files import BUSY

from intent.arena.sources.gate import gate, problems
from intent.arena.sources.slips import mend


def expression(text: str) -> str:
    return f"def strategy(self, opponent):\n    x = {text}\n    return axl.Action.C\n"


@pytest.mark.parametrize(
    ("slip", "meant"),
    [
        ("axl.C", "axl.Action.C"),
        ("axl.DEFECT", "axl.Action.D"),
        ("Action.C", "axl.Action.C"),
        ("axl.Action.COOPERATE", "axl.Action.C"),
        ("axelrod.Action.D", "axl.Action.D"),
        ("axl.action.Action.C.flip()", "axl.Action.C.flip()"),
        ("[C, D, DEFECT]", "[axl.Action.C, axl.Action.D, axl.Action.D]"),
        ("opponent.history[-1] == 'D'", "opponent.history[-1] == axl.Action.D"),
        ("'C' in self.history", "axl.Action.C in self.history"),
        ("self.history[-1] in ['C']", "self.history[-1] in [axl.Action.C]"),
        ("self.history.count('D')", "self.history.count(axl.Action.D)"),
        ("self._random.rand()", "self._random.random()"),
        ("self._random.integers(0, 3)", "self._random.randint(0, 3)"),
        ("_random.random()", "self._random.random()"),
        ("random.random()", "self._random.random()"),
        ("random.choice([C, D])", "self._random.choice([axl.Action.C, axl.Action.D])"),
        ("random.randint(1, 6)", "self._random.randint(1, 6 + 1)"),
        ("np.random.randint(1, 6)", "self._random.randint(1, 6)"),
        ("axl.random_choice(0.3)", "self._random.random_choice(0.3)"),
        ("match_length", "self.match_attributes['length']"),
        ("self.match_length", "self.match_attributes['length']"),
        ("self.match_attributes.length", "self.match_attributes['length']"),
    ],
)
def test_slips(slip: str, meant: str) -> None:
    assert problems(expression(slip))
    assert gate(mend(expression(slip))) == expression(meant)


def test_returned_texts_are_moves_by_whatever_name() -> None:
    source = """
def strategy(self, opponent):
    move = "C" if self.history else 'D'
    if move == "D":
        return "D"
    label = "C"
    return move
"""
    assert gate(mend(source)) == (
        "def strategy(self, opponent):\n"
        "    move = axl.Action.C if self.history else axl.Action.D\n"
        "    if move == axl.Action.D:\n"
        "        return axl.Action.D\n"
        "    label = 'C'\n"
        "    return move\n"
    )


@pytest.mark.parametrize(
    "source",
    [
        "def strategy(self, opponent):\n    return axl.Action.C",
        "def strategy(opponent):\n    return axl.Action.C",
        "def strategy(self):\n    return axl.Action.C",
        "def nice_player(self, opponent: Player) -> Action:\n    '''Nice.'''\n    return C",
        "import axelrod as axl\nfrom axelrod import C\n\ndef strategy(self, opponent):\n    return C",
        "def strategy(self, opponent):\n    import random\n    return axl.Action.C",
        "class Nice(axl.Player):\n  '''Nice.'''\n  name = 'Nice'\n\n  @auto_update_score\n"
        "  def strategy(self, opponent):\n    return axl.Action.C",
    ],
)
def test_what_is_around_the_function_goes(source: str) -> None:
    assert gate(mend(source)) == "def strategy(self, opponent):\n    return axl.Action.C\n"


def test_helpers_move_in() -> None:
    source = (
        "C, D = axl.Action.C, axl.Action.D\n\ndef last(h):\n    return h[-1] if h else C\n\n"
        "def strategy(self, opponent):\n    return last(opponent.history)\n"
    )
    mended = gate(mend(source))
    assert mended.startswith("def strategy(self, opponent):\n    C, D = (axl.Action.C, axl.Action.D)\n")
    assert "    def last(h):" in mended


@pytest.mark.parametrize(
    "source", ["", "no code", "def f(:", "x = 1", "class A:\n  def a(s): pass\n  def b(s): pass"]
)
def test_what_is_past_mending_stays(source: str) -> None:
    assert mend(source) == source


def test_names_of_its_own_stay() -> None:
    source = "def strategy(self, opponent):\n    C = axl.Action.D\n    match_length = 3\n    return C\n"
    assert mend(source) == gate(source) == source


PIECES = [
    "if opponent.history.count(axl.Action.D) > 2:\n        return axl.Action.D",
    "self.mood = 'C'",
    "x = self._random.randint(0, 3)",
    "y = [h.flip() for h in self.history[-3:]]",
    "C = axl.Action.D",
    "random = self._random",
    "z = random.random() if len(self.history) > 3 else 0",
    "label = {'D': 1}['D']",
    "match_length = self.match_attributes['length']",
]


@given(st.lists(st.sampled_from(PIECES), max_size=6))
def test_what_passes_the_gate_is_not_touched(pieces: list[str]) -> None:
    source = (
        "def strategy(self, opponent):\n"
        + "".join(f"    {p}\n" for p in pieces)
        + "    return axl.Action.C\n"
    )
    if not problems(source):
        assert mend(gate(source)) == gate(source)


def test_the_busy_one_is_not_touched() -> None:
    assert mend(gate(BUSY)) == gate(BUSY)
