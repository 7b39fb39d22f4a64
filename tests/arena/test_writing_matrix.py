"""The information matrix of a chain: what each stage is told, and what is refused before a call."""

from __future__ import annotations

from pathlib import Path

import pytest

from intent.arena.chain import count_chain, load_chain, play_chain
from intent.base.errors import UsageError
from intent.base.files import shipped

PAPER = shipped("experiments") / "llm_strategies" / "paper.yaml"
CHAIN = """chain: llm_strategies
models: [scripted/strategist]
styles: [default]
noise: [0]
n: 1
turns: 10
writing: {prompts: words}
treatment: {withholds: {"*": [game_name]}}
"""


def shown(counts: dict, stage: str, noise: str = "0", style: str = "prose") -> set[str]:
    """What a stage shows."""
    for row in counts["matrix"]:
        where = row["where"]
        if (
            row["stage"] == stage
            and noise in where.get("noise", [noise])
            and style in where.get("style", [style])
        ):
            return set(row["shows"])
    raise AssertionError(stage)


@pytest.fixture(scope="module")
def counts() -> dict:
    """Of the paper's chain."""
    return count_chain(load_chain(PAPER), prompts_shown=0).values


def test_the_paper_is_told_as_it_was(counts):
    assert counts["problems"] == []
    assert shown(counts, "words", style="default") == {"payoffs", "horizon", "attitude"}
    assert shown(counts, "plan") == {"attitude", "outcome_order"}
    assert shown(counts, "plan", noise="0.1") == {"attitude", "outcome_order", "mishaps"}
    assert shown(counts, "code") == {"payoffs", "horizon", "others_words"}
    assert "errors" in shown(counts, "code", noise="0.1")
    talks = {row["stage"]: row["conversation"] for row in counts["matrix"]}
    assert [talks[s] for s in ("words", "critique", "rewrite", "convert", "code")] == [
        "new",
        *["same"] * 3,
        "new",
    ]


@pytest.mark.parametrize("name", ["paper", "own", "small", "local"])
def test_every_shipped_chain_is_what_it_declares(name):
    made = count_chain(load_chain(PAPER.with_name(f"{name}.yaml"))).values
    assert made["problems"] == []
    assert all(row["shows"] for row in made["matrix"])


def test_calls_are_counted(counts):
    """2 models x 2 rates x 75 strategies, of 2, 4 and 3 calls in the three styles."""
    assert counts["calls"] == 2 * 2 * 75 * (2 + 4 + 3)
    assert counts["n_strategies"] == 900
    assert counts["n_games"] == 12 * 75 * 76 // 2 * 20
    written = count_chain(load_chain(PAPER), start=Path()).values
    assert (written["calls"], written["n_games"]) == (0, counts["n_games"])


def test_a_name_that_is_planted_in_the_words_is_refused_before_anybody_is_asked(tmp_path):
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "game_en.txt").write_text("A {dilemma} of {rounds} rounds, {reward} {sucker}.")
    (tmp_path / "chain.yaml").write_text(CHAIN)
    chain = load_chain(tmp_path / "chain.yaml")
    result = count_chain(chain)
    assert result.exit_code == 2
    assert result.values["problems"][0] == "chain: writer, words: game_name is shown, expected it withheld"
    with pytest.raises(UsageError, match="writer, words: game_name is shown"):
        play_chain(chain, tmp_path / "run", lambda done, total: None)
    assert not (tmp_path / "run" / "sets").exists()


def test_an_attitude_that_is_told_more_than_the_others_is_found(tmp_path):
    (tmp_path / "words").mkdir()
    told = "a cooperative approach over {rounds} rounds"
    (tmp_path / "words" / "attitude_cooperative_en.txt").write_text(told)
    (tmp_path / "chain.yaml").write_text(
        CHAIN.replace("turns: 10", "turns: 10").replace("[default]", "[prose]")
    )
    problems = count_chain(load_chain(tmp_path / "chain.yaml")).values["problems"]
    assert any("horizon is shown with attitude Cooperative" in line for line in problems)
