"""The user's page on experiment files says what they can say."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from intent.runner.dry_run import dry_run
from intent.runner.experiment.file import Experiment, load_experiment
from intent.runner.experiment.grid import ALIASES

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "playing.md").read_text(encoding="utf-8")
FILES = [yaml.safe_load(text) for text in re.findall(r"^```yaml.*?\n(.*?)^```", PAGE, re.M | re.S)]


def test_the_examples_can_be_played():
    assert [dry_run(load_experiment(values))["n_games"] for values in FILES] == [30, 3, 12, 2]


def test_every_key_is_listed():
    words = set(re.findall(r"`(\w+)", PAGE))
    assert set(Experiment.model_fields) - words == {"name", "description", "personas", "fairgame"}
    assert {"lambda", "persona"} <= words & set(ALIASES)
