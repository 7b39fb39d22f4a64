"""Titles and labels that fit."""

from __future__ import annotations

import pytest

from intent.figures.style import caption, wrapped

pyplot = pytest.importorskip("matplotlib.figure")


@pytest.mark.parametrize("names", [["private", "public"], ["openai/gpt-4o-mini-2024-07-18", "b"]])
def test_a_title_ends_before_the_legend(names: list[str]) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = pyplot.Figure(figsize=(7.5, 3.5), layout="constrained")
    canvas = FigureCanvasAgg(figure)
    lines = [figure.add_subplot().plot([0, 1], label=name)[0] for name in names]
    legend = figure.legend(handles=lines, title="model", loc="outside right upper")
    caption(figure, "Average utility: prisoner-dilemma-deliberation, private v public, 15 iterations", [])
    canvas.draw()
    title = figure._suptitle.get_window_extent()  # type: ignore[attr-defined]
    assert title.x1 <= legend.get_window_extent().x0


def test_names_of_models_are_parted_at_slashes() -> None:
    name = "private v public, anthropic/claude-sonnet"
    assert wrapped(name, 18).splitlines() == ["private v public,", "anthropic/", "claude-sonnet"]
    assert wrapped(name, 22).splitlines() == ["private v public,", "anthropic/claude-", "sonnet"]
    assert wrapped("openai/gpt-4o", 18) == "openai/gpt-4o"
