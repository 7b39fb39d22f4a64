"""Figures of sweeps and of agreement: nothing is cut off, whatever the names and the data."""

from __future__ import annotations

import math

import numpy as np
import pytest
from simulated_labels import simulated

from intent.base.errors import UsageError
from intent.behaviour.agreement import (
    Ratings,
    agreement,
    agreement_figure,
    agreement_sentences,
    agreement_tables,
)
from intent.comparison.sweep import sweep


def whole(path) -> bool:
    from matplotlib.image import imread

    image = np.asarray(imread(path))[..., :3]
    border = np.concatenate([image[:, 0], image[:, -1], image[0], image[-1]])
    return bool(border.min() > 0.9 and (image.min(axis=2) < 0.9).mean() > 0.02)


def measured(names, codes, k=2):
    n = len(codes)
    ratings = Ratings(
        np.asarray(codes),
        np.full(n, "ambiguous", dtype=object),
        np.arange(n) < 1,
        np.arange(n),
        tuple(names),
        ("ALLC", "ALLD", "TFT")[:k],
    )
    rng = np.random.default_rng(0)
    return agreement(ratings, ("ambiguous", "confident"), samples=50, level=0.95, rng=rng)


@pytest.mark.parametrize("by", [(), "model", "model,persona"])
def test_sweeps_are_drawn(rng, tmp_path, by):
    assert whole(sweep(simulated(30, rng), by=by, tau=".3-.98:.2").write(tmp_path / "figure.png"))


def test_agreement_is_drawn(tmp_path):
    names = ("bayes-canonical4", "a-folder-with-a-very-long-name-" * 3, "c")
    found = measured(names, [[0, 0, 1], [1, 1, 1], [0, 1, 1]])
    assert whole(agreement_figure(found).write(tmp_path / "figure.png", remarks=("A note.",)))


def test_one_name_only_has_no_kappa(tmp_path):
    found = measured("ab", [[0, 0], [0, 0]])
    assert math.isnan(found.kappa.estimate)
    assert "Fleiss' kappa undefined" in agreement_sentences(found, 0.95)[0]
    assert agreement_tables(found)[0][2] == [["a", "b", "100.0%", "–", ""]]
    assert whole(agreement_figure(found).write(tmp_path / "figure.png"))


def test_too_many_to_draw(tmp_path):
    found = measured([f"r{i}" for i in range(21)], [[0] * 21, [1] * 21])
    with pytest.raises(UsageError, match="21 recognisers are too many"):
        agreement_figure(found)
