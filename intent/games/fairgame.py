"""The documented table of FAIRGAME's games, whose files say neither payoffs nor reward or penalty.

Counted over all rounds of the public results; what is a penalty stands in the English prompts. One
game was scored with two matrices, so that a reader has to look at the scores.

References
----------
Buscemi et al. 2025, FAIRGAME: a Framework for AI Agents Bias Recognition using Game Theory,
arXiv:2504.14325.
"""

from __future__ import annotations

from intent.games.game import PayoffKind
from intent.games.matrix import MatrixGame

__all__ = ["FAIRGAME_ACTIONS", "FAIRGAME_KINDS", "FAIRGAME_TABLES"]

FAIRGAME_ACTIONS = ("OptionA", "OptionB")
"""Labels of the two actions in every language."""

FAIRGAME_KINDS: dict[str, PayoffKind] = {
    "prisoner-dilemma": "penalty",
    "snow-drift": "reward",
    "stag-hunt": "reward",
    "harmony-game": "reward",
    "battle-sexes": "reward",
}
"""Game -> what its prompts say of the numbers."""

_CITATION = "Buscemi et al. 2025, arXiv:2504.14325"

_SYMMETRIC: dict[tuple[str, str], tuple[float, float, float, float]] = {
    ("prisoner-dilemma", "conventional"): (6, 0, 10, 2),
    ("prisoner-dilemma", "harsh"): (8, 0, 10, 5),
    ("prisoner-dilemma", "mild"): (8, 0, 10, 2),
    ("snow-drift", "conventional"): (6, 2, 10, 0),
    ("stag-hunt", "conventional"): (8, 0, 6, 4),
    ("harmony-game", "conventional"): (10, 6, 4, 2),
}
"""Own payoff by (own action, other's action): AA, AB, BA, BB."""

_BATTLES = {"10,7 and 7,10": ((10.0, 7.0), (7.0, 10.0)), "10,10 and 7,7": ((10.0, 10.0), (7.0, 7.0))}
"""Variant -> payoffs of meeting at OptionA and of meeting at OptionB; not to meet pays nothing."""


def _symmetric(game: str, payoff_type: str) -> MatrixGame:
    own = _SYMMETRIC[game, payoff_type]
    return MatrixGame.symmetric(
        game, FAIRGAME_ACTIONS, *own, FAIRGAME_KINDS[game], citation=_CITATION, variant=payoff_type
    )


def _battle(variant: str) -> MatrixGame:
    at_a, at_b = _BATTLES[variant]
    apart = (0.0, 0.0)
    return MatrixGame(
        "battle-sexes",
        FAIRGAME_ACTIONS,
        ((at_a, apart), (apart, at_b)),
        FAIRGAME_KINDS["battle-sexes"],
        citation=_CITATION,
        variant=variant,
    )


FAIRGAME_TABLES: dict[tuple[str, str], tuple[MatrixGame, ...]] = {
    **{key: (_symmetric(*key),) for key in _SYMMETRIC},
    ("battle-sexes", "conventional"): tuple(_battle(variant) for variant in _BATTLES),
}
"""(game, payoff type) -> the matrices it was scored with, the one of the published config first."""
