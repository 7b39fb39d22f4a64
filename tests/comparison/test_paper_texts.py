"""Sentences, methods and LaTeX for a paper."""

from __future__ import annotations

import re

import numpy as np
import pytest
from simulated_labels import simulated

from intent.base.wording import works as known
from intent.comparison.compare import compare
from intent.comparison.tables import escaped, latex_table


def quick(table, by=(), **settings):
    counted = {} if {"metric", "count"} & set(settings) else {"count": "status"}
    return compare(
        table, by, **{"bootstrap": 20, "permutations": 39, "cluster": "game_id", **counted, **settings}
    )


def test_a_sentence_has_effect_evidence_and_test(rng):
    (line,) = quick(simulated(120, rng, effect=0.9), "model").paper_sentences()
    assert line.startswith("The shares of labels differ by model (Cramér's V within blocks = 0.")
    assert "240 trajectories in 120 games, effective N = " in line
    assert re.search(r"permutation of games within equal [\w, ]+ and \w+, p = \.025", line)
    assert re.search(r"The widest range is that of ALLC from \d+\.\d % \[.*\] in [BC] to .* in A, ", line)


def test_a_bare_number_is_named(rng):
    table = simulated(60, rng, effect=0.9)
    (line,) = quick(
        table.assign(stake=table["model"].map({"A": "1", "B": "2", "C": "3"})), "stake"
    ).paper_sentences()
    assert re.search(r" in stake [23] to .* in stake 1, ", line)


def test_no_evidence_is_said_so(rng):
    (line,) = quick(simulated(90, rng), "model", permutations=99).paper_sentences()
    assert line.startswith("We found no evidence that the shares of labels differ by model")


def test_several_factors_are_corrected(rng):
    lines = quick(simulated(60, rng), "model,language", metric="cooperation_rate").paper_sentences()
    assert len(lines) == 3
    assert all("Holm-corrected p" in line and "false discovery rate p" in line for line in lines)


def test_a_factor_that_varies_within_games_counts_games_once(rng):
    assert "in 60 games" in quick(simulated(60, rng), "persona").paper_sentences()[0]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"metric": "cooperation_rate"},
        {"within": "none"},
        {"metric": "cooperation_rate", "model": True},
    ],
)
def test_methods_cite_what_the_bibliography_holds(rng, settings):
    result = quick(simulated(60, rng), "model", **settings)
    text, works = result.methods(), result.bibliography()
    cited = [work.bibtex for work in known().values() if work.named in text]
    assert cited
    assert sorted(re.findall(r"@\w+\{\w+", works)) == sorted(entry.partition(",")[0] for entry in cited)


def test_a_work_is_printed_and_exported():
    assert known()["dalbo2011"].printed == (
        "Dal Bó, Pedro & Fréchette, Guillaume R. (2011). The Evolution of Cooperation in Infinitely Repeated "
        "Games: Experimental Evidence. American Economic Review 101:411–429."
    )
    assert "author = {Dal B{\\'o}, Pedro and Fr{\\'e}chette" in known()["dalbo2011"].bibtex
    assert r"publisher = {Chapman \& Hall}" in known()["efron1993"].bibtex
    assert all(work.bibtex.isascii() for work in known().values())


def test_methods_say_how_intervals_of_shares_are_made(rng):
    text = quick(simulated(60, rng), "model").methods()
    assert (
        "the design effect of games, and Student's t (Wilson, 1927; Kish, 1965; Franco et al., 2019)" in text
    )
    assert "of exactly 0 or 1 are exact for as many observations as there are games (Clopper" in text


def test_a_difference_of_means_keeps_its_figures(rng):
    table = simulated(60, rng).assign(score=lambda t: t["model"].map({"A": 0.452, "B": 0.552, "C": 0.5}))
    table["score"] += 1e-5 * np.resize([1, -1], len(table))  # equal values would have the ends of unseen ones
    (line,) = quick(table, "model", metric="score").paper_sentences()
    assert "from 0.452 " in line
    assert "a difference of 0.100 [0.100, 0.100]" in line


def test_methods_name_the_blocks(rng):
    assert "(model at equal seat, language" in quick(simulated(60, rng), "model").methods()


def test_hostile_text_stays_text():
    assert escaped("a_b & {50 %}\\input{x}") == r"a\_b \& \{50 \%\}\textbackslash{}input\{x\}"
    assert escaped("x\u202ey\x07z\ud800") == "x y z "


def test_a_table_has_rules_and_alignment():
    text = latex_table(["model", "n"], [["A_1", 3], ["B", 4]], caption="5 %", label="tab:a b")
    assert r"\begin{tabular}{lr}" in text
    assert text.index(r"\toprule") < text.index(r"A\_1 & 3 \\") < text.index(r"\bottomrule")
    assert r"\caption{5 \%}" in text
    assert r"\label{tab:a-b}" in text
    assert r"\resizebox{\ifdim\width>\linewidth" in text
    assert text.count("{") == text.count("}")


def test_latex_of_a_result_is_written(rng, tmp_path):
    path = quick(simulated(60, rng), "model", pairwise=True).write(tmp_path / "t.tex")
    assert path.read_text(encoding="utf-8").count(r"\end{table}") == 2


def test_the_widest_difference_has_an_interval(rng):
    table = simulated(120, rng, effect=0.9)
    (line,) = quick(table, "model", bootstrap=199).paper_sentences()
    span, low, high = map(
        float, re.search(r"([\d.]+) percentage points apart \[([-\d.]+), ([\d.]+)\]", line).groups()
    )
    assert low < span < high
    (line,) = quick(table, "model", metric="cooperation_rate").paper_sentences()
    assert re.search(r"It ranges from .* to .*, a difference of [\d.]+ \[", line)


def test_a_difference_that_other_factors_make_is_said_to_be_so(rng):
    table = simulated(200, rng)
    table["tool"] = np.where(rng.random(400) < np.where(table["persona"] == "selfish", 0.9, 0.1), "on", "off")
    table["rate"] = np.where(table["persona"] == "selfish", 1.0, 0.0) - 0.3 * (table["tool"] == "on")
    (line,) = quick(table, "tool", metric="rate", within="persona").paper_sentences()
    assert re.search(
        r"a difference of 0\.\d+ \[.*\]; within blocks 0\.300 the other way round: what else", line
    )
    (line,) = quick(simulated(120, rng, effect=0.9), "model").paper_sentences()
    assert re.search(r"\]; within blocks \d+\.\d\.$", line)


def test_methods_say_how_intervals_were_made(rng):
    table = simulated(60, rng).assign(payoff=lambda t: 7 * t["cooperation_rate"])
    assert (
        "means, which lie between 0 and 1, are Wilson's"
        in quick(table, "model", metric="cooperation_rate").methods()
    )
    assert "of means resample whole games (20 bootstrap" in quick(table, "model", metric="payoff").methods()
    seats = quick(table.drop(columns="persona"), "seat").methods()
    assert "flips of the signs of differences (Pesarin & Salmaso, 2010)" in seats
    assert "put together from both intervals (Newcombe, 1998)" in seats
    assert "generalised score tests (Boos, 1992)" in quick(table, "model", model=True).methods()
