"""The mixture of strategies for recorded choices, by rules in words: an oracle without automata."""

from __future__ import annotations

import csv
import gzip
import math
from collections import defaultdict
from pathlib import Path

import numpy as np

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
    """The highest log-likelihood that plain EM finds from several trembles, in 20,000 steps each."""
    same, other = np.moveaxis(np.array(table, dtype=float), -1, 0)
    best = -math.inf
    for tremble in (0.05, 0.1, 0.2):
        shares, before = np.full(same.shape[1], 1 / same.shape[1]), -math.inf
        while True:
            with np.errstate(divide="ignore"):  # a share may fall to nothing
                terms = np.log(shares) + same * math.log1p(-tremble) + other * math.log(tremble)
            top = terms.max(axis=1, keepdims=True)
            weights = np.exp(terms - top)
            totals = weights.sum(axis=1, keepdims=True)
            now = float((top + np.log(totals)).sum())
            if now <= before + 1e-11:
                break
            best_shares, best_tremble, before = shares, tremble, now
            weights /= totals
            shares = weights.mean(axis=0)
            tremble = float((weights * other).sum() / (weights * (same + other)).sum())
        best = max(best, log_likelihood(table, best_shares.tolist(), best_tremble))
    return best
