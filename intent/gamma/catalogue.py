"""The eight games of GAMA-Bench (Huang et al. 2024, arXiv:2403.11807): rules, legal answers, rational play.

One module per game, which has all that is known of it: the rules, a `intent.games.game.CourseGame`, and the
row of the benchmark (`intent.gamma.game.BenchGame`). Below are its name, the key of the
JSON object that a player answers with, and its facts, which are the placeholders of prompts: those of the
rules (`facts()`), of a request (`question`), and of a round that was played (`report`).

guessing : ``chosen_number``
    rules: low, high, ratio (as written: "2/3"). report: own, mean, target, winning, won.
bar : ``decision``, one of go, stay
    rules: low, high, home, ratio ("60%"), mode (explicit, implicit). report: own, gain; in the explicit
    game, and to those who went, also went, stayed, share ("70%"), crowded.
divide_dollar : ``bid_amount``
    rules: gold. report: own, total, within, gain.
public_goods : ``tokens_contributed``
    rules: tokens (endowment), factor, reset. question: tokens (what the seat holds now). report: own,
    contributions (by seat), total, gain, tokens (own, after the round), holdings (by seat, after the
    round).
diner : ``chosen_dish``, one of cheap, costly
    rules: cheap_price, cheap_utility, costly_price, costly_utility. report: own, costly, cheap (numbers of
    players), total_cost, share (to pay), gain.
auction : ``bid``
    rules: price ("first", "second"), top (largest possible valuation). question: valuation. report:
    valuation, own, highest, price, won, gain.
battle_royale : ``target``, a player's number, or null for a miss on purpose
    rules: rates (by seat, per cent). question: alive (seats in shooting order), rates (of those), rank (own,
    from 1), hit_rate (own). report: shooter, target (seat, None: missed on purpose), hit (None then), left
    (seats still alive), own (the action, of the shooter only).
pirate : ``proposal`` of the proposer, ``decision`` of the voters, one of accept, reject
    rules: gold. question: proposer (seat), left (seats from the proposer down), role ("propose", "vote"), of
    voters proposal (shares by `left`) and share (own). report: proposer, proposal, accepted (votes for it,
    the proposer's included), voters (number), passed, own (vote, None of the proposer), gain.

Actions in a log: a whole number as text; ``go``, ``stay``; ``cheap``, ``costly``; the target's seat as
text or ``miss``; shares from the proposer down as ``98,0,1,0,1``; ``accept``, ``reject``. A seat whose
move is missing takes no part: it is not counted in the guessing game's mean, stays home without fun, bids
and contributes nothing, orders and pays nothing, does not bid, misses on purpose, does not accept; a
missing proposal is rejected by all.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from intent.base.errors import UnknownNameError
from intent.base.registry import load, points
from intent.games.game import course_game
from intent.gamma.game import GammaGame

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from intent.games.game import CourseGame
    from intent.gamma.game import BenchGame


__all__ = [
    "BENCH_GAMES",
    "GAMMA_GAMES",
    "ByGame",
    "bench_game",
    "describe_gamma_game",
    "families",
    "game_of",
    "gamma_facts",
    "gamma_game",
    "is_gamma_game",
    "list_gamma_games",
    "parameters_in_words",
    "setting_name",
]


T = TypeVar("T")

BENCH_GAMES = "intent.gamma_games"
"""Group of entry points: game of the benchmark -> its `BenchGame`, in the paper's order."""

GAMMA_GAMES: Mapping[str, EntryPoint] = MappingProxyType(points(BENCH_GAMES))
"""Name -> entry point of the game's row, in the paper's order."""


@cache
def bench_game(name: str) -> BenchGame:
    """The row of a game.

    Raises
    ------
    UnknownNameError
        No such game.
    """
    if name not in GAMMA_GAMES:
        raise UnknownNameError("gamma-bench game", name, GAMMA_GAMES)
    row: BenchGame = load(GAMMA_GAMES[name])
    return row


def game_of(stem: str) -> str | None:
    """The game of a name or file: ``guessing`` of ``guessing`` and of its story ``guessing_dials``."""
    return next((game for game in GAMMA_GAMES if stem == game or stem.startswith(f"{game}_")), None)


class ByGame(Mapping[str, T]):
    """Something of every game's row by its name, in the paper's order; rows are loaded when it is read.

    Parameters
    ----------
    part : from a row to what it has
    """

    def __init__(self, part: Callable[[BenchGame], T]) -> None:
        self._part = part

    def __getitem__(self, name: str) -> T:
        if name not in GAMMA_GAMES:
            raise KeyError(name)
        return self._part(bench_game(name))

    def __iter__(self) -> Iterator[str]:
        return iter(GAMMA_GAMES)

    def __len__(self) -> int:
        return len(GAMMA_GAMES)


_FAMILY: Mapping[str, str] = ByGame(lambda row: row.family)
"""Game -> its family in the paper (section 2)."""


@cache
def families() -> Mapping[str, tuple[str, ...]]:
    """Family -> its games; both in the paper's order."""
    members: dict[str, tuple[str, ...]] = {}
    for name, family in _FAMILY.items():
        members[family] = (*members.get(family, ()), name)
    return MappingProxyType(members)


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
    assert isinstance(stage, GammaGame)
    words = {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in stage.settings().items()
    }
    return {**words, "n_players": str(stage.n_players)}


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
    course, about = game.course(np.random.default_rng(0)), bench_game(name).about
    parameters = json.loads(game.to_json())
    del parameters["rules"]
    return {
        "name": name,
        "title": about.title,
        "family": bench_game(name).family,
        "rules": about.rules,
        "parameters": parameters,
        "actions": list(game.actions),
        "answer": game.key(course.question(course.steps()[0][0], {})),
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
