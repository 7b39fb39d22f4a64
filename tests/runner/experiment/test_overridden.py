"""Keys from outside that named levels set again."""

from __future__ import annotations

import pytest

from intent.runner.dry_run import dry_run
from intent.runner.experiment.file import load_experiment
from intent.runner.play import play_experiment

ARMS = {
    "plain": {"language": "en"},
    "warm": {"language": "en", "temperature": 1, "attitude": "defect", "architecture": "tool"},
}
FILE = {
    "model": "scripted/first",
    "rounds": 1,
    "attitude": "cooperate",
    "grid": {"arm": ARMS},
    "treatment": {"differs": ["arm"]},  # one arm may reason before it answers
}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("attitude=cooperate", "attitude has no effect on level warm of arm: set there again"),
        ("language=fr", "language has no effect on all levels of arm: set there again"),
        ("temperature=0", "temperature has no effect on level warm of arm: set there again"),
        ("settings={top_p: 1}", "settings has no effect on level warm of arm: set there again"),
    ],
)
def test_a_key_that_levels_set_again_is_told(given, expected):
    assert load_experiment(FILE, set=[given]).notes == (f"--set {expected}",)


@pytest.mark.parametrize("given", ["rounds=2", "memory=1", "grid.language=[en, fr]", "seed=3"])
def test_other_keys_are_not(given):
    assert load_experiment(FILE, set=[given]).notes == ()


def test_dry_runs_and_runs_carry_the_note():
    noted = load_experiment(FILE, set=["language=en"])
    assert any(line.startswith("--set language") for line in dry_run(noted)["notes"])
    summary = play_experiment(FILE, language="en").summary
    assert any(line.startswith("language has") for line in summary["notes"])
    assert load_experiment(noted).notes == noted.notes
    assert load_experiment(FILE).notes == ()
