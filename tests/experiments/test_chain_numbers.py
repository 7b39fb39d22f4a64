"""The paper's numbers as data, and the test that sets runs beside them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from experiments.llm_strategies import sets as paper
from experiments.llm_strategies.claims import CLAIMS
from experiments.llm_strategies.tables import same_process_p


def test_twelve_sets_of_which_one_is_lost():
    assert len(paper.SETS) == 12
    assert set(paper.LOST) == {"openai_refine_noise"}
    assert all(stem == told.stem for stem, told in paper.SETS.items())


def test_every_set_has_payoffs_and_both_starts():
    keys = {(told.model, told.style, told.noise) for told in paper.SETS.values()}
    assert set(paper.PAYOFFS) == keys
    assert set(paper.EQUILIBRIA) == {(*key, ratio) for key in keys for ratio in ("1:1:1", "4:1:1")}
    assert set(paper.COOPERATION) < keys


def test_one_row_of_equilibria_sums_to_102_as_printed():
    wrong = {key: sum(row) for key, row in paper.EQUILIBRIA.items() if sum(row) != 100}
    assert wrong == {("openai", "default", 0.0, "4:1:1"): 102}


def test_payoffs_of_a_pairing_are_possible():
    """Of T 5, R 3, P 1, S 0 both sides of a pairing together earn 2 to 6 per round."""
    for matrix in paper.PAYOFFS.values():
        sums = np.array(matrix) + np.array(matrix).T
        assert (sums >= 1.99).all()
        assert (sums <= 6.01).all()


def test_payoffs_and_cooperation_of_a_pairing_go_together():
    """u(a, b) - u(b, a) = (T - S)(y - x) with x, y the cooperation of a and b; table 4 against table 3."""
    for key, cooperation in paper.COOPERATION.items():
        payoffs, x = np.array(paper.PAYOFFS[key]), np.array(cooperation)
        assert payoffs - payoffs.T == pytest.approx(5 * (x.T - x), abs=0.0601)


def test_runs_of_one_process_are_compatible_and_of_another_are_not():
    rng = np.random.default_rng(0)
    assert same_process_p((14, 53, 33), (14, 53, 33), rng) == 1
    assert same_process_p((90, 5, 5), (14, 53, 33), rng) < 0.001
    assert same_process_p((10, 0, 0), (10, 0, 0), rng) == 1


def test_the_test_of_runs_agrees_with_the_asymptotic_one():
    first, second = (20, 45, 35), (31, 39, 30)
    p = same_process_p(first, second, np.random.default_rng(1), samples=40_000)
    assert p == pytest.approx(chi2_contingency([first, second]).pvalue, abs=0.02)


def test_the_test_of_runs_holds_its_level():
    rng = np.random.default_rng(2)
    rows = rng.multinomial(30, (0.2, 0.5, 0.3), size=(200, 2))
    rejected = [same_process_p(a, b, rng, samples=400) <= 0.05 for a, b in rows.tolist()]
    assert np.mean(rejected) <= 0.09


def test_every_printed_cell_is_read():
    """Nine cells a set in tables 4 and 5, nine for each of two sets in table 3, six a set in table 6."""
    numbers = [one for one in paper.printed() if not one.claim]
    counts = Counter(one.table for one in numbers)
    assert [counts[f"Table {k}"] for k in (1, 3, 4, 5, 6)] == [4, 18, 54, 54, 72]
    assert paper.PAYOFFS["openai", "refine", 0.1][0] == (2.18, 2.47, 2.47)
    assert paper.COOPERATION["openai", "default", 0.0][2] == (0.42, 0.99, 0.99)
    assert paper.EQUILIBRIA["anthropic", "prose", 0.1, "4:1:1"] == (61, 26, 13)
    assert len({(one.table, *sorted(one.told.items()), one.column) for one in paper.printed()}) == len(
        paper.printed()
    )


def test_claims_are_those_that_are_judged():
    printed = {one.column for one in paper.printed() if one.claim}
    assert {claim.name for claim in CLAIMS} | {"noise", "line-up improves"} == printed
    assert paper.claimed("dominated") == {("openai", "refine"), ("openai", "prose")}
    assert len(paper.claimed("dominated with noise")) == 6
    assert paper.claimed("noise") == {("openai", ""), ("anthropic", "")}
