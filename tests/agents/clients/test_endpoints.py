"""Where requests go, and which key goes with them."""

from __future__ import annotations

import pytest

from intent.agents.clients.registry import openai_endpoint
from intent.base.errors import UsageError

KEY = "sk-canary-0123456789"


@pytest.mark.parametrize(
    ("name", "model", "url"),
    [
        ("m@http://localhost:8000", "m", "http://localhost:8000/v1"),
        ("meta/m:free@https://h.org/api/v1/", "meta/m:free", "https://h.org/api/v1"),
        ("@cf/m@https://h.org/x/chat/completions", "@cf/m", "https://h.org/x"),
        ("m@http://[::1]:8080/v1#grammar", "m", "http://[::1]:8080/v1"),
    ],
)
def test_addresses(name: str, model: str, url: str) -> None:
    made = openai_endpoint(name)
    assert (made.model, made.url, made.variable) == (model, url, None)


@pytest.mark.parametrize(
    "url", ["http://u:hunter22@h.org/v1", "https://h.org/v1?key=hunter22", "http://:8/hunter22"]
)
def test_an_address_with_a_password_is_refused_and_not_quoted(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        openai_endpoint(f"m@{url}")
    assert "hunter22" not in str(caught.value)


def test_a_key_of_the_environment_is_no_part_of_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "hunter22hunter22")
    with pytest.raises(UsageError, match="without user, password, query and key"):
        openai_endpoint("m@https://h.org/hunter22hunter22/v1")


def variable(monkeypatch: pytest.MonkeyPatch, url: str, **environment: str) -> str | None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return openai_endpoint(f"m@{url}").variable


def test_openais_key_goes_to_no_other_host(monkeypatch: pytest.MonkeyPatch) -> None:
    for url in (
        "https://h.org/v1",
        "https://api.openai.com.h.org",
        "http://localhost:1",
        "https://xapi.openai.com",
    ):
        assert variable(monkeypatch, url, OPENAI_API_KEY=KEY) is None


def test_the_host_of_the_configured_address_takes_openais_key(monkeypatch: pytest.MonkeyPatch) -> None:
    configured = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "https://gate.org/v1"}
    assert variable(monkeypatch, "https://gate.org/other", **configured) == "OPENAI_API_KEY"
    assert openai_endpoint("m").url == "https://gate.org/v1"


def test_a_variable_of_its_own_for_each_host(monkeypatch: pytest.MonkeyPatch) -> None:
    own = {"INTENT_KEY_GPU__7_LAB_ORG": KEY}
    assert variable(monkeypatch, "http://gpu-7.lab.org:8000", **own) == "INTENT_KEY_GPU__7_LAB_ORG"
    for other in ("gpu.7.lab.org", "gpu_7.lab.org", "gpu--7.lab.org", "gpu_.7.lab.org", "gpu__7.lab.org"):
        assert variable(monkeypatch, f"http://{other}", **own) is None


def test_documented_keys_go_over_https_only(monkeypatch: pytest.MonkeyPatch) -> None:
    assert variable(monkeypatch, "https://api.mistral.ai/v1", MISTRAL_API_KEY=KEY) == "MISTRAL_API_KEY"
    with pytest.raises(UsageError, match="https only"):
        openai_endpoint("m@http://api.mistral.ai/v1")


@pytest.mark.parametrize("host", ["127.evil.org", "localhost.evil.org"])
def test_this_machine_is_not_recognised_by_a_prefix(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://{host}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(UsageError, match="https only"):
        openai_endpoint(f"m@http://{host}/v1")
