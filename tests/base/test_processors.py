"""The processors that a process may use."""

from __future__ import annotations

import os

import pytest

from intent.base.workers import usable_processors


def test_those_that_a_scheduler_leaves_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {3, 5}, raising=False)
    assert usable_processors() == 2


def test_without_a_scheduler_to_ask_there_is_at_least_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert usable_processors() == 1
