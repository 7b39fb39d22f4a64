"""Names of models."""

from __future__ import annotations

import pytest

from intent.agents.clients.registry import make_client
from intent.base.errors import UnknownNameError, UsageError


@pytest.mark.parametrize("name", ["scripted/uniform", "scripted/first", "scripted/last", "scripted/says:a:b"])
def test_scripted_clients_keep_their_names(name: str) -> None:
    assert make_client(name).name == name


def test_an_unknown_provider_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean openai"):
        make_client("opnai/gpt-4o")


@pytest.mark.parametrize(
    "name", ["gpt-4o", "", "openai/", "openai/m@host:8000", "scripted/says:", "scripted/first:x"]
)
def test_a_malformed_name_is_one_line(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        make_client(name)
    assert "\n" not in str(caught.value)


def test_callables_are_given_not_imported() -> None:
    with pytest.raises(UnknownNameError, match="unknown callable 'os:system'"):
        make_client("python/os:system")


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("openai/gpt-4o", "OPENAI_API_KEY"),
        ("openai/gpt-4o@https://eu.api.openai.com/v1", "OPENAI_API_KEY"),
        ("openai/x@https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
        ("anthropic/claude", "ANTHROPIC_API_KEY"),
    ],
)
def test_a_missing_key_names_its_variable(name: str, variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("anthropic")
    monkeypatch.delenv("OPENROUTER_API_KEY", raising=False)
    with pytest.raises(UsageError, match=f"set the environment variable {variable}$"):
        make_client(name)
