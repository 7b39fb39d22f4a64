from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.recognise.scores import calibration_error, reliability_bins


def test_bins_by_hand():
    confidence = np.array([0.5, 0.6, 0.7, 0.9, 0.8, 1.0])
    hit = np.array([0, 1, 0, 1, 1, 1], dtype=bool)
    low, middle, high = reliability_bins(confidence, hit, 3)
    assert (low.n, low.low, low.high, low.accuracy) == (2, 0.5, 0.6, 0.5)
    assert low.confidence == pytest.approx(0.55)
    assert (middle.low, middle.high, middle.accuracy) == (0.7, 0.8, 0.5)
    assert calibration_error((low, middle, high)) == pytest.approx((0.05 + 0.25 + 0.05) / 3)


def test_fewer_trajectories_than_bins():
    assert len(reliability_bins(np.array([0.5, 0.7]), np.array([True, False]), 15)) == 2
    assert np.isnan(calibration_error(reliability_bins(np.empty(0), np.empty(0, bool), 15)))


@given(st.lists(st.tuples(st.sampled_from([0.3, 0.6, 0.9]), st.booleans()), min_size=1), st.randoms())
def test_the_order_of_the_rows_does_not_matter(rows, random):
    def error(rows):
        confidence, hit = zip(*rows, strict=True)
        return calibration_error(reliability_bins(np.array(confidence), np.array(hit), 4))

    shuffled = list(rows)
    random.shuffle(shuffled)
    assert error(shuffled) == pytest.approx(error(rows), abs=1e-12)


def test_equal_confidences_in_blocks_of_classes_are_calibrated():
    hit = np.repeat([True, False], [700, 300])
    assert calibration_error(reliability_bins(np.full(1000, 0.7), hit, 15)) == pytest.approx(0, abs=1e-12)
