"""Scores of gamma-bench from 0 to 100, of a run and of its seats; the formulas are in the games' files.

``code`` is what GAMA-Bench's published tables hold; ``paper`` is equation 1 of its appendix E with the raw
scores of section 3. Where the two differ, and why, is each game's `discrepancy`.

Neither scoring is bounded by definition: bids above the valuation make ``paper`` negative in the auction,
contributions above the endowment both in public goods; ``code`` is above 100 in the guessing game where the
least number is above 0.

References
----------
Huang, Li, Lam, Liang, Wang, Yuan, Jiao, Wang, Tu and Lyu (2024), Competing large language models in
multi-agent gaming environments, arXiv:2403.11807, section 3 and appendix E.
"""

from __future__ import annotations

from typing import get_args

from intent.base.errors import DataError, UnknownNameError
from intent.gamma.catalogue import bench_game
from intent.gamma.plays import Plays, Scoring

__all__ = ["SCORINGS", "check_scoring", "score", "seat_scores", "why_different"]

SCORINGS: tuple[Scoring, ...] = get_args(Scoring)


def check_scoring(scoring: str) -> Scoring:
    """The scoring of this name.

    Raises
    ------
    UnknownNameError
        Another name.
    """
    known = next((one for one in SCORINGS if one == scoring), None)
    if known is None:
        raise UnknownNameError("scoring", scoring, SCORINGS)
    return known


def score(plays: Plays, scoring: Scoring = "code") -> float:
    """The score of a run.

    Parameters
    ----------
    plays : Plays
    scoring : {"code", "paper"}

    Returns
    -------
    float
        In points; see the module for its bounds.

    Raises
    ------
    UnknownNameError
        Another scoring.
    DataError
        Nothing was played that the score could be computed from.
    """
    check_scoring(scoring)
    if not plays.rounds:
        raise DataError(f"{plays.game}: no round was played, and no round makes no score")
    return plays.score(scoring)


def seat_scores(plays: Plays, scoring: Scoring = "code") -> tuple[float | None, ...] | None:
    """The share of every seat, where the score of a run is the mean over its seats.

    That is so in the guessing game (unless the ratio is 1), public goods, the diner's dilemma and the
    auction, where no move is missing. In the bar and when dividing the dollar the score is of the crowd; in
    the sequential games seats move unequally often.

    Returns
    -------
    tuple of float, by seat, or None
        None where seats have no shares. Of the auction as the paper writes it the mean is over bids, and a
        seat without a valuation above 0 has None.
    """
    return plays.seat_scores(scoring) if plays.rounds else None


_SAME = 1e-9


def why_different(plays: Plays) -> str | None:
    """Why the scores of a run differ between the scorings; None where they are the same.

    Raises
    ------
    DataError
        As `score`.
    """
    if abs(score(plays, "code") - score(plays, "paper")) <= _SAME:
        return None
    return bench_game(plays.game).discrepancy
