"""Figures of comparisons: they exist, show something, and are the same every time."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from itertools import combinations

import numpy as np
import pytest
from simulated_labels import simulated

from intent.base.errors import OutputError, UnknownNameError, UsageError
from intent.comparison.compare import CompareResult, compare
from intent.comparison.figures import _counted, _grid
from intent.figures.style import colour, column_ticks, ink, shown, wrapped


@pytest.fixture
def table(rng):
    return simulated(90, rng)


def run(table, by, **settings) -> CompareResult:
    return compare(table, by, bootstrap=50, permutations=19, **settings)


def pixels(path) -> np.ndarray:
    from matplotlib.image import imread

    return np.asarray(imread(path))[..., :3]


@pytest.mark.parametrize(
    ("by", "settings", "kind"),
    [
        ("model", {}, "bars"),
        ("model,language", {}, "bars"),
        ("model", {}, "heatmap"),
        ("model,language", {}, "heatmap"),
        ("model,language,persona", {}, "heatmap"),
        ("language", {"count": "posterior"}, "points"),
        ("model", {"metric": "cooperation_rate"}, "points"),
        ("model,language", {"metric": "cooperation_rate"}, "points"),
        ((), {}, "auto"),
        ((), {"metric": "cooperation_rate"}, "auto"),
    ],
)
def test_figures_show_something(table, tmp_path, by, settings, kind):
    image = pixels(run(table, by, **settings).figure(tmp_path / "figure.png", kind))
    height, width, _ = image.shape
    assert 300 <= height <= 4000
    assert 900 <= width <= 4000
    assert 0.02 < (image.min(axis=2) < 0.9).mean() < 0.95
    border = np.concatenate([image[:, 0], image[:, -1], image[0], image[-1]])
    assert border.min() > 0.9, "nothing is cut off at the edge"


def test_bars_have_the_colours_of_the_strategies(table, tmp_path):
    from matplotlib.colors import to_rgb

    image = pixels(run(table, "model", count="best").figure(tmp_path / "figure.png"))
    for name in ("ALLC", "ALLD", "TFT", "WSLS"):
        near = (np.abs(image - np.array(to_rgb(colour(name)))) < 0.01).all(axis=2)
        assert near.mean() > 0.005, name


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_the_same_figure_has_the_same_bytes(table, tmp_path, suffix):
    first = run(table, "model").figure(tmp_path / f"a{suffix}").read_bytes()
    assert first == run(table, "model").figure(tmp_path / f"b{suffix}").read_bytes()


def test_labels_of_any_script_and_length_are_drawn(table, tmp_path):
    names = {"ar": "العربية", "cn": "中文 $x^2$", "en": "x" * 90, "fr": "_fr <&>", "vn": "tab\tnul\x00"}
    result = run(
        table.assign(language=table["language"].map(names)), "model,language", metric="cooperation_rate"
    )
    drawn = ElementTree.parse(result.figure(tmp_path / "figure.svg")).getroot()
    assert drawn.tag.endswith("svg")


def test_a_group_with_one_cluster_and_missing_combinations_are_drawn(table, tmp_path):
    few = table[(table["model"] != "A") | (table["game_id"] == "g0")]
    for kind in ("bars", "heatmap"):
        assert run(few, "model,language").figure(tmp_path / f"{kind}.png", kind).exists()
    assert run(few, "model", metric="cooperation_rate").figure(tmp_path / "points.png").exists()


def test_figures_that_cannot_be(table, tmp_path):
    result = run(table, "model", metric="cooperation_rate")
    with pytest.raises(UsageError, match="--figure bars shows shares, expected points"):
        result.figure(tmp_path / "figure.png", "bars")
    with pytest.raises(UnknownNameError, match="did you mean heatmap"):
        result.figure(tmp_path / "figure.png", "heat")
    with pytest.raises(OutputError, match=r"suffix '.gif'"):
        result.figure(tmp_path / "figure.gif")
    with pytest.raises(UsageError, match="61 groups are too many for a figure of bars"):
        run(table.assign(i=np.arange(180) % 61 // 2, j=np.arange(180) % 61 % 2), "i,j").figure(
            tmp_path / "figure.png", "bars"
        )


def test_colours_differ_and_are_fixed():
    names = (
        "ALLC",
        "ALLD",
        "TFT",
        "WSLS",
        "GTFT",
        "GRUDGER",
        "RANDOM",
        "ambiguous",
        "low_confidence",
        "no_fit",
    )
    assert all(colour(a) != colour(b) for a, b in combinations(names, 2))
    assert colour("GTFT(0.1)") == colour("GTFT")
    assert colour("my strategy").startswith("#")


def test_ink_stands_out():
    assert (ink("#FFFFFF"), ink("#000000"), ink(colour("WSLS")), ink(colour("ALLC"))) == (
        "black",
        "white",
        "black",
        "white",
    )


def test_text_is_wrapped_and_drawable():
    assert wrapped("a long label of a condition", 10).split("\n") == ["a long", "label of a", "condition"]
    assert shown("tiếng Việt\n\u0378") == "tiếng Việt U+0378"
    assert wrapped("") == ""


def test_no_word_of_a_column_label_is_broken():
    assert column_ticks(["low risk", "mild"], 8)[:2] == (["low risk", "mild"], {})
    assert column_ticks(["very low risk", "mild"], 8)[:2] == (["very low\nrisk", "mild"], {})
    labels, properties, _ = column_ticks(["conventional", "mild"], 8)
    assert (labels, properties["rotation"]) == (["conventional", "mild"], 40)
    labels, properties, _ = column_ticks(["cooperative · conventional", "mild"], 8)
    assert (labels[0], properties["rotation"]) == ("cooperative ·\nconventional", 90)
    assert column_ticks(["x" * 90], 8)[0] == ["\n".join(["x" * 30] * 3)]


@pytest.mark.parametrize(
    ("panels", "columns", "grid"),
    [(5, 3, (5, 1)), (8, 3, (4, 2)), (7, 3, (4, 2)), (5, 6, (3, 2)), (6, 3, (3, 2)), (3, 30, (1, 3))],
)
def test_panels_leave_few_places_empty(panels, columns, grid):
    assert _grid(panels, columns) == grid


def test_captions_explain_the_outcomes_that_occur(table):
    assert "(ambiguous), none is probable enough (low confidence) or none" in _counted(
        run(table, (), count="status").comparison
    )
    gated = run(table, (), gate="trajectory").comparison
    assert _counted(gated) == "Each trajectory counts for its strategy; all labels are confident."
    some = run(table, (), count="status", where={"status": ["confident", "no_fit"]}).comparison
    assert _counted(some).endswith("the reason why it is not: none explains it (no fit).")
