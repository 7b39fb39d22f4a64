"""The first-price auction on its grid, exactly: what bids pay against others who bid by a rule."""

from __future__ import annotations

from collections.abc import Mapping
from math import comb

from intent.games.gamma.auction import Auction

__all__ = ["deviation_gain", "interim_payoffs", "shading"]


def shading(game: Auction) -> dict[int, int]:
    """Valuation -> v·(N-1)/N rounded down, for all valuations of the game."""
    values = range(0, game.top + game.step, game.step)
    return {v: v * (game.n_players - 1) // game.n_players for v in values}


def interim_payoffs(valuation: int, rule: Mapping[int, int], n_players: int) -> tuple[float, ...]:
    """Expected gain of each bid with the first price, the own valuation being known.

    The valuations of the N-1 others are drawn without replacement from those of `rule` but the own; all bid
    as `rule` says. With m of these bids below x and t equal to it, a bid of x wins with probability sum over
    k of C(t, k)·C(m, N-1-k) / (C(K-1, N-1)·(k+1)), K the number of valuations.

    Parameters
    ----------
    valuation : int
        One of the keys of `rule`.
    rule : mapping of valuation -> bid
        Of all others.
    n_players : int, N

    Returns
    -------
    tuple of float, of the bids 0 to `valuation`

    References
    ----------
    Harsanyi 1967, Management Science 14:159 (interim expected payoffs of a Bayesian game).
    """
    rivals = [bid for worth, bid in rule.items() if worth != valuation]
    all_draws, payoffs = comb(len(rivals), n_players - 1), []
    for bid in range(valuation + 1):
        below, equal = sum(b < bid for b in rivals), sum(b == bid for b in rivals)
        won = sum(
            comb(equal, k) * comb(below, n_players - 1 - k) / (k + 1)
            for k in range(min(equal, n_players - 1) + 1)
        )
        payoffs.append((valuation - bid) * won / all_draws)
    return tuple(payoffs)


def deviation_gain(rule: Mapping[int, int], n_players: int) -> float:
    """The most that any bidder expects to gain by leaving `rule`; 0 of a symmetric equilibrium."""
    return max(
        max(payoffs) - payoffs[rule[worth]]
        for worth in rule
        for payoffs in [interim_payoffs(worth, rule, n_players)]
    )
