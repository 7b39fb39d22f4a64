"""Describe games: payoffs, class of the dilemma, cooperative and dominant actions, equilibria."""

from __future__ import annotations

import json
from typing import Any

from intent.errors import UnknownNameError, UsageError, shorten
from intent.games.catalogue import ALIASES, CATALOGUE, NamedGame, canonical_name, game, x_parameterised
from intent.games.classify import classify
from intent.games.equilibria import Dominance, dominant_actions, pure_equilibria
from intent.games.game import PayoffKind
from intent.games.gamma.catalogue import GAMMA_GAMES
from intent.games.matrix import MatrixGame
from intent.games.public_goods import PublicGoods

__all__ = [
    "NamedGame",
    "choose_game",
    "custom_game",
    "describe_game",
    "game_facts",
    "list_games",
    "payoff_rows",
]


def list_games(*, brief: bool = False) -> list[dict[str, Any]]:
    """All named games, each as `describe_game`, in catalogue order; brief: without what takes a solver."""
    return [_outline(g) if brief else describe_game(g) for g in CATALOGUE.values()]


def describe_game(g: NamedGame) -> dict[str, Any]:
    """What is to be known of a game, as plain values.

    Returns
    -------
    dict
        name, kind, actions, payoffs (joint action -> payoffs by seat, or parameters), class,
        cooperative_action (None where undecidable), dominant (per seat the action and whether it is
        strict, or None) and equilibria (joint actions); of a game of two players also mixed (probabilities
        of the first action by seat, None without nashpy), pareto, focal and correlated (the best one, joint
        action -> probability), which are None for more players.
    """
    return _outline(g) | _equilibria(g)


def _equilibria(g: NamedGame) -> dict[str, Any]:
    if not isinstance(g, MatrixGame):
        return dict.fromkeys(("mixed", "pareto", "focal", "correlated"))
    from intent.games.solutions import mixed_equilibria, solutions

    found, mixed = solutions(g), mixed_equilibria(g)
    return {
        "mixed": None if mixed is None else [[e.first[0], e.second[0]] for e in mixed],
        "pareto": [list(joint) for joint in found.pareto],
        "focal": next((list(joint) for joint in found.focal), None),
        "correlated": {",".join(joint): p for joint, p in found.correlated},
    }


def _outline(g: NamedGame) -> dict[str, Any]:
    return {
        "name": g.name,
        "kind": g.kind,
        "actions": list(g.actions),
        "payoffs": json.loads(g.to_json()),
        "class": classify(g).name,
        "cooperative_action": g.cooperative_label,
        "dominant": [_dominance(found) for found in dominant_actions(g)],
        "equilibria": [list(profile) for profile in pure_equilibria(g)],
    }


def _dominance(found: Dominance | None) -> dict[str, Any] | None:
    return None if found is None else {"action": found.action, "strict": found.strict}


def choose_game(name: str, *, x: float | None = None, scale: float | None = None) -> NamedGame:
    """A named game, with its parameter and scale.

    Parameters
    ----------
    name : str
    x : float, optional
        Temptation of the x-parameterised game.
    scale : float, optional
        What every payoff is multiplied by.

    Raises
    ------
    UsageError
        No such game, a value of x for another game, or a scale for a public goods game.
    """
    if x is None:
        chosen = _known(name)
    elif canonical_name(name) == "x-parameterised":
        chosen = x_parameterised(x)
    else:
        raise UsageError(f"--x {x:g} for {shorten(name)!r}, expected the game x-parameterised")
    return chosen if scale is None else _scaled(chosen, scale)


def _known(name: str) -> NamedGame:
    try:
        return game(name)
    except UnknownNameError:
        raise UnknownNameError("game", name, [*CATALOGUE, *ALIASES, *GAMMA_GAMES]) from None


