"""The simulator of ``benchmarks/inference.py`` plays by the rules, and its verdicts read results right."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "inference.py"


@pytest.fixture(scope="module")
def study():
    spec = importlib.util.spec_from_file_location("inference_benchmark", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def words(moves):
    return ["".join("DC"[move] for move in row) for row in moves]


@pytest.mark.parametrize(
    ("first", "second", "moves"),
    [
        ("TFT", "ALLD", ["CDDD", "DDDD"]),
        ("WSLS", "ALLD", ["CDCD", "DDDD"]),
        ("WSLS", "TFT", ["CCCC", "CCCC"]),
        ("ALLC", "ALLD", ["CCCC", "DDDD"]),
    ],
)
def test_play_without_noise(study, first, second, moves):
    kinds = np.array([[study.NAMES.index(first), study.NAMES.index(second)]])
    assert words(study.play(np.random.default_rng(0), kinds, 0, rounds=4)[0]) == moves


def test_states_move_on_what_was_realised(study):
    kinds = np.array([[study.TFT, study.TFT]])
    always_other = study.play(np.random.default_rng(0), kinds, np.array([[1.0, 0.0]]), rounds=4)
    assert words(always_other[0]) == ["DDCC", "CDDC"]


def test_trembles_shares_coins_and_correlation_are_as_stated(study):
    rng = np.random.default_rng(0)
    moves = study.play(rng, np.tile([study.ALLC, study.COIN], (4000, 1)), 0.1, 0.7)
    assert moves.mean(axis=(0, 2)) == pytest.approx([0.9, 0.7], abs=0.01)
    kinds = study.alike(rng, 20_000, 0.6)
    assert np.bincount(kinds[:, 1]) / 20_000 == pytest.approx(study.EQUAL, abs=0.02)
    assert (kinds[:, 0] == kinds[:, 1]).mean() == pytest.approx(0.6 + 0.4 / 4, abs=0.02)


def test_log_holds_the_moves(study):
    kinds = np.random.default_rng(0).integers(0, 4, (5, 2))
    moves = study.play(np.random.default_rng(1), kinds, 0.2, rounds=3)
    found = study.log_of(moves, {"language": "en"}).trajectories()
    assert found.own.tolist() == moves.reshape(10, 3).tolist()
    assert found.other.tolist() == moves[:, ::-1].reshape(10, 3).tolist()
    assert len(study.log_of(moves, {}, focal=1).trajectories()) == 5


def test_p_is_that_of_the_verdict(study):
    tests = [
        {"factor": "model", "test": "chi_square", "p": 0.01, "p_adjusted": 0.02},
        {"factor": "model", "test": "permutation", "p": 0.03, "p_adjusted": 0.06},
    ]
    assert study.headline_p({"tests": tests}, "model") == 0.06
    narrow, wide = (
        {"factor": "model", "test": "permutation", "p": 0.03, "question": study.NARROW},
        {"factor": "model", "test": "wald", "p": 0.4, "question": study.WIDE},
    )
    result = {"tests": tests, "headline": [narrow, wide]}
    assert study.headline_p(result, "model") == 0.06
    assert study.headline_p(result, "model", study.WIDE) == 0.4
    assert study.headline_p(result | {"headline": [narrow]}, "model", study.WIDE) == 0.06
    assert study.headline_p(result, "language") is None


@pytest.mark.parametrize(
    ("value", "error", "bounds", "said"),
    [
        (0.05, 0.01, (0.03, 0.07), "ok"),
        (0.08, 0.01, (0.03, 0.07), "few"),
        (0.10, 0.01, (0.03, 0.07), "NOT"),
        (float("nan"), 0.01, (0.94, 1.0), "NOT"),
    ],
)
def test_verdict(study, value, error, bounds, said):
    assert study.verdict(value, error, bounds) == said


def test_coverage_is_of_true_shares_where_shares_are_estimated(study):
    rows = [{"count": "estimate", "intervals": [[0.3, 0.2, 0.4], [0.7, 0.6, 0.75]]}] * 2
    assert study.coverage(rows, [0.25, 0.80]).tolist() == [[1, 0]] * 2
    assert study.coverage([row | {"count": "status"} for row in rows], [0, 0]).tolist() == [[1, 1]] * 2


@pytest.mark.parametrize("name", ["few_games", "persona_seat", "coins"])
def test_a_design_is_measured_twice_alike(study, name):
    lines, again = (
        list(study.table([name], ["status"] if name != "coins" else ["default"], 2, 3)) for _ in "ab"
    )
    assert [line["figure"] for line in lines][: len(study.DESIGNS[name].figures)] == [
        *study.DESIGNS[name].figures
    ]
    assert [line["value"] for line in lines] == [line["value"] for line in again]
    assert all(study.line_of(line).startswith(name) for line in lines)
