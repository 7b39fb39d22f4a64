"""Games that a report names lead to their pages, where `intent view --bundle` wrote them."""

from __future__ import annotations

import json
import re

import pytest
from report_pages import two_games

from intent.base.errors import DataError
from intent.logs.stores import write_log
from intent.report.material import pages_of_games
from intent.report.page import foreign_parts
from intent.report.report import report
from intent.view.serve import view

QUICK = {"bootstrap": 20, "permutations": 99, "explained": False}


def test_games_of_a_report_lead_to_their_pages(tmp_path):
    log = write_log(two_games(), tmp_path / "log")
    view(log, bundle=tmp_path / "my pages", most=2_000)
    (tmp_path / "out").mkdir()
    report(log, tmp_path / "out/r.html", bundle=tmp_path / "my pages", full=True, **QUICK)
    page = (tmp_path / "out/r.html").read_text("utf8")
    links = re.findall(r'<a href="(\.\./my%20pages/games/[^"]+)">what was said, round by round</a>', page)
    assert links
    assert all((tmp_path / "out" / link.replace("%20", " ")).is_file() for link in links)
    assert foreign_parts(page) == []


def test_a_folder_that_somebody_else_made_leads_nowhere_else(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        pages_of_games(tmp_path, tmp_path / "r.html")
    odd = [
        "javascript:alert(1)//games/a.html",
        "https://evil.example/games/a.html",
        'games/"a.html',
        "games/a.html",
        3,
    ]
    (tmp_path / "bundle.json").write_text(
        json.dumps({"pages": {f"g{i}": page for i, page in enumerate(odd)}})
    )
    assert pages_of_games(tmp_path, tmp_path / "r.html") == {"g3": "./games/a.html"}
    (tmp_path / "bundle.json").write_text('{"pages": 1}')
    with pytest.raises(DataError, match="expected a folder that intent view --bundle wrote"):
        pages_of_games(tmp_path, tmp_path / "r.html")
