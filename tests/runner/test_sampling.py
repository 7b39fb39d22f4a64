"""Asking for numbers: stored as they come, resumed, compared with an honest sampler."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from intent.agents.mock.client import ScriptedClient
from intent.base.errors import DataError, RefusedError
from intent.base.json_objects import JSON_OBJECTS
from intent.runner.sampling import sample_numbers


class Sampler(ScriptedClient):
    """Draws honestly, and counts; the request after `answers` fails."""

    def __init__(self, answers: int = 99) -> None:
        super().__init__("scripted/first")
        self.n_requests, self._answers = 0, answers

    async def complete(self, messages, settings, tools=()):  # type: ignore[no-untyped-def]
        if self.n_requests == self._answers:
            raise RefusedError("no more")
        self.n_requests += 1
        rng = np.random.default_rng(self.n_requests)
        text = messages[-1].content
        drawn = rng.poisson(4, 100) if "Poisson" in text else rng.random(100)
        drawn = rng.normal(size=100) if "normal" in text else drawn
        reply = await super().complete(messages, settings, tools)
        return type(reply)("\n".join(f"{x:.3f}" for x in drawn), model="m", finish_reason="stop")


def test_an_honest_model_passes(tmp_path: Path) -> None:
    made = sample_numbers(Sampler(), tmp_path / "s", image="svg").to_dict()
    assert made["verdict"] == "all compatible"
    assert set(made) == set(JSON_OBJECTS["sampling"])
    assert [d["n_read"] for d in made["distributions"]] == [100, 100, 100]
    assert made["distributions"][1]["ks"] is None
    assert {p.name for p in (tmp_path / "s").iterdir()} >= {"replies.jsonl", "samples.csv", "samples.svg"}
    assert json.loads((tmp_path / "s" / "sampling.json").read_text())["verdict"] == "all compatible"


def test_replies_are_kept_and_not_asked_for_again(tmp_path: Path) -> None:
    with pytest.raises(RefusedError):
        sample_numbers(Sampler(answers=2), tmp_path)
    with (tmp_path / "replies.jsonl").open("a") as file:
        file.write('{"key": "cut sho')
    model = Sampler()
    made = sample_numbers(model, tmp_path).to_dict()
    assert model.n_requests == 1
    again = Sampler()
    assert sample_numbers(again, tmp_path).to_dict() == made
    assert again.n_requests == 0


def test_a_model_that_says_little_is_undecided(tmp_path: Path) -> None:
    made = sample_numbers("scripted/says:about 0.5, I think", tmp_path, distributions="uniform").to_dict()
    assert made["verdict"] == "undecided"
    assert made["distributions"][0]["n_read"] == 0
    assert "0 of 100 numbers could be read" in made["notes"][1]


def test_a_constant_is_no_sample(tmp_path: Path) -> None:
    said = " ".join(["0.5"] * 100)
    made = sample_numbers(f"scripted/says:{said}", tmp_path, distributions="uniform,gaussian(0,1)").to_dict()
    assert made["verdict"] == "none compatible"
    assert all(d["honest"]["compatible"] for d in made["distributions"])


def test_damaged_files_and_prompts_are_named(tmp_path: Path) -> None:
    (tmp_path / "replies.jsonl").write_text("{}\n")
    with pytest.raises(DataError, match="line 1"):
        sample_numbers("scripted/first", tmp_path)
    (tmp_path / "prompt.txt").write_text("numbers, please")
    with pytest.raises(DataError, match="neither"):
        sample_numbers("scripted/first", tmp_path / "x", prompt=tmp_path / "prompt.txt")
