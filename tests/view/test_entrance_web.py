"""Who is let in: whoever has the address that was printed, once or for good; nobody else on the machine."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient
from view_shelf import Shelf

from intent.view.app import Entrance, make_app

AT = "http://127.0.0.1:8000/"


@pytest.fixture
def entrance():
    return Entrance(8000)


@pytest.fixture
def client(entrance):
    app = make_app(Shelf(8), 8000, entrance=entrance)
    with TestClient(app, base_url=AT, follow_redirects=False) as made:
        yield made


@pytest.mark.parametrize("path", ["/", "/game?id=g1", "/text?id=g1&key=0", "/pulse", "/?token=", "/?token=x"])
def test_without_the_token_no_game_is_shown(client, path):
    answer = client.get(path)
    assert answer.status_code == 403
    assert "Open the address that the command printed" in answer.text
    assert "g1<" not in answer.text
    assert "set-cookie" not in answer.headers


def test_the_token_is_changed_for_a_cookie_and_leaves_the_address(client, entrance):
    answer = client.get(entrance.address(AT) + "&where=language%3Den")
    assert (answer.status_code, answer.headers["location"]) == (303, "/?where=language%3Den")
    cookie = answer.headers["set-cookie"]
    assert all(word in cookie for word in ("intent-view-8000=", "HttpOnly", "SameSite=Strict", "Path=/"))
    assert client.get("/?where=language%3Den").status_code == 200
    assert client.get("/game?id=g1").status_code == 200


def test_the_address_for_a_browser_works_once(client, entrance):
    once = entrance.once(AT)
    assert client.get(once).status_code == 303
    client.cookies.clear()
    assert client.get(once).status_code == 403
    assert client.get(entrance.address(AT)).status_code == 303


def test_each_server_has_its_own_token(client, entrance):
    other = Entrance(8000)
    assert client.get(other.address(AT)).status_code == 403
    client.get(other.address(AT))
    client.cookies.set("intent-view-8000", other.address(AT).partition("=")[2])
    assert client.get("/").status_code == 403
    client.cookies.clear()
    client.cookies.set("intent-view-8001", entrance.address(AT).partition("=")[2])
    assert client.get("/").status_code == 403


def test_a_token_lets_nobody_in_by_another_name(client, entrance):
    assert client.get(entrance.address(AT), headers={"host": "evil.example"}).status_code == 421
    headers = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}
    assert client.get(entrance.address(AT), headers=headers).status_code == 403


def test_the_way_in_leads_nowhere_else(client, entrance):
    token = entrance.address("").removeprefix("?")
    for path in ("//evil.example/", "/\\\\evil.example", "///evil.example"):
        answer = client.build_request("GET", AT)
        answer.url = answer.url.copy_with(raw_path=f"{path}?{token}".encode())
        location = client.send(answer).headers["location"]
        assert location.startswith("/")
        assert location[1] not in "/\\"


def test_the_files_of_the_package_are_no_secret(client):
    assert client.get("/static/page.css").status_code == 200


@pytest.mark.parametrize("cookie", ["", "intent-view-8000", 'a=b; intent-view-8000="', "\xff=1", "x" * 9000])
def test_cookies_of_any_form(client, cookie):
    assert client.get("/", headers={"cookie": cookie.encode("latin-1")}).status_code == 403


def test_the_token_is_nowhere_in_the_pages(client, entrance):
    token = entrance.address("").partition("=")[2]
    assert token not in repr(entrance)
    client.get(entrance.address(AT))
    for path in ("/", "/game?id=g1"):
        assert token not in client.get(path).text