def custom_game(payoffs: str, kind: str, *, scale: float | None = None) -> MatrixGame:
    """A game from numbers.

    Parameters
    ----------
    payoffs : str
        Four numbers T,R,P,S of a symmetric game with actions C and D, or eight: the payoffs of seats 1
        and 2 at CC, CD, DC, DD in turn.
    kind : str, "reward" or "penalty"
    scale : float, optional

    Raises
    ------
    UsageError
        Something else than four or eight numbers, or an unknown kind.
    """
    if kind not in ("reward", "penalty"):
        raise UsageError(f"payoff kind {shorten(kind)!r}, expected reward or penalty")
    of_kind: PayoffKind = "reward" if kind == "reward" else "penalty"
    try:
        numbers = [float(part) for part in payoffs.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) == 4:
        t, r, p, s = numbers
        made = MatrixGame.from_trps("custom", t, r, p, s, of_kind)
    elif len(numbers) == 8:
        cells = list(zip(numbers[::2], numbers[1::2], strict=True))
        made = MatrixGame("custom", ("C", "D"), ((cells[0], cells[1]), (cells[2], cells[3])), of_kind)
    else:
        raise UsageError(
            f"--payoffs {shorten(payoffs)!r}, expected T,R,P,S or eight numbers, two each of CC, CD, DC, DD"
        )
    return made if scale is None else made.scaled(scale)


def _scaled(g: NamedGame, scale: float) -> NamedGame:
    if isinstance(g, PublicGoods):
        raise UsageError(
            f"--scale {scale:g} for {g.name}, expected a game with two players and a payoff table"
        )
    return g.scaled(scale)


def payoff_rows(g: NamedGame) -> tuple[list[str], list[list[object]]]:
    """The payoffs as a table to print: header and rows.

    Two players: a row per action of seat 1 and a column per action of seat 2, ``own, other`` in the
    cells. More: a row per number of contributors.
    """
    if isinstance(g, MatrixGame):
        header = ["seat 1 \\ seat 2", *g.actions]
        return header, [[a, *(_cell(g.payoff((a, b))) for b in g.actions)] for a in g.actions]
    give, keep = g.actions
    rows: list[list[object]] = []
    for k in range(g.n_players + 1):
        pays = g.payoff((give,) * k + (keep,) * (g.n_players - k))
        rows.append([k, _number(pays[0]) if k else None, _number(pays[-1]) if k < g.n_players else None])
    return [f"{give} chosen by", f"payoff of {give}", f"payoff of {keep}"], rows


def game_facts(g: NamedGame) -> list[tuple[str, str]]:
    """What `describe_game` tells, and the texts of the game, as lines to print: (what, text)."""
    row, dilemma = describe_game(g), classify(g)
    dominant = [
        f"seat {seat}: {found['action']}" + ("" if found["strict"] else " (weakly)")
        for seat, found in enumerate(row["dominant"], start=1)
        if found
    ]
    facts = [
        ("class", f"{dilemma.name}: {dilemma.relation} ({dilemma.citation})"),
        (
            "cooperation",
            row["cooperative_action"] or "undecidable, no action serves the other whatever they do",
        ),
        ("dominant", ", ".join(dominant) or "none"),
        (
            "equilibria",
            "; ".join(", ".join(profile) for profile in row["equilibria"]) or "none in pure strategies",
        ),
        *_solutions(row),
        ("about", g.description),
        ("source", g.citation),
    ]
    return [(what, text) for what, text in facts if text]


def _solutions(row: dict[str, Any]) -> list[tuple[str, str]]:
    """The other kinds of equilibrium, in words; nothing for more than two players."""
    if row["pareto"] is None:
        return []
    first = row["actions"][0]
    mixed = "; ".join(f"{first} with {p:.4g} by seat 1, {q:.4g} by seat 2" for p, q in row["mixed"] or [])
    if row["mixed"] is None:
        mixed = "needs nashpy: pip install 'strategy-intent[games]'"
    lottery = "; ".join(f"{joint.replace(',', ', ')} with {p:.4g}" for joint, p in row["correlated"].items())
    return [
        ("mixed", mixed or "none"),
        ("Pareto", "; ".join(", ".join(profile) for profile in row["pareto"])),
        ("focal", ", ".join(row["focal"] or []) or "none stands out"),
        ("correlated", f"{lottery} (the best for both together)"),
    ]


def _cell(pays: tuple[float, ...]) -> str:
    return ", ".join(_number(value) for value in pays)


def _number(value: float) -> str:
    return f"{value:.12g}"
