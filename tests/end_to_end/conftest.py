"""The local model, where it can be had."""

from __future__ import annotations

import importlib.util

import pytest

from intent.agents.local_models import fetch
from intent.base.errors import IntentError


@pytest.fixture(scope="session")
def local_model() -> str:
    """Name of the local model; the test is skipped where it cannot be fetched or run."""
    if importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("needs the extra `local`")
    try:
        fetch("smollm2-135m")
    except IntentError as error:
        pytest.skip(f"no local model: {error}")
    return "local/smollm2-135m"
