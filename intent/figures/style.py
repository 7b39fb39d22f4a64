"""The common look of all figures: colours, fonts, labels, captions, and files that are always the same.

What they are put together from: canvas, scales, legends, cells with numbers, notes in the margin.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import OutputError
from intent.base.files import writing
from intent.base.registry import load, points

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

    from intent.base.statistics.intervals import Interval


__all__ = [
    "MARKERS",
    "SUFFIXES",
    "Drawing",
    "canvas",
    "caption",
    "colour",
    "colour_bar",
    "column_ticks",
    "edge",
    "empty_panel",
    "has_colour",
    "hide",
    "ink",
    "ink_over",
    "key",
    "look",
    "margin_note",
    "name_rows",
    "palette",
    "percent_axis",
    "percent_ends",
    "ruled",
    "save",
    "shown",
    "text_map",
    "wrapped",
]


SUFFIXES = (".png", ".svg", ".pdf")

_FIXED = {
    "ALLC": "#0072B2",
    "ALLD": "#D55E00",
    "TFT": "#009E73",
    "WSLS": "#F0C92E",
    "GTFT": "#7FC9EE",
    "GRUDGER": "#CC79A7",
    "GRIM": "#7A3E73",
    "RANDOM": "#8C6D46",
    "ambiguous": "#BDBDBD",
    "low_confidence": "#E8E8E8",
    "no_fit": "#5E5E5E",
    "Aggressive": "#D55E00",
    "Cooperative": "#0072B2",
    "Neutral": "#009E73",
}
"""Okabe and Ito's palette for colour-blind readers, extended; greys where no strategy was recognised."""

_OTHERS = ("#332288", "#88CCEE", "#44AA99", "#117733", "#999933", "#DDCC77", "#CC6677", "#882255", "#AA4499")
_SERIES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7A3E73", "#8C6D46", "#444444")

_RC: dict[Any, Any] = {
    "font.family": ["DejaVu Sans"],
    "font.size": 9.5,
    "axes.titlesize": 10.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "text.parse_math": False,
    "svg.hashsalt": "intent",
    "svg.fonttype": "path",
    "path.sketch": None,
}


@contextmanager
def look() -> Iterator[None]:
    """Matplotlib's settings for the length of a block, whatever the user's own are."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_RC)
        yield


def colour(name: str) -> str:
    """The colour of an outcome, the same in every figure."""
    head = name.partition("(")[0]
    if head in _FIXED:
        return _FIXED[head]
    place = _places().get(head)
    return _OTHERS[(sum(name.encode()) if place is None else place) % len(_OTHERS)]


@cache
def _places() -> dict[str, int]:
    """Name -> its place among those that are told apart by it: orders of the group ``intent.coloured``."""
    names = dict.fromkeys(name for there in points("intent.coloured").values() for name in load(there))
    return {name: place for place, name in enumerate(names)}


def has_colour(name: str) -> bool:
    """Whether a strategy, status or attitude has a colour that no other one has."""
    return name.partition("(")[0] in _FIXED


def palette(n: int) -> list[str]:
    """Colours of `n` series that have none of their own."""
    return [_SERIES[i % len(_SERIES)] for i in range(n)]


def ink(background: str | tuple[float, float, float]) -> str:
    """Black or white, whichever reads better on a colour."""
    from matplotlib.colors import to_rgb

    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(background)]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "black" if luminance > 0.23 else "white"


def edge(tone: str) -> str:
    """The outline of a marker: white, grey around what would be lost on white paper."""
    return "white" if ink(tone) == "white" or _dark(tone) else "#777777"


def ink_over(image: AxesImage, value: float) -> str:
    """`ink` on the colour that a map gives to a value; black where there is none."""
    from matplotlib.colors import to_hex

    if np.isnan(value):
        return "black"
    return ink(to_hex(tuple(image.to_rgba(np.array([value]))[0])))


def wrapped(text: object, width: int = 22, *, most: int = 6) -> str:
    """Text in at most `most` lines of at most `width` characters, an ellipsis where there is more.

    A long name of a model is parted behind its slashes.
    """
    mark = "\u2060"  # a word joiner: where a line could end and did not, it and the space before it go
    flat = shown(str(text)[: 4 * most * width])
    words = (w.replace("/", f"/ {mark}") if len(w) > width else w for w in flat.split(" "))
    folded = "\n".join(textwrap.wrap(" ".join(words), width, break_on_hyphens=True))
    lines = (folded.replace(f" {mark}", "").replace(mark, "") or flat[:width]).split("\n")
    if len(lines) > most:
        lines = [*lines[: most - 1], f"{lines[most - 1][: width - 1]}…"]
    return "\n".join(lines)


def column_ticks(texts: Sequence[object], width: int) -> tuple[list[str], dict[str, Any], float]:
    """Labels of the columns of a map, no word of ordinary length broken.

    In lines of at most `width` letters where all words are as short; else slanted, or upright where long.

    Returns
    -------
    labels : list of str
    properties : dict
        For `Axes.set_xticks`.
    depth : float
        About how far the labels reach below the map, in inches.
    """
    plain = [shown(text) for text in texts]
    longest = max((len(word) for text in plain for word in text.replace("-", " ").split()), default=0)
    if longest <= width:
        labels = [wrapped(text, width) for text in plain]
        return labels, {}, 0.16 * max(label.count("\n") + 1 for label in labels)
    labels = [wrapped(text, max(16, min(longest, 30))) for text in plain]
    letters = max(len(line) for label in labels for line in label.split("\n"))
    if letters <= 13 and not any("\n" in label for label in labels):
        return labels, {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}, 0.06 * letters
    return labels, {"rotation": 90}, 0.085 * letters


def shown(text: object) -> str:
    """Text on one line, the characters that the figures' font lacks or that do not print as U+XXXX."""
    flat = " ".join(str(text).split())
    return "".join(
        c if c.isprintable() and (c.isascii() or _drawable(c)) else f"U+{ord(c):04X}" for c in flat
    )


