"""The common look of all figures: colours, fonts, labels, captions, and files that are always the same.

What they are put together from: canvas, scales, legends, cells with numbers, notes in the margin.
"""

from __future__ import annotations

import logging
import math
import textwrap
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import OutputError, nearest
from intent.base.outputs import claim, writing
from intent.base.registry import load, points
from intent.base.sheet import sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

    from intent.base.statistics import Interval


__all__ = [
    "FAINT",
    "MARKERS",
    "NOTES",
    "SUFFIXES",
    "Drawing",
    "band",
    "canvas",
    "caption",
    "caption_path",
    "colour",
    "colour_bar",
    "column_ticks",
    "columns_of",
    "contrast",
    "edge",
    "empty_panel",
    "families",
    "fit_later",
    "has_colour",
    "hide",
    "ink",
    "ink_over",
    "key",
    "legend_of",
    "look",
    "margin_note",
    "name_rows",
    "narrow",
    "outline",
    "palette",
    "paper",
    "percent_axis",
    "percent_ends",
    "proofs",
    "pt",
    "room",
    "ruled",
    "save",
    "shown",
    "strong",
    "text_map",
    "text_width",
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
_SERIES = ("#5D53A6", "#7E8C1C", "#BF4372", "#3091F2", "#004030", "#BF7860", "#732B00", "#B77CBF", "#492D59")
"""Of models, conditions and all other series: none is a strategy's, each has a contrast of 3 on white, any
two differ by 20 and more in CIELAB for readers with and without colour-vision deficiencies."""

_FALLBACK = (
    "Noto Sans", "Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "WenQuanYi Zen Hei",
    "WenQuanYi Micro Hei", "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "SimHei",
    "Noto Naskh Arabic", "Noto Sans Arabic", "Geeza Pro", "Noto Sans Hebrew", "Noto Sans Devanagari",
    "Arial Unicode MS",
)  # fmt: skip
"""Families that letters come from which the ones before lack, where the system has them."""

_OURS = "DejaVu Sans"
"""The family that comes with matplotlib: figures are alike on all systems."""

NOTES = "intent.figures"
"""Logger that is told what a reader of a figure should know, such as letters that no font has."""

_LOG = logging.getLogger(NOTES)

_RC: dict[Any, Any] = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "text.parse_math": False,
    "svg.hashsalt": "intent",
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "path.sketch": None,
}


def _settings() -> dict[Any, Any]:
    """Matplotlib's settings on the sheet that holds."""
    page = sheet()
    small = {"xtick.labelsize": pt(9.5), "ytick.labelsize": pt(9.5), "legend.fontsize": pt(9.5)}
    lines: dict[Any, Any] = {}
    if page.printed:
        lines = {
            "axes.linewidth": 0.6, "xtick.major.width": 0.6, "ytick.major.width": 0.6,
            "xtick.major.size": 2.5, "ytick.major.size": 2.5, "xtick.major.pad": 2.5,
            "ytick.major.pad": 2.5, "axes.labelpad": 2.5, "axes.titlepad": 4.0, "lines.markersize": 4.0,
            "legend.handlelength": 1.6, "legend.columnspacing": 1.2, "legend.handletextpad": 0.5,
            "legend.labelspacing": 0.35, "hatch.linewidth": 0.5,
            "figure.constrained_layout.w_pad": 0.02, "figure.constrained_layout.h_pad": 0.02,
        }  # fmt: skip
    return {
        **_RC,
        **small,
        **lines,
        "font.family": families(),
        "font.size": page.text,
        "axes.titlesize": pt(10.5),
        "svg.fonttype": "path" if page.outlined else "none",
        **({"path.effects": [_outlined()]} if page.outlined else {}),
    }


def _outlined() -> Any:
    """What draws text as outlines, in PDF too."""
    from matplotlib.patheffects import Normal

    return Normal()


def families(*, all_of_them: bool = False) -> list[str]:
    """Families of type in order: those asked for, ours, and (all) those with letters that both lack."""
    installed = _installed()
    wanted = [*sheet().font, _OURS, *(_FALLBACK if all_of_them else ())]
    return [name for name in dict.fromkeys(wanted) if name in installed]


