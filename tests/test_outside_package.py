"""What another package may add, a row each, and what our own rooms add in the same way."""

from __future__ import annotations

from pathlib import Path

import pytest
from outside_packages import install

import intent
from intent.base import registry
from intent.base.errors import GameError, StrategyError, UnknownNameError, UsageError
from intent.games.catalogue import game
from intent.games.game import course_from_json, course_game, course_names
from intent.strategies.catalogue import strategy

CODE = '''
from dataclasses import dataclass

import numpy as np

from intent.behaviour.measures import Metric
from intent.games.game import MatrixGame
from intent.gamma.divide_dollar import DivideDollar
from intent.strategies.catalogue import Strategy

HALF = Strategy.memory_one("HALF", 0.5, 1, 0, 1, 0)
TRUST = MatrixGame.from_trps("trust", 4, 3, 1, 0, "reward")


@dataclass(frozen=True)
class Pool(DivideDollar):
    name = "pool"
    gold: int = 12


def calm(own, other):
    """Rounds in which both did the same."""
    known = (own >= 0) & (other >= 0)
    hits, n = (known & (own == other)).sum(axis=1), known.sum(axis=1)
    return Metric(np.where(n > 0, hits / np.maximum(n, 1), np.nan), hits, n)


def steps(subject):
    """Rounds played, which no axis holds."""
    return "nobody draws it"
'''

POINTS = {
    "intent.strategies": "HALF = theirs:HALF",
    "intent.games": "trust = theirs:TRUST\npool = theirs:Pool",
    "intent.metrics": "calm = theirs:calm",
    "intent.figures": "steps = theirs:steps",
}


@pytest.fixture
def theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, "theirs", CODE, POINTS)


@pytest.mark.usefixtures("theirs")
def test_a_strategy_plays_and_is_a_class() -> None:
    log = intent.generate("HALF,ALLD", 20, seed=1)
    assert {"HALF", "ALLD"} <= set(log.seats["strategy"])
    assert strategy("half") is strategy("HALF")
    fitted = intent.make_recogniser("bayes", strategies="HALF,ALLD", background=False).fit(log.trajectories())
    assert fitted.classes_.tolist() == ["HALF", "ALLD"]
    assert {"HALF", "ALLD"} <= set(intent.label(log, fitted)["best"])


@pytest.mark.usefixtures("theirs")
def test_a_game_is_known_by_name() -> None:
    assert game("Trust").payoff(("C", "D")) == (0, 4)
    result = intent.play_experiment({"game": "trust", "model": "scripted/TFT", "rounds": 2})
    assert set(result.log.games["game"]) == {"trust"}
    with pytest.raises(UnknownNameError, match="unknown game 'pool'"):
        game("pool")


@pytest.mark.usefixtures("theirs")
def test_a_game_with_a_course_is_made_and_read_again() -> None:
    made = course_game("pool", n_players=3)
    assert course_names()[-1] == "pool"
    assert course_from_json(made.to_json(), "here") == made
    with pytest.raises(GameError, match=r"expected one of guessing, .*, pirate, trust, pool$"):
        course_from_json('{"rules":"bars"}', "here")


@pytest.mark.usefixtures("theirs")
def test_a_metric_is_a_column_with_its_occasions() -> None:
    from intent.behaviour.metrics import metrics

    found = metrics(intent.generate("ALLC", 3, opponent="ALLC", rounds=5, eps=0))
    assert found.table["calm"].tolist() == [1.0] * len(found.table)
    assert found.table["calm_n"].tolist() == [5] * len(found.table)
    assert "calm" in str(found.to_dict()["groups"])


@pytest.mark.usefixtures("theirs")
def test_a_figure_is_listed_after_ours_and_says_why_not() -> None:
    from intent.report.figure_makers import FIGURES
    from intent.report.figures import figure_list, figures

    assert [one.name for one in figure_list() if one not in FIGURES] == ["steps"]
    assert figure_list()[8].name == "steps"
    with pytest.raises(UsageError, match=r"steps: nobody draws it"):
        figures(intent.generate("TFT", 2), ["steps"])


def test_what_cannot_be_loaded_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    points = {"intent.strategies": "HALF = nowhere:HALF\nTHIRD = intent.strategies.catalogue:AXELROD_1984"}
    install(tmp_path, monkeypatch, "broken", "", points)
    with pytest.raises(
        UsageError, match=r"'HALF' of group intent.strategies \(nowhere:HALF\) cannot be loaded: M"
    ):
        strategy("HALF")
    with pytest.raises(
        StrategyError, match=r"'THIRD' of group intent.strategies is str, expected the Strategy"
    ):
        strategy("THIRD")


def test_a_metric_with_a_name_of_ours_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from intent.behaviour.measures import outside_metrics

    install(tmp_path, monkeypatch, "same", "", {"intent.metrics": "niceness = same:niceness"})
    with pytest.raises(UsageError, match=r"metric 'niceness' of another package \(same:niceness\)"):
        outside_metrics()


def test_nobody_replaces_what_is_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, "same", "", {"intent.games": "bar = same:Bar"})
    assert registry.points("intent.games")["bar"].value == "intent.gamma.bar:Bar"


def test_each_room_lists_its_own_and_all_of_it_is_there() -> None:
    package = Path(intent.__file__).parent
    listed = {path.parent.name: path.read_text() for path in package.glob("*/entry_points.txt")}
    assert {"gamma", "estimate", "runner"} <= set(listed)
    for room, text in listed.items():
        assert all(f"= intent.{room}." in line for line in text.splitlines() if "=" in line)
    for group in {
        line.strip("[]") for text in listed.values() for line in text.splitlines() if line[:1] == "["
    }:
        for there in registry.points(group).values():
            assert registry.load(there) is not None
