"""Scores of gamma-bench from 0 to 100, of a run and of its seats.

Neither scoring is bounded by definition: bids above the valuation make ``paper`` negative in the auction,
contributions above the endowment both in public goods; ``code`` is above 100 in the guessing game where the
least number is above 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from intent.errors import DataError, UnknownNameError
from intent.suites.gamma.formulas import (
    SCORINGS,
    Scoring,
    auction_score,
    bar_score,
    battle_score,
    bid_margins,
    diner_score,
    dollar_score,
    goods_score,
    guessing_score,
    pirate_score,
)
from intent.suites.gamma.plays import (
    AuctionPlays,
    BarPlays,
    DinerPlays,
    DollarPlays,
    GoodsPlays,
    GuessingPlays,
    Plays,
)
from intent.suites.gamma.sequential_plays import BattlePlays, PiratePlays

__all__ = ["SCORINGS", "Scoring", "check_scoring", "score", "seat_scores"]


def check_scoring(scoring: str) -> Scoring:
    """The scoring of this name.

    Raises
    ------
    UnknownNameError
        Another name.
    """
    found = next((known for known in SCORINGS if known == scoring), None)
    if found is None:
        raise UnknownNameError("scoring", scoring, SCORINGS)
    return found


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
    match plays:
        case GuessingPlays():
            return guessing_score(plays.means, plays.low, plays.high, plays.ratio, scoring)
        case BarPlays():
            return bar_score(plays.goers, plays.n_players, plays.ratio)
        case DollarPlays():
            return dollar_score(plays.totals, plays.n_players, plays.gold)
        case GoodsPlays():
            return goods_score(plays.totals, plays.n_players, plays.tokens, plays.factor, scoring)
        case DinerPlays():
            return diner_score(plays.cheap, plays.diners)
        case AuctionPlays():
            return auction_score(plays.valuations, plays.bids, scoring)
        case BattlePlays():
            return battle_score(plays.shots, plays.n_players, scoring)
        case PiratePlays():
            return pirate_score(plays.held, plays.gold, scoring)
    raise UnknownNameError("gamma-bench game", type(plays).__name__, ())


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
    if not plays.rounds:
        return None
    if isinstance(plays, AuctionPlays):
        columns = list(zip(zip(*plays.valuations, strict=True), zip(*plays.bids, strict=True), strict=True))
        if any(bid is None for _, bids in columns for bid in bids):
            return None
        shares = [bid_margins([v], [b], scoring) for v, b in columns]
        return tuple(100 * sum(each) / len(each) if each else None for each in shares)
    if isinstance(plays, GuessingPlays) and plays.by_seat is not None and plays.ratio != 1:
        return _of_numbers(
            plays.by_seat, lambda own: guessing_score(own, plays.low, plays.high, plays.ratio, scoring)
        )
    if isinstance(plays, GoodsPlays) and plays.by_seat is not None:
        n, tokens, factor = plays.n_players, plays.tokens, plays.factor
        return _of_numbers(
            plays.by_seat, lambda own: goods_score([n * x for x in own], n, tokens, factor, scoring)
        )
    if isinstance(plays, DinerPlays) and plays.by_seat is not None:
        dishes = tuple(
            tuple(None if dish is None else float(dish == "cheap") for dish in row) for row in plays.by_seat
        )
        return _of_numbers(dishes, lambda own: 100 * (1 - sum(own) / len(own)))
    return None


def _of_numbers(
    rows: Sequence[Sequence[float | None]], own_score: Callable[[list[float]], float]
) -> tuple[float, ...] | None:
    """What a function makes of every seat's own numbers; None where one is missing."""
    known = [[x for x in column if x is not None] for column in zip(*rows, strict=True)]
    return None if any(len(own) < len(rows) for own in known) else tuple(own_score(own) for own in known)
