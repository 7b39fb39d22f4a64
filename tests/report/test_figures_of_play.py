"""Figures of play: nothing is cut off, whatever the names; what is too much is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from play_logs import PD, log_of, match, public_goods_games, scaled_games

from intent.base.errors import UsageError
from intent.behaviour.figures import draw_contributors
from intent.figures.panels import draw_lines, levels, named
from intent.report.figure_makers import makers
from intent.report.figures import figures


def whole(path) -> bool:
    from matplotlib.image import imread

    image = np.asarray(imread(path))[..., :3]
    border = np.concatenate([image[:, 0], image[:, -1], image[0], image[-1]])
    return bool(border.min() > 0.9 and (image.min(axis=2) < 0.9).mean() > 0.01)


@pytest.fixture(scope="module")
def logs():
    rng = np.random.default_rng(1)
    long = "a/model-with-a-very-long-name-and-a-date-2026-01-01"
    return {
        "scaled": scaled_games(rng, models=("A", long)),
        "goods": public_goods_games(rng),
        "one": log_of(match(PD, "CDC", "DDC", persona=("合作", "a persona in free text, quite long"))),
    }


@pytest.mark.parametrize("name", makers())
@pytest.mark.parametrize("log", ["scaled", "goods", "one"])
def test_every_figure_is_whole(logs, tmp_path, name, log):
    if (name == "contributors" and log != "goods") or (name == "portraits" and log == "goods"):
        with pytest.raises(UsageError, match="two players"):
            figures(logs[log], [name], tmp_path, bootstrap=20)
        return
    made = figures(logs[log], [name], tmp_path, bootstrap=20)
    assert all(whole(tmp_path / f["file"]) for f in made.figures)


@pytest.mark.parametrize("image", ["svg", "pdf"])
def test_the_same_play_gives_the_same_bytes(logs, tmp_path, image):
    for name in ("a", "b"):
        figures(logs["scaled"], ["payoffs"], tmp_path / name, bootstrap=20, image=image)
    assert (tmp_path / "a" / f"payoffs.{image}").read_bytes() == (
        tmp_path / "b" / f"payoffs.{image}"
    ).read_bytes()


def test_levels_are_in_the_order_of_numbers():
    table = pd.DataFrame({"scale": [10.0, 0.1, 1.0], "who": ["b", "a", "c"]})
    assert [named(v) for v in levels(table, "scale")] == ["0.1", "1", "10"]
    assert levels(table, "who") == ["a", "b", "c"]
    assert levels(table, None) == [None]
    assert [named(v) for v in (True, np.bool_(False))] == ["yes", "no"]


def test_too_much_for_one_figure():
    table = pd.DataFrame({"model": range(31), "round": 1, "estimate": 0.0, "low": 0.0, "high": 0.0})
    lines = {"label": "", "limits": (0, 1)}
    with pytest.raises(UsageError, match="31 panels are too many"):
        draw_lines(table, columns="model", lines=None, **lines)
    with pytest.raises(UsageError, match="31 lines in a panel are too many"):
        draw_lines(table, columns=None, lines="model", **lines)
    crowd = pd.DataFrame({"round": [1], "contributors": [13], "n": [1], "share": [1.0]})
    with pytest.raises(UsageError, match="13 players are too many"):
        draw_contributors(crowd, rows=None, columns=None)