def percent_ends(interval: Interval) -> str:
    """``28–34``, nothing where there is no interval."""
    known = interval.low == interval.low and interval.high == interval.high
    return f"{interval.low * 100:.0f}–{interval.high * 100:.0f}" if known else ""


def _dark(tone: str) -> bool:
    return sum(int(tone[i : i + 2], 16) for i in (1, 3, 5)) < 3 * 0xB0


@cache
def _drawable(character: str) -> bool:
    from matplotlib.font_manager import FontProperties, findfont, get_font

    return bool(get_font(findfont(FontProperties(family="DejaVu Sans"))).get_char_index(ord(character)))


def caption(figure: Figure, title: str, lines: Sequence[str]) -> None:
    """A title above, at the left, and what one must know to read the figure in small type below."""
    columns = int(figure.get_figwidth() * 15.5)
    heading = wrapped(title, _title_columns(figure, columns), most=4)
    figure.suptitle(heading, x=0.01, ha="left", fontsize=13, fontweight="bold")
    text = "\n".join(wrapped(line, columns, most=12) for line in lines if line)
    figure.supxlabel(text, x=0.01, ha="left", fontsize=8, color="#444444", linespacing=1.35)


def _title_columns(figure: Figure, columns: int) -> int:
    """Letters that a line of the title holds, beside what legends take of the upper right corner."""
    if not figure.legends:
        return int(columns * 0.62)
    texts = [text.get_text() for one in figure.legends for text in (one.get_title(), *one.get_texts())]
    inches = figure.get_figwidth() - 0.55 - 0.085 * max(map(len, texts), default=0)
    return max(20, int(inches / 0.108))


def save(figure: Figure, path: str | Path, *, title: str, description: str, overwrite: bool = False) -> Path:
    """Write a figure; the suffix says how. The same figure gives the same bytes.

    Raises
    ------
    OutputError
        The suffix is not .png, .svg or .pdf, or the path cannot be written.
    """
    target = Path(path)
    suffix, title = target.suffix.lower(), wrapped(title, 200, most=1)
    if suffix not in SUFFIXES:
        raise OutputError(
            f"cannot draw {target}: suffix {target.suffix!r}, expected one of {', '.join(SUFFIXES)}"
        )
    facts: dict[str, dict[str, Any]] = {
        ".png": {"Software": None, "Title": title, "Description": description},
        ".svg": {"Date": None, "Creator": None, "Title": title, "Description": description},
        ".pdf": {
            "CreationDate": None,
            "Creator": None,
            "Producer": None,
            "Title": title,
            "Subject": description,
        },
    }
    with writing(target, overwrite=overwrite) as draft:
        figure.savefig(draft, format=suffix[1:], dpi=150, metadata=facts[suffix])
    return target


@dataclass(frozen=True, eq=False)
class Drawing:
    """A figure that can be drawn.

    Parameters
    ----------
    title : str
    draw : callable
        Returns a matplotlib Figure; call it within `look`.
    lines : sequence of str
        How to read it, for the caption.
    """

    title: str
    draw: Callable[[], Figure]
    lines: Sequence[str] = ()

    def write(
        self, path: str | Path, *, remarks: Sequence[str] = (), description: str = "", overwrite: bool = False
    ) -> Path:
        """Draw it in the common look and write it as .png, .svg or .pdf.

        Parameters
        ----------
        path : path
        remarks : sequence of str
            Further lines of the caption, such as the file and the rows that were kept.
        description : str
            Kept in the file's metadata.
        overwrite : bool

        Raises
        ------
        UsageError
            More panels or lines than a figure can show.
        OutputError
            The path cannot be written or has another suffix.
        """
        with look():
            figure = self.draw()
            caption(figure, self.title, [*self.lines, *remarks])
            return save(figure, path, title=self.title, description=description, overwrite=overwrite)


