"""The shipped samples are what their card says, and the gate lets them in."""

from __future__ import annotations

import ast
from collections import Counter

import pytest
from axelrod_players import SAMPLES, sample_texts

from intent.arena.entrant import ATTITUDES
from intent.arena.sources.gate import gate
from intent.arena.sources.reader import read_strategies


@pytest.fixture(scope="module")
def samples():
    return {name: read_strategies([SAMPLES / f"{name}.py"]) for name in sample_texts()}


def test_eight_and_two_of_each_attitude(samples):
    groups = {name: Counter(e.group for e in found.entrants) for name, found in samples.items()}
    assert groups["default"] == dict.fromkeys(ATTITUDES, 8)
    assert groups["default_noise"] == dict.fromkeys(ATTITUDES, 2)
    assert not any(found.failed for found in samples.values())


def test_each_says_what_it_does_and_what_for(samples):
    for name, found in samples.items():
        for entrant in found.entrants:
            assert len(entrant.words.split()) > 10
            assert (entrant.game, entrant.turns) == ("classic", 1000)
            assert entrant.noise == (0.1 if name == "default_noise" else 0)
            assert gate(entrant.source) == entrant.source


def test_the_first_set_has_ranks(samples):
    (facts,) = samples["default"].files
    assert {a: sorted(names) for a, names in facts.ranks.items()} == {
        a: sorted(e.name for e in samples["default"].entrants if e.group == a) for a in ATTITUDES
    }


def test_all_play_differently(samples):
    sources = [e.source for found in samples.values() for e in found.entrants]
    assert len(set(sources)) == 30


@pytest.mark.parametrize(
    "what",
    [
        *("random_choice", "randint", "random()", ".choice(", "opponent.score", "self.score", "total_scores"),
        *("match_attributes", ".flip()", "lambda", "reversed(", "zip(", "getattr(", ".append(", ".count("),
        *("def agreement", "cooperations", "defections", "first_round()", "history[-30:]", "break"),
    ],
)
def test_what_models_write_is_covered(what):
    assert any(what in text for text in sample_texts().values())


def test_the_format_is_that_of_the_published_sets():
    for text in sample_texts().values():
        classes = [node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]
        for node in classes:
            assert [ast.unparse(base) for base in node.bases] == ["LLM_Strategy"]
            (method,) = [part for part in node.body if isinstance(part, ast.FunctionDef)]
            assert [ast.unparse(d) for d in method.decorator_list] == ["auto_update_score"]
