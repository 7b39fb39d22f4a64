"""The eight games of GAMA-Bench (Huang et al. 2024, arXiv:2403.11807): rules, legal answers, rational play.

One module per game; each game is a `intent.games.game.CourseGame`. Below are its name, the key of the
JSON object that a player answers with, and its facts, which are the placeholders of prompts: those of the
rules (`facts()`), of a request (`asked`), and of a round that was played (`told`).

guessing : ``chosen_number``
    rules: low, high, ratio (as written: "2/3"). told: own, mean, target, winning, won.
bar : ``decision``, one of go, stay
    rules: low, high, home, ratio ("60%"), mode (explicit, implicit). told: own, gain; in the explicit
    game, and to those who went, also went, stayed, share ("70%"), crowded.
divide_dollar : ``bid_amount``
    rules: gold. told: own, total, within, gain.
public_goods : ``tokens_contributed``
    rules: tokens (endowment), factor, reset. asked: tokens (what the seat holds now). told: own,
    contributions (by seat), total, gain, tokens (own, after the round), holdings (by seat, after the
    round).
diner : ``chosen_dish``, one of cheap, costly
    rules: cheap_price, cheap_utility, costly_price, costly_utility. told: own, costly, cheap (numbers of
    players), total_cost, share (to pay), gain.
auction : ``bid``
    rules: price ("first", "second"), top (largest possible valuation). asked: valuation. told: valuation,
    own, highest, price, won, gain.
battle_royale : ``target``, a player's number, or null for a miss on purpose
    rules: rates (by seat, per cent). asked: alive (seats in shooting order), rates (of those), rank (own,
    from 1), hit_rate (own). told: shooter, target (seat, None: missed on purpose), hit (None then), left
    (seats still alive), own (the action, of the shooter only).
pirate : ``proposal`` of the proposer, ``decision`` of the voters, one of accept, reject
    rules: gold. asked: proposer (seat), left (seats from the proposer down), role ("propose", "vote"), of
    voters proposal (shares by `left`) and share (own). told: proposer, proposal, accepted (votes for it,
    the proposer's included), voters (number), passed, own (vote, None of the proposer), gain.

Actions in a log: a whole number as text; ``go``, ``stay``; ``cheap``, ``costly``; the target's seat as
text or ``miss``; shares from the proposer down as ``98,0,1,0,1``; ``accept``, ``reject``. A seat whose
move is missing takes no part: it is not counted in the guessing game's mean, stays home without fun, bids
and contributes nothing, orders and pays nothing, does not bid, misses on purpose, does not accept; a
missing proposal is rejected by all.

The table of the eight games, by the names that their results are published under.

The eight games in words: rules, equilibrium and source, for those who look them up.

How a game differs from the one of the paper, in a few words that scores are sorted by.

Describe the eight games of gamma-bench: parameters, answers, equilibrium, source.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from intent.base.errors import UnknownNameError
from intent.base.registry import points
from intent.games.courses import GAMES, course_game

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from intent.games.game import CourseGame


__all__ = [
    "ABOUT",
    "FAMILIES",
    "GAMMA_GAMES",
    "About",
    "describe_gamma_game",
    "gamma_facts",
    "gamma_game",
    "is_gamma_game",
    "list_gamma_games",
    "parameters_in_words",
    "setting_name",
]


FAMILIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "cooperative": ("guessing", "bar", "divide_dollar"),
        "betraying": ("public_goods", "diner", "auction"),
        "sequential": ("battle_royale", "pirate"),
    }
)
"""The paper's three families (section 2)."""

GAMMA_GAMES: Mapping[str, EntryPoint] = MappingProxyType(
    {name: points(GAMES)[name] for members in FAMILIES.values() for name in members}
)
"""Name -> entry point of the game's class, in the paper's order."""


