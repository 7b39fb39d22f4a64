"""The local model plays the same games for the same seed, however the run is driven."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent.report.results import results
from intent.runner.experiment.file import load_experiment
from intent.runner.play import play, play_experiment
from intent.runner.run import Run

EXPERIMENT = {
    "name": "local",
    "players": ["model", "scripted/TFT"],
    "rounds": 1,
    "repetitions": 2,
    "settings": {"constrained": True, "seeded": True, "temperature": 1.5, "max_tokens": 16},
}

pytestmark = pytest.mark.slow


def test_same_seed_same_play(local_model, monkeypatch):
    monkeypatch.setenv("INTENT_LLAMA_SLOTS", "2")
    one, again = (
        play_experiment(EXPERIMENT, model=local_model, **driven).log
        for driven in ({"concurrency": 1}, {"concurrency": 2})
    )
    assert one.equals(again)
    assert set(one.moves["status"]) == {"parsed"}


EXPERIMENTS = Path(__file__).parents[2] / "experiments"
YEARS = {"T": 0, "R": 5, "P": 10, "S": 15}
DILEMMA = {"dilemma": {"name": "dilemma", "kind": "penalty", "actions": ["Silent", "Talk"], "payoffs": YEARS}}
ONE_GAME = {"rounds": [1], "game": DILEMMA}
SAID_FIRST = {"outcomes_first": "Talk"}
NO_DEBATE = {
    "plain": {"architecture": "plain"},
    "tool_compute": {"architecture": "tool", "attitude": "compute"},
}


@pytest.mark.parametrize(
    ("paper", "shorter", "architectures"),
    [
        ("agent_architectures", {**SAID_FIRST, "grid": {**ONE_GAME, "agent": NO_DEBATE}}, {"plain", "tool"}),
        pytest.param(
            "agent_architectures",
            {**SAID_FIRST, "grid": ONE_GAME},
            {"plain", "tool", "debate"},
            marks=pytest.mark.exhaustive,
        ),
        pytest.param(
            "private_deliberation",
            {"rounds": 1, "grid": {"setting": {"head_tail": None}}},
            {"private", "public"},
            marks=pytest.mark.exhaustive,
        ),
    ],
)
def test_a_part_of_each_paper_ends_in_its_results(local_model, tmp_path, paper, shorter, architectures):
    experiment = load_experiment(
        EXPERIMENTS / paper / "small.yaml",
        models=[local_model],
        settings={"max_tokens": 6},
        after={},
        **shorter,
    )
    played = play(experiment, tmp_path / "run")
    assert (played.summary["state"], played.summary["readable"]) == ("finished", 1)
    assert Run.open(tmp_path / "run").check() == []
    seats = played.log.seats
    assert set(seats.loc[seats["model"] == local_model, "architecture"]) == architectures
    assert len(played.log.questions)
    made = results(played.log, paper, tmp_path / "o", bootstrap=20)
    assert all((tmp_path / "o" / one["file"]).is_file() for one in (*made.tables, *made.figures))
    assert made.tables
    assert made.figures