MARKERS = "osD^vPXd<"


def canvas(width: float, height: float, rows: int = 1, columns: int = 1, **share: Any) -> tuple[Figure, Any]:
    """A figure of so many inches, and its axes, as `Figure.subplots` gives them."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(rows, columns, **share)


def ruled(axes: Axes, which: Literal["x", "y", "both"] = "y") -> None:
    """Faint lines at the ticks of an axis, behind all that is drawn."""
    axes.grid(axis=which, color="#EEEEEE")
    axes.set_axisbelow(True)


def percent_axis(axis: Axis) -> None:
    """Shares on an axis as per cent, whose sign is in the label."""
    from matplotlib.ticker import PercentFormatter

    axis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=""))


def name_rows(axes: Axes, names: Sequence[str], *, above: float = 0.5) -> None:
    """A name for each row, from the top down, without tick marks."""
    axes.set_yticks(range(len(names)), list(names))
    axes.set_ylim(len(names) - 0.5, -above)
    axes.tick_params(axis="y", length=0)


def margin_note(axes: Axes, y: float, text: str, x: float = 1.012, **how: Any) -> None:
    """A small note at the right of a row, beyond the axes."""
    axes.text(x, y, text, transform=axes.get_yaxis_transform(), ha="left", va="center", **how)


def text_map(
    axes: Axes,
    values: NDArray[np.float64],
    texts: Sequence[Sequence[str]],
    *,
    sizes: tuple[float, float] = (9, 7),
    places: tuple[float, float] = (0.13, 0.24),
    empty: str = "black",
    **image: Any,
) -> Any:
    """A map whose cells hold a number and below it, behind a line break, small type.

    Parameters
    ----------
    axes : Axes
    values : (rows, columns), NaN where there is nothing
    texts : (rows, columns)
    sizes : of the number and of what stands below it, in points
    places : how far above and below the middle of the cell these stand
    empty : colour of the text of a cell without a value
    **image : of `Axes.imshow`, such as vmin and vmax
    """
    drawn = axes.imshow(values, **{"cmap": "YlGnBu", "aspect": "auto", **image})
    axes.set_xticks(np.arange(values.shape[1] + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(values.shape[0] + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=1.5)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)
    for (i, j), value in np.ndenumerate(values):
        number, _, below = texts[i][j].partition("\n")
        tone = empty if np.isnan(value) else ink_over(drawn, value)
        how: dict[str, Any] = {"ha": "center", "va": "center", "color": tone}
        if number:
            axes.text(j, i - (places[0] if below else 0), number, fontsize=sizes[0], **how)
        if below:
            how |= {"linespacing": 1.1} if "\n" in below else {}
            axes.text(j, i + places[1], below, fontsize=sizes[1], **how)
    return drawn


def colour_bar(
    figure: Figure, image: Any, axes: Any, label: str = "", *, percent: bool = False, **how: Any
) -> Any:
    """What the colours of a map mean."""
    from matplotlib.ticker import PercentFormatter

    form = {"format": PercentFormatter(1, decimals=0, symbol="")} if percent else {}
    bar = figure.colorbar(image, ax=axes, **{"pad": 0.02, **form, **how})
    bar.set_label(label)
    bar.outline.set_visible(False)
    return bar


def key(
    figure: Figure,
    names: Sequence[str],
    tones: Sequence[str],
    title: str | None = None,
    *,
    edges: Sequence[str] = (),
    **line: Any,
) -> None:
    """One legend at the upper right: patches, or with `line` lines, each with a marker of its own.

    Parameters
    ----------
    figure : Figure
    names, tones : one each, in order
    title : str, optional
    edges : of the markers; white unless said
    **line : of `Line2D`
    """
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = []
    for s, (name, tone) in enumerate(zip(names, tones, strict=True)):
        outline = edges[s] if edges else "white"
        drawn = {"color": tone, "marker": MARKERS[s % len(MARKERS)], "markeredgecolor": outline, **line}
        handles.append(Line2D([], [], label=name, **drawn) if line else Patch(facecolor=tone, label=name))
    figure.legend(handles=handles, loc="outside right upper", frameon=False, title=title, alignment="left")


def hide(ax: Axes) -> None:
    """Leave a place of the grid empty."""
    ax.set_axis_off()


def empty_panel(ax: Axes, why: str = "no play") -> None:
    """Words in a panel that has nothing to show."""
    ax.text(0.5, 0.5, why, transform=ax.transAxes, ha="center", va="center", color="#777777")
