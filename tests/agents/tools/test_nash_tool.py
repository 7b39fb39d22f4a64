"""The advice of the tools, against best replies found one by one."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from agent_plans import BATTLE, GOODS, plan_of
from hypothesis import example, given
from hypothesis import strategies as st
from stub_asks import with_seat

from intent.agents.tools import (
    ARGUMENTS,
    FixedAdvice,
    NashAdvice,
    advised_label,
    best_actions,
    read_number,
    read_numbers,
)
from intent.base.errors import MissingExtraError, UsageError
from intent.games.equilibria import pure_equilibria
from intent.games.game import MatrixGame

pytest.importorskip("nashpy")

THESIS = {"Dilemma": (0, 5, 10, 15), "Delight": (15, 10, 5, 0), "Confusion": (5, 0, 10, 15)}
"""Years in prison: temptation, reward, punishment, sucker (Cremonini 2025, table 2.1)."""

number = st.integers(-20, 20) | st.floats(-1e6, 1e6)


def years(name: str) -> MatrixGame:
    game = MatrixGame.from_trps(name, *THESIS[name], kind="penalty", actions=("Cooperate", "Defect"))
    return MatrixGame(name, game.actions, game.payoffs, "penalty", cooperate="Cooperate")


def tool(name: str, attitude: str | None = "compute") -> NashAdvice:
    return NashAdvice.of(with_seat(plan_of("m", "scripted/TFT", stage=years(name)), attitude=attitude), 1)


def stated(*values: object) -> str:
    return json.dumps(dict(zip(ARGUMENTS, values, strict=True)))


@example(5e-324, 0, 0, 2)
@given(number, number, number, number)
def test_best_actions_are_symmetric_equilibria_by_brute_force(t: float, r: float, p: float, s: float) -> None:
    both = tuple(cooperates for cooperates, best in ((True, r >= t), (False, p >= s)) if best)
    assert best_actions(t, r, p, s) == (both or (True, False))


@given(*[st.integers(-3, 3)] * 4)
def test_best_actions_agree_with_the_catalogue_of_equilibria(t: int, r: int, p: int, s: int) -> None:
    pure = pure_equilibria(MatrixGame.from_trps("g", t, r, p, s))
    alike = tuple(a == "C" for a, b in pure if a == b)
    assert best_actions(t, r, p, s) == (alike or (True, False))


@pytest.mark.parametrize(
    ("name", "best"),
    [("Dilemma", ("Defect",)), ("Delight", ("Cooperate",)), ("Confusion", ("Cooperate", "Defect"))],
)
def test_the_games_of_the_thesis_in_years(name: str, best: tuple[str, ...]) -> None:
    advice = tool(name).advise(stated(*THESIS[name]), np.random.default_rng(0))
    assert (advice.best, advice.right, advice.action in best) == (best, True, True)


def test_a_mixed_equilibrium_close_to_a_pure_one_is_none() -> None:
    assert best_actions(1e9, 0, 0, 0.001) == (True, False)
    assert best_actions(1e-300, 0, 0, 1) == (True, False)


def test_two_best_actions_are_drawn_about_equally() -> None:
    rng, adviser = np.random.default_rng(1), tool("Confusion")
    drawn = [adviser.advise(stated(5, 0, 10, 15), rng).action for _ in range(400)]
    assert 160 < drawn.count("Cooperate") < 240


def test_swapped_payoffs_are_advised_on_and_noted() -> None:
    advice = tool("Dilemma").advise(stated(15, 10, 5, 0), np.random.default_rng(0))
    assert (advice.action, advice.right) == ("Cooperate", False)
    assert dict(advice.stated) == dict(zip(ARGUMENTS, (15, 10, 5, 0), strict=True))


def test_every_readable_call_draws_once_and_no_other() -> None:
    for arguments, draws in ((stated(*THESIS["Dilemma"]), 1), (stated(5, 0, 10, 15), 1), ("{}", 0)):
        rng, twin = np.random.default_rng(2), np.random.default_rng(2)
        tool("Dilemma").advise(arguments, rng)
        twin.random(draws)
        assert rng.random() == twin.random()


@pytest.mark.parametrize(
    ("said", "value"),
    [
        (5, 5.0),
        (2.5, 2.5),
        (-1, -1.0),
        ("5", 5.0),
        ("5 years", 5.0),
        ("about −2,5 points", -2.5),
        ("٥ سنوات", 5.0),
        ("٢٫٥", 2.5),
        ("۱۰", 10.0),
        ("５年", 5.0),
        ("15 năm", 15.0),
        ("1e3", 1000.0),
        ("five", None),
        ("十五", None),
        ("5 or 10", None),
        ("5-10", None),
        ("1,000", None),
        ("1.2.3", None),
        ("", None),
        ("9" * 400, None),
        ("9" * 90, None),
        (10**400, None),
        (1e10, None),
        (float("nan"), None),
        (float("inf"), None),
        (True, None),
        (None, None),
        ([5], None),
    ],
)
def test_numbers_as_models_write_them(said: object, value: float | None) -> None:
    assert read_number(said) == value


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (stated(1, "five", 2, None), 'reward: "five", sucker: null'),
        ('{"temptation": 1}', "reward: null, punishment: null, sucker: null"),
        ("[1, 2, 3, 4]", "[1, 2, 3, 4]"),
        ("", "{}"),
        ("{" * 5000, None),
        ('{"temptation": NaN, "reward": 1, "punishment": 1, "sucker": 1}', "temptation: NaN"),
    ],
)
def test_arguments_that_cannot_be_read(arguments: str, problem: str | None) -> None:
    read = read_numbers(arguments, ARGUMENTS)
    assert read.values == ()
    assert read.problem == problem or problem is None


def test_arguments_in_any_case_with_more_beside() -> None:
    read = read_numbers('{"Temptation": "5", " REWARD": 1, "punishment": 2, "sucker": 3, "x": []}', ARGUMENTS)
    assert (read.values, read.as_text) == ((5.0, 1.0, 2.0, 3.0), True)


@pytest.mark.parametrize(
    ("attitude", "label"), [("cooperate", "OptionB"), ("defect", "OptionA"), ("compute", None), (None, None)]
)
def test_attitudes_mean_labels_of_the_game(attitude: str | None, label: str | None) -> None:
    plan = with_seat(plan_of("m", "m", stage="prisoner-dilemma-conventional"), attitude=attitude)
    assert advised_label(plan, 1) == label


def test_attitudes_follow_a_declared_cooperation_and_may_name_a_label() -> None:
    plan = plan_of("m", "m", stage=years("Delight"))
    assert advised_label(with_seat(plan, attitude="cooperate"), 1) == "Cooperate"
    bare = plan.model_copy(update={"cooperate": None})
    assert advised_label(with_seat(bare, attitude="cooperate"), 1) == "Defect"
    assert advised_label(with_seat(bare, attitude="Cooperate"), 1) == "Cooperate"
    pool = with_seat(plan_of("m", "m", "m", stage=GOODS), attitude="defect")
    assert advised_label(pool, 1) == GOODS.actions[1]


@pytest.mark.parametrize(
    ("stage", "attitude", "made", "problem"),
    [
        ("prisoner-dilemma-trps", "kind", FixedAdvice, "attitude 'kind', expected one of cooperate, defect"),
        ("prisoner-dilemma-trps", "compute", FixedAdvice, "tool fixed with attitude compute"),
        ("prisoner-dilemma-trps", None, FixedAdvice, "tool fixed with attitude None"),
        ("prisoner-dilemma-trps", "defect", NashAdvice, "tool nash with attitude defect"),
        (BATTLE, "cooperate", FixedAdvice, "no action is cooperation; expected compute or one of"),
        (BATTLE, "compute", NashAdvice, "expected a symmetric game of two players"),
        (GOODS, "compute", NashAdvice, "expected a symmetric game of two players"),
    ],
)
def test_what_no_tool_can_advise_is_refused(stage, attitude, made, problem) -> None:
    players = ["m"] * (3 if stage is GOODS else 2)
    with pytest.raises(UsageError, match=problem):
        made.of(with_seat(plan_of(*players, stage=stage), attitude=attitude), 1)


def test_without_the_library_no_game_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nashpy", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'strategy-intent\[games\]'"):
        tool("Dilemma")
