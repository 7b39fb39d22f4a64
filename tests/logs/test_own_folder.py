"""Folders of results: whose they are."""

from __future__ import annotations

import pytest

from intent.base.errors import OutputError
from intent.logs.run_folder import own_folder

TOURNAMENT = {"kind": "tournament", "marks": ["moves.sqlite"], "lock": "t.lock"}


@pytest.mark.parametrize("holds", [[], ["t.lock"], ["moves.sqlite", "notes.txt"]])
def test_ours_are_gone_on_with(tmp_path, holds):
    for name in holds:
        (tmp_path / name).touch()
    assert own_folder(tmp_path, **TOURNAMENT) == tmp_path


def test_a_new_one_is_made(tmp_path):
    assert own_folder(tmp_path / "a" / "b", **TOURNAMENT).is_dir()


def test_one_that_is_absent_may_be_left_for_later(tmp_path):
    assert not own_folder(tmp_path / "a", **TOURNAMENT, make=False).exists()


@pytest.mark.parametrize("holds", [["notes.txt"], ["t.lock", "notes.txt"]])
def test_that_of_somebody_else_is_left_alone(tmp_path, holds):
    for name in holds:
        (tmp_path / name).touch()
    with pytest.raises(OutputError, match=r"holds no tournament \(moves.sqlite\)"):
        own_folder(tmp_path, **TOURNAMENT)
