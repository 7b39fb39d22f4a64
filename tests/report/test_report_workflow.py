"""The report: complete, derived from the numbers, and dead to whatever a log says."""

from __future__ import annotations

import html
import re

import pytest
from matplotlib.colors import to_hex
from play_logs import log_of, match
from report_pages import PD, hostile_games, two_games

from intent.base import codebook
from intent.base.errors import OutputError, UnknownNameError, UsageError
from intent.base.tables import read_table
from intent.figures.style import colour, look
from intent.logs.stores import write_log
from intent.recognise.labels.label import label_log
from intent.report.page import Section, foreign_parts, grid
from intent.report.report import report
from intent.report.summary import draw_finding
from intent.report.tables import shortened

QUICK = {"bootstrap": 20, "permutations": 99}


@pytest.fixture(scope="module")
def log():
    return two_games()


@pytest.fixture(scope="module")
def page(log, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "full.html"
    return report(log, path, full=True, **QUICK), path.read_text("utf8")


def test_the_full_report_has_every_part(page):
    result, text = page
    assert result.sections[:2] == ("The main finding", "What is played")
    behind = ("How to read this", "Every finding", "What was run", "Data quality", "What the play can tell")
    start = result.sections.index(behind[0])
    assert result.sections[start : start + 5] == behind
    assert result.sections[-2:] == ("Methods and references", "Settings and versions")
    for title in (
        "Labels and shares",
        "Cooperation by what varies",
        "Noise of the estimates",
        "Comparisons",
        "How it was played",
        "Example games",
    ):
        assert f">{title}</h3>" in text
    assert result.size == len(text.encode()) < 5e6


def test_games_without_cooperation_are_counted(page):
    assert "3 games: no cooperative action" in page[1]


def test_findings_are_those_of_the_labels(log, page):
    summary = label_log(log).summary
    told = f"Of {summary['n']:,} trajectories {summary['statuses']['confident'] / summary['n']:.0%} have"
    assert told in page[1]


def test_every_number_stands_beside_the_page_too(log, page):
    folder = page[0].path.with_name("full_tables")
    assert sorted(path.name for path in folder.glob("*.csv")) == [
        *("cells.csv", "findings.csv", "groups.csv", "shares.csv"),
    ]
    for name in ("findings", "groups", "shares", "cells"):
        table, facts = read_table(folder / f"{name}.csv")
        columns = codebook.RESULT_TABLES[f"report_{name}"]
        assert list(table.columns) == [column.name for column in columns]
        assert not table[[column.name for column in columns if column.required]].isna().to_numpy().any()
        assert facts["seed"] == 0
    cells, _ = read_table(folder / "cells.csv")
    text = html.unescape(page[1])
    assert len(cells) > 300
    assert all(caption in text for caption in cells["table"].unique())
    findings, _ = read_table(folder / "findings.csv")
    assert (findings["state"] == "shown").sum() == len(page[0].findings.shown)
    assert len(findings) == page[0].findings.n


def test_of_a_long_table_the_page_has_the_first_rows():
    long = grid("Long", ("name", "n"), [(f"row {k}", k) for k in range(90)])
    (section,), cells = shortened([Section("a", "A", (long,))], "r_tables")
    (shown,) = section.blocks
    assert len(shown.rows) == 40
    assert "90 rows" in shown.rest
    assert "r_tables" in shown.rest
    assert [cell["cell"] for cell in cells] == [str(k) for k in range(90)]


def test_the_first_sentence_is_the_main_finding(log, page):
    result, text = page
    main = re.sub(r"</?span[^>]*>", "", text.split("<main", 1)[1].split('class="first">', 1)[1])
    main = re.sub(r"<[^>]+>", " ", main)
    assert html.unescape(main).startswith(result.sentences()[0])
    assert "What counts as independent" in main
    assert '<details class="appendix"' in text


def test_groups_have_no_colour_and_no_line(page):
    result, _ = page
    for one in result.findings.shown:
        with look():
            figure = draw_finding(one)
        (axes,) = figure.axes
        tones = {to_hex(line.get_color()) for line in axes.lines}
        assert tones <= {"#1a1a1a", "#767676", *(colour(name) for name in one.outcome)}
        assert all(len(set(line.get_ydata())) == 1 for line in axes.lines)


def test_nothing_runs_and_nothing_is_loaded(page):
    assert foreign_parts(page[1]) == []
    assert "script-src 'none'" in page[1]
    assert "<script" not in page[1]


@pytest.fixture(scope="module")
def twice(log, tmp_path_factory):
    """The report of two runs."""
    paths = [tmp_path_factory.mktemp(name) / "r.html" for name in "ab"]
    for path in paths:
        report(log, path, **QUICK)
    return [path.read_bytes() for path in paths]


def test_the_same_seed_gives_the_same_page(twice):
    assert twice[0] == twice[1]


def test_the_short_report_compares_by_the_first_factor(twice):
    text = twice[0].decode("utf8")
    assert "Comparison by model" in text
    assert "Example games" not in text


def test_labels_find_their_log_while_it_is_the_same(log, tmp_path):
    write_log(log, tmp_path / "log")
    label_log(tmp_path / "log").write(tmp_path / "labels.parquet")
    settings = {"full": True, "by": "language", **QUICK}
    report(tmp_path / "labels.parquet", tmp_path / "with.html", **settings)
    assert "Example games" in (tmp_path / "with.html").read_text("utf8")
    (tmp_path / "log").rename(tmp_path / "elsewhere")
    result = report(tmp_path / "labels.parquet", tmp_path / "without.html", **settings)
    assert "is not where it was" in result.notes[0]
    assert "Example games" not in (tmp_path / "without.html").read_text("utf8")


def test_a_table_of_shares_begins_with_the_shares(page):
    heads = re.findall(r"<caption[^>]*>Estimated shares in per cent by model.*?</thead>", page[1], re.DOTALL)
    names = re.findall(r"<th[^>]*>([^<]+)</th>", heads[0])
    assert names[:4] == ["model", "n", "n_eff", "ALLC"]
    assert names[-2:] == ["defaulted %", "missing %"]
    assert "no_fit" not in names


def test_a_setting_and_its_value_name_a_row_together(page):
    (table,) = re.findall(
        r"<table>\s*<caption[^>]*>How shares \(%\) and tests hang.*?</table>", page[1], re.DOTALL
    )
    assert "<bdi>threshold 0.95</bdi></th>" in table
    assert ">value</th>" not in table


def test_the_tests_of_the_regression_are_named_as_they_are(page):
    assert "generalised score test with a covariance clustered by the same units" in page[1]
    assert "Wald" not in page[1]
    assert "Cramér" not in page[1]


def test_people_stand_beside_estimated_shares_and_the_rest_is_said(page):
    text = page[1]
    assert "people: df2011-d50-r32:canonical4 (delta = 0.5, R = 32)" in text
    assert "All factors at once" in text
    assert "ALLC, by its rule" in text
    assert "What is left out" in page[0].sections
    assert "a factor that is compared" in text
    assert 'aria-label="Figure: Strategy shares by model: prisoner-dilemma"' in text


def test_a_column_that_makes_no_groups_is_said(tmp_path):
    many = log_of(*(match(PD, "CD", "DC") for _ in range(51)))
    report(many, tmp_path / "r.html", by="game_id", **QUICK)
    text = (tmp_path / "r.html").read_text("utf8")
    assert "There is no comparison by game id" in text
    assert "Nothing varies" not in text


def test_the_ceiling_of_long_play_is_a_lower_bound(tmp_path):
    long = log_of(*(match(PD, "CD" * 8, "DC" * 8, model=name) for name in "AB"))
    report(long, tmp_path / "r.html", **QUICK)
    text = (tmp_path / "r.html").read_text("utf8")
    assert "after 10 of the 16 rounds, and more often after all of them" in text


def test_a_p_value_at_its_floor_is_called_so(page):
    assert "the least that 99 draws can show" in page[1]


def test_hostile_texts_are_texts(tmp_path):
    report(hostile_games(), tmp_path / "r.html", full=True, title="<i>", **QUICK)
    text = (tmp_path / "r.html").read_text("utf8")
    assert foreign_parts(text) == []
    assert "\u202e" not in text
    assert "&lt;script&gt;" in text
    assert "<title>&lt;i&gt;</title>" in text
    assert "(5,005 characters)" in text
    assert text.count("x" * 1_000) == 0


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"path": "r.pdf"}, OutputError, "expected .html"),
        ({"by": "colour"}, UnknownNameError, "colour"),
        ({"level": 2.0}, UsageError, "level"),
        ({"recogniser": "nobody"}, UnknownNameError, "nobody"),
        ({"where": {"game": ["battle-sexes"]}}, UsageError, "nothing to report on"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(log, tmp_path, changes, error, message):
    path = tmp_path / changes.pop("path", "r.html")
    with pytest.raises(error, match=message):
        report(log, path, **changes)
    assert not path.exists()


def test_nothing_is_written_over_unasked(log, tmp_path):
    (tmp_path / "r.html").write_text("mine")
    with pytest.raises(OutputError, match="exists"):
        report(log, tmp_path / "r.html")
    (tmp_path / "s_tables").mkdir()
    with pytest.raises(OutputError, match="s_tables exists"):
        report(log, tmp_path / "s.html")
