"""The mixture of strategies for recorded choices, by rules in words: an oracle without automata or arrays."""

from __future__ import annotations

import csv
import gzip
import math
from collections import defaultdict
from pathlib import Path

from tests.rules_in_words import RULES

Subject = list[tuple[str, str]]
"""Own and other's moves of each game."""


def recorded_choices(path: Path, games: range, rounds: int) -> list[Subject]:
    """The choices of each subject in some supergames of Romero & Rosokha (2018), up to a round."""
    play: dict[str, dict[int, list[tuple[int, str, str]]]] = defaultdict(lambda: defaultdict(list))
    with gzip.open(path, "rt", encoding="utf8") as file:
        for row in csv.DictReader(file):
            game, period = int(row["supergame"]), int(row["period"])
            if game in games and period <= rounds:
                play[row["subject"]][game].append((period, row["action"], row["opponentAction"]))
    return [
        [("".join(r[1] for r in sorted(game)), "".join(r[2] for r in sorted(game))) for game in mine.values()]
        for mine in play.values()
    ]


def intended_moves(name: str, other: str) -> str:
    """What a deterministic rule that remembers its own intentions means to play against given moves."""
    own = ""
    for t in range(len(other)):
        own += "C" if RULES[name](own, other[:t]) else "D"
    return own


def agreements(subjects: list[Subject], names: list[str]) -> list[list[tuple[int, int]]]:
    """Per subject and strategy, choices that are as intended, and choices that are not."""
    known: dict[tuple[str, str], str] = {}
    table = []
    for games in subjects:
        row = []
        for name in names:
            same = total = 0
            for own, other in games:
                if (name, other) not in known:
                    known[name, other] = intended_moves(name, other)
                same += sum(a == b for a, b in zip(own, known[name, other], strict=True))
                total += len(own)
            row.append((same, total - same))
        table.append(row)
    return table


def log_likelihood(table: list[list[tuple[int, int]]], shares: list[float], tremble: float) -> float:
    """sum_i log sum_k phi_k (1 - b)^same b^other."""
    good, bad, total = math.log1p(-tremble), math.log(tremble), 0.0
    for row in table:
        terms = [
            math.log(share) + same * good + other * bad
            for share, (same, other) in zip(shares, row, strict=True)
            if share > 0
        ]
        top = max(terms)
        total += top + math.log(sum(math.exp(t - top) for t in terms))
    return total


def maximum(table: list[list[tuple[int, int]]]) -> float:
    """The highest log-likelihood that plain EM finds from several trembles."""
    best = -math.inf
    for tremble in (0.05, 0.1, 0.2):
        shares, before = [1 / len(table[0])] * len(table[0]), -math.inf
        while (now := log_likelihood(table, shares, tremble)) > before + 1e-11:
            before, missed, made = now, 0.0, 0.0
            sums = [0.0] * len(shares)
            good, bad = math.log1p(-tremble), math.log(tremble)
            for row in table:
                terms = [
                    (math.log(share) if share > 0 else -math.inf) + same * good + other * bad
                    for share, (same, other) in zip(shares, row, strict=True)
                ]
                top = max(terms)
                weights = [math.exp(t - top) for t in terms]
                total = sum(weights)
                for k, (same, other) in enumerate(row):
                    sums[k] += weights[k] / total
                    missed += weights[k] / total * other
                    made += weights[k] / total * (same + other)
            shares, tremble = [s / len(table) for s in sums], missed / made
        best = max(best, now)
    return best
