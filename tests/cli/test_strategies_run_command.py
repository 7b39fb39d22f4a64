"""``intent strategies run``, and the page of ``intent strategies check``."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from published_sets import SAMPLES, make_sets
from typer.testing import CliRunner

from intent.arena.engines import engine_status
from intent.base.errors import IntentError
from intent.cli.app import app
from intent.report.page import foreign_parts

SMALL = Path(__file__).resolve().parents[2] / "experiments" / "llm_strategies" / "small.yaml"
needs_engine = pytest.mark.skipif(all(engine_status().values()), reason=f"no sandbox here: {engine_status()}")


def run(*arguments):
    return CliRunner().invoke(app, ["strategies", *map(str, arguments)], catch_exceptions=False)


@needs_engine
@pytest.mark.slow
def test_from_published_sets_to_one_json_object(tmp_path):
    sets = make_sets(tmp_path / "sets", ["anthropic_prose"], n=1)
    asked = ("run", SMALL, "-o", tmp_path / "out", "--from", sets, "--workers", 1)
    changed = ("styles=[prose]", "noise=[0]", "evolution=null", "line_up=null")
    found = json.loads(run(*asked, "--json", *(word for one in changed for word in ("--set", one))).stdout)
    assert {one["file"] for one in found["sets"]} == {"anthropic_prose.py", None}
    assert found["page"] == "inspection.html"
    shown = run(*asked, *(word for one in changed for word in ("--set", one)))
    assert "anthropic_prose.py" in shown.stdout
    assert re.search(r"^anthropic_prose +Aggressive +\d\.\d\d \(\d\.\d\d\) ", shown.stdout, re.MULTILINE)
    assert "Table 3: cooperation of the row's attitude" in shown.stdout
    assert "summary.md" in shown.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--set", "turn=5"], "unknown key 'turn'; did you mean turns"),
        (["--from", "nowhere"], "no such folder"),
    ],
)
def test_errors_are_one_line(tmp_path, words, said):
    with pytest.raises(IntentError, match=said) as caught:
        run("run", SMALL, "-o", tmp_path / "out", *words)
    assert "\n" not in str(caught.value)


@needs_engine
@pytest.mark.slow
def test_check_writes_a_page_for_inspection(tmp_path):
    page = tmp_path / "page.html"
    found = json.loads(run("check", SAMPLES / "default_noise.py", "--page", page, "--json").stdout)
    assert found["page"] == str(page)
    text = page.read_text("utf8")
    assert foreign_parts(text) == []
    assert "noise 0.1" in text


def test_a_page_of_another_kind_is_refused_before_any_work(tmp_path):
    with pytest.raises(IntentError, match=r"expected \.html"):
        run("check", SAMPLES, "--page", tmp_path / "page.pdf")
