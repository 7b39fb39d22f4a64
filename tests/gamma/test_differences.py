"""Score differences: what is paired with what, and what is made of it."""

import numpy as np
import pandas as pd
import pytest

from intent.base.errors import LimitError, UnknownNameError
from intent.gamma.bench.analysis import OVERALL, confounded, score_differences

OPTIONS = {"samples": 300, "level": 0.95}


def _scores(rows):
    return pd.DataFrame(rows, columns=["model", "game", "setting", "run", "score"])


def _runs(model, game, scores, runs=None, setting="default"):
    numbers = range(1, len(scores) + 1) if runs is None else runs
    return [(model, game, setting, run, score) for run, score in zip(numbers, scores, strict=True)]


def test_the_same_repetition_makes_a_pair(rng):
    rows = _runs("a", "bar", [5, 6, 7, 8, 9]) + _runs("b", "bar", [4, 5, 6, 7, 8])
    (found,) = score_differences(_scores(rows[::-1]), "model", rng=rng, **OPTIONS)
    assert (found.first, found.second, found.game) == ("a", "b", "bar")
    assert (found.difference.estimate, found.difference.low, found.difference.high) == (1, 1, 1)
    assert (found.difference.p, found.p_adjusted, found.difference.paired) == (2 / 32, 2 / 32, True)


def test_runs_without_a_partner_are_compared_unpaired(rng):
    rows = _runs("a", "bar", [7, 8, 9]) + _runs("b", "bar", [1, 2, 3], runs=[4, 5, 6])
    (found,) = score_differences(_scores(rows), "model", rng=rng, **OPTIONS)
    assert (found.difference.paired, found.difference.p, found.difference.n) == (False, 0.1, (3, 3))
    unknown = _scores(rows).assign(run=np.nan)
    (again,) = score_differences(unknown, "model", rng=rng, **OPTIONS)
    assert (again.difference.paired, again.difference.estimate) == (False, 6)


def test_what_changes_with_the_factor_does_not_part_pairs(rng):
    """A table names its players, so the model is known with it."""
    rows = [
        (f"model of {table}", "bar", "default", run, run + len(table))
        for table in ("a", "bb")
        for run in (1, 2)
    ]
    scores = _scores(rows).assign(table=["a", "a", "bb", "bb"], version="v1")
    assert confounded(scores, "table") == ["model"]
    (found,) = score_differences(scores, "table", rng=rng, **OPTIONS)
    assert (found.difference.paired, found.difference.estimate) == (True, -1)


def test_unpaired_runs_are_compared_within_settings(rng):
    """The levels differ in how often they played the hard setting, and in nothing else."""
    rows = _runs("a", "bar", [9, 9], setting="easy") + _runs("a", "bar", [1] * 4, setting="hard")
    rows += _runs("b", "bar", [9] * 4, setting="easy") + _runs("b", "bar", [1, 1], setting="hard")
    (found,) = score_differences(_scores(rows).assign(run=np.nan), "model", rng=rng, **OPTIONS)
    assert (found.difference.estimate, found.difference.p) == (0, 1)


def test_overall_is_the_mean_over_common_games(rng):
    rows = _runs("a", "bar", [5, 6]) + _runs("a", "diner", [9, 9, 9]) + _runs("a", "pirate", [100])
    rows += _runs("b", "bar", [4, 5]) + _runs("b", "diner", [6, 6, 6])
    found = {one.game: one for one in score_differences(_scores(rows), "model", rng=rng, **OPTIONS)}
    assert list(found) == ["bar", "diner", OVERALL]
    assert found[OVERALL].difference.estimate == pytest.approx((1 + 3) / 2)
    assert found[OVERALL].difference.p == 2 / 32


def test_settings_are_paired_with_themselves(rng):
    rows = _runs("a", "bar", [1], setting="ratio=20%") + _runs("a", "bar", [9])
    rows += _runs("b", "bar", [2], setting="ratio=20%") + _runs("b", "bar", [10])
    (found,) = score_differences(_scores(rows), "model", rng=rng, **OPTIONS)
    assert (found.difference.estimate, found.difference.n) == (-1, (2, 2))


def test_other_conditions_are_held_fixed(rng):
    scores = _scores(_runs("a", "bar", [5, 6]) + _runs("b", "bar", [1, 2]))
    both = pd.concat([scores.assign(version="v1"), scores.assign(version="v2", score=scores["score"] - 3)])
    (found,) = score_differences(both, "version", rng=rng, **OPTIONS)
    assert (found.difference.estimate, found.difference.n) == (3, (4, 4))
    apart = score_differences(both, "version", within=["model"], rng=rng, **OPTIONS)
    assert [one.within for one in apart] == [(("model", "a"),), (("model", "b"),)]


def test_holm_counts_games_and_the_overall_test_apart(rng):
    rows = []
    for game in ("bar", "diner"):
        rows += _runs("a", game, [5, 6, 7, 8, 9]) + _runs("b", game, [4, 5, 6, 7, 8])
    found = {one.game: one for one in score_differences(_scores(rows), "model", rng=rng, **OPTIONS)}
    assert found["bar"].p_adjusted == pytest.approx(4 / 32)
    assert found[OVERALL].p_adjusted == found[OVERALL].difference.p == 2 / 1024


def test_what_cannot_be_compared_is_refused(rng):
    scores = _scores(_runs("a", "bar", [5]))
    assert score_differences(scores, "model", rng=rng, **OPTIONS) == []
    with pytest.raises(UnknownNameError):
        score_differences(scores, "persona", rng=rng, **OPTIONS)
    many = _scores([row for i in range(21) for row in _runs(f"m{i}", "bar", [i])])
    with pytest.raises(LimitError):
        score_differences(many, "model", rng=rng, **OPTIONS)