def _in(names: Sequence[str], character: str) -> bool:
    return any(_has(family, character) for family in names)


@cache
def _installed() -> frozenset[str]:
    from matplotlib.font_manager import fontManager

    return frozenset(font.name for font in fontManager.ttflist)


def pt(size: float) -> float:
    """Points of type on the sheet, of what is so large where text is 9.5; never less than small type."""
    page = sheet()
    return max(page.small, round(size * page.text / 9.5, 2))


def room() -> float:
    """How wide a figure may be, in inches of a page whose text is 9.5 points; infinite where none is said."""
    return sheet().inches / _scale()


def narrow(least: float = 6.0) -> bool:
    """Whether there is less room than a figure that is so wide, in the inches of `room`, needs."""
    return room() < least


def columns_of(wanted: int, across: float, beside: float = 1.0) -> int:
    """Panels that stand side by side: those wanted, or as many of so many inches as have room, evenly."""
    if math.isinf(room()):
        return wanted
    fit = max(1, min(wanted, int((room() - beside) / across)))
    return -(-wanted // -(-wanted // fit))


def _scale() -> float:
    return sheet().text / 9.5


@contextmanager
def look() -> Iterator[None]:
    """Matplotlib's settings for the length of a block, whatever the user's own are."""
    import matplotlib

    for name in sheet().font:
        if name not in _installed():
            near = nearest(name, _installed())
            hint = f"; near it: {', '.join(near)}" if near else ""
            _LOG.warning("font %r is not installed, the next one stands in its place%s", name, hint)
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_settings())
        looking = _LOOKING.set(True)
        try:
            yield
        finally:
            _LOOKING.reset(looking)


_LOOKING: ContextVar[bool] = ContextVar("looking", default=False)


def colour(name: str) -> str:
    """The colour of an outcome, the same in every figure."""
    head = name.partition("(")[0]
    own = sheet().colours
    if name in own or head in own:
        return own.get(name) or own[head]
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
    return name.partition("(")[0] in _FIXED or name in sheet().colours


def palette(n: int) -> list[str]:
    """Colours of `n` series that have none of their own; no strategy has one of them."""
    tones = (*sheet().series, *(tone for tone in _SERIES if tone not in sheet().series))
    return [tones[i % len(tones)] for i in range(n)]


FAINT = "faint"
"""Mark (`Artist.set_gid`) of what only guides the eye: rulings, what parts rows."""

_LEAST = 3.0
"""Contrast on white that a mark needs to be seen (WCAG 2.1, 1.4.11)."""


def contrast(tone: str | tuple[float, ...]) -> float:
    """Contrast of a colour on white, from 1 to 21 (WCAG 2.1)."""
    return 1.05 / (_luminance(tone) + 0.05)


def _luminance(tone: str | tuple[float, ...]) -> float:
    from matplotlib.colors import to_rgb

    rgb: Any = tone
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(rgb)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@cache
def strong(tone: str) -> str:
    """The colour for lines and outlines: itself, or darker, so that it has a contrast of 3 on white."""
    from matplotlib.colors import to_hex, to_rgb

    rgb = to_rgb(tone)
    while contrast(rgb) < _LEAST + 0.05:
        rgb = (rgb[0] * 0.97, rgb[1] * 0.97, rgb[2] * 0.97)
    return tone if contrast(tone) >= _LEAST else to_hex(rgb)


def outline(tone: str) -> str:
    """The outline of an area: white, and of one that is pale its own colour, darker."""
    return "white" if contrast(tone) >= _LEAST else strong(tone)


def band(axes: Axes, x: Any, low: Any, high: Any, tone: str, **how: Any) -> None:
    """An interval along a line: a pale area between two thin lines."""
    tone = strong(tone)
    axes.fill_between(x, low, high, color=tone, alpha=0.16, linewidth=0, gid=FAINT, **how)
    for ends in (low, high):
        axes.plot(x, ends, color=tone, linewidth=0.6, alpha=1, solid_capstyle="butt")


def ink(background: str | tuple[float, float, float]) -> str:
    """Black or white, whichever reads better on a colour."""
    return "black" if _luminance(background) > 0.23 else "white"


