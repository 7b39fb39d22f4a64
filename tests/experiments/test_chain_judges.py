"""The verdicts on single sets, from payoffs and cooperation that leave one answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from experiments.llm_strategies import claims as judges
from experiments.llm_strategies.sets import ChainSet, Outcome
from intent.arena.entrant import ATTITUDES
from intent.arena.validation import AttitudeVerdict, Validation
from intent.base.statistics import Interval
from intent.comparison.differences import Part

SHARE = Interval(0.0, 0.0, 0.1)
DOMINATED = [[1, 1, 1], [2, 2, 2], [3, 3, 3]]
STABLE = [[3, 5, 5], [1, 3, 3], [2, 3, 3]]
BOTH = ("Cooperative", "Neutral")


def made(
    payoffs=STABLE, names=ATTITUDES, n=25, spread=0.1, others=BOTH, cell=(0.95, 0.92, 0.99), scores=None
):
    """A set whose payoffs and cooperation are known to within `spread`."""
    parts = tuple(Part(f"less than {other}", (n, n), -0.5, -0.6, -0.4, 0.001, "met") for other in others)
    verdicts = tuple(AttitudeVerdict(a, n, 0.5, "supported", parts, (), SHARE) for a in names)
    pairings = {row: {column: Interval(*cell) for column in names} for row in names}
    payoffs = np.asarray(payoffs, float)
    draws = payoffs + np.random.default_rng(0).uniform(-spread, spread, (200, *payoffs.shape))
    return Outcome(
        ChainSet("s", "m", "default", "classic", 0.0),
        n,
        n,
        {},
        Validation(pairings, verdicts),
        tuple(names),
        payoffs,
        draws if n > 1 else None,
        {},
        scores=scores or {},
    )


@pytest.mark.parametrize(
    ("judge", "payoffs", "verdict"),
    [
        (judges.judge_dominated, DOMINATED, "supported"),
        (judges.judge_dominated, STABLE, "not supported"),
        (judges.judge_stable, STABLE, "supported"),
        (judges.judge_stable, DOMINATED, "not supported"),
        (judges.judge_outdoes, STABLE, "supported"),
        (judges.judge_outdoes, DOMINATED, "not supported"),
    ],
)
def test_payoffs_that_leave_one_answer(judge, payoffs, verdict):
    assert judge(made(payoffs))[0] == verdict
    assert judge(made(payoffs, spread=9.0))[0] == "undecided"
    assert judge(made(payoffs, n=4))[0] == judge(made(payoffs, n=1))[0] == "undecided"


@pytest.mark.parametrize(
    ("cell", "verdict"),
    [
        ((0.95, 0.92, 0.99), "supported"),
        ((0.5, 0.4, 0.6), "not supported"),
        ((0.9, 0.85, 0.95), "undecided"),
    ],
)
def test_mutual_cooperation_is_that_of_nine_rounds_in_ten(cell, verdict):
    found, evidence = judges.judge_mutual(made(cell=cell))
    assert found == verdict
    assert f"{cell[0]:.2f} [{cell[1]:.2f}, {cell[2]:.2f}]" in evidence


def test_a_share_without_an_interval_shows_none():
    verdict, evidence = judges.judge_mutual(made(n=1, cell=(0.95, np.nan, np.nan)))
    assert (verdict, "nan" in evidence) == ("undecided", False)


@pytest.mark.parametrize("missing", BOTH)
@pytest.mark.parametrize(
    "judge",
    [
        judges.judge_mutual,
        judges.judge_aggression,
        judges.judge_dominated,
        judges.judge_stable,
        judges.judge_outdoes,
    ],
)
def test_what_is_said_of_both_others_needs_both(judge, missing):
    names = [name for name in ATTITUDES if name != missing]
    others = [name for name in BOTH if name != missing]
    assert judge(made(np.ones((2, 2)), names, others=others)) is None


def test_the_attitude_has_the_verdict_of_the_validation():
    assert judges.judge_aggression(made())[0] == "supported"


@pytest.mark.parametrize(
    ("gap", "repetitions", "verdict"),
    [(1.0, 50, "supported"), (-1.0, 50, "not supported"), (0.0, 50, "undecided"), (1.0, 5, "undecided")],
)
def test_agents_are_compared_over_repetitions(gap, repetitions, verdict):
    noise = np.random.default_rng(1).uniform(-0.1, 0.1, (3, repetitions))
    scores = dict(zip(ATTITUDES, noise + np.array([[0.0], [gap], [gap]]), strict=True))
    assert judges.judge_line_up(made(scores=scores))[0] == verdict


@pytest.mark.parametrize(
    ("gain", "verdict"), [(0.5, "supported"), (-0.5, "not supported"), (0.0, "undecided")]
)
def test_refining_improves_the_aggressive_agent_or_does_not(gain, verdict):
    rng = np.random.default_rng(1)
    sets = [
        replace(
            made(scores={"Aggressive": rng.normal(2 + shift, 0.05, 40)}),
            chain_set=ChainSet(style, "openai", style, "classic", 0.0, published=True),
        )
        for style, shift in (("default", 0.0), ("refine", gain))
    ]
    (row,) = [row for row in judges.judge_claims(sets, 0) if row["hypothesis"] == "line-up improves"]
    assert (row["verdict"], row["published"]) == (verdict, "supported")
    assert judges.judge_claims(sets[:1], 0) == judges.judge_claims(sets[:1], 0)
