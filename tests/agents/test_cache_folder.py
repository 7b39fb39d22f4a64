"""One home for what can be had again."""

from pathlib import Path

import pytest

from intent.base.caches import cache_folder


def test_the_users_own_folder(monkeypatch):
    monkeypatch.setenv("INTENT_CACHE", "~/elsewhere")
    assert cache_folder() == Path.home() / "elsewhere"


@pytest.mark.parametrize(
    ("platform", "expected"),
    [("linux", "/x/intent"), ("darwin", "~/Library/Caches/intent"), ("win32", "/y/intent")],
)
def test_the_platforms_folder(monkeypatch, platform, expected):
    monkeypatch.delenv("INTENT_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    monkeypatch.setenv("LOCALAPPDATA", "/y")
    monkeypatch.setattr("sys.platform", platform)
    assert cache_folder() == Path(expected).expanduser()
