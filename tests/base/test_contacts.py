"""Telemetry is off unless the user's environment asks for it; whom a job contacts is said before it does."""

from __future__ import annotations

import json
import subprocess
import sys
from types import SimpleNamespace

import pytest

from intent.agents.clients.registry import job_contacts, model_contacts
from intent.base.remote import LOGGER, Contact, announce, contact, contacts_line, forget, silence
from intent.base.tracking import tracking_contacts
from intent.cli.main import main

SWITCH = "MLFLOW_DISABLE_TELEMETRY"


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch):
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("environment", "value"),
    [
        ({}, "true"),
        ({SWITCH: "false"}, "false"),
        ({SWITCH: ""}, ""),
        ({"DO_NOT_TRACK": "1"}, "true"),
        ({SWITCH: "false", "DO_NOT_TRACK": "1"}, "true"),
        ({SWITCH: "false", "DO_NOT_TRACK": "0"}, "false"),
    ],
)
def test_who_has_set_the_switch_has_decided(environment, value):
    silence(environment)
    assert environment[SWITCH] == value


@pytest.mark.parametrize("said", [None, "false"])
def test_a_client_of_mlflow_that_runs_already_is_stopped(said, monkeypatch):
    running = SimpleNamespace(_is_stopped=False)
    library = SimpleNamespace(_MLFLOW_TELEMETRY_CLIENT=running)
    library._set_telemetry_client = lambda value: setattr(library, "_MLFLOW_TELEMETRY_CLIENT", value)
    monkeypatch.setitem(sys.modules, "mlflow.telemetry.client", library)
    silence({} if said is None else {SWITCH: said})
    assert running._is_stopped is (said is None)
    assert library._MLFLOW_TELEMETRY_CLIENT is (running if said else None)


@pytest.mark.slow
@pytest.mark.parametrize("first", ["mlflow", "intent"])
def test_telemetry_is_off_whichever_is_imported_first(first, tmp_path):
    code = (
        f"import {first}; import intent, mlflow\n"
        "from intent.base.tracking import MLflowTracker\n"
        "from intent.base.tracking import TrackedRun\n"
        "MLflowTracker().record(TrackedRun('forest', {}, {}))\n"
        "from mlflow.telemetry.client import get_telemetry_client as client\n"
        "from mlflow.telemetry.utils import is_telemetry_disabled as off\n"
        "print(client(), off())"
    )
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=environment,
        cwd=tmp_path,
        check=True,
    )
    assert done.stdout.split() == ["None", "True"]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("openai/gpt-4o", "contacts api.openai.com:443 (model gpt-4o)"),
        ("openai/m@http://127.0.0.1:8080/v1", "contacts 127.0.0.1:8080 (model m)"),
        ("openai/m@http://[::1]:8080/v1", "contacts [::1]:8080 (model m)"),
        ("openai/m@https://gpu.example/v1#grammar", "contacts gpu.example:443 (model m)"),
        ("anthropic/claude", "contacts api.anthropic.com:443 (model claude)"),
        ("scripted/uniform", "contacts nobody"),
        ("gguf:model.gguf", "contacts nobody"),
        ("python/mine", "contacts whomever python/mine contacts (a function of yours)"),
        ("other/m", "contacts whomever other/m contacts (a client of another package)"),
    ],
)
def test_whom_a_model_contacts(name, line):
    assert contacts_line(model_contacts(name)) == line


def test_a_local_model_is_fetched_once(monkeypatch, tmp_path):
    from intent.agents.local_models import LOCAL_MODELS, model_file

    monkeypatch.setenv("INTENT_CACHE", str(tmp_path))
    assert "package index" in contacts_line(model_contacts("local/smollm2-135m"))
    path = model_file(LOCAL_MODELS["smollm2-135m"])
    path.parent.mkdir()
    path.touch()
    assert model_contacts("local/smollm2-135m") == ()


@pytest.mark.parametrize(
    ("uri", "line"),
    [
        (None, "contacts nobody"),
        ("mlflow.db", "contacts nobody"),
        ("sqlite:////a/mlflow.db", "contacts nobody"),
        ("memory", "contacts nobody"),
        ("http://me:secret-of-mine@mlflow.example:5000/x?token=y", "contacts mlflow.example:5000 (MLflow)"),
        ("postgresql+psycopg://me:pw@db.example/runs", "contacts db.example:5432 (MLflow)"),
        ("databricks://profile", "contacts the Databricks workspace that is configured (MLflow)"),
        ("http://[broken", "contacts an address that cannot be read (MLflow)"),
    ],
)
def test_whom_tracking_contacts(uri, line):
    assert contacts_line(tracking_contacts(uri)) == line


def test_a_proxy_is_named_without_its_password(monkeypatch):
    monkeypatch.setenv("https_proxy", "http://me:secret@proxy.example:3128")
    monkeypatch.setenv("no_proxy", "inside.example")
    assert contact("https://a.example", "x").place == "a.example:443 through proxy proxy.example:3128"
    assert contact("https://inside.example", "x").place == "inside.example:443"
    assert contact("https://a.example", "x", direct=True).place == "a.example:443"
    assert contact("postgresql://a.example/db", "x").place == "a.example:5432"


def test_one_host_is_named_once():
    found = job_contacts(["openai/a", "openai/b", "openai/a", "openai/x@y", "scripted/first"], "http://h:1")
    assert contacts_line(found) == "contacts api.openai.com:443 (model a, model b), h:1 (MLflow)"


def test_what_was_said_is_not_said_again(caplog):
    caplog.set_level("INFO", LOGGER.name)
    forget()
    one, other = Contact("a.example", 1, "x"), Contact("b.example", 2, "y")
    announce([one], whole=True)
    announce([one])
    announce([])
    announce([other])
    announce([], whole=True)
    assert caplog.messages == [
        "contacts a.example:1 (x)",
        "contacts b.example:2 (y)",
        "contacts nobody",
    ]


@pytest.mark.parametrize("json_wanted", [False, True])
def test_play_says_it_on_standard_error_first(json_wanted, tmp_path, capsys):
    retry = {"base": 0.01, "cap": 0.01, "attempts": 2}
    (tmp_path / "e.json").write_text(json.dumps({"name": "e", "rounds": 1, "retry": retry}))
    for model, line in (
        ("scripted/first", "contacts nobody"),
        ("openai/m@http://127.0.0.1:9", "contacts 127.0.0.1:9 (model m)"),
    ):
        words = ["play", tmp_path / "e.json", "-m", model, "-o", tmp_path / model[:4], "--no-track"]
        with pytest.raises(SystemExit):
            main([str(word) for word in (*words, *(["--json"] if json_wanted else []))])
        assert capsys.readouterr().err.splitlines()[0] == line


def test_a_dry_run_lists_whom_it_would_contact(tmp_path, capsys):
    (tmp_path / "e.json").write_text(json.dumps({"name": "e", "rounds": 1}))
    words = ["play", tmp_path / "e.json", "-m", "openai/m", "--tracking", "http://me:pw@h:5", "--dry-run"]
    with pytest.raises(SystemExit):
        main([str(word) for word in (*words, "--json")])
    found = json.loads(capsys.readouterr().out)["contacts"]
    assert found == [
        {"host": "api.openai.com", "port": 443, "what": "model m", "proxy": None},
        {"host": "h", "port": 5, "what": "MLflow", "proxy": None},
    ]
    with pytest.raises(SystemExit):
        main([str(word) for word in words])
    assert "contacts api.openai.com:443 (model m), h:5 (MLflow)" in capsys.readouterr().out
