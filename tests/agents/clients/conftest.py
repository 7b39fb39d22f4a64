"""The canned endpoint as a fixture, and an environment without keys."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import pytest
from canned_endpoint import Endpoint, canned_endpoint

Canned = Callable[..., AbstractAsyncContextManager[Endpoint]]


@pytest.fixture
def canned() -> Canned:
    return canned_endpoint


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
