"""A key is in no byte that a whole run leaves or says, though the server repeats it wherever it can."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from base64 import b64encode
from itertools import count

import pandas as pd
import pytest
from served import answering, completion

from intent.cli.main import main
from intent.runner.export import export
from intent.runner.run import Run, run_status

pytestmark = pytest.mark.slow

CANARY = 'canary/0123456789+abcdef"4242'
"""Without the shape of a key, and with characters that JSON escapes."""

EXPERIMENT = {
    "name": "canary",
    "rounds": 2,
    "communication": "sequential",
    "reply": {"retries": 1},
    "retry": {"base": 0.01, "cap": 0.01},
    "after": {"label": {}, "compare": {"by": ["language"], "bootstrap": 20, "permutations": 20}},
}
EXPORTS = [("log.parquet", "calls.parquet"), ("log.jsonl", "calls.jsonl"), ("log.csvs", "calls.csv")]


def escaped(text: str) -> str:
    """JSON text in which every character is escaped."""
    return "".join(f"\\u{ord(character):04x}" for character in text)


def chatty():
    """A server that repeats the key: in errors at first, then in replies and whatever else it answers."""
    number = count()

    def answer(body, key):
        n = next(number)
        if n == 0:
            return 500, f"Traceback: Authorization: Bearer {key}".encode()
        if n == 1:
            return 429, json.dumps({"error": {"message": f"too fast for {key}"}}).encode()
        text = "OptionA" if n % 3 else f"You sent {key}, Bearer {key}."
        found = completion(text, model=f"any-{key}", system_fingerprint=key)
        found["choices"][0]["message"]["reasoning_content"] = f"the key is {key}"
        return 200, json.dumps(found).replace("You sent ", f"You sent {escaped(key)} ").encode()

    return answering(answer)


def refusing():
    """A server that takes no key and repeats it."""
    return answering(lambda body, key: (401, json.dumps({"error": {"message": f"bad key {key}"}}).encode()))


@pytest.fixture
def intent(tmp_path):
    """Runs a command line in a process that has the key; returns its exit code and all it wrote."""

    def run(*words: object):
        command = [sys.executable, "-c", "from intent.cli.main import main; main()", *map(str, words)]
        environment = {**os.environ, "INTENT_KEY_127_0_0_1": CANARY}
        done = subprocess.run(command, capture_output=True, cwd=tmp_path, env=environment, timeout=300)
        return done.returncode, done.stdout + done.stderr

    (tmp_path / "canary.json").write_text(json.dumps(EXPERIMENT))
    return run


def forms() -> list[bytes]:
    """The key as it is, as JSON and Python write it, in base 64, and its beginning."""
    written = [CANARY, json.dumps(CANARY)[1:-1], CANARY.replace("/", r"\/"), escaped(CANARY), CANARY[:12]]
    return [text.encode() for text in written] + [b64encode(CANARY.encode())[:-4]]


def assert_nowhere(folder, said: bytes) -> None:
    files = {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    found = {**files, "said": said}
    assert [(name, form) for name, raw in found.items() for form in forms() if form in raw] == []


def test_a_whole_run_holds_no_key(intent, tmp_path):
    with chatty() as url:
        code, said = intent("play", "canary.json", "-m", f"openai/any@{url}", "-o", "run", "--debug")
    assert code == 0, said
    calls = Run.open(tmp_path / "run").calls()
    texts = calls[["text", "failures", "model", "fingerprint", "reasoning"]].astype(str)
    assert texts.apply(lambda column: column.str.contains("[key]", regex=False).any()).all()
    assert (tmp_path / "mlflow.db").is_file()
    for log, table in EXPORTS:
        export(tmp_path / "run", tmp_path / log, calls=tmp_path / table)
    export(tmp_path / "run", tmp_path / "results.csv", format="fairgame")
    said += json.dumps(run_status(tmp_path / "run")).encode()
    assert_nowhere(tmp_path, said)
    for path in (tmp_path / "calls.parquet", *tmp_path.rglob("log/*.parquet")):
        assert not any(form.decode() in pd.read_parquet(path).to_csv() for form in forms())


def test_a_refused_key_is_not_said(tmp_path, monkeypatch, capfd):
    (tmp_path / "canary.json").write_text(json.dumps(EXPERIMENT))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INTENT_KEY_127_0_0_1", CANARY)

    def intent(*words: str):
        with pytest.raises(SystemExit) as ended:
            main([*words, "--debug"])
        return ended.value.code, "".join(capfd.readouterr()).encode()

    with refusing() as url:
        code, said = intent("play", "canary.json", "-m", f"openai/any@{url}", "-o", "run")
        again, more = intent("resume", "run", "--no-track")
    assert (code, again) == (3, 3)
    assert b"401" in said
    assert_nowhere(tmp_path, said + more)


def test_a_key_in_a_file_or_an_address_is_not_said(intent, tmp_path):
    address = f"openai/any@http://me:{CANARY[:6]}SECRET@127.0.0.1:9/v1"
    code, said = intent("play", "canary.json", "-m", address, "-o", "run", "--debug")
    assert code in (1, 2)
    assert b"SECRET" not in said
    assert not (tmp_path / "run").exists()
