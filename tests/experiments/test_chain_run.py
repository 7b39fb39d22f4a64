"""The whole chain, on sets in the published names and on sets that a script writes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from published_sets import make_sets

from experiments.llm_strategies.chain import run_chain
from experiments.llm_strategies.sets import ChainSpec, Evolution, LineUpSpec, Tournament, Writing
from intent.arena.engines import engine_status
from intent.base import codebook
from intent.base.errors import DataError, OutputError, UsageError
from intent.report.page import foreign_parts

pytestmark = pytest.mark.skipif(all(engine_status().values()), reason=f"no sandbox here: {engine_status()}")

SPEC = ChainSpec(
    name="tiny",
    styles=["default", "refine"],
    n=2,
    turns=20,
    tournament=Tournament(repetitions=2),
    line_up=LineUpSpec(against="canonical4", repetitions=2),
    evolution=Evolution(initial=[(4, 4, 4), (8, 2, 2)], runs=10),
    bootstrap=100,
)
STEMS = ("openai_default", "openai_default_noise", "openai_refine")


@pytest.fixture(scope="module")
def chain(tmp_path_factory):
    root = tmp_path_factory.mktemp("chain")
    sets = make_sets(root / "sets", STEMS)
    return run_chain(SPEC, root / "out", published=sets, workers=1), root


@pytest.mark.slow
def test_tables_stand_beside_the_papers(chain):
    result, root = chain
    found = {
        one["name"]: pd.read_csv(root / "out" / one["file"])
        for one in result["tables"]
        if one["name"] != "summary"
    }
    payoffs = found["table45_payoffs"]
    assert set(payoffs["set"]) == set(STEMS)
    first = payoffs[(payoffs["set"] == "openai_default") & (payoffs["row"] == "Aggressive")]
    assert first["paper"].tolist() == [1.81, 2.09, 2.26]
    assert np.allclose(first["payoff"] - first["paper"], first["difference"])
    assert np.allclose(first["z"], first["difference"] / np.sqrt(2 * first["match_se"] ** 2 + 0.005**2 / 3))
    assert (payoffs.loc[payoffs["set"] == "openai_default_noise", "match_se"] > 0).all()
    cooperation = found["table3_cooperation"]
    assert cooperation.loc[cooperation["set"] == "openai_refine", "paper"].isna().all()
    ends = found["table6_equilibria"]
    row = ends[(ends["set"] == "openai_default") & (ends["initial"] == "4:1:1")]
    assert row["paper"].tolist() == [0.66, 0.19, 0.17]
    assert row["p"].between(0, 1).all()
    assert row["drift"].tolist() == pytest.approx([2 / 3, 1 / 6, 1 / 6])
    assert (ends.groupby(["set", "initial"])["share"].sum().round(6) == 1).all()


@pytest.mark.slow
def test_sets_that_are_not_there_are_listed_with_the_reason(chain):
    result, root = chain
    lost = {(one["model"], one["style"], one["noise"]): one["lost"] for one in result["sets"] if one["lost"]}
    assert "lost upstream" in lost["openai", "refine", 0.1]
    assert ("anthropic", "default", 0.0) in lost
    summary = (root / "out" / "summary.md").read_text("utf8")
    assert "lost upstream" in summary
    assert "had no seeds" in summary
    assert "sum to 102" in summary


@pytest.mark.slow
def test_verdicts_files_and_the_object_are_as_the_codebook_says(chain):
    result, root = chain
    assert set(result) == set(codebook.JSON_OBJECTS["chain"])
    assert json.loads(json.dumps(result)) == result
    claims = {one["claim"]: one for one in result["verdicts"]}
    dominated = claims["openai_refine: the aggressive attitude is dominated by both others"]
    assert dominated["published"] == "supported"
    assert {one["verdict"] for one in claims.values()} <= {"supported", "not supported", "undecided"}
    assert all((root / "out" / one["file"]).is_file() for one in (*result["figures"], *result["tables"]))
    page = (root / "out" / result["page"]).read_text("utf8")
    assert foreign_parts(page) == []
    assert page.count('<section class="card"') == sum(one["n"] for one in result["sets"])


@pytest.mark.slow
def test_a_second_run_finds_the_same_and_plays_nothing(chain):
    result, root = chain
    stages = []
    again = run_chain(
        SPEC, root / "out", published=root / "sets", workers=1, update=lambda *a: stages.append(a)
    )
    assert again == result
    played = [(done, total) for stage, done, total in stages if stage.endswith(("tournament", "line-up"))]
    assert played
    assert all(done == total for done, total in played)


@pytest.mark.slow
def test_sets_and_line_ups_draw_apart(chain):
    """Players of one name in two sets share neither matches nor seeds."""
    folders = [
        chain[1] / "out" / "play" / stem / part for stem in STEMS for part in ("tournament", "line_up")
    ]
    salts = {json.loads((folder / "tournament.json").read_text("utf8"))["salt"] for folder in folders}
    assert len(salts) == len(folders)
    assert chain[0]["salt"] not in salts


@pytest.mark.slow
def test_a_script_writes_the_sets(tmp_path):
    spec = SPEC.model_copy(update={"models": ["scripted/strategist"], "styles": ["default"], "noise": [0.0]})
    result = run_chain(spec, tmp_path / "out", workers=1)
    (one,) = result["sets"]
    assert one["ok"] > 0
    assert one["lost"] is None
    assert all(verdict["published"] is None for verdict in result["verdicts"])
    assert Path(result["path"], "sets").is_dir()


@pytest.mark.slow
def test_sets_that_cannot_be_played_are_lost_not_fatal(tmp_path):
    sets = make_sets(tmp_path / "sets", ["openai_default"])
    (sets / "openai_refine.py").write_text("def strategy(self, opponent):\n    import os\n")
    spec = SPEC.model_copy(update={"line_up": None, "evolution": None, "inspect": False, "noise": [0.0]})
    run_chain(spec, tmp_path / "out", published=sets, workers=1)
    (tmp_path / "out" / "line_up.csv").write_text("of an earlier run\n")
    result = run_chain(spec, tmp_path / "out", published=sets, workers=1)
    assert not (tmp_path / "out" / "line_up.csv").exists()
    lost = {one["style"]: one["lost"] for one in result["sets"] if one["model"] == "openai"}
    assert lost["default"] is None
    assert "no strategy that can be played" in lost["refine"]
    assert [one["name"] for one in result["tables"]] == [
        *("validation", "table3_cooperation", "table45_payoffs", "summary")
    ]
    assert result["page"] is None


@pytest.mark.slow
def test_who_is_at_fault_counts_in_no_table_whatever_the_policy(tmp_path):
    fails = (
        "def Aggressive_9(self, opponent):\n    return axl.Action.C if not opponent.defections else 1 / 0\n"
    )
    sets = make_sets(tmp_path / "sets", ["openai_default"])
    path = sets / "openai_default.py"
    path.write_text(path.read_text("utf8") + "\n\n" + fails, encoding="utf8")
    tables = {}
    for policy in ("void", "disqualify"):
        changes = {"tournament": Tournament(repetitions=2, faults=policy), "noise": [0.0]}
        spec = SPEC.model_copy(update={"line_up": None, "inspect": False, "styles": ["default"], **changes})
        result = run_chain(spec, tmp_path / policy, published=sets, workers=1)
        assert [one["n"] - one["ok"] for one in result["sets"] if one["n"]] == [1]
        names = ("validation", "table3_cooperation", "table45_payoffs", "table6_equilibria")
        tables[policy] = [(tmp_path / policy / f"{name}.csv").read_text() for name in names]
    assert tables["void"] == tables["disqualify"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("attitudes", "sizes"), [(("Aggressive", "Cooperative"), (8, 10)), (("Aggressive",), (4, 8))]
)
def test_a_set_without_an_attitude_evolves_with_the_others(tmp_path, attitudes, sizes):
    """Starts of 4, 4 and 8, 2 are populations of different sizes."""
    sets = make_sets(tmp_path / "sets", ["openai_default"], attitudes=attitudes)
    run_chain(SPEC, tmp_path / "out", published=sets, workers=1)
    ends = pd.read_csv(tmp_path / "out" / "table6_equilibria.csv")
    assert ends.groupby("individuals").size().to_dict() == dict.fromkeys(sizes, len(attitudes))
    assert set(ends["attitude"]) == set(attitudes)


def test_a_model_whose_strategies_never_play_is_said_so(tmp_path):
    spec = SPEC.model_copy(
        update={
            "models": ["scripted/first"],
            "styles": ["default"],
            "noise": [0.0],
            "writing": Writing(attempts=2),
        }
    )
    result = run_chain(spec, tmp_path / "out")
    assert [one["lost"] for one in result["sets"]] == ["none of its strategies play"]
    assert "No set can be played" in (tmp_path / "out" / "summary.md").read_text("utf8")
    assert any("of 6 attempts" in note for note in result["notes"])


def test_nothing_to_play_is_an_error(tmp_path):
    with pytest.raises(DataError, match="no models"):
        run_chain(SPEC, tmp_path / "out")
    folder = tmp_path / "sets"
    folder.mkdir()
    (folder / "openai_default.py").write_text("x = 1\n")
    with pytest.raises(UsageError, match="none of the"):
        run_chain(SPEC, tmp_path / "other", published=folder)


def test_a_folder_of_somebody_else_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(OutputError, match=r"holds no chain \(chain.json\)"):
        run_chain(SPEC, tmp_path)
