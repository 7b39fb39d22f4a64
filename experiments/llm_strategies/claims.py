"""The paper's claims as data, and the verdict on each of them for one set of strategies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.base.statistics import Interval
from intent.comparison.differences import LEAST, Trial, Verdict, contrast

from .sets import Outcome, claimed

__all__ = [
    "Claim",
    "Judge",
    "Judged",
    "judge_aggression",
    "judge_claims",
    "judge_dominated",
    "judge_line_up",
    "judge_mutual",
    "judge_outdoes",
    "judge_stable",
]


Judged = tuple[Verdict, str]
Judge = Callable[[Outcome], Judged | None]
"""Set -> verdict and evidence; None where the set cannot tell."""

_OTHERS = ("Cooperative", "Neutral")
_REPETITIONS = 20
"""Repetitions of a line-up that its spread is known from."""


def judge_mutual(one: Outcome) -> Judged | None:
    """All four pairings of cooperative and neutral cooperate in more than nine rounds of ten."""
    cells = {
        f"{row} v {column}": one.validation.pairings[row][column]
        for row in _OTHERS
        for column in _OTHERS
        if row in one.validation.pairings and column in one.validation.pairings
    }
    if len(cells) < len(_OTHERS) ** 2:
        return None
    evidence = "; ".join(f"{k} {_cell(c)}" for k, c in cells.items())
    if min(verdict.n for verdict in one.validation.verdicts) < LEAST:
        return "undecided", evidence
    return _all_above([(c.low - 0.9, c.high - 0.9) for c in cells.values()]), evidence


def judge_aggression(one: Outcome) -> Judged | None:
    """The verdict on the aggressive attitude, as `validate_attitudes` gives it."""
    for verdict in one.validation.verdicts:
        if verdict.attitude == "Aggressive" and len(verdict.parts) == len(_OTHERS):
            words = "; ".join(part.words().replace(" games", "") for part in verdict.parts)
            share = verdict.share
            return verdict.verdict, f"{words}; {share.estimate:.0%} of them contradict it by themselves"
    return None


def judge_dominated(one: Outcome) -> Judged | None:
    """Aggressive earns less than each other attitude against everybody."""
    k = _places(one)
    if k is None:
        return None
    parts = {
        f"{other} less aggressive, against {column}": (k[other], k[column], k["Aggressive"], k[column])
        for other in _OTHERS
        for column in one.names
    }
    return _differences(one, parts)


def judge_stable(one: Outcome) -> Judged | None:
    """Nobody earns as much against aggressive as it does itself."""
    k = _places(one)
    if k is None:
        return None
    a = k["Aggressive"]
    return _differences(one, {f"aggressive less {o}, against aggressive": (a, a, k[o], a) for o in _OTHERS})


def judge_outdoes(one: Outcome) -> Judged | None:
    """Aggressive earns more than each other attitude when they meet."""
    k = _places(one)
    if k is None:
        return None
    a = k["Aggressive"]
    return _differences(one, {f"against {o}, aggressive less {o}": (a, k[o], k[o], a) for o in _OTHERS})


def judge_line_up(one: Outcome) -> Judged | None:
    """Each other attitude's agent scores above the aggressive one's, over repetitions of the line-up."""
    if any(name not in one.scores for name in ("Aggressive", *_OTHERS)):
        return None
    ends, words = [], []
    if len(one.scores["Aggressive"]) < _REPETITIONS:
        return "undecided", f"fewer than {_REPETITIONS} repetitions of the tournament"
    for other in _OTHERS:
        gap = one.scores[other] - one.scores["Aggressive"]
        gap = gap[np.isfinite(gap)]
        if not len(gap):
            return None
        low, high = np.quantile(gap, [0.025, 0.975])
        ends.append((float(low), float(high)))
        words.append(f"{other} less aggressive {np.median(gap):+.2f} [{low:+.2f}, {high:+.2f}]")
    return _all_above(ends), f"{'; '.join(words)} over {len(gap)} repetitions"


def _cell(cell: Interval) -> str:
    """A share with its interval, where there is one."""
    ends = f" [{cell.low:.2f}, {cell.high:.2f}]" if np.isfinite(cell.low) else ""
    return f"{cell.estimate:.2f}{ends}"


def _places(one: Outcome) -> Mapping[str, int] | None:
    """Name -> its place, where all three attitudes are there."""
    places = {name: k for k, name in enumerate(one.names)}
    return places if {"Aggressive", *_OTHERS} <= set(places) else None


def _differences(one: Outcome, parts: Mapping[str, tuple[int, int, int, int]]) -> Judged:
    """Whether all cells lie above what they are compared with; intervals over strategies drawn anew."""
    fewest = min(verdict.n for verdict in one.validation.verdicts)
    ends, words = [], []
    for what, (i, j, p, q) in parts.items():
        gap = float(one.payoffs[i, j] - one.payoffs[p, q])
        if one.draws is None:
            return "undecided", "one strategy of each attitude tells nothing of the others"
        low, high = np.quantile(one.draws[:, i, j] - one.draws[:, p, q], [0.025, 0.975])
        ends.append((float(low), float(high)))
        words.append(f"{what} {gap:+.2f} [{low:+.2f}, {high:+.2f}]")
    verdict = _all_above(ends) if fewest >= LEAST else "undecided"
    return verdict, f"{'; '.join(words)}; {fewest} strategies an attitude"


def _all_above(ends: Sequence[tuple[float, float]]) -> Verdict:
    """Supported where all intervals lie above 0, not supported where one lies below."""
    if any(high < 0 for _, high in ends):
        return "not supported"
    return "supported" if all(low > 0 for low, _ in ends) else "undecided"


_ALL = ("default", "refine", "prose")


@dataclass(frozen=True)
class Claim:
    """What the paper says of sets that were written in some styles, for play with or without noise.

    Attributes
    ----------
    name, claim, criterion : str
    styles : sequence of str
    noisy : whether it is on play with noise
    judge : set -> verdict and evidence; None where the set cannot tell
    """

    name: str
    claim: str
    criterion: str
    styles: Sequence[str]
    noisy: bool
    judge: Judge

    def published(self, model: str, style: str) -> bool:
        """Whether the paper says so of a set."""
        return (model, style) in claimed(self.name)


def judge_claims(outcomes: Sequence[Outcome], seed: int) -> list[dict[str, Any]]:
    """A verdict for every claim and every set that it is about.

    Parameters
    ----------
    outcomes : sequence of Outcome
    seed : int

    Returns
    -------
    list of dict, as the verdicts of `json_objects.JSON_OBJECTS["results"]`
    """
    rows = []
    for claim in CLAIMS:
        for one in outcomes:
            about = one.chain_set
            if about.style not in claim.styles or (about.noise > 0) != claim.noisy:
                continue
            judged = claim.judge(one)
            if judged is not None:
                theirs = about.published and claim.published(about.model, about.style)
                published = "supported" if theirs else None
                rows.append(
                    _row(claim.name, f"{about.name}: {claim.claim}", claim.criterion, *judged, published)
                )
    return [*rows, *_noise(outcomes, np.random.default_rng([seed, 7])), *_improved(outcomes)]


def _row(
    name: str, claim: str, criterion: str, verdict: str, evidence: str, published: str | None
) -> dict[str, Any]:
    return {
        "hypothesis": name,
        "claim": claim,
        "criterion": criterion,
        "verdict": verdict,
        "evidence": evidence,
        "published": published,
        "beside": None,
    }


def _noise(outcomes: Sequence[Outcome], rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Aggressive equilibria with noise and without, by model, within styles and starts."""
    for model, game in dict.fromkeys((o.chain_set.model, o.chain_set.game) for o in outcomes):
        mine = [o for o in outcomes if (o.chain_set.model, o.chain_set.game) == (model, game)]
        loud, quiet = (_ended(o for o in mine if (o.chain_set.noise > 0) == noisy) for noisy in (True, False))
        shared = sorted(set(loud) & set(quiet))
        if not shared:
            continue
        sides = [
            (
                np.concatenate([side[key] for key in shared]),
                np.repeat(np.arange(len(shared)), [len(side[key]) for key in shared]).astype(np.intp),
            )
            for side in (loud, quiet)
        ]
        part = contrast(
            "share of aggressive equilibria, with noise less without",
            sides[0][0],
            sides[1][0],
            (sides[0][1], sides[1][1]),
            1,
            Trial(rng),
        )
        published = mine[0].chain_set.published and (model, "") in claimed("noise")
        verdict = {"met": "supported", "contradicted": "not supported", "open": "undecided"}[part.status]
        yield _row(
            "noise",
            f"{model}: noise makes aggressive equilibria likelier",
            "the interval of the difference lies above 0, and so says a permutation of runs within styles "
            "and starts; styles that are there with and without noise",
            verdict,
            part.words().replace(" games", " runs"),
            "supported" if published else None,
        )


