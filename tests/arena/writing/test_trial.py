"""What is played before a strategy counts as one."""

from __future__ import annotations

import asyncio

import pytest
from writing_stand_ins import GOOD, JudgingEngine

from intent.arena.engines import make_engine
from intent.arena.match import MatchRules
from intent.arena.trial import Trial, try_out
from intent.base.errors import UsageError

RULES = MatchRules(turns=200)
BAD = GOOD.replace("C", "D  # BAD")


def test_short_matches_then_a_whole_one():
    engine = JudgingEngine()
    assert try_out(GOOD, engine, RULES) is None
    names = ("ALLC", "ALLD", "TFT", "RANDOM", "strategy")
    assert engine.played == [*((name, 30) for name in names), ("RANDOM", 200)]


def test_the_first_fault_ends_it_and_is_told_in_one_line():
    engine = JudgingEngine()
    said = "it raised an error in round 1 of 30 against ALLC: IndexError: list index out of range"
    assert try_out(BAD, engine, RULES) == said
    assert engine.played == [("ALLC", 30)]


def test_code_is_tried_once(tmp_path):
    async def twice(engine):
        trial = Trial(tmp_path, engine, RULES)
        found = await asyncio.gather(trial(GOOD), trial(BAD), trial(GOOD))
        trial.close()
        return found

    engine = JudgingEngine()
    assert [bool(said) for said in asyncio.run(twice(engine))] == [False, True, False]
    assert len(engine.played) == 7
    assert [bool(said) for said in asyncio.run(twice(engine))] == [False, True, False]
    assert len(engine.played) == 7


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("return axl.Action.C", None),
        ("return opponent.history[-1]", "it raised an error in round 1 of 30 against ALLC"),
        ("return len(self.history)", "no move"),
        (
            "if len(self.history) == 150:\n        return self.missing\n    return axl.Action.C",
            "in round 151 of 200 against RANDOM",
        ),
        ("return axl.Action.C if opponent.history.count(axl.Action.D) < 20 else 1 / 0", "against ALLD"),
        ("return axl.Action.C if len(self.history) < 1000 else nothing", None),
        (
            "return axl.Action.C if len(self.history) < 9 else nothing",
            "'nothing' is not defined; give it a value",
        ),
        ("return math if self.history else axl.Action.C", "in round 2 of 30 against ALLC: line 2: NameError"),
        ("return math if self.history else axl.Action.C", "name 'math' is not defined; use plain arithmetic"),
    ],
)
def test_in_the_sandbox(code, said):
    try:
        engine = make_engine("auto", workers=1)
    except UsageError as error:
        pytest.skip(str(error))
    with engine:
        found = try_out(f"def strategy(self, opponent):\n    {code}", engine, RULES)
    assert found is None if said is None else said in found
