"""The landing page and the lessons: their commands run as they stand and print what they show."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from tests.test_gallery import test_a_command_parses

DOCS = Path(__file__).resolve().parent.parent / "docs"


def _script():
    spec = importlib.util.spec_from_file_location("build_lessons", DOCS / "build_lessons.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["build_lessons"] = module
    spec.loader.exec_module(module)
    return module


BUILD = _script()
PAGES = [page for row in BUILD.LESSONS for page in row]
INDEX = (DOCS / "index.md").read_text(encoding="utf-8")


def test_every_lesson_is_run():
    lessons = {f"tutorials/{path.name}" for path in (DOCS / "tutorials").glob("*.md")}
    assert lessons | {"index.md"} == set(PAGES)


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_parse(page):
    assert BUILD.commands(page)
    for command in BUILD.commands(page):
        test_a_command_parses(command.partition(" #")[0])


@pytest.mark.parametrize("page", PAGES)
def test_a_reader_sees_what_comes_out(page):
    assert BUILD.shown(page) or BUILD.quoted(page)
    assert re.search(r"!\[[^]]{30,}\]\(", (DOCS / page).read_text(encoding="utf-8")), "a picture, described"


def test_the_pictures_are_shown_and_small():
    there = {path.name: path.stat().st_size for path in BUILD.PICTURES.glob("*")}
    assert set(there) == {name for page in PAGES for name in BUILD.pictures(page)}
    assert max(there.values()) <= BUILD.LARGEST


def test_a_line_that_is_not_printed_is_a_fault():
    output = ["a  1  x", "b  2  y", "c"]
    assert list(BUILD.faults(["a … x", "…", "c"], output)) == []
    assert list(BUILD.faults(["c", "a  1  x"], output)) == ["  shown    a  1  x\n  printed  a  1  x"]
    assert list(BUILD.faults(["b  3  y"], output)) == ["  shown    b  3  y\n  printed  b  2  y"]


def test_the_landing_page_begins_with_what_was_seen():
    finding, rest = INDEX.split("\n## Label, compare, train\n")
    assert re.search(r"!\[[^]]+\]\(figures/", finding)
    doors = re.findall(r"\*\*(\w+)\*\*\n.*?```bash\nintent (\w+) ", rest, flags=re.DOTALL)
    assert [name.lower() for name, _ in doors] == [job for _, job in doors] == ["label", "compare", "train"]


@pytest.mark.slow
def test_the_numbers_of_the_finding_are_printed(tmp_path):
    (tmp_path / "datasets").symlink_to(DOCS.parent / "datasets")
    output = BUILD.printed("index.md", tmp_path)
    assert all(sentence.rstrip(".") in " ".join(output) for sentence in BUILD.quoted("index.md"))
    text = " ".join(output)
    shares = {name: re.findall(r"\d+\.\d(?= \()", line) for line in output for name in [line.split("  ")[0]]}
    first, second = ({round(float(share)) for share in shares[name]} for name in ("OptionA", "OptionB"))
    assert ({80, 20} <= first, {66, 33, 1, 0} <= second) == (True, True)
    quoted = {
        int(share)
        for share in re.findall(r"(\d+) %", re.sub(r"^>.*$", "", INDEX.split("\n## Label")[0], flags=re.M))
    }
    assert quoted <= first | second
    assert re.search(r"confident +38 ", text)
    assert "128 trajectories of 96 games" in text


@pytest.mark.slow
@pytest.mark.parametrize("row", BUILD.LESSONS[1:], ids=lambda row: row[0])
def test_a_lesson_prints_what_it_shows(row, tmp_path):
    (tmp_path / "datasets").symlink_to(DOCS.parent / "datasets")
    for page in row:
        assert list(BUILD.faults(BUILD.shown(page), BUILD.printed(page, tmp_path))) == []
