"""What the source of a strategy tells by itself."""

from __future__ import annotations

import pytest

from intent.arena.inspection import code_facts
from intent.base.errors import StrategyError

SOURCE = """def strategy(self, opponent):
    if not self.history:
        self.count = 0
        return axl.Action.C
    for move in opponent.history:
        for other in range(min(3, len(self.history))):
            self.count += move == axl.Action.D
    if self.score < opponent.score or self._random.random_choice(0.1):
        return axl.Action.D
    if len(self.history) > self.match_attributes["length"] - 10:
        return axl.Action.D
    return opponent.history[-1]
"""


def test_names_loops_chance_scores_and_length_are_seen():
    facts = code_facts(SOURCE)
    assert facts.builtins == {"len": 2, "min": 1, "range": 1}
    assert facts.chance == {"random_choice": 1}
    assert (facts.loops, facts.nested_loops, facts.functions) == (2, 2, 0)
    assert facts.reads_scores
    assert facts.reads_length
    assert facts.whole_history
    assert facts.remembers == ("count",)


def test_a_look_at_the_last_move_is_no_whole_history():
    facts = code_facts("def strategy(self, opponent):\n    return opponent.history[-1]")
    assert not facts.whole_history
    assert not facts.reads_scores
    assert facts.lines == 2


@pytest.mark.parametrize(
    "source", ["opponent.history.count(axl.Action.D)", "list(opponent.history)", "[x for x in self.history]"]
)
def test_whole_histories(source):
    assert code_facts(f"def strategy(self, opponent):\n    return {source}").whole_history


@pytest.mark.parametrize("source", ["def strategy(:", "x" * 200_000, "(" * 5000, "a\0b"])
def test_what_is_no_python_is_an_error_of_one_line(source):
    with pytest.raises(StrategyError) as caught:
        code_facts(source)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("body", "loops", "nested"),
    [
        ("while self.x > 0:\n        self.x -= sum(m == axl.Action.C for m in self.history)", 2, 2),
        ("self.x = [a + b for a in range(3) for b in range(a)]", 2, 2),
        ("self.x = [sum(y) for y in self.x]\n    self.z = {y for y in self.x}", 2, 1),
    ],
)
def test_loops_of_every_kind_count(body, loops, nested):
    facts = code_facts(f"def strategy(self, opponent):\n    {body}\n    return axl.Action.C")
    assert (facts.loops, facts.nested_loops) == (loops, nested)
