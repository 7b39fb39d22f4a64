"""The scores of saved files, straight from the words of the rules, in exact fractions and without help."""

from __future__ import annotations

from fractions import Fraction
from typing import Any


def slow_score(game: str, saved: dict[str, Any], scoring: str) -> Fraction | None:
    """The score of a saved object; None where none is defined."""
    found: Fraction | None = globals()[f"_{game}"](saved["meta"], saved["round_records"], scoring)
    return found


def _guessing(meta, rounds, scoring):
    low, high = Fraction(meta["min"]), Fraction(meta["max"])
    every = [Fraction(x) for r in rounds for x in r["responses"]]
    s = sum(every) / len(every) - low
    if meta["ratio"] > 1:
        return s / (high - low) * 100
    if meta["ratio"] == 1:
        return (1 - abs(2 * s - (high - low)) / (high - low)) * 100
    best = high if scoring == "code" else high - low
    return (best - s) / (high - low) * 100


def _bar(meta, rounds, scoring):
    n, r = meta["player_num"], Fraction(str(meta["ratio"]))
    far = [abs(Fraction(sum(x == "go" for x in one["responses"]), n) - r) for one in rounds]
    q = max(r, 1 - r)
    return (q - sum(far) / len(far)) / q * 100


def _divide_dollar(meta, rounds, scoring):
    share = Fraction(meta["golds"], meta["player_num"])
    off = [abs(Fraction(sum(one["responses"]), meta["player_num"]) - share) for one in rounds]
    return max((share - sum(off) / len(off)) / share * 100, Fraction(0))


def _public_goods(meta, rounds, scoring):
    n, given = meta["player_num"], [x for one in rounds for x in one["responses"]]
    mean = Fraction(sum(given), len(given))
    if scoring == "paper" and Fraction(meta["ratio"]) > n:
        return mean / meta["tokens"] * 100
    return (meta["tokens"] - mean) / meta["tokens"] * 100


def _diner(meta, rounds, scoring):
    dishes = [x for one in rounds for x in one["responses"]]
    return Fraction(sum(x != "cheap" for x in dishes), len(dishes)) * 100


def _auction(meta, rounds, scoring):
    shaded = []
    for one in rounds:
        for v, b in zip(one["valuations"], one["responses"], strict=True):
            if v == 0 and scoring == "code":
                shaded.append(max(Fraction(v - b, 1), Fraction(0)))
            elif v > 0:
                d = Fraction(v - b, v)
                shaded.append(Fraction(0) if scoring == "code" and d < 0 else d)
    return sum(shaded) / len(shaded) * 100 if shaded else None


def _battle_royale(meta, rounds, scoring):
    hits = 0
    for one in rounds:
        ranked = sorted(one["initial_players"], key=lambda pair: pair[1])
        names = [name for name, _ in ranked]
        shooter = f"player_{one['player_shooting']}"
        top = names[-2] if names[-1] == shooter else names[-1]
        hits += top == f"player_{one['shot_player']}"
    every = len(rounds) * (meta["player_num"] if scoring == "paper" else 1)
    return Fraction(hits, every) * 100


def _pirate(meta, rounds, scoring):
    gold, k, n = meta["gold"], len(rounds), meta["player_num"]
    off, right = Fraction(0), 0
    whole = 100 if scoring == "code" else gold
    for one in rounds:
        golds, votes = one["gold_distribution"], one["responses"]
        best = [0] * len(golds)
        for i in range(2, len(golds), 2):
            best[i] = 1
        best[0] = whole - sum(best)
        off += sum(abs(Fraction(whole * g, gold) - b) for g, b in zip(golds, best, strict=True))
        for i in range(1, len(golds)):
            g, vote = golds[i], votes[i]
            if g >= 2:
                right += vote == "accept"
            elif g == 0:
                right += vote == "reject"
            elif i % 2 == 0:
                right += vote == "accept"
            elif scoring == "paper":
                right += vote == "reject"
    share = Fraction(2 * right, k * (2 * n - k - 1))
    return (2 * whole - off / k) / (2 * whole) * 50 + share * 50
