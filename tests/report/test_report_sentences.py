"""The sentences of a report are data: each is used, its fields are known, and a change shows on the page."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from string import Formatter

import pytest
from report_pages import two_games

import intent.report.page
from intent.report.report import report

ROOM = Path(intent.report.page.__file__).parent
SENTENCES = tomllib.loads((ROOM / "sentences.toml").read_text("utf8"))
CODE = "\n".join(path.read_text("utf8") for path in (*ROOM.glob("*.py"), ROOM.parent / "demo.py"))
NAMES = [f"{section}.{name}" for section, entries in SENTENCES.items() for name in entries]


def test_every_sentence_is_used_and_every_used_one_is_there():
    starts = tuple(re.findall(r'f"([a-z_]+\.[a-z_]*)\{', CODE))
    named = set(re.findall(r'"([a-z_]+\.[a-z_]+)"', CODE))
    unused = [n for n in NAMES if n not in named and not n.startswith(starts)]
    assert unused == []
    called = set(re.findall(r'phrase(?:\.lines|\.entry)?\(\s*"([a-z_.]+)"', CODE))
    assert called <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_fields_are_names(name):
    section, _, key = name.partition(".")
    entry = SENTENCES[section][key]
    for text in [entry] if isinstance(entry, str) else entry:
        assert all(field is None or re.match(r"[a-z_]+", field) for _, field, _, _ in Formatter().parse(text))
        assert "  " not in text


def test_a_changed_sentence_changes_the_page(tmp_path, monkeypatch):
    monkeypatch.setitem(intent.report.page.phrase._sections["report"], "complete", "Nothing is <missing>.")
    path = report(two_games(), tmp_path / "r.html", short=True, bootstrap=20, permutations=20).path
    assert "Nothing is &lt;missing&gt;." in path.read_text("utf8")
