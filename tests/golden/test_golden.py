"""Every command answers as it did when its answer was frozen (`make golden` writes the answers anew)."""

from __future__ import annotations

from pathlib import Path

import freeze
import pytest

CHAPTERS = freeze.commands()
QUICK = ("help", "catalogue")
"""Chapters that are compared by `make test-slow`; the others by `make test-all`, and while code is moved."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(c, marks=[] if c in QUICK else pytest.mark.exhaustive) for c in CHAPTERS]
)
def test_a_chapter_answers_as_before(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for key, value in freeze.ENVIRONMENT.items():
        monkeypatch.setenv(key, value)
    changed = {
        command.name: differences
        for command, _, text in freeze.chapter_answers(CHAPTERS[name], tmp_path)
        if (differences := freeze.differences(command.answer.read_text("utf8"), text))
    }
    assert not changed, "\n".join(f"{name}/{c}:\n" + "\n".join(d[:20]) for c, d in changed.items())


def test_every_answer_has_its_command_and_every_error_is_one_line() -> None:
    known = {command.answer: command for chapter in CHAPTERS.values() for command in chapter}
    assert set(freeze.ANSWERS.glob("*/*.txt")) == set(known)
    for path, command in known.items():
        lines = path.read_text("utf8").splitlines()
        assert lines[1] == ("exit 2" if command.fails else "exit 0"), path
        if command.fails and command.words:
            errors = lines[lines.index("== errors") + 1 :]
            assert len(errors) == 1, path


def test_a_changed_number_or_word_is_seen() -> None:
    assert freeze.differences("a = 1.0000000001\n", "a = 1\n") == []
    assert freeze.differences("a = 1.001\n", "a = 1\n")
    assert freeze.differences("a = 1\n", "b = 1\n")
    assert freeze.differences("a = 1\nb = 2\n", "a = 1\n")
