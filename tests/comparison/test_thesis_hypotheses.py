"""Verdicts on tables whose truth is known."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

from experiments.agent_architectures.hypotheses import judge
from intent.comparison.differences import Trial, contrast, level_above, verdict_of

GAMES = ("dilemma", "delight", "confusion")


def table(rates, **columns) -> pd.DataFrame:  # type: ignore[no-untyped-def]
    """The thesis's grid for two models; `rates` gives the cooperation rate of a row."""
    rows = []
    agents = [("plain", None), *product(("tool", "debate"), ("cooperate", "defect", "compute"))]
    for model, (architecture, attitude), opponent, rounds, game in product(
        "ab", agents, ("ALLC", "ALLD", "TFT"), (10, 20), GAMES
    ):
        row = {"model": model, "architecture": architecture, "attitude": attitude, "opponent": opponent}
        row |= {"rounds": rounds, "incentive": game, "game_id": f"g{len(rows)}"}
        row["cooperation_rate"] = rates(row)
        rows.append(row | {name: value(row) for name, value in columns.items()})
    return pd.DataFrame(rows)


def verdicts(rows: pd.DataFrame) -> dict[str, str]:
    found = judge(rows, Trial(np.random.default_rng(0), samples=500))
    return {one.hypothesis.name: one.verdict for one in found}


def obedient(row: dict[str, object]) -> float:
    best = {"dilemma": 0.0, "delight": 1.0, "confusion": 0.5}[str(row["incentive"])]
    return {"cooperate": 1.0, "defect": 0.0}.get(str(row["attitude"]), best)


def test_an_obedient_agent_supports_the_hypotheses_on_advice() -> None:
    found = verdicts(table(obedient))
    assert (found["HT1"], found["HT2"]) == ("supported", "supported")


def test_a_contrary_agent_refutes_them() -> None:
    found = verdicts(table(lambda row: 1 - obedient(row)))
    assert (found["HT1"], found["HT2"]) == ("not supported", "not supported")


def test_one_payoff_structure_that_resists_is_enough_to_refute() -> None:
    rows = table(lambda row: 0.1 if row["incentive"] == "dilemma" else obedient(row))
    assert verdicts(rows)["HT1"] == "not supported"


def test_coin_flips_leave_everything_undecided() -> None:
    rng = np.random.default_rng(5)
    flips = lambda row: rng.binomial(row["rounds"], 0.5) / row["rounds"]  # noqa: E731
    names = ("maximum_correct", "minimum_correct", "opponent_next_correct", "forgiveness", "troublemaking")
    found = verdicts(table(flips, **dict.fromkeys((*names, "states"), flips)))
    assert set(found.values()) == {"undecided"}


def test_what_stands_beside_a_verdict_speaks_of_advice_calls_and_opponents() -> None:
    advised = lambda row: 1.0 if row["attitude"] else np.nan  # noqa: E731
    nash = lambda row: obedient(row) if row["incentive"] == "delight" else 1 - obedient(row)  # noqa: E731
    rows = table(obedient, adherence=advised, tool_use=advised, nash_consistency=nash, forgiveness=obedient)
    found = {
        one.hypothesis.name: one.beside for one in judge(rows, Trial(np.random.default_rng(0), samples=300))
    }
    assert [part.status for part in found["HT1"]] == ["met", "met", "met", "met"]
    assert [part.estimate for part in found["HT1"]] == [1.0, -1.0, 1.0, -1.0]
    assert [part.estimate for part in found["HT2"]][1] == 1.0
    assert found["HD2"][0].what == "forgiveness against ALLC, debate less tool"
    assert found["HD3"][0].estimate == 0.0


def test_what_a_log_does_not_hold_is_undecided_and_says_so() -> None:
    rows = table(obedient)
    found = judge(rows[rows["architecture"] == "plain"], Trial(np.random.default_rng(0), samples=100))
    assert {one.verdict for one in found} == {"undecided"}
    assert "no such games" in found[0].evidence


def by_architecture(better: str, high: float, low: float):  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(2)
    return lambda row: rng.normal(high if row["architecture"] == better else low, 0.05)


def test_debates_that_are_what_the_thesis_hoped_for_are_found() -> None:
    rows = table(
        obedient,
        states=by_architecture("debate", 2, 1),
        forgiveness=by_architecture("debate", 0.8, 0.3),
        troublemaking=by_architecture("debate", 0.1, 0.4),
        opponent_next_correct=by_architecture("debate", 0.9, 0.7),
    )
    found = verdicts(rows)
    assert [found[name] for name in ("HD1", "HD2", "HD3")] == ["supported"] * 3


def test_debates_as_the_thesis_found_them_are_not_supported() -> None:
    rows = table(
        obedient,
        forgiveness=by_architecture("debate", 0.34, 0.24),
        troublemaking=by_architecture("debate", 0.53, 0.31),
        opponent_next_correct=by_architecture("debate", 0.49, 0.64),
    )
    found = verdicts(rows)
    assert (found["HD2"], found["HD3"]) == ("not supported", "not supported")


def test_accuracy_of_one_extreme_is_not_accuracy_of_both() -> None:
    def right(row: dict[str, object]) -> float:
        return 0.9 if (row["architecture"], row["attitude"]) == ("tool", "compute") else 0.5

    rows = table(obedient, maximum_correct=right, minimum_correct=lambda row: 0.5)
    assert verdicts(rows)["HT3"] == "undecided"
    both = table(obedient, maximum_correct=right, minimum_correct=right)
    assert verdicts(both)["HT3"] == "supported"


def test_a_mean_of_few_games_decides_nothing() -> None:
    trial = Trial(np.random.default_rng(0), samples=200)
    assert level_above("x", np.ones(4), 0.5, trial).status == "open"
    assert level_above("x", np.ones(6), 0.5, trial).status == "met"
    assert level_above("x", np.ones(6), 0.5, trial).low == pytest.approx(0.025 ** (1 / 6))
    few = np.zeros(4, dtype=int)
    assert contrast("x", np.ones(4), np.zeros(4), (few, few), 1, trial).status == "open"


def test_conditions_that_both_groups_share_do_not_blur_a_difference() -> None:
    trial = Trial(np.random.default_rng(0), samples=999)
    blocks = np.arange(12)
    first, second = blocks / 12 + 0.05, blocks / 12
    apart = contrast("x", first, second, (blocks, blocks), 1, trial)
    blurred = contrast("x", first, second, (0 * blocks, 0 * blocks), 1, trial)
    assert apart.p < 0.01 < 0.5 < blurred.p


def test_equal_groups_are_rarely_told_apart() -> None:
    rng = np.random.default_rng(1)
    none = np.zeros(20, dtype=int)
    found = [
        contrast("x", rng.random(20), rng.random(20), (none, none), 1, Trial(rng, samples=200)).status
        for _ in range(200)
    ]
    assert found.count("met") <= 10
    assert verdict_of([]) == "undecided"
