"""Comparisons in words."""

from __future__ import annotations

import re

import pytest
from simulated_labels import labels, simulated

from intent.report.tables import comparison_rows, sentences
from intent.workflows.compare import compare


def test_rows_hold_shares_in_per_cent():
    result = compare(labels("CCCDCCCD" * 3, model=["A"] * 24), "model", bootstrap=50, permutations=9)
    header, (row,) = comparison_rows(result.comparison)
    assert header == ["model", "n", "n_eff", "ALLC", "ALLD"]
    assert row[:3] == ["A", 24, "24"]
    assert re.fullmatch(r"75\.0 \(\d+–\d+\)", str(row[3]))


def test_rows_of_a_metric_have_mean_and_deviation(rng):
    result = compare(simulated(30, rng), "model", metric="cooperation_rate", bootstrap=50, permutations=9)
    header, rows = comparison_rows(result.comparison)
    assert header == ["model", "n", "n_eff", "mean cooperation_rate", "sd"]
    assert re.fullmatch(r"0\.\d+ \(0\.\d+ to 0\.\d+\)", str(rows[0][3]))


def test_a_single_row_has_neither_interval_nor_deviation(rng):
    table = simulated(3, rng).iloc[:1]
    _, (row,) = comparison_rows(compare(table, "model", metric="cooperation_rate").comparison)
    assert row[-1] == "–"
    assert "(" not in str(row[-2])


@pytest.mark.parametrize(
    ("effect", "verdict"), [(0.8, "Shares differ by model:"), (0, "No evidence that shares")]
)
def test_the_verdict_is_that_of_the_permutation(rng, effect, verdict):
    result = compare(simulated(150, rng, effect=effect), "model", bootstrap=10, permutations=199)
    (line,) = sentences(result.comparison)
    assert line.startswith(verdict)
    assert re.search(r"permutation of games p [=<] \S+ \(Holm p", line)
    assert re.search(
        r"chi-square\(12\) = \S+, p .* rows taken as independent\); Cramér's V = 0\.\d+ \(\w+\)$", line
    )
    assert "chi-square" not in sentences(result.comparison, brief=True)[0]


def test_pairs_are_named_but_not_in_captions(rng):
    result = compare(simulated(60, rng), "model", pairwise=True, bootstrap=10, permutations=9)
    assert len(sentences(result.comparison)) == 4
    assert ", model: A vs B: permutation" in sentences(result.comparison)[1]
    assert len(sentences(result.comparison, brief=True)) == 1
