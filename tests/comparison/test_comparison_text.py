"""Comparisons in words."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest
from simulated_labels import labels, simulated

from intent.base.statistics import Interval
from intent.comparison.compare import compare as compare_by_design
from intent.comparison.groups import comparison_rows, pair_rows, percent, sentences
from intent.comparison.sentences import headline
from intent.comparison.shares import Furthest


def compare(table, by, **settings):
    """Labels counted, games as units."""
    counted = {} if "metric" in settings else {"count": "status"}
    return compare_by_design(table, by, **{"cluster": "game_id", **counted, **settings})


def test_rows_hold_shares_in_per_cent():
    result = compare(labels("CCCDCCCD" * 3, model=["A"] * 24), "model", bootstrap=50, permutations=9)
    header, (row,) = comparison_rows(result.comparison)
    assert header == ["model", "n", "n_eff", "ALLC", "ALLD"]
    assert row[:3] == ["A", 24, 24]
    assert re.fullmatch(r"75\.0 \(\d+–\d+\)", str(row[3]))


@pytest.mark.parametrize(
    ("ends", "text"),
    [((0.2, 0.28, 0.34), "20.0 (28–34)"), ((0.001, 0, 0.004), "0.1 (0.0–0.4)"), ((0, 0, 0.03), "0.0 (0–3)"),
     ((1, math.nan, math.nan), "100.0"), ((0, 0, 1), "0.0 (at its bound)"),
     ((1, 1, 1), "100.0 (at its bound)")],
)  # fmt: skip
def test_an_interval_never_shrinks_to_a_number(ends, text):
    assert percent(Interval(*ends)) == text


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
    ("effect", "verdict", "size"),
    [(0.8, "Shares differ by model:", r" \(\w+\)"), (0, "No evidence that shares", "")],
)
def test_the_verdict_is_that_of_the_permutation(rng, effect, verdict, size):
    result = compare(simulated(150, rng, effect=effect), "model", bootstrap=10, permutations=199)
    (line,) = sentences(result.comparison)
    assert line.startswith(verdict)
    assert re.search(r"permutation of games p [=<] \S+ \(Holm p", line)
    assert re.search(
        rf"chi-square\(12\) = \S+, p .* rows taken as independent\); Cramér's V = 0\.\d+{size}$", line
    )
    assert "chi-square" not in sentences(result.comparison, brief=True)[0]


def test_pairs_have_a_table_and_no_sentences(rng):
    result = compare(simulated(60, rng), "model", pairwise=True, bootstrap=10, permutations=9)
    assert len(sentences(result.comparison)) == 1
    header, rows = pair_rows(result.comparison)
    assert header == ["pair", "test", "chi-square", "p", "p Holm", "Cramér's V"]
    assert [row[:2] for row in rows] == [
        [f"{pair}", "permutation"] for pair in ("A vs B", "A vs C", "B vs C")
    ]
    found = next(
        t for t in result.comparison.tests if t.factor == "model: A vs B" and t.test == "permutation"
    )
    assert rows[0][2] == f"{found.statistic:.4g}"


def test_pairs_without_permutations_show_the_other_test(rng):
    table = simulated(60, rng)
    settings = {"pairwise": True, "bootstrap": 10, "permutations": 0}
    assert pair_rows(compare(table, "model", **settings).comparison)[1][0][1] == "chi-square"
    header, rows = pair_rows(compare(table, "model", metric="cooperation_rate", **settings).comparison)
    assert (header[2], header[5], rows[0][1]) == ("F", "eta squared", "anova")


def test_a_large_effect_of_few_games_gets_no_word():
    sizes = {}
    for n_games in (9, 40):
        table = labels("CCDD" * n_games, model=["A", "A", "B", "B"] * n_games)
        result = compare(table, "model", bootstrap=10, permutations=99)
        sizes[n_games] = sentences(result.comparison)[0].rpartition("= ")[2]
    assert sizes == {9: "1.000 (too few to judge the size)", 40: "1.000 (large)"}


@pytest.mark.parametrize(
    ("column", "claim"), [("session", "in these sessions"), ("wording", "in these conditions")]
)
@pytest.mark.parametrize("metric", [None, "cooperation_rate"])
def test_a_sentence_says_where_it_holds_if_units_are_too_few_for_more(rng, column, claim, metric):
    table = simulated(160, rng).drop(columns="language", errors="ignore")
    table[column] = [f"{model}{i // 4 % 2}" for i, model in enumerate(table["model"])]
    if column == "session":
        table["player"] = [f"{name}{i // 2 % 7}" for i, name in enumerate(table["session"])]
    how = {"metric": metric} if metric else {"count": "status"}
    (entry,) = compare_by_design(table, "model", permutations=99, bootstrap=50, **how).headline()
    assert entry.question == claim
    assert f"by model {claim} (" in entry.sentence


@pytest.mark.parametrize(("p", "low", "told"), [(0.2, 0.01, True), (0.2, -0.01, False), (0.01, 0.01, False)])
def test_an_interval_without_zero_beside_a_test_that_shows_nothing_is_said(p, low, told):
    """As happens with equal groups in games of one or two rounds."""
    comparison = compare(
        labels("CCDD" * 40, model=["A", "A", "B", "B"] * 40), "model", permutations=99
    ).comparison
    test = replace(comparison.tests[0], p=p, p_adjusted=p, p_fdr=p)
    one = replace(comparison, tests=(test,))
    furthest = Furthest(("ALLC",), (("B",), 0.1), (("A",), 0.4), low, 0.5, 1)
    (entry,) = headline(one, furthest=furthest)
    assert ("30.0 percentage points apart" in entry.sentence) is True
    assert ("the test, which is of all of them together, shows no difference." in entry.sentence) is told
