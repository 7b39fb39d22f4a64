"""``intent report`` as a user meets it."""

from __future__ import annotations

import pytest
from printed import printed
from report_pages import two_games

from intent.base import codebook
from intent.cli.main import main
from intent.logs.stores import write_log


@pytest.fixture
def log(tmp_path):
    write_log(two_games(), tmp_path / "log")
    return tmp_path / "log"


def run(capsys, *words):
    with pytest.raises(SystemExit) as stopped:
        main([str(w) for w in words])
    return stopped.value.code, *capsys.readouterr()


def test_one_object_as_the_codebook_has_it(capsys, log, tmp_path):
    words = ["report", log, "-o", tmp_path / "r.html", "--permutations", "99", "--json"]
    code, out, _ = run(capsys, *words)
    assert code == 0
    assert list(printed(out)) == list(codebook.JSON_OBJECTS["report"])
    assert (tmp_path / "r.html").read_text("utf8").startswith("<!doctype html>")


def test_a_page_that_is_there_stays(capsys, log, tmp_path):
    (tmp_path / "r.html").write_text("mine")
    code, _, err = run(capsys, "report", log, "-o", tmp_path / "r.html")
    assert code == 2
    assert "exists" in err
