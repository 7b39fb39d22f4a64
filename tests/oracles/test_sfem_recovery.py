"""Known shares of simulated populations, a small version of ``benchmarks/sfem_recovery.py``."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "sfem_recovery.py"


@pytest.fixture(scope="module")
def study():
    spec = importlib.util.spec_from_file_location("sfem_recovery", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize(("names", "bootstrap"), [("canonical4", 0), ("df2011", 0), ("canonical4", 99)])
def test_shares_and_tremble_are_unbiased_and_covered(study, names, bootstrap):
    found = study.recover(names, 200, np.random.default_rng(7), bootstrap=bootstrap)
    assert np.abs(found["bias_in_se"]).max() < 0.2 + 3 / np.sqrt(200)
    assert min(found["coverage"]) > 0.95 - 4 * np.sqrt(0.05 * 0.95 / 200)
    assert found["mean_se_over_spread"] == pytest.approx(np.ones(len(found["truth"])), abs=0.2)
