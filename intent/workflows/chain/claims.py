"""The paper's claims as data, each with a criterion that sets of strategies can fail."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.analysis.verdicts import Trial, contrast
from intent.workflows.chain import judges
from intent.workflows.chain.outcome import Outcome

__all__ = ["CLAIMS", "Claim", "judge_claims"]

_ALL = ("default", "refine", "prose")
_MODELS = ("openai", "anthropic")


@dataclass(frozen=True)
class Claim:
    """What the paper says of sets that were written in some styles, for play with or without noise.

    Attributes
    ----------
    name, claim, criterion : str
    styles : sequence of str
    noisy : whether it is on play with noise
    published : (model, style) for which the paper says so
    judge : set -> verdict and evidence; None where the set cannot tell
    """

    name: str
    claim: str
    criterion: str
    styles: Sequence[str]
    noisy: bool
    published: Collection[tuple[str, str]]
    judge: judges.Judge


def judge_claims(outcomes: Sequence[Outcome], seed: int) -> list[dict[str, Any]]:
    """A verdict for every claim and every set that it is about.

    Parameters
    ----------
    outcomes : sequence of Outcome
    seed : int

    Returns
    -------
    list of dict, as the verdicts of `schema.JSON_OBJECTS["results"]`
    """
    found = []
    for claim in CLAIMS:
        for one in outcomes:
            told = one.chain_set
            if told.style not in claim.styles or (told.noise > 0) != claim.noisy:
                continue
            judged = claim.judge(one)
            if judged is not None:
                said = "supported" if told.published and (told.model, told.style) in claim.published else None
                found.append(_row(claim.name, f"{told.name}: {claim.claim}", claim.criterion, *judged, said))
    return found + list(_noise(outcomes, np.random.default_rng([seed, 7])))


def _row(
    name: str, claim: str, criterion: str, verdict: str, evidence: str, told: str | None
) -> dict[str, Any]:
    return {
        "hypothesis": name,
        "claim": claim,
        "criterion": criterion,
        "verdict": verdict,
        "evidence": evidence,
        "published": told,
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
        published = mine[0].chain_set.published and model in _MODELS
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


def _ended(outcomes: Iterator[Outcome]) -> dict[tuple[str, str], NDArray[np.float64]]:
    """Style, start -> for each run 1 where it ended with the aggressive alone, else 0."""
    found = {}
    for one in outcomes:
        for ends in one.ends:
            if "Aggressive" in ends.names:
                hits = ends.counts[ends.names.index("Aggressive")]
                found[one.chain_set.style, ends.ratio] = np.repeat([1.0, 0.0], [hits, ends.runs - hits])
    return found


def _of(models: Sequence[str], styles: Sequence[str]) -> frozenset[tuple[str, str]]:
    return frozenset((model, style) for model in models for style in styles)


_INTERVAL = "each difference of payoffs per round lies above 0 with its interval over strategies drawn anew"

CLAIMS: Sequence[Claim] = (
    Claim(
        "mutual cooperation",
        "neutral and cooperative strategies cooperate with each other in almost all rounds",
        "the intervals of all four pairings lie above .9",
        ("default",),
        False,
        _of(_MODELS, ("default",)),
        judges.mutual,
    ),
    Claim(
        "attitude",
        "aggressive strategies cooperate less than both others",
        "the intervals over strategies of both differences, and an exchange of attitudes, say so",
        _ALL,
        False,
        _of(_MODELS, ("default",)),
        judges.aggression,
    ),
    Claim(
        "dominated",
        "the aggressive attitude is dominated by both others",
        _INTERVAL,
        ("refine", "prose"),
        False,
        _of(("openai",), ("refine", "prose")),
        judges.dominated,
    ),
    Claim(
        "dominated with noise",
        "the aggressive attitude is dominated by both others",
        _INTERVAL,
        _ALL,
        True,
        _of(_MODELS, _ALL),
        judges.dominated,
    ),
    Claim(
        "stable",
        "the aggressive attitude is evolutionarily stable",
        _INTERVAL,
        ("default",),
        False,
        _of(_MODELS, ("default",)),
        judges.stable,
    ),
    Claim(
        "outdoes",
        "the aggressive attitude earns more than whom it meets",
        _INTERVAL,
        _ALL,
        False,
        _of(("openai",), _ALL),
        judges.outdoes,
    ),
    Claim(
        "line-up",
        "the cooperative and the neutral agent do better than the aggressive one among strategies of people",
        "the middle 95 % of the differences of scores, over repetitions of the tournament, lie above 0",
        ("default",),
        False,
        _of(_MODELS, ("default",)),
        judges.line_up,
    ),
)
"""What sections 4.1 to 4.3 of Willis et al. 2025 say, set by set; that on noise is about pairs of sets."""
