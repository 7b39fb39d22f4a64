"""Panels of play in the plane of payoffs, and histograms of samples."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from experiments.private_deliberation.measures import equilibrium_points
from experiments.private_deliberation.payoff_plane import Plane, draw_planes
from intent.behaviour.figures import draw_samples
from intent.games.catalogue import game
from intent.games.game import MatrixGame
from intent.runner.sampling import parse_distributions


def plane(name: str) -> Plane:
    stage = game(name)
    assert isinstance(stage, MatrixGame)
    play = pd.DataFrame({"payoff_1": [1.0, 2.0], "payoff_2": [2.0, 1.0]})
    return Plane(name, equilibrium_points(stage), (0.5, 0.5, 0, 0), play, stage.kind == "penalty")


def test_better_is_up_and_to_the_right() -> None:
    figure = draw_planes([plane("chicken"), plane("prisoner-dilemma-deliberation")])
    chicken, dilemma = figure.axes
    assert chicken.get_xlim()[0] < chicken.get_xlim()[1]
    assert dilemma.get_xlim()[0] > dilemma.get_xlim()[1]
    assert "lower is better" in dilemma.get_xlabel()


def test_outcomes_on_one_line_and_in_one_point_can_be_drawn() -> None:
    (line,) = draw_planes([plane("head-tail")]).axes
    assert line.get_ylim()[0] < 0 < 1 < line.get_ylim()[1]
    flat = MatrixGame("flat", ("A", "B"), (((1, 1), (1, 1)), ((1, 1), (1, 1))), "reward")
    (point,) = draw_planes(
        [Plane("flat", equilibrium_points(flat), (1, 0, 0, 0), plane("chicken").play, False)]
    ).axes
    assert point.get_xlim()[0] < 1 < point.get_xlim()[1]


@pytest.mark.extra("nashpy")
def test_equilibria_are_where_they_are() -> None:
    stage = game("chicken")
    assert isinstance(stage, MatrixGame)
    points = equilibrium_points(stage).set_index("kind")
    assert points.loc["correlated", ["payoff_1", "payoff_2"]].tolist() == [5.25, 5.25]
    assert np.allclose(points.loc["mixed", ["payoff_1", "payoff_2"]].astype(float), 14 / 3)
    assert points.loc["nash", "what"].tolist() == ["Swerve, Dare", "Dare, Swerve"]


def test_samples_of_any_numbers_can_be_drawn() -> None:
    laws = parse_distributions("gaussian,poisson,uniform")
    rows = [(str(law), origin, v) for law in laws for origin in ("model", "honest") for v in (0.0, 1e12, -3)]
    table = pd.DataFrame(rows, columns=["distribution", "origin", "value"])
    drawn = [(str(law), law.discrete, law.frozen) for law in laws]
    assert len(draw_samples(table, drawn).axes) == 6
    assert len(draw_samples(table[:0], drawn).axes) == 6