def _improved(outcomes: Sequence[Outcome]) -> Iterator[dict[str, Any]]:
    """The aggressive agent among strategies of people, refined less default, by model."""
    sets = {
        (o.chain_set.model, o.chain_set.game, o.chain_set.style): o for o in outcomes if not o.chain_set.noise
    }
    for (model, game, style), refined in sets.items():
        plain = sets.get((model, game, "default"))
        scores = [one.scores.get("Aggressive") for one in (refined, plain) if one is not None]
        if style != "refine" or len(scores) < 2 or any(s is None or len(s) < _REPETITIONS for s in scores):
            continue
        refined_scores, plain_scores = (np.asarray(s)[np.isfinite(s)] for s in scores if s is not None)
        n = min(len(refined_scores), len(plain_scores))
        gap = refined_scores[:n] - plain_scores[:n]
        low, high = (float(x) for x in np.quantile(gap, [0.025, 0.975]))
        published = refined.chain_set.published and (model, "refine") in claimed("line-up improves")
        yield _row(
            "line-up improves",
            f"{model}: refining improves the aggressive agent among strategies of people",
            "the middle 95 % of the differences of its scores, over pairs of repetitions, lie above 0",
            _all_above([(low, high)]),
            f"refined less default {np.median(gap):+.2f} [{low:+.2f}, {high:+.2f}] over {n} pairs",
            "supported" if published else None,
        )


