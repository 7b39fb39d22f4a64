"""The formulas of the eight scores: free functions on figures of rounds.

``code`` is what GAMA-Bench's published tables hold; ``paper`` is equation 1 of its appendix E with the raw
scores of section 3. Where the two differ, and why, is in `discrepancies`.

Scores of gamma-bench from 0 to 100, of a run and of its seats.

Neither scoring is bounded by definition: bids above the valuation make ``paper`` negative in the auction,
contributions above the endowment both in public goods; ``code`` is above 100 in the guessing game where the
least number is above 0.

Where the two scorings differ, game by game: what the published code computes and what the paper writes.

References
----------
Huang, Li, Lam, Liang, Wang, Yuan, Jiao, Wang, Tu and Lyu (2024), Competing large language models in
multi-agent gaming environments, arXiv:2403.11807, section 3 and appendix E.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from intent.base.errors import DataError, UnknownNameError
from intent.gamma.plays import (
    AuctionPlays,
    BarPlays,
    BattlePlays,
    DinerPlays,
    DollarPlays,
    GoodsPlays,
    GuessingPlays,
    PiratePlays,
    Plays,
    Shot,
    Vote,
)

__all__ = [
    "DISCREPANCIES",
    "SCORINGS",
    "Scoring",
    "auction_score",
    "bar_score",
    "battle_score",
    "bid_margins",
    "check_scoring",
    "diner_score",
    "dollar_score",
    "goods_score",
    "guessing_score",
    "pirate_score",
    "score",
    "seat_scores",
    "why_different",
]


Scoring = Literal["code", "paper"]

SCORINGS: tuple[Scoring, ...] = ("code", "paper")


def guessing_score(
    means: Sequence[float], low: float, high: float, ratio: float, scoring: Scoring = "code"
) -> float:
    """Distance of the average choice from the equilibrium: the least number, of a ratio above 1 the largest.

    With S the mean over rounds of the average less `low`, and D = high - low::

        ratio < 1   code (high - S) / D, paper (D - S) / D
        ratio = 1   1 - abs(2 S - D) / D
        ratio > 1   S / D

    Parameters
    ----------
    means : by round, average of the numbers chosen
    low, high : least and largest number
    ratio : float
    """
    distance, span = _mean([mean - low for mean in means]), high - low
    if ratio > 1:
        return 100 * distance / span
    if ratio == 1:
        return 100 * (1 - abs(2 * distance - span) / span)
    return 100 * ((high if scoring == "code" else span) - distance) / span


def bar_score(goers: Sequence[int], n_players: int, ratio: float) -> float:
    """How near the share that goes is to R, what the bar holds.

    (q - S) / q with q = max(R, 1 - R) and S the mean over rounds of abs(share - R).

    Parameters
    ----------
    goers : by round, players who went
    n_players : int
    ratio : float in [0, 1], R
    """
    farthest = max(ratio, 1 - ratio)
    return 100 * (farthest - _mean([abs(n / n_players - ratio) for n in goers])) / farthest


def dollar_score(totals: Sequence[float], n_players: int, gold: float) -> float:
    """How near the average bid is to an equal share: max((G' - S) / G', 0) with G' = G / N.

    S is the mean over rounds of abs(sum / N - G'). The paper has sums and G, which comes to the same but for
    the last bit, by which published figures were rounded.

    Parameters
    ----------
    totals : by round, sum of the bids
    n_players : int, N
    gold : float, G
    """
    share = gold / n_players
    distance = _mean([abs(total / n_players - share) for total in totals])
    return max((share - distance) / share * 100, 0.0)


def goods_score(
    totals: Sequence[float], n_players: int, tokens: float, factor: float, scoring: Scoring = "code"
) -> float:
    """Share of the tokens that is kept: (T - S) / T with S the mean contribution.

    The paper has S / T where the factor is above N.

    Parameters
    ----------
    totals : by round, tokens in the pot
    n_players : int, N
    tokens : float, T
    factor : float
    """
    contribution = _mean([total / n_players for total in totals])
    if scoring == "paper" and factor / n_players > 1:
        return 100 * contribution / tokens
    return 100 * (tokens - contribution) / tokens


def diner_score(cheap: Sequence[int], diners: Sequence[int]) -> float:
    """Share of costly dishes: mean over rounds of 1 - cheap / diners.

    Parameters
    ----------
    cheap : by round, players who ordered the cheap dish
    diners : by round, players who ordered
    """
    return 100 * _mean([1 - some / all_ for some, all_ in zip(cheap, diners, strict=True)])


def auction_score(
    valuations: Sequence[Sequence[float]], bids: Sequence[Sequence[float | None]], scoring: Scoring = "code"
) -> float:
    """How far bids are shaded: mean of (v - b) / v over all bids made, in auctions of either price.

    The code takes a bid above the valuation, and any bid on a valuation of 0, for 0; the paper's quotient is
    negative in the first case and not defined in the second, which is left out.

    Parameters
    ----------
    valuations, bids : rounds by seats

    Raises
    ------
    DataError
        Not one bid counts.
    """
    margins = bid_margins(valuations, bids, scoring)
    if not margins:
        raise DataError("auction: no bid that counts, and no bid makes no score")
    return 100 * _mean(margins)


def battle_score(shots: Sequence[Shot], n_players: int, scoring: Scoring = "code") -> float:
    """Share of the shots, misses on purpose included, that aim at the best of the others.

    The best has the highest hit rate of those alive, the shooter left out (any of several that tie). The
    paper divides by N k, players times rounds, which its own numbers do not.

    Parameters
    ----------
    shots : sequence of Shot
    n_players : int, N
    """
    share = 100 * _mean([float(_aims_at_best(shot)) for shot in shots])
    return share if scoring == "code" else share / n_players


def pirate_score(held: Sequence[Vote], gold: float, scoring: Scoring = "code") -> float:
    """Half for proposals, half for votes: 50 (2 G - S_P) / (2 G) + 50 S_V.

    S_P is the mean L1 distance of the proposal from the equilibrium's: one coin each to the second, fourth,
    ... after the proposer, who keeps the rest. The code takes G = 100 whatever the gold is, and shares per
    100 gold, so that equilibrium play of other gold is at a distance; in the paper G is the gold. S_V is the
    share of right votes: accept two or more, reject none, accept one at an even distance from the proposer
    and reject it at an odd one (Stewart 1999). The code counts no vote on one coin at an odd distance as
    right.

    A missing proposal is at the largest distance, 2 G, and votes on it do not count; a missing vote is wrong.

    Parameters
    ----------
    held : sequence of Vote
    gold : float
    """
    whole = 100.0 if scoring == "code" else gold
    distance = _mean([_distance(vote, gold, whole) for vote in held])
    votes = [
        right
        for vote in held
        if vote.shares is not None
        for right in (
            _right(share, offset, cast, scoring)
            for offset, (share, cast) in enumerate(zip(vote.shares[1:], vote.votes, strict=True), start=1)
        )
    ]
    return 50 * (2 * whole - distance) / (2 * whole) + (
        50 * _mean([float(right) for right in votes]) if votes else 0.0
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def bid_margins(
    valuations: Sequence[Sequence[float]], bids: Sequence[Sequence[float | None]], scoring: Scoring
) -> list[float]:
    """(v - b) / v of every bid that counts, as `auction_score` has it.

    Parameters
    ----------
    valuations, bids : rounds by seats; a bid that is None was not made
    """
    margins: list[float] = []
    for worth, made in zip(valuations, bids, strict=True):
        for v, b in zip(worth, made, strict=True):
            if b is not None and scoring == "code":
                margins.append(max((v - b) / v, 0.0) if v else 0.0)
            elif b is not None and v:
                margins.append((v - b) / v)
    return margins


def _aims_at_best(shot: Shot) -> bool:
    others = {seat: rate for seat, rate in shot.rates if seat != shot.shooter}
    return shot.target in others and others[shot.target] == max(others.values())


def _distance(vote: Vote, gold: float, whole: float) -> float:
    """L1 distance of a proposal, as shares of `whole`, from the equilibrium's of that much gold."""
    if vote.shares is None:
        return 2 * whole
    n = len(vote.shares)
    optimal = [whole - (n - 1) // 2, *(1 - offset % 2 for offset in range(1, n))]
    return sum(abs(whole * share / gold - best) for share, best in zip(vote.shares, optimal, strict=True))


def _right(share: float, offset: int, cast: str | None, scoring: Scoring) -> bool:
    if share >= 2 or (share == 1 and offset % 2 == 0):
        return cast == "accept"
    return cast == "reject" and (share == 0 or scoring == "paper")


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


DISCREPANCIES: Mapping[str, str] = MappingProxyType(
    {
        "guessing": "below a ratio of 1 the code has max - S where the paper has (max - min) - S: different "
        "where the least number is not 0",
        "bar": "none",
        "divide_dollar": "none: the code has bids per player, the paper their sum, which comes to the same",
        "public_goods": "the paper rewards contributing where the factor is above the number of players, the "
        "code never",
        "diner": "none",
        "auction": "the code takes bids above the valuation, and any bid on a valuation of 0, for 0; the "
        "paper's quotient is negative there, or not defined and here left out",
        "battle_royale": "the paper divides by players times rounds, the code by rounds",
        "pirate": "one coin at an odd distance from the proposer: the code counts no vote as right, the "
        "paper that against the proposal; gold other than 100: the code compares shares per 100 gold with "
        "the equilibrium of 100, the paper with that of the gold",
    }
)
"""Game -> what differs between ``code`` and ``paper``."""

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
    return DISCREPANCIES[plays.game]
