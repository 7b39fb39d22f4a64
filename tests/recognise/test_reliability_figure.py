from __future__ import annotations

import numpy as np
import pytest

from intent.recognise.evaluate import reliability_table
from intent.recognise.figures import draw_reliability, reliability_figure


@pytest.fixture
def bins(rng):
    proba = rng.dirichlet(np.ones(3), 600)
    truth = rng.integers(0, 3, 600)
    return lambda per_class: reliability_table(proba, truth, ["ALLC", "TFT", "GTFT"], per_class=per_class)


def test_bars_are_the_accuracies_and_marks_the_probabilities(bins):
    table = bins(False)
    upper, lower = draw_reliability(table).axes
    assert [bar.get_height() for bar in upper.patches] == pytest.approx(table["accuracy"].tolist())
    marks = [path.vertices[0, 1] for path in upper.collections[-1].get_paths()]
    assert marks == pytest.approx(table["confidence"].tolist())
    gaps = (table["accuracy"] - table["confidence"]).tolist()
    assert [bar.get_height() for bar in lower.patches] == pytest.approx(gaps)


def test_a_panel_for_every_class(bins):
    figure = draw_reliability(bins(True))
    titles = [axes.get_title(loc="left") for axes in figure.axes if axes.axison]
    assert [title.split(":")[0] for title in titles] == ["(most probable)", "ALLC", "TFT", "GTFT"]


def test_nothing_to_show(tmp_path):
    table = reliability_table(np.empty((0, 2)), np.empty(0, dtype=np.intp), ["ALLC", "ALLD"])
    assert reliability_figure(table, "Reliability").write(tmp_path / "r.png").is_file()
