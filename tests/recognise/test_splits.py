from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from intent.base.errors import DataError
from intent.recognise.evaluate import grouped_split, setting_groups


def keys(settings, repeats):
    rows = [(f"{s}-{r}", seat, s, r) for s in range(settings) for r in range(repeats) for seat in (1, 2)]
    return pd.DataFrame(rows, columns=["game_id", "seat", "language", "repetition"]).assign(
        persona=lambda d: np.where(d["seat"] == 1, "kind", "selfish")
    )


def test_repeats_of_a_setting_and_seats_of_a_game_stay_together():
    table = keys(6, 5)
    groups = setting_groups(table)
    assert len(np.unique(groups)) == 6
    assert (table.assign(g=groups).groupby("language")["g"].nunique() == 1).all()


def test_few_settings_fall_back_to_games():
    assert len(np.unique(setting_groups(keys(1, 8)))) == 8


def test_no_group_on_both_sides(rng):
    groups = np.repeat(np.arange(20), 7)
    train, test = grouped_split(groups, 0.25, rng)
    assert not set(groups[train]) & set(groups[test])
    assert len(set(groups[test])) == 5
    assert sorted([*train, *test]) == list(range(140))


def test_one_group_cannot_be_split(rng):
    with pytest.raises(DataError, match="expected at least 2"):
        grouped_split([0, 0, 0], 0.2, rng)
