"""A reader of another package is asked about files that are no table of ours."""

from __future__ import annotations

import pytest
from outside_packages import install

from intent.base.errors import DataError
from intent.logs.readers import read_log

READER = """
from intent.logs.readers.reader import Reader

def knows(source, settings):
    return source.path.read_bytes().startswith(b"moves of")

def read(source, settings):
    from intent.play.generate import generate
    return generate("TFT", 1)

READER = Reader("diary", "a diary of moves", knows, read)
"""


@pytest.fixture
def diary(tmp_path, monkeypatch):
    """A text that is no table, and an installed package whose reader knows it."""
    install(tmp_path, monkeypatch, "diary_reader", READER, {"intent.readers": "diary = diary_reader:READER"})
    path = tmp_path / "moves.diary"
    path.write_text("moves of ann and bob\nann gave\nbob gave\n")
    return path


def test_it_is_asked(diary):
    assert len(read_log(diary)) == 1


def test_without_it_the_reason_stays(tmp_path):
    path = tmp_path / "moves.diary"
    path.write_text("moves of ann and bob\n")
    with pytest.raises(DataError, match="no column names"):
        read_log(path)
