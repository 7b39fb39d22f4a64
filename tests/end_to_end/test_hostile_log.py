"""A log whose every name and text is hostile shows as text, whatever is made of it."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlencode

import pytest
from play_logs import PD, log_of, match

from intent.cli.main import main
from intent.logs.gamelog import GameLog
from intent.logs.stores import write_log
from intent.report.page import foreign_parts
from intent.view.app import make_app
from intent.view.library import open_library
from intent.view.query import Query, game_address

TAGS = '<script>alert(1)</script>"><img src=x onerror=alert(2)>'
HOSTILE = TAGS + "\x1b[31m\x1b]0;x\x07\x9b2J\u202egnp.exe\u2066\x00=1+1\\input{x}$%_&#^~HALF"
HALF = "⟨U+D800⟩"
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
FEW = ("--bootstrap", "20", "--permutations", "19")


@pytest.fixture(scope="module")
def log(tmp_path_factory) -> Path:
    """Eight games as JSON lines, HALF spelled as half a surrogate pair, as no writer of ours does."""
    games = log_of(
        *(
            match(
                PD,
                *("CDCCDDCC", "CCDCCDDC", "DDDDDDDD")[i % 3 :][:1] * 2,
                model=[f"a{HOSTILE}", f"b{HOSTILE}"],
                persona=[HOSTILE, "selfish"],
                language=("en", HOSTILE)[i % 2],
            )
            for i in range(8)
        )
    )
    names = {name: name + HOSTILE for name in games.games["game_id"]}
    tables = {
        name: table.assign(game_id=table["game_id"].astype(str).map(names))
        for name, table in games.tables().items()
    }
    tables["games"]["column" + HOSTILE] = HOSTILE
    said = dict.fromkeys(("message", "private_thought", "reasoning"), HOSTILE)
    long = tables["moves"].assign(**said, reply=HOSTILE + "x" * 20_000)
    made = GameLog(tables["games"], tables["seats"], long)
    path = write_log(made, tmp_path_factory.mktemp("hostile") / "log.jsonl")
    path.write_text(path.read_text(encoding="utf-8").replace("HALF", "\\ud800"), encoding="utf-8")
    return path


@pytest.fixture
def intent(capsys, monkeypatch):
    """Run a command; returns standard output, after a look at what a terminal would obey."""
    monkeypatch.setenv("COLUMNS", "120")

    def run(*words: object) -> str:
        with pytest.raises(SystemExit) as stopped:
            main([str(w) for w in words])
        out, err = capsys.readouterr()
        assert (stopped.value.code, OBEYED.findall(out + err)) == (0, []), err
        return out

    return run


def test_terminal(intent, log, tmp_path):
    labels = tmp_path / "labels.parquet"
    intent("label", log, "-o", labels)
    assert "onerror" in intent("compare", labels, "--by", "model", *FEW)
    assert HALF in intent("compare", labels, "--by", "model", "--json", *FEW)
    intent("sfem", log, "--by", "model", "--bootstrap", "10")
    intent("validate", log)


def test_files_for_a_paper(intent, log, tmp_path):
    labels, tables, methods = tmp_path / "l.parquet", tmp_path / "t.tex", tmp_path / "m.txt"
    intent("label", log, "-o", labels)
    intent("compare", labels, "--by", "model,persona", "-o", tables, "--methods", methods, *FEW)
    words = tables.read_text(encoding="utf-8")
    assert OBEYED.findall(words + methods.read_text(encoding="utf-8")) == []
    assert "\\input{" not in words
    intent("figures", labels, "bars", "--image", "svg", "-o", tmp_path / "figures", "--by", "model")
    drawn = [path.read_text(encoding="utf-8") for path in (tmp_path / "figures").glob("*.svg")]
    assert drawn
    assert not any(TAGS[:8] in text or OBEYED.search(text) for text in drawn)


def test_report(intent, log, tmp_path):
    intent("report", log, "-o", tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert (foreign_parts(page), OBEYED.findall(page)) == ([], [])
    assert "&lt;script&gt;" in page


def test_page(log):
    testclient = pytest.importorskip("starlette.testclient", reason="needs starlette")
    with open_library(log, background=False) as library:
        name = library.page(Query()).rows[1]["game_id"]
        browser = testclient.TestClient(make_app(library, 80), base_url="http://localhost")
        for address in ("/", game_address(name), f"/text?{urlencode({'id': name, 'key': '1/1/1/message'})}"):
            answer = browser.get(address)
            assert (answer.status_code, OBEYED.findall(answer.text)) == (200, [])
            assert HALF in answer.text
            assert TAGS[:8] not in answer.text or answer.headers["content-type"].startswith("text/plain")
