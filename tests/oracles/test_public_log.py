"""The public FAIRGAME log against a count in plain Python that shares no code with the package."""

from __future__ import annotations

import ast
import csv
import gzip
from collections import Counter

import pytest

from intent import label, read_log

pytestmark = pytest.mark.data


def mismatches(own: list[bool], other: list[bool]) -> list[int]:
    """Moves that ALLC, ALLD, TFT and WSLS would not have made, in that order."""
    tft = [True, *other[:-1]]
    wsls = [True, *(a == b for a, b in zip(own, other, strict=True))][:-1]
    rules = ([True] * len(own), [False] * len(own), tft, wsls)
    return [sum(a != b for a, b in zip(own, rule, strict=True)) for rule in rules]


@pytest.fixture
def log_path(data_dir):
    return data_dir / "fairgame" / "results.csv.gz"


@pytest.fixture
def counted(log_path) -> tuple[Counter[str], list[float]]:
    """Counts of exact fits and ties, and mean posteriors at eps .05, of the Prisoner's Dilemma."""
    counts: Counter[str] = Counter()
    sums = [0.0] * 4
    with gzip.open(log_path, "rt", encoding="utf8") as file:
        for row in csv.DictReader(file, delimiter=";"):
            if row["game"] != "prisoner-dilemma":
                continue
            one, two = (
                [x == "OptionB" for x in ast.literal_eval(row[f"agent{i}_strategies"])] for i in (1, 2)
            )
            for own, other in ((one, two), (two, one)):
                missed = mismatches(own, other)
                fits = missed.count(0)
                counts["n"] += 1
                counts["none" if not fits else "one" if fits == 1 else "several"] += 1
                counts["tied"] += missed.count(min(missed)) > 1
                weights = [0.05**m * 0.95 ** (10 - m) for m in missed]
                sums = [s + w / sum(weights) for s, w in zip(sums, weights, strict=True)]
    return counts, [s / counts["n"] for s in sums]


def test_labels_of_the_prisoners_dilemma(log_path, counted):
    counts, posteriors = counted
    where = {"game": ["prisoner-dilemma"]}
    found = label(log_path, where=where, background=False).attrs["summary"]
    assert found["n"] == counts["n"] == 5400
    assert found["consistent"] == {key: counts[key] for key in ("none", "one", "several")}
    assert found["consistent"] == {"none": 4206, "one": 819, "several": 375}
    assert found["tied"] == counts["tied"] == 1498
    assert list(found["mean_posterior"].values()) == pytest.approx(posteriors, abs=1e-12)
    assert found["coin"]["confident"] == pytest.approx(0.447, abs=0.001)


def test_with_random_few_coins_are_confident_on_the_public_log(log_path):
    found = label(log_path, where={"game": ["prisoner-dilemma"]}).attrs["summary"]
    assert found["consistent"] == {"none": 4206, "one": 819, "several": 375}
    assert found["statuses"] == {"no_fit": 1653, "ambiguous": 896, "low_confidence": 1096, "confident": 1755}
    assert found["coin"]["exact"]
    assert found["coin"]["confident"] == pytest.approx(0.0368, abs=0.0001)


def test_games_without_cooperation_are_skipped(log_path):
    found = label(log_path).attrs["summary"]
    assert (found["n"], found["skipped"]) == (10_800, {"no cooperative action": 900})


def test_cooperation_follows_from_the_payoffs(log_path):
    games = read_log(log_path).games
    pairs = games.groupby("game")["cooperative_action"].agg(lambda column: set(column.dropna()))
    assert pairs.to_dict() == {
        "battle-sexes": set(),
        "harmony-game": {"OptionA"},
        "prisoner-dilemma": {"OptionB"},
        "snow-drift": {"OptionA"},
        "stag-hunt": {"OptionA"},
    }
