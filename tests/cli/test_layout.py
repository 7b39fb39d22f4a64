"""Tables in narrow and wide terminals: nothing is broken, nothing is cut, nothing is lost."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intent.cli import app
from intent.cli.console import filled, print_table, table_lines
from intent.cli.main import main

sys.path.insert(0, str(Path(__file__).parents[1] / "golden"))
import freeze

WIDTHS = (60, 80, 100, 120, 200)
HEADER, ROWS = (
    ("model", "one", "two", "three", "four"),
    [("m", "1", "2", "3", "4"), ("k", "5", "6", "7", "8")],
)


def texts(header, rows, width, **how):
    return [line.text for line in table_lines(header, rows, width=width, **how)]


def words(cells):
    return sorted(word for cell in cells for word in cell.split())


def faults(header, rows, width, fixed=None):
    """What is wrong with a table in a width: lines too long, words that are broken, values that are lost."""
    lines = texts(header, rows, width, fixed=fixed)
    shown = re.split(r"[\s;]+", "\n".join(lines))
    bare = {word.rstrip(":") for word in shown} | set(shown)
    for word in {word for row in (header, *rows) for cell in row for word in re.split(r"[\s;]+", cell)}:
        if word and word not in bare:
            yield f"{word!r} is broken or lost at {width}"
    same = {cell for column in zip(*rows, strict=True) if len(set(column)) == 1 for cell in column}
    for cell in {cell for row in rows for cell in row if re.search(r"\d", cell) and len(cell) <= 24}:
        if cell not in same and not any(cell in line for line in lines):
            yield f"the number {cell!r} stands on two lines at {width}"
    longest = max((len(w) for row in (header, *rows) for cell in row for w in cell.split()), default=0)
    for line in lines:
        if len(line) > width and longest + 4 <= width:
            yield f"{len(line)} columns at {width}: {line}"


CELLS = st.one_of(
    st.integers(-(10**6), 10**6).map(lambda n: f"{n:,}"),
    st.floats(0, 1).map(lambda p: f"{100 * p:.1f} ({90 * p:.0f}–{100 * p:.0f})"),
    st.lists(st.sampled_from(["ALLC", "cooperates", "after", "two-player", "–"]), max_size=20).map(" ".join),
)
TABLES = st.integers(1, 12).flatmap(
    lambda n: st.tuples(
        st.lists(
            st.sampled_from(["n", "share %", "mean posterior", "rule", "95 % interval"]),
            min_size=n,
            max_size=n,
        ),
        st.lists(st.lists(CELLS, min_size=n, max_size=n), min_size=0, max_size=5),
    )
)


@given(TABLES, st.sampled_from(WIDTHS), st.sampled_from([None, 1, 2]))
def test_no_word_of_any_table_is_broken_or_lost(table, width, fixed):
    header, rows = table
    assert list(faults(header, rows, width, fixed)) == []


def test_rows_keep_their_cells_together():
    rows = [(f"model-{k}", *(f"{k}.{j}" for j in range(12))) for k in range(4)]
    header = ("model", *(f"column {j}" for j in range(12)))
    for width in (30, 60, 80):
        lines = texts(header, rows, width)
        for k in range(4):
            own = [line for line in lines if line.startswith(f"model-{k}")]
            assert words(own) == words([*[f"model-{k}"] * len(own), *rows[k][1:]])


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (
            80,
            ["model  one  two  three  four", "m        1    2      3     4", "k        5    6      7     8"],
        ),
        (
            20,
            [
                *("model  one  two", "m        1    2", "k        5    6", ""),
                *("model  three  four", "m          3     4", "k          7     8"),
            ],
        ),
        (11, ["model: m", "  one:   1", "  two:   2", "  three: 3", "  four:  4", ""]),
    ],
)
def test_a_table_is_whole_then_several_then_stacked(width, expected):
    assert texts(HEADER, ROWS, width)[: len(expected)] == expected


def test_what_is_the_same_in_all_rows_stands_above():
    rows = [("A", "40", "0.00", "x"), ("B", "40", "0.00", "y")]
    lines = texts(("model", "n", "missing %", "label"), rows, 80)
    assert lines == ["the same in all rows: n 40; missing % 0.00", "model  label", "A      x", "B      y"]
    assert texts(("model", "n"), [("A", "40")], 80) == ["model   n", "A      40"]


def test_a_matrix_stays_whole():
    rows = [("A", "1.0", "0.5"), ("B", "1.0", "0.2")]
    assert texts(("", "A", "B"), rows, 80)[1:] == ["A  1.0  0.5", "B  1.0  0.2"]


def test_rows_are_named_by_as_many_columns_as_it_takes():
    rows = [(m, lang, "1", "2", "3", "4") for m in ("GPT", "Claude") for lang in ("en", "fr")]
    rows = [(*row[:2], *(f"{float(x) * k:.1f}" for x in row[2:])) for k, row in enumerate(rows)]
    lines = texts(("model", "language", "one", "two", "three", "four"), rows, 30)
    assert [line.split()[:2] for line in lines if line.startswith("GPT")] == [
        ["GPT", "en"],
        ["GPT", "fr"],
    ] * 2


def test_prose_is_wrapped_at_spaces_and_nothing_else_is():
    rows = [
        ("a", "play that no strategy of the set explains", "0.5 [0.1, 0.9]"),
        ("b", "x", "0.1 [0.0, 0.2]"),
    ]
    lines = texts(("key", "what it means", "interval"), rows, 45)
    assert lines[1:3] == [
        "a    play that no strategy of  0.5 [0.1, 0.9]",
        "     the set explains",
    ]


def test_wide_letters_take_two_columns():
    lines = texts(("name", "n"), [("策略", "1"), ("TFT", "2")], 80)
    assert lines == ["name  n", "策略  1", "TFT   2"]


def test_lines_are_filled_at_spaces():
    assert filled("- one two three", 10) == ["- one two", "  three"]
    assert filled("payoffs   one two three", 20) == ["payoffs   one two", "          three"]
    assert filled("a/very/long/path behind", 10) == ["a/very/long/path", "behind"]


class _Terminal:
    encoding = "utf-8"

    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text
        return len(text)

    def flush(self):
        pass

    def isatty(self):
        return True


def test_a_terminal_decides_the_width_and_a_pipe_does_not(monkeypatch, capsys):
    monkeypatch.delenv("COLUMNS", raising=False)
    print_table(HEADER, ROWS)
    assert capsys.readouterr().out.splitlines()[0] == "model  one  two  three  four"
    for stream in (None, _Terminal()):
        monkeypatch.setenv("COLUMNS", "20")
        monkeypatch.setenv("NO_COLOR", "1")
        monkeypatch.setenv("TERM", "dumb")
        if stream is not None:
            monkeypatch.setattr(sys, "stdout", stream)
        print_table(HEADER, ROWS, title="Scores of all")
        text = capsys.readouterr().out if stream is None else stream.text
        assert [line.rstrip() for line in text.splitlines()][:2] == ["Scores of all", "model  one  two"]


def shown_tables(name, folder, monkeypatch):
    """Every table that the commands of a chapter of the golden answers show."""
    tables = []

    def collected(header, rows, title="", fixed=None):
        rows = [list(row) for row in rows]
        tables.append(([str(h) for h in header], rows, fixed))
        print_table(header, rows, title, fixed)

    monkeypatch.setattr(app, "print_table", collected)
    for command in freeze.commands()[name]:
        if command.fails:
            continue
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            with pytest.raises(SystemExit) if "--help" in command.words else _any_exit():
                main([word for word in command.words if word != "--json"])
    return tables


class _any_exit:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return kind is SystemExit


CHAPTERS = [name for name in freeze.commands() if name != "help"]


@pytest.mark.parametrize(
    "name", [pytest.param(c, marks=[] if c == "catalogue" else pytest.mark.exhaustive) for c in CHAPTERS]
)
def test_every_table_that_commands_show(name, tmp_path, monkeypatch, capsys):
    from intent.cli.console import _shown

    tables = shown_tables(name, tmp_path, monkeypatch)
    wrong = [
        fault
        for header, rows, fixed in tables
        for width in WIDTHS
        for fault in faults(
            header, [[c if isinstance(c, str) else _shown(c) for c in r] for r in rows], width, fixed
        )
    ]
    assert wrong == []
    assert tables or name == "train"
