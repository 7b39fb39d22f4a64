"""Which strategies run, and why the others do not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from strategy_files import PUBLISHED, published

from intent.arena.check import check_strategies
from intent.arena.engines import engine_status
from intent.base.errors import OutputError, StrategyError
from intent.base.json_objects import JSON_OBJECTS

ENGINES = [name for name, why in engine_status().items() if why is None]

BAD = "\n\n".join(
    (
        published("Neutral_2", "NEUTRAL", "return open('f')"),
        published("Neutral_3", "NEUTRAL", "return self.missing"),
        published(
            "Neutral_4",
            "NEUTRAL",
            "if opponent.history.count(axl.Action.D) == 3:\n  return 1 + 1\nreturn axl.Action.C",
        ),
        "class Neutral_5(LLM_Strategy):\n  def strategy(self",
    )
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "set.py"
    file.write_text(f"{PUBLISHED}\n\n{BAD}\n", "utf8")
    return file


def test_without_any_that_passes_nothing_is_played(tmp_path: Path) -> None:
    file = tmp_path / "bad.py"
    file.write_text("def strategy(self, opponent):\n    import os\n    os.abort()\n")
    found = check_strategies([file])
    assert (found.n, found.engine, found.groups()) == (1, None, {"bad.py": {"n": 1, "ok": 0}})
    with pytest.raises(StrategyError, match=r"1 of 1 strategies do not run; the first, bad: .*"):
        check_strategies([file], strict=True)


@pytest.mark.skipif(not ENGINES, reason="no engine of the sandbox on this machine")
@pytest.mark.parametrize("engine", ENGINES)
def test_what_runs_and_what_does_not(path: Path, engine: str) -> None:
    found = check_strategies([path], engine=engine, turns=10, workers=1)
    shown = found.to_dict()
    assert shown.keys() == JSON_OBJECTS["check"].keys()
    assert (shown["n"], shown["ok"], shown["engine"]) == (7, 3, engine)
    assert shown["groups"]["Aggressive"] == {"n": 1, "ok": 1}
    assert shown["groups"]["Neutral"] == {"n": 5, "ok": 1}
    assert shown["files"][0]["ranks"] == {"Aggressive": ["Aggressive_1"], "Neutral": ["Neutral_1"]}
    reasons = {f["name"]: f["reason"] for f in shown["failed"]}
    assert reasons.keys() == {"Neutral_2", "Neutral_3", "Neutral_4", "Neutral_5"}
    assert "name open is not there" in reasons["Neutral_2"]
    assert reasons["Neutral_3"].startswith("error against ALLC")
    assert "missing" in reasons["Neutral_3"]
    assert reasons["Neutral_4"].startswith("value against ALLD")
    assert "no Python" in reasons["Neutral_5"]
    json.dumps(shown)


@pytest.mark.skipif(not ENGINES, reason="no engine of the sandbox on this machine")
def test_files_of_results(path: Path, tmp_path: Path) -> None:
    import pandas as pd

    check_strategies([path], turns=5, workers=1, output=tmp_path / "check.csv")
    table = pd.read_csv(tmp_path / "check.csv")
    assert list(table.columns) == ["name", "group", "file", "line", "ok", "reason", "draws", "digest"]
    assert table["ok"].sum() == 3
    check_strategies([path], turns=5, workers=1, output=tmp_path / "check.json")
    assert json.loads((tmp_path / "check.json").read_text("utf8"))["n"] == 7
    with pytest.raises(OutputError, match=r"expected \.csv"):
        check_strategies([path], output=tmp_path / "check.png")
    with pytest.raises(OutputError, match="exists"):
        check_strategies([path], output=tmp_path / "check.json")


@pytest.mark.skipif(not ENGINES, reason="no engine of the sandbox on this machine")
def test_notes_on_copies_and_clashes(path: Path, tmp_path: Path) -> None:
    (tmp_path / "copy.py").write_text(PUBLISHED, "utf8")
    found = check_strategies([path, tmp_path / "copy.py"], turns=5, workers=1)
    assert found.notes == (
        "6 strategies share their code with another one",
        "6 names stand in several files; there the name of the file is put in front",
    )
    assert [f.ok for f in found.files] == [3, 3]


@pytest.mark.slow
@pytest.mark.skipif(not ENGINES, reason="no engine of the sandbox on this machine")
def test_a_page_of_what_was_written_for_no_game_that_there_is(tmp_path: Path) -> None:
    method = "    def strategy(self, opponent):\n        return axl.Action.C\n"
    stated = "    name = '<b>'\n    game = '{}'\n    rounds = {}\n"
    for name, facts in {"one": ("chess", 10), "two": ("classic", 999_999_999)}.items():
        (tmp_path / f"{name}.py").write_text(f"class A_{name}(P):\n{stated.format(*facts)}{method}")
    found = check_strategies([tmp_path], workers=1, page=tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert len(found.entrants) == 2
    assert "&lt;b&gt;" in page


@pytest.mark.skipif(not ENGINES, reason="no engine of the sandbox on this machine")
@pytest.mark.parametrize("engine", ENGINES)
def test_a_name_without_a_value_counts_only_where_it_is_reached(tmp_path: Path, engine: str) -> None:
    late = "if len(self.history) > {}:\n  return endgame\nreturn axl.Action.C"
    file = tmp_path / "set.py"
    file.write_text(
        PUBLISHED + "".join(f"\n\n{published(f'Neutral_{n}', 'NEUTRAL', late.format(n))}" for n in (5, 500)),
        "utf8",
    )
    found = check_strategies([file], engine=engine, turns=10, workers=1).to_dict()
    ((name, reason),) = [(one["name"], one["reason"]) for one in found["failed"]]
    assert name == "Neutral_5"
    assert reason.startswith("error against ALLC in round 7: ")
    assert "name 'endgame' is not defined" in reason
    assert reason.endswith("; give it a value first, in every case")
