"""A figure held to what a journal asks: size of type, nothing cut off, contrast, colours told apart.

`faults` measures a figure as it is laid out, so it finds what no setting can promise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from intent.base.sheet import sheet
from intent.figures.style import FAINT, contrast

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["VISIONS", "distance", "faults", "type3_fonts"]

VISIONS: dict[str, NDArray[np.float64]] = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.01182, 0.04294, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.3039],
        ]
    ),
}
"""What a reader sees of linear RGB: Machado, Oliveira & Fernandes 2009, IEEE TVCG 15:1291, severity 1."""

_TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
_WHITE = np.array([0.95047, 1, 1.08883])

LEAST_DISTANCE = 15.0
"""In CIELAB, of two colours that nothing else tells apart."""

LEAST_CONTRAST = 3.0
_SLACK = 1.0
"""Pixels by which texts may pass the edge: rounding of their boxes."""


def distance(one: str, other: str) -> float:
    """The least CIELAB distance of two colours over all `VISIONS`."""
    return min(float(np.linalg.norm(_lab(m, one) - _lab(m, other))) for m in VISIONS.values())


def _lab(vision: NDArray[np.float64], tone: str) -> NDArray[np.float64]:
    """(3,), CIELAB of a colour as a reader sees it, white D65."""
    from matplotlib.colors import to_rgb

    rgb = np.array(to_rgb(tone))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    t = _TO_XYZ @ np.clip(vision @ linear, 0, 1) / _WHITE
    f = np.where(t > (6 / 29) ** 3, np.cbrt(t), t / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def faults(figure: Figure) -> list[str]:
    """What is wrong with a figure that is laid out, one line each; call it within `style.look`."""
    return [*_type(figure), *_cut_off(figure), *_run_together(figure), *_pale(figure), *_alike(figure)]


def _texts(figure: Figure) -> Iterator[Any]:
    """Texts that are seen: of ticks those within the limits."""
    from matplotlib.text import Text

    hidden: set[int] = set()
    for axes in figure.axes:
        if not axes.get_visible():
            hidden |= {id(text) for text in axes.findobj(Text)}
            continue
        both: Any = (axes.xaxis, axes.yaxis)
        for axis in both:
            ticks = (*axis.majorTicks, *axis.minorTicks)
            axis_ticks = axis._update_ticks() if axes.axison else []
            drawn = {id(label) for tick in axis_ticks for label in (tick.label1, tick.label2)}
            hidden |= {id(x) for tick in ticks for x in (tick.label1, tick.label2)} - drawn
            if not axes.axison:
                hidden |= {id(axis.label), id(axis.offsetText)}
    for text in figure.findobj(Text):
        if text.get_visible() and text.get_text().strip() and id(text) not in hidden:
            yield text


def _type(figure: Figure) -> Iterator[str]:
    least = min(6.0, sheet().small)
    for text in _texts(figure):
        if text.get_fontsize() < least - 1e-6:
            yield f"type of {text.get_fontsize():g} pt, expected {least:g} at least: {text.get_text()!r}"


def _cut_off(figure: Figure) -> Iterator[str]:
    width, height = figure.get_size_inches() * figure.dpi
    for text in _texts(figure):
        box = text.get_window_extent()
        if box.x0 < -_SLACK or box.y0 < -_SLACK or box.x1 > width + _SLACK or box.y1 > height + _SLACK:
            yield f"cut off: {text.get_text()!r}"


def _run_together(figure: Figure) -> Iterator[str]:
    """Labels of ticks along an axis, and titles of panels, that overlap."""
    visible = {id(text) for text in _texts(figure)}
    for axes in figure.axes:
        if not axes.get_visible() or not axes.axison or axes.name == "polar":
            continue
        across = _extents([label for label in axes.get_xticklabels() if id(label) in visible], axes)
        if any(_overlap(a, b) for a, b in pairwise(sorted(across, key=lambda e: e[0].x0))):
            yield f"labels below run together: {[text for _, text in across]}"
        up = _extents([label for label in axes.get_yticklabels() if id(label) in visible], axes)
        if any(_overlap(a, b) for a, b in pairwise(sorted(up, key=lambda e: e[0].y0))):
            yield f"labels at the left run together: {[text for _, text in up]}"
    titles = [
        (title.get_window_extent(), title.get_text())
        for axes in figure.axes
        if axes.get_visible()
        for title in (axes.title, axes._left_title, axes._right_title)  # type: ignore[attr-defined]
        if title.get_text()
    ]
    names = [
        (label.get_window_extent(), label.get_text())
        for axes in figure.axes
        if axes.get_visible() and axes.axison
        for label in (axes.xaxis.label, axes.yaxis.label)
        if label.get_text() and label.get_visible()
    ]
    for a, b in combinations([*titles, *names], 2):
        if _overlap(a, b):
            yield f"{a[1]!r} runs into {b[1]!r}"


def _extents(labels: Sequence[Any], axes: Axes) -> list[tuple[Any, str]]:
    """Boxes of labels that are seen; of turned ones what the line of type takes along the axis."""
    from matplotlib.transforms import Bbox

    boxes = []
    for label in labels:
        box = label.get_window_extent()
        turn = label.get_rotation() % 180
        if 0 < turn < 90:
            thick = label.get_fontsize() * axes.figure.dpi / 72
            lines = label.get_text().count("\n") + 1
            half = 0.5 * thick * lines * np.sin(np.radians(turn))
            middle = label.get_transform().transform(label.get_position())[0]
            box = Bbox([[middle - half, box.y0], [middle + half, box.y1]])
        boxes.append((box, label.get_text()))
    return boxes


def _overlap(one: tuple[Any, str], other: tuple[Any, str]) -> bool:
    a, b = one[0], other[0]
    return bool(min(a.x1, b.x1) - max(a.x0, b.x0) > _SLACK and min(a.y1, b.y1) - max(a.y0, b.y0) > _SLACK)


def _pale(figure: Figure) -> Iterator[str]:
    """Marks whose colour, over white, and whose outline both lack contrast."""
    from matplotlib.collections import Collection, QuadMesh
    from matplotlib.lines import Line2D
    from matplotlib.patches import FancyArrowPatch, Patch

    marks: Any = figure.findobj(lambda one: isinstance(one, Line2D | Patch | Collection))
    for artist in marks:
        if not artist.get_visible() or _faint(artist, figure) or isinstance(artist, QuadMesh):
            continue
        if isinstance(artist, Line2D):
            tones: list[Any] = []
            if artist.get_linestyle() not in ("None", "none", "", " ") and np.size(artist.get_xdata()) > 0:
                tones.append(artist.get_color())
            if artist.get_marker() not in ("None", "none", "", " ", None):
                tones += [artist.get_markerfacecolor(), artist.get_markeredgecolor()]
            tones = [tone for tone in tones if not (isinstance(tone, str) and tone.lower() == "none")]
            if tones and max(_over_white(t, artist.get_alpha()) for t in tones) < LEAST_CONTRAST:
                yield f"a line or marker of {tones} is pale"
        elif isinstance(artist, Patch):
            tones = [artist.get_edgecolor()]
            if artist.get_fill() and not isinstance(artist, FancyArrowPatch):
                tones.append(artist.get_facecolor())
            if all(tone[3] == 0 for tone in tones):
                continue
            if max(_over_white(t, None) for t in tones) < LEAST_CONTRAST:
                yield f"an area of {tones} is pale"
        else:
            tones = [*artist.get_facecolor(), *artist.get_edgecolor()]
            if artist.get_array() is None and len(tones):
                best = max(_over_white(t, None) for t in tones)
                if best < LEAST_CONTRAST:
                    yield f"marks of {tones[:2]} are pale"


def _over_white(tone: Any, alpha: float | None) -> float:
    from matplotlib.colors import to_rgba

    r, g, b, a = to_rgba(tone, alpha)
    return contrast((1 - a + a * r, 1 - a + a * g, 1 - a + a * b))


def _faint(artist: Any, figure: Figure) -> bool:
    """Whether it only guides the eye: marked so, or a background, a spine, a tick, a frame."""
    from matplotlib.spines import Spine

    backgrounds = [figure.patch, *(axes.patch for axes in figure.axes)]
    backgrounds += [sub.patch for sub in getattr(figure, "subfigs", [])]
    frames = [legend.get_frame() for legend in _legends(figure)]
    grids = [
        line
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        for tick in (*axis.majorTicks, *axis.minorTicks)
        for line in (tick.gridline, tick.tick1line, tick.tick2line)
    ]
    boxes = [text.get_bbox_patch() for axes in figure.axes for text in axes.texts]
    known = {id(one) for one in (*backgrounds, *frames, *grids, *boxes)}
    return isinstance(artist, Spine) or artist.get_gid() == FAINT or id(artist) in known


def _legends(figure: Figure) -> list[Any]:
    return [*figure.legends, *(legend for axes in figure.axes if (legend := axes.get_legend()) is not None)]


def _alike(figure: Figure) -> Iterator[str]:
    """Entries of a legend that only a colour tells apart, and that not well enough."""
    for legend in _legends(figure):
        entries = [
            (text.get_text(), *_look(handle))
            for text, handle in zip(legend.get_texts(), legend.legend_handles, strict=True)
        ]
        for (name, tone, form), (other, its_tone, its_form) in combinations(entries, 2):
            if tone and its_tone and form == its_form and distance(tone, its_tone) < LEAST_DISTANCE:
                yield f"{name!r} and {other!r} look alike: {tone}, {its_tone}"


def _look(handle: Any) -> tuple[str, Any]:
    """Colour of a handle, and whatever else tells it from others."""
    from matplotlib.lines import Line2D

    if isinstance(handle, Line2D):
        open_ = _hex(handle.get_markerfacecolor()) == "#ffffff"
        return _hex(handle.get_color()), (handle.get_marker(), handle.get_linestyle(), open_)
    return _hex(handle.get_facecolor()), getattr(handle, "get_hatch", lambda: None)()


def _hex(tone: Any) -> str:
    """A colour as ``#rrggbb``, nothing where there is none."""
    from matplotlib.colors import to_hex

    return "" if isinstance(tone, str) and tone.lower() == "none" else to_hex(tone)


def type3_fonts(pdf: bytes) -> int:
    """How many fonts of a PDF file are of Type 3, which many journals refuse."""
    return pdf.count(b"/Subtype /Type3")