def _ended(outcomes: Iterator[Outcome]) -> dict[tuple[str, str], NDArray[np.float64]]:
    """Style, start -> for each run 1 where it ended with the aggressive alone, else 0."""
    hits_by_start = {}
    for one in outcomes:
        for ends in one.ends:
            if "Aggressive" in ends.names:
                hits = ends.counts[ends.names.index("Aggressive")]
                hits_by_start[one.chain_set.style, ends.ratio] = np.repeat(
                    [1.0, 0.0], [hits, ends.runs - hits]
                )
    return hits_by_start


_INTERVAL = "each difference of payoffs per round lies above 0 with its interval over strategies drawn anew"

CLAIMS: Sequence[Claim] = (
    Claim(
        "mutual cooperation",
        "neutral and cooperative strategies cooperate with each other in almost all rounds",
        "the intervals of all four pairings lie above .9",
        ("default",),
        False,
        judge_mutual,
    ),
    Claim(
        "attitude",
        "aggressive strategies cooperate less than both others",
        "the intervals over strategies of both differences, and an exchange of attitudes, say so",
        _ALL,
        False,
        judge_aggression,
    ),
    Claim(
        "dominated",
        "the aggressive attitude is dominated by both others",
        _INTERVAL,
        ("refine", "prose"),
        False,
        judge_dominated,
    ),
    Claim(
        "dominated with noise",
        "the aggressive attitude is dominated by both others",
        _INTERVAL,
        _ALL,
        True,
        judge_dominated,
    ),
    Claim(
        "stable",
        "the aggressive attitude is evolutionarily stable",
        _INTERVAL,
        ("default",),
        False,
        judge_stable,
    ),
    Claim(
        "outdoes",
        "the aggressive attitude earns more than whom it meets",
        _INTERVAL,
        _ALL,
        False,
        judge_outdoes,
    ),
    Claim(
        "line-up",
        "the cooperative and the neutral agent do better than the aggressive one among strategies of people",
        "the middle 95 % of the differences of scores, over repetitions of the tournament, lie above 0",
        ("default",),
        False,
        judge_line_up,
    ),
)
"""What sections 4.1 to 4.3 of Willis et al. 2025 say, and how it is judged; of which sets, ``published.csv``
tells. Those on noise and on refining are about pairs of sets."""
