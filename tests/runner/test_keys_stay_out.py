"""A key that is in the environment reaches no file that a run leaves, and no error."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from intent.agents.scripted_server import ScriptedServer
from intent.base.errors import IntentError
from intent.runner.export import export
from intent.runner.play import play_experiment
from intent.runner.run import Run

CANARY = "sk-canary-0123456789abcdef-4242"


@contextmanager
def scripted_server() -> Iterator[str]:
    """The address of a scripted server in a thread."""
    ready, stop = threading.Event(), asyncio.Event()
    found: dict[str, object] = {}

    async def serve() -> None:
        async with ScriptedServer() as server:
            found.update(url=server.url, loop=asyncio.get_running_loop())
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    ready.wait(10)
    try:
        yield str(found["url"])
    finally:
        found["loop"].call_soon_threadsafe(stop.set)
        thread.join(10)


@contextmanager
def tactless_server() -> Iterator[str]:
    """The address of a server that refuses every request and repeats the key it was sent."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            body = f'{{"error": {{"message": "bad key {self.headers["Authorization"]}"}}}}'.encode()
            self.send_response(401)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


def files_with(text: str, folder: Path) -> list[str]:
    return [str(p) for p in folder.rglob("*") if p.is_file() and text.encode() in p.read_bytes()]


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("INTENT_KEY_127_0_0_1", CANARY)


@pytest.mark.slow
def test_no_file_of_a_run_holds_the_key(tmp_path):
    run = tmp_path / "run"
    with scripted_server() as url:
        result = play_experiment(
            {"name": "canary", "rounds": 2, "repetitions": 2, "after": {"label": {}}},
            output=run,
            model=f"openai/m@{url}",
            track=str(tmp_path / "mlflow.db"),
        )
    assert (result.summary["state"], result.summary["calls"]) == ("finished", 8)
    assert result.summary["run_id"] is not None
    for name in ("log.jsonl", "log.csvs"):
        export(run, tmp_path / name, calls=tmp_path / f"{name}.calls.jsonl")
    assert CANARY not in Run.open(run).calls().to_json()
    assert files_with(CANARY, tmp_path) == []
    assert files_with("openai/m@http", tmp_path) != []


def test_no_error_repeats_the_key(tmp_path):
    run = tmp_path / "run"
    with tactless_server() as url:
        result = play_experiment({"rounds": 1}, output=run, model=f"openai/m@{url}")
    assert result.summary["state"] == "stopped"
    assert "401" in result.summary["reason"]
    assert CANARY not in str(result.summary)
    assert files_with(CANARY, tmp_path) == []


def test_a_key_in_an_address_is_refused(tmp_path):
    with pytest.raises(IntentError) as refused:
        play_experiment(
            {"rounds": 1}, output=tmp_path / "run", model=f"openai/m@http://u:{CANARY}@127.0.0.1/v1"
        )
    assert CANARY not in str(refused.value)
    assert not (tmp_path / "run").exists()
