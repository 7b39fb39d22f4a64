"""The eight games in words: rules, equilibrium and source, for those who look them up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

__all__ = ["ABOUT", "About"]


@dataclass(frozen=True)
class About:
    """A game in a few sentences.

    Parameters
    ----------
    title : str
    rules : str
    equilibrium : str
        What equilibrium play does, in the order of the cases.
    source : str
    """

    title: str
    rules: str
    equilibrium: str
    source: str


ABOUT: Mapping[str, About] = MappingProxyType(
    {
        "guessing": About(
            "Guess 2/3 of the average",
            "Each player names a whole number from low to high; those who named the number closest to "
            "ratio times the average win 1.",
            "low for a ratio below 1, high above; at 1 any common number, here the middle",
            "Ledoux 1981, Jeux et Stratégie 10:10; Nagel 1995, American Economic Review 85:1313",
        ),
        "bar": About(
            "El Farol bar",
            "Each player goes to the bar or stays home. Going pays high if at most ratio of the "
            "players go, else low; staying pays home. In the implicit mode those who stay do not "
            "learn how many went.",
            "to go with the probability at which both pay the same (0.607 with the default parameters)",
            "Arthur 1994, American Economic Review 84:406",
        ),
        "divide_dollar": About(
            "Divide the dollar",
            "Each player bids for a part of the gold. All get their bids if these do not exceed the "
            "gold together, else nothing.",
            "bids that add up to the gold, here equal ones",
            "Shapley & Shubik 1969, International Economic Review 10:337; Nash 1953, Econometrica 21:128",
        ),
        "public_goods": About(
            "Public goods",
            "Each player puts whole tokens into a pot, which times factor is shared equally by all. "
            "Every round begins with the same tokens (reset) or with what is held.",
            "nothing for factor < N (and = N), everything for factor > N",
            "Samuelson 1954, Review of Economics and Statistics 36:387; Isaac & Walker 1988, "
            "Quarterly Journal of Economics 103:179",
        ),
        "diner": About(
            "Diner's dilemma",
            "Each player orders the cheap or the costly dish; the bill is split equally.",
            "costly where it is worth more than the N-th part of what it costs more, else cheap",
            "Glance & Huberman 1994, Scientific American 270:76",
        ),
        "auction": About(
            "Sealed-bid auction",
            "Each player learns its valuation and bids; the highest bid wins and pays itself (first) "
            "or the second-highest (second).",
            "the valuation times (N - 1)/N with the first price, close to an equilibrium here; the "
            "valuation with the second",
            "Vickrey 1961, Journal of Finance 16:8; McAfee & McMillan 1987, Journal of Economic "
            "Literature 25:699",
        ),
        "battle_royale": About(
            "Battle royale",
            "The players shoot in turn, the worst shot first, at whom they like or at nobody; who is "
            "left alone wins.",
            "stationary, computed from the last two back; may miss on purpose",
            "Kilgour 1975, International Journal of Game Theory 4:151; Kilgour & Brams 1997, "
            "Mathematics Magazine 70:315",
        ),
        "pirate": About(
            "Pirate game",
            "The most senior pirate proposes how to divide the gold and all vote. With half of the "
            "votes it is done; else the proposer goes overboard and the next proposes.",
            "the proposer buys the cheapest votes: with enough gold one coin each for the third, "
            "fifth, ... pirate",
            "Stewart 1999, Scientific American 280(5):98",
        ),
    }
)
"""Name in `GAMMA_GAMES` -> its text."""
