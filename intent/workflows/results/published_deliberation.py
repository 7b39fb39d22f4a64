"""Numbers that the study of private deliberation prints, and the games they belong to."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["INFERRED", "ITERATIONS", "PUBLISHED", "TABLE_2", "PublishedUtility", "panel_of"]


@dataclass(frozen=True)
class PublishedUtility:
    """Mean ± standard deviation of payoffs over 10 games of 15 iterations.

    Parameters
    ----------
    panel : str
        Figure and panel.
    game : str, as in the catalogue
    agents : str, as in `intent.analysis.seatings`
    agent : str
    model : str
        Published model.
    mean, sd : float
    note : str
    """

    panel: str
    game: str
    agents: str
    agent: str
    model: str
    mean: float
    sd: float
    note: str = ""


_PD, _SH, _HT = "prisoner-dilemma-deliberation", "stag-hunt-deliberation", "head-tail"
_CHICKEN, _BOS = "chicken", "battle-sexes-2-1"
_BOTH, _TFT = "private v public", "TFT v private"
_GPT4, _GPT35 = "GPT-4-0613", "GPT-3.5-turbo-0125"
_INFEASIBLE = "infeasible: with payoffs 10, 1, 8, 5 a difference of 4.92 leaves a mean of at most 8.59"

ITERATIONS = 15
"""Of the games that are printed."""

INFERRED = {
    _CHICKEN: "payoffs 7, 6, 2, 0 inferred from the published means and deviations",
    _HT: "payoffs 1 and 0 inferred from the published means; table 1 of the study describes matching pennies",
    _BOS: "payoffs 2, 1 and 0 inferred from the published means and deviations",
}
"""Game -> what the study does not print."""

PUBLISHED = (
    PublishedUtility("7a", _PD, _BOTH, "private", _GPT35, 1.45, 1.55),
    PublishedUtility("7a", _PD, _BOTH, "public", _GPT35, 2.45, 1.87),
    PublishedUtility("7b", _PD, _BOTH, "private", _GPT4, 1.43, 1.51),
    PublishedUtility("7b", _PD, _BOTH, "public", _GPT4, 3.76, 1.35),
    PublishedUtility("7c", _PD, _TFT, "private", _GPT4, 2.71, 1.57, "the study does not name the model"),
    PublishedUtility("7c", _PD, _TFT, "TFT", _GPT4, 2.46, 1.59),
    PublishedUtility("8a", _SH, _BOTH, "private", _GPT4, 9.32, 1.33, _INFEASIBLE),
    PublishedUtility("8a", _SH, _BOTH, "public", _GPT4, 4.40, 4.04, _INFEASIBLE),
    PublishedUtility("8b", _HT, _BOTH, "private", _GPT4, 0.98, 0.11),
    PublishedUtility("8b", _HT, _BOTH, "public", _GPT4, 0.98, 0.11),
    PublishedUtility("8c", _CHICKEN, _BOTH, "private", _GPT4, 5.16, 2.85),
    PublishedUtility("8c", _CHICKEN, _BOTH, "public", _GPT4, 2.38, 2.02),
    PublishedUtility("8d", _BOS, _BOTH, "private", _GPT4, 0.35, 0.69),
    PublishedUtility("8d", _BOS, _BOTH, "public", _GPT4, 0.32, 0.65),
)
"""References: Poje et al. 2024, Entropy 26:524, figures 7 and 8."""

TABLE_2 = {_PD: "nash", _SH: "pareto", _CHICKEN: "correlated", _HT: "focal", _BOS: "pareto"}
"""Game -> the kind of equilibrium that table 2 of the study matches it with."""


def panel_of(game: str, agents: str, iterations: int = ITERATIONS) -> str:
    """The published panels of such games, such as ``figure 7a, 7b``; empty where there are none."""
    if iterations != ITERATIONS:
        return ""
    found = dict.fromkeys(row.panel for row in PUBLISHED if (row.game, row.agents) == (game, agents))
    return f"figure {', '.join(found)}" if found else ""
