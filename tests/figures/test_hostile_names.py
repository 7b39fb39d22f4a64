"""Names out of logs in figures: scripts, markup, controls, other scripts, endless ones."""

from __future__ import annotations

import numpy as np
import pytest

from intent.base.statistics import Interval
from intent.comparison.figures import comparison_figure
from intent.comparison.groups import Comparison, Group
from intent.figures.style import shown, wrapped

HOSTILE = (
    "<script>alert(1)</script>",
    "$\\frac{1}{0}$ _x_ ^",
    "a\u202egnp.exe\u2066",
    "\x00\x1b[31m\ud800\uffff",
    "x" * 100_000,
    "نموذج لغوي",
    "模型 模型 模型 模型",
    "עברית",
    "e\u0301" * 400,
    "",
    "   ",
    "\n\n",
)


def test_what_does_not_print_is_spelled_out():
    assert shown("a\u202eb") == "aU+202Eb"
    assert shown("\U00012000") == "U+12000"
    assert shown("\ud800\x00") == "U+D800U+0000"


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_a_label_stays_small(name):
    lines = wrapped(name, 22).split("\n")
    assert len(lines) <= 6
    assert max(map(len, lines)) <= 22
    assert wrapped("x" * 500, 22).endswith("…")


@pytest.mark.parametrize("kind", ["bars", "ribbons", "heatmap", "points"])
def test_a_figure_of_many_hostile_groups_is_whole(kind, tmp_path):
    names = [*HOSTILE, *(f"model {i}" for i in range(12))]
    values = (
        [(name, k) for name in names for k in (1, 2)] if kind == "ribbons" else [(name,) for name in names]
    )
    half = (Interval(0.5, 0.4, 0.6), Interval(0.5, np.nan, np.nan))
    by = ("model", "rounds")[: len(values[0])]
    groups = tuple(Group(value, 9, 9, 9.0, half) for value in (values if kind != "ribbons" else values[:8]))
    found = Comparison(by, "status", None, 0.95, ("TFT", "no_fit"), groups, ())
    drawing = comparison_figure(found, kind)
    path = drawing.write(tmp_path / "f.svg", remarks=["y" * 100_000], description="{}")
    text = path.read_text(encoding="utf-8")
    assert "<script" not in text
    assert len(text) < 3_000_000
    import xml.etree.ElementTree as ET

    size = ET.fromstring(text).attrib
    assert float(size["width"].removesuffix("pt")) < 1600