def edge(tone: str) -> str:
    """The outline of a marker: white, dark around what would be lost on white paper."""
    return outline(tone)


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
    width = _letters(str(text)[: 4 * width], width)
    mark = "\u2060"  # a word joiner: where a line could end and did not, it and the space before it go
    flat = shown(str(text)[: 4 * most * width])
    words = (w.replace("/", f"/ {mark}") if len(w) > width else w for w in flat.split(" "))
    folded = "\n".join(textwrap.wrap(" ".join(words), width, break_on_hyphens=True))
    lines = (folded.replace(f" {mark}", "").replace(mark, "") or flat[:width]).split("\n")
    if len(lines) > most:
        lines = [*lines[: most - 1], f"{lines[most - 1][: width - 1]}…"]
    return "\n".join(lines)


def _letters(text: str, width: int) -> int:
    """Letters of a line: fewer where they are wide, as those of Chinese."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return max(4, width * 5 // 8) if 2 * wide > len(text) else width


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


def _drawable(character: str) -> bool:
    if _in(families(), character):
        return True
    whole = families(all_of_them=True)
    has = _in(whole, character)
    if has and _LOOKING.get():
        import matplotlib

        matplotlib.rcParams["font.family"] = whole  # of all text from here on, until the look ends
    if not has:
        _note_missing(character)
    return has


@cache
def _note_missing(character: str) -> None:
    """Say it once."""
    _LOG.warning("no font of this system has U+%04X, which figures spell out so", ord(character))


@cache
def _has(family: str, character: str) -> bool:
    from matplotlib.font_manager import FontProperties, findfont, get_font

    return bool(get_font(findfont(FontProperties(family=family))).get_char_index(ord(character)))


def caption(figure: Figure, title: str, lines: Sequence[str]) -> None:
    """A title above, at the left, and what one must know to read the figure in small type below."""
    columns = int(figure.get_figwidth() * 15.5 / _scale())
    heading = wrapped(title, _title_columns(figure, columns), most=4)
    figure.suptitle(heading, x=0.01, ha="left", fontsize=sheet().title, fontweight="bold")
    text = "\n".join(wrapped(line, columns, most=12) for line in lines if line)
    figure.supxlabel(text, x=0.01, ha="left", fontsize=pt(8), color="#444444", linespacing=1.35)


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
    dots = 300 if sheet().printed else 150
    with writing(target, overwrite=overwrite) as draft:
        figure.savefig(draft, format=suffix[1:], dpi=dots, metadata=facts[suffix])
        if suffix == ".svg":
            _name_families(draft)
    return target


def _name_families(path: Path) -> None:
    """Name families behind ours in an SVG file, for systems that lack it."""
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(f"'{_OURS}'", f"'{_OURS}', {_LIKE_OURS}"), encoding="utf-8")


_LIKE_OURS = "Verdana, Arial, Helvetica, sans-serif"


def caption_path(path: str | Path) -> Path:
    """Where the caption of a figure stands: ``shares.pdf`` has ``shares.caption.txt`` beside it."""
    return Path(path).with_suffix(".caption.txt")


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

    def words(self, remarks: Sequence[str] = ()) -> str:
        """The caption: the title, how to read the figure, and further lines."""
        title = self.title if self.title[-1:] in ".?!" else f"{self.title}."
        lines = [" ".join(shown(part) for part in line.split()) for line in (title, *self.lines, *remarks)]
        return "".join(f"{line}\n" for line in lines if line)

    def made(self, remarks: Sequence[str] = ()) -> Figure:
        """The figure as the sheet wants it, set and fitted; call it within `look`.

        For a column it has neither title nor caption, which stand in the text of a paper.
        """
        figure = self.draw()
        if not sheet().printed:
            caption(figure, self.title, [*self.lines, *remarks])
        fitted(figure)
        if (stroke := sheet().stroke) != 1:
            from matplotlib.lines import Line2D

            for line in figure.findobj(Line2D):
                line.set_linewidth(stroke * line.get_linewidth())
        return figure

    def write(
        self, path: str | Path, *, remarks: Sequence[str] = (), description: str = "", overwrite: bool = False
    ) -> Path:
        """Draw it in the common look and write it as .png, .svg or .pdf, with its caption as text beside it.

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
            The path cannot be written or has another suffix, or another caption is there.
        """
        text = self.words(remarks)
        claim(path, overwrite=overwrite)
        _check_caption(caption_path(path), text, overwrite=overwrite)
        if (proof := _PROOF.get()) is not None:
            proof(self, Path(path), remarks)
            return Path(path)
        with look():
            figure = self.made(remarks)
            written = save(figure, path, title=self.title, description=description, overwrite=overwrite)
        with writing(caption_path(path), overwrite=True) as draft:
            draft.write_text(text, encoding="utf-8")
        return written


def _check_caption(path: Path, text: str, *, overwrite: bool) -> None:
    """Refuse to write over a caption that says something else, perhaps by another hand.

    Raises
    ------
    OutputError
    """
    if overwrite or not path.exists():
        return
    try:
        own = text.encode("utf-8")
        same = path.stat().st_size == len(own) and path.read_bytes() == own
    except OSError:
        same = False
    if not same:
        raise OutputError(f"{path} holds another caption, expected another name for the figure (--overwrite)")


Proof = Callable[[Drawing, Path, Sequence[str]], None]

_PROOF: ContextVar[Proof | None] = ContextVar("proof", default=None)


@contextmanager
def proofs(proof: Proof) -> Iterator[None]:
    """Show every drawing to a function, with its path and remarks, in place of writing it."""
    before = _PROOF.set(proof)
    try:
        yield
    finally:
        _PROOF.reset(before)


_FITS: WeakKeyDictionary[Figure, list[Callable[[], bool]]] = WeakKeyDictionary()


def fit_later(figure: Figure, fit: Callable[[], bool]) -> None:
    """Have something fitted once the places of all axes are known; it says whether it changed anything."""
    _FITS.setdefault(figure, []).append(fit)


def fitted(figure: Figure) -> None:
    """Lay a figure out, fit what was put off until then and all words beside axes, and lay it out anew."""
    fits = _FITS.pop(figure, [])
    _spell(figure)
    for _ in range(3):
        figure.draw_without_rendering()
        changed = [fit() for fit in fits]
        if sheet().printed:
            changed += [fit(ax) for ax in figure.axes if ax.get_visible() for fit in (_fit_words, _fit_ticks)]
        if not any(changed):
            break


def _spell(figure: Figure) -> None:
    """Give texts with letters that the first families lack the families that have them."""
    from matplotlib.text import Text

    plain, whole = families(), families(all_of_them=True)
    for text in figure.findobj(Text):
        if not text.get_text().isascii() and any(not _in(plain, c) for c in text.get_text() if c != "\n"):
            text.set_fontfamily(whole)


def _fit_words(axes: Axes) -> bool:
    """Break titles and names of axes that are longer than their axes into lines."""
    box = axes.get_window_extent()
    gap = 0.01 * axes.figure.dpi
    changed = False
    own: Any = axes
    for text in (axes.title, own._left_title, own._right_title, axes.xaxis.label):
        beside = 1.4 if text is axes.xaxis.label and len(_beside(axes)) == 1 else 1.0
        changed |= _broken(text, beside * box.width + gap, upright=False)
    return changed | _broken(axes.yaxis.label, box.height + 24 * gap, upright=True)


def _beside(axes: Axes) -> list[Any]:
    """Axes in the same row, itself among them."""
    mine = axes.get_position()
    return [
        ax
        for ax in axes.get_figure(root=True).axes  # type: ignore[union-attr]
        if ax.get_visible() and abs(ax.get_position().y0 - mine.y0) < 0.3 * mine.height
    ]


_WORDS: WeakKeyDictionary[Any, str] = WeakKeyDictionary()
"""Text beside axes -> its words before they were broken into lines."""


def _broken(text: Any, room: float, *, upright: bool) -> bool:
    words = text.get_text()
    if not words or not text.get_visible():
        return False
    box = text.get_window_extent()
    long = box.height if upright else box.width
    if long <= room:
        return False
    whole = _WORDS.setdefault(text, words)
    letters = max(map(len, words.split("\n")))
    width = max(6, int(letters * room / long))
    folded = "\n".join(wrapped(line, width) if len(line) > width else line for line in whole.split("\n"))
    if folded == words:
        return False
    text.set_text(folded)
    return True


def _fit_ticks(axes: Axes) -> bool:
    """Labels below an axis that run into one another: fewer numbers, or names that are turned."""
    from matplotlib.ticker import FixedLocator, MaxNLocator

    labels = [label for label in axes.get_xticklabels() if label.get_text() and label.get_visible()]
    if len(labels) < 2 or not _overlap(labels):
        return False
    locator = axes.xaxis.get_major_locator()
    if not isinstance(locator, FixedLocator):
        if isinstance(locator, MaxNLocator):
            bins = max(2, len(labels) - 2 - len(labels) // 4)
            if locator._nbins == bins:  # type: ignore[attr-defined]
                return False
            locator.set_params(nbins=bins)
            return True
        return False
    turn = labels[0].get_rotation()
    if turn >= 90:
        return False
    plain = [" ".join(label.get_text().split()) for label in labels]
    if all(word.replace(".", "").replace(",", "").isdigit() for word in plain) and len(labels) > 4:
        fixed: Any = locator
        places = fixed.locs
        axes.set_xticks(places[::2], [label.get_text() for label in axes.get_xticklabels()][::2])
        return True
    steep = turn > 0 or max(map(len, plain)) > 16
    how: dict[str, Any] = (
        {"rotation": 90} if steep else {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
    )
    if steep:
        how |= {"ha": "center", "rotation_mode": "default"}
    for label in axes.get_xticklabels():
        label.set(**how)
        label.set_text(wrapped(label.get_text(), 22))
    axes.tick_params(axis="x", rotation=how["rotation"])
    return True


def _overlap(labels: Sequence[Any]) -> bool:
    """Whether any two neighbours do."""
    if labels[0].get_rotation() % 180:
        thick = labels[0].get_fontsize() * labels[0].figure.dpi / 72
        slant = math.sin(math.radians(labels[0].get_rotation()))
        lines = max(label.get_text().count("\n") + 1 for label in labels)
        middles = sorted(label.get_transform().transform(label.get_position())[0] for label in labels)
        return bool(min(b - a for a, b in pairwise(middles)) < lines * thick * slant * 1.05)
    boxes = sorted((label.get_window_extent() for label in labels), key=lambda box: box.x0)
    return any(b.x0 < a.x1 + 1.5 for a, b in pairwise(boxes))


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Width of the longest line of a text, in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=families(), size=size, weight="bold" if bold else "normal")
    return float(
        max(text_to_path.get_text_width_height_descent(line, font, False)[0] for line in text.split("\n"))
    )


MARKERS = "osD^vPXd<"


_HEADED = 0.95
"""Inches of a height that title and caption take, which a figure for a column does without."""


def canvas(width: float, height: float, rows: int = 1, columns: int = 1, **share: Any) -> tuple[Figure, Any]:
    """A figure and its axes, as `Figure.subplots` gives them.

    Parameters
    ----------
    width, height : float
        Inches where text is 9.5 points. On a sheet with a width the figure has that one.
    rows, columns : int
    **share : of `Figure.subplots`
    """
    figure = paper(width, height)
    return figure, figure.subplots(rows, columns, **share)


def paper(width: float, height: float) -> Figure:
    """A figure of that size without axes, as `canvas` makes it."""
    from matplotlib.figure import Figure

    page = sheet()
    if page.printed:
        size = (page.inches, max(1.0, height - _HEADED) * _scale())
    else:
        size = (width * _scale(), height * _scale())
    return Figure(figsize=size, layout="constrained")


def ruled(axes: Axes, which: Literal["x", "y", "both"] = "y") -> None:
    """Faint lines at the ticks of an axis, behind all that is drawn."""
    axes.grid(axis=which, color="#EEEEEE", gid=FAINT)
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
    how["fontsize"] = pt(how.get("fontsize", 9.5))
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
    axes.grid(which="minor", color="white", linewidth=1.5, gid=FAINT)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)
    cells: list[tuple[Any, int, Any]] = []
    for (i, j), value in np.ndenumerate(values):
        number, _, below = texts[i][j].partition("\n")
        tone = empty if np.isnan(value) else ink_over(drawn, value)
        how: dict[str, Any] = {"ha": "center", "va": "center", "color": tone}
        if number:
            large = axes.text(j, i - (places[0] if below else 0), number, fontsize=pt(sizes[0]), **how)
            cells.append((large, j, None))
        if below:
            how |= {"linespacing": 1.1} if "\n" in below else {}
            small = axes.text(j, i + places[1], below, fontsize=pt(sizes[1]), **how)
            cells.append((small, j, large if number else None))
    figure: Any = axes.get_figure(root=True)
    maps = _MAPS.setdefault(figure, [])
    if not maps:
        fit_later(figure, lambda: _fit_cells(maps))
    maps.append((axes, cells))
    return drawn


_MAPS: WeakKeyDictionary[Figure, list[tuple[Axes, list[tuple[Any, int, Any]]]]] = WeakKeyDictionary()


def _fit_cells(maps: Sequence[tuple[Axes, Sequence[tuple[Any, int, Any]]]]) -> bool:
    """Break intervals into two lines, in all maps of a figure, where some cell is narrower than they are."""
    below = [(text, number) for _, cells in maps for text, _, number in cells if number is not None]
    if not any(_too_wide(axes, cells) for axes, cells in maps) or any(
        "–\n" in text.get_text() for text, _ in below
    ):
        return False
    for text, number in below:
        text.set_text("\n".join(line.replace("–", "–\n", 1) for line in text.get_text().split("\n")))
        text.set_linespacing(0.95)
        row = round(number.get_position()[1])
        number.set_y(row - 0.3)
        text.set_y(row + 0.16)
    return True


def _too_wide(axes: Axes, cells: Sequence[tuple[Any, int, Any]]) -> bool:
    """Whether what stands below a number is wider than its cell."""
    places = axes.transData.transform([[0, 0], [1, 0]])[:, 0]
    across = float(abs(places[1] - places[0])) * 0.97
    return any(text.get_window_extent().width > across for text, _, number in cells if number is not None)


def colour_bar(
    figure: Figure, image: Any, axes: Any, label: str = "", *, percent: bool = False, **how: Any
) -> Any:
    """What the colours of a map mean."""
    from matplotlib.ticker import PercentFormatter

    form = {"format": PercentFormatter(1, decimals=0, symbol="")} if percent else {}
    if narrow():
        figure.set_figheight(figure.get_figheight() + 0.55 * _scale())
        how = {**how, "location": "bottom", "aspect": 40, "shrink": 0.7}
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
        around = edges[s] if edges else outline(tone)
        drawn = {"color": tone, "marker": MARKERS[s % len(MARKERS)], "markeredgecolor": around, **line}
        patch: dict[str, Any] = {"facecolor": tone, "edgecolor": around, "linewidth": 0.6}
        handles.append(Line2D([], [], label=name, **drawn) if line else Patch(label=name, **patch))
    legend_of(figure, handles, title)


def legend_of(figure: Figure, handles: Sequence[Any], title: str | None = None) -> None:
    """One legend for the figure: at the upper right, or below it where there is no room beside the panels."""
    how: dict[str, Any] = {"frameon": False, "alignment": "left", "title": title}
    if not narrow(_BESIDE):
        figure.legend(handles=handles, loc="outside right upper", **how)
        return
    size = pt(9.5)
    names = [str(handle.get_label()) for handle in handles]
    across = max(text_width(name, size) for name in names) + 3.4 * size
    fit = max(1, int((figure.get_figwidth() * 72 - 0.5 * size) / across))
    rows = -(-len(names) // fit)
    columns = -(-len(names) // rows)
    lines = sum(max(name.count("\n") + 1 for name in names[row::rows]) for row in range(rows))
    figure.set_figheight(figure.get_figheight() + (1.3 * (lines + bool(title)) + 0.8) * size / 72)
    figure.legend(handles=handles, loc="outside lower left", ncols=columns, **how)


_BESIDE = 8.0
"""Inches of room from which on a legend stands beside the panels."""


def hide(ax: Axes) -> None:
    """Leave a place of the grid empty."""
    ax.set_axis_off()


def empty_panel(ax: Axes, why: str = "no play") -> None:
    """Words in a panel that has nothing to show."""
    ax.text(0.5, 0.5, why, transform=ax.transAxes, ha="center", va="center", color="#666666")
