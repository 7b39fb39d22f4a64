"""Who is answered: this machine, reading, from a page of ours or a person's click."""

from __future__ import annotations

import socket
import sys

import pytest
from starlette.testclient import TestClient
from view_shelf import Shelf

from intent.base.errors import MissingExtraError, UsageError
from intent.view.app import HEADERS, make_app, own_names, refusal
from intent.view.serve import listen, serving, view

NAMES = own_names(8000)


@pytest.fixture(scope="module")
def client():
    with TestClient(
        make_app(Shelf(8), 8000), base_url="http://127.0.0.1:8000", follow_redirects=False
    ) as made:
        yield made


def status(method: str = "GET", **headers: str) -> int | None:
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    refused = refusal(method, raw, NAMES)
    return refused and refused[0]


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "LOCALHOST:8000", "[::1]:8000"])
def test_own_names_are_answered(host):
    assert status(host=host) is None


@pytest.mark.parametrize(
    "host",
    [
        "evil.example:8000",
        "127.0.0.1",
        "127.0.0.1:80",
        "localhost:8000.evil.example",
        "0.0.0.0:8000",
        "",
        "localhost.",
    ],
)
def test_foreign_names_are_not(host):
    assert status(host=host) == 421


def test_no_name_or_two_are_not_answered():
    assert status() == 421
    assert refusal("GET", [(b"host", b"localhost:8000")] * 2, NAMES)[0] == 421


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"])
def test_nothing_but_reading(method, client):
    assert status(method, host="localhost:8000") == 405
    answer = client.request(method, "/")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://localhost:9000", "https://localhost:8000"]
)
def test_pages_from_elsewhere_may_not_read(origin):
    assert status(host="localhost:8000", origin=origin) == 403
    assert status(host="localhost:8000", origin="http://localhost:8000") is None


def test_pages_from_elsewhere_may_link_but_not_embed():
    for site in ("cross-site", "same-site"):
        assert status(host="localhost:8000", sec_fetch_site=site, sec_fetch_mode="no-cors") == 403
        assert status(host="localhost:8000", sec_fetch_site=site, sec_fetch_mode="navigate") is None


@pytest.mark.parametrize(
    "path", ["/", "/game?id=g1", "/game?id=none", "/nowhere", "/static/page.css", "/?sort=x"]
)
def test_every_answer_tells_the_browser_to_run_nothing_else(path, client):
    answer = client.get(path)
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    policy = answer.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/app.py", "/static//etc/passwd",
        "/static/",
        "/static/page.css/../../app.py", "/../../etc/passwd", "/static/htmx-LICENSE%00.css",
        "//evil.example/",
    ],
)  # fmt: skip
def test_no_path_leads_to_another_file(path, client):
    answer = client.get(path)
    assert answer.status_code in (404, 200)  # a client folds some of these into /
    assert answer.headers["content-type"].startswith("text/html")
    assert "def make_app" not in answer.text


def test_refusals_carry_the_headers_too(client):
    answer = client.get("/", headers={"host": "evil.example"})
    assert (answer.status_code, answer.headers["x-content-type-options"]) == (421, "nosniff")


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.0.1", "example.org", ""])
def test_other_hosts_are_refused(host):
    with pytest.raises(UsageError, match="expected one of 127"):
        make_app(Shelf(1), 8000, host)


def test_the_socket_is_bound_to_this_machine_alone():
    with serving(lambda port: make_app(Shelf(2), port)) as address, listen() as on:
        assert address.startswith("http://127.0.0.1:")
        assert on.getsockname()[0] == "127.0.0.1"
        with socket.create_connection(("127.0.0.1", int(address.rstrip("/").rpartition(":")[2]))) as raw:
            raw.sendall(b"GET / HTTP/1.1\r\nHost: rebound.example\r\nConnection: close\r\n\r\n")
            assert raw.recv(64).startswith(b"HTTP/1.1 421")


def test_a_port_in_use_is_one_line():
    with listen() as taken, pytest.raises(UsageError, match=r"port \d+: .+; 0 takes any that is free"):
        listen(taken.getsockname()[1])


@pytest.mark.parametrize("missing", ["starlette", "uvicorn"])
def test_without_the_extra_the_command_says_how_to_get_it(monkeypatch, tmp_path, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingExtraError, match=r"pip install 'strategy-intent\[view\]'"):
        view(tmp_path)
