"""Every figure in both columns of a journal: type, edges, contrast, colours, fonts, captions."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest
from every_figure import sketches

from intent.base.errors import DataError, OutputError, UsageError
from intent.base.sheet import COLUMNS, drawn_on, sheet, sheet_of
from intent.figures.proof import distance, faults, type3_fonts
from intent.figures.style import (
    Drawing,
    canvas,
    caption_path,
    colour,
    contrast,
    families,
    look,
    outline,
    palette,
    save,
    strong,
)
from intent.report.figures import figure_list

FEW = ("bars", "ribbons", "points-means", "automaton", "study-reliability", "contributor-types")


def found_faults(sketches_by_name, column, folder):
    """Name -> what is wrong with it, drawn once, written as SVG and, for the first column, as PDF."""
    suffixes = ("svg", "pdf") if column == next(iter(COLUMNS)) else ("svg",)  # fonts are those of any width
    wrong = {}
    with drawn_on(sheet_of(column)), look():
        for name, (drawing, remarks) in sketches_by_name.items():
            figure = drawing.made(remarks)
            own = faults(figure)
            figure.set_layout_engine("none")
            paths = [
                save(figure, folder / f"{name}.{suffix}", title=drawing.title, description="")
                for suffix in suffixes
            ]
            own += file_faults(COLUMNS[column], *paths)
            own += [] if len(drawing.words(remarks)) > len(drawing.title) + 20 else ["no caption"]
            if own:
                wrong[name] = own
    return wrong


def file_faults(width, svg, pdf=None):
    """What is wrong with the files: another width, no text, fonts of text that is no text."""
    tree = ET.parse(svg).getroot()
    points = {"SVG": float(tree.get("width").removesuffix("pt"))}
    wrong = []
    if pdf is not None:
        data = pdf.read_bytes()
        points["PDF"] = float(re.search(rb"/MediaBox \[ ?0 0 ([0-9.]+)", data)[1])
        wrong += ["a font of Type 3"] if type3_fonts(data) else []
    millimetres = {name: value / 72 * 25.4 for name, value in points.items()}
    wrong += [f"{name}: {mm:.1f} mm wide" for name, mm in millimetres.items() if abs(mm - width) > 0.1]
    if not list(tree.iter("{http://www.w3.org/2000/svg}text")):
        wrong.append("no text in the SVG")
    return wrong


@pytest.mark.parametrize(
    "column", [pytest.param(c, marks=[] if c == "single" else pytest.mark.exhaustive) for c in COLUMNS]
)
def test_a_few_figures_are_fit_for_print(column, tmp_path):
    assert found_faults(sketches(tmp_path / "in", *FEW), column, tmp_path) == {}


@pytest.mark.slow
def test_every_figure_is_fit_for_print(every_sketch, tmp_path):
    drawn = every_sketch
    named = {"shap-violins": "shap-shap_violins"} | {n: f"path-{n}" for n in ("equilibria", "replicator")}
    assert {named.get(one.name, one.name) for one in figure_list()} <= set(drawn)
    for column in COLUMNS:
        (tmp_path / column).mkdir()
        assert found_faults(drawn, column, tmp_path / column) == {}


def bad(draw, width="single"):
    """Faults of a figure that somebody draws."""
    with drawn_on(sheet_of(width)), look():
        figure = draw()
        figure.draw_without_rendering()
        return faults(figure)


def test_what_is_wrong_is_seen():
    def draw():
        figure, axes = canvas(4, 3)
        axes.plot([0, 1], [0, 1], color="#EEEE00", label="pale")
        axes.plot([0, 1], [1, 0], color="#0072B2", label="blue")
        axes.plot([0, 1], [1, 1], color="#0073B4", label="blue too")
        axes.text(0.5, 0.5, "small", fontsize=3)
        axes.text(1.2, 0.5, "far away", clip_on=False).set_in_layout(False)
        axes.set_xticks([0, 0.01], ["one label", "another label"])
        axes.legend()
        return figure

    wrong = "; ".join(bad(draw))
    for words in ("is pale", "look alike", "type of 3 pt", "cut off: 'far away'", "run together"):
        assert words in wrong


def test_nothing_is_wrong_with_a_plain_figure():
    def draw():
        figure, axes = canvas(4, 3)
        axes.plot([0, 1], [0, 1], color=palette(1)[0])
        return figure

    assert bad(draw) == []


def test_series_have_no_colour_of_a_strategy():
    named = ("ALLC", "ALLD", "TFT", "WSLS", "GTFT", "GRUDGER", "GRIM", "RANDOM", "ambiguous", "no_fit")
    assert min(distance(colour(name), tone) for name in named for tone in palette(9)) > 0
    assert not {colour(name) for name in named} & set(palette(9))
    assert min(contrast(tone) for tone in palette(9)) >= 3
    assert min(contrast(strong(colour(name))) for name in named) >= 3
    assert all(outline(colour(name)) == "white" or contrast(outline(colour(name))) >= 3 for name in named)


def plain() -> Drawing:
    def draw():
        figure, axes = canvas(6, 3)
        axes.plot([1, 2], [3, 4])
        axes.set_xlabel("round")
        return figure

    return Drawing("A line", draw, ["Means of 9 games."])


def test_the_caption_stands_beside_the_file(tmp_path):
    path = plain().write(tmp_path / "a.pdf", remarks=["Data: x.csv."])
    assert caption_path(path).read_text() == "A line.\nMeans of 9 games.\nData: x.csv.\n"
    plain().write(tmp_path / "a.svg", remarks=["Data: x.csv."])
    with pytest.raises(OutputError, match="another caption"):
        plain().write(tmp_path / "a.png")
    assert not (tmp_path / "a.png").exists()
    plain().write(tmp_path / "a.png", overwrite=True)


def test_text_is_type_or_outlines(tmp_path):
    plain().write(tmp_path / "type.pdf")
    plain().write(tmp_path / "type.svg")
    with drawn_on(sheet_of(theme={"text": "outlines"})):
        plain().write(tmp_path / "outlines.pdf")
        plain().write(tmp_path / "outlines.svg")
    assert b"/FontFile2" in (tmp_path / "type.pdf").read_bytes()
    assert b"/FontFile" not in (tmp_path / "outlines.pdf").read_bytes()
    assert ">round</text>" in (tmp_path / "type.svg").read_text()
    assert "<text" not in (tmp_path / "outlines.svg").read_text()
    assert "'DejaVu Sans', Verdana, Arial" in (tmp_path / "type.svg").read_text()


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("colours:\n  TFT: green\n", r"theme.yaml line 2: colours.TFT is 'green'"),
        ("sizes:\n  text: 3\n", r"theme.yaml line 2: sizes.text is '3'"),
        ("fonts: Arial\n", r"theme.yaml line 1: unknown key 'fonts'; did you mean font\?"),
        ("series: ['#12345']\n", r"theme.yaml line 1: series.0 is"),
        ("width: wide\n", r"theme.yaml line 1: width is 'wide'"),
    ],
)
def test_a_theme_says_where_it_is_wrong(tmp_path, text, error):
    path = tmp_path / "theme.yaml"
    path.write_text(text)
    with pytest.raises(DataError, match=error):
        sheet_of(theme=path)


def test_a_theme_is_followed(tmp_path):
    path = tmp_path / "theme.yaml"
    path.write_text(
        "width: double\nfont: [DejaVu Serif]\nsizes: {text: 8}\n"
        "colours: {TFT: '#123456'}\nseries: ['#654321']\n"
    )
    with drawn_on(sheet_of(theme=path)):
        assert (sheet().width, sheet().text) == (183, 8)
        assert (colour("TFT"), palette(2)) == ("#123456", ["#654321", "#5D53A6"])
        assert families()[0] == "DejaVu Serif"
    assert sheet_of(width="single", theme=path).width == 89
    assert sheet_of() is None


@pytest.mark.parametrize("width", ["wide", "10", "1e9", "nan", ""])
def test_a_width_that_is_none(width):
    with pytest.raises(UsageError, match=r"expected single \(89 mm\), double \(183 mm\)"):
        sheet_of(width)


def test_a_font_that_is_not_there_is_noted(caplog):
    with drawn_on(sheet_of(font="DejaVu Sanz")), look():
        pass
    assert "font 'DejaVu Sanz' is not installed" in caplog.text
    assert "DejaVu Sans" in caplog.text


def test_letters_come_from_where_they_are():
    def draw():
        figure, axes = canvas(4, 3)
        axes.set_title("nhất quán")
        return figure

    assert bad(draw) == []
