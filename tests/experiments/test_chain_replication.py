"""The paper on written strategies beside a chain, cell by cell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from published_sets import make_sets

from experiments.llm_strategies.chain import run_chain
from experiments.llm_strategies.replication import PLAYS, measure
from experiments.llm_strategies.sets import ChainSpec, Evolution, LineUpSpec, Tournament
from intent.arena.engines import engine_status
from intent.base.experiments import published_values
from intent.report.replication import judged

FOLDER = Path(__file__).resolve().parents[2] / "experiments" / "llm_strategies"
needs_engine = pytest.mark.skipif(all(engine_status().values()), reason=f"no sandbox here: {engine_status()}")


def test_every_variant_has_its_files():
    assert [file for files in PLAYS.values() for file in files if not (FOLDER / file).is_file()] == []
    assert set(PLAYS) == {"paper", "own", "small"}


@needs_engine
@pytest.mark.slow
@pytest.mark.parametrize("published", [True, False])
def test_every_printed_number_stands_beside_ours(tmp_path, published):
    spec = ChainSpec(
        name="tiny",
        models=["scripted/strategist"],
        styles=["default"],
        n=2,
        turns=20,
        tournament=Tournament(repetitions=6),
        line_up=LineUpSpec(against="canonical4", repetitions=2),
        evolution=Evolution(initial=[(4, 4, 4), (8, 2, 2)], runs=10),
        bootstrap=100,
        inspect=False,
    )
    stems = ("openai_default", "openai_default_noise")
    sets = make_sets(tmp_path / "sets", stems) if published else None
    run_chain(spec, tmp_path / "out", published=sets, workers=1)
    made = measure([tmp_path / "out"], seed=0, bootstrap=100)
    table = judged(published_values(FOLDER), made.cells)
    rows = {(row["table"], row["row"], row["column"]): row for row in table.to_dict("records")}
    rules = table[table["table"] == "Table 1"]
    assert (len(rules), set(rules["verdict"])) == (4, {"equal"})
    assert rows["Text", "game=prisoner-dilemma", "lowest mean payoff"]["verdict"] == "differs"  # a misprint
    cell = "model=ChatGPT-4o, style={}, noise={}, attitude=Aggressive, against=Neutral"
    assert rows["Table 5", cell.format("default", 0.1), "payoff"]["se"] > 0
    assert 0 <= rows["Table 3", cell.format("default", 0), "cooperation"]["ours"] <= 1
    assert rows["Table 4", cell.format("refine", 0), "payoff"]["verdict"] == "not measured"
    ends = table[(table["table"] == "Table 6") & table["ours"].notna()]
    assert len(ends) == 2 * 2 * 3 * (1 if published else 2)
    assert ends["ours"].between(0, 100).all()
    assert any("written anew" in note for note in made.notes) is not published
    claims = table[table["unit"].eq("claim") & table["verdict"].ne("not measured")]
    assert set(claims["column"]) >= {"stable", "outdoes", "dominated with noise"}


def test_a_chain_whose_strategies_do_not_play_says_why_nothing_is_measured(tmp_path):
    facts = {
        "chain": {"tournament": {"repetitions": 1}, "evolution": None},
        "options": {},
        "result": {"verdicts": [], "notes": ["mine is left out: none of its strategies play"]},
    }
    (tmp_path / "chain.json").write_text(json.dumps(facts), "utf8")
    assert measure([tmp_path], seed=0, bootstrap=100).notes == (
        "mine is left out: none of its strategies play",
    )
