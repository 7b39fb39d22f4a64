"""Figures of evolution: what is drawn, and where."""

from __future__ import annotations

import numpy as np
import pytest

from intent.arena.evolution.evolve import evolve_pool
from intent.arena.evolution.population import pool_of_matrix
from intent.arena.figures import draw_field, ternary
from intent.arena.requests import EvolveRequest
from intent.figures.populations import draw_equilibria, draw_path, name_colours
from intent.figures.style import look

THREE = np.array([[1.5, 1.4, 1.4], [1.4, 3.0, 3.0], [1.5, 3.0, 2.9]])


@pytest.fixture(scope="module")
def evolution():
    return evolve_pool(
        pool_of_matrix("ACN", THREE), EvolveRequest(paths=(), initial=["4,4,4", "8,2,2"], runs=10)
    )


def test_corners_and_middle_of_the_triangle():
    places = ternary(np.vstack([np.eye(3), np.full(3, 1 / 3)]))
    assert places == pytest.approx(np.array([[0, 0], [0.5, 0.866], [1, 0], [0.5, 0.2887]]), abs=1e-3)


def test_a_panel_per_start_and_a_bar_per_name(evolution):
    with look():
        figure = draw_equilibria(evolution.table())
    assert [len(axes.patches) for axes in figure.axes] == [3, 3]
    heights = [bar.get_height() for bar in figure.axes[0].patches]
    assert heights == [e.share.estimate for e in evolution.mixes[0].equilibria]


def test_the_field_has_starts_and_rest_points(evolution):
    with look():
        figure = draw_field(evolution)
    (axes,) = figure.axes
    markers = [line.get_marker() for line in axes.lines]
    assert markers.count("s") == 2
    assert markers.count("o") >= 3


def test_a_path_fills_the_population(evolution):
    with look():
        figure = draw_path(evolution.pool.names, evolution.mixes[0].runs.paths[0])
    assert figure.axes[0].get_ylim() == (0, 12)
    assert len(figure.axes[0].collections) == 3


def test_a_population_of_one_name_is_drawn():
    with look():
        figure = draw_path(("a", "b"), np.array([[0, 2, 0]]))
    assert figure.axes[0].get_ylim() == (0, 2)


def test_no_two_names_look_alike():
    names = ["Aggressive", "Cooperative", "Neutral", *"abcdef"]
    assert len(set(name_colours(names))) == len(names)