def gamma_game(name: str, **parameters: Any) -> CourseGame:
    """A game with the paper's parameters (ten players), or with others.

    Raises
    ------
    UnknownNameError
        No such game, or no such parameter.
    GameError
        Parameters that make no game.
    """
    if name not in GAMMA_GAMES:
        raise UnknownNameError("gamma-bench game", name, GAMMA_GAMES)
    return course_game(name, **parameters)


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


_MENU = ("cheap_price", "cheap_utility", "costly_price", "costly_utility")


def setting_name(stage: CourseGame) -> str:
    """What differs from the paper's game, as scores name it; ``default`` where nothing does.

    Examples
    --------
    >>> from intent.gamma.catalogue import gamma_game
    >>> setting_name(gamma_game("divide_dollar", gold=50)), setting_name(gamma_game("divide_dollar"))
    ('gold=50', 'default')
    >>> setting_name(gamma_game("diner", cheap_price=1, n_players=4))
    'menu=1/15/20/20, n_players=4'
    """
    words = _words(stage)
    usual = _words(type(stage)())
    differing = [f"{word}={value}" for word, value in words.items() if value != usual[word]]
    return ", ".join(differing) or "default"


def _words(stage: CourseGame) -> dict[str, str]:
    """Parameter -> value, the parameters that belong together as one."""
    fields = {field.name: getattr(stage, field.name) for field in dataclasses.fields(stage) if field.init}  # type: ignore[arg-type]
    n = fields.pop("n_players")
    if stage.name == "diner":
        fields = {"menu": "/".join(str(fields[name]) for name in _MENU)}
    if stage.name == "battle_royale":
        fields = {"rates": f"{fields['lowest']}/{fields['lowest'] + fields['interval'] * (n - 1)}"}
    words = {
        name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in fields.items()
    }
    return {**words, "n_players": str(n)}


def is_gamma_game(name: str | None) -> bool:
    """Whether this is the name of one of the eight games, spelled as in their table."""
    return name in GAMMA_GAMES


def list_gamma_games() -> list[dict[str, Any]]:
    """All eight, each as `describe_gamma_game`."""
    return [describe_gamma_game(name) for name in GAMMA_GAMES]


def describe_gamma_game(name: str) -> dict[str, Any]:
    """What is to be known of one of the eight games, as plain values.

    Returns
    -------
    dict
        name, title, family, rules, parameters (name -> default, the paper's), actions (empty where they are
        numbers or depend on the round), answer (field of the JSON object of an answer in round 1),
        cooperative_action (None where there is none), equilibrium, source.

    Raises
    ------
    UnknownNameError
        No such game.
    """
    import numpy as np

    game = gamma_game(name)
    course, about = game.course(np.random.default_rng(0)), ABOUT[name]
    parameters = json.loads(game.to_json())
    del parameters["rules"]
    return {
        "name": name,
        "title": about.title,
        "family": next(family for family, members in FAMILIES.items() if name in members),
        "rules": about.rules,
        "parameters": parameters,
        "actions": list(game.actions),
        "answer": game.key(course.asked(course.steps()[0][0], {})),
        "cooperative_action": game.cooperative_label,
        "equilibrium": about.equilibrium,
        "source": about.source,
    }


def gamma_facts(name: str) -> list[tuple[str, str]]:
    """`describe_gamma_game` as lines to print: (what, text)."""
    row = describe_gamma_game(name)
    actions = ", ".join(row["actions"]) or "numbers, or what the round allows"
    return [
        ("rules", row["rules"]),
        ("parameters", parameters_in_words(row["parameters"])),
        ("actions", f"{actions}; answered as {row['answer']}"),
        ("cooperation", row["cooperative_action"] or "no single action is cooperation"),
        ("equilibrium", row["equilibrium"]),
        ("family", row["family"]),
        ("source", f"{row['source']}; parameters of Huang et al. 2024, arXiv:2403.11807"),
    ]


def parameters_in_words(parameters: dict[str, Any]) -> str:
    """``n_players=10, gold=100``."""
    return ", ".join(
        f"{name}={value if isinstance(value, str) else json.dumps(value)}"
        for name, value in parameters.items()
    )
