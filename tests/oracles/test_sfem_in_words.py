"""Strategy frequencies of Romero & Rosokha's choices: by the tables, and by rules in words."""

from __future__ import annotations

import numpy as np
import pytest

from intent.estimate.shares import estimate
from intent.logs.gamelog import Trajectories
from intent.strategies.sets import strategy_set
from tests.choices_in_words import agreements, log_likelihood, maximum, recorded_choices


@pytest.mark.data
@pytest.mark.slow
def test_tables_and_rules_give_one_log_likelihood(data_dir):
    subjects = recorded_choices(data_dir / "romero_rosokha" / "choices.csv.gz", range(31, 51), 20)
    games = [game for mine in subjects for game in mine]
    X = Trajectories.from_strings([own for own, _ in games], [other for _, other in games])
    of_game = np.repeat(np.arange(len(subjects)), [len(mine) for mine in subjects])
    fit = estimate(X, of_game, strategy_set("rr20")).groups[0][1]
    table = agreements(subjects, list(fit.names))
    shares = [share.estimate for share in fit.shares]
    in_words = log_likelihood(table, shares, fit.tremble[0].estimate)
    assert fit.log_likelihood == pytest.approx(in_words, abs=1e-6)
    assert fit.log_likelihood == pytest.approx(maximum(table), abs=1e-6)
