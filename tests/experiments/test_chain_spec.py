"""Chains as files: what they may say, and what is told of what they may not."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.llm_strategies.sets import LOST, SETS, ChainSpec, load_chain, published_sets
from intent.arena.writing.order import dry_run_writing
from intent.base.errors import DataError, IntentError, UsageError

FOLDER = Path(__file__).resolve().parents[2] / "experiments" / "llm_strategies"


@pytest.mark.parametrize("name", ["paper", "own", "small", "local"])
def test_our_files_are_chains(name):
    spec = load_chain(FOLDER / f"{name}.yaml")
    assert spec.models
    assert spec.line_up is not None
    assert spec.evolution is not None


def test_the_paper_in_a_file():
    spec = load_chain(FOLDER / "paper.yaml")
    assert (spec.n, spec.turns, spec.tournament.repetitions, spec.line_up.repetitions) == (25, 1000, 20, 200)
    assert spec.evolution.initial == [(4, 4, 4), (8, 2, 2)]
    assert spec.evolution.runs == 100
    assert len(spec.models) * len(spec.styles) * len(spec.noise) == len(SETS)


def test_the_variant_differs_from_the_paper_in_its_texts_alone():
    paper, own = (load_chain(FOLDER / f"{name}.yaml").model_dump() for name in ("paper", "own"))
    assert own["writing"].pop("prompts") == "own"
    paper["writing"].pop("prompts")
    assert (own.pop("treatment"), paper.pop("treatment") is None) == (None, False)
    assert {**own, "name": ""} == {**paper, "name": ""}
    styles = "default,prose+refine"
    found = dry_run_writing("scripted/strategist", prompts=FOLDER / "own", style=styles, noise=0.1).to_dict()
    texts = "\n".join(row["system"] + row["user"] for row in found["prompts"])
    assert "Prisoner's Dilemma" in texts
    assert "compare the scores of both players" in texts


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("turn: 5", "unknown key 'turn'; did you mean turns"),
        ("evolution: {inital: [[4, 4, 4]]}", "did you mean initial"),
        ("evolution: {initial: [[4, 4]]}", "one for each of"),
        ("evolution: {initial: [[4, 4, 4], [1, 1, 1]]}", "populations of one size"),
        ("noise: [0.7]", "below .5"),
        ("attitudes: [Friendly]", "'Friendly' is none of"),
        ("styles: [fancy]", "fancy"),
        ("n: many", "whole number"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(tmp_path, text, said):
    file = tmp_path / "chain.yaml"
    file.write_text(text + "\n")
    with pytest.raises(IntentError, match=said) as caught:
        load_chain(file)
    assert "\n" not in str(caught.value)


def test_settings_stand_in_place_of_the_files():
    spec = load_chain(FOLDER / "small.yaml", ["evolution.runs=7", "styles=[prose]", "line_up=null"])
    assert (spec.evolution.runs, spec.styles, spec.line_up) == (7, ["prose"], None)
    assert spec.evolution.initial == [(2, 2, 2), (4, 1, 1)]
    with pytest.raises(UsageError, match="KEY=VALUE"):
        load_chain(FOLDER / "small.yaml", ["runs"])


def test_published_sets_by_their_names_the_lost_one_with_its_reason(tmp_path):
    for stem in SETS:
        if stem not in LOST and stem != "anthropic_prose":
            (tmp_path / f"{stem}.py").write_text("\n")
    found = {one.name: one for one in published_sets(tmp_path, ChainSpec())}
    assert list(found) == list(SETS)
    assert found["openai_refine_noise"].lost == LOST["openai_refine_noise"]
    assert found["anthropic_prose"].lost == f"no file anthropic_prose.py in {tmp_path.name}"
    assert found["openai_prose_noise"].noise == 0.1
    few = published_sets(tmp_path, ChainSpec(styles=["refine"], noise=[0.0]))
    assert [one.name for one in few] == ["openai_refine", "anthropic_refine"]


def test_a_folder_without_sets_is_an_error(tmp_path):
    with pytest.raises(DataError, match=r"holds none of openai_default\.py"):
        published_sets(tmp_path, ChainSpec())
    with pytest.raises(DataError, match="no such folder"):
        published_sets(tmp_path / "none", ChainSpec())
